"""Two copies of one matter: one history, or the proof that Trent signed two.

Both are read side by side. Where both hold an entry of the same number that Trent signed and they differ, the two
signatures prove that he showed two histories; nobody else could have made either signature.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path

from verifier.checks import Role
from verifier.findings import Damaged, Fault, UnknownVersion, Unreadable
from verifier.record.chain import SignedBody
from verifier.record.copy import CopyReader, Told
from verifier.record.hashing import fingerprint, tagged_hash
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import Caption
from verifier.tally import Progress
from verifier.trust import Identity, identify


class Comparison(StrEnum):
    """How a comparison ends."""

    SAME = "same history"
    PREFIX = "one continues the other"
    EQUIVOCATION = "two histories"
    UNDECIDED = "undecided"


EXIT_CODES = {Comparison.SAME: 0, Comparison.PREFIX: 0, Comparison.EQUIVOCATION: 1, Comparison.UNDECIDED: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedEntry:
    """An entry with what proves that Trent signed it."""

    copy: Path
    hash: bytes
    signature: bytes
    body: bytes  # what the signature covers, behind its type tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a comparison of two copies found."""

    result: Comparison
    message: str
    entries: tuple[int, int] = (0, 0)  # how many entries each copy has, as far as both were read
    sequence: int | None = None  # where the histories part
    trent: str = ""  # the fingerprint of the key that signed both
    identity: Identity = Identity.NOT_CHECKED  # of that key
    simulation: bool = False  # a simulation, whose keys anyone can derive
    names: Mapping[Role, str] | None = None  # of people, if both copies state the same
    proof: tuple[SignedEntry, SignedEntry] | None = None

    @property
    def exit_code(self) -> int:
        """For the shell."""
        return EXIT_CODES[self.result]


class _Side:
    """One of the two copies, read as far as it can be."""

    def __init__(self, path: Path, label: str, progress: Progress) -> None:
        self.path = path
        size = path.stat().st_size if path.is_file() else 0
        self.reader = CopyReader(path, progress=lambda done: progress(f"Reading {label}", done, size))
        self.trouble: str | None = None
        self.simulation = False
        self.names: Mapping[Role, str] | None = None

    def entries(self) -> Iterator[SignedBody]:
        """What Trent signed, entry by entry; the last one may be what ended the reading."""
        number = 0
        for told in self._told():
            if told.entry.body.sequence == 0:
                self._know(told)
            number += 1
            yield SignedBody(
                matter=told.entry.body.matter,
                sequence=told.entry.body.sequence,
                body=told.entry.body_bytes,
                signature=told.entry.signature,
            )
        signed = self.reader.chain.signed
        if signed is not None and signed.sequence == number:
            yield signed

    def _know(self, opening: Told) -> None:
        self.simulation = opening.entry.said.content.get("simulation") is not None
        self.names = _names(opening)

    def _told(self) -> Iterator[Told]:
        try:
            yield from self.reader
        except Fault as fault:
            self.trouble = f"{self.path} breaks {fault.finding.check} by itself: {fault.finding.rule}"
        except Damaged as error:
            self.trouble = f"{self.path} is damaged: {error}"
        except (UnknownVersion, Unreadable) as error:
            self.trouble = str(error)


def compare(
    first: Path, second: Path, *, trent: Collection[str] | None = None, progress: Progress = lambda *_: None
) -> Compared:
    """Compare two copies, whatever their audiences; `trent` holds his fingerprint, if the reader knows it."""
    one, other = _Side(first, "the first copy", progress), _Side(second, "the second copy", progress)
    found = None
    for left, right in zip_longest(one.entries(), other.entries()):
        if left is None or right is None:
            continue
        if left.sequence == 0 and (parted := _two_matters(one, other, left, right)):
            return Compared(result=Comparison.UNDECIDED, message=parted)
        if left.body != right.body:
            if left.sequence == 0:
                one.names = None  # each copy names others
            found = _equivocation(one, other, left, right)
            break
    return _with_identity(found or _agreement(one, other), one, trent)


def _names(opening: Told) -> Mapping[Role, str] | None:
    try:
        return read(Caption, opening.entry.said.content.get("caption")).names
    except Malformed:  # no caption either
        return None


def _with_identity(compared: Compared, one: _Side, trusted: Collection[str] | None) -> Compared:
    """The result, and whose key it is about. Two copies that agree under a stranger's key say nothing about Trent."""
    if Role.TRENT not in one.reader.chain.keys:
        return compared
    key = one.reader.chain.keys[Role.TRENT]
    identity = identify(Role.TRENT, key, {} if trusted is None else {Role.TRENT: trusted})
    named = replace(compared, trent=fingerprint(key), identity=identity, simulation=one.simulation, names=one.names)
    if identity is Identity.ANOTHER and compared.proof is None:
        return replace(
            named,
            result=Comparison.UNDECIDED,
            message="the copies are not signed with the key that you trust as Trent's",
        )
    return named


def _two_matters(one: _Side, other: _Side, left: SignedBody, right: SignedBody) -> str | None:
    if left.matter != right.matter:
        return "the copies are of two different matters, so comparing them proves nothing"
    if one.reader.chain.keys[Role.TRENT] != other.reader.chain.keys[Role.TRENT]:
        return (
            "the copies name different keys as Trent's, so at least one of them is not by him; compare the "
            "fingerprints with those that you were given"
        )
    return None


def _equivocation(one: _Side, other: _Side, left: SignedBody, right: SignedBody) -> Compared:
    sequence = left.sequence
    proof = tuple(
        SignedEntry(copy=side.path, hash=tagged_hash("entry", each.body), signature=each.signature, body=each.body)
        for side, each in ((one, left), (other, right))
    )
    return Compared(
        result=Comparison.EQUIVOCATION,
        message=f"Trent signed two different entries {sequence} of one matter",
        entries=(one.reader.chain.size, other.reader.chain.size),
        sequence=sequence,
        proof=(proof[0], proof[1]),
    )


def _agreement(one: _Side, other: _Side) -> Compared:
    sizes = (one.reader.chain.size, other.reader.chain.size)
    troubles = [side.trouble for side in (one, other) if side.trouble]
    if troubles:
        return Compared(result=Comparison.UNDECIDED, message="; ".join(troubles), entries=sizes)
    if sizes[0] == sizes[1]:
        return Compared(result=Comparison.SAME, message=f"both copies hold the same {sizes[0]} entries", entries=sizes)
    shorter, longer = sorted(sizes)
    return Compared(
        result=Comparison.PREFIX,
        message=f"one copy continues the other: the first {shorter} of {longer} entries are the same",
        entries=sizes,
    )
