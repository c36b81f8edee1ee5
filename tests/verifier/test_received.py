"""What was received, in words, as a value and as a picture; and what a document is, with its fields and parts."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.support.busy_verdict import busy, round_of
from tests.vectors import FOLDER
from tests.verifier.hand_made import DOCUMENTS, part, proof
from tests.verifier.test_report import HOSTILE, check_outline, words
from verifier import described, received
from verifier.checks import Check
from verifier.explain import explain
from verifier.naming import Telling
from verifier.proven import certificates
from verifier.record.parts import Part, read_proof
from verifier.replay.commitment import Account, CorpusCommitment, Unit
from verifier.report import About, page
from verifier.report.received import what_was_received
from verifier.summary import summary
from verifier.values import verdict_value, written
from verifier.verdict import Answer, CheckResult, Outcome, Verdict
from verifier.verification import verify

NUMBERS: dict[str, Any] = {
    "containers": 0,
    "custodians": 0,
    "duplicates": 0,
    "entered": 8,
    "exceptions": 0,
    "families": 8,
    "first": "",
    "items": 8,
    "last": "",
    "list": bytes(32),
    "parts": 8,
    "protections": (),
    "reasons": {},
    "unread": 0,
}


def corpus(unit: Unit = Unit.FAMILY, documents: int = 8, **changed: Any) -> CorpusCommitment:
    return CorpusCommitment(account=Account(**NUMBERS | changed), documents=documents, root=bytes(32), unit=unit)


def with_corpus(verdict: Verdict, commitment: CorpusCommitment) -> Verdict:
    assert verdict.opened is not None
    return replace(verdict, opened=replace(verdict.opened, corpus=commitment))


def with_outcome(verdict: Verdict, outcome: Outcome, reason: str = "") -> Verdict:
    changed = CheckResult(check=Check.ACCOUNT, outcome=outcome, items=8, reason=reason)
    return replace(verdict, checks=tuple(changed if each.check is Check.ACCOUNT else each for each in verdict.checks))


SENTENCES = {
    "Of 8 items received, 8 families entered as 8 documents with 8 parts.": corpus(),
    "Of 12 items received, 2 were containers that were opened, 1 could not enter (encrypted: 1), 1 was a duplicate and "
    "8 families entered as 8 documents with 11 parts, 1 of them without text.": corpus(
        items=12, containers=2, exceptions=1, reasons={"encrypted": 1}, duplicates=1, families=9, parts=11, unread=1
    ),
    "Of 3 items received, 1 was a container that was opened, 2 could not enter (damaged: 1, encrypted: 1) and "
    "1 family entered as 1 document with 1 part.": corpus(
        documents=1, items=3, containers=1, exceptions=2, reasons={"encrypted": 1, "damaged": 1}, entered=1, parts=1
    ),
    "Of 8 items received, 3 were duplicates and 5 families entered, each part as a document of its own: 9 documents, "
    "2 of them without text.": corpus(Unit.DOCUMENT, 9, duplicates=3, entered=5, parts=9, unread=2),
}


@pytest.mark.parametrize(("sentence", "commitment"), SENTENCES.items())
def test_the_account_is_told_in_a_sentence(sentence: str, commitment: CorpusCommitment) -> None:
    assert received.told(commitment)[0] == sentence


def test_reasons_come_from_the_commonest_and_most_are_counted() -> None:
    reasons = {"a": 1, "b": 5, "c": 2, "d": 2, "e": 2, "f": 1, "g": 1}
    told = received.told(corpus(items=22, exceptions=14, reasons=reasons))[0]
    assert "14 could not enter (b: 5, c: 2, d: 2, e: 2, a: 1, other reasons: 2)" in told


def test_custodians_and_dates_are_told_where_there_are_any() -> None:
    assert len(received.told(corpus())) == 1
    both = corpus(custodians=3, first="2001-01-03", last="2001-12-05")
    assert received.told(both)[1] == "The parts name 3 custodians and are dated from 2001-01-03 to 2001-12-05."
    assert received.told(corpus(custodians=1))[1] == "The parts name 1 custodian."


def test_who_says_so_and_how_far_it_was_checked_is_told() -> None:
    verdict = busy()
    assert "counted again from the list" in received.checked(with_outcome(verdict, Outcome.PASS))
    assert "FALSE" in received.checked(with_outcome(verdict, Outcome.FAIL))
    left = received.checked(with_outcome(verdict, Outcome.NOT_CHECKED, "needs the corpus"))
    assert left == "Trent states this, and signed it. V30 was not checked in full: needs the corpus."


@pytest.mark.parametrize("tell", [summary, explain])
def test_the_account_stands_before_the_checks_with_what_it_does_not_prove(tell: Any) -> None:
    told = " ".join(tell(busy()).split())
    assert "What was received: Of " in told
    assert received.NEVER_RECEIVED in told
    assert told.index("What was received") < told.index("V01")


@pytest.mark.parametrize("tell", [summary, explain])
def test_without_an_opening_nothing_is_told_of_an_account(tell: Any) -> None:
    assert "What was received" not in tell(replace(busy(), opened=None, rounds=(), claims=None, details=()))


def test_an_undecided_verdict_tells_no_account() -> None:
    verdict = busy()
    left = tuple(replace(each, outcome=Outcome.NOT_CHECKED, reason="damaged") for each in verdict.checks)
    assert received.block(replace(verdict, answer=Answer.UNDECIDED, trouble="damage", checks=left), Telling(None)) == ""


def test_scripts_get_every_number_of_the_account() -> None:
    found = json.loads(written(verdict_value(with_corpus(busy(), corpus(reasons={"x": 3})))))["account"]
    assert found.keys() == NUMBERS.keys() | {"documents", "unit", "said"}
    assert (found["items"], found["unit"], found["list"], found["reasons"]) == (8, "family", "00" * 32, {"x": 3})
    assert verdict_value(replace(busy(), opened=None))["account"] is None


# The page


def test_the_page_has_a_bar_with_a_piece_for_each_outcome() -> None:
    verdict = with_corpus(
        busy(), corpus(items=1003, containers=1, exceptions=1, reasons={"x": 1}, duplicates=1, entered=1000)
    )
    html = what_was_received(verdict)
    widths = [float(each) for each in re.findall(r'width="([0-9.]+)" height="46"', html)]
    assert len(widths) == 4
    assert min(widths) > 3  # also what is one in a thousand can be seen
    assert sum(widths) == pytest.approx(472, abs=0.3)
    assert "<title>1003 items received: 1000 entered; 1 duplicate; 1 exception; 1 container</title>" in html
    for meaning in ("1000 entered", "1 duplicate:", "1 exception:", "1 container:"):
        assert meaning in words(html)


def test_each_reason_has_a_bar_as_long_as_its_share() -> None:
    reasons = {"encrypted": 100, "damaged": 50, "needs tool": 1}
    html = what_was_received(with_corpus(busy(), corpus(items=159, exceptions=151, reasons=reasons)))
    assert [float(each) for each in re.findall(r'width="([0-9.]+)" height="14"', html)] == [200, 101.5, 5.0]
    assert words(html).index("encrypted 100") < words(html).index("damaged 50") < words(html).index("needs tool 1")


def test_an_outcome_that_nothing_has_is_not_drawn() -> None:
    html = what_was_received(with_corpus(busy(), corpus()))
    assert html.count('height="46"') == 1
    assert "containers:" not in words(html)


def test_an_account_of_nothing_has_no_bar() -> None:
    html = what_was_received(with_corpus(busy(), corpus(items=0, entered=0, families=0)))
    assert "<svg" not in html


def test_the_page_without_an_opening_says_so() -> None:
    assert "could not be read" in what_was_received(replace(busy(), opened=None))


def test_the_page_is_sound_whatever_the_account_says() -> None:
    reasons = {f"{HOSTILE}{number}": 1 for number in range(500)}
    many = corpus(items=508, exceptions=500, reasons=reasons, protections=(HOSTILE,) * 500, first=HOSTILE, last=HOSTILE)
    html = page(with_corpus(busy(), many), About(file="x"))
    check_outline(html)
    assert "<script>" not in html
    assert len(html) < 1_500_000


def test_the_page_tells_the_account_near_its_front() -> None:
    html = page(busy(), About(file="x"))
    assert html.index("Received") < html.index('id="received"') < html.index('id="words"') < html.index('id="checks"')


# What a document is


def parts(number: int, *withheld: int) -> tuple[Part, ...]:
    return read_proof(proof(DOCUMENTS, number, *withheld)).parts


def test_a_part_is_told_with_its_fields() -> None:
    (shown,) = described.parts(parts(2))
    assert shown.name == "scan.pdf"
    assert shown.fields == {
        "From": "ann",
        "To": "bob, cy",
        "Date": "14 May 2001",
        "Subject": "gas",
        "Custodians": "Ann, Bo",
        "Type": "mail",
        "Pages": "3",
        "Path": "box/scan.pdf",
    }


def test_what_is_not_known_is_left_out() -> None:
    bare = part(
        "x", log=dict.fromkeys(("author", "date", "recipients", "type"), ""), rest={"custodians": [], "paths": []}
    )
    (shown,) = described.parts(read_proof(proof([[bare]], 0)).parts)
    assert shown.fields == {"Subject": "gas"}


def test_parts_form_a_tree() -> None:
    assert [(each.number, each.depth, each.name) for each in described.parts(parts(3))] == [
        (0, 0, "mail-3"),
        (1, 1, "box.zip"),
        (2, 2, "b.txt"),
        (3, 1, "c.txt"),
    ]


def test_of_a_withheld_part_only_the_log_is_told() -> None:
    shown = described.parts(parts(3, 1))[1]
    assert (shown.withheld, shown.name) == (True, "")
    assert shown.fields == {"From": "ann", "To": "bob, cy", "Type": "mail"}
    told = list(described.lines(parts(3, 1)))
    assert told[1] == "  Part 1: withheld (From: ann; To: bob, cy; Type: mail)"
    assert "box.zip" not in " ".join(told)


def test_a_document_with_very_many_parts_is_told_in_few_lines() -> None:
    many = [[part(str(place), parent=place - 1 if place else None) for place in range(300)]]
    told = list(described.lines(read_proof(proof(many, 0)).parts))
    assert len(told) == described.MOST_PARTS + 1
    assert told[-1] == "and 250 more parts"


def test_long_and_broken_words_of_strangers_stay_in_one_line() -> None:
    odd = part("a\nb" * 500, log={"author": "x\n\n  y\r\n" * 500})
    for line in described.lines(read_proof(proof([[odd]], 0)).parts):
        assert "\n" not in line
        assert len(line) < 1200


def ruled(*documents: tuple[int, tuple[Part, ...]], **changed: Any) -> Verdict:
    detail = round_of(1, documents=dict(documents), **changed)
    return replace(busy(), details=(detail,))


def test_the_page_shows_a_disputed_document_with_its_fields() -> None:
    shown = words(page(ruled((6, parts(2))), About(file="x")))
    assert "From: ann · To: bob, cy · Date: 14 May 2001 · Subject: gas" in re.sub(r"\s+", " ", shown)


def test_the_page_shows_the_parts_of_a_disputed_document() -> None:
    html = page(ruled((6, parts(3, 3))), About(file="x"))
    check_outline(html)
    shown = words(html)
    for expected in ("part 0: mail-3", "– part 1: box.zip", "– – part 2: b.txt", "– part 3: withheld"):  # noqa: RUF001
        assert expected in shown
    assert "c.txt" not in shown


def test_the_page_shows_a_claimed_document_with_its_fields() -> None:
    verdict = ruled((5, parts(2)), claims={5: "advice"}, camera_in={5: 6}, privileged=(5,))
    section = page(verdict, About(file="x")).partition('id="privilege"')[2]
    assert "14 May 2001" in section


def test_the_page_is_sound_whatever_a_document_says() -> None:
    odd = part(HOSTILE, log={"author": HOSTILE, "date": HOSTILE}, rest={"fields": {"subject": HOSTILE, "cc": HOSTILE}})
    html = page(ruled((6, read_proof(proof([[odd, part(HOSTILE, parent=0)]], 0)).parts)), About(file="x"))
    check_outline(html)
    assert "<script>" not in html


@pytest.mark.parametrize(
    ("audience", "said"),
    [
        ("bob", "the 20 documents of the collection have 60 parts, and the 9 documents that Bob was shown have 27."),
        ("public", "the 20 documents of the collection have 60 parts."),
    ],
)
def test_certificates_count_families_and_state_their_parts(audience: str, said: str) -> None:
    verdict = verify(FOLDER / f"transcripts/valid-parted-{audience}.jsonl.gz")
    assert any(each.endswith(said) and "count families" in each for each in certificates(verdict))


def test_where_a_document_is_one_file_nothing_is_said_about_families() -> None:
    verdict = verify(FOLDER / "transcripts/valid-label-bob.jsonl")
    assert not any("families" in each for each in certificates(verdict))
