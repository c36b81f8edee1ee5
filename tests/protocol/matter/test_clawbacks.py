"""What Alice asks back, and the reasons of Bob and the court, are checked before they count."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from ledger.errors import LedgerError, Refused
from ledger.matterreader import MatterReader
from ledger.records import Malformed
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import fold, reasons
from protocol.matter.books import Seat
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.state import Matter
from tests.support import corpora
from tests.support.forging import clawedback
from tests.support.forging.bent import Change, of, saying
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.clawedback import BASES, REASON, ClawbackRun
from tests.support.forging.running import plan, play
from tests.vectors.agreed import AGREED


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """A whole matter with claw-backs and reasons."""
    folder = tmp_path_factory.mktemp("matter")
    corpus: Corpus = corpora.doubled(folder / "corpus", documents=20, responsive=8)
    played = plan(corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED))
    play(corpus, played, folder / "matter", course=ClawbackRun)
    return [Entry.stored(opened) for opened in MatterReader(folder / "matter")]


def followed(told: list[Entry], seen: Callable[[Entry], bool] = lambda _: True) -> Matter:
    """The matter of a reader who has the openings of these entries."""
    state = Matter()
    for entry in told:
        fold.follow(state, entry if seen(entry) else replace(entry, openings=None))
    return state


def test_what_is_upheld_is_clawed_back_and_the_claims_count_it(told: list[Entry]) -> None:
    state = followed(told)
    assert [*state.clawbacks.upheld.values()] == [True, False, True]
    assert len(state.clawbacks.returned) == claims.claims(state).clawed_back == 2
    assert state.concluded


def test_no_other_number_depends_on_it(told: list[Entry]) -> None:
    """The same record without a claw-back would claim the same."""
    state = followed(told)
    stated = claims.claims(state)
    state.clawbacks.upheld.clear()
    assert claims.claims(state) == msgspec.structs.replace(stated, clawed_back=0)


def test_who_has_no_openings_follows_the_same(told: list[Entry]) -> None:
    for seen in (lambda _: False, lambda entry: entry.statement.author is Role.BOB):
        public, state = followed(told, seen), followed(told)
        assert public.clawbacks == state.clawbacks
        assert public.defaults == state.defaults == 1


def test_a_new_key_is_asked_again_what_to_claw_back(told: list[Entry]) -> None:
    kinds = [entry.statement.kind for entry in told]
    again = kinds.index("again")
    assert kinds[again - 3 : again + 3] == ["clawback", "rekey", "rekeyed", "again", "reclaim", "returned"]


def documents(*places: tuple[int, int]) -> list[dict[str, int]]:
    return [{"position": position, "round": number} for number, position in places]


def sealing(name: str, values: Callable[[list[Any]], list[Any]]) -> Change:
    """Other values of a sealed field, of which nobody looks at the commitments here."""

    def change(state: Matter, entry: Entry) -> Entry:
        field, given = entry.statement.sealed[name], [each for each in entry.openings or () if each.field == name]
        found = values([each.value for each in given])
        openings = tuple(
            msgspec.structs.replace(given[0], index=index, value=value) for index, value in enumerate(found)
        )
        cut = msgspec.structs.replace(field, commitments=field.commitments[:1] * len(found))
        return of(sealed=entry.statement.sealed | {name: cut})(state, replace(entry, openings=openings))

    return change


def asking(*roles: Role) -> Change:
    return lambda _, entry: replace(entry, asks=roles)


def asked_before(state: Matter, entry: Entry) -> Entry:
    """The first document that was asked back, which the court has upheld; Bob was shown it."""
    first = next(iter(state.clawbacks.bases))
    assert first.position in state.rounds[first.round - 1].disclosed
    return saying(documents=documents(first))(state, entry)


def for_alice_alone(state: Matter, entry: Entry) -> Entry:
    narrow = {
        name: msgspec.structs.replace(each, audiences=(Audience.ALICE,))
        for name, each in entry.statement.sealed.items()
    }
    return of(sealed=narrow)(state, entry)


SHOWN = "only documents that Bob was shown can be asked back, and each of them once"
FORM = "a reason is a text of at most 2000 characters, filled up with blanks"
BROKEN: list[tuple[str, str, int, Change]] = [
    ("it is of round 1", "clawback", 0, of(round=1)),
    ("it asks nobody", "clawback", 0, asking()),
    ("in the order of rounds and positions", "reclaim", 0, saying(documents=lambda found: found[::-1])),
    ("in the order of rounds and positions", "reclaim", 0, saying(documents=lambda found: found[:1] * 2)),
    (SHOWN, "reclaim", 0, saying(documents=documents((1, 1), (1, 9999)))),
    (SHOWN, "reclaim", 0, saying(documents=documents((1, 1), (2, 1)))),
    (SHOWN, "reclaim", 1, asked_before),
    ("at least 1|>= 1", "reclaim", 0, saying(documents=documents((0, 1), (1, 1)))),
    ("it seals 1 values as 'privilege', but 2 are due", "reclaim", 0, sealing("privilege", lambda found: found[:1])),
    ("the basis of a claim of privilege is a text", "reclaim", 0, sealing("privilege", lambda found: [found[0], ""])),
    ("each document that is asked back needs a basis", "reclaim", 0, sealing("privilege", lambda found: [None, "x"])),
    ("the basis of a claim of privilege is a text", "reclaim", 0, sealing(
        "privilege", lambda _: ["x", {"class": "y"}])),
    ("'privilege' must be sealed for Alice and Bob and the court", "reclaim", 0, for_alice_alone),
    ("it asks nobody", "reclaim", 0, asking()),
    ("it asks the court", "reclaim", 2, asking(Role.COURT)),
    ("it has 1 rulings, but 2 documents were asked about", "returned", 0, saying(upheld=[True])),
    ("it seals 1 reasons, but 2 documents were asked", "returned", 0, sealing("reasons", lambda found: found[:1])),
    (FORM, "returned", 0, sealing("reasons", lambda found: [REASON, found[1]])),
    (FORM, "returned", 0, sealing("reasons", lambda found: [found[0], None])),
    ("an answer without any reason must not seal 'reasons'", "returned", 0, sealing(
        "reasons", lambda found: [reasons.filled("")] * 2)),
    ("'reasons' must be sealed for Alice and the court", "returned", 0, for_alice_alone),
    ("reasons, but", "labels", 0, sealing("reasons", lambda found: found[:-1])),
    (FORM, "labels", 0, sealing("reasons", lambda found: [found[0].ljust(512), *found[1:]])),
    ("an answer without any reason", "labels", 0, sealing("reasons", lambda found: [" " * 256] * len(found))),
    ("'reasons' must be sealed for Alice and Bob and the court", "rulings", 0, for_alice_alone),
    (FORM, "rulings", 0, sealing("reasons", lambda found: ["", *found[1:]])),
    (FORM, "privilege", 0, sealing("reasons", lambda found: [*found[:-1], 7])),
    ("'reasons' must be sealed for Alice and the court", "privilege", 0, for_alice_alone),
    ("the claims do not follow from the entries: clawed_back is 2, not 3", "claims", 0, saying(clawed_back=3)),
]  # fmt: skip


@pytest.mark.parametrize(("why", "kind", "which", "change"), BROKEN)
def test_a_broken_rule_is_told_and_changes_nothing(
    told: list[Entry], why: str, kind: str, which: int, change: Change
) -> None:
    state = Matter()
    chosen = [entry for entry in told if entry.statement.kind == kind][which]
    for entry in told[: chosen.sequence]:
        fold.follow(state, entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=why):
        fold.follow(state, change(state, chosen))
    assert vars(state) == before
    fold.follow(state, chosen)


def test_the_court_rules_before_the_matter_goes_on(told: list[Entry]) -> None:
    state = Matter()
    ruling = next(entry for entry in told if entry.statement.kind == "returned")
    for entry in told[: ruling.sequence]:
        fold.follow(state, entry)
    with pytest.raises(LedgerError, match="the court's rulings on what was asked back"):
        fold.follow(state, replace(told[ruling.sequence + 1], sequence=state.size))


def test_what_was_shown_is_listed_by_round_and_position_without_what_was_asked_back(told: list[Entry]) -> None:
    state = followed(told)
    shown = [Seat(each.number, position) for each in state.rounds for position in sorted(each.disclosed)]
    assert state.shown_to_bob() == [seat for seat in shown if seat not in state.clawbacks.bases]
    assert len(state.clawbacks.bases) == 2 * len(BASES) - 1


@pytest.mark.parametrize("reason", ["", "x", " x", "x" * 255, "x" * 256, "x" * 257, "ä" * 300, "x" * 2000])
def test_a_reason_is_read_as_it_was_given_and_its_length_is_hidden(reason: str) -> None:
    filled = reasons.filled(reason)
    assert reasons.said(filled) == reason
    assert len(filled) % 256 == 0
    assert len(filled) - max(1, len(reason)) < 256


def test_blanks_at_its_end_are_no_part_of_a_reason() -> None:
    assert reasons.filled("x   ") == reasons.filled("x")


@pytest.mark.parametrize("value", [None, 1, "", "x", "x" * 256 + " ", "x" * 2001 + " " * 47, [" " * 256]])
def test_what_is_not_filled_up_is_no_reason(value: Any) -> None:
    with pytest.raises(Malformed, match="filled up with blanks"):
        reasons.said(value)


def test_a_party_is_not_led_to_explain_what_it_was_not_asked_about(told: list[Entry]) -> None:
    asked: Any = None
    kind: Any = None
    with pytest.raises(Refused, match="position 7, which was not asked about"):
        reasons.with_reasons(asked, asked, kind, {7: "why"}, [1, 2])
    with pytest.raises(Refused, match="position 1 is longer than 2000 characters"):
        reasons.with_reasons(asked, asked, kind, {1: "x" * 2001}, [1, 2])
