"""Arrays in files, memory-mapped."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# numpy parses a file's header with `ast`, which two threads must not do at once in Python 3.11: one gets a SystemError.
_ONE_AT_A_TIME = threading.Lock()


def open_array(path: Path, dtype: DTypeLike, *shape: int) -> NDArray[Any]:
    """The array in a .npy file, or ValueError if it has other numbers or, behind its length, another shape.

    It is a plain array, since reading single numbers from numpy's memmap class is several times as slow.
    """
    with _ONE_AT_A_TIME:
        found = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    if found.dtype != np.dtype(dtype) or found.ndim != 1 + len(shape) or found.shape[1:] != shape:
        raise ValueError(f"{path.name} has numbers of kind {found.dtype} in the shape {found.shape}")
    return found
