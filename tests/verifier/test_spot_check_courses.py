"""Honest matters with spot checks, escalations, validations and classes are verified for everybody.

They are those from which the cheats depart. So it is also tried here that each has in it what the cheats need.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from tests.support import corpora
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.running import cut, plan
from tests.support.forging.spotcheck import COURSES
from tests.vectors.agreed import AGREED
from verifier.checks import Check
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

_OUTSIDE = {Check.IDENTITIES, Check.HANDED}
_CORPUS = {Check.RANKING, Check.MODELS, Check.CORPUS, Check.FEATURES, Check.TRUTH}
_LABELS = {Check.REPORTS, Check.DISCLOSURES, Check.ANSWERS, Check.OUTCOMES, Check.CERTIFICATES, Check.PRIVILEGE}
WITH_CLAIMS = ("classed", "eventful-two-stages", "eventful-one-stage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A matter at its end, and what the verifier says of each copy."""

    state: Matter
    events_left: int
    verdicts: dict[Audience, Verdict]

    def of_sort(self, sort: Sort) -> list[Round]:
        return [each for each in self.state.rounds if each.sort is sort]

    @property
    def sorts(self) -> str:
        return "".join(each.sort[0] for each in self.state.rounds)


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    folder = tmp_path_factory.mktemp("courses")
    corpus = corpora.doubled(folder / "corpus", documents=20, responsive=8)
    return {name: _play(corpus, folder / name, name) for name in COURSES}


def _play(corpus: Corpus, folder: Path, name: str) -> Played:
    folder.mkdir()
    course = COURSES[name]
    played = plan(corpus, players=dict(course.players), protocol=course.protocol, **(AGREED | dict(course.terms)))
    with course.run(corpus, played, folder / "matter") as run:
        run.run()
    verdicts = {}
    for audience in EVERYBODY:
        copy = cut(folder / "matter", played, audience, folder / f"{audience}.jsonl")
        verdicts[audience] = verify(copy, corpus=corpus.path if audience is Audience.COURT else None)
    left = len(run._left) if isinstance(run, EventfulRun) else 0
    return Played(state=run.state, events_left=left, verdicts=verdicts)


def not_checked(name: str, audience: Audience) -> set[Check]:
    """What this copy of this matter cannot answer, by the specification's table."""
    found = _OUTSIDE if audience is Audience.COURT else _OUTSIDE | _CORPUS
    if audience is Audience.BOB and name in WITH_CLAIMS:
        return found | {Check.REPORTS, Check.PRIVILEGE}
    if audience is not Audience.PUBLIC:
        return found
    found = found | _LABELS | {Check.DOCUMENTS}
    if COURSES[name].protocol == "spot-check":
        found = found | {Check.ESCALATIONS}
    return found | ({Check.VALIDATIONS, Check.STOPPING} if "validation" in COURSES[name].terms else set())


@pytest.mark.parametrize("name", COURSES)
def test_a_matter_with_all_sorts_of_rounds_is_verified_for_everybody(courses: dict[str, Played], name: str) -> None:
    for audience, verdict in courses[name].verdicts.items():
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        left = {each.check for each in verdict.checks if each.outcome is not Outcome.PASS}
        assert left == not_checked(name, audience), audience


def test_escalations_with_something_given_up_a_hit_and_a_limit_that_is_used_up(courses: dict[str, Played]) -> None:
    found = courses["escalated"]
    escalations = found.of_sort(Sort.ESCALATION)
    assert any(each.given_up for each in escalations)
    assert any(each.rulings.get(position) for each in escalations for position in each.disclosed - each.given_up)
    assert found.state.limit_used_up
    assert found.sorts.endswith("e")


def test_a_hit_makes_a_batch_due_in_one_round_and_in_another_nothing_is_hit(courses: dict[str, Played]) -> None:
    ends = [each.outcome for each in courses["penalised"].of_sort(Sort.BATCH)]
    assert {end.compelled for end in ends if end is not None} == {True, False}


@pytest.mark.parametrize("name", ["validated", "called", "viewed"])
def test_one_validation_fails_and_a_later_one_ends_the_review(courses: dict[str, Played], name: str) -> None:
    found = courses[name]
    proven = [each.certificate for each in found.of_sort(Sort.VALIDATION)]
    assert [each.reached for each in proven if each is not None] == [False] * (len(proven) - 1) + [True]
    assert len(found.state.batches) < found.state.terms.rounds
    verdict = found.verdicts[Audience.BOB]
    assert verdict.claims is not None
    assert verdict.claims.ended == "validation"


def test_a_validation_draws_what_was_never_put_up_and_what_is_withheld(courses: dict[str, Played]) -> None:
    drawn = courses["validated"].of_sort(Sort.VALIDATION)
    assert any(0 < len(each.fresh) < each.size for each in drawn)
    called = courses["called"].of_sort(Sort.VALIDATION)
    assert any(each.called < each.size for each in called)
    assert any(label and not each.reported(at) for each in called for at, label in each.rulings.items())


def test_the_court_looks_first_and_keeps_some_from_bob(courses: dict[str, Played]) -> None:
    for each in courses["viewed"].of_sort(Sort.VALIDATION):
        assert each.kept
        assert each.disclosed


def test_the_court_decides_about_a_class_in_batches_and_in_validations(courses: dict[str, Played]) -> None:
    found = courses["classed"]
    for sort in (Sort.BATCH, Sort.VALIDATION):
        ruled = [label for each in found.of_sort(sort) for label in each.in_camera.values()]
        assert set(ruled) == {True, False}, sort
    assert any(each.privilege.withheld for each in found.state.rounds)


def test_all_events_have_come(courses: dict[str, Played]) -> None:
    for name in ("eventful-two-stages", "eventful-one-stage"):
        assert courses[name].events_left == 0
    found = courses["eventful-two-stages"]
    assert found.state.terms.limit_in_force == "0.9"
    assert any(each.silent for each in found.of_sort(Sort.ESCALATION))
    assert any(each.unread for each in found.of_sort(Sort.ESCALATION))
    assert any(each.privilege.late for each in found.of_sort(Sort.ESCALATION))
    assert any(each.unreported for each in found.of_sort(Sort.VALIDATION))
    assert any(each.unread for each in found.of_sort(Sort.VALIDATION))
    assert found.state.skipped == 1
    assert len(found.verdicts[Audience.COURT].keys_before[Role.ALICE]) == 1  # type: ignore[index]
