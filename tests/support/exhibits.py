"""Exhibits for tests: cut out of matters on disk, and checked again."""

import json
from pathlib import Path
from typing import Any

from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.exhibit import exhibit, folder
from protocol.matter.values import Opened
from protocol.simulation.identity import Simulated
from tests.support.forging.mutations import canonical


def trents_key(opening: Opened) -> SigningKey:
    """Trent's key in a simulated matter."""
    played = Simulated.of(opening)
    assert played is not None
    return played.key(Role.TRENT)


def cut(matter: Path, corpus: Corpus, document: int, out: Path) -> Path:
    """The exhibit of a document, in a new folder."""
    folder.write(exhibit.gather(matter, corpus, document, trents_key), corpus, out)
    return out


def record(folder: Path) -> Any:
    """What exhibit.json says."""
    return json.loads((folder / "exhibit.json").read_bytes())


def rewrite(folder: Path, value: Any, *, certified: bool = False) -> None:
    """Put another exhibit.json in its place; without the certification, which would betray it, unless it is kept."""
    (folder / "exhibit.json").write_bytes(canonical(value))
    if not certified:
        (folder / "certification.txt").unlink(missing_ok=True)
