"""Containers: files that hold families and are none themselves. Each format is a module.

A container is opened by a worker process, as a stream, and gives its members one by one. The parent knows only the
first bytes of a file (`Container.starts`); whether it is a container the worker says.

Inside a family, as an attachment of a mail, such a file is a part, and its members are parts inside it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from protocol.sources.limits import Limits
from protocol.sources.parts import Note

START = 512
"""Bytes of a file by which a container may be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file in a container: its bytes, piece by piece, or why it cannot be had."""

    path: str
    pieces: Iterable[bytes] = ()
    declared: str = ""
    problem: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One format of containers."""

    name: str
    described: str
    starts: Callable[[bytes], bool]
    """Whether a file with these first bytes may be one."""
    members: Callable[[IO[bytes], str, Limits], Iterator[Member] | None]
    """Its members, or None if it is something else after all, as an office file is a zip. The file's name is given,
    too. Pieces of a member are taken before the next member is asked for."""
