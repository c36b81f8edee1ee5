"""Records that only a holder of several keys could make, of a matter in which much happens."""

from copy import deepcopy
from hashlib import sha256
from typing import Any

from ledger import coins
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from tests.support.builders import KEYS
from tests.support.forging.forged import (
    Forgery,
    body,
    both,
    conflict_before,
    content,
    line_of,
    put_conflict,
    renumber,
    said_in,
    statement,
    until,
)
from tests.support.forging.forger import Forger

BOB_KEY = KEYS[Role.BOB].public.hex()
THIRD_KEY = SigningKey(sha256(b"Alice's third key").digest()).public.hex()
CAPTION: dict[str, Any] = {
    "case": "Doe v. Roe, No. 26-1",
    "court": "Court of First Instance",
    "names": {"alice": "Roe", "bob": "Doe", "court": "Judge Poe", "trent": "Neutral & Partners"},
    "request": "All documents about the prepay swaps.",
}


def two_answers_under_the_old_key(forger: Forger) -> None:
    """After Alice has a new key, Trent files a second report that her old key signed, in whoever's hands it is."""
    said = said_in(line_of(forger, "report"))
    content = said["content"] | {"openings": "00" * 32}
    conflict_before("claims", lambda _: {"signature": "", "statement": said | {"content": content}})(forger)
    forger.of_evidence = {Role.ALICE: forger.keys[Role.ALICE]}


def two_answers_under_the_new_key(forger: Forger) -> None:
    two_answers_under_the_old_key(forger)
    forger.of_evidence = {}


def framed_across_a_change_of_keys(forger: Forger) -> None:
    """Trent logs the answer of Alice's former key before the court's order, and files her new key's as a second one."""
    order, again, second = (line_of(forger, *each) for each in (("rekeyed",), ("again",), ("report", 1)))
    forger.values.remove(again)
    forger.values.remove(second)
    said = said_in(second)
    said["answers"] = forger.hash_of(line_of(forger, "batch", 1))
    matter, draw = Digest.parse(said["matter"]), said["content"]["draw"]
    before = coins.step(matter, Role.ALICE, draw, Digest.parse(said["content"]["link"])).hex()
    first = deepcopy(second)
    said_in(first)["content"] |= {"draw": draw - 1, "link": before}
    forger.values.insert(forger.values.index(order), first)
    number = first["entry"]["body"]["sequence"] = 10**6  # unlike every other, until all are numbered again
    following = forger.values[forger.values.index(order) + 1]
    put_conflict(forger, following, {"signature": "", "statement": said}, answer=number)
    until("conflict")(forger)


def two_answers_under_one_key(forger: Forger) -> None:
    """Alice answers an amendment twice, with the key that she got before it."""
    answers = [each for each in forger.values if "entry" in each and said_in(each)["kind"] == "amended"]
    *_, last = (each for each in answers if said_in(each)["author"] == "alice")
    said = deepcopy(said_in(last))
    said["content"]["accepted"] = not said["content"]["accepted"]
    number = last["entry"]["body"]["sequence"]
    put_conflict(forger, line_of(forger, "claims"), {"signature": "", "statement": said}, answer=number)


SECOND_ANSWER = Forgery(
    comment="Alice answers an amendment twice with her second key",
    check="V19",
    who=Role.ALICE,
    spoil=two_answers_under_one_key,
)
"""Of Bob's copy."""


def the_old_question(forger: Forger) -> None:
    """The entry by which Alice is asked again is left out."""
    forger.values.remove(line_of(forger, "again"))
    said_in(line_of(forger, "report", 1))["answers"] = forger.hash_of(line_of(forger, "batch", 1))
    renumber(forger)


def answer_with_the_old_key(forger: Forger) -> None:
    forger.renewed = {Role.ALICE: forger.keys[Role.ALICE]}


def cosign_with_the_old_key(forger: Forger) -> None:
    forger.of_notes = {Role.ALICE: forger.keys[Role.ALICE]}


def the_old_key_again(forger: Forger) -> None:
    """Trent asks for a third key of Alice's, and the court grants the first, which she has given up."""
    first = forger.values.index(line_of(forger, "rekey"))
    asked, granted = deepcopy(forger.values[first : first + 2])
    said_in(asked)["content"]["key"] = THIRD_KEY
    said_in(granted)["content"]["key"] = forger.keys[Role.ALICE].public.hex()
    said_in(granted)["answers"] = None  # the entry before it, which is new
    place = forger.values.index(line_of(forger, "claims"))
    forger.values[place:place] = [asked, granted]
    renumber(forger)


EVENTFUL: dict[str, Forgery] = {
    "a-new-key-that-is-taken": Forgery(
        comment="the court grants Alice the key that Bob has", check="V03", spoil=content("rekeyed", key=BOB_KEY)
    ),
    "a-new-key-that-was-given-up": Forgery(
        comment="the court grants Alice the key that it has replaced, in whoever's hands it is now",
        check="V03",
        spoil=the_old_key_again,
    ),
    "a-new-key-that-is-none": Forgery(
        comment="the court grants Alice a point of low order",
        check="V03",
        spoil=content("rekeyed", key="01" + "00" * 31),
    ),
    "a-new-key-of-trents": Forgery(
        comment="the court grants a new key of Trent's", check="V03", spoil=content("rekeyed", role="trent")
    ),
    "an-answer-under-the-old-key": Forgery(
        comment="Alice's report is signed with the key that the court has replaced",
        check="V03",
        spoil=answer_with_the_old_key,
    ),
    "a-cosignature-under-the-old-key": Forgery(
        comment="Alice's line on the checkpoint is of the key that the court has replaced",
        check="V20",
        spoil=cosign_with_the_old_key,
    ),
    "evidence-under-the-old-key": Forgery(
        comment="a second report of Alice's is filed, signed with the key that the court has replaced",
        check="V19",
        spoil=two_answers_under_the_old_key,
    ),
    "two-answers-under-two-keys": Forgery(
        comment="a second answer to a question is signed with the key that Alice has got since: it proves nothing",
        check="V19",
        spoil=two_answers_under_the_new_key,
    ),
    "framed-across-a-change-of-keys": Forgery(
        comment="an answer of the former key, held back until the court has granted a new one, is logged before the "
        "order, and the new key's answer is filed as a second one",
        check="V19",
        spoil=framed_across_a_change_of_keys,
    ),
    "the-new-key-answers-the-old-question": Forgery(
        comment="Alice is not asked again, and her new key answers the question that became void",
        check="V05",
        spoil=the_old_question,
    ),
    "an-again-about-another-question": Forgery(
        comment="Trent repeats a question that did not become void",
        check="V05",
        spoil=content("again", question="11" * 32),
    ),
    "an-again-of-another-round": Forgery(
        comment="a repeated question is said to belong to another round",
        check="V05",
        spoil=both(statement("again", round=1), until("again")),
    ),
    "an-again-for-another-party": Forgery(
        comment="Trent repeats Alice's question to Bob",
        check="V05",
        spoil=both(body("again", asks=["bob"]), until("again")),
    ),
    "a-skipped-draw-that-is-used": Forgery(
        comment="Alice's new key reports with the draw that her former key may have used",
        check="V08",
        who=Role.ALICE,
        spoil=content("report", 1, draw=lambda found: found - 1),
    ),
    "an-order-of-another-shape": Forgery(
        comment="an order has a field that no order has",
        check="V05",
        who=Role.COURT,
        spoil=content("order", because="it is late"),
    ),
    "a-late-question-between-rounds": Forgery(
        comment="Alice is asked for late claims of a round that is not open",
        check="V05",
        spoil=both(statement("late", round=9), statement("claim", round=9)),
    ),
    "a-default-of-a-round": Forgery(
        comment="a default is said to belong to a round",
        check="V05",
        spoil=both(statement("default", round=1), statement("order", round=1)),
    ),
    "a-report-of-nobody": Forgery(
        comment="the order was denied, and the round goes on without a report all the same",
        check="V05",
        spoil=content("order", 3, granted=False),
    ),
    "an-amendment-that-not-all-accepted": Forgery(
        comment="Bob does not accept a fourth round, and it is held all the same",
        check="V29",
        spoil=content("amended", 1, accepted=False),
    ),
    "a-caption-of-a-simulation": Forgery(
        comment="the opening has a caption, and says that it is a simulation",
        check="V05",
        spoil=content("open", caption=CAPTION),
    ),
    "no-caption": Forgery(
        comment="the opening is of no simulation, and says neither who is who nor what it is about",
        check="V05",
        spoil=content("open", simulation=None),
    ),
    "a-caption-without-the-court": Forgery(
        comment="the caption does not name the court",
        check="V05",
        spoil=content(
            "open",
            simulation=None,
            caption=CAPTION | {"names": {role: name for role, name in CAPTION["names"].items() if role != "court"}},
        ),
    ),
}
"""The same in an eventful matter, of which Bob's copy is changed."""
