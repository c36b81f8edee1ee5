"""One reading of a matter: where a document stands in it, and which entries tell its story."""

from dataclasses import dataclass, field

from ledger import records
from ledger.entries import OpenedEntry
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.matter.kinds.batch import Batch
from protocol.matter.kinds.rekeyed import Rekeyed
from protocol.matter.values import Opened, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerKey:
    """A party's key until the court replaced it."""

    role: Role
    key: PublicKey
    until: int  # the entry by which it was replaced


@dataclass(slots=True)
class Story:
    """What is kept of a matter's entries while they are read: the hash of each, and where the document stands."""

    document: int
    hashes: list[Digest] = field(default_factory=list)
    position: int | None = None  # where the document stands in its batch, from 1
    round: int = 0
    first: int | None = None  # the entries of its round: the draw or the batch,
    closed: int | None = None  # and the close
    agreed: int = 0  # the last answer to the opening
    _signed: set[Role] = field(default_factory=set)
    _began: int = 0  # where the last round begins
    _rekeys: dict[Digest, int] = field(default_factory=dict)
    _granted: list[tuple[int, int]] = field(default_factory=list)  # new keys: the question and the court's answer
    former_keys: list[FormerKey] = field(default_factory=list)
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
        match said.kind:
            case "open":
                self._opening = records.from_value(Opened, said.content)
                self._keys = dict(self._opening.keys)
            case "draw":
                self._began = sequence
            case "batch":
                drawn = records.from_value(Batch, said.content).drawn
                self._began = sequence if drawn is None else self._began
                self._look_for_document(opened)
            case "closed" if said.round == self.round:
                self.closed = sequence
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
        """The last entry that the document's story needs; while its round is open, the last of all."""
        if self.first is None:
            return self.agreed
        return len(self.hashes) - 1 if self.closed is None else self.closed

    def chosen(self, size: int) -> set[int]:
        """The entries of an exhibit under a checkpoint of `size` entries."""
        keys = {entry for pair in self._granted if pair[1] < size for entry in pair}
        story = range(self.first, self.last + 1) if self.first is not None else range(0)
        return {*range(self.agreed + 1), *story, *keys}

    def check(self, corpus: Corpus) -> None:
        """Raise unless the matter can be exhibited with this corpus."""
        committed = self.opening.corpus
        if (corpus.root, corpus.size) != (committed.root, committed.documents):
            raise BadCorpus(
                f"{corpus.path} is not the corpus that the matter was opened with: its root is {corpus.root.hex()}, "
                f"the matter's is {committed.root.hex()}. Use the corpus that the matter was opened with"
            )
        if self._signed != {Role.ALICE, Role.BOB, Role.COURT}:
            raise Refused("not everybody has signed the matter's opening entry yet, so there is nothing to exhibit")

    def _look_for_document(self, opened: OpenedEntry) -> None:
        for opening in opened.openings:
            if opening.field == "documents":
                place = records.from_value(Place, opening.value)
                if place.document == self.document:
                    self.position, self.first = opening.index + 1, self._began
                    self.round = opened.entry.body.statement.round
