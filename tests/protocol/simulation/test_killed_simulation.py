"""A simulation that is killed again and again ends in the very bytes of one that was not."""

import subprocess
import sys
from pathlib import Path

import pytest

from protocol.corpus.corpus import Corpus
from tests.support import paper_rules
from tests.support.killed_simulation import play
from tests.support.matters import court_copy

pytestmark = pytest.mark.slow

KILLS = 10  # at least so many for each case; six cases are 60 and more


@pytest.mark.parametrize("protocol", paper_rules.NAMES)
@pytest.mark.parametrize("half", [1, 2])
def test_after_kills_at_random_entries_the_transcript_is_the_uninterrupted_one(
    small_corpus: Corpus, tmp_path: Path, protocol: str, half: int
) -> None:
    kills = matters = 0
    while kills < KILLS:
        matters += 1
        seed = f"{half}/{matters}"
        killed, whole = tmp_path / f"killed-{matters}", tmp_path / f"whole-{matters}"
        command = [
            sys.executable,
            "-m",
            "tests.support.killed_simulation",
            str(small_corpus.path),
            str(killed),
            protocol,
            seed,
        ]
        kills += int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout)
        play(small_corpus, whole, protocol, seed)
        assert court_copy(killed) == court_copy(whole)
