"""Which release of this program is at work, so that a party can install the same one and check it."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution
from urllib.parse import unquote

NAME = "tallystick"

_SHA256 = re.compile("[0-9a-f]{64}")
_WHEEL = re.compile(rf"{NAME}-[0-9A-Za-z.+!_]+-py3-none-any\.whl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A version, the file that it is installed from, and the file's hash, which is empty if it is not known."""

    version: str
    wheel: str
    sha256: str = ""


@cache
def installed() -> Release:
    """The release that runs. What installed it has noted the wheel and its hash, unless it came from a folder."""
    return noted(distribution(NAME))


def noted(found: Distribution) -> Release:
    """What an installation says of itself in `direct_url.json`; its usual name where it does not say."""
    usual = f"{NAME}-{found.version}-py3-none-any.whl"
    try:
        told = json.loads(found.read_text("direct_url.json") or "{}")
        name = unquote(str(told["url"]).rpartition("/")[2])
        value = str(told["archive_info"]["hashes"]["sha256"])
    except (KeyError, TypeError, ValueError):
        return Release(version=found.version, wheel=usual)
    is_wheel = _WHEEL.fullmatch(name) and _SHA256.fullmatch(value)
    return Release(version=found.version, wheel=name, sha256=value) if is_wheel else Release(
        version=found.version, wheel=usual
    )  # fmt: skip
