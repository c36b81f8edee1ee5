"""Two commands at the same moment: what one of them signs, the other one knows."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.examining import examine, open_reader
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import answer_file, question_file
from protocol.exchange.office import Office
from protocol.parties import memory
from tests.support.at_once import Ends, starter
from tests.support.exchange_cases import Table
from tests.support.real_matter import PROGRAMS

PAIRS = 40
INSTALLED_PAIRS = 2  # of the installed command, which takes longer to start


def started(*words: object) -> subprocess.Popen[str]:
    """The installed command."""
    return subprocess.Popen(
        [PROGRAMS / "tallystick", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=120)
    assert "Traceback" not in said, said
    return process.returncode, said


@pytest.fixture
def at_once() -> Iterator[Callable[..., Ends]]:
    """How commands end that begin at the same moment; the first times each is the installed command."""
    with starter() as forked:
        calls = count()

        def found(*commands: list[object]) -> Ends:
            if next(calls) < INSTALLED_PAIRS:
                return [ended(process) for process in [started(*words) for words in commands]]
            return forked(*commands)

        yield found


def answering(table: Table, question: Path, form: Path, out: Path) -> list[object]:
    return ["answer", question, "--key", table.key_file(Role.BOB), "--labels", form, "--out", out, "--yes"]


def labels_two_ways(table: Table) -> tuple[Path, list[Path]]:
    """Bob's question, and two tables with different labels."""
    wave = table.until(Role.BOB, "labels")
    return wave, [table.filled(wave, lambda _: "yes"), table.filled(wave, lambda _: "no")]


@contextmanager
def signed_meanwhile(table: Table, wave: Path, form: Path, twin: Path) -> Iterator[None]:
    """Hold the memory; at the end it has an answer that was signed in the meantime."""
    matter = question_file.read_request(wave).matter
    other = table.copied(twin)
    other.said(Role.BOB, wave, "--labels", str(form))
    with memory.locked(table.key_file(Role.BOB), matter):
        yield
        shutil.copytree(
            memory.folder_of(other.key_file(Role.BOB), matter),
            memory.folder_of(table.key_file(Role.BOB), matter),
            dirs_exist_ok=True,
        )


def test_an_answer_waits_for_another_one_and_then_knows_what_it_said(labelling: Table, tmp_path: Path) -> None:
    wave, (yes, no) = labels_two_ways(labelling)
    with signed_meanwhile(labelling, wave, yes, tmp_path / "twin"):
        second = started(*answering(labelling, wave, no, tmp_path / "second.json"))
        with pytest.raises(subprocess.TimeoutExpired):  # it must not sign before the first one is done
            second.wait(1.2)
    code, said = ended(second)
    assert code == 1
    assert "you gave a different answer to this question before. To withdraw it, add --replace" in said
    assert not (tmp_path / "second.json").exists()


def test_an_answer_that_waits_too_long_says_what_it_waits_for(
    labelling: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    wave, (yes, _) = labels_two_ways(labelling)
    monkeypatch.setattr(memory, "PATIENCE", 0.1)
    with memory.locked(labelling.key_file(Role.BOB), question_file.read_request(wave).matter):
        result = labelling.answer(Role.BOB, wave, "--labels", str(yes))
    assert result.exit_code == 1
    assert f"another command is at work on this matter with {labelling.key_file(Role.BOB)}" in result.output
    assert "nothing was signed. Let it finish, then run this command again" in result.output
    assert not labelling.out.exists()
    labelling.said(Role.BOB, wave, "--labels", str(yes))
    assert not list(labelling.key_file(Role.BOB).parent.glob(".*"))


def test_an_answer_in_another_matter_does_not_wait(labelling: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    wave, (yes, _) = labels_two_ways(labelling)
    monkeypatch.setattr(memory, "PATIENCE", 0)
    with memory.locked(labelling.key_file(Role.BOB), Digest(bytes(32))):
        labelling.said(Role.BOB, wave, "--labels", str(yes))


@pytest.mark.slow
def test_of_two_answers_at_once_with_different_words_exactly_one_is_signed(
    labelling: Table, tmp_path: Path, at_once: Callable[..., Ends]
) -> None:
    wave, forms = labels_two_ways(labelling)
    kept = memory.folder_of(labelling.key_file(Role.BOB), question_file.read_request(wave).matter)
    shutil.copytree(kept, tmp_path / "before")
    for number in range(PAIRS):
        outs = [tmp_path / f"{number}-{word}.json" for word in ("yes", "no")]
        found = at_once(*(answering(labelling, wave, *each) for each in zip(forms, outs, strict=True)))
        assert sorted(code for code, _ in found) == [0, 1], found
        assert [out.exists() for out in outs] == [code == 0 for code, _ in found]
        (refusal,) = (said for code, said in found if code)
        assert "you gave a different answer to this question before" in refusal
        (given,) = (out for out in outs if out.exists())
        assert labelling.memory_of(Role.BOB).answers[-1].file == answer_file.read(given)
        shutil.rmtree(kept)
        shutil.copytree(tmp_path / "before", kept)


def test_two_copies_of_a_matter_at_once_do_not_both_go_on(labelling: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would sign a history of its own, which proves to anyone that Trent cheats."""
    wave, (yes, _) = labels_two_ways(labelling)
    first = labelling.said(Role.BOB, wave, "--labels", str(yes))
    copied = labelling.matter.with_name("copied")
    shutil.copy(labelling.matter, copied)
    monkeypatch.setattr(memory, "PATIENCE", 0.1)
    trent = labelling.keys[Role.TRENT], labelling.key_file(Role.TRENT)
    with labelling.office() as office:
        with pytest.raises(Refused, match="another command is at work on this matter with"):
            Office(copied, *trent)
        office.accept(first)
    with pytest.raises(Refused, match="copied lies behind what this key has signed"):
        Office(copied, *trent)


@pytest.mark.slow
def test_a_copy_of_a_matter_waits_for_the_other_one_and_then_knows_what_was_signed(labelling: Table) -> None:
    wave, (yes, _) = labels_two_ways(labelling)
    first = labelling.said(Role.BOB, wave, "--labels", str(yes))
    copied = labelling.matter.with_name("copied")
    shutil.copy(labelling.matter, copied)
    with labelling.office() as office:
        second = started("matter", "accept", "--key", labelling.key_file(Role.TRENT), copied, labelling.out)
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(1.2)
        office.accept(first)
    code, said = ended(second)
    assert code == 1
    assert f"{copied} lies behind what this key has signed" in said


@pytest.mark.slow
def test_of_two_different_answers_accepted_at_once_one_is_on_record(
    labelling: Table, tmp_path: Path, at_once: Callable[..., Ends]
) -> None:
    wave, forms = labels_two_ways(labelling)
    outs: list[Path] = []
    for form in forms:
        labelling.said(Role.BOB, wave, "--labels", str(form), *(["--replace"] if outs else []))
        outs.append(labelling.out)
    shutil.copytree(labelling.folder / "trent", tmp_path / "before")
    for _ in range(PAIRS // 4):
        words = ["matter", "accept", "--key", labelling.key_file(Role.TRENT), labelling.matter]
        found = at_once(*([*words, out] for out in outs))
        assert sorted(code for code, _ in found) == [0, 1], found
        (refusal,) = (said for code, said in found if code)
        assert "gave a different answer to this question before" in refusal or "another process is writing" in refusal
        with labelling.office() as office:
            assert office.keep.deposits().keys() == {Role.ALICE, Role.BOB, Role.TRENT}
        examine(open_reader(labelling.matter))
        shutil.rmtree(labelling.folder / "trent")
        shutil.copytree(tmp_path / "before", labelling.folder / "trent")


@pytest.mark.slow
def test_two_commands_that_go_on_with_a_matter_at_once_ask_the_same(
    labelling: Table, tmp_path: Path, at_once: Callable[..., Ends]
) -> None:
    wave, (yes, _) = labels_two_ways(labelling)
    labelling.accept(labelling.said(Role.BOB, wave, "--labels", str(yes)))
    shutil.copytree(labelling.folder / "trent", tmp_path / "before")
    for number in range(INSTALLED_PAIRS):
        outbox = tmp_path / f"outbox-{number}"
        words = ["matter", "next", "--key", labelling.key_file(Role.TRENT), labelling.matter]
        words += ["--corpus", labelling.corpus.path, "--outbox", outbox]
        found = at_once(words, words)
        assert 0 in [code for code, _ in found], found
        assert all("another process is writing" in said for code, said in found if code), found
        with labelling.office() as office:
            tasks = [task.name for task in office.tasks()]
        assert sorted(each.name for each in outbox.iterdir()) == sorted(tasks)
        examine(open_reader(labelling.matter))
        shutil.rmtree(labelling.folder / "trent")
        shutil.copytree(tmp_path / "before", labelling.folder / "trent")
