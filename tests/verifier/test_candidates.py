"""Alice may seal a list of candidates for privilege when she signs the terms: she alone, for herself alone."""

from collections.abc import Callable

import pytest

from ledger.roles import Audience
from tests.support import corpora, genuine
from tests.support.builders import KEYS
from tests.support.forging.edges import EDGES
from tests.support.forging.forged import forge
from tests.support.genuine import Genuine
from verifier.values import blamed
from verifier.verdict import Verdict

NAMES = [name for name in EDGES if "candidate" in name]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Genuine:
    folder = tmp_path_factory.mktemp("candidates")
    return genuine.make(corpora.make(folder / "corpus", documents=40, responsive=16), folder, "label")


@pytest.mark.parametrize("name", NAMES)
def test_candidates_are_judged_by_what_the_copy_shows(
    played: Genuine, name: str, judge: Callable[..., Verdict]
) -> None:
    edge = EDGES[name]
    audience = Audience(edge.base.removeprefix("label-"))
    verdict = judge(forge(played.lines[audience], dict(KEYS), edge.forgery))
    assert verdict.answer == edge.forgery.verdict, verdict.trouble
    assert [each.check for each in verdict.findings] == ([edge.forgery.check] if edge.forgery.check else [])
    assert blamed(verdict) == ([str(edge.forgery.who)] if edge.forgery.who else [])


def test_what_no_copy_opens_is_not_judged(played: Genuine, judge: Callable[..., Verdict]) -> None:
    edge = EDGES["an-empty-candidate"]
    for audience in (Audience.BOB, Audience.COURT, Audience.PUBLIC):
        verdict = judge(forge(played.lines[audience], dict(KEYS), edge.forgery))
        assert not verdict.findings


def test_there_are_such_edges() -> None:
    assert len(NAMES) == 11
