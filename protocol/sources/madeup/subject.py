"""What a thread is about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The grammar of one subject: who writes about it, its subject lines, sentences, and names of attachments."""

    people: tuple[str, ...]
    """Departments, or domains outside; the first writes most."""
    subjects: tuple[str, ...]
    sentences: tuple[str, ...]
    files: tuple[str, ...] = ()
    columns: str = ""
    """Of tables that are attached: a name and the grammar of its cells each, separated by commas; empty if none are."""


def lines(text: str) -> tuple[str, ...]:
    """A line each, without the indentation."""
    return tuple(line.strip() for line in text.strip().splitlines())
