"""Every step is kept, whatever crashes, and can be taken back."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Damaged, Refused
from protocol.room.drafts import Cell, Draft


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "drafts" / "q.jsonl"


def test_a_step_is_there_when_the_program_starts_again(path: Path) -> None:
    Draft(path).change({"label/1": True, "basis/2": "Advice"})
    assert Draft(path).cells == {"label/1": True, "basis/2": "Advice"}


def test_a_step_that_a_crash_cut_short_is_left_out(path: Path) -> None:
    draft = Draft(path)
    draft.change({"label/1": True})
    draft.change({"label/2": False})
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines()[1]) + 1):
        path.write_bytes(whole[:-cut])
        again = Draft(path)
        assert again.cells == {"label/1": True}
        again.change({"label/3": True})
        assert Draft(path).cells == {"label/1": True, "label/3": True}


def test_steps_are_taken_back_one_by_one_also_after_a_restart(path: Path) -> None:
    draft = Draft(path)
    draft.change({"label/1": True})
    draft.change({"label/1": False, "label/2": True})
    assert Draft(path).undo() == {"label/1": True, "label/2": None}
    assert Draft(path).cells == {"label/1": True}
    assert Draft(path).undo() == {"label/1": None}
    assert Draft(path).undo() == {}
    assert Draft(path).cells == {}


def test_a_step_that_was_taken_back_can_be_taken_again_also_after_a_restart(path: Path) -> None:
    draft = Draft(path)
    draft.change({"label/1": True})
    draft.change({"label/1": False, "basis/2": "Advice"})
    draft.undo()
    draft.undo()
    assert Draft(path).redo() == {"label/1": True}
    assert Draft(path).redo() == {"label/1": False, "basis/2": "Advice"}
    assert Draft(path).redo() == {}
    assert Draft(path).cells == {"label/1": False, "basis/2": "Advice"}
    assert Draft(path).undo() == {"label/1": True, "basis/2": None}


def test_after_another_decision_nothing_is_taken_again(path: Path) -> None:
    draft = Draft(path)
    draft.change({"label/1": True})
    draft.undo()
    draft.change({"label/2": True})
    assert draft.redo() == {}
    assert Draft(path).redoable == 0


def test_a_file_is_kept_and_is_not_undone(path: Path) -> None:
    draft = Draft(path)
    draft.change({"granted": True})
    draft.add(b"\x00an objection\n")
    assert Draft(path).undo() == {"granted": None}
    assert Draft(path).papers == [b"\x00an objection\n"]


def test_steps_from_two_windows_are_kept_in_the_order_in_which_they_count(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = iter([0.05, 0.04, 0.03, 0.02, 0.01, 0.0] * 2)
    monkeypatch.setattr("protocol.room.drafts.os.fsync", lambda _: time.sleep(next(pauses)))
    draft = Draft(path)
    with ThreadPoolExecutor(max_workers=6) as pool:
        list(pool.map(lambda number: draft.change({"basis/1": str(number)}), range(12)))
    assert Draft(path).cells == draft.cells
    assert Draft(path).undoable == 12


def test_a_damaged_draft_is_said_and_not_guessed(path: Path) -> None:
    Draft(path).change({"label/1": True})
    path.write_bytes(path.read_bytes() + b"nonsense\n")
    with pytest.raises(Damaged, match="line 2"):
        Draft(path)


def test_nobody_else_can_read_a_draft(path: Path) -> None:
    Draft(path).change({"label/1": True})
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_time_without_a_step_is_not_counted_as_work(path: Path) -> None:
    path.parent.mkdir(parents=True)
    steps = [{"at": at, "cells": {"label/1": True}} for at in (0.0, 10.0, 5000.0, 5030.0)]
    path.write_text("".join(json.dumps(each) + "\n" for each in steps))
    assert Draft(path).seconds == 40.0


CELLS = st.dictionaries(
    st.sampled_from(["label/1", "label/2", "basis/1"]),
    st.one_of(st.none(), st.booleans(), st.text(max_size=5)),
    min_size=1,
)


@given(st.lists(st.one_of(st.sampled_from(["undo", "redo"]), CELLS), max_size=20))
def test_undo_and_redo_lead_back_and_forth(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, Cell] | str]
) -> None:
    draft = Draft(tmp_path_factory.mktemp("draft") / "d.jsonl")
    past: list[dict[str, Cell]] = [{}]
    future: list[dict[str, Cell]] = []
    for step in steps:
        if step == "undo":
            draft.undo()
            if len(past) > 1:
                future.append(past.pop())
        elif step == "redo":
            draft.redo()
            if future:
                past.append(future.pop())
        elif isinstance(step, dict):
            draft.change(step)
            past.append({name: value for name, value in {**past[-1], **step}.items() if value is not None})
            future.clear()
        assert draft.cells == past[-1]
        assert (draft.undoable, draft.redoable) == (len(past) - 1, len(future))
    assert Draft(draft.path).cells == past[-1]


def test_a_step_that_a_full_disk_cuts_short_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = Draft(path)
    draft.change({"label/1": True})
    with monkeypatch.context() as patch:
        write = os.write
        patch.setattr("os.write", lambda handle, data: write(handle, data[:9]))
        with pytest.raises(Refused):
            draft.change({"label/2": True})
    draft.change({"label/3": False})
    assert draft.cells == Draft(path).cells == {"label/1": True, "label/3": False}
