"""Small real matters for the tests of Trent's commands, played within one process."""

import shutil
from pathlib import Path
from typing import Any

from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.real_matter import Behaviour, Play, run_here


def opened(root: Path, **review: Any) -> Play:
    """A matter that waits for everybody's signature, with its documents."""
    play = Play(root, run_here)
    play.make_keys()
    corpora.make(root / "trent" / "corpus", documents=60, responsive=20)
    usual: dict[str, Any] = {"batch": 8, "rounds": 3, "query": corpora.QUERY}
    play.write_terms(**usual | review)
    play.open()
    return play


def start(root: Path, **review: Any) -> Play:
    """A matter that all have signed."""
    play = opened(root, **review)
    for _ in range(2):
        play.exchange(honest(play))
    return play


def again(play: Play, root: Path) -> Play:
    """The same matter as it stands, in other folders."""
    shutil.copytree(play.root, root, dirs_exist_ok=True)
    found = Play(root, run_here)
    found.answers = play.answers
    return found


def honest(play: Play) -> Behaviour:
    """Everybody says the truth."""
    corpus = Corpus.open(play.folder("trent") / "corpus")
    responsive = corpus.labels("responsive")
    return Behaviour(truth={corpus.name(number): number in responsive for number in range(corpus.size)})
