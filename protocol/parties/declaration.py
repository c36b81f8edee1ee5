"""Whether a party's decisions are those that a question asks for. The kind of the answer puts them into words."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ledger.coins import DRAWERS
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter import kinds, requirements
from protocol.matter.asking import Decision
from protocol.matter.decisions import Decisions
from protocol.matter.values import LONGEST_BASIS
from protocol.parties import parts
from protocol.parties.errors import NotAnswered, WrongDecision
from protocol.parties.party import Unsigned
from protocol.parties.question import ASKED
from protocol.parties.view import Document, View, deposited_root


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a party declares in answer to a question."""

    word: Callable[[tuple[Digest, ...]], Unsigned]  # the answer that withdraws these earlier ones
    labels: Mapping[int, bool]
    claims: Mapping[int, str]
    parts: Mapping[int, tuple[int, ...]]  # claimed or upheld, where that is not for the whole document
    classes: Mapping[int, str]
    given_up: frozenset[int]
    reasons: Mapping[int, str]
    threshold: int | None = None
    ignored: int = 0


def declared(view: View, documents: Mapping[int, Document], decisions: Decisions) -> Declaration:
    """The answer that the decisions give to a question about the documents at these positions."""
    check_fits(view, decisions.given, decisions.threshold)
    of_positions = (
        decisions.labels,
        decisions.claims,
        decisions.claimed_parts,
        decisions.classes,
        decisions.given_up,
        decisions.upheld,
        decisions.upheld_parts,
        decisions.reasons,
    )
    for position in {position for decided in of_positions for position in decided or ()}:
        if position not in documents:
            raise NotAnswered(f"there is a decision on position {position}, which the question does not ask about")
    _check_claims(view, decisions)
    parts.check(documents, decisions)
    if view.kind == "deposited":
        for role in DRAWERS:
            deposited_root(view, role)
    link = missing_link(view) if view.kind == "order" and decisions.granted else None
    given = decisions.labels or decisions.upheld or {}
    top = decisions.threshold
    labels = {position: label for position, label in sorted(given.items()) if top is None or position <= top}
    return Declaration(
        word=lambda replaces: view.party.word(decisions, replaces=replaces, absent_link=link),
        labels=labels,
        claims=dict(decisions.claims or {}),
        parts={**(decisions.claimed_parts or {}), **(decisions.upheld_parts or {})},
        classes=dict(decisions.classes or {}),
        given_up=decisions.given_up or frozenset(),
        reasons=dict(decisions.reasons or {}),
        threshold=top,
        ignored=len(given) - len(labels),
    )


def check_fits(view: View, given: Collection[str], threshold: int | None) -> None:
    """Raise unless the decisions with these names are the ones that the question asks for."""
    decision = kinds.decision(view.kind)
    for name in given:
        if name not in decision.may_have:
            raise WrongDecision(f"the question asks {ASKED[view.kind]}", name, wanted=False)
    if "candidates" in given and view.role is not Role.ALICE:
        raise WrongDecision(
            "only Alice gives names and terms, for documents that may be privileged", "candidates", wanted=False
        )
    for name in decision.needs:
        nothing_to_label = decision is Decision.REPORT and (threshold == 0 or not _size(view))
        if name not in given and not nothing_to_label:
            raise WrongDecision(f"the question asks {ASKED[view.kind]}", name, wanted=True)
    if decision is Decision.REPORT:
        _check_threshold(view, threshold)


def _size(view: View) -> int:
    """How many documents a report labels: those of the batch, or those that were called."""
    content = view.entry.statement.content
    return int(content["size"]) if "size" in content else len(content["numbers"])


def _check_threshold(view: View, threshold: int | None) -> None:
    rule, size = view.party.rule, _size(view)
    called = "numbers" in view.entry.statement.content
    if called and threshold is not None:
        asked = "a validation asks for the labels of all documents that it calls, and for no threshold"
        raise WrongDecision(asked, "threshold", wanted=False)
    if called:
        return
    if rule.reports_threshold and (threshold is None or not 0 <= threshold <= size):
        asked = (
            f"this rule asks for a threshold, a rank from 0 to {size}, and for the labels of the documents down to it"
        )
        raise WrongDecision(asked, "threshold", wanted=True)
    if not rule.reports_threshold and threshold is not None:
        asked = "this rule asks for the labels of all documents, and for no threshold"
        raise WrongDecision(asked, "threshold", wanted=False)


def _check_claims(view: View, decisions: Decisions) -> None:
    for position, basis in (decisions.claims or {}).items():
        if not 0 < len(basis) <= LONGEST_BASIS:
            raise NotAnswered(f"the claim for position {position} needs a basis of at most {LONGEST_BASIS} characters")
    for position, name in (decisions.classes or {}).items():
        if name not in view.classes or position in (decisions.claims or {}):
            raise NotAnswered(f"position {position} cannot be put into the class {name!r} by this answer")
    agreed, named = view.opening.terms.classes, len(decisions.classes or {})
    allowed = 0 if agreed is None else requirements.classes_allowed(view.opening, agreed)
    if named and view.state.classed + named > allowed:
        raise NotAnswered(
            f"the terms let {allowed} documents be put into classes in all. You have put {view.state.classed} into "
            f"one before, and would now add {named}. Leave some out"
        )


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
