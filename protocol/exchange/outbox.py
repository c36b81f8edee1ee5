"""Trent's outbox: a question package for each party that must answer.

The same question gives the same package. A package that is already there is left as it is, and nothing is ever
replaced: if a package of the same name asks something else, the new one gets another name.
"""

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ledger import checkpoints, copies, files, records
from ledger.canonical import Value
from ledger.errors import LedgerError, Refused
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.roles import Audience, Role
from protocol.exchange import cutting, filenames, pages, question_file, tasks
from protocol.exchange.filenames import ListedDocument, ShownDocument
from protocol.exchange.keeping import Keep
from protocol.exchange.register import Register
from protocol.exchange.tasks import Task
from protocol.matter import kinds
from protocol.matter.asking import Shown
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.parties import secrets
from protocol.parties.question import COSIGN, FORMAT, Request
from protocol.parties.secrets import SealedRoot

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus  # which brings numpy


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A package, and a sentence about what it asks for."""

    role: Role
    kind: str
    round: int
    path: Path
    new: bool
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbox:
    """A folder for questions about one matter."""

    folder: Path
    log: Log
    key: SigningKey
    keep: Keep
    state: Matter
    register: Register
    corpus: "Corpus"

    def write(self, task: Task, *, packed: bool, everything: bool) -> Sent:
        """The package for a task, written unless it is there; `everything` puts the whole record in it."""
        start = 0 if everything else task.start
        asked = Request(
            entry=task.entry,
            files={},
            format=FORMAT,
            head=self.register.hashes[task.size - 1],
            kind=task.kind,
            matter=self.state.number,
            role=task.role,
            round=task.round,
            size=task.size,
            start=start,
        )
        extra = self._extra(task, start)
        path, new = self._place(f"{task.name}{'.zip' if packed else ''}", asked, extra)
        if not new:
            files.sweep(path)
        else:
            served = cutting.cut(self.log.store, task.role, start, task.size)
            question_file.write(
                path,
                key=self.key,
                history=served.entries,
                released=served.released,
                request=asked,
                documents=list(self._documents(task)),
                withheld=list(self._withheld(task)),
                extra=extra | self._copy(task),
                guide=tasks.guide(task, self.state, self.register),
            )
        sentence = tasks.sentence(task, self.state)
        return Sent(role=task.role, kind=task.kind, round=task.round, path=path, new=new, sentence=sentence)

    def _place(self, name: str, asked: Request, extra: Mapping[str, bytes]) -> tuple[Path, bool]:
        """Where the package stands or is to stand, and whether it must be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"{self.folder} cannot be made: {error.strerror}") from None
        stem, dot, ending = name.partition(".")
        names = (name if number == 1 else f"{stem}-v{number}{dot}{ending}" for number in count(1))
        path = next(
            path for path in map(self.folder.joinpath, names) if not path.exists() or self._is(path, asked, extra)
        )
        return path, not path.exists()

    def _is(self, path: Path, asked: Request, extra: Mapping[str, bytes]) -> bool:
        """Whether the package at `path` asks this same question."""
        try:
            found = question_file.read(path, self.key.public)
        except LedgerError:
            return False
        return msgspec.structs.replace(found.request, files={}) == asked and found.small == extra

    def _documents(self, task: Task) -> Iterator[ShownDocument]:
        for current, position in self._shown(task):
            place = current.places[position - 1]
            note, judged = self._note(task.kind, current, position)
            yield ShownDocument(
                position=position,
                name=place.name,
                content=self.corpus.content(place.document),
                text=self.corpus.text(place.document),
                note=note,
                judged=judged,
            )

    def _withheld(self, task: Task) -> Iterator[ListedDocument]:
        """The list of a second look: where Alice has each document from."""
        current = self.state.current
        if current is None or kinds.shown(task.kind) is not Shown.LISTED:
            return
        for position, (place, seat) in enumerate(zip(current.places, current.seats or (), strict=True), start=1):
            if seat is not None:
                yield ListedDocument(position=position, name=place.name, round=seat.round, place=seat.position)

    def _shown(self, task: Task) -> Iterator[tuple[Round, int]]:
        """The positions of the open round whose documents go with a question."""
        current = self.state.current
        if current is not None:
            yield from ((current, position) for position in _positions(task, current))

    def _proofs(self, task: Task) -> dict[int, dict[str, Value]]:
        """Proofs that open the documents' leaves of the corpus commitment, for Alice, whose copy has none."""
        return {
            position: records.to_value(self.corpus.opening(current.places[position - 1].document))
            for current, position in self._shown(task)
        }

    def _note(self, kind: str, current: Round, position: int) -> tuple[str, bool]:
        """What the court must know of a document besides its text, and whether it is asked if that is responsive."""
        if kind == "privilege":
            claim = current.privilege.claimed.get(position)  # none if the court looks in Bob's place
            return pages.in_camera(None if claim is None else self.register.bases.get(claim))
        if kind == "rulings":
            return pages.disagreement(alice=current.reported(position), bob=current.bob[position]), False
        return "", False

    def _extra(self, task: Task, start: int) -> dict[str, bytes]:
        """The small files that come with some questions."""
        found = (
            {filenames.PROOFS: question_file.encode_proofs(self._proofs(task))}
            if kinds.shown(task.kind) in (Shown.BATCH, Shown.CLAIMABLE)
            else {}
        )
        return found | self._sealed(task, start)

    def _sealed(self, task: Task, start: int) -> dict[str, bytes]:
        """The checkpoint or the deposits, if the question needs them."""
        found = {}
        if task.kind == COSIGN:
            found[filenames.CHECKPOINT] = str(checkpoints.sign(self.log.history.state(), self.key)).encode()
        if task.kind == "deposited":
            found[filenames.DEPOSITS] = secrets.encode_deposits(self._deposits())
        if start <= self.register.rekeyed.get(task.role, -1) < task.size:  # its holder has seen nothing before
            kept = self.keep.returned()
            if task.role not in kept:
                raise _lost(task.role, "the court's order on the new key")
            found[filenames.DEPOSIT] = secrets.encode_deposits({task.role: kept[task.role]})
        return found

    def _copy(self, task: Task) -> dict[str, bytes]:
        """The party's copy of the whole record, if it is to sign the end, so that it can verify the copy first."""
        if task.kind != COSIGN:
            return {}
        stream = io.BytesIO()
        with files.packed(stream, Path(filenames.COPY)) as packed:
            packed.write(copies.copied(self.log.store, Audience(task.role), self.key))
        return {filenames.COPY: stream.getvalue()}

    def _deposits(self) -> dict[Role, SealedRoot]:
        """The roots of the three chains, sealed for the court."""
        kept = self.keep.deposits()
        for role in (Role.ALICE, Role.BOB):
            if role not in kept:
                raise _lost(role, f"{role.called}'s answer to the opening")
        if Role.TRENT not in kept:
            root = secrets.chain_root(self.key, self.state.number)
            self.keep.deposit(Role.TRENT, secrets.sealed_root(self.state.opening.keys[Role.COURT], root))
        return self.keep.deposits()


def _lost(role: Role, answer: str) -> Refused:
    return Refused(
        f"the sealed deposit of {role.called} is no longer beside Trent's key: accept {answer} again to restore it"
    )


def _positions(task: Task, current: Round) -> Iterable[int]:
    """Which documents of the batch go with a question."""
    match kinds.shown(task.kind):
        case Shown.BATCH:
            return range(1, (current.called if "numbers" in task.content else current.size) + 1)
        case Shown.NAMED:
            return tuple(task.content["positions"])
        case Shown.CLAIMABLE:
            return sorted(current.claimable)
        case Shown.LISTED | Shown.NONE:
            return ()
