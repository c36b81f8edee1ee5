"""What was taken in from a source: documents and labels counted, items listed, problems listed in `report.json`."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger import files
from protocol.errors import BadSource
from protocol.sources.items import Item, Received
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import SourceDocument

REPORT = "report.json"
SHOWN = 10
"""How many problems a message lists; the report lists all."""


@dataclass(slots=True)
class Intake:
    """What has been taken in so far."""

    documents: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    listed: list[Problem] = field(default_factory=list)
    received: Received = field(default_factory=Received)

    def take(
        self, items: Iterable[SourceDocument | Item | Problem], *, strict: bool = False
    ) -> Iterator[SourceDocument]:
        """The documents among what a source gives; the problems and the items are listed.

        A strict intake gives no document after the first problem; it reads on to find the others, and then raises.
        """
        for item in items:
            if isinstance(item, Problem):
                self.listed.append(item)
            elif isinstance(item, Item):
                self.received.add(item)
            elif not (strict and self.listed):
                self.documents += 1
                self.labels.update(item.labels)
                yield item
        if strict and self.listed:
            raise BadSource(self._refusal())

    def counts(self) -> dict[str, int]:
        """The number of problems by cause."""
        return dict(sorted(Counter(problem.cause.value for problem in self.listed).items()))

    def value(self) -> dict[str, Any]:
        """The whole report as JSON."""
        listed = [
            {"where": problem.where, "cause": problem.cause, "detail": problem.detail, "kept": problem.kept}
            for problem in self.listed
        ]
        return {
            "documents": self.documents,
            "unused": dict(sorted(self.received.unused.items())),
            "problems": self.counts(),
            "listed": listed,
        }

    def write(self, folder: Path) -> Path:
        """Put the report into a finished corpus, whole or not at all."""
        path = folder / REPORT
        with files.replaced_file(path) as stream:
            stream.write(json.dumps(self.value(), indent=1).encode() + b"\n")
        return path

    def _refusal(self) -> str:
        """Why a strict intake makes no corpus."""
        counts = ", ".join(f"{count} {Cause(cause).words}" for cause, count in self.counts().items())
        shown = [f"  {problem}" for problem in self.listed[:SHOWN]]
        more = [f"  and {len(self.listed) - SHOWN} more"] if len(self.listed) > SHOWN else []
        return "\n".join([f"with --strict, these problems are errors, and no corpus was made: {counts}", *shown, *more])
