"""What all commands of `tallystick experiment` share: options, the packages that they need, and their results."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ledger.errors import Refused
from ledger.terminal import print_json, progress_bar
from protocol.commands import trent
from protocol.paper.experiments import outcome
from protocol.paper.experiments.outcome import Experiment, SettingsT
from protocol.paper.experiments.topics import MADE_UP

_SCRATCH = "TMPDIR"  # where processes make such folders

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder for the results; files of an earlier run are replaced.",
)
seed_option = click.option("--seed", default="1", show_default=True, help="Any text; another one gives other coins.")
number_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Another number gives other draws."
)
quick_option = click.option("--quick", is_flag=True, help="A small run that takes seconds, as a preview.")
corpus_option = click.option(
    "--corpus",
    type=existing_folder,
    help="A corpus folder, with --responsive; without one, "
    f"{MADE_UP[0]:,} mails, {MADE_UP[1]} of them responsive, are made up in --out.",
)
topics_option = click.option(
    "--responsive", "labels", multiple=True, metavar="LABEL", help="A topic's label; may be repeated."
)
queries_option = click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="WORDS",
    help="Its seed query: one for each --responsive, in their order, or none at all.",
)


@contextmanager
def installed() -> Iterator[None]:
    """Around the import of an experiment; without its packages, the refusal says which to install."""
    with trent.installation("experiments need more packages", extras="trent,experiments"):
        from protocol.paper.experiments import plots  # noqa: F401 - before hours of work whose figure nobody could draw

        yield


def check_out(out: Path | None) -> None:
    """Refuse a folder for the results that cannot be one."""
    if out is not None and out.exists() and not out.is_dir():
        raise Refused(f"{out} is a file; --out names the folder for the results")


@contextmanager
def scratch() -> Iterator[None]:
    """One folder for all that workers keep for a moment: a worker that is ended cannot remove its own."""
    before = os.environ.get(_SCRATCH)
    with TemporaryDirectory(prefix="tallystick-", ignore_cleanup_errors=True) as folder:
        os.environ[_SCRATCH] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[_SCRATCH]
            else:
                os.environ[_SCRATCH] = before


def conclude(experiment: Experiment[SettingsT], settings: SettingsT, what: str, out: Path, *, as_json: bool) -> None:
    """Run an experiment, write its files, and say what it found."""
    from protocol.paper.experiments import plots

    check_out(out)
    with scratch(), progress_bar(experiment.steps(settings), "Running", unit=what) as progress:
        found = experiment.run(settings, progress)
    files = plots.write(found, out)
    if as_json:
        print_json(outcome.value(found) | {"files": [str(path) for path in files]})
    else:
        click.echo(outcome.text(found))
        click.echo("Written: " + ", ".join(str(path) for path in files))
