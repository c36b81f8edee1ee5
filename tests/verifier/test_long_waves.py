"""What is due goes out in waves of limited length, and both sides cut it at the same place."""

from pathlib import Path

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from protocol.matter import rounds
from tests.support.forging.running import cut, plan, play
from tests.vectors.agreed import AGREED
from verifier.checks import Check
from verifier.replay import disclosures
from verifier.verdict import Answer, Verdict
from verifier.verification import verify


def played(corpus: Corpus, folder: Path) -> Verdict:
    agreed = plan(corpus, protocol="reveal-all", **AGREED)
    play(corpus, agreed, folder / "matter")
    return verify(cut(folder / "matter", agreed, Audience.BOB, folder / "bob.jsonl"))


def test_both_sides_have_the_limit_of_the_specification() -> None:
    assert rounds.LONGEST_WAVE == disclosures.LONGEST_WAVE == 4096


def test_what_is_due_beyond_a_wave_follows_in_the_next_one(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LONGEST_WAVE", 3)
    monkeypatch.setattr(disclosures, "LONGEST_WAVE", 3)
    verdict = played(small_corpus, tmp_path)
    assert verdict.answer is Answer.VERIFIED, verdict.findings
    assert verdict.claims is not None
    assert verdict.claims.revealed == AGREED["rounds"] * AGREED["batch"]


@pytest.mark.parametrize("length", [2, 4])
def test_a_wave_of_another_length_is_trents_fault(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(rounds, "LONGEST_WAVE", length)
    monkeypatch.setattr(disclosures, "LONGEST_WAVE", 3)
    (finding,) = played(small_corpus, tmp_path).findings
    assert finding.check is Check.DISCLOSURES
