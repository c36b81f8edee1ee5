"""How a command answers: what it prints, when nothing was decided, and what it shows in between."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from verifier import display
from verifier.corpus.errors import WorkerDied
from verifier.tally import Progress

QUIET = f"{__name__}.quiet"
"""Where click keeps that nothing but errors may be said on standard error."""


class NoAnswer(click.ClickException):
    """End with an exit code of its own: nothing was decided, which must not look like a rejection."""

    exit_code = 3


def answer(text: str) -> None:
    """Print the answer. If it cannot be written, nothing was decided."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError):  # otherwise Python tries again when it exits, and changes the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise NoAnswer(f"the answer cannot be written: {error.strerror or error}") from None


def is_quiet() -> bool:
    """Whether nothing but errors may be said on standard error."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


@contextmanager
def undecided() -> Iterator[None]:
    """Whatever stops the work in between ends as `NoAnswer`."""
    try:
        yield
    except KeyboardInterrupt:
        raise NoAnswer("interrupted; nothing was decided, and nothing was changed") from None
    except MemoryError:
        raise NoAnswer("there is not enough memory; nothing was decided") from None
    except WorkerDied as error:
        raise NoAnswer(f"{error}; nothing was decided") from None


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Show the current step and its progress on standard error, unless that is to be quiet."""
    if sys.stderr is None or is_quiet():
        yield lambda *_: None
        return
    stage = display.Stage()
    try:
        yield stage.show
    finally:
        stage.clear()
