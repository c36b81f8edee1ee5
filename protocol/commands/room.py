"""`tallystick room`: a party's room, in the browser, on its own machine."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ledger import files, locks
from ledger.keyfiles import is_encrypted
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.terminal import existing_file, passphrase_option, read_passphrase, refusals
from protocol.commands.trent import installation

if TYPE_CHECKING:
    from protocol.room.room import MakeSource, Room
    from protocol.room.sources import Source

LOOK_EVERY = 5.0
"""Seconds between two looks at what is new."""


@click.command()
@click.argument("question", metavar="[QUESTION]", required=False, type=click.Path(path_type=Path, exists=True))
@click.option("--key", "key_file", type=existing_file, required=True, help="Your private key.")
@click.option("--at", "origin", metavar="ORIGIN", help="Trent's mailbox, such as https://trent.example.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="A folder with questions as folders or zip files; answers go into its folder answers.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port on this computer; by default a free one."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@passphrase_option
@refusals
def room(
    *,
    question: Path | None,
    key_file: Path,
    origin: str | None,
    folder: Path | None,
    port: int,
    no_browser: bool,
    passphrase_file: Path | None,
) -> None:
    """Read, label and sign in the browser, on your own computer.

    The room gets questions from Trent's mailbox (--at), from a folder (--folder), or a single one (QUESTION), and
    checks and signs them as tallystick answer does. It opens in the browser under an address that works once, and only
    this computer can reach it. Your key stays here. Every decision is kept at once, beside the key: you can stop at any
    time and go on later.

    With --passphrase-file, the key stays unlocked until the room is closed.
    """
    if sum(each is not None for each in (question, origin, folder)) != 1:
        raise click.UsageError("give one of --at, --folder and QUESTION: where do questions come from?")
    with installation("a room needs more packages", extras="room"):
        import protocol.room.app
        import protocol.web.serving  # noqa: F401 (refused here, before anything happens)
    busy = f"another room is open with {key_file}; go on there, or close it first"
    with files.writing(key_file), locks.held(key_file.with_name(f".{key_file.name}.room.lock"), busy):
        _serve(key_file, _source(question, origin, folder, key_file), port, passphrase_file, browser=not no_browser)


def _source(question: Path | None, origin: str | None, folder: Path | None, key_file: Path) -> "MakeSource":
    """How questions come, once the key is known."""
    from protocol.room.sources import FolderSource, SingleSource

    def make(key: SigningKey, role: Role | None) -> "Source":
        if question is not None:
            return SingleSource(question)
        if folder is not None:
            return FolderSource(folder, role)
        return _mailbox(origin or "", key, key_file)

    if question is not None:
        SingleSource(question)  # refused before a browser opens
    return make


def _mailbox(origin: str, key: SigningKey, key_file: Path) -> "Source":
    """Trent's mailbox at this origin."""
    from protocol.box.client import Box
    from protocol.room.mailbox import BoxSource

    return BoxSource(Box(origin, key), key_file)


def _serve(key_file: Path, source: "MakeSource", port: int, passphrase_file: Path | None, *, browser: bool) -> None:
    from protocol.room.app import MAX_BODY, App
    from protocol.room.room import Room
    from protocol.web import serving
    from protocol.web.loopback import Guard

    opened = Room(key_file, source)
    if passphrase_file is not None and is_encrypted(key_file):
        opened.unlock(read_passphrase(passphrase_file).decode(), keep=True)
    listener = serving.listening(port)
    guard = Guard(serving.port_of(listener), max_body=MAX_BODY)
    stop = threading.Event()
    looking = threading.Thread(target=_look, args=(opened, stop), daemon=True)
    looking.start()
    try:
        serving.run(App(opened).starlette(), guard, listener, browser=browser, say=click.echo)
    finally:
        stop.set()


def _look(opened: "Room", stop: threading.Event) -> None:
    """Send and answer what needs nobody, from time to time."""
    from contextlib import suppress

    while not stop.wait(LOOK_EVERY):
        with suppress(Exception):  # the list shows what is wrong, and this must go on
            opened.look_around()
