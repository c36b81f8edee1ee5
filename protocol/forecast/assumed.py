"""What a forecast assumes: how large and how rich the collection is, how hard the topic, and what Alice does."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

from numpy.random import RandomState

from protocol import fixedpoint
from protocol.errors import BadTerms
from protocol.forecast.gain import GAIN_AT

ALICE = ("truthful", "careless:ERRORS", "careless:ERRORS:FOUND", "hides:SHARE")

COLLECTION = 100_000
RICHNESS = "0.005-0.02"
GAIN = "0.7-0.95"

LARGEST_COLLECTION = 10**9
HARDEST, EASIEST = Fraction(1, 100), Fraction(99, 100)


@dataclass(frozen=True, slots=True)
class Span:
    """A number that nobody knows exactly: each trial takes one between the two, small ones as often as large ones."""

    low: Fraction
    high: Fraction

    def draw(self, random: RandomState) -> float:
        """One such number. Equal factors are equally likely."""
        low, high = log(self.low), log(self.high)
        return float(exp(low + (high - low) * random.uniform()))

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{float(self.low):.6g}"
        return f"{float(self.low):.6g} to {float(self.high):.6g}"


@dataclass(frozen=True, slots=True)
class Alice:
    """How Alice labels, and what a second look finds."""

    spec: str = "truthful"
    errors: Fraction = Fraction(0)  # the share of her labels that are wrong
    hides: Fraction = Fraction(0)  # the share of the responsive documents that she calls not responsive
    looks: Fraction = Fraction(0)  # the share of her mistakes that she finds when she is asked for a second look

    def mislabelled(self, random: RandomState, responsive: int, other: int) -> tuple[int, int]:
        """How many responsive documents she labels not responsive, and how many others she labels responsive."""
        hidden = random.binomial(responsive, float(max(self.errors, self.hides)))
        return int(hidden), int(random.binomial(other, float(self.errors)))

    @property
    def words(self) -> str:
        """What she does, in words."""
        if self.hides:
            return f"Alice hides {_percent(self.hides)} of the responsive documents, and gives up none of them later"
        if not self.errors:
            return "Alice labels truthfully"
        found = f"finds {_percent(self.looks)} of her mistakes when she is asked for a second look"
        later = found if self.looks else "gives up nothing when she is asked for a second look"
        return f"Alice gets {_percent(self.errors)} of the labels wrong, either way, and {later}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """All assumptions of a forecast. `chosen` are the options that somebody gave; the others are defaults."""

    documents: int
    richness: Span
    gain: Span
    alice: Alice

    def words(self) -> Iterator[str]:
        """Each assumption as a sentence, with the option that changes it."""
        yield f"The collection has {self.documents:,} documents (--collection)."
        yield f"Of these, a share of {self.richness} is responsive (--richness)."
        yield (
            f"When {GAIN_AT} documents have been reviewed for each responsive one of the collection, a share of "
            f"{self.gain} of the responsive ones has come up (--gain)."
        )
        yield f"{self.alice.words} (--alice)."
        yield "Bob recognises what is responsive, the court rules rightly, and everybody answers."


def assumed(
    *,
    documents: int = COLLECTION,
    richness: str = RICHNESS,
    gain: str = GAIN,
    alice: str = "truthful",
) -> Assumed:
    """Checked assumptions, from what was written. Raises `BadTerms` with the first that makes no sense."""
    if not 2 <= documents <= LARGEST_COLLECTION:
        raise BadTerms(f"a collection of {documents} documents: write a number from 2 to {LARGEST_COLLECTION:,}")
    rich, gained = _span("--richness", richness), _span("--gain", gain)
    if rich.low * documents < 1:
        raise BadTerms(
            f"--richness {richness}: of {documents:,} documents, fewer than one would be responsive. Write at least "
            f"{1 / documents:.2g}"
        )
    if gained.low < HARDEST or gained.high > EASIEST:
        raise BadTerms(f"--gain {gain}: write a recall from {float(HARDEST)} to {float(EASIEST)}")
    return Assumed(documents=documents, richness=rich, gain=gained, alice=parse_alice(alice))


def parse_alice(spec: str) -> Alice:
    """Alice's behaviour, by a short text."""
    match spec.split(":"):
        case ["truthful"]:
            return Alice()
        case ["careless", errors]:
            return Alice(spec, errors=_share("--alice", spec, errors))
        case ["careless", errors, found]:
            return Alice(spec, errors=_share("--alice", spec, errors), looks=_share("--alice", spec, found))
        case ["hides", share]:
            return Alice(spec, hides=_share("--alice", spec, share))
    raise BadTerms(f"--alice {spec!r} is not known; write one of {', '.join(ALICE)}, such as careless:0.05")


def _span(option: str, text: str) -> Span:
    """One number, or two with a hyphen between them."""
    low, hyphen, high = text.partition("-")
    found = Span(_share(option, text, low), _share(option, text, high if hyphen else low))
    if not 0 < found.low <= found.high < 1:
        raise BadTerms(f"{option} {text}: write a decimal between 0 and 1, or two such as 0.01-0.02, the smaller first")
    return found


def _share(option: str, text: str, number: str) -> Fraction:
    try:
        found = fixedpoint.parse_fraction(number)
    except BadTerms as error:
        raise BadTerms(f"{option} {text}: {error}") from None
    if found > 1:
        raise BadTerms(f"{option} {text}: {number} is not a share from 0 to 1")
    return found


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.4g} %"
