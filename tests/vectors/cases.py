"""A transcript vector as its author states it, and how its checks end."""

from dataclasses import dataclass, field

from tests.vectors import stored_text

_MARKS = {".": "pass", "F": "fail", "-": "not checked"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One vector as its author states it."""

    id: str
    comment: str
    flags: tuple[str, ...]
    copy: str
    corpus: str | None = None
    trust: dict[str, list[str]] = field(default_factory=dict)
    verdict: str = ""
    checks: tuple[str, ...] = ()
    blamed: tuple[str, ...] = ()
    other: str | None = None
    result: str | None = None

    def data(self, outcomes: dict[str, str]) -> dict[str, object]:
        """The case for the file; what its author says fails must be among the outcomes that fail."""
        shared: dict[str, object] = {
            "id": self.id,
            "comment": self.comment,
            "flags": list(self.flags),
            "copy": self.copy,
        }
        if self.other is not None:
            return shared | {"other": self.other, "result": self.result, "blamed": list(self.blamed)}
        failed = [check for check, outcome in outcomes.items() if outcome == "fail"]
        if not set(self.checks) <= set(failed):
            raise ValueError(f"{self.id} must fail {self.checks}, and outcomes.txt says that it fails {failed}")
        return shared | {
            "corpus": self.corpus,
            "trust": self.trust,
            "verdict": self.verdict,
            "checks": failed,
            "blamed": list(self.blamed),
            "outcomes": outcomes,
        }


def stated_outcomes() -> dict[str, dict[str, str]]:
    """How each check ends, by case: `outcomes.txt` read."""
    found: dict[str, dict[str, str]] = {}
    for line in stored_text("outcomes.txt").splitlines():
        if not line.startswith("#"):
            ident, *groups = line.split()
            marks = [_MARKS[mark] for mark in "".join(groups)]
            found[ident] = {f"V{number:02}": outcome for number, outcome in enumerate(marks, start=1)}
    return found
