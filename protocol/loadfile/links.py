r"""From a link in a load file to a file of the volume, and to no file outside it.

A link is a path from the volume's folder, in which the parts are separated by `\` or `/`. Case may differ from the
file system's, the volume's own name may stand before it, and a single `\` before it means the volume's folder.
"""

import os
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from ledger.plain import shown
from protocol.loadfile.lines import FlawKind

_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:")


class BadLink(Exception):
    """Why a link leads to no file of the volume."""

    def __init__(self, kind: FlawKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Volume:
    """The folder that the links of a load file begin in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._resolved = root.resolve()
        self._listing = lru_cache(maxsize=64)(_listing)

    def find(self, link: str) -> Path:
        """The file that a link leads to. Raises `BadLink` if it leads to none, or outside."""
        told = shown(link if len(link) <= 200 else link[:200] + "...")
        names = [each for each in re.split(r"[\\/]", link.strip()) if each not in ("", ".")]
        if _ABSOLUTE.match(link.strip()):
            raise BadLink(FlawKind.REFUSED_LINK, f"{told} is an absolute path; links begin in the volume's folder")
        if ".." in names:
            raise BadLink(FlawKind.REFUSED_LINK, f"{told} leads upwards; links stay in the volume's folder")
        if not names or any(not each.isprintable() for each in names):
            raise BadLink(FlawKind.REFUSED_LINK, f"{told!r} is not a path")
        found = self._walk(names)
        if found is None and len(names) > 1 and _folded(names[0]) == _folded(self._resolved.name):
            found = self._walk(names[1:])
        if found is None:
            raise BadLink(FlawKind.MISSING_FILE, f"{told} does not exist in {shown(self._resolved.name)}")
        if not self._holds(found):
            raise BadLink(FlawKind.REFUSED_LINK, f"{told} is, or goes through, a symbolic link to a place outside")
        if not found.is_file():
            raise BadLink(FlawKind.MISSING_FILE, f"{told} is not a file")
        return found

    def _holds(self, path: Path) -> bool:
        """Whether a path is in the volume, with every symbolic link followed."""
        try:
            return path.resolve().is_relative_to(self._resolved)
        except (OSError, RuntimeError):  # links in a circle
            return False

    def _walk(self, names: list[str]) -> Path | None:
        """The path with these names, whatever their case."""
        exact = self.root.joinpath(*names)
        if os.path.lexists(exact):
            return exact
        path = self.root
        for name in names:
            if not os.path.lexists(path / name):
                found = self._listing(path).get(_folded(name), ())
                if len(found) > 1:
                    listed = ", ".join(shown(each) for each in sorted(found)[:3])
                    raise BadLink(FlawKind.MISSING_FILE, f"{shown(name)} may be each of {listed}")
                if not found:
                    return None
                name = found[0]
            path /= name
        return path


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _listing(folder: Path) -> dict[str, tuple[str, ...]]:
    """The names in a folder, by what they are without case; none if it is no folder or cannot be read."""
    found: dict[str, tuple[str, ...]] = {}
    try:
        names = [each.name for each in folder.iterdir()]
    except OSError:
        return {}
    for name in names:
        found[_folded(name)] = (*found.get(_folded(name), ()), name)
    return found
