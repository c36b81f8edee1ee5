"""The question package: all that a party needs to answer, in a folder or a zip file, under Trent's signature.

question.json     the signed request, with the hash of every other file
entries.jsonl     the history since the party's last question
documents/        the documents to read, as files; texts/ holds the texts of those that are not plain text
pages/            and index.html show the texts; images/ holds pictures of the pages of PDFs
labels.csv        to be filled in with a spreadsheet, if labels or rulings are asked for
privilege.csv     to be filled in with a spreadsheet, if claims of privilege are asked for, or what to claw back
withheld.csv      to be filled in with a spreadsheet, if Alice is asked for a second look
alike.csv         to be filled in with a spreadsheet, if something is like what Alice has claimed or labelled, or holds
                  one of her terms; alike.json says the same for her program
README.txt        what to do
proofs.json       proofs that the documents are those of the corpus, for Alice, and of what she asks back for the
                  court; otherwise they are in the history
checkpoint.txt    to be cosigned, with copy.jsonl.gz, the party's copy of the record, to be verified before
deposits.json, deposit.json    if they are needed
"""

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
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
from protocol.exchange import disclosed as listing
from protocol.exchange import filenames, forms, packages, pages, readme
from protocol.exchange.disclosed import DisclosedDocument
from protocol.exchange.filenames import ListedDocument, ShownDocument
from protocol.exchange.packages import Package
from protocol.exchange.readme import Guide
from protocol.parties import history_lines, question, secrets
from protocol.parties.errors import BadQuestion, Objectionable
from protocol.parties.history_lines import Released, ServedEntry
from protocol.parties.question import FORMAT, Question, Request, SignedRequest, check_signature
from protocol.parties.secrets import SealedRoot
from protocol.parties.whereabouts import Proven

MAX_REQUEST = 2**24
"""Bytes of the signed request, enough for some 30,000 documents."""
MAX_EXTRA = 2**26

_FORMS = (filenames.LABELS, filenames.CLAIMS, filenames.WITHHELD, filenames.ALIKE)
_SMALL = (filenames.CHECKPOINT, filenames.DEPOSITS, filenames.DEPOSIT, filenames.PROOFS, filenames.LIKENESSES)
_TOP = {filenames.ENTRIES, filenames.INSTRUCTIONS, filenames.INDEX, filenames.COPY, *_FORMS, *_SMALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFile:
    """A question whose files are those that its request names."""

    path: Path = field(compare=False)
    question: Question
    small: Mapping[str, bytes]  # checkpoint.txt, deposits.json, deposit.json, proofs.json and alike.json
    others: tuple[str, ...]  # files that are not part of it

    @property
    def request(self) -> Request:
        """What is asked."""
        return self.question.request

    @property
    def documents(self) -> dict[int, dict[int, str]]:
        """The file of each part of each document, by position and part."""
        found: dict[int, dict[int, str]] = {}
        for name in self.request.files:
            if name.startswith(f"{filenames.DOCUMENTS}/"):
                place = filenames.place_of(name)
                if place is None or place[1] in found.get(place[0], {}):
                    raise Objectionable(
                        f"{name} does not have a position of its own; ask Trent to write the question again"
                    )
                found.setdefault(place[0], {})[place[1]] = name
        return dict(sorted(found.items()))

    def contents(self, names: Iterable[str]) -> Generator[bytes, None, None]:
        """Files of the question, one after the other, checked against the hashes in Trent's request."""
        with packages.opened(self.path, filenames.REQUEST) as package:
            for name in names:
                yield b"".join(_checked_pieces(package, name, self.request.files[name]))

    def pieces(self, name: str) -> Iterator[bytes]:
        """A file of the question piece by piece; raises at its end if it is not the one in Trent's request."""
        with packages.opened(self.path, filenames.REQUEST) as package:
            yield from _checked_pieces(package, name, self.request.files[name])


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
    withheld: Sequence[ListedDocument] = (),
    disclosed: Sequence[DisclosedDocument] = (),
) -> None:
    """Write a question, whole or not at all. The request's `files` are filled in here."""
    history = (*history, *released)
    contents = _contents(history, request, documents, guide) | _listed(request, withheld, guide)
    contents |= _shown_to_bob(disclosed, guide) | dict(extra)
    hashes = {name: Digest(hashlib.sha256(content).digest()) for name, content in contents.items()}
    signed = _signed(key, msgspec.structs.replace(request, files=hashes))
    encoded = records.encode(signed) + b"\n"
    if len(encoded) > MAX_REQUEST:
        raise Refused(f"{out}: {len(documents)} documents are too many for one question; agree on smaller batches")
    packages.write(out, {"question.json": encoded} | contents)


def _signed(key: SigningKey, filled: Request) -> SignedRequest:
    records.from_value(Request, records.to_value(filled))  # a name that no reader accepts is refused here
    return question.sign(key, filled)


def _listed(asked: Request, withheld: Sequence[ListedDocument], guide: Guide) -> dict[str, bytes]:
    """What comes with a second look."""
    return (
        pages.listing(asked, withheld, guide.case, guide.sought, guide.caption) | forms.withheld(withheld)
        if withheld
        else {}
    )


def _shown_to_bob(disclosed: Sequence[DisclosedDocument], guide: Guide) -> dict[str, bytes]:
    """What comes with the question of what to claw back."""
    return listing.page(disclosed, guide.case, guide.caption) | listing.form(disclosed) if disclosed else {}


def _contents(
    history: Sequence[bytes], asked: Request, documents: Sequence[ShownDocument], guide: Guide
) -> dict[str, bytes]:
    """All files except the request and the extra ones; those that a person looks for come first."""
    contents = {filenames.INSTRUCTIONS: readme.text(asked, guide, len(documents))}
    if documents:
        contents |= pages.render(asked, documents, guide.case, guide.sought)
        contents |= forms.blank(asked, documents, guide.classes)
    contents[filenames.ENTRIES] = b"".join(line.rstrip(b"\n") + b"\n" for line in history)
    parts = [(each, number, part) for each in documents for number, part in each.open_parts()]
    contents |= {
        filenames.text_file(each.position, number): part.text.encode()
        for each, number, part in parts
        if not part.is_text
    }
    contents |= {
        filenames.image_file(each.position, number, page): image
        for each, number, part in parts
        for page, image in enumerate(part.images, 1)
    }
    return contents | {each.file(asked.round, number): part.content for each, number, part in parts}


def read_request(path: Path) -> Request:
    """What is asked. Nothing of the request is checked yet except its form."""
    with packages.opened(path, filenames.REQUEST) as package:
        return _read_request(package).question


def read(path: Path, trent: PublicKey | None = None) -> QuestionFile:
    """A question that Trent signed, with the files that his request names. The default key is the opening entry's.

    His signature is checked first, and the history line by line, so a stranger's file costs little time. The blank
    forms may have been filled in: they are not part of what is proven, and are not read here.
    """
    with packages.opened(path, filenames.REQUEST) as package:
        signed = _read_request(package)
        if trent is not None:
            check_signature(signed, trent)
        files = signed.question.files
        for name, expected in files.items():
            if name not in _FORMS:
                _check_file(package, name, expected)
        small = {name: package.read(name, MAX_EXTRA) for name in _SMALL if name in files}
        return QuestionFile(
            path=path,
            question=Question(
                signed=signed,
                lines=history_lines.collected(_read_entries(package, signed, trent)),
                deposits=_deposits(signed.question.role, small),
                checkpoint=small.get(filenames.CHECKPOINT),
            ),
            small=small,
            others=(*sorted(package.sizes.keys() - files.keys() - {filenames.REQUEST}), *package.beside),
        )


def signed_files(path: Path, trent: PublicKey, names: Iterable[str]) -> dict[str, bytes]:
    """Files of a question, as far as it has them, checked against the request that Trent signed. Nothing else of it is
    checked: this is for reading again what was read before.
    """
    with packages.opened(path, filenames.REQUEST) as package:
        signed = _read_request(package)
        check_signature(signed, trent)
        files = signed.question.files
        return {name: b"".join(_checked_pieces(package, name, files[name])) for name in names if name in files}


def _deposits(role: Role, small: Mapping[str, bytes]) -> dict[Role, SealedRoot]:
    """The deposits that come with the question: all of them for the court, or its own for a party with a new key."""
    name, other = filenames.DEPOSIT, filenames.DEPOSITS
    if role is Role.COURT:
        name, other = other, name
    found = secrets.decode_deposits(small[name], name) if name in small else {}
    if other in small or (role is not Role.COURT and found.keys() - {role}):
        raise BadQuestion(f"the question holds deposits that are not for {role.called}; ask Trent to write it again")
    return found


def encode_proofs(proven: Proven) -> bytes:
    """`proofs.json`: proofs by position, and their path."""
    proofs: Value = {str(position): value for position, value in proven.proofs.items()}
    return canonical.encode({"path": proven.path, "proofs": proofs}) + b"\n"


def decode_proofs(data: bytes) -> Proven:
    """The proofs in `proofs.json`, not checked yet."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, dict) or value.keys() != {"path", "proofs"} or not isinstance(value["proofs"], dict):
            raise Malformed("an object with a path and proofs was expected")
        return Proven(
            proofs={int(position[:12]): proof for position, proof in value["proofs"].items()}, path=value["path"]
        )
    except (LedgerError, ValueError) as error:
        raise Objectionable(
            f"{filenames.PROOFS} does not hold proofs ({error}); ask Trent to write the question again"
        ) from None


def _read_request(package: Package) -> SignedRequest:
    data = package.read(filenames.REQUEST, MAX_REQUEST)
    try:
        value = canonical.decode_for_record(data.rstrip(b"\r\n"))
        match value:
            case {"question": {"format": int(version)}} if version != FORMAT:
                raise BadQuestion(
                    f"{package.path} is a question of format {version}, but this program knows only format {FORMAT}: "
                    "install a newer version"
                )
        return records.from_value(SignedRequest, value)
    except BadQuestion:
        raise
    except LedgerError as error:
        raise BadQuestion(
            f"{package.path}: {filenames.REQUEST} is damaged ({error}); ask for the question again"
        ) from None


def _check_file(package: Package, name: str, expected: Digest) -> None:
    if "/" not in name and name not in _TOP:
        raise BadQuestion(f"{package.path}: a question has no file {name}; ask Trent to write it again")
    if name not in package.sizes:
        raise BadQuestion(f"{package.path}: {name} is missing; unpack the question again, or ask for it again")
    for _ in _checked_pieces(package, name, expected):
        pass


def _checked_pieces(package: Package, name: str, expected: Digest) -> Iterator[bytes]:
    """A file's bytes, piece by piece; raises at the end if they do not have this hash."""
    state = hashlib.sha256()
    for piece in package.pieces(name):
        state.update(piece)
        yield piece
    if state.digest() != expected:
        raise BadQuestion(
            f"{package.path}: {name} was changed after Trent wrote it: its hash is not the one in his request. "
            "Unpack the question again, or ask for it again"
        )


def _read_entries(package: Package, signed: SignedRequest, trent: PublicKey | None) -> Iterator[ServedEntry | Released]:
    """The history that the request names: entries in order, then the openings of earlier entries that they release."""
    asked = signed.question
    if filenames.ENTRIES not in asked.files:
        raise BadQuestion(f"{package.path} has no history; ask for the question again")
    due, released, head = asked.start, -1, None
    with closing(package.lines(filenames.ENTRIES)) as lines:
        for line in history_lines.each(lines, f"{package.path}: {filenames.ENTRIES}"):
            if isinstance(line, ServedEntry):
                fits = line.wire.entry.body.sequence == due < asked.size and released < 0
                if fits and not due and trent is None:
                    check_signature(signed, enrolled(line.wire.entry.body.statement)[Role.TRENT])
                due, head = due + 1, line.hash
            else:
                fits = due == asked.size and released < line.entry < asked.start
                released = line.entry
            if not fits:
                raise _other_history(package)
            yield line
    if due != asked.size or head not in (None, asked.head):
        raise _other_history(package)


def _other_history(package: Package) -> BadQuestion:
    return BadQuestion(f"{package.path}: the history is not the one that the request names; ask for the question again")
