"""Sign last, verify first: nobody signs the end of a record whose copy does not verify."""

import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger import copies, records
from ledger.hashing import Digest
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.roles import Audience, Role
from protocol.exchange import answer_file, filenames, objection_file, question_file, tasks, verifying
from protocol.matter.kinds import claims
from protocol.parties import view as views
from protocol.parties.errors import Objectionable
from protocol.parties.question import COSIGN
from protocol.parties.verdict import Verdict, check
from tests.support.exchange_cases import Table
from tests.support.forging.questions import package, refused, signed_again, trent_writes
from verifier.verification import verify

pytestmark = pytest.mark.slow

STARTED = verifying._run


@pytest.fixture(autouse=True)
def _the_verifier_is_started_as_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_run", STARTED)


@pytest.fixture(scope="module")
def _held(tmp_path_factory: pytest.TempPathFactory, _reporting: Table) -> Table:
    table = _reporting.copied(tmp_path_factory.mktemp("held"))
    while asked := table.questions():
        for role, each in asked.items():
            table.accept(table.truthful(role, each))
    return table


@pytest.fixture
def held(tmp_path: Path, _held: Table) -> Table:
    """A matter whose rounds are all held."""
    return _held.copied(tmp_path / "table")


@pytest.fixture
def ended(held: Table) -> Table:
    """The same, closed: all are asked to sign the end."""
    with held.office() as office:
        office.close()
    return held


def objected(table: Table, role: Role, path: Path) -> str:
    """The reason of the objection that is signed instead of the end."""
    said = refused(table, role, path)
    assert "Nothing was signed" in said
    (found,) = table.out.parent.glob(f"{table.out.stem}-objection.json")
    return objection_file.read(found).objection.reason


def copy_of(path: Path) -> bytes:
    return gzip.decompress((path / filenames.COPY).read_bytes())


def with_copy(table: Table, path: Path, data: bytes) -> Path:
    return signed_again(table, path, {filenames.COPY: gzip.compress(data)})


def test_a_key_granted_after_the_last_answer_can_sign_the_end(held: Table) -> None:
    """Its holder gets the deposit with this question, since it is the first one."""
    key_file = held.folder / "new" / "bob-new.key"
    key_file.parent.mkdir()
    key = SigningKey.generate()
    write_keys(key_file, key, Role.BOB, None)
    with held.office() as office:
        office.desk.rekey(Role.BOB, key.public)
    held.accept(held.said(Role.COURT, held.questions()[Role.COURT], "--grant"))
    with held.office() as office:
        office.close()
    held.accept(held.said(Role.BOB, held.questions()[Role.BOB], key=key_file))
    assert Role.BOB not in held.questions()


def test_each_question_to_sign_the_end_brings_that_partys_copy(ended: Table) -> None:
    for role, path in ended.questions().items():
        manifest = json.loads(copy_of(path).split(b"\n")[0])["manifest"]
        request = question_file.read_request(path)
        assert (manifest["audience"], manifest["size"], manifest["head"]) == (role, request.size, request.head.hex())
        assert filenames.COPY in request.files
    result = ended.answer(role, path)
    assert result.exit_code == 0, result.output
    assert "Your copy      NOT CLOSED, since the end is not signed yet" in result.output
    assert "and nothing was found" in " ".join(result.output.split())


def test_a_copy_that_does_not_verify_is_not_cosigned(held: Table) -> None:
    """Trent's claims do not follow from the entries. The party's own rules need openings for that; the verifier sees
    it.
    """
    with held.office() as office:
        claimed = records.to_value(claims.claims(office.state))
    assert isinstance(claimed["found"], int)
    head = trent_writes(held, "claims", claimed | {"found": claimed["found"] + 1}, 0)
    reason = objected(held, Role.BOB, question_to_sign(held, Role.BOB, head))
    assert "tallystick-verify says of Bob's copy, which came with the question: REJECTED (V17, entry" in reason


def question_to_sign(table: Table, role: Role, head: Digest) -> Path:
    """A question that Trent writes with a copy of what his log holds."""
    with Log.open(table.matter, table.keys[Role.TRENT], lambda: 1) as log:
        note = log.checkpoint()
        path = table.folder / filenames.COPY
        copies.write_copy(log.store, Audience(role), table.keys[Role.TRENT], path)
    extra = {filenames.CHECKPOINT: str(note).encode(), filenames.COPY: path.read_bytes()}
    return package(table, role, COSIGN, head, 0, extra=extra)


def test_a_damaged_copy_is_not_cosigned(ended: Table) -> None:
    path = ended.questions()[Role.ALICE]
    damaged = copy_of(path).replace(b'"kind":"labels"', b'"kind":"lapels"', 1)
    assert "UNDECIDED (" in objected(ended, Role.ALICE, with_copy(ended, path, damaged))


def test_a_copy_that_is_none_is_not_cosigned(ended: Table) -> None:
    path = ended.questions()[Role.ALICE]
    assert "UNDECIDED (" in objected(ended, Role.ALICE, with_copy(ended, path, b"no copy at all"))


def test_another_partys_copy_is_not_cosigned(ended: Table) -> None:
    asked = ended.questions()
    forged = with_copy(ended, asked[Role.ALICE], copy_of(asked[Role.BOB]))
    assert "is not Alice's copy of the record" in objected(ended, Role.ALICE, forged)


def test_a_copy_of_an_earlier_end_is_not_cosigned(ended: Table) -> None:
    """It verifies; but it is not the record that the party is asked to sign."""
    before = ended.questions()[Role.ALICE]
    with ended.office() as office:
        office.default(Role.BOB)
    ended.accept(ended.said(Role.COURT, ended.questions()[Role.COURT], "--deny"))
    forged = with_copy(ended, ended.questions()[Role.ALICE], copy_of(before))
    assert "is not Alice's copy of the record" in objected(ended, Role.ALICE, forged)


def test_without_a_copy_nothing_is_cosigned(ended: Table) -> None:
    bare = signed_again(ended, ended.questions()[Role.BOB], {filenames.COPY: None})
    assert "does not hold your copy of it" in objected(ended, Role.BOB, bare)


def test_what_was_signed_is_written_again_without_verifying_once_more(
    ended: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ended.questions()[Role.BOB]
    first = ended.said(Role.BOB, path)
    monkeypatch.setattr(verifying, "verify", lambda _: pytest.fail("it was verified again"))
    assert ended.said(Role.BOB, path) == first


def test_without_the_verifier_nothing_is_signed_and_nobody_is_accused(
    ended: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "_MODULE", "no_such_module_is_installed")
    said = refused(ended, Role.BOB, ended.questions()[Role.BOB])
    assert "could not be run (it ended with code 1, and gave no verdict)" in said
    assert "Install tallystick again" in said
    assert not list(ended.out.parent.glob("*-objection*"))


def test_without_python_nothing_is_signed(ended: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(ended.folder / "nowhere"))
    assert "could not be run" in refused(ended, Role.BOB, ended.questions()[Role.BOB])


def test_a_verifier_in_the_present_folder_is_not_run(ended: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that was unpacked there could bring one."""
    there = ended.folder / "inbox"
    (there / "verifier").mkdir(parents=True)
    (there / "verifier" / "__init__.py").touch()
    (there / "verifier" / "__main__.py").write_text("raise SystemExit('never')")
    monkeypatch.chdir(there)
    ended.said(Role.BOB, ended.questions()[Role.BOB])


def test_a_zip_file_brings_the_copy_too(ended: Table) -> None:
    path = ended.questions(packed=True)[Role.COURT]
    assert path.suffix == ".zip"
    ended.accept(ended.said(Role.COURT, path))


GOOD = Verdict(
    answer="not closed", exit_code=0, audience="bob", matter="", head="", root="", entries=0, passed=1, left=0, fault=""
)


@pytest.mark.parametrize(
    "changed",
    [{"answer": "rejected"}, {"answer": "undecided"}, {"answer": "verified"}, {"exit_code": 1}, {"fault": "V05"}],
)
def test_no_verdict_but_not_closed_lets_a_party_sign(changed: dict[str, Any], labelling: Table) -> None:
    """Whatever else the verifier says, and even if its exit code and its words do not agree."""
    path = labelling.until(Role.BOB, "labels")
    asked = question_file.read(path)
    known = labelling.memory_of(Role.BOB)
    view = views.checked(asked.question, labelling.keys[Role.BOB], known, forgotten=False)
    state = view.history.record.state()
    true = replace(GOOD, matter=state.matter.hex(), head=state.head.hex(), root=state.root.hex(), entries=state.size)
    assert check(view, true) == true
    with pytest.raises(Objectionable):
        check(view, replace(true, **changed))


def test_the_matter_ends_without_the_signature_of_a_party_that_objects(ended: Table) -> None:
    """Bob refuses, the court sees why, and lets the matter end without him; the verdict says so."""
    path = ended.questions()[Role.BOB]
    objected(ended, Role.BOB, with_copy(ended, path, b"no copy at all"))
    (objection,) = ended.out.parent.glob("*-objection.json")
    with ended.office() as office:
        office.default(Role.BOB)
        (task,) = office.tasks()
        assert "decide whether the matter ends without Jo Smith's (Bob's) signature" in tasks.sentence(
            task, office.state
        )
    order = ended.questions()[Role.COURT]
    assert "--objection FILE" in (order / "README.txt").read_text()
    result = ended.answer(Role.COURT, order, "--grant", "--objection", str(objection))
    assert result.exit_code == 0, result.output
    assert "to T. Neutral's (Trent's) question to cosign the record as it stands" in " ".join(result.output.split())
    ended.accept(answer_file.read(ended.out))
    asked = ended.questions()
    assert asked.keys() == {Role.ALICE, Role.COURT}
    for role, each in asked.items():
        result = ended.answer(role, each)
        assert (
            "Without        Jo Smith's (Bob's) signature the matter ends, by the court's order in entry"
            in result.output
        )
        assert "documents were reviewed" in result.output
        ended.accept(answer_file.read(ended.out))
    with ended.office() as office:
        assert (office.tasks(), office.cosigned()) == ([], [Role.ALICE, Role.COURT, Role.TRENT])
        copies.write_copy(office.log.store, Audience.PUBLIC, office.key, ended.folder / "public.jsonl")
    verdict = verify(ended.folder / "public.jsonl")
    assert (verdict.answer, list(verdict.ended_without)) == ("verified", ["bob"])
