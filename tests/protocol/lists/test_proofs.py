"""The proofs of a privilege log: anybody with a copy can check that the log is what was committed to, and whole."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger import canonical, records
from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.lists import proofs, record
from protocol.simulation.identity import Simulated
from tests.protocol.matter.test_privilege import play
from tests.support import matters
from tests.support.validated_matters import NEARLY_ALL, SPOT_CHECKS, begin, report_claiming, until_asked, withheld_claim
from verifier import privilege_log
from verifier.cli import main as verifier
from verifier.verdict import Verdict
from verifier.verification import verify

Lines = list[dict[str, Any]]


def cut(matter: Path, audience: Audience) -> Path:
    """A copy of a matter."""
    copy = matter.with_suffix(f".{audience}.jsonl")
    if not copy.exists():
        played = Simulated.of(record.read(matter, audience).state.opening)
        assert played is not None
        with Store.open(matter) as store:
            write_copy(store, audience, played.key(Role.TRENT), copy)
    return copy


def check(file: Path, matter: Path, *options: str, audience: Audience = Audience.BOB) -> Result:
    return CliRunner().invoke(verifier, ["privilege-log", str(file), "--copy", str(cut(matter, audience)), *options])


@pytest.fixture(autouse=True)
def verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each copy is verified once, not once for each test."""
    monkeypatch.setattr(privilege_log, "verify", _verify_once)


@cache
def _verified(path: Path) -> Verdict:
    return verify(path, detailed=True)


def _verify_once(path: Path, **_: object) -> Verdict:
    return _verified(path)


def proven(matter: Path, corpus: Corpus, folder: Path) -> Path:
    file = folder / "log.jsonl"
    file.write_bytes(proofs.proofs(record.read(matter, Audience.BOB), corpus))
    return file


@pytest.fixture(scope="module")
def matter(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("proofs") / "matter"
    matters.eventful(small_corpus, path)
    return path


@pytest.mark.parametrize("audience", [Audience.ALICE, Audience.BOB, Audience.COURT])
def test_every_partys_copy_proves_the_log(
    matter: Path, small_corpus: Corpus, tmp_path: Path, audience: Audience
) -> None:
    done = check(proven(matter, small_corpus, tmp_path), matter, audience=audience)
    assert done.exit_code == 0, done.output
    assert "VERIFIED: 1 document of the privilege log." in done.output
    assert "R1-P1, upheld in entry 13. Basis: Advice of counsel" in done.output


def test_the_command_writes_the_proofs_beside_the_log(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    words = ["list", "privilege", matter, "--corpus", small_corpus.path, "--out", tmp_path / "log.csv"]
    done = CliRunner().invoke(main, [*map(str, words), "--proofs", str(tmp_path / "log.jsonl")])
    assert done.exit_code == 0, done.output
    found = json.loads(check(tmp_path / "log.jsonl", matter, "--json").output)
    assert [(each["round"], each["position"], each["basis"]) for each in found] == [(1, 1, "Advice of counsel")]
    assert found[0]["parts"] == [{"author": "", "date": "", "parent": None, "recipients": "", "type": ""}]


def test_the_proofs_open_no_name_and_no_text(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    found = record.read(matter, Audience.COURT)
    document = found.state.rounds[0].places[0].document
    data = proven(matter, small_corpus, tmp_path).read_text()
    proof = small_corpus.proof(document)
    for part in proof.parts:
        assert part.salt.hex() not in data
    assert small_corpus.name(document) not in data


@pytest.mark.parametrize("where", ["escalation", "validation"])
def test_a_claim_that_is_upheld_in_a_later_round_is_proven_at_its_first_place(
    small_corpus: Corpus, tmp_path: Path, where: str
) -> None:
    path = tmp_path / "matter"
    if where == "validation":
        with begin(small_corpus, path, NEARLY_ALL, **SPOT_CHECKS) as run:
            _, position = withheld_claim(run)
            first = run.state.rounds[1].places[position - 1]
            play(run, lambda _: True)
    else:
        wanted: dict[str, Any] = {"protocol": "spot-check", "rate": "0.01", "target": "0.9", "every": 1, "limit": "1"}
        with matters.start(small_corpus, path, players={"alice": "truthful"}, rounds=1, **wanted) as run:
            until_asked(run, Role.ALICE, "report")
            truth = run.alice.truth
            report_claiming(run, truth, [place for place, label in enumerate(truth, start=1) if not label])
            play(run, lambda _: True)
            first = None
    found = record.read(path, Audience.BOB)
    later = [each for each in found.state.rounds if str(each.sort) == where]
    assert any(each.privilege.withheld for each in later)
    done = check(proven(path, small_corpus, tmp_path), path, "--json")
    assert done.exit_code == 0, done.output
    listed = json.loads(done.output)
    assert {each["round"] for each in listed} == {1}
    if first is not None:
        seats = {found.state.rounds[0].places[each["position"] - 1] for each in listed}
        assert first in seats


def test_a_matter_without_claims_has_an_empty_log(small_corpus: Corpus, tmp_path: Path) -> None:
    with matters.start(small_corpus, tmp_path / "matter", rounds=1) as run:
        run.run()
    file = proven(tmp_path / "matter", small_corpus, tmp_path)
    done = check(file, tmp_path / "matter")
    assert done.exit_code == 0
    assert "nothing as withheld as privileged" in done.output
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[0]["path"] = "00" * 32
    write(file, lines)
    assert check(file, tmp_path / "matter").exit_code == 1


# What is false, and what cannot be read


def write(path: Path, lines: Lines) -> None:
    path.write_bytes(b"".join(canonical.encode(line) + b"\n" for line in lines))


def _changed_author(lines: Lines) -> None:
    lines[1]["proof"]["parts"][0].setdefault("log", {})["author"] = "Somebody else"


def _changed_row(lines: Lines) -> None:
    lines[1]["proof"]["row"] = "00" * 32


def _other_number(lines: Lines) -> None:
    numbers = lines[0]["numbers"][0]["value"]
    numbers[0], numbers[1] = numbers[1], numbers[0]


def _other_salt(lines: Lines) -> None:
    lines[0]["numbers"][0]["salt"] = "00" * 32


def _another_round(lines: Lines) -> None:
    lines[0]["numbers"][0]["round"] = 9


def _no_numbers(lines: Lines) -> None:
    lines[0]["numbers"] = []


def _left_out(lines: Lines) -> None:
    del lines[1:]


def _one_more(lines: Lines) -> None:
    lines.append({**lines[1], "position": 2})


def _other_matter(lines: Lines) -> None:
    lines[0]["matter"] = "00" * 32


def _path_too_long(lines: Lines) -> None:
    lines[0]["path"] += "00" * 32


def _one_part_more(lines: Lines) -> None:
    parts = lines[1]["proof"]["parts"]
    parts.append({**parts[0], "log": {**parts[0].get("log", {}), "parent": 0}})


REJECTED: dict[Callable[[Lines], None], str] = {
    _changed_author: "do not lead to the root",
    _changed_row: "do not lead to the root",
    _path_too_long: "do not lead to the root",
    _one_part_more: "do not lead to the root",
    _other_number: "are not those that its batch seals",
    _other_salt: "are not those that its batch seals",
    _another_round: "are not those that its batch seals",
    _no_numbers: "is not opened",
    _left_out: "the log leaves it out",
    _one_more: "does not withhold as privileged",
}


def checked(change: Callable[[Lines], None], matter: Path, corpus: Corpus, folder: Path) -> Result:
    """How the check of a log ends that somebody changed."""
    file = proven(matter, corpus, folder)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    change(lines)
    write(file, lines)
    return check(file, matter)


@pytest.mark.parametrize("change", REJECTED, ids=lambda each: each.__name__.strip("_"))
def test_a_log_that_is_not_what_was_committed_to_is_rejected_and_nobody_blamed(
    matter: Path, small_corpus: Corpus, tmp_path: Path, change: Callable[[Lines], None]
) -> None:
    done = checked(change, matter, small_corpus, tmp_path)
    assert done.exit_code == 1, done.output
    assert REJECTED[change] in done.output
    assert "Nobody is blamed" in done.output


def test_a_log_of_another_matter_is_not_judged(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    done = checked(_other_matter, matter, small_corpus, tmp_path)
    assert done.exit_code == 3, done.output
    assert "another matter" in done.output


def test_numbers_that_no_line_needs_are_rejected(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    file = proven(matter, small_corpus, tmp_path)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    second = record.read(matter, Audience.COURT).numbers[2]
    lines[0]["numbers"].append({"round": 2, "salt": second.salt.hex(), "value": second.value})
    write(file, lines)
    done = check(file, matter)
    assert done.exit_code == 1
    assert "the numbers of round 2 are opened, but no line needs them" in done.output


def test_a_proof_that_opens_more_than_the_log_is_rejected(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    file = proven(matter, small_corpus, tmp_path)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    document = record.read(matter, Audience.BOB).state.rounds[0].places[0].document
    lines[1]["proof"] = records.to_value(small_corpus.proof(document))
    write(file, lines)
    done = check(file, matter)
    assert done.exit_code == 1
    assert "opens more than the log" in done.output


BROKEN = {
    b"": "empty or cut short",
    b"{}\n": "line 1 does not have its form",
    b"\n": "line 1 does not have its form",
    b"not json\n": "line 1 does not have its form",
    b'{"format":2,"matter":"%b","numbers":[],"path":""}\n' % (b"00" * 32): "has the format 2",
    b'{"format":1,"matter":"%b","numbers":[],"path":"0"}\n' % (b"00" * 32): "line 1 does not have its form",
    b'{"format":1,"matter":"%b","numbers":[],"path":""}\n[]\n' % (b"00" * 32): "line 2 does not have its form",
    b'{"format":1,"matter":"%b","numbers":[],"path":""}' % (b"00" * 32): "empty or cut short",
}


@pytest.mark.parametrize("data", BROKEN)
def test_a_file_without_its_form_is_undecided(matter: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "log.jsonl").write_bytes(data)
    done = check(tmp_path / "log.jsonl", matter)
    assert done.exit_code == 3
    assert BROKEN[data] in done.output


def test_lines_twice_are_undecided(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    file = proven(matter, small_corpus, tmp_path)
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + second + second)
    assert check(file, matter).exit_code == 3


def test_the_publics_copy_cannot_prove_a_log(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    done = check(proven(matter, small_corpus, tmp_path), matter, audience=Audience.PUBLIC)
    assert done.exit_code == 3
    assert "the copy for the public does not show what a log rests on" in done.output


def test_a_damaged_copy_proves_nothing(matter: Path, small_corpus: Corpus, tmp_path: Path) -> None:
    file = proven(matter, small_corpus, tmp_path)
    damaged = tmp_path / "copy.jsonl"
    damaged.write_bytes(cut(matter, Audience.BOB).read_bytes()[:-100])
    done = CliRunner().invoke(verifier, ["privilege-log", str(file), "--copy", str(damaged)])
    assert done.exit_code == 3
    assert "the copy cannot be judged" in done.output
