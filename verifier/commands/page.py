"""`tallystick-verify page`: write the verifier for the browser."""

import hashlib
from pathlib import Path

import click

from verifier import browser
from verifier.commands.answering import NoAnswer, answer
from verifier.commands.options import check_new
from verifier.writing import new_file


@click.command("page")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The new file, such as verify.html."
)
def page_command(*, out: Path) -> None:
    """Write the verifier as a page for the browser.

    The page is one HTML file that works from a disk without a network: open it, drop a copy into it, and read the
    verdict. Nothing that is dropped into it leaves the computer. The command prints the page's SHA-256, which the
    release notes (CHANGELOG.md) state as well.
    """
    check_new(out, "--out")
    content = browser.page()
    try:
        new_file(out, content)
    except OSError as error:
        raise NoAnswer(f"the page cannot be written to {out}: {error.strerror or error}") from None
    answer(f"{hashlib.sha256(content).hexdigest()}  {out}")
