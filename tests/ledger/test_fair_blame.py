"""Nobody is blamed for what needs no key of theirs, and what Trent signs falsely is not hidden by something else."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from ledger import canonical, checkpoints, copylines, files, merkle, notes, records
from ledger.copies import write_copy
from ledger.copylines import CheckpointLine, Manifest, ManifestLine
from ledger.entries import Addition, Attached, Release
from ledger.errors import Damaged, LedgerError, Refused
from ledger.examining import examine, open_reader
from ledger.hashing import Digest
from ledger.keys import Signature
from ledger.log import Log
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.ledger.test_store import tamper
from tests.support.builders import (
    KEYS,
    MATTER,
    OTHER_MATTER,
    add_round,
    build_matter,
    logical_clock,
    opening_statement,
    question,
    says,
    seal,
)
from tests.support.forging.trent import CheatingTrent, rewrite_one_entry
from tests.support.judging import verdict

TRENT = KEYS[Role.TRENT]


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    path = tmp_path / "matter"
    build_matter(path)
    return path


def cut(matter: Path, audience: Audience) -> list[bytes]:
    path = matter.parent / "cut"
    with Store.open(matter) as store:
        write_copy(store, audience, TRENT, path)
    return path.read_bytes().splitlines()


def forged_manifest(**fields: Any) -> bytes:
    """A manifest that nobody signed."""
    zero = Digest(bytes(32))
    stated: dict[str, Any] = {
        "audience": Audience.BOB,
        "checkpoints": (),
        "format": 1,
        "head": zero,
        "matter": MATTER,
        "openings": 0,
        "openings_root": merkle.EMPTY_ROOT,
        "root": merkle.EMPTY_ROOT,
        "size": 0,
    }
    return records.encode(ManifestLine(manifest=Manifest(**(stated | fields)), signature=Signature(bytes(64))))


@pytest.mark.parametrize("head", [bytes(32), b"\x01" * 32])
def test_a_manifest_alone_proves_nothing_and_does_not_pass(tmp_path: Path, head: bytes) -> None:
    assert isinstance(verdict(tmp_path, [forged_manifest(head=Digest(head))]), Damaged)


def test_what_stands_before_the_first_entry_blames_nobody(matter: Path) -> None:
    lines = cut(matter, Audience.BOB)
    for text in ("nonsense\n", str(lines)):
        note = notes.Note(text=text, signatures=(notes.sign("x\n", KEYS[Role.BOB], "bob"),))
        line = records.encode(CheckpointLine(checkpoint=str(note)))
        manifest = forged_manifest(checkpoints=(copylines.hash_note(note),), size=9)
        for rest in ([], lines[1:]):
            assert isinstance(verdict(matter.parent, [manifest, line, *rest]), Damaged)


def test_a_genuine_manifest_of_another_matter_is_damage(tmp_path: Path) -> None:
    found = []
    for name, matter in (("one", MATTER), ("two", OTHER_MATTER)):
        with Log.create(tmp_path / name, TRENT, logical_clock()) as log:
            log.append([Addition(statement=opening_statement(matter))])
        found.append(cut(tmp_path / name, Audience.BOB))
    mixed = verdict(tmp_path, [found[0][0], *found[1][1:]])
    assert isinstance(mixed, Damaged)
    assert "another matter" in str(mixed)


def test_a_malformed_entry_of_another_place_is_damage_although_trent_signed_it(matter: Path) -> None:
    lines = cut(matter, Audience.BOB)
    for changes in ({"matter": OTHER_MATTER.hex()}, {"sequence": 77}):
        value: Any = canonical.decode(lines[4])
        value["entry"]["body"] |= {"extra": 1, **changes}
        signed = TRENT.sign("entry", canonical.encode(value["entry"]["body"]))
        value["entry"]["signature"] = signed.hex()
        assert isinstance(verdict(matter.parent, [*lines[:4], canonical.encode(value)]), Damaged)


UNSIGNED_ROWS = [
    "UPDATE openings SET value = CAST('true' AS BLOB) WHERE entry = 2 AND position = 1",
    "UPDATE openings SET salt = zeroblob(32) WHERE entry = 2 AND position = 1",
    "DELETE FROM openings WHERE entry = 2 AND position = 1",
    "DELETE FROM releases WHERE field = 'names'",
    "INSERT INTO releases VALUES (1, 'model', 0, 'bob', 4)",
    "UPDATE note_signatures SET line = replace(line, 'A', 'B') WHERE name LIKE '%bob'",
    "DELETE FROM note_signatures WHERE name NOT LIKE '%/%/%'",
    "UPDATE checkpoints SET text = 'nonsense' || char(10)",
    "UPDATE checkpoints SET size = 3",
    "UPDATE entries SET sequence = 1000 WHERE sequence = 8",
    "DELETE FROM entries WHERE sequence = 8",
]


@pytest.mark.parametrize("statement", UNSIGNED_ROWS)
def test_a_damaged_matter_blames_nobody_is_not_copied_and_does_not_go_on(matter: Path, statement: str) -> None:
    tamper(matter, statement)
    with pytest.raises(Damaged):
        examine(open_reader(matter))
    with pytest.raises(Damaged):
        Log.open(matter, TRENT, logical_clock())
    for audience in Audience:
        with Store.open(matter) as store, pytest.raises(Damaged):
            write_copy(store, audience, TRENT, matter.parent / "copy")
    assert not (matter.parent / "copy").exists()


def test_a_log_that_lost_its_tail_but_not_the_checkpoint_does_not_fork(matter: Path) -> None:
    tamper(matter, "DELETE FROM entries WHERE sequence = 8")
    tamper(matter, "DELETE FROM releases WHERE released_by = 8")
    with pytest.raises(Damaged, match="8 of at least 9 entries"):
        Log.open(matter, TRENT, logical_clock())


def test_a_checkpoint_that_belongs_to_no_entry_is_damage(matter: Path) -> None:
    tamper(matter, "UPDATE checkpoints SET size = 0")
    tamper(matter, "UPDATE note_signatures SET size = 0")
    with pytest.raises(Damaged, match="a checkpoint lacks its entries"):
        examine(open_reader(matter))


def test_flipped_bits_in_a_matters_file_are_damage_or_do_not_matter(matter: Path) -> None:
    whole = matter.read_bytes()
    genuine = examine(open_reader(matter))
    random = Random(1)
    refused = 0
    for _ in range(250):
        data = bytearray(whole)
        for _ in range(random.choice([1, 1, 20])):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        matter.write_bytes(bytes(data))
        try:
            assert examine(open_reader(matter)) == genuine
        except LedgerError as error:
            refused += 1
            assert not hasattr(error, "party"), error
    assert refused > 100


def test_a_reader_sees_one_moment_while_a_writer_goes_on(matter: Path) -> None:
    with Log.open(matter, TRENT, logical_clock()) as log:
        reader = iter(open_reader(matter))
        next(reader)
        add_round(log, 3)
        log.checkpoint()
        assert sum(1 for _ in reader) == 8


def test_a_name_taken_meanwhile_is_not_taken_away(tmp_path: Path) -> None:
    mine, theirs = tmp_path / ".new", tmp_path / "matter"
    mine.write_text("mine")
    theirs.write_text("theirs")
    with pytest.raises(Refused, match="exists already"):
        files.place(mine, theirs)
    assert theirs.read_text() == "theirs"


def two_checkpoints_of_one_size(lines: list[bytes]) -> Iterator[bytes]:
    """Trent names one checkpoint twice in a manifest, and puts it there twice."""
    first: Any = canonical.decode(lines[0])
    manifest = records.from_value(ManifestLine, first).manifest
    doubled = replace(manifest, checkpoints=manifest.checkpoints * 2)
    signature = TRENT.sign("manifest", records.encode(doubled))
    yield records.encode(ManifestLine(manifest=doubled, signature=signature))
    yield from lines[1:]
    yield lines[-1]


def test_one_checkpoint_a_size(matter: Path) -> None:
    found = verdict(matter.parent, list(two_checkpoints_of_one_size(cut(matter, Audience.BOB))))
    assert "second one of 9 entries" in str(found)


def test_a_checkpoint_signed_by_trent_over_another_history_is_a_fault_in_his_own_file_too(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    build_matter(path, cosigned=False)
    other = checkpoints.Checkpoint(matter=MATTER, size=9, root=Digest(bytes(32)), head=Digest(bytes(32)))
    note = checkpoints.sign(other, TRENT)
    tamper(path, f"UPDATE checkpoints SET text = '{note.text}'")
    tamper(path, f"UPDATE note_signatures SET line = '{note.signatures[0]}'")
    with pytest.raises(LedgerError, match="another history") as caught:
        examine(open_reader(path))
    assert caught.value.party is Role.TRENT  # type: ignore[attr-defined]


def test_what_is_released_after_a_copy_was_cut_is_not_in_it(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with Log.create(path, TRENT, logical_clock()) as log:
        log.append([Addition(statement=opening_statement()), question(1)])
        before = cut(path, Audience.BOB)
        log.append([Addition(statement=says(Role.TRENT, "note"))])
        release = Release(audience=Audience.BOB, entry=1, field="names", indices=(0,))
        log.append([Addition(statement=says(Role.TRENT, "note"), releases=(release,))])
        after = cut(path, Audience.BOB)
    assert b"document 1-0" not in b"".join(before)
    assert b"document 1-0" in b"".join(after)


def attachment_place(lines: list[bytes]) -> int:
    return next(place for place, line in enumerate(lines) if line.startswith(b'{"attachment"'))


def test_an_attachment_has_one_cut_and_one_encoding(tmp_path: Path) -> None:
    path, content = tmp_path / "matter", b"some bytes"
    sealed, openings = seal(
        {"file": ((Audience.COURT,), [{"attachment": sha256(content).hexdigest(), "size": len(content)}])}
    )
    statement = says(Role.TRENT, "note", sealed=sealed)
    with Log.create(path, TRENT, logical_clock()) as log:
        log.append([Addition(statement=opening_statement())])
        log.append([Addition(statement=statement, openings=openings, attachments=(Attached.of(content),))])
    lines = cut(path, Audience.COURT)
    place = attachment_place(lines)
    piece: Any = canonical.decode(lines[place])
    assert piece["data"] == "c29tZSBieXRlcw=="
    halves = [piece | {"chunk": 0, "data": "c29t"}, piece | {"chunk": 1, "data": "ZSBieXRlcw=="}]
    unused_bits = piece | {"data": "c29tZSBieXRlcx=="}
    unpadded = piece | {"data": "c29tZSBieXRlcw"}
    for pieces in (halves, [unused_bits], [unpadded], []):
        changed = [*lines[:place], *map(canonical.encode, pieces), *lines[place + 1 :]]
        assert isinstance(verdict(tmp_path, changed), Damaged)


def test_an_attachment_cannot_be_left_out_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with Log.create(path, TRENT, logical_clock()) as log:
        log.append([Addition(statement=opening_statement()), question(1)])
        log.checkpoint()
    lines = cut(path, Audience.COURT)
    assert verdict(tmp_path, lines) is None
    place = attachment_place(lines)
    assert isinstance(verdict(tmp_path, lines[:place] + lines[place + 1 :]), Damaged)


def test_a_fault_is_told_although_a_later_line_is_torn(matter: Path) -> None:
    lines = rewrite_one_entry(CheatingTrent(cut(matter, Audience.BOB)), 3)
    found = verdict(matter.parent, [*lines[:-1], lines[-1][:20]])
    assert "two histories" in str(found)
