"""Containers, opened by workers: what the parent makes of the answers.

A container inside a container is written to a temporary file without a name.
"""

import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import IO, cast

from protocol.sources.containers.bounds import PIECE
from protocol.sources.extractors import containers
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.limits import Limits
from protocol.sources.opening import (
    WORK,
    Asked,
    Begun,
    Ended,
    NoContainer,
    Piece,
    decode_answer,
    encode,
    kind_of,
    rewind,
    start_of,
)
from protocol.sources.parts import File, Note, Unextractable
from protocol.sources.problems import Cause, Problem
from protocol.sources.sandbox.crew import Lost, Worker
from protocol.sources.sandbox.frames import Senseless, can_pass_files

IN_MEMORY = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """A file to be read as a family, and its place in the source."""

    path: str
    file: File
    custodian: str = ""


@dataclass(slots=True)
class _Budget:
    """What one container of a source may still give, with all containers inside it."""

    size: int
    members: int = 0
    containers: int = 0
    bytes: int = 0

    def check(self, limits: Limits) -> None:
        """Raise `Unextractable` if it has given too much."""
        most = max(limits.file, limits.ratio * self.size)
        for count, top, words in (
            (self.members, limits.members, "files"),
            (self.containers, limits.containers, "archives"),
            (self.bytes, most, "bytes"),
        ):
            if count > top:
                detail = f"more than {top} {words} came out of it; unpack it by hand if it is harmless"
                raise Unextractable(Cause.TOO_LARGE, detail)


@dataclass(slots=True)
class Opener:
    """Opens files that may be containers, with a worker for each level of containers inside each other."""

    limits: Limits
    received: Received
    work: str = WORK
    _workers: list[Worker] = field(default_factory=list)

    def end(self) -> None:
        """End all workers."""
        for each in self._workers:
            each.end()

    def files(self, stream: IO[bytes], path: str) -> Iterator[Loose | Problem | Item]:
        """The file itself or, if it is a container, an item for it and then the files in it."""
        size = os.fstat(stream.fileno()).st_size
        return self._files(stream, path, 0, _Budget(size=size))

    def _files(
        self, stream: IO[bytes], path: str, depth: int, budget: _Budget, declared: str = ""
    ) -> Iterator[Loose | Problem | Item]:
        if kind_of(start_of(stream), containers()) is not None:
            if depth > self.limits.depth:
                detail = f"archives inside each other on more than {self.limits.depth} levels"
                yield Problem(where=path, cause=Cause.TOO_DEEP, detail=detail)
                return
            if (yield from self._container(stream, path, depth, budget)):
                return
        rewind(stream)
        content = stream.read(self.limits.file + 1)
        if len(content) > self.limits.file:
            detail = f"larger than {self.limits.file} bytes"
            yield Problem(where=path, cause=Cause.TOO_LARGE, detail=detail)
            return
        yield Loose(path=path, file=File(name=_last(path), content=content, declared=declared))

    def _container(
        self, stream: IO[bytes], path: str, depth: int, budget: _Budget
    ) -> Generator[Loose | Problem | Item, None, bool]:
        """What comes out of a container, and a problem for what does not. Returns whether it was a container."""
        asked = encode(Asked(name=_last(path), path="" if can_pass_files else str(stream.name)))
        worker = self._worker(depth)
        passed = stream.fileno() if can_pass_files else None
        opened = _Opened(path=path, budget=budget)
        with closing(worker.ask(asked, most=2 * PIECE, file=passed, streams=True)) as answers:
            try:
                for answer in map(decode_answer, answers):
                    yield from opened.take(answer)
                    if isinstance(answer, Begun):
                        opened.count(self.limits)
                        yield from self._member(answers, answer, depth, opened)
            except Lost as error:
                opened.end(error.cause, error.detail)
            except Unextractable as error:
                if depth:
                    raise  # it is about the outermost container
                opened.end(error.cause, error.detail)
            except Senseless:
                opened.end(Cause.CRASHED, "its reader gave a senseless answer")
        self.received.protect(worker.held)
        if opened.problem is not None:
            yield opened.broken()
        return not opened.is_none

    def _member(
        self, answers: Iterator[bytes], begun: Begun, depth: int, opened: "_Opened"
    ) -> Iterator[Loose | Problem | Item]:
        """One member, or what comes out of it if it is a container itself."""
        path = f"{opened.path}/{begun.path}"
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as spool:
            for answer in map(decode_answer, answers):
                if isinstance(answer, Ended):
                    break
                if not isinstance(answer, Piece):
                    raise Senseless
                opened.budget.bytes += len(answer.data)
                opened.budget.check(self.limits)
                spool.write(answer.data)
            else:
                raise Lost(Cause.CRASHED, "its reader stopped in the middle of a file")
            if answer.cause:
                yield Problem(where=path, cause=answer.cause, detail=answer.detail)
            else:
                budget, declared = opened.budget, begun.declared
                yield from self._files(cast("IO[bytes]", spool), path, depth + 1, budget, declared)

    def _worker(self, depth: int) -> Worker:
        while len(self._workers) <= depth:
            self._workers.append(Worker(self.work, self.limits))
        return self._workers[depth]


@dataclass(slots=True)
class _Opened:
    """How far a container has been read."""

    path: str
    budget: _Budget
    is_none: bool = False
    is_open: bool = False
    problem: Note | None = None

    def count(self, limits: Limits) -> None:
        """A member begins."""
        self.budget.members += 1
        self.budget.check(limits)

    def take(self, answer: Begun | Ended | NoContainer | Piece) -> Iterator[Item]:
        """A member begins, the container ends, or it is none. Once it is known to be one, its item comes."""
        if isinstance(answer, Piece):
            raise Senseless
        if isinstance(answer, NoContainer):
            self.is_none = True
        elif isinstance(answer, Ended) and answer.cause:
            self.end(answer.cause, answer.detail)
        elif not self.is_open:
            self.is_open = True
            self.budget.containers += 1
            yield Item(where=self.path, outcome=Outcome.CONTAINER)

    def end(self, cause: Cause, detail: str) -> None:
        """Nothing more comes out of it."""
        self.problem = (cause, detail)

    def broken(self) -> Problem:
        """The container as an exception or, if something came out of it, the rest of it as one more."""
        cause, detail = self.problem or (Cause.DAMAGED, "")
        where = f"{self.path}: the rest of it" if self.is_open else self.path
        return Problem(where=where, cause=cause, detail=detail)


def _last(path: str) -> str:
    return PurePosixPath(path).name or path
