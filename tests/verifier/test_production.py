"""A volume against a copy: what is missing, added or changed is found, and Trent is blamed for what he signed alone."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.roles import Audience
from tests.support import productions
from tests.support.productions import MANIFEST, ODD, Office, contents, failed, resign
from verifier import production
from verifier.checks import Role
from verifier.cli import main
from verifier.production import Answer, Judgement, checks, loadfile
from verifier.record.hashing import fingerprint

TABLE = "DATA/VOL002.dat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A whole production of two volumes, of which the second has a family with a slip sheet, and Bob's copy."""

    office: Office
    copy: Path

    @property
    def volume(self) -> Path:
        return self.office.folder / "V2"

    def manifest(self, name: str = "V2") -> dict[str, Any]:
        """What Trent signs of a volume."""
        value: dict[str, Any] = json.loads((self.office.folder / name / MANIFEST).read_bytes())["manifest"]
        return value

    @property
    def parts(self) -> int:
        """How many numbers the volume has: all of ten that the first one has not."""
        return 10 - len(self.manifest("V1")["records"])

    def judge(self, *, earlier: bool = True, **given: Any) -> Judgement:
        return self.office.judge("V2", ["V1"] if earlier else [], copy=self.copy, **given)

    def cheat(self, change: Callable[[dict[str, Any]], None] = lambda value: None) -> Judgement:
        """What is said if Trent signs the volume as it is now, with these changes."""
        resign(self.office, "V2", change)
        return self.judge()


@pytest.fixture(scope="module")
def _case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    office = productions.office(tmp_path_factory.mktemp("office"))
    office.play(1, withheld=(2,))
    office.produce("V1")
    office.play(withheld=(2,))
    office.produce("V2")
    return Case(office=office, copy=office.copy())


@pytest.fixture
def case(_case: Case, tmp_path: Path) -> Case:
    for name in ("V1", "V2"):
        shutil.copytree(_case.office.folder / name, tmp_path / name)
    shutil.copy(_case.office.matter, tmp_path / "case.matter")
    return replace(_case, office=replace(_case.office, folder=tmp_path))


@pytest.fixture
def all_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """No finding is only counted."""
    monkeypatch.setattr(checks, "MOST", 1000)


def paths(case: Case) -> list[str]:
    return sorted(path for path in contents(case.volume) if path != MANIFEST)


def alone(value: dict[str, Any]) -> dict[str, Any]:
    """The first record of a manifest that is a document of its own, with a native that is a text."""
    families = Counter(each["document"] for each in value["records"])
    found: dict[str, Any] = next(each for each in value["records"] if families[each["document"]] == 1)
    assert found["native"].endswith(".txt")
    return found


def test_a_genuine_volume_is_verified_and_every_check_is_made(case: Case) -> None:
    found = case.judge()
    assert found.answer is Answer.VERIFIED
    assert {each.outcome for each in found.checks} == {"pass"}
    parts = case.parts  # of which four are a family with a slip sheet, and three of these have no native
    assert [each.items for each in found.checks] == [1, 2, 2 * parts, parts - 3, parts - 1, 1, parts, 3, 1]
    assert any(ODD[:4] in data.decode(errors="replace") for data in contents(case.volume).values())
    assert production.text(found).startswith("VERIFIED: volume 2, of a SIMULATION")


def test_without_earlier_volumes_they_are_not_checked_and_the_answer_says_so(case: Case) -> None:
    found = case.judge(earlier=False)
    assert found.answer is Answer.VERIFIED
    assert [each.check.value for each in found.checks if each.outcome == "not checked"] == ["P09"]
    assert "Not checked: P09" in production.text(found)


@pytest.mark.parametrize("audience", [Audience.ALICE, Audience.COURT])
def test_other_copies_that_show_the_documents_serve_as_well(case: Case, audience: Audience) -> None:
    assert case.office.judge("V2", ["V1"], copy=case.office.copy(audience)).answer is Answer.VERIFIED


# Files that anybody could have changed: nobody is blamed.


@pytest.mark.parametrize("change", [lambda data: data + b" ", lambda data: data[:-1] + b"\x00", None])
def test_each_file_that_is_changed_or_missing_is_found_and_nobody_is_blamed(
    case: Case, all_told: None, change: Callable[[bytes], bytes] | None
) -> None:
    touched = [path for path in paths(case) if change is None or change((case.volume / path).read_bytes())]
    for path in touched:
        file = case.volume / path
        file.unlink() if change is None else file.write_bytes(change(file.read_bytes()))
    found = case.judge(earlier=False)
    assert found.answer is Answer.REJECTED
    assert sorted(each.where for each in found.results.findings if each.check == "P03") == touched
    assert {party for _, party in failed(found)} == {None}


def test_the_field_that_was_changed_is_named(case: Case) -> None:
    table = case.volume / TABLE
    table.write_bytes(table.read_bytes().replace(b"carol", b"carla"))
    (said,) = (each for each in case.judge().results.findings if each.check == "P07")
    assert (said.where.endswith(", CC"), said.expected, said.found, said.party) == (True, "'carol'", "'carla'", None)


def test_what_was_added_to_the_folder_is_found(case: Case) -> None:
    (case.volume / "NATIVES" / "0001" / "ACME99.txt").write_text("x")
    assert failed(case.judge()) == [("P03", None)]


def test_what_systems_leave_in_folders_is_only_mentioned(case: Case) -> None:
    (case.volume / "TEXT" / ".DS_Store").write_text("x")
    found = case.judge()
    assert found.answer is Answer.VERIFIED
    assert found.remarks == ["Left there by a computer's system, and not checked: TEXT/.DS_Store"]


def test_links_pipes_and_odd_names_are_told_and_never_opened(case: Case, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    text = case.volume / alone(case.manifest())["text"]
    text.rename(secret)
    text.symlink_to(secret)
    (case.volume / "folder").symlink_to(tmp_path)
    os.mkfifo(case.volume / "pipe")
    (case.volume / "a\x1b[31m\nb").write_text("x")
    (case.volume / os.fsdecode(b"\xff\xfe")).write_text("x")
    found = case.judge()
    assert failed(found) == [("P03", None)]
    said = {each.where: each.found for each in found.results.findings}
    assert said[text.relative_to(case.volume).as_posix()] == said["folder"] == "a link"
    assert said["pipe"] == "not a plain file"
    assert len(said) == 5
    words = ["production", str(case.volume), "--copy", str(case.copy)]
    for more in ([], ["--json"]):
        told = CliRunner().invoke(main, [*words, *more])
        assert told.exit_code == 1
        assert "\x1b[31m" not in told.output


def test_a_manifest_that_somebody_changed_is_not_trents(case: Case) -> None:
    file = case.volume / MANIFEST
    data = file.read_bytes()
    file.write_bytes(data.replace(b'"prefix":"ACME"', b'"prefix":"ACMF"'))
    found = case.judge()
    assert failed(found) == [("P01", None)]
    assert [each.outcome for each in found.checks[1:]] == ["not checked"] * 8
    assert "It is not what Trent signed" in production.text(found)


# What Trent signed: he is blamed.


def rewrite(case: Case, path: str, change: Callable[[bytes], bytes]) -> None:
    file = case.volume / path
    before = file.read_bytes()
    file.write_bytes(change(before))
    assert file.read_bytes() != before


@pytest.mark.parametrize(
    ("path", "check"),
    [
        ("native", "P05"),
        ("text", "P05"),
        (TABLE, "P07"),
        ("DATA/VOL002.opt", "P03"),
        ("RETURN.csv", "P08"),
    ],
)
def test_trent_is_blamed_for_a_wrong_file_that_he_signed(case: Case, path: str, check: str) -> None:
    rewrite(case, alone(case.manifest()).get(path, path), lambda data: data + b"x")
    assert failed(case.cheat()) == [(check, "trent")]


def sheet(case: Case) -> str:
    """The number of the slip sheet."""
    (number,) = (each["number"] for each in case.manifest()["records"] if each["withheld"])
    assert isinstance(number, str)
    return number


def test_a_slip_sheet_with_other_words_is_trents_fault(case: Case) -> None:
    rewrite(case, f"TEXT/0001/{sheet(case)}.txt", lambda _: b"prices of gas")
    assert failed(case.cheat()) == [("P06", "trent")]


def test_a_withheld_part_with_a_native_is_trents_fault(case: Case) -> None:
    number = sheet(case)
    native = f"NATIVES/0001/{number}.pdf"
    (case.volume / native).write_bytes(b"%PDF")

    def change(value: dict[str, Any]) -> None:
        (row,) = (each for each in value["records"] if each["withheld"])
        row["native"] = native

    assert ("P06", "trent") in failed(case.cheat(change))


def test_a_native_that_holds_a_withheld_part_is_trents_fault(case: Case) -> None:
    mail = next(each["number"] for each in case.manifest()["records"] if each["native"] is None)
    native = f"NATIVES/0001/{mail}.eml"
    (case.volume / native).write_bytes(b"From: ann\n\nSee the offer")

    def change(value: dict[str, Any]) -> None:
        next(each for each in value["records"] if each["number"] == mail)["native"] = native

    assert ("P06", "trent") in failed(case.cheat(change))


@pytest.mark.parametrize("withheld", [True, False])
def test_a_part_that_is_withheld_without_the_court_or_produced_in_spite_of_it_is_trents_fault(
    case: Case, *, withheld: bool
) -> None:
    def change(value: dict[str, Any]) -> None:
        row = next(each for each in value["records"] if each["withheld"] is not withheld)
        row["withheld"] = withheld

    assert ("P06", "trent") in failed(case.cheat(change))


FIELDS = {
    b"carol": "CC",
    b"The offer": "SUBJECT",
    b"Ann, Bob; Zo": "ALLCUSTODIANS",
    b"2001-05-03": "DOCDATE",
    b"offer.zip": "FILENAME",
    b"ann/sent/1; bob": "ALLPATHS",
    b"<1>": "MESSAGEID",
    b"This document is withheld": "WITHHELD",
    b"TEXT\\0001\\ACME00000009.txt": "TEXTLINK",
    b"NATIVES\\0001\\ACME00000010.": "NATIVELINK",
}


@pytest.mark.parametrize(("value", "column"), FIELDS.items())
def test_a_field_that_is_not_the_committed_one_is_found_with_its_name(case: Case, value: bytes, column: str) -> None:
    rewrite(case, TABLE, lambda data: data.replace(value, value + b"~", 1))
    found = case.cheat()
    assert failed(found) == [("P07", "trent")]
    assert {each.where.rpartition(", ")[2] for each in found.results.findings} >= {column}


def test_every_field_of_every_line_is_compared(case: Case, all_told: None) -> None:
    table = case.volume / TABLE
    first, *lines, last = table.read_bytes().split(b"\r\n")
    changed = [b"\x14".join(b"%s~\xc3\xbe" % cell[:-2] for cell in line.split(b"\x14")) for line in lines]
    table.write_bytes(b"\r\n".join([first, *changed, last]))
    said = [each for each in case.judge(earlier=False).results.findings if each.check == "P07"]
    assert len(said) == len({each.where for each in said}) == len(lines) * 30


def drop_last_document(value: dict[str, Any]) -> None:
    last = value["records"][-1]["document"]
    value["records"] = [each for each in value["records"] if each["document"] != last]


def swap(value: dict[str, Any]) -> None:
    first, second, *others = value["records"]
    value["records"] = [second, first, *others]


def add(value: dict[str, Any]) -> None:
    value["records"].append(value["records"][0] | {"document": 8, "number": "ACME00000011"})


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (drop_last_document, {"P03", "P04"}),
        (swap, {"P04"}),
        (add, {"P04"}),
        (lambda value: value.update(begin=value["begin"] + 1, next=12), {"P04"}),
        (lambda value: value.update(next=12), {"P04"}),
        (lambda value: value["records"][0].update(number="ACME00000001"), {"P04"}),
        (lambda value: value["records"][0].update(position=9), {"P04"}),
        (lambda value: value.update(head="00" * 32), {"P02"}),
        (lambda value: value["earlier"][0].update(head="00" * 32), {"P02"}),
        (lambda value: value["earlier"][0].update(size=value["size"] + 1), {"P02"}),
        (lambda value: value["earlier"][0].update(next=value["earlier"][0]["next"] - 1), {"P04"}),
        (lambda value: value["fields"].reverse(), {"P07"}),
        (lambda value: value["fields"][1].update(called="BEGBATES"), {"P07"}),
        (lambda value: value["files"].reverse(), {"P03"}),
        (lambda value: alone(value).update(text="../../etc/passwd"), {"P03", "P05"}),
        (lambda value: alone(value).update(native="/dev/zero"), {"P03", "P05"}),
        (lambda value: alone(value).update(native=None), {"P03", "P05"}),
    ],
)
def test_a_manifest_that_is_not_what_the_record_says_blames_trent(
    case: Case, change: Callable[[dict[str, Any]], None], checks: set[str]
) -> None:
    found = case.cheat(change)
    assert found.answer is Answer.REJECTED
    assert checks <= {check for check, party in failed(found) if party == "trent"}


def test_a_file_of_the_manifest_that_leads_out_of_the_folder_is_never_opened(case: Case, tmp_path: Path) -> None:
    def change(value: dict[str, Any]) -> None:
        value["files"].insert(0, {"path": "../secret", "sha256": "00" * 32, "size": 1})

    (tmp_path / "secret").write_text("x")
    found = case.cheat(change)
    assert set(failed(found)) == {("P03", None), ("P03", "trent")}
    assert "no such file" in {each.found for each in found.results.findings}


def test_nobody_is_blamed_if_trents_key_is_not_the_one_that_the_reader_trusts(case: Case) -> None:
    rewrite(case, "RETURN.csv", lambda data: data + b"x")
    resign(case.office, "V2", lambda value: None)
    trusted = {Role.TRENT: ("00000 " * 8).split()}
    found = case.judge(trusted=trusted)
    assert found.answer is Answer.REJECTED
    assert {party for _, party in failed(found)} <= {None}
    key = case.judge().copy.keys[Role.TRENT]
    assert failed(case.judge(trusted={Role.TRENT: (fingerprint(key),)})) == [("P08", "trent")]


@pytest.mark.parametrize(
    "line",
    [
        b"\xfea\xfe\n",
        b"a\r\n",
        b"\xc3\xbea\xc3\xbe\x14b\r\n",
        b"\xff\r\n",
        b"\xc3\xbea\xc3\xbeb\xc3\xbe\r\n",
        b"\xc3\xbea\xc3\xbe\r\n",
        b"\xc3\xbe" + b"x" * 5000 + b"\xc3\xbe\r\n",
    ],
    ids=["no CRLF", "no qualifier", "half", "no UTF-8", "single qualifier", "one value", "too long"],
)
def test_a_line_that_is_none_is_told_with_its_number(case: Case, monkeypatch: pytest.MonkeyPatch, line: bytes) -> None:
    monkeypatch.setattr(loadfile, "LONGEST", 4000)
    rewrite(case, TABLE, lambda data: data + line)
    (said,) = (each for each in case.judge(earlier=False).results.findings if each.check == "P07")
    assert f"line {case.parts + 2}" in said.found + said.where


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'\xef\xbb\xbf"round"\r\n',
        b'\xef\xbb\xbf"round","position","document","name","reason","numbers"\r\n',
        b'\xef\xbb\xbf"round","position","document","name","reason","numbers"\r\n"x',
        b"\xff",
    ],
)
def test_a_list_for_return_that_lacks_something_or_is_none_is_trents_fault(case: Case, data: bytes) -> None:
    (case.volume / "RETURN.csv").write_bytes(data)
    assert failed(case.cheat()) == [("P08", "trent")]


# Earlier volumes.


def test_an_earlier_volume_that_is_another_one_is_found(case: Case) -> None:
    def change(value: dict[str, Any]) -> None:
        value["records"] = value["records"][1:]

    resign(case.office, "V1", change)
    assert failed(case.judge()) == [("P09", None)]


def test_an_earlier_volume_without_a_document_blames_trent_where_this_one_names_it(case: Case) -> None:
    resign(case.office, "V1", lambda value: value["records"].pop())
    digest = sha256((case.office.folder / "V1" / MANIFEST).read_bytes()).hexdigest()
    assert failed(case.cheat(lambda value: value["earlier"][0].update(manifest=digest))) == [("P09", "trent")]


def moved(value: dict[str, Any]) -> None:
    value["records"].insert(0, value["records"].pop())


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["records"][0].update(number="ACME00000009"),
        lambda value: value["records"][0].update(round=2),
        lambda value: value["records"].append(value["records"][-1]),
        moved,
    ],
    ids=["another number", "another round", "doubled", "moved"],
)
def test_an_earlier_volume_whose_records_are_not_those_that_were_due_blames_trent(
    case: Case, change: Callable[[dict[str, Any]], None]
) -> None:
    """Its documents are the right ones, and the manifest of this volume names it."""
    resign(case.office, "V1", change)
    digest = sha256((case.office.folder / "V1" / MANIFEST).read_bytes()).hexdigest()
    assert failed(case.cheat(lambda value: value["earlier"][0].update(manifest=digest))) == [("P09", "trent")]


def test_a_volume_that_is_no_earlier_one_cannot_be_judged_with(case: Case) -> None:
    found = case.office.judge("V1", ["V2"], copy=case.copy)
    assert (found.answer, found.exit_code) == (Answer.UNDECIDED, 3)
    assert "none of the volumes before volume 1" in found.trouble


# What cannot be judged.


def undecided(found: Judgement, words: str) -> None:
    assert (found.answer, found.exit_code, found.results.findings) == (Answer.UNDECIDED, 3, [])
    assert words in found.trouble
    assert "Nobody is blamed" in " ".join(production.text(found).split())


def test_a_public_copy_shows_no_documents(case: Case) -> None:
    undecided(case.office.judge("V2", copy=case.office.copy(Audience.PUBLIC)), "does not show which documents")


def test_a_copy_that_ends_before_the_volume_cannot_judge_it(tmp_path: Path) -> None:
    office = productions.office(tmp_path)
    office.play(1)
    copy = office.copy().rename(tmp_path / "old.jsonl")
    office.play(2)
    office.produce("V1")
    undecided(office.judge("V1", copy=copy), "and the copy has only")
    assert office.judge("V1").answer is Answer.VERIFIED


def test_a_volume_of_another_matter_cannot_be_judged_by_this_copy(case: Case) -> None:
    resign(case.office, "V2", lambda value: value.update(matter="00" * 32))
    undecided(case.judge(), "the copy of another one")


def test_a_damaged_copy_decides_nothing_and_a_rejected_one_rejects(case: Case, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(case.copy.read_bytes()[:-300])
    undecided(case.office.judge("V2", copy=broken), "the copy could not be verified")
    strangers = case.judge(trusted={Role.BOB: ("00000 " * 8).split()})
    assert (strangers.answer, strangers.results.findings) == (Answer.REJECTED, [])
    assert "the copy, by which volume" in production.text(strangers) or "the copy, by which" in production.text(
        strangers
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a manifest"),
        (b"{" * 100_000, "is not a manifest"),
        (b'{"manifest":{"format":2}}', "knows only format 1"),
        (b'{"manifest":[],"signature":""}', "is not a manifest"),
        (None, "holds no MANIFEST.json"),
    ],
)
def test_a_folder_without_a_manifest_is_no_volume(case: Case, data: bytes | None, words: str) -> None:
    file = case.volume / MANIFEST
    file.unlink() if data is None else file.write_bytes(data)
    undecided(case.judge(), words)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(prefix="../"),
        lambda value: value.update(prefix="ACME1"),
        lambda value: value.update(digits=0),
        lambda value: value.update(next=10**9),
        lambda value: value.update(earlier=[]),
        lambda value: value.update(size=0),
        lambda value: value.pop("head"),
        lambda value: value.update(more=1),
    ],
)
def test_a_manifest_of_another_form_is_no_manifest(case: Case, change: Callable[[dict[str, Any]], None]) -> None:
    resign(case.office, "V2", change)
    undecided(case.judge(), "is not a manifest")


def test_the_manifest_may_be_no_link_and_no_pipe(case: Case, tmp_path: Path) -> None:
    file = case.volume / MANIFEST
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    undecided(case.judge(), "there it is a link")
    file.unlink()
    os.mkfifo(file)
    undecided(case.judge(), "there it is not a plain file")


# The command.


def test_the_command_says_it_in_words_and_as_json_with_its_exit_code(case: Case, tmp_path: Path) -> None:
    words = ["production", str(case.volume), "--copy", str(case.copy), "--earlier", str(case.office.folder / "V1")]
    whole = CliRunner().invoke(main, words)
    assert (whole.exit_code, whole.output[:20]) == (0, "VERIFIED: volume 2, ")
    value = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)
    assert (value["verdict"], value["volume"]["begin"], value["findings"]) == ("verified", 11 - case.parts, [])
    rewrite(case, "RETURN.csv", lambda data: data + b"x")
    resign(case.office, "V2", lambda value: None)
    wrong = CliRunner().invoke(main, words)
    assert wrong.exit_code == 1
    assert "Trent's signature under it proves that" in " ".join(wrong.output.split())
    value = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)
    assert [(each["check"], each["party"]) for each in value["findings"]] == [("P08", "trent")]
    assert CliRunner().invoke(main, ["production", str(tmp_path / "no"), "--copy", str(case.copy)]).exit_code == 2
    assert CliRunner().invoke(main, ["production", str(tmp_path), "--copy", str(case.copy)]).exit_code == 3


def test_many_findings_are_counted_and_a_few_are_told(case: Case) -> None:
    for number in range(50):
        (case.volume / f"{number}.txt").write_text("x")
    found = case.judge(earlier=False)
    assert (len(found.results.findings), found.results.untold.total()) == (20, 30)
    assert "30 further findings" in production.text(found)
