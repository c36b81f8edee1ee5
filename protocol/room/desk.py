"""One question on the desk: checked, decided step by step, and signed.

It is checked when it is opened, and once more, with the memory locked, when it is signed: in between, another program
may have answered it, or its files may have changed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ledger.keys import SigningKey
from protocol.exchange import answer_file, answering, objection_file, question_file
from protocol.exchange.answering import Ready
from protocol.exchange.filenames import ShownDocument
from protocol.matter.decisions import Decisions
from protocol.parties import memory, objection, preview, screen
from protocol.parties.answer import Draft as Answer
from protocol.parties.errors import NotAnswered, Objectionable
from protocol.parties.objection import SignedObjection
from protocol.parties.preview import Preview
from protocol.parties.verdict import Verdict
from protocol.parties.whereabouts import Whereabouts
from protocol.room import drafts, receipts, sheets
from protocol.room.drafts import Cell, Draft
from protocol.room.reading import Search
from protocol.room.sheets import Missing, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """An answer that was signed and kept, and is to be sent."""

    answer: bytes
    shown: Preview
    again: bool


@dataclass(kw_only=True)
class Desk:
    """A question that passed all checks. `forgotten`: the memory beside the key is lost, as its owner says."""

    path: Path
    key_file: Path
    key: SigningKey
    ready: Ready
    draft: Draft
    forgotten: bool = False
    objections: list[SignedObjection] = field(default_factory=list)
    _verdicts: dict[str, Verdict | None] = field(default_factory=dict)

    @cached_property
    def sheet(self) -> Sheet:
        """What it asks for."""
        return sheets.of(self.ready)

    @cached_property
    def search(self) -> Search:
        """Finds words in its documents."""
        return Search(self.ready)

    @cached_property
    def shown(self) -> dict[int, ShownDocument]:
        """The documents with their texts by position; none if they are only listed."""
        return {each.position: each for each in self.ready.shown}

    @cached_property
    def where(self) -> Whereabouts:
        """What was said before of the documents."""
        return Whereabouts.of(self.ready.view.history.entries)

    @property
    def answered(self) -> bool:
        """Whether an answer to it was signed before."""
        return bool(self.ready.view.memory.about(self.ready.view.entry.hash, self.ready.view.kind))

    def change(self, cells: Mapping[str, object]) -> None:
        """Decide something; it is kept at once."""
        self.draft.change(sheets.check(self.ready, cells))

    def undo(self) -> dict[str, Cell]:
        """Take the last step back."""
        return self.draft.undo()

    def redo(self) -> dict[str, Cell]:
        """Take it again."""
        return self.draft.redo()

    def add(self, data: bytes) -> SignedObjection:
        """Keep an objection of the silent party's, which the court was given, if it is about this."""
        found = objection_file.decode(data, "the file")
        objection.check_about(self.ready.view, found)
        if found not in self.objections:
            self.draft.add(objection_file.encode(found))
            self.objections.append(found)
        return found

    def missing(self) -> list[Missing]:
        """What must be decided before it can be signed."""
        return sheets.missing(self.sheet, self.ready, self.draft.cells)

    def decisions(self) -> Decisions:
        """What was decided."""
        return sheets.decisions(self.sheet, self.ready, self.draft.cells)

    def about_to_sign(self, out: Path, *, replacing: bool) -> tuple[Preview, str]:
        """What would be signed, and a mark of it: only what bears the same mark is signed."""
        ready = answering.afresh(self.ready)
        return self._shown(ready, self._drafted(ready, out, replacing=replacing))

    def supposing(self, cells: Mapping[str, Cell]) -> Preview:
        """What would be signed if this were decided."""
        ready = answering.afresh(self.ready)
        supposed = sheets.decisions(self.sheet, ready, {**self.draft.cells, **cells})
        return preview.about_to_sign(ready.view, answering.drafted(ready, supposed), self.objections)

    def sign(self, mark: str, out: Path, *, replacing: bool) -> Signed:
        """Sign what was shown, and keep it. It is checked again before, with nobody else at work on the matter."""
        matter = self.ready.asked.request.matter
        with memory.locked(self.key_file, matter):
            received = answering.received(self.path, self.key_file, matter)
            ready = answering.checked(received, self.key, forgotten=self.forgotten, objections=self.objections)
            answer = self._drafted(ready, out, replacing=replacing)
            shown, found = self._shown(ready, answer)
            if found != mark:
                raise NotAnswered(
                    "something has changed since this was shown, so nothing was signed. Read it again, then sign"
                )
            memory.keep(ready.known, answer.memory)
        data = answer_file.encode(answer.reply)
        return Signed(answer=data, shown=shown, again=answer.again)

    @property
    def receipt(self) -> Path:
        """Where its receipt is."""
        asked = self.ready.asked.request
        return receipts.path_of(self.key_file, asked.matter, asked.entry, asked.kind)

    def _drafted(self, ready: Ready, out: Path, *, replacing: bool) -> Answer:
        decided = sheets.decisions(self.sheet, ready, self.draft.cells)
        return answering.drafted(ready, decided, replacing=replacing, verdict=self._verdict(ready, out))

    def _verdict(self, ready: Ready, out: Path) -> Verdict | None:
        """The verdict on the copy in the question, which takes time, and is the same for the same history."""
        head = ready.asked.request.head.hex()
        if head not in self._verdicts or not answering.needs_verdict(ready.view):
            self._verdicts[head] = answering.verdict(ready, out)
        return self._verdicts[head]

    def _shown(self, ready: Ready, answer: Answer) -> tuple[Preview, str]:
        shown = preview.about_to_sign(ready.view, answer, self.objections)
        reasons = "\n".join(f"{row.position} {row.label} {row.claim} {row.reason}" for row in shown.documents)
        words = "\n".join([*screen.lines(shown), reasons])
        return shown, hashlib.sha256(words.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A question that is at fault, as its checks found. The party can sign an objection instead of an answer."""

    path: Path
    key_file: Path
    key: SigningKey
    fault: Objectionable

    def object(self, out: Path) -> Path:
        """Sign the objection, and write it beside where the answer would be."""
        matter = question_file.read_request(self.path).matter
        received = answering.received(self.path, self.key_file, matter)
        return answering.objected(self.key, received.asked, self.fault, out)


def opened(path: Path, key_file: Path, key: SigningKey, *, forgotten: bool = False) -> Desk | Fault:
    """Check a question, and put it on the desk with what was decided so far."""
    request = question_file.read_request(path)
    with memory.locked(key_file, request.matter):
        received = answering.received(path, key_file, request.matter)
        try:
            ready = answering.checked(received, key, forgotten=forgotten)
        except Objectionable as fault:
            return Fault(path=path, key_file=key_file, key=key, fault=fault)
    draft = Draft(drafts.path_of(key_file, request.matter, request.entry, request.kind))
    found = Desk(path=path, key_file=key_file, key=key, ready=ready, draft=draft, forgotten=forgotten)
    found.objections += [objection_file.decode(paper, str(draft.path)) for paper in draft.papers]
    return found
