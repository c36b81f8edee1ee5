"""Cheats about privilege for a part of a family, in a matter whose documents have three parts each.

They have a corpus of their own, `corpora.families`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ledger import records
from ledger.entries import Addition
from ledger.roles import Audience, Role
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.kinds import dispute
from protocol.matter.kinds.dispute import Dispute
from protocol.simulation.parties import Alice, Court
from tests.support.corpora import QUERY
from tests.support.forging.bending import INSIDERS, of_kind, saying
from tests.support.forging.catalogue import EVERYBODY, Cheat
from tests.support.forging.running import Change, CheatingRun
from tests.support.forging.spotbending import at, forgetting_claims, resealed, until_its_close, waving
from tests.support.forging.spotcheck import CARELESS, SpotCourse

OWNERS = (Audience.ALICE, Audience.COURT)
CLAIMED = {1: (1, 2), 2: (0,), 4: (2,), 5: (1, 2), 6: (1,)}
"""By position, the parts that Alice claims in each report. Of position 3 she claims the whole document."""


class WithParts(CheatingRun):
    """Alice claims parts, and labels all that she claims responsive, except the last. So what happens in the first
    round does not depend on the coins. The court rules by what is claimed.
    """

    def answer(self) -> Answer:
        first = min(self.state.awaits)
        party, kind = self.parties[first], self.state.awaits[first].kind
        if isinstance(party, Alice) and kind == "report":
            found, claims = party.decide(), {each: f"advice of counsel, {each}" for each in (3, *CLAIMED)}
            labels = {**(found.labels or {}), **dict.fromkeys(range(1, 6), True), 6: False}
            return party.say(replace(found, labels=labels, claims=claims, claimed_parts=CLAIMED))
        if isinstance(party, Court) and kind == "privilege":
            return party.say(self._ruled())
        return party.answer()

    def _ruled(self) -> Decisions:
        """It upholds the last of several parts, and part 0 or 1 alone, but not part 2 alone. A document without part 0
        it finds not responsive, the others responsive. A claim for a whole document it upholds.
        """
        log = self.state.rounds[-1].privilege
        claims = {position: log.parts.get(position, ()) for position in log.asked}
        parts = {position: claimed[-1:] for position, claimed in claims.items() if claimed not in ((), (2,))}
        return Decisions(upheld={place: claims[place] in ((), (0,)) for place in log.asked}, upheld_parts=parts)


PARTED = SpotCourse(
    comment="families of which Alice claims parts: the court withholds some and labels the families, in batches and in "
    "an escalation",
    terms={
        "rounds": 2,
        "batch": 7,
        "doubt": "0.5",
        "query": QUERY,
        "rate": "0.1",
        "every": 1,
        "target": "0.9",
        "limit": "1",
        "penalty": "none",
        "seed": "2",
    },
    players=CARELESS,
    run=WithParts,
)


def _cheat(who: Role, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    whole: dict[str, Any] = {"caught_in": EVERYBODY, "last": True, "terms": PARTED.terms, "course": PARTED.run}
    return Cheat(
        who=who,
        comment=comment,
        check=check,
        change=change,
        protocol=PARTED.protocol,
        players=PARTED.players,
        **(whole | fields),
    )


def _shows_a_ruled_one(run: CheatingRun, addition: Addition) -> dict[int, tuple[int, ...]]:
    """By index in the wave, the parts that the court withheld."""
    ruled = run.state.rounds[-1].privilege.upheld_parts
    return {
        index: ruled[position]
        for index, position in enumerate(addition.statement.content["positions"])
        if position in ruled
    }


def _proving(parts: Callable[[CheatingRun, Addition], Mapping[int, tuple[int, ...]] | None]) -> Any:
    """The first wave, or what goes to the court, with proofs that withhold these parts, by index."""

    def bend(run: CheatingRun, addition: Addition) -> Addition | None:
        withheld, places = parts(run, addition), run.state.rounds[-1].places
        if withheld is None:
            return None
        documents = [places[position - 1].document for position in addition.statement.content["positions"]]
        proofs = [
            records.to_value(run.corpus.proof(document, withheld.get(index, ())))
            for index, document in enumerate(documents)
        ]
        return run.sealing(addition, "proofs", proofs)

    return bend


def _opened(run: CheatingRun, addition: Addition) -> Mapping[int, tuple[int, ...]] | None:
    return {} if _shows_a_ruled_one(run, addition) else None


def _more_withheld(run: CheatingRun, addition: Addition) -> Mapping[int, tuple[int, ...]] | None:
    found = _shows_a_ruled_one(run, addition)
    return {index: tuple(sorted({*parts, 0 if 0 not in parts else 1})) for index, parts in found.items()} or None


def _withheld_without_a_claim(run: CheatingRun, addition: Addition) -> Mapping[int, tuple[int, ...]] | None:
    found = _shows_a_ruled_one(run, addition)
    free = [index for index in range(len(addition.statement.content["positions"])) if index not in found]
    return {**found, free[0]: (2,)} if free else None


def _claiming(change: Callable[[Any], Any]) -> Any:
    """Alice's report with another value where she claims parts of the first position."""
    return of_kind("report", resealed("privilege", lambda found: [change(found[0]), *found[1:]]), author=Role.ALICE)


def _of_parts(*parts: Any) -> Callable[[Any], Any]:
    return lambda claim: {**claim, "parts": list(parts)}


def _ruling(change: Callable[[list[Any]], list[Any]], **more: Any) -> Change:
    """The court's first ruling with other parts."""

    def bend(run: CheatingRun, addition: Addition) -> Addition:
        parts = change([list(each) for each in addition.statement.content["parts"]])
        return run.saying(addition, parts=parts, **more)

    return of_kind("privilege", bend, author=Role.COURT)


def _unruled(run: CheatingRun, addition: Addition) -> Addition | None:
    """Upholds a claim for parts, and names none of them."""
    content, log = addition.statement.content, run.state.rounds[-1].privilege
    index = next((index for index, position in enumerate(log.asked) if position in log.parts), None)
    if index is None:
        return None
    parts = [[] if place == index else each for place, each in enumerate(content["parts"])]
    upheld = [place == index or each for place, each in enumerate(content["upheld"])]
    return run.saying(addition, parts=parts, upheld=upheld)


def _of_the_whole(run: CheatingRun, addition: Addition) -> Addition | None:
    """Upholds a part where Alice claims the whole document."""
    log = run.state.rounds[-1].privilege
    if 3 not in log.asked:
        return None
    parts = [
        [1] if position == 3 else each
        for position, each in zip(log.asked, addition.statement.content["parts"], strict=True)
    ]
    return run.saying(addition, parts=parts)


def _kept(run: CheatingRun) -> bool:
    current = run.state.current
    return current is not None and bool(current.kept & current.privilege.upheld_parts.keys())


def _found(run: CheatingRun) -> list[int]:
    current = run.state.rounds[-1]
    return sorted(position for position in current.privilege.upheld_parts if current.in_camera.get(position))


def _dispute(run: CheatingRun, _: Addition) -> Addition | None:
    """The court is asked about a family that it has labelled in camera and that Bob was shown."""
    current, found = run.state.rounds[-1], _found(run)
    if not found:
        return None
    return run.trent.says(run.state, dispute.KIND, Dispute(positions=(found[0],)), current.number)


PARTS: Mapping[str, Cheat] = {
    "trent-shows-bob-a-part-that-the-court-withheld": _cheat(
        Role.TRENT,
        "a disclosure opens a part that the court withheld as privileged",
        "V14",
        at("disclosure", _proving(_opened)),
        caught_in=INSIDERS,
    ),
    "trent-withholds-another-part-than-the-court": _cheat(
        Role.TRENT,
        "a disclosure withholds a part besides those that the court withheld",
        "V14",
        at("disclosure", _proving(_more_withheld)),
        caught_in=INSIDERS,
    ),
    "trent-withholds-a-part-that-nobody-claimed": _cheat(
        Role.TRENT,
        "a disclosure withholds a part of a document on which the court has not ruled",
        "V14",
        at("disclosure", _proving(_withheld_without_a_claim)),
        caught_in=INSIDERS,
    ),
    "trent-withholds-a-part-from-the-court": _cheat(
        Role.TRENT,
        "what goes to the court alone lacks a part that Alice claims",
        "V14",
        at("camera", _proving(lambda run, addition: {0: (2,)})),
        caught_in=OWNERS,
    ),
    "trent-shows-bob-a-family-that-the-court-kept": _cheat(
        Role.TRENT,
        "Bob is shown a family with a withheld part that the court found not responsive",
        "V13",
        at("disclosure", waving(lambda current, wave: {*wave, *current.kept}), when=_kept),
    ),
    "trent-keeps-a-family-of-which-a-part-is-withheld": _cheat(
        Role.TRENT,
        "Bob is not shown a family that the court found responsive without a part",
        "V13",
        until_its_close(
            at(
                "disclosure",
                waving(lambda current, wave: set(wave) - current.privilege.upheld_parts.keys()),
                when=lambda run: bool(_found(run)),
            )
        ),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-has-a-label-of-the-court-disputed": _cheat(
        Role.TRENT,
        "the court is asked to rule on a family that it labelled in camera",
        "V15",
        at("closed", _dispute),
    ),
    "trent-shows-bob-a-claimed-part-before-the-court": _cheat(
        Role.TRENT,
        "a family of which Alice claims a part goes to Bob, and the court has not seen it",
        "V25",
        until_its_close(of_kind("camera", forgetting_claims)),
        caught_in=OWNERS,
        last=False,
    ),
    "trent-counts-a-withheld-part-as-a-document": _cheat(
        Role.TRENT,
        "the claims count a family of which a part is withheld as withheld as privileged",
        "V17",
        of_kind("claims", saying(privileged=lambda number: number + 1)),
        last=False,
    ),
    "alice-claims-a-part-that-is-not-there": _cheat(
        Role.ALICE,
        "she claims part 3 of a document that has parts 0 to 2",
        "V25",
        _claiming(_of_parts(1, 3)),
        caught_in=INSIDERS,
        last=False,
    ),
    "alice-claims-every-part-by-its-number": _cheat(
        Role.ALICE,
        "she claims all three parts of a document one by one, and not the document",
        "V25",
        _claiming(_of_parts(0, 1, 2)),
        caught_in=INSIDERS,
        last=False,
    ),
    "alice-claims-parts-out-of-order": _cheat(
        Role.ALICE,
        "she names the parts that she claims in another order",
        "V12",
        _claiming(_of_parts(2, 1)),
        caught_in=OWNERS,
    ),
    "alice-claims-no-parts-of-a-document": _cheat(
        Role.ALICE,
        "her claim for parts names none",
        "V12",
        _claiming(_of_parts()),
        caught_in=OWNERS,
    ),
    "court-withholds-a-part-that-nobody-claims": _cheat(
        Role.COURT,
        "it withholds part 0, where Alice claims others",
        "V25",
        _ruling(lambda found: [[0], *found[1:]]),
        caught_in=INSIDERS,
    ),
    "court-withholds-a-part-of-what-is-claimed-as-a-whole": _cheat(
        Role.COURT,
        "it withholds a part of a document that Alice claims as a whole",
        "V25",
        of_kind("privilege", _of_the_whole, author=Role.COURT),
        caught_in=INSIDERS,
    ),
    "court-upholds-a-claim-for-parts-and-names-none": _cheat(
        Role.COURT,
        "it upholds a claim for parts, and names no part",
        "V25",
        of_kind("privilege", _unruled, author=Role.COURT),
        caught_in=INSIDERS,
    ),
    "court-names-parts-out-of-order": _cheat(
        Role.COURT,
        "it names the parts that it withholds in another order",
        "V25",
        _ruling(lambda found: [[2, 1], *found[1:]]),
    ),
    "court-names-parts-for-fewer-than-it-was-asked-about": _cheat(
        Role.COURT,
        "it has a list of parts less than it was asked about positions",
        "V25",
        _ruling(lambda found: found[:-1]),
    ),
}
