"""What may leave this machine: tasks that are marked for it, with plain arguments, on files that no secret lies beside.

The secret that seals all documents is in the corpus folder. A worker on another machine must not get it, so a task
leaves only if its function is marked with `may_leave`, which is never done to one that takes or reads a secret. The
files that it names must lie outside of every folder that holds a secret, since a worker sees what is shared with it.

A task travels as the name of its function and JSON, and so does its result or its error.
"""

import importlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, ParamSpec, TypeVar

from protocol.errors import ProtocolError
from protocol.workers.pool import WorkerDied

P = ParamSpec("P")
T = TypeVar("T")

SECRET = "secret"  # noqa: S105 (a file's name)
"""The file beside which nothing may leave."""

_NAME = 256  # what is longer is no file's name
_MARK = "__may_leave__"


class MayNotLeave(ProtocolError):
    """A task that must be done on this machine."""


def may_leave(work: Callable[P, T]) -> Callable[P, T]:
    """Mark the function of a task that a worker on another machine may do: it needs no secret, and doing it a second
    time changes nothing.
    """
    setattr(work, _MARK, True)
    return work


def packed(work: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, str, str]:
    """The task as it travels, or `MayNotLeave`."""
    name = f"{work.__module__}.{work.__qualname__}"
    if not getattr(work, _MARK, False):
        raise MayNotLeave(f"{name} is done only on the machine that holds the secret; give it to a worker there")
    for text in _texts([args, kwargs]):
        _check_place(text)
    return work.__module__, work.__qualname__, json.dumps([args, kwargs])


def done(module: str, name: str, given: str) -> str:
    """Do a task, on the machine that it was sent to: its result or its error, as it travels back."""
    answer: dict[str, Any] = {"version": version()}
    try:
        args, kwargs = json.loads(given)
        answer["result"] = getattr(importlib.import_module(module), name)(*args, **kwargs)
    except Exception as error:  # told to the one who gave the task, in words
        answer["error"] = f"{type(error).__name__}: {error}"
    return json.dumps(answer)


def unpacked(answer: str) -> Any:
    """The result of a task that came back, or `WorkerDied` with its error."""
    found = json.loads(answer)
    if found["version"] != version():
        raise WorkerDied(
            f"a worker has Tallystick {found['version']}, and this is {version()}; install the same version on all "
            "machines, then run the command again"
        )
    if "error" in found:
        raise WorkerDied(
            f"a worker could not do its task: {found['error']}; fix the cause (each worker must see the folder of "
            "shards under the same path), then run the command again"
        )
    return found["result"]


def check_shared(shards: Path) -> None:
    """Raise `MayNotLeave` if a secret lies near the folder of the shards: workers see the folder around it, where
    weights are left for them, and shards that are being made.
    """
    around = shared_folder(shards)
    for found in chain(around.glob(f"*/{SECRET}"), around.glob(f"*/*/{SECRET}")):
        raise MayNotLeave(
            f"{found.parent} holds a sealing secret and lies beside {shards}, in a folder that workers on other "
            "machines see; keep corpora where they cannot"
        )


def shared_folder(shards: Path) -> Path:
    """The folder that workers see, without links and dots: two ways to write it are one folder."""
    return shards.parent.resolve()


@cache
def version() -> str:
    """The version of this program, which must be the same everywhere."""
    try:
        return metadata.version("tallystick")
    except metadata.PackageNotFoundError:
        return "not installed"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete, so that a task may be cut off, or done twice."""
    scratch = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        with scratch.open("wb") as file:
            yield file
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _texts(given: Any) -> Iterator[str]:
    """All texts among the arguments, however deep."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        yield from _texts([*given.keys(), *given.values()])
    elif isinstance(given, list | tuple):
        for each in given:
            yield from _texts(each)


def _check_place(text: str) -> None:
    if os.sep not in text and not (len(text) < _NAME and Path(text).exists()):
        return
    path = Path(text).resolve()
    for folder in (path, *path.parents):
        if (folder / SECRET).exists():
            raise MayNotLeave(
                f"{text} lies in {folder}, which holds a sealing secret, and workers on other machines must not see "
                "that folder; build the corpus with --shards FOLDER, a folder elsewhere that is shared with them"
            )
