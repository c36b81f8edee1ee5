"""What the terms of every matter fix, whatever its rule; a rule adds its own parameters."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from verifier.certificates.exact import ONE, threshold
from verifier.record.logs import PLAIN, BadProof, read_vkey
from verifier.record.shapes import Malformed, digest, listed, maybe, name, natural, positive, record, shaped, text, word

MOST_ROUNDS = 2**12
MOST_CLASSES = 16
MOST_HITS = 1000
MOST_AUTHORITIES = 16
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_LONGEST_DECIMAL = 30
_LEAST_CHANCE = 2  # below it, half of what a missed document costs is rounded to 0

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)
"""What the bound on hidden documents rests on, in the words of the claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """Sensitive classes, whose drawn documents the court looks at; and the share of the collection they may have."""

    names: tuple[str, ...] = shaped(listed(name))
    share: str = shaped(text)


class Viewer(StrEnum):
    """Who looks first at what a validation draws."""

    BOB = "bob"
    COURT = "court"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """When the whole collection is validated, with which chances, and what suffices to stop."""

    every: int = shaped(positive)
    hits: int | None = shaped(maybe(natural))  # if there are to be so many, the rate follows from the record
    review: str | None = shaped(maybe(text))  # the rate at which Alice is called in two stages; None: one stage
    show: str = shaped(text)
    target: str = shaped(text)
    viewer: Viewer = shaped(word(Viewer))
    window: int = shaped(positive)
    yield_: str | None = shaped(maybe(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """Outsiders who must have seen the record before each round."""

    authorities: tuple[bytes, ...] = shaped(listed(digest))  # SHA-256 of their certificates
    log: str | None = shaped(maybe(text))  # the verifier key of the operator's log


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all parties sign before anything is drawn."""

    batch: int = shaped(positive)
    classes: Classes | None = shaped(maybe(record(Classes)))
    doubt: str = shaped(text)
    draws: int = shaped(positive)
    protocol: str = shaped(text)  # the name of the rule
    query: str = shaped(text)
    rounds: int = shaped(positive)
    validation: Validation | None = shaped(maybe(record(Validation)))
    witnesses: Witnesses | None = shaped(maybe(record(Witnesses)))


def check(terms: Terms) -> None:
    """Raise `Malformed` unless a matter can be run under these terms, as far as every rule has them."""
    if terms.rounds > MOST_ROUNDS:
        raise Malformed(f"rounds: at most {MOST_ROUNDS} were expected, {terms.rounds} found")
    if not 2 * terms.rounds <= terms.draws <= 4 * MOST_ROUNDS:
        raise Malformed(f"draws: from {2 * terms.rounds} to {4 * MOST_ROUNDS} were expected, {terms.draws} found")
    probability("doubt", terms.doubt)
    if terms.classes is not None:
        _check_classes(terms.classes)
    if terms.validation is not None:
        _check_validation(terms.validation)
    if terms.witnesses is not None:
        _check_witnesses(terms.witnesses)


def _check_witnesses(witnesses: Witnesses) -> None:
    found = witnesses.authorities
    if len(found) > MOST_AUTHORITIES or not all(one < other for one, other in pairwise(found)):
        raise Malformed(f"witnesses.authorities: up to {MOST_AUTHORITIES} ascending hashes were expected")
    if witnesses.log is None:
        if not found:
            raise Malformed("witnesses: an authority or a log was expected, neither found")
        return
    try:
        key = read_vkey(witnesses.log)
    except BadProof as error:
        raise Malformed(f"witnesses.log: {error}") from None
    if key.type != PLAIN or key.name.startswith("tallystick/"):
        raise Malformed("witnesses.log: the verifier key of a log was expected")


def _check_classes(classes: Classes) -> None:
    if not 1 <= len(classes.names) <= MOST_CLASSES:
        raise Malformed(f"classes.names: 1 to {MOST_CLASSES} names were expected, {len(classes.names)} found")
    if not all(one < other for one, other in pairwise(classes.names)):
        raise Malformed("classes.names: ascending names were expected")
    probability("classes.share", classes.share)


def _check_validation(validation: Validation) -> None:
    probability("validation.show", validation.show)
    probability("validation.target", validation.target)
    if validation.yield_ is not None:
        probability("validation.yield", validation.yield_)
    if validation.hits is not None and validation.hits > MOST_HITS:
        raise Malformed(f"validation.hits: at most {MOST_HITS} were expected, {validation.hits} found")
    if validation.review is None:
        return
    probability("validation.review", validation.review)
    if validation.hits is not None or validation.viewer is not Viewer.BOB:
        raise Malformed("validation: with `review`, `hits` must be null and `viewer` must be 'bob'")
    if threshold(Fraction(validation.review)) * threshold(Fraction(validation.show)) < _LEAST_CHANCE * ONE:
        raise Malformed("validation: `review` and `show` are so small that together they prove nothing")


def probability(of: str, written: str) -> Fraction:
    """A plain decimal strictly between 0 and 1."""
    found = _decimal(written)
    if found is None or not 0 < found < 1:
        raise Malformed(f"{of}: a decimal between 0 and 1 was expected, {written[:_LONGEST_DECIMAL]!r} found")
    return found


def share(of: str, written: str) -> Fraction:
    """A plain decimal from 0 to 1, both allowed."""
    found = _decimal(written)
    if found is None or found > 1:
        raise Malformed(f"{of}: a decimal from 0 to 1 was expected, {written[:_LONGEST_DECIMAL]!r} found")
    return found


def _decimal(written: str) -> Fraction | None:
    plain = len(written) <= _LONGEST_DECIMAL and _DECIMAL.fullmatch(written)
    return Fraction(written) if plain else None
