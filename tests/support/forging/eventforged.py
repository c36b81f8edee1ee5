"""Records that only a holder of several keys could make, of a matter in which much happens."""

from copy import deepcopy
from hashlib import sha256
from typing import Any

from ledger.keys import SigningKey
from ledger.roles import Role
from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, both, conflict_before, content, line_of, renumber, said_in, statement
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
        comment="a second answer to a question is signed with the key that Alice has got since",
        check="V19",
        who=Role.ALICE,
        spoil=two_answers_under_the_new_key,
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
        check="V05",
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
