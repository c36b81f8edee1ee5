"""Records that only a holder of several keys could make: each breaks one rule, and all else is signed as it must be.

They reach rules that no simulated cheat breaks, since the log itself would refuse such an entry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ledger.roles import Role
from protocol.matter.values import METHOD
from tests.support.forging.forger import SALT, Forger
from tests.support.forging.mutations import Lines, reviewed

Spoil = Callable[[Forger], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgery:
    """One broken rule."""

    comment: str
    check: str
    spoil: Spoil
    who: Role | None = Role.TRENT
    verdict: str = "rejected"
    after: Callable[[Lines], Lines] = lambda lines: lines  # what is done once everything is signed


def line_of(forger: Forger, kind: str, number: int = 0) -> Any:
    found = [each for each in forger.values if "entry" in each and said_in(each)["kind"] == kind]
    return found[number]


def said_in(line: Any) -> Any:
    return line["entry"]["body"]["statement"]


def body(kind: str, number: int = 0, /, **fields: Any) -> Spoil:
    """Other fields around a statement; functions are applied to what stands there."""

    def spoil(forger: Forger) -> None:
        found = line_of(forger, kind, number)["entry"]["body"]
        found |= {name: value(found[name]) if callable(value) else value for name, value in fields.items()}

    return spoil


def statement(kind: str, number: int = 0, /, **fields: Any) -> Spoil:
    def spoil(forger: Forger) -> None:
        found = said_in(line_of(forger, kind, number))
        found |= {name: value(found[name]) if callable(value) else value for name, value in fields.items()}

    return spoil


def content(kind: str, number: int = 0, /, **fields: Any) -> Spoil:
    def spoil(forger: Forger) -> None:
        found = said_in(line_of(forger, kind, number))["content"]
        found |= {name: value(found[name]) if callable(value) else value for name, value in fields.items()}

    return spoil


def without(kind: str, number: int = 0) -> Spoil:
    """An entry is left out, and those behind it move up."""

    def spoil(forger: Forger) -> None:
        forger.values.remove(line_of(forger, kind, number))
        renumber(forger)

    return spoil


def until(kind: str, number: int = 0) -> Spoil:
    """The record ends with this entry."""

    def spoil(forger: Forger) -> None:
        forger.values = ending(forger.values, line_of(forger, kind, number), forger.manifest["manifest"]["audience"])

    return spoil


def ending(values: list[Any], last: Any, audience: str) -> list[Any]:
    """The lines of a copy up to an entry, without the openings that only later entries would release."""
    end = values.index(last) + 1
    kept = [*values[:end], *takewhile(lambda line: "attachment" in line, values[end:])]
    bodies = [line["entry"]["body"] for line in kept if "entry" in line]
    released = {
        (release["entry"], release["field"], index)
        for body in bodies
        for release in body["releases"]
        if release["audience"] == audience
        for index in release["indices"] or [None]
    }

    def shown(line: Any, opening: Any) -> bool:
        number, field = line["entry"]["body"]["sequence"], opening["field"]
        is_sealed_for = audience in said_in(line)["sealed"][field]["audiences"]
        return is_sealed_for or bool({(number, field, opening["index"]), (number, field, None)} & released)

    for line in kept:
        if "entry" in line:
            line["openings"] = [each for each in line["openings"] if shown(line, each)]
    return kept


def both(*spoils: Spoil) -> Spoil:
    def spoil(forger: Forger) -> None:
        for each in spoils:
            each(forger)

    return spoil


def renumber(forger: Forger) -> None:
    """Sequence numbers in a row again, and releases that name the same entries as before."""
    lines = [each for each in forger.values if "entry" in each]
    moved = {line["entry"]["body"]["sequence"]: place for place, line in enumerate(lines)}
    for place, line in enumerate(lines):
        line["entry"]["body"]["sequence"] = place
        for release in line["entry"]["body"]["releases"]:
            release["entry"] = moved.get(release["entry"], release["entry"])
        said = said_in(line)
        if said["kind"] == "conflict":
            said["content"]["answer"] = moved.get(said["content"]["answer"], said["content"]["answer"])


def conflict_before(kind: str, evidence: Callable[[Forger], Any], **fields: Any) -> Spoil:
    """A conflict is put in before the first entry of this kind, about the first answer of the evidence's kind."""
    return lambda forger: put_conflict(forger, line_of(forger, kind), evidence(forger), **fields)


def put_conflict(forger: Forger, following: Any, held: Any, answer: int | None = None, **fields: Any) -> None:
    """A conflict with this evidence is put in before an entry, about an answer by its number."""
    place = forger.values.index(following)
    before, other = following["entry"]["body"], held["statement"]
    if answer is None:
        answer = line_of(forger, other["kind"])["entry"]["body"]["sequence"]
    audiences = ["alice", "court"] if other["kind"] in ("report", "claim") else ["alice", "bob", "court"]
    sealed = {"evidence": {"audiences": audiences, "commitments": [forger.committed(held)]}}
    said = before["statement"] | {"author": "trent", "answers": None, "kind": "conflict", "sealed": sealed}
    said |= {"content": {"answer": answer}, "replaces": [], "round": other["round"]} | fields
    made = before | {"asks": [], "releases": [], "signature": None, "statement": said}
    shown = forger.manifest["manifest"]["audience"] in audiences
    opened = [{"field": "evidence", "index": 0, "salt": SALT, "value": held}] if shown else []
    forger.values.insert(place, {"entry": {"body": made, "signature": ""}, "openings": opened})
    renumber(forger)


def _other_labels(forger: Forger) -> Any:
    """An answer of Bob's to a question of another matter's history."""
    said = said_in(line_of(forger, "labels"))
    return {"signature": "", "statement": said | {"answers": "11" * 32, "content": {"labels": []}}}


def first_sealed(kind: str, change: Callable[[list[str]], list[str]], field: str) -> Spoil:
    def spoil(forger: Forger) -> None:
        sealed = said_in(line_of(forger, kind))["sealed"][field]
        sealed["commitments"] = change(sealed["commitments"])

    return spoil


def release_less(forger: Forger) -> None:
    """The last place of the first wave is neither released nor opened."""
    (release,) = line_of(forger, "disclosure")["entry"]["body"]["releases"]
    kept = release["indices"].pop()
    batch = line_of(forger, "batch")
    batch["openings"] = [each for each in batch["openings"] if each["index"] != kept]


def keys_alike(forger: Forger) -> None:
    found = said_in(forger.values[0])["content"]["keys"]
    found["bob"] = found["alice"]
    forger.keys = dict(forger.keys) | {Role.BOB: forger.keys[Role.ALICE]}


def another_root(lines: Lines) -> Lines:
    return [lines[0].replace(b'"root":"', b'"root":"00', 1), *lines[1:]]


FORGERIES: dict[str, Forgery] = {
    "keys-alike": Forgery(comment="Alice and Bob have one key", check="V03", spoil=keys_alike),
    "asks-unsorted": Forgery(
        comment="who is asked is not in order", check="V01", spoil=body("open", asks=["bob", "alice", "court"])
    ),
    "commitment-twice": Forgery(
        comment="one commitment stands twice in a statement",
        check="V01",
        spoil=both(first_sealed("batch", lambda found: [found[0], found[0], *found[2:]], "documents")),
    ),
    "release-of-a-later-entry": Forgery(
        comment="a release names an entry that is not there yet",
        check="V01",
        spoil=body("disclosure", releases=lambda found: [found[0] | {"entry": 900}]),
    ),
    "statement-of-another-matter": Forgery(
        comment="Bob's labels were signed for another matter", check="V02", spoil=statement("labels", matter="22" * 32)
    ),
    "answer-in-another-round": Forgery(
        comment="Bob's labels are for another round than their question",
        check="V05",
        spoil=both(statement("labels", round=7)),
    ),
    "trent-answers": Forgery(
        comment="an entry of Trent's own answers an entry", check="V05", spoil=statement("draw", answers="33" * 32)
    ),
    "asks-the-wrong-party": Forgery(
        comment="a batch asks Bob for the report", check="V05", spoil=both(body("batch", asks=["bob"]))
    ),
    "round-skipped": Forgery(
        comment="the first batch is said to be of round 2",
        check="V05",
        spoil=both(statement("batch", round=2)),
    ),
    "release-in-a-dispute": Forgery(
        comment="a dispute releases something",
        check="V05",
        spoil=both(
            lambda forger: body(
                "dispute",
                releases=[{"audience": "alice", "entry": 0, "field": "vocabulary", "indices": None}],
            )(forger),
        ),
    ),
    "content-of-another-shape": Forgery(
        comment="a draw has a field that no draw has", check="V05", spoil=both(content("draw", more=1))
    ),
    "bobs-content-of-another-shape": Forgery(
        comment="Bob's labels are numbers",
        check="V05",
        who=Role.BOB,
        spoil=both(content("labels", labels=lambda found: [1] * len(found))),
    ),
    "unknown-kind": Forgery(
        comment="an entry is of a kind that nobody knows",
        check="V05",
        spoil=both(statement("draw", kind="lottery")),
    ),
    "trent-does-not-wait": Forgery(
        comment="the first wave goes out before Bob has given his link",
        check="V05",
        spoil=without("link", 2),
    ),
    "claims-too-early": Forgery(
        comment="the claims come after one of two rounds",
        check="V29",
        spoil=content("open", terms=lambda found: found | {"rounds": 9}),
    ),
    "a-round-too-many": Forgery(
        comment="a second round is held where the terms say one",
        check="V29",
        spoil=content("open", terms=lambda found: found | {"rounds": 1}),
    ),
    "something-after-the-claims": Forgery(
        comment="the claims are made twice",
        check="V05",
        spoil=lambda forger: forger.values.insert(
            len(forger.values) - 1,
            {
                "entry": {
                    "body": line_of(forger, "claims")["entry"]["body"]
                    | {"sequence": line_of(forger, "claims")["entry"]["body"]["sequence"] + 1},
                    "signature": "",
                },
                "openings": [],
            },
        ),
    ),
    "conflict-about-nothing": Forgery(
        comment="a conflict is about a question that is not of this record",
        check="V19",
        spoil=conflict_before("closed", _other_labels),
    ),
    "deposit-of-other-chains": Forgery(
        comment="the court's deposit is of an anchor that Alice did not name",
        check="V08",
        spoil=content("deposited", anchors=lambda found: found | {"alice": "44" * 32}),
    ),
    "link-of-another-draw": Forgery(
        comment="Bob's link is said to be for draw 5",
        check="V08",
        who=Role.BOB,
        spoil=both(content("link", 1, draw=5)),
    ),
    "a-model-where-coins-are-due": Forgery(
        comment="the first batch states how near its cut documents are, as only a model's can",
        check="V09",
        spoil=both(content("batch", near_cut=0)),
    ),
    "a-batch-of-another-size": Forgery(
        comment="a batch is said to have a document less than it seals",
        check="V09",
        spoil=both(content("batch", size=lambda size: size - 1)),
    ),
    "an-unknown-term": Forgery(
        comment="delta is no decimal between 0 and 1",
        check="V07",
        spoil=content("open", terms=lambda found: found | {"delta": "1.5"}),
    ),
    "a-wave-in-disorder": Forgery(
        comment="the positions of a wave are not in order",
        check="V13",
        spoil=both(content("disclosure", positions=lambda found: found[::-1])),
    ),
    "a-wave-that-releases-less": Forgery(
        comment="a disclosure does not release the place of its last position", check="V13", spoil=release_less
    ),
    "a-proof-too-few": Forgery(
        comment="a disclosed document has no proof",
        check="V14",
        spoil=both(
            first_sealed("disclosure", lambda found: found[:-1], "proofs"),
            lambda forger: line_of(forger, "disclosure")["openings"].pop(),
        ),
    ),
    "no-dispute": Forgery(
        comment="Alice and Bob disagree, and the round goes on without the court",
        check="V15",
        spoil=both(without("dispute"), without("rulings")),
    ),
    "a-close-that-releases-nothing": Forgery(
        comment="Alice's report stays sealed when the round closes",
        check="V16",
        spoil=both(
            body("closed", releases=[]),
            lambda forger: line_of(forger, "report").update(openings=[]),
        ),
    ),
    "a-simulation-without-truth": Forgery(
        comment="the close of a simulated round does not state the truth",
        check="V16",
        spoil=content("closed", truth=None),
    ),
    "a-round-misquoted-in-the-claims": Forgery(
        comment="the claims state another threshold for a round than its close",
        check="V17",
        spoil=content("claims", rounds=lambda found: [found[0] | {"threshold": found[0]["threshold"] + 1}, *found[1:]]),
    ),
    "another-doubt-in-the-claims": Forgery(
        comment="the claims state another doubt than the terms",
        check="V18",
        spoil=content("claims", certificates=reviewed(lambda found: {"doubt": "0.01"})),
    ),
    "a-method-of-the-future": Forgery(
        comment="the matter follows a later version of the method",
        check="",
        who=None,
        verdict="undecided",
        spoil=content("open", method=METHOD + 1),
    ),
    "a-format-of-the-future": Forgery(
        comment="the matter's records are of a later format",
        check="",
        who=None,
        verdict="undecided",
        spoil=content("open", format=2),
    ),
}


def forge(lines: Lines, keys: dict[Role, Any], forgery: Forgery) -> Lines:
    """The lines of a genuine copy with one rule broken, signed again."""
    forger = Forger(lines, keys)
    forgery.spoil(forger)
    return forgery.after(forger.sign())
