"""`run` gets time stamps and proofs of the log by files, where the terms ask for them."""

from pathlib import Path

import pytest

from ledger import records
from ledger.entries import Body
from ledger.roles import Role
from ledger.store import Store
from ledger.tlog import policy as policies
from protocol.exchange.witnessing import Trusted
from protocol.operating.standing import Viewer
from tests.support.authority import Authority, authority, needs_openssl
from tests.support.exchange_cases import Table
from tests.support.operated import Operated
from tests.support.seen import Seen

pytestmark = needs_openssl


@pytest.fixture(scope="module")
def springfield(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("stamps") / "authority")


@pytest.fixture
def seen(table: Table, springfield: Authority) -> Seen:
    found = Seen(table, springfield)
    table.begin(witnesses=found.terms())
    return found


def operated(seen: Seen) -> Operated:
    policy = policies.decode(seen.policy.read_bytes())
    return Operated(table=seen.table, trusted=Trusted(roots=seen.stamps.roots, policy=policy))


def kinds(seen: Seen) -> list[str]:
    with Store.open(seen.table.matter) as store:
        return [records.decode(Body, each.body).statement.kind for each in store.entries(size=store.size())]


def folder(seen: Seen) -> Path:
    return seen.trent / "matter.outside"


def stamped(seen: Seen) -> Path:
    """What a scheduled script does: it has the query answered."""
    (query,) = folder(seen).glob("*.tsq")
    out = folder(seen) / "answer.tsr"
    out.write_bytes(seen.stamps.reply(query.read_bytes()))
    return out


def test_a_round_begins_by_itself_once_both_files_have_come(seen: Seen) -> None:
    at = operated(seen)
    run = at.go()
    assert at.asked() == {}
    assert "must put a time stamp and a proof of the operator's log on record" in run.standing.outside
    assert str(folder(seen)) in run.standing.outside
    assert sorted(path.name for path in folder(seen).iterdir()) == ["4.checkpoint", "4.checkpoint.tsq"]
    asked = [path.read_bytes() for path in sorted(folder(seen).iterdir())]
    at.go()
    assert [path.read_bytes() for path in sorted(folder(seen).iterdir())] == asked
    stamped(seen)
    run = at.go()
    assert kinds(seen)[-1] == "stamped"
    assert "must put a proof of the operator's log on record" in run.standing.outside
    assert list(folder(seen).iterdir()) == []
    seen.prove().rename(folder(seen) / "5.tlog-proof")
    run = at.go()
    assert kinds(seen)[-2:] == ["logged", "draw"]
    assert run.standing.outside == ""
    assert set(at.asked()) == {Role.ALICE, Role.BOB}
    assert any("5.tlog-proof is on record, in entry 5" in line for line in at.said)


def test_what_cannot_go_on_record_is_named_once_and_stays(seen: Seen) -> None:
    at = operated(seen)
    run = at.run()
    with run.opened() as opened:
        opened.go()
        (folder(seen) / "junk.tsr").write_bytes(b"junk")
        (folder(seen) / "junk.tlog-proof").write_bytes(b"junk")
        opened.go()
        opened.go()
        assert sum("junk.tsr cannot go on record" in line for line in at.said) == 1
        stamped(seen)
        opened.go()
        assert sum("junk.tlog-proof cannot go on record" in line for line in at.said) == 1
    assert kinds(seen)[-1] == "stamped"
    assert {path.name for path in folder(seen).iterdir()} == {"junk.tsr", "junk.tlog-proof"}


def test_trents_page_says_what_is_missing(seen: Seen) -> None:
    run = operated(seen).go()
    told = " ".join(Viewer(run=run).view().following)
    assert "Before the review goes on, T. Neutral must put a time stamp" in told


def test_a_proof_that_comes_before_the_stamp_waits_for_it(seen: Seen) -> None:
    """It would be of the record without the stamp, and the stamp of the record without it."""
    at = operated(seen)
    at.go()
    seen.prove().rename(folder(seen) / "early.tlog-proof")
    at.go()
    assert kinds(seen)[-1] == "deposited"
    stamped(seen)
    at.go()
    assert kinds(seen)[-1] == "stamped"
    assert any("early.tlog-proof cannot go on record: this does not prove that" in line for line in at.said)


def test_what_is_asked_for_another_record_is_asked_anew(seen: Seen) -> None:
    """Such as that of a matter that was opened before under the same name."""
    operated(seen).go()
    query, text = folder(seen) / "4.checkpoint.tsq", folder(seen) / "4.checkpoint"
    right = text.read_bytes()
    query.write_bytes(b"another query")
    text.write_bytes(b"another record")
    operated(seen).go()
    assert text.read_bytes() == right
    assert query.read_bytes() != b"another query"


def test_a_folder_that_cannot_be_used_is_named(seen: Seen) -> None:
    folder(seen).write_bytes(b"a file")
    at = operated(seen)
    at.go()
    assert any("matter.outside" in line for line in at.said)


def test_a_token_that_is_on_record_is_not_taken_for_the_next_one(seen: Seen) -> None:
    at = operated(seen)
    at.go()
    token = stamped(seen).read_bytes()
    at.go()
    seen.record(seen.prove())
    while not at.go().standing.outside:
        for role in at.asked():
            at.answer(role)
    (folder(seen) / "again.tsr").write_bytes(token)
    run = at.go()
    assert "a time stamp" in run.standing.outside
    assert any("it is on record already, in entry 4" in line for line in at.said)
