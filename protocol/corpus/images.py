"""Pictures of pages, for reading: made where files are read, so that no party has to open a stranger's PDF.

`images.bin` holds the pictures one after the other, and `images.npy` three numbers for each: the part, counted over all
documents as in `places.npy`, and where the picture begins and ends. Neither file is there if there are no pictures. The
field `page_images` of a part is sealed: the SHA-256 of the hashes of its pictures in their order. So whoever may see
the part can tell that these are the pictures that were made when the corpus was.
"""

from array import array
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ledger import reading
from protocol.corpus.arrays import open_array
from protocol.corpus.manifest import REMEDY
from protocol.errors import BadCorpus
from protocol.sources.pictures import images_digest

IMAGES, PLACES = "images.bin", "images.npy"
_EACH = 3  # numbers of one picture


class Writer:
    """Writes pictures as they come, in a file that is made with the first."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / IMAGES
        self._file: IO[bytes] | None = None
        self._rows = array("q")

    def write(self, part: int, images: Sequence[bytes]) -> None:
        """Write the pictures of a part, which is counted in the source's order."""
        for image in images:
            self._file = self._file or self._path.open("wb")
            start = self._file.tell()
            self._file.write(image)
            self._rows.extend((part, start, start + len(image)))

    def close(self) -> NDArray[np.int64]:
        """Close the file; where each picture is."""
        if self._file:
            self._file.close()
        return np.array(self._rows, np.int64).reshape(-1, _EACH)


def write_places(folder: Path, found: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Write where the pictures are; `rows` has, for each part by its number, its place in the source's order."""
    if not len(found):
        return
    renumbered = found.copy()
    renumbered[:, 0] = np.argsort(rows)[found[:, 0]]
    np.save(folder / PLACES, renumbered[np.argsort(renumbered[:, 0], kind="stable")].astype("<i8"))


def read(folder: Path, part: int, sealed: str | None) -> tuple[bytes, ...]:
    """The pictures of a part whose field says `sealed`; `BadCorpus` if they are others."""
    if sealed is None:
        return ()
    try:
        places = open_array(folder / PLACES, "<i8", _EACH)
        first, last = np.searchsorted(places[:, 0], (part, part + 1)).tolist()
        with reading.opened(folder / IMAGES) as file:
            found = tuple(_cut(file, *each) for each in places[first:last, 1:].tolist())
    except (OSError, ValueError) as error:
        raise BadCorpus(f"the pictures of pages in {folder} cannot be read ({error}); {REMEDY}") from None
    if images_digest(sha256(image).digest() for image in found) != sealed:
        raise BadCorpus(f"the pictures of pages in {folder / IMAGES} are not those that were sealed; {REMEDY}")
    return found


def most(folder: Path) -> int:
    """How many pictures the part with the most of them has."""
    if not (folder / PLACES).exists():
        return 0
    places = open_array(folder / PLACES, "<i8", _EACH)
    return int(np.unique(places[:, 0], return_counts=True)[1].max())


def _cut(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(max(0, end - start))
