"""A restored backup of a matter: Trent is kept from signing a second history with it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.store import Store
from tests.support.real_matter import Play
from tests.support.running import again, honest, start

NEXT = ("next", "--corpus", "corpus", "--outbox", "outbox")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """A matter that all have signed, with a backup of that moment, and one step further."""
    play = start(tmp_path_factory.mktemp("backup") / "all", rounds=1)
    shutil.copytree(play.folder("trent"), play.root / "backup")
    play.next()
    return play


@pytest.fixture
def play(signed: Play, tmp_path: Path) -> Play:
    return again(signed, tmp_path / "all")


def size(play: Play) -> int:
    with Store.open(play.folder("trent") / "case.matter") as store:
        return store.size()


def restore(play: Play, *names: str) -> None:
    trent = play.folder("trent")
    for path in trent.glob("case.matter*"):
        path.unlink()
    shutil.copy(play.root / "backup" / "case.matter", trent)
    for name in names:
        shutil.rmtree(trent / name)
        shutil.copytree(play.root / "backup" / name, trent / name)


@pytest.mark.parametrize("command", [NEXT, ("amend", "--stop"), ("close",)])
def test_an_old_backup_is_not_gone_on_with(play: Play, command: tuple[str, ...]) -> None:
    before = size(play)
    restore(play)
    behind = size(play)
    said = play.matter(*command, code=1).stderr
    assert f"lies behind what this key has signed: it has {behind} entries, but {before} are signed" in said
    assert "Restore the file" in said
    assert "open a new matter" in said
    assert size(play) == behind


def test_the_newest_file_goes_on_after_an_old_one_was_refused(play: Play) -> None:
    newest = (play.folder("trent") / "case.matter").read_bytes()
    restore(play)
    play.matter(*NEXT, code=1)
    (play.folder("trent") / "case.matter").write_bytes(newest)
    assert play.exchange(honest(play))


def test_a_file_that_was_gone_on_with_elsewhere_is_refused(play: Play, tmp_path: Path) -> None:
    elsewhere = again(play, tmp_path / "elsewhere")
    restore(elsewhere, "trent.key.memory")
    elsewhere.matter("amend", "--rounds", 2)
    shutil.copy(elsewhere.folder("trent") / "case.matter", play.folder("trent"))
    assert "differs from what this key has signed" in play.matter(*NEXT, code=1).stderr


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"{}\n"])
def test_a_damaged_memory_of_what_was_signed_is_told(play: Play, damage: Callable[[bytes], bytes]) -> None:
    (path,) = play.folder("trent").glob("trent.key.memory/*/signed.json")
    path.write_bytes(damage(path.read_bytes()))
    assert "signed.json is damaged" in play.matter(*NEXT, code=1).stderr
