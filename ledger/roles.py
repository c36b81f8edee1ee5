"""Who signs, and who may read."""

from enum import StrEnum


class Role(StrEnum):
    """The four who hold keys."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    TRENT = "trent"


class Audience(StrEnum):
    """For whom a copy is cut. Trent keeps the matter itself, so he is no audience."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    PUBLIC = "public"
