"""The `tallystick` command: each package brings its commands, this module puts them together."""

import sys
from io import TextIOWrapper

import click

from ledger.cli import key, ledger


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallystick")
def main() -> None:
    """Tallystick makes an e-discovery review provable."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that the terminal lacks letters for is shown all the same
            stream.reconfigure(errors="backslashreplace")


main.add_command(key)
main.add_command(ledger)
