"""What only Trent has, and several of his commands need: his installation, and his key."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import Refused
from ledger.keyfiles import read_signing_key
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.schema import TrentOnly
from ledger.terminal import passphrase_for
from protocol.matter.values import Opened
from protocol.simulation.identity import Simulated

OURS = ("ledger", "protocol")


@contextmanager
def installation(
    needed: str = "running a matter needs Trent's installation", *, extras: str = "trent"
) -> Iterator[None]:
    """Around the imports of a command that needs packages which a party does not have; the refusal says which."""
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] in OURS:
            raise
        raise TrentOnly(f"{needed}: pip install 'tallystick[{extras}]'") from None


def key(key_file: Path, passphrase_file: Path | None) -> SigningKey:
    """Trent's key from its file."""
    return read_signing_key(key_file, passphrase_for(key_file, passphrase_file), role=Role.TRENT)


def played_key(opening: Opened, needed: str) -> SigningKey:
    """Trent's key in a simulation, which anybody can derive; a real matter's must be given."""
    played = Simulated.of(opening)
    if played is None:
        raise Refused(f"{needed} with --key")
    return played.key(Role.TRENT)
