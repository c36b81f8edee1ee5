"""What a kind of entry is made of. Each kind has a module in `protocol.matter.kinds`, and every part is required."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeVar

from ledger import records
from ledger.entries import NO_ENTRY, Addition, Attached, OpenedEntry, Opening, Release, Sealed, Statement
from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Audience, Role
from protocol.matter.asking import Asking
from protocol.matter.state import Matter

C = TypeVar("C", bound=Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry as it is told to a matter: with all its openings, or with none for a reader who may not see them all."""

    sequence: int
    hash: Digest  # `NO_ENTRY` until it is stored
    statement: Statement
    openings: tuple[Opening, ...] | None
    asks: tuple[Role, ...] = ()
    releases: tuple[Release, ...] = ()

    @classmethod
    def stored(cls, opened: OpenedEntry) -> "Entry":
        """One that the log holds."""
        body = opened.entry.body
        return cls(
            sequence=body.sequence,
            hash=opened.hash,
            statement=body.statement,
            openings=opened.openings,
            asks=body.asks,
            releases=body.releases,
        )

    @classmethod
    def added(cls, addition: Addition, sequence: int) -> "Entry":
        """One that the log is asked to add."""
        return cls(
            sequence=sequence,
            hash=NO_ENTRY,
            statement=addition.statement,
            openings=addition.openings,
            asks=addition.asks,
            releases=addition.releases,
        )

    def values(self, name: str) -> list[Any]:
        """The values of a sealed field, in order; only for those who have the openings."""
        if self.openings is None:
            raise RuntimeError(f"entry {self.sequence} came without its openings")
        return [opening.value for opening in self.openings if opening.field == name]

    def sealed(self, name: str) -> int:
        """How many values it seals under this name."""
        field = self.statement.sealed.get(name)
        return 0 if field is None else len(field.commitments)


class When(Enum):
    """When an entry may come."""

    FIRST = auto()  # it opens the matter
    ASKED = auto()  # its author was asked for it
    FREE = auto()  # nobody must answer
    BESIDE_PARTIES = auto()  # the court need not answer; Alice or Bob may still owe an answer, or must be asked again
    TO_THE_END = auto()  # likewise, and also after the claims
    ANY_TIME = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Generic[C]):
    """How people are told of a kind of entry."""

    called: str
    event: Callable[[C], str] | None  # how `status` lists it among the events; None: not at all


Part = Callable[[Matter, C, Entry], None]
"""One step of a kind. It gets the matter before the entry, the entry's content, and the entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[C]):
    """One kind of entry. One that lacks a part fails when the program is loaded; only `asks_about` may be left out."""

    name: str
    record: type[C]  # the shape of its content
    authors: tuple[Role, ...]
    when: When
    asks: Mapping[Role, str] | None  # whom for which kind of answer; None: it repeats a void question
    seals: Mapping[str, tuple[Audience, ...]]  # which values for whom; an empty tuple: `blind` says for whom
    optional: tuple[str, ...]  # which of them may be lacking
    releases: bool  # whether it may show Bob sealed values of earlier entries
    blind: Part[C]  # raises unless everything holds that anybody can check; needs no opening, and changes nothing
    check: Part[C]  # raises unless everything holds that needs openings; runs after `blind`, and changes nothing
    take: Part[C]  # changes the matter; without openings what is sealed becomes None
    asking: Asking | None  # None: it is not an answer
    words: Words[C]
    asks_about: str | None = None  # the field of its content that, if it is empty, makes it ask nobody

    def asked(self, content: Mapping[str, Any]) -> Mapping[Role, str]:
        """Whom an entry with this content asks for which kind of answer; nobody, if it repeats a void question."""
        return {} if self.asks_about is not None and not content.get(self.asks_about) else self.asks or {}

    def by_trent(
        self,
        matter: Digest,
        content: C,
        number: int,
        *,
        sealed: Mapping[str, Sealed] | None = None,
        openings: tuple[Opening, ...] = (),
        attachments: tuple[Attached, ...] = (),
        releases: tuple[Release, ...] = (),
        repeats: Role | None = None,
    ) -> Addition:
        """An entry of Trent's own for the log; `number` is the round's, or 0. `repeats` is who is asked again."""
        statement = Statement(
            answers=None,
            author=Role.TRENT,
            content=records.to_value(content),
            kind=self.name,
            matter=matter,
            replaces=(),
            round=number,
            sealed=dict(sealed or {}),
        )
        return Addition(
            statement=statement,
            openings=openings,
            attachments=attachments,
            asks=tuple(sorted(self.asks or ())) if repeats is None else (repeats,),
            releases=releases,
        )


def nothing(matter: Matter, content: Record, entry: Entry) -> None:
    """The part of a kind that has nothing to check, or nothing to change."""
