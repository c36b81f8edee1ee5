"""The questions that lie in the mailbox: those that are asked now, and no others.

Each is written as a zip beside Trent's key first, then sealed for its party. A question that is there is left as it is,
and one that nobody asks any more is taken away, so what a party finds in the mailbox is what it must answer.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ledger import files
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.box.filling import Clerk
from protocol.box.layout import PARTIES, question_name
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.exchange import run as running
from protocol.exchange.office import Office
from protocol.exchange.outbox import Sent

WHOLE = "-whole"
"""What the name of a question with the whole record has before the entry's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that lies in the mailbox."""

    role: Role
    kind: str
    name: str
    package: Path  # the zip, for whoever wants it by mail
    sentence: str


@dataclass(slots=True, kw_only=True)
class Asker:
    """Fills the mailbox of one matter."""

    corpus: Corpus
    clerk: Clerk
    folder: Path  # beside Trent's key, for the zips
    enrolled: dict[Role, PublicKey] = field(default_factory=dict)

    def fill(self, office: Office, say: Callable[[str], None]) -> list[Asked]:
        """Make the mailbox hold the keys in force, and exactly what is asked now."""
        keys = dict(office.state.keys)
        if keys != self.enrolled:
            self.clerk.enrol(keys, office.state.size)
            self.enrolled = keys
        entries = {task.role: task.entry for task in office.tasks()}
        sent = running.questions(office, self.corpus, self.folder, packed=True, everything=False)
        asked = [_asked(each, question_name(each.path.stem, entries[each.role])) for each in sent]
        for role in PARTIES:
            wanted = {each.name: each for each in asked if each.role is role}
            there = set(self.clerk.waiting(role))
            for name in sorted(wanted.keys() - there):
                package = wanted[name].package
                self.clerk.put(role, package.stem, entries[role], package, keys[role])
                say(f"Asked: {wanted[name].sentence}")
            of_now = tuple(entries[role].hex() for _ in wanted)
            for name in sorted(there - wanted.keys()):
                if not (name.endswith(of_now) and WHOLE in name):
                    self.clerk.withdraw(role, name)
        self._tidy({each.package for each in asked})
        return asked

    def clear(self, office: Office, role: Role) -> None:
        """Take away what a party has answered: whoever has a receipt must not find the question any more."""
        open_now = tuple(task.entry.hex() for task in office.tasks() if task.role is role)
        for name in self.clerk.waiting(role):
            if not name.endswith(open_now):
                self.clerk.withdraw(role, name)

    def send_whole(self, office: Office, role: Role) -> str:
        """Put a question there once more with the whole record, for a party that has lost the folder beside its key."""
        entries = {task.role: task.entry for task in office.tasks()}
        if role not in entries:
            raise OutOfTurn(f"nothing is asked of {role.called} now; the next question can be sent with all of it")
        folder = self.folder / "whole"
        (sent,) = running.questions(office, self.corpus, folder, packed=True, everything=True, only=role)
        name = self.clerk.put(role, sent.path.stem + WHOLE, entries[role], sent.path, office.state.keys[role])
        shutil.rmtree(folder, ignore_errors=True)
        return name

    def _tidy(self, wanted: set[Path]) -> None:
        """Remove the zips of questions that nobody asks any more."""
        for path in self.folder.glob("*.zip"):
            if path not in wanted:
                path.unlink(missing_ok=True)
                files.sweep(path)


def _asked(sent: Sent, name: str) -> Asked:
    return Asked(role=sent.role, kind=sent.kind, name=name, package=sent.path, sentence=sent.sentence)
