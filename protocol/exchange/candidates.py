"""Names and terms that Alice gives Trent before the first round, and the documents that hold one of them.

A term is found where its tokens stand one after the other, whatever stands between them, in the text of a part or in
what is known about it. Tokens are those of the corpus, so that case does not matter.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ledger import reading
from protocol.exchange.errors import BadForm
from protocol.matter.kinds.agreed import LONGEST_CANDIDATE, MOST_CANDIDATES
from protocol.tokens import tokens

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus  # which brings numpy

MAX_SIZE = 2**21
"""Largest file of names and terms in bytes."""

_COMMENT = "#"


def load(path: Path) -> tuple[str, ...]:
    """The names and terms in a file: one a line, in UTF-8; lines that begin with # are comments."""
    try:
        text = reading.whole(path, MAX_SIZE, "a list of names and terms").decode("utf-8-sig")
    except OSError as error:
        raise BadForm(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadForm(f"{path} is not a text in UTF-8; save it as plain text in UTF-8") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> tuple[str, ...]:
    """The names and terms in a text; `name` is for the messages."""
    found: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        term = line.strip()
        if term and not term.startswith(_COMMENT):
            _check(term, f"{name}, line {number}")
            found[term] = None
    if not 1 <= len(found) <= MOST_CANDIDATES:
        wrong = (
            "names nothing" if not found else f"has {len(found)} names and terms; at most {MOST_CANDIDATES} are allowed"
        )
        raise BadForm(f"{name} {wrong}. Write one name or term a line, or leave out --candidates")
    return tuple(found)


def _check(term: str, where: str) -> None:
    if len(term) > LONGEST_CANDIDATE:
        raise BadForm(f"{where} has {len(term)} characters; at most {LONGEST_CANDIDATE} are allowed")
    if not tokens(term.encode(errors="surrogatepass")):
        raise BadForm(f"{where} has neither a letter nor a digit, so nothing could be found by it")


class Searched:
    """Terms to look for."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = [(term, _plain(term)) for term in terms]

    def found(self, corpus: "Corpus", document: int) -> list[str]:
        """The terms that a document holds, in their order."""
        if not self._terms:
            return []
        held = [_plain(text) for part in range(corpus.parts(document)) for text in _texts(corpus, document, part)]
        return [term for term, plain in self._terms if any(plain in each for each in held)]


def _texts(corpus: "Corpus", document: int, part: int) -> Iterator[str]:
    """All that is known about a part in words, and its text."""
    known = corpus.fields(document, part)
    yield from (known.log.author, known.log.recipients, known.rest.name)
    yield from (*known.rest.fields.values(), *known.rest.custodians)
    yield corpus.part_text(document, part)


def _plain(text: str) -> bytes:
    """The tokens of a text with a blank around each."""
    return b" ".join([b"", *tokens(text.encode(errors="surrogatepass")), b""])


def quoted(terms: Sequence[str], most: int = 5) -> str:
    """Terms for people, at most some of them."""
    shown = ", ".join(f"“{term}”" for term in terms[:most])
    return shown if len(terms) <= most else f"{shown} and {len(terms) - most} more"
