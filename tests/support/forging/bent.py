"""An entry of a matter, bent before the state is told of it. A value that can be called is given the one before."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from ledger.entries import Opening
from protocol.matter.kind import Entry
from protocol.matter.state import Matter

Change = Callable[[Matter, Entry], Entry]


def saying(**content: Any) -> Change:
    """The entry with other content."""

    def change(state: Matter, entry: Entry) -> Entry:
        said = entry.statement
        values = {name: value(said.content[name]) if callable(value) else value for name, value in content.items()}
        return replace(entry, statement=msgspec.structs.replace(said, content=said.content | values))

    return change


def of(**fields: Any) -> Change:
    """The entry with another frame."""
    return lambda state, entry: replace(entry, statement=msgspec.structs.replace(entry.statement, **fields))


def around(**fields: Any) -> Change:
    """The entry with other asks, releases or openings."""
    return lambda state, entry: replace(
        entry, **{name: value(getattr(entry, name)) if callable(value) else value for name, value in fields.items()}
    )


def opened(entry: Entry) -> tuple[Opening, ...]:
    """The openings of an entry that has them all."""
    assert entry.openings is not None
    return entry.openings
