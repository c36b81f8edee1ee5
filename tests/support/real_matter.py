"""A real matter played through the commands: a folder for each party, and files that travel between them.

Each party runs in its own folder with an environment of its own, and gets nothing but the questions that are sent to
it. `Play.exchange` lets Trent go on, sends what he asks, lets everyone answer by a `Behaviour`, and brings the answers
back.
"""

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from protocol.cli import main
from protocol.rules import table
from tests.support import alike_answers, forked
from verifier.cli import main as verifier_main

PROGRAMS = Path(sys.executable).parent
FOLDERS = ("alice", "bob", "trent", "court", "expert")
ROLES = ("alice", "bob", "trent", "court")
GROUPS = ("corpus", "key", "list", "matter")  # commands that have commands

Rows = list[dict[str, str]]
Settings = dict[str, Any]


def run(folder: Path, program: str, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A command as a process, in a folder, with an environment that knows nothing of this test."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    found = forked.run(program, *arguments, cwd=folder, env=environment)
    assert "Traceback" not in found.stdout + found.stderr, found.stderr
    assert found.returncode == code, f"{program} {arguments}: {found.returncode}\n{found.stdout}\n{found.stderr}"
    return found


def run_here(folder: Path, program: str, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The same within this process, which is faster, for what does not depend on the process."""
    command = {"tallystick": main, "tallystick-verify": verifier_main}[program]
    with chdir(folder):
        found = CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)
    assert found.exit_code == code, f"{arguments}: {found.exit_code}\n{found.output}"
    return subprocess.CompletedProcess([*map(str, arguments)], found.exit_code, found.stdout, found.stderr)


class FirstInItsProcess:
    """Runs what a party types for the first time as a process of its own, and the same words later in this one."""

    def __init__(self) -> None:
        self._typed: set[tuple[object, ...]] = set()

    def __call__(
        self, folder: Path, program: str, *arguments: object, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        words = [*map(str, arguments)]
        options = frozenset(word for word in words if word.startswith("--"))
        group = words[:2] if words[0] in GROUPS else words[:1]
        typed = (folder.name, program, *group, options, code)
        runs = run_here if typed in self._typed else run
        self._typed.add(typed)
        return runs(folder, program, *arguments, code=code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it arrived at a party."""

    role: str
    kind: str
    round: int
    path: Path  # where the party has it
    request: dict[str, Any]

    def form(self, name: str) -> Rows:
        """A form that came with it."""
        return list(csv.DictReader(io.StringIO((self.path / name).read_bytes().decode("utf-8-sig"), newline="")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """How a spreadsheet saves a table."""

    separator: str = ","
    encoding: str = "utf-8-sig"


def _set(text: str, values: Settings, known: Collection[str] = ()) -> str:
    """A section with other values; None where a line goes. What a rule has is no comment."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        name, equals, _ = line.removeprefix("# ").partition(" = ")
        if not equals or not name.isidentifier():
            continue
        if name in values:
            lines[number] = "" if values[name] is None else f"{name} = {json.dumps(values[name])}"
        elif name in known:
            lines[number] = line.removeprefix("# ")
    written = {line.partition(" = ")[0] for line in lines}
    assert {name for name, value in values.items() if value is not None} <= written, values
    return "\n".join(lines) + "\n"


def save(path: Path, rows: Rows, saved: Saved) -> Path:
    """A filled-in form, as a spreadsheet saves it."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, rows[0].keys(), delimiter=saved.separator, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(stream.getvalue().encode(saved.encoding))
    return path


@dataclass(slots=True, kw_only=True)
class Behaviour:
    """What the people do, by the names of documents. As it stands, everybody is right and nothing is privileged."""

    truth: dict[str, bool]
    alice: Callable[[Asked, list[str]], dict[str, bool]] | None = None  # her labels, given the names of the batch
    claims: Callable[[Asked, list[str]], dict[str, str]] | None = None
    bob: Callable[[Asked, list[str]], dict[str, bool]] | None = None
    upholds: Callable[[str], bool] = lambda name: True
    classes: Callable[[str], str] = lambda name: ""  # the sensitive class that Alice puts a document into
    gives_up: Callable[[Asked, list[str]], set[str]] | None = None  # of a second look; None: what is responsive
    saved: dict[str, Saved] = field(default_factory=dict)  # how each party's spreadsheet saves

    def decisions(self, asked: Asked, folder: Path) -> list[object]:
        """The options with which a party answers."""
        if asked.kind in ("report", "claim") and not (asked.path / "privilege.csv").exists():
            return []  # a validation has drawn no document
        match asked.kind:
            case "report":
                rows = asked.form("labels.csv")
                names = [row["document"] for row in rows]
                labels = self.alice(asked, names) if self.alice else {name: self.truth[name] for name in names}
                options = ["--labels", self._fill(asked, folder, rows, "responsive", labels)]
                return self._with_alike(asked, folder, [*options, *self._claimed(asked, folder, names)])
            case "claim":
                names = [row["document"] for row in asked.form("privilege.csv")]
                return self._with_alike(asked, folder, self._claimed(asked, folder, names))
            case "look":
                rows = asked.form("withheld.csv")
                names = [row["document"] for row in rows]
                found = {name for name in names if self.truth[name]}
                given = self.gives_up(asked, names) if self.gives_up else found
                return [
                    "--give-up",
                    self._fill(asked, folder, rows, "give up", {name: name in given for name in names}),
                ]
            case "labels" | "rulings":
                rows = asked.form("labels.csv")
                names = [row["document"] for row in rows]
                said = self.bob(asked, names) if self.bob and asked.kind == "labels" else {}
                labels = {name: self.truth[name] for name in names} | said
                return ["--labels", self._fill(asked, folder, rows, "responsive", labels)]
            case "privilege" | "returned":
                rows = asked.form("labels.csv")
                for row in rows:
                    said = {"upheld": self.upholds(row["document"]), "responsive": self.truth[row["document"]]}
                    row |= {name: "yes" if value else "no" for name, value in said.items() if row.get(name) == ""}
                return ["--upheld", save(folder / f"{asked.path.name}-filled.csv", rows, Saved())]
            case "order" | "rekeyed":
                return ["--grant"]
            case "amended":
                return ["--accept"]
        return []

    def _claimed(self, asked: Asked, folder: Path, names: list[str]) -> list[object]:
        """The option with what Alice claims, if she claims anything."""
        claims = self.claims(asked, names) if self.claims else {}
        sensitive = {name: self.classes(name) for name in names if name not in claims and self.classes(name)}
        if not (claims or sensitive):
            return []
        table = [
            row
            | {"basis": claims.get(row["document"], "")}
            | ({"class": sensitive.get(row["document"], "")} if sensitive else {})
            for row in asked.form("privilege.csv")
        ]
        return ["--privilege", save(folder / f"{asked.path.name}-claims.csv", table, Saved())]

    def _with_alike(self, asked: Asked, folder: Path, options: list[object]) -> list[object]:
        """The options, with the yes or no that follows from them to what is alike."""
        out = folder / f"{asked.path.name}-alike.csv"
        return [*options, *alike_answers.options(asked.path, out, [*map(str, options)])]

    def _fill(self, asked: Asked, folder: Path, rows: Rows, column: str, said: dict[str, bool]) -> Path:
        filled = [row | {column: "yes" if said[row["document"]] else "no"} for row in rows]
        saved = self.saved.get(asked.role, Saved())
        return save(folder / f"{asked.path.name}-filled.csv", filled, saved)


class Play:
    """The folders of one matter."""

    def __init__(self, root: Path, runs: Callable[..., subprocess.CompletedProcess[str]] = run) -> None:
        self.root = root
        self.runs = runs
        self.folders = {name: root / name for name in FOLDERS}
        self.keys = {role: f"{role}.key" for role in ROLES}  # each in its owner's folder
        self.answers = 0
        for name in FOLDERS:
            (root / name / "inbox").mkdir(parents=True, exist_ok=True)

    def folder(self, role: str) -> Path:
        return self.folders[role]

    def tallystick(self, role: str, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.runs(self.folder(role), "tallystick", *arguments, code=code)

    def make_keys(self) -> None:
        """Everyone makes a key, and sends the public one to Trent."""
        for role in ROLES:
            self.tallystick(role, "key", "new", "--role", role, "--no-passphrase")
            if role != "trent":
                shutil.copy(self.folder(role) / f"{role}.key.pub", self.folder("trent"))

    def write_terms(
        self,
        *,
        protocol: str = "label",
        validation: Settings | None = None,
        classes: Settings | None = None,
        **review: object,
    ) -> None:
        """Trent's terms file, filled in; all values are as they stand in the file.

        Of a rule's parameters, and of the validation, what is not named stays as the printed file has it.
        """
        text = self.tallystick("trent", "matter", "terms").stdout
        text = text.replace('case = ""', 'case = "Roe v. Doe, No. 12-345"').replace(
            'court = ""', 'court = "District Court"'
        )
        text = text.replace('request = """\n"""', 'request = """\nAll mail about prepaid swaps.\n"""')
        for role in ROLES:
            text = text.replace(f'name = ""\nkey = "{role}', f'name = "Counsel of {role}"\nkey = "{role}')
        head, rest = text.split("[review]\n")
        body, rest = rest.split("[validation]\n")
        validating, rest = rest.split("# Sensitive classes")
        tail = rest.partition("# share = 0.05\n")[2]
        known = {each.name for each in table.named(protocol).parameters}
        others = {each.name: None for each in table.parameters() if each.name not in known}
        parts = [head, "[review]\n", _set(body, {"protocol": protocol, **others, **review}, known)]
        if validation is not None:
            parts += ["[validation]\n", _set(validating, validation)]
        if classes is not None:
            parts += ["[classes]\n", *(f"{name} = {json.dumps(value)}\n" for name, value in classes.items())]
        (self.folder("trent") / "terms.toml").write_text("".join([*parts, tail]))

    def open(self) -> subprocess.CompletedProcess[str]:
        """Open the matter by Trent's terms file."""
        words = ("terms.toml", "--corpus", "corpus", "--key", "trent.key", "--out", "case.matter")
        return self.tallystick("trent", "matter", "open", *words)

    def matter(self, command: str, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        """A command of Trent's about the matter."""
        return self.tallystick("trent", "matter", command, "case.matter", "--key", "trent.key", *arguments, code=code)

    def next(self, *options: str) -> dict[str, Any]:
        """Let Trent go on."""
        found = self.matter("next", "--corpus", "corpus", "--outbox", "outbox", "--json", *options)
        value: dict[str, Any] = json.loads(found.stdout)
        return value

    def send(self, question: dict[str, Any]) -> Asked:
        """Carry a question from Trent's outbox to the party's inbox."""
        source = self.folder("trent") / question["path"]
        target = self.folder(question["role"]) / "inbox" / source.name
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(source, target)
        request = json.loads((target / "question.json").read_bytes())["question"]
        return Asked(
            role=question["role"], kind=question["kind"], round=question["round"], path=target, request=request
        )

    def answer(self, asked: Asked, *options: object, code: int = 0) -> Path:
        """Let a party answer, and carry the answer to Trent's inbox."""
        self.answers += 1
        folder = self.folder(asked.role)
        name = f"{self.answers:03d}-{asked.role}-{asked.kind}.json"
        words = ["--key", self.keys[asked.role], *options, "--yes", "--out", name]
        self.tallystick(asked.role, "answer", asked.path.relative_to(folder), *words, code=code)
        if code:
            assert not (folder / name).exists()
            return folder / name
        return Path(shutil.copy(folder / name, self.folder("trent") / "inbox"))

    def accept(self, *answers: Path, code: int = 0, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return self.matter("accept", *(path.relative_to(self.folder("trent")) for path in answers), *options, code=code)

    def exchange(self, behaviour: Behaviour) -> list[Asked]:
        """One step: Trent goes on, all who are asked answer, the answers are accepted. Returns what was asked."""
        asked = [self.send(question) for question in self.next()["questions"]]
        if asked:
            self.accept(*(self.answer(each, *behaviour.decisions(each, self.folder(each.role))) for each in asked))
        return asked

    def until(self, kind: str, behaviour: Behaviour) -> Asked:
        """Go on until this is asked of somebody alone, and leave it unanswered."""
        for _ in range(40):
            asked = [self.send(question) for question in self.next()["questions"]]
            if [each.kind for each in asked] == [kind]:
                return asked[0]
            self.accept(*(self.answer(each, *behaviour.decisions(each, self.folder(each.role))) for each in asked))
        raise AssertionError(f"nobody was asked for {kind!r}")

    def status(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.tallystick("trent", "status", "case.matter", "--json").stdout)
        return value
