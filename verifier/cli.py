"""`tallystick-verify`: does this record follow the rules, and if not, who broke which?

Exit codes: 0 all that the copy supports has passed, 1 rejected, 2 wrong usage, 3 cannot be decided.
"""

from typing import Any

import click

from verifier import display, interrupts
from verifier.commands.answering import undecided
from verifier.commands.compare import compare_command
from verifier.commands.copy import copy_command
from verifier.commands.critical import critical_command
from verifier.commands.exhibit import exhibit_command
from verifier.commands.page import page_command
from verifier.commands.privilege_log import privilege_log_command
from verifier.commands.production import production_command
from verifier.commands.stamp import stamp_command


class _Program(click.Group):
    """All commands, of which the first word may be left out: anything that is not a command is a copy to verify.

    Whatever they print goes to a display, complaints about the command line included.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        display.install()
        with interrupts.raised():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Whenever it is interrupted, nothing is decided: click itself would end with the code 1."""
        with undecided():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"-h", "--help", "--version"}
        if args and args[0] not in self.commands and not own.intersection(args[:1]):
            args = ["copy", *args]
        return super().parse_args(ctx, args)


# The display, not click, decides what becomes of escape codes: "color" keeps click from dropping them in a pipe.
@click.group(
    cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "color": True}, no_args_is_help=True
)
@click.version_option(package_name="tallystick", prog_name="tallystick-verify")
def main() -> None:
    """Verify a Tallystick record: replay every decision in it, or say who broke which rule.

    \b
    tallystick-verify COPY             verify a copy; the same as `tallystick-verify copy COPY`
    tallystick-verify compare A B      compare two copies of one matter
    tallystick-verify exhibit DIR      check an exhibit: the story of one document
    tallystick-verify production DIR   check a production volume against a copy
    tallystick-verify privilege-log FILE --copy COPY    check the proofs of a privilege log
    tallystick-verify critical FILE    check a list of critical points
    tallystick-verify stamp TOKEN FILE    check a time stamp of a file
    tallystick-verify page --out FILE  write the verifier as a page for the browser
    """  # noqa: D301 - the mark that keeps click from joining the lines


for _command in (
    copy_command,
    compare_command,
    exhibit_command,
    production_command,
    privilege_log_command,
    critical_command,
    stamp_command,
    page_command,
):
    main.add_command(_command)
