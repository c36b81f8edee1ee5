"""A document on its way from a source into a corpus."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """What a source holds of one document: its exact bytes, the text that features are made of, and its labels."""

    name: str
    content: bytes
    text: str
    labels: tuple[str, ...] = ()
