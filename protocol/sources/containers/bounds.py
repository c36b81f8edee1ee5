"""Bounds on what comes out of an archive, so that one of a few bytes cannot fill a machine."""

import re
from collections.abc import Iterator
from typing import IO

from protocol.sources.limits import Limits
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause
from protocol.sources.text import replace_surrogates

PIECE = 2**20
LONGEST_NAME = 1000
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe_name(name: str) -> str:
    """A member's name as a place in the source: never a way out of it, and fit to be shown.

    It is never used as a path on this machine.
    """
    shown = _UNSHOWN.sub("\ufffd", replace_surrogates(name)[0].replace("\\", "/"))
    steps = [step for step in shown.split("/") if step not in ("", ".")]
    joined = "/".join("\ufffd\ufffd" if step == ".." else step for step in steps)
    return joined[:LONGEST_NAME] + ("..." if len(joined) > LONGEST_NAME else "") or "without a name"


def pieces(stream: IO[bytes], packed: int | None, limits: Limits) -> Iterator[bytes]:
    """What a packed stream holds, until it is larger than a file may be, or than its packed bytes allow."""
    size = 0
    while piece := stream.read(PIECE):
        size += len(piece)
        check_size(size, packed, limits)
        yield piece


def check_size(size: int, packed: int | None, limits: Limits) -> None:
    """Refuse a size that a file may not have, or that is too much for so few packed bytes."""
    if packed is not None and size > max(limits.exempt, limits.ratio * packed):
        detail = f"it unpacks to more than {limits.ratio} times its packed size; unpack it by hand if it is harmless"
        raise Unextractable(Cause.TOO_LARGE, detail)
