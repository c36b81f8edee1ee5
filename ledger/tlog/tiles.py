"""Where the leaves and hashes of a log stand in static files, as c2sp.org/tlog-tiles defines it. Nothing here is I/O.

A hash tile has up to 256 hashes of one level: level 0 those of the leaves, each level above the roots of the full tiles
below it. An entry bundle has the leaves behind one tile of level 0, each after its length in two bytes. The last of
each row may be partial, and then its name says how wide it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ledger import merkle
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest

WIDTH = 256
HASH = 32
MAX_LEAF = 2**16 - 1
MAX_BUNDLE = WIDTH * (2 + MAX_LEAF)

ENTRIES = "entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One static file: a hash tile of a level, or an entry bundle (`level` is None)."""

    level: int | None
    index: int
    width: int

    @property
    def path(self) -> str:
        """Its path below the log's address."""
        whole = f"tile/{ENTRIES if self.level is None else self.level}/{_encoded(self.index)}"
        return whole if self.width == WIDTH else f"{whole}.p/{self.width}"

    @property
    def full(self) -> "Tile":
        """The same tile once it is full; it begins with the same bytes."""
        return Tile(level=self.level, index=self.index, width=WIDTH)


def _encoded(index: int) -> str:
    """Groups of three digits, all but the last after an x: 1234067 is x001/x234/067."""
    digits = str(index)
    digits = digits.rjust(-(-len(digits) // 3) * 3, "0")
    groups = [digits[start : start + 3] for start in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])


def bundles(size: int) -> list[Tile]:
    """The entry bundles of a log of this size."""
    return _row(None, size)


def hash_tiles(size: int) -> list[Tile]:
    """The hash tiles of a log of this size, the lowest level first."""
    found, level = list[Tile](), 0
    while size:
        found += _row(level, size)
        level, size = level + 1, size // WIDTH
    return found


def _row(level: int | None, count: int) -> list[Tile]:
    full, rest = divmod(count, WIDTH)
    widths = [WIDTH] * full + ([rest] if rest else [])
    return [Tile(level=level, index=index, width=width) for index, width in enumerate(widths)]


def check_leaf(leaf: bytes) -> None:
    """Refuse a leaf that no bundle can hold."""
    if len(leaf) > MAX_LEAF:
        raise Refused(f"a leaf has {len(leaf)} bytes; an entry bundle can hold {MAX_LEAF} at most")


def bundle(leaves: Sequence[bytes]) -> bytes:
    """The leaves of one bundle as a file."""
    return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)


def contents(leaves: Sequence[bytes], wanted: Callable[[Tile], bool]) -> Iterator[tuple[Tile, bytes]]:
    """The files of a log with these leaves, as far as they are wanted: hash tiles first, then entry bundles."""
    levels = _levels([merkle.leaf_hash(leaf) for leaf in leaves])
    for tile in filter(wanted, hash_tiles(len(leaves))):
        yield tile, b"".join(_part(levels[tile.level or 0], tile))
    for tile in filter(wanted, bundles(len(leaves))):
        yield tile, bundle(_part(leaves, tile))


def read(size: int, root: Digest, file: Callable[[Tile], bytes]) -> list[bytes]:
    """The leaves of the log that a checkpoint states, from its files.

    Every file that the size demands is read and compared with the others and with the root. `Damaged` says which one
    is at odds; files are signed only through the root, so that blames nobody.
    """
    leaves = [leaf for tile in bundles(size) for leaf in _leaves(tile, file(tile))]
    levels = _levels([merkle.leaf_hash(leaf) for leaf in leaves])
    stated = {tile: _hashes(tile, file(tile)) for tile in hash_tiles(size)}
    whole = merkle.root_of_hashes(levels[0]) == root
    for tile, hashes in stated.items():
        level, expected = tile.level or 0, _part(levels[tile.level or 0], tile)
        if hashes == expected:
            continue
        place = next(at for at, pair in enumerate(zip(hashes, expected, strict=True)) if pair[0] != pair[1])
        number = tile.index * WIDTH + place
        if whole:  # the bundles are as signed, so the tile is not
            raise Damaged(f"{tile.path}: hash {number} of level {level} is not that of the leaves under the checkpoint")
        if level == 0 and _root(stated, size) == root:
            raise Damaged(f"{bundles(size)[tile.index].path}: leaf {number} is not the one under the checkpoint")
        break
    if not whole:
        raise Damaged(f"the {size} leaves do not have the root that the checkpoint states: a tile was exchanged")
    return leaves


def _root(stated: dict[Tile, list[bytes]], size: int) -> Digest:
    """The root by the tiles of level 0 alone."""
    return merkle.root_of_hashes([hash_ for tile in _row(0, size) for hash_ in stated[tile]])


def _levels(hashes: list[bytes]) -> list[list[bytes]]:
    """The hashes of each row of tiles."""
    found = [hashes]
    while len(found[-1]) >= WIDTH:
        below = found[-1]
        full = range(0, len(below) - len(below) % WIDTH, WIDTH)
        found.append([merkle.root_of_hashes(below[start : start + WIDTH]) for start in full])
    return found


def _part(row: Sequence[bytes], tile: Tile) -> list[bytes]:
    return list(row[tile.index * WIDTH : tile.index * WIDTH + tile.width])


def _leaves(tile: Tile, data: bytes) -> list[bytes]:
    """The leaves in a bundle, or at the beginning of the full one that has taken its place."""
    found, place = list[bytes](), 0
    while place < len(data) and len(found) < WIDTH:
        end = place + 2 + int.from_bytes(data[place : place + 2], "big")
        if place + 2 > len(data) or end > len(data):
            raise Damaged(f"{tile.path} is cut: only {len(found)} of its {tile.width} leaves can be read")
        found.append(data[place + 2 : end])
        place = end
    if len(found) not in (tile.width, WIDTH) or place != len(data):
        raise Damaged(f"{tile.path} does not have {tile.width} leaves")
    return found[: tile.width]


def _hashes(tile: Tile, data: bytes) -> list[bytes]:
    if len(data) not in (tile.width * HASH, WIDTH * HASH):
        raise Damaged(f"{tile.path} has {len(data)} bytes, not {tile.width * HASH}: it is cut or exchanged")
    return [data[start : start + HASH] for start in range(0, tile.width * HASH, HASH)]
