"""Records that only a holder of several keys could make, of matters with spot checks, validations and classes.

Together with the cheats they break every condition of the replay.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ledger.roles import Audience, Role
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.forged import (
    Forgery,
    Spoil,
    both,
    content,
    ending,
    first_sealed,
    line_of,
    put_conflict,
    renumber,
    said_in,
    statement,
    until,
    without,
)
from tests.support.forging.forger import Forger

OWNERS = (Audience.ALICE, Audience.COURT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotForgery:
    """A forgery of the copies of an honest course, and in whose copies it is found."""

    base: str
    forgery: Forgery
    found_in: tuple[Audience, ...] = EVERYBODY


def _forgery(base: str, comment: str, check: str, spoil: Spoil, **fields: Any) -> SpotForgery:
    found_in = fields.pop("found_in", EVERYBODY)
    forgery = Forgery(comment=comment, check=check, spoil=spoil, **fields)
    return SpotForgery(base=base, forgery=forgery, found_in=found_in)


def _kind(line: Any) -> str | None:
    return said_in(line)["kind"] if "entry" in line else None


def _before(following: tuple[str, int], make: Callable[[Forger], Any]) -> Spoil:
    """An entry is put in before another one, and the record ends with it."""

    def spoil(forger: Forger) -> None:
        line = make(forger)
        line["entry"]["body"]["sequence"] = 10**6  # unlike every other, until all are numbered again
        forger.values.insert(forger.values.index(line_of(forger, *following)), line)
        forger.values = ending(forger.values, line, forger.manifest["manifest"]["audience"])
        renumber(forger)

    return spoil


def _copy(kind: str, number: int = 0, /, **fields: Any) -> Callable[[Forger], Any]:
    """An entry once more, with other fields in its statement, and without releases or what was released of it."""

    def make(forger: Forger) -> Any:
        line, audience = deepcopy(line_of(forger, kind, number)), forger.manifest["manifest"]["audience"]
        sealed = said_in(line)["sealed"]
        line["openings"] = [each for each in line["openings"] if audience in sealed[each["field"]]["audiences"]]
        line["entry"]["body"]["releases"] = []
        said_in(line).update(fields)
        return line

    return make


def _of_trent(kind: str, number: int, asks: list[str], said: dict[str, Any]) -> Callable[[Forger], Any]:
    """An entry of Trent's own that stands nowhere in the record."""

    def make(forger: Forger) -> Any:
        line = _copy("draw", 0, kind=kind, round=number, content=said)(forger)
        line["entry"]["body"]["asks"] = asks
        return line

    return make


def _second_look(forger: Forger) -> None:
    """Bob has given his link, and then Alice looks once more."""
    first = line_of(forger, "look")
    place = forger.values.index(first) + 2
    again = deepcopy(first)
    said_in(again)["content"]["positions"] = [1]
    again["entry"]["body"]["sequence"] = 10**6
    forger.values.insert(place, again)
    forger.values = ending(forger.values, again, forger.manifest["manifest"]["audience"])
    renumber(forger)


def _link_first(forger: Forger) -> None:
    """Bob's link stands before the look that it should answer."""
    look = line_of(forger, "look")
    place = forger.values.index(look)
    forger.values[place], forger.values[place + 1] = forger.values[place + 1], look
    renumber(forger)


def _evidence(forger: Forger, **fields: Any) -> Any:
    """A conflict about Alice's first look is put in before the next close; its line."""
    look = line_of(forger, "look")
    said = deepcopy(said_in(look))
    said["content"]["positions"] = [*said["content"]["positions"], 5]
    number = look["entry"]["body"]["sequence"]
    after = forger.values[forger.values.index(look) :]
    following = next(each for each in after if _kind(each) == "closed")
    put_conflict(forger, following, {"signature": "", "statement": said}, answer=number, **fields)
    return line_of(forger, "conflict")


def _for_owners(forger: Forger) -> None:
    """The evidence of a second look is sealed for Alice and the court alone."""
    line = _evidence(forger)
    said_in(line)["sealed"]["evidence"]["audiences"] = ["alice", "court"]
    if forger.manifest["manifest"]["audience"] not in ("alice", "court"):
        line["openings"] = []


def _two_at_once(forger: Forger) -> None:
    """A conflict seals two second answers."""
    line = _evidence(forger)
    said_in(line)["sealed"]["evidence"]["commitments"].append("77" * 32)
    for opening in list(line["openings"]):
        line["openings"].append(opening | {"index": 1, "salt": "6b" * 32, "value": deepcopy(opening["value"])})


def _terms(**changed: Any) -> Spoil:
    """Other terms, and nothing but the opening."""
    return both(content("open", terms=lambda found: found | changed), until("open"))


def _validation(**changed: Any) -> Spoil:
    return both(
        content("open", terms=lambda found: found | {"validation": found["validation"] | changed}), until("open")
    )


def _classes(**changed: Any) -> Spoil:
    return both(content("open", terms=lambda found: found | {"classes": found["classes"] | changed}), until("open"))


def _opened(kind: str, field: str, value: Any) -> Spoil:
    """The first value of a sealed field is another, and its commitment fits, where the copy opens it."""

    def spoil(forger: Forger) -> None:
        for opening in line_of(forger, kind)["openings"]:
            if (opening["field"], opening["index"]) == (field, 0):
                opening["value"] = value
        forger.commit_again()

    return spoil


def _no_draw_to_skip(forger: Forger) -> None:
    """Chains so short that no draw is free when Alice gets a new key before her look."""
    look = said_in(line_of(forger, "look"))["content"]["draw"]
    draws = look - 2 + 6  # two for each of two rounds, and two for the look
    content("open", terms=lambda found: found | {"draws": draws})(forger)
    until("rekey")(forger)


def _without_its_draw(forger: Forger) -> None:
    """A validation begins, and no draw came before it."""
    held = line_of(forger, "validation")
    place = forger.values.index(held)
    forger.values = ending([*forger.values[: place - 3], held], held, forger.manifest["manifest"]["audience"])
    renumber(forger)


def _not_labelled(forger: Forger) -> None:
    """A dispute names a position that Bob was not shown."""
    line = line_of(forger, "dispute")
    said = said_in(line)
    waves = [said_in(each) for each in forger.values if _kind(each) == "disclosure"]
    shown = {at for each in waves if each["round"] == said["round"] for at in each["content"]["positions"]}
    said["content"]["positions"] = [next(at for at in range(1, 99) if at not in shown)]


def _seals(kind: str, **fields: Any) -> Spoil:
    return statement(kind, sealed=lambda found: found | fields)


SPOT_FORGERIES: Mapping[str, SpotForgery] = {
    # the order of an escalation
    "a-look-after-the-link": _forgery(
        "escalated", "Alice looks once more when Bob has given his link, and the coins are fixed", "V05", _second_look
    ),
    "a-link-before-the-look": _forgery(
        "escalated",
        "Bob gives his link before Alice has looked, in answer to what is not there yet",
        "V05",
        _link_first,
    ),
    "an-escalation-while-a-draw-is-under-way": _forgery(
        "escalated",
        "an escalation begins with the draw for the first batch",
        "V05",
        _before(("batch", 0), _copy("escalation", round=1)),
    ),
    "a-draw-in-an-open-round": _forgery(
        "escalated", "a draw begins in the midst of a batch", "V05", _before(("closed", 0), _copy("draw"))
    ),
    "a-draw-of-another-round": _forgery(
        "escalated", "the first draw is said to be of round 5", "V05", both(statement("draw", round=5), until("draw"))
    ),
    "a-batch-in-an-open-round": _forgery(
        "escalated",
        "a batch is put up before the one before it is closed",
        "V05",
        _before(("closed", 0), _copy("batch", round=2)),
    ),
    "late-claims-between-rounds": _forgery(
        "escalated",
        "Alice is asked for late claims, and no round is open",
        "V05",
        _before(("escalation", 0), _of_trent("late", 1, ["alice"], {})),
    ),
    "a-wave-of-another-round": _forgery(
        "escalated",
        "a wave is said to be of round 9",
        "V05",
        both(statement("disclosure", round=9), until("disclosure")),
    ),
    "claims-in-an-open-round": _forgery(
        "escalated", "the claims come before the last round is closed", "V05", without("closed", 5)
    ),
    "claims-of-a-round": _forgery(
        "escalated", "the claims are said to be of round 6", "V05", statement("claims", round=6)
    ),
    "a-look-that-seals-something": _forgery(
        "escalated",
        "Alice seals her second look",
        "V05",
        both(_seals("look", labels={"audiences": ["alice", "court"], "commitments": ["55" * 32]}), until("look")),
        who=Role.ALICE,
        found_in=(Audience.BOB, Audience.PUBLIC),
    ),
    "labels-by-trent": _forgery(
        "escalated",
        "an entry of Trent's is one that only Bob can make",
        "V05",
        both(statement("escalation", kind="labels"), until("labels", 1)),
    ),
    "an-answer-of-an-unknown-kind": _forgery(
        "escalated",
        "asked for labels, Bob signs what is no kind of entry",
        "V05",
        both(statement("labels", kind="lottery"), until("lottery")),
        who=Role.BOB,
    ),
    # evidence
    "evidence-of-a-look-for-its-owners": _forgery(
        "escalated", "the evidence of a second look is kept from Bob", "V05", _for_owners
    ),
    "evidence-of-a-look-of-another-round": _forgery(
        "escalated",
        "a conflict about a look is said to be of another round",
        "V05",
        lambda forger: said_in(_evidence(forger)).update(round=1),
    ),
    "two-looks-in-one-conflict": _forgery("escalated", "a conflict seals two second answers", "V19", _two_at_once),
    # batches, documents and disputes
    "two-lists-of-numbers": _forgery(
        "escalated",
        "a batch seals two lists of its documents' numbers",
        "V09",
        both(first_sealed("batch", lambda found: [*found, "66" * 32], "numbers"), until("batch")),
        found_in=(Audience.BOB, Audience.PUBLIC),
    ),
    "numbers-that-are-none": _forgery(
        "escalated",
        "the sealed numbers of a batch are a text",
        "V09",
        both(_opened("batch", "numbers", "all"), until("batch")),
        found_in=OWNERS,
    ),
    "a-dispute-about-what-bob-has-not-seen": _forgery(
        "escalated", "the court is asked about a document that Bob was not shown", "V15", _not_labelled
    ),
    "a-proof-that-is-none": _forgery(
        "viewed",
        "the court is shown a document without a proof",
        "V14",
        both(_opened("camera", "proofs", {"content": 5}), until("camera")),
        found_in=OWNERS,
    ),
    "a-vocabulary-that-is-no-hash": _forgery(
        "viewed",
        "the sealed vocabulary is a number",
        "V07",
        both(_opened("open", "vocabulary", 7), until("open")),
        found_in=(Audience.COURT,),
    ),
    # validations
    "a-validation-without-its-draw": _forgery(
        "validated", "a validation begins without a draw", "V28", _without_its_draw
    ),
    "a-validation-beyond-the-corpus": _forgery(
        "validated",
        "a validation lists a document that the corpus does not have",
        "V28",
        both(content("validation", numbers=lambda found: [*found[:-1], 40]), until("validation")),
    ),
    "a-validation-with-a-document-too-few": _forgery(
        "validated",
        "a validation lists a document more than it seals",
        "V28",
        both(first_sealed("validation", lambda found: found[:-1], "documents"), until("validation")),
        found_in=(Audience.BOB, Audience.PUBLIC),
    ),
    # keys
    "a-skipped-draw-that-is-not-free": _forgery(
        "eventful-two-stages",
        "Alice gets a new key before her look though no draw is free for it",
        "V26",
        _no_draw_to_skip,
    ),
    # terms
    "a-limit-above-one": _forgery("escalated", "the limit is above 1", "V07", _terms(limit="1.01")),
    "a-rate-of-one": _forgery("escalated", "everything is spot-checked", "V07", _terms(rate="1")),
    "an-unknown-penalty": _forgery(
        "escalated", "the penalty is a word that nobody knows", "V05", _terms(penalty="jail")
    ),
    "a-term-of-another-rule": _forgery("escalated", "spot checks have a delta", "V05", _terms(delta="0.1")),
    "an-unknown-viewer": _forgery("validated", "Trent looks at what is drawn", "V05", _validation(viewer="trent")),
    "two-stages-with-hits": _forgery("called", "a chance by rule in two stages", "V07", _validation(hits=1)),
    "two-stages-for-the-court": _forgery("called", "the court looks in two stages", "V07", _validation(viewer="court")),
    "chances-that-prove-nothing": _forgery(
        "called",
        "two chances whose product is too small",
        "V07",
        _validation(review="0.0000000001", show="0.0000000001"),
    ),
    "a-chance-for-too-many-hits": _forgery(
        "validated", "a chance by rule for more than a thousand hits", "V07", _validation(hits=1001)
    ),
    "a-target-of-everything": _forgery("validated", "a validation must find all", "V07", _validation(target="1")),
    "no-class": _forgery("classed", "the terms have classes, and none is named", "V07", _classes(names=[])),
    "classes-in-disorder": _forgery("classed", "classes are not in order", "V07", _classes(names=["medical", "bank"])),
    "a-class-without-a-name": _forgery("classed", "a class has a name with a blank", "V05", _classes(names=["so so"])),
    "everything-in-a-class": _forgery("classed", "all documents may be in a class", "V07", _classes(share="1")),
}
