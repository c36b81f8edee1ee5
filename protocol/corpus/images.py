"""Pictures of pages, for reading: made where files are read, so that no party has to open a stranger's PDF.

`images.bin` holds the pictures of a shard one after the other, and `images.npy` three numbers for each: the part,
counted within the shard as in `places.npy`, and where the picture begins and ends. Neither file is there if there are
no pictures. The field `page_images` of a part is sealed: the SHA-256 of the hashes of its pictures in their order. So
whoever may see the part can tell that these are the pictures that were made when the corpus was.
"""

from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO

import numpy as np

from ledger import reading
from ledger.hashing import Digest
from protocol.corpus.arrays import open_array
from protocol.corpus.hashed import Hashed, save
from protocol.corpus.manifest import IMAGE_PLACES, IMAGES, REMEDY
from protocol.errors import BadCorpus
from protocol.sources.pictures import images_digest

_EACH = 3  # numbers of one picture


class Writer:
    """Writes the pictures of a shard as they come, in a file that is made with the first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Hashed | None = None
        self._rows = array("q")

    def write(self, part: int, images: Sequence[bytes]) -> None:
        """Write the pictures of a part."""
        for image in images:
            self._file = self._file or Hashed(self._folder / IMAGES)
            self._rows.extend((part, *self._file.append(image)))

    def close(self) -> dict[str, Digest]:
        """Close the file, and write where each picture is; the hashes of both files."""
        if self._file is None:
            return {}
        places = np.array(self._rows, np.int64).reshape(-1, _EACH)
        return {IMAGES: self._file.close(), IMAGE_PLACES: save(self._folder / IMAGE_PLACES, places)}


def read(shard: Path, part: int, sealed: str | None) -> tuple[bytes, ...]:
    """The pictures of a part whose field says `sealed`; `BadCorpus` if they are others."""
    if sealed is None:
        return ()
    try:
        places = open_array(shard / IMAGE_PLACES, "<i8", _EACH)
        first, last = np.searchsorted(places[:, 0], (part, part + 1)).tolist()
        with reading.opened(shard / IMAGES) as file:
            found = tuple(_cut(file, *each) for each in places[first:last, 1:].tolist())
    except (OSError, ValueError) as error:
        raise BadCorpus(f"the pictures of pages in {shard} cannot be read ({error}); {REMEDY}") from None
    if images_digest(sha256(image).digest() for image in found) != sealed:
        raise BadCorpus(f"the pictures of pages in {shard / IMAGES} are not those that were sealed; {REMEDY}")
    return found


def most(shards: Iterable[Path]) -> int:
    """How many pictures the part with the most of them has."""
    found = (open_array(shard / IMAGE_PLACES, "<i8", _EACH) for shard in shards if (shard / IMAGE_PLACES).exists())
    return max((int(np.unique(places[:, 0], return_counts=True)[1].max()) for places in found), default=0)


def _cut(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(max(0, end - start))
