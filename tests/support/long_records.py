"""Long records that keep every rule, of as many entries as wanted: the court denies, and the parties reject.

A round is one of at most 2^12, but a new key, an amendment and an order may be asked for again and again. So these are
the entries of which a record can have a million.
"""

from pathlib import Path

from ledger.copies import write_copy
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.run import Run
from tests.support import answers, matters

CYCLE = 8
"""Entries: a new key is asked for and denied; more rounds are proposed, Bob is slow, the court denies an order, and all
three reject the proposal.
"""

ANSWERS = 5
"""How many of these are answers."""

_ASKED = SigningKey(bytes(range(32))).public
_PROPOSED = 7  # rounds


def begin(corpus: Corpus, path: Path) -> Run:
    """A matter whose terms all have signed."""
    run = matters.start(corpus, path)
    while run.state.awaits:
        run.step()
    return run


def lengthen(run: Run, entries: int) -> None:
    """Add cycles until the record has at least so many entries."""
    while run.state.size < entries:
        run.desk.rekey(Role.BOB, _ASKED)
        run.desk.accept(answers.rekeyed(run.court, granted=False))
        run.desk.amend(_PROPOSED)
        for role in (Role.ALICE, Role.COURT):
            run.desk.accept(answers.amended(run.parties[role], accepted=False))
        run.desk.default(Role.BOB, run.desk.log.history.head)
        run.desk.accept(answers.order(run.court, granted=False))
        run.desk.accept(answers.amended(run.bob, accepted=False))


def cut(run: Run, audience: Audience, out: Path) -> Path:
    """A copy of the record as it stands."""
    write_copy(run.desk.log.store, audience, run.plan.key(Role.TRENT), out)
    return out
