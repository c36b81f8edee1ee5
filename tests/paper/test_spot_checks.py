"""The books of the experiments: the worked example, and the same entries as the books of a real matter."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest

from protocol.certificates.exact import ONE, cost, threshold
from protocol.matter import books
from protocol.matter.books import Books, Case, Fate, Seat
from protocol.paper.experiments import hiders, spotchecks
from protocol.paper.experiments.courses import PROFILE
from protocol.paper.experiments.spotchecks import BATCH, NONE, Alice, Fall, Hidden, Review, SpotCheck, generator

QUARTER = SpotCheck(rate=Fraction(1, 4), target=Fraction(4, 5), every=1)


class Scripted(Review):
    """Coins as a test wants them; what is not responsive is drawn as often as the script says."""

    def __init__(self, terms: SpotCheck, alice: Alice, coins: Sequence[Sequence[float]], shown: Sequence[int]) -> None:
        super().__init__(terms, alice, generator("unused"))
        self._script, self._numbers = iter(coins), iter(shown)

    def _values(self, documents: Sequence[Hidden]) -> list[float]:
        return list(next(self._script))

    def _binomial(self, number: int, chance: int) -> int:
        return next(self._numbers)


class GivesUpTwo(Alice):
    def __init__(self) -> None:
        self.looks = 0

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        self.looks += 1
        return review.hidden[:2] if self.looks == 2 else ()


def test_the_worked_example_comes_out_as_written() -> None:
    """F = 40 of p = 0.25 and 30 withheld; one hit, two given up, and the target 0.8 is met."""
    hit = cost(368934881474191032) / ONE
    review = Scripted(QUARTER, GivesUpTwo(), [[9.0] * 3, [hit, 9.0, 9.0], []], [0, 2, 3])
    review.batch([Hidden() for _ in range(3)], 40, 0, 27)
    assert (review.hits, review.credit, review.certified().budget) == (0, 0, 68047815211787223040)
    assert (review.allowed(), review.certified().at_most, review.reached()) == (10, 12, False)
    review.escalate()
    assert (review.found, review.hits, review.certified().at_most) == (41, 1, 17)
    assert review.credit == pytest.approx(5679471736594712157, rel=1e-12)
    assert set(review.standing().exposures) == {6186165019253383913}
    review.escalate()
    assert (review.found, review.hits, review.certified().at_most) == (43, 1, 10)
    (exposure,) = review.standing().exposures  # a float stands in the credit, and so in the chance
    assert exposure == pytest.approx(8576435245293284721, rel=1e-15)
    assert review.standing().withheld == 22
    assert review.reached()


class Twice(Review):
    """Keeps the books of a real matter beside its own."""

    real = Books()
    seats: dict[Hidden, Seat]
    number = 0

    def report(
        self,
        responsive: Sequence[Hidden],
        reported: int,
        padding: int,
        innocent: int,
        *,
        chance: int,
        penalty: str = NONE,
    ) -> None:
        self.number += 1
        self.seats = getattr(self, "seats", {}) | {
            document: Seat(self.number, place) for place, document in enumerate(responsive)
        }
        self._new = list(responsive)
        super().report(responsive, reported, padding, innocent, chance=chance, penalty=penalty)
        self._new = []

    def _binomial(self, number: int, chance: int) -> int:
        return number if chance == ONE else 0  # the others are left aside

    def _compelled(self, fall: Fall, by_chance: int, innocent: int, *, read: bool) -> bool:
        compelled = super()._compelled(fall, by_chance, innocent, read=read)
        if compelled:
            brought = read and any(
                not fall.upheld(document) and (document in fall.drawn or document in fall.late)
                for document in self._new
            )
            cases = {
                self.seats[document]: self._case(document, fall, read=read, everything=brought)
                for document in (*fall.drawn, *fall.others)
            }
            self.real = books.checked_as_one(self.real, self._rate, cases)
        return compelled

    def _settled(self, fall: Fall, *, read: bool) -> list[Hidden]:
        stay = super()._settled(fall, read=read)
        cases = {
            self.seats[document]: self._case(document, fall, read=read) for document in (*fall.drawn, *fall.others)
        }
        if self._new:
            self.real = books.checked(self.real, self._rate, cases)
        elif cases:
            self.real = books.drawn_again(self.real, self._chance, cases)
        return stay

    def draw(self, chance: int) -> int:
        self._chance = chance
        return super().draw(chance)

    def give_up(self, documents: Sequence[Hidden]) -> None:  # type: ignore[override]
        cases = {
            self.seats[document]: Case(coin=0, fate=Fate.RESPONSIVE, beforehand=document.claimed)
            for document in documents
        }
        self.real = books.given_up(self.real, cases)
        super().give_up(documents)

    def _case(self, document: Hidden, fall: Fall, *, read: bool, everything: bool = False) -> Case:
        late, drawn = document in fall.late, document in fall.drawn
        fate = Fate.HIDDEN
        if fall.upheld(document):
            fate = Fate.UPHELD
        elif drawn or late or everything:
            fate = Fate.RESPONSIVE if read else Fate.UNREAD
        coin = min(ONE - 1, int(-math.expm1(-document.last) * ONE))
        return Case(coin=coin, fate=fate, beforehand=document.claimed, late=late)

    def agree(self) -> None:
        assert self.hits == self.real.hits
        assert self.credit == pytest.approx(self.real.credit, rel=1e-9)
        mine = Counter(document.exposure for document in self.hidden)
        assert mine == Counter(self.real.exposures.values())


@pytest.mark.parametrize("penalty", [NONE, BATCH])
@pytest.mark.parametrize("who", [who for who in (*hiders.HIDERS, *hiders.USERS) if "silent" not in who])
def test_the_books_are_those_of_a_real_matter(who: str, penalty: str) -> None:
    alice = (hiders.HIDERS | hiders.USERS)[who]()
    review = Twice(SpotCheck(rate=Fraction(1, 10), every=3, penalty=penalty), alice, generator("books", who))
    for number, responsive in enumerate(PROFILE[2:], start=1):
        hidden = max(0, min(responsive, alice.hides(review, responsive)))
        review.batch([alice.kind(review) for _ in range(hidden)], responsive - hidden, 0, 40)
        review.agree()
        while number % 3 == 0 and review.due():
            review.escalate()
            review.agree()
    assert review.hits or who in ("hides one of each batch", "hides all of the last three batches")


def test_a_wrong_entry_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books, "given_up", lambda real, cases: real)
    with pytest.raises(AssertionError):
        test_the_books_are_those_of_a_real_matter("gives all up after a hit", NONE)


@pytest.mark.parametrize("target", ["0.5", "0.8", "0.9", "0.99"])
@pytest.mark.parametrize("rate", ["0.001", "0.01", "0.2"])
def test_a_truthful_alice_reaches_every_target_with_one_draw(rate: str, target: str) -> None:
    review = Review(SpotCheck(rate=Fraction(rate), target=Fraction(target)), Alice(), generator(rate, target))
    for _ in range(3):
        review.batch((), 40, 0, 160)
    while review.due():
        review.escalate()
    assert review.draws <= 1
    assert review.reached()
    assert (review.hits, review.credit, review.found) == (0, 0, 120)
    assert not review.broken


@pytest.mark.parametrize("seed", range(20))
def test_an_escalation_has_at_most_one_draw_more_than_there_are_hidden_documents(seed: int) -> None:
    review = Review(SpotCheck(rate=Fraction(1, 50)), Alice(), generator(seed))
    review.batch([Hidden() for _ in range(12)], 60, 0, 300)
    hidden = len(review.hidden)
    while review.due():
        review.escalate()
    assert review.draws <= 1 + hidden


def test_the_limit_ends_the_draws_and_the_target_is_not_reached() -> None:
    review = Review(SpotCheck(limit=Fraction(1, 20)), Alice(), generator("limit"))
    review.batch((), 10, 0, 500)
    while review.due():
        review.escalate()
    assert review.used_up
    assert not review.reached()
    assert review.escalated < 60  # a twentieth of 500, and what chance adds


def test_what_an_escalations_draw_has_shown_counts_towards_the_limit() -> None:
    review = Scripted(SpotCheck(), Alice(), [[9.0, 9.0], [0.001, 9.0]], [0, 7])
    review.batch([Hidden(), Hidden()], 30, 0, 400)
    review.escalate()
    assert (review.escalated, review.nrd, review.found, review.reported) == (8, 7, 31, 402)


def test_with_penalty_batch_one_hit_brings_everything() -> None:
    review = Scripted(SpotCheck(penalty=BATCH), Alice(), [[0.001, 0.5, 3.0]], [1])
    review.batch([Hidden(), Hidden(), Hidden()], 5, 0, 100)
    assert (review.found, review.hits, review.hidden, review.nrd) == (8, 1, [], 100)
    assert review.credit == 3 * int(0.001 * ONE)


def test_a_coin_at_the_chance_itself_draws_nothing() -> None:
    end = cost(threshold(Fraction(1, 100))) / ONE
    review = Scripted(SpotCheck(), Alice(), [[end]], [0])
    review.batch([Hidden()], 5, 0, 0)
    assert (review.hits, len(review.hidden)) == (0, 1)


def test_coins_depend_on_the_words_alone() -> None:
    assert generator("a", 1).random() == generator("a", 1).random()
    assert generator("a", 1).random() != generator("a", 2).random()
    assert spotchecks.generator("a").random() != spotchecks.generator("b").random()
