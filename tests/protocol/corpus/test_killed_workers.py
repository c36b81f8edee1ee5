"""A worker that is killed while it writes changes no byte, and leaves nothing: its task is done again."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from protocol.corpus import build
from protocol.corpus.checking import check_folder
from protocol.corpus.corpus import Corpus
from protocol.sources import synthetic
from protocol.workers import leaving
from tests.support import corpora
from verifier.corpus.folder import SealedCorpus

KILLED = """
import os, signal, sys
from pathlib import Path
from protocol.workers import leaving

Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
print(leaving.done(*sys.argv[1:]))
"""


class _Killed(Executor):
    """Gives the first task of a kind to a process that is killed when its first file is written and has no name yet.

    Then it does what a cluster does: the task is done by another worker.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.killed = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = leaving.packed(fn, args, kwargs)
        if fn.__name__ == self._kind and not self.killed:
            ended = subprocess.run([sys.executable, "-c", KILLED, *task], check=False, capture_output=True, text=True)
            assert ended.returncode < 0, ended.stdout
            self.killed += 1
        future: Future[Any] = Future()
        future.set_result(leaving.unpacked(leaving.done(*task)))
        return future


def made(folder: Path, cluster: Executor | None = None) -> Corpus:
    (folder / "shared").mkdir(parents=True)
    found = synthetic.documents(documents=60, responsive=20, seed="killed")
    return build.build(
        found,
        folder / "corpus",
        secret=corpora.SECRET,
        shards=folder / "shared" / "shards",
        shard_documents=20,
        workers=1,
        cluster=cluster,
    )


@pytest.mark.parametrize("kind", ["count", "merge", "weigh"])
def test_what_a_killed_worker_was_writing_ends_no_build_and_stays_nowhere(kind: str, tmp_path: Path) -> None:
    whole, cluster = made(tmp_path / "whole"), _Killed(kind)
    corpus = made(tmp_path / "killed", cluster)
    assert cluster.killed
    assert corpus.root == whole.root
    names = [sorted(str(path.relative_to(each)) for path in each.rglob("*")) for each in _shared(tmp_path)]
    assert names[0] == names[1]
    check_folder(corpus.path)
    assert SealedCorpus.open(corpus.path).size == 60  # which refuses a shard with any other file in it


def _shared(folder: Path) -> tuple[Path, ...]:
    return tuple(folder / name / "shared" / "shards" for name in ("whole", "killed"))
