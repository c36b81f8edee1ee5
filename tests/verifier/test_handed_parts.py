"""V23: each open part of a disclosed document is a file that may be at hand; a withheld part is none."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.verifier.hand_made import DOCUMENTS, proof
from verifier.checks import Check
from verifier.delivery import HandedDocuments
from verifier.replay.contents import Place
from verifier.replay.documents import take_documents
from verifier.replay.forms import Kind
from verifier.tally import Tally


def disclosed(folder: Path, tally: Tally, kind: Kind, *withheld: int) -> HandedDocuments:
    """What a wave with documents 0 and 3 makes of the files in a folder."""
    handed = HandedDocuments(folder)
    values = {"proofs": [proof(DOCUMENTS, 0), proof(DOCUMENTS, 3, *withheld)], "path": [""]}
    current = SimpleNamespace(places={1: Place(0, "mail-0"), 2: Place(3, "mail-3")}, compared={}, proven={})
    entry: Any = SimpleNamespace(
        told=SimpleNamespace(all_of=values.get),
        content=SimpleNamespace(positions=(1, 2)),
        current=current,
        kind=kind,
        state=SimpleNamespace(tally=tally, details=None, disclosed=handed.disclose, shown_parts=0),
    )
    entry.once = lambda find: find(entry)
    take_documents(entry)
    return handed


def judged(folder: Path, kind: Kind = Kind.DISCLOSURE, *withheld: int) -> Tally:
    tally = Tally()
    disclosed(folder, tally, kind, *withheld).judge(tally, lambda _: None)
    return tally


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """All six parts of the two documents, by other names."""
    for number in (0, 3):
        for place, each in enumerate(DOCUMENTS[number]):
            (tmp_path / f"{number}-{place}.bin").write_bytes(each["content"])
    return tmp_path


def test_every_part_is_a_file_that_was_disclosed(files: Path) -> None:
    tally = judged(files)
    assert (tally.findings, tally.unchecked) == ([], {})
    assert tally.items[Check.HANDED] == 6


def test_a_part_that_is_not_at_hand_is_told_with_its_name(files: Path) -> None:
    (files / "3-2.bin").unlink()
    tally = judged(files)
    assert tally.findings == []
    assert tally.unchecked[Check.HANDED].endswith("has the content of mail-3, part 2 (b.txt)")


def test_a_changed_part_is_a_stranger(files: Path) -> None:
    (files / "0-1.bin").write_bytes(b"other")
    (finding,) = judged(files).findings
    assert (finding.check, finding.party) == (Check.HANDED, None)
    assert "other content in 0-1.bin; no file in" in finding.found
    assert finding.found.endswith("mail-0, part 1 (a.txt)")


def test_a_withheld_part_must_not_be_at_hand_and_is_not_missed(files: Path) -> None:
    (finding,) = judged(files, Kind.DISCLOSURE, 1).findings
    assert "other content in 3-1.bin" in finding.found
    (files / "3-1.bin").unlink()
    assert judged(files, Kind.DISCLOSURE, 1).unchecked == {}


def test_what_only_the_court_saw_was_not_handed_to_bob(files: Path) -> None:
    (finding,) = judged(files, Kind.CAMERA).findings
    assert finding.expected == "one of the 0 contents that the record discloses"
