"""A preview laid out for a terminal, without characters that control one."""

import textwrap
from collections.abc import Iterator, Sequence

from ledger.plain import shown
from protocol.parties.facts import Fact
from protocol.parties.preview import DocumentRow, Preview

_WIDTH = 95
_NAME = 15
_SPACE = " " * (2 + _NAME)


def lines(preview: Preview) -> list[str]:
    """The lines to print."""
    rows = preview.documents
    found = [preview.heading, "", *_facts(preview.facts), *(["  Documents"] if rows else [])]
    found += _labels([row for row in rows if row.label], in_full=preview.in_full)
    found += [*_claims(rows), *_facts(preview.signature)]
    if preview.parties:
        found += ["", "The parties and the fingerprints of their keys:", ""]
    for party in preview.parties:
        found += [f"  {shown(party.called)}", f"      {party.fingerprint}{'   (your key)' if party.own else ''}"]
    return [*found, *([""] if preview.remarks else []), *map(shown, preview.remarks)]


def _facts(facts: Sequence[Fact]) -> Iterator[str]:
    for fact in facts:
        wrapped = [part for line in (fact.words, *fact.more) for part in _wrapped(line)]
        yield f"  {shown(fact.name):<{_NAME}}{wrapped[0]}"
        yield from (f"{_SPACE}{line}" for line in wrapped[1:])


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(shown(line), _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]


def _labels(rows: Sequence[DocumentRow], *, in_full: bool) -> Iterator[str]:
    """Each label with its document; or only those with the rarer label, since all others have the other one."""
    kinds = sorted({row.label for row in rows}, key=lambda label: sum(row.label == label for row in rows))
    if in_full:
        yield from (f"{_SPACE}{row.label}: {_named(row)}" for row in rows)
    elif len(kinds) == 1:
        yield f"{_SPACE}all: {kinds[0]}"
    elif kinds:
        rarer, other = kinds
        yield f"{_SPACE}{rarer}:"
        yield from (f"{_SPACE}  {_named(row)}" for row in rows if row.label == rarer)
        yield f"{_SPACE}all others: {other}"


def _claims(rows: Sequence[DocumentRow]) -> Iterator[str]:
    for row in rows:
        if row.claim:
            yield f"{_SPACE}privileged: {_named(row)}: {shown(row.claim)}"
        if row.reason:
            yield f"{_SPACE}reason: {_named(row)}: {shown(row.reason)}"
        if row.sensitive:
            yield f"{_SPACE}class {shown(row.sensitive)}: {_named(row)}"


def _named(row: DocumentRow) -> str:
    return f"{row.position}, {shown(row.name) or 'without a name'}"
