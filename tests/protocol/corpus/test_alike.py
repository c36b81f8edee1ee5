"""Which parts and documents of a corpus are alike: equal bytes, or nearly the same text, as parts and as a whole."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.corpus.likeness import Likeness
from protocol.errors import BadCorpus
from protocol.sources.source import SourceDocument, SourcePart
from tests.support.small_corpus import SECRET

LONG = " ".join(f"word{each * 7919 % 1009}" for each in range(200))
NEARLY = LONG.replace("word0 ", "changed ")


def part(name: str, text: str, content: bytes | None = None, parent: int | None = None) -> SourcePart:
    return SourcePart(name=name, content=text.encode() if content is None else content, text=text, parent=parent)


def document(*parts: SourcePart) -> SourceDocument:
    return SourceDocument(parts=tuple(replace(each, parent=0) if number else each for number, each in enumerate(parts)))


DOCUMENTS = [
    document(part("memo", LONG)),
    document(part("draft", NEARLY, b"%PDF")),
    document(part("mail", "see attached"), part("attached", LONG), part("logo", "", b"GIF")),
    document(part("other", "quite another text"), part("logo again", "", b"GIF")),
    document(part("empty", "")),
    document(part("empty, too", "")),
    document(part("scan", "", b"%PDF-scan"), part("note", "see attached")),
    document(part("mail again", "see attached"), part("attached again", NEARLY), part("more", "lunch")),
]


def make(path: Path, documents: list[SourceDocument] = DOCUMENTS, workers: int | None = None) -> Corpus:
    return build.build(documents, path, secret=SECRET, workers=workers)


def found(corpus: Corpus, likeness: Likeness) -> set[frozenset[tuple[str, int | None]]]:
    """The groups of at least two, by the names of documents."""
    groups: dict[int, set[tuple[str, int | None]]] = {}
    for number in range(corpus.size):
        for place, kind, group in corpus.alike.of(number):
            if kind is likeness:
                groups.setdefault(group, set()).add((corpus.name(number), place))
    return {frozenset(each) for each in groups.values() if len(each) > 1}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make(tmp_path_factory.mktemp("alike") / "corpus")


def test_parts_with_the_same_bytes_are_equal_wherever_they_are(corpus: Corpus) -> None:
    assert found(corpus, Likeness.EQUAL) == {
        frozenset({("memo", 0), ("mail", 1)}),
        frozenset({("mail", 2), ("other", 1)}),
        frozenset({("mail", 0), ("scan", 1), ("mail again", 0)}),
    }


def test_parts_and_whole_documents_with_nearly_the_same_text_are_one_group(corpus: Corpus) -> None:
    assert found(corpus, Likeness.NEAR) == {
        frozenset({("memo", 0), ("draft", 0), ("mail", 1), ("mail", None), ("mail again", 1), ("mail again", None)}),
        frozenset({("mail", 0), ("scan", 1), ("mail again", 0), ("scan", None)}),
        frozenset({("other", 0), ("other", None)}),
    }


def test_whole_families_with_the_same_bytes_are_equal(tmp_path: Path) -> None:
    twice = [document(part(f"{name}", "hello"), part("x", "more")) for name in ("a", "b")]
    turned = document(part("c", "more"), part("x", "hello"))
    equal = found(make(tmp_path / "corpus", [*twice, turned]), Likeness.EQUAL)
    assert frozenset({("a", None), ("b", None)}) in equal
    assert not any(("c", None) in group for group in equal)


def test_what_is_empty_is_like_nothing(tmp_path: Path) -> None:
    made = make(tmp_path / "corpus", [document(part(name, "")) for name in "abc"])
    assert made.alike.groups.tolist() == [[each, each] for each in (0, 1, 2, 0, 1, 2)]
    assert all(made.is_blank(number) for number in range(3))


def test_copies_are_counted(corpus: Corpus) -> None:
    number = next(each for each in range(corpus.size) if corpus.name(each) == "scan")
    groups = {place: group for place, kind, group in corpus.alike.of(number) if kind is Likeness.EQUAL}
    assert (corpus.alike.copies(groups[1]), corpus.alike.copies(groups[0])) == (3, 1)
    assert corpus.is_blank(number)
    assert not corpus.is_blank(number, 1)


def test_the_groups_do_not_depend_on_the_number_of_workers(corpus: Corpus, tmp_path: Path) -> None:
    split = make(tmp_path / "corpus", workers=3)
    assert (split.path / "alike.npy").read_bytes() == (corpus.path / "alike.npy").read_bytes()


def test_the_list_is_covered_by_the_manifest(tmp_path: Path) -> None:
    made = make(tmp_path / "corpus")
    groups = np.load(made.path / "alike.npy")
    groups[0] = 7
    np.save(made.path / "alike.npy", groups)
    with pytest.raises(BadCorpus, match="alike.npy was changed"):
        list(Corpus.open(made.path).alike.of(0))


def test_only_signatures_are_left_in_the_scratch_folder_and_nothing_of_it_stays(corpus: Corpus) -> None:
    assert {path.name for path in corpus.path.iterdir()} == {
        "account.jsonl", "alike.npy", "frequencies.npy", "labels.json", "manifest.json", "secret", "shards",
        "terms.bin", "tree.bin",
    }  # fmt: skip
    assert [path.name for path in (corpus.path / "shards").iterdir()] == ["00000"]
    assert {path.name for path in (corpus.path / "shards/00000").iterdir()} == {
        "columns.npy", "contents.bin", "digests.npy", "fields.bin", "numbers.npy", "parts.npy", "places.npy",
        "starts.npy", "texts.bin", "values.npy",
    }  # fmt: skip
