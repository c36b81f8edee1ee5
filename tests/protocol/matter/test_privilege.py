"""Claims of privilege: what would go to Bob goes to the court first, and what it upholds he never sees."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger import entries
from ledger.matterreader import MatterReader
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.asking import Answer
from protocol.matter.kinds import claims
from protocol.matter.values import LONGEST_BASIS
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import court_copy, refusal, resigned, run_until, start

TRUTHFUL = {"alice": "truthful", "bob": "truthful"}
HIDING = {"alice": "hiding:0.5:near", "bob": "truthful"}
OWNERS = (Audience.ALICE, Audience.COURT)


def report(run: Run, privilege: dict[int, str]) -> Answer:
    """What Alice's strategy says of the batch, with claims."""
    run_until(run, Role.ALICE, "report")
    said = run.alice.strategy.report(run.alice.rule, run.alice.truth, len(run.state.rounds))
    words = run.alice._uses  # as if the report without claims had never been made
    words.pop(run.alice.draws + 1, None)
    return answers.report(run.alice, said.labels, said.threshold, privilege)


def report_and_draw(run: Run, privilege: dict[int, str]) -> None:
    """A report with claims, and the coins for it."""
    run.desk.accept(report(run, privilege))
    run.step()


def rule(run: Run, upheld: Callable[[int], bool]) -> None:
    """The court's ruling, by position."""
    run.desk.accept(answers.uphold(run.court, [upheld(place) for place in run.state.rounds[-1].privilege.asked]))


def play(run: Run, upheld: Callable[[int], bool]) -> None:
    """To the end of the matter; the court rules by position."""
    while run.state.awaits or not run.state.concluded:
        asked = run.state.awaits.get(Role.COURT)
        if asked is not None and asked.kind == "privilege":
            rule(run, upheld)
        else:
            run.step()
    run.cosign()


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_what_is_upheld_never_goes_to_bob_and_what_is_overruled_goes_with_the_wave(
    small_corpus: Corpus, tmp_path: Path, protocol: str
) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol, players=TRUTHFUL, rounds=2) as run:
        report_and_draw(run, {1: "Advice of counsel", 2: "Work product"})
        assert run.advance()
        one = run.state.rounds[0]
        assert one.privilege.asked == (1, 2)
        assert run.court.question is not None
        assert len(run.court.question.values("proofs")) == 2
        assert run.bob.question is None
        rule(run, lambda place: place == 1)
        assert run.advance()
        assert 1 not in one.waves[0]
        assert 2 in one.waves[0]
        run.run()
        assert run.state.concluded
        stated = claims.claims(run.state)
        assert (stated.privileged, stated.rounds[0].privileged) == (1, 1)
        assert 1 not in one.settled
    assert court_copy(tmp_path / "matter")


def test_a_claim_that_no_coin_draws_is_never_heard_and_stays_sealed(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", players=TRUTHFUL, rounds=1, batch=40, delta="0.9") as run:
        everything = dict.fromkeys(range(1, 41), "Advice of counsel")
        report_and_draw(run, everything)
        play(run, lambda place: place % 2 == 0)
        (one,) = run.state.rounds
        heard = one.privilege.upheld
        assert 0 < len(heard) < 40
        assert one.privilege.withheld == {place for place in heard if place % 2 == 0}
        assert one.disclosed == {place for place in heard if place % 2}
        assert one.privilege.unruled == set(range(1, 41)) - set(heard)
        missed = len(run.state.evidence()[0].undisclosed)
        assert one.examination is not None
        assert missed == len(one.examination.chances.keys() - heard.keys()) > 0  # withheld ones are not missed
    released = [
        release
        for opened in MatterReader(tmp_path / "matter")
        for release in opened.entry.body.releases
        if release.field == "privilege"
    ]
    assert {index + 1 for release in released for index in release.indices or ()} == set(heard)
    assert {release.audience for release in released} == {Audience.BOB}


def test_in_a_compelled_round_the_court_is_asked_about_the_rest(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", players=HIDING, rounds=1, batch=40, delta="0.5", seed="3") as run:
        report_and_draw(run, dict.fromkeys(range(1, 41), "Advice of counsel"))
        play(run, lambda place: place % 5 == 0)
        (one,) = run.state.rounds
        assert one.outcome is not None
        assert one.outcome.compelled
        assert len(one.waves) == 2
        assert one.privilege.upheld.keys() == set(range(1, 41))
        assert one.disclosed == {place for place in range(1, 41) if place % 5}
        assert not run.state.evidence()[0].undisclosed
    kinds = [each.entry.body.statement.kind for each in MatterReader(tmp_path / "matter")]
    assert kinds.count("camera") == 2


def undisclosed(run: Run) -> list[int]:
    """What Bob has not been shown."""
    one = run.state.rounds[-1]
    return sorted(set(range(1, one.size + 1)) - one.disclosed)


@pytest.mark.parametrize("protocol", ["label", "classifier"])
@pytest.mark.parametrize("upheld", [True, False])
def test_a_late_claim_counts_as_drawn(small_corpus: Corpus, tmp_path: Path, protocol: str, *, upheld: bool) -> None:
    options: dict[str, Any] = {"protocol": protocol, "players": TRUTHFUL, "rounds": 1, "batch": 60, "delta": "0.9"}
    for name in ("at once", "again"):
        with start(small_corpus, tmp_path / name, **options) as run:
            run_until(run, Role.BOB, "labels")
            run.step()
            late = undisclosed(run)[-1]
            run.desk.late()
            run.desk.accept(answers.claim(run.alice, {late: "Joint defence"}))
            if name == "at once":
                play(run, lambda _: upheld)
        if name == "again":
            with start(small_corpus, tmp_path / name, **options) as run:
                play(run, lambda _: upheld)
        (one,) = run.state.rounds
        assert one.privilege.upheld == {late: upheld}
        assert (late in one.disclosed) is not upheld
        assert one.examination is not None
        assert late in one.examination.drawn
        assert one.outcome is not None
        assert one.outcome.sampled == len(one.examination.drawn)
        assert len(run.state.evidence()[0].undisclosed) == len(undisclosed(run)) - upheld
    assert court_copy(tmp_path / "at once") == court_copy(tmp_path / "again")


def undisputed(corpus: Corpus, folder: Path) -> Run:
    """A matter whose first wave is labelled, in which no coin has found what Alice hides."""
    for seed in map(str, range(1, 40)):
        run = start(corpus, folder / seed, players=HIDING, rounds=1, batch=60, delta="0.99", seed=seed)
        run_until(run, Role.BOB, "labels")
        run.step()
        if not run.state.rounds[0].open_disputes() and undisclosed(run):
            return run
        run.desk.log.close()
    raise AssertionError("a coin finds something with each of these seeds")


def test_a_hidden_document_that_is_claimed_late_and_overruled_compels_the_round(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with undisputed(small_corpus, tmp_path) as run:
        hidden = [place for place in undisclosed(run) if run.alice.truth[place - 1]]
        late = hidden[-1]
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {late: "Joint defence"}))
        play(run, lambda _: False)
        (one,) = run.state.rounds
        assert one.outcome is not None
        assert one.outcome.compelled
        assert not undisclosed(run)


def test_late_claims_may_be_asked_for_again_and_may_be_none(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", players=TRUTHFUL, rounds=1, batch=60, delta="0.9") as run:
        run_until(run, Role.BOB, "labels")
        run.step()
        late = undisclosed(run)[-3:]
        for claims in ({}, {late[2]: "One", late[0]: "Two"}, {late[1]: "Three"}):
            run.desk.late()
            run.desk.accept(answers.claim(run.alice, claims))
        play(run, lambda _: True)
        assert run.state.rounds[0].privilege.withheld == set(late)
    opened = [
        each
        for entry in MatterReader(tmp_path / "matter")
        if entry.entry.body.statement.kind == "claim"
        for each in entry.openings
    ]
    assert [(each.field, each.index, each.value) for each in opened] == [
        ("privilege", 0, "Two"),
        ("privilege", 1, "One"),
        ("privilege", 0, "Three"),
    ]
    assert len({each.salt for each in opened}) == 3


def test_late_is_asked_only_where_the_coins_are_fixed_and_nobody_must_answer(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter", rounds=1) as run:
        with refusal(run, "others must answer first"):
            run.desk.late()
        run_until(run, Role.ALICE, "link")
        with refusal(run, "others must answer first"):
            run.desk.late()
        run.step()
        run.step()
        with refusal(run, "no round is open, or its coins are not known yet"):
            run.desk.late()
        run_until(run, Role.ALICE, "report")
        with refusal(run, "others must answer first"):
            run.desk.late()
        while run.state.current is not None:
            run.step()
        with refusal(run, "no round is open"):
            run.desk.late()
        run.run()
        with refusal(run, "may not come here"):
            run.desk.late()


def sealing(run: Run, answer: Answer, bases: list[Any]) -> Answer:
    """The report with other values for its claims."""
    said = answer.signed.statement
    sealed, openings = run.plan.seal(Role.ALICE).close("test", {"privilege": (OWNERS, bases)})
    kept = [each for each in answer.openings if each.field != "privilege"]
    together = tuple(sorted((*kept, *openings), key=lambda each: (each.field, each.index)))
    content = said.content | {"openings": hash_openings(together).hex()}
    return replace(resigned(run, answer, sealed=said.sealed | sealed, content=content), openings=together)


@pytest.mark.parametrize(
    ("bases", "reason"),
    [
        ([None] * 20, "claims no privilege must not seal"),
        (["Advice"] + [None] * 18, "seals 19 values as 'privilege', but 20 are due"),
        (["Advice"] * 21, "seals 21 values as 'privilege', but 20 are due"),
        ([""] + [None] * 19, "a text of 1 to 2000 characters"),
        (["a" * (LONGEST_BASIS + 1)] + [None] * 19, "a text of 1 to 2000 characters"),
        ([1] + [None] * 19, "a text of 1 to 2000 characters"),
        ([True] + [None] * 19, "a text of 1 to 2000 characters"),
        ([["Advice"]] + [None] * 19, "a text of 1 to 2000 characters"),
    ],
)
def test_claims_of_a_report_that_are_none_are_refused(
    small_corpus: Corpus, tmp_path: Path, bases: list[Any], reason: str
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        right = report(run, {1: "Advice"})
        with refusal(run, reason):
            run.desk.accept(sealing(run, right, bases))
        longest = sealing(run, right, ["é" * LONGEST_BASIS] + [None] * 19)
        run.desk.accept(longest)


def saying(run: Run, answer: Answer, **content: Any) -> Answer:
    return resigned(run, answer, content=answer.signed.statement.content | content)


BAD_CLAIMS: list[tuple[Callable[[Run, list[int]], Answer], str]] = [
    (lambda run, gaps: answers.claim(run.alice, {1: "a"}), "has neither claimed before nor given up"),
    (lambda run, gaps: answers.claim(run.alice, {gaps[0]: "a"}), "has neither claimed before nor given up"),
    (lambda run, gaps: answers.claim(run.alice, {41: "a"}), "positions of the batch, in order"),
    (lambda run, gaps: answers.claim(run.alice, {gaps[1]: ""}), "a text of 1 to 2000 characters"),
    (
        lambda run, gaps: saying(run, answers.claim(run.alice, {gaps[1]: "a", gaps[2]: "b"}), positions=gaps[:0:-1]),
        "in order",
    ),
    (
        lambda run, gaps: saying(run, answers.claim(run.alice, {gaps[1]: "a", gaps[2]: "b"}), positions=[gaps[1]] * 2),
        "in order",
    ),
    (
        lambda run, gaps: saying(run, answers.claim(run.alice, {gaps[1]: "a"}), positions=gaps[1:]),
        "seals 1 values as 'privilege', but 2 are due",
    ),
    (
        lambda run, gaps: saying(run, answers.claim(run.alice, {gaps[1]: "a"}), positions=[]),
        "seals 1 values as 'privilege', but 0 are due",
    ),
    (
        lambda run, gaps: saying(run, answers.claim(run.alice, {}), positions=gaps[1:2]),
        "seals 0 values as 'privilege', but 1 are due",
    ),
]


@pytest.mark.parametrize(("made", "reason"), BAD_CLAIMS)
def test_late_claims_that_are_none_are_refused(
    small_corpus: Corpus, tmp_path: Path, made: Callable[[Run, list[int]], Answer], reason: str
) -> None:
    with start(small_corpus, tmp_path / "matter", players=TRUTHFUL, batch=40, delta="0.99") as run:
        run_until(run, Role.BOB, "labels")
        run.step()
        gaps = undisclosed(run)[-3:]
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {gaps[0]: "Advice"}))
        run.desk.late()
        with refusal(run, reason):
            run.desk.accept(made(run, gaps))
        run.desk.accept(answers.claim(run.alice, dict.fromkeys(gaps[1:], "Advice")))


@pytest.mark.parametrize("upheld", [[], [True], [True, False, True]])
def test_the_court_rules_on_each_claim(small_corpus: Corpus, tmp_path: Path, upheld: list[bool]) -> None:
    with start(small_corpus, tmp_path / "matter", players=TRUTHFUL) as run:
        report_and_draw(run, {1: "Advice", 2: "Advice"})
        run.step()
        with refusal(run, f"{len(upheld)} rulings, but 2 documents were asked about"):
            run.desk.accept(saying(run, answers.uphold(run.court, [True, True]), upheld=upheld))
        run.desk.accept(answers.uphold(run.court, [True, True]))


def test_reports_without_claims_have_the_coins_that_they_always_had(small_corpus: Corpus, tmp_path: Path) -> None:
    """The words decide the coins: a claim is part of the words, its absence is not."""
    with start(small_corpus, tmp_path / "matter", players=TRUTHFUL) as run:
        plain = run_until(run, Role.ALICE, "report").signed.statement
        claimed = report(run, {20: "Advice"}).signed.statement
    assert plain.sealed.keys() == {"labels"}
    assert claimed.sealed["labels"] == plain.sealed["labels"]
    assert entries.hash_words(claimed) != entries.hash_words(plain)
    assert summary.read(tmp_path / "matter").size > 0


def test_where_bob_is_silent_what_is_withheld_is_not_unproven(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", protocol="reveal-all", players=TRUTHFUL, rounds=1) as run:
        run_until(run, Role.ALICE, "report")
        negative = [place for place, label in enumerate(run.alice.truth, start=1) if not label]
        report_and_draw(run, dict.fromkeys(negative[:2], "Advice"))
        assert run.advance()
        rule(run, lambda place: place == negative[0])
        assert run.advance()
        run.desk.default(Role.BOB, run.desk.log.history.head)
        run.desk.accept(answers.order(run.court, True))
        run.run()
        assert run.state.concluded
        stated = claims.claims(run.state)
        assert stated.certificates.reviewed.at_most == len(negative) - 1
        assert (stated.rounds[0].unread, stated.privileged) == (19, 1)
