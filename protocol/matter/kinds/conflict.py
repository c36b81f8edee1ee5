"""`conflict`: a second, different answer to a question, on record as evidence; it changes nothing else.

`ledger.history` checks, as a rule of the chain, that its author signed the evidence and gave a different answer before.
"""

from ledger.entries import SignedStatement
from ledger.roles import Role
from protocol.matter.kind import Kind, When, Words, nothing


def event(content: SignedStatement) -> str:
    """Whose second answer it is."""
    return f"a second answer of {content.statement.author.called}'s is on record as evidence"


KIND = Kind(
    name="conflict",
    record=SignedStatement,
    authors=(Role.TRENT,),
    when=When.ANY_TIME,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=nothing,
    check=nothing,
    take=nothing,
    asking=None,
    words=Words(called="evidence", event=event),
)
