"""A log in a folder: it grows, keeps every checkpoint, and tells what is cut, exchanged or at odds."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle, notes
from ledger.errors import Damaged, LedgerError, Refused, WrongKey
from ledger.keys import SigningKey
from ledger.tlog import checkpoint, log, proofs, tiles
from ledger.tlog.checkpoint import LogCheckpoint, TwoHistories
from ledger.tlog.log import Log

KEY = SigningKey(bytes(range(32)))
OTHER = SigningKey(bytes(range(1, 33)))
ORIGIN = "trent.example/log"
WITNESS = SigningKey(bytes(range(2, 34)))


def leaves_of(first: int, last: int) -> list[bytes]:
    return [f"leaf {number}".encode() for number in range(first, last)]


def add(folder: Path, leaves: Sequence[bytes], key: SigningKey = KEY) -> Log:
    with log.writing(folder, key) as writer:
        writer.append(leaves)
        return writer.log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of 5 leaves in two checkpoints."""
    log.create(tmp_path / "log", ORIGIN, KEY)
    add(tmp_path / "log", leaves_of(0, 2))
    add(tmp_path / "log", leaves_of(2, 5))
    return tmp_path / "log"


def test_a_new_log_is_empty_and_has_a_signed_checkpoint(tmp_path: Path) -> None:
    key = log.create(tmp_path / "log", ORIGIN, KEY)
    found = Log.open(tmp_path / "log")
    assert (found.key, found.size, found.leaves) == (key, 0, ())
    assert found.checkpoint == LogCheckpoint(origin=ORIGIN, size=0, root=merkle.EMPTY_ROOT)
    assert found.note.signed_by([key]) == [key]


@pytest.mark.parametrize(
    "origin", ["", "a b", "a+b", "tallystick/log", "a\nb", "a\tb", "\u00a0", "x" * 256, "\ud800", "a\x07"]
)
def test_an_origin_that_cannot_name_a_log_is_refused(tmp_path: Path, origin: str) -> None:
    with pytest.raises(Refused, match="origin"):
        log.create(tmp_path / "log", origin, KEY)
    assert list(tmp_path.iterdir()) == []


def test_no_log_takes_the_place_of_something_else(folder: Path) -> None:
    with pytest.raises(Refused, match="exists already"):
        log.create(folder, ORIGIN, KEY)


def test_what_was_added_is_there_under_signed_checkpoints(folder: Path) -> None:
    found = Log.open(folder)
    assert found.leaves == tuple(leaves_of(0, 5))
    assert list(found.kept()) == [0, 2, 5]
    for size, note in found.kept().items():
        assert checkpoint.opened(note, found.key).root == merkle.root(leaves_of(0, size))
    assert {path.name for path in folder.rglob(".*")} == set()


@given(counts=st.lists(st.sampled_from([1, 2, 3, 100, 255, 256, 257]), max_size=6))
@settings(max_examples=15)
def test_however_it_grew_it_is_the_same_log_with_the_same_tiles(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int]
) -> None:
    folder, total = tmp_path_factory.mktemp("logs") / "log", 0
    log.create(folder, ORIGIN, KEY)
    for count in counts:
        add(folder, leaves_of(total, total + count))
        total += count
    found = Log.open(folder)
    assert found.leaves == tuple(leaves_of(0, total))
    needed = {tile.path: content for tile, content in tiles.contents(found.leaves, lambda _: True)}
    assert {name: (folder / name).read_bytes() for name in needed} == needed
    for old, note in found.kept().items():
        stated = checkpoint.parse(note.text)
        assert stated.root == found.root_at(old)
        if old:
            assert merkle.verify_consistency(
                old_size=old,
                old_root=stated.root,
                new_size=total,
                new_root=found.checkpoint.root,
                proof=found.consistency(old),
            )
            proof = found.prove(old - 1, note)
            assert proofs.check(proof, found.leaves[old - 1], found.key) == stated


def test_partial_tiles_go_when_their_full_one_is_under_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    log.create(folder, ORIGIN, KEY)
    add(folder, leaves_of(0, 250))
    add(folder, leaves_of(250, 260))
    names = {path.relative_to(folder).as_posix() for path in (folder / "tile").rglob("*") if path.is_file()}
    assert names == {"tile/0/000", "tile/0/001.p/4", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/4"}
    assert list(Log.open(folder).kept()) == [0, 250, 260]


def test_a_full_tile_that_nobody_signed_takes_no_partial_one_away(folder: Path) -> None:
    for tile, content in tiles.contents(leaves_of(5, 305), lambda each: each.width == tiles.WIDTH):
        (folder / tile.path).write_bytes(content)  # a process was killed before it signed
    add(folder, leaves_of(5, 6))
    assert Log.open(folder).leaves == tuple(leaves_of(0, 6))


def test_adding_nothing_signs_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert add(folder, []).size == 5
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_another_key_adds_nothing(folder: Path) -> None:
    with pytest.raises(WrongKey, match="not that of the log"):
        add(folder, [b"x"], OTHER)
    assert Log.open(folder).size == 5


def test_a_leaf_that_is_too_long_changes_nothing(folder: Path) -> None:
    with pytest.raises(Refused, match="65536 bytes"):
        add(folder, [b"x", bytes(65_536)])
    assert Log.open(folder).size == 5


def test_what_is_to_be_signed_is_on_disk_before_it_is_signed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[str]()
    sign = checkpoint.signed

    def signed(found: LogCheckpoint, key: SigningKey) -> notes.Note:
        assert (folder / "signing").read_text() == found.text
        assert tiles.read(found.size, found.root, lambda tile: log.tile_bytes(folder, tile))
        seen.append(found.text)
        return sign(found, key)

    monkeypatch.setattr(checkpoint, "signed", signed)
    add(folder, [b"x"])
    assert len(seen) == 1


def test_what_a_killed_process_was_about_to_sign_is_signed_as_it_stands(folder: Path) -> None:
    add(folder, [b"first"])
    text = (folder / "signing").read_text()
    (folder / "checkpoints/6").unlink()
    found = add(folder, [b"second"])
    assert found.leaves == (*leaves_of(0, 5), b"first", b"second")
    assert notes.parse((folder / "checkpoints/6").read_text()).text == text
    assert list(found.kept()) == [0, 2, 5, 6, 7]


def test_nothing_is_signed_if_what_was_to_be_signed_is_not_whole(folder: Path) -> None:
    add(folder, [b"first"])
    (folder / "checkpoints/6").unlink()
    (folder / "tile/entries/000.p/6").write_bytes(tiles.bundle([*leaves_of(0, 5), b"other"]))
    with pytest.raises(Damaged, match=r"tile/entries/000\.p/6: leaf 5"):
        add(folder, [b"second"])
    assert not (folder / "checkpoints/6").exists()
    assert Log.open(folder).size == 5


@pytest.mark.parametrize("text", ["trent.example/log\n5\n", "", "x\n9\n" + "A" * 43 + "=\n", None])
def test_nothing_is_signed_if_the_text_to_sign_is_damaged_or_missing(folder: Path, text: str | None) -> None:
    (folder / "signing").unlink()
    if text is not None:
        (folder / "signing").write_text(text)
    with pytest.raises(Damaged, match="signing"):
        add(folder, [b"x"])
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["0", "2", "5"]


def test_a_log_whose_newest_checkpoints_were_removed_does_not_sign_their_sizes_again(folder: Path) -> None:
    for name in ("checkpoints/5", "checkpoints/2", "tile/entries/000.p/5"):
        (folder / name).unlink()
    with pytest.raises(LedgerError):
        add(folder, [b"x", b"y"])
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["0"]


@pytest.mark.parametrize("name", ["tile/0/000.p/5", "tile/entries/000.p/5", "log.vkey", "checkpoints/5"])
@pytest.mark.parametrize("harm", ["cut", "emptied", "removed", "exchanged", "bytes"])
def test_a_cut_missing_or_exchanged_file_is_told_and_never_written_over(folder: Path, name: str, harm: str) -> None:
    path = folder / name
    other = folder.parent / "other"
    log.create(other, "other.example/log", OTHER)
    add(other, [b"other"] * 5, OTHER)
    whole = path.read_bytes()
    if harm == "removed":
        path.unlink()
    else:
        harms = {"cut": whole[:-3], "emptied": b"", "exchanged": (other / name).read_bytes(), "bytes": b"\xff\xfe"}
        path.write_bytes(harms[harm])
    try:
        found = Log.open(folder)
    except (Damaged, Refused) as error:
        assert str(error)
        with pytest.raises(LedgerError):
            add(folder, [b"x"])
    else:  # the newest checkpoint is gone: the text to be signed is still there, and is signed again
        assert (name, harm) == ("checkpoints/5", "removed")
        assert found.size == 2
        assert add(folder, [b"x"]).leaves == (*leaves_of(0, 5), b"x")


def test_two_histories_under_one_key_are_told(folder: Path) -> None:
    before = folder.parent / "before"
    shutil.copytree(folder, before)
    add(folder, [b"one", b"two"])
    add(before, [b"other"])
    note = notes.parse((before / "checkpoints/6").read_text())
    (folder / "checkpoints/6").write_text(str(note))
    found = Log.open(folder)
    with pytest.raises(TwoHistories, match="has signed two histories: the checkpoint of 6 leaves"):
        found.kept()
    with pytest.raises(Refused, match="an older copy of the log"):
        Log.open(before).compare(found.note, "a kept file")


def test_a_note_that_the_log_did_not_sign_blames_nobody(folder: Path) -> None:
    found = Log.open(folder)
    forged = checkpoint.signed(replace(found.checkpoint, root=merkle.EMPTY_ROOT), OTHER)
    line = replace(forged.signatures[0], id=found.key.id)
    for note in (forged, replace(forged, signatures=(line,))):
        with pytest.raises(Damaged, match="signature"):
            found.compare(note, "somewhere")


def test_cosignatures_are_added_once_and_stay(folder: Path) -> None:
    note = Log.open(folder).note
    first, second = (notes.cosign(note.text, WITNESS, "court.example/w", time) for time in (1, 2))
    assert log.keep_cosignatures(folder, 5, [first]).signatures[1:] == (first,)
    assert log.keep_cosignatures(folder, 5, [second]).signatures[1:] == (first,)
    assert Log.open(folder).note.signatures[1:] == (first,)
    assert add(folder, [b"x"]).kept()[5].signatures[1:] == (first,)


def test_more_cosignatures_than_a_note_can_hold_are_refused(folder: Path) -> None:
    text = Log.open(folder).note.text
    lines = [notes.cosign(text, WITNESS, f"w{number}", 1) for number in range(64)]
    with pytest.raises(Refused, match="at most 64"):
        log.keep_cosignatures(folder, 5, lines)
    assert len(Log.open(folder).note.signatures) == 1


def test_a_proof_needs_a_leaf_under_its_checkpoint(folder: Path) -> None:
    found = Log.open(folder)
    for index in (-1, 5):
        with pytest.raises(Refused, match="does not hold leaf"):
            found.prove(index)
    with pytest.raises(Refused, match="does not hold leaf 3"):
        found.prove(3, found.kept()[2])


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="neither a log nor one that"):
        Log.open(tmp_path)
    with pytest.raises(Refused, match="is not a log"):
        add(tmp_path, [b"x"])
