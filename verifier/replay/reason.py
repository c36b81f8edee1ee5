"""Why a document was due to Bob, or was not: what the rule and the coins say, as replayed, not as anybody claims.

Every explanation of why Bob saw a document comes from here.
"""

from enum import StrEnum

from verifier.replay.detail import RoundDetail
from verifier.replay.rounds import Sort
from verifier.rules.base import ALL_COINS

_WHERE = {
    Sort.BATCH: "",
    Sort.ESCALATION: " from all that was withheld",
    Sort.VALIDATION: " from the whole collection",
}


class Reason(StrEnum):
    """Why a position was due to Bob, or was not."""

    CERTAIN = "certain"  # by the rule, whatever the coins: `RoundDetail.certain` says why
    COIN = "drawn by coin"
    LATE = "late claim"  # counts as drawn
    GIVEN_UP = "given up"  # by Alice, in her second look
    COMPELLED = "compelled"  # with the whole batch
    ORDERED = "ordered"  # with the whole batch, or with all that was called, since Alice did not report
    UNKNOWN = "unknown"  # while the round is open, or if the copy does not show Alice's report
    NOT_DRAWN = "not drawn"


def reason(detail: RoundDetail, position: int) -> Reason:
    """A position's reason. A document that a coin drew counts as drawn even if the whole batch came later."""
    examined = detail.examined
    if position in detail.given_up:
        return Reason.GIVEN_UP
    if not detail.reported and detail.sort is not Sort.ESCALATION:
        return Reason.ORDERED
    if examined is None:
        return Reason.UNKNOWN
    if position in detail.certain:
        return Reason.CERTAIN
    if position in examined.drawn:
        by_coin = detail.coins[position - 1] < examined.chances[position]
        return Reason.COIN if by_coin else Reason.LATE
    return Reason.NOT_DRAWN if examined.compelled_at is None else Reason.COMPELLED


def because(detail: RoundDetail, position: int) -> str:
    """A position's reason in words, with its coin and chance."""
    examined = detail.examined
    match reason(detail, position):
        case Reason.ORDERED:
            what = "the whole batch" if detail.sort is Sort.BATCH else "all that was called"
            return f"by order: Alice did not report, so {what} was due"
        case Reason.GIVEN_UP:
            return "given up: Alice named it in her second look"
        case Reason.CERTAIN:
            return f"certain: {detail.certain[position]}"
        case Reason.COIN if examined is not None:
            return f"drawn by coin{_WHERE[detail.sort]}: {_thrown(detail, position, examined.chances[position])}"
        case Reason.LATE:
            return "counts as drawn: Alice claimed it as privileged after the coins were fixed"
        case Reason.COMPELLED if examined is not None:
            return f"compelled: the whole batch was due after position {examined.compelled_at}"
        case Reason.NOT_DRAWN if examined is not None and position in examined.chances and detail.coins:
            return f"not drawn, so not due: {_thrown(detail, position, examined.chances[position])}"
        case Reason.NOT_DRAWN:
            return "no coin decided about it, and it was not due"
    return "sealed in this copy"


def _thrown(detail: RoundDetail, position: int, chance: int) -> str:
    coin = share(detail.coins[position - 1])
    return f"coin {coin}, drawn if below {share(chance)} (a chance of {percent(chance)})"


def share(coins: int) -> str:
    """A coin, or a number of coins, as a share of all coins."""
    return f"{coins / ALL_COINS:.6f}"


def percent(coins: int) -> str:
    """A chance for a person to read, never rounded to certain or to impossible."""
    if coins >= ALL_COINS:
        return "100 %"
    value = 100 * coins / ALL_COINS
    return f"{min(value, 99.9):.1f} %" if value >= 0.1 else f"{value:.2g} %"
