"""Honest matters with spot checks, escalations, validations and classes are verified for everybody.

They are those from which the cheats depart. So it is also tried here that each has in it what the cheats need.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter.state import Matter
from tests.support import corpora
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.needs import wanting
from tests.support.forging.running import cut, plan
from tests.support.forging.spotcheck import COURSES
from tests.vectors.agreed import AGREED
from verifier.checks import Check
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow

_OUTSIDE = {Check.IDENTITIES, Check.HANDED, Check.STAMPS, Check.LOG}
_CORPUS = {Check.RANKING, Check.MODELS, Check.CORPUS, Check.FEATURES, Check.TRUTH, Check.ACCOUNT}
_LABELS = {Check.REPORTS, Check.DISCLOSURES, Check.ANSWERS, Check.OUTCOMES, Check.CERTIFICATES, Check.PRIVILEGE}
WITH_CLAIMS = ("classed", "eventful-two-stages", "eventful-one-stage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A matter at its end, and what the verifier says of each copy."""

    state: Matter
    events_left: int
    verdicts: dict[Audience, Verdict]


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


@pytest.mark.parametrize("name", COURSES)
def test_a_matter_has_in_it_what_its_cheats_need(courses: dict[str, Played], name: str) -> None:
    assert wanting(name, courses[name].state) == []


@pytest.mark.parametrize("name", ["validated", "called", "viewed"])
def test_a_review_that_a_validation_ended_says_so(courses: dict[str, Played], name: str) -> None:
    claims = courses[name].verdicts[Audience.BOB].claims
    assert claims is not None
    assert claims.ended == "validation"


def test_all_events_have_come(courses: dict[str, Played]) -> None:
    for name in ("eventful-two-stages", "eventful-one-stage"):
        assert courses[name].events_left == 0
    found = courses["eventful-two-stages"]
    assert len(found.verdicts[Audience.COURT].keys_before[Role.ALICE]) == 1  # type: ignore[index]
