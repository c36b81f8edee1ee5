"""`tallystick run`: the program beside Trent's key that fills and reads the mailbox, and goes on by itself."""

import time
from pathlib import Path

import click

from ledger.plain import shown
from ledger.terminal import existing_file, passphrase_option, refusals
from protocol.commands import trent
from protocol.commands.matter import corpus_option, key_option
from protocol.operating import hold as holding

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


@click.command()
@click.argument("matter", type=existing_file)
@corpus_option
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
@click.option("--once", is_flag=True, help="Do all that can be done now, then end.")
@passphrase_option
@refusals
def run(
    *, matter: Path, corpus_folder: Path, key_file: Path, box: Path, hold: int, once: bool, passphrase_file: Path | None
) -> None:
    """Run MATTER by itself: take answers, go on, ask the next questions.

    Takes what the parties post to the mailbox, leaves a signed receipt for each, makes Trent's moves, and puts the next
    questions there, sealed for their parties. Before Bob is shown documents, it waits for the time of --hold, in which
    Alice can still ask for late claims. It can be killed at any moment and started again.

    While it runs, other commands that write to MATTER are refused.
    """
    with trent.installation():
        from protocol.corpus.corpus import Corpus
        from protocol.operating.loop import Run, Settings
    from protocol.box.layout import Mailbox

    key = trent.key(key_file, passphrase_file)
    given = Settings(
        matter=matter,
        key=key,
        key_file=key_file,
        corpus=Corpus.open(corpus_folder),
        box=Mailbox.made(box),
        hold=hold,
    )
    work = Run(settings=given, say=_say)
    if once:
        work.once()
        return
    try:
        work.forever()
    except KeyboardInterrupt:
        click.echo("Stopped. Start it again with the same command.", err=True)


def _say(line: str) -> None:
    click.echo(f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())}Z  {shown(line)}")
