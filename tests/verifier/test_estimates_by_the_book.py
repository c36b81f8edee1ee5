"""The estimates of validations among the vectors, computed again by the definitions of docs/certificates.md alone,
with exact numbers and nothing else.
"""

import re
from dataclasses import astuple
from fractions import Fraction
from math import ceil, comb, gcd
from pathlib import Path

import pytest

from tests.vectors import FOLDER
from verifier import passes
from verifier.estimates import Count, Looked, Share, Stratum, estimates
from verifier.proven import about
from verifier.verification import verify

ONE = 2**64
Numbers = tuple[int, int, int]


def near(hits: int, chance: int) -> int:
    return (2 * hits * ONE + chance) // (2 * chance)


def _likely(number: int, hits: range, chance: int, doubt: Fraction) -> bool:
    """Whether so many of `number` documents are drawn with a probability above the doubt."""
    common = gcd(chance, ONE)
    some, every = chance // common, ONE // common
    drawn: int = sum(comb(number, each) * some**each * (every - some) ** (number - each) for each in hits)
    least: int = doubt.numerator * every**number
    return drawn * doubt.denominator > least


def low(hits: int, chance: int, doubt: Fraction) -> int:
    number = 0
    while not _likely(number, range(hits, number + 1), chance, doubt):
        number += 1
    return number


def high(hits: int, chance: int, doubt: Fraction) -> int:
    number = hits
    while _likely(number + 1, range(hits + 1), chance, doubt):
        number += 1
    return number


def fitted(count: Numbers, stratum: Numbers, unread: int) -> Numbers:
    (point, least, most), (documents, shown, hits) = count, stratum
    most = max(hits, min(most, documents - shown + hits + unread, documents))
    least = max(hits, min(least, most))
    return max(least, min(point, most)), least, most


def by_the_book(looked: Looked, doubt: Fraction) -> tuple[Numbers, Numbers, Numbers]:
    """The counts of both strata, and of both together."""
    unread = looked.unread
    of_never: Numbers = (looked.never.documents, looked.never.shown, looked.never.hits)
    of_withheld: Numbers = (looked.withheld.documents, looked.withheld.shown, looked.withheld.hits)

    def draw(hits: int, chance: int, beta: Fraction) -> Numbers:
        return near(hits, chance), low(hits, chance, beta / 2), high(hits + unread, chance, beta / 2)

    def together(one: Numbers, other: Numbers) -> Numbers:
        return one[0] + other[0], one[1] + other[1], one[2] + other[2]

    if looked.review is None or looked.show is None:
        both = together(of_never, of_withheld)
        never, withheld, all_of_it = (
            fitted(draw(each[2], looked.chance, doubt), each, unread) for each in (of_never, of_withheld, both)
        )
        return never, withheld, all_of_it
    review, show, reported = looked.review, looked.show, looked.reported
    by_both, others = review * show // ONE, of_never[2] - reported

    def in_never(beta: Fraction) -> Numbers:
        _, least, most = draw(others, show, beta / 2)
        ends = low(reported + least, review, beta / 4), high(reported + most, review, beta / 4)
        return fitted((near(reported, review) + near(others, by_both), *ends), of_never, unread)

    def in_withheld(beta: Fraction) -> Numbers:
        return fitted(draw(of_withheld[2], by_both, beta), of_withheld, unread)

    return in_never(doubt), in_withheld(doubt), together(in_never(doubt / 2), in_withheld(doubt / 2))


def check(looked: Looked, doubt: Fraction) -> None:
    never, withheld, (point, least, most) = by_the_book(looked, doubt)
    found, has = looked.found, looked.found + looked.never.hits + looked.withheld.hits
    told = estimates(looked, doubt)
    assert told.never == Count(point=never[0], least=never[1], most=never[2])
    assert told.withheld == Count(point=withheld[0], least=withheld[1], most=withheld[2])
    elusion = [Fraction(each, looked.never.documents) for each in never] if looked.never.documents else None
    assert told.elusion == (elusion and Share(point=elusion[0], least=elusion[1], most=elusion[2]))
    assert told.richness == Share(
        point=Fraction(found + point, looked.collection),
        least=Fraction(found + least, looked.collection),
        most=Fraction(found + most, looked.collection),
    )
    recall = (
        Share(
            point=Fraction(has, found + point),
            least=Fraction(has, found + most),
            most=Fraction(has, found + least) if found + least else Fraction(1),
        )
        if found + point
        else None
    )
    assert told.recall == recall


_COPIES = (
    "called-and-withheld",
    "called-bob",
    "eventful-one-stage-bob",
    "eventful-two-stages-bob",
    "unread-validation",
    "validated-bob",
    "viewed-bob",
)


@pytest.mark.parametrize("name", _COPIES)
def test_the_estimates_of_a_vector_are_those_of_the_definitions(name: str) -> None:
    verdict = verify(FOLDER / "transcripts" / f"valid-{name}.jsonl.gz", detailed=True)
    assert verdict.opened is not None
    doubt = Fraction(verdict.opened.terms.doubt)
    for each in passes.validations(verdict):
        if each.claim.total is None:
            assert each.estimates is None
            continue
        two, terms = each.terms.review is not None, each.terms
        looked = Looked(
            found=each.found,
            collection=verdict.opened.corpus.documents,
            never=Stratum(**_stratum(astuple(each.claim.never))),
            withheld=Stratum(**_stratum(astuple(each.claim.withheld))),
            unread=each.claim.unread,
            chance=each.chances.withheld,
            review=ceil(Fraction(terms.review or 0) * ONE) if two else None,
            show=ceil(Fraction(terms.show) * ONE) if two else None,
            reported=verdict.reported_hits[each.claim.number] if two else 0,
        )
        check(looked, doubt)
        assert each.estimates == estimates(looked, doubt)


def _stratum(told: tuple[int, ...]) -> dict[str, int]:
    documents, hits, shown = told
    return {"documents": documents, "hits": hits, "shown": shown}


@pytest.mark.parametrize("unread", [0, 2])
@pytest.mark.parametrize("reported", [0, 2, 5])
@pytest.mark.parametrize(("review", "show"), [("0.5", "0.5"), ("0.75", "0.25"), ("1", "0.5")])
def test_estimates_of_two_stages_are_those_of_the_definitions(
    review: str, show: str, reported: int, unread: int
) -> None:
    called, checked = (ceil(Fraction(each) * ONE) for each in (review, show))
    looked = Looked(
        found=9,
        collection=120,
        never=Stratum(documents=60, shown=15, hits=5),
        withheld=Stratum(documents=30, shown=6, hits=1),
        unread=unread,
        chance=called * checked // ONE,
        review=called,
        show=checked,
        reported=reported,
    )
    check(looked, Fraction(1, 10))


def test_the_worked_example_is_that_of_its_vector() -> None:
    verdict = verify(FOLDER / "transcripts" / "valid-called-bob.jsonl.gz", detailed=True)
    told = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text()
    first = passes.validations(verdict)[0].estimates
    assert first is not None
    assert f"| fitted | {astuple(first.never)} | {astuple(first.withheld)} | |" in told
    shares = [each for each in (first.elusion, first.richness, first.recall) if each is not None]
    due = [about(end) for each in shares for end in (each.point, each.least, each.most)]
    said = " ".join(told.partition("H = 11. ")[2].partition("\n\n")[0].split())
    assert re.findall("= ([0-9.]+ %)", said) == due
    assert len(due) == 9


def test_what_alice_claims_late_can_make_a_lower_end_too_large() -> None:
    """Of the withheld ten are responsive, no coin draws them, and she claims them late: the documented limit."""
    looked = Looked(
        found=20,
        collection=1000,
        never=Stratum(documents=800, shown=8, hits=0),
        withheld=Stratum(documents=180, shown=10, hits=10),
        unread=0,
        chance=ONE // 10,
        review=ONE // 5,
        show=ONE // 2,
    )
    assert estimates(looked, Fraction(1, 20)).withheld.least == 51
