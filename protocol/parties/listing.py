"""Labels and rulings, document by document, as a person is shown them before they are signed."""

from collections.abc import Iterator, Mapping

from ledger.plain import shown
from protocol.parties.view import Document

RESPONSIVE = {True: "responsive", False: "not responsive"}
UPHELD = {True: "upheld", False: "overruled"}

_SPACE = " " * 15


def labels(said: Mapping[int, bool], listed: Mapping[int, Document]) -> Iterator[str]:
    """How many of each kind, and which: those of the kind that is rarer, since all others are of the other kind."""
    responsive = [position for position, label in sorted(said.items()) if label]
    rest = [position for position, label in sorted(said.items()) if not label]
    yield f"You say        {len(responsive)} responsive, {len(rest)} not responsive"
    rarer, is_label = (responsive, True) if len(responsive) <= len(rest) else (rest, False)
    if rarer:
        yield f"{_SPACE}{RESPONSIVE[is_label]}:"
    for position in rarer:
        yield f"{_SPACE}  {_document(position, listed)}"
    if said:
        yield f"{_SPACE}{'all others' if rarer else 'all'}: {RESPONSIVE[not is_label]}"


def rulings(said: Mapping[int, bool], listed: Mapping[int, Document], words: Mapping[bool, str]) -> Iterator[str]:
    """Every ruling with its document."""
    counted = ", ".join(f"{sum(label is ruled for label in said.values())} {word}" for ruled, word in words.items())
    yield f"You rule       {counted}"
    for position, ruled in sorted(said.items()):
        yield f"{_SPACE}{words[ruled]}: {_document(position, listed)}"


def claims(said: Mapping[int, str], listed: Mapping[int, Document]) -> Iterator[str]:
    """Every claim of privilege with its basis."""
    if said:
        yield f"Privileged     you claim it for {len(said)} document{'' if len(said) == 1 else 's'}:"
    for position, basis in sorted(said.items()):
        yield f"{_SPACE}{_document(position, listed)}: {shown(basis)}"


def _document(position: int, listed: Mapping[int, Document]) -> str:
    return f"{position}, {shown(listed[position].name) or 'without a name'}"
