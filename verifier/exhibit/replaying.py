"""A round replayed alone: the rules of `verifier.replay`, with what came before it taken from its own entries.

What an exhibit does not hold (the rounds before, agreed changes of T) is not judged: the batch's place in the matter,
whether coins or a model were due, and how many documents were left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.checks import Check
from verifier.exhibit import links
from verifier.exhibit.parts import Parts
from verifier.exhibit.pieces import is_evidence
from verifier.findings import Damaged
from verifier.record.copy import Told
from verifier.replay.contents import Kind
from verifier.replay.matter import Replay
from verifier.replay.rounds import RoundDetail
from verifier.replay.state import State
from verifier.tally import Tally

_NOT_JUDGED = (Kind.REKEY, Kind.REKEYED, Kind.AMEND, Kind.AMENDED)  # they rest on what came before the round


@dataclass(slots=True, kw_only=True)
class _Within(State):
    """A matter of which one round alone is at hand."""

    by_coin: bool = False
    number: int = 0  # of the round

    @property
    def one_class(self) -> bool:
        return self.by_coin

    @property
    def complete(self) -> bool:
        return False

    @property
    def next_round(self) -> int:
        """There is one round; whether it is the next one is not judged."""
        return self.number


class RoundReplay:
    """The opening of a matter and one of its rounds, replayed."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._told: list[Told] = []
        self._replay = Replay(self.tally, detailed=True)
        self._replay.state = _Within(tally=self.tally, turns=self._replay.state.turns, details=[])

    @property
    def state(self) -> State:
        """Where the replay stands."""
        return self._replay.state

    def open(self, opening: Sequence[Told]) -> bool:
        """Replay the opening and its answers; whether they break no rule."""
        self._tell(opening)
        return self._replay.stopped is None

    def review(self, parts: Parts) -> RoundDetail | None:
        """Replay the round: each position as far as the exhibit shows it, or None if a rule is broken."""
        self._take_up(parts.review)
        self._tell(parts.review)
        return self._replay.details()[-1] if self._replay.stopped is None else None

    def _take_up(self, review: Sequence[Told]) -> None:
        """The state in which the round must have begun, by what its own entries say."""
        state = self._replay.state
        if not isinstance(state, _Within):
            raise RuntimeError("an exhibit is replayed from within")
        terms, corpus = state.opened.terms, state.opened.corpus
        first = review[0].entry
        state.by_coin, state.number = first.said.kind == Kind.DRAW, first.said.round
        draw = links.first_draw(review)
        state.draws = draw - 1 if draw is not None else 0
        state.links = links.before(state.matter, links.given(review), state.links, terms.draws)
        batch = next(each.entry.said for each in review if each.entry.said.kind == Kind.BATCH)
        size = batch.content.get("size")
        if type(size) is int and 0 < size < min(terms.batch, corpus.documents):
            state.reviewed = corpus.documents - size  # the last batch is smaller
        state.keys, state.rounds_agreed = {}, 0  # other keys and another T may have been agreed on
        for _ in range(len(self._told), first.body.sequence):
            state.turns.note(self._told[0])  # an entry that is not at hand, and to which nothing here can refer

    def _tell(self, entries: Sequence[Told]) -> None:
        for told in entries:
            self._told.append(told)
            if is_evidence(told):
                self._replay.state.turns.note(told)
                continue
            self._replay.tell(told)
            if self._replay.stopped is not None:
                if told.entry.said.kind in _NOT_JUDGED:
                    self.tally.findings.clear()
                    raise Damaged(
                        Check.ORDER,
                        f"entry {told.entry.body.sequence} rests on what came before the round; the whole record tells "
                        "whether it may stand there",
                    )
                return
