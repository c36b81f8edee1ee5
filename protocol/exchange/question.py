"""The question package: all that a party needs to answer, in a folder or a zip file, under Trent's signature.

question.json     the signed request, with the hash of every other file
entries.jsonl     the history since the party's last question
documents/        the documents to read, as files; texts/ the texts of those that are no plain texts themselves
pages/            and index.html show the texts
labels.csv        to be filled in with a spreadsheet, where labels or rulings are asked for; privilege.csv likewise
README.txt        what to do
proofs.json       for Alice: what proves that the documents are those of the corpus; the others have it in the history
checkpoint.txt, deposits.json, deposit.json    where they are needed
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ledger import canonical, records
from ledger.canonical import Value
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.history import enrolled
from ledger.keys import PublicKey, SigningKey
from ledger.records import Malformed
from ledger.roles import Role
from protocol.exchange import forms, instructions, packages, pages, request, served
from protocol.exchange.errors import BadPackage
from protocol.exchange.instructions import Guide
from protocol.exchange.packages import Package
from protocol.exchange.request import Request, ShownDocument, SignedRequest
from protocol.exchange.served import Released, ServedEntry, ServedLines

MAX_REQUEST = 2**24
"""Bytes of the signed request, enough for some 30,000 documents."""
MAX_EXTRA = 2**26

_FORMS = (request.LABELS, request.CLAIMS)
_SMALL = (request.CHECKPOINT, request.DEPOSITS, request.DEPOSIT, request.PROOFS)
_TOP = {request.ENTRIES, request.INSTRUCTIONS, request.INDEX, *_FORMS, *_SMALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question whose files are those that its request names."""

    path: Path = field(compare=False)
    signed: SignedRequest
    lines: ServedLines
    small: Mapping[str, bytes]  # the contents of checkpoint.txt, deposits.json, deposit.json and proofs.json
    others: tuple[str, ...]  # files that are no part of it

    @property
    def request(self) -> Request:
        """What is asked."""
        return self.signed.question

    @property
    def documents(self) -> dict[int, tuple[str, Digest]]:
        """The file and hash of each document, by position."""
        found: dict[int, tuple[str, Digest]] = {}
        for name, digest in self.request.files.items():
            if name.startswith(f"{request.DOCUMENTS}/"):
                position = request.position_of(name)
                if position is None or position in found:
                    raise BadPackage(f"{name} does not stand at a position of its own; ask Trent to write it again")
                found[position] = (name, digest)
        return dict(sorted(found.items()))

    def contents(self, names: Iterable[str]) -> Iterator[bytes]:
        """Files of the question, one after the other, with the bytes that Trent's request names."""
        with packages.opened(self.path, request.REQUEST) as package:
            for name in names:
                data = b"".join(package.pieces(name))
                if hashlib.sha256(data).digest() != self.request.files[name]:
                    raise _changed(package, name)
                yield data

    def check_signature(self, trent: PublicKey) -> None:
        """Raise unless Trent signed the request."""
        _check_signature(self.signed, trent)


def write(
    out: Path,
    *,
    key: SigningKey,
    history: Sequence[bytes],
    released: Sequence[bytes],
    request: Request,
    documents: Sequence[ShownDocument],
    extra: Mapping[str, bytes],
    guide: Guide,
) -> None:
    """Write a question, whole or not at all. The request's `files` are filled in here."""
    contents = _contents(history, released, request, documents, guide) | dict(extra)
    hashes = {name: Digest(hashlib.sha256(content).digest()) for name, content in contents.items()}
    signed = _signed(key, msgspec.structs.replace(request, files=hashes))
    encoded = records.encode(signed) + b"\n"
    if len(encoded) > MAX_REQUEST:
        raise Refused(f"{out}: {len(documents)} documents are too many for one question; agree on smaller batches")
    packages.write(out, {"question.json": encoded} | contents)


def _signed(key: SigningKey, filled: Request) -> SignedRequest:
    records.from_value(Request, records.to_value(filled))  # a name that no reader accepts is refused here
    return request.sign(key, filled)


def _contents(
    history: Sequence[bytes],
    released: Sequence[bytes],
    asked: Request,
    documents: Sequence[ShownDocument],
    guide: Guide,
) -> dict[str, bytes]:
    """All files but the request and the extra ones, those first that a person looks for."""
    contents = {request.INSTRUCTIONS: instructions.text(asked, guide, len(documents))}
    if documents:
        contents |= pages.render(asked, documents, guide.case, guide.sought)
        contents |= forms.blank(asked, documents)
    contents[request.ENTRIES] = b"".join(line.rstrip(b"\n") + b"\n" for line in (*history, *released))
    contents |= {request.text_file(each.position): each.text.encode() for each in documents if not each.is_text}
    return contents | {each.file(asked.round): each.content for each in documents}


def read_request(path: Path) -> Request:
    """What is asked, by a request of which nothing is checked yet but its form."""
    with packages.opened(path, request.REQUEST) as package:
        return _read_request(package).question


def read(path: Path, trent: PublicKey | None = None) -> Question:
    """A question that Trent signed, with files as his request says. His key is that of the opening, if none is given.

    His signature comes first, and the history line by line, so that a stranger's file costs little. The blank forms
    may have been filled in: they are no part of what is proven, and nothing is read from them here.
    """
    with packages.opened(path, request.REQUEST) as package:
        signed = _read_request(package)
        if trent is not None:
            _check_signature(signed, trent)
        files = signed.question.files
        for name, expected in files.items():
            if name not in _FORMS:
                _check_file(package, name, expected)
        return Question(
            path=path,
            signed=signed,
            lines=served.collected(_read_entries(package, signed, trent)),
            small={name: package.read(name, MAX_EXTRA) for name in _SMALL if name in files},
            others=tuple(sorted(package.sizes.keys() - files.keys() - {request.REQUEST})),
        )


def encode_proofs(proofs: Mapping[int, Value]) -> bytes:
    """`proofs.json`: proofs by position."""
    return canonical.encode({str(position): value for position, value in proofs.items()}) + b"\n"


def decode_proofs(data: bytes) -> dict[int, Value]:
    """The proofs in `proofs.json`, none of which is checked yet."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, dict):
            raise Malformed("an object was expected")
        return {int(position[:12]): proof for position, proof in value.items()}
    except (LedgerError, ValueError) as error:
        raise BadPackage(f"{request.PROOFS} holds no proofs ({error}); ask for the question again") from None


def _read_request(package: Package) -> SignedRequest:
    data = package.read(request.REQUEST, MAX_REQUEST)
    try:
        value = canonical.decode_for_record(data.rstrip(b"\r\n"))
        match value:
            case {"question": {"format": int(version)}} if version != request.FORMAT:
                raise BadPackage(
                    f"{package.path} is a question of format {version}; this version knows format {request.FORMAT}: "
                    "install a newer one"
                )
        return records.from_value(SignedRequest, value)
    except BadPackage:
        raise
    except LedgerError as error:
        raise BadPackage(
            f"{package.path}: {request.REQUEST} is damaged ({error}); ask for the question again"
        ) from None


def _check_signature(signed: SignedRequest, trent: PublicKey) -> None:
    if not request.is_signed(signed, trent):
        raise BadPackage(
            "the question is not signed by the key that the matter enrolled for Trent: it is not his, or was "
            "changed on its way. Do not answer it; ask Trent to send it again"
        )


def _check_file(package: Package, name: str, expected: Digest) -> None:
    if "/" not in name and name not in _TOP:
        raise BadPackage(f"{package.path}: no question holds a file {name}; ask Trent to write it again")
    if name not in package.sizes:
        raise BadPackage(f"{package.path}: {name} is missing; unpack the question again, or ask for it again")
    state = hashlib.sha256()
    for piece in package.pieces(name):
        state.update(piece)
    if state.digest() != expected:
        raise _changed(package, name)


def _changed(package: Package, name: str) -> BadPackage:
    return BadPackage(
        f"{package.path}: {name} is not the file that Trent's request names: it was changed after he wrote it. "
        "Unpack the question again, or ask for it again"
    )


def _read_entries(package: Package, signed: SignedRequest, trent: PublicKey | None) -> Iterator[ServedEntry | Released]:
    """The history that the request names: entries in order, then what they release of earlier ones, in order."""
    asked = signed.question
    if request.ENTRIES not in asked.files:
        raise BadPackage(f"{package.path} brings no history; ask for the question again")
    due, released, head = asked.start, -1, None
    with closing(package.lines(request.ENTRIES)) as lines:
        for line in served.each(lines, f"{package.path}: {request.ENTRIES}"):
            if isinstance(line, ServedEntry):
                fits = line.wire.entry.body.sequence == due < asked.size and released < 0
                if fits and not due and trent is None:
                    _check_signature(signed, enrolled(line.wire.entry.body.statement)[Role.TRENT])
                due, head = due + 1, line.hash
            else:
                fits = due == asked.size and released < line.entry < asked.start
                released = line.entry
            if not fits:
                raise _other_history(package)
            yield line
    if due != asked.size or head not in (None, asked.head):
        raise _other_history(package)


def _other_history(package: Package) -> BadPackage:
    return BadPackage(f"{package.path}: the history is not the one that the request names; ask for the question again")
