"""Proofs of a privilege log: its lines are what the corpus commits to, and none is missing (docs/privilege-log.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier import described
from verifier.checks import Audience
from verifier.findings import VerifierError, shortened
from verifier.plural import count
from verifier.reading import at_most
from verifier.record import encoding
from verifier.record.copy import CopyReader
from verifier.record.encoding import NotCanonical
from verifier.record.hashing import tagged_hash
from verifier.record.parts import Part, Proof, read_path, read_proof
from verifier.record.shapes import Malformed, digest, listed, natural, positive, read, record, shaped
from verifier.record.trees import root_from_shared_path
from verifier.replay.detail import RoundDetail
from verifier.tally import Progress
from verifier.verdict import Answer, Verdict
from verifier.verification import verify
from verifier.words import filled

FORMAT = 1
LARGEST_FILE = 1 << 28
"""Bytes."""

Place = tuple[int, int]
"""A round and a position."""


class Disproved(VerifierError):
    """The log is not what the record and the corpus commitment say."""


class Undecided(VerifierError):
    """The file or the copy cannot be judged."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    round: int = shaped(positive)
    salt: bytes = shaped(digest)
    value: tuple[int, ...] = shaped(listed(natural))


@dataclass(frozen=True, slots=True)
class _Head:
    format: int = shaped(natural)
    matter: bytes = shaped(digest)
    numbers: tuple[_Numbers, ...] = shaped(listed(record(_Numbers)))
    path: bytes = shaped(read_path)


@dataclass(frozen=True, slots=True)
class _Line:
    position: int = shaped(positive)
    proof: Proof = shaped(read_proof)
    round: int = shaped(positive)

    @property
    def place(self) -> Place:
        return self.round, self.position


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line of the log that is proven."""

    first: Place  # where the document was first put up, by which a log names it
    parts: tuple[Part, ...]
    basis: str  # of the claim, if the copy shows it
    entry: int  # of the ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commitments:
    """What the copy says about the numbers of documents, by round."""

    sealed: Mapping[int, bytes]  # of batches: the commitment
    sizes: Mapping[int, int]
    stated: Mapping[int, tuple[int, ...]]  # of validations and calls


def check(proofs: Path, copy: Path, progress: Progress = lambda *_: None) -> list[Logged]:
    """The lines that are proven, in the order of the file; raises `Disproved` or `Undecided`."""
    head, lines = _read(proofs)
    verdict = verify(copy, detailed=True, progress=progress)
    _check_copy(verdict, copy)
    if verdict.copy is None or verdict.opened is None or head.matter != verdict.copy.matter:
        raise Undecided(f"{proofs} is about another matter than the copy; give a copy of that matter")
    details = {each.number: each for each in verdict.details}
    _check_complete(lines, details)
    found = _commitments(copy, verdict.copy.head)
    numbers = _opened(head, found)
    firsts = {line.place: _first(details[line.round], line.position) for line in lines}
    leaves: dict[int, bytes] = {}
    for line in lines:
        number = _number(line, firsts[line.place], numbers, found)
        leaves[number] = line.proof.leaf(number)
    needed = {firsts[each.place][0] for each in lines if each.position > len(found.stated.get(each.round, ()))}
    if unused := sorted(numbers.keys() - needed):
        raise Disproved(f"the numbers of round {unused[0]} are opened, but no line needs them")
    corpus = verdict.opened.corpus
    if lines and root_from_shared_path(leaves, corpus.documents, head.path) != corpus.root:
        raise Disproved("the lines do not lead to the root of the corpus: at least one is not what was committed to")
    if not lines and head.path:
        raise Disproved("there is a path, but no line that it could lead from")
    return [_logged(line, firsts[line.place], details[line.round]) for line in lines]


def _read(path: Path) -> tuple[_Head, list[_Line]]:
    """The file, strictly."""
    try:
        data = at_most(path, LARGEST_FILE)
    except OSError as error:
        raise Undecided(f"{path} cannot be read: {str(error.strerror or error).rstrip('.')}") from None
    if not data.endswith(b"\n"):
        raise Undecided(f"{path} is empty or cut short; get the file again")
    raw = data[:-1].split(b"\n")
    head = _parsed(_Head, raw[0], f"{path}, line 1")
    if head.format != FORMAT:
        raise Undecided(f"{path} has the format {head.format}, and this program knows {FORMAT}; install a newer one")
    lines = [_parsed(_Line, line, f"{path}, line {number}") for number, line in enumerate(raw[1:], start=2)]
    places = [line.place for line in lines]
    if places != sorted(set(places)) or [each.round for each in head.numbers] != sorted(
        {each.round for each in head.numbers}
    ):
        raise Undecided(f"{path}: lines, or openings of numbers, are repeated or out of order; get the file again")
    return head, lines


def _parsed(kind: type[Any], data: bytes, where: str) -> Any:
    try:
        return read(kind, encoding.decode(data))
    except (NotCanonical, Malformed) as error:
        raise Undecided(f"{where} does not have its form ({error}); get the file again from where it came") from None


def _check_copy(verdict: Verdict, copy: Path) -> None:
    if verdict.answer is Answer.REJECTED:
        raise Disproved(f"the copy {copy} is itself rejected; see what is wrong with tallystick-verify {copy}")
    if verdict.answer is Answer.UNDECIDED:
        raise Undecided(f"the copy cannot be judged: {verdict.trouble}")
    if verdict.copy is not None and verdict.copy.audience is Audience.PUBLIC:
        raise Undecided("the copy for the public does not show what a log rests on; give Alice's, Bob's or the court's")


def _check_complete(lines: list[_Line], details: Mapping[int, RoundDetail]) -> None:
    due = {(each.number, position) for each in details.values() for position in each.privileged}
    given = {line.place for line in lines}
    if missing := sorted(due - given):
        number, position = missing[0]
        raise Disproved(f"position {position} of round {number} is withheld as privileged, but the log leaves it out")
    if more := sorted(given - due):
        number, position = more[0]
        raise Disproved(
            f"the log has position {position} of round {number}, which the record does not withhold as privileged"
        )


def _commitments(copy: Path, head: bytes) -> _Commitments:
    """A second reading of the copy, which must be the one that was verified."""
    sealed: dict[int, bytes] = {}
    sizes: dict[int, int] = {}
    stated: dict[int, tuple[int, ...]] = {}
    reader = CopyReader(copy, progress=lambda _: None)
    for told in reader:
        said = told.entry.said
        if said.kind == "batch":
            (sealed[said.round],) = said.sealed["numbers"].commitments
            sizes[said.round] = said.content["size"]
        elif said.kind in ("validation", "call"):
            stated[said.round] = tuple(said.content["numbers"])
    if reader.chain.head != head:
        raise Undecided(f"{copy} has changed while it was read; run the command again")
    return _Commitments(sealed=sealed, sizes=sizes, stated=stated)


def _opened(head: _Head, found: _Commitments) -> dict[int, tuple[int, ...]]:
    """The numbers of the batches that the file opens, each as it was sealed."""
    for each in head.numbers:
        made = tagged_hash("commitment", each.salt, encoding.encode(list(each.value)))
        if made != found.sealed.get(each.round) or len(each.value) != found.sizes[each.round]:
            raise Disproved(f"the numbers of round {each.round} are not those that its batch seals")
    return {each.round: each.value for each in head.numbers}


def _first(detail: RoundDetail, position: int) -> Place:
    """Where a document was first put up."""
    return detail.origins.get(position, (detail.number, position))


def _number(line: _Line, first: Place, numbers: Mapping[int, tuple[int, ...]], found: _Commitments) -> int:
    if not all(part.withheld for part in line.proof.parts):
        raise Disproved(f"the proof of position {line.position} of round {line.round} opens more than the log")
    stated = found.stated.get(line.round, ())
    if line.position <= len(stated):
        return stated[line.position - 1]
    number, position = first
    known = numbers.get(number, found.stated.get(number, ()))
    if position > len(known):
        raise Disproved(f"which document stood at position {position} of round {number} is not opened")
    return known[position - 1]


def _logged(line: _Line, first: Place, detail: RoundDetail) -> Logged:
    basis = detail.claims.get(line.position)
    said = basis if isinstance(basis, str) else ""
    return Logged(first=first, parts=line.proof.parts, basis=said, entry=detail.camera_in.get(line.position, -1))


def words(found: list[Logged]) -> str:
    """The answer, and the log that is proven."""
    if not found:
        return "VERIFIED: this copy shows nothing as withheld as privileged, and the log is empty."
    told = (
        f"VERIFIED: {count(len(found), 'document')} of the privilege log. What it states of each was fixed before the "
        "first round, and no document is missing that this copy shows as withheld as privileged. Compare the log that "
        "you were given with this one:"
    )
    return "\n".join([filled(told), *(line for each in found for line in _told(each))])


def _told(line: Logged) -> Iterator[str]:
    number, position = line.first
    yield f"\nR{number}-P{position}, upheld in entry {line.entry}. Basis: {shortened(line.basis) or 'sealed'}"
    yield from (f"  {each}" for each in described.lines(line.parts))


def value(found: list[Logged]) -> list[dict[str, Any]]:
    """The same for scripts."""
    return [
        {
            "round": each.first[0],
            "position": each.first[1],
            "basis": each.basis,
            "entry": each.entry,
            "parts": [
                {name: getattr(part.log, name) for name in ("author", "date", "parent", "recipients", "type")}
                for part in each.parts
            ],
        }
        for each in found
    ]
