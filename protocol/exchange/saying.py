"""What a person's decisions say in answer to a question: which of them it needs, and how they are signed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from ledger.coins import DRAWERS
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import forms
from protocol.exchange.errors import NotAnswered
from protocol.exchange.instructions import ASKED
from protocol.exchange.standing import Standing, deposited_root
from protocol.matter.statements import Kind
from protocol.parties.alice import Alice
from protocol.parties.base import Answer, Drawer
from protocol.parties.bob import Bob
from protocol.parties.court import Court


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A filled-in table, and what it is called."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What the person says; None where nothing was said."""

    labels: Form | None = None
    threshold: int | None = None
    privilege: Form | None = None
    upheld: Form | None = None
    granted: bool | None = None
    accepted: bool | None = None


OPTIONS = {
    "labels": "--labels FILE",
    "threshold": "--threshold R",
    "privilege": "--privilege FILE",
    "upheld": "--upheld FILE",
    "granted": "--grant or --deny",
    "accepted": "--accept or --reject",
}
"""How each decision is given on the command line."""

_NEEDED: dict[str, tuple[str, ...]] = {
    Kind.REPORT: ("labels",),
    Kind.LABELS: ("labels",),
    Kind.RULINGS: ("labels",),
    Kind.PRIVILEGE: ("upheld",),
    Kind.ORDER: ("granted",),
    Kind.REKEYED: ("granted",),
    Kind.AMENDED: ("accepted",),
}
_POSSIBLE: dict[str, tuple[str, ...]] = {Kind.REPORT: ("threshold", "privilege"), Kind.CLAIM: ("privilege",)}


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
    return _HANDLERS[Kind(standing.kind)](standing, fitting(standing.kind, decisions))


def fitting(kind: str, decisions: Decisions) -> Decisions:
    """The decisions, if they are those that this kind of answer needs."""
    if kind == Kind.PRIVILEGE and decisions.upheld is None:
        decisions = replace(decisions, upheld=decisions.labels, labels=None)
    needed, possible = _NEEDED.get(kind, ()), _POSSIBLE.get(kind, ())
    if kind == Kind.REPORT and decisions.threshold == 0:
        needed = ()  # there is nothing above the threshold to label
    for each in fields(decisions):
        found = getattr(decisions, each.name) is not None
        if found and each.name not in (*needed, *possible, *_NEEDED.get(kind, ())):
            raise NotAnswered(f"the question asks {ASKED[kind]}: {OPTIONS[each.name]} has no place in it")
        if not found and each.name in needed:
            raise NotAnswered(f"the question asks {ASKED[kind]}: give {OPTIONS[each.name]}")
    return decisions


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
    if alice.rule.reports_threshold and (top is None or not 0 <= top <= size):
        raise NotAnswered(
            f"this protocol asks for a threshold: give --threshold R, a rank from 0 to {size}, with the labels of the "
            "top R"
        )
    if not alice.rule.reports_threshold and top is not None:
        raise NotAnswered(
            "this protocol asks for the labels of all documents, and for no threshold: leave --threshold out"
        )
    labels, ignored = {}, 0
    if decisions.labels is not None:
        form = decisions.labels
        labels = forms.labels(form.data, form.name, standing.listed, top=top)
        ignored = 0 if top is None else forms.beyond(form.data, form.name, top)
    claims = _claims(standing, decisions)
    said = [labels.get(position) for position in range(1, size + 1)]
    return Said(
        sign=lambda replaces: alice.report(said, top, claims, replaces=replaces),
        labels=labels,
        claims=claims,
        threshold=top,
        ignored=ignored,
    )


def _claim(standing: Standing, decisions: Decisions) -> Said:
    alice, claims = _alice(standing), _claims(standing, decisions)
    return Said(sign=lambda replaces: alice.claim(claims, replaces=replaces), labels={}, claims=claims)


def _claims(standing: Standing, decisions: Decisions) -> dict[int, str]:
    form = decisions.privilege
    return {} if form is None else forms.claims(form.data, form.name, standing.listed)


def _labels(standing: Standing, decisions: Decisions) -> Said:
    bob = standing.party
    if not isinstance(bob, Bob):
        raise Refused(f"{standing.role.called} is asked for Bob's labels")
    return _on_positions(standing, decisions.labels, forms.RESPONSIVE, bob.label)


def _rulings(standing: Standing, decisions: Decisions) -> Said:
    return _on_positions(standing, decisions.labels, forms.RESPONSIVE, _court(standing).rule)


def _privilege(standing: Standing, decisions: Decisions) -> Said:
    return _on_positions(standing, decisions.upheld, forms.UPHELD, _court(standing).rule_on_privilege)


def _on_positions(standing: Standing, form: Form | None, column: str, sign: Callable[..., Answer]) -> Said:
    if form is None:
        raise NotAnswered("no labels were given")
    found = forms.labels(form.data, form.name, standing.listed, column)
    said = [found[position] for position in standing.asking.statement.content["positions"]]
    return Said(sign=lambda replaces: sign(said, replaces=replaces), labels=found, claims={})


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
