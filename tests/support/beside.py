"""What lies beside the copies of small matters: production volumes, privilege logs, and the documents that Bob has."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.roles import Audience
from protocol.lists import proofs, record
from protocol.matter import summary
from tests.support import productions
from tests.support.exhibit_matters import MATTERS, Corpora
from tests.support.exhibits import trents_key
from tests.support.productions import Office

LOG = "log.jsonl"
HANDED = "handed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A matter with all that somebody could open together with a copy of it."""

    office: Office
    copies: Mapping[Audience, Path]
    volumes: tuple[str, ...]  # folders beside the matter, in order

    @property
    def key(self) -> SigningKey:
        """Trent's."""
        return trents_key(summary.read(self.office.matter).opening)

    @property
    def log(self) -> Path:
        """The proofs of its privilege log."""
        return self.office.folder / LOG

    @property
    def handed(self) -> Path:
        """What the volumes hold as natives: documents that Bob was shown."""
        return self.office.folder / HANDED


def samples(folder: Path) -> Iterator[Sample]:
    """One of a matter in two volumes with withheld parts, and one of each of the matters for exhibits."""
    yield _in_two_volumes(folder / "two")
    corpora = Corpora(folder)
    for name in MATTERS:
        office = Office(folder=folder / name, corpus=corpora.under(name))
        office.folder.mkdir()
        MATTERS[name](office.corpus, office.matter)
        yield _sample(office, _produced(office))


def _in_two_volumes(folder: Path) -> Sample:
    office = productions.office(folder)
    office.play(1, withheld=(2,))
    office.produce("V1")
    office.play(withheld=(2,))
    office.produce("V2")
    return _sample(office, ("V1", "V2"))


def _produced(office: Office) -> tuple[str, ...]:
    try:
        office.produce("V1")
    except Refused:  # nothing is settled as responsive
        return ()
    return ("V1",)


def _sample(office: Office, volumes: tuple[str, ...]) -> Sample:
    made = Sample(office=office, copies={each: office.copy(each) for each in Audience}, volumes=volumes)
    made.log.write_bytes(proofs.proofs(record.read(office.matter, Audience.BOB), office.corpus))
    made.handed.mkdir()
    for name in volumes:
        for native in (office.folder / name / "NATIVES").rglob("*.*"):
            shutil.copy(native, made.handed)
    return made
