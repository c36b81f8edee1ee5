"""MANIFEST.json: what a volume holds, of which record it is made, and Trent's signature under both."""

from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path

from ledger import records
from ledger.hashing import Digest
from ledger.keys import Signature, SigningKey
from ledger.records import Natural, Record

FILE = "MANIFEST.json"
FORMAT = 1
TAG = "production"
"""What stands before the bytes that Trent signs."""


class Field(Record, frozen=True, kw_only=True):
    """A column of the load file."""

    called: str
    """Its name in this volume."""
    field: str
    """Our name of it."""


class File(Record, frozen=True, kw_only=True):
    """A file of the volume."""

    path: str
    """From the folder of the volume, with slashes."""
    sha256: Digest
    size: Natural


class Earlier(Record, frozen=True, kw_only=True):
    """A volume before this one."""

    begin: Natural
    head: Digest
    manifest: Digest
    """The SHA-256 of its MANIFEST.json."""
    next: Natural
    size: Natural
    volume: Natural


class Row(Record, frozen=True, kw_only=True):
    """A record of the load file: a part of a document, or the slip sheet that stands for it."""

    document: Natural
    native: str | None
    number: str
    part: Natural
    position: Natural
    round: Natural
    text: str
    withheld: bool


class Manifest(Record, frozen=True, kw_only=True):
    """What Trent signs."""

    begin: Natural
    digits: Natural
    earlier: tuple[Earlier, ...]
    fields: tuple[Field, ...]
    files: tuple[File, ...]
    format: Natural
    head: Digest
    matter: Digest
    next: Natural
    prefix: str
    records: tuple[Row, ...]
    size: Natural
    volume: Natural


class Signed(Record, frozen=True, kw_only=True):
    """The file."""

    manifest: Manifest
    signature: Signature


def listed(folder: Path) -> tuple[File, ...]:
    """Every file below a folder, by path."""
    return tuple(sorted(_files(folder), key=lambda each: each.path))


def signed(manifest: Manifest, key: SigningKey) -> bytes:
    """The bytes of MANIFEST.json."""
    return records.encode(Signed(manifest=manifest, signature=key.sign(TAG, records.encode(manifest))))


def columns(ours: Sequence[str], called: Sequence[str]) -> tuple[Field, ...]:
    """The columns in their order."""
    return tuple(Field(field=field, called=name) for field, name in zip(ours, called, strict=True))


def _files(folder: Path) -> Iterator[File]:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as stream:
                digest = Digest(file_digest(stream, "sha256").digest())
            yield File(path=path.relative_to(folder).as_posix(), sha256=digest, size=path.stat().st_size)
