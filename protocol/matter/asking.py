"""Questions and answers: the part of a kind of entry that answers a question.

`say` leads from what a party knows and decides to the words of its answer. A simulated strategy, a filled-in form and a
page in a browser all give `Decisions`, and `say` alone decides what these mean.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import Opening, Sealed, SignedStatement, Statement
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Audience, Role
from protocol.errors import Undecided
from protocol.matter.books import Seat
from protocol.matter.decisions import Decisions
from protocol.matter.seal import Seal
from protocol.matter.state import Silenced
from protocol.matter.values import Opened


class Decision(Enum):
    """What a person fills in or decides: the decisions that an answer needs, and those that it may have."""

    NOTHING = ((), ())
    TERMS = ((), ("candidates",))
    REPORT = (("labels",), ("threshold", "claims", "claimed_parts", "classes", "alike"))
    LABELS = (("labels",), ("reasons",))
    CLAIMS = ((), ("claims", "claimed_parts", "classes", "alike"))
    LOOK = ((), ("given_up",))
    RECLAIM = ((), ("claims",))
    UPHELD = (("upheld",), ("upheld_parts", "reasons"))
    GRANT = (("granted",), ())
    ACCEPT = (("accepted",), ())

    def __init__(self, needs: tuple[str, ...], may: tuple[str, ...]) -> None:
        self.needs = needs
        self.may_have = needs + may


class Shown(Enum):
    """Which documents of the batch go with a question."""

    NONE = auto()
    LISTED = auto()  # none; but all that is withheld is listed
    BATCH = auto()  # all of them
    NAMED = auto()  # those whose positions the question names
    CLAIMABLE = auto()  # those that Alice can still claim as privileged
    DISCLOSED = auto()  # none; but all that Bob was shown, in any round, is listed
    ASKED_BACK = auto()  # those that the question names by round and position


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One party before one question: all that its answer rests on besides its decisions."""

    role: Role
    hash: Digest  # of the entry that asks
    statement: Statement  # what that entry says
    documents: Sequence[Value]  # the places that it opens to the party
    opening: Opened
    draws: int  # the number of the draw that began last
    anchors: Mapping[Role, Digest]  # those that were named
    replaces: tuple[Digest, ...]  # the earlier answers that this one withdraws
    spend: Callable[[int, Digest], None]  # use the link of a draw for something; raises if it may not be used for that
    own_chain: LinkChain | None
    own_seal: Seal | None
    absent_link: Digest | None  # from the deposit, if the court orders the matter to go on with it
    shown: Sequence[Seat] = ()  # what Bob was shown and was not asked back before, in order

    @property
    def chain(self) -> LinkChain:
        """The party's coin chain."""
        if self.own_chain is None:
            raise Refused(f"{self.role.called} has no coin chain")
        return self.own_chain

    def sealed(
        self, place: str, audiences: Mapping[str, Sequence[Audience]], fields: Mapping[str, Sequence[Value]]
    ) -> tuple[dict[str, Sealed], tuple[Opening, ...]]:
        """Values under the party's seal, for these audiences."""
        if self.own_seal is None:
            raise Refused(f"{self.role.called} seals nothing")
        return self.own_seal.close(place, {name: (audiences[name], values) for name, values in fields.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words of an answer, before they are signed."""

    content: Record
    sealed: Mapping[str, Sealed] = field(default_factory=dict)
    openings: tuple[Opening, ...] = ()
    spends: int | None = None  # the draw whose link these words use


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a party hands over: a signed statement with the openings for Trent."""

    signed: SignedStatement
    openings: tuple[Opening, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a granted order does in place of an answer, in words and in the state."""

    words: str
    take: Silenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a kind has that answers a question."""

    task: str  # what the party must do; it may name parts of the question
    question: str  # what the question asks, after "it asks"
    shown: Shown
    decision: Decision
    say: Callable[[Asked, Decisions], Said]
    silence: Granted | None  # None: the matter does not go on without it


def decided(given: Mapping[int, bool] | None, positions: Iterable[int]) -> list[bool]:
    """What was decided about each of these positions, in their order."""
    found = []
    for position in positions:
        if given is None or position not in given:
            raise Undecided(f"nothing was decided about position {position}")
        found.append(given[position])
    return found


def yes_or_no(given: bool | None) -> bool:  # noqa: FBT001 (it is what was decided)
    """What was decided."""
    if given is None:
        raise Undecided("nothing was decided")
    return given
