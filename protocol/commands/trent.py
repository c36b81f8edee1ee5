"""What several of Trent's commands need and only he has: his installation and his key."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.terminal import signing_key
from protocol.errors import TrentOnly
from protocol.matter.naming import Telling
from protocol.matter.values import Opened
from protocol.simulation.identity import Simulated

OURS = ("ledger", "protocol")

corpus_option = click.option(
    "--corpus",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    required=True,
    help="The corpus of the matter.",
)


@contextmanager
def installation(
    needed: str = "running a matter needs Trent's installation", *, extras: str = "trent"
) -> Iterator[None]:
    """Wraps the imports of packages that a party does not have; the refusal says what to install."""
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] in OURS:
            raise
        raise TrentOnly(f"{needed}: pip install 'tallystick[{extras}]'") from None


def key(key_file: Path, passphrase_file: Path | None) -> SigningKey:
    """Trent's key from its file."""
    return signing_key(key_file, passphrase_file, role=Role.TRENT)


def played_key(opening: Opened, needed: str) -> SigningKey:
    """Trent's key: in a simulation anybody can derive it, in a real matter it must be given."""
    played = Simulated.of(opening)
    if played is None:
        raise Refused(f"{Telling(opening.caption).said(needed)} with --key")
    return played.key(Role.TRENT)
