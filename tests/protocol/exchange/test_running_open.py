"""`matter terms`, `matter open` and `status` before the first round: what is shown, and what is refused."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ledger.examining import examine, open_reader
from ledger.keys import fingerprint
from ledger.roles import Role
from ledger.store import Store
from tests.support import corpora
from tests.support.matters import start as start_simulation
from tests.support.real_matter import Play, run, run_here
from tests.support.running import opened


@pytest.fixture
def ready(tmp_path: Path) -> Play:
    """Keys, documents and terms, and no matter yet."""
    play = Play(tmp_path / "all", run_here)
    play.make_keys()
    corpora.make(play.folder("trent") / "corpus", documents=60, responsive=20)
    play.write_terms(batch=8, rounds=3, query=corpora.QUERY)
    return play


def refused(play: Play, *changes: str) -> str:
    words = {"terms": "terms.toml", "corpus": "corpus", "key": "trent.key", "out": "case.matter"}
    words |= dict(zip(changes[::2], changes[1::2], strict=True))
    options = ("--corpus", words["corpus"], "--key", words["key"], "--out", words["out"])
    return play.tallystick("trent", "matter", "open", words["terms"], *options, code=1).stderr


def test_the_terms_that_are_printed_are_toml() -> None:
    found = run(Path.cwd(), "tallystick", "matter", "terms").stdout
    assert set(tomllib.loads(found)) == {"caption", "review", "validation", "parties"}


def test_opening_shows_all_that_was_agreed_with_the_fingerprints(ready: Play) -> None:
    said = ready.open().stdout
    keys = examine(open_reader(ready.folder("trent") / "case.matter")).keys
    for role in Role:
        assert f"Counsel of {role}" in said
        assert fingerprint(keys[role]) in said
    for words in (
        "Roe v. Doe, No. 12-345",
        "District Court",
        "All mail about prepaid swaps.",
        "60 documents",
        "at most 3, of 8 documents each: at most 24 of 60 are reviewed",
        "tallystick matter next case.matter --corpus corpus --key trent.key --outbox outbox",
    ):
        assert words in said


def test_a_matter_is_never_overwritten(ready: Play) -> None:
    ready.open()
    path = ready.folder("trent") / "case.matter"
    before = path.read_bytes()
    assert "case.matter exists already; a matter is opened once" in refused(ready)
    assert path.read_bytes() == before
    other = ready.folder("trent") / "notes.txt"
    other.write_text("mine")
    assert "notes.txt is not a Tallystick matter" in refused(ready, "out", "notes.txt")
    assert other.read_text() == "mine"


def test_an_opening_that_was_interrupted_goes_on(ready: Play) -> None:
    path = ready.folder("trent") / "case.matter"
    Store.create(path).close()
    assert "opening it was interrupted" in ready.matter("next", "--corpus", "corpus", "--outbox", "o", code=1).stderr
    assert "opening it was interrupted" in ready.matter("close", code=1).stderr
    ready.open()
    assert examine(open_reader(path)).size == 1


def test_two_matters_by_the_same_terms_have_different_numbers_and_anchors(ready: Play) -> None:
    found = []
    for name in ("one", "two"):
        words = ("--corpus", "corpus", "--key", "trent.key", "--out", name)
        ready.tallystick("trent", "matter", "open", "terms.toml", *words)
        (entry,) = open_reader(ready.folder("trent") / name)
        found.append((entry.entry.body.matter, entry.entry.body.statement.content["anchor"]))
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]


def test_another_key_than_the_one_of_the_terms_opens_nothing(ready: Play) -> None:
    ready.tallystick("trent", "key", "new", "--role", "trent", "--out", "other.key", "--no-passphrase")
    assert "not the key that the terms name for Trent" in refused(ready, "key", "other.key")
    assert not (ready.folder("trent") / "case.matter").exists()


def test_terms_that_cannot_be_run_open_nothing(ready: Play) -> None:
    ready.write_terms(batch=0, query="xyzzy")
    assert "review.batch: batch is 0" in refused(ready)
    ready.write_terms(batch=8, query="xyzzy")
    assert "no document holds a term of the query 'xyzzy'" in refused(ready)
    assert "manifest.json" in refused(ready, "corpus", ".")
    assert not (ready.folder("trent") / "case.matter").exists()


def test_a_key_with_a_passphrase_is_asked_for_it(ready: Play) -> None:
    trent = ready.folder("trent")
    for name in ("trent.key", "trent.key.pub"):
        (trent / name).unlink()
    (trent / "words").write_text("a long passphrase\n")
    ready.tallystick("trent", "key", "new", "--role", "trent", "--passphrase-file", "words")
    assert "a passphrase is needed" in refused(ready)
    options = ("--corpus", "corpus", "--key", "trent.key", "--out", "case.matter", "--passphrase-file", "words")
    ready.tallystick("trent", "matter", "open", "terms.toml", *options)
    next_options = ("--corpus", "corpus", "--outbox", "outbox", "--passphrase-file", "words")
    assert "must read the terms and sign them" in ready.matter("next", *next_options).stdout


def test_status_says_for_whom_the_matter_waits_and_since_when(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    said = play.tallystick("trent", "status", "case.matter").stdout
    for words in ("No round is closed yet", "Roe v. Doe, No. 12-345", "Counsel of alice (Alice) must read the terms"):
        assert words in said
    asked = play.status()["asked"]
    (entry,) = open_reader(play.folder("trent") / "case.matter")
    assert [(each["role"], each["kind"], each["entry"], each["since"]) for each in asked] == [
        (role, "agreed", 0, entry.entry.body.time) for role in ("alice", "bob")
    ]
    play.accept(play.answer(play.send(play.next()["questions"][0])))
    assert [(each["role"], each["entry"]) for each in play.status()["asked"]] == [("bob", 0)]


def test_a_simulation_has_nobody_to_ask(ready: Play, tmp_path: Path) -> None:
    from protocol.corpus.corpus import Corpus

    trent = ready.folder("trent")
    with start_simulation(Corpus.open(trent / "corpus"), trent / "case.matter") as run:
        run.step()
    said = ready.matter("next", "--corpus", "corpus", "--outbox", "outbox", code=1).stderr
    assert "is a simulation, in which one program plays all parties" in said


WITHOUT = """\
import sys
sys.modules["scipy"] = None
from protocol.cli import main
main({words!r})
"""


def test_without_trents_installation_the_command_says_what_to_install(ready: Play) -> None:
    words = ["matter", "open", "terms.toml", "--corpus", "corpus", "--key", "trent.key", "--out", "case.matter"]
    program = WITHOUT.format(words=words)
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=ready.folder("trent"), capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "pip install 'tallystick[trent]'" in found.stderr
    assert "Traceback" not in found.stderr
