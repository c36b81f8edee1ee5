"""What Trent asks a party: the signed request, its history, and what each kind of answer is for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec

from ledger import keys, records
from ledger.canonical import Value
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.records import Name, Natural, Record
from ledger.roles import Role
from protocol.matter.kinds import KINDS, default
from protocol.parties.errors import BadQuestion
from protocol.parties.history_lines import HistoryLines
from protocol.parties.secrets import SealedRoot
from protocol.rules.terms import Terms

FORMAT = 2

COSIGN = default.SIGNATURE
"""The kind of a question that asks for the cosignature of a checkpoint."""

ASKED: dict[str, str] = {name: kind.asking.question for name, kind in KINDS.items() if kind.asking is not None} | {
    COSIGN: "to cosign the record as it stands"
}
"""What each kind of answer is for."""

GRANTED: dict[str, str] = {
    name: kind.asking.silence.words
    for name, kind in KINDS.items()
    if kind.asking is not None and kind.asking.silence is not None
} | {COSIGN: "the matter ends without this party's signature"}
"""What follows if the court grants an order on silence, by the kind of answer that the party owed."""

FilePath = Annotated[
    str, msgspec.Meta(pattern=r"^((documents|images|pages|texts)/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?\Z")
]


class Request(Record, frozen=True, kw_only=True):
    """What Trent signs of a question."""

    entry: Digest  # the entry that asks; for a cosignature the head
    files: dict[FilePath, Digest]  # the SHA-256 of every other file
    format: Natural
    head: Digest  # of entry size - 1
    kind: Name  # of the answer wanted
    matter: Digest
    role: Role
    round: Natural
    size: Natural
    start: Natural  # the first entry that the question carries


class SignedRequest(Record, frozen=True, kw_only=True):
    """`question.json`."""

    question: Request
    signature: Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as a party gets it; its documents come beside it."""

    signed: SignedRequest
    lines: HistoryLines
    deposits: Mapping[Role, SealedRoot]  # for the court those of all; for a new key its own
    checkpoint: bytes | None  # if a cosignature is asked for

    @property
    def request(self) -> Request:
        """What is asked."""
        return self.signed.question

    def check_signature(self, trent: PublicKey) -> None:
        """Raise unless Trent signed the request."""
        check_signature(self.signed, trent)


def classes_for(agreed: Terms, kind: str, question: Mapping[str, Value]) -> tuple[str, ...]:
    """The sensitive classes that an answer to a question may name: in a report, and before a validation shows Bob what
    it drew. What Alice claims late is a claim of privilege.
    """
    if agreed.classes is None or not (kind == "report" or (kind == "claim" and "numbers" in question)):
        return ()
    return agreed.classes.names


def proposed(amendment: Mapping[str, Value], agreed: Terms) -> str:
    """What an amendment would change, in words."""
    rounds, limit, now = amendment["rounds"], amendment["limit"], getattr(agreed, "limit", None)
    changes = []
    if rounds != agreed.rounds:
        changes.append(f"{rounds} rounds in all, instead of {agreed.rounds}")
    if limit != now:
        changes.append(f"a limit of {limit} on what escalations show Bob, instead of {now}")
    return "; ".join(changes)


def sign(key: SigningKey, request: Request) -> SignedRequest:
    """The request under Trent's signature."""
    return SignedRequest(question=request, signature=key.sign("question", records.encode(request)))


def is_signed(found: SignedRequest, trent: PublicKey) -> bool:
    """Whether this is Trent's signature of the request."""
    return keys.holds(keys.signed(trent, "question", records.encode(found.question), found.signature))


def check_signature(signed: SignedRequest, trent: PublicKey) -> None:
    """Raise unless Trent signed the request."""
    if not is_signed(signed, trent):
        raise BadQuestion(
            "the question is not signed with Trent's key in this matter: it is not his, or was changed on the "
            "way. Do not answer it; ask Trent to send it again"
        )
