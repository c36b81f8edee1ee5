"""Whatever happens in an honest matter, and in whatever order, its copies are verified for everybody.

The protocol plays and the verifier judges, each by its own code: every disagreement about the rules shows here.
"""

from pathlib import Path

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.chaotic import ChaoticRun, plan
from tests.support.forging.running import cut
from verifier.verdict import Answer
from verifier.verification import verify

FEW = range(6)
MANY = range(6, 16)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.sensitive(tmp_path_factory.mktemp("any") / "corpus", documents=240)


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.families(tmp_path_factory.mktemp("families") / "corpus", documents=160, responsive=50)


def verified(corpus: Corpus, folder: Path, seed: int) -> None:
    played, chance = plan(corpus, seed, classes=("medical",))
    with ChaoticRun(corpus, played, folder / "matter", chance) as run:
        run.run()
    for audience in Audience:
        copy = cut(folder / "matter", played, audience, folder / f"{audience}.jsonl")
        verdict = verify(copy, corpus=corpus.path if audience is Audience.COURT else None)
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble, verdict.waits_for)


@pytest.mark.slow
@pytest.mark.parametrize("seed", FEW)
def test_a_matter_with_all_that_can_happen_is_verified(corpus: Corpus, tmp_path: Path, seed: int) -> None:
    verified(corpus, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_so_are_many_more(corpus: Corpus, tmp_path: Path, seed: int) -> None:
    verified(corpus, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_so_are_matters_in_which_parts_are_withheld(families: Corpus, tmp_path: Path, seed: int) -> None:
    verified(families, tmp_path, seed)
