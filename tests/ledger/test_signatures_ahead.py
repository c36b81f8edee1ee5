"""A second process verifies the signatures of a long copy; without it, the copy is judged in the same way."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import copyreader, keys
from ledger.copies import write_copy
from ledger.errors import LedgerError
from ledger.examining import Summary, examine, open_reader
from ledger.keys import Signed
from ledger.roles import Audience, Role
from ledger.signatures import Ahead
from ledger.store import Store
from tests.support.builders import KEYS, build_matter

ROUNDS = 40


def some_assertions(size: int) -> tuple[list[Signed], set[Signed]]:
    """Assertions of which every third is false, in one way or another, and those that hold."""
    made, true = [], set()
    signers = list(KEYS.values())
    for number in range(size):
        key, message = signers[number % 4], b"statement %d" % number
        signature = key.sign("test", message)
        if number % 3 == 1:
            wrong = [
                keys.signed(key.public, "test", message + b"!", signature),
                keys.signed(key.public, "other", message, signature),
                keys.signed(signers[(number + 1) % 4].public, "test", message, signature),
            ]
            made.append(wrong[number // 3 % 3])
        else:
            made.append(keys.signed(key.public, "test", message, signature))
            true.add(made[-1])
    return made, true


@pytest.fixture
def ahead() -> Iterator[Ahead]:
    with Ahead(worthwhile=True) as found:
        yield found


@pytest.mark.parametrize("count", [0, 1, 2, 3, 300])
def test_those_that_hold_are_those_that_hold_one_by_one(ahead: Ahead, count: int) -> None:
    assertions, true = some_assertions(count)
    ahead.ask(assertions)
    assert ahead.answer() == true == set(filter(keys.holds, assertions))


def test_questions_are_answered_in_their_order(ahead: Ahead) -> None:
    assertions, true = some_assertions(60)
    for start in range(0, 60, 20):
        ahead.ask(assertions[start : start + 20])
        assert ahead.answer() == true & set(assertions[start : start + 20])


def test_the_next_question_may_be_asked_before_the_first_is_answered(ahead: Ahead) -> None:
    assertions, true = some_assertions(900)
    ahead.ask(assertions[:450])  # longer than a pipe holds
    ahead.ask(assertions[450:])
    assert ahead.answer() == true & set(assertions[:450])
    assert ahead.answer() == true & set(assertions[450:])


def test_a_long_message_passes_whatever_its_length(ahead: Ahead) -> None:
    key, message = KEYS[Role.BOB], bytes(2**20)
    assertion = keys.signed(key.public, "test", message, key.sign("test", message))
    ahead.ask([assertion])
    assert ahead.answer() == {assertion}


def test_the_process_ends_with_its_use() -> None:
    with Ahead(worthwhile=True) as ahead:
        process = process_of(ahead)
        assert process.poll() is None
    assert process.poll() is not None


def test_no_process_is_started_where_it_is_not_worth_it() -> None:
    with Ahead(worthwhile=False) as ahead:
        assert ahead._process is None
        ahead.ask(some_assertions(3)[0])
        assert ahead.answer() == set()


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_killed_process_leaves_nothing_verified(ahead: Ahead, *, asked_before: bool) -> None:
    process = process_of(ahead)
    if asked_before:
        ahead.ask([])
    process.kill()
    process.wait()
    ahead.ask(some_assertions(300)[0])
    assert ahead.answer() == set()
    assert ahead.answer() == set()


def test_a_process_that_cannot_be_started_leaves_nothing_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Ahead(worthwhile=True) as ahead:
        ahead.ask(some_assertions(3)[0])
        assert ahead.answer() == set()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupt_of_the_whole_group_leaves_the_end_to_the_parent(ahead: Ahead) -> None:
    assertions, true = some_assertions(3)
    ahead.ask(assertions)
    assert ahead.answer() == true  # so it has started
    process_of(ahead).send_signal(signal.SIGINT)
    ahead.ask(assertions)
    assert ahead.answer() == true


# In a copy


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ahead")
    build_matter(folder / "matter", ROUNDS)
    with Store.open(folder / "matter") as store:
        write_copy(store, Audience.BOB, KEYS[Role.TRENT], folder / "bob.jsonl")
    return folder / "bob.jsonl"


@pytest.fixture(params=["with", "without", "killed"])
def process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small blocks, so that there are many, with a second process, without it, and with one that dies."""
    monkeypatch.setattr(copyreader, "_BLOCK", 7)
    monkeypatch.setattr(copyreader, "_WORTH_A_PROCESS", 10**9 if request.param == "without" else 0)
    if request.param == "killed":
        answer = Ahead.answer

        def killed(ahead: Ahead) -> set[Signed]:
            if ahead._process is not None and ahead._asked:
                ahead._process.kill()
            return answer(ahead)

        monkeypatch.setattr(Ahead, "answer", killed)
    return str(request.param)


def judged(path: Path) -> Summary | str:
    try:
        return examine(open_reader(path))
    except LedgerError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.usefixtures("process")
def test_a_whole_copy_is_whole(copy: Path) -> None:
    found = judged(copy)
    assert isinstance(found, Summary)
    assert found.size == 4 * ROUNDS + 1


@pytest.mark.parametrize("place", [1, 8, 80, -1])
def test_a_false_signature_is_found_wherever_it_stands(copy: Path, tmp_path: Path, process: str, place: int) -> None:
    lines = copy.read_bytes().splitlines(keepends=True)
    entries = [number for number, line in enumerate(lines) if line.startswith(b'{"entry"')]
    number = entries[place] if place < 0 else place
    before, rest = lines[number].rsplit(b'"signature":"', 1)
    lines[number] = before + b'"signature":"' + (b"1" if rest[:1] == b"0" else b"0") + rest[1:]
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(b"".join(lines))
    found = judged(changed)
    assert isinstance(found, str), process
    assert "does not carry Trent's signature" in found


@pytest.mark.usefixtures("process")
@pytest.mark.parametrize("lines", [2, 9, 50])
def test_what_stands_before_a_cut_is_judged_before_the_cut(copy: Path, tmp_path: Path, lines: int) -> None:
    """The line before the cut has a false signature, which is the worse fault; the cut line is not read first."""
    kept = copy.read_bytes().splitlines(keepends=True)[: lines + 1]
    swapped = tmp_path / "cut.jsonl"
    swapped.write_bytes(b"".join(kept) + b'{"entry":')
    assert judged(swapped) == f"Damaged: line {lines + 2} is cut short"
    last = kept[-1].replace(b'"round":', b'"rounds":', 1)
    swapped.write_bytes(b"".join(kept[:-1]) + last + b'{"entry":')
    found = judged(swapped)
    assert isinstance(found, str)
    assert "is cut short" not in found


def test_seven_of_eight_signatures_of_a_copy_are_verified_by_the_process(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And some more are not: those of the first lines and the checkpoint, which tell the keys and the end."""
    monkeypatch.setattr(copyreader, "_WORTH_A_PROCESS", 0)
    here: list[Signed] = []
    holds = keys.holds

    def counted(assertion: Signed) -> bool:
        here.append(assertion)
        return holds(assertion)

    monkeypatch.setattr(keys, "holds", counted)
    examine(open_reader(copy))
    assert 6 * ROUNDS // 8 < len(here) < 6 * ROUNDS // 8 + 10


def process_of(ahead: Ahead) -> subprocess.Popen[bytes]:
    assert ahead._process is not None
    return ahead._process
