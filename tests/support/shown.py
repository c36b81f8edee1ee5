"""Documents and parts as they are shown, of which nothing is known but what a test says."""

from typing import Any

from protocol.corpus.leaves import NOT_LOGGED, Log, Rest
from protocol.exchange.filenames import ShownDocument, ShownPart


def log(**known: Any) -> Log:
    return Log(**known) if known else NOT_LOGGED


def rest(name: str, **known: Any) -> Rest:
    return Rest(name=name, **known)


def part(name: str, text: str = "", content: bytes | None = None, **known: Any) -> ShownPart:
    """A part; what is known about it is what its log holds."""
    return ShownPart(
        log=log(**known), rest=rest(name), text=text, content=text.encode() if content is None else content
    )


def document(
    *, position: int, name: str, content: bytes = b"", text: str = "", note: str = "", judged: bool = False
) -> ShownDocument:
    """A document of one part."""
    parts = (part(name, text, content),)
    return ShownDocument(position=position, name=name, parts=parts, note=note, judged=judged)
