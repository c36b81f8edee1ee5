"""Deposits, orders of the court, new keys, amendments, privilege in camera, late claims and the last signature."""

import shutil
from pathlib import Path

import pytest

from ledger import checkpoints, notes
from ledger.checkpoints import Checkpoint
from ledger.coins import LinkChain
from ledger.hashing import Digest
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey, fingerprint
from ledger.roles import Role
from protocol.exchange import filenames, question_file
from protocol.exchange.readme import Guide
from protocol.matter.kinds import claims
from protocol.parties import secrets
from protocol.parties.question import COSIGN
from protocol.parties.reply import Reply
from protocol.parties.secrets import SealedRoot
from tests.support.exchange_cases import Table
from tests.support.forging.questions import rewritten
from tests.support.shown import document as shown_document

NOTHING = Digest(bytes(32))


def depositing(table: Table, **changed: SealedRoot) -> Path:
    """The court's first question, with other deposits than were handed in."""
    table.open()
    for role, asked in table.questions().items():
        table.accept(table.said(role, asked))
    asked = table.questions()[Role.COURT]
    sealed = secrets.decode_deposits(question_file.read(asked).small[filenames.DEPOSITS], "deposits.json")
    sealed |= {Role(role): root for role, root in changed.items()}
    return rewritten(table, asked, {filenames.DEPOSITS: secrets.encode_deposits(sealed)})


@pytest.mark.parametrize("role", ["alice", "bob", "trent"])
def test_a_deposit_that_is_not_the_chains_root_is_refused_by_name(table: Table, role: str) -> None:
    wrong = secrets.sealed_root(table.keys[Role.COURT].public, secrets.chain_root(table.keys[Role(role)], NOTHING))
    result = table.answer(Role.COURT, depositing(table, **{role: wrong}))
    assert result.exit_code == 1
    assert f"what {role.capitalize()} has deposited is not the root" in result.output
    assert "over 512 links" in result.output
    assert not table.out.exists()


def test_a_deposit_that_was_sealed_for_somebody_else_is_refused(table: Table) -> None:
    wrong = secrets.sealed_root(table.keys[Role.BOB].public, NOTHING)
    result = table.answer(Role.COURT, depositing(table, alice=wrong))
    assert result.exit_code == 1
    assert "was not sealed for the court's key" in result.output


def test_the_court_keeps_the_deposits_sealed(drawing: Table) -> None:
    kept = drawing.memory_of(Role.COURT)
    assert kept.deposits.keys() == {Role.ALICE, Role.BOB, Role.TRENT}
    opening = kept.history[0].hash
    root = secrets.chain_root(drawing.keys[Role.BOB], opening)
    assert secrets.unsealed_root(drawing.keys[Role.COURT], kept.deposits[Role.BOB]) == root
    assert bytes(root) not in (kept.folder / "deposits.json").read_bytes()
    assert root.hex().encode() not in (kept.folder / "deposits.json").read_bytes()


def defaulted(table: Table, role: Role) -> Path:
    with table.office() as office:
        office.default(role)
    return table.questions()[Role.COURT]


def test_an_order_on_a_withheld_link_takes_it_from_the_deposit(drawing: Table) -> None:
    opening = drawing.memory_of(Role.COURT).history[0].hash
    asked = defaulted(drawing, Role.BOB)
    result = drawing.answer(Role.COURT, asked, "--grant")
    told = " ".join(result.output.split())
    assert "Jo Smith, who does not answer; T. Neutral asked for the next link of the coin chain" in told
    assert "from the deposit" in result.output
    answer = drawing.said(Role.COURT, asked, "--grant")
    assert answer.answer is not None
    root = secrets.chain_root(drawing.keys[Role.BOB], opening)
    chain = LinkChain(matter=answer.matter, role=Role.BOB, length=512, root=root)
    assert answer.answer.statement.content["link"] == chain.link(1).hex()
    drawing.accept(answer)
    drawing.accept(drawing.said(Role.ALICE, drawing.questions()[Role.ALICE]))
    drawing.until(Role.ALICE, "report")


def test_a_denied_order_gives_no_link(drawing: Table) -> None:
    answer = drawing.said(Role.COURT, defaulted(drawing, Role.BOB), "--deny")
    assert answer.answer is not None
    assert answer.answer.statement.content["link"] is None
    assert answer.answer.statement.content["granted"] is False
    drawing.accept(answer)
    assert set(drawing.questions()) == {Role.ALICE, Role.BOB}
    drawing.accept(drawing.said(Role.BOB, drawing.questions()[Role.BOB]))


def test_an_order_is_not_given_without_a_decision(drawing: Table) -> None:
    result = drawing.answer(Role.COURT, defaulted(drawing, Role.BOB))
    assert result.exit_code == 1
    assert "add --grant or --deny" in result.output


def test_an_order_on_a_report_needs_no_link(drawing: Table) -> None:
    drawing.until(Role.ALICE, "report")
    answer = drawing.said(Role.COURT, defaulted(drawing, Role.ALICE), "--grant")
    assert answer.answer is not None
    assert answer.answer.statement.content["link"] is None
    drawing.accept(answer)
    drawing.until(Role.BOB, "labels")


def test_a_court_that_lost_its_deposits_says_so(drawing: Table) -> None:
    asked = defaulted(drawing, Role.BOB)
    (drawing.memory_of(Role.COURT).folder / "deposits.json").unlink()
    result = drawing.answer(Role.COURT, asked, "--grant")
    assert result.exit_code == 1
    assert "Jo Smith's (Bob's) deposit is neither in the question nor beside the key" in result.output


def test_a_link_that_the_court_has_gone_on_without_may_serve_the_next_draw(drawing: Table) -> None:
    """Alice's report was signed and never went on record; by the court's order no draw came of it."""
    asked = drawing.until(Role.ALICE, "report")
    drawing.said(Role.ALICE, asked, "--labels", str(drawing.filled(asked)))
    drawing.accept(drawing.said(Role.COURT, defaulted(drawing, Role.ALICE), "--grant"))
    for _ in range(6):
        asked_now = drawing.questions()
        if Role.ALICE in asked_now:
            break
        for role, each in asked_now.items():
            drawing.accept(drawing.truthful(role, each))
    again = drawing.questions()[Role.ALICE]
    drawing.accept(drawing.truthful(Role.ALICE, again))


def rekeyed(table: Table, *options: str) -> tuple[SigningKey, Path, Reply]:
    """A new key for Bob, and the court's answer."""
    key = SigningKey.generate()
    folder = table.folder / "new-counsel"
    folder.mkdir()
    write_keys(folder / "new.key", key, Role.BOB, None)
    with table.office() as office:
        office.desk.rekey(Role.BOB, key.public)
    asked = table.questions()[Role.COURT]
    return key, folder / "new.key", table.said(Role.COURT, asked, *options)


def test_a_new_key_gets_the_chain_from_the_court_and_goes_on(drawing: Table) -> None:
    key, file, answer = rekeyed(drawing, "--grant")
    assert answer.deposit is not None
    opening = drawing.memory_of(Role.COURT).history[0].hash
    root = secrets.chain_root(drawing.keys[Role.BOB], opening)
    assert secrets.unsealed_root(key, answer.deposit) == root
    drawing.accept(answer)
    asked = drawing.questions()[Role.BOB]
    assert (asked / filenames.DEPOSIT).exists()
    old = drawing.answer(Role.BOB, asked)
    assert old.exit_code == 1
    assert "was Bob's until the court replaced it in entry 6. Answer with the new one" in old.output
    result = drawing.answer(Role.BOB, asked, key=file)
    assert "These are its terms" in result.output
    drawing.accept(drawing.said(Role.BOB, asked, key=file))
    kept = (file.with_name("new.key.memory") / answer.matter.hex() / "deposits.json").read_bytes()
    assert root.hex().encode() not in kept
    drawing.accept(drawing.said(Role.ALICE, drawing.questions()[Role.ALICE]))
    drawing.accept(drawing.truthful(Role.ALICE, drawing.until(Role.ALICE, "report")))
    later = drawing.questions()[Role.BOB]
    bare = rewritten(drawing, later, {})
    drawing.accept(drawing.said(Role.BOB, bare, key=file))  # the second link, from what was kept


def test_a_new_key_without_the_deposit_is_told_what_it_lacks(drawing: Table) -> None:
    _, file, answer = rekeyed(drawing, "--grant")
    drawing.accept(answer)
    asked = drawing.questions()[Role.BOB]
    bare = rewritten(drawing, asked, {})
    result = drawing.answer(Role.BOB, bare, key=file)
    assert result.exit_code == 1
    assert "A new key needs the court's deposit" in result.output


def test_a_new_key_that_is_denied_gets_nothing(drawing: Table) -> None:
    _, _, answer = rekeyed(drawing, "--deny")
    assert answer.deposit is None
    drawing.accept(answer)
    drawing.accept(drawing.said(Role.BOB, drawing.questions()[Role.BOB]))


def test_the_court_is_shown_the_new_keys_fingerprint(drawing: Table) -> None:
    key = SigningKey.generate()
    with drawing.office() as office:
        office.desk.rekey(Role.BOB, key.public)
    result = drawing.answer(Role.COURT, drawing.questions()[Role.COURT], "--grant")
    assert fingerprint(key.public) in result.output


def test_an_amendment_is_accepted_by_all(drawing: Table) -> None:
    for role, asked in drawing.questions().items():
        drawing.accept(drawing.said(role, asked))
    with drawing.office() as office:
        office.desk.amend(5)
    asked_all = drawing.questions()
    assert set(asked_all) == {Role.ALICE, Role.BOB, Role.COURT}
    result = drawing.answer(Role.ALICE, asked_all[Role.ALICE])
    assert "add --accept or --reject" in result.output
    result = drawing.answer(Role.ALICE, asked_all[Role.ALICE], "--accept")
    assert "5 rounds in all, instead of 2" in result.output
    for role, asked in asked_all.items():
        drawing.accept(drawing.said(role, asked, "--accept"))
    with drawing.office() as office:
        assert office.state.terms.rounds == 5
        office.desk.amend(3)
    result = drawing.answer(Role.BOB, drawing.questions()[Role.BOB], "--reject")
    assert "3 rounds in all, instead of 5" in result.output
    assert "that you do not accept it" in result.output


def test_privilege_goes_to_the_court_with_its_basis(drawing: Table) -> None:
    asked = drawing.until(Role.ALICE, "report")
    claims = str(drawing.filled(asked, lambda _: "advice of counsel", "basis", "privilege.csv"))
    drawing.accept(drawing.said(Role.ALICE, asked, "--labels", str(drawing.filled(asked)), "--privilege", claims))
    camera = drawing.until(Role.COURT, "privilege")
    assert "advice of counsel" in (camera / "labels.csv").read_text("utf-8-sig")
    form = drawing.filled(camera, lambda name: "upheld" if name in drawing.responsive else "overruled", "upheld")
    result = drawing.answer(Role.COURT, camera, "--upheld", str(form))
    assert " upheld, " in result.output
    ruled = drawing.said(Role.COURT, camera, "--labels", str(form))  # the same form under the other option
    drawing.accept(ruled)


def asked_for_late_claims(table: Table) -> Path:
    """The question to Alice, after her report."""
    asked = table.until(Role.ALICE, "report")
    table.accept(table.truthful(Role.ALICE, asked))
    table.accept(table.said(Role.BOB, table.questions()[Role.BOB]))
    with table.office() as office:
        office.desk.late()
    return table.questions()[Role.ALICE]


def test_a_late_claim_is_made_or_not(drawing: Table) -> None:
    late = asked_for_late_claims(drawing)
    result = drawing.answer(Role.ALICE, late)
    assert "nothing further is claimed" in result.output
    bases = iter(["work product"])
    claims = str(drawing.filled(late, lambda _: next(bases, ""), "basis", "privilege.csv"))
    refused = drawing.answer(Role.ALICE, late, "--privilege", claims)
    assert "add --replace" in refused.output
    claimed = drawing.said(Role.ALICE, late, "--privilege", claims, "--replace")
    assert claimed.answer is not None
    assert claimed.answer.statement.content["positions"] == [1]
    drawing.accept(claimed)


def test_the_end_is_cosigned_with_the_claims_in_plain_words(drawing: Table) -> None:
    for _ in range(40):
        asked = drawing.questions()
        if not asked:
            break
        for role, each in asked.items():
            drawing.accept(drawing.truthful(role, each))
    with drawing.office() as office:
        office.close()
        state, keys = office.log.history.state(), office.log.history.keys
        stated = claims.claims(office.state)
    asked = drawing.questions()
    assert {COSIGN} == {question_file.read(each).request.kind for each in asked.values()}
    result = drawing.answer(Role.BOB, asked[Role.BOB])
    assert f"{stated.reviewed} documents were reviewed" in result.output
    assert "Your copy      NOT CLOSED, since the end is not signed yet" in result.output
    assert "run tallystick-verify on the file copy.jsonl.gz in the question" in result.output
    first = drawing.out.read_bytes()
    again = drawing.said(Role.BOB, asked[Role.BOB])
    assert drawing.out.read_bytes() == first
    assert again.cosignature is not None
    note = notes.parse(f"{state.text}\n{again.cosignature}")
    assert checkpoints.signers(note, keys) == [Role.BOB]
    for role, each in asked.items():
        drawing.accept(drawing.said(role, each))
    assert drawing.questions() == {}


def test_a_checkpoint_of_another_history_is_not_cosigned(drawing: Table) -> None:
    history = drawing.memory_of(Role.BOB).history
    asked = drawing.questions()[Role.BOB]
    found = question_file.read(asked)
    wrong = Checkpoint(matter=found.request.matter, size=found.request.size, root=NOTHING, head=found.request.head)
    note = str(checkpoints.sign(wrong, drawing.keys[Role.TRENT])).encode()
    changed = {"kind": COSIGN, "entry": found.request.head, "round": 0}
    out = rewritten(drawing, asked, {filenames.CHECKPOINT: note}, **changed)
    result = drawing.answer(Role.BOB, out)
    assert result.exit_code == 1
    assert "the checkpoint in the question does not fit its history" in result.output
    assert drawing.memory_of(Role.BOB).history == history


def test_what_the_court_has_checked_and_kept_is_not_replaced(drawing: Table) -> None:
    asked = defaulted(drawing, Role.BOB)
    wrong = secrets.encode_deposits({Role.BOB: secrets.sealed_root(drawing.keys[Role.COURT].public, NOTHING)})
    result = drawing.answer(Role.COURT, rewritten(drawing, asked, {filenames.DEPOSITS: wrong}), "--grant")
    assert result.exit_code == 0
    drawing.accept(drawing.said(Role.COURT, asked, "--grant"))


def test_a_court_that_lost_its_deposits_takes_them_from_the_question_if_they_are_right(drawing: Table) -> None:
    asked = defaulted(drawing, Role.BOB)
    kept = drawing.memory_of(Role.COURT)
    (kept.folder / "deposits.json").unlink()
    wrong = {Role.BOB: secrets.sealed_root(drawing.keys[Role.COURT].public, NOTHING)}
    refused = drawing.answer(
        Role.COURT, rewritten(drawing, asked, {filenames.DEPOSITS: secrets.encode_deposits(wrong)}), "--grant"
    )
    assert "what Bob has deposited is not the root" in refused.output
    shutil.rmtree(asked.with_name(f"{asked.name}-rewritten"))
    right = rewritten(drawing, asked, {filenames.DEPOSITS: secrets.encode_deposits(kept.deposits)})
    drawing.accept(drawing.said(Role.COURT, right, "--grant"))


def test_wrong_deposits_are_not_kept_whatever_was_asked(drawing: Table) -> None:
    asked = defaulted(drawing, Role.BOB)
    folder = drawing.memory_of(Role.COURT).folder
    (folder / "deposits.json").unlink()
    wrong = secrets.encode_deposits({Role.BOB: secrets.sealed_root(drawing.keys[Role.COURT].public, NOTHING)})
    result = drawing.answer(Role.COURT, rewritten(drawing, asked, {filenames.DEPOSITS: wrong}), "--deny")
    assert result.exit_code == 1
    assert "what Bob has deposited is not the root" in result.output
    assert not (folder / "deposits.json").exists()


def test_the_court_signs_for_no_deposit_that_it_was_not_given(table: Table) -> None:
    asked = depositing(table)
    shutil.rmtree(asked)
    bare = rewritten(table, table.questions()[Role.COURT], {})
    result = table.answer(Role.COURT, bare)
    assert result.exit_code == 1
    assert "Acme Corp.'s (Alice's) deposit is neither in the question nor beside the key" in result.output


def test_a_document_at_no_position_is_refused(drawing: Table) -> None:
    late = asked_for_late_claims(drawing)
    found = question_file.read(late)
    stranger = shown_document(position=99, name="stranger", content=b"", text="")
    out = late.with_name("stranger")
    question_file.write(
        out,
        key=drawing.keys[Role.TRENT],
        history=[each.line for each in found.question.lines.entries],
        released=[],
        request=found.request,
        documents=[stranger],
        extra={},
        guide=Guide(case=""),
    )
    result = drawing.answer(Role.ALICE, out)
    assert result.exit_code == 1
    assert "is at a position that Alice may not see" in result.output


def test_nothing_is_claimed_twice(drawing: Table) -> None:
    asked = drawing.until(Role.ALICE, "report")
    bases = iter(["", "advice of counsel"])
    claims = str(drawing.filled(asked, lambda _: next(bases, ""), "basis", "privilege.csv"))
    drawing.accept(drawing.said(Role.ALICE, asked, "--labels", str(drawing.filled(asked)), "--privilege", claims))
    drawing.accept(drawing.said(Role.BOB, drawing.questions()[Role.BOB]))
    with drawing.office() as office:
        office.desk.late()
    late = drawing.questions()[Role.ALICE]
    form = late.with_name("late.csv")
    form.write_text("position,basis\n2,work product\n")
    result = drawing.answer(Role.ALICE, late, "--privilege", str(form))
    assert result.exit_code == 1
    assert "position 2 was not asked about" in result.output
