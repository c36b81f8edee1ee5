"""What all parties have in common: a key, the terms, and a question to answer.

A party is a fold over its notices, so that one who was interrupted, or came in later with a new key, goes on as if
nothing had happened.
"""

from ledger import entries, records
from ledger.coins import LinkChain
from ledger.entries import Opening, Statement, hash_words
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.records import Record
from ledger.roles import Role
from protocol.matter.kind import Answer
from protocol.matter.kinds.agreed import Agreed
from protocol.matter.kinds.amended import Amended
from protocol.matter.state import hash_query
from protocol.matter.values import Link, Opened
from protocol.parties.notices import Notice
from protocol.rules import table
from protocol.rules.base import Examiner

__all__ = ["Answer", "Drawer", "Party"]


class Party:
    """One who answers questions. `question` is the last one that was put to it and that it must answer still."""

    role: Role

    def __init__(self, key: SigningKey) -> None:
        self.key = key
        self.question: Notice | None = None
        self.opening: Opened
        self._waiting: Notice | None = None  # the question, while the court is asked to go on without its answer

    def observe(self, notice: Notice) -> None:
        """Take note of an entry."""
        said = notice.statement
        match said.kind:
            case "open":
                self.opening = records.from_value(Opened, said.content)
            case "default" if said.content["absent"] == self.role:
                self._waiting, self.question = self.question, None
            case "order" if said.content["absent"] == self.role:
                self._hear(granted=said.content["granted"])
        if said.author is self.role:
            self.question = None
        if self.role in notice.asks:
            self.question = notice

    def amended(self, accepted: bool, replaces: tuple[Digest, ...] = ()) -> Answer:  # noqa: FBT001 (yes or no)
        """Whether the party accepts another number of rounds."""
        return self._says("amended", Amended(accepted=accepted), replaces)

    def _hear(self, *, granted: bool) -> None:
        """The court's order on this party's silence: it need not answer any more, or must as before."""
        self.question, self._waiting = (None if granted else self._waiting), None

    def _asked(self, *kinds: str) -> Notice:
        """The open question, which must be one of these kinds."""
        if self.question is None:
            raise Refused(f"nothing is asked of {self.role.called} now")
        if kinds and self.question.statement.kind not in kinds:
            raise Refused(f"{self.role.called} is asked something else, by a '{self.question.statement.kind}'")
        return self.question

    def _says(
        self,
        kind: str,
        content: Record,
        replaces: tuple[Digest, ...],
        sealed: dict[str, entries.Sealed] | None = None,
        openings: tuple[Opening, ...] = (),
    ) -> Answer:
        asked = self._asked()
        statement = Statement(
            answers=asked.hash,
            author=self.role,
            content=records.to_value(content),
            kind=kind,
            matter=asked.statement.matter,
            replaces=tuple(sorted(replaces)),
            round=asked.statement.round,
            sealed=sealed or {},
        )
        return Answer(signed=entries.sign_statement(self.key, statement), openings=openings)


class Drawer(Party):
    """A party with a coin chain.

    It gives a link once, for the next draw and for one thing that the draw answers. Asked for a later link, or for the
    same one about something else, it refuses: whoever knows a link before what it is to decide can steer the coins.
    """

    def __init__(self, key: SigningKey, chain: LinkChain) -> None:
        super().__init__(key)
        self.chain = chain
        self.rule: Examiner
        self.draws = 0  # how many the entries tell of
        self._uses: dict[int, Digest] = {}  # what each draw answers, by the entries and by what was signed since

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        if said.kind == "open":
            self.rule = table.examiner(self.opening.terms)
        if said.kind in ("draw", "report"):
            own = said.author is self.role  # of several reports that she signed, the one on record counts
            self._spend(said.content["draw"], self._answered(notice), instead=own)
            self.draws = said.content["draw"]

    def agree(self, replaces: tuple[Digest, ...] = ()) -> Answer:
        """Sign the terms, and name the anchor of the coin chain."""
        self._asked("open")
        return self._says("agreed", Agreed(anchor=self.chain.anchor), replaces)

    def give_link(self, replaces: tuple[Digest, ...] = ()) -> Answer:
        """The link for the draw that the question begins."""
        asked = self._asked("draw", "report")
        draw = asked.statement.content["draw"]
        self._spend(draw, self._answered(asked))
        return self._says("link", Link(draw=draw, link=self.chain.link(draw)), replaces)

    def _hear(self, *, granted: bool) -> None:
        """What was signed and never went on record used no link, if the court goes on without it."""
        super()._hear(granted=granted)
        if granted:
            self._uses.pop(self.draws + 1, None)

    def _answered(self, notice: Notice) -> Digest:
        """What a draw answers: the query, or the words of Alice's report."""
        return hash_query(self.opening) if notice.statement.kind == "draw" else hash_words(notice.statement)

    def _spend(self, draw: int, answered: Digest, *, instead: bool = False) -> None:
        """Use the link of this draw; `instead` of another use of its own, which it withdraws."""
        known = self._uses.get(draw)
        if known != answered and not (draw == self.draws + 1 and (known is None or instead)):
            raise Refused(
                f"{self.role.called} keeps the link of draw {draw}: it is not the next one, or was given for another "
                "use"
            )
        self._uses[draw] = answered
