"""Trent's commands killed at any moment: what is on disk is whole, and the same command goes on."""

import os
import signal
import time
from pathlib import Path

import pytest

from ledger.examining import examine, open_reader
from ledger.store import Store
from tests.support import corpora, forked
from tests.support.real_matter import Play, run_here
from tests.support.running import honest

pytestmark = pytest.mark.slow

KILLS = 12
LONGEST = 0.4  # seconds


def killed(play: Play, *words: object) -> int:
    """Give a command again and again, and kill it a little later each time; how often it was killed.

    A command that ended before its kill is killed sooner from then on, so a fast machine kills as often as a slow one.
    """
    kills, longest = 0, LONGEST
    for number in range(KILLS):
        process = forked.start("tallystick", words, cwd=play.folder("trent"), env=os.environ)
        time.sleep(longest * (number + 1) / KILLS)
        process.kill()
        process.join()
        if process.exitcode == -signal.SIGKILL:
            kills += 1
        else:
            longest /= 2
        if (play.folder("trent") / "case.matter").exists():
            check(play)
    return kills


def check(play: Play) -> int:
    """The number of entries of a matter that is whole."""
    path = play.folder("trent") / "case.matter"
    with Store.open(path) as store:
        if not store.size():
            return 0
    return examine(open_reader(path)).size


def test_a_matter_goes_on_after_kills_of_every_command(tmp_path: Path) -> None:
    play = Play(tmp_path / "all", run_here)
    play.make_keys()
    corpora.make(play.folder("trent") / "corpus", documents=60, responsive=20)
    play.write_terms(batch=8, rounds=2, query=corpora.QUERY)
    opening = ("matter", "open", "terms.toml", "--corpus", "corpus", "--key", "trent.key", "--out", "case.matter")
    kills = killed(play, *opening)
    if not (play.folder("trent") / "case.matter").exists() or not check(play):
        play.open()
    matter = ("case.matter", "--key", "trent.key")
    behaviour = honest(play)
    for step in range(12):
        if step in (0, 4, 7):  # signatures, a round's batch, and its close with the next batch
            kills += killed(play, "matter", "next", *matter, "--corpus", "corpus", "--outbox", "outbox")
        asked = [play.send(each) for each in play.next()["questions"]]
        if not asked:
            break
        answers = [play.answer(each, *behaviour.decisions(each, play.folder(each.role))) for each in asked]
        if step in (0, 3):
            kills += killed(play, "matter", "accept", *matter, *answers)
        play.accept(*answers)
    assert play.next()["held"]
    kills += killed(play, "matter", "close", *matter)
    play.matter("close")
    play.exchange(behaviour)
    assert play.status()["cosigned"] == ["alice", "bob", "court"]
    assert len(play.status()["rounds"]) == 2
    assert kills >= KILLS
