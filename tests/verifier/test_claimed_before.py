"""What Alice claimed in a report is still claimed when a validation draws it: it goes to the court, and Bob gets the
basis from that report.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ledger.entries import Addition
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.exhibit import folder
from protocol.exhibit.exhibit import gather
from protocol.matter.asking import Answer as Said
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Sort
from protocol.rules.terms import ClassTerms, ValidationTerms
from protocol.simulation.parties import Alice, Court
from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, Spoil, forge, line_of, said_in
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.support.forging.running import Change, CheatingRun, cut, plan, play
from tests.support.forging.spotbending import forgetting_claims, until_its_close
from tests.support.genuine import with_same_keys
from tests.vectors import FOLDER
from verifier import exhibit
from verifier.checks import Check
from verifier.exhibit.story import courses
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow

Copies = dict[Audience, Lines]
Judge = Callable[..., Verdict]

SEEING = (Audience.ALICE, Audience.BOB, Audience.COURT)
"""Whose copies show Alice's labels in the end."""
INSIDERS = (Audience.ALICE, Audience.COURT)
"""Whose copies show all claims."""

BASIS = "Advice of counsel"
AGREED: dict[str, Any] = {
    "protocol": "spot-check",
    "rounds": 3,
    "batch": 8,
    "rate": "0.05",
    "target": "0.9",
    "every": 9,
}
AGREED |= {"limit": "0.5", "penalty": "none"}
OFTEN: dict[str, Any] = {"every": 1, "hits": None, "review": None, "show": "0.6", "target": "0.99"}
OFTEN |= {"window": 1, "least_yield": None}
CLASSES = ClassTerms(names=("responsive",), share="0.9")

MATTERS: dict[str, tuple[str, ClassTerms | None]] = {
    "bob looks": ("bob", None),
    "the court looks": ("court", None),
    "bob looks, with classes": ("bob", CLASSES),
    "the court looks, with classes": ("court", CLASSES),
}


class Claiming(CheatingRun):
    """Alice claims every other document that her reports call not responsive, and puts some of the rest into a class.

    The court upholds about half of the claims.
    """

    again = False  # whether she claims in a validation what she has claimed before

    def answer(self) -> Said:
        first = min(self.state.awaits)
        party, kind = self.parties[first], self.state.awaits[first].kind
        if isinstance(party, Alice) and kind == "report":
            return party.say(self._report(party.decide()))
        if isinstance(party, Alice) and kind == "claim" and self.again:
            return party.say(Decisions(claims=dict.fromkeys(self._claimed_before()[:1], "Work product")))
        if isinstance(party, Court) and kind == "privilege":
            return party.say(Decisions(upheld=_upheld(party)))
        return party.answer()

    def _report(self, decided: Decisions) -> Decisions:
        negative = [each for each, label in sorted((decided.labels or {}).items()) if not label]
        plain = [each for each in negative if each not in (decided.classes or {})]
        classes = None
        if self.state.terms.classes is not None:
            classes = dict.fromkeys(plain[1::4], "responsive") | dict(decided.classes or {})
        return Decisions(labels=decided.labels, classes=classes, claims=dict.fromkeys(plain[::2], BASIS))

    def _claimed_before(self) -> list[int]:
        return sorted(self.state.rounds[-1].privilege.claimed)


def _upheld(court: Court) -> dict[int, bool]:
    assert court.question is not None
    positions = court.question.statement.content["positions"]
    documents = dict(zip(positions, court.shelf.at(positions), strict=True))
    return {
        position: position % 2 == 0 if court.shelf.claimed_as_privileged(position) else not court.reads(document)
        for position, document in documents.items()
    }


class Again(Claiming):
    again = True


@cache
def _plan(viewer: str, classes: ClassTerms | None) -> Any:
    """The first matter in whose validations the court upholds and overrules what reports have claimed."""
    corpus = Corpus.open(FOLDER / "corpora" / "plain")
    agreed = AGREED | {"classes": classes, "validation": ValidationTerms(**(OFTEN | {"viewer": viewer}))}
    cast = {"alice": "careless:0.3", "bob": "truthful", "court": "right"}
    for seed in range(1, 100):
        planned = with_same_keys(plan(corpus, seed=str(seed), players=cast, **agreed))
        with TemporaryDirectory() as folder, Claiming(corpus, planned, Path(folder, "matter")) as run:
            run.run()
            held = [each.privilege for each in run.state.rounds if each.sort is Sort.VALIDATION]
            ruled = {log.upheld[at] for log in held for at in log.beforehand & log.upheld.keys()}
            seen = {at for log in held for at in log.classes} if classes else {0}
        if seen and ruled == {True, False} and run.state.rounds[1].privilege.upheld:
            return corpus, planned
    raise RuntimeError("no seed brings what the tests need")


def played(path: Path, name: str, course: type[CheatingRun] = Claiming, **cheat: Any) -> Copies:
    corpus, planned = _plan(*MATTERS[name])
    assert play(corpus, planned, path / "matter", course=course, **cheat) is bool(cheat)
    return {
        audience: cut(path / "matter", planned, audience, path / "copy.jsonl").read_bytes().splitlines()
        for audience in Audience
    }


@pytest.fixture(scope="module", params=MATTERS)
def copies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return played(tmp_path_factory.mktemp("claimed"), request.param)


@pytest.fixture(scope="module")
def bob_looks(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return played(tmp_path_factory.mktemp("bob"), "bob looks")


@pytest.fixture(scope="module")
def court_looks(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return played(tmp_path_factory.mktemp("court"), "the court looks")


def spoiled(lines: Lines, spoil: Spoil) -> Lines:
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=spoil))


def found_in(judge: Judge, lines: Lines) -> tuple[str, str]:
    verdict = judge(lines)
    assert verdict.answer is Answer.REJECTED, verdict.trouble
    (finding,) = verdict.findings
    return str(finding.check), str(finding.party)


def test_an_honest_matter_is_verified_by_everybody(copies: Copies, judge: Judge) -> None:
    verdicts = {audience: judge(copies[audience]) for audience in Audience}
    for audience, verdict in verdicts.items():
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings)
        due = Outcome.PASS if audience in SEEING else Outcome.NOT_CHECKED
        assert {verdict.result(each).outcome for each in (Check.VALIDATIONS, Check.CERTIFICATES)} == {due}, audience
    assert verdicts[Audience.ALICE].claims == verdicts[Audience.COURT].claims == verdicts[Audience.BOB].claims


def early_bases(forger: Forger, line: Any) -> list[Any]:
    """Of what a camera releases, the bases of claims in reports."""
    reports = {each["entry"]["body"]["sequence"] for each in forger.values if _is(each, "report")}
    return [each for each in line["entry"]["body"]["releases"] if each["entry"] in reports]


def _is(line: Any, kind: str) -> bool:
    return "entry" in line and said_in(line)["kind"] == kind


def camera_of_claims(forger: Forger) -> Any:
    """A camera of a validation that shows what was claimed in a report."""
    rounds = {said_in(each)["round"] for each in forger.values if _is(each, "validation")}
    cameras = [each for each in forger.values if _is(each, "camera") and said_in(each)["round"] in rounds]
    return next(each for each in cameras if early_bases(forger, each))


def test_the_matters_have_what_the_tests_need(copies: Copies) -> None:
    forger = Forger(copies[Audience.COURT], dict(KEYS))
    line = camera_of_claims(forger)
    indices = [index for each in early_bases(forger, line) for index in each["indices"]]
    assert len(indices) < len(said_in(line_of(forger, "validation"))["content"]["numbers"])


def test_a_basis_that_bob_does_not_get_is_trents_fault(copies: Copies, judge: Judge) -> None:
    def spoil(forger: Forger) -> None:
        line = camera_of_claims(forger)
        gone = early_bases(forger, line)[0]
        line["entry"]["body"]["releases"].remove(gone)

    for audience in INSIDERS:
        assert found_in(judge, spoiled(copies[audience], spoil)) == ("V25", "trent"), audience


def test_a_basis_too_many_is_trents_fault(court_looks: Copies, judge: Judge) -> None:
    """The court looks at a document that Alice does not claim, and Bob is told that she does not."""

    def spoil(forger: Forger) -> None:
        line = camera_of_claims(forger)
        release = early_bases(forger, line)[0]
        report = next(
            each for each in forger.values if "entry" in each and each["entry"]["body"]["sequence"] == release["entry"]
        )
        every = range(len(said_in(report)["sealed"]["privilege"]["commitments"]))
        release["indices"] = sorted({*release["indices"], next(i for i in every if i not in release["indices"])})

    for audience in INSIDERS:
        assert found_in(judge, spoiled(court_looks[audience], spoil)) == ("V25", "trent"), audience


def test_where_bob_looks_the_court_sees_only_what_was_claimed(bob_looks: Copies, judge: Judge) -> None:
    """The camera names a drawn document that no report claims, in place of one."""

    def spoil(forger: Forger) -> None:
        line = camera_of_claims(forger)
        shown = said_in(line)["content"]["positions"]
        held = next(
            each
            for each in forger.values
            if _is(each, "validation") and said_in(each)["round"] == said_in(line)["round"]
        )
        numbers = said_in(held)["content"]["numbers"]
        others = [each for each in range(1, len(numbers) + 1) if each not in shown]
        said_in(line)["content"]["positions"] = sorted([*shown[1:], others[0]])

    for audience in INSIDERS:
        assert found_in(judge, spoiled(bob_looks[audience], spoil)) == ("V25", "trent"), audience


@pytest.mark.parametrize("name", MATTERS)
def test_what_was_claimed_is_not_claimed_again(name: str, judge: Judge, tmp_path: Path) -> None:
    found = played(tmp_path, name, Again)
    for audience in INSIDERS:
        assert found_in(judge, found[audience]) == ("V25", "alice"), audience


def at_the_court(run: CheatingRun, addition: Addition) -> bool:
    """Whether an addition is a camera of a validation, with a claim of before."""
    is_camera = addition.statement.kind == "camera" and run.state.rounds[-1].sort is Sort.VALIDATION
    return is_camera and not run.cheated


def past_the_court() -> Change:
    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        return forgetting_claims(run, addition) if at_the_court(run, addition) else None

    return until_its_close(change)


@pytest.mark.parametrize("name", ["bob looks", "bob looks, with classes"])
def test_what_was_claimed_and_goes_to_bob_at_once_is_trents_fault(name: str, judge: Judge, tmp_path: Path) -> None:
    found = played(tmp_path, name, change=past_the_court())
    for audience in INSIDERS:
        assert found_in(judge, found[audience]) == ("V25", "trent"), audience


@pytest.mark.parametrize("name", MATTERS)
def test_the_exhibit_of_such_a_document_tells_what_became_of_the_claim(name: str, tmp_path: Path) -> None:
    corpus, planned = _plan(*MATTERS[name])
    play(corpus, planned, tmp_path / "matter", course=Claiming)
    copy = cut(tmp_path / "matter", planned, Audience.COURT, tmp_path / "court.jsonl")
    lines = Forger(copy.read_bytes().splitlines(), dict(KEYS)).values
    drawn = {said_in(each)["round"]: said_in(each)["content"]["numbers"] for each in lines if _is(each, "validation")}
    seen = set()
    for detail in verify(copy, detailed=True).details:
        claimed = detail.claims.keys() & detail.camera_in.keys() - detail.late if detail.number in drawn else set()
        for position in sorted(claimed):
            number = drawn[detail.number][position - 1]
            folder.write(
                gather(tmp_path / "matter", corpus, number, lambda _: KEYS[Role.TRENT]),
                corpus,
                out := tmp_path / str(number),
            )
            judged = exhibit.judge(out)
            assert not judged.findings, judged.trouble
            way = courses(judged)[-1]
            assert (way.round, way.position, way.basis) == (detail.number, position, detail.claims[position])
            assert way.court == detail.court.get(position)
            assert way.upheld == (None if position in detail.court else position in detail.privileged)
            seen.add((way.upheld, way.court))
    assert seen >= {(True, None), (False, None)}
    assert any(court is not None for _, court in seen) is (MATTERS[name][1] is not None)
