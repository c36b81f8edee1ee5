"""A process killed at any moment loses nothing that it had acknowledged, and doubles nothing."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from ledger.examining import examine, open_reader

pytestmark = pytest.mark.slow

ROUNDS = 8  # matters, each of them killed KILLS times
KILLS = 10


def run_and_kill(path: Path, random: Random) -> tuple[int, str] | None:
    """Append in a process of its own, kill it with SIGKILL, and return what it acknowledged last."""
    batch = random.choice([1, 1, 5])
    command = [sys.executable, "-m", "tests.support.appender", str(path), str(batch)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if random.random() < 0.8:  # else it may die while it starts
        process.stdout.readline()
    time.sleep(random.expovariate(50) if random.random() < 0.8 else random.random() * 0.3)
    process.kill()
    output, errors = process.communicate()
    assert errors == ""
    lines = [line for line in output.splitlines(keepends=True) if line.endswith("\n")]
    if not lines:
        return None
    size, head = lines[-1].split()
    return int(size), head


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_after_a_kill_the_log_is_what_was_acknowledged_and_at_most_the_batch_in_flight(
    tmp_path: Path, seed: int
) -> None:
    path, random = tmp_path / "matter", Random(seed)
    known: list[str] = []
    for _ in range(KILLS):
        acknowledged = run_and_kill(path, random)
        if not path.exists():
            assert acknowledged is None
            continue
        copied = list(open_reader(path))
        hashes = [each.hash.hex() for each in copied]
        assert hashes[: len(known)] == known, "what was there before has changed"
        numbers = [each.entry.body.statement.content.get("number") for each in copied[1:]]
        assert numbers == list(range(1, len(copied))), "an entry is missing or doubled"
        if acknowledged is not None:
            size, head = acknowledged
            assert hashes[size - 1] == head, "an acknowledged entry is lost"
            assert len(hashes) - size <= 5, "more than the batch in flight was added"
        known = hashes
    assert examine(open_reader(path)).size == len(known) > 1
