"""The files of a corpus folder, mapped into memory after everything that could be wrong with them was checked.

An array file is numpy's format in one spelling only: version 1.0, the header as `numpy.save` writes it, C order, and
after it exactly as many bytes as its shape needs. numpy's own reader accepts more, such as pickles, which can run
programs. A file must not be cut while it is mapped.
"""

import mmap
import os
import re
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.errors import CorpusDamaged, shown
from verifier.reading import plain_file

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '(?P<descr>[^']{1,16})', 'fortran_order': False, 'shape': \((?P<shape>[0-9, ]{0,80})\), \} *\n"
)
_LENGTH = re.compile(rb"[0-9]{1,18}")


def mapped(path: Path) -> memoryview:
    """The bytes of a file."""
    try:
        with plain_file(path) as file:
            if not os.fstat(file.fileno()).st_size:  # which cannot be mapped
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def forget(data: memoryview) -> None:
    """Let go of the pages of a mapped file that were read so far. They are read again where somebody needs them."""
    if isinstance(data.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.obj.madvise(mmap.MADV_DONTNEED)


def entries(path: Path) -> list[str]:
    """The names in a folder, sorted."""
    try:
        return sorted(each.name for each in path.iterdir())
    except OSError as error:
        raise _unreadable(path, error) from None


def beginning(path: Path, length: int) -> bytes:
    """The first bytes of a file, as many as there are."""
    try:
        with plain_file(path) as file:
            return file.read(length)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def mapped_array(path: Path, descr: str, *shape: int) -> NDArray[Any]:
    """The array in a file, with elements of the kind `descr`, and behind its length this shape."""
    data = mapped(path)
    start = 10 + int.from_bytes(data[8:10], "little")
    header = _HEADER.fullmatch(bytes(data[10:start]))
    if data[: len(_MAGIC)] != _MAGIC or header is None:
        raise CorpusDamaged(f"{shown(path)} does not begin like an array that numpy stored")
    kind, found = header["descr"].decode("ascii", "replace"), _shape(header["shape"])
    if kind != descr or found is None or len(found) != 1 + len(shape) or found[1:] != shape:
        wanted = "".join(f", {each}" for each in shape)
        raise CorpusDamaged(
            f"{shown(path)} holds elements of the kind {kind} in the shape ({header['shape'].decode()}), "
            f"but {descr} in the shape (any{wanted}) is expected"
        )
    dtype = np.dtype(descr)
    if start + prod(found) * dtype.itemsize != len(data):
        raise CorpusDamaged(f"{shown(path)} has {len(data)} bytes, which its header's shape {found} does not fill")
    return np.frombuffer(data, dtype, offset=start).reshape(found) if prod(found) else np.zeros(found, dtype)


def _shape(text: bytes) -> tuple[int, ...] | None:
    lengths = text.removesuffix(b",").split(b", ")
    return tuple(map(int, lengths)) if all(map(_LENGTH.fullmatch, lengths)) else None


def _unreadable(path: Path, error: OSError | ValueError) -> CorpusDamaged:
    why = error.strerror if isinstance(error, OSError) else error
    return CorpusDamaged(f"{shown(path)} cannot be read: {why}")
