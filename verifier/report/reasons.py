"""Why Bob was shown each document: what the rule and the coins say, as replayed, not as anybody claims."""

from collections import Counter
from enum import StrEnum

from verifier.replay.rounds import RoundDetail
from verifier.rules.base import ALL_COINS


class Reason(StrEnum):
    """Why a position was shown, or that it was not."""

    CERTAIN = "certain"  # by the rule, whatever the coins
    COIN = "by coin"
    COMPELLED = "compelled"  # with the whole batch
    ORDERED = "by order"  # with the whole batch, since Alice did not report
    SEALED = "shown, reason sealed"  # where the copy does not show Alice's report
    UNREAD = "shown, unread"  # whatever brought it to Bob, he did not label it
    WITHHELD = "withheld"  # as privileged, by the court
    HIDDEN = "not shown"


SHOWN = (Reason.CERTAIN, Reason.COIN, Reason.COMPELLED, Reason.ORDERED, Reason.SEALED, Reason.UNREAD)


def reasons(detail: RoundDetail) -> dict[int, Reason]:
    """Each position's reason. A document that a coin drew counts as drawn even if the whole batch came later."""
    shown = {position for wave in detail.waves for position in wave}
    return {
        position: _reason_shown(detail, position) if position in shown else _reason_kept(detail, position)
        for position in range(1, detail.size + 1)
    }


def _reason_kept(detail: RoundDetail, position: int) -> Reason:
    return Reason.WITHHELD if position in detail.withheld else Reason.HIDDEN


def _reason_shown(detail: RoundDetail, position: int) -> Reason:
    examined = detail.examined
    if position in detail.unread:
        return Reason.UNREAD
    if not detail.reported:
        return Reason.ORDERED
    if examined is None:
        return Reason.SEALED
    if position in examined.drawn:
        return Reason.COIN
    return Reason.CERTAIN if position in detail.certain else Reason.COMPELLED


def because(detail: RoundDetail, position: int, reason: Reason) -> str:
    """One position's reason in words, with its coin and chance."""
    examined = detail.examined
    match reason:
        case Reason.ORDERED:
            return "by order: Alice did not report, so the whole batch was due"
        case Reason.COIN if examined is not None:
            return _by_coin(detail.coins[position - 1], examined.chances[position])
        case Reason.CERTAIN:
            return f"certain: {detail.certain[position]}"
        case Reason.COMPELLED if examined is not None and examined.compelled_at is not None:
            return f"compelled: the whole batch was due after position {examined.compelled_at}"
    return str(reason)


def _by_coin(coin: int, chance: int) -> str:
    if coin >= chance:
        return "counts as drawn: Alice claimed it as privileged after the coins were fixed"
    return f"drawn by coin: coin {share(coin)}, drawn if below {share(chance)} (a chance of {percent(chance)})"


def share(coins: int) -> str:
    """A coin, or a number of coins, as a share of all coins."""
    return f"{coins / ALL_COINS:.6f}"


def percent(coins: int) -> str:
    """A chance for a person to read, never rounded to certain or to impossible."""
    if coins >= ALL_COINS:
        return "100 %"
    value = 100 * coins / ALL_COINS
    return f"{min(value, 99.9):.1f} %" if value >= 0.1 else f"{value:.2g} %"


def counts(found: dict[int, Reason]) -> Counter[Reason]:
    """How many positions have each reason."""
    return Counter(found.values())


def ranges(positions: list[int]) -> str:
    """Ascending positions as ranges: 1 to 4 in short, and 7."""
    parts: list[list[int]] = []
    for position in positions:
        if parts and parts[-1][1] == position - 1:
            parts[-1][1] = position
        else:
            parts.append([position, position])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in parts)  # noqa: RUF001
