"""Containers, opened by workers: what a worker is asked, and what it answers.

A container is never held in memory. The worker gets it as an open file and sends its members piece by piece; the
parent (`protocol.sources.opener`) takes a piece when it wants one.
"""

import os
from collections.abc import Iterator
from typing import IO

import msgspec

from protocol.sources.containers import START, Container, Member
from protocol.sources.containers import table as own
from protocol.sources.containers.bounds import PIECE
from protocol.sources.extractors import BOXES, containers, load
from protocol.sources.limits import Limits
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.frames import decoded


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Open this container. `path` is only for systems on which open files cannot be passed to another process."""

    name: str
    path: str = ""


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag="begun"):
    """A member begins."""

    path: str
    declared: str


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """A member, or the container, has ended; with its problem if there is one."""

    cause: Cause | None = None
    detail: str = ""


class NoContainer(msgspec.Struct, frozen=True, kw_only=True, tag="none"):
    """It is a file like any other."""


class Piece(msgspec.Struct, frozen=True, kw_only=True, tag="piece"):
    """Some bytes of a member."""

    data: bytes


encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(Asked)
_answers = msgspec.msgpack.Decoder(Begun | Ended | NoContainer | Piece)


def decode_answer(raw: bytes) -> Begun | Ended | NoContainer | Piece:
    """A piece of an answer; `Senseless` if it is anything else."""
    answer: Begun | Ended | NoContainer | Piece = decoded(_answers, raw)
    return answer


class Opening:
    """Opens containers in a worker."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.table: tuple[Container, ...] = ()
        self.is_spent = False

    def prepare(self, limits: Limits) -> None:
        """Load all formats of containers."""
        self.limits = limits
        self.table = containers()
        load(BOXES)

    def answer(self, asked: bytes, file: IO[bytes] | None) -> Iterator[bytes]:
        """The members, each as its beginning, its pieces and its end; and the end of all."""
        question = _asked.decode(asked)
        if file is None:
            file = open(question.path, "rb")  # noqa: PTH123, SIM115 - where files cannot be passed; it ends with us
        try:
            found = kind_of(start_of(file), self.table)
            self.is_spent = found is not None and found not in own.CONTAINERS  # a library in C opens it
            members = found.members(file, question.name, self.limits) if found else None
            if members is None:
                yield encode(NoContainer())
                return
            for member in members:
                yield from self._member(member)
            yield encode(Ended())
        except Unextractable as error:
            yield encode(Ended(cause=error.cause, detail=error.detail))
        except MemoryError:
            self.is_spent = True
            yield encode(Ended(cause=Cause.TOO_LARGE, detail="it needs too much memory to be opened"))
        except Exception as error:  # libraries raise all kinds of errors for damaged files
            yield encode(Ended(cause=Cause.DAMAGED, detail=f"it cannot be opened ({type(error).__name__}: {error})"))

    def _member(self, member: Member) -> Iterator[bytes]:
        yield encode(Begun(path=member.path, declared=member.declared))
        problem, size, most = member.problem, 0, 0
        try:
            for piece in member.pieces if problem is None else ():
                if size == 0:
                    most = 2**40 if kind_of(piece[:START], self.table) else self.limits.file
                size += len(piece)
                if size > most:
                    raise Unextractable(Cause.TOO_LARGE, f"a file of more than {most} bytes")
                yield from (encode(Piece(data=piece[at : at + PIECE])) for at in range(0, len(piece), PIECE))
        except Unextractable as error:
            problem = (error.cause, error.detail)
        yield encode(Ended(cause=problem[0], detail=problem[1]) if problem else Ended())


def kind_of(start: bytes, table: tuple[Container, ...]) -> Container | None:
    """The container that a file with these first bytes may be."""
    return next((each for each in table if each.starts(start)), None)


def start_of(file: IO[bytes]) -> bytes:
    """The first bytes, by which a container may be known."""
    rewind(file)
    start = file.read(START)
    rewind(file)
    return start


def rewind(file: IO[bytes]) -> None:
    """Go to the start, and forget what was read ahead: parent and worker share the place in the file."""
    file.seek(0, os.SEEK_END)
    file.seek(0)


OPENING = Opening()
WORK = f"{__name__}:OPENING"
