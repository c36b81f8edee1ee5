"""Cheats about privilege, silence, keys and amendments, in a matter that has them all."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec

from ledger import records
from ledger.entries import Addition, Release
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.matter.asking import Answer
from protocol.matter.kinds.amend import Amend
from protocol.matter.kinds.default import Default
from protocol.matter.kinds.rekey import Rekey
from protocol.matter.state import Matter
from protocol.rules.base import Examination, Examiner, Report
from tests.support.forging.bending import INSIDERS, add_one_not_drawn, bent, of_kind, other_link, saying, with_content
from tests.support.forging.catalogue import DISPUTED, EVERYBODY, Cheat
from tests.support.forging.eventful import AGREED, EventfulRun
from tests.support.forging.mutations import reviewed
from tests.support.forging.running import Change, CheatingRun

OWNERS = (Audience.ALICE, Audience.COURT)


def _event(who: Role, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    whole: dict[str, Any] = {"caught_in": EVERYBODY, "last": True, "players": DISPUTED, "terms": AGREED} | fields
    return Cheat(who=who, comment=comment, check=check, change=change, course=EventfulRun, **whole)


def _trent(comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return _event(Role.TRENT, comment, check, change, **fields)


def _alice(comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return _event(Role.ALICE, comment, check, change, **fields)


def _court(comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return _event(Role.COURT, comment, check, change, **fields)


def _served(sequence: int) -> Callable[[CheatingRun, Addition], Addition]:
    """The entry with this number is named as the one that was served."""

    def change(run: CheatingRun, addition: Addition) -> Addition:
        found = next(digest for digest, place in run.state.sequences.items() if place == sequence)
        return run.saying(addition, served=found.hex())

    return change


def instead(kind: str, author: Role, entry: Callable[[CheatingRun], Addition]) -> Change:
    """Trent adds something else where this would come."""
    return of_kind(kind, lambda run, _: entry(run), author=author)


def nth(number: int, change: Change) -> Change:
    """Make the change only at this occasion, counted from 1."""
    seen: dict[int, int] = {}

    def later(run: CheatingRun, addition: Addition) -> Addition | None:
        found = change(run, addition)
        if found is None:
            return None
        seen[id(run)] = seen.get(id(run), 0) + 1
        return found if seen[id(run)] == number else None

    return later


def sealing(field: str, values: Callable[[list[Any]], list[Any]]) -> Callable[[CheatingRun, Addition], Addition]:
    """Other sealed values, with the hash of the openings that a report signs."""

    def change(run: CheatingRun, addition: Addition) -> Addition:
        before = [each.value for each in addition.openings if each.field == field]
        sealed = run.sealing(addition, field, values(before))
        if "openings" not in sealed.statement.content:
            return sealed
        return run.saying(sealed, openings=hash_openings(sealed.openings).hex())

    return change


def _with_release(addition: Addition, release: Release) -> Addition:
    found = sorted((*addition.releases, release), key=lambda each: (each.audience, each.entry, each.field))
    return replace(addition, releases=tuple(found))


def _release_a_claim_at_the_close(run: CheatingRun, addition: Addition) -> Addition:
    """The basis of a late claim that no court has seen would be Bob's business only with the camera."""
    current = run.state.rounds[-1]
    ruled = set(current.privilege.upheld)
    rest = tuple(index for index in range(current.size) if index + 1 not in ruled)
    entry = current.report_entry
    return _with_release(addition, Release(audience=Audience.BOB, entry=entry, field="privilege", indices=rest))


def _also(position: int) -> Callable[[CheatingRun, Addition], Addition]:
    """A camera or a wave with one more position, released and proven as it must be."""

    def change(run: CheatingRun, addition: Addition) -> Addition:
        before = addition.statement.content["positions"]
        positions = sorted([*before, position])
        place = positions.index(position)
        proofs = [each.value for each in addition.openings if each.field == "proofs"]
        places = run.state.rounds[-1].places
        proofs.insert(place, records.to_value(run.corpus.proof(places[position - 1].document)))
        path = run.corpus.paths(places[each - 1].document for each in positions).hex()
        sealed = run.sealing(run.sealing(addition, "proofs", proofs), "path", [path])
        changed = run.saying(sealed, positions=positions)
        (release,) = addition.releases
        indices = tuple(each - 1 for each in positions)
        return replace(changed, releases=(msgspec.structs.replace(release, indices=indices),))

    return change


def _forget_claims(*positions: int) -> Change:
    """Trent goes on as if Alice had not claimed these."""

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        for position in positions:
            run.state.rounds[-1].privilege.claimed.pop(position)
        return run.move()

    return of_kind("camera", change)


def _piecemeal() -> Change:
    """The court is asked about one claim of the wave, and about the other when it has ruled on the first."""
    kept: dict[int, tuple[int, int]] = {}

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        kind = addition.statement.kind
        if kind == "camera" and not run.cheated:
            kept[id(run)] = run.state.rounds[-1].privilege.claimed.pop(2)
        elif kind == "disclosure" and id(run) in kept:
            run.state.rounds[-1].privilege.claimed[2] = kept.pop(id(run))
        else:
            return None
        return run.move()

    return change


def _claim_everything(run: CheatingRun, addition: Addition) -> Addition:
    size = run.state.rounds[-1].size
    return sealing("privilege", lambda _: [f"claim {position}" for position in range(size)])(run, addition)


def _too_late(role: Role, kind: str) -> Change:
    """What a party signs while the court is asked about its silence goes into the log when the court has granted it."""
    kept: dict[int, Answer] = {}

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        party = run.parties[role]
        if said.kind == "default" and said.content["absent"] == role and run.state.awaits[role].kind == kind:
            kept[id(run)] = party.answer()
        elif id(run) in kept and run.state.silence is None and said.author is Role.TRENT and not run.state.awaits:
            answer = kept[id(run)]
            return Addition(statement=answer.signed.statement, signature=answer.signed.signature)
        return None

    return change


def _another_round(run: CheatingRun, _: Addition) -> Addition | None:
    run.state.terms = run.state.terms.amended(5, None)
    return run.move()


def _in_round_4(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    look = add_one_not_drawn(rule, state, report, coins, settled)
    return look if len(state.rounds) == 4 else rule.examine(report, coins, settled)


def _rekeying(run: CheatingRun, role: Role) -> Addition:
    """Trent asks for the key with which Alice began, though she has had another one since."""
    return run.says("rekey", Rekey(key=run.plan.key(Role.ALICE).public, role=role))


def _trents(kind: str, content: Any) -> Callable[[CheatingRun], Addition]:
    return lambda run: run.says(kind, content)


_DEFAULT = Default(absent=Role.BOB, served=Digest(bytes(32)))

EVENTS: Mapping[str, Cheat] = {
    # privilege
    "trent-shows-bob-what-alice-claims": _trent(
        "a claimed document goes out with the wave, and the court has not seen it",
        "V25",
        _forget_claims(1, 2),
        caught_in=OWNERS,
        last=False,
    ),
    "trent-shows-the-court-one-claim-of-two": _trent(
        "of two claimed documents of a wave the court is shown one; Bob gets the other",
        "V25",
        _forget_claims(2),
        caught_in=OWNERS,
        last=False,
    ),
    "trent-asks-the-court-claim-by-claim": _trent(
        "the claims of one wave go to the court one after the other",
        "V25",
        _piecemeal(),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-shows-the-court-what-is-not-due": _trent(
        "a claimed document that no coin drew goes to the court in camera",
        "V25",
        of_kind("report", _claim_everything, author=Role.ALICE, round_=4),
        caught_in=INSIDERS,
        last=False,
        bend=bent(_in_round_4),
    ),
    "trent-shows-the-court-what-is-not-claimed": _trent(
        "the court sees in camera a document of which Alice claims nothing",
        "V25",
        of_kind("camera", _also(3)),
        caught_in=INSIDERS,
    ),
    "trent-shows-the-court-nothing": _trent(
        "a camera names no position", "V25", of_kind("camera", saying(positions=[]))
    ),
    "trent-shows-the-court-claims-in-disorder": _trent(
        "the positions of a camera are not in order",
        "V25",
        of_kind("camera", saying(positions=lambda found: found[::-1])),
    ),
    "trent-shows-the-court-what-bob-has-seen": _trent(
        "a camera names a disclosed position",
        "V25",
        nth(2, of_kind("camera", saying(positions=lambda found: [2, *found]))),
    ),
    "trent-asks-about-a-claim-twice": _trent(
        "a camera names a position on which the court has ruled",
        "V25",
        nth(2, of_kind("camera", saying(positions=lambda found: [1, *found]))),
    ),
    "trent-shows-the-court-beyond-the-batch": _trent(
        "a camera names a position that the batch does not have",
        "V25",
        of_kind("camera", saying(positions=lambda found: [*found, 999])),
    ),
    "trent-keeps-the-privilege-log-from-bob": _trent(
        "a camera does not release the bases of its claims",
        "V25",
        of_kind("camera", lambda _, addition: replace(addition, releases=())),
    ),
    "trent-proves-a-claimed-document-falsely": _trent(
        "what the court is shown in camera is not of the committed corpus",
        "V14",
        of_kind("camera", sealing("proofs", lambda found: [with_content(found[0], bytes(32).hex()), *found[1:]])),
        caught_in=OWNERS,
    ),
    "trent-discloses-what-the-court-withheld": _trent(
        "a position whose privilege the court upheld stands in a wave",
        "V13",
        of_kind("disclosure", _also(1)),
    ),
    "trent-releases-claims-at-the-close": _trent(
        "a close releases to Bob the bases of claims that no court has seen",
        "V16",
        of_kind("closed", _release_a_claim_at_the_close, round_=4),
    ),
    "alice-claims-without-a-basis": _alice(
        "the basis of a claim in her report is an empty text",
        "V12",
        of_kind("report", sealing("privilege", lambda found: ["", *found[1:]]), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "alice-seals-claims-and-makes-none": _alice(
        "her report seals claims of privilege, and all are null",
        "V12",
        of_kind("report", sealing("privilege", lambda found: [None] * len(found)), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "alice-claims-for-too-few-positions": _alice(
        "her report seals a claim or null for fewer positions than the batch has",
        "V12",
        of_kind("report", sealing("privilege", lambda found: found[:-1]), author=Role.ALICE),
    ),
    "alice-claims-late-what-bob-has-seen": _alice(
        "a late claim names a disclosed position",
        "V25",
        of_kind("claim", saying(positions=lambda found: [2, found[-1]]), author=Role.ALICE),
    ),
    "alice-claims-a-document-twice": _alice(
        "a late claim names a position that her report claims",
        "V25",
        of_kind("claim", saying(positions=lambda found: [1, found[-1]]), author=Role.ALICE),
        caught_in=INSIDERS,
    ),
    "alice-claims-late-in-disorder": _alice(
        "the positions of a late claim are not in order",
        "V25",
        of_kind("claim", saying(positions=lambda found: found[::-1]), author=Role.ALICE),
    ),
    "alice-claims-late-beyond-the-batch": _alice(
        "a late claim names a position that the batch does not have",
        "V25",
        of_kind("claim", saying(positions=lambda found: [found[0], 999]), author=Role.ALICE),
    ),
    "alice-claims-late-with-a-basis-too-many": _alice(
        "a late claim has a basis more than positions",
        "V25",
        of_kind("claim", saying(positions=lambda found: found[:-1]), author=Role.ALICE),
    ),
    "alice-claims-late-without-a-basis": _alice(
        "the basis of a late claim is a number",
        "V25",
        of_kind("claim", sealing("privilege", lambda found: [5, *found[1:]]), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "court-rules-on-fewer-claims": _court(
        "it rules on fewer claims than it was shown",
        "V25",
        of_kind("privilege", saying(upheld=lambda found: found[:-1]), author=Role.COURT),
    ),
    "court-rules-on-more-claims": _court(
        "it rules on more claims than it was shown",
        "V25",
        of_kind("privilege", saying(upheld=lambda found: [*found, True]), author=Role.COURT),
    ),
    # silence
    "trent-calls-silent-who-need-not-answer": _trent(
        "a default is of the court, which is not asked", "V26", of_kind("default", saying(absent="court"))
    ),
    "trent-calls-silent-who-was-served-before": _trent(
        "what was served is older than the question", "V26", of_kind("default", _served(0))
    ),
    "trent-served-what-is-no-entry": _trent(
        "what was served is no entry at all", "V26", of_kind("default", saying(served=bytes(32).hex()))
    ),
    "trent-asks-for-an-order-before-all-have-signed": _trent(
        "a default comes before the court has signed the opening",
        "V26",
        instead("deposited", Role.COURT, _trents("default", _DEFAULT)),
    ),
    "trent-does-not-wait-for-the-court": _trent(
        "a default comes while the court must rule on privilege",
        "V05",
        instead("privilege", Role.COURT, _trents("default", _DEFAULT)),
    ),
    "trent-logs-an-answer-that-came-too-late": _trent(
        "Bob's labels stand in the log after the court ordered to go on without them",
        "V05",
        _too_late(Role.BOB, "labels"),
    ),
    "trent-closes-a-round-without-a-report-by-coin": _trent(
        "the close of a round without a report brings a link",
        "V08",
        of_kind("closed", saying(draw=5, link=bytes(32).hex()), round_=3),
    ),
    "trent-miscounts-the-orders": _trent(
        "the claims count an order less than were granted",
        "V17",
        of_kind("claims", saying(defaults=lambda number: number - 1)),
        last=False,
    ),
    "trent-miscounts-the-withheld": _trent(
        "the claims count a document less than was withheld",
        "V17",
        of_kind("claims", saying(privileged=lambda number: number - 1)),
        last=False,
    ),
    "trent-bounds-what-nobody-has-read": _trent(
        "the bound does not count what only Alice has labelled, in a round that Bob left unread",
        "V18",
        of_kind("claims", saying(certificates=reviewed(lambda found: {"at_most": 0}))),
        caught_in=INSIDERS,
        last=False,
    ),
    "court-orders-about-another-party": _court(
        "its order is about Bob, and it was asked about Alice",
        "V26",
        of_kind("order", saying(absent="bob"), author=Role.COURT),
    ),
    "court-orders-about-another-service": _court(
        "its order names something else as served than it was asked about",
        "V26",
        of_kind("order", _served(0), author=Role.COURT),
    ),
    "court-gives-no-link": _court(
        "it grants to go on without a link, and gives none",
        "V26",
        of_kind("order", saying(link=None), author=Role.COURT),
    ),
    "court-gives-a-link-that-is-not-due": _court(
        "it denies, and gives the link all the same",
        "V26",
        of_kind("order", saying(granted=False), author=Role.COURT),
    ),
    "court-gives-a-false-link": _court(
        "the link in its order is not of the absent party's chain",
        "V08",
        of_kind("order", other_link, author=Role.COURT),
    ),
    # keys
    "trent-asks-for-a-key-of-the-courts": _trent(
        "a new key is asked for the court", "V26", of_kind("rekey", saying(role="court"))
    ),
    "trent-asks-for-a-key-that-bob-has": _trent(
        "the new key is Bob's",
        "V26",
        of_kind("rekey", lambda run, addition: run.saying(addition, key=run.parties[Role.BOB].key.public.hex())),
    ),
    "trent-asks-for-a-key-that-is-none": _trent(
        "the new key is a point of low order", "V26", of_kind("rekey", saying(key="01" + "00" * 31))
    ),
    "trent-asks-for-a-key-before-all-have-signed": _trent(
        "a new key is asked for before the court has signed the opening",
        "V26",
        instead(
            "deposited",
            Role.COURT,
            lambda run: run.says("rekey", Rekey(key=run.plan.key(Role.COURT).public, role=Role.BOB)),
        ),
    ),
    "trent-asks-for-the-key-that-alice-gave-up": _trent(
        "the new key is the one that the court has replaced before, in whoever's hands it is now",
        "V26",
        of_kind("report", lambda run, _: _rekeying(run, Role.ALICE), author=Role.ALICE, round_=2),
    ),
    "trent-asks-for-alices-old-key-as-bobs": _trent(
        "the new key of Bob's is the one that Alice has given up",
        "V26",
        of_kind("report", lambda run, _: _rekeying(run, Role.BOB), author=Role.ALICE, round_=2),
    ),
    "court-denies-another-key": _court(
        "it denies a key that it was not asked about",
        "V26",
        of_kind("rekeyed", saying(granted=False, key="11" * 32), author=Role.COURT),
    ),
    "court-grants-another-key": _court(
        "it grants a key that it was not asked about",
        "V26",
        of_kind(
            "rekeyed",
            saying(key=SigningKey(sha256(b"nobody asked for it").digest()).public.hex()),
            author=Role.COURT,
        ),
    ),
    # amendments
    "trent-amends-below-what-has-begun": _trent(
        "fewer rounds are proposed than have been held", "V26", nth(2, of_kind("amend", saying(rounds=2)))
    ),
    "trent-amends-beyond-the-coins": _trent(
        "more rounds are proposed than there are coins for", "V26", of_kind("amend", saying(rounds=4096))
    ),
    "trent-amends-nothing": _trent(
        "the rounds that are agreed are proposed again", "V26", of_kind("amend", saying(rounds=3))
    ),
    "trent-amends-before-all-have-signed": _trent(
        "an amendment comes before the court has signed the opening",
        "V26",
        instead("deposited", Role.COURT, _trents("amend", Amend(limit=None, rounds=5))),
    ),
    "trent-holds-a-round-that-not-all-accepted": _trent(
        "a fifth round begins, though Bob did not accept it",
        "V29",
        of_kind("claims", _another_round),
    ),
}
