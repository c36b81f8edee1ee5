"""What outlives an entry: the values that a matter's state keeps, and that several kinds of entry share."""

from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.records import Natural, Record
from ledger.roles import Audience, Role
from protocol.corpus.account import Account, Unit
from protocol.rules.terms import Positive, Terms

METHOD = 6
"""The version of what a record does not define itself: features, models, rules and the bound, as specified."""

OWNERS = (Audience.ALICE, Audience.COURT)
"""Who can open a document, or a word about it, before Bob is shown it."""

PARTIES = (Audience.ALICE, Audience.BOB, Audience.COURT)

LONGEST_BASIS = 2000
"""The most characters of a claim's basis: a line of a log, not a brief."""


class CorpusCommitment(Record, frozen=True, kw_only=True):
    """The documents under review, and what was received."""

    account: Account
    documents: Positive
    root: Digest
    unit: Unit


class Simulation(Record, frozen=True, kw_only=True):
    """Says that one program played all parties, and how."""

    alice: str
    bob: str
    court: str
    label: str
    responsive: Positive  # how many documents of the corpus carry the label
    seed: str
    truth: Digest  # hash of the numbers of these documents: other labels make another simulation


class Caption(Record, frozen=True, kw_only=True):
    """What the matter is about, and who the parties are, for people. A simulation has none."""

    case: str
    court: str
    names: dict[Role, str]
    request: str  # the request for production, which says what is responsive


class Opened(Record, frozen=True, kw_only=True):
    """What a matter is opened with, for all parties to sign: the content of `open`."""

    anchor: Digest  # of Trent's coin chain
    caption: Caption | None
    corpus: CorpusCommitment
    format: Natural
    keys: dict[Role, PublicKey]
    method: Natural  # the version of features, model, rules and bound
    simulation: Simulation | None
    terms: Terms


class Link(Record, frozen=True, kw_only=True):
    """One link of a drawer's coin chain: the content of `link`, and part of a batch that coins chose."""

    draw: Positive
    link: Digest


class Place(Record, frozen=True, kw_only=True):
    """A sealed value of `documents`: which document stands at a position."""

    document: Natural
    name: str


class Truth(Record, frozen=True, kw_only=True):
    """What only a simulation knows: about one round, or in the claims about the whole corpus."""

    responsive: Natural  # by the labels that the simulation was given
    revealed: Natural  # of these, how many Bob has seen


class Outcome(Record, frozen=True, kw_only=True):
    """How a round ends."""

    compelled: bool
    error: Natural  # of the threshold, by Alice's report
    responsive: tuple[Positive, ...]  # the positions whose output label is responsive
    sampled: Natural  # how many positions a coin drew
    threshold: Natural
    truth: Truth | None
