"""What the ledger says of some lines as a copy."""

from pathlib import Path

from ledger.errors import LedgerError
from ledger.examining import examine, open_reader


def verdict(folder: Path, lines: list[bytes]) -> LedgerError | None:
    """Why the lines are refused as a copy, or None if they pass."""
    path = folder / "judged"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    try:
        examine(open_reader(path))
    except LedgerError as error:
        return error
    return None
