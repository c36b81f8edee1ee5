"""What came through the mailbox and changes nothing in the record, but which people must be able to look at.

Objections are shown to Trent and go to the court. A second answer that contradicts the first can be put on record as
evidence. Both are kept as the files that they are, beside Trent's key.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from ledger.roles import Role
from protocol.parties import memory

Sort = Literal["objections", "second-answers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The folder of one matter beside Trent's key."""

    folder: Path

    def keep(self, sort: Sort, role: Role, data: bytes) -> Path:
        """Keep a file under its hash; the same one again, in another letter, stays as it is."""
        path = self.folder / sort / f"{role}-{sha256(data).hexdigest()[:16]}.json"
        if not path.exists():
            memory.write(path, data)
        return path

    def all(self, sort: Sort) -> list[Path]:
        """The files of one sort, oldest first."""
        folder = self.folder / sort
        found = [path for path in folder.glob("*.json") if path.is_file()] if folder.is_dir() else []
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))
