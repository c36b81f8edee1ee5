"""The `tallystick` command: this module puts the commands of all packages together."""

import sys
from io import TextIOWrapper

import click

from ledger.cli import key, ledger
from protocol.commands.answer import answer
from protocol.commands.corpus import corpus
from protocol.commands.demo import demo
from protocol.commands.exhibit import exhibit
from protocol.commands.matter import matter
from protocol.commands.record import copy, status
from protocol.commands.simulate import simulate


class Experiments(click.Group):
    """The paper's experiments, imported only when one of them is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self._loaded().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self._loaded().get_command(ctx, cmd_name)

    @staticmethod
    def _loaded() -> click.Group:
        from protocol.paper.command import experiments

        return experiments


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallystick")
def main() -> None:
    """Tallystick makes an e-discovery review provable."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # characters that the terminal cannot show are replaced, not refused
            stream.reconfigure(errors="backslashreplace")


experiment = Experiments(
    "experiment",
    help="Run the paper's experiments again.\n\nEach writes a table, a figure, and what was expected and seen.",
)

for command in (corpus, matter, answer, simulate, status, copy, exhibit, demo, experiment, key, ledger):
    main.add_command(command)
