"""Which document of a corpus a person means."""

from difflib import get_close_matches

from protocol.corpus.corpus import Corpus
from protocol.errors import ProtocolError

_SHOWN = 5
_COMPARED = 50_000  # names that are compared letter by letter, which takes its time


class WhichDocument(ProtocolError):
    """No document has the name, or another one has the number."""


def find(corpus: Corpus, name: str | None, number: int | None) -> int:
    """The number of the document with this name, or with this number; both must fit where both are given."""
    if number is not None:
        called = corpus.name(number)
        if name is not None and called != name:
            raise WhichDocument(f"document {number} in {corpus.path} is called {called!r}, not {name!r}")
        return number
    if name is None:
        raise WhichDocument("say which document: its name with --document, or its number with --number")
    names = [corpus.name(each) for each in range(corpus.size)]
    if name not in names:  # where it is, only once: a corpus has no two documents of one name
        near = _near(name, names)
        hint = f"; near it are {', '.join(map(repr, near))}" if near else ""
        raise WhichDocument(f"no document in {corpus.path} is called {name!r}{hint}")
    return names.index(name)


def _near(name: str, names: list[str]) -> list[str]:
    """Names that may be meant: the same but for capitals, with it in them, or spelt alike."""
    sought = name.casefold()
    alike = [each for each in names if sought == each.casefold()]
    within = [each for each in names if sought and sought in each.casefold()]
    spelt = get_close_matches(name, names, n=_SHOWN) if len(names) <= _COMPARED else []
    return list(dict.fromkeys([*alike, *within[:_SHOWN], *spelt]))[:_SHOWN]
