"""What all commands share: options, prompts, progress, and how an error reaches a person or a script.

Exit codes: 0 fine, 1 refused (the message says why, nothing was changed), 2 wrong usage.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from ledger.errors import LedgerError
from ledger.keyfiles import is_encrypted

P = ParamSpec("P")
T = TypeVar("T")

new_file = click.Path(path_type=Path, dir_okay=False)
existing_file = click.Path(path_type=Path, dir_okay=False, exists=True)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a script to read.")
passphrase_option = click.option(
    "--passphrase-file", type=existing_file, help="Read the passphrase from this file's first line instead of asking."
)


def refusals(command: Callable[P, T]) -> Callable[P, T]:
    """Turn the packages' own errors into a message and exit code 1."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except LedgerError as error:
            raise click.ClickException(str(error)) from error

    return wrapped


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """JSON on standard output, readable by people too unless `indent` is None."""
    click.echo(json.dumps(value, indent=indent, ensure_ascii=False))


def passphrase_for(path: Path, passphrase_file: Path | None) -> bytes | None:
    """The passphrase of a key file, from a file or asked for; None if it needs none."""
    if not is_encrypted(path):
        return None
    if passphrase_file is not None:
        return read_passphrase(passphrase_file)
    answer: str = click.prompt(f"Passphrase of {path}", hide_input=True, err=True)
    return answer.encode()


def new_passphrase(passphrase_file: Path | None) -> bytes:
    """A passphrase for a new key, from a file or asked for twice."""
    if passphrase_file is not None:
        return read_passphrase(passphrase_file)
    answer: str = click.prompt("New passphrase", hide_input=True, confirmation_prompt=True, err=True)
    return answer.encode()


def read_passphrase(path: Path) -> bytes:
    """The first line of a file, without its end."""
    try:
        first = path.read_bytes().splitlines()[:1]
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from None
    if not first or not first[0]:
        raise click.ClickException(f"{path} begins with an empty line, which is no passphrase")
    return first[0]


@contextmanager
def progress_bar(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """A bar on standard error for long work, told how far it has come; silent where nobody looks."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        yield lambda position: bar.update(position - bar.pos)
