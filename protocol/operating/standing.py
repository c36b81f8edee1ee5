"""Where the matter stands, for Trent's page: read from its file, like `tallystick status`, and from the loop.

Reading replays the record, so what was read is kept until the record has grown.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.errors import LedgerError
from ledger.plain import shown
from ledger.roles import Role
from protocol.exchange import docket, objection_file
from protocol.exchange.docket import Docket
from protocol.forecast.brief import brief
from protocol.matter import naming, sentences, summary, turn
from protocol.matter.kinds import called
from protocol.matter.state import Matter
from protocol.operating import charts
from protocol.operating.charts import Chart, Counts
from protocol.operating.kept import Kept
from protocol.operating.loop import Run, Standing
from protocol.operating.moments import length, moment
from protocol.operating.wishes import CALLED
from protocol.parties import memory

_LAST = 12  # events and lines that are shown

_NEXT = {
    "batch": "The next batch is put up.",
    "escalation": "Coins draw again from all that is withheld (an escalation).",
    "validation": "The whole collection is validated.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """Who must answer, and since when."""

    role: str
    who: str
    sentence: str
    since: str
    ago: str
    package: bool  # whether the question can be downloaded


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All that the page shows."""

    case: str
    court: str
    number: str
    where: str  # in one sentence
    since: str
    entries: int
    head: str
    awaited: list[Awaited]
    following: list[str]  # what will happen next, and when
    held: bool
    over: bool
    closed: bool
    doing: str
    trouble: str
    rounds: list[Counts]
    chart: Chart | None
    certificate: list[str]
    forecast: list[str]
    so_far: str
    events: list[tuple[str, str]]
    lines: list[tuple[str, str]]
    objections: list[tuple[str, str]]  # a file's name, and what it says
    tell: Callable[[str], str]  # people's names in a button, or another text that is read by itself
    parties: list[tuple[str, str]]
    limited: bool  # whether the rule has a limit that can be amended
    agreed_rounds: int
    version: str


@dataclass(slots=True, kw_only=True)
class Viewer:
    """Makes views of one run, from any thread."""

    run: Run
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _read: tuple[int, Docket] | None = None
    _forecasts: dict[str, list[str]] = field(default_factory=dict)

    def view(self) -> View:
        """The matter as it stands now."""
        version = self.version()  # first: what happens from here on is announced, even if the page shows it already
        standing = self.run.standing
        found = self._docket(standing)
        state, about = found.state, found.value()
        caption = state.opening.caption
        awaited = self._awaited(about["asked"], standing, state)
        said = naming.Telling(caption).said
        return View(
            case="" if caption is None else caption.case,
            court="" if caption is None else caption.court,
            number=state.number.hex(),
            where=said(_where(state, standing)),
            since=moment(found.times[-1]),
            entries=state.size,
            head="" if found.head is None else found.head.hex(),
            awaited=awaited,
            following=list(map(said, self._following(standing, state, about["next"], bool(awaited)))),
            held=standing.held_until is not None,
            over=standing.over,
            closed=state.concluded,
            doing=standing.doing,
            trouble=standing.trouble,
            rounds=charts.counts(state),
            chart=charts.chart(charts.counts(state)),
            certificate=list(map(said, _certificate(state))),
            forecast=self._forecast(state),
            so_far=said(_so_far(state)),
            events=_events(found),
            lines=[(moment(when), line) for when, line in reversed(list(self.run.lines)[-_LAST:])],
            objections=self._objections(state),
            tell=lambda words: naming.Telling(caption).said(words),
            parties=[
                (role.value, naming.introduced(state.opening.caption, role))
                for role in (Role.ALICE, Role.BOB, Role.COURT)
            ],
            limited=state.terms.limit_in_force is not None,
            agreed_rounds=state.terms.rounds,
            version=version,
        )

    def version(self) -> str:
        """Another text as soon as the page would say something else."""
        standing = self.run.standing
        asked = ",".join(each.name for each in standing.asked)
        lines = self.run.lines
        last = lines[-1] if lines else None  # their number stays the same once the oldest are dropped
        parts = (
            standing.head,
            asked,
            standing.held_until,
            standing.trouble,
            len(standing.waiting),
            standing.doing,
            last,
        )
        return f"{hash(parts) & 0xFFFFFFFFFFFF:012x}-{len(lines)}"

    def kept(self) -> Kept:
        """Objections and second answers."""
        given = self.run.settings
        with self._lock:
            state = None if self._read is None else self._read[1].state
        number = (summary.read(given.matter) if state is None else state).number
        return Kept(folder=memory.folder_of(given.key_file, number))

    def _docket(self, standing: Standing) -> Docket:
        with self._lock:
            key = hash((standing.head, standing.closed, tuple(each.name for each in standing.asked)))
            if self._read is None or self._read[0] != key:
                self._read = key, docket.read(self.run.settings.matter)
            return self._read[1]

    def _awaited(self, asked: list[dict[str, Any]], standing: Standing, state: Matter) -> list[Awaited]:
        now, there = self.run.settings.clock(), {each.role for each in standing.asked}
        return [
            Awaited(
                role=each["role"],
                who=naming.introduced(state.opening.caption, Role(each["role"])),
                sentence=each["sentence"],
                since=moment(each["since"]),
                ago=length(max(0, now - each["since"])),
                package=each["role"] in there,
            )
            for each in asked
        ]

    def _following(self, standing: Standing, state: Matter, following: str | None, waits: bool) -> list[str]:  # noqa: FBT001 (yes or no)
        found = [f"As soon as nobody must answer: {CALLED[each.what]}." for each in standing.waiting]
        if standing.held_until is not None:
            left = length(max(0, standing.held_until - self.run.settings.clock()))
            found.append(
                f"Bob is shown the documents that are due in round {len(state.rounds)} at "
                f"{moment(standing.held_until)}, in {left}. Until then Alice can still ask for late claims, and you "
                "can ask her, or let them go now."
            )
        if standing.over:
            found.append("The review is over. Nothing more happens by itself: close the matter.")
        elif state.concluded and not waits:
            found.append("The matter is closed, and all have signed. Cut the copies with: tallystick copy")
        elif standing.outside:
            found.append(f"{standing.outside[0].upper()}{standing.outside[1:]}.")
        elif following in _NEXT and not standing.held_until:
            found.append(_NEXT[following])
        elif waits:
            found.append("When the answers are in, the matter goes on by itself.")
        return [*found, *standing.postponed]

    def _forecast(self, state: Matter) -> list[str]:
        documents = state.opening.corpus.documents
        key = f"{state.terms} {documents}"
        if key not in self._forecasts:
            self._forecasts[key] = brief(state.terms, documents)
        return self._forecasts[key]

    def _objections(self, state: Matter) -> list[tuple[str, str]]:
        return [(path.name, _objection(path, state)) for path in self.kept().all("objections")]


def _objection(path: Path, state: Matter) -> str:
    try:
        said = objection_file.read(path)
    except LedgerError as error:
        return f"{path.name} cannot be read: {error}"
    who = naming.introduced(state.opening.caption, said.objection.role)
    where = f" of round {said.asked.round}" if said.asked.round else ""
    return f"{who} objects to the question for the {called(said.asked.kind)}{where}: {said.objection.reason}"


def _where(state: Matter, standing: Standing) -> str:
    if standing.over:
        return "The review is over; the matter can be closed."
    current = state.current
    if current is not None:
        return f"Round {current.number} ({current.sort}) is open; {turn.waiting(state)}."
    said = turn.waiting(state)
    return f"{said[0].upper()}{said[1:]}."


def _certificate(state: Matter) -> list[str]:
    if not state.closed:
        return ["No round is closed yet; nothing can be claimed."]
    return sentences.certificates(summary.summary(state))


def _so_far(state: Matter) -> str:
    rows = charts.counts(state)
    revealed, found = sum(each.shown for each in rows), sum(each.found for each in rows)
    documents = f"{revealed:,} document{'' if revealed == 1 else 's'}"
    return f"So far, in closed rounds: {documents} shown to Bob, {found:,} of them responsive."


def _events(found: Docket) -> list[tuple[str, str]]:
    """The last events on the docket, newest first."""
    return [
        (moment(each["time"]), shown(f"Entry {each['entry']}: {each['what']}"))
        for each in reversed(found.events[-_LAST:])
    ]
