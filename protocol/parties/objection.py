"""An objection: a party's signed refusal of a question, for the court.

It quotes Trent's whole signed request, so his own signature proves what he asked. Whoever refuses a question would
count as silent otherwise, and the court would go on without its answer.
"""

from typing import Annotated

import msgspec

from ledger import keys, records
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.plain import shown
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.parties import question
from protocol.parties.errors import BadObjection
from protocol.parties.question import COSIGN, Request, SignedRequest
from protocol.parties.view import View

FORMAT = 1
LONGEST_REASON = 2000
"""The most characters of a reason."""

_TAG = "objection"


class Objection(Record, frozen=True, kw_only=True):
    """What a party signs instead of an answer."""

    format: Natural
    matter: Digest
    question: SignedRequest  # as Trent signed it
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_REASON)]
    role: Role  # whose objection it is


class SignedObjection(Record, frozen=True, kw_only=True):
    """The file that goes to the court."""

    objection: Objection
    signature: Signature

    @property
    def asked(self) -> Request:
        """What Trent asked, according to the quotation."""
        return self.objection.question.question


def sign(key: SigningKey, asked: SignedRequest, reason: str) -> SignedObjection:
    """A party's objection to a question of Trent's."""
    said = Objection(
        format=FORMAT,
        matter=asked.question.matter,
        question=asked,
        reason=shown(reason)[:LONGEST_REASON],
        role=asked.question.role,
    )
    return SignedObjection(objection=said, signature=key.sign(_TAG, records.encode(said)))


def is_signed(found: SignedObjection, key: PublicKey) -> bool:
    """Whether this is the key's signature of the objection."""
    return keys.holds(keys.signed(key, _TAG, records.encode(found.objection), found.signature))


def check_signatures(found: SignedObjection, party: PublicKey, trent: PublicKey) -> None:
    """Raise unless the party has signed the objection, and Trent the question that it quotes."""
    who = found.objection.role.called
    if (found.asked.matter, found.asked.role) != (found.objection.matter, found.objection.role):
        raise BadObjection(f"the objection quotes a question of another matter, or to somebody else than {who}")
    if not is_signed(found, party):
        raise BadObjection(
            f"the objection is not signed with {who}'s key in this matter: it is not {who}'s, or was changed on the way"
        )
    if not question.is_signed(found.objection.question, trent):
        raise BadObjection("the question that the objection quotes is not signed by Trent: he did not ask it")


def check_about(view: View, found: SignedObjection) -> None:
    """Raise unless this is an objection of the silent party's, before the court that is asked for an order.

    Trent may have asked for something else than the entry asks for, which is a reason to object. So one that quotes
    another question is shown too, as what it is: see `is_owed`.
    """
    silence, keys_in_force = view.state.silence, view.history.record.keys
    if view.kind != "order" or silence is None:
        raise BadObjection("an objection is for the court, when it is asked for an order because a party is silent")
    said = found.objection
    if (said.matter, said.role) != (view.matter, silence.absent):
        raise BadObjection(
            f"the objection is {said.role.called}'s in the matter {said.matter.hex()}, but this order is about "
            f"{silence.absent.called} in the matter {view.matter.hex()}"
        )
    check_signatures(found, keys_in_force[said.role], keys_in_force[Role.TRENT])
    if found.asked.entry not in view.state.sequences:
        raise BadObjection(
            f"{said.role.called} objects to a question about entry {found.asked.entry.hex()}, which Trent has signed, "
            "but which is not in the history that you were shown: he may show two histories of this matter. Sign no "
            f"order; let {said.role.called} show you the question, and compare"
        )


def is_owed(view: View, asked: Request) -> bool:
    """Whether the quoted question is the one that is owed. The end is asked about anew after each order on it."""
    awaited = None if view.state.silence is None else view.state.silence.awaited
    if awaited is None or asked.kind != awaited.kind:
        return False
    if asked.kind == COSIGN:
        return view.state.sequences[asked.entry] >= view.state.sequences[awaited.question]
    return asked.entry == awaited.question
