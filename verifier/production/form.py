"""MANIFEST.json of a volume: its form, and what its parts may be. Nothing here looks at other files."""

import re
from dataclasses import dataclass

from verifier.production.checks import Undecided
from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.shapes import (
    Malformed,
    digest,
    listed,
    maybe,
    natural,
    positive,
    read,
    record,
    shaped,
    signature,
    text,
    truth,
    whole,
)

FILE, RETURN = "MANIFEST.json", "RETURN.csv"
FORMAT = 1
A_FOLDER = 1000
"""Records whose files are in one folder."""

_PREFIX = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z._-])?")
_ENDING = re.compile(r"[a-z0-9]{1,10}")
_GET_AGAIN = "Get the volume again from where it came."


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of the load file."""

    called: str = shaped(text)
    field: str = shaped(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file as the manifest lists it."""

    path: str = shaped(text)
    sha256: bytes = shaped(digest)
    size: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier volume as the manifest names it."""

    begin: int = shaped(natural)
    head: bytes = shaped(digest)
    manifest: bytes = shaped(digest)
    next: int = shaped(natural)
    size: int = shaped(positive)
    volume: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A record of the load file as the manifest lists it."""

    document: int = shaped(natural)
    native: str | None = shaped(maybe(text))
    number: str = shaped(text)
    part: int = shaped(natural)
    position: int = shaped(positive)
    round: int = shaped(positive)
    text: str = shaped(text)
    withheld: bool = shaped(truth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What Trent signs of a volume."""

    begin: int = shaped(natural)
    digits: int = shaped(whole(1, 15))
    earlier: tuple[Earlier, ...] = shaped(listed(record(Earlier)))
    fields: tuple[Field, ...] = shaped(listed(record(Field)))
    files: tuple[File, ...] = shaped(listed(record(File)))
    format: int = shaped(natural)
    head: bytes = shaped(digest)
    matter: bytes = shaped(digest)
    next: int = shaped(natural)
    prefix: str = shaped(text)
    records: tuple[Row, ...] = shaped(listed(record(Row)))
    size: int = shaped(positive)
    volume: int = shaped(positive)

    @property
    def name(self) -> str:
        """The name of the volume's load files."""
        return f"VOL{self.volume:03}"

    @property
    def table(self) -> str:
        """The path of the load file."""
        return f"DATA/{self.name}.dat"

    @property
    def images(self) -> str:
        """The path of the list of images."""
        return f"DATA/{self.name}.opt"

    def named(self, number: int) -> str:
        """A number as it is written."""
        return f"{self.prefix}{number:0{self.digits}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """The manifest, the bytes that are signed, and the signature."""

    manifest: Manifest
    signed: bytes
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    manifest: Manifest = shaped(record(Manifest))
    signature: bytes = shaped(signature)


def parse(data: bytes, where: object) -> Signed:
    """The manifest in these bytes, or `Undecided` if they are none."""
    try:
        value = encoding.decode(data)
        _check_format(value, where)
        found = read(_Frame, value)
        _check(found.manifest)
    except (NotCanonical, Malformed) as error:
        raise Undecided(f"{where} is not a manifest of a volume: {error}", _GET_AGAIN) from None
    signed = encoding.encode(value["manifest"])
    return Signed(manifest=found.manifest, signed=signed, signature=found.signature)


def _check_format(value: object, where: object) -> None:
    stated = value.get("manifest") if isinstance(value, dict) else None
    version = stated.get("format") if isinstance(stated, dict) else None
    if type(version) is int and version != FORMAT:
        raise Undecided(
            f"{where} has format {version}, but this verifier knows only format {FORMAT}",
            "Install a newer version of this program.",
        )


def _check(manifest: Manifest) -> None:
    if not _PREFIX.fullmatch(manifest.prefix) or manifest.prefix[-1].isdigit():
        raise Malformed("the prefix of the numbers has another form")
    if manifest.next > 10**manifest.digits:
        raise Malformed("a number has more digits than the manifest states")
    if [each.volume for each in manifest.earlier] != list(range(1, manifest.volume)):
        raise Malformed("it does not name all earlier volumes in order")


def text_path(manifest: Manifest, place: int) -> str:
    """Where the text of a record is; `place` counts the records from 0."""
    return f"TEXT/{place // A_FOLDER + 1:04}/{manifest.named(manifest.begin + place)}.txt"


def native_path(manifest: Manifest, place: int, stated: str) -> str:
    """Where the native of a record is, with the ending of the stated path if it can be one."""
    ending = stated.rpartition(".")[2]
    ending = ending if _ENDING.fullmatch(ending) else "bin"
    return f"NATIVES/{place // A_FOLDER + 1:04}/{manifest.named(manifest.begin + place)}.{ending}"
