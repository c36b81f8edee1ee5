"""Corpora of real files: families, duplicates with all custodians and paths, and parts as documents of their own."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from protocol.commands.corpus import corpus as command
from protocol.corpus import account
from protocol.corpus.corpus import Corpus

pytestmark = pytest.mark.slow

MAIL = """From: a@x
To: b@x
Subject: {subject}
Date: Mon, 1 Jan 2024 00:00:00 +0000
Received: {received}
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

see attached
--b
Content-Type: text/plain; name=one.txt
Content-Disposition: attachment; filename=one.txt

{attached}
--b--
"""


def mail(received: str = "here", attached: str = "first words", subject: str = "hello") -> str:
    return MAIL.format(received=received, attached=attached, subject=subject)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def build(tmp_path: Path, files: dict[str, str], *options: str, code: int = 0) -> Corpus | str:
    source = write(tmp_path / "source", files)
    out = tmp_path / "corpus"
    done = CliRunner().invoke(command, ["build", str(source), "--out", str(out), *options])
    assert done.exit_code == code, done.output
    return done.output if code else Corpus.open(out)


def built(tmp_path: Path, files: dict[str, str], *options: str) -> Corpus:
    made = build(tmp_path, files, *options)
    assert isinstance(made, Corpus)
    assert not account.fault(made.account, made.size, made.unit)
    return made


def by_name(corpus: Corpus) -> dict[str, int]:
    return {corpus.name(number): number for number in range(corpus.size)}


# Duplicates


def test_copies_of_a_mail_from_three_custodians_are_one_document_with_all_of_them(tmp_path: Path) -> None:
    copies = {"Ann/in/1.eml": mail("Ann's"), "Ben/7.eml": mail("Ben's"), "Cy/8.eml": mail("Cy's"), "Cy/9.eml": mail()}
    made = built(tmp_path, copies | {"Cy/other.txt": "other"}, "--custodian-folders")
    assert (made.account.items, made.account.families, made.account.duplicates, made.account.entered) == (5, 5, 3, 2)
    assert made.account.custodians == 3
    first = made.fields(by_name(made)["Ann/in/1.eml"])
    assert first.rest.custodians == ("Ann", "Ben", "Cy")
    assert first.rest.paths == ("Ann/in/1.eml", "Ben/7.eml", "Cy/8.eml", "Cy/9.eml")
    assert made.content(by_name(made)["Ann/in/1.eml"]) == copies["Ann/in/1.eml"].encode()
    other = made.fields(by_name(made)["Cy/other.txt"]).rest
    assert (other.custodians, other.paths) == (("Cy",), ("Cy/other.txt",))


def test_a_custodian_who_has_only_copies_is_counted(tmp_path: Path) -> None:
    made = built(tmp_path, {"Ann/a.txt": "words", "Ben/a.txt": "words"}, "--custodian-folders")
    assert (made.size, made.account.custodians) == (1, 2)


@pytest.mark.parametrize(
    "other",
    [mail(attached="other words"), mail(subject="other"), "first words", mail().replace("b@x", "c@x")],
    ids=["another attachment", "another subject", "the attachment alone", "another recipient"],
)
def test_families_that_differ_in_a_part_stay_apart(tmp_path: Path, other: str) -> None:
    made = built(tmp_path, {"a.eml": mail(), "b.eml": other})
    assert (made.size, made.account.duplicates) == (2, 0)


def test_the_fields_of_documents_after_a_merged_one_are_still_theirs(tmp_path: Path) -> None:
    files = {f"{n:02}.txt": f"text number {n}" for n in range(20)}
    copies = {f"Copies/{n:02}.txt": f"text number {n}" for n in range(0, 20, 3)}
    made = built(tmp_path, files | copies)
    for name, number in by_name(made).items():
        assert made.text(number) == files[name]
        assert made.fields(number).rest.paths == (name, *({f"Copies/{name}"} & set(copies)))
    assert (made.size, made.account.duplicates) == (20, len(copies))
    assert not list(made.path.glob("fields*old"))


def test_a_copy_inside_an_archive_and_one_outside_meet_and_a_repeated_build_is_the_same(tmp_path: Path) -> None:
    source = write(tmp_path / "source", {"z.txt": "some words", "other.txt": "other"})
    with zipfile.ZipFile(source / "a.zip", "w") as archive:
        archive.writestr("in.txt", "some words")
    roots = set()
    for number in range(2):
        out = tmp_path / str(number)
        done = CliRunner().invoke(command, ["build", str(source), "--out", str(out), "--seed", "a"])
        assert done.exit_code == 0, done.output
        made = Corpus.open(out)
        assert made.fields(by_name(made)["a.zip/in.txt"]).rest.paths == ("a.zip/in.txt", "z.txt")
        roots.add(made.root)
    assert len(roots) == 1


# Custodians


def test_one_custodian_may_be_named_for_all(tmp_path: Path) -> None:
    made = built(tmp_path, {"a.txt": "a", "x/b.txt": "b"}, "--custodian", "Ann Lee")
    assert {made.fields(number).rest.custodians for number in range(made.size)} == {("Ann Lee",)}


def test_a_file_that_is_in_no_folder_has_no_custodian_or_the_one_that_is_named(tmp_path: Path) -> None:
    files = {"a.txt": "a", "Ben/b.txt": "b"}
    made = built(tmp_path / "one", files, "--custodian-folders")
    assert {made.name(n): made.fields(n).rest.custodians for n in range(2)} == {"a.txt": (), "Ben/b.txt": ("Ben",)}
    made = built(tmp_path / "two", files, "--custodian-folders", "--custodian", "Ann")
    assert {made.name(n): made.fields(n).rest.custodians for n in range(2)} == {
        "a.txt": ("Ann",),
        "Ben/b.txt": ("Ben",),
    }


def test_folders_name_no_custodian_where_the_source_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n')
    done = CliRunner().invoke(
        command, ["build", str(tmp_path / "a.jsonl"), "--out", str(tmp_path / "c"), "--custodian-folders"]
    )
    assert done.exit_code == 2
    assert "--custodian-folders needs a folder" in done.output
    assert not (tmp_path / "c").exists()


def test_a_custodian_may_be_named_for_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n{"id": 1, "text": "x"}\n')
    done = CliRunner().invoke(
        command, ["build", str(tmp_path / "a.jsonl"), "--out", str(tmp_path / "c"), "--custodian", "Ann"]
    )
    assert done.exit_code == 0, done.output
    made = Corpus.open(tmp_path / "c")
    assert (made.fields(0).rest.custodians, made.fields(0).rest.paths) == (("Ann",), ())


# The unit


def test_a_family_is_one_document_unless_its_parts_are_asked_for(tmp_path: Path) -> None:
    files = {"x/a.eml": mail(), "y/b.eml": mail("there"), "c.txt": "words"}
    family = built(tmp_path / "one", files, "--custodian-folders")
    assert (family.unit, family.size, family.parts(by_name(family)["x/a.eml"])) == ("family", 2, 2)
    made = built(tmp_path / "two", files, "--unit", "document", "--custodian-folders")
    assert (made.unit, made.size, made.account.entered, made.account.parts) == ("document", 3, 2, 3)
    numbers = by_name(made)
    assert set(numbers) == {"x/a.eml", "x/a.eml/one.txt", "c.txt"}
    part = made.fields(numbers["x/a.eml/one.txt"])
    assert part.rest.fields == {"family": "x/a.eml", "place": "1", "attached_to": "x/a.eml"}
    assert part.log.parent is None
    assert (part.rest.custodians, part.rest.paths) == (("x", "y"), ("x/a.eml", "y/b.eml"))
    first = made.fields(numbers["x/a.eml"]).rest.fields
    assert (first["family"], first["place"], "attached_to" in first) == ("x/a.eml", "0", False)
    assert "family" not in made.fields(numbers["c.txt"]).rest.fields
    assert made.text(numbers["x/a.eml/one.txt"]) == "first words"


def test_parts_with_the_name_of_another_file_get_names_of_their_own(tmp_path: Path) -> None:
    made = built(tmp_path, {"a": mail(), "b/one.txt": "b", "b.eml": mail(subject="b")}, "--unit", "document")
    assert sorted(by_name(made)) == ["a", "a/one.txt", "b.eml", "b.eml/one.txt", "b/one.txt"]


def test_another_unit_is_wrong_usage(tmp_path: Path) -> None:
    assert "'part' is not one of 'family', 'document'" in str(build(tmp_path, {"a": "a"}, "--unit", "part", code=2))
