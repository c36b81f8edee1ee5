"""Taking documents in: their contents, texts and fields are written to the folder as they come from the source."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ledger import canonical, records
from protocol.corpus import images
from protocol.corpus.account import Tally, Unit
from protocol.corpus.leaves import MAX_PARTS, NOT_EXTRACTED, Extraction, Log, Rest, well_ordered
from protocol.corpus.listing import AS_TEXT, FIELD, PartFields
from protocol.corpus.manifest import CONTENTS, FIELDS, TEXTS
from protocol.errors import BadSource
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.source import SourceDocument, SourcePart

_TOLD_EVERY = 256  # documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What is known of the documents, in the source's order."""

    counts: NDArray[np.int64]  # how many parts each document has
    places: NDArray[np.int64]  # of each part
    digests: NDArray[np.uint8]
    images: NDArray[np.int64]  # where the pictures of pages are
    labels: Mapping[str, Sequence[int]]
    received: Received
    tally: Tally


def take_in(
    documents: Iterable[SourceDocument],
    folder: Path,
    unit: Unit,
    received: Received | None,
    progress: Callable[[int], None],
) -> Taken:
    """Write contents, texts and fields as they come."""
    counts, known = array("q"), set[str]()
    labels: defaultdict[str, list[int]] = defaultdict(list)
    listed = Received() if received is None else received
    with (
        (folder / CONTENTS).open("wb") as contents,
        (folder / TEXTS).open("wb") as texts,
        (folder / FIELDS).open("wb") as fields,
    ):
        writer = _Writer(contents, texts, fields, images.Writer(folder))
        for index, document in enumerate(documents):
            _check(document, unit, known)
            known.add(document.name)
            counts.append(len(document.parts))
            for place, part in enumerate(document.parts):
                writer.write(part, within=place > 0)
            for label in set(document.labels):
                labels[label].append(index)
            if received is None:
                listed.add(Item(where=document.name, outcome=Outcome.ENTERED, documents=range(index, index + 1)))
            if len(known) % _TOLD_EVERY == 0:
                progress(len(known))
    if not known:
        raise BadSource(
            "the source has no documents, and a corpus needs at least one; check that it is the right source"
        )
    progress(len(known))
    places = np.array(writer.places, np.int64).reshape(writer.tally.parts, -1)
    sizes = np.array(counts, np.int64)
    _add_duplicates(folder / FIELDS, places, np.cumsum(sizes) - sizes, listed, writer.tally)
    return Taken(
        counts=sizes,
        places=places,
        digests=np.frombuffer(writer.digests, np.uint8).reshape(writer.tally.parts, 2, -1),
        images=writer.images.close(),
        labels=labels,
        received=listed,
        tally=writer.tally,
    )


def _check(document: SourceDocument, unit: Unit, known: set[str]) -> None:
    """Raise unless the document can be one of the corpus."""
    parts = document.parts
    if document.name in known:
        raise BadSource(f"two documents are named {document.name!r}; give each a name of its own")
    if len(parts) == 1 and parts[0].parent is None:
        return
    if unit == "document" or len(parts) > MAX_PARTS:
        most = f"more than the {MAX_PARTS} of a document" if unit == "family" else "but the unit is a single file"
        raise BadSource(f"{document.name!r} has {len(parts)} parts, {most}")
    if not well_ordered(part.parent for part in parts):
        raise BadSource(f"a part of {document.name!r} does not come after the part that it is attached to")


class _Writer:
    """Writes parts, and keeps where each is and what it hashes to."""

    def __init__(self, contents: IO[bytes], texts: IO[bytes], fields: IO[bytes], pictures: images.Writer) -> None:
        self._contents, self._texts, self._fields, self.images = contents, texts, fields, pictures
        self.places, self.digests, self.tally = array("q"), bytearray(), Tally()

    def write(self, part: SourcePart, *, within: bool) -> None:
        """Write one part, `within` a document that has begun already."""
        text, fields = _encoded(part)
        content = part.content
        as_text = content == text
        if within:
            self._texts.write(b"\n")
        self.places.extend((AS_TEXT, AS_TEXT) if as_text else _append(self._contents, content))
        self.places.extend((*_append(self._texts, text), *_append(self._fields, fields)))
        digest = sha256(text).digest()
        self.images.write(self.tally.parts, part.images)
        self.digests += (digest if as_text else sha256(content).digest()) + digest
        self.tally.count(text, part.date, part.custodians)


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


def _add_duplicates(
    path: Path, places: NDArray[np.int64], first: NDArray[np.int64], received: Received, tally: Tally
) -> None:
    """Write the fields again, with the custodians and paths of what was merged; `first` is each document's part 0."""
    merged = {int(first[document]): items for document, items in received.duplicates().items()}
    if not merged:
        return
    old = path.with_suffix(".old")
    path.rename(old)
    with old.open("rb") as before, path.open("wb") as after:
        for part, (start, end) in enumerate(places[:, FIELD].tolist()):
            data = before.read(end - start)  # they lie one after the other
            if part in merged:
                fields = _merged(records.decode(PartFields, data), merged[part])
                tally.custodians.update(fields.rest.custodians)
                data = canonical.encode_checked(fields)
            places[part, FIELD] = _append(after, data)
    old.unlink()


def _merged(fields: PartFields, items: Sequence[Item]) -> PartFields:
    """What is known of a part 0 that was found at other places, too. A line of a table has no path."""
    rest = fields.rest
    custodians = dict.fromkeys((*rest.custodians, *(each for item in items for each in item.custodians)))
    paths = dict.fromkeys(
        (*rest.paths, *(each for item in items if rest.paths for each in item.paths or (item.where,)))
    )
    return replace(fields, rest=replace(rest, custodians=tuple(custodians), paths=tuple(paths)))


def _append(file: IO[bytes], data: bytes) -> tuple[int, int]:
    """Write the data, and return where it begins and ends in the file."""
    start = file.tell()
    file.write(data)
    return start, start + len(data)
