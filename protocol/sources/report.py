"""What was wrong with a source: nothing is dropped without a word, and nothing is repaired without one."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ledger import files
from protocol.errors import BadSource
from protocol.sources.documents import SourceDocument

REPORT = "report.json"
SHOWN = 10
"""So many problems stand in a message; all are in the report."""
LONGEST_SHOWN = 300


class Cause(StrEnum):
    """Why a document, or what should have been one, is listed."""

    BAD_LINE = "bad_line"
    BROKEN_MAIL = "broken_mail"
    EMPTY_TEXT = "empty_text"
    OTHER_FILE = "other_file"
    REPEATED_DOCUMENT = "repeated_document"
    REPEATED_ID = "repeated_id"
    UNDECODABLE = "undecodable"
    UNREAD_PART = "unread_part"
    UNREADABLE = "unreadable"

    @property
    def kept(self) -> bool:
        """Whether the document is in the corpus all the same."""
        return self in _KEPT

    @property
    def words(self) -> str:
        """The cause, for people."""
        return self.value.replace("_", " ")


_KEPT = {Cause.BROKEN_MAIL, Cause.EMPTY_TEXT, Cause.REPEATED_ID, Cause.UNDECODABLE, Cause.UNREAD_PART}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that was wrong: the place in the source, and what was found there."""

    where: str
    cause: Cause
    detail: str

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.cause.words}: {self.detail}")


def printable(text: str) -> str:
    """Text from a source as one line for a terminal, which must not take it for commands."""
    cut = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in cut)


@dataclass(slots=True)
class Report:
    """What has been read so far: documents and labels counted, problems counted and listed."""

    documents: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    listed: list[Problem] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """The number of problems of each cause that there were."""
        return dict(sorted(Counter(problem.cause.value for problem in self.listed).items()))

    def value(self) -> dict[str, Any]:
        """The whole report as JSON."""
        listed = [
            {"where": problem.where, "cause": problem.cause, "detail": problem.detail, "kept": problem.cause.kept}
            for problem in self.listed
        ]
        return {"documents": self.documents, "problems": self.counts(), "listed": listed}

    def write(self, folder: Path) -> Path:
        """Put the report into a finished corpus, whole or not at all."""
        path = folder / REPORT
        with files.replaced_file(path) as stream:
            stream.write(json.dumps(self.value(), indent=1).encode() + b"\n")
        return path


def documents(
    items: Iterable[SourceDocument | Problem], report: Report, *, strict: bool = False
) -> Iterator[SourceDocument]:
    """The documents of a source, with all problems noted in `report`.

    A strict reader stops handing out documents at the first problem, reads on to find the others, and raises.
    """
    for item in items:
        if isinstance(item, Problem):
            report.listed.append(item)
        elif not (strict and report.listed):
            report.documents += 1
            report.labels.update(item.labels)
            yield item
    if strict and report.listed:
        raise BadSource(_refusal(report))


def _refusal(report: Report) -> str:
    """Why a strict reader makes no corpus."""
    counts = ", ".join(f"{count} {Cause(cause).words}" for cause, count in report.counts().items())
    shown = [f"  {problem}" for problem in report.listed[:SHOWN]]
    more = [f"  and {len(report.listed) - SHOWN} more"] if len(report.listed) > SHOWN else []
    return "\n".join([f"with --strict, these problems are errors, and no corpus was made: {counts}", *shown, *more])
