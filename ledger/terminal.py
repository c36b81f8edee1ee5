"""What all commands share: options, prompts, progress, and how an error reaches a person or a script.

Exit codes: 0 fine, 1 refused (the message says why), 2 wrong usage.
"""

import errno
import gc
import json
import os
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

import click

from ledger import display, interrupts, progress, reading, watching
from ledger.canonical import MAX_INTEGER
from ledger.errors import Damaged, Fault, LedgerError
from ledger.keyfiles import MAX_SIZE, KeyFile, is_encrypted, read_key, read_signing_key
from ledger.keys import SigningKey
from ledger.plain import shown
from ledger.roles import Role

P = ParamSpec("P")
T = TypeVar("T")

SHORT_PASSPHRASE = 12
_NEW_OBJECTS = 50_000  # so many before garbage is looked for: records hold no cycles, and a look at 700 finds nothing
INTERRUPTED = "interrupted; nothing was left half done. Run the same command again"

new_file = click.Path(path_type=Path, dir_okay=False)
existing_file = click.Path(path_type=Path, dir_okay=False, exists=True)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a script to read.")
passphrase_option = click.option(
    "--passphrase-file", type=existing_file, help="Read the passphrase from this file's first line instead of asking."
)


class Program(click.Group):
    """The commands of a program. Whatever they print goes to a display, complaints about the command line included."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        display.install()
        gc.set_threshold(_NEW_OBJECTS)
        with interrupts.raised():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and say so if it is interrupted at any moment."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.ClickException(INTERRUPTED) from None


class Finding(click.ClickException):
    """A refusal, not an error of the program: its first word says what it is."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.format_message(), file=file, err=file is None, color=self.show_color)


def refusals(command: Callable[P, T]) -> Callable[P, T]:
    """Turn whatever a user can cause into a message, or JSON if that was asked for, and exit code 1."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with _progress_shown():
                return command(*args, **kwargs)
        except LedgerError as error:
            if kwargs.get("as_json"):
                print_json(failure_value(error))
                sys.exit(1)
            raise _failure(error) from error
        except KeyboardInterrupt:
            raise click.ClickException(INTERRUPTED) from None
        except UnicodeError as error:
            raise click.ClickException("the text cannot be read or shown in this terminal's encoding") from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            if error.filename is not None:
                said = f"{error.filename} cannot be read or written: {error.strerror or error}"
                raise click.ClickException(said) from error
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), 1
            )  # otherwise Python tries again when it exits, and changes the exit code
            raise click.ClickException(f"the output cannot be written: {error.strerror or error}") from error
        except MemoryError:
            raise click.ClickException("there is not enough memory; nothing was left half done") from None

    return wrapped


def failure_value(error: LedgerError) -> dict[str, Any]:
    """A refusal for a script."""
    cause = "fault" if isinstance(error, Fault) else "damage" if isinstance(error, Damaged) else "error"
    value: dict[str, Any] = {"outcome": "refused", "cause": cause, "message": str(error), "party": None}
    if isinstance(error, Fault):
        value |= {"party": error.party, "entry": error.entry}
    return value


def _failure(error: LedgerError) -> click.ClickException:
    message = str(error)
    if isinstance(error, Damaged):
        return Finding(f"Damaged: {message}. Nobody is blamed for this; get the file again from where it came.")
    if isinstance(error, Fault):
        return Finding(f"Fault, signed by {error.party.called}: {message}. Keep this file: it is the evidence.")
    return click.ClickException(message)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """JSON on standard output, in printable ASCII, so that a display changes nothing and no pipe fails on a name."""
    click.echo(json.dumps(_exact(value), indent=indent).replace("\x7f", "\\u007f"))


def _exact(value: Any) -> Any:
    """The value with texts for integers beyond 2^53 - 1, which many JSON readers would round."""
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    if isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
        return str(value)
    return value


def key_in(path: Path, passphrase_file: Path | None) -> KeyFile:
    """A key file, opened with its passphrase; warns if it is a private key that others can read."""
    found = read_key(path, _passphrase_for(path, passphrase_file))
    if found.signing is not None:
        _warn_if_exposed(path)
    return found


def signing_key(path: Path, passphrase_file: Path | None, *, role: Role) -> SigningKey:
    """The private key in a file of this role's, opened with its passphrase; warns if others can read it."""
    found = read_signing_key(path, _passphrase_for(path, passphrase_file), role=role)
    _warn_if_exposed(path)
    return found


def _warn_if_exposed(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        named = shlex.quote(str(path))
        note(
            f"WARNING: other users of this computer have access to the private key in {named}. Keep it to yourself "
            f"with: chmod 600 {named}"
        )


def _passphrase_for(path: Path, passphrase_file: Path | None) -> bytes | None:
    """The passphrase of a key file, from a file or asked for; None if it needs none."""
    if not is_encrypted(path):
        return None
    if passphrase_file is not None:
        return read_passphrase(passphrase_file)
    return _ask(f"Passphrase of {path}")


def new_passphrase(passphrase_file: Path | None) -> bytes:
    """A passphrase for a new key, from a file or asked for twice."""
    if passphrase_file is not None:
        return read_passphrase(passphrase_file)
    passphrase = _ask("New passphrase")
    if len(passphrase) < SHORT_PASSPHRASE:
        note(f"Note: fewer than {SHORT_PASSPHRASE} characters are easy to guess; use several words.")
    if _ask("Once more") != passphrase:
        raise click.ClickException("the two passphrases differ; nothing was written")
    return passphrase


def read_passphrase(path: Path) -> bytes:
    """The first line of a file, without its end."""
    try:
        data = reading.whole(path, MAX_SIZE, "a file with a passphrase")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise click.ClickException(f"{path} is saved as UTF-16; save it as UTF-8")
    first = data.removeprefix(b"\xef\xbb\xbf").splitlines()[:1]
    if not first or not first[0]:
        raise click.ClickException(f"{path} begins with an empty line, which is not a passphrase")
    return _normal(first[0])


def _ask(prompt: str) -> bytes:
    """A passphrase from the terminal without an echo, or a line from a pipe."""
    if sys.stdin is not None and sys.stdin.isatty():
        with progress.held():  # the prompt goes past the display
            answer: str = click.prompt(shown(prompt), hide_input=True, err=True)
    else:
        answer = (sys.stdin.readline() if sys.stdin else "").rstrip("\r\n")
    if not answer:
        raise click.ClickException("a passphrase is needed: type it in a terminal, or give --passphrase-file")
    return _normal(answer.encode())


def _normal(passphrase: bytes) -> bytes:
    """Systems write accents in two ways; a passphrase must not depend on where it was typed."""
    try:
        return unicodedata.normalize("NFC", passphrase.decode()).encode()
    except UnicodeDecodeError:
        return passphrase


def _be_silent(context: click.Context, _option: click.Parameter, quiet: Any) -> None:
    context.meta[progress.QUIET] = True if quiet else None


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: Any) -> None:
    context.meta[progress.QUIET] = bool(quiet)


quiet_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print nothing on standard error but errors: no progress, no notes, no warnings.",
)
"""For a command that may take longer than two seconds. It then shows its progress, unless this is given."""

silent_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_silent,
    help="Print nothing on standard error but errors: no notes, no warnings.",
)
"""The same for a server, which shows no progress."""


def note(text: str) -> None:
    """A note or a warning on standard error, unless that is to be quiet."""
    if not progress.is_quiet():
        click.echo(text, err=True)


@contextmanager
def _progress_shown() -> Iterator[None]:
    """Show the progress of a command that has `--quiet`, unless it is given."""
    context = click.get_current_context(silent=True)
    if context is None or context.meta.get(progress.QUIET) is not False:
        yield
        return
    with progress.reporting(idle=True), progress.reading() as tell, watching.watched(tell):
        yield


def progress_bar(
    total: int, label: str, counted: Callable[[], int] | None = None, *, unit: str = "documents"
) -> AbstractContextManager[Callable[..., None]]:
    """A bar for long work, on standard error, with how many of a unit are done, how fast, and what is left.

    `counted` says how many are done, where the position is something else, such as bytes. A total of 0 is not known.
    What it gives is told the position, and if need be a note. Where there is no terminal, it prints a line now and
    then; with `--quiet`, nothing.
    """
    return progress.bar(total, label, counted, unit)
