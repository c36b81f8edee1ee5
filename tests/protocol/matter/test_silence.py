"""A party that does not answer: the court's order lets the matter go on, or wait; nothing else changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.asking import Answer
from protocol.matter.kinds import claims
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import court_copy, refusal, resigned, run_until, start

Prelude = Callable[[Run], Answer]


def until(role: Role, kind: str) -> Prelude:
    """Up to the question; the answer is made and not given."""
    return lambda run: run_until(run, role, kind)


def until_report_link(run: Run) -> Answer:
    """Up to Bob's link for a round's sampling."""
    run_until(run, Role.ALICE, "report")
    return run_until(run, Role.BOB, "link")


def until_claim(run: Run) -> Answer:
    """Up to a late claim of the last position."""
    until_report_link(run)
    run.step()
    run.desk.late()
    return answers.claim(run.alice, {run.state.rounds[-1].size: "Joint defence"})


def until_amended(role: Role) -> Prelude:
    """Up to one party's answer to an amendment that the others accept."""

    def prelude(run: Run) -> Answer:
        while len(run.state.closed) < 1:
            run.step()
        run.desk.amend(5)
        for other in {Role.ALICE, Role.BOB, Role.COURT} - {role}:
            run.desk.accept(answers.amended(run.parties[other], True))
        return answers.amended(run.parties[role], True)

    return prelude


SILENCES: dict[str, tuple[Role, Prelude]] = {
    "alice at a draw": (Role.ALICE, until(Role.ALICE, "link")),
    "bob at a draw": (Role.BOB, until(Role.BOB, "link")),
    "alice's report": (Role.ALICE, until(Role.ALICE, "report")),
    "bob's link": (Role.BOB, until_report_link),
    "bob's labels": (Role.BOB, until(Role.BOB, "labels")),
    "alice's late claim": (Role.ALICE, until_claim),
    "alice's amendment": (Role.ALICE, until_amended(Role.ALICE)),
    "bob's amendment": (Role.BOB, until_amended(Role.BOB)),
}
EACH = pytest.mark.parametrize("silence", SILENCES)


def in_default(run: Run, role: Role) -> None:
    """Trent says so, to the court."""
    run.desk.default(role, run.desk.log.history.head)


def order(run: Run, *, granted: bool, **changed: Any) -> Answer:
    """The court's order, with the link from the deposit where it is due."""
    silence = run.state.silence
    assert silence is not None
    link = None
    if granted and silence.awaited.kind == "link":
        link = run.plan.chain(silence.absent).link(run.state.draws)
    return answers.order(run.court, granted, changed.get("link", link))


def go_without(run: Run, role: Role) -> None:
    """A default that the court grants."""
    in_default(run, role)
    run.desk.accept(order(run, granted=True))


@EACH
def test_while_the_court_is_asked_nobody_waits_for_the_party(
    small_corpus: Corpus, tmp_path: Path, silence: str
) -> None:
    role, prelude = SILENCES[silence]
    with start(small_corpus, tmp_path / "matter") as run:
        held = prelude(run)
        in_default(run, role)
        assert run.parties[role].question is None
        with refusal(run, f"nothing is asked of {role.called} now"):
            run.desk.accept(held)
        with refusal(run, "others must answer first"):
            run.desk.default(role, run.desk.log.history.head)
        assert not run.advance()


@EACH
def test_denied_the_party_answers_as_before(small_corpus: Corpus, tmp_path: Path, silence: str) -> None:
    role, prelude = SILENCES[silence]
    for name in ("at once", "again"):
        with start(small_corpus, tmp_path / name) as run:
            held = prelude(run)
            in_default(run, role)
            run.desk.accept(order(run, granted=False))
            assert run.parties[role].question is not None
            if name == "at once":
                run.desk.accept(held)
                finish(run)
            else:
                before = run.state.awaits[role]
        if name == "again":
            with start(small_corpus, tmp_path / name) as run:
                assert run.state.awaits[role] == before
                run.desk.accept(held)
                finish(run)
    assert court_copy(tmp_path / "at once") == court_copy(tmp_path / "again")
    assert summary.read(tmp_path / "again").defaults == 0


@EACH
def test_granted_the_answer_comes_too_late_and_the_matter_goes_on(
    small_corpus: Corpus, tmp_path: Path, silence: str
) -> None:
    role, prelude = SILENCES[silence]
    for name in ("at once", "again"):
        with start(small_corpus, tmp_path / name) as run:
            held = prelude(run)
            go_without(run, role)
            assert run.parties[role].question is None
            with refusal(run, "comes too late: by the court's order the matter went on without it"):
                run.desk.accept(held)
            with refusal(run, "there is no conflict"):
                run.desk.keep_as_evidence(held.signed, run.trent.seal)
            if name == "at once":
                finish(run)
        if name == "again":
            with start(small_corpus, tmp_path / name) as run:
                with refusal(run, "comes too late"):
                    run.desk.accept(held)
                finish(run)
    assert court_copy(tmp_path / "at once") == court_copy(tmp_path / "again")
    read = summary.read(tmp_path / "again")
    assert claims.claims(read).defaults == 1


def finish(run: Run) -> None:
    """To the end; the court upholds every claim."""
    while run.state.awaits or not run.state.concluded:
        asked = run.state.awaits.get(Role.COURT)
        if asked is not None and asked.kind == "privilege":
            run.desk.accept(answers.uphold(run.court, [True] * len(run.state.rounds[-1].privilege.asked)))
        else:
            run.step()
    run.cosign()


@pytest.mark.parametrize("silence", ["alice at a draw", "bob at a draw", "bob's link"])
def test_with_the_link_from_the_deposit_the_coins_are_what_they_would_have_been(
    small_corpus: Corpus, tmp_path: Path, silence: str
) -> None:
    role, prelude = SILENCES[silence]
    with start(small_corpus, tmp_path / "given") as run:
        given = run.run()
    with start(small_corpus, tmp_path / "withheld") as run:
        prelude(run)
        go_without(run, role)
        withheld = run.run()
    assert [each.places for each in withheld.rounds] == [each.places for each in given.rounds]
    assert [each.waves for each in withheld.rounds] == [each.waves for each in given.rounds]
    assert [closed for _, closed in withheld.closed] == [closed for _, closed in given.closed]


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_without_a_report_the_batch_is_disclosed_and_no_coin_is_thrown(
    small_corpus: Corpus, tmp_path: Path, protocol: str
) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol, players={"bob": "careless:0.3"}) as run:
        run_until(run, Role.ALICE, "report")
        draws = run.state.draws
        go_without(run, Role.ALICE)
        labels = run_until(run, Role.BOB, "labels").signed.statement.content["labels"]
        run.step()
        run.step()
        (one,) = run.state.rounds
        assert one.waves == [tuple(range(1, one.size + 1))]
        assert one.outcome is not None
        assert (run.state.draws, run.state.skipped) == (draws + 1, 0)  # the report that did not come may have used it
        assert (one.outcome.threshold, one.outcome.error, one.outcome.sampled, one.outcome.compelled) == (
            0,
            0,
            0,
            False,
        )
        assert one.outcome.responsive == tuple(place for place, label in enumerate(labels, start=1) if label)
        assert not one.rulings
        run.run()
    bodies = [each.entry.body for each in MatterReader(tmp_path / "matter")]
    first, second, *_ = (body for body in bodies if body.statement.kind == "closed")
    assert not first.releases
    assert (first.statement.content["draw"], first.statement.content["link"]) == (None, None)
    used = [body.statement.content.get("draw") for body in bodies if body.statement.author is not Role.TRENT]
    assert second.statement.content["draw"] > draws + 1
    assert draws + 1 not in used


def test_nobody_foresees_the_next_draw_from_a_report_that_trent_held_back(small_corpus: Corpus, tmp_path: Path) -> None:
    """Trent and Bob, who know its link, would choose between logging it and calling Alice silent."""
    with start(small_corpus, tmp_path / "matter") as run:
        held = run_until(run, Role.ALICE, "report").signed.statement.content
        go_without(run, Role.ALICE)
        run.run()
    said = [each.entry.body.statement.content for each in MatterReader(tmp_path / "matter")]
    assert held["link"] not in [content.get("link") for content in said]
    assert held["draw"] not in [content.get("draw") for content in said]


def test_in_a_round_without_a_report_late_claims_are_still_heard(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, "report")
        go_without(run, Role.ALICE)
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {3: "Advice of counsel", 7: "Advice of counsel"}))
        run.step()
        run.desk.accept(answers.uphold(run.court, [True, False]))
        run_until(run, Role.BOB, "labels")
        (one,) = run.state.rounds
        assert one.waves == [tuple(place for place in range(1, one.size + 1) if place != 3)]
        finish(run)
        assert run.state.concluded
        assert claims.claims(run.state).privileged == 1


def test_where_both_are_silent_everything_is_unproven(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", rounds=1) as run:
        run_until(run, Role.ALICE, "report")
        go_without(run, Role.ALICE)
        run_until(run, Role.BOB, "labels")
        go_without(run, Role.BOB)
        run.run()
        (one,) = run.state.rounds
        assert run.state.concluded
        assert claims.claims(run.state).certificates.reviewed.at_most == one.size
        stated = claims.claims(run.state)
        assert (stated.found, stated.revealed) == (0, one.size)


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_where_bob_does_not_label_alices_labels_stand(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol, rounds=1) as run:
        run_until(run, Role.BOB, "labels")
        go_without(run, Role.BOB)
        (one,) = run.state.rounds
        assert one.unread == set(one.waves[0])
        assert not one.open_disputes()
        run.run()
        assert one.outcome is not None
        assert one.settled == {place: one.reported(place) for place in one.waves[0]}
        assert not one.rulings
        (evidence,) = run.state.evidence()
        assert evidence.compelled
        assert not evidence.undisclosed
        assert evidence.unproven == one.size - len(one.outcome.responsive)
        assert one.outcome.truth is not None
        assert one.outcome.truth.revealed > 0  # he was shown them all the same


BAD_DEFAULTS: dict[str, tuple[Callable[[Run], Any], str]] = {
    "one who has answered": (
        lambda run: run.desk.default(Role.ALICE, run.desk.log.history.head),
        "nothing is asked",
    ),
    "the court": (
        lambda run: run.desk.default(Role.COURT, run.desk.log.history.head),
        "nothing is asked of the court",
    ),
    "trent": (
        lambda run: run.desk.default(Role.TRENT, run.desk.log.history.head),
        "nothing is asked of Trent",
    ),
    "served with nothing": (lambda run: run.desk.default(Role.BOB, Digest(bytes(32))), "or a later one"),
    "served with what came before": (
        lambda run: run.desk.default(Role.BOB, min(run.state.sequences, key=lambda each: run.state.sequences[each])),
        "or a later one",
    ),
}


@pytest.mark.parametrize("bad", BAD_DEFAULTS)
def test_nobody_is_in_default_who_need_not_answer_or_was_not_served(
    small_corpus: Corpus, tmp_path: Path, bad: str
) -> None:
    propose, reason = BAD_DEFAULTS[bad]
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        with refusal(run, reason):
            propose(run)
        in_default(run, Role.BOB)


def test_before_all_have_signed_the_opening_nobody_is_in_default(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        for _ in range(3):
            for role in (Role.ALICE, Role.BOB):
                with refusal(run, "others must answer first"):
                    run.desk.default(role, run.desk.log.history.head)
            run.step()


def other_link(run: Run) -> Answer:
    """The court's own program would not sign it."""
    return saying(run, order(run, granted=True), link=run.plan.chain(Role.BOB).link(run.state.draws + 1).hex())


BAD_ORDERS: dict[str, tuple[Prelude, Callable[[Run], Answer], str]] = {
    "without the link": (
        until_report_link,
        lambda run: order(run, granted=True, link=None),
        "an order must give a link",
    ),
    "with another link": (until_report_link, other_link, "is not number 2 of the chain"),
    "denied, with a link": (
        until_report_link,
        lambda run: saying(run, order(run, granted=False), link=run.plan.chain(Role.BOB).link(2).hex()),
        "an order must give a link",
    ),
    "with a link for labels": (
        until(Role.BOB, "labels"),
        lambda run: saying(run, order(run, granted=True), link=run.plan.chain(Role.BOB).link(3).hex()),
        "an order must give a link",
    ),
    "about the other party": (
        until(Role.BOB, "labels"),
        lambda run: saying(run, order(run, granted=True), absent="alice"),
        "about another party",
    ),
    "about another service": (
        until(Role.BOB, "labels"),
        lambda run: saying(run, order(run, granted=True), served=bytes(32).hex()),
        "about another party, or another service",
    ),
    "neither yes nor no": (
        until(Role.BOB, "labels"),
        lambda run: saying(run, order(run, granted=True), granted=None),
        "court's order",
    ),
}


def saying(run: Run, answer: Answer, **content: Any) -> Answer:
    return resigned(run, answer, content=answer.signed.statement.content | content)


@pytest.mark.parametrize("bad", BAD_ORDERS)
def test_an_order_that_is_not_what_was_asked_for_is_refused(small_corpus: Corpus, tmp_path: Path, bad: str) -> None:
    prelude, made, reason = BAD_ORDERS[bad]
    with start(small_corpus, tmp_path / "matter") as run:
        prelude(run)
        in_default(run, Role.BOB)
        with refusal(run, reason):
            run.desk.accept(made(run))
        run.desk.accept(order(run, granted=True))


def test_the_court_signs_no_link_of_another_chain_than_the_party_named(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        until_report_link(run)
        in_default(run, Role.BOB)
        for chain, draw in ((Role.ALICE, run.state.draws), (Role.BOB, run.state.draws + 1)):
            with pytest.raises(Refused, match="does not belong to the chain that Bob named"):
                answers.order(run.court, True, link=run.plan.chain(chain).link(draw))
