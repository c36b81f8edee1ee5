"""Taking documents in: they are written to shards as they come from the source, and nothing is moved afterwards.

What is kept in memory of a document that was written is a few bytes: the hash of its name, and its labels.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from msgspec.structs import replace

from ledger import canonical, records
from ledger.hashing import Digest
from protocol.corpus import images
from protocol.corpus.account import Tally, Unit
from protocol.corpus.hashed import Hashed, save
from protocol.corpus.leaves import MAX_DOCUMENTS, MAX_PARTS, NOT_EXTRACTED, Extraction, Log, Rest, well_ordered
from protocol.corpus.listing import AS_TEXT, FIELD, Listing, PartFields
from protocol.corpus.manifest import CONTENTS, DIGESTS, FIELDS, PARTS, PLACES, TEXTS, shard_name
from protocol.errors import BadSource
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.names import name_hash
from protocol.sources.source import SourceDocument, SourcePart

SHARD_DOCUMENTS = 100_000
SHARD_TEXT = 2**27
"""A shard ends with so many documents, or so many bytes of text and content, whichever comes first."""
SMALLER = 8
"""The first shard holds so much less, each further one twice as much as the one before, up to the full size. So a small
corpus has several shards, on which all cores work, and the first is counted soon."""

_TOLD_EVERY = 256  # documents
_NAME = 16  # bytes of the hash of a name


@dataclass(slots=True, kw_only=True)
class Taken:
    """A shard that was written, without what is made of it later."""

    path: Path
    documents: int
    parts: int
    files: dict[str, Digest]


class Finished(Protocol):
    """Is told of each shard that is complete but for its numbers and rows, and whether more of them will come."""

    def __call__(self, shard: Path, *, more: bool) -> None: ...


def _nobody(shard: Path, *, more: bool) -> None:
    """Nobody has to know."""


@dataclass(slots=True)
class Taking:
    """Writes documents to shards below a folder, and knows what has been written so far."""

    folder: Path
    unit: Unit
    received: Received | None = None
    shard_documents: int | None = None
    """How many documents each shard has, where somebody says that."""
    finished: Finished = _nobody
    shards: list[Taken] = field(default_factory=list)
    documents: int = 0
    tally: Tally = field(default_factory=Tally)
    labels: defaultdict[str, "array[int]"] = field(default_factory=lambda: defaultdict(lambda: array("i")))
    """The documents with each label, by their places in the source."""
    items: Received = field(default_factory=Received)
    _names: bytearray = field(default_factory=bytearray)

    def take(self, documents: Iterable[SourceDocument], progress: Callable[[int], None]) -> None:
        """Write all documents."""
        self.items = self.items if self.received is None else self.received
        rest = iter(documents)
        for first in rest:
            self._write_shard(first, rest, progress)
        if not self.documents:
            raise BadSource(
                "the source has no documents, and a corpus needs at least one; check that it is the right source"
            )
        progress(self.documents)
        self._check_names()
        self._add_duplicates()

    def _write_shard(
        self, first: SourceDocument, rest: Iterator[SourceDocument], progress: Callable[[int], None]
    ) -> None:
        path, (most, most_text) = self.folder / shard_name(len(self.shards)), self._limits()
        path.mkdir()
        with _Writer(path, self.tally) as writer:
            document: SourceDocument | None = first
            while document is not None:
                self._take_one(document, writer)
                if self.documents % _TOLD_EVERY == 0:
                    progress(self.documents)
                is_full = writer.documents == most or writer.size >= most_text
                document = None if is_full else next(rest, None)
            self.shards.append(writer.finish())
        self.finished(path, more=is_full)

    def _limits(self) -> tuple[int, int]:
        """How many documents, and how much text, the next shard may have."""
        if self.shard_documents is not None:
            return self.shard_documents, SHARD_TEXT
        part = max(1, SMALLER >> len(self.shards))
        return SHARD_DOCUMENTS // part, SHARD_TEXT // part

    def _take_one(self, document: SourceDocument, writer: "_Writer") -> None:
        index = self.documents
        if index == MAX_DOCUMENTS:
            raise BadSource(f"more than {MAX_DOCUMENTS} documents: a corpus has at most 2^31 - 1; make several of them")
        _check(document, self.unit)
        writer.write(document)
        self._names += name_hash(document.name)
        for label in set(document.labels):
            self.labels[label].append(index)
        if self.received is None:
            self.items.add(Item(where=document.name, outcome=Outcome.ENTERED, documents=range(index, index + 1)))
        self.documents += 1

    def _check_names(self) -> None:
        """Raise if two documents have the same name."""
        hashes = np.frombuffer(self._names, f"S{_NAME}")
        hashes.sort()
        again = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        self._names = bytearray()
        taken = set[str]()
        for name in self._all_names() if again else ():
            if name_hash(name).rstrip(b"\0") in again:  # as numpy gives them
                if name in taken:
                    raise BadSource(f"two documents are named {name!r}; give each a name of its own")
                taken.add(name)

    def _all_names(self) -> Iterator[str]:
        for shard in self.shards:
            listing = Listing.open(shard.path)
            for part in listing.starts[:-1].tolist():
                yield listing.read_fields(part).rest.name

    def _add_duplicates(self) -> None:
        """Write fields again where something was merged, with the custodians and paths of that."""
        first = 0
        for shard in self.shards:
            merged = self.items.duplicates(first, first + shard.documents)
            if merged:
                self._merge(shard, {document - first: items for document, items in merged.items()})
            first += shard.documents

    def _merge(self, shard: Taken, merged: Mapping[int, Sequence[Item]]) -> None:
        listing = Listing.open(shard.path)
        parts = {int(listing.starts[row]): items for row, items in merged.items()}
        places = np.array(listing.places)
        new = shard.path / f"{FIELDS}.new"
        with Hashed(new) as after:
            for part, (start, end) in enumerate(places[:, FIELD].tolist()):
                data = listing.fields[start:end]
                if part in parts:
                    fields = _merged(records.decode(PartFields, data), parts[part])
                    self.tally.custodians.update(fields.rest.custodians)
                    data = canonical.encode_checked(fields)
                places[part, FIELD] = after.append(data)
            shard.files[FIELDS] = after.close()
        new.replace(shard.path / FIELDS)
        shard.files[PLACES] = save(new, places)
        new.replace(shard.path / PLACES)


def _check(document: SourceDocument, unit: Unit) -> None:
    """Raise unless the document can be one of the corpus."""
    parts = document.parts
    if len(parts) == 1 and parts[0].parent is None:
        return
    if unit == "document" or len(parts) > MAX_PARTS:
        most = f"more than the {MAX_PARTS} of a document" if unit == "family" else "but the unit is a single file"
        raise BadSource(f"{document.name!r} has {len(parts)} parts, {most}")
    if not well_ordered(part.parent for part in parts):
        raise BadSource(f"a part of {document.name!r} does not come after the part that it is attached to")


class _Writer:
    """Writes the documents of one shard, and keeps where each part is and what it hashes to."""

    def __init__(self, path: Path, tally: Tally) -> None:
        self._path, self._tally = path, tally
        self._contents, self._texts, self._fields = (Hashed(path / name) for name in (CONTENTS, TEXTS, FIELDS))
        self._images = images.Writer(path)
        self._starts, self._places, self._digests = array("q", [0]), array("q"), bytearray()

    @property
    def documents(self) -> int:
        """How many were written."""
        return len(self._starts) - 1

    @property
    def size(self) -> int:
        """How many bytes of text and content were written."""
        return self._texts.size + self._contents.size

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self._contents, self._texts, self._fields):
            file.close()
        self._images.close()

    def write(self, document: SourceDocument) -> None:
        """Write the parts of a document, one after the other, with a newline between two texts."""
        part = self._starts[-1]
        for place, each in enumerate(document.parts):
            if place:
                self._texts.write(b"\n")
            self._write(each, part + place)
        self._starts.append(part + len(document.parts))

    def _write(self, part: SourcePart, number: int) -> None:
        text, fields = _encoded(part)
        content = part.content
        as_text = content == text
        self._places.extend((AS_TEXT, AS_TEXT) if as_text else self._contents.append(content))
        self._places.extend((*self._texts.append(text), *self._fields.append(fields)))
        digest = sha256(text).digest()
        if part.images:
            self._images.write(number, part.images)
        self._digests += (digest if as_text else sha256(content).digest()) + digest
        self._tally.count(text, part.date, part.custodians)

    def finish(self) -> Taken:
        """Write the arrays; what the shard is."""
        parts = self._starts[-1]
        arrays = {
            PARTS: np.array(self._starts, "<i8"),
            PLACES: np.array(self._places, "<i8").reshape(parts, -1),
            DIGESTS: np.frombuffer(self._digests, np.uint8).reshape(parts, 2, -1),
        }
        files = {name: save(self._path / name, found) for name, found in arrays.items()}
        files |= {CONTENTS: self._contents.close(), TEXTS: self._texts.close(), FIELDS: self._fields.close()}
        return Taken(path=self._path, documents=self.documents, parts=parts, files=files | self._images.close())


def _encoded(part: SourcePart) -> tuple[bytes, bytes]:
    """The text and the fields of a part as they are stored."""
    if not all(map(str.isascii, part.fields)):
        raise BadSource(f"a field of {part.name!r} has a name with characters beyond ASCII: {', '.join(part.fields)}")
    try:
        return part.text.encode(), canonical.encode_checked(_fields(part))
    except UnicodeEncodeError as error:
        raise BadSource(
            f"the name, the text or a field of {part.name!r} holds a lone surrogate at character {error.start}, "
            f"which UTF-8 cannot write; rename the document or extract its text again"
        ) from None


def _fields(part: SourcePart) -> PartFields:
    return PartFields(
        log=Log(author=part.author, date=part.date, parent=part.parent, recipients=part.recipients, type=part.type),
        rest=Rest(
            custodians=part.custodians,
            extraction=Extraction(options=part.options, tool=part.tool) if part.options or part.tool else NOT_EXTRACTED,
            fields=dict(part.fields),
            name=part.name,
            pages=part.pages,
            paths=part.paths,
        ),
    )


def _merged(fields: PartFields, items: Sequence[Item]) -> PartFields:
    """What is known of a part 0 that was found at other places, too. A line of a table has no path."""
    rest = fields.rest
    custodians = dict.fromkeys((*rest.custodians, *(each for item in items for each in item.custodians)))
    paths = dict.fromkeys(
        (*rest.paths, *(each for item in items if rest.paths for each in item.paths or (item.where,)))
    )
    return replace(fields, rest=replace(rest, custodians=tuple(custodians), paths=tuple(paths)))
