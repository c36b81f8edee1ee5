"""Whatever a user names as a file: no command waits for it, reads it for ever, or ends in a traceback."""

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click
import pytest
from click.testing import CliRunner, Result

from ledger.keyfiles import write_keys
from ledger.keys import fingerprint
from ledger.roles import Role
from ledger.tlog import log as logs
from protocol.cli import main as tallystick
from protocol.exchange.termstemplate import template
from tests.support import certificates
from tests.support.critical_files import genuine
from tests.support.exchange_cases import Table
from tests.support.forging.stamps import Rogue
from verifier.cli import main as tallystick_verify

PATIENCE = 20  # seconds; a command that takes longer hangs
DEEP = 5_000
PASSPHRASE = "several plain words"
PROGRAMS: dict[str, click.Command] = {"tallystick": tallystick, "tallystick-verify": tallystick_verify}

Given = dict[str, object]
"""What a command is given, by the names of its parameters."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**33)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def deep(path: Path) -> None:
    path.write_text("[" * DEEP + "]" * DEEP + "\n")


def deep_object(path: Path) -> None:
    path.write_text('{"a":' * DEEP + "1" + "}" * DEEP + "\n")


def digits(path: Path) -> None:
    path.write_text('{"format":%s}\n' % ("9" * DEEP))


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)))


def empty(path: Path) -> None:
    path.touch()


Kind = Callable[[Path], None]

TEXTS: tuple[Kind, ...] = (deep, deep_object, digits, binary)
KINDS: tuple[Kind, ...] = (fifo, folder, device, link_to_itself, endless, empty, *TEXTS)
QUICK: tuple[Kind, ...] = (fifo, device, deep_object)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A folder with everything that commands can be given, whole."""

    path: Path
    table: Table
    question: Path

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    @property
    def corpus(self) -> Path:
        return self.table.corpus.path

    @property
    def matter(self) -> Given:
        """What Trent's commands are given."""
        return {"matter": self.table.matter, "key_file": self.table.key_file(Role.TRENT)}

    def given(self, command: str) -> Given:
        """What makes a command work, or as much of it as matters here."""
        out: Given = {"out": self / "out"}
        match command.split():
            case ["tallystick", "answer"]:
                bob, labels = self.table.key_file(Role.BOB), self / "labels"
                return {"path": self.question, "key_file": bob, "labels": labels, "yes": True, **out}
            case ["tallystick", "copy"]:
                return {**self.matter, "audience": "bob", **out}
            case ["tallystick", "corpus", "build"]:
                return {"source": self / "source.jsonl", **out}
            case ["tallystick", "corpus", "mail"]:
                return {"documents": 20, "responsive": 5, **out}
            case ["tallystick", "corpus", "synth"]:
                return {"documents": 20, "responsive": 5, "out": self / "out.jsonl"}
            case ["tallystick", "exhibit"]:
                return {**self.matter, "number": 0, "folder": self.corpus, "undisclosed": True, **out}
            case ["tallystick", "experiment", "models"]:
                return {"corpus": self.corpus, "matter": self.table.matter}
            case ["tallystick", "experiment", _]:
                return {"corpus": self.corpus, **out}
            case ["tallystick", "forecast"]:
                return {"terms": self / "terms", "trials": 1}
            case ["tallystick", "key", "new"]:
                return {"role": "bob", **out}
            case ["tallystick", "key", "show"]:
                return {"file": self.table.key_file(Role.BOB)}
            case ["tallystick", "ledger", _]:
                return {"file": self / "copy"}
            case ["tallystick", "list", _]:
                return {**self.matter, "folder": self.corpus, "outs": self / "out.csv"}
            case ["tallystick", "log", "init"]:
                return {"folder": self / "out", "origin": "trent.example/log", "key_file": self.matter["key_file"]}
            case ["tallystick", "log", "check"]:
                return {"folder": self / "log", "policy_file": self / "policy", "seen": self / "log.tlog-proof"}
            case ["tallystick", "log", "record"]:
                return {**self.matter, "proof": self / "log.tlog-proof"}
            case ["tallystick", "log", *_]:
                return {"folder": self / "log", **self.matter, "policy_file": self / "policy", **out}
            case ["tallystick", "matter", "open"]:
                return {**self.matter, "terms": self / "terms", "corpus_folder": self.corpus, **out}
            case ["tallystick", "matter", "next"]:
                return {**self.matter, "corpus_folder": self.corpus, "outbox": self / "outbox"}
            case ["tallystick", "matter", "accept"]:
                return {**self.matter, "answer": self / "answer"}
            case ["tallystick", "matter", "papers"]:
                return {"terms": self / "terms", "folder": self.corpus, **out}
            case ["tallystick", "matter", "rekey"]:
                return {**self.matter, "role": "bob", "new_key": self / "encrypted.pub"}
            case ["tallystick", "matter", "default"]:
                return {**self.matter, "absent": "bob"}
            case ["tallystick", "matter", "amend"]:
                return {**self.matter, "rounds": 5}
            case ["tallystick", "matter", _] | ["tallystick", "status"]:
                return self.matter
            case ["tallystick", "produce"]:
                return {**self.matter, "folder": self.corpus, "prefix": "ACME", **out}
            case ["tallystick", "room"]:
                return {"question": self.question, "key_file": self.table.key_file(Role.BOB), "no_browser": True}
            case ["tallystick", "run"]:
                key_file = self.table.key_file(Role.TRENT)
                given = {"matters": self.table.matter, "corpora": self.corpus, "key_file": key_file}
                return {**given, "box": self / "run-box", "once": True}
            case ["tallystick", "serve"]:
                whole = {"tls_cert": self / "tls/server.pem", "tls_key": self / "tls/server.key"}
                return {"box": self / "box", "listen": "127.0.0.1:0", **whole}
            case ["tallystick", "simulate"]:
                return {"corpus": self.corpus, "label": "responsive", "protocol": "label", **out}
            case ["tallystick", "stamp", "add"]:
                return {**self.matter, "token": self / "stamp.tsr", "query": self / "stamp.tsq"}
            case ["tallystick", "stamp", "request"]:
                return {"stamped": self / "copy", **out}
            case ["tallystick-verify", "stamp"]:
                return {"token": self / "stamp.tsr", "stamped": self / "copy", "roots_file": self / "roots.pem"}
            case ["tallystick-verify", "compare"]:
                return {"first": self / "copy", "second": self / "copy"}
            case ["tallystick-verify", "copy"]:
                return {"copy": self / "copy"}
            case ["tallystick-verify", "critical"]:
                return {"file": self / "critical"}
            case ["tallystick-verify", "exhibit"]:
                return {"folder": self / "exhibit"}
            case ["tallystick-verify", "privilege-log"]:
                return {"proofs": self / "proofs", "copy": self / "copy"}
            case ["tallystick-verify", "production"]:
                return {"folder": self / "exhibit", "copy": self / "copy"}
        return out


@pytest.fixture(scope="module")
def scene(_labelling: Table, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    tmp_path = tmp_path_factory.mktemp("scene")
    labelling = _labelling.copied(tmp_path / "table")
    found = Scene(path=tmp_path, table=labelling, question=labelling.until(Role.BOB, "labels"))
    labels = labelling.filled(found.question)
    twin = labelling.copied(tmp_path / "twin")
    twin.said(Role.BOB, found.question, "--labels", str(labels))
    shutil.move(twin.out, found / "answer")
    shutil.move(labels, found / "labels")
    whole: dict[str, Given] = {
        "tallystick copy": {"out": found / "copy"},
        "tallystick exhibit": {"out": found / "exhibit"},
        "tallystick list privilege": {"outs": found / "log.csv", "proofs_file": found / "proofs"},
    }
    for command, out in whole.items():
        assert called(command, found.given(command) | out).exit_code == 0
    (found / "trust").write_text("".join(f"{role} {fingerprint(key.public)}\n" for role, key in labelling.keys.items()))
    (found / "passphrase").write_text(PASSPHRASE)
    write_keys(found / "encrypted", labelling.keys[Role.BOB], Role.BOB, PASSPHRASE.encode())
    text = template().replace('"""\n"""', '"x"').replace('= ""', '= "x"')
    for role in Role:
        text = text.replace(f'key = "{role}', f'key = "{labelling.folder}/{role}/{role}')
    (found / "terms").write_text(text)
    certificates.write(found / "tls")
    key = logs.create(found / "log", "trent.example/log", labelling.keys[Role.TRENT])
    (found / "policy").write_text(f"log {key.vkey}\nquorum none\n")
    proof = {"out": found / "log.tlog-proof"}
    for command in ("tallystick log add", "tallystick log prove"):
        assert called(command, found.given(command) | proof).exit_code == 0
    authority = Rogue.make()
    (found / "stamp.tsr").write_bytes(authority.token((found / "copy").read_bytes()))
    (found / "roots.pem").write_bytes(authority.roots)
    query = {"out": found / "stamp.tsq"}
    assert called("tallystick stamp request", found.given("tallystick stamp request") | query).exit_code == 0
    assert called("tallystick-verify stamp", found.given("tallystick-verify stamp")).exit_code == 0
    (found / "critical").write_text(json.dumps(genuine()))
    (found / "documents").mkdir()
    (found / "documents" / "mail.txt").write_text("a document")
    (found / "source.jsonl").write_text('{"id":"1","text":"a document"}\n')
    return found


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command of both programs, by its name in full."""

    def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield name, command
            return
        context = click.Context(command)
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            assert inner is not None
            yield from below(f"{name} {each}", inner)

    for name, program in PROGRAMS.items():
        yield from below(name, program)


COMMANDS = dict(commands())


def words(command: str, given: Given) -> list[str]:
    """The command line that gives a command all this."""
    parameters = {each.name: each for each in COMMANDS[command].get_params(click.Context(COMMANDS[command]))}
    found: list[object] = []
    for name, value in given.items():
        if name not in parameters:
            continue
        named = parameters[name].opts[:1] if isinstance(parameters[name], click.Option) else []
        found += named if value is True else [*named, value]
    return [*command.split()[1:], *map(str, found)]


def called(command: str, given: Given) -> Result:
    """How a command ends, if it ends in time."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        return CliRunner().invoke(PROGRAMS[command.split()[0]], words(command, given))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failure(result: Result) -> str:
    """What is wrong with how a command ended; empty if nothing is."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return repr(result.exception)
    return "" if result.exit_code and result.output.strip() else f"exit code {result.exit_code}: {result.output}"


def files_named() -> list[tuple[str, str]]:
    """Every parameter of every command that names a file or folder to read."""
    return [
        (name, each.name)
        for name, command in COMMANDS.items()
        for each in command.params
        if isinstance(each.type, click.Path) and each.name and (each.type.exists or each.name == "source")
    ]


@contextmanager
def replaced(path: Path, made: Callable[[Path], None]) -> Iterator[None]:
    """Something else at the place of a file, for a while."""
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)
    try:
        made(path)
        yield
    finally:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()
        aside.rename(path)


@pytest.mark.parametrize("kinds", [QUICK, pytest.param(KINDS, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_no_file_that_a_command_is_given_makes_it_hang_or_fail_with_a_traceback(
    scene: Scene, kinds: tuple[Kind, ...]
) -> None:
    failures = {}
    for command, parameter in files_named():
        for made in kinds:
            if (parameter, made) in (("source", endless), ("stamped", endless), ("documents", folder)):
                continue  # a source or a stamped file may be as long as it is, and a folder may be empty
            if command == "tallystick stamp request" and made in (empty, *TEXTS):
                continue  # any file can be stamped
            if parameter == "passphrase_file" and made in TEXTS:
                continue  # such a file holds a passphrase, if a wrong one
            hostile = scene / f"hostile-{made.__name__}{'.jsonl' if parameter == 'source' else ''}"
            if not os.path.lexists(hostile):
                made(hostile)
            given = scene.given(command) | {parameter: hostile}
            if parameter == "passphrase_file":
                given["file" if command == "tallystick key show" else "key_file"] = scene / "encrypted"
            result = called(command, given)
            if found := failure(result) or ("not called at all" if "Missing" in result.output else ""):
                failures[command, parameter, made.__name__] = found
    assert failures == {}


@pytest.mark.parametrize(
    "kinds", [(fifo,), pytest.param((*QUICK, folder), marks=pytest.mark.slow)], ids=["quick", "all"]
)
def test_no_file_inside_a_folder_makes_a_command_hang_or_fail_with_a_traceback(
    scene: Scene, kinds: tuple[Kind, ...]
) -> None:
    copy: Given = {"copy": scene / "copy"}
    read: list[tuple[Path, str, Given]] = [
        (scene.question, "tallystick answer", scene.given("tallystick answer")),
        (scene.table.folder / "bob" / "bob.key.memory", "tallystick answer", scene.given("tallystick answer")),
        (scene.table.folder / "trent" / "trent.key.memory", "tallystick matter close", scene.matter),
        (scene.corpus, "tallystick simulate", scene.given("tallystick simulate") | {"rounds": 1, "batch": 5}),
        (scene.corpus, "tallystick-verify copy", copy | {"corpus": scene.corpus}),
        (scene / "exhibit", "tallystick-verify exhibit", {"folder": scene / "exhibit"}),
        (scene / "documents", "tallystick-verify copy", copy | {"documents": scene / "documents"}),
    ]
    failures = {}
    for within, command, given in read:
        for path in [each for each in within.rglob("*") if each.is_file()]:
            for made in kinds:
                with replaced(path, made):
                    result = called(command, given)
                if result.exception is not None and not isinstance(result.exception, SystemExit):
                    failures[command, str(path.relative_to(within)), made.__name__] = repr(result.exception)
                for left in scene.path.glob("out*"):
                    left.unlink()
    assert failures == {}


def test_a_question_whose_request_is_not_a_file_is_refused_by_name(scene: Scene) -> None:
    for made in (fifo, folder):
        with replaced(scene.question / "question.json", made):
            result = called("tallystick answer", scene.given("tallystick answer"))
        assert result.exit_code == 1
        assert "question.json is missing, or is not a file; ask for the question again" in result.output


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (fifo, "it is a pipe or a device, not a file"),
        (device, "it is a pipe or a device, not a file"),
        (endless, "it is too large to be a key file"),
    ],
)
def test_a_key_file_that_never_ends_is_refused(scene: Scene, made: Kind, said: str) -> None:
    with replaced(scene / "encrypted", made):
        for command in ("tallystick answer", "tallystick matter accept"):
            result = called(command, scene.given(command) | {"key_file": scene / "encrypted"})
            assert result.exit_code == 1
            assert f"{scene / 'encrypted'} cannot be read: {said}" in result.output
