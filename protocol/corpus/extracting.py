"""Extracting again: whether the same texts and pictures come out of the stored contents as were sealed.

A file is read again with everything in it, in the sandbox, and its parts are compared with the sealed ones. Texts that
came with their documents, from a table or a load file, were never extracted, and are not looked at.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath

from protocol.corpus import images
from protocol.corpus.corpus import Corpus
from protocol.corpus.listing import PartFields
from protocol.loadfile.fieldnames import BEGIN, NATIVE
from protocol.sources.duplicates import MAILS
from protocol.sources.entering import versioned
from protocol.sources.families import Result, families
from protocol.sources.family import Family, Part
from protocol.sources.items import Received
from protocol.sources.limits import Limits
from protocol.sources.loadfiles import IN_LOADFILE, LINKED, NOTHING
from protocol.sources.opener import Loose
from protocol.sources.parts import File
from protocol.sources.pictures import PAGE_IMAGES, images_digest
from protocol.sources.problems import Problem
from protocol.sources.source import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A part as the corpus has it: which one of which document, and what is known of it."""

    document: int
    part: int
    fields: PartFields


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A part that comes out otherwise than it was sealed."""

    document: int
    part: int
    name: str
    what: str
    sealed_with: str
    """What made the sealed text."""
    read_with: str
    """What reads the file now; empty if nothing does."""

    @property
    def is_other_tool(self) -> bool:
        """Whether another tool, or another version of it, may explain the difference."""
        return self.sealed_with != self.read_with


@dataclass(slots=True)
class Extracting:
    """Reads every document of a corpus again."""

    corpus: Corpus
    files: int = 0
    """Files that were read again."""
    given: int = 0
    """Texts that came with their documents."""
    received: Received = field(default_factory=Received)

    def differences(self, progress: Callable[[int], None] = lambda _: None) -> Iterator[Difference]:
        """Every part that differs. `progress` is told how many documents have been looked at."""
        asked: deque[Sequence[Sealed]] = deque()  # those that are being read
        settings = Settings(
            limits=Limits(page_images=images.most(shard.path for shard in self.corpus.shards))
        )  # as many as were drawn then
        for result in families(self._files(asked, progress), settings, self.received):
            yield from self._compared(asked.popleft(), result)

    def _files(self, asked: deque[Sequence[Sealed]], progress: Callable[[int], None]) -> Iterator[Loose]:
        for group in self._groups(progress):
            first = group[0]
            if self._is_given(first):
                self.given += 1
                continue
            self.files += 1
            asked.append(group)
            declared = "message/rfc822" if first.fields.log.type in MAILS[:1] else ""
            content = self.corpus.content(first.document, first.part)
            yield Loose(
                path=str(self.files), file=File(name=_file_name(first.fields), content=content, declared=declared)
            )

    def _is_given(self, first: Sealed) -> bool:
        """Whether the text came with its document, or is its content."""
        options = first.fields.rest.extraction.options
        if options:
            return options in (IN_LOADFILE, NOTHING) or options.startswith(LINKED)
        return self.corpus.is_text(first.document, first.part) and not first.fields.rest.extraction.tool

    def _groups(self, progress: Callable[[int], None]) -> Iterator[Sequence[Sealed]]:
        """A file with the parts that came out of it, one after the other."""
        members: dict[str, list[tuple[int, int]]] = {}  # of families whose parts are documents, by place
        for document in range(self.corpus.size):
            progress(document + 1)
            parts = [
                Sealed(document=document, part=part, fields=self.corpus.fields(document, part))
                for part in range(self.corpus.parts(document))
            ]
            told = parts[0].fields.rest.fields
            if self.corpus.unit == "document" and "family" in told and "place" in told and BEGIN not in told:
                members.setdefault(told["family"], []).append((int(told["place"]), document))
                continue
            yield from _by_record(parts)
        for places in members.values():
            yield [
                Sealed(document=document, part=0, fields=self.corpus.fields(document)) for _, document in sorted(places)
            ]

    def _compared(self, group: Sequence[Sealed], result: Result) -> Iterator[Difference]:
        first = group[0]
        if isinstance(result, Problem):
            if first.fields.rest.extraction.tool:  # else it could not be read then either
                yield _difference(first, f"it cannot be read ({result.cause.words}: {result.detail})", None)
        elif isinstance(result, Family):
            is_record = BEGIN in first.fields.rest.fields
            if len(result.parts) != len(group) and not (is_record and len(group) == 1):
                yield _difference(first, f"{len(result.parts)} parts come out, not {len(group)}", result.parts[0])
            for sealed, part in zip(group, result.parts, strict=False):
                if what := self._other(sealed, part):
                    yield _difference(sealed, what, part)

    def _other(self, sealed: Sealed, part: Part) -> str:
        """What is not as it was sealed, or an empty text."""
        found = []
        if part.content != self.corpus.content(sealed.document, sealed.part):
            found.append("its bytes")
        if part.text != self.corpus.part_text(sealed.document, sealed.part):
            found.append("its text")
        drawn = images_digest(sha256(image).digest() for image in part.images) if part.images else None
        if drawn != sealed.fields.rest.fields.get(PAGE_IMAGES):
            found.append("the pictures of its pages")
        extraction = sealed.fields.rest.extraction
        if (versioned(part.tool), part.options) != (extraction.tool, extraction.options):
            found.append("its tool or options")
        return ", ".join(found)


def _by_record(parts: Sequence[Sealed]) -> Iterator[Sequence[Sealed]]:
    """The parts of a document; those of a load file are split at each record that has a file of its own."""
    group: list[Sealed] = []
    for part in parts:
        if group and BEGIN in part.fields.rest.fields:
            yield group
            group = []
        group.append(part)
    yield group


def _file_name(fields: PartFields) -> str:
    """What the file was called when it was read, by which some formats are known."""
    rest = fields.rest
    path = rest.fields.get(NATIVE, "").replace("\\", "/") or (rest.paths[0] if rest.paths else rest.name)
    return PurePosixPath(path).name or path


def _difference(sealed: Sealed, what: str, part: Part | None) -> Difference:
    rest = sealed.fields.rest
    return Difference(
        document=sealed.document,
        part=sealed.part,
        name=rest.name,
        what=what,
        sealed_with=rest.extraction.tool,
        read_with=versioned(part.tool) if part else "",
    )
