"""What a source gives: families. A mail with its attachments is one, and a file with nothing in it is one, too."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.sources.parts import Note

TOKEN = re.compile("[0-9A-Za-z\x80-\U0010ffff]")
"""What an empty text has none of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a family: its bytes, its text, and its place."""

    index: int
    """Its place in the family. A part comes before the parts inside it, and these before its next sibling."""
    parent: int | None
    """The place of the part that it is in; only the first part has none."""
    name: str
    content: bytes
    kind: str
    text: str
    tool: str = ""
    options: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    """What could not be read, or not properly. A part that could not be read at all has no text and a note."""
    pages: int | None = None
    images: tuple[bytes, ...] = ()
    """Of a PDF, pictures of its first pages, for reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A file with everything in it, as it was found at one place of a source."""

    path: str
    """Its place in the source, with the containers that it is in. Two families never have the same."""
    parts: tuple[Part, ...]
    custodian: str = ""
    """Whose it is, where its parts do not say."""
    merges: bool = True
    """Whether it may be a duplicate of another: not if something of it is missing."""

    @property
    def is_empty(self) -> bool:
        """Whether no part has a letter or a digit in its text."""
        return not any(TOKEN.search(part.text) for part in self.parts)
