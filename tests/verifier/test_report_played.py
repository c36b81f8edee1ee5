"""What people read of matters in which anything can happen: every copy gives a sound page, and every document's exhibit
tells the story of its rounds.
"""

import json
from pathlib import Path

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.chaotic import ChaoticRun, plan
from tests.support.exhibits import cut as exhibit_of
from tests.support.forging.running import cut
from tests.verifier.test_report import check_outline, words
from verifier import exhibit
from verifier.exhibit.story import courses
from verifier.explain import explain
from verifier.replay.detail import RoundDetail
from verifier.replay.reason import Reason, because, reason
from verifier.replay.rounds import Sort
from verifier.report import About, page
from verifier.summary import summary
from verifier.values import verdict_value, written
from verifier.verdict import Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow

SEEDS = (0, 2, 8)
"""Escalations, validations in one and in two stages, and classes."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.sensitive(tmp_path_factory.mktemp("any") / "corpus", documents=240)


@pytest.fixture(scope="module", params=SEEDS)
def played(request: pytest.FixtureRequest, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter and its copies, in a folder."""
    folder = tmp_path_factory.mktemp("played")
    agreed, chance = plan(corpus, request.param, classes=("medical",))
    with ChaoticRun(corpus, agreed, folder / "matter", chance) as run:
        run.run()
    for audience in Audience:
        cut(folder / "matter", agreed, audience, folder / f"{audience}.jsonl")
    return folder


def verdict_of(played: Path, audience: Audience) -> Verdict:
    return verify(played / f"{audience}.jsonl", detailed=True)


@pytest.mark.parametrize("audience", list(Audience))
def test_every_copy_gives_a_sound_page_and_the_same_certificates(played: Path, audience: Audience) -> None:
    verdict = verdict_of(played, audience)
    html = page(verdict, About(file="copy.jsonl"))
    check_outline(html)
    assert len(html.encode()) < 1_500_000
    told = json.loads(written(verdict_value(verdict)))
    bobs = json.loads(written(verdict_value(verdict_of(played, Audience.BOB))))
    if verdict.bound_known:
        for name in ("certificates", "escalations", "validations", "ended"):
            assert told[name] == bobs[name]
        assert len(told["validations"]) == len([each for each in verdict.rounds if each.sort is Sort.VALIDATION])
    for text in (summary(verdict), explain(verdict)):
        assert "What is proven about recall:" in text
    assert "What is proven about recall" in words(html[: html.index("<nav")])


def test_estimates_and_certificates_agree_with_what_was_counted(played: Path) -> None:
    verdict = verdict_of(played, Audience.BOB)
    assert verdict.claims is not None
    found = verdict_value(verdict)
    for each, claim in zip(found["validations"], verdict.claims.validations, strict=True):
        assert each["certificate"]["at_most"] == claim.at_most
        strata = each["strata"]
        assert strata["found"]["documents"] == sum(one.confirmed for one in verdict.rounds if one.number < claim.round)
        if each["estimates"] is not None:
            for share in (each["estimates"][name] for name in ("elusion", "richness", "recall")):
                assert share is None or 0 <= share["low"] <= share["point"] <= share["high"] <= 1
    for each in found["escalations"]:
        closed = next(one for one in verdict.rounds if one.number == each["round"])
        assert (each["withheld"], each["drawn"]) == (closed.size, closed.sampled)


def later(verdict: Verdict) -> list[RoundDetail]:
    return [each for each in verdict.details if each.sort is not Sort.BATCH]


def test_every_shown_position_has_its_reason_with_chance_and_coin(played: Path) -> None:
    verdict = verdict_of(played, Audience.COURT)
    for detail in later(verdict):
        for position in (position for wave in detail.waves for position in wave):
            why, said = reason(detail, position), because(detail, position)
            assert why not in (Reason.UNKNOWN, Reason.NOT_DRAWN, Reason.COMPELLED)
            if why is Reason.COIN:
                whence = "all that was withheld" if detail.sort is Sort.ESCALATION else "the whole collection"
                assert said.startswith(f"drawn by coin from {whence}: coin 0.")
                assert "a chance of" in said
            if why is Reason.GIVEN_UP:
                assert "second look" in said


def test_every_document_has_its_exhibit_with_all_its_rounds(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    court = verdict_of(played, Audience.COURT)
    shown: dict[str, set[int]] = {}
    for detail in court.details:
        for name in detail.names.values():
            shown.setdefault(name, set()).add(detail.number)
    for document in range(0, corpus.size, 11):
        judged = exhibit.judge(exhibit_of(played / "matter", corpus, document, tmp_path / str(document)))
        ways = courses(judged)
        assert judged.answer in (exhibit.Answer.VERIFIED, exhibit.Answer.COMMITMENT_ONLY), judged.findings
        seen = {way.round for way in ways if way.wave is not None}
        assert seen == shown.get(corpus.name(document), set())
        value = json.loads(written(exhibit.value(judged)))
        assert [each["round"] for each in value["courses"]] == sorted(way.round for way in ways)
        told = exhibit.text(judged)
        for way in ways:
            assert f"round {way.round} " in told.replace("Round", "round").replace("\n ", "")
