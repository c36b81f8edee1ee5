"""Whoever cheats with their own key is caught by the expected check, and nobody else is blamed."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.identity import Simulated
from tests.support import corpora
from tests.support.forging import eventful
from tests.support.forging.allcheats import ALL_CHEATS
from tests.support.forging.bending import of_kind, saying
from tests.support.forging.catalogue import CHEATS, DISPUTED, EVERYBODY, Cheat
from tests.support.forging.catching import assert_caught
from tests.support.forging.copies import COPY_CHEATS, made
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun, cut, plan, play
from verifier import checks
from verifier.checks import Check
from verifier.comparison import Comparison, compare
from verifier.record import keys
from verifier.values import blamed
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow  # plays each cheat; the stored copies of the same cheats are judged by the fast tests

AGREED: dict[str, Any] = {"rounds": 3, "batch": 20, "delta": "0.7", "k": 1, "query": corpora.QUERY}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Less mail, for the matter in which something of everything happens."""
    return corpora.doubled(tmp_path_factory.mktemp("corpus") / "few", documents=20, responsive=8)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Mail in which every document stands twice, so that scores are tied."""
    return corpora.doubled(tmp_path_factory.mktemp("corpus") / "doubled")


def verdicts(corpus: Corpus, cheat: Cheat, folder: Path) -> dict[Audience, Verdict]:
    played = plan(corpus, players=dict(cheat.players), protocol=cheat.protocol, **(AGREED | dict(cheat.terms)))
    path = folder / "matter"
    play(corpus, played, path, **cheat.bends)
    found = {}
    for audience in EVERYBODY:
        copy = cut(path, played, audience, folder / f"{audience}.jsonl")
        found[audience] = verify(copy, corpus=corpus.path if audience is Audience.COURT else None)
    return found


@pytest.mark.parametrize("name", ALL_CHEATS)
def test_a_cheater_is_caught_by_the_expected_check_and_nobody_else_is_blamed(
    corpus: Corpus, few: Corpus, tmp_path: Path, name: str
) -> None:
    cheat = ALL_CHEATS[name]
    assert_caught(cheat, verdicts(corpus if name in CHEATS else few, cheat, tmp_path))


def test_without_a_cheat_the_same_matters_pass(corpus: Corpus, tmp_path: Path) -> None:
    for number, protocol in enumerate(("label", "classifier", "reveal-all")):
        (tmp_path / protocol).mkdir()
        honest = Cheat(who=next(iter(CHEATS.values())).who, comment="", check="V01", protocol=protocol)
        for audience, verdict in verdicts(corpus, honest, tmp_path / protocol).items():
            assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
            left = {each.check for each in verdict.checks if each.outcome is not Outcome.PASS}
            assert left == NOT_CHECKED[audience], number


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_without_a_cheat_the_eventful_matter_passes_for_everybody(few: Corpus, tmp_path: Path, protocol: str) -> None:
    honest = Cheat(
        who=Role.TRENT,
        comment="",
        check="V01",
        protocol=protocol,
        players=DISPUTED,
        course=EventfulRun,
        terms=eventful.AGREED,
    )
    found = verdicts(few, honest, tmp_path)
    for audience, verdict in found.items():
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        left = {each.check for each in verdict.checks if each.outcome is not Outcome.PASS}
        assert left == NOT_CHECKED[audience] | ({Check.REPORTS, Check.PRIVILEGE} if audience is Audience.BOB else set())
        assert [each.granted for each in verdict.orders] == [True, True, True, False, True, True, False, True]
        assert verdict.result(Check.ORDERS).items == 20
        assert verdict.rounds_agreed == 4
        assert len(verdict.keys_before[checks.Role.ALICE]) == 1
    claims = {audience: verdict.claims for audience, verdict in found.items()}
    whole = claims[Audience.COURT]
    assert whole is not None
    assert (whole.defaults, len(whole.rounds)) == (4, 4)
    assert whole.privileged > 0
    assert whole.rounds[1].unread > 0
    assert claims[Audience.BOB] == claims[Audience.ALICE] == whole
    public = claims[Audience.PUBLIC]
    assert public is not None
    assert (public.found, public.nrd, public.privileged) == (whole.found, whole.nrd, whole.privileged)


_OUTSIDE = {Check.IDENTITIES, Check.HANDED, Check.STAMPS, Check.LOG}
_CORPUS = {Check.RANKING, Check.MODELS, Check.CORPUS, Check.FEATURES, Check.TRUTH, Check.ACCOUNT}
NOT_CHECKED = {
    Audience.COURT: _OUTSIDE,
    Audience.BOB: _OUTSIDE | _CORPUS,
    Audience.ALICE: _OUTSIDE | _CORPUS,
    Audience.PUBLIC: _OUTSIDE
    | _CORPUS
    | {Check.REPORTS, Check.DISCLOSURES, Check.DOCUMENTS, Check.ANSWERS, Check.OUTCOMES, Check.CERTIFICATES}
    | {Check.PRIVILEGE},
}


def copies(matter: Path, played: Simulated, folder: Path) -> dict[Audience, Lines]:
    return {
        audience: cut(matter, played, audience, folder / f"{audience}.jsonl").read_bytes().splitlines()
        for audience in EVERYBODY
    }


def judged(folder: Path, lines: Lines, **options: Any) -> Verdict:
    path = folder / "judged.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return verify(path, **options)


@pytest.fixture(scope="module")
def partly_shown(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    """The first matter in which Bob does not get all of the last batch."""
    folder = tmp_path_factory.mktemp("tried")
    for seed in range(1, 40):
        played = plan(corpus, players=DISPUTED, protocol="label", seed=str(seed), **AGREED)
        with CheatingRun(corpus, played, folder / f"tried-{seed}") as run:
            run.run()
        if len(run.state.rounds[-1].disclosed) < run.state.rounds[-1].size:
            return played
    raise RuntimeError("no seed brings what the test needs")


@pytest.mark.parametrize("name", COPY_CHEATS)
def test_a_copy_that_should_never_have_been_handed_out_proves_who_signed_it(
    corpus: Corpus, partly_shown: Simulated, tmp_path: Path, name: str
) -> None:
    cheat, played = COPY_CHEATS[name], partly_shown
    play(corpus, played, tmp_path / "matter", **cheat.matter)
    verdict = judged(tmp_path, made(cheat, copies(tmp_path / "matter", played, tmp_path), played))
    assert verdict.answer is Answer.REJECTED, verdict.trouble
    assert [finding.check for finding in verdict.findings] == [cheat.check]
    assert blamed(verdict) == [cheat.who.value]


def test_features_that_are_not_the_documents_blame_trent(tmp_path: Path) -> None:
    """Trent commits to a row that makes a document rank higher than its text would."""
    corpus = corpora.with_a_wrong_row(corpora.doubled(tmp_path / "corpus"), document=7)
    played = plan(corpus, protocol="label", **AGREED)
    assert not play(corpus, played, tmp_path / "matter")
    verdict = verify(cut(tmp_path / "matter", played, Audience.COURT, tmp_path / "court.jsonl"), corpus=corpus.path)
    assert [(finding.check, finding.party) for finding in verdict.findings] == [("V22", "trent")]
    assert "document 7" in verdict.findings[0].expected
    assert verdict.result(Check.CORPUS).outcome is Outcome.PASS


def test_two_histories_are_proven_by_both_signatures(corpus: Corpus, tmp_path: Path) -> None:
    """Trent shows Bob one matter and Alice another: the same up to an entry, and signed by the same key."""
    played = plan(corpus, players=DISPUTED, protocol="label", **AGREED)
    paths = [tmp_path / "one", tmp_path / "other"]
    play(corpus, played, paths[0])
    play(corpus, played, paths[1], change=of_kind("claims", saying(found=lambda number: number + 1)))
    shown = [
        cut(path, played, audience, tmp_path / f"{audience}.jsonl")
        for path, audience in zip(paths, (Audience.BOB, Audience.ALICE), strict=True)
    ]
    found = compare(*shown)
    assert found.result is Comparison.EQUIVOCATION
    assert found.proof is not None
    trent = bytes(played.key(Role.TRENT).public)
    for signed in found.proof:
        assert keys.signed(trent, "entry", signed.body, signed.signature)
    assert found.proof[0].body != found.proof[1].body
