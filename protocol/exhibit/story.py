"""One reading of a matter: where a document stands in it, and which entries tell its story."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from ledger import records
from ledger.canonical import Value
from ledger.entries import OpenedEntry
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import leaf_of, read_proof
from protocol.matter.kinds.rekeyed import Rekeyed
from protocol.matter.values import Opened, Place

_BEGINS = ("draw", "batch", "escalation", "validation", "call")
"""The kinds that begin a round; in an escalation, and before a batch or validation, a draw is one of several."""


OUTSIDE = ("stamped", "logged")
"""The kinds about what outsiders have seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerKey:
    """A party's key until the court replaced it."""

    role: Role
    key: PublicKey
    until: int  # the entry by which it was replaced


@dataclass(slots=True, kw_only=True)
class Chapter:
    """One round of the document's story."""

    position: int  # of the document in this round, from 1
    listed: bool  # whether the round's first entry seals its place; otherwise it was withheld before
    first: int  # the entries of the round: the draw, or the entry that begins it,
    closed: int | None = None  # and the close
    shown: bool = False  # whether Bob was shown it in this round


@dataclass(slots=True)
class Story:
    """What is kept of a matter's entries while they are read: the hash of each, and the rounds of the document."""

    document: int
    leaf: Digest  # of the corpus commitment; by it a wave shows where a withheld document stands
    hashes: list[Digest] = field(default_factory=list)
    chapters: dict[int, Chapter] = field(default_factory=dict)  # by round
    agreed: int = 0  # the last answer to the opening
    _signed: set[Role] = field(default_factory=set)
    _round: int = 0  # the last that began,
    _began: int = 0  # and where
    _rekeys: dict[Digest, int] = field(default_factory=dict)
    _granted: list[tuple[int, int]] = field(default_factory=list)  # new keys: the question and the court's answer
    former_keys: list[FormerKey] = field(default_factory=list)
    asked_back: list[int] = field(default_factory=list)  # the entries about its claw-back, in order
    asked_at: int = 0  # which of the documents of Alice's `reclaim` it is
    clawed_back: bool = False
    _outside: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in OUTSIDE})
    _opening: Opened | None = None
    _keys: dict[Role, PublicKey] = field(default_factory=dict)  # those in force

    def see(self, opened: OpenedEntry) -> None:
        """Take note of the next entry."""
        body = opened.entry.body
        said, sequence = body.statement, body.sequence
        self.hashes.append(opened.hash)
        if said.answers == self.hashes[0]:
            self.agreed = sequence
            self._signed.add(said.author)
        if said.kind in _BEGINS and said.round != self._round:
            self._round, self._began = said.round, sequence
        match said.kind:
            case "open":
                self._opening = records.from_value(Opened, said.content)
                self._keys = dict(self._opening.keys)
            case "batch" | "validation" | "call":
                self._look_for_place(opened)
            case "disclosure" | "camera" if said.round not in self.chapters:
                self._look_for_proof(opened)
            case "disclosure" if self.chapters[said.round].position in said.content["positions"]:
                self.chapters[said.round].shown = True
            case "closed" if said.round in self.chapters:
                self.chapters[said.round].closed = sequence
            case "reclaim" if said.answers is not None:
                self._look_for_reclaim(said.answers, sequence, said.content["documents"])
            case "returned" if self.asked_back and said.answers == self.hashes[self.asked_back[-1]]:
                self.asked_back.append(sequence)
                self.clawed_back = said.content["upheld"][self.asked_at]
            case "stamped" | "logged":
                self._outside[said.kind].append(sequence)
            case "rekey":
                self._rekeys[opened.hash] = sequence
            case "rekeyed" if said.answers is not None:
                order = records.from_value(Rekeyed, said.content)
                if order.granted:
                    self._granted.append((self._rekeys[said.answers], sequence))
                    self.former_keys.append(FormerKey(role=order.role, key=self._keys[order.role], until=sequence))
                    self._keys[order.role] = order.key

    @property
    def opening(self) -> Opened:
        """What the first entry says."""
        if self._opening is None:
            raise Refused("the matter has no entries yet, so there is nothing to exhibit")
        return self._opening

    @property
    def last(self) -> int:
        """The last entry that the document's story needs; while a round of it is open, the last of all."""
        return max([*map(self._end, self.chapters.values()), *self.asked_back], default=self.agreed)

    def _end(self, chapter: Chapter) -> int:
        return len(self.hashes) - 1 if chapter.closed is None else chapter.closed

    def chosen(self, size: int) -> set[int]:
        """The entries of an exhibit under a checkpoint of `size` entries."""
        keys = {entry for pair in self._granted if pair[1] < size for entry in pair}
        rounds = (range(each.first, self._end(each) + 1) for each in self.chapters.values())
        return {*range(self.agreed + 1), *chain.from_iterable(rounds), *keys, *self.asked_back, *self._seen(size)}

    def _seen(self, size: int) -> Iterator[int]:
        """What dates the story from outside: of stamps and of proofs, the first of all and the first after it."""
        for places in self._outside.values():
            after = [each for each in places if each > self.last]
            yield from (each for each in (*places[:1], *after[:1]) if each < size)

    def check(self, corpus: Corpus) -> None:
        """Raise unless the matter can be exhibited with this corpus."""
        committed = self.opening.corpus
        corpus.check_committed(committed.root, committed.documents)
        if self._signed != {Role.ALICE, Role.BOB, Role.COURT}:
            raise Refused("not everybody has signed the matter's opening entry yet, so there is nothing to exhibit")

    def _look_for_place(self, opened: OpenedEntry) -> None:
        """Whether a round lists the document."""
        for opening in opened.openings:
            if opening.field == "documents":
                place = records.from_value(Place, opening.value)
                if place.document == self.document:
                    self._begin(opened, opening.index + 1, listed=True)

    def _look_for_proof(self, opened: OpenedEntry) -> None:
        """Whether a round comes back to the document, which was withheld before."""
        said = opened.entry.body.statement
        for opening in opened.openings:
            if opening.field == "proofs" and self._leads_here(opening.value):
                self._begin(opened, said.content["positions"][opening.index], listed=False)
                self.chapters[said.round].shown = said.kind == "disclosure"

    def _look_for_reclaim(self, question: Digest, sequence: int, documents: list[dict[str, int]]) -> None:
        """Whether Alice asks the document back; if so, her answer and the question belong to its story."""
        for index, each in enumerate(documents):
            chapter = self.chapters.get(each["round"])
            if chapter is not None and chapter.position == each["position"]:
                self.asked_back, self.asked_at = [self.hashes.index(question), sequence], index

    def _leads_here(self, value: Value) -> bool:
        """Whether a proof is one of the document, also where it withholds a part."""
        return leaf_of(self.document, read_proof(value)) == self.leaf

    def _begin(self, opened: OpenedEntry, position: int, *, listed: bool) -> None:
        number = opened.entry.body.statement.round
        self.chapters[number] = Chapter(position=position, listed=listed, first=self._began)
