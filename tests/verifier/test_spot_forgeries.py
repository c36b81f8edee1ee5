"""What only a holder of several keys could sign, in matters with spot checks, validations and classes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import entries
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.run import Run
from tests.support import corpora
from tests.support.builders import KEYS
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.forged import Forgery, forge
from tests.support.forging.mutations import Lines
from tests.support.forging.running import cut, plan, play
from tests.support.forging.spotcheck import COURSES
from tests.support.forging.spotforged import SPOT_FORGERIES
from tests.support.genuine import with_same_keys
from tests.support.matters import refusal, resigned, run_until
from tests.vectors.agreed import AGREED
from verifier.verdict import Answer, Verdict

pytestmark = pytest.mark.slow

Copies = dict[str, dict[Audience, Lines]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.doubled(tmp_path_factory.mktemp("corpus") / "few", documents=20, responsive=8)


@pytest.fixture(scope="module")
def copies(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies of each course that a forgery departs from, under the keys of the tests."""
    return {
        name: _copies(corpus, tmp_path_factory.mktemp(name), name)
        for name in sorted({each.base for each in SPOT_FORGERIES.values()})
    }


def _copies(corpus: Corpus, folder: Path, name: str) -> dict[Audience, Lines]:
    course = COURSES[name]
    agreed = AGREED | dict(course.terms)
    played = with_same_keys(plan(corpus, players=dict(course.players), protocol=course.protocol, **agreed))
    play(corpus, played, folder / "matter", course=course.run)
    return {
        audience: cut(folder / "matter", played, audience, folder / "copy.jsonl").read_bytes().splitlines()
        for audience in EVERYBODY
    }


def test_a_forger_who_changes_nothing_gets_verified_copies(copies: Copies, judge: Callable[..., Verdict]) -> None:
    nothing = Forgery(comment="", check="", spoil=lambda _: None)
    for name, found in copies.items():
        for audience, lines in found.items():
            assert judge(forge(lines, dict(KEYS), nothing)).answer is Answer.VERIFIED, (name, audience)


@pytest.mark.parametrize("name", SPOT_FORGERIES)
def test_a_forgery_is_found_by_its_check_and_blames_who_signed_it(
    copies: Copies, judge: Callable[..., Verdict], name: str
) -> None:
    found = SPOT_FORGERIES[name]
    for audience in found.found_in:
        verdict = judge(forge(copies[found.base][audience], dict(KEYS), found.forgery))
        assert verdict.answer is Answer.REJECTED, (audience, verdict.trouble)
        blames = [(each.check, each.party) for each in verdict.findings]
        assert blames == [(found.forgery.check, found.forgery.who)], audience


def test_no_look_is_accepted_once_the_coins_are_fixed(corpus: Corpus, tmp_path: Path) -> None:
    """Alice cannot give up just what she sees drawn: the draw answers her look, and she looks only once."""
    course = COURSES["escalated"]
    played = plan(corpus, players=dict(course.players), protocol=course.protocol, **(AGREED | dict(course.terms)))
    with Run(corpus, played, tmp_path / "matter") as run:
        first = run_until(run, Role.ALICE, "look")
        later = resigned(run, first, content=first.signed.statement.content | {"positions": [1, 2]})
        for _ in range(2):  # her look, and then Bob's link
            run.step()
            assert run.state.drawing is not None
            assert run.state.drawing.answered == entries.hash_words(first.signed.statement)
            with refusal(run, "Alice has answered this question already"):
                run.desk.accept(later)
        assert run.state.drawing is not None
        assert Role.BOB in run.state.drawing.links
