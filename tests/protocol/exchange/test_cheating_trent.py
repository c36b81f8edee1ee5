"""A Trent who cheats: whatever he signs, no party's program gives him a link, a label or an order that is not due."""

from typing import Any

import msgspec
import pytest

from ledger import entries, records
from ledger.coins import LinkChain
from ledger.hashing import Digest
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.exchange import answer_file, filenames
from protocol.exchange.filenames import ShownDocument
from protocol.matter.values import Place
from protocol.parties import memory, secrets
from tests.support.exchange_cases import Table
from tests.support.forging.questions import asked_of, package, proven, refused, rewritten, shown, trent_writes


@pytest.mark.parametrize("file", [filenames.DEPOSIT, filenames.DEPOSITS])
@pytest.mark.parametrize("role", [Role.ALICE, Role.BOB])
def test_no_party_takes_its_coin_chain_from_trent(table: Table, role: Role, file: str) -> None:
    """With `deposit.json` in the first question he would know all its coins before anybody."""
    table.open()
    root = secrets.sealed_root(table.keys[role].public, Digest(b"\x07" * 32))
    forged = rewritten(table, table.questions()[role], {file: secrets.encode_deposits({role: root})})
    said = refused(table, role, forged)
    assert "the court has granted no new key" in said or "deposits that are not for" in said


def test_nor_later_nor_from_what_it_kept(drawing: Table) -> None:
    chosen = secrets.sealed_root(drawing.keys[Role.BOB].public, Digest(b"\x07" * 32))
    asked = drawing.questions()[Role.BOB]
    forged = rewritten(drawing, asked, {filenames.DEPOSIT: secrets.encode_deposits({Role.BOB: chosen})})
    assert "only a new key needs" in refused(drawing, Role.BOB, forged)
    known = drawing.memory_of(Role.BOB)
    memory.write(known.folder / "deposits.json", secrets.encode_deposits({Role.BOB: chosen}))
    drawing.accept(drawing.said(Role.BOB, asked))  # from its own chain, or Trent would refuse the link


def test_a_chain_that_somebody_else_chose_is_not_gone_on_with(table: Table) -> None:
    """Had Bob named such a chain once, what he kept of it would give no further link."""
    table.open()
    questions = table.questions()
    given, root = table.said(Role.BOB, questions[Role.BOB]), Digest(b"\x07" * 32)
    assert given.answer is not None
    chain = LinkChain(matter=given.matter, role=Role.BOB, length=512, root=root)
    named = msgspec.structs.replace(given.answer.statement, content={"anchor": chain.anchor.hex()})
    signed = entries.sign_statement(table.keys[Role.BOB], named)
    sealed = secrets.sealed_root(table.keys[Role.COURT].public, root)
    table.accept(msgspec.structs.replace(given, answer=signed, deposit=sealed))
    table.accept(table.said(Role.ALICE, questions[Role.ALICE]))
    table.accept(table.said(Role.COURT, table.questions()[Role.COURT]))
    kept = secrets.sealed_root(table.keys[Role.BOB].public, root)
    memory.write(table.memory_of(Role.BOB).folder / "deposits.json", secrets.encode_deposits({Role.BOB: kept}))
    said = refused(table, Role.BOB, table.questions()[Role.BOB], "--forgotten")
    assert "this coin chain is not the one that Bob named" in said


def test_a_deposit_of_another_role_is_refused(drawing: Table) -> None:
    other = secrets.sealed_root(drawing.keys[Role.BOB].public, Digest(b"\x07" * 32))
    forged = rewritten(
        drawing, drawing.questions()[Role.BOB], {filenames.DEPOSIT: secrets.encode_deposits({Role.ALICE: other})}
    )
    assert "deposits that are not for Bob" in refused(drawing, Role.BOB, forged)


def renewed(table: Table, role: Role, seed: int) -> None:
    """The court grants a new key, which takes the old one's place beside the old memory."""
    key = SigningKey(bytes([seed]) * 32)
    with table.office() as office:
        office.desk.rekey(role, key.public)
    table.accept(table.said(Role.COURT, table.questions()[Role.COURT], "--grant"))
    for file in (table.key_file(role), table.key_file(role).with_name(f"{role}.key.pub")):
        file.unlink()
    write_keys(table.key_file(role), key, role, None)
    table.keys = table.keys | {role: key}


@pytest.mark.parametrize(("role", "kind"), [(Role.BOB, "link"), (Role.ALICE, "report"), (Role.BOB, "labels")])
def test_a_new_key_in_the_old_ones_place_answers_what_the_old_one_had_answered(
    drawing: Table, role: Role, kind: str
) -> None:
    """The answer under the old key was signed and never accepted; no reader takes it any more."""
    asked = drawing.until(role, kind)
    old = drawing.truthful(role, asked)
    renewed(drawing, role, 9)
    answer = drawing.truthful(role, drawing.questions()[role])
    assert answer.answer is not None
    assert old.answer is not None
    assert answer.answer.statement.replaces == ()
    assert answer.answer.signature != old.answer.signature
    drawing.accept(answer)


def test_a_second_new_key_in_the_same_place_goes_on_with_the_same_chain(drawing: Table) -> None:
    drawing.accept(drawing.said(Role.ALICE, drawing.questions()[Role.ALICE]))
    for seed in (20, 21):
        asked = drawing.until(Role.BOB, "link")
        renewed(drawing, Role.BOB, seed)
        asked = drawing.questions()[Role.BOB]
        assert (asked / filenames.DEPOSIT).exists()
        assert "A new key needs the court's deposit" in refused(drawing, Role.BOB, rewritten(drawing, asked, {}))
        drawing.accept(drawing.said(Role.BOB, asked))
    drawing.until(Role.BOB, "labels")


def overtaken_wave(table: Table) -> tuple[Digest, list[ShownDocument]]:
    """A wave that Bob was silent on, so that the court went on; he is asked about another one now."""
    table.begin(rounds=2, batch=8, protocol="reveal-all")
    table.until(Role.BOB, "labels")
    with table.office() as office:
        old, current = office.state.awaits[Role.BOB].question, office.state.rounds[0]
        office.default(Role.BOB)
    table.accept(table.said(Role.COURT, table.questions()[Role.COURT], "--grant"))
    table.until(Role.BOB, "labels")
    return old, shown(table, current.places, current.waves[-1])


def test_bob_does_not_sign_labels_of_a_wave_that_the_court_went_on_without(table: Table) -> None:
    """On his screen stand the old documents; what he signs would count for the new ones."""
    old, documents = overtaken_wave(table)
    forged = package(table, Role.BOB, "labels", old, 1, documents)
    said = refused(table, Role.BOB, forged, "--labels", str(table.filled(forged)))
    assert "this is not the question that Bob must answer now" in said


def test_alice_does_not_report_on_a_batch_that_the_court_went_on_without(drawing: Table) -> None:
    drawing.until(Role.ALICE, "report")
    with drawing.office() as office:
        old, current = office.state.awaits[Role.ALICE].question, office.state.rounds[0]
        office.default(Role.ALICE)
    drawing.accept(drawing.said(Role.COURT, drawing.questions()[Role.COURT], "--grant"))
    drawing.until(Role.ALICE, "report")
    documents = shown(drawing, current.places, range(1, current.size + 1))
    forged = package(drawing, Role.ALICE, "report", old, 1, documents, proven(drawing, current.places))
    said = refused(drawing, Role.ALICE, forged, "--labels", str(drawing.filled(forged)))
    assert "this is not the question that Alice must answer now" in said


def test_while_the_court_is_asked_to_go_on_without_it_an_answer_is_not_signed(drawing: Table) -> None:
    asked = asked_of(drawing, Role.BOB)
    with drawing.office() as office:
        office.default(Role.BOB)
    assert "has yet to decide" in refused(drawing, Role.BOB, package(drawing, Role.BOB, "link", asked, 1))


def test_the_court_does_not_rule_on_one_of_two_new_keys(drawing: Table) -> None:
    """It would see one key, and sign and seal the party's root for the other."""
    keys = [SigningKey(bytes([seed]) * 32).public for seed in (1, 2)]
    first, _ = (trent_writes(drawing, "rekey", {"key": key.hex(), "role": "bob"}, 0, [Role.COURT]) for key in keys)
    said = refused(drawing, Role.COURT, package(drawing, Role.COURT, "rekeyed", first, 0), "--grant")
    assert "entry 6: Trent's 'rekey' comes too early; others must answer first" in said


def test_the_court_does_not_give_a_link_of_a_draw_that_is_not_due(drawing: Table) -> None:
    """From link 200 all links before it follow."""
    asked = trent_writes(drawing, "draw", {"draw": 200}, 1, [Role.BOB])
    head = list(MatterReader(drawing.matter))[-1].hash
    order = trent_writes(drawing, "default", {"absent": "bob", "served": head.hex()}, 0, [Role.COURT])
    said = refused(drawing, Role.COURT, package(drawing, Role.COURT, "order", order, 0), "--grant")
    assert (
        "Trent has signed something that breaks the rules of the review: entry 5: Trent's 'draw' comes too early"
        in said
    )
    assert "Do not answer; keep the question, and tell the court" in said
    said = refused(drawing, Role.BOB, package(drawing, Role.BOB, "link", asked, 1))
    assert "breaks the rules of the review" in said


def test_a_link_is_given_for_the_next_draw_only(table: Table) -> None:
    table.open()
    for role, path in table.questions().items():
        table.accept(table.said(role, path))
    table.accept(table.said(Role.COURT, table.questions()[Role.COURT]))
    asked = trent_writes(table, "draw", {"draw": 200}, 1, [Role.ALICE, Role.BOB])
    said = refused(table, Role.BOB, package(table, Role.BOB, "link", asked, 1))
    assert "entry 4 (draw): the link is for draw 200, but draw 1 is due" in said


def test_the_screen_names_the_draw_whose_link_the_court_gives(drawing: Table) -> None:
    with drawing.office() as office:
        office.default(Role.BOB)
    asked = drawing.questions()[Role.COURT]
    assert "the link of draw 1 that is owed, from the deposit" in drawing.answer(Role.COURT, asked, "--grant").output
    said = answer_file.read(drawing.out)
    opening = drawing.memory_of(Role.COURT).history[0].hash
    root = secrets.chain_root(drawing.keys[Role.BOB], opening)
    chain = LinkChain(matter=said.matter, role=Role.BOB, length=512, root=root)
    assert said.answer is not None
    assert said.answer.statement.content["link"] == chain.link(1).hex()


def test_alice_takes_no_order_from_trent(reporting: Table) -> None:
    """He loses her report, orders that the matter goes on without it, and asks for other words with the same link."""
    path = reporting.until(Role.ALICE, "report")
    reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path)))
    batch = next(each for each in MatterReader(reporting.matter) if each.entry.body.statement.kind == "batch")
    said = batch.entry.body.statement
    order = {"absent": "alice", "granted": True, "link": None, "served": batch.hash.hex()}
    trent_writes(reporting, "order", order, 0)
    again = trent_writes(reporting, "batch", said.content, 1, [Role.ALICE], sealed=said.sealed, openings=batch.openings)
    with_places = [records.from_value(Place, each.value) for each in batch.openings if each.field == "documents"]
    documents = shown(reporting, with_places, range(1, len(with_places) + 1))
    forged = package(reporting, Role.ALICE, "report", again, 1, documents, proven(reporting, with_places))
    form = reporting.filled(forged, lambda _: "no")
    output = refused(reporting, Role.ALICE, forged, "--labels", str(form), "--replace")
    assert "entry 8: Trent's 'order' comes too early; others must answer first" in output


def test_bob_gives_no_link_for_a_report_of_trents(reporting: Table) -> None:
    reporting.until(Role.ALICE, "report")
    content = {"draw": 2, "link": "00" * 32, "openings": "00" * 32}
    forged = trent_writes(reporting, "report", content, 1, [Role.BOB])
    said = refused(reporting, Role.BOB, package(reporting, Role.BOB, "link", forged, 1))
    assert "entry 8: Trent's 'report' comes too early; others must answer first" in said


MALFORMED: list[tuple[str, dict[str, Any]]] = [
    ("foo", {}),
    ("default", {}),
    ("default", {"absent": "nobody", "served": ""}),
    ("draw", {"draw": "x"}),
    ("order", {"absent": "bob"}),
    ("amend", {}),
    ("rekey", {"key": "", "role": "bob"}),
]


@pytest.mark.parametrize(("kind", "content"), MALFORMED)
@pytest.mark.parametrize("number", [0, 1])
def test_an_entry_that_is_none_is_refused_with_a_sentence(
    drawing: Table, kind: str, content: dict[str, Any], number: int
) -> None:
    asked = trent_writes(drawing, kind, content, number, [Role.BOB])
    said = refused(drawing, Role.BOB, package(drawing, Role.BOB, "link", asked, number))
    assert "Trent has signed something that breaks the rules of the review: entry 5" in said
