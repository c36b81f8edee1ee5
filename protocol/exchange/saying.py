"""What a party's decisions say in answer to a question: which of them it needs, and how they are signed."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from ledger.coins import DRAWERS
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange.errors import NotAnswered, WrongDecision
from protocol.exchange.instructions import ASKED
from protocol.exchange.standing import Standing, deposited_root
from protocol.matter.decisions import MAX_BASIS, Decisions
from protocol.matter.statements import Kind
from protocol.parties.alice import Alice
from protocol.parties.base import Answer, Drawer
from protocol.parties.bob import Bob
from protocol.parties.court import Court

_NEEDED: dict[str, tuple[str, ...]] = {
    Kind.REPORT: ("labels",),
    Kind.LABELS: ("labels",),
    Kind.RULINGS: ("labels",),
    Kind.PRIVILEGE: ("upheld",),
    Kind.ORDER: ("granted",),
    Kind.REKEYED: ("granted",),
    Kind.AMENDED: ("accepted",),
}
_POSSIBLE: dict[str, tuple[str, ...]] = {Kind.REPORT: ("threshold", "claims"), Kind.CLAIM: ("claims",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was understood of the person's decisions, and how it is signed."""

    sign: Callable[[tuple[Digest, ...]], Answer]
    labels: Mapping[int, bool]
    claims: Mapping[int, str]
    threshold: int | None = None
    ignored: int = 0


def understood(standing: Standing, decisions: Decisions) -> Said:
    """What the decisions say in answer to the question."""
    check_fits(standing, decisions.given, decisions.threshold)
    for position in {*(decisions.labels or ()), *(decisions.claims or ()), *(decisions.upheld or ())}:
        if position not in standing.listed:
            raise NotAnswered(f"something was decided about position {position}, which the question does not ask about")
    return _HANDLERS[Kind(standing.kind)](standing, decisions)


def check_fits(standing: Standing, given: Collection[str], threshold: int | None) -> None:
    """Raise unless the decisions with these names are the ones that the question asks for."""
    kind = standing.kind
    needed, possible = _NEEDED.get(kind, ()), _POSSIBLE.get(kind, ())
    for name in given:
        if name not in (*needed, *possible):
            raise WrongDecision(f"the question asks {ASKED[kind]}", name, wanted=False)
    for name in needed:
        nothing_to_label = kind == Kind.REPORT and threshold == 0
        if name not in given and not nothing_to_label:
            raise WrongDecision(f"the question asks {ASKED[kind]}", name, wanted=True)
    if kind == Kind.REPORT:
        _check_threshold(standing, threshold)


def _check_threshold(standing: Standing, threshold: int | None) -> None:
    rule, size = _alice(standing).rule, standing.asking.statement.content["size"]
    if rule.reports_threshold and (threshold is None or not 0 <= threshold <= size):
        raise NotAnswered(
            f"this protocol asks for a threshold: give --threshold R, a rank from 0 to {size}, with the labels of the "
            "top R"
        )
    if not rule.reports_threshold and threshold is not None:
        raise NotAnswered(
            "this protocol asks for the labels of all documents, and for no threshold: leave --threshold out"
        )


def _plain(sign: Callable[[tuple[Digest, ...]], Answer]) -> Said:
    return Said(sign=sign, labels={}, claims={})


def _agreed(standing: Standing, _: Decisions) -> Said:
    return _plain(_drawer(standing).agree)


def _link(standing: Standing, _: Decisions) -> Said:
    return _plain(_drawer(standing).give_link)


def _deposited(standing: Standing, _: Decisions) -> Said:
    for role in DRAWERS:
        deposited_root(standing, role)
    return _plain(_court(standing).deposit)


def _report(standing: Standing, decisions: Decisions) -> Said:
    alice, size = _alice(standing), standing.asking.statement.content["size"]
    top = decisions.threshold
    given = decisions.labels or {}
    labels = _every(given, range(1, (size if top is None else top) + 1))
    claims = _claims(decisions)
    said = [labels.get(position) for position in range(1, size + 1)]
    return Said(
        sign=lambda replaces: alice.report(said, top, claims, replaces=replaces),
        labels=labels,
        claims=claims,
        threshold=top,
        ignored=len(given) - len(labels),
    )


def _claim(standing: Standing, decisions: Decisions) -> Said:
    alice, claims = _alice(standing), _claims(decisions)
    return Said(sign=lambda replaces: alice.claim(claims, replaces=replaces), labels={}, claims=claims)


def _claims(decisions: Decisions) -> dict[int, str]:
    claims = dict(decisions.claims or {})
    for position, basis in claims.items():
        if not 0 < len(basis) <= MAX_BASIS:
            raise NotAnswered(f"the claim for position {position} needs a basis of at most {MAX_BASIS} characters")
    return claims


def _labels(standing: Standing, decisions: Decisions) -> Said:
    bob = standing.party
    if not isinstance(bob, Bob):
        raise Refused(f"{standing.role.called} is asked for Bob's labels")
    return _on_positions(standing, decisions.labels, bob.label)


def _rulings(standing: Standing, decisions: Decisions) -> Said:
    return _on_positions(standing, decisions.labels, _court(standing).rule)


def _privilege(standing: Standing, decisions: Decisions) -> Said:
    return _on_positions(standing, decisions.upheld, _court(standing).rule_on_privilege)


def _on_positions(standing: Standing, given: Mapping[int, bool] | None, sign: Callable[..., Answer]) -> Said:
    found = _every(given or {}, standing.asking.statement.content["positions"])
    said = list(found.values())
    return Said(sign=lambda replaces: sign(said, replaces=replaces), labels=found, claims={})


def _every(given: Mapping[int, bool], positions: Iterable[int]) -> dict[int, bool]:
    """What was decided about each of these positions."""
    due = list(positions)
    missing = [position for position in due if position not in given]
    if missing:
        raise NotAnswered(f"nothing was decided about position {missing[0]}")
    return {position: given[position] for position in due}


def _order(standing: Standing, decisions: Decisions) -> Said:
    court, granted = _court(standing), bool(decisions.granted)
    link = missing_link(standing) if granted else None
    return _plain(lambda replaces: court.order(granted, link, replaces=replaces))


def missing_link(standing: Standing) -> Digest | None:
    """The link that the absent party owes, from the deposit; None if it owes something else."""
    absent = Role(standing.asking.statement.content["absent"])
    if owed(standing) is not Kind.LINK:
        return None
    return standing.chain(absent, deposited_root(standing, absent)).link(standing.course.draws)


def owed(standing: Standing) -> Kind:
    """What the party does not give, on whose silence the court is to decide."""
    silence = standing.course.silence
    if silence is None:
        raise Refused("nobody is in default")
    return silence.awaited.kind


def _rekeyed(standing: Standing, decisions: Decisions) -> Said:
    court = _court(standing)
    return _plain(lambda replaces: court.rekeyed(bool(decisions.granted), replaces=replaces))


def _amended(standing: Standing, decisions: Decisions) -> Said:
    return _plain(lambda replaces: standing.party.amended(bool(decisions.accepted), replaces=replaces))


def _drawer(standing: Standing) -> Drawer:
    if not isinstance(standing.party, Drawer):
        raise Refused(f"{standing.role.called} has no coin chain")
    return standing.party


def _alice(standing: Standing) -> Alice:
    if not isinstance(standing.party, Alice):
        raise Refused(f"{standing.role.called} is asked for what only Alice says")
    return standing.party


def _court(standing: Standing) -> Court:
    if not isinstance(standing.party, Court):
        raise Refused(f"{standing.role.called} is asked for what only the court says")
    return standing.party


_HANDLERS: dict[Kind, Callable[[Standing, Decisions], Said]] = {
    Kind.AGREED: _agreed,
    Kind.LINK: _link,
    Kind.DEPOSITED: _deposited,
    Kind.REPORT: _report,
    Kind.CLAIM: _claim,
    Kind.LABELS: _labels,
    Kind.RULINGS: _rulings,
    Kind.PRIVILEGE: _privilege,
    Kind.ORDER: _order,
    Kind.REKEYED: _rekeyed,
    Kind.AMENDED: _amended,
}
