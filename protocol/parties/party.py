"""Alice, Bob or the court: a key, what it was shown, and a question to answer.

A party is a fold over its notices, so one that was interrupted, or came in later with a new key, goes on as if
nothing had happened. The kind of the answer puts its decisions into words (`protocol.matter.kinds`).

A party with a coin chain gives a link once, for the next draw and for one thing that the draw answers. It refuses to
give a later link, or the same one for something else: whoever knows a link too early can steer the coins.
"""

from dataclasses import dataclass

from ledger import entries, records
from ledger.coins import LinkChain
from ledger.entries import Opening, Statement, hash_words
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.asking import Answer, Asked, Asking
from protocol.matter.books import Seat
from protocol.matter.decisions import Decisions
from protocol.matter.kinds import KINDS
from protocol.matter.seal import Seal
from protocol.matter.state import hash_query
from protocol.matter.values import Opened
from protocol.parties.notices import Notice, repeating
from protocol.rules import table
from protocol.rules.base import Examiner

_NOTHING = Decisions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsigned:
    """An answer in words, before it is signed."""

    statement: Statement
    openings: tuple[Opening, ...]
    spends: int | None  # the draw whose link it uses


class Party:
    """A party that answers questions. `question` is the last one that it was asked and has not answered yet."""

    def __init__(
        self, role: Role, key: SigningKey, *, chain: LinkChain | None = None, seal: Seal | None = None
    ) -> None:
        self.role = role
        self.key = key
        self.chain = chain
        self.seal = seal
        self.question: Notice | None = None
        self.opening: Opened
        self.rule: Examiner
        self.anchors: dict[Role, Digest] = {}
        self.draws = 0  # how many draws the entries tell of
        self.shown: set[Seat] = set()  # to Bob, and not asked back before
        self._waiting: Notice | None = None  # the question, while the court is asked to go on without its answer
        self._void: Notice | None = None  # the question, from a new key on until it is asked again
        self._words_owed = False  # by Alice: a report, or a second look, which begins a draw
        self._uses: dict[
            int, Digest
        ] = {}  # what each draw answers, according to the entries and to what was signed since

    def observe(self, notice: Notice) -> None:
        """Take note of an entry."""
        said = notice.statement
        match said.kind:
            case "open":
                self.opening = records.from_value(Opened, said.content)
                self.rule = table.examiner(self.opening.terms)
                self.anchors[Role.TRENT] = self.opening.anchor
            case "agreed":
                self.anchors[said.author] = Digest.parse(said.content["anchor"])
            case "draw" | "report" | "look":
                self._see_draw(said)
            case "disclosure":
                self.shown |= {Seat(said.round, position) for position in said.content["positions"]}
            case "reclaim":
                self.shown -= {Seat(each["round"], each["position"]) for each in said.content["documents"]}
            case "default" if said.content["absent"] == self.role:
                self._waiting, self.question = self.question, None
            case "order" if said.content["absent"] == self.role:
                self._hear(granted=said.content["granted"])
            case "rekeyed" if said.content["granted"]:
                self._see_new_key(Role(said.content["role"]))
        self._see_words_owed(said)
        if said.author is self.role:
            self.question = None
        if self.role in notice.asks:
            self.question = notice if said.kind != "again" or self._void is None else repeating(notice, self._void)
            self._void = None

    def say(
        self, decisions: Decisions = _NOTHING, *, replaces: tuple[Digest, ...] = (), absent_link: Digest | None = None
    ) -> Answer:
        """The signed answer to the open question. `absent_link` is what the court gives for an absent party."""
        return self.sign(self.word(decisions, replaces=replaces, absent_link=absent_link))

    def word(self, decisions: Decisions, *, replaces: tuple[Digest, ...], absent_link: Digest | None) -> Unsigned:
        """The answer to the open question, which nobody has signed yet."""
        question, name = self._asked()
        asking = _asking(name)
        if not decisions.given <= set(asking.decision.may_have):
            raise Refused(f"{self.role.called} is asked something else, by a '{question.statement.kind}'")
        said = asking.say(self._before(question, replaces, absent_link), decisions)
        statement = Statement(
            answers=question.hash,
            author=self.role,
            content=records.to_value(said.content),
            kind=name,
            matter=question.statement.matter,
            replaces=tuple(sorted(replaces)),
            round=question.statement.round,
            sealed=dict(said.sealed),
        )
        return Unsigned(statement=statement, openings=said.openings, spends=said.spends)

    def sign(self, unsigned: Unsigned) -> Answer:
        """The answer under the party's signature; its link is spent."""
        said = unsigned.statement
        answer = Answer(signed=entries.sign_statement(self.key, said), openings=unsigned.openings)
        if unsigned.spends is not None:
            self._spend(unsigned.spends, hash_words(said), instead=bool(said.replaces))
        return answer

    def _asked(self) -> tuple[Notice, str]:
        """The open question, and the kind of its answer."""
        if self.question is None:
            raise Refused(f"nothing is asked of {self.role.called} now")
        return self.question, KINDS[self.question.statement.kind].asked(self.question.statement.content)[self.role]

    def _before(self, question: Notice, replaces: tuple[Digest, ...], absent_link: Digest | None) -> Asked:
        return Asked(
            role=self.role,
            hash=question.hash,
            statement=question.statement,
            documents=question.values("documents"),
            opening=self.opening,
            draws=self.draws,
            anchors=self.anchors,
            replaces=replaces,
            spend=self._spend,
            own_chain=self.chain,
            own_seal=self.seal,
            absent_link=absent_link,
            shown=sorted(self.shown),
        )

    def _see_draw(self, said: Statement) -> None:
        """A draw answers the query, or the words of Alice's report or look; if she signed several, those on record."""
        draw = said.content["draw"]
        if self.chain is not None:
            answered = hash_query(self.opening) if said.kind == "draw" else hash_words(said)
            self._spend(draw, answered, instead=said.author is self.role)
        self.draws = draw

    def _see_new_key(self, role: Role) -> None:
        """What the role was asked is void. If Alice owes words that begin a draw, the draw is skipped: her old key may
        have used it.
        """
        if role is self.role:
            self._void, self.question = self.question or self._void, None
        if role is Role.ALICE and self._words_owed:
            self.draws += 1

    def _see_words_owed(self, said: Statement) -> None:
        """Whether Alice owes a report or a look. While she does, an order about her is about it, and its draw is left
        out.
        """
        match said.kind:
            case "batch" | "call" | "escalation":
                self._words_owed = True
            case "report" | "look":
                self._words_owed = False
            case "order" if said.content["absent"] == Role.ALICE and said.content["granted"] and self._words_owed:
                self._words_owed = False
                self.draws += 1

    def _hear(self, *, granted: bool) -> None:
        """The court's order on this party's silence: the party need not answer any more, or must answer as before."""
        self.question, self._waiting = (None if granted else self._waiting), None

    def _spend(self, draw: int, answered: Digest, *, instead: bool = False) -> None:
        """Use the link of this draw, perhaps `instead` of an earlier use, which the party withdraws."""
        known = self._uses.get(draw)
        if known != answered and not (draw == self.draws + 1 and (known is None or instead)):
            raise Refused(
                f"{self.role.called} keeps the link of draw {draw}: it is not the next one, or was given for another "
                "use"
            )
        self._uses[draw] = answered


def _asking(name: str) -> Asking:
    asking = KINDS[name].asking
    if asking is None:
        raise Refused(f"'{name}' is not an answer")
    return asking
