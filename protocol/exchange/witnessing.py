"""What outsiders have seen of a matter, put on record by Trent: time stamps, and proofs of the operator's log.

Both are about the record as it stands, between rounds, so they are got while nobody must answer and nothing else is
added.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from ledger.errors import Refused
from ledger.tlog import proofs
from ledger.tlog.policy import Policy
from ledger.tlog.proofs import BadProof, Proof
from protocol.errors import BadToken
from protocol.exchange.office import Office
from protocol.matter import terms
from protocol.matter.kinds import logged
from protocol.stamps import adding, kept, texts, tokens
from protocol.stamps.tokens import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """What Trent checks stamps and proofs with, before they go on record for ever."""

    roots: bytes | None = None
    policy: Policy | None = None


def stamp(office: Office, matter: Path, token: Token, trusted: Trusted) -> int:
    """Keep a token beside the matter, and put its hash on record; the entry's number."""
    known, here = office.state.stamps.get(token.digest), office.log.history.state()
    if known is not None:
        kept.keep(matter, token)
        return known
    asked = office.state.terms.witnesses
    if trusted.roots is not None:
        tokens.check_roots(token, trusted.roots)
    if asked is not None and asked.authorities:
        tokens.check_authority(token, asked.authorities, trusted.roots)
    office.desk.check_between()
    if sha256(here.text.encode()).digest() != token.imprint:
        found = adding.taken(texts.states(office.log.store), token)
        raise BadToken(
            f"the token stamps the record as it was at {found.size} entries, but it has {here.size} now, and a stamp "
            "goes on record directly after what it stamps. Ask for another one, and add it before anything else"
        )
    kept.keep(matter, token)  # before its hash is on record: a token that was lost then could not be got again
    office.desk.stamp(token.digest)
    return here.size


def log(office: Office, proof: Proof, trusted: Trusted) -> int:
    """Put a proof of the operator's log on record; the entry's number."""
    state = office.state
    asked, here = state.terms.witnesses, state.size
    if asked is None or asked.log is None:
        raise Refused("the terms of this matter name no log, so no proof goes on record; keep the file beside it")
    if state.proof == str(_bare(proof)):
        raise Refused("this proof is on record already")
    office.desk.check_between()
    key = terms.log_key(asked.log)
    try:
        proofs.check(proof, bytes(logged.leaf_of(state)), key)
    except BadProof as error:
        raise Refused(
            f"this does not prove that {key.name}, the log of the terms, has this matter as it stands, at {here} "
            f"entries: {error}. Run `tallystick log add` and `tallystick log prove` again, and then this"
        ) from None
    if trusted.policy is not None:
        trusted.policy.check(proof.note, key)
    office.desk.prove(str(_bare(proof)))
    return here


def _bare(proof: Proof) -> Proof:
    """The proof without what nobody signs."""
    return replace(proof, extra=None)
