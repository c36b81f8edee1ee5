"""Names in a package that some system takes for something else: for a device, another place, or another file.

The client reads a package by the exact names that Trent signed. But people unpack it with other programs, on disks that
do not tell capitals or full-width letters apart, and read what they find there. If one file could take the place of
another, they would read one page while the client proves another. So such a package is refused.
"""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from ledger.plain import shown
from protocol.parties.errors import BadQuestion

_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    "CONIN$",
    "CONOUT$",
    *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10)),
}
_SHORT = re.compile(r"[^.]{1,6}~[0-9](\.[^.]{1,3})?")
_ADVICE = "Open nothing in it, and ask for the question again; or, if you have put the file there, move it elsewhere"


def check(path: Path, names: Iterable[str]) -> None:
    """Raise if a name in the package at `path` is not what it looks like. The name of a folder ends with a slash."""
    seen: dict[str, tuple[str, bool]] = {}
    for each in names:
        parts = each.removesuffix("/").split("/")
        for depth, part in enumerate(parts, start=1):
            found = "/".join(parts[:depth]), depth < len(parts) or each.endswith("/")
            known = seen.setdefault(_folded(found[0]), found)
            if known != found:
                both = f"{shown(known[0])} and {shown(found[0])}"
                raise BadQuestion(f"{path} holds {both}, which are one file on some systems. {_ADVICE}")
            if trouble := _trouble(part):
                raise BadQuestion(f"{path}: {shown(each)} {trouble}. {_ADVICE}")


def _folded(name: str) -> str:
    """The same for names that any system takes for one: whatever their capitals and their form in Unicode."""
    return _normal(_normal(name).casefold())


def _normal(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _trouble(part: str) -> str:
    """What is wrong with one part of a path, or an empty text."""
    normal = _normal(part)
    if part != shown(part):
        return "has a name with characters that cannot be seen"
    if not part or any(each in normal and each not in part for each in "/\\:"):
        return "has a name that leads to another place on some systems"
    if normal != normal.rstrip(". "):
        return "has a name that ends in a dot or a blank, which Windows leaves out"
    if normal.split(".")[0].rstrip().upper() in _DEVICES:
        return "has the name of a device, which Windows keeps for itself"
    if _SHORT.fullmatch(normal):
        return "has a name that may be the short name of another file on Windows"
    return ""
