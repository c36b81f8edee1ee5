"""Which document got which numbers in which volume: a file beside the matter, so that numbers go on and never change.

    case.matter.numbers

A volume is in the register before it gets its name, and is marked as finished afterwards. So a command that is killed
in between has given its numbers to these documents for good, and the next one writes the same volume again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from ledger import files, reading, records
from ledger.canonical import NotCanonical
from ledger.errors import Damaged, Refused, UnknownFormat
from ledger.hashing import Digest
from ledger.records import Malformed, Natural, Record
from protocol.loadfile.volume import Numbers
from protocol.production.record import Reading

SUFFIX = ".numbers"
FORMAT = 1
DIGITS = 8
START = 1
MAX_SIZE = 2**30

_KEEP = "It keeps the numbers of documents that were produced: restore it from a backup"


class Volume(Record, frozen=True, kw_only=True):
    """A volume that was made, or begun."""

    begin: Natural
    """Its first number."""
    finished: bool
    head: Digest
    manifest: Digest
    """The SHA-256 of its MANIFEST.json."""
    names: dict[str, str]
    """What fields are called in it, where it is not the usual."""
    next: Natural
    """The number after its last."""
    number: Natural
    """Of the volume, from 1."""
    returns: Digest
    """The SHA-256 of its list for return."""
    size: Natural
    """How many entries the matter had."""


class Numbered(Record, frozen=True, kw_only=True):
    """A document that has numbers: one for each of its parts, one after the other."""

    begin: Natural
    document: Natural
    parts: Natural
    volume: Natural


class Register(Record, frozen=True, kw_only=True):
    """All volumes of a matter, and the documents in them."""

    digits: Natural
    documents: tuple[Numbered, ...]
    format: Natural
    matter: Digest
    prefix: str
    start: Natural
    volumes: tuple[Volume, ...]

    @property
    def unfinished(self) -> Volume | None:
        """The volume that was begun and not finished: it can only be the last."""
        return self.volumes[-1] if self.volumes and not self.volumes[-1].finished else None

    @property
    def next(self) -> int:
        """The number that the next volume begins with."""
        return self.volumes[-1].next if self.volumes else self.start

    def numbers(self, begin: int) -> Numbers:
        """The numbers from this one on, as they are written."""
        return Numbers(prefix=self.prefix, digits=self.digits, next=begin)

    def before(self, volume: int) -> tuple[Volume, ...]:
        """The volumes before one of them."""
        return tuple(each for each in self.volumes if each.number < volume)

    def begun(self, volume: Volume, documents: Sequence[Numbered]) -> "Register":
        """With one more volume, or with its last one written again."""
        earlier = tuple(each for each in self.documents if each.volume != volume.number)
        return replace(self, volumes=(*self.before(volume.number), volume), documents=(*earlier, *documents))

    def ended(self) -> "Register":
        """With the last volume finished."""
        return replace(self, volumes=(*self.volumes[:-1], replace(self.volumes[-1], finished=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the operator asks for. Only the first volume can do without an answer from the register."""

    prefix: str | None = None
    digits: int | None = None
    start: int | None = None


def beside(matter: Path) -> Path:
    """Where the register of a matter is."""
    return matter.with_name(f"{matter.name}{SUFFIX}")


def opened(path: Path, wanted: Wanted, found: Reading) -> Register:
    """The register of this matter, or a new one; refused if what is wanted would change numbers."""
    register = read(path)
    if register is None:
        if wanted.prefix is None:
            raise Refused("this is the first volume: say with --prefix what stands before its numbers, such as ACME")
        register = Register(
            digits=DIGITS if wanted.digits is None else wanted.digits,
            documents=(),
            format=FORMAT,
            matter=found.state.number,
            prefix=wanted.prefix,
            start=START if wanted.start is None else wanted.start,
            volumes=(),
        )
        register.numbers(register.start)
        return register
    _check(path, register, wanted, found)
    return register


def write(path: Path, register: Register) -> None:
    """Replace the register, for whoever holds its lock."""
    with files.replaced_alone(path) as stream:
        stream.write(records.encode(register))


def unfinished_size(path: Path) -> int | None:
    """How many entries the matter had when a volume was begun that is not finished, if there is one."""
    register = read(path)
    return register.unfinished.size if register is not None and register.unfinished is not None else None


def read(path: Path) -> Register | None:
    """The register, if there is one."""
    try:
        data = reading.whole(path, MAX_SIZE, "a register of numbers")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}. {_KEEP}") from None
    try:
        register = records.decode(Register, data)
    except (Malformed, NotCanonical) as error:
        raise Damaged(f"{path} is not a register of numbers: {error}. {_KEEP}") from None
    if register.format != FORMAT:
        raise UnknownFormat("register of numbers", register.format, FORMAT)
    return register


def _check(path: Path, register: Register, wanted: Wanted, found: Reading) -> None:
    if register.matter != found.state.number:
        raise Refused(f"{path} belongs to another matter, {register.matter.hex()}. {_KEEP}")
    for each in register.volumes:
        if each.size > len(found.hashes) or found.hashes[each.size - 1] != each.head:
            raise Refused(
                f"{path}: volume {each.number} was made of {each.size} entries that this matter does not have. The "
                "matter may be an older backup: use the newest one"
            )
    if wanted.prefix not in (None, register.prefix) or wanted.digits not in (None, register.digits):
        raise Refused(
            f"the numbers of this matter are {register.numbers(0).named(register.start)} and so on, and never change: "
            "leave --prefix and --digits out, or give the same"
        )
    if wanted.start not in (None, register.start):
        raise Refused(
            f"the next number is {register.numbers(0).named(register.next)}: --start is for the first volume only"
        )
