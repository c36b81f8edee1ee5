"""A Trent who begins, skips or bends a validation is not gone on with."""

from bisect import bisect
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger.entries import Opening, Release
from ledger.errors import LedgerError
from ledger.matterreader import MatterReader
from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from protocol.matter import fold
from protocol.matter.kind import Entry
from protocol.matter.kinds import batch, claims, draw
from protocol.matter.kinds.batch import Batch
from protocol.matter.kinds.draw import Draw
from protocol.matter.rounds import Sort
from protocol.matter.state import Matter
from tests.support.forging.bent import Change, around, of, opened, saying
from tests.support.validated_matters import EACH_ROUND, IN_TWO, begin, until_validation

RULE: dict[str, Any] = {"protocol": "spot-check", "rate": "0.1", "target": "0.01", "rounds": 2}


def recorded(corpus: Corpus, path: Path, validation: dict[str, Any]) -> list[Entry]:
    with begin(corpus, path, validation, **RULE) as run:
        run.run()
    return [Entry.stored(each) for each in MatterReader(path)]


@pytest.fixture(scope="module")
def one_stage(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """A whole matter with two validations."""
    return recorded(small_corpus, tmp_path_factory.mktemp("matter") / "matter", EACH_ROUND)


@pytest.fixture(scope="module")
def two_stages(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """The same in two stages."""
    return recorded(small_corpus, tmp_path_factory.mktemp("matter") / "matter", IN_TWO)


def other_documents(state: Matter, entry: Entry) -> Entry:
    """It seals other documents than it names."""
    first, *others = opened(entry)
    changed = Opening(field=first.field, index=0, salt=first.salt, value={"document": 299, "name": "mail"})
    return replace(entry, openings=(changed, *others))


def without_the_last(state: Matter, entry: Entry) -> Entry:
    """A document that the coins draw is left out."""
    said = entry.statement
    numbers, size = said.content["numbers"][:-1], len(said.content["numbers"])
    reviewed = [position for position in said.content["reviewed"] if position < size]
    sealed = said.sealed["documents"]
    cut = {"documents": msgspec.structs.replace(sealed, commitments=sealed.commitments[:-1])}
    changed = replace(entry, openings=opened(entry)[:-1])
    return of(sealed=cut)(state, saying(numbers=numbers, reviewed=reviewed)(state, changed))


def another_undrawn(state: Matter, entry: Entry) -> Entry:
    """A document that no coin draws takes the place of its neighbour."""
    numbers = list(entry.statement.content["numbers"])
    known = {*numbers, *state.put_up_documents}
    other = next(number for number in range(state.opening.corpus.documents) if number not in known)
    numbers[min(bisect(numbers, other), len(numbers) - 1)] = other
    return saying(numbers=numbers)(state, entry)


def numbers_of_nothing(state: Matter, entry: Entry) -> Entry:
    return replace(entry, releases=(Release(audience=Audience.BOB, entry=5, field="numbers", indices=(0,)),))


BOTH: list[tuple[str, Change]] = [
    ("it is of round 1", of(round=1)),
    ("the link is for draw", saying(drawn=lambda found: found | {"draw": 1})),
    ("is not number .* of the chain", saying(drawn=lambda found: found | {"link": "00" * 32})),
    ("it is validation 1, not 2", saying(number=2)),
    ("documents of the corpus, in order", saying(numbers=lambda found: [*found[:-1], 10_000])),
    ("documents of the corpus, in order", saying(numbers=lambda found: found[::-1])),
    ("a document that its coin does not draw", another_undrawn),
    ("that coins draw", without_the_last),
    ("seals other documents than it names", other_documents),
    ("seals .* values as 'documents'", saying(numbers=lambda found: found[:-1], reviewed=[])),
    ("release to Bob the numbers", around(releases=())),
    ("release to Bob the numbers", numbers_of_nothing),
    ("it asks nobody", around(asks=())),
]
ONE: list[tuple[str, Change]] = [
    ("were put up before", saying(reviewed=[])),
    ("were put up before", saying(reviewed=lambda found: sorted({*range(1, 10), *found}))),
    ("it must name positions, in order", saying(reviewed=[999])),
    ("it must name positions, in order", saying(reviewed=[2, 1])),
    ("no validation of this form", of(kind="call")),
]
TWO: list[tuple[str, Change]] = [
    ("not called again", saying(reviewed=[1])),
    ("no validation of this form", of(kind="validation")),
]


def refused(told: list[Entry], kind: str, reason: str, change: Change) -> None:
    """The first entry of this kind is refused if it is changed, which changes nothing, and accepted as it is."""
    state, chosen = Matter(), next(entry for entry in told if entry.statement.kind == kind)
    for entry in told[: chosen.sequence]:
        fold.follow(state, entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=reason):
        fold.follow(state, change(state, chosen))
    assert vars(state) == before
    fold.follow(state, chosen)


@pytest.mark.parametrize(("reason", "change"), BOTH + ONE)
def test_a_bent_validation_is_refused(one_stage: list[Entry], reason: str, change: Change) -> None:
    refused(one_stage, "validation", reason, change)


@pytest.mark.parametrize(("reason", "change"), BOTH + TWO)
def test_a_bent_call_is_refused(two_stages: list[Entry], reason: str, change: Change) -> None:
    refused(two_stages, "call", reason, change)


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("closed", saying(sampled=lambda found: found + 1), "sampled is"),
        ("closed", saying(truth=None), "a simulation states the truth"),
        ("closed", saying(draw=1, link="00" * 32), "Trent's link if coins decide"),
        ("disclosure", around(releases=()), "release to Bob the places"),
        ("dispute", saying(positions=[1]), "only positions of the last wave|and no others"),
    ],
)
def test_a_bent_round_of_a_validation_is_refused(
    one_stage: list[Entry], kind: str, change: Change, reason: str
) -> None:
    rounds = {entry.statement.round for entry in one_stage if entry.statement.kind == "validation"}
    here = [entry for entry in one_stage if entry.statement.round in rounds]
    state, chosen = Matter(), next(entry for entry in here if entry.statement.kind == kind)
    for entry in one_stage[: chosen.sequence]:
        fold.follow(state, entry)
    with pytest.raises(LedgerError, match=reason):
        fold.follow(state, change(state, chosen))


def followed(told: list[Entry], number: int) -> Matter:
    """The matter up to the close of a round."""
    state = Matter()
    for entry in told:
        fold.follow(state, entry)
        if entry.statement.kind == "closed" and entry.statement.round == number:
            return state
    raise AssertionError(f"round {number} was never closed")


def test_no_batch_and_no_claims_come_while_a_validation_is_due(one_stage: list[Entry]) -> None:
    state = followed(one_stage, 1)
    second = next(entry for entry in one_stage if entry.statement.kind == "batch" and entry.statement.round > 1)
    with pytest.raises(LedgerError, match="a validation is due"):
        fold.follow(state, replace(of(round=2)(state, second), sequence=state.size))
    last = followed(one_stage, 3)
    bent = claims.KIND.by_trent(last.number, claims.claims(last), 0)
    with pytest.raises(LedgerError, match="a validation is due"):
        fold.follow(last, Entry.added(bent, last.size))


def test_no_draw_for_a_validation_comes_while_none_is_due(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path / "matter", {"target": "0.99"}, rounds=3) as run:
        while not run.state.closed:
            run.step()
        state = run.state
        assert not state.one_class
        early = draw.KIND.by_trent(state.number, Draw(draw=state.draws + 1), 2)
        with pytest.raises(LedgerError, match="no coins are needed"):
            run.desk.add(early)


def test_no_batch_comes_after_the_target_was_reached(small_corpus: Corpus, tmp_path: Path) -> None:
    low = EACH_ROUND | {"target": "0.01"}
    with begin(small_corpus, tmp_path / "matter", low, rounds=3) as run:
        while len(run.state.closed) < 2:
            run.step()
        state = run.state
        content = Batch(drawn=None, near_cut=0, size=1)
        fields = {"documents": [{"document": 0, "name": "mail"}], "numbers": [[0]], "model": [{}]}
        bent = run.trent.says(state, batch.KIND, content, 3, fields=fields)  # type: ignore[arg-type]
        with pytest.raises(LedgerError, match="no further round begins here"):
            run.desk.add(bent)


def test_the_draw_of_a_validation_is_not_used_for_a_batch(small_corpus: Corpus, tmp_path: Path) -> None:
    """While all labels are the same a batch needs a draw too, and the two look alike to a stranger."""
    with begin(small_corpus, tmp_path / "other", rounds=2, batch=1, query="") as run:
        while not (run.state.closed and run.state.drawing is not None and not run.state.awaits):
            run.step()
        assert run.state.one_class
        assert run.state.drawing.sort is Sort.VALIDATION
        bent = run.trent._drawn_batch(run.state, 2)
        with pytest.raises(LedgerError, match="the draw was for a validation"):
            run.desk.add(bent)
        until_validation(run)
