"""What a party decides, as values: a filled-in form, a page or a simulated strategy all give the same thing."""

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """A party's decisions on one question. None means that nothing was decided."""

    labels: Mapping[int, bool] | None = None  # by position, whether a document is responsive
    threshold: int | None = None
    claims: Mapping[int, str] | None = None  # by position, the basis of a claim of privilege
    claimed_parts: Mapping[int, tuple[int, ...]] | None = None  # by position, the parts that it is for, if not for all
    classes: Mapping[int, str] | None = None  # by position, the sensitive class that a document is put into
    given_up: frozenset[int] | None = None  # of a second look, the positions of what Alice gives up
    upheld: Mapping[int, bool] | None = None  # by position, whether the court upholds a claim
    upheld_parts: Mapping[int, tuple[int, ...]] | None = None  # by position, for which parts
    reasons: Mapping[int, str] | None = None  # by position, why; perhaps not for all
    alike: Mapping[int, bool] | None = None  # by row of the question's list, whether it is privileged or the same
    candidates: tuple[str, ...] | None = None  # names and terms that Alice wants to be asked about
    granted: bool | None = None
    accepted: bool | None = None

    @property
    def given(self) -> frozenset[str]:
        """The names of the decisions that were made."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not None)
