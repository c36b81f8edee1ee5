"""The question package: all that a party needs to answer, in a folder or a zip file, under Trent's signature.

question.json     the signed request, with the hash of every other file
entries.jsonl     the history since the party's last question
documents/        the documents to read, as files; pages/ and index.html show their texts
labels.csv        to be filled in with a spreadsheet, where labels or rulings are asked for; privilege.csv likewise
README.txt        what to do
checkpoint.txt, deposits.json, deposit.json    where they are needed
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ledger import canonical, records
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.records import Malformed
from ledger.roles import Role
from protocol.exchange import forms, instructions, packages, reading, request, served
from protocol.exchange.errors import BadPackage
from protocol.exchange.packages import Package
from protocol.exchange.request import Request, ShownDocument, SignedRequest
from protocol.exchange.secrets import SealedRoot
from protocol.exchange.served import ServedLines

MAX_REQUEST = 2**26
MAX_ENTRIES = 2**31
MAX_EXTRA = 2**20

_FORMS = (request.LABELS, request.CLAIMS)
_SMALL = (request.CHECKPOINT, request.DEPOSITS, request.DEPOSIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question whose files are those that its request names."""

    signed: SignedRequest
    lines: ServedLines
    small: Mapping[str, bytes]  # the contents of checkpoint.txt, deposits.json and deposit.json
    others: tuple[str, ...]  # files that are no part of it

    @property
    def request(self) -> Request:
        """What is asked."""
        return self.signed.question

    @property
    def documents(self) -> dict[int, tuple[str, Digest]]:
        """The file and hash of each document, by position."""
        return {
            request.position_of(name): (name, digest)
            for name, digest in sorted(self.request.files.items())
            if name.startswith(f"{request.DOCUMENTS}/")
        }

    def check_signature(self, trent: PublicKey) -> None:
        """Raise unless Trent signed the request."""
        if not request.is_signed(self.signed, trent):
            raise BadPackage(
                "the question is not signed by the key that the matter enrolled for Trent: it is not his, or was "
                "changed on its way. Do not answer it; ask Trent to send it again"
            )


def write(
    out: Path,
    *,
    key: SigningKey,
    history: Sequence[bytes],
    released: Sequence[bytes],
    request: Request,
    documents: Sequence[ShownDocument],
    extra: Mapping[str, bytes],
    case: str,
) -> None:
    """Write a question, whole or not at all. The request's `files` are filled in here."""
    contents = _contents(history, released, request, documents, case) | dict(extra)
    hashes = {name: Digest(hashlib.sha256(content).digest()) for name, content in contents.items()}
    signed = _signed(key, msgspec.structs.replace(request, files=hashes))
    packages.write(out, {"question.json": records.encode(signed) + b"\n"} | contents)


def _signed(key: SigningKey, filled: Request) -> SignedRequest:
    records.from_value(Request, records.to_value(filled))  # a name that no reader accepts is refused here
    return request.sign(key, filled)


def _contents(
    history: Sequence[bytes], released: Sequence[bytes], asked: Request, documents: Sequence[ShownDocument], case: str
) -> dict[str, bytes]:
    """All files but the request and the extra ones, those first that a person looks for."""
    contents = {request.INSTRUCTIONS: instructions.text(asked, case, len(documents))}
    if documents:
        contents |= reading.pages(asked, documents, case)
        contents |= forms.blank(asked, documents)
    contents[request.ENTRIES] = b"".join(line.rstrip(b"\n") + b"\n" for line in (*history, *released))
    return contents | {each.file(asked.round): each.content for each in documents}


def read(path: Path, trent: PublicKey | None = None) -> Question:
    """A question whose files are as its request says; given Trent's key, his signature is checked too.

    The blank forms may have been filled in: they are no part of what is proven, and nothing is read from them here.
    """
    with packages.opened(path, request.REQUEST) as package:
        signed = _read_request(package)
        files = signed.question.files
        for name, expected in files.items():
            if name not in _FORMS:
                _check_file(package, name, expected)
        found = Question(
            signed=signed,
            lines=_read_entries(package, signed.question),
            small={name: package.read(name, MAX_EXTRA) for name in _SMALL if name in files},
            others=tuple(sorted(package.sizes.keys() - files.keys() - {request.REQUEST})),
        )
    if trent is not None:
        found.check_signature(trent)
    return found


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


def _check_file(package: Package, name: str, expected: Digest) -> None:
    if name not in package.sizes:
        raise BadPackage(f"{package.path}: {name} is missing; unpack the question again, or ask for it again")
    state = hashlib.sha256()
    for piece in package.pieces(name):
        state.update(piece)
    if state.digest() != expected:
        raise BadPackage(
            f"{package.path}: {name} is not the file that Trent's request names: it was changed after he wrote it. "
            "Unpack the question again, or ask for it again"
        )


def _read_entries(package: Package, asked: Request) -> ServedLines:
    if request.ENTRIES not in asked.files:
        raise BadPackage(f"{package.path} brings no history; ask for the question again")
    lines = served.parse(package.read(request.ENTRIES, MAX_ENTRIES), f"{package.path}: {request.ENTRIES}")
    numbers = [each.wire.entry.body.sequence for each in lines.entries]
    ends = not numbers or lines.entries[-1].hash == asked.head
    if numbers != list(range(asked.start, asked.size)) or not ends:
        raise BadPackage(
            f"{package.path}: the history is not the one that the request names; ask for the question again"
        )
    return lines


def encode_deposits(sealed: Mapping[Role, SealedRoot]) -> bytes:
    """`deposits.json` for the court, or `deposit.json` for a party that has a new key: by role, in hex."""
    return canonical.encode({role.value: root.hex() for role, root in sealed.items()}) + b"\n"


def decode_deposits(data: bytes, where: str) -> dict[Role, SealedRoot]:
    """The sealed roots in such a file."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, dict):
            raise Malformed("an object was expected")
        return {Role(role): SealedRoot.parse(str(root)) for role, root in value.items()}
    except (LedgerError, ValueError) as error:
        raise BadPackage(f"{where} holds no deposits ({error}); ask for the question again") from None
