"""Files become families: each is read by a worker, or by a program where no reader can, and comes back in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from protocol.sources import extractors
from protocol.sources.extractors import Refusal, decode_answer, decode_image, encode_drawing, encode_file
from protocol.sources.family import Family, Part
from protocol.sources.items import Item, Received
from protocol.sources.kept import Kept, is_kept
from protocol.sources.limits import Limits
from protocol.sources.opener import Loose
from protocol.sources.parts import File, Note, Unextractable
from protocol.sources.problems import Cause, Problem
from protocol.sources.sandbox import programs
from protocol.sources.sandbox.crew import Crew, Lost, Worker
from protocol.sources.sandbox.frames import Senseless
from protocol.sources.sandbox.programs import Converted, Program
from protocol.sources.source import Settings

Given = Loose | Family | Problem | Item
Result = Family | Problem | Item

MAX_WORKERS = 32
_OVERHEAD = 2**20  # bytes of an answer beside texts and contents
_IMAGES = 2**28  # bytes of the pictures of one file
_CLOSED = (Cause.ENCRYPTED, Cause.DAMAGED)


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def families(items: Iterable[Given], settings: Settings, received: Received) -> Iterator[Result]:
    """A family or a problem for each file, in the order of the files; what is neither stays in its place."""
    kept = _kept(settings)
    reading = _Reading(settings.limits, extractors.programs(), kept)
    workers = settings.workers or min(cores(), MAX_WORKERS)
    with (
        closing(kept) if kept else nullcontext(),
        Crew[Given, Result](settings.work or extractors.WORK, settings.limits, workers) as crew,
    ):
        for each in crew.in_order(items, reading.read, _weight):
            if crew.held:
                received.protect(crew.held)
            yield each
    if reading.has_converted:
        received.protect(frozenset(programs.held()))


def _kept(settings: Settings) -> Kept | None:
    """What an earlier build has kept, unless its place is taken by somebody's own file."""
    path = settings.kept
    if path is None or (os.path.lexists(path) and not is_kept(path)):
        return None
    return Kept(path, settings.limits)


def _weight(item: Given) -> int:
    if isinstance(item, Family):
        return sum(len(part.content) for part in item.parts)
    return len(item.file.content) if isinstance(item, Loose) else 0


class _Reading:
    """How one file is read. Many threads do this at once, each with its own worker."""

    def __init__(self, limits: Limits, helpers: tuple[Program, ...], kept: Kept | None) -> None:
        self.limits = limits
        self.kept = kept
        self.helpers = helpers
        self.has_converted = False

    def read(self, item: Given, worker: Worker, turn: Callable[[], object]) -> Result:
        """The family of a file, or why there is none."""
        if isinstance(item, Family):
            return replace(item, parts=tuple(self._drawn(part, worker) for part in item.parts))
        if not isinstance(item, Loose):
            return item
        try:
            parts = self.kept.get(item.file) if self.kept else None
            if parts is None:
                parts = tuple(self._drawn(part, worker) for part in self._parts(item.file, worker, turn))
                if self.kept:
                    self.kept.put(item.file, parts)
        except (Lost, Unextractable) as error:
            return Problem(where=item.path, cause=error.cause, detail=error.detail)
        return Family(path=item.path, parts=parts, custodian=item.custodian)

    def _parts(self, file: File, worker: Worker, turn: Callable[[], object]) -> tuple[Part, ...]:
        found = self._asked(file, worker, turn)
        if isinstance(found, Refusal):
            program = self._helper(found.kind, found.cause)
            if program is None:
                raise Unextractable(found.cause, found.detail)
            return self._converted(file, program, worker, turn)
        return tuple(self._helped(part, worker, turn) for part in found)

    def _asked(self, file: File, worker: Worker, turn: Callable[[], object]) -> tuple[Part, ...] | Refusal:
        """What the worker makes of the file; `Lost` if it gives no answer, or a senseless one."""
        parts: list[Part] = []
        refused = None
        most = self.limits.output + _OVERHEAD * 64
        try:
            for piece in worker.ask(encode_file(file), most=most, turn=turn):
                answer = decode_answer(piece)
                if isinstance(answer, Refusal):
                    refused = answer
                else:
                    parts.append(self._checked(answer, len(parts), file))
        except Senseless:
            worker.end()
            raise Lost(Cause.CRASHED, "its reader gave a senseless answer") from None
        if refused is None and not parts:
            raise Lost(Cause.CRASHED, "its reader gave an empty answer")
        return refused or tuple(parts)

    def _drawn(self, part: Part, worker: Worker) -> Part:
        """A PDF with pictures of its pages. A page that cannot be drawn costs no word of the text."""
        is_open = all(cause not in _CLOSED for cause, _ in part.notes)
        is_pdf = part.kind == "pdf" or part.content.startswith(b"%PDF-")
        if not is_pdf or not is_open or not self.limits.page_images:
            return part
        images: list[bytes] = []
        note: tuple[Note, ...] = ()
        try:
            for piece in worker.ask(encode_drawing(part.content), most=_IMAGES):
                answer = decode_image(piece)
                if isinstance(answer, Refusal):
                    note = ((Cause.UNREAD_PART, f"pictures of only {len(images)} pages: {answer.detail}"),)
                elif len(images) < self.limits.page_images:
                    images.append(answer)
        except Senseless:
            worker.end()
            note = ((Cause.UNREAD_PART, "no pictures of its pages: its reader gave a senseless answer"),)
        except Lost as error:
            note = ((Cause.UNREAD_PART, f"pictures of only {len(images)} pages: {error.detail}"),)
        return replace(part, images=tuple(images), notes=(*part.notes, *note))

    def _checked(self, part: Part, index: int, file: File) -> Part:
        """The part, if its place in the family is possible; the first gets its bytes."""
        is_placed = part.parent is None if index == 0 else part.parent is not None and 0 <= part.parent < index
        if part.index != index or not is_placed or index >= self.limits.parts or (part.pages or 0) < 0:
            raise Senseless
        return replace(part, content=file.content) if index == 0 else part

    def _helper(self, kind: str, cause: Cause) -> Program | None:
        return next((each for each in self.helpers if each.remedies is cause and kind in each.kinds), None)

    def _helped(self, part: Part, worker: Worker, turn: Callable[[], object]) -> Part:
        """A part as it is or, if a program can read what our reader could not, as the program reads it."""
        program = next((found for cause, _ in part.notes if (found := self._helper(part.kind, cause))), None)
        if program is None:
            return part
        file = File(name=part.name, content=part.content)
        try:
            first, *others = self._converted(file, program, worker, turn)
        except (Lost, Unextractable) as error:
            return replace(part, notes=_told(part.notes, program, (error.cause, error.detail)))
        notes = [note for note in part.notes if note[0] is not program.remedies] + list(first.notes)
        if others:
            notes.append((Cause.UNREAD_PART, f"{len(others)} files inside it"))
        read = replace(first, index=part.index, parent=part.parent, notes=tuple(notes))
        if not part.tool:
            return read
        return replace(read, kind=part.kind, fields=part.fields)  # what the file says of itself was read already

    def _converted(self, file: File, program: Program, worker: Worker, turn: Callable[[], object]) -> tuple[Part, ...]:
        """What a worker reads in what the program made of the file; the bytes stay those of the file."""
        begun = datetime.now(UTC).isoformat(timespec="seconds")
        made: Converted = program.convert(file, self.limits)
        self.has_converted = True
        found = self._asked(made.file, worker, turn)
        if isinstance(found, Refusal):
            raise Unextractable(found.cause, found.detail)
        first, *others = found
        tool = f"{made.tool}, {first.tool}" if first.tool else made.tool
        options = "; ".join(each for each in (made.options, first.options) if each)
        known = {key: value for key, value in first.fields.items() if key != "date" or value < begun}  # else made now
        read = replace(first, name=file.name, content=file.content, tool=tool, options=options, fields=known)
        return (read, *(self._helped(part, worker, turn) for part in others))


def _told(notes: tuple[Note, ...], program: Program, problem: Note) -> tuple[Note, ...]:
    """The notes, with what the program said in place of those that it should have remedied."""
    return (*(note for note in notes if note[0] is not program.remedies), problem)
