"""Trent's own entries about privilege, silence, keys and amendments are checked before they count, as all others."""

from copy import deepcopy
from dataclasses import replace

import msgspec
import pytest

from ledger.errors import LedgerError
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import fold
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS
from protocol.matter.state import Matter
from tests.support.forging.bent import Change, around, of, opened, saying
from tests.support.matters import eventful

FREE = SigningKey(bytes(32)).public.hex()


@pytest.fixture(scope="module")
def told(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """A whole matter in which everything happens."""
    path = tmp_path_factory.mktemp("matter") / "matter"
    eventful(small_corpus, path)
    return [Entry.stored(opened) for opened in MatterReader(path)]


def showing(*positions: int) -> Change:
    """A wave or a camera of other positions, with as many proofs and what it must release for them."""

    def change(state: Matter, entry: Entry) -> Entry:
        said, current = entry.statement, state.rounds[-1]
        proofs = said.sealed["proofs"]
        count = len(positions)
        releases = current.shown_to_bob([each for each in positions if each <= current.size]) or ()
        if said.kind == "camera":
            known = [each for each in positions if each in current.privilege.claimed]
            releases = current.privilege.opened_to_bob(known) or ()
        path, proof, *_ = opened(entry)
        openings = (path, *(msgspec.structs.replace(proof, index=index) for index in range(count)))
        cut = said.sealed | {"proofs": msgspec.structs.replace(proofs, commitments=(proofs.commitments[:1] * count))}
        changed = saying(positions=list(positions))(state, replace(entry, openings=openings, releases=releases))
        return of(sealed=cut)(state, changed)

    return change


def for_bob_too(state: Matter, entry: Entry) -> Entry:
    sealed = entry.statement.sealed
    everyone = (Audience.ALICE, Audience.BOB, Audience.COURT)
    wider = sealed | {"proofs": msgspec.structs.replace(sealed["proofs"], audiences=everyone)}
    return of(sealed=wider)(state, entry)


BROKEN: list[tuple[str, str, int, Change]] = [
    ("positions of the batch, in order", "camera", 0, showing()),
    ("positions of the batch, in order", "camera", 0, showing(2, 1)),
    ("positions of the batch, in order", "camera", 0, showing(1, 13)),
    ("the court may get only positions that Alice has claimed", "camera", 0, showing(1, 3)),
    ("values as 'proofs', but 1 are due", "camera", 0, saying(positions=[1])),
    ("release to Bob the bases", "camera", 0, around(releases=())),
    ("release to Bob the bases", "camera", 0, lambda state, entry: replace(
        entry, releases=state.rounds[-1].shown_to_bob((1, 2)) or ())),
    ("must be sealed for Alice and the court", "camera", 0, for_bob_too),
    ("it is of round 0", "camera", 0, of(round=0)),
    ("it asks nobody", "camera", 0, around(asks=())),
    ("is withheld, or is claimed", "disclosure", 0, showing(1, 2)),
    ("it is of round 7", "late", 0, of(round=7)),
    ("it is of round 2", "default", 0, of(round=2)),
    ("nothing is asked of Alice now", "default", 0, saying(absent="alice")),
    ("or a later one", "default", 0, saying(served=bytes(32).hex())),
    ("it is of round 2", "rekey", 0, of(round=2)),
    ("court's key is never replaced", "rekey", 0, saying(role="court", key=FREE)),
    ("already belongs to a party", "rekey", 0, lambda state, entry: saying(
        key=state.opening.keys[entry.statement.author].hex())(state, entry)),
    ("not a usable Ed25519", "rekey", 0, saying(key="01" + "00" * 31)),
    ("it is of round 4", "amend", 0, of(round=4)),
    ("3 rounds are agreed on already", "amend", 0, saying(rounds=3)),
    ("only 3 to 257", "amend", 0, saying(rounds=2)),
    ("only 3 to 257", "amend", 0, saying(rounds=258)),
    ("a limit is proposed if the protocol has one", "amend", 0, saying(limit="0.5")),
    ("with Trent's link if coins decide in it", "closed", 3, saying(draw=4, link=bytes(32).hex())),
    ("with Trent's link if coins decide in it", "closed", 2, saying(draw=None, link=None)),
    ("with Trent's link if coins decide in it", "closed", 2, saying(link=None)),
    ("the round does not end as the rule says: threshold is", "closed", 3, saying(threshold=1)),
    (
        "the round does not end as the rule says: responsive is",
        "closed",
        2,
        saying(responsive=lambda found: [] if found else [1]),
    ),
    ("the claims do not follow from the entries: defaults is 3", "claims", 0, saying(defaults=0)),
    ("the claims do not follow from the entries: privileged is 1", "claims", 0, saying(privileged=0)),
    ("the claims do not follow from the entries: rounds is", "claims", 0, saying(
        rounds=lambda found: [found[0] | {"privileged": 0}, *found[1:]])),
    ("the claims do not follow from the entries: certificates is", "claims", 0, saying(
        certificates=lambda found: found | {"reviewed": found["reviewed"] | {"at_most": 0}})),
    ("the claims do not follow from the entries: certificates is", "claims", 0, saying(
        certificates=lambda found: found | {"collection": found["collection"] | {"at_most": 0}})),
    ("the claims do not follow from the entries: ended is amendment", "claims", 0, saying(ended="rounds")),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "kind", "which", "change"), BROKEN)
def test_a_broken_rule_is_told_and_changes_nothing(
    told: list[Entry], reason: str, kind: str, which: int, change: Change
) -> None:
    state = Matter()
    chosen = [entry for entry in told if entry.statement.kind == kind][which]
    for entry in told:
        if entry is chosen:
            break
        fold.follow(state, entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=reason):
        fold.follow(state, change(state, chosen))
    assert vars(state) == before
    fold.follow(state, chosen)


ELSEWHERE = (  # this matter has none
    "escalation", "look", "validation", "call", "clawback", "reclaim", "returned", "stamped", "logged",
)  # fmt: skip
LEFT_OUT = [kind for kind in KINDS if kind not in ("claims", "late", "claim", "conflict", *ELSEWHERE)]


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_an_entry_left_out_is_missed(told: list[Entry], kind: str) -> None:
    state = Matter()
    chosen = next(entry for entry in told if entry.statement.kind == kind)
    with pytest.raises(LedgerError):  # noqa: PT012 (where it is missed depends on the kind)
        for entry in told:
            if entry is not chosen:
                fold.follow(state, replace(entry, sequence=state.size))


def test_what_the_court_was_not_asked_about_is_found_at_the_close(told: list[Entry]) -> None:
    """A wave that leaves the claimed documents out, and never comes back to them."""
    state = Matter()
    with pytest.raises(LedgerError, match="the rule discloses the positions in camera"):  # noqa: PT012
        for entry in told:
            if entry.statement.kind in ("camera", "privilege", "dispute", "rulings"):
                continue
            changed = entry
            if entry.statement.kind == "disclosure":
                rest = [each for each in entry.statement.content["positions"] if each > 2]
                changed = showing(*rest)(state, entry)
            if entry.statement.kind == "labels":
                labels = [state.rounds[-1].reported(position) for position in state.rounds[-1].waves[-1]]
                changed = saying(labels=labels)(state, entry)
            if entry.statement.kind == "closed":
                output = enumerate(state.rounds[-1].output(), start=1)
                changed = saying(responsive=[position for position, label in output if label])(state, entry)
            fold.follow(state, replace(changed, sequence=state.size))


@pytest.mark.parametrize("role", ["alice", "bob"])
def test_a_key_that_was_given_up_is_not_asked_for_again(told: list[Entry], role: str) -> None:
    state = Matter()
    asked = next(entry for entry in told if entry.statement.kind == "rekey")
    granted = next(entry for entry in told if entry.statement.kind == "rekeyed")
    for entry in told[: granted.sequence + 1]:
        fold.follow(state, entry)
    given_up = state.opening.keys[Role(asked.statement.content["role"])].hex()
    again = saying(key=given_up, role=role)(state, replace(asked, sequence=state.size))
    with pytest.raises(LedgerError, match="one that the court has replaced; make another"):
        fold.follow(state, again)
