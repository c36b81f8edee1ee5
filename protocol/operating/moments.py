"""Points and lengths of time for people."""

from datetime import UTC, datetime

_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"))


def moment(seconds: int) -> str:
    """A point of time by Trent's clock."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return f"time {seconds}"


def length(seconds: int) -> str:
    """About how long something lasts."""
    for size, name in _UNITS:
        if seconds >= size:
            number = seconds // size
            return f"{number} {name}{'' if number == 1 else 's'}"
    return "less than a minute"
