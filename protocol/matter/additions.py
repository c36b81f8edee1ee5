"""Entries before and after the log adds them: one of Trent's own is made, and any one is told once it is on disk."""

from collections.abc import Mapping

from ledger import records
from ledger.entries import Opening, Release, Sealed, Statement
from ledger.hashing import Digest
from ledger.log import Addition
from ledger.records import Record
from ledger.roles import Role
from protocol.matter.state import Told
from protocol.matter.statements import SHAPES, Kind


def by_trent(
    matter: Digest,
    kind: Kind,
    content: Record,
    number: int,
    *,
    sealed: Mapping[str, Sealed] | None = None,
    openings: tuple[Opening, ...] = (),
    attachments: tuple[bytes, ...] = (),
    releases: tuple[Release, ...] = (),
) -> Addition:
    """Whom the entry asks follows from its kind; `number` is the round's, or 0."""
    statement = Statement(
        answers=None,
        author=Role.TRENT,
        content=records.to_value(content),
        kind=kind,
        matter=matter,
        replaces=(),
        round=number,
        sealed=dict(sealed or {}),
    )
    return Addition(
        statement=statement,
        openings=openings,
        attachments=attachments,
        asks=tuple(sorted(SHAPES[kind].asks)),
        releases=releases,
    )


def told(addition: Addition, sequence: int, digest: Digest) -> Told:
    """The entry as the matter is told of it, once the log holds it."""
    return Told(
        sequence=sequence,
        hash=digest,
        statement=addition.statement,
        openings=tuple(sorted(addition.openings, key=lambda each: (each.field, each.index))),
        asks=addition.asks,
        releases=addition.releases,
    )
