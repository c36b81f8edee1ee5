"""People's names instead of Alice, Bob and Trent, in what people read.

The paper's names stay in the code, in the records and wherever no caption names the parties. Our sentences are written
with them, and told through a `Telling`, which puts the caption's names in their place: "Jo Smith (Bob)" where somebody
is first mentioned, "Jo Smith" from then on. The court stays "the court".

Only our own words go through it. A stranger's words, such as the name of a document or a reason, must not: they would
be shown otherwise than they are. Where they stand in quotes, as Python writes them, they are left alone.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ledger.plain import shown
from ledger.roles import Role
from protocol.matter.values import Caption

LONGEST = 60
"""Characters of a name that are shown in a sentence; the caption itself is shown in full."""

_ROLES = {role.called: role for role in (Role.ALICE, Role.BOB, Role.TRENT)}
_QUOTED = r"""(?<!\w)(?P<quote>'|")(?:\\.|(?!(?P=quote))[^\\])*(?:(?P=quote)|\Z)"""
_MENTION = rf"(?<![\w./\\-])(?P<role>{'|'.join(_ROLES)})(?![\w/\\-]|\.\w)(?P<possessive>'s)?(?P<stop>\.(?!\w))?"
_FOUND = re.compile(f"{_QUOTED}|{_MENTION}")
_CONFUSING = re.compile(rf"\b({'|'.join(_ROLES)}|court)\b", re.IGNORECASE)


class Telling:
    """One text that a person reads from its start: a file, a screen, a page. It knows who was mentioned already."""

    def __init__(self, caption: Caption | None) -> None:
        self._names = {} if caption is None else {role: _short(caption.names.get(role, "")) for role in Role}
        self._introduced: set[Role] = set()

    def introduced(self, role: Role) -> str:
        """A party by its name and its role; the role alone if it has no name."""
        self._introduced.add(role)
        name = self._names.get(role)
        return f"{name} ({role.called})" if name else role.called

    def called(self, role: Role) -> str:
        """A party by its name, with the role at the first mention; the court is the court."""
        return self.said(role.called)

    def said(self, words: str) -> str:
        """A sentence of ours, with names for roles."""
        return _FOUND.sub(self._mention, words) if self._names else words

    def _mention(self, found: re.Match[str]) -> str:
        called, possessive, stop = found["role"], found["possessive"] or "", found["stop"] or ""
        role = _ROLES.get(called)
        name = self._names.get(role) if role else None
        if role is None or not name:  # quoted, or without a name
            return found[0]
        if role in self._introduced and not self._confuses(role):
            return f"{name}{possessive}" + ("" if name.endswith(".") and not possessive else stop)
        self._introduced.add(role)
        return f"{name}{possessive} ({called}{possessive}){stop}"

    def _confuses(self, role: Role) -> bool:
        """Whether a name alone could be taken for somebody else's, or for a role."""
        name = self._names[role]
        return bool(_CONFUSING.search(name)) or sum(each == name for each in self._names.values()) > 1


@contextmanager
def errors_told(
    caption: Caption | None, sort: type[Exception], *, but: type[Exception] | tuple[()] = ()
) -> Iterator[None]:
    """Errors of this sort name people; their messages must be our own words, without paths."""
    try:
        yield
    except but:
        raise
    except sort as error:
        error.args = (Telling(caption).said(str(error)),)
        raise


def introduced(caption: Caption | None, role: Role | str) -> str:
    """A party by its name and its role, as in "Meridian Energy (Bob)"."""
    return Telling(caption).introduced(Role(role))


def _short(name: str) -> str:
    """The party alone: a caption often names its counsel, too ("J. Doe, by Roe & Roe")."""
    plain = shown(" ".join(name.split())).partition(", by ")[0]
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST].rstrip()}…"
