"""What a party's decisions say in answer to a question: which decisions it needs, and how they are signed."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from ledger.coins import DRAWERS
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter.decisions import MAX_BASIS, Decisions
from protocol.parties.alice import Alice
from protocol.parties.base import Answer, Drawer
from protocol.parties.bob import Bob
from protocol.parties.court import Court
from protocol.parties.errors import NotAnswered, WrongDecision
from protocol.parties.question import ASKED
from protocol.parties.view import View, deposited_root

_NEEDED: dict[str, tuple[str, ...]] = {
    "report": ("labels",),
    "labels": ("labels",),
    "rulings": ("labels",),
    "privilege": ("upheld",),
    "order": ("granted",),
    "rekeyed": ("granted",),
    "amended": ("accepted",),
}
_POSSIBLE: dict[str, tuple[str, ...]] = {"report": ("threshold", "claims"), "claim": ("claims",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a party declares in answer to a question, and how it is signed."""

    sign: Callable[[tuple[Digest, ...]], Answer]
    labels: Mapping[int, bool]
    claims: Mapping[int, str]
    threshold: int | None = None
    ignored: int = 0


def declared(view: View, documents: Collection[int], decisions: Decisions) -> Declaration:
    """What the decisions say in answer to a question about the documents at these positions."""
    check_fits(view, decisions.given, decisions.threshold)
    for position in {*(decisions.labels or ()), *(decisions.claims or ()), *(decisions.upheld or ())}:
        if position not in documents:
            raise NotAnswered(f"something was decided about position {position}, which the question does not ask about")
    return _HANDLERS[view.kind](view, decisions)


def check_fits(view: View, given: Collection[str], threshold: int | None) -> None:
    """Raise unless the decisions with these names are the ones that the question asks for."""
    kind = view.kind
    needed, possible = _NEEDED.get(kind, ()), _POSSIBLE.get(kind, ())
    for name in given:
        if name not in (*needed, *possible):
            raise WrongDecision(f"the question asks {ASKED[kind]}", name, wanted=False)
    for name in needed:
        nothing_to_label = kind == "report" and threshold == 0
        if name not in given and not nothing_to_label:
            raise WrongDecision(f"the question asks {ASKED[kind]}", name, wanted=True)
    if kind == "report":
        _check_threshold(view, threshold)


def _check_threshold(view: View, threshold: int | None) -> None:
    rule, size = _alice(view).rule, view.entry.statement.content["size"]
    if rule.reports_threshold and (threshold is None or not 0 <= threshold <= size):
        asked = (
            f"this rule asks for a threshold, a rank from 0 to {size}, and for the labels of the documents down to it"
        )
        raise WrongDecision(asked, "threshold", wanted=True)
    if not rule.reports_threshold and threshold is not None:
        asked = "this rule asks for the labels of all documents, and for no threshold"
        raise WrongDecision(asked, "threshold", wanted=False)


def _plain(sign: Callable[[tuple[Digest, ...]], Answer]) -> Declaration:
    return Declaration(sign=sign, labels={}, claims={})


def _agreed(view: View, _: Decisions) -> Declaration:
    return _plain(_drawer(view).agree)


def _link(view: View, _: Decisions) -> Declaration:
    return _plain(_drawer(view).give_link)


def _deposited(view: View, _: Decisions) -> Declaration:
    for role in DRAWERS:
        deposited_root(view, role)
    return _plain(_court(view).deposit)


def _report(view: View, decisions: Decisions) -> Declaration:
    alice, size = _alice(view), view.entry.statement.content["size"]
    top = decisions.threshold
    given = decisions.labels or {}
    labels = _every(given, range(1, (size if top is None else top) + 1))
    claims = _claims(decisions)
    said = [labels.get(position) for position in range(1, size + 1)]
    return Declaration(
        sign=lambda replaces: alice.report(said, top, claims, replaces=replaces),
        labels=labels,
        claims=claims,
        threshold=top,
        ignored=len(given) - len(labels),
    )


def _claim(view: View, decisions: Decisions) -> Declaration:
    alice, claims = _alice(view), _claims(decisions)
    return Declaration(sign=lambda replaces: alice.claim(claims, replaces=replaces), labels={}, claims=claims)


def _claims(decisions: Decisions) -> dict[int, str]:
    claims = dict(decisions.claims or {})
    for position, basis in claims.items():
        if not 0 < len(basis) <= MAX_BASIS:
            raise NotAnswered(f"the claim for position {position} needs a basis of at most {MAX_BASIS} characters")
    return claims


def _labels(view: View, decisions: Decisions) -> Declaration:
    bob = view.party
    if not isinstance(bob, Bob):
        raise Refused(f"{view.role.called} is asked for Bob's labels")
    return _on_positions(view, decisions.labels, bob.label)


def _rulings(view: View, decisions: Decisions) -> Declaration:
    return _on_positions(view, decisions.labels, _court(view).rule)


def _privilege(view: View, decisions: Decisions) -> Declaration:
    return _on_positions(view, decisions.upheld, _court(view).rule_on_privilege)


def _on_positions(view: View, given: Mapping[int, bool] | None, sign: Callable[..., Answer]) -> Declaration:
    found = _every(given or {}, view.entry.statement.content["positions"])
    said = list(found.values())
    return Declaration(sign=lambda replaces: sign(said, replaces=replaces), labels=found, claims={})


def _every(given: Mapping[int, bool], positions: Iterable[int]) -> dict[int, bool]:
    """What was decided about each of these positions."""
    due = list(positions)
    missing = [position for position in due if position not in given]
    if missing:
        raise NotAnswered(f"nothing was decided about position {missing[0]}")
    return {position: given[position] for position in due}


def _order(view: View, decisions: Decisions) -> Declaration:
    court, granted = _court(view), bool(decisions.granted)
    link = missing_link(view) if granted else None
    return _plain(lambda replaces: court.order(granted, link, replaces=replaces))


def missing_link(view: View) -> Digest | None:
    """The link that the absent party owes, from the deposit; None if it owes something else."""
    absent = Role(view.entry.statement.content["absent"])
    if owed(view) != "link":
        return None
    return view.chain(absent, deposited_root(view, absent)).link(view.state.draws)


def owed(view: View) -> str:
    """The kind of answer that the silent party owes."""
    silence = view.state.silence
    if silence is None:
        raise Refused("nobody is silent")
    return silence.awaited.kind


def _rekeyed(view: View, decisions: Decisions) -> Declaration:
    court = _court(view)
    return _plain(lambda replaces: court.rekeyed(bool(decisions.granted), replaces=replaces))


def _amended(view: View, decisions: Decisions) -> Declaration:
    return _plain(lambda replaces: view.party.amended(bool(decisions.accepted), replaces=replaces))


def _drawer(view: View) -> Drawer:
    if not isinstance(view.party, Drawer):
        raise Refused(f"{view.role.called} has no coin chain")
    return view.party


def _alice(view: View) -> Alice:
    if not isinstance(view.party, Alice):
        raise Refused(f"{view.role.called} is asked for what only Alice says")
    return view.party


def _court(view: View) -> Court:
    if not isinstance(view.party, Court):
        raise Refused(f"{view.role.called} is asked for what only the court says")
    return view.party


_HANDLERS: dict[str, Callable[[View, Decisions], Declaration]] = {
    "agreed": _agreed,
    "link": _link,
    "deposited": _deposited,
    "report": _report,
    "claim": _claim,
    "labels": _labels,
    "rulings": _rulings,
    "privilege": _privilege,
    "order": _order,
    "rekeyed": _rekeyed,
    "amended": _amended,
}
