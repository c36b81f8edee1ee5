"""A Trent who begins, skips or bends an escalation is not gone on with."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger.entries import Release
from ledger.errors import LedgerError
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import fold
from protocol.matter.kind import Entry
from protocol.matter.kinds import batch, claims, draw, escalation
from protocol.matter.kinds.batch import Batch
from protocol.matter.kinds.draw import Draw
from protocol.matter.kinds.escalation import Escalated
from protocol.matter.rounds import Sort
from protocol.matter.state import Matter
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.forging.bent import Change, around, of, opened, saying
from tests.support.matters import refusal, start

TERMS: dict[str, Any] = {
    "protocol": "spot-check",
    "rounds": 4,
    "batch": 20,
    "rate": "0.1",
    "target": "0.8",
    "every": 2,
    "limit": "1",
}
PLAYERS = {"alice": "careless:0.3:0.5", "bob": "truthful"}


@pytest.fixture(scope="module")
def told(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """A whole matter with escalations; in the first one Alice gives documents up, and coins find others."""
    folder = tmp_path_factory.mktemp("matter")
    for seed in map(str, range(1, 40)):
        with start(small_corpus, folder / seed, seed=seed, players=PLAYERS, **TERMS) as run:
            run.run()
        first = next(each for each in run.state.rounds if each.sort is Sort.ESCALATION)
        if len(first.given_up) > 1 and first.rulings and len(first.waves) > 1:
            return [Entry.stored(opened) for opened in MatterReader(folder / seed)]
    raise AssertionError("no such matter with these seeds")


def escalations(told: list[Entry], kind: str) -> list[Entry]:
    """The entries of this kind in rounds that begin with an escalation."""
    rounds = {entry.statement.round for entry in told if entry.statement.kind == "escalation"}
    return [entry for entry in told if entry.statement.kind == kind and entry.statement.round in rounds]


def waving(change: Callable[[list[int]], list[int]]) -> Change:
    """A wave of other positions that Bob has not seen, with the releases and as many proofs as it needs."""

    def bent(state: Matter, entry: Entry) -> Entry:
        said, review = entry.statement, state.rounds[-1]
        unseen = set(range(1, review.size + 1)) - review.disclosed
        positions = [each for each in change(list(said.content["positions"])) if each in unseen]
        proofs, count = said.sealed["proofs"], len(positions)
        path, proof, *_ = opened(entry)
        openings = (path, *(msgspec.structs.replace(proof, index=index) for index in range(count)))
        cut = said.sealed | {"proofs": msgspec.structs.replace(proofs, commitments=proofs.commitments[:1] * count)}
        changed = replace(entry, openings=openings, releases=review.shown_to_bob(positions) or ())
        return of(sealed=cut)(state, saying(positions=positions)(state, changed))

    return bent


def another_source(state: Matter, entry: Entry) -> Entry:
    """A release of the same indices of an entry that holds other documents."""
    (first, *_) = entry.releases
    return replace(entry, releases=(Release(audience=Audience.BOB, entry=5, field="documents", indices=first.indices),))


BROKEN: list[tuple[str, str, Change]] = [
    ("it is of round 2", "escalation", of(round=2)),
    ("but .* are withheld", "escalation", saying(size=1)),
    ("but .* are withheld", "escalation", saying(size=lambda found: found + 1)),
    ("Expected `int` >= 1", "escalation", saying(size=0)),
    ("it asks nobody", "escalation", around(asks=())),
    ("releases values that it may not", "escalation", around(releases=lambda _: (object(),))),
    ("positions of the batch, in order", "look", saying(positions=[2, 1])),
    ("positions of the batch, in order", "look", saying(positions=[1, 999])),
    ("the link is for draw", "look", saying(draw=1)),
    ("must release to Bob the places", "disclosure", around(releases=())),
    ("must release to Bob the places", "disclosure", another_source),
    ("positions of the batch, in order", "disclosure", saying(positions=[])),
    ("with Trent's link if coins decide in it", "closed", saying(draw=None, link=None)),
    ("does not end with the label that was agreed or ruled", "closed", saying(responsive=[])),
    ("does not end as the rule says: sampled is", "closed", saying(sampled=lambda found: found + 1)),
    ("does not end as the rule says: compelled is", "closed", saying(compelled=True)),
    ("does not end as the rule says: threshold is 0", "closed", saying(threshold=3)),
    ("does not end as the rule says: error is 0", "closed", saying(error=3)),
    ("must release Alice's report to Bob, and nothing else", "closed", lambda state, entry: replace(
        entry, releases=(Release(audience=Audience.BOB, entry=5, field="labels", indices=None),))),
    ("a simulation states the truth", "closed", saying(truth=None)),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "kind", "change"), BROKEN)
def test_a_broken_rule_is_told_and_changes_nothing(told: list[Entry], reason: str, kind: str, change: Change) -> None:
    state, chosen = Matter(), escalations(told, kind)[0]
    for entry in told:
        if entry is chosen:
            break
        fold.follow(state, entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=reason):
        fold.follow(state, change(state, chosen))
    assert vars(state) == before
    fold.follow(state, chosen)


@pytest.mark.parametrize(
    "change",
    [waving(lambda found: found[1:]), waving(lambda found: list(range(1, 200)))],
    ids=["one less", "everything"],
)
@pytest.mark.parametrize("which", [0, 1], ids=["what is given up", "what is drawn"])
def test_a_wave_of_other_positions_is_found_at_the_close(told: list[Entry], change: Change, which: int) -> None:
    number = escalations(told, "escalation")[0].statement.round
    wave = [entry for entry in told if entry.statement.kind == "disclosure" and entry.statement.round == number][which]
    state = Matter()
    with pytest.raises(LedgerError, match="the rule discloses the positions"):  # noqa: PT012 (it ends somewhere later)
        for entry in told:
            kind, here = entry.statement.kind, entry.statement.round == number
            shown_all = bool(state.rounds) and len(state.rounds[-1].disclosed) == state.rounds[-1].size
            if here and (kind in ("dispute", "rulings") or (kind == "disclosure" and shown_all)):
                continue
            if here and kind == "labels" and Role.BOB not in state.awaits:
                continue  # of the wave that is left out
            changed = entry
            if entry is wave:
                changed = change(state, entry)
            elif here and kind == "labels":  # Bob agrees with Alice about all of it
                review = state.rounds[-1]
                changed = saying(labels=[review.reported(place) for place in review.waves[-1]])(state, entry)
            elif here and kind == "closed":
                changed = saying(responsive=sorted(state.rounds[-1].given_up))(state, entry)
            elif here and kind == "disclosure":
                changed = waving(list)(state, entry)
            fold.follow(state, replace(changed, sequence=state.size))


@pytest.mark.parametrize("kind", ["escalation", "look", "disclosure", "labels", "closed"])
def test_an_entry_left_out_is_missed(told: list[Entry], kind: str) -> None:
    state, chosen = Matter(), escalations(told, kind)[0]
    with pytest.raises(LedgerError):  # noqa: PT012 (where it is missed depends on the kind)
        for entry in told:
            if entry is not chosen:
                fold.follow(state, replace(entry, sequence=state.size))


def test_an_escalation_that_is_left_out_whole_is_missed_at_the_next_batch(told: list[Entry]) -> None:
    number, state = escalations(told, "escalation")[0].statement.round, Matter()
    left = [entry for entry in told if entry.statement.round != number]
    with pytest.raises(LedgerError):  # noqa: PT012 (the next entry is the next escalation, or a batch)
        for entry in left:
            fold.follow(state, replace(entry, sequence=state.size))
    assert len(state.rounds) == number - 1


# Moves of Trent's own, at the wrong place


def begin(corpus: Corpus, path: Path, **changed: Any) -> Run:
    return start(corpus, path / "matter", players=PLAYERS, **(TERMS | changed))


def closed(run: Run, rounds: int) -> None:
    while len(run.state.closed) < rounds:
        run.step()


def propose(run: Run, kind: Any, content: Any, number: int | None = None) -> None:
    run.desk._propose(kind, content, len(run.state.rounds) + 1 if number is None else number)


def test_an_escalation_that_is_not_due_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        closed(run, 1)
        size = len(run.state.books.exposures)
        with refusal(run, "it comes at the wrong place: a batch is due"):
            propose(run, escalation.KIND, Escalated(size=size))


def test_an_escalation_before_the_first_batch_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        while run.state.awaits:
            run.step()
        with refusal(run, "no escalation can begin here"):
            propose(run, escalation.KIND, Escalated(size=1))


def test_an_escalation_under_a_rule_without_them_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        closed(run, 1)
        with refusal(run, "the protocol has no escalations"):
            propose(run, escalation.KIND, Escalated(size=1))


def test_an_escalation_after_the_limit_is_used_up_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, limit="0") as run:
        closed(run, 3)
        assert run.state.limit_used_up
        with refusal(run, "it comes at the wrong place: a batch is due"):
            propose(run, escalation.KIND, Escalated(size=len(run.state.books.exposures)))


def test_an_escalation_without_free_draws_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        closed(run, 2)
        run.state.draws += run.state.free_draws - 1
        with refusal(run, "no escalation can begin here"):
            propose(run, escalation.KIND, Escalated(size=len(run.state.books.exposures)))


def test_neither_a_draw_nor_claims_come_while_an_escalation_is_due(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, rounds=2) as run:
        closed(run, 2)
        with refusal(run, "it comes at the wrong place: an escalation is due"):
            run.desk.conclude()
        with refusal(run, "no further round begins here"):
            propose(run, draw.KIND, Draw(draw=run.state.draws + 1))


def test_no_batch_comes_while_an_escalation_is_due(told: list[Entry]) -> None:
    state = Matter()
    (late, *_) = [entry for entry in told if entry.statement.kind == "batch"][2:]
    for entry in told:
        if entry.statement.kind == "escalation":
            break
        fold.follow(state, entry)
    moved = of(round=len(state.rounds) + 1)(state, replace(late, sequence=state.size))
    with pytest.raises(LedgerError, match="an escalation is due"):
        fold.follow(state, moved)


def test_an_escalation_needs_no_other_draw_than_that_of_its_look(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        while not (run.state.current and run.state.current.sort is Sort.ESCALATION and not run.state.awaits):
            run.step()
        with refusal(run, "a draw is under way"):
            propose(run, draw.KIND, Draw(draw=run.state.draws + 1), run.state.rounds[-1].number)


def test_without_a_look_the_draw_comes_before_everything_else(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        while not (
            run.state.awaits and run.state.awaits.get(Role.ALICE) and run.state.awaits[Role.ALICE].kind == "look"
        ):
            run.step()
        run.desk.default(Role.ALICE, run.desk.log.history.head)
        run.desk.accept(answers.order(run.court, True))
        review = run.state.rounds[-1]
        with refusal(run, "it is of round 1"):
            propose(run, draw.KIND, Draw(draw=run.state.draws + 1), 1)
        with refusal(run, f"the link is for draw {run.state.draws}, but"):
            propose(run, draw.KIND, Draw(draw=run.state.draws), review.number)
        with refusal(run, "the round's draw comes first"):
            run.desk.late()


def test_a_batch_is_not_what_an_escalation_begins_with(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        closed(run, 2)
        with refusal(run, "does not seal 'documents'"):
            propose(run, batch.KIND, Batch(drawn=None, near_cut=None, size=1))


def test_claims_of_a_target_that_is_not_reached_are_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, limit="0.2", rounds=2) as run:
        while not run.state.limit_used_up or run.state.current:
            run.step()
        said = claims.claims(run.state)
        assert said.certificates.reviewed.reached is False
        better = msgspec.structs.replace(said.certificates.reviewed, reached=True)
        lie = msgspec.structs.replace(said, certificates=msgspec.structs.replace(said.certificates, reviewed=better))
        with refusal(run, "the claims do not follow from the entries: certificates is"):
            propose(run, claims.KIND, lie, 0)
        for at_most in (0, said.certificates.reviewed.at_most - 1):
            better = msgspec.structs.replace(said.certificates.reviewed, at_most=at_most)
            lie = msgspec.structs.replace(
                said, certificates=msgspec.structs.replace(said.certificates, reviewed=better)
            )
            with refusal(run, "certificates is"):
                propose(run, claims.KIND, lie, 0)
