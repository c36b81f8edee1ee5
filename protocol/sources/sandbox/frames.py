"""How parent and worker talk: frames over a socket, each with its kind and length before it.

The worker may be in the hands of whoever wrote the file that it reads. So the parent trusts no length, waits for no
frame longer than it said, and takes nothing but bytes, which it then decodes strictly.
"""

import os
import socket
import struct
import time
from contextlib import suppress
from enum import IntEnum
from typing import TypeVar

import msgspec

T = TypeVar("T")

_HEADER = struct.Struct(">BQ")
_CHUNK = 2**20
_SMALL = 2**16
"""Bytes that are sent, or read ahead, at once: most frames are small, and each call costs more than its bytes."""

can_pass_files = hasattr(socket, "send_fds") and hasattr(socket, "AF_UNIX")


class Kind(IntEnum):
    """What a frame is."""

    HELLO = 1
    """The worker is shut in; the protections that hold."""
    ASK = 2
    ANSWER = 3
    """A piece of the answer."""
    END = 4
    """The answer is complete."""


class Closed(Exception):
    """The other side has gone."""


class BadFrame(Exception):
    """The other side sent what is no frame."""


class Senseless(Exception):
    """The other side answered with what is no answer."""


class TooLong(Exception):
    """The other side announced a frame longer than allowed."""


class Line:
    """One end of the connection."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._ahead = bytearray()  # what was read beyond a frame, in `receive` only

    def close(self) -> None:
        """Hang up; whoever waits for a frame in another thread gets `Closed`."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()

    def send(self, kind: Kind, payload: bytes, file: int | None = None, seconds: float | None = None) -> None:
        """Send a frame, and with it an open file. `TimeoutError` if the other side does not take it in time."""
        header = _HEADER.pack(kind, len(payload))
        self._end.settimeout(seconds)
        try:
            if file is not None:
                socket.send_fds(self._end, [header], [file])
            elif len(payload) <= _SMALL:
                self._end.sendall(header + payload)
                return
            else:
                self._end.sendall(header)
            self._end.sendall(payload)
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self, most: int, seconds: float | None = None) -> tuple[Kind, bytes]:
        """The next frame, of at most so many bytes."""
        kind, length = self._header(self._exactly(_HEADER.size, seconds, ahead=True), most)
        return kind, self._exactly(length, seconds, ahead=True)

    def receive_with_file(self, most: int) -> tuple[Kind, bytes, int | None]:
        """The next frame, and the file that was sent with it."""
        if not can_pass_files:
            return (*self.receive(most), None)
        self._end.settimeout(None)
        start, files, _, _ = socket.recv_fds(self._end, _HEADER.size, 1)
        if not start:
            raise Closed
        if len(start) < _HEADER.size:
            start += self._exactly(_HEADER.size - len(start), None)
        kind, length = self._header(start, most)
        return kind, self._exactly(length, None), files[0] if files else None

    def _header(self, raw: bytes, most: int) -> tuple[Kind, int]:
        number, length = _HEADER.unpack(raw)
        try:
            kind = Kind(number)
        except ValueError:
            raise BadFrame(f"a frame of kind {number}") from None
        if length > most:
            raise TooLong(f"a frame of {length} bytes")
        return kind, length

    def _exactly(self, size: int, seconds: float | None, *, ahead: bool = False) -> bytes:
        """So many bytes. `ahead` reads more than that if it is there, for the next time."""
        if len(self._ahead) >= size:
            taken = bytes(self._ahead[:size])
            del self._ahead[:size]
            return taken
        return self._received(size, seconds, _SMALL if ahead else 0)

    def _received(self, size: int, seconds: float | None, least: int) -> bytes:
        deadline = None if seconds is None else time.monotonic() + seconds
        taken, self._ahead = self._ahead, bytearray()
        while len(taken) < size:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self._end.settimeout(left)
            try:
                piece = self._end.recv(max(least, min(_CHUNK, size - len(taken))))
            except TimeoutError:
                raise
            except OSError as error:
                raise Closed(str(error)) from None
            if not piece:
                raise Closed
            taken += piece
        self._ahead += taken[size:]
        return bytes(taken[:size])


def decoded(decoder: "msgspec.msgpack.Decoder[T]", raw: bytes) -> T:
    """What a piece of an answer says, strictly of its type; else `Senseless`."""
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise Senseless from None


def taken_over(handle: int) -> Line:
    """The worker's end, which it was started with as its standard input; that becomes empty."""
    end = socket.socket(fileno=os.dup(handle))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, handle)
    os.close(nowhere)
    return Line(end)
