"""Every reader of a format, in the order in which they are asked, and a file with everything in it.

    family = extract_family(File(name="a.eml", content=raw), Limits())

This runs in a worker: `EXTRACTION` is what it answers.
"""

import importlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from types import ModuleType
from typing import IO

import msgspec

from protocol.sources import formats
from protocol.sources.containers import Container, table
from protocol.sources.family import Part
from protocol.sources.limits import Limits
from protocol.sources.parts import Extracted, Extractor, File, Note, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.frames import Senseless, decoded
from protocol.sources.sandbox.programs import Program
from protocol.sources.text import replace_surrogates

READERS = (
    "docx",
    "xlsx",
    "pptx",
    "msg",
    "tnef",
    "oldoffice",
    "pdf",
    "images",
    "rtf",
    "archive",
    "mail",
    "html",
    "plaintext",
)
"""The modules of formats, in the order in which they are asked: those that would take the files of others come last.
`archive` stands for the containers."""
HELPERS = ("oldoffice", "ocr")
"""The modules with programs that help where no reader can."""
BOXES = ("pst",)
"""The modules with containers of other libraries."""
DRAWING = ("page_images",)
"""The module that makes pictures of pages."""
NATIVE = ("pdf", "pst", "image")
"""Readers that let a library in C parse the file. The process that ran one reads no other file."""
LIBRARIES = ("pypdfium2", "oxmsg", "pypff", "charset_normalizer", "PIL.Image", "olefile")
"""Loaded before a worker shuts itself in, where they are installed."""

UNKNOWN = "unknown"
PNG = b"\x89PNG\r\n\x1a\n"
MAX_NOTES = 100
MAX_DETAIL = 1000


class Beyond(Exception):
    """A limit on the whole family is passed."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file is no family."""

    kind: str
    cause: Cause
    detail: str


def extractors() -> tuple[Extractor, ...]:
    """All readers, in order."""
    found: list[Extractor] = []
    for name in READERS:
        listed = [table.EXTRACTOR] if name == "archive" else _listed((name,), "EXTRACTOR")
        found += [each for each in listed if isinstance(each, Extractor)]
    return tuple(found)


@cache
def programs() -> tuple[Program, ...]:
    """All programs that help where no reader can."""
    return tuple(each for each in _listed(HELPERS, "PROGRAM") if isinstance(each, Program))


@cache
def containers() -> tuple[Container, ...]:
    """All formats of containers, in the order in which they are asked."""
    return (*table.CONTAINERS, *(each for each in _listed(BOXES, "CONTAINER") if isinstance(each, Container)))


def load(modules: tuple[str, ...]) -> None:
    """Load all libraries, and what these modules of formats load only when they need it (`prepare`)."""
    for library in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(library)
    for name in modules:
        getattr(_module(name), "prepare", lambda: None)()


def _listed(modules: tuple[str, ...], name: str) -> Iterator[object]:
    """What modules of formats have under this name, or, as several, under its plural."""
    for each in modules:
        module = _module(each)
        if hasattr(module, name):
            yield getattr(module, name)
        yield from getattr(module, f"{name}S", ())


def _module(name: str) -> ModuleType | None:
    """A module of formats, or None if its library is not installed."""
    try:
        return importlib.import_module(f"{formats.__name__}.{name}")
    except ModuleNotFoundError:
        return None


def recognise(file: File, table: tuple[Extractor, ...]) -> Extractor | None:
    """The first reader that knows the file."""
    return next((each for each in table if _knows(each, file)), None)


def _knows(extractor: Extractor, file: File) -> bool:
    try:
        return extractor.recognises(file)
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):  # a defect of the reader
        return False


def extract_family(file: File, limits: Limits, table: tuple[Extractor, ...] | None = None) -> tuple[Part, ...]:
    """A file with everything in it. Raises `Unextractable` or `Beyond` if it is no family."""
    return tuple(_Walk(extractors() if table is None else table, limits).parts(file))


class _Walk:
    """Goes through one file and what is in it, and counts."""

    def __init__(self, table: tuple[Extractor, ...], limits: Limits) -> None:
        self.table = table
        self.limits = limits
        self.count = 0
        self.size = 0
        self.used: set[str] = set()
        self.kind = UNKNOWN

    def parts(self, file: File) -> Iterator[Part]:
        """The parts in their order, without recursion: a stranger decides how deep it goes."""
        waiting: list[tuple[File, int | None, int]] = [(file, None, 0)]
        while waiting:
            each, parent, depth = waiting.pop()
            if depth > self.limits.depth:
                raise Beyond(Cause.TOO_DEEP, f"files inside each other on more than {self.limits.depth} levels")
            index, made = self.count, self.extracted(each, is_root=parent is None)
            self.count += 1
            if self.count + len(waiting) + len(made.children) > self.limits.parts:
                raise Beyond(Cause.TOO_LARGE, f"it holds more than {self.limits.parts} files")
            yield self.part(each, made, index, parent)
            waiting += [(child, index, depth + 1) for child in reversed(made.children)]

    def extracted(self, file: File, *, is_root: bool) -> Extracted:
        """What a reader makes of the file. Of a part that none can read, the reason."""
        reader = recognise(file, self.table)
        self.kind = reader.name if reader else UNKNOWN
        try:
            if reader is None:
                raise Unextractable(Cause.OTHER_FILE, _unknown(file))
            self.used.add(reader.name)
            return reader.extract(file)
        except Unextractable as error:
            cause, detail = error.cause, error.detail
        except MemoryError:
            raise Beyond(Cause.TOO_LARGE, "it needs too much memory to be read") from None
        except Exception as error:  # libraries raise all kinds of errors for damaged files
            cause, detail = Cause.DAMAGED, f"its reader gave up ({type(error).__name__}: {error})"
        if is_root:
            raise Unextractable(cause, detail)
        return Extracted(kind=self.kind, text="", tool="", notes=((cause, detail),))

    def part(self, file: File, made: Extracted, index: int, parent: int | None) -> Part:
        """The part, if it is within the limits and can be written as UTF-8."""
        text, surrogates = replace_surrogates(made.text)
        size = len(text.encode())
        if size > self.limits.text:
            raise Beyond(Cause.TOO_LARGE, f"the text of one part is larger than {self.limits.text} bytes")
        self.size += size + (len(file.content) if parent is not None else 0)
        if self.size > self.limits.output:
            raise Beyond(Cause.TOO_LARGE, f"more than {self.limits.output} bytes come out of it")
        notes = [*made.notes, *([(Cause.UNDECODABLE, surrogates)] if surrogates else [])]
        return Part(
            index=index,
            parent=parent,
            name=_clean(file.name),
            content=file.content,
            kind=_clean(made.kind),
            text=text,
            tool=_clean(made.tool),
            options=_clean(made.options),
            fields={_clean(key): _clean(value) for key, value in made.fields.items() if value},
            notes=_cleaned(notes),
            pages=made.pages,
        )


def _clean(text: str) -> str:
    return replace_surrogates(text)[0]


def _cleaned(notes: list[Note]) -> tuple[Note, ...]:
    return tuple((cause, _clean(detail)[:MAX_DETAIL]) for cause, detail in notes[:MAX_NOTES])


def _unknown(file: File) -> str:
    if not file.content:
        return "an empty file"
    return f"no reader knows this kind of file (it begins with {file.content[:8].hex(' ')})"


class Extraction:
    """Reads families in a worker. One question is a file; the answer is its parts, or a refusal at the end."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.table: tuple[Extractor, ...] = ()
        self.is_spent = False

    def prepare(self, limits: Limits) -> None:
        """Load all readers and their libraries."""
        self.limits = limits
        self.table = extractors()
        load((*READERS, *DRAWING))

    def answer(self, asked: bytes, file: IO[bytes] | None) -> Iterator[bytes]:  # noqa: ARG002 - the base's name
        """The parts, without the first one's bytes, which the parent has; or the pictures of a PDF's pages."""
        if asked[:1] == _DRAW:
            self.is_spent = True
            yield from self._drawn(asked[1:])
            return
        walk = _Walk(self.table, self.limits)
        try:
            for part in walk.parts(decode_file(asked)):
                yield encode_part(part)
        except (Unextractable, Beyond) as error:
            yield encode_refusal(walk.kind, error.cause, error.detail)
        except MemoryError:
            self.is_spent = True
            yield encode_refusal(walk.kind, Cause.TOO_LARGE, "it needs too much memory to be read")
        self.is_spent |= not walk.used.isdisjoint(NATIVE)

    def _drawn(self, content: bytes) -> Iterator[bytes]:
        try:
            drawing = importlib.import_module(_DRAWING)  # it was loaded while files could be read
            for image in islice(drawing.render(content), self.limits.page_images):
                yield _IMAGE + image
        except Unextractable as error:
            yield encode_refusal("pdf", error.cause, error.detail)
        except Exception as error:  # the library raises all kinds of errors for damaged files
            yield encode_refusal("pdf", Cause.DAMAGED, f"{type(error).__name__}: {error}")


EXTRACTION = Extraction()
WORK = f"{__name__}:EXTRACTION"

_parts = msgspec.msgpack.Decoder(Part)
_refusals = msgspec.msgpack.Decoder(Refusal)
_files = msgspec.msgpack.Decoder(File)
_encoder = msgspec.msgpack.Encoder()
_PART, _REFUSAL, _IMAGE = b"P", b"R", b"I"
_DRAW = b"D"  # no file's encoding begins with it
_DRAWING = f"{formats.__name__}.{DRAWING[0]}"


def encode_file(file: File) -> bytes:
    """A question."""
    return _encoder.encode(file)


def encode_drawing(content: bytes) -> bytes:
    """A question for the pictures of a PDF's pages."""
    return _DRAW + content


def decode_file(raw: bytes) -> File:
    """What the parent asks about."""
    return _files.decode(raw)


def encode_part(part: Part) -> bytes:
    """A part, without its bytes if it is the first."""
    return _PART + _encoder.encode(part if part.index else replace(part, content=b""))


def encode_refusal(kind: str, cause: Cause, detail: str) -> bytes:
    """Why there is no family."""
    return _REFUSAL + _encoder.encode(Refusal(kind=kind, cause=cause, detail=_clean(detail)[:MAX_DETAIL]))


def decode_image(raw: bytes) -> bytes | Refusal:
    """A picture, or why there are no more; `Senseless` if it is anything else."""
    if raw[:1] == _REFUSAL:
        return decoded(_refusals, raw[1:])
    if not raw.startswith(_IMAGE + PNG):
        raise Senseless
    return raw[1:]


def decode_answer(raw: bytes) -> Part | Refusal:
    """A piece of an answer; `Senseless` if it is anything else."""
    return decoded(_refusals, raw[1:]) if raw[:1] == _REFUSAL else decoded(_parts, raw[1:])
