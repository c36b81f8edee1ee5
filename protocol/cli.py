"""The `tallystick` command: this module puts the commands of all packages together."""

from importlib import import_module

import click

from ledger.terminal import Program

HOMES = {
    "answer": "protocol.commands.answer",
    "copy": "protocol.commands.record",
    "corpus": "protocol.commands.corpus",
    "demo": "protocol.commands.demo",
    "exhibit": "protocol.commands.exhibit",
    "forecast": "protocol.commands.forecast",
    "key": "ledger.cli",
    "ledger": "ledger.cli",
    "list": "protocol.commands.lists:lists",
    "log": "protocol.commands.log",
    "matter": "protocol.commands.matter",
    "produce": "protocol.commands.produce",
    "room": "protocol.commands.room",
    "run": "protocol.commands.run",
    "serve": "protocol.commands.serve",
    "simulate": "protocol.commands.simulate",
    "stamp": "protocol.commands.stamp",
    "status": "protocol.commands.record",
}
"""The module of each command, and what it is called there if that is not its name. It is imported when the command is
called, and not before: the others take a second.
"""


class Tallystick(Program):
    """The commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*HOMES, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in HOMES and cmd_name not in self.commands:
            module, _, name = HOMES[cmd_name].partition(":")
            self.add_command(getattr(import_module(module), name or cmd_name))
        return super().get_command(ctx, cmd_name)


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
@click.group(cls=Tallystick, context_settings={"help_option_names": ["-h", "--help"], "color": True})
@click.version_option(package_name="tallystick")
def main() -> None:
    """Tallystick makes an e-discovery review provable."""


experiment = Experiments(
    "experiment",
    help="Run the paper's experiments again.\n\nEach writes a table, a figure, and what was expected and seen.",
)

main.add_command(experiment)
