"""A validation that is being held: what its draw has fixed, and what is due in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.replay.contents import Stratum
from verifier.rules.base import Examined, everything
from verifier.rules.terms import Validation, Viewer
from verifier.rules.validation import Chances, Finds


@dataclass(frozen=True, slots=True, kw_only=True)
class Validating:
    """What is fixed when a validation begins."""

    terms: Validation
    number: int  # k
    after: int  # so many batch rounds
    found: int  # F
    chances: Chances
    positions: int  # those that it draws or calls
    reviewed: frozenset[int]  # positions of one stage whose documents were put up before
    never: int  # documents that were never put up before it
    withheld: int  # documents that were withheld before it

    @property
    def in_two_stages(self) -> bool:
        """Whether Alice labels what is called."""
        return self.terms.review is not None

    @property
    def court_looks(self) -> bool:
        """Whether the court sees everything in camera, before Bob."""
        return self.terms.viewer is Viewer.COURT

    def was_put_up(self, position: int) -> bool:
        """Whether a position's document was put up before the validation, and then withheld."""
        return position > self.positions or position in self.reviewed

    def one_stage(self) -> Examined:
        """All that was drawn is due."""
        drawn = everything(self.positions)
        chances = dict.fromkeys(sorted(drawn), self.chances.first)
        return Examined(threshold=0, error=0, due=drawn, chances=chances, drawn=drawn, compelled_at=None)

    def two_stages(
        self, labels: Sequence[bool | None] | None, coins: Sequence[int], size: int, late: frozenset[int]
    ) -> Examined:
        """Due is what Alice labels as responsive, what the second draw checks, and what she claims late.

        Without a report, what was called is due, and nothing else.
        """
        called = everything(self.positions)
        if labels is None:
            return Examined(threshold=0, error=0, due=called, chances={}, drawn=frozenset(), compelled_at=None)
        reported = frozenset(position for position, label in enumerate(labels, start=1) if label)
        checked = self.chances.first if self.chances.checked is None else self.chances.checked
        chances = {
            position: checked if position in called else self.chances.withheld
            for position in range(1, size + 1)
            if position not in reported
        }
        drawn = frozenset(position for position, chance in chances.items() if coins[position - 1] < chance)
        drawn |= late.intersection(chances)
        return Examined(threshold=0, error=0, due=reported | drawn, chances=chances, drawn=drawn, compelled_at=None)

    def finds(self, label: Callable[[int], bool], settled: frozenset[int], unread: frozenset[int]) -> Finds:
        """What is settled as responsive and what Bob left unread, by Alice's labels."""
        if not self.in_two_stages:
            return Finds(hits=len(settled), unread_hits=len(unread))

        def counts(positions: frozenset[int]) -> tuple[int, int, int]:
            called = [position for position in positions if position <= self.positions]
            reported = sum(map(label, called))
            return reported, len(called) - reported, len(positions) - len(called)

        (reported, hits, withheld), missed = counts(settled), counts(unread)
        return Finds(
            reported=reported,
            hits=hits,
            withheld=withheld,
            unread_reported=missed[0],
            unread_hits=missed[1],
            unread_withheld=missed[2],
        )

    def stratum(self, looked_at: frozenset[int], settled: frozenset[int], *, withheld: bool) -> Stratum:
        """One of the two parts of the population: what was withheld, or what was never put up."""
        shown, hits = (
            sum(self.was_put_up(position) is withheld for position in positions) for positions in (looked_at, settled)
        )
        return Stratum(documents=self.withheld if withheld else self.never, hits=hits, shown=shown)
