"""Readers that do what a hostile file might make a reader do. A worker runs them in place of the real ones.

A file's content says what is to be done: `segfault`, `sleep`, `open /etc/passwd`, …
"""

import ctypes
import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from protocol.sources import extractors
from protocol.sources.extractors import Extraction, encode_part
from protocol.sources.family import Part
from protocol.sources.limits import Limits
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause

REMEMBERED: list[str] = []


def _extract(file: File) -> Extracted:
    order, _, rest = file.content.decode().partition(" ")
    return Extracted(kind="hostile", text=str(ORDERS[order](rest) if order in ORDERS else order), tool="test")


def _refuse(rest: str) -> str:
    raise Unextractable(Cause.ENCRYPTED, rest)


def _raise(rest: str) -> str:
    raise ZeroDivisionError(rest)


def _allocate(_: str) -> str:
    held = []
    while True:
        held.append(bytearray(2**24))


def _recurse(rest: str) -> str:
    return _recurse(rest)


def _connect(port: str) -> str:
    with socket.create_connection(("127.0.0.1", int(port)), 5):
        return "connected"


def _local_socket(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
    return "connected"


def _tried(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        return f"refused: {error.strerror}"


def _write(path: str) -> str:
    try:
        Path(path).write_text("mine")
    except OSError as error:
        return f"refused: {error.strerror}"
    return "written"


def _fork(_: str) -> str:
    try:
        pid = os.fork()
    except OSError as error:
        return f"refused: {error.strerror}"
    if pid == 0:
        time.sleep(600)
    return f"child {pid}"


def _remember(rest: str) -> str:
    REMEMBERED.append(rest)
    return ",".join(REMEMBERED)


def _unlimit(_: str) -> str:
    try:
        resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))
    except (OSError, ValueError) as error:
        return f"refused: {error}"
    return "unlimited"


def _deeper(_: str) -> str:
    """What a process with rights could do to get out: mount, or make another root."""
    libc = ctypes.CDLL(None, use_errno=True)
    tried = (
        libc.mount(b"proc", b"/", b"proc", 0, None),
        libc.chroot(b"/"),
        libc.unshare(0x00020000),
        libc.umount2(b"/", 2),
    )
    return " ".join("done" if code == 0 else "refused" for code in tried)


def _slow(seconds: str) -> str:
    time.sleep(float(seconds))
    return seconds


ORDERS: dict[str, Callable[[str], object]] = {
    "segfault": lambda _: ctypes.string_at(0),
    "exit": lambda code: os._exit(int(code)),
    "quit": lambda _: sys.exit(),
    "sleep": lambda _: time.sleep(600),
    "spin": lambda _: sum(iter(int, 1)),
    "allocate": _allocate,
    "recurse": _recurse,
    "raise": _raise,
    "refuse": _refuse,
    "endless": lambda _: "x" * 2**27,
    "open": _tried,
    "list": lambda path: sorted(map(str, Path(path).iterdir())),
    "write": _write,
    "connect": _connect,
    "local": _local_socket,
    "fork": _fork,
    "remember": _remember,
    "unlimit": _unlimit,
    "deeper": _deeper,
    "slow": _slow,
}


class Hostile(Extraction):
    """Runs the orders. The name of the reader is native, if the file's is."""

    def prepare(self, limits: Limits) -> None:
        super().prepare(limits)
        self.table = tuple(
            Extractor(name=name, described="", recognises=lambda file, n=name: file.name.endswith(n), extract=_extract)  # type: ignore[misc]
            for name in (extractors.NATIVE[0], "")
        )

    def answer(self, asked: bytes, file: IO[bytes] | None) -> Iterator[bytes]:
        """Some orders are about the answer itself."""
        order = extractors.decode_file(asked).content.decode()
        forged = FORGED.get(order)
        yield from forged() if forged else super().answer(asked, file)


def _part(index: int, parent: int | None) -> bytes:
    return encode_part(Part(index=index, parent=parent, name="n", content=b"c", kind="k", text="t"))


def _flood() -> Iterator[bytes]:
    index = 0
    while True:
        text = "x" * 2**20
        parent = None if index == 0 else 0
        yield encode_part(Part(index=index, parent=parent, name="n", content=b"", kind="k", text=text))
        index += 1


def _many() -> Iterator[bytes]:
    yield _part(0, None)
    for index in range(1, 10**9):
        yield _part(index, 0)


FORGED = {
    "nothing": lambda: iter(()),
    "noise": lambda: iter([b"Pnoise"]),
    "no kind": lambda: iter([b""]),
    "pickle": lambda: iter([b"\x80\x04cos\nsystem\n."]),
    "two roots": lambda: iter([_part(0, None), _part(1, None)]),
    "no root": lambda: iter([_part(0, 0)]),
    "later parent": lambda: iter([_part(0, None), _part(1, 2), _part(2, 0)]),
    "gap": lambda: iter([_part(0, None), _part(2, 0)]),
    "bad text": lambda: iter([_part(0, None).replace(b"\xa1t", b"\xa1\xff")]),
    "bad cause": lambda: iter([b"R" + b"\x83\xa4kind\xa1k\xa5cause\xa6nonono\xa6detail\xa1d"]),
    "flood": _flood,
    "many": _many,
}


HOSTILE = Hostile()
WORK = f"{__name__}:HOSTILE"
