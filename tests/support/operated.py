"""A matter that `run` operates, for tests: parties fetch from the mailbox's folder and post to it."""

import io
import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ledger import records
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.box import notices, sealing
from protocol.box.layout import PARTIES, Mailbox
from protocol.box.notices import Receipt
from protocol.exchange import answer_file
from protocol.exchange.witnessing import Trusted
from protocol.operating.loop import Run, Settings
from protocol.parties.reply import Reply
from tests.support.exchange_cases import Table


@dataclass
class Clock:
    """Trent's clock, which a test moves."""

    now: int = 1_000_000

    def __call__(self) -> int:
        return self.now


@dataclass
class Operated:
    """A table whose questions and answers travel through a mailbox."""

    table: Table
    hold: int = 0
    clock: Clock = field(default_factory=Clock)
    trusted: Trusted = field(default_factory=Trusted)
    said: list[str] = field(default_factory=list)

    @property
    def box(self) -> Mailbox:
        return Mailbox.made(self.table.folder / "box")

    @property
    def matter(self) -> Digest:
        first = next(iter(MatterReader(self.table.matter)))
        return first.entry.body.matter

    def run(self) -> Run:
        table = self.table
        given = Settings(
            matter=table.matter,
            key=table.keys[Role.TRENT],
            key_file=table.key_file(Role.TRENT),
            corpus=table.corpus,
            box=self.box,
            hold=self.hold,
            trusted=self.trusted,
            clock=self.clock,
        )
        return Run(settings=given, say=self.said.append)

    def go(self) -> Run:
        """Let `run` do all that it can do now."""
        run = self.run()
        run.once()
        return run

    def names(self, role: Role) -> list[str]:
        return [each.name for each in self.box.questions(self.matter, role)]

    def asked(self) -> dict[Role, str]:
        """Who finds which question, by its name without the hash; each finds one at most."""
        found = {role: self.names(role) for role in PARTIES}
        return {role: names[0].rpartition("-")[0] for role, (*names,) in found.items() if names}

    def fetch(self, role: Role, key: SigningKey | None = None) -> Path:
        """The question that a party finds, unsealed and unpacked."""
        (name,) = self.names(role)
        out = self.table.folder / role / "inbox" / name
        if not out.exists():
            into = io.BytesIO()
            with self.box.question(self.matter, role, name) as source:
                sealing.unseal(source, into, key or self.table.keys[role])
            with zipfile.ZipFile(into) as packed:
                packed.extractall(out)
        return out

    def post(self, role: Role, data: bytes) -> Digest:
        incoming = self.box.incoming(self.matter, role)
        incoming.write(sealing.sealed(data, self.table.keys[Role.TRENT].public))
        answer, _ = incoming.placed()
        incoming.close()
        return answer

    def receipt(self, role: Role, answer: Digest) -> Receipt | None:
        data = self.box.receipt(self.matter, role, answer)
        return None if data is None else notices.read_receipt(data, "", self.table.keys[Role.TRENT].public).receipt

    def truthful(self, role: Role) -> Reply:
        return self.table.truthful(role, self.fetch(role))

    def answer(self, role: Role) -> Digest:
        """Have a party answer what it finds, truthfully, and post that."""
        return self.post(role, answer_file.encode(self.truthful(role)))

    def until(self, role: Role, kind: str, *, at_most: int = 40) -> None:
        """Answer everything truthfully until this party finds this."""
        for _ in range(at_most):
            self.go()
            asked = self.asked()
            if f"-{kind}-" in asked.get(role, "") or asked.get(role, "").startswith(f"{kind}-"):
                return
            for each in asked:
                self.answer(each)
        raise AssertionError(f"nobody asks {role} for {kind}")

    def kinds(self) -> list[str]:
        return [each.entry.body.statement.kind for each in MatterReader(self.table.matter)]

    def record(self) -> list[bytes]:
        """All that the record says, without what depends on a clock."""
        return [records.encode(each.entry.body.statement) for each in MatterReader(self.table.matter)]

    def copied(self, folder: Path) -> "Operated":
        shutil.copytree(self.table.folder, folder, dirs_exist_ok=True)
        copy = Table(folder=folder, corpus=self.table.corpus, keys=self.table.keys, count=self.table.count)
        return Operated(table=copy, hold=self.hold, clock=Clock(self.clock.now))
