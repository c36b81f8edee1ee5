"""`tallystick run`: the program beside Trent's key that fills and reads the mailbox, and goes on by itself."""

import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.errors import LedgerError
from ledger.plain import shown
from ledger.terminal import existing_file, note, passphrase_option, refusals, silent_option
from protocol.commands import outsiders, trent
from protocol.commands.matter import existing_folder, key_option
from protocol.commands.workers import cluster_options, workers
from protocol.operating import hold as holding

if TYPE_CHECKING:
    from protocol.operating.loop import Run
    from protocol.web.loopback import Guard

new_folder = click.Path(path_type=Path, file_okay=False)


class Length(click.ParamType[int]):
    """A length of time."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Seconds."""
        try:
            return holding.seconds(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Loopback(click.ParamType[int]):
    """A port of this computer."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The port."""
        host, _, port = str(value).rpartition(":")
        if host not in ("127.0.0.1", "localhost") or not (port.isascii() and port.isdigit() and int(port) < 2**16):
            self.fail(f"{value!r} is not a port of this computer; write it as 127.0.0.1:8471", param, ctx)
        return int(port)


@click.command()
@click.argument("matters", metavar="MATTER...", nargs=-1, required=True, type=existing_file)
@click.option(
    "--corpus",
    "corpora",
    type=existing_folder,
    required=True,
    multiple=True,
    help="The documents. Give it again for matters with other documents; each matter finds its own.",
)
@key_option
@click.option("--box", type=new_folder, required=True, help="The mailbox that `tallystick serve` shows.")
@click.option(
    "--hold",
    type=Length(),
    default="1d",
    show_default=True,
    metavar="TIME",
    help="How long each wave waits before Bob is shown it: 90s, 30m, 12h, 1d, or 0.",
)
@click.option(
    "--page",
    type=Loopback(),
    default="127.0.0.1:0",
    show_default=True,
    metavar="HOST:PORT",
    help="Where Trent's page listens, on this computer only; port 0 takes a free one.",
)
@click.option("--tsa-roots", "roots", type=existing_file, metavar="PEM", help="Check time stamps against these roots.")
@click.option("--policy", "policy_file", type=existing_file, help="Check proofs of the log by this policy.")
@click.option("--no-page", is_flag=True, help="Run without Trent's page.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option("--once", is_flag=True, help="Do all that can be done now, then end.")
@cluster_options
@passphrase_option
@silent_option
@refusals
def run(
    *,
    matters: tuple[Path, ...],
    corpora: tuple[Path, ...],
    key_file: Path,
    box: Path,
    hold: int,
    roots: Path | None,
    policy_file: Path | None,
    page: int,
    no_page: bool,
    no_browser: bool,
    once: bool,
    passphrase_file: Path | None,
    **cluster: Any,
) -> None:
    """Let each MATTER go on by itself, with a mailbox for the parties.

    Takes what the parties post to the mailbox, leaves a signed receipt for each, makes Trent's moves, and puts the next
    questions there, sealed for their parties. Before Bob is shown documents, it waits for the time of --hold, in which
    Alice can still ask for late claims. It can be killed at any moment and started again.

    Trent's page shows where each matter stands, who is awaited, and what comes next, and has buttons for what else can
    be done. While this command runs, other commands that write to MATTER are refused.
    """
    with trent.installation():
        from protocol.operating import several
        from protocol.operating.loop import Run, Settings
    from protocol.box.layout import Mailbox

    key, trusted = trent.key(key_file, passphrase_file), outsiders.trusted(roots, policy_file)
    with ExitStack() as stack:
        connected = stack.enter_context(workers(**cluster))
        runs = [
            Run(
                settings=Settings(
                    matter=each,
                    key=key,
                    key_file=key_file,
                    corpus=several.corpus_of(each, corpora),
                    box=Mailbox.made(box),
                    hold=hold,
                    trusted=trusted,
                    cluster=connected,
                ),
                say=partial(_say, each.name if len(matters) > 1 else ""),
            )
            for each in dict.fromkeys(matters)
        ]
        if once:
            _once(runs)
            return
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: _stop(runs, number))
        if not no_page:
            stack.enter_context(_page(runs, page, browser=not no_browser))
        several.forever(runs)
    note("Stopped. Start it again with the same command.")


def _once(runs: "Sequence[Run]") -> None:
    """Do all, also after one has failed; then raise the first error."""
    failed = list[LedgerError | OSError]()
    for each in runs:
        try:
            each.once()
        except (LedgerError, OSError) as error:
            failed.append(error)
            if len(runs) > 1:
                each.tell(f"Trouble: {error}.")
    if failed:
        raise failed[0]


def _stop(runs: "Sequence[Run]", number: int) -> None:
    """End after what is under way; a second signal ends at once, which loses nothing either."""
    for each in runs:
        each.stop()
    signal.signal(number, signal.SIG_DFL)


@contextmanager
def _page(runs: "Sequence[Run]", port: int, *, browser: bool) -> Iterator[None]:
    with trent.installation("Trent's page needs more packages; without it, add --no-page", extras="room"):
        from protocol.operating.page import MAX_BODY, Front
        from protocol.web import serving
        from protocol.web.loopback import Guard
    listener = serving.listening(port)
    guard = Guard(serving.port_of(listener), max_body=MAX_BODY)
    with serving.beside(Front(runs).app(), guard, listener):
        address = guard.address()
        click.echo(f"Trent's page, at an address that works once:\n\n    {address}\n")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        if sys.stdin is not None and sys.stdin.isatty():
            click.echo("Press Enter for another address. Press Ctrl-C to stop.")
            threading.Thread(target=_addresses, args=(guard,), daemon=True).start()
        yield


def _addresses(guard: "Guard") -> None:
    """A new address for each line that is typed: a browser that was closed is not let in with the old one."""
    for _ in sys.stdin:
        click.echo(f"    {guard.address()}")


def _say(matter: str, line: str) -> None:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    click.echo(f"{when}Z  {shown(f'{matter}: {line}' if matter else line)}")
