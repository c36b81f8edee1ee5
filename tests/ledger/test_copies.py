"""Copies: what each audience gets, and that a copy which passes is the one that Trent cut."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.entries import Addition, Attached
from ledger.errors import Damaged, Refused, UnknownFormat
from ledger.examining import NotALedger, Summary, examine, open_reader
from ledger.log import Log
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support.builders import KEYS, add_round, build_matter, logical_clock, opening_statement, says, seal


def cut(matter: Path, audience: Audience, name: str | None = None) -> Path:
    path = matter.parent / (name or f"{audience}.jsonl")
    with Store.open(matter) as store:
        write_copy(store, audience, KEYS[Role.TRENT], path)
    return path


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copies") / "matter"
    build_matter(path)
    return path


def opened(copy: Path) -> set[tuple[int, str, int]]:
    """Which sealed values a copy opens."""
    return {
        (copied.entry.body.sequence, opening.field, opening.index)
        for copied in open_reader(copy)
        for opening in copied.openings
    }


NAMES = {(entry, "names", index) for entry in (1, 5) for index in range(3)}
LABELS = {(entry, "labels", index) for entry in (2, 6) for index in range(3)}
MODELS = {(1, "model", 0), (5, "model", 0)}


@pytest.mark.parametrize(
    ("audience", "expected"),
    [
        (Audience.ALICE, NAMES | LABELS),
        (Audience.BOB, {(1, "names", 0), (5, "names", 0)} | LABELS),
        (Audience.COURT, NAMES | LABELS | MODELS),
        (Audience.PUBLIC, set()),
    ],
)
def test_an_audience_gets_its_openings_and_no_others(matter: Path, audience: Audience, expected: set[Any]) -> None:
    assert opened(cut(matter, audience)) == expected


def test_nothing_sealed_stands_readable_in_the_copy_of_somebody_else(matter: Path) -> None:
    bob, public = (cut(matter, audience).read_text() for audience in (Audience.BOB, Audience.PUBLIC))
    assert "document 1-0" in bob
    assert "document 1-1" not in bob
    assert "attachment" not in bob
    assert "document" not in public
    assert "salt" not in public


def test_all_copies_have_the_head_and_root_of_the_matter(matter: Path) -> None:
    def chain(summary: Summary) -> tuple[Any, ...]:
        return summary.head, summary.root, summary.size, summary.keys, summary.checkpoints

    own = chain(examine(open_reader(matter)))
    assert all(chain(examine(open_reader(cut(matter, audience)))) == own for audience in Audience)


def test_a_copy_is_the_same_bytes_every_time_compressed_or_not(matter: Path) -> None:
    plain, again = cut(matter, Audience.COURT, "one.jsonl"), cut(matter, Audience.COURT, "two.jsonl")
    packed, repacked = cut(matter, Audience.COURT, "one.jsonl.gz"), cut(matter, Audience.COURT, "three.jsonl.gz")
    assert plain.read_bytes() == again.read_bytes() == gzip.decompress(packed.read_bytes())
    assert packed.read_bytes() == repacked.read_bytes()
    assert packed.read_bytes()[3:8] == bytes(5), "neither a name nor a time in the header"
    assert examine(open_reader(packed)) == examine(open_reader(plain))


def test_a_copy_of_an_earlier_state_is_a_prefix_of_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    build_matter(path, rounds=1)
    early = [copied.hash for copied in open_reader(cut(path, Audience.BOB, "early"))]
    with Log.open(path, KEYS[Role.TRENT], logical_clock()) as log:
        add_round(log, 2)
    late = [copied.hash for copied in open_reader(cut(path, Audience.BOB, "late"))]
    assert late[: len(early)] == early
    assert len(late) == len(early) + 4


def test_large_attachments_travel_in_pieces_and_arrive_whole(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    contents = [b"", b"x", bytes(2**20), b"y" * (2**20 + 1), bytes(range(256)) * 10_000]
    references: list[Any] = [{"attachment": sha256(each).hexdigest(), "size": len(each)} for each in contents]
    sealed, openings = seal({"files": ((Audience.COURT,), [*references, references[1]])})
    statement = says(Role.TRENT, "note", sealed=sealed)
    with Log.create(path, KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=opening_statement())])
        log.append([Addition(statement=statement, openings=openings, attachments=tuple(map(Attached.of, contents)))])
        log.append([Addition(statement=statement, openings=openings, attachments=tuple(map(Attached.of, contents)))])
    copy = cut(path, Audience.COURT)
    assert examine(open_reader(copy)).attachments == len(contents)
    assert max(map(len, copy.read_bytes().splitlines())) < 2**21
    pieces = [json.loads(line) for line in copy.read_text().splitlines() if line.startswith('{"attachment"')]
    assert len(pieces) == 0 + 1 + 1 + 2 + 3


def test_a_copy_needs_trents_key_and_a_matter_with_entries(tmp_path: Path, matter: Path) -> None:
    with Store.open(matter) as store, pytest.raises(Refused, match="is not Trent's key"):
        write_copy(store, Audience.BOB, KEYS[Role.BOB], tmp_path / "copy")
    with (
        Log.create(tmp_path / "empty", KEYS[Role.TRENT], logical_clock()) as log,
        pytest.raises(Refused, match="nothing"),
    ):
        write_copy(log.store, Audience.BOB, KEYS[Role.TRENT], tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_failed_copy_leaves_no_file_and_an_old_one_untouched(tmp_path: Path, matter: Path) -> None:
    old = tmp_path / "copy"
    old.write_text("the old copy")
    with Store.open(matter) as store, pytest.raises(Refused):
        write_copy(store, Audience.BOB, KEYS[Role.BOB], old)
    assert old.read_text() == "the old copy"
    assert list(tmp_path.iterdir()) == [old]
    with Store.open(matter) as store, pytest.raises(Refused, match="cannot be written"):
        write_copy(store, Audience.BOB, KEYS[Role.TRENT], tmp_path / "no folder" / "copy")


def test_an_unknown_copy_format_is_refused_with_a_word_on_what_to_do(matter: Path, tmp_path: Path) -> None:
    text = cut(matter, Audience.BOB).read_text()
    later = tmp_path / "later"
    later.write_text(text.replace('"format":1,"head"', '"format":2,"head"', 1))
    with pytest.raises(UnknownFormat, match="format 2.*install a newer version"):
        examine(open_reader(later))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"{\n", "line 1"),
        (b"{}\n", "line 1"),
        (b'{"manifest":{}}\n', "line 1"),
        (b'{"entry":{}}\n', "line 1"),
        (b'{"checkpoint":""}\n', "begins with its manifest"),
        (b"{}\r\n", "has a Windows line end"),
        (b"\x1f\x8b", "damaged or cut short"),
        (gzip.compress(b"", mtime=0)[:-4], "damaged or cut short"),
        (b"\x1f\x8b\x08\x00" + b"garbage" * 10, "damaged or cut short"),
        (b'{"manifest":' + b"1" * 1000, "line 1 is cut short"),
    ],
)
def test_files_that_are_no_copies_are_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(Damaged, match=sentence):
        examine(open_reader(path))


@pytest.mark.parametrize(
    ("content", "guess"),
    [
        (b"%PDF-1.7", "a PDF"),
        (b"PK\x03\x04", "ZIP"),
        (b"a;b\n1;2\n", "nor a matter's file$"),
        (b"Tallystick private", "key file"),
    ],
)
def test_a_file_of_another_kind_is_not_called_damaged(tmp_path: Path, content: bytes, guess: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(NotALedger, match=guess):
        open_reader(path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(2**27)))
    with pytest.raises(Damaged, match="longer than any line may be"):
        examine(open_reader(path))
