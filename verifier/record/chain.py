"""V02, V03: does every entry name the one before it, and did Trent and the parties sign it?

The rules of a chain (specification, section "The chain"): what an entry must be to come next.
Until Trent's signature over an entry of this matter with the next number is verified, whatever is wrong is damage.
From there on it is his fault: he signed it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.findings import Damaged, Fault, Finding, UnknownVersion
from verifier.record import keys
from verifier.record.entries import FORMAT, NO_ENTRY, OPEN, REKEYED, Body, Entry, Statement
from verifier.record.lines import BadEntry
from verifier.record.shapes import Malformed, digest, mapped, word
from verifier.record.trees import GrowingTree

REPLACEABLE = (Role.ALICE, Role.BOB)
"""Whose keys the court may replace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """The entry by which a party's key was replaced."""

    entry: int
    role: Role
    before: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedBody:
    """What Trent signed as the next entry of a matter, whether or not the chain then admits it."""

    matter: bytes
    sequence: int
    body: bytes  # what the signature covers, behind its type tag
    signature: bytes


class Chain:
    """Where a chain stands after the entries that it admitted."""

    def __init__(self) -> None:
        self.matter = NO_ENTRY
        self.head = NO_ENTRY
        self.keys: dict[Role, bytes] = {}  # those in force
        self.key_changes: list[KeyChange] = []
        self.tree = GrowingTree()
        self.signatures = 0  # verified so far
        self.signed: SignedBody | None = None  # the last one
        self._questions: dict[tuple[Role, bytes], int] = {}  # who must answer which entry: the round

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.tree.size

    @property
    def keys_so_far(self) -> set[bytes]:
        """All keys that anybody has or had: what is signed with one remains its owner's word."""
        return {key for _, key, _ in self.enrolments()}

    def enrolments(self) -> list[tuple[Role, bytes, int]]:
        """Each key that anybody has or had, with whose it is and the entry that made it so."""
        found = []
        for role, last in self.keys.items():
            changes = [each for each in self.key_changes if each.role is role]
            held = [*(each.before for each in changes), last]
            found += [(role, *each) for each in zip(held, [0, *(each.entry for each in changes)], strict=True)]
        return found

    def admit(self, entry: Entry) -> bytes:
        """Admit one entry by all rules, in their order, and return its hash."""
        body, said = entry.body, entry.said
        enrolled = self.keys or _enrolled(said)
        if not keys.signed(enrolled[Role.TRENT], "entry", entry.body_bytes, entry.signature):
            raise Damaged(Check.SIGNATURES, f"entry {body.sequence} does not carry Trent's signature")
        if body.sequence != self.size:
            raise Damaged(Check.CHAIN, f"entry {body.sequence} is in the place of entry {self.size}")
        if self.size and body.matter != self.matter:
            raise Damaged(Check.CHAIN, f"entry {body.sequence} is of another matter, {body.matter.hex()}")
        self.keys = enrolled  # from here on somebody has signed, and can be named
        self.signed = SignedBody(
            matter=body.matter, sequence=body.sequence, body=entry.body_bytes, signature=entry.signature
        )
        if body.previous != self.head:
            raise self._fault(
                Check.CHAIN,
                "Trent signs one history: every entry names the one before it",
                self.head.hex(),
                body.previous.hex(),
            )
        self._check_statement(entry, enrolled)
        self._check_sets(body)
        if said.kind == REKEYED:
            self._replace_key(said)
        self.signatures += 1 + (body.signature is not None)
        digest_ = entry.hash
        self.matter, self.head = body.matter, digest_
        if said.answers is not None:
            del self._questions[said.author, said.answers]
        for role in body.asks:
            self._questions[role, digest_] = said.round
        self.tree.add(digest_)
        return digest_

    def refuse(self, bad: BadEntry, line: int) -> Exception:
        """What it means if the next line has an entry's frame around something else.

        For the first entry it is damage, whatever the signature: that entry itself would have to enrol the key.
        """
        body, trent = bad.body, self.keys.get(Role.TRENT)
        is_next = isinstance(body, dict) and (body.get("matter"), body.get("sequence")) == (
            self.matter.hex(),
            self.size,
        )
        if trent and is_next and keys.signed(trent, "entry", bad.body_bytes, bad.signature):
            self.signed = SignedBody(
                matter=self.matter, sequence=self.size, body=bad.body_bytes, signature=bad.signature
            )
            return self._fault(Check.FORMAT, "Trent signs only entries of the specified shape", "an entry", bad.reason)
        return Damaged(Check.FORMAT, f"line {line}: {bad.reason}")

    def _fault(self, check: Check, rule: str, expected: str, found: str) -> Fault:
        return Fault(Finding(check=check, rule=rule, expected=expected, found=found, entry=self.size, party=Role.TRENT))

    def _check_statement(self, entry: Entry, enrolled: dict[Role, bytes]) -> None:
        body, said = entry.body, entry.said
        if said.matter != body.matter:
            raise self._fault(
                Check.CHAIN, "A statement is logged in its own matter only", body.matter.hex(), said.matter.hex()
            )
        if (said.kind == OPEN) != (self.size == 0):
            raise self._fault(
                Check.ORDER,
                "A matter is opened by its first entry, and only there",
                "open first",
                f"{said.kind!r} here",
            )
        if not self.size and len(set(enrolled.values())) != len(Role):
            raise self._fault(Check.SIGNATURES, "The four parties have four different keys", "four keys", "one twice")
        if said.author is not Role.TRENT:
            self._check_answer(entry, enrolled[said.author])
        elif said.answers is not None or said.replaces or body.signature is not None:
            raise self._fault(
                Check.ORDER,
                "Trent's own statement answers nobody and has no second signature",
                "neither",
                "an answer, a withdrawal or a signature",
            )

    def _check_answer(self, entry: Entry, key: bytes) -> None:
        body, said = entry.body, entry.said
        who = said.author.called
        if body.signature is None or not keys.signed(key, "statement", entry.statement_bytes, body.signature):
            raise self._fault(
                Check.SIGNATURES,
                f"Trent logs as {who}'s only what {who} signed",
                f"a signature by {who}'s key",
                "none that is valid",
            )
        asked_in = None if said.answers is None else self._questions.get((said.author, said.answers))
        if asked_in is None:
            raise self._fault(
                Check.ORDER,
                "A party's statement answers an entry that asked it, once, and none from before its present key",
                f"a question to {who}'s present key that {who} has not answered yet",
                "no such question" if said.answers is None else said.answers.hex(),
            )
        if said.round != asked_in:
            raise self._fault(
                Check.ORDER, "An answer belongs to its question's round", f"round {asked_in}", f"round {said.round}"
            )

    def _replace_key(self, said: Statement) -> None:
        """From the next entry on a party has another key, if the court grants it: it never answers an open question."""
        if said.author is not Role.COURT or said.content.get("granted") is not True:
            return
        role, key = said.content.get("role"), said.content.get("key")
        try:
            new = digest(key)
        except Malformed:
            new = b""
        if role not in REPLACEABLE or not new or new in self.keys_so_far or not keys.is_acceptable(new):
            raise self._fault(
                Check.SIGNATURES,
                "The court replaces a key of Alice's or Bob's with a usable key that nobody has or had",
                "Alice or Bob, and such a key",
                f"{role!r}, and {key!r}"[:200],
            )
        whose = Role(role)
        self.key_changes.append(KeyChange(entry=self.size, role=whose, before=self.keys[whose]))
        self.keys = self.keys | {whose: new}
        self._questions = {asked: round_ for asked, round_ in self._questions.items() if asked[0] is not whose}

    def _check_sets(self, body: Body) -> None:
        """Sets are written in ascending order, commitments are all different, and releases look back."""

        def demand(holds: bool, what: str) -> None:  # noqa: FBT001 - reads as a sentence
            if not holds:
                raise self._fault(
                    Check.FORMAT, "Sets are written in order, and name only what they may", what, "another list"
                )

        said = body.statement
        demand(_ascending(body.asks) and Role.TRENT not in body.asks, "`asks`: parties other than Trent, in order")
        demand(_ascending(said.replaces), "`replaces` in order")
        for field, sealed in said.sealed.items():
            demand(
                _ascending(sealed.audiences) and Audience.PUBLIC not in sealed.audiences,
                f"the audiences of {field!r} in order, without the public",
            )
            demand(bool(sealed.commitments), f"something sealed in {field!r}")
        commitments = list(chain.from_iterable(sealed.commitments for sealed in said.sealed.values()))
        demand(len(set(commitments)) == len(commitments), "no commitment twice in a statement")
        demand(
            _ascending([(each.audience, each.entry, each.field) for each in body.releases]),
            "releases in order of audience, entry and field",
        )
        for release in body.releases:
            demand(
                release.entry < body.sequence and release.audience is not Audience.PUBLIC,
                "a release of an earlier entry to another audience than the public",
            )
            demand(
                release.indices is None or (bool(release.indices) and _ascending(release.indices)),
                "a release's indices in order",
            )


def _enrolled(said: Statement) -> dict[Role, bytes]:
    """The keys that the first statement enrols.

    A key that is missing or not usable leaves the copy undecided: without an enrolled key nobody can be blamed,
    not even Trent, since anyone could have made such an entry and signed it with a key of their own.
    """
    version, keys_by_role = said.content.get("format"), said.content.get("keys")
    if type(version) is int and version != FORMAT:
        raise UnknownVersion(f"the matter is of format {version}; this verifier knows format {FORMAT}")
    try:
        found: dict[Role, bytes] = mapped(word(Role), digest)(keys_by_role)
    except Malformed as error:
        raise Damaged(Check.SIGNATURES, f"the first entry enrols no keys: {error}") from None
    if version != FORMAT or found.keys() != set(Role) or not all(map(keys.is_acceptable, found.values())):
        raise Damaged(
            Check.SIGNATURES, "the first entry does not enrol a usable key for each of alice, bob, court and trent"
        )
    return found


def _ascending(items: Iterable[Any]) -> bool:
    return all(one < other for one, other in pairwise(items))
