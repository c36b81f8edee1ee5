"""The `tallystick` command: this module puts the commands of all packages together."""

import click

from ledger.cli import key, ledger
from ledger.terminal import Program
from protocol.commands.answer import answer
from protocol.commands.corpus import corpus
from protocol.commands.demo import demo
from protocol.commands.exhibit import exhibit
from protocol.commands.forecast import forecast
from protocol.commands.lists import lists
from protocol.commands.log import log
from protocol.commands.matter import matter
from protocol.commands.produce import produce
from protocol.commands.record import copy, status
from protocol.commands.room import room
from protocol.commands.run import run
from protocol.commands.serve import serve
from protocol.commands.simulate import simulate
from protocol.commands.stamp import stamp


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


# The display, not click, decides what becomes of escape codes: "color" keeps click from dropping them in a pipe.
@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "color": True})
@click.version_option(package_name="tallystick")
def main() -> None:
    """Tallystick makes an e-discovery review provable."""


experiment = Experiments(
    "experiment",
    help="Run the paper's experiments again.\n\nEach writes a table, a figure, and what was expected and seen.",
)

for command in (
    corpus,
    forecast,
    matter,
    answer,
    run,
    room,
    simulate,
    status,
    copy,
    lists,
    exhibit,
    produce,
    log,
    stamp,
    serve,
    demo,
    experiment,
    key,
    ledger,
):
    main.add_command(command)
