"""What Trent keeps beside his key: sealed roots of coin chains until he can pass them on, and how far he has signed.

He cannot read the roots. How far he has signed lets him recognise an old backup: to continue one would be to sign a
second history.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledger import records
from ledger.errors import Damaged, LedgerError, Refused
from ledger.hashing import Digest
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.parties import memory, secrets
from protocol.parties.secrets import SealedRoot

_FOR_THE_COURT, _FOR_NEW_KEYS, _SIGNED = "deposits.json", "returned.json", "signed.json"


class Signed(Record, frozen=True, kw_only=True):
    """How far the key has signed a matter."""

    head: Digest  # of entry size - 1
    size: Natural


@dataclass(frozen=True, slots=True)
class Keep:
    """A folder: deposits that go to the court, those that come back from it, and how far the matter is signed."""

    folder: Path

    @classmethod
    def beside(cls, key_file: Path, matter: Digest) -> Self:
        """Where Trent's key is."""
        return cls(memory.folder_of(key_file, matter))

    def deposits(self) -> dict[Role, SealedRoot]:
        """The deposits that are sealed for the court, by the owner of the chain."""
        return self._read(_FOR_THE_COURT)

    def returned(self) -> dict[Role, SealedRoot]:
        """The deposits that the court sealed for a party's new key."""
        return self._read(_FOR_NEW_KEYS)

    def deposit(self, role: Role, sealed: SealedRoot) -> None:
        """Keep one for the court."""
        memory.write(self.folder / _FOR_THE_COURT, secrets.encode_deposits(self.deposits() | {role: sealed}))

    def bring_back(self, role: Role, sealed: SealedRoot) -> None:
        """Keep one for a party's new key."""
        memory.write(self.folder / _FOR_NEW_KEYS, secrets.encode_deposits(self.returned() | {role: sealed}))

    def check(self, path: Path, hashes: Sequence[Digest]) -> None:
        """Raise if a matter with these entries lies behind what the key has signed, or differs from it."""
        data = memory.read(self.folder / _SIGNED)
        if not data:
            return
        try:
            signed = records.decode(Signed, data.rstrip(b"\n"))
        except LedgerError as error:
            raise Damaged(f"{self.folder / _SIGNED} is damaged ({error}); restore it from your last backup") from None
        if len(hashes) < signed.size:
            what = f"lies behind what this key has signed: it has {len(hashes)} entries, but {signed.size} are signed"
        elif hashes[signed.size - 1] != signed.head:
            what = f"differs from what this key has signed: its entry {signed.size - 1} is a different one"
        else:
            return
        raise Refused(
            f"{path} {what}. It is an old backup, was continued elsewhere, or was copied without its -wal file. If you "
            "continue with it, you sign a second history, which proves to anyone that Trent cheats. Restore the file "
            f"whose entry {signed.size - 1} has the hash {signed.head.hex()}. If there is none, do not continue: open "
            "a new matter for the documents that are left"
        )

    def signed(self, hashes: Sequence[Digest]) -> None:
        """Keep how far the matter has come."""
        data = records.encode(Signed(head=hashes[-1], size=len(hashes))) + b"\n"
        if data != memory.read(self.folder / _SIGNED):
            memory.write(self.folder / _SIGNED, data)

    def _read(self, name: str) -> dict[Role, SealedRoot]:
        data = memory.read(self.folder / name)
        return secrets.decode_deposits(data, str(self.folder / name)) if data else {}
