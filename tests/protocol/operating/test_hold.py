"""A wave waits once for its time, in which Alice can still ask for late claims."""

import pytest

from ledger.roles import Role
from protocol.exchange import answer_file
from protocol.operating.hold import DAY, seconds
from protocol.operating.wishes import Wishes
from protocol.parties import wish
from tests.support.exchange_cases import Table
from tests.support.operated import Operated


@pytest.fixture
def held(reporting: Table) -> Operated:
    """A matter whose first wave waits for a day."""
    operated = Operated(reporting, hold=DAY)
    for _ in range(4):
        standing = operated.go().standing
        if standing.held_until is not None:
            return operated
        for role in operated.asked():
            operated.answer(role)
    raise AssertionError("no wave waits")


@pytest.mark.parametrize(
    ("text", "length"), [("0", 0), ("90s", 90), ("30m", 1800), ("12h", 43200), ("1d", DAY), (" 2D ", 2 * DAY)]
)
def test_a_length_of_time_is_a_number_and_a_letter(text: str, length: int) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "5", "d", "-1d", "1.5h", "1w", "1d2h", "9999999d", "\u0661d"])
def test_other_words_are_no_length_of_time(text: str) -> None:
    with pytest.raises(ValueError, match="length of time"):
        seconds(text)


def test_a_wave_waits_and_nobody_is_asked_meanwhile(held: Operated) -> None:
    assert "disclosure" not in held.kinds()
    assert held.asked() == {}
    assert held.go().standing.held_until == held.clock.now + DAY


def test_a_wave_goes_out_when_its_time_has_come_and_not_before(held: Operated) -> None:
    held.clock.now += DAY - 1
    held.go()
    assert "disclosure" not in held.kinds()
    held.clock.now += 1
    held.go()
    assert held.kinds()[-1] == "disclosure"


def test_a_restart_neither_shortens_nor_repeats_the_wait(held: Operated) -> None:
    begun = held.clock.now
    for _ in range(3):
        held.clock.now += 1000
        assert held.go().standing.held_until == begun + DAY


def test_a_clock_that_is_put_back_makes_nobody_wait_longer_than_the_hold(held: Operated) -> None:
    held.clock.now -= 10 * DAY
    assert held.go().standing.held_until == held.clock.now + DAY


def test_trent_can_let_a_wave_go_before_its_time_and_a_kill_does_not_undo_that(held: Operated) -> None:
    with held.run().opened() as at:
        at.hold.release(at.office.state)  # and the process ends before the wave goes out
    held.go()
    assert held.kinds()[-1] == "disclosure"


def test_each_wave_of_a_round_waits_for_itself(held: Operated) -> None:
    held.clock.now += DAY
    held.until(Role.BOB, "labels")
    for _ in range(6):
        for role in held.asked():
            held.answer(role)
        standing = held.go().standing
        if standing.held_until is not None:
            break
    assert standing.held_until == held.clock.now + DAY


def test_without_a_hold_a_wave_goes_out_at_once(held: Operated) -> None:
    held.hold = 0
    held.go()
    assert held.kinds()[-1] == "disclosure"


def test_alice_can_ask_for_late_claims_while_a_wave_waits(held: Operated) -> None:
    posted = held.post(Role.ALICE, wish.sign(held.table.keys[Role.ALICE], held.matter, "late"))
    held.go()
    receipt = held.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert (receipt.outcome, receipt.entry) == ("accepted", None)
    assert held.kinds()[-1] == "late"
    assert "claim-for-alice" in held.asked()[Role.ALICE]


def test_after_late_claims_the_wave_waits_for_the_rest_of_its_time_only(held: Operated) -> None:
    until = held.go().standing.held_until
    held.clock.now += 100
    held.post(Role.ALICE, wish.sign(held.table.keys[Role.ALICE], held.matter, "late"))
    held.go()
    held.post(Role.ALICE, answer_file.encode(held.table.said(Role.ALICE, held.fetch(Role.ALICE))))
    assert held.go().standing.held_until == until


def test_the_same_wish_again_asks_nothing_again(held: Operated) -> None:
    data = wish.sign(held.table.keys[Role.ALICE], held.matter, "late")
    held.post(Role.ALICE, data)
    held.go()
    held.post(Role.ALICE, answer_file.encode(held.table.said(Role.ALICE, held.fetch(Role.ALICE))))
    held.go()
    held.post(Role.ALICE, data)
    held.go()
    assert held.kinds().count("late") == 1


@pytest.mark.parametrize("signer", [Role.BOB, Role.COURT])
def test_a_wish_that_alice_has_not_signed_is_refused(held: Operated, signer: Role) -> None:
    posted = held.post(Role.ALICE, wish.sign(held.table.keys[signer], held.matter, "late"))
    held.go()
    receipt = held.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    assert "late" not in held.kinds()


def test_a_wish_that_comes_while_bob_must_answer_is_granted_when_he_has(held: Operated) -> None:
    held.clock.now += DAY
    held.until(Role.BOB, "labels")
    held.post(Role.ALICE, wish.sign(held.table.keys[Role.ALICE], held.matter, "clawback"))
    held.go()
    assert "clawback" not in held.kinds()
    held.answer(Role.BOB)
    held.go()
    assert held.kinds()[-1] == "clawback"


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_process_that_is_killed_right_after_it_has_asked_does_not_ask_again(
    held: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.post(Role.ALICE, wish.sign(held.table.keys[Role.ALICE], held.matter, "late"))
    with held.run().opened() as at:
        at._take()
        with monkeypatch.context() as patched:
            patched.setattr(Wishes, "drop", _interrupted)
            with pytest.raises(KeyboardInterrupt):
                at.wishes.grant(at.office, print)
    assert held.kinds().count("late") == 1
    held.go()
    held.post(Role.ALICE, answer_file.encode(held.table.said(Role.ALICE, held.fetch(Role.ALICE))))
    held.go()
    assert held.kinds().count("late") == 1
