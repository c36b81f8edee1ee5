"""One is singular: in the report, in the verdict for a terminal, and in what a finding expects."""

import re
from pathlib import Path

import pytest

from tests.support.busy_verdict import busy
from tests.vectors import FOLDER
from tests.verifier.test_report import words
from tests.verifier.test_report_public import flat, html_of
from verifier.checks import DEFINITIONS
from verifier.explain import explain
from verifier.plural import be, count, counted, have, more, were
from verifier.report import About, page
from verifier.summary import summary
from verifier.verification import verify

_NOUNS = (
    "answers|batches|checks|claims|containers|disputes|documents|draws|duplicates|entries|errors|exceptions|families|"
    "hits|items|labels|links|looks|numbers|orders|parts|passes|requests|rounds|rulings|signatures|values"
)
_SEVERAL = rf"\b1 (?!of )(?:[a-z-]+ ){{0,2}}?(?:{_NOUNS})\b"
_VERBS = r"\b1 (?:document |of the reviewed |of the former |more )?(?:that )?(?:are|were|have)\b"
_WRONG = re.compile(rf"(?<![0-9.,/–-])(?:{_SEVERAL}|{_VERBS})")  # noqa: RUF001


def wrong_plurals(told: str) -> list[str]:
    """Where a text says 1 of something as if it were several."""
    return [found[0] for found in _WRONG.finditer(told)]


def _copies() -> list[Path]:
    return sorted((FOLDER / "transcripts").glob("valid-*"))


@pytest.mark.parametrize("path", _copies(), ids=lambda path: path.name.partition(".")[0])
def test_one_thing_is_never_told_as_several(path: Path) -> None:
    verdict = verify(path, detailed=True)
    shown = re.sub(r"<text .*?</text>", "", page(verdict, About(file="copy.jsonl")))  # numbers beside an axis
    for told in (flat(words(shown)), flat(summary(verdict)), flat(explain(verdict))):
        assert wrong_plurals(told) == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("1 documents", True),
        ("1 second answers on record", True),
        ("1 are not responsive", True),
        ("1 document that are not responsive", True),
        ("1 rulings", True),
        ("11 rulings, 1 ruling, 0 documents are, 1 of 4 rounds, 10.1 documents", False),
    ],
)
def test_a_wrong_plural_is_noticed(said: str, *, wrong: bool) -> None:
    assert bool(wrong_plurals(said)) is wrong


def test_what_a_check_counts_has_a_singular() -> None:
    told = {each.counts: counted(1, each.counts) for each in DEFINITIONS.values()}
    assert told["entries"] == "1 entry"
    assert told["second answers on record"] == "1 second answer on record"
    assert told["stamps and proofs on record"] == "1 stamp or proof on record"
    for nouns, one in told.items():
        assert not re.search(r"s\b", one), one
        assert counted(2, nouns) == f"2 {nouns}"
        assert counted(0, nouns) == f"0 {nouns}"


def test_numbers_go_with_their_nouns_and_verbs() -> None:
    assert [count(number, "family") for number in (0, 1, 2)] == ["0 families", "1 family", "2 families"]
    assert [count(2, noun) for noun in ("batch", "pass", "document")] == ["2 batches", "2 passes", "2 documents"]
    for one, many, told in (("is", "are", be), ("was", "were", were), ("has", "have", have)):
        assert [told(number) for number in (0, 1, 2)] == [many, one, many]
    assert more(1) == "1 more is in the record"
    assert more(3) == "3 more are in the record"


def test_one_of_each_in_the_page_is_singular() -> None:
    shown = html_of(busy())  # what was received has one of each outcome, and one document entered twice
    for one in ("1 duplicate: a family", "1 exception: could not", "1 container: opened"):
        assert one in shown
