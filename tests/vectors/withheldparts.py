"""Transcripts of matters in which the court withholds parts of families: an honest one, and cheats.

They have a corpus of their own, and are stored compressed.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.support import corpora
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.partcheats import PARTED, PARTS
from tests.support.forging.running import plan
from tests.vectors import spotchecks
from tests.vectors.cases import Case
from tests.vectors.edges import Maker

CORPUS = "corpora/families"


def cases(maker: Maker, folder: Path) -> Iterator[Case]:
    corpus = corpora.families(folder / CORPUS, documents=20, responsive=8)
    played = plan(corpus, players=dict(PARTED.players), protocol=PARTED.protocol, **PARTED.terms)
    path = maker.play(corpus, played, course=PARTED.run)
    yield from spotchecks.copied(maker, "parted", PARTED, played, path, EVERYBODY, CORPUS)
    for name, cheat in PARTS.items():
        yield spotchecks.caught(maker, name, cheat, played, maker.play(corpus, played, **cheat.bends))
