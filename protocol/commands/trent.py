"""What only Trent has, and several of his commands need: his installation, and his key."""

from importlib import import_module
from pathlib import Path
from typing import Any

from ledger.errors import Refused
from ledger.keyfiles import read_signing_key
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.schema import TrentOnly
from ledger.terminal import passphrase_for
from protocol.matter import statements
from protocol.simulation.identity import Simulated


def tools(module: str, what: str = "matters are run") -> Any:
    """A module, loaded when it is needed, since scipy takes its time, and a party has none."""
    try:
        return import_module(module)
    except ImportError:
        raise TrentOnly(f"{what} by Trent's installation: pip install 'tallystick[trent]'") from None


def key(key_file: Path, passphrase_file: Path | None) -> SigningKey:
    """Trent's key from its file."""
    return read_signing_key(key_file, passphrase_for(key_file, passphrase_file), role=Role.TRENT)


def played_key(opening: statements.Opening, needed: str) -> SigningKey:
    """Trent's key in a simulation, which anybody can derive; a real matter's must be given."""
    played = Simulated.of(opening)
    if played is None:
        raise Refused(f"{needed} with --key")
    return played.key(Role.TRENT)
