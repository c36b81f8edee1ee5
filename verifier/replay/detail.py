"""A round position by position, for readers who ask for reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.record.parts import Part
from verifier.replay.rounds import Round, Sort
from verifier.replay.validating import Validating
from verifier.rules import table
from verifier.rules.base import Examined, Report
from verifier.rules.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDetail:
    """A round position by position, kept only if the reader asks for reasons."""

    number: int
    sort: Sort
    size: int
    batch_entry: int  # the round's first entry
    report_entry: int
    closed_entry: int | None  # None while the round is open
    given_up: frozenset[int]  # by Alice, in her second look
    origins: Mapping[int, tuple[int, int]]  # of what was withheld before, and is shown or privileged: its first place
    waves: tuple[tuple[int, ...], ...]
    shown_in: tuple[int, ...]
    labelled_in: tuple[int, ...]
    names: dict[int, str]  # of what Bob was shown, as far as the copy shows them
    report: Report | None
    bob: dict[int, bool]
    rulings: dict[int, bool]
    ruled_in: dict[int, int]
    reported: bool  # False: the court ordered the matter to go on without a report
    privileged: tuple[int, ...]  # withheld as such
    unread: frozenset[int]  # shown to Bob, who did not answer
    claims: dict[int, Any]  # of privilege or a class: the bases, as far as the copy shows them
    late: frozenset[int]  # claimed after the report
    camera_in: dict[int, int]  # what the court saw in camera: its ruling's entry
    documents: Mapping[int, tuple[Part, ...]] = field(
        default_factory=dict
    )  # the parts of what was ruled on or claimed, as far as proofs tell them
    upheld_parts: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # withheld by the court, by position
    court: Mapping[int, bool] = field(default_factory=dict)  # what it labelled there, as responsive or not
    validating: Validating | None = None  # if the round is a validation
    examined: Examined | None = None  # if the copy shows the report, once the coins are known
    coins: Sequence[int] = ()  # likewise
    labels_because: Mapping[int, str] = field(default_factory=dict)  # Bob's reasons, as far as the copy shows them
    ruled_because: Mapping[int, str] = field(default_factory=dict)  # the court's for its rulings, likewise
    camera_because: Mapping[int, str] = field(default_factory=dict)  # the court's for what it read alone, likewise
    unclear: frozenset[int] = frozenset()  # of what the court saw: the copy does not show if it ruled on privilege
    certain: Mapping[int, str] = field(default_factory=dict)  # if so: what is due whatever the coins, and why


def detail(
    current: Round,
    terms: Terms,
    closed_entry: int | None = None,
    judged: tuple[Examined, Sequence[int]] | None = None,
) -> RoundDetail:
    """A round as it stands."""
    shown = [position for wave in current.waves for position in wave]
    report = current.report
    return RoundDetail(
        number=current.number,
        sort=current.sort,
        size=current.size,
        given_up=current.given_up,
        origins={each: at for each in (*shown, *current.privileged) if (at := current.origin(each)) is not None},
        batch_entry=current.batch_entry,
        report_entry=current.report_entry,
        closed_entry=closed_entry,
        waves=tuple(current.waves),
        shown_in=tuple(current.shown_in),
        labelled_in=tuple(current.labelled_in),
        names={position: current.places[position].name for position in shown if position in current.places},
        documents={each: current.proven[each] for each in _looked_at(current) if each in current.proven},
        report=report,
        bob=dict(current.bob),
        rulings=dict(current.rulings),
        ruled_in=dict(current.ruled_in),
        reported=current.reported,
        privileged=current.privileged,
        unread=frozenset(current.unread),
        claims=current.claimed | current.late_bases,
        late=frozenset(current.late),
        camera_in=dict(current.camera_in),
        upheld_parts=dict(current.upheld_parts),
        court=dict(current.court),
        labels_because=dict(current.labels_because),
        ruled_because=dict(current.ruled_because),
        camera_because=dict(current.camera_because),
        unclear=frozenset(current.unclear),
        validating=current.validating,
        examined=judged[0] if judged else None,
        coins=judged[1] if judged else (),
        certain=_certain(current, terms, judged[0].threshold if judged else 0),
    )


def _looked_at(current: Round) -> set[int]:
    """The positions of which a reader asks what the document is."""
    return {*current.rulings, *current.claimed, *current.late, *current.camera_in}


def _certain(current: Round, terms: Terms, threshold: int) -> dict[int, str]:
    """What is due whatever the coins, and why: by the rule in a batch, and by Alice's label after a call.

    Nothing stands above a threshold of 0.
    """
    if current.report is None:
        return {}
    if current.sort is Sort.BATCH:
        return table.of(terms).certain(terms, current.report, threshold)
    labels = enumerate(current.report.labels, start=1)
    return {position: "Alice reported it responsive" for position, label in labels if label}
