"""What a question asks for, cell by cell: which cells there are, what is missing, and the decisions as values.

    label/N      whether a document is responsive          upheld/N   whether the court upholds a claim
    basis/N      the basis of a claim of privilege          kept/N     the parts that the court upholds
    parts/N      the parts that it is for, if not for all   reason/N   why
    class/N      the sensitive class                        give/N     of a second look: it is given up
    alike/R      yes or no to a row of what is alike        later/N, mark/N   for the person alone
    threshold, granted, accepted, candidates                of the whole answer

N is a document's position in the question. The meaning of all this is decided elsewhere (`answers.draft`): the room
only says early what would be refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger.errors import Refused
from protocol.exchange import candidates
from protocol.exchange.answering import Ready
from protocol.matter import kinds, privilege_log
from protocol.matter.asking import Decision
from protocol.matter.decisions import Decisions
from protocol.matter.reasons import LONGEST_REASON
from protocol.matter.values import LONGEST_BASIS
from protocol.parties import alike
from protocol.parties.view import Document
from protocol.room.drafts import Cell

_NAME = re.compile(r"(label|upheld|basis|parts|kept|class|reason|give|alike|later|mark)/([1-9][0-9]{0,8})")
_ALONE: Mapping[str, type] = {"threshold": int, "granted": bool, "accepted": bool, "candidates": str}
_TYPES: Mapping[str, type] = {
    "label": bool,
    "upheld": bool,
    "basis": str,
    "parts": list,
    "kept": list,
    "class": str,
    "reason": str,
    "give": bool,
    "alike": bool,
    "later": bool,
    "mark": bool,
}
LONGEST_TEXT = candidates.MAX_SIZE
LAST = 2**31
"""Behind every position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something without which the answer cannot be signed."""

    words: str
    position: int | None = None  # of the document that it is about
    row: int | None = None  # of what is alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What the answer to one question needs, and may have."""

    decision: Decision
    labels: bool  # every document is responsive or not
    claims: bool  # privilege may be claimed
    parts: bool  # for parts, too
    classes: tuple[str, ...]
    reasons: bool
    threshold: int | None  # up to which rank, if the rule asks for one
    candidates: bool

    @property
    def rulings(self) -> bool:
        """The court rules on claims."""
        return self.decision is Decision.UPHELD

    @property
    def gives_up(self) -> bool:
        """Alice looks a second time."""
        return self.decision is Decision.LOOK


def of(ready: Ready) -> Sheet:
    """The sheet of a question."""
    view = ready.view
    decision = kinds.decision(view.kind)
    ranked = decision is Decision.REPORT and view.party.rule.reports_threshold
    ranked = ranked and "numbers" not in view.entry.statement.content
    return Sheet(
        decision=decision,
        labels=decision in (Decision.REPORT, Decision.LABELS),
        claims=decision in (Decision.REPORT, Decision.CLAIMS, Decision.RECLAIM),
        parts=decision in (Decision.REPORT, Decision.CLAIMS),
        classes=view.classes,
        reasons="reasons" in decision.may_have,
        threshold=len(ready.documents) if ranked else None,
        candidates=decision is Decision.TERMS and view.role == "alice",
    )


def check(ready: Ready, cells: Mapping[str, object]) -> dict[str, Cell]:
    """Cells that a page sent, if they can be of this question."""
    return {name: _checked(ready, name, value) for name, value in cells.items()}


def _checked(ready: Ready, name: str, value: object) -> Cell:
    found = _NAME.fullmatch(name)
    kind = _ALONE.get(name) if found is None else _TYPES[found[1]]
    if kind is None:
        raise Refused(f"there is nothing to decide that is called {name[:40]!r}")
    if found is not None:
        number = int(found[2])
        if number > len(ready.alike) if found[1] == "alike" else number not in ready.documents:
            raise Refused(f"{name} is about something that the question does not ask about")
    if value is None:
        return None
    if type(value) is not kind:
        raise Refused(f"{name} cannot be {str(value)[:40]!r}")
    if isinstance(value, list):
        if not all(type(each) is int and 0 <= each < 2**16 for each in value):
            raise Refused(f"{name} names parts by their numbers")
        return sorted(set(value))
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise Refused(f"{name} is too long")
    if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
        raise Refused(f"{name} holds half of a character, which cannot be kept; type it again")
    assert isinstance(value, bool | int | str)  # noqa: S101 (it is of the kind that was asked for)
    return value


def missing(sheet: Sheet, ready: Ready, cells: Mapping[str, Cell]) -> list[Missing]:
    """What must be decided before it can be signed. It is asked after every key, so it looks at each thing once."""
    found = [*_undecided(sheet, ready, cells), *_wrong(sheet, cells), *_alone(sheet, cells)]
    found.sort(key=lambda each: each.position or LAST)
    return found + (_alike(sheet, ready, cells) if ready.alike else [])


def _undecided(sheet: Sheet, ready: Ready, cells: Mapping[str, Cell]) -> Iterator[Missing]:
    """Documents of which nothing is said yet."""
    top = cells.get("threshold") if sheet.threshold is not None else None
    last = top if isinstance(top, int) else LAST
    for position, document in ready.documents.items():
        if sheet.labels and position <= last and f"label/{position}" not in cells:
            yield Missing(words="responsive or not?", position=position)
        elif sheet.rulings:
            yield from (Missing(words=words, position=position) for words in _unruled(position, document, cells))


def _wrong(sheet: Sheet, cells: Mapping[str, Cell]) -> Iterator[Missing]:
    """Words that are too long, or that contradict each other."""
    for name, value in cells.items():
        kind, _, number = name.partition("/")
        if kind == "basis" and sheet.claims:
            if len(said := str(value).strip()) > LONGEST_BASIS:
                words = f"the basis has {len(said)} characters; at most {LONGEST_BASIS} are allowed"
                yield Missing(words=words, position=int(number))
            if sheet.classes and said and cells.get(f"class/{number}"):
                words = "it is claimed as privileged, and has a class: choose one of the two"
                yield Missing(words=words, position=int(number))
        if kind == "reason" and sheet.reasons and len(said := str(value).strip()) > LONGEST_REASON:
            words = f"the reason has {len(said)} characters; at most {LONGEST_REASON} are allowed"
            yield Missing(words=words, position=int(number))


def _alike(sheet: Sheet, ready: Ready, cells: Mapping[str, Cell]) -> list[Missing]:
    """What is open among the things that are like others."""
    labels, claims = _labels(ready, cells), _bases(sheet, ready, cells)
    values = privilege_log.values(claims or None, None, _parts(ready, cells, claims) or None)
    problems = alike.problems(ready.alike, labels, values, _rows(ready, cells))
    return [
        Missing(words=f"What is alike: {words}", position=ready.alike[row - 1].position, row=row)
        for row, words in problems.items()
    ]


def _unruled(position: int, document: Document, cells: Mapping[str, Cell]) -> Iterator[str]:
    kept = cells.get(f"kept/{position}")
    if document.claimed and kept is None:
        yield "which of the claimed parts are upheld?"
    elif document.claimed and kept and f"label/{position}" not in cells:
        yield "is the document responsive, its privileged parts included?"
    elif not document.claimed and document.judged and f"label/{position}" not in cells:
        yield "responsive or not?"
    elif not document.claimed and not document.judged and f"upheld/{position}" not in cells:
        yield "upheld or overruled?"


def _alone(sheet: Sheet, cells: Mapping[str, Cell]) -> Iterator[Missing]:
    top = cells.get("threshold")
    if sheet.threshold is not None and not (isinstance(top, int) and 0 <= top <= sheet.threshold):
        yield Missing(words=f"the threshold: a rank from 0 to {sheet.threshold}")
    if sheet.decision is Decision.GRANT and "granted" not in cells:
        yield Missing(words="grant it, or deny it")
    if sheet.decision is Decision.ACCEPT and "accepted" not in cells:
        yield Missing(words="accept it, or reject it")


def decisions(sheet: Sheet, ready: Ready, cells: Mapping[str, Cell]) -> Decisions:
    """The decisions as values. What is missing is refused later, where they become an answer."""
    top, granted, accepted = (cells.get(name) for name in ("threshold", "granted", "accepted"))
    claims = _bases(sheet, ready, cells)
    ruled = _rulings(ready, cells) if sheet.rulings else {}
    return Decisions(
        labels=_labels(ready, cells) if sheet.labels else None,
        threshold=top if isinstance(top, int) and sheet.threshold is not None else None,
        claims=claims or None,
        claimed_parts=(_parts(ready, cells, claims) or None) if sheet.parts else None,
        classes=_texts(ready, cells, "class") or None if sheet.classes else None,
        given_up=frozenset(each for each in ready.documents if cells.get(f"give/{each}")) if sheet.gives_up else None,
        upheld=ruled if sheet.rulings else None,
        upheld_parts=(_kept(ready, cells) or None) if sheet.rulings else None,
        reasons=_texts(ready, cells, "reason") or None if sheet.reasons else None,
        alike=_rows(ready, cells) or None if "alike" in sheet.decision.may_have else None,
        candidates=_candidates(cells) if sheet.candidates else None,
        granted=granted if isinstance(granted, bool) and sheet.decision is Decision.GRANT else None,
        accepted=accepted if isinstance(accepted, bool) and sheet.decision is Decision.ACCEPT else None,
    )


def _labels(ready: Ready, cells: Mapping[str, Cell]) -> dict[int, bool]:
    return {each: cells[f"label/{each}"] is True for each in ready.documents if f"label/{each}" in cells}


def _bases(sheet: Sheet, ready: Ready, cells: Mapping[str, Cell]) -> dict[int, str]:
    return _texts(ready, cells, "basis") if sheet.claims else {}


def _texts(ready: Ready, cells: Mapping[str, Cell], name: str) -> dict[int, str]:
    found = {each: str(cells.get(f"{name}/{each}", "")).strip() for each in ready.documents}
    return {position: words for position, words in found.items() if words}


def _parts(ready: Ready, cells: Mapping[str, Cell], claims: Mapping[int, str]) -> dict[int, tuple[int, ...]]:
    """The parts that claims are for. Whoever names all of them claims the document."""
    found = {each: cells.get(f"parts/{each}") for each in claims}
    return {
        position: tuple(parts)
        for position, parts in found.items()
        if isinstance(parts, list) and 0 < len(parts) < len(ready.documents[position].parts)
    }


def _kept(ready: Ready, cells: Mapping[str, Cell]) -> dict[int, tuple[int, ...]]:
    found = {each: cells.get(f"kept/{each}") for each, document in ready.documents.items() if document.claimed}
    return {position: tuple(parts) for position, parts in found.items() if isinstance(parts, list) and parts}


def _rulings(ready: Ready, cells: Mapping[str, Cell]) -> dict[int, bool]:
    """What the court upholds. What it finds responsive is not upheld: Bob gets it."""
    found: dict[int, bool] = {}
    for position, document in ready.documents.items():
        label, kept = cells.get(f"label/{position}"), cells.get(f"kept/{position}")
        if document.claimed and kept == []:
            found[position] = False
        elif document.claimed or document.judged:
            if isinstance(label, bool) and (document.judged or kept is not None):
                found[position] = not label
        elif isinstance(ruling := cells.get(f"upheld/{position}"), bool):
            found[position] = ruling
    return found


def _rows(ready: Ready, cells: Mapping[str, Cell]) -> dict[int, bool]:
    rows = range(1, len(ready.alike) + 1)
    return {row: cells[f"alike/{row}"] is True for row in rows if f"alike/{row}" in cells}


def _candidates(cells: Mapping[str, Cell]) -> tuple[str, ...] | None:
    text = str(cells.get("candidates", ""))
    return candidates.parse(text, "your list") if text.strip() else None
