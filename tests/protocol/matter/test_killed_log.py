"""`tallystick log`, killed for real at each of its steps on the disk: no size ever gets a second text."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from ledger import notes
from ledger.tlog.log import Log
from protocol.corpus.corpus import Corpus
from tests.support import logged_matters
from tests.support.killing import Killer, killer
from tests.support.logged_matters import ORIGIN, Course

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def begun(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A log with one matter, exported."""
    course = logged_matters.played(small_corpus, tmp_path_factory.mktemp("begun"))
    assert course.add(course.begun).exit_code == 0
    assert course.run("export", course.log, "--out", course.folder / "public").exit_code == 0
    return course


@pytest.fixture(scope="module")
def killed() -> Iterator[Killer]:
    with killer() as found:
        yield found


def texts(log: Path) -> dict[int, str]:
    """What is signed or about to be signed, by size. Both must agree."""
    found = dict[int, str]()
    signed = [notes.parse(path.read_text()).text for path in (log / "checkpoints").glob("[0-9]*")]
    for text in (*signed, (log / "signing").read_text()):
        size = int(text.split("\n")[1])
        assert found.setdefault(size, text) == text
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_killed_add_is_finished_by_the_same_command(begun: Course, killed: Killer, tmp_path: Path) -> None:
    whole = begun.copied(tmp_path / "whole")
    assert whole.add(whole.closed).exit_code == 0
    for step in count(1):
        course = begun.copied(tmp_path / str(step))
        was_killed = killed("tallystick", ["log", "add", course.log, course.closed, "--key", course.key], step)
        left = texts(course.log)
        again = course.add(course.closed)
        assert again.exit_code == 0, again.output
        assert left.items() <= texts(course.log).items()
        assert contents(course.log) == contents(whole.log)
        if not was_killed:
            break
    assert step > 10


def test_after_a_killed_add_another_one_never_signs_another_text(begun: Course, killed: Killer, tmp_path: Path) -> None:
    ends = set[int]()
    for step in count(1):
        course = begun.copied(tmp_path / str(step))
        was_killed = killed("tallystick", ["log", "add", course.log, course.closed, "--key", course.key], step)
        left = texts(course.log)
        other = course.add(course.other)
        assert other.exit_code == 0, other.output
        assert left.items() <= texts(course.log).items()
        found = Log.open(course.log)
        assert list(found.kept()) == sorted(texts(course.log))
        assert not list(course.log.rglob(".*"))
        assert course.run("check", course.log).exit_code == 0
        ends.add(found.size)
        if not was_killed:
            break
    assert ends == {4, 5}  # killed before the text was fixed, and after it


def test_at_every_step_of_an_export_a_reader_finds_all_that_its_checkpoint_demands(
    begun: Course, killed: Killer, tmp_path: Path
) -> None:
    begun = begun.copied(tmp_path / "begun")
    assert begun.add(begun.closed, begun.other).exit_code == 0
    sizes = list[int]()
    for step in count(1):
        course = begun.copied(tmp_path / str(step))
        out = course.folder / "public"
        was_killed = killed("tallystick", ["log", "export", course.log, "--out", out], step)
        sizes.append(Log.open(out).size)
        again = course.run("export", course.log, "--out", out)
        assert again.exit_code == 0, again.output
        assert Log.open(out).leaves == Log.open(course.log).leaves
        assert not list(out.rglob(".*"))
        if not was_killed:
            break
    assert sizes == sorted(sizes)
    assert {*sizes} == {2, 5}


def test_a_killed_init_leaves_a_whole_log_or_none(begun: Course, killed: Killer, tmp_path: Path) -> None:
    for step in count(1):
        course = begun.copied(tmp_path / str(step))
        words = ["init", course.folder / "second", "--origin", ORIGIN, "--key", course.key]
        was_killed = killed("tallystick", ["log", *words], step)
        there = (course.folder / "second").exists()
        again = course.run(*words)
        assert again.exit_code == int(there), again.output
        assert Log.open(course.folder / "second").size == 0
        assert not list(course.folder.rglob(".*"))
        if not was_killed:
            break
    assert step > 3
