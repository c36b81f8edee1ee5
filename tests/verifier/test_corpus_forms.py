"""A file of a corpus folder that has another form than its writer gives it is told as damage, and never run."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.verifier_corpora import ARRAYS, damage, flip, npy, open_all

EDITS: dict[str, Callable[[Path], object]] = {
    "a byte more": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "a byte less": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "emptied": lambda path: path.write_bytes(b""),
    "its first byte": lambda path: flip(path, 0),
    "cut in its header": lambda path: path.write_bytes(path.read_bytes()[:60]),
    "cut in its magic": lambda path: path.write_bytes(path.read_bytes()[:5]),
    "cut before its length": lambda path: path.write_bytes(path.read_bytes()[:8]),
    "random": lambda path: path.write_bytes(bytes(range(256))),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_an_array_of_another_length_or_form_is_told(folder: Path, name: str, change: Callable[[Path], object]) -> None:
    change(folder / name)
    assert Path(name).name in damage(folder)


OTHER_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "of floats": lambda array: array.astype(np.float64),
    "of another width": lambda array: array.astype(np.int16),
    "unsigned": lambda array: array.astype(np.uint64),
    "of texts": lambda array: array.astype("S8"),
    "of pickles": lambda array: array.astype(object),
    "of records": lambda array: np.zeros(len(array), [("a", "<i4"), ("b", "<i4")]),
    "with another dimension": lambda array: array[..., None],
    "as a number": lambda array: array.reshape(-1)[0],
    "turned": lambda array: np.asfortranarray(np.stack([array, array], axis=1)),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("change", OTHER_ARRAYS.values(), ids=OTHER_ARRAYS)
def test_an_array_of_another_kind_is_told(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    np.save(folder / name, change(np.load(folder / name)), allow_pickle=True)
    assert re.search(f"{name} (does not begin like an array|holds elements of the kind)", damage(folder))


@pytest.mark.parametrize("name", [name for name in ARRAYS if not name.endswith("digests.npy")])
def test_numbers_in_the_other_byte_order_are_told_even_where_there_are_as_many(folder: Path, name: str) -> None:
    array = np.load(folder / name)
    np.save(folder / name, array.astype(array.dtype.newbyteorder(">")))
    assert "holds elements of the kind >" in damage(folder)


def test_an_array_in_the_order_of_columns_is_told(folder: Path) -> None:
    np.save(folder / "shards/00000/places.npy", np.asfortranarray(np.load(folder / "shards/00000/places.npy")))
    assert "places.npy does not begin like an array" in damage(folder)


class Marker:
    """Says so when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Path]]:
        return Path.touch, (self.path,)


def test_no_pickle_is_ever_run(folder: Path, tmp_path: Path) -> None:
    np.save(folder / "shards/00000/places.npy", np.array([Marker(tmp_path / "ran")], object), allow_pickle=True)
    damage(folder)
    assert not (tmp_path / "ran").exists()


HEADERS = [
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13, 6), }",  # no newline
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13, 6), }\n\n",
    "{'descr': '<i8', 'fortran_order': True, 'shape': (13, 6), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13, -6), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13, 6, ), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (,), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': 13, }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13L, 6), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (%s, 6), }\n" % (10**30),
    "{'descr': '<i8', 'fortran_order': False, 'shape': (%s, 6), }\n" % ("9" * 70),
    "{'descr': '<i8', 'fortran_order': False, 'shape': (%s, 6), }\n" % ("9" * 60_000),
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1152921504606846976, 6), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (%s), }\n" % ("1, " * 26 + "1"),
    "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 6), }\n",
    "{'descr': 'O', 'fortran_order': False, 'shape': (13, 6), }\n",
    "{'descr': '|O', 'fortran_order': False, 'shape': (13, 6), }\n",
    "{'descr': '\udcff', 'fortran_order': False, 'shape': (13, 6), }\n".encode(errors="surrogateescape"),
    "{'descr': '<i8', 'fortran_order': False, 'shape': (13, 6), 'more': __import__('os')}\n",
    "__import__('os').getcwd()\n",
    "[" * 60_000 + "\n",
    "",
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: str(header)[:80])
def test_a_header_that_numpy_would_not_write_is_told(folder: Path, header: str | bytes) -> None:
    data = np.load(folder / "shards/00000/places.npy").tobytes()
    (folder / "shards/00000/places.npy").write_bytes(npy(header, data))
    assert "shards/00000/places.npy" in damage(folder)


@pytest.mark.parametrize("version", [b"\x02\x00", b"\x03\x00", b"\x00\x00", b"\x01\x01"])
def test_another_version_of_numpys_format_is_told(folder: Path, version: bytes) -> None:
    data = np.load(folder / "shards/00000/places.npy").tobytes()
    header = "{'descr': '<i8', 'fortran_order': False, 'shape': (13, 6), }\n"
    (folder / "shards/00000/places.npy").write_bytes(npy(header, data))
    open_all(folder)
    (folder / "shards/00000/places.npy").write_bytes(npy(header, data, version))
    assert "does not begin like an array" in damage(folder)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "\n",
        "0" * 63,
        "0" * 65,
        "0" * 64 + "\n\n",
        "0" * 64 + "\r\n",
        " " + "0" * 64,
        "A" * 64,
        "g" * 64,
        "é" * 32,
        "0x" + "0" * 62,
        "0" * 10_000_000,
    ],
    ids=lambda secret: f"{len(secret)} characters, {secret[:3]!r}",
)
def test_a_secret_of_another_form_is_told(folder: Path, secret: str) -> None:
    (folder / "secret").write_text(secret)
    assert "secret does not hold a secret: 64 lowercase hex digits" in damage(folder)
