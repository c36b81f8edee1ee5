"""Who signs, and who may read."""

from collections.abc import Iterable
from enum import StrEnum


class Role(StrEnum):
    """The four who hold keys."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    TRENT = "trent"

    @property
    def called(self) -> str:
        """In a sentence for people; files and scripts have the value."""
        return "the court" if self is Role.COURT else self.capitalize()


class Audience(StrEnum):
    """For whom a copy is cut. Trent keeps the matter itself, so he is not an audience."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    PUBLIC = "public"

    @property
    def called(self) -> str:
        """In a sentence for people; files and scripts have the value."""
        return "the public" if self is Audience.PUBLIC else Role(self).called


def listed(roles: Iterable[Role]) -> str:
    """Several in a row, for people."""
    *others, last = (role.called for role in roles)
    return f"{', '.join(others)} and {last}" if others else last
