"""How two parts or documents are alike. A party reads this on a machine without numpy."""

from enum import StrEnum


class Likeness(StrEnum):
    """In the order of the columns of `alike.npy`."""

    EQUAL = "equal"  # the same bytes
    NEAR = "near"  # nearly the same text
