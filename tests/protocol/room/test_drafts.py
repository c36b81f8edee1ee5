"""Every step is kept, whatever crashes, and can be taken back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Damaged
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


@given(st.lists(st.one_of(st.none(), CELLS), max_size=20))
def test_undo_leads_back_to_what_was(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, Cell] | None]
) -> None:
    draft = Draft(tmp_path_factory.mktemp("draft") / "d.jsonl")
    past: list[dict[str, Cell]] = [{}]
    for step in steps:
        if step is None:
            draft.undo()
            if len(past) > 1:
                past.pop()
        else:
            draft.change(step)
            past.append({name: value for name, value in {**past[-1], **step}.items() if value is not None})
        assert draft.cells == past[-1]
    assert Draft(draft.path).cells == past[-1]
