"""What the public is told of a matter whose labels and claims are sealed in its copy: nothing that the copy does not
show, and what Trent states as what he states.
"""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from tests.vectors import FOLDER
from tests.verifier.test_report import words
from verifier import proven, values
from verifier.checks import Check
from verifier.explain import explain
from verifier.kept import Kept, in_all, in_round
from verifier.position import explain as explain_position
from verifier.report import About, page
from verifier.report.privilege import privilege
from verifier.report.rounds import by_round
from verifier.report.strips import Mark, marks
from verifier.summary import summary
from verifier.verdict import Outcome, Verdict
from verifier.verification import verify
from verifier.words import not_told_apart

TRANSCRIPTS = FOLDER / "transcripts"


@pytest.fixture(scope="module")
def public() -> Verdict:
    """A matter with sensitive classes, in the public's copy."""
    return verify(TRANSCRIPTS / "valid-classed-public.jsonl.gz", detailed=True)


@pytest.fixture(scope="module")
def court() -> Verdict:
    """The same matter in the court's copy, which shows all."""
    return verify(TRANSCRIPTS / "valid-classed-court.jsonl.gz", detailed=True)


def flat(text: str) -> str:
    return unescape(" ".join(text.split()))


def html_of(verdict: Verdict) -> str:
    return words(page(verdict, About(file="public.jsonl")))


def rows(html: str) -> dict[str, str]:
    """Each row of a table, by its first cell."""
    cells = (re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in re.findall(r"<tr>.*?</tr>", html))
    return {flat(words(first)): flat(words(" | ".join(rest))) for first, *rest in filter(None, cells)}


def test_what_the_court_kept_is_told_apart_only_as_trent_states_it(public: Verdict, court: Verdict) -> None:
    assert court.claims is not None
    assert (court.claims.privileged, court.claims.in_camera) == (4, 6)
    assert in_all(public) == Kept(privileged=4, in_camera=6, stated=True)
    assert in_all(court) == Kept(privileged=4, in_camera=6)
    for one, other in zip(public.rounds, court.rounds, strict=True):
        assert replace(in_round(public, one), stated=False) == in_round(court, other)
    said = "4 as privileged and 6 as not responsive, as Trent states"
    for told in (html_of(public), flat(summary(public)), flat(explain(public))):
        assert f"he court kept 10 documents from Bob in camera: {said}" in told
        assert "10 documents withheld as privileged" not in told
        assert "10 withheld as privileged" not in told
    assert "as Trent states" not in html_of(court)
    assert "4 documents withheld as privileged" in html_of(court)


def test_nobody_says_how_many_are_privileged_before_the_claims(public: Verdict) -> None:
    unstated = replace(public, stated=None)
    assert in_all(unstated) == Kept(privileged=0, in_camera=0, unknown=10)
    told = html_of(unstated)
    assert "he court kept 10 documents from Bob in camera, as privileged or as not responsive" in told
    assert not re.search("[0-9] (documents )?withheld as privileged", told)
    assert "Privileged or in camera" in words(by_round(unstated))


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (Kept(privileged=3, in_camera=2), ""),
        (
            Kept(privileged=3, in_camera=2, unknown=1),
            "the court kept 6 documents from Bob in camera: 3 as privileged, 2 as not responsive, and 1 as one or the "
            "other; this copy does not show which",
        ),
        (
            Kept(privileged=0, in_camera=0, unknown=1),
            "the court kept 1 document from Bob in camera, as privileged or as not responsive; this copy does not show "
            "which",
        ),
    ],
)
def test_what_is_not_told_apart_is_said_to_be(kept: Kept, said: str) -> None:
    assert not_told_apart(kept) == said


def test_scripts_get_no_number_that_the_copy_does_not_show(public: Verdict, court: Verdict) -> None:
    told = json.loads(values.written(values.verdict_value(public)))
    assert told["claims"]["privileged"] is None
    assert told["claims"]["in_camera"] is None
    assert [each["privileged"] for each in told["rounds"]] == [0, None, None, None, None, 0, None, None]
    assert "10 documents" not in told["certificates"]["reviewed"]["does_not_cover"]
    assert values.verdict_value(court)["claims"]["privileged"] == 4


def test_a_document_that_went_to_bob_is_not_called_withheld(public: Verdict, court: Verdict) -> None:
    told, known = rows(privilege(public)), rows(privilege(court))
    shown = {
        f"{each.number} / {position}": position in {at for wave in each.waves for at in wave}
        for each in public.details
        for position in each.camera_in
    }
    assert len(shown) == 14
    assert set(shown) <= set(told)
    for place, went in shown.items():
        assert ("goes to Bob" in told[place]) is went is ("goes to Bob" in known[place])
        assert ("kept from Bob" in told[place]) is not went
        assert "this copy does not show which" in told[place]
    assert shown["2 / 3"]
    assert shown["8 / 3"]
    caption = flat(words(privilege(public)))
    assert "14 documents read by the court, as privileged or of a class" in caption
    assert "it kept 10 from him, and 4 went to him" in html_of(public)


def test_a_strip_does_not_say_why_the_court_kept_a_document(public: Verdict, court: Verdict) -> None:
    for one, other in zip(public.details, court.details, strict=True):
        kept = {position for position, mark in marks(one).items() if mark is Mark.KEPT}
        assert kept == {
            position for position, mark in marks(other).items() if mark in (Mark.PRIVILEGED, Mark.IN_CAMERA)
        }
    assert "kept by the court, reason sealed" in html_of(public)


@pytest.mark.parametrize(
    ("place", "said"),
    [((2, 2), "and kept it from Bob"), ((2, 3), "and let it go to Bob"), ((8, 3), "let it go to Bob")],
)
def test_one_position_is_told_alike(public: Verdict, place: tuple[int, int], said: str) -> None:
    told = flat(explain_position(public, *place))
    assert said in told
    assert "This copy does not show if it was asked about privilege" in told
    assert "overruled" not in told
    assert "upheld" not in told


@pytest.mark.parametrize("name", ["valid-classed-public", "valid-validated-public"])
def test_why_the_review_ended_is_what_trent_states_where_labels_are_sealed(name: str) -> None:
    verdict = verify(TRANSCRIPTS / f"{name}.jsonl.gz", detailed=True)
    assert verdict.stated is not None
    assert verdict.stated.ended == "validation"
    assert verdict.result(Check.STOPPING).outcome is Outcome.NOT_CHECKED
    for told in (html_of(verdict), flat(summary(verdict))):
        assert "a validation reached its target, as Trent states; this copy cannot check that" in told
        assert "all rounds that the parties agreed on were held" not in told
    assert values.verdict_value(verdict)["ended"] is None
    assert proven.ended(replace(verdict, stated=None)) == ""


def test_why_the_review_ended_needs_no_statement_where_the_copy_shows_it(court: Verdict) -> None:
    assert proven.ended(court) == "a validation reached its target"
    assert values.verdict_value(court)["ended"] == "validation"
    sealed = verify(TRANSCRIPTS / "valid-label-public.jsonl", detailed=True)  # no validation: it rests on no label
    assert proven.ended(sealed) == "all rounds that the parties agreed on were held"
