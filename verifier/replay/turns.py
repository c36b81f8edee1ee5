"""Whose turn it is, and whether an entry has the form of its kind (V05), apart from what it says."""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Check, Role
from verifier.findings import Fault, Finding
from verifier.record.copy import Told
from verifier.record.entries import OPEN
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import FORMS, Form, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What a party must say next, and to which entry."""

    kind: Kind
    question: bytes
    round: int


class Turns:
    """The questions that are open in a matter."""

    def __init__(self) -> None:
        self.awaited: dict[Role, Awaited] = {}
        self._over = False

    def take(self, told: Told) -> tuple[Kind, Any]:
        """The entry's kind and content, if it may come now and has its form."""
        body, said = told.entry.body, told.entry.said
        kind = Kind(said.kind) if said.kind in list(Kind) else None
        if kind is None or self._over or (kind == OPEN) != (body.sequence == 0):
            # an entry that has no place is Trent's to refuse, unless a party was asked and says something else
            raise broken(
                told,
                Check.ORDER,
                said.author if said.author in self.awaited and not self._over else Role.TRENT,
                "Every entry has its place in the order of a matter",
                self._expected(said.author),
                f"{said.kind!r}",
            )
        self._check_turn(told, kind)
        return kind, self._formed(told, FORMS[kind])

    def go_on(self, told: Told, kind: Kind) -> None:
        """The entry has been taken: its author's question is answered, and it asks its own."""
        said = told.entry.said
        self.awaited.pop(said.author, None)
        for role, asked in FORMS[kind].asks.items():
            self.awaited[role] = Awaited(kind=asked, question=told.hash, round=said.round)
        self._over = kind is Kind.CLAIMS

    def _expected(self, author: Role) -> str:
        if self._over:
            return "nothing after the claims"
        awaited = self.awaited.get(author)
        return f"{author}'s {awaited.kind!r}" if awaited else "another kind of entry"

    def _check_turn(self, told: Told, kind: Kind) -> None:
        said = told.entry.said
        if said.author is Role.TRENT:
            if self.awaited:
                raise broken(
                    told,
                    Check.ORDER,
                    Role.TRENT,
                    "Trent does not go on while somebody must answer",
                    " and ".join(f"{role}'s {each.kind}" for role, each in sorted(self.awaited.items())),
                    f"Trent's {kind}",
                )
            return
        awaited = self.awaited.get(said.author)
        if awaited is None or (awaited.question, awaited.round) != (said.answers, said.round):
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "Trent logs an answer only to the question that is open",
                self._expected(said.author),
                f"{said.author}'s {kind}",
            )
        if awaited.kind != kind:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "A party says what it was asked for",
                f"{said.author}'s {awaited.kind}",
                f"{said.author}'s {kind}",
            )

    def _formed(self, told: Told, form: Form) -> Any:
        body, said = told.entry.body, told.entry.said
        if said.author not in form.authors:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "Each kind of entry has its author",
                " or ".join(form.authors),
                said.author,
            )
        if body.asks != tuple(sorted(form.asks)):
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "An entry asks those who must answer it",
                ", ".join(sorted(form.asks)) or "nobody",
                ", ".join(body.asks) or "nobody",
            )
        if body.releases and said.kind not in (Kind.DISCLOSURE, Kind.CLOSED):
            raise broken(
                told, Check.ORDER, Role.TRENT, "Only a disclosure and a close release values", "none", "a release"
            )
        sealed = {name: each.audiences for name, each in said.sealed.items()}
        due = {
            name: audiences for name, audiences in form.sealed.items() if name in sealed or name not in form.optional
        }
        if sealed != due:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "A statement seals the fields of its kind, for the audiences of its kind",
                _shown(due),
                _shown(sealed),
            )
        try:
            return read(form.content, said.content)
        except Malformed as error:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "A statement's content has the shape of its kind",
                f"the content of {said.kind!r}",
                str(error),
            ) from None


def broken(told: Told, check: Check, party: Role, rule: str, expected: object, found: object) -> Fault:
    """A rule that this entry breaks, above the signature of `party` in it."""
    return Fault(
        Finding(
            check=check,
            rule=rule,
            expected=str(expected),
            found=str(found),
            entry=told.entry.body.sequence,
            party=party,
        )
    )


def _shown(sealed: dict[str, Any]) -> str:
    return ", ".join(f"{name} for {' and '.join(sealed[name])}" for name in sorted(sealed)) or "nothing"
