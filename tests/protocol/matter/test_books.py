"""The books: what a draw brings, and what it must not bring.

D must be at least the number of hits, and credit and exposures at most the time that documents were on test. So most of
these are cases in which somebody would like more.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.certificates.exact import ONE, cost, threshold
from protocol.certificates.reviewed import certify, next_chance
from protocol.matter import books
from protocol.matter.books import Books, Case, Fate, Seat

TAU = threshold(Fraction("0.25"))
DRAWN, MISSED = TAU - 1, TAU
EMPTY = Books()

TARGET, DOUBT = Fraction("0.8"), Fraction("0.05")


def seats(count: int, first: int = 1) -> list[Seat]:
    return [Seat(1, position) for position in range(first, first + count)]


def alike(found: list[Seat], coin: int, fate: Fate, **flags: bool) -> dict[Seat, Case]:
    return {seat: Case(coin=coin, fate=fate, **flags) for seat in found}


def checked(coin: int, fate: Fate, **flags: bool) -> Books:
    """One document, spot-checked."""
    return books.checked(EMPTY, TAU, alike(seats(1), coin, fate, **flags))


def test_the_worked_example_of_an_escalation_comes_out_to_the_last_digit() -> None:
    hidden = alike(seats(30), MISSED, Fate.HIDDEN)
    one = books.checked(EMPTY, TAU, hidden)
    assert set(one.exposures.values()) == {5306797565112371680}
    certified = certify(one.standing(40), TARGET, DOUBT)
    assert (certified.budget, certified.allowed, certified.at_most) == (68047815211787223040, 10, 12)
    chance = next_chance(one.standing(40), TARGET, DOUBT)
    assert chance == 858736591500547602

    hit = {Seat(1, 1): Case(coin=368934881474191032, fate=Fate.RESPONSIVE)}
    two = books.drawn_again(one, chance, hit | alike(seats(2, first=2), 0, Fate.NOT_RESPONSIVE))
    assert (two.hits, two.credit, len(two.exposures)) == (1, 5679471736594712157, 27)
    assert set(two.exposures.values()) == {6186165019253383913}
    certified = certify(two.standing(41), TARGET, DOUBT)
    assert (certified.budget, certified.allowed, certified.at_most) == (106713117736732899747, 10, 17)

    three = books.given_up(two, alike(seats(2, first=4), 0, Fate.RESPONSIVE))
    assert (three.hits, three.credit, len(three.exposures)) == (1, 18051801775101479983, 25)
    certified = certify(three.standing(43), TARGET, DOUBT)
    assert (certified.budget, certified.at_most, certified.met) == (94340787698226131921, 15, False)
    chance = next_chance(three.standing(43), TARGET, DOUBT)
    assert chance == 2241886081469749831

    four = books.drawn_again(three, chance, alike(seats(3, first=6), 0, Fate.NOT_RESPONSIVE))
    assert (four.hits, four.credit, len(four.exposures)) == (1, 18051801775101479983, 22)
    assert set(four.exposures.values()) == {8576435245293284721}
    certified = certify(four.standing(43), TARGET, DOUBT)
    assert (certified.at_most, certified.met) == (10, True)


def test_a_document_that_is_not_drawn_is_withheld_and_exposed_once() -> None:
    assert checked(MISSED, Fate.HIDDEN) == Books(exposures={Seat(1, 1): cost(TAU)})


def test_a_coin_at_the_threshold_does_not_draw() -> None:
    assert checked(TAU, Fate.HIDDEN).exposures
    assert checked(TAU - 1, Fate.RESPONSIVE).hits == 1


def test_a_hit_counts_and_its_time_on_test_is_that_of_its_own_coin() -> None:
    assert checked(7, Fate.RESPONSIVE) == Books(hits=1, credit=cost(7))


def test_a_drawn_document_that_is_not_responsive_brings_nothing() -> None:
    assert checked(DRAWN, Fate.NOT_RESPONSIVE) == EMPTY


def test_a_hit_that_was_claimed_beforehand_counts_but_brings_no_credit() -> None:
    assert checked(DRAWN, Fate.RESPONSIVE, beforehand=True) == Books(hits=1)


def test_what_bob_did_not_read_counts_as_a_hit_without_credit() -> None:
    assert checked(DRAWN, Fate.UNREAD) == Books(hits=1)


def test_what_is_claimed_late_and_upheld_counts_as_a_hit_without_credit() -> None:
    assert checked(DRAWN, Fate.UPHELD, late=True) == Books(hits=1)


def test_what_is_claimed_beforehand_and_upheld_is_left_out() -> None:
    assert checked(DRAWN, Fate.UPHELD, beforehand=True) == EMPTY


def test_a_document_that_was_shown_although_no_coin_drew_it_has_stood_the_whole_test() -> None:
    assert checked(MISSED, Fate.RESPONSIVE, late=True) == Books(credit=cost(TAU))


@pytest.mark.parametrize("fate", [Fate.NOT_RESPONSIVE, Fate.UNREAD, Fate.UPHELD])
def test_a_late_claim_of_a_document_that_no_coin_drew_brings_neither_hit_nor_credit(fate: Fate) -> None:
    assert checked(MISSED, fate, late=True) == EMPTY


def test_a_further_draw_adds_to_what_a_document_was_exposed_to() -> None:
    one = checked(MISSED, Fate.HIDDEN)
    assert books.drawn_again(one, 100, {}).exposures == {Seat(1, 1): cost(TAU) + cost(100)}
    hit = books.drawn_again(one, 100, alike(seats(1), 99, Fate.RESPONSIVE))
    assert hit == Books(hits=1, credit=cost(TAU) + cost(99))


@pytest.mark.parametrize(
    ("fate", "flags", "hits"),
    [
        (Fate.UNREAD, {}, 1),
        (Fate.UPHELD, {"late": True}, 1),
        (Fate.UPHELD, {"beforehand": True}, 0),
        (Fate.UPHELD, {"beforehand": True, "late": True}, 1),
        (Fate.NOT_RESPONSIVE, {}, 0),
        (Fate.RESPONSIVE, {"beforehand": True}, 1),
    ],
)
def test_in_a_further_draw_only_a_hit_that_was_not_claimed_beforehand_brings_credit(
    fate: Fate, flags: dict[str, bool], hits: int
) -> None:
    one = checked(MISSED, Fate.HIDDEN)
    assert books.drawn_again(one, 100, alike(seats(1), 5, fate, **flags)) == Books(hits=hits)


def test_what_is_shown_in_a_further_draw_although_no_coin_drew_it_brings_its_time_on_test() -> None:
    one = checked(MISSED, Fate.HIDDEN)
    shown = books.drawn_again(one, 100, alike(seats(1), 100, Fate.RESPONSIVE, late=True))
    assert shown == Books(credit=cost(TAU) + cost(100))


def test_a_draw_that_takes_everything_leaves_nothing_withheld() -> None:
    one = books.checked(EMPTY, TAU, alike(seats(3), MISSED, Fate.HIDDEN))
    assert not books.drawn_again(one, ONE, alike(seats(3), ONE - 1, Fate.NOT_RESPONSIVE)).exposures


def test_without_a_draw_documents_leave_and_nobody_gets_credit() -> None:
    one = books.checked(EMPTY, TAU, alike(seats(2), MISSED, Fate.HIDDEN))
    gone = books.drawn_again(one, None, alike(seats(1), 0, Fate.RESPONSIVE, late=True))
    assert gone == Books(exposures={Seat(1, 2): cost(TAU)})


def test_documents_that_are_given_up_bring_their_exposure_and_no_hit() -> None:
    one = checked(MISSED, Fate.HIDDEN)
    assert books.given_up(one, alike(seats(1), 0, Fate.RESPONSIVE)) == Books(credit=cost(TAU))


@pytest.mark.parametrize(
    ("fate", "flags"),
    [
        (Fate.NOT_RESPONSIVE, {}),
        (Fate.UNREAD, {}),
        (Fate.UPHELD, {"beforehand": True}),
        (Fate.UPHELD, {"late": True}),
        (Fate.RESPONSIVE, {"beforehand": True}),
    ],
)
def test_what_is_given_up_for_nothing_brings_no_credit(fate: Fate, flags: dict[str, bool]) -> None:
    one = checked(MISSED, Fate.HIDDEN)
    assert books.given_up(one, alike(seats(1), 0, fate, **flags)) == EMPTY


def test_the_books_keep_the_order_of_review() -> None:
    hidden = Case(coin=MISSED, fate=Fate.HIDDEN)
    first = books.checked(EMPTY, TAU, {Seat(2, 4): hidden, Seat(2, 5): hidden})
    both = books.checked(first, TAU, {Seat(3, 1): hidden})
    again = books.drawn_again(both, TAU, {Seat(3, 1): hidden, Seat(2, 4): hidden})
    assert list(both.exposures) == list(again.exposures) == [Seat(2, 4), Seat(2, 5), Seat(3, 1)]


def together(*cases: Case) -> Books:
    """A batch whose first hit brings the whole of it."""
    return books.checked_as_one(EMPTY, TAU, dict(zip(seats(len(cases)), cases, strict=True)))


def test_where_a_hit_brings_the_batch_there_is_one_hit_and_all_have_its_time_on_test() -> None:
    found = together(
        Case(coin=9, fate=Fate.RESPONSIVE), Case(coin=7, fate=Fate.RESPONSIVE), Case(coin=ONE - 1, fate=Fate.RESPONSIVE)
    )
    assert found == Books(hits=1, credit=3 * cost(7))


def test_a_claim_beforehand_can_be_the_hit_that_brings_the_batch_but_has_no_credit() -> None:
    found = together(Case(coin=7, fate=Fate.RESPONSIVE, beforehand=True), Case(coin=MISSED, fate=Fate.RESPONSIVE))
    assert found == Books(hits=1, credit=cost(7))


@pytest.mark.parametrize("spoilt", [Case(coin=DRAWN, fate=Fate.UNREAD), Case(coin=DRAWN, fate=Fate.UPHELD, late=True)])
def test_a_batch_in_which_nobody_can_tell_whether_there_was_a_hit_counts_one_and_exposes_nothing(spoilt: Case) -> None:
    found = together(spoilt, Case(coin=3, fate=Fate.RESPONSIVE), Case(coin=MISSED, fate=Fate.HIDDEN))
    assert found == Books(hits=1, exposures={Seat(1, 3): 0})


def test_a_batch_without_a_hit_is_booked_like_any_other() -> None:
    cases = (Case(coin=MISSED, fate=Fate.HIDDEN), Case(coin=MISSED, fate=Fate.RESPONSIVE, late=True))
    assert together(*cases) == Books(credit=cost(TAU), exposures={Seat(1, 1): cost(TAU)})
    assert together(Case(coin=DRAWN, fate=Fate.UPHELD, beforehand=True)) == EMPTY


FATES = st.sampled_from([fate for fate in Fate if fate is not Fate.HIDDEN])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    coin = draw(st.integers(0, ONE - 1))
    fate = draw(FATES) if coin < TAU else draw(st.sampled_from(Fate))
    return Case(coin=coin, fate=fate, beforehand=draw(st.booleans()), late=draw(st.booleans()))


@given(st.lists(cases(), max_size=12), st.booleans())
def test_credit_and_exposures_never_exceed_the_time_on_test_and_no_hit_is_missed(
    found: list[Case],
    whole: bool,  # noqa: FBT001
) -> None:
    keep = books.checked_as_one if whole else books.checked
    kept = keep(EMPTY, TAU, dict(zip(seats(len(found)), found, strict=True)))
    responsive = [case for case in found if case.fate is Fate.RESPONSIVE]
    hits = [case.coin for case in responsive if case.coin < TAU]
    stopped = min(hits, default=TAU) if whole else TAU
    assert kept.credit <= sum(cost(min(case.coin, stopped)) for case in responsive)
    assert kept.hits >= (min(1, len(hits)) if whole else len(hits))
    assert set(kept.exposures) == {
        seat for seat, case in zip(seats(len(found)), found, strict=True) if case.fate is Fate.HIDDEN
    }
    assert all(exposure <= cost(TAU) for exposure in kept.exposures.values())
