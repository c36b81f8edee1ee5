"""Objections, silence, new keys and second answers, through the mailbox."""

from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.exchange import answer_file, objection_file, question_file
from protocol.operating.kept import Kept
from protocol.parties import memory, objection
from tests.support.exchange_cases import Table
from tests.support.operated import Operated

NEW = SigningKey(b"n" * 32)


def _objection(operated: Operated, role: Role, key: SigningKey) -> bytes:
    asked = question_file.read(operated.fetch(role), operated.table.keys[Role.TRENT].public)
    return objection_file.encode(objection.sign(key, asked.question.signed, "A document is missing."))


def _kept(operated: Operated) -> Kept:
    return Kept(folder=memory.folder_of(operated.table.key_file(Role.TRENT), operated.matter))


def test_an_objection_is_kept_and_acknowledged_and_changes_nothing(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    before = operated.record()
    data = _objection(operated, Role.ALICE, reporting.keys[Role.ALICE])
    posted = operated.post(Role.ALICE, data)
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert (receipt.outcome, receipt.entry) == ("accepted", None)
    assert "objection" in receipt.words
    assert operated.record() == before
    (path,) = _kept(operated).all("objections")
    assert path.read_bytes() == data
    assert "report" in operated.asked()[Role.ALICE]


def test_an_objection_that_is_sent_twice_is_kept_once(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    data = _objection(operated, Role.ALICE, reporting.keys[Role.ALICE])
    first, second = (operated.post(Role.ALICE, data) for _ in range(2))
    assert first != second
    operated.go()
    assert [path.read_bytes() for path in _kept(operated).all("objections")] == [data]
    assert [each and each.outcome for each in (operated.receipt(Role.ALICE, one) for one in (first, second))] == [
        "accepted",
        "accepted",
    ]


def test_an_objection_under_another_key_is_refused(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    posted = operated.post(Role.ALICE, _objection(operated, Role.ALICE, reporting.keys[Role.BOB]))
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    assert _kept(operated).all("objections") == []


def test_a_second_answer_that_contradicts_the_first_is_refused_and_kept(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    question = operated.fetch(Role.ALICE)
    twin = reporting.copied(reporting.folder.parent / "twin")
    all_no = reporting.filled(question, lambda _: "no")  # all of the truth may be yes
    first = answer_file.encode(reporting.said(Role.ALICE, question, "--labels", str(all_no)))
    all_yes = twin.filled(question, lambda _: "yes")
    second = answer_file.encode(twin.said(Role.ALICE, question, "--labels", str(all_yes)))
    operated.post(Role.ALICE, first)
    operated.go()
    posted = operated.post(Role.ALICE, second)
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    (path,) = _kept(operated).all("second-answers")
    assert path.read_bytes() == second


def test_an_answer_that_comes_while_the_court_decides_about_silence_waits_for_its_order(labelling: Table) -> None:
    operated = Operated(labelling)
    operated.go()
    late = answer_file.encode(operated.truthful(Role.BOB))
    with labelling.office() as office:
        office.default(Role.BOB)
    operated.go()
    assert operated.asked() == {Role.COURT: operated.asked()[Role.COURT]}
    posted = operated.post(Role.BOB, late)
    assert operated.go().standing.postponed
    assert operated.receipt(Role.BOB, posted) is None
    order = labelling.said(Role.COURT, operated.fetch(Role.COURT), "--deny")
    operated.post(Role.COURT, answer_file.encode(order))
    operated.go()
    receipt = operated.receipt(Role.BOB, posted)
    assert receipt is not None
    assert receipt.outcome == "accepted"


def test_a_late_answer_is_refused_once_the_court_has_gone_on_without_it(labelling: Table) -> None:
    operated = Operated(labelling)
    operated.go()
    late = answer_file.encode(operated.truthful(Role.BOB))
    with labelling.office() as office:
        office.default(Role.BOB)
    operated.go()
    posted = operated.post(Role.BOB, late)
    order = labelling.said(Role.COURT, operated.fetch(Role.COURT), "--grant")
    operated.post(Role.COURT, answer_file.encode(order))
    operated.go()
    receipt = operated.receipt(Role.BOB, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    assert "too late" in receipt.words


def test_a_new_key_is_listed_and_its_holder_is_asked_again(labelling: Table) -> None:
    operated = Operated(labelling)
    operated.go()
    (former,) = operated.names(Role.BOB)
    with labelling.office() as office:
        office.desk.rekey(Role.BOB, NEW.public)
    operated.go()
    assert operated.box.parties(operated.matter).parties.keys[Role.BOB] == labelling.keys[Role.BOB].public
    granted = labelling.said(Role.COURT, operated.fetch(Role.COURT), "--grant")
    operated.post(Role.COURT, answer_file.encode(granted))
    operated.go()
    assert operated.box.parties(operated.matter).parties.keys[Role.BOB] == NEW.public
    assert former not in operated.names(Role.BOB)
    question = operated.fetch(Role.BOB, NEW)
    (labelling.folder / "new").mkdir()
    write_keys(labelling.folder / "new" / "bob.key", NEW, Role.BOB, None)
    filled = str(labelling.filled(question))
    said = labelling.said(Role.BOB, question, "--labels", filled, key=labelling.folder / "new" / "bob.key")
    posted = operated.post(Role.BOB, answer_file.encode(said))
    operated.go()
    receipt = operated.receipt(Role.BOB, posted)
    assert receipt is not None
    assert receipt.outcome == "accepted"


def test_a_party_that_lost_its_record_can_be_sent_all_of_it(labelling: Table) -> None:
    operated = Operated(labelling)
    operated.go()
    with operated.run().opened() as at:
        at.go()
        name = at.asker.send_whole(at.office, Role.BOB)
    operated.go()
    assert name in operated.names(Role.BOB)
    assert len(operated.names(Role.BOB)) == 2


def test_a_key_that_is_granted_while_run_is_at_work_is_listed_at_once(labelling: Table) -> None:
    operated = Operated(labelling)
    with operated.run().opened() as at:
        at.go()
        at.office.desk.rekey(Role.BOB, NEW.public)
        at.go()
        granted = labelling.said(Role.COURT, operated.fetch(Role.COURT), "--grant")
        operated.post(Role.COURT, answer_file.encode(granted))
        at.go()
        assert operated.box.parties(operated.matter).parties.keys[Role.BOB] == NEW.public
