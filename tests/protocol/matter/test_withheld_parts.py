"""Privilege for a part of a family: the court withholds the part and labels the family, and that label counts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ledger.errors import Refused
from ledger.matterreader import MatterReader
from ledger.records import Malformed
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter import requirements, terms
from protocol.matter.books import Fate
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Sort
from protocol.matter.state import Matter
from protocol.simulation.run import Run
from tests.support import answers, corpora
from tests.support.matters import refusal, resigned, start
from tests.support.validated_matters import (
    EACH_ROUND,
    IN_TWO,
    SPOT_CHECKS,
    consistent,
    pass_over,
    stated,
    until_asked,
    until_validation,
)

BASIS = "Advice of counsel"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Mail with attachments, three parts each."""
    return corpora.families(tmp_path_factory.mktemp("families") / "corpus")


def begin(corpus: Corpus, path: Path, **changed: Any) -> Run:
    truthful = {"alice": "truthful", "bob": "truthful"}
    wanted: dict[str, Any] = {"rounds": 1, "batch": 8, "protocol": "reveal-all", "players": truthful}
    return start(corpus, path, **(wanted | changed))


def report(run: Run, parts: dict[int, tuple[int, ...]], claims: dict[int, str] | None = None) -> list[bool]:
    """Alice labels as she reads, and claims these parts."""
    until_asked(run, Role.ALICE, "report")
    labels = run.alice.truth[: run.state.rounds[-1].to_label]
    bases = dict.fromkeys(parts, BASIS) | (claims or {})
    run.desk.accept(answers.report(run.alice, labels, None, bases, parts=parts))
    return labels


def proofs(path: Path, kind: str) -> dict[int, list[bool]]:
    """By position, which parts of each proof in the entries of this kind are withheld."""
    found = {}
    for opened in MatterReader(path):
        said = opened.entry.body.statement
        if said.kind == kind:
            values = [each.value for each in opened.openings if each.field == "proofs"]
            for position, proof in zip(said.content["positions"], values, strict=True):
                found[position] = ["body" in part for part in proof["parts"]]
    return found


@pytest.mark.parametrize("responsive", [True, False])
@pytest.mark.parametrize("label", [pytest.param(True, marks=pytest.mark.slow), False])
def test_the_courts_label_decides_and_bob_gets_the_other_parts(
    corpus: Corpus, tmp_path: Path, *, label: bool, responsive: bool
) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path) as run:
        until_asked(run, Role.ALICE, "report")
        place = run.alice.truth.index(label) + 1
        report(run, {place: (1, 2)})
        until_asked(run, Role.COURT, "privilege")
        assert run.state.rounds[0].privilege.asked == (place,)
        run.desk.accept(answers.uphold(run.court, [not responsive], {place: (2,)}))
        run.run()
    state = consistent(path)
    found = state.rounds[0]
    assert found.fate(place) is (Fate.RESPONSIVE if responsive else Fate.NOT_RESPONSIVE)
    assert (place in found.disclosed, place in found.kept) == (responsive, not responsive)
    assert place not in found.rulings
    assert found.outcome is not None
    assert (place in found.outcome.responsive) == responsive
    assert stated(state).in_camera == (not responsive)
    assert stated(state).privileged == stated(state).disputes == 0
    assert proofs(path, "camera") == {place: [False, False, False]}
    shown = proofs(path, "disclosure")
    assert shown.pop(place, None) == ([False, False, True] if responsive else None)
    assert not any(map(any, shown.values()))


@pytest.mark.slow
def test_a_claim_for_parts_that_is_overruled_goes_out_whole_and_can_be_disputed(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path, players={"alice": "truthful", "bob": "careless:1"}) as run:
        report(run, {1: (0,)})
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [False]))
        run.run()
    state = consistent(path)
    found = state.rounds[0]
    assert proofs(path, "disclosure")[1] == [False, False, False]
    assert 1 in found.rulings
    assert found.privilege.upheld == {1: False}
    assert not found.in_camera


@pytest.mark.slow
def test_with_part_0_withheld_bob_gets_the_attachments(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path) as run:
        report(run, {2: (0,)}, {1: "Prepared for litigation"})
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [True, False], {2: (0,)}))
        run.run()
    state = consistent(path)
    assert proofs(path, "disclosure")[2] == [True, False, False]
    assert state.rounds[0].privilege.upheld == {1: True}
    assert (stated(state).privileged, stated(state).in_camera) == (1, 0)


def in_a_matter(unit: str = "family") -> Matter:
    """As much of a matter as the form of a claim depends on."""
    opening = SimpleNamespace(corpus=SimpleNamespace(unit=unit))
    return cast("Matter", SimpleNamespace(classed=0, opening=opening, terms=SimpleNamespace(classes=None)))


@pytest.mark.parametrize("parts", [[0], [1, 2], [2**16 - 1]])
def test_a_claim_for_parts_has_a_basis_and_their_numbers_in_order(parts: list[int]) -> None:
    requirements.bases(in_a_matter(), [None, BASIS, {"basis": BASIS, "parts": parts}], classes=True)
    with pytest.raises(Malformed, match="a text of 1 to 2000 characters$"):
        requirements.bases(in_a_matter("document"), [{"basis": BASIS, "parts": parts}], classes=True)


@pytest.mark.parametrize(
    "value",
    [
        *(
            {"basis": BASIS, "parts": parts}
            for parts in ([], [1, 1], [2, 1], [-1], [2**16], [True], ["1"], [1.0], 1, None)
        ),
        *({"basis": basis, "parts": [1]} for basis in ("", "x" * 2001, None, 1, [BASIS], {"class": "medical"})),
        {"basis": BASIS},
        {"parts": [1]},
        {"basis": BASIS, "parts": [1], "class": "medical"},
        [BASIS, [1]],
    ],
)
def test_nothing_else_is_a_claim_for_parts(value: Any) -> None:
    with pytest.raises(Malformed, match="perhaps with parts"):
        requirements.bases(in_a_matter(), [value], classes=True)


def test_a_claim_for_parts_needs_a_basis(corpus: Corpus, tmp_path: Path) -> None:
    with begin(corpus, tmp_path / "matter") as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(run.alice.truth, start=1))
        with pytest.raises(Refused, match="without a basis"):
            run.alice.say(Decisions(labels=labels, claimed_parts={1: (1,)}))
        with refusal(run, "a text of 1 to 2000 characters, perhaps with parts"):
            run.desk.accept(answers.report(run.alice, run.alice.truth, None, {1: ""}, parts={1: (1,)}))


def test_the_court_upholds_only_what_is_claimed(corpus: Corpus, tmp_path: Path) -> None:
    with begin(corpus, tmp_path / "matter") as run:
        report(run, {1: (1, 2)}, {2: BASIS})
        until_asked(run, Role.COURT, "privilege")
        right = answers.uphold(run.court, [True, True], {1: (1,)})
        for parts, reason in (
            ([[], []], "none of these parts"),
            ([[0], []], "that Alice does not claim"),
            ([[0, 1], []], "that Alice does not claim"),
            ([[1], [1]], "that Alice does not claim"),
            ([[2, 1], []], "in order"),
            ([[1, 1], []], "in order"),
            ([[1]], "lists of parts"),
            ([[1], [], []], "lists of parts"),
            ([], "lists of parts"),
        ):
            with refusal(run, reason):
                run.desk.accept(resigned(run, right, content={"parts": parts, "upheld": [True, True]}))
        run.desk.accept(right)


@pytest.mark.slow
def test_where_documents_are_reviewed_one_by_one_privilege_is_for_the_document(tmp_path: Path) -> None:
    single = corpora.make(tmp_path / "single", documents=20, responsive=8, unit="document")
    with begin(single, tmp_path / "matter") as run:
        report(run, {}, {1: BASIS})
        until_asked(run, Role.COURT, "privilege")
        with refusal(run, "has one part"):
            run.desk.accept(answers.uphold(run.court, [True], {1: (0,)}))


@pytest.mark.slow
def test_a_late_claim_may_be_for_parts_and_is_never_a_hit_by_itself(corpus: Corpus, tmp_path: Path) -> None:
    """What the court labels is settled, so it can be neither hidden nor claimed away."""
    path = tmp_path / "matter"
    with begin(corpus, path, **SPOT_CHECKS, batch=8) as run:
        until_asked(run, Role.ALICE, "report")
        run.desk.accept(answers.report(run.alice, [False] * 8))
        until_asked(run, Role.BOB, "link")
        run.step()
        run.desk.late()
        kept, found, overruled = 1, 2, 3
        claimed = (kept, found, overruled)
        run.desk.accept(answers.claim(run.alice, dict.fromkeys(claimed, BASIS), dict.fromkeys(claimed, (1, 2))))
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [True, False, False], {kept: (1,), found: (1, 2)}))
        run.run()
    state = consistent(path)
    batch = state.rounds[0]
    assert batch.in_camera == {kept: False, found: True}
    assert {found, overruled} <= batch.disclosed
    assert (batch.fate(kept), batch.fate(found)) == (Fate.NOT_RESPONSIVE, Fate.RESPONSIVE)
    assert state.books.hits == 0
    assert state.books.credit > 0
    assert {seat.position for seat in state.books.exposures} == {4, 5, 6, 7, 8}


@pytest.mark.slow
@pytest.mark.parametrize(
    "validation",
    [None, EACH_ROUND | {"show": "0.9"}, IN_TWO | {"review": "0.9", "show": "0.9"}],
    ids=["an escalation", "a validation in one stage", "a validation in two stages"],
)
@pytest.mark.parametrize("responsive", [True, False])
def test_a_claim_for_parts_stands_when_a_later_round_comes_back_to_it(
    corpus: Corpus, tmp_path: Path, validation: dict[str, Any] | None, *, responsive: bool
) -> None:
    path = tmp_path / "matter"
    often = None if validation is None else terms.validation(**validation)
    rule: dict[str, Any] = {"protocol": "spot-check", "rate": "0.01", "limit": "1", "target": "0.99"}
    with begin(corpus, path, **rule, batch=20, validation=often, players={"alice": "hiding:0.5:random"}) as run:
        until_asked(run, Role.ALICE, "report")
        labels = [bool(label) for label in run.alice.strategy.report(run.alice.rule, run.alice.truth, 1).labels]
        hidden = [place for place, label in enumerate(labels, start=1) if not label]
        claims = dict.fromkeys(hidden, BASIS)
        run.desk.accept(answers.report(run.alice, labels, None, claims, parts=dict.fromkeys(hidden, (2,))))
        while not run.state.concluded:
            awaited = run.state.awaits.get(Role.COURT)
            if awaited is not None and awaited.kind == "privilege":
                log = run.state.rounds[-1].privilege
                assert not log.beforehand
                parts = {place: log.parts[place] for place in log.asked}
                run.desk.accept(answers.uphold(run.court, [not responsive] * len(log.asked), parts))
            else:
                run.step()
        run.run()
    state = consistent(path)
    later = state.rounds[1]
    assert later.sort is (Sort.ESCALATION if validation is None else Sort.VALIDATION)
    ruled = later.privilege.upheld_parts
    assert ruled
    assert later.in_camera == dict.fromkeys(ruled, responsive)
    assert ruled.keys() <= (later.disclosed if responsive else later.kept)
    assert not later.privilege.late & ruled.keys()


@pytest.mark.slow
@pytest.mark.parametrize("responsive", [True, False])
def test_with_the_court_as_viewer_a_claim_for_parts_is_still_one(
    corpus: Corpus, tmp_path: Path, *, responsive: bool
) -> None:
    path = tmp_path / "matter"
    agreed = terms.validation(**EACH_ROUND, viewer="court")
    with begin(corpus, path, validation=agreed) as run:
        current = until_validation(run)
        run.desk.accept(answers.claim(run.alice, {1: BASIS, 2: BASIS}, {1: (1,)}))
        run.step()
        asked = current.privilege.asked
        assert asked == tuple(range(1, current.size + 1))
        upheld = [position != 1 or not responsive for position in asked]
        run.desk.accept(answers.uphold(run.court, upheld, {1: (1,)}))
        run.run()
    state = consistent(path)
    found = state.rounds[1]
    assert found.privilege.upheld == {2: True}
    assert found.in_camera[1] is responsive
    assert found.disclosed == ({1} if responsive else set())
    assert stated(state).privileged == 1


@pytest.mark.slow
def test_a_document_that_the_court_has_labelled_is_never_unread(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path) as run:
        report(run, {1: (1,)})
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [False], {1: (1,)}))
        until_asked(run, Role.BOB, "labels")
        pass_over(run, Role.BOB)
        run.run()
    found = consistent(path).rounds[0]
    assert found.unread == set(range(2, 9))
    assert found.fate(1) is Fate.RESPONSIVE
