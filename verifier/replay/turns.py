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
    entry: int  # the question's number
    round: int


_ORDERS = (Kind.DEFAULT, Kind.REKEY, Kind.AMEND)
_RELEASING = (Kind.CAMERA, Kind.DISCLOSURE, Kind.CLOSED)


class Turns:
    """The questions that are open in a matter."""

    def __init__(self) -> None:
        self.awaited: dict[Role, Awaited] = {}
        self.suspended: tuple[Role, Awaited] | None = None  # while the court is asked about somebody's silence
        self._hashes: list[bytes] = []  # of all entries
        self._signed = False  # by all, the opening
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
            self.awaited[role] = Awaited(
                kind=asked, question=told.hash, entry=told.entry.body.sequence, round=said.round
            )
        self._signed = self._signed or not self.awaited
        self._over = kind is Kind.CLAIMS

    def note(self, told: Told) -> None:
        """Remember an entry, which somebody may be served with."""
        self._hashes.append(told.hash)

    def since(self, awaited: Awaited) -> list[bytes]:
        """The question and all entries after it."""
        return self._hashes[awaited.entry :]

    def suspend(self, role: Role) -> None:
        """Nobody waits for this party until the court has said how to go on."""
        self.suspended = role, self.awaited.pop(role)

    def resume(self, *, waiting: bool) -> None:
        """The court has said it: the party must answer as before, or need not any more."""
        if self.suspended is not None and waiting:
            role, awaited = self.suspended
            self.awaited[role] = awaited
        self.suspended = None

    def _expected(self, author: Role) -> str:
        if self._over:
            return "nothing after the claims"
        awaited = self.awaited.get(author)
        return f"{author.called}'s {awaited.kind!r}" if awaited else "another kind of entry"

    def _check_turn(self, told: Told, kind: Kind) -> None:
        said = told.entry.said
        if said.author is Role.TRENT:
            self._check_turn_of_trent(told, kind)
            return
        awaited = self.awaited.get(said.author)
        if awaited is None or (awaited.question, awaited.round) != (said.answers, said.round):
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "Trent logs an answer only to the question that is open",
                self._expected(said.author),
                f"{said.author.called}'s {kind}",
            )
        if awaited.kind != kind:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "A party says what it was asked for",
                f"{said.author.called}'s {awaited.kind}",
                f"{said.author.called}'s {kind}",
            )

    def _check_turn_of_trent(self, told: Told, kind: Kind) -> None:
        """He waits for all; but about a silence or a key of Alice's or Bob's the court can be asked meanwhile."""
        if kind in _ORDERS and not self._signed:
            raise broken(
                told,
                Check.ORDERS,
                Role.TRENT,
                "Nothing is ordered or amended before all have signed the opening",
                self._all_expected(),
                f"Trent's {kind}",
            )
        waiting = {Role.COURT} & self.awaited.keys() if kind in (Kind.DEFAULT, Kind.REKEY) else self.awaited.keys()
        if waiting:
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "Trent does not go on while somebody must answer",
                self._all_expected(),
                f"Trent's {kind}",
            )

    def _all_expected(self) -> str:
        return " and ".join(f"{role.called}'s {each.kind}" for role, each in sorted(self.awaited.items()))

    def _formed(self, told: Told, form: Form) -> Any:
        body, said = told.entry.body, told.entry.said
        if said.author not in form.authors:
            raise broken(
                told,
                Check.ORDER,
                said.author,
                "Each kind of entry has its author",
                " or ".join(role.called for role in form.authors),
                said.author.called,
            )
        if body.asks != tuple(sorted(form.asks)):
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "An entry asks those who must answer it",
                ", ".join(role.called for role in sorted(form.asks)) or "nobody",
                ", ".join(role.called for role in body.asks) or "nobody",
            )
        if body.releases and said.kind not in _RELEASING:
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "Only a disclosure, a camera and a close release values",
                "none",
                "a release",
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
