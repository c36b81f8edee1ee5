"""Whether a party may sign the end of a record: only if its own copy was verified, and nothing was found.

The verifier is another program, which shares no code with this one. Whoever runs it passes on what it says.
"""

from dataclasses import dataclass

from ledger.hashing import Digest
from protocol.parties.errors import Objectionable
from protocol.parties.view import View

NOT_CLOSED = "not closed"
"""What the verifier says of a record in which nothing is wrong, but whose end not all have signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the verifier says of the copy that came with the question."""

    answer: str
    exit_code: int
    audience: str
    matter: str  # in hex, like the next two
    head: str
    root: str
    entries: int
    passed: int  # how many checks passed
    left: int  # how many could not be made
    fault: str  # the first finding, or what is damaged; empty if there is none


def check(view: View, verdict: Verdict | None) -> Verdict:
    """Raise unless this is the verdict on the party's own copy of the history that it has checked, and finds nothing.

    Nobody has signed the end yet, so the verdict cannot be better than *not closed*.
    """
    if verdict is None:
        raise Objectionable(
            "the question asks you to sign the end of the record, but does not hold your copy of it, so nothing can be "
            "verified. Nothing was signed. Ask Trent to write the question again"
        )
    if verdict.fault or (verdict.answer, verdict.exit_code) != (NOT_CLOSED, 0):
        because = f" ({verdict.fault})" if verdict.fault else ""
        raise Objectionable(
            f"tallystick-verify says of {view.role.called}'s copy, which came with the question: "
            f"{verdict.answer.upper()}{because}. Nothing was signed. Do not sign the end; keep the question, and tell "
            "the court"
        )
    state = view.history.record.state()
    found = (verdict.audience, verdict.matter, verdict.entries, verdict.head, verdict.root)
    if found != (view.role, *_hex(state.matter), state.size, *_hex(state.head, state.root)):
        raise Objectionable(
            f"the copy in the question is not {view.role.called}'s copy of the record that it asks you to sign: it is "
            f"for {verdict.audience}, has {verdict.entries} entries, and ends with entry {verdict.head}. Nothing was "
            "signed. Do not sign the end; keep the question, and tell the court"
        )
    return verdict


def _hex(*digests: Digest) -> list[str]:
    return [digest.hex() for digest in digests]
