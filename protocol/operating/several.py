"""Several matters of one Trent, side by side: each goes on in a thread of its own, and none waits for another."""

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.matter import summary
from protocol.operating.loop import Run


def forever(runs: Sequence[Run]) -> None:
    """Let all go on until they are stopped. If one cannot begin, or breaks, all end, and its error is raised."""
    with ThreadPoolExecutor(len(runs)) as pool:
        working = [pool.submit(each.forever) for each in runs]
        try:
            wait(working, return_when=FIRST_EXCEPTION)
        finally:
            for each in runs:
                each.stop()
    for done in working:
        done.result()


def corpus_of(matter: Path, folders: Sequence[Path]) -> Corpus:
    """The corpus that a matter was opened with, of those that were given."""
    if len(folders) == 1:
        return Corpus.open(folders[0])  # the matter itself says what is wrong with it
    committed = summary.read(matter).opening.corpus
    for each in map(Corpus.open, folders):
        if (each.root, each.size) == (committed.root, committed.documents):
            return each
    raise BadCorpus(
        f"{matter} was opened with none of the corpora that were given: its corpus has the root "
        f"{committed.root.hex()}. Add that corpus with --corpus"
    )
