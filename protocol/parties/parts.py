"""Parts of documents in what a party decides: whether they may be claimed or upheld, and how a person reads of them."""

from collections.abc import Iterable, Mapping, Sequence

from protocol.matter.decisions import Decisions
from protocol.parties.errors import NotAnswered
from protocol.parties.view import Document


def check(documents: Mapping[int, Document], decisions: Decisions) -> None:
    """Raise if parts are claimed that are not there, or upheld that are not claimed: either would be held against the
    party. How many parts a document has is proven.
    """
    for position, parts in (decisions.claimed_parts or {}).items():
        has = len(documents[position].parts)
        if not set(parts) < set(range(has)):
            raise NotAnswered(
                f"the claim for position {position} names {_listed(parts)}, but the document has {has} "
                f"part{'' if has == 1 else 's'}, counted from 0. Name some of them, or claim the whole document"
            )
    upheld = decisions.upheld_parts or {}
    for position, kept in (decisions.upheld or {}).items():
        claimed, parts = documents[position].claimed, upheld.get(position, ())
        if not set(parts) <= set(claimed) or (claimed and kept and not parts):
            raise NotAnswered(
                f"at position {position} Alice claims {_listed(claimed)}: the court can uphold these, or some of them, "
                f"or none. The ruling upholds {_listed(parts)}"
            )


def _listed(parts: Sequence[int]) -> str:
    if not parts:
        return "no part"
    return f"part{'' if len(parts) == 1 else 's'} {', '.join(map(str, parts))}"


def named(document: Document, parts: Iterable[int]) -> str:
    """Parts by number and name."""
    known = dict(enumerate(document.parts))
    return ", ".join(f"part {part} ({known.get(part, 'which the document does not have')})" for part in parts)


def with_basis(document: Document, basis: str, parts: Sequence[int]) -> str:
    """The basis of a claim, with the parts that it is for if it is not for the whole document."""
    return f"{basis} ({named(document, parts)} only)" if parts else basis


def counted(claims: int, partly: int) -> str:
    """How many of some claims are for parts, behind the number of claims."""
    if not partly:
        return ""
    return f", {'all' if partly == claims else f'{partly} of them'} for parts only"
