"""People's names instead of Alice, Bob and Trent, in what people read of a verdict.

Our sentences are written with the paper's names, and told through a `Telling`, which puts those that the record's
caption states in their place: "Jo Smith (Bob)" where somebody is first mentioned, "Jo Smith" from then on. The court
stays "the court". Nobody checks a name: the page and the summary say whose statement it is.

A stranger's words stay as they are: in a text those that stand in quotes, as Python writes them, and on a page those in
`bdi` elements. Whatever else strangers wrote must not go through it.
"""

import re
from collections.abc import Mapping
from html import escape

from verifier.checks import Role
from verifier.plain import harmless
from verifier.replay.contents import Opened

LONGEST = 60
"""Characters of a name that are shown in a sentence; the caption itself is shown in full."""

_ROLES = {role.called: role for role in (Role.ALICE, Role.BOB, Role.TRENT)}
_QUOTED = r"""(?<!\w)(?P<quote>'|"|&#x27;|&quot;)(?:\\.|(?!(?P=quote))[^\\])*(?:(?P=quote)|\Z)"""
_MENTION = rf"(?<![\w./\\-])(?P<role>{'|'.join(_ROLES)})(?![\w/\\-]|\.\w)(?P<possessive>'s|&#x27;s)?(?P<stop>\.(?!\w))?"
_FOUND = re.compile(f"{_QUOTED}|{_MENTION}")
_CONFUSING = re.compile(rf"\b({'|'.join(_ROLES)}|court)\b", re.IGNORECASE)
_TAG = re.compile(r"(<[^>]*>)")
_LEFT_ALONE = ("bdi", "code", "dt", "style", "svg", "title")
"""Elements whose text stays: strangers' words, codes, the names of terms, and drawings, which have no room for more."""


class Telling:
    """One text that a person reads from its start. It knows who was mentioned already."""

    def __init__(self, names: Mapping[Role, str] | None) -> None:
        self._names = {role: _short(name) for role, name in (names or {}).items()}
        self._introduced: set[Role] = set()
        self._is_page = False

    def said(self, words: str) -> str:
        """A text of ours, with names for roles."""
        return _FOUND.sub(self._mention, words) if self._names else words

    def page(self, html: str) -> str:
        """A page that was made here, with names for roles in its text."""
        if not self._names:
            return html
        self._is_page = True
        inside: list[str] = []
        told = []
        for piece in _TAG.split(html):
            if piece.startswith("<"):
                name = re.split(r"[\s>]", piece.lstrip("</"), maxsplit=1)[0]
                if name in _LEFT_ALONE:
                    inside = inside[:-1] if piece.startswith("</") else [*inside, name]
                told.append(piece)
            else:
                told.append(piece if inside else self.said(piece))
        return "".join(told)

    def _mention(self, found: re.Match[str]) -> str:
        called, possessive, stop = found["role"], found["possessive"] or "", found["stop"] or ""
        role = _ROLES.get(called)
        name = self._names.get(role) if role else None
        if role is None or not name:  # quoted, or without a name
            return found[0]
        shown = f"<bdi>{escape(name)}</bdi>" if self._is_page else name
        if role in self._introduced and not self._confuses(role):
            return f"{shown}{possessive}" + ("" if name.endswith(".") and not possessive else stop)
        self._introduced.add(role)
        return f"{shown}{possessive} ({called}{possessive}){stop}"

    def _confuses(self, role: Role) -> bool:
        """Whether a name alone could be taken for somebody else's, or for a role."""
        name = self._names[role]
        return bool(_CONFUSING.search(name)) or sum(each == name for each in self._names.values()) > 1


def telling(opened: Opened | None) -> Telling:
    """A text about a matter that begins here, with the names that its opening states, if it could be read."""
    return Telling(opened.caption.names if opened and opened.caption else None)


def _short(name: str) -> str:
    """The party alone: a caption often names its counsel, too ("J. Doe, by Roe & Roe")."""
    plain = harmless(" ".join(name.split())).partition(", by ")[0]
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST].rstrip()}…"
