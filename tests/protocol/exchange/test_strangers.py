"""Files that somebody without Trent's key sends cost little, and are refused."""

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import records
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.exchange import answer_file, filenames, question_file
from protocol.exchange.errors import BadAnswer
from protocol.parties import question
from tests.support.exchange_cases import Table
from tests.support.forging.questions import (
    refused,
)


def stranger(table: Table, path: Path, data: bytes) -> Path:
    """A zip that somebody without Trent's key has made of a question, with another history."""
    asked = question_file.read_request(path)
    files = {filenames.ENTRIES: Digest(hashlib.sha256(data).digest())}
    signed = question.sign(SigningKey(b"\x05" * 32), msgspec.structs.replace(asked, files=files))
    out = table.folder / "bomb.zip"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(filenames.REQUEST, records.encode(signed))
        packed.writestr(filenames.ENTRIES, data)
    return out


def test_a_strangers_bomb_is_refused_before_its_files_are_looked_at(drawing: Table) -> None:
    bomb = stranger(drawing, drawing.questions()[Role.BOB], b"\n" * 2**25)
    assert bomb.stat().st_size < 2**17
    opened: list[str] = []
    original = zipfile.ZipFile.open

    def noted(packed: zipfile.ZipFile, name: Any, *options: Any, **others: Any) -> Any:
        opened.append(getattr(name, "filename", name))
        return original(packed, name, *options, **others)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "open", noted)
        said = refused(drawing, Role.BOB, bomb)
    assert "is not signed with Trent's key in this matter" in said
    assert set(opened) == {filenames.REQUEST}


def test_where_trent_is_not_known_yet_a_history_is_refused_at_its_first_bad_line(table: Table) -> None:
    table.open()
    bomb = stranger(table, table.questions()[Role.BOB], b"\n" * 2**25)
    assert "line 1" in refused(table, Role.BOB, bomb)


def test_a_strangers_question_with_trents_opening_is_refused_at_its_first_line(table: Table) -> None:
    table.open()
    path = table.questions()[Role.BOB]
    opening = (path / filenames.ENTRIES).read_bytes()
    said = refused(table, Role.BOB, stranger(table, path, opening + b"\n" * 2**20))
    assert "is not signed with Trent's key in this matter" in said


def test_a_zip_that_unpacks_to_absurdly_much_is_refused(table: Table) -> None:
    table.open()
    bomb = stranger(table, table.questions()[Role.BOB], b"\n" * (2**26 + 1))
    assert "which is unusual for a question" in refused(table, Role.BOB, bomb)


def test_a_file_that_is_too_large_for_the_record_is_no_answer(tmp_path: Path) -> None:
    """Nothing of it is read: what it says could never be added."""
    path = tmp_path / "answer.json"
    with path.open("wb") as stream:
        stream.truncate(answer_file.MAX_SIZE + 1)
    with pytest.raises(BadAnswer, match="too large to be an answer"):
        answer_file.read(path)
    assert answer_file.MAX_SIZE < 2**25
