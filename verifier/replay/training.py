"""What a matter learns from a round: the documents that enter the training set, and the labels that are replaced."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.replay.contents import Closed
from verifier.replay.rounds import Round, Sort


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a closed round changes in the training set, by position."""

    appended: Mapping[int, bool] = field(default_factory=dict)  # in the order of positions
    replaced: Mapping[int, bool] = field(default_factory=dict)  # of documents that were put up before
    documents: Mapping[int, int] = field(default_factory=dict)  # the documents' numbers, as far as the copy shows them
    size: int = 0  # how many positions the round has
    unclear: int = 0  # further positions that enter as not responsive, or do not: the copy does not show it

    @property
    def known(self) -> bool:
        """Whether the copy names all documents of the round."""
        return len(self.documents) == self.size

    @property
    def learnt_responsive(self) -> int:
        """How many responsive documents more the training set has: what was withheld was in it as not responsive."""
        return sum(self.appended.values()) + sum(self.replaced.values())


def lesson(current: Round, content: Closed, *, named: bool) -> Lesson:
    """What is learnt from a round that closes; with the documents' numbers only if somebody asks for them."""
    responsive = set(content.responsive)
    documents = {position: place.document for position, place in sorted(current.places.items())} if named else {}
    appended, replaced = _learnt(current, responsive)
    return Lesson(
        appended=appended, replaced=replaced, documents=documents, size=current.size, unclear=_unclear(current)
    )


def _unclear(current: Round) -> int:
    """Positions that one stage drew anew and the court kept from Bob, as not responsive or as privileged."""
    held, kept = current.validating, current.unclear.intersection(current.kept)
    return 0 if held is None or held.in_two_stages else sum(not held.was_put_up(position) for position in kept)


def _learnt(current: Round, responsive: set[int]) -> tuple[dict[int, bool], dict[int, bool]]:
    """The positions that enter the training set, and those that were in it and were settled now."""
    held, settled = current.validating, dict(sorted(current.settled.items()))
    if current.sort is Sort.ESCALATION:
        return {}, settled
    if held is None or held.in_two_stages:
        labelled = dict.fromkeys(range(1, current.to_label + 1), False)
        labelled |= dict.fromkeys(responsive & labelled.keys(), True)
        return labelled, {each: label for each, label in settled.items() if each > current.to_label}
    new = {each: label for each, label in settled.items() if not held.was_put_up(each)}
    return new, {each: label for each, label in settled.items() if each not in new}
