"""What Trent keeps beside his key until he can pass it on: roots of coin chains, sealed so that he cannot read them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import memory, question
from protocol.exchange.secrets import SealedRoot

_FOR_THE_COURT, _FOR_NEW_KEYS = "deposits.json", "returned.json"


@dataclass(frozen=True, slots=True)
class Keep:
    """A folder with a file for the deposits that go to the court, and one for those that come back from it."""

    folder: Path

    @classmethod
    def beside(cls, key_file: Path, matter: Digest) -> Self:
        """Where Trent's key is."""
        return cls(memory.folder_of(key_file, matter))

    def deposits(self) -> dict[Role, SealedRoot]:
        """Sealed for the court, by whose chain it is."""
        return self._read(_FOR_THE_COURT)

    def returned(self) -> dict[Role, SealedRoot]:
        """Sealed by the court for a party's new key."""
        return self._read(_FOR_NEW_KEYS)

    def deposit(self, role: Role, sealed: SealedRoot) -> None:
        """Keep one for the court."""
        memory.write(self.folder / _FOR_THE_COURT, question.encode_deposits(self.deposits() | {role: sealed}))

    def bring_back(self, role: Role, sealed: SealedRoot) -> None:
        """Keep one for a party's new key."""
        memory.write(self.folder / _FOR_NEW_KEYS, question.encode_deposits(self.returned() | {role: sealed}))

    def _read(self, name: str) -> dict[Role, SealedRoot]:
        path = self.folder / name
        try:
            return question.decode_deposits(path.read_bytes(), str(path)) if path.exists() else {}
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}") from None
