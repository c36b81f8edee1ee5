"""What the papers are drafted from. Every number in a paper comes from here: from the terms or from the account."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ledger import reading
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from ledger.schema import MAGIC
from protocol import fixedpoint
from protocol.corpus.account import Account
from protocol.exchange import termsfile
from protocol.matter import summary
from protocol.matter.values import Caption, CorpusCommitment
from protocol.rules.terms import Terms

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus  # needs Trent's installation

ALICE, BOB, TRENT = "the Producing Party", "the Requesting Party", "the Neutral"
"""What the roles are called in papers for a court."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The terms and the account of a matter, before or after it was opened."""

    caption: Caption
    terms: Terms
    corpus: CorpusCommitment
    matter: Digest | None = None  # None: it was not opened yet
    tools: Mapping[tuple[str, str], int] | None = None  # parts by what read their text; None: the corpus is not at hand

    @property
    def account(self) -> Account:
        """What was received."""
        return self.corpus.account

    def name(self, role: Role) -> str:
        """A party's name."""
        return " ".join(self.caption.names[role].split())


def of_matter(path: Path) -> Ground:
    """What an opened matter says, with the terms that are in force."""
    state = summary.read(path)
    opening = state.opening
    if opening.caption is None:
        raise Refused(f"{path} is a simulation, which has no parties: there is nothing to draft for it")
    return Ground(caption=opening.caption, terms=state.terms, corpus=opening.corpus, matter=state.number)


def of_terms(path: Path, corpus: "Corpus") -> Ground:
    """What a matter with these terms would say; the keys may still be missing."""
    drafted = termsfile.read_draft(path)
    commitment = CorpusCommitment(account=corpus.account, documents=corpus.size, root=corpus.root, unit=corpus.unit)
    return Ground(caption=drafted.caption, terms=drafted.terms, corpus=commitment)


def is_matter(path: Path) -> bool:
    """Whether a file is a matter's, and not a terms file."""
    with reading.opened(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def tools(corpus: "Corpus") -> dict[tuple[str, str], int]:
    """How many parts each tool has read, with which options; the most used first."""
    found = Counter(
        (extraction.tool, extraction.options)
        for document in range(corpus.size)
        for part in range(corpus.parts(document))
        for extraction in (corpus.fields(document, part).rest.extraction,)
    )
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def percent(decimal: str | Fraction) -> str:
    """A decimal of the terms as a percentage, exactly: 0.9 is 90%."""
    share = 100 * (fixedpoint.parse_fraction(decimal) if isinstance(decimal, str) else decimal)
    places = 0
    while (share * 10**places).denominator != 1:
        places += 1
    whole, rest = divmod(int(share * 10**places), 10**places)
    return f"{whole}.{rest:0{places}}%" if places else f"{whole}%"


def confidence(terms: Terms) -> str:
    """How surely a certificate holds."""
    return percent(1 - fixedpoint.parse_fraction(terms.doubt))


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
