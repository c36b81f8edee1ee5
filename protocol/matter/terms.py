"""Terms that can be run."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from ledger import canonical, notes, records
from ledger.canonical import NotCanonical, Value
from ledger.notes import BadNote, NoteKey, SignatureType
from ledger.records import Malformed
from protocol.certificates.exact import ONE, threshold
from protocol.errors import BadTerms
from protocol.rules import table
from protocol.rules.table import AnyRule
from protocol.rules.terms import ClassTerms, Terms, ValidationTerms, WitnessTerms, probability, whole

LONGEST = 2**12
"""The most batch rounds: each may spend two links of chains that are made before the first round."""

MOST_DRAWS = 4 * LONGEST

MOST_CLASSES = 16

MOST_AUTHORITIES = 16

MOST_HITS = 1000
"""The most hits that the rate of a validation can be made for: with more, the rate takes long to compute."""

LEAST_CHANCE = 2
"""With a smaller chance, in coins, a validation in two stages proves nothing."""

VALIDATION: Mapping[str, Value] = {
    "every": 10,
    "hits": 3,
    "review": None,
    "show": "0.2",
    "target": "0.8",
    "viewer": "bob",
    "window": 5,
    "yield": "0.02",
}
"""What terms say about validations where nothing else is wanted."""

_CHAINS = 512  # simulations with the same seed have the same coins only if their chains have the same length


def terms(
    *,
    protocol: str,
    rounds: int,
    batch: int,
    query: str = "",
    doubt: str = "0.05",
    classes: ClassTerms | None = None,
    validation: ValidationTerms | None = None,
    witnesses: WitnessTerms | None = None,
    **parameters: int | str,
) -> Terms:
    """Checked terms. Raises `BadTerms` with the first that cannot be run. A missing parameter gets its default."""
    rule = table.named(protocol)
    given = {each.name: parameters.pop(each.name, each.default) for each in rule.parameters}
    if parameters:
        raise BadTerms(f"the protocol {protocol!r} has no parameter {', '.join(parameters)}; leave it out")
    common: dict[str, int | str] = {"batch": batch, "doubt": doubt, "query": query, "rounds": rounds}
    _check(protocol, common | given)
    _check_parts(classes, validation, witnesses)
    spare = 1 << (4 * rounds + 64).bit_length()  # links for escalations, validations, and rounds that are added later
    draws = min(MOST_DRAWS, max(_CHAINS, spare))
    return _made(rule, {"protocol": protocol, "draws": draws, **common, **given}, classes, validation, witnesses)


def _made(
    rule: AnyRule,
    given: Mapping[str, Value],
    classes: ClassTerms | None,
    validation: ValidationTerms | None,
    witnesses: WitnessTerms | None,
) -> Terms:
    parts = {"classes": classes, "validation": validation, "witnesses": witnesses}
    shown = {name: None if part is None else records.to_value(part) for name, part in parts.items()}
    made: Terms = records.from_value(rule.terms, {**given, **shown})
    return made


def check(found: Terms) -> None:
    """Raise `BadTerms` unless a matter can be run under these terms."""
    given = {each.name: value for each, value in table.values(found)}
    common: dict[str, int | str] = {
        "batch": found.batch,
        "doubt": found.doubt,
        "query": found.query,
        "rounds": found.rounds,
    }
    _check(found.protocol, common | given)
    _check_parts(found.classes, found.validation, found.witnesses)
    if not 2 * found.rounds <= found.draws <= MOST_DRAWS:
        raise BadTerms(f"{found.draws} draws are too few for {found.rounds} rounds: each round may need two")


def _check(protocol: str, given: dict[str, int | str]) -> None:
    whole("rounds", given["rounds"], LONGEST)
    whole("batch", given["batch"])
    for each in table.named(protocol).parameters:
        each.check(each.name, given[each.name])
    probability("doubt", given["doubt"])
    try:
        canonical.check(given["query"])
    except NotCanonical as error:
        raise BadTerms(f"the query cannot be recorded: {error}") from None


def validation(**given: Value) -> ValidationTerms:
    """Checked terms of validations, by the names of their fields. What is missing gets its default.

    Where a rate is given, none follows from expected hits unless these are given too.
    """
    if unknown := ", ".join(sorted(given.keys() - VALIDATION.keys())):
        raise BadTerms(f"validations have no parameter {unknown}; leave it out")
    fixed: dict[str, Value] = {"hits": None} if {"review", "show"} & given.keys() else {}
    made = _part(ValidationTerms, {**VALIDATION, **fixed, **given}, "validation")
    _check_parts(None, made, None)
    return made


def classes(names: Sequence[str], share: str) -> ClassTerms:
    """Checked terms of sensitive classes, whose names may come in any order."""
    made = _part(ClassTerms, {"names": list[Value](sorted(names)), "share": share}, "classes")
    _check_parts(made, None, None)
    return made


def witnesses(authorities: Sequence[str] = (), log: str | None = None) -> WitnessTerms:
    """Checked terms of outside witnesses: certificates' hashes in hex, in any order, and a log's verifier key."""
    made = _part(WitnessTerms, {"authorities": list[Value](sorted(authorities)), "log": log}, "witnesses")
    _check_parts(None, None, made)
    return made


P = TypeVar("P", ClassTerms, ValidationTerms, WitnessTerms)


def _part(kind: type[P], value: Mapping[str, Value], name: str) -> P:
    try:
        return records.from_value(kind, dict(value))
    except Malformed as error:
        raise BadTerms(f"{name}: {error}") from None


def _check_parts(
    classes: ClassTerms | None, validation: ValidationTerms | None, witnesses: WitnessTerms | None
) -> None:
    if classes is not None:
        _check_classes(classes)
    if validation is not None:
        _check_validation(validation)
    if witnesses is not None:
        _check_witnesses(witnesses)


def _check_witnesses(found: WitnessTerms) -> None:
    listed = found.authorities
    if len(listed) > MOST_AUTHORITIES or any(one >= other for one, other in pairwise(listed)):
        raise BadTerms(f"witnesses: there may be up to {MOST_AUTHORITIES} authorities, all different and in order")
    if not listed and found.log is None:
        raise BadTerms("witnesses: name an authority or a log, or leave this part out")
    if found.log is not None:
        log_key(found.log)


def log_key(vkey: str) -> NoteKey:
    """The key of the operator's log that the terms name."""
    try:
        found = notes.parse_vkey(vkey)
    except BadNote as error:
        raise BadTerms(f"witnesses: log: {error}") from None
    if found.type is not SignatureType.ED25519 or found.name.startswith("tallystick/"):
        raise BadTerms("witnesses: log: this is not the verifier key of a log, as `tallystick log init` prints it")
    return found


def _check_classes(found: ClassTerms) -> None:
    names = found.names
    if not 1 <= len(names) <= MOST_CLASSES or any(one >= other for one, other in pairwise(names)):
        raise BadTerms(f"classes: there must be 1 to {MOST_CLASSES} names, all different and in alphabetical order")
    probability("the share of the classes", found.share)


def _check_validation(found: ValidationTerms) -> None:
    for name, value in (("show", found.show), ("target", found.target)):
        probability(f"validation: {name}", value)
    if found.least_yield is not None:
        probability("validation: yield", found.least_yield)
    if found.hits is not None and found.hits > MOST_HITS:
        raise BadTerms(f"validation: hits is {found.hits}; it must be at most {MOST_HITS}")
    if found.review is None:
        return
    if found.hits is not None or found.viewer != "bob":
        raise BadTerms(
            "validation: with `review` there are two stages, in which Bob is the viewer and no hits are expected. "
            "Leave `hits` out and let `viewer` be bob, or leave `review` out"
        )
    review = threshold(probability("validation: review", found.review))
    if review * threshold(probability("validation: show", found.show)) // ONE < LEAST_CHANCE:
        raise BadTerms("validation: `review` and `show` are so small that nothing would be proven; make them larger")
