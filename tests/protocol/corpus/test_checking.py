"""`tallystick corpus check`: the folder against its manifest, and the texts against what comes out of the files."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocol.commands.corpus import corpus as command
from protocol.corpus import build
from protocol.corpus.checking import check_folder
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import read_secret
from protocol.sources.pictures import PAGE_IMAGES, images_digest
from protocol.sources.source import SourceDocument, SourcePart
from tests.protocol.corpus.test_built_from_files import mail, write
from tests.protocol.corpus.test_built_from_loadfiles import load, put
from tests.support import pdf_files
from tests.support.small_corpus import SECRET
from tests.support.verifier_corpora import copied

pytestmark = pytest.mark.slow

BOX = "From x\nSubject: odd\n\nbody\n\nFrom y\n" + mail() + "\n"


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done.output


def checked(folder: Path, *, code: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(run("check", folder, "--extract", "--json", code=code))
    return value


@pytest.fixture(scope="module")
def _corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("built")
    files = {"a.eml": mail(), "b.txt": "some words", "c.html": "<p>other", "d/box.mbox": BOX, "e.csv": "x,y\n1,2\n"}
    source = write(tmp_path / "source", files)
    (source / "f.pdf").write_bytes(pdf_files.pages(*(pdf_files.shown(f"page {number}") for number in range(3))))
    run("build", source, "--out", tmp_path / "corpus", "--page-images", "2")
    return tmp_path / "corpus"


@pytest.fixture
def corpus(_corpus: Path, tmp_path: Path) -> Path:
    return copied(_corpus, tmp_path / "corpus")


def reseal(folder: Path, changes: Mapping[str, str], pictures: tuple[bytes, ...] | None = None) -> None:
    """Make the corpus again with other texts or pictures in it, as a Trent who edits what he extracted would."""
    made = Corpus.open(folder)
    documents = []
    for number in range(made.size):
        parts = []
        for place in range(made.parts(number)):
            known, rest = made.fields(number, place).log, made.fields(number, place).rest
            images, fields = made.images(number, place), rest.fields
            if images and pictures is not None:
                images = pictures
                fields = fields | {PAGE_IMAGES: images_digest(sha256(each).digest() for each in pictures)}
            parts.append(
                SourcePart(
                    name=rest.name, content=made.content(number, place),
                    text=changes.get(rest.name, made.part_text(number, place)), type=known.type,
                    parent=known.parent, paths=rest.paths, fields=fields, images=images,
                    tool=changes.get(f"tool of {rest.name}", rest.extraction.tool), options=rest.extraction.options,
                )
            )  # fmt: skip
        documents.append(SourceDocument(parts=tuple(parts)))
    secret, unit = read_secret(folder), made.unit
    build.build(documents, folder.with_name("other"), secret=secret, unit=unit)


def test_a_corpus_that_is_as_it_was_made_passes(corpus: Path) -> None:
    assert run("check", corpus) == f"Folder     as it was made: {Corpus.open(corpus).size} documents\n"


def test_the_same_texts_come_out_again(corpus: Path) -> None:
    value = checked(corpus)
    assert (value["files"], value["given"], value["differ"]) == (6, 0, [])
    assert "Extracted  6 files; 0 texts came with their documents\nDiffer     0\n" in run("check", corpus, "--extract")


@pytest.mark.parametrize(
    "name", [*(f"shards/00000/{name}.bin" for name in ("contents", "texts", "fields")), "account.jsonl", "tree.bin"]
)
def test_a_file_that_was_changed_is_found(corpus: Path, name: str) -> None:
    raw = bytearray((corpus / name).read_bytes())
    raw[len(raw) // 2] ^= 1
    (corpus / name).write_bytes(raw)
    assert f"{name} was changed after the corpus was made" in run("check", corpus, code=1)


def test_what_is_no_corpus_is_refused(tmp_path: Path) -> None:
    assert "is not a corpus" in run("check", tmp_path, code=1)


@pytest.mark.parametrize("name", ["b.txt", "one.txt", "a.eml"])
def test_a_text_that_does_not_come_out_of_its_file_is_told(corpus: Path, name: str) -> None:
    reseal(corpus, {name: "nothing of importance"})
    value = checked(corpus.with_name("other"), code=1)
    assert {each["name"] for each in value["differ"]} == {name}
    assert {each["what"] for each in value["differ"]} == {"its text"}
    assert not any(each["other_tool"] for each in value["differ"])
    shown = run("check", corpus.with_name("other"), "--extract", code=1)
    assert f"{name}: its text\n" in shown


def test_pictures_that_do_not_come_out_of_their_file_are_told(corpus: Path) -> None:
    first, second = next(found for number in range(6) if (found := Corpus.open(corpus).images(number)))
    reseal(corpus, {}, pictures=(second, first))
    (found,) = checked(corpus.with_name("other"), code=1)["differ"]
    assert (found["name"], found["what"], found["other_tool"]) == ("f.pdf", "the pictures of its pages", False)


def test_another_version_of_a_tool_is_told(corpus: Path) -> None:
    reseal(corpus, {"tool of b.txt": "tallystick 0.0.1"})
    (found,) = checked(corpus.with_name("other"), code=1)["differ"]
    assert (found["name"], found["what"], found["other_tool"]) == ("b.txt", "its tool or options", True)
    shown = run("check", corpus.with_name("other"), "--extract", code=1)
    assert "(sealed with tallystick 0.0.1, now read with tallystick " in shown


def test_parts_as_documents_are_compared_with_the_parts_of_their_family(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"a.eml": mail(), "b.txt": "words"})
    run("build", source, "--out", tmp_path / "corpus", "--unit", "document")
    assert checked(tmp_path / "corpus")["files"] == 2
    reseal(tmp_path / "corpus", {"a.eml/one.txt": "harmless"})
    value = checked(tmp_path / "other", code=1)
    assert [(each["name"], each["what"]) for each in value["differ"]] == [("a.eml/one.txt", "its text")]


def test_texts_that_came_with_their_documents_are_counted_and_natives_are_read(tmp_path: Path) -> None:
    put(tmp_path, N__1_eml=mail(), N__2_txt="second words", N__3_bin=b"MZ\x90\0\3\0\0\0" * 9)
    path = load(
        tmp_path,
        "DOCID|PARENTID|NATIVELINK|TEXT",
        "1||N/1.eml|", "2|1|N/2.txt|", "3||N/3.bin|", "4||N/1.eml|given", "5|||given", "6|||", "7||N/1.eml|",
    )  # fmt: skip
    run("build", path, "--out", tmp_path / "corpus")
    value = checked(tmp_path / "corpus")
    assert (value["files"], value["given"], value["differ"]) == (4, 3, [])


def test_a_table_has_nothing_to_extract(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n')
    run("build", tmp_path / "a.jsonl", "--out", tmp_path / "corpus")
    assert (checked(tmp_path / "corpus")["files"], checked(tmp_path / "corpus")["given"]) == (0, 1)


def test_a_check_tells_how_many_documents_are_done(tmp_path: Path) -> None:
    documents = [SourceDocument(parts=(SourcePart(name=str(n), content=b"x", text="x"),)) for n in range(5)]
    build.build(documents, tmp_path / "corpus", secret=SECRET, shard_documents=2)
    told: list[tuple[int, int]] = []
    check_folder(tmp_path / "corpus", lambda done, total: told.append((done, total)))
    assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]
