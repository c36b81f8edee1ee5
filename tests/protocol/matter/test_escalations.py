"""Escalations: all that is withheld is drawn again until the target is met, or the limit is used up."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.certificates.exact import cost
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import course, fold, summary
from protocol.matter.books import Fate
from protocol.matter.course import Next
from protocol.matter.decisions import Decisions
from protocol.matter.escalations import Escalation
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import contents, refusal, resigned, run_until, start
from verifier.verification import verify

pytestmark = pytest.mark.slow

TERMS: dict[str, Any] = {
    "protocol": "spot-check",
    "rounds": 4,
    "batch": 20,
    "rate": "0.1",
    "target": "0.8",
    "every": 2,
    "limit": "1",
}
PLAYERS = {"bob": "truthful"}
TRUTHFUL = {"alice": "truthful", "bob": "truthful"}


def begin(corpus: Corpus, path: Path, *, players: dict[str, str] | None = None, **changed: Any) -> Run:
    return start(corpus, path / "matter", players=players or PLAYERS, **(TERMS | changed))


def until_asked(run: Run, role: Role, kind: str) -> None:
    """Go on until this party is asked for this; it has not decided anything yet."""
    while min(run.state.awaits, default=None) != role or run.state.awaits[role].kind != kind:
        assert run.step(), f"nobody asks {role} for {kind}"


def until_look(run: Run) -> Round:
    """Up to Alice's second look in the next escalation."""
    until_asked(run, Role.ALICE, "look")
    return run.state.rounds[-1]


def procedure(review: Round) -> Escalation:
    assert isinstance(review.procedure, Escalation)
    return review.procedure


def look(run: Run, *positions: int) -> None:
    run.desk.accept(run.alice.say(Decisions(given_up=frozenset(positions))))


def go_without(run: Run, role: Role, link: Digest | None = None) -> None:
    run.desk.default(role, run.desk.log.history.head)
    run.desk.accept(answers.order(run.court, True, link))


def sorts(run: Run) -> str:
    return "".join(each.sort[0] for each in run.state.rounds)


def hidden(run: Run) -> list[int]:
    """The positions of the open escalation that are truly responsive."""
    return [position for position, true in enumerate(run.alice.truth, start=1) if true]


def follows(run: Run, tmp_path: Path, role: Role) -> bool:
    """A party follows the matter, with the openings of its own statements alone, and stands where Trent does."""
    state = Matter()
    for each in MatterReader(tmp_path / "matter"):
        entry = Entry.stored(each)
        own = entry.statement.author is role
        fold.follow(state, entry if own else replace(entry, openings=None))
    names = ("awaits", "draws", "begun", "put_up", "one_class", "free_draws", "terms")
    return all(getattr(state, name) == getattr(run.state, name) for name in names)


def verified(run: Run, tmp_path: Path, audience: Audience = Audience.BOB) -> bool:
    """Whether a verifier that shares no code finds nothing wrong, and Alice and Bob can follow."""
    assert follows(run, tmp_path, Role.ALICE)
    assert follows(run, tmp_path, Role.BOB)
    copy = tmp_path / f"{audience}-{run.state.size}.jsonl"
    with Store.open(tmp_path / "matter") as store:
        write_copy(store, audience, run.plan.key(Role.TRENT), copy)
    return not verify(copy).findings


# When


def test_escalations_come_after_so_many_batches_and_before_the_claims(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        run.run()
    assert re.fullmatch("bbe+bbe+", sorts(run))
    assert [each.number for each in run.state.rounds] == list(range(1, len(run.state.rounds) + 1))
    stated = claims.claims(run.state)
    assert stated.certificates.reviewed.reached is True
    assert stated.ended == "rounds"
    assert [each.sort for each in stated.rounds] == [each.sort for each in run.state.rounds]
    assert stated.reviewed == 4 * 20


def test_an_escalation_comes_at_the_end_even_if_none_is_due_before(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, rounds=3, every=10) as run:
        run.run()
    assert re.fullmatch("bbbe+", sorts(run))
    assert claims.claims(run.state).certificates.reviewed.reached is True


@pytest.mark.parametrize(
    ("players", "changed"),
    [
        (TRUTHFUL, {}),
        (PLAYERS, {}),
        (PLAYERS, {"penalty": "batch"}),
        (PLAYERS, {"every": 1, "target": "0.95"}),
        (PLAYERS, {"limit": "0.3"}),
        (PLAYERS, {"limit": "0"}),
        ({"alice": "careless:0.2:0.9", "bob": "truthful"}, {}),
        ({"alice": "careless:0.2:0.5", "bob": "careless:0.2", "court": "wrong:0.2"}, {"rate": "0.5"}),
    ],
)
def test_a_verifier_that_shares_no_code_agrees(
    small_corpus: Corpus, tmp_path: Path, players: dict[str, str], changed: dict[str, Any]
) -> None:
    with begin(small_corpus, tmp_path, players=players, **changed) as run:
        run.run()
        for audience in Audience:
            assert verified(run, tmp_path, audience), audience


def test_nothing_escalates_while_the_target_is_met(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL, rate="0.9", target="0.1") as run:
        run.run()
    assert sorts(run) == "bbbb"


def test_the_paper_s_rules_have_no_escalations(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(
        small_corpus, tmp_path / "matter", protocol="label", rounds=3, batch=60, delta="0.7", players=TRUTHFUL
    ) as run:
        run.run()
    assert sorts(run) == "bbb"
    assert run.state.withheld()
    assert not any(run.state.books.exposures.values())
    assert (run.state.books.hits, run.state.books.credit) == (0, 0)
    certified = claims.claims(run.state).certificates.reviewed
    assert (certified.target, certified.reached) == (None, None)


def test_without_two_free_draws_none_comes_and_the_claims_say_so(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, seed="3") as run:
        until_look(run)
        look(run)
        until_look(run)
        look(run)
        while run.state.current is not None:
            run.step()
        run.state.draws += run.state.free_draws - 1  # as if all others were spent
        assert course.following(run.state) is Next.BATCH
        run.state.draws -= 1
        assert run.state.free_draws == 2


# What


def test_its_positions_are_all_that_is_withheld_in_the_order_of_review(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        one, two = run.state.rounds[:2]
        expected = [
            each.places[position - 1]
            for each in (one, two)
            for position in range(1, each.size + 1)
            if not each.reported(position) and position not in each.disclosed
        ]
        assert list(review.places) == expected
        assert review.size == len(expected) == contents(tmp_path / "matter", "escalation")[0]["size"]


def test_what_is_given_up_is_shown_first_and_only_then_the_rest_is_drawn(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        before, found = run.state.books, run.state.found
        given_up = hidden(run)[:2]
        look(run, *given_up)
        until_asked(run, Role.BOB, "labels")
        assert review.waves == [tuple(given_up)]
        while run.state.current is review:
            run.step()
        assert set(review.waves[1]).isdisjoint(given_up)
        credit = sum(before.exposures[procedure(review).seats[position - 1]] for position in given_up)
        hits = [position for position in review.waves[1] if review.settled[position]]
        assert run.state.books.hits == before.hits + len(hits)
        assert run.state.books.credit > before.credit + credit
        assert run.state.found == found + 2 + len(hits)
        assert review.alice_errors() == len(hits)  # what she gave up was no error any more


def test_giving_up_what_is_not_responsive_brings_no_credit(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, limit="0") as run:
        review = until_look(run)
        before = run.state.books
        wrong = next(position for position, true in enumerate(run.alice.truth, start=1) if not true)
        look(run, wrong)
        while run.state.current is review:
            run.step()
        assert run.state.books.credit == before.credit
        assert len(run.state.books.exposures) == review.size - 1
        assert review.rulings == {wrong: False}
        assert review.alice_errors() == 1


def test_giving_up_everything_ends_the_escalation_without_a_draw_of_anything(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        look(run, *range(1, review.size + 1))
        while run.state.current is review:
            run.step()
        assert len(review.waves) == 1
        assert review.outcome is not None
        assert review.outcome.sampled == 0
        assert not run.state.books.exposures
        assert course.following(run.state) is Next.BATCH


def test_the_labels_that_are_settled_train_the_next_model(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        before = dict(zip(*run.state.labelled(), strict=True))
        while run.state.current is review:
            run.step()
        after = dict(zip(*run.state.labelled(), strict=True))
        assert list(after) == list(before)
        changed = {document for document, label in after.items() if label != before[document]}
        assert changed == {
            place.document for position, place in enumerate(review.places, start=1) if review.settled.get(position)
        }
        assert changed


def test_nothing_that_happens_after_the_second_look_changes_the_chance(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        look(run)
        chance = procedure(review).chance(review.given_up, review.known)
        while run.state.current is review:
            assert procedure(review).chance(review.given_up, review.known) == chance
            run.step()


# Silence


def test_without_a_look_nothing_is_given_up_and_trent_asks_for_another_draw(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        draws, free = run.state.draws, run.state.free_draws
        go_without(run, Role.ALICE)
        assert run.state.draws == draws + 1  # the look that did not come may have used it
        assert run.state.free_draws == free
        with pytest.raises(OutOfTurn, match="draw comes first"):
            run.desk.late()
        assert run.advance()
        assert run.state.awaits.keys() == {Role.ALICE, Role.BOB}
        assert contents(tmp_path / "matter", "draw")[-1] == {"draw": draws + 2}
        assert run.state.free_draws == free
        while run.state.current is review:
            run.step()
        assert review.waves
        assert contents(tmp_path / "matter", "closed")[-1]["draw"] == draws + 2
        run.run()
        assert run.state.concluded
        assert verified(run, tmp_path)


def test_without_a_look_and_without_an_allowance_the_round_ends_without_a_draw(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path, limit="0") as run:
        review = until_look(run)
        before = run.state.books
        go_without(run, Role.ALICE)
        assert run.advance()
        assert run.state.current is None
        closed = contents(tmp_path / "matter", "closed")[-1]
        assert (closed["draw"], closed["link"], closed["sampled"], closed["responsive"]) == (None, None, 0, [])
        assert run.state.books == before
        assert run.state.limit_used_up
        assert review.silent
        run.run()
        assert verified(run, tmp_path)


def test_what_bob_leaves_unread_counts_as_hits(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL) as run:
        review = until_look(run)
        before = run.state.books
        look(run)
        until_asked(run, Role.BOB, "labels")
        go_without(run, Role.BOB)
        assert run.advance()
        assert run.state.current is None
        assert run.state.books.hits == before.hits + len(review.waves[0]) > before.hits
        assert run.state.books.credit == before.credit
        run.run()
        assert verified(run, tmp_path)


def test_what_is_given_up_and_left_unread_proves_nothing(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        before, found, confirmed = run.state.books, run.state.found, run.state.confirmed
        look(run, hidden(run)[0])
        until_asked(run, Role.BOB, "labels")
        go_without(run, Role.BOB)
        while run.state.current is review:
            run.step()
        hits = [position for position in review.disclosed - review.given_up if review.settled[position]]
        assert run.state.found == found + 1 + len(hits)
        assert run.state.confirmed == confirmed + len(hits)
        assert run.state.books.hits == before.hits + len(hits)
        run.run()
        assert verified(run, tmp_path)


# Privilege


def claiming(run: Run, wanted: int) -> list[int]:
    """Alice reports truthfully, and claims some documents that she calls not responsive."""
    until_asked(run, Role.ALICE, "report")
    negative = [position for position, label in enumerate(run.alice.truth, start=1) if not label]
    claimed = negative[:wanted]
    run.desk.accept(answers.report(run.alice, run.alice.truth, claims=dict.fromkeys(claimed, "Advice")))
    return claimed


@pytest.mark.parametrize("upheld", [True, False])
def test_what_was_claimed_in_the_report_goes_to_the_court_when_it_is_drawn_again(
    small_corpus: Corpus, tmp_path: Path, *, upheld: bool
) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL, rate="0.01", target="0.95", seed="5") as run:
        claiming(run, 10)
        review = until_look(run)
        before = run.state.books
        claimed = frozenset(review.privilege.claimed)
        assert claimed == procedure(review).beforehand
        assert claimed
        look(run)
        until_asked(run, Role.COURT, "privilege")
        asked = review.privilege.asked
        assert set(asked) <= claimed
        assert contents(tmp_path / "matter", "camera")[-1]["positions"] == list(asked)
        run.desk.accept(answers.uphold(run.court, [upheld] * len(asked)))
        while run.state.current is review:
            run.step()
        assert review.privilege.withheld == (set(asked) if upheld else set())
        assert run.state.books.hits == before.hits  # neither upheld nor overruled, not responsive
        run.run()
        for audience in Audience:
            assert verified(run, tmp_path, audience)


def test_a_late_claim_that_is_upheld_counts_as_a_hit_if_a_coin_drew_it(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL) as run:
        review = until_look(run)
        before = run.state.books
        look(run)
        run.step()
        run.desk.late()
        everything = dict.fromkeys(range(1, review.size + 1), "Advice")
        run.desk.accept(answers.claim(run.alice, everything))
        assert run.advance()
        run.desk.accept(answers.uphold(run.court, [True] * review.size))
        while run.state.current is review:
            run.step()
        assert {review.fate(position) for position in everything} == {Fate.UPHELD}
        assert before.hits < run.state.books.hits < before.hits + review.size
        assert run.state.books.credit == before.credit
        assert not run.state.books.exposures
        run.run()
        assert verified(run, tmp_path)


@pytest.mark.parametrize("waves", [0, 1], ids=["before Bob is shown them", "after the first wave"])
def test_what_alice_has_given_up_she_cannot_claim_late(small_corpus: Corpus, tmp_path: Path, waves: int) -> None:
    """What is given up decides the chance of the draw, and by now she may know its coins."""
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        given_up = hidden(run)[0]
        others = frozenset(range(1, review.size + 1)) - {given_up}
        look(run, given_up)
        while len(review.waves) < waves or Role.BOB in run.state.awaits:
            run.step()
        run.desk.late()
        assert review.claimable == others - review.disclosed
        with refusal(run, "neither claimed before nor given up in her second look"):
            run.desk.accept(answers.claim(run.alice, {given_up: "Advice"}))
        run.desk.accept(answers.claim(run.alice, {min(review.claimable): "Advice"}))
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [True]))
        run.run()
        assert given_up in review.disclosed
        assert verified(run, tmp_path)


def test_a_late_claim_that_is_overruled_is_shown_and_counts_against_the_limit(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL, limit="0.5") as run:
        review = until_look(run)
        look(run)
        run.step()
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {1: "Advice"}))
        assert run.advance()
        run.desk.accept(answers.uphold(run.court, [False]))
        while run.state.current is review:
            run.step()
        assert 1 in review.disclosed
        assert review.outcome is not None
        assert review.outcome.sampled == len(review.disclosed)
        run.run()
        assert verified(run, tmp_path)


def test_a_late_claim_is_not_due_once_the_target_is_met_by_what_was_given_up(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path, rate="0.5") as run:
        review = until_look(run)
        *given_up, last = range(1, review.size + 1)
        look(run, *given_up)
        run.step()
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {last: "Advice"}))
        while run.state.current is review:
            run.step()
        assert procedure(review).chance(review.given_up, review.known).met
        assert review.disclosed == set(given_up)
        assert list(run.state.books.exposures) == [procedure(review).seats[last - 1]]
        run.run()
        assert verified(run, tmp_path)


def test_what_a_report_claims_is_not_responsive_if_it_is_given_up_and_upheld(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path, players=TRUTHFUL, rate="0.01", target="0.95") as run:
        until_asked(run, Role.ALICE, "report")
        claimed = run.alice.truth.index(True) + 1
        labels = [label and position != claimed for position, label in enumerate(run.alice.truth, start=1)]
        run.desk.accept(answers.report(run.alice, labels, claims={claimed: "Advice"}))
        review = until_look(run)
        before, found = run.state.books, run.state.found
        (position,) = hidden(run)
        look(run, position)
        until_asked(run, Role.COURT, "privilege")
        assert review.privilege.asked == (position,)
        run.desk.accept(answers.uphold(run.court, [True]))
        while run.state.current is review:
            run.step()
        assert review.outcome is not None
        assert position not in review.outcome.responsive
        assert run.state.found == found + len(review.outcome.responsive)
        assert run.state.books.hits == before.hits + len(review.outcome.responsive)
        assert procedure(review).seats[position - 1] not in run.state.books.exposures
        assert position not in review.disclosed
        run.run()
        for audience in Audience:
            assert verified(run, tmp_path, audience)


# The limit


def test_the_limit_ends_escalations_and_the_claims_say_that_the_target_is_not_reached(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path, limit="0.25") as run:
        run.run()
    assert sorts(run) == "bbebb"
    assert run.state.limit_used_up
    stated = claims.claims(run.state).certificates.reviewed
    assert stated.reached is False
    negatives = sum(not label for each in run.state.batches for label in each.said.labels)
    assert len(run.state.rounds[2].disclosed) <= negatives  # on average a quarter
    assert summary.summary(run.state)["certificates"]["reviewed"]["reached"] is False


def test_the_limit_is_a_share_of_what_alice_reported_and_counts_what_coins_have_shown(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    """What she gives up does not count, and neither does a round without a report."""
    with begin(small_corpus, tmp_path, every=1, target="0.95", limit="0.9") as run:
        until_asked(run, Role.ALICE, "report")
        go_without(run, Role.ALICE)
        review = until_look(run)
        reported = sum(not label for each in run.state.batches if not each.unreported for label in each.said.labels)
        assert procedure(review).allowance == reported * 9 // 10 > 0
        look(run, *hidden(run)[:2])
        again = until_look(run)
        reported = sum(not label for each in run.state.batches if not each.unreported for label in each.said.labels)
        assert again is not review
        assert len(review.disclosed) > 2
        assert procedure(again).allowance == reported * 9 // 10 - (len(review.disclosed) - 2)
        run.run()
        assert verified(run, tmp_path)


def amend_limit(run: Run, limit: str, *, alice: bool, bob: bool, court: bool) -> None:
    run.desk.amend(run.state.terms.rounds, limit)
    for role, accepted in ((Role.ALICE, alice), (Role.BOB, bob), (Role.COURT, court)):
        run.desk.accept(answers.amended(run.parties[role], accepted))


@pytest.mark.parametrize(
    ("votes", "changes"),
    [
        ({"alice": False, "bob": False, "court": True}, True),
        ({"alice": True, "bob": True, "court": True}, True),
        ({"alice": True, "bob": True, "court": False}, False),
    ],
)
def test_another_limit_needs_the_court_alone_and_lets_escalations_go_on(
    small_corpus: Corpus, tmp_path: Path, votes: dict[str, bool], *, changes: bool
) -> None:
    with begin(small_corpus, tmp_path, limit="0.25") as run:
        while not run.state.limit_used_up or run.state.current is not None:
            run.step()
        assert course.following(run.state) is Next.BATCH
        amend_limit(run, "1", **votes)
        assert run.state.terms.limit_in_force == ("1" if changes else "0.25")
        assert run.state.limit_used_up != changes
        assert course.following(run.state) is (Next.ESCALATION if changes else Next.BATCH)
        run.run()
        assert verified(run, tmp_path)


def test_another_limit_with_other_rounds_needs_everybody(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        until_look(run)
        look(run)
        while run.state.current is not None:
            run.step()
        run.desk.amend(5, "0.5")
        for role, accepted in ((Role.ALICE, False), (Role.BOB, True), (Role.COURT, True)):
            run.desk.accept(answers.amended(run.parties[role], accepted))
        assert (run.state.terms.rounds, run.state.terms.limit_in_force) == (4, "1")


@pytest.mark.parametrize(
    ("rounds", "limit", "reason"),
    [
        (4, "1", "4 rounds and a limit of 1 are agreed on already"),
        (4, None, "agreed on already"),
        (4, "1.5", "limit"),
        (4, "x", "limit"),
        (1, "0.5", "cannot be agreed on now"),
    ],
)
def test_an_amendment_that_changes_nothing_or_cannot_be_is_refused(
    small_corpus: Corpus, tmp_path: Path, rounds: int, limit: str | None, reason: str
) -> None:
    with begin(small_corpus, tmp_path) as run:
        while len(run.state.closed) < 2:
            run.step()
        with refusal(run, reason):
            run.desk.amend(rounds, limit)


def test_a_rule_without_escalations_has_no_limit_to_amend(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        while not run.state.closed:
            run.step()
        with refusal(run, "a limit is proposed if the protocol has one"):
            run.desk.amend(5, "0.5")


# Keys and draws


def test_a_new_key_while_a_look_is_owed_skips_a_draw(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        held = run_until(run, Role.ALICE, "look")
        draws, free = run.state.draws, run.state.free_draws
        run.desk.rekey(Role.ALICE, run.plan.key(Role.ALICE).__class__(bytes(range(32))).public)
        run.desk.accept(answers.rekeyed(run.court, True))
        assert (run.state.draws, run.state.free_draws) == (draws + 1, free - 1)
        run.alice.key = run.plan.key(Role.ALICE).__class__(bytes(range(32)))
        assert run.advance()
        again = run.alice.answer()
        assert again.signed.statement.content["draw"] == held.signed.statement.content["draw"] + 1
        run.desk.accept(again)
        run.run()
        assert verified(run, tmp_path)


def test_a_new_key_that_costs_a_draw_is_refused_if_none_is_free(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path) as run:
        until_look(run)
        run.state.draws += run.state.free_draws
        with refusal(run, "owes a report or a look costs one draw"):
            run.desk.rekey(Role.ALICE, run.plan.key(Role.ALICE).__class__(bytes(range(32))).public)


def test_draws_are_owed_as_long_as_a_round_may_need_them(small_corpus: Corpus, tmp_path: Path) -> None:
    """Of 512 draws, what is left when every batch round, and the open one, has all that it may need."""
    with begin(small_corpus, tmp_path) as run:
        assert run.state.free_draws == 512 - 2 * 4
        until_asked(run, Role.ALICE, "link")  # a draw for the first batch: one is begun, one is owed
        assert run.state.free_draws == 512 - 2 * 4
        until_asked(run, Role.ALICE, "report")
        assert run.state.free_draws == 512 - 2 * 4
        run.step()
        assert run.state.free_draws == 512 - 2 * 4
        until_asked(run, Role.ALICE, "report")  # the second batch was chosen by a model, which saves a draw
        assert run.state.free_draws == 512 - 2 * 4 + 1
        review = until_look(run)
        spent = run.state.draws
        assert run.state.free_draws == 512 - spent - 2 * 2 - 2
        look(run)
        assert run.state.free_draws == 512 - (spent + 1) - 2 * 2
        while run.state.current is review:
            run.step()
        assert run.state.free_draws == 512 - (spent + 1) - 2 * 2


# Bad looks


@pytest.mark.parametrize("positions", [[2, 1], [1, 1], [10**6]])
def test_a_look_names_positions_of_the_escalation_in_order(
    small_corpus: Corpus, tmp_path: Path, positions: list[int]
) -> None:
    with begin(small_corpus, tmp_path) as run:
        answer = run_until(run, Role.ALICE, "look")
        content = answer.signed.statement.content | {"positions": positions}
        with refusal(run, "it must name positions"):
            run.desk.accept(resigned(run, answer, content=content))
        run.desk.accept(answer)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"draw": 99}, "the link is for draw 99"),
        ({"link": bytes(32).hex()}, "the link is not number"),
        ({"positions": [0]}, "Expected `int` >= 1"),
        ({"positions": None}, "Expected `array`"),
    ],
)
def test_a_look_gives_the_link_that_is_due(
    small_corpus: Corpus, tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    with begin(small_corpus, tmp_path) as run:
        answer = run_until(run, Role.ALICE, "look")
        with refusal(run, reason):
            run.desk.accept(resigned(run, answer, content=answer.signed.statement.content | changed))


def test_the_exposure_of_what_stays_withheld_grows_by_the_chance_of_the_draw(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path) as run:
        review = until_look(run)
        before = run.state.books.exposures
        look(run)
        chance = procedure(review).chance(review.given_up, review.known).coins
        while run.state.current is review:
            run.step()
        after = run.state.books.exposures
        assert after
        assert after.keys() < before.keys()
        assert all(after[seat] == before[seat] + cost(chance) for seat in after)
        assert review.sort is Sort.ESCALATION
