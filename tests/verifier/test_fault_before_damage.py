"""A fault of an entry stands, whatever damage is in the line after it."""

import gzip
from pathlib import Path

import pytest

from ledger import canonical
from tests.vectors import FOLDER
from verifier.values import blamed
from verifier.verdict import Answer
from verifier.verification import verify

PIECE = canonical.encode({"attachment": "00" * 32, "chunk": 0, "data": "AAAA"})
TOKEN = canonical.encode({"token": "AAAA"})


def lines_of(name: str) -> list[bytes]:
    path = next((FOLDER / "transcripts").glob(f"{name}.jsonl*"))
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()


@pytest.mark.parametrize("stray", [PIECE, TOKEN], ids=["a piece", "a token"])
@pytest.mark.parametrize("name", ["trent-stamps-another-record", "trent-logs-another-record"])
def test_what_stands_after_a_faulty_entry_does_not_hide_the_fault(tmp_path: Path, name: str, stray: bytes) -> None:
    lines = lines_of(name)
    faulty = max(at for at, line in enumerate(lines) if b'"entry"' in line)
    (tmp_path / "copy").write_bytes(b"".join(line + b"\n" for line in (*lines[: faulty + 1], stray)))
    verdict = verify(tmp_path / "copy")
    assert verdict.answer is Answer.REJECTED
    assert blamed(verdict) == ["trent"]
    assert verdict.trouble


@pytest.mark.parametrize("stray", [PIECE, TOKEN], ids=["a piece", "a token"])
def test_after_a_good_entry_it_is_damage(tmp_path: Path, stray: bytes) -> None:
    lines = lines_of("valid-witnessed-bob")
    for at in [number for number, line in enumerate(lines) if line.startswith(b'{"entry"')]:
        (tmp_path / "copy").write_bytes(b"".join(line + b"\n" for line in (*lines[: at + 1], stray, *lines[at + 1 :])))
        verdict = verify(tmp_path / "copy")
        assert (verdict.answer, blamed(verdict)) == (Answer.UNDECIDED, [])
