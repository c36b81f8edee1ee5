"""Every kind of entry that the protocol knows, one module each.

The order of a matter:

    open (Trent) -> agreed (Alice), agreed (Bob), deposited (court)
    each batch, if it is drawn by coin:   draw (Trent) -> link (Alice), link (Bob)
      batch (Trent) -> report (Alice) -> link (Bob)
    or an escalation:   escalation (Trent) -> look (Alice) -> link (Bob)
      without a look:   draw (Trent) -> link (Alice), link (Bob)
    or a validation:   draw (Trent) -> link (Alice), link (Bob)
      in one stage:   validation (Trent) -> claim (Alice)
      in two stages:   call (Trent) -> report (Alice) -> link (Bob)
    and in each of them:
      [camera (Trent) -> privilege (court)]
      disclosure (Trent) -> labels (Bob) [-> dispute (Trent) -> rulings (court)]
        repeated while the rule adds documents; in between, if Alice asks for it, late (Trent) -> claim (Alice)
      closed (Trent)
    in a round or between two, if Alice asks for it: clawback (Trent) -> reclaim (Alice) -> returned (court)
    at any time: default (Trent) -> order (court); rekey (Trent) -> rekeyed (court) -> again (Trent), which repeats what
      the new key must answer; amend (Trent) -> amended (all); conflict (Trent)
    between rounds, while nobody must answer: stamped (Trent), logged (Trent)
    claims (Trent), and then only: default (Trent) -> order (court)
"""

from collections.abc import Iterable, Mapping
from pkgutil import iter_modules
from typing import Any

from ledger.entries import Addition, Opening, Statement
from ledger.keys import Signature
from protocol.matter.asking import Answer, Decision, Shown
from protocol.matter.kind import Kind
from protocol.matter.kinds import (
    again,
    agreed,
    amend,
    amended,
    batch,
    call,
    camera,
    claim,
    claims,
    clawback,
    closed,
    conflict,
    default,
    deposited,
    disclosure,
    dispute,
    draw,
    escalation,
    labels,
    late,
    link,
    logged,
    look,
    order,
    privilege,
    reclaim,
    rekey,
    rekeyed,
    report,
    returned,
    rulings,
    stamped,
    validation,
)
from protocol.matter.kinds import open as opening

_LISTED: tuple[Kind[Any], ...] = (
    opening.KIND,
    agreed.KIND,
    deposited.KIND,
    draw.KIND,
    link.KIND,
    batch.KIND,
    report.KIND,
    escalation.KIND,
    look.KIND,
    validation.KIND,
    call.KIND,
    camera.KIND,
    privilege.KIND,
    late.KIND,
    claim.KIND,
    clawback.KIND,
    reclaim.KIND,
    returned.KIND,
    disclosure.KIND,
    labels.KIND,
    dispute.KIND,
    rulings.KIND,
    closed.KIND,
    default.KIND,
    order.KIND,
    rekey.KIND,
    rekeyed.KIND,
    again.KIND,
    amend.KIND,
    amended.KIND,
    stamped.KIND,
    logged.KIND,
    claims.KIND,
    conflict.KIND,
)


class Unfinished(TypeError):
    """The kinds of entry do not fit together, so the program does not start."""


def table(listed: Iterable[Kind[Any]], files: Iterable[str]) -> dict[str, Kind[Any]]:
    """The kinds by name. Raises `Unfinished` if a file is not listed, or if what a kind asks for cannot be answered."""
    found = {kind.name: kind for kind in listed}
    named = set(files)
    if named != found.keys():
        odd = ", ".join(sorted(named ^ found.keys()))
        raise Unfinished(f"every kind needs a module and a place in the list; these lack one of the two: {odd}")
    for kind in found.values():
        for role, asked in (kind.asks or {}).items():
            answer = found.get(asked)
            if answer is None or answer.asking is None or role not in answer.authors:
                raise Unfinished(f"'{kind.name}' asks {role.called} for '{asked}', which {role.called} cannot answer")
    return found


KINDS: Mapping[str, Kind[Any]] = table(_LISTED, (module.name for module in iter_modules(__path__)))
"""Each kind of entry by its name. An entry of another kind has no place in a matter."""


def called(name: str) -> str:
    """What people call a kind. A name that this protocol does not know stays as it is."""
    return KINDS[name].words.called if name in KINDS else name


def decision(name: str) -> Decision:
    """What a person decides to answer a question; nothing for a cosignature, which is not an entry."""
    asking = KINDS[name].asking if name in KINDS else None
    return Decision.NOTHING if asking is None else asking.decision


def shown(name: str) -> Shown:
    """Which documents go with a question for this kind of answer."""
    asking = KINDS[name].asking if name in KINDS else None
    return Shown.NONE if asking is None else asking.shown


def by_party(answer: Answer) -> Addition:
    """A party's answer as an addition to the log."""
    return added(answer.signed.statement, answer.openings, answer.signed.signature)


def added(said: Statement, openings: tuple[Opening, ...], signature: Signature | None = None) -> Addition:
    """What a party says as an addition to the log, with those whom it asks in turn."""
    asks = KINDS[said.kind].asked(said.content) if said.kind in KINDS else {}
    return Addition(statement=said, signature=signature, openings=openings, asks=tuple(sorted(asks)))
