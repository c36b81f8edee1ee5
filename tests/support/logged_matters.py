"""Small simulated matters for the operator's log: one matter right after its opening, in its course and at its end."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from tests.support import matters

LOG_KEY = SigningKey(bytes(range(32)))
ORIGIN = "trent.example/log"
SMALL: dict[str, Any] = {"rounds": 1, "batch": 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Files of one matter at several points of its course, and one of another matter."""

    folder: Path
    opened: Path
    begun: Path
    later: Path
    closed: Path
    other: Path  # another matter, in its course

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def key(self) -> Path:
        return self.folder / "log.key"

    def copied(self, folder: Path) -> "Course":
        shutil.copytree(self.folder, folder)
        return course_in(folder)

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(main, ["log", *map(str, words)])

    def add(self, *words: object) -> Result:
        return self.run("add", self.log, *words, "--key", self.key)


def course_in(folder: Path) -> Course:
    names = ("opened", "begun", "later", "closed", "other")
    return Course(folder=folder, **{name: folder / f"{name}.matter" for name in names})


def played(corpus: Corpus, folder: Path) -> Course:
    """Play the matters, write the log's key, and make an empty log."""
    found = course_in(folder)
    for path, seed, steps in (
        (found.opened, "1", 0), (found.begun, "1", 4), (found.later, "1", 7), (found.closed, "1", None),
        (found.other, "2", 5),
    ):  # fmt: skip
        with matters.start(corpus, path, seed=seed, **SMALL) as run:
            if steps is None:
                run.run()
            for _ in range(steps or 0):
                assert run.step()
    write_keys(found.key, LOG_KEY, Role.TRENT, None)
    made = found.run("init", found.log, "--origin", ORIGIN, "--key", found.key)
    assert made.exit_code == 0, made.output
    return found
