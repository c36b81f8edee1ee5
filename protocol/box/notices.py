"""What Trent signs for the mailbox: whose keys are in force in a matter, and what became of an answer.

Neither is part of the record. They lie in the mailbox as canonical JSON and a newline, and each has its own tag.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from ledger import keys, records
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.records import Natural, R, Record
from ledger.roles import Role
from protocol.box.errors import BadNotice

FORMAT = 1
MAX_SIZE = 2**16
"""Largest notice in bytes."""

_Words = Annotated[str, msgspec.Meta(max_length=4000)]


class Parties(Record, frozen=True, kw_only=True):
    """The keys in force in a matter of `size` entries."""

    format: Natural
    keys: dict[Role, PublicKey]  # those of the parties, without Trent's
    matter: Digest
    size: Natural
    trent: PublicKey


class SignedParties(Record, frozen=True, kw_only=True):
    """The same under Trent's signature, behind the tag `box-parties`."""

    parties: Parties
    signature: Signature


class Receipt(Record, frozen=True, kw_only=True):
    """What became of an answer."""

    answer: Digest  # the SHA-256 of the sealed bytes
    entry: Natural | None  # the number of the entry that holds it, if there is one
    format: Natural
    matter: Digest
    outcome: Literal["accepted", "refused"]
    role: Role
    words: _Words  # what was accepted, or why it was refused


class SignedReceipt(Record, frozen=True, kw_only=True):
    """The same under Trent's signature, behind the tag `box-receipt`."""

    receipt: Receipt
    signature: Signature


def parties(trent: SigningKey, matter: Digest, in_force: Mapping[Role, PublicKey], size: int) -> SignedParties:
    """The keys in force, signed; Trent's own may be among them."""
    others: dict[Role, PublicKey] = {role: key for role, key in in_force.items() if role is not Role.TRENT}
    said = Parties(format=FORMAT, keys=others, matter=matter, size=size, trent=trent.public)
    return SignedParties(parties=said, signature=trent.sign("box-parties", records.encode(said)))


def receipt(
    trent: SigningKey, matter: Digest, role: Role, answer: Digest, *, accepted: bool, words: str, entry: int | None
) -> SignedReceipt:
    """What became of an answer, signed."""
    said = Receipt(
        answer=answer,
        entry=entry,
        format=FORMAT,
        matter=matter,
        outcome="accepted" if accepted else "refused",
        role=role,
        words=words[:4000],
    )
    return SignedReceipt(receipt=said, signature=trent.sign("box-receipt", records.encode(said)))


def encode(notice: SignedParties | SignedReceipt) -> bytes:
    """The file's bytes."""
    return records.encode(notice) + b"\n"


def read_parties(data: bytes, where: str, matter: Digest) -> SignedParties:
    """The keys in force in this matter, signed by the Trent that they name: whether he is the right one is the
    reader's to know.
    """
    found = _decoded(SignedParties, data, where)
    said = found.parties
    _check_format(said.format, where)
    if said.matter != matter or Role.TRENT in said.keys:
        raise BadNotice(f"{where} is not the list of the parties of matter {matter.hex()}")
    _check(keys.signed(said.trent, "box-parties", records.encode(said), found.signature), where)
    return found


def read_receipt(data: bytes, where: str, trent: PublicKey) -> SignedReceipt:
    """A receipt that this Trent has signed."""
    found = _decoded(SignedReceipt, data, where)
    _check_format(found.receipt.format, where)
    _check(keys.signed(trent, "box-receipt", records.encode(found.receipt), found.signature), where)
    return found


def _decoded(kind: type[R], data: bytes, where: str) -> R:
    try:
        return records.decode(kind, data.removesuffix(b"\n"))
    except (LedgerError, ValueError) as error:
        raise BadNotice(f"{where} is damaged ({error})") from None


def _check_format(found: int, where: str) -> None:
    if found != FORMAT:
        raise BadNotice(f"{where} has format {found}, but this version knows only format {FORMAT}; install a newer one")


def _check(signed: keys.Signed, where: str) -> None:
    if not keys.holds(signed):
        raise BadNotice(f"{where} is not signed with Trent's key: it is not his, or was changed")
