"""Trent's outbox: a question package for each party that must answer.

The same question gives the same package. A package that is already there is left as it is, and nothing is ever
replaced: if a package of the same name asks something else, the new one gets another name.
"""

import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ledger import checkpoints, copies, files, records
from ledger.errors import LedgerError, Refused
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.roles import Audience, Role
from protocol.corpus import leaves
from protocol.exchange import alikeform, cutting, filenames, pages, question_file, tasks
from protocol.exchange.disclosed import DisclosedDocument
from protocol.exchange.filenames import ListedDocument, ShownDocument, ShownPart
from protocol.exchange.keeping import Keep
from protocol.exchange.likenesses import Likenesses
from protocol.exchange.register import Register
from protocol.exchange.tasks import Task
from protocol.matter import kinds
from protocol.matter.asking import Shown
from protocol.matter.books import Seat
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.parties import alike, secrets
from protocol.parties.alike import Alike
from protocol.parties.question import COSIGN, FORMAT, Request
from protocol.parties.secrets import SealedRoot
from protocol.parties.whereabouts import Proven
from protocol.stamps import kept

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
        rows = self._alike(task)
        extra = self._extra(task, start) | ({filenames.LIKENESSES: alike.encode(rows)} if rows else {})
        path, new = self._place(f"{task.name}{'.zip' if packed else ''}", asked, extra)
        if not new:
            files.sweep(path)
        else:
            served = cutting.cut(self.log.store, task.role, start, task.size)
            documents = list(self._documents(task))
            form = alikeform.blank(rows, {each.position: each.file(task.round) for each in documents})
            question_file.write(
                path,
                key=self.key,
                history=served.entries,
                released=served.released,
                request=asked,
                documents=documents,
                withheld=list(self._withheld(task)),
                disclosed=list(self._disclosed(task)),
                extra=extra | self._copy(task) | form,
                guide=replace(tasks.guide(task, self.state, self.register), alike=len(rows)),
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
        for number, (current, position) in self._shown(task).items():
            place = current.places[position - 1]
            note, judged = self._note(task.kind, current, position)
            log = current.privilege
            yield ShownDocument(
                position=number,
                name=place.name,
                parts=tuple(self._parts(place.document, log.upheld_parts.get(position, ()))),
                note=note,
                judged=judged,
                claimed=log.parts.get(position, ()) if task.kind == "privilege" else (),
            )

    def _parts(self, document: int, withheld: Collection[int]) -> Iterator[ShownPart]:
        """The parts of a document; of those that the court withheld, only the log."""
        known = [self.corpus.fields(document, part) for part in range(self.corpus.parts(document))]
        around = leaves.around([each.log.parent for each in known], withheld)
        for part, each in enumerate(known):
            if part in withheld:
                yield ShownPart(log=each.log, rest=None)
                continue
            text = self.corpus.part_text(document, part)
            bare = part in around
            content = text.encode() if bare else self.corpus.content(document, part)
            images = self.corpus.images(document, part)
            yield ShownPart(log=each.log, rest=each.rest, content=content, text=text, text_only=bare, images=images)

    def _alike(self, task: Task) -> list[Alike]:
        """What Alice is asked besides, before a report, or before a validation shows Bob what it drew."""
        current = self.state.current
        if current is None or not (task.kind == "report" or (task.kind == "claim" and "numbers" in task.content)):
            return []
        found = Likenesses(self.corpus, self.state, self.register.bases)
        return found.rows(current, _positions(task, current), labels=task.kind == "report")

    def _withheld(self, task: Task) -> Iterator[ListedDocument]:
        """The list of a second look: where Alice has each document from."""
        current = self.state.current
        if current is None or kinds.shown(task.kind) is not Shown.LISTED:
            return
        for position, (place, seat) in enumerate(zip(current.places, current.seats or (), strict=True), start=1):
            if seat is not None:
                yield ListedDocument(position=position, name=place.name, round=seat.round, place=seat.position)

    def _disclosed(self, task: Task) -> Iterator[DisclosedDocument]:
        """The list of what Alice can ask back: where she has each document from."""
        if kinds.shown(task.kind) is not Shown.DISCLOSED:
            return
        for number, seat in enumerate(self.state.shown_to_bob(), start=1):
            review = self.state.rounds[seat.round - 1]
            labelled = None if review.seats is None else review.seats[seat.position - 1]
            name = review.places[seat.position - 1].name
            yield DisclosedDocument(number=number, name=name, seat=seat, labelled=labelled or seat)

    def _shown(self, task: Task) -> dict[int, tuple[Round, int]]:
        """The documents that go with a question, by their position in it: each by its round and its position there."""
        if kinds.shown(task.kind) is Shown.ASKED_BACK:
            asked = enumerate(self.state.clawbacks.asked, start=1)
            return {number: (self.state.rounds[seat.round - 1], seat.position) for number, seat in asked}
        current = self.state.current
        return {} if current is None else {position: (current, position) for position in _positions(task, current)}

    def _proofs(self, task: Task) -> Proven:
        """Proofs that lead to the documents' leaves of the corpus commitment, for Alice, whose copy has none, and
        for what is asked back, of which the waves have others beside it.
        """
        shown = self._shown(task).items()
        documents = {number: current.places[position - 1].document for number, (current, position) in shown}
        return Proven(
            proofs={each: records.to_value(self.corpus.proof(document)) for each, document in documents.items()},
            path=self.corpus.paths(documents.values()).hex(),
        )

    def _note(self, kind: str, current: Round, position: int) -> tuple[str, bool]:
        """What the court must know of a document besides its text, and whether it is asked if that is responsive."""
        if kind == "privilege":
            claim = current.privilege.claimed.get(position)  # none if the court looks in Bob's place
            return pages.in_camera(None if claim is None else self.register.bases.get(claim))
        if kind == "rulings":
            reason = self.register.reasons.get((current.number, position), "")
            alice, bob = current.reported(position), current.bob[position]
            return pages.disagreement(self.state.opening.caption, alice=alice, bob=bob, reason=reason), False
        if kind == "returned":
            seat = Seat(current.number, position)
            basis = self.register.bases.get(self.state.clawbacks.bases[seat])
            return pages.asked_back(self.state.opening.caption, basis, seat), False
        return "", False

    def _extra(self, task: Task, start: int) -> dict[str, bytes]:
        """The small files that come with some questions."""
        found = (
            {filenames.PROOFS: question_file.encode_proofs(self._proofs(task))}
            if kinds.shown(task.kind) in (Shown.BATCH, Shown.CLAIMABLE, Shown.ASKED_BACK)
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
            packed.write(
                copies.copied(self.log.store, Audience(task.role), self.key, kept.at_hand(self.log.store.path))
            )
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
        case Shown.LISTED | Shown.DISCLOSED | Shown.ASKED_BACK | Shown.NONE:
            return ()
