"""Trent's list for Alice: what in a question is like something that she has claimed or labelled, or holds her terms.

The list is made from what she knows herself: her own labels and claims, and what the court ruled on them.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.canonical import Value
from protocol.corpus.likeness import Likeness
from protocol.exchange import candidates
from protocol.exchange.candidates import Searched
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.parties.alike import Alike, Other, Reason, covers

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus

COMMON = 20
"""A part without a text that stands in more documents than this is no sign of anything: it is a logo, not a memo."""

_SHORTENED = 200
_LABELLED = {True: "which you labelled responsive", False: "which you labelled not responsive"}
_RULED = {True: "which the court ruled responsive", False: "which the court ruled not responsive"}

Group = tuple[Likeness, int]


@dataclass(slots=True, kw_only=True)
class _Past:
    """What was said of a document that she has been asked about before."""

    round: int
    position: int
    claim: Value = None
    upheld: bool = False
    label: bool | None = None
    ruled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A document as a whole, or a part of one. The only part of a document is the document."""

    document: int
    part: int | None
    whole: bool
    equal: Group
    near: Group
    position: int = 0  # in the question; 0: it was met in an earlier round


class _Named:
    """What is named already beside one document: what the whole is like, its parts are like, and vice versa."""

    def __init__(self) -> None:
        self.nodes: set[_Node] = set()
        self._by_whole: set[int] = set()
        self._by_part: set[int] = set()

    def new(self, node: _Node, others: Iterable[_Node]) -> list[_Node]:
        """Those of the others that a row is still worth."""
        known = self._by_whole | (self._by_part if node.whole else set())
        return [] if node in self.nodes else [each for each in others if each.document not in known]

    def add(self, node: _Node, other: _Node) -> None:
        """A row says that the one is like the other."""
        self.nodes.add(node)
        (self._by_whole if node.whole else self._by_part).add(other.document)


@dataclass(slots=True)
class Likenesses:
    """The rows of one question."""

    corpus: "Corpus"
    state: Matter
    bases: Mapping[tuple[int, int], Value]  # what Alice claims, by entry and index
    _past: dict[int, _Past] = field(default_factory=dict)
    _met: dict[Group, list[_Node]] = field(default_factory=dict)  # what was met so far, by group
    _asked: set[Group] = field(default_factory=set)  # what is equal, and asked about already in this question
    _sizes: dict[int, int] = field(default_factory=dict)  # of groups of equal parts

    def rows(self, current: Round, positions: Iterable[int], *, labels: bool) -> list[Alike]:
        """What to ask about these positions of the open round. Where no label is asked for, none is compared."""
        documents = {position: current.places[position - 1].document for position in positions}
        nodes = {position: list(self._nodes(document, position)) for position, document in documents.items()}
        self._remember(
            {group for each in nodes.values() for node in each for group in (node.equal, node.near)}, current
        )
        searched = Searched(self.state.candidates)
        found: list[Alike] = []
        for position, own in nodes.items():
            found += self._privileged(own)
            found += self._labelled(own) if labels else ()
            found += self._together(own, labels=labels)
            found += self._candidate(position, documents[position], searched)
            for node in own:
                self._meet(node)
        return found

    def _nodes(self, document: int, position: int = 0) -> Iterator[_Node]:
        """A document as a whole, then its parts, without those that many have and nobody can read."""
        groups: dict[int | None, dict[Likeness, int]] = {}
        for part, likeness, group in self.corpus.alike.of(document):
            groups.setdefault(part, {})[likeness] = group
        for part in sorted(groups, key=lambda part: -1 if part is None else part):
            equal, near = (groups[part][each] for each in (Likeness.EQUAL, Likeness.NEAR))
            if part is None or not self._is_common(document, part, equal):
                yield _Node(
                    document=document,
                    part=part if len(groups) > 1 else None,
                    whole=part is None or len(groups) == 1,
                    equal=(Likeness.EQUAL, equal),
                    near=(Likeness.NEAR, near),
                    position=position,
                )

    def _is_common(self, document: int, part: int, group: int) -> bool:
        if not self.corpus.is_blank(document, part):
            return False
        if group not in self._sizes:
            self._sizes[group] = self.corpus.alike.copies(group)
        return self._sizes[group] > COMMON

    def _meet(self, node: _Node) -> None:
        for group in (node.equal, node.near):
            self._met.setdefault(group, []).append(node)

    def _remember(self, wanted: Container[Group], current: Round) -> None:
        """Take note of all that she has said of documents that are in one of these groups."""
        for review in self.state.rounds:
            if review is not current:
                self._remember_round(review)
        for document, past in self._past.items():
            if past.claim is not None or past.label is not None:
                for node in self._nodes(document):
                    if node.equal in wanted or node.near in wanted:
                        self._meet(node)

    def _remember_round(self, review: Round) -> None:
        for position, place in enumerate(review.places, start=1):
            past = self._past.setdefault(place.document, _Past(round=review.number, position=position))
            label = _label(review, position)
            if label is not None:
                past.round, past.position = review.number, position
                past.label, past.ruled = label, position in review.rulings
            claim = self.bases.get(review.privilege.claimed.get(position, (-1, -1)))
            if claim is not None and not _is_class(claim):
                ruled = review.privilege.upheld.get(position)
                past.claim, past.upheld = (None if ruled is False else claim), ruled is True

    def _alike(self, own: Sequence[_Node], *, here: bool) -> Iterator[tuple[_Node, Likeness, list[_Node]]]:
        """What each is like: in this question before it, or in earlier rounds; first all that equals something."""
        for likeness in Likeness:
            for node in own:
                group = node.equal if likeness is Likeness.EQUAL else node.near
                met = self._met.get(group, ())
                others = [each for each in met if bool(each.position) is here and each.document != node.document]
                if others:
                    yield node, likeness, others

    def _privileged(self, own: Sequence[_Node]) -> Iterator[Alike]:
        """One row for each part that is like something claimed. What is equal in the question is asked about once."""
        named = _Named()
        for node, likeness, others in self._alike(own, here=False):
            met = [
                other
                for other in named.new(node, others)
                if covers(self._past[other.document].claim, other.part) and node.equal not in self._asked
            ]
            if met:
                other = next((each for each in met if self._past[each.document].upheld), met[0])
                past = self._past[other.document]
                named.add(node, other)
                yield self._row(
                    node, likeness, other, Reason.UPHELD if past.upheld else Reason.CLAIMED, said=_claimed(past)
                )
        self._asked |= {node.equal for node in named.nodes}

    def _labelled(self, own: Sequence[_Node]) -> Iterator[Alike]:
        """One row for each label of what is like this document, or is a document like one of its parts."""
        named = set()
        for node, likeness, others in self._alike(own, here=False):
            for other in others:
                past = self._past[other.document]
                if past.label is not None and past.label not in named and (node.whole or other.whole):
                    named.add(past.label)
                    said = (_RULED if past.ruled else _LABELLED)[past.label]
                    yield self._row(node, likeness, other, Reason.LABELLED, said=said, label=past.label)

    def _together(self, own: Sequence[_Node], *, labels: bool) -> Iterator[Alike]:
        """One row for each part that is like something in the question before it: the first such document."""
        named = _Named()
        for node, likeness, others in self._alike(own, here=True):
            for other in named.new(node, others)[:1]:
                named.add(node, other)
                compared = labels and (node.whole or other.whole)
                yield self._row(node, likeness, other, Reason.TOGETHER, labels=compared)

    def _row(
        self,
        node: _Node,
        likeness: Likeness,
        other: _Node,
        reason: Reason,
        *,
        said: str = "",
        label: bool | None = None,
        labels: bool = False,
    ) -> Alike:
        past = self._past.get(other.document)
        seat = (past.round, past.position) if past and not other.position else (len(self.state.rounds), other.position)
        return Alike(
            label=label,
            labels=labels,
            likeness=likeness,
            name=self._name(node),
            other=Other(
                name=self._name(other),
                part=other.part,
                position=seat[1],
                round=seat[0],
            ),
            part=node.part,
            position=node.position,
            reason=reason,
            said=said,
        )

    def _name(self, node: _Node) -> str:
        return self.corpus.fields(node.document, node.part or 0).rest.name

    def _candidate(self, position: int, document: int, searched: Searched) -> Iterator[Alike]:
        terms = searched.found(self.corpus, document)
        if terms:
            yield Alike(
                label=None,
                labels=False,
                likeness=None,
                name=self.corpus.name(document),
                other=None,
                part=None,
                position=position,
                reason=Reason.CANDIDATE,
                said=candidates.quoted(terms),
            )


def _label(review: Round, position: int) -> bool | None:
    """What she labelled a position in a round, or what the court ruled; None if neither."""
    if position in review.rulings:
        return review.rulings[position]
    if review.report is None or review.unreported:
        return None
    if review.sort is Sort.ESCALATION:
        return True if position in review.given_up else None
    if not review.labelled or position > review.to_label:
        return None
    label = review.report.labels[position - 1]
    return None if label is None else bool(label)


def _is_class(claim: Value) -> bool:
    return isinstance(claim, dict) and "class" in claim


def _claimed(past: _Past) -> str:
    basis = past.claim.get("basis", "") if isinstance(past.claim, dict) else past.claim
    words = str(basis)
    shown = words if len(words) <= _SHORTENED else f"{words[:_SHORTENED]}…"
    return f"{'upheld by the court' if past.upheld else 'which you claim'}: {shown}"
