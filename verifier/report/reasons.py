"""Why Bob was shown each document: what the rule and the coins say, as replayed, not as anybody claims."""

from collections import Counter
from enum import StrEnum

from verifier.replay.rounds import RoundDetail
from verifier.rules.verification import ALL_COINS


class Reason(StrEnum):
    """Why a position was shown, or that it was not."""

    CERTAIN = "certain"  # by the rule, whatever the coins
    COIN = "by coin"
    COMPELLED = "compelled"  # with the whole batch
    SEALED = "shown, reason sealed"  # where the copy does not show Alice's report
    HIDDEN = "not shown"


SHOWN = (Reason.CERTAIN, Reason.COIN, Reason.COMPELLED, Reason.SEALED)


def reasons(detail: RoundDetail) -> dict[int, Reason]:
    """Each position's reason. A document that a coin drew counts as drawn even if the whole batch came later."""
    shown = {position for wave in detail.waves for position in wave}
    examined = detail.examined
    found = {}
    for position in range(1, detail.size + 1):
        if position not in shown:
            found[position] = Reason.HIDDEN
        elif examined is None:
            found[position] = Reason.SEALED
        elif position in examined.drawn:
            found[position] = Reason.COIN
        elif _is_certain(detail, position):
            found[position] = Reason.CERTAIN
        else:
            found[position] = Reason.COMPELLED
    return found


def _is_certain(detail: RoundDetail, position: int) -> bool:
    """Whether the rule shows it whatever the coins: above the cut-off, reported responsive, or all is shown."""
    examined, report = detail.examined, detail.report
    if examined is None or report is None:
        return False
    reveals_all = not examined.chances and examined.compelled_at is None
    return reveals_all or position <= examined.threshold or report.labels[position - 1] is True


def because(detail: RoundDetail, position: int, reason: Reason) -> str:
    """One position's reason in words, with its coin and chance."""
    examined = detail.examined
    match reason:
        case Reason.COIN if examined is not None:
            chance = examined.chances[position]
            return (
                f"drawn by coin: coin {share(detail.coins[position - 1])}, drawn if below "
                f"{share(chance)} (a chance of {percent(chance)})"
            )
        case Reason.CERTAIN if examined is not None:
            if position <= examined.threshold:
                return f"certain: at or above the cut-off (position {examined.threshold})"
            return "certain: Alice reported it responsive" if examined.chances else "certain: the rule shows it"
        case Reason.COMPELLED if examined is not None and examined.compelled_at is not None:
            return f"compelled: the whole batch was due after position {examined.compelled_at}"
    return str(reason)


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
