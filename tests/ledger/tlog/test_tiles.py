"""Tiles: their names, what is in them, and that a cut or exchanged one is told."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.tlog import tiles
from ledger.tlog.tiles import Tile


def leaves_of(size: int) -> list[bytes]:
    return [f"leaf {number}".encode() for number in range(size)]


def stored(leaves: list[bytes]) -> dict[str, bytes]:
    return {tile.path: content for tile, content in tiles.contents(leaves, lambda _: True)}


def read(files: dict[str, bytes], size: int, root: bytes) -> list[bytes]:
    return tiles.read(size, Digest(root), lambda tile: files[tile.path])


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(level=0, index=0, width=256), "tile/0/000"),
        (Tile(level=1, index=1234067, width=256), "tile/1/x001/x234/067"),
        (Tile(level=63, index=999, width=1), "tile/63/999.p/1"),
        (Tile(level=0, index=1000, width=255), "tile/0/x001/000.p/255"),
        (Tile(level=None, index=273, width=112), "tile/entries/273.p/112"),
    ],
)
def test_a_tile_has_the_path_of_the_specification(tile: Tile, path: str) -> None:
    assert tile.path == path


def test_seventy_thousand_leaves_have_the_tiles_that_the_specification_counts() -> None:
    found = tiles.hash_tiles(70_000)
    widths = {level: [tile.width for tile in found if tile.level == level] for level in range(4)}
    assert widths == {0: [256] * 273 + [112], 1: [256, 17], 2: [1], 3: []}
    assert [tile.path for tile in tiles.hash_tiles(256)] == ["tile/0/000", "tile/1/000.p/1"]
    assert tiles.hash_tiles(0) == tiles.bundles(0) == []


@given(leaves=st.lists(st.binary(max_size=40), max_size=600))
@settings(max_examples=25)
def test_what_is_written_is_read_again(leaves: list[bytes]) -> None:
    assert read(stored(leaves), len(leaves), merkle.root(leaves)) == leaves


@given(size=st.integers(min_value=1, max_value=700), data=st.data())
@settings(max_examples=25)
def test_every_hash_of_a_tile_is_the_root_over_its_leaves(size: int, data: st.DataObject) -> None:
    leaves = leaves_of(size)
    tile = data.draw(st.sampled_from(tiles.hash_tiles(size)))
    place = data.draw(st.integers(min_value=0, max_value=tile.width - 1))
    span = tiles.WIDTH ** (tile.level or 0)
    first = (tile.index * tiles.WIDTH + place) * span
    content = stored(leaves)[tile.path]
    assert len(content) == tile.width * 32
    assert content[place * 32 : place * 32 + 32] == merkle.root(leaves[first : first + span])


@given(size=st.integers(min_value=1, max_value=600), more=st.integers(min_value=0, max_value=300))
@settings(max_examples=25)
def test_a_full_tile_may_stand_for_the_partial_one_that_it_has_replaced(size: int, more: int) -> None:
    leaves = leaves_of(size)
    later = stored(leaves_of(size + more))

    def file(tile: Tile) -> bytes:
        return later.get(tile.full.path) or stored(leaves)[tile.path]

    assert tiles.read(size, merkle.root(leaves), file) == leaves


@given(size=st.integers(min_value=1, max_value=520), data=st.data())
@settings(max_examples=60)
def test_one_changed_byte_or_a_cut_in_any_tile_is_told_and_named(size: int, data: st.DataObject) -> None:
    leaves = leaves_of(size)
    files = stored(leaves)
    name = data.draw(st.sampled_from(sorted(files)))
    place = data.draw(st.integers(min_value=0, max_value=len(files[name]) - 1))
    if data.draw(st.booleans()):
        files[name] = files[name][:place]
    else:
        changed = bytearray(files[name])
        changed[place] ^= data.draw(st.integers(min_value=1, max_value=255))
        files[name] = bytes(changed)
    with pytest.raises(Damaged, match=name.replace(".", r"\.")):
        read(files, size, merkle.root(leaves))


def test_leaves_of_another_log_are_told_even_if_their_tiles_fit_them() -> None:
    others = stored([sha256(leaf).digest() for leaf in leaves_of(300)])
    with pytest.raises(Damaged, match="a tile was exchanged"):
        read(others, 300, merkle.root(leaves_of(300)))


def test_two_exchanged_leaves_are_named_by_the_first() -> None:
    leaves = leaves_of(5)
    files = stored(leaves)
    files["tile/entries/000.p/5"] = tiles.bundle([leaves[0], leaves[3], leaves[2], leaves[1], leaves[4]])
    with pytest.raises(Damaged, match=r"tile/entries/000\.p/5: leaf 1 is not the one under the checkpoint"):
        read(files, 5, merkle.root(leaves))


def test_a_bundle_with_one_leaf_more_is_told() -> None:
    leaves = leaves_of(5)
    files = stored(leaves)
    files["tile/entries/000.p/5"] += tiles.bundle([b"more"])
    with pytest.raises(Damaged, match="does not have 5 leaves"):
        read(files, 5, merkle.root(leaves))


def test_a_leaf_that_no_bundle_can_hold_is_refused() -> None:
    tiles.check_leaf(bytes(65_535))
    with pytest.raises(Refused, match="65536 bytes"):
        tiles.check_leaf(bytes(65_536))
