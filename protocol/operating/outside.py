"""What `run` gets from outsiders, where the terms ask for it: by files, since it talks to nobody but the mailbox.

    MATTER.outside/25.checkpoint        the record as it stands, at 25 entries: what an authority stamps
    MATTER.outside/25.checkpoint.tsq    the query for that, to be sent
    MATTER.outside/*.tsr                time stamps that somebody put there
    MATTER.outside/*.tlog-proof         proofs of the operator's log

What has gone on record is taken away. What cannot is named once, and stays.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ledger import files, reading
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.tlog import proofs
from protocol.exchange import witnessing
from protocol.exchange.office import Office
from protocol.exchange.witnessing import Trusted
from protocol.matter import course, turn
from protocol.matter.state import A_STAMP
from protocol.stamps import request, tokens

_TEXT, _QUERY, _TOKEN = ".checkpoint", ".checkpoint.tsq", ".tsr"


@dataclass(slots=True, kw_only=True)
class Outside:
    """The folder of one matter."""

    office: Office
    matter: Path
    trusted: Trusted
    tell: Callable[[str], None]
    _named: set[tuple[str, bytes]] = field(default_factory=set)  # what cannot go on record, with its hash

    @property
    def folder(self) -> Path:
        """Where files are left and taken."""
        return self.matter.with_name(f"{self.matter.name}.outside")

    @property
    def waits(self) -> str:
        """What a round waits for, in words; empty if for nothing."""
        state = self.office.state
        return f"{turn.unseen(state)}; `run` takes it from {self.folder}" if course.unseen(state) else ""

    def go(self) -> None:
        """Put on record what has come, as long as a round waits for it."""
        while course.unseen(self.office.state):
            try:
                if not self._next():
                    return
            except OSError as error:
                self._name(self.folder, b"", f"{error.filename or 'a file'}: {error.strerror or error}")
                return

    def _next(self) -> bool:
        """Whether something has gone on record. A stamp comes first: the proof is of the record with it."""
        if self.office.state.unwitnessed[0] == A_STAMP:
            self._ask()
            return self._taken(_TOKEN, self._stamp)
        self._clear()
        return self._taken(proofs.SUFFIX, self._log)

    def _ask(self) -> None:
        """Leave what is to be stamped. A query that is there stays, unless it is of another record."""
        text = self.office.log.history.state().text.encode()
        name = str(self.office.state.size)
        out, asked = self.folder / f"{name}{_TEXT}", self.folder / f"{name}{_QUERY}"
        if out.is_file() and asked.is_file() and out.read_bytes() == text:
            return
        self.folder.mkdir(exist_ok=True)
        self._clear()
        for path, data in ((asked, request.Query.of(Digest(sha256(text).digest())).data), (out, text)):
            with files.replaced_file(path) as stream:
                stream.write(data)

    def _taken(self, end: str, take: Callable[[bytes], int]) -> bool:
        """Whether one of the files with this ending has gone on record."""
        size = self.office.state.size
        for path in sorted(self.folder.glob(f"*{end}")) if self.folder.is_dir() else []:
            try:
                data = reading.whole(path, proofs.MAX_SIZE, "such a file")
            except LedgerError as error:
                self._name(path, b"", str(error))
                continue
            except OSError as error:
                self._name(path, b"", error.strerror or str(error))
                continue
            try:
                entry = take(data)
            except LedgerError as error:
                self._name(path, data, str(error))
                continue
            if entry < size:
                self._name(path, data, f"it is on record already, in entry {entry}, and stamps an earlier record")
                continue
            self.tell(f"{path.name} is on record, in entry {entry}.")
            path.unlink(missing_ok=True)
            return True
        return False

    def _stamp(self, data: bytes) -> int:
        return witnessing.stamp(self.office, self.matter, tokens.read(data), self.trusted)

    def _log(self, data: bytes) -> int:
        return witnessing.log(self.office, proofs.decode(data), self.trusted)

    def _name(self, path: Path, data: bytes, why: str) -> None:
        known = (path.name, self.office.log.history.head + sha256(data).digest())
        if known not in self._named:
            self._named.add(known)
            self.tell(f"{path} cannot go on record: {why}. Put another file there.")

    def _clear(self) -> None:
        """Take away what was asked before."""
        for path in [*self.folder.glob(f"*{_TEXT}"), *self.folder.glob(f"*{_QUERY}")] if self.folder.is_dir() else []:
            if path.name.split(".")[0].isdigit():
                path.unlink(missing_ok=True)
