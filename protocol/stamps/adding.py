"""Which size of a matter a token stamps."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest
from protocol.errors import BadToken
from protocol.stamps.tokens import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A token that stamps a state of this matter."""

    size: int
    head: Digest  # the hash of the last entry at that size
    token: Digest  # the SHA-256 of the token, under which it is kept


def taken(states: Iterable[Checkpoint], token: Token) -> Taken:
    """The state whose text the token stamps; `texts.states` gives all of a matter."""
    last = 0
    for state in states:
        last = state.size
        if sha256(state.text.encode()).digest() == token.imprint:
            return Taken(size=state.size, head=state.head, token=token.digest)
    raise BadToken(
        f"the token stamps the SHA-256 {token.imprint.hex()}, which is not that of a checkpoint of this matter at any "
        f"size up to {last}. It belongs to another matter, to a later state, or to another file"
    )
