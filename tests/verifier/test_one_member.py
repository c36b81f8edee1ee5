"""A compressed copy is one member of gzip, whole and alone; of anything else no line is judged."""

import gzip
from pathlib import Path

import pytest

from tests.vectors import FOLDER
from verifier.verdict import Answer, Outcome
from verifier.verification import verify

CHEATED = (FOLDER / "transcripts" / "edge-two-faults.jsonl").read_bytes()
WHOLE = gzip.compress(CHEATED, mtime=0)


def test_a_whole_member_is_read(tmp_path: Path) -> None:
    path = tmp_path / "copy.gz"
    path.write_bytes(WHOLE)
    assert verify(path).answer is Answer.REJECTED


@pytest.mark.parametrize(
    "data",
    [
        WHOLE + gzip.compress(b"", mtime=0),
        gzip.compress(CHEATED[:5000], mtime=0) + gzip.compress(CHEATED[5000:], mtime=0),
        WHOLE + b"\0",
        WHOLE[:-1],
        WHOLE[:-8],
        WHOLE[: len(WHOLE) - 100],
        WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
        WHOLE[:-1] + bytes([WHOLE[-1] ^ 1]),
        WHOLE[:2],
        WHOLE[:10],
    ],
    ids=[
        "an empty member behind it",
        "two members",
        "a zero behind it",
        "a byte short",
        "no checksum",
        "cut short",
        "another checksum",
        "another length",
        "two bytes",
        "a head",
    ],
)
def test_of_anything_else_no_line_is_judged(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "copy.gz"
    path.write_bytes(data)
    verdict = verify(path)
    assert verdict.answer is Answer.UNDECIDED
    assert {each.outcome for each in verdict.checks} == {Outcome.NOT_CHECKED}
    assert "compressed" in verdict.trouble
    assert not verdict.keys
