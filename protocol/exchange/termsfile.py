"""TERMS.toml: what the parties have agreed on, as a file that a lawyer can fill in.

All that is wrong with a file is listed at once, each with what to write instead. A decimal may be written with or
without quotation marks: its digits are taken as written, never as a float.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ledger import canonical, reading, records
from ledger.canonical import NotCanonical
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keyfiles import PassphraseNeeded, read_key
from ledger.keys import PublicKey
from ledger.plain import shown
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.errors import BadTerms
from protocol.matter import terms
from protocol.matter.values import Caption
from protocol.rules import table
from protocol.rules.terms import ClassTerms, Parameter, Terms, ValidationTerms, WitnessTerms

R = TypeVar("R", bound=Record)

MAX_SIZE = 2**18
"""Largest terms file in bytes."""
LONGEST_TEXT = 20_000
"""Most characters of one text: a request for production fits, and the opening stays readable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsDraft:
    """A terms file whose keys may still be missing."""

    terms: Terms
    caption: Caption


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsFile(TermsDraft):
    """A terms file that can be run."""

    keys: dict[Role, PublicKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    kind: type = str
    called: str = "a text between quotation marks"
    write: str  # what to write, as an example
    empty: bool = False  # whether it may be empty
    optional: bool = False  # whether it may be left out
    good: Any = None  # a value with which the other settings of the review can be tried one by one


def _number(good: int, write: str) -> _Setting:
    return _Setting(kind=int, called="a whole number", write=f"{write}, such as {good}", good=good)


def _decimal(good: str, write: str, *, optional: bool = False) -> _Setting:
    return _Setting(called="a decimal", write=f"{write}, such as {good}", good=good, optional=optional)


def _parameter(of_rule: Parameter) -> _Setting:
    kind, good = type(of_rule.default), of_rule.default
    return _Setting(kind=kind, called=of_rule.called, write=of_rule.write, good=good)


_CAPTION = {
    "case": _Setting(write='the case as it is cited, such as "Smith v. Acme Corp., No. 3:24-cv-00123"'),
    "court": _Setting(write='the court, such as "U.S. District Court, Northern District of California"'),
    "request": _Setting(write="the request for production"),
}
_REVIEW = {  # whatever the rule
    "batch": _number(500, "how many documents a round"),
    "rounds": _number(20, "how many rounds at most"),
    "doubt": _decimal("0.05", "a decimal between 0 and 1"),
    "query": _Setting(write='words to search for, or ""', empty=True, good=""),
}
_VALIDATION = {
    "target": _decimal("0.8", "a decimal between 0 and 1"),
    "show": _decimal("0.05", "a decimal between 0 and 1"),
    "hits": _Setting(
        kind=int,
        called="a whole number",
        write=f"a whole number from 0 to {terms.MOST_HITS}, such as 2",
        optional=True,
    ),
    "viewer": _Setting(write='"bob" or "court"', good="bob"),
    "review": _decimal("0.1", "a decimal between 0 and 1", optional=True),
    "window": _number(5, "after how many rounds"),
    "yield": _decimal("0.02", "a decimal between 0 and 1", optional=True),
    "every": _number(10, "after how many rounds"),
}
_CLASSES = {
    "names": _Setting(
        kind=list, called="a list", write='the names of the classes, such as ["medical", "personnel"]', good=["class"]
    ),
    "share": _decimal("0.05", "a decimal between 0 and 1"),
}
_WITNESSES = {
    "authorities": _Setting(
        kind=list,
        called="a list",
        write="the SHA-256 fingerprints of the authorities' certificates, as openssl prints them",
        good=["00" * 32],
        optional=True,
    ),
    "log": _Setting(write="the log's verifier key, as `tallystick log init` prints it", optional=True),
}
_PARTY = {
    "name": _Setting(write="the party's name as it will stand in the record"),
    "key": _Setting(write="the path of the party's public key file, such as alice.key.pub"),
}


_PARTS = {"validation": _VALIDATION, "classes": _CLASSES, "witnesses": _WITNESSES}


_TEMPLATE = "the file that `tallystick matter terms` writes"
_SLASHES = ". In the path of a file, write / where Windows writes \\"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how a Windows terminal begins a file
_PRIVATE = "{} is a private key, which stays with its owner: name the file beside it that ends in .pub"


def read(path: Path) -> TermsFile:
    """The terms in a file. Raises `BadTerms` with everything that is wrong with them."""
    problems: list[str] = []
    found = _everything(path, problems)
    keys = _keys(path.parent, found["parties"], problems)
    _refuse(path, problems)
    return TermsFile(terms=_terms(found), caption=_caption(found), keys=keys)


def read_draft(path: Path) -> TermsDraft:
    """The same without the keys, whose files need not be there yet."""
    problems: list[str] = []
    found = _everything(path, problems)
    _refuse(path, problems)
    return TermsDraft(terms=_terms(found), caption=_caption(found))


def _everything(path: Path, problems: list[str]) -> dict[str, Any]:
    """All values of a file, each tried."""
    parsed = _parsed(path)
    settings = _review(parsed)
    found = _sections(parsed, settings, problems)
    _try_each(found, settings, problems)
    return found


def _caption(found: Mapping[str, Any]) -> Caption:
    names = {role: found["parties"][role]["name"].strip() for role in Role}
    return Caption(names=names, **{name: value.strip() for name, value in found["caption"].items()})


def read_review(path: Path) -> Terms:
    """Only how the review is run, from a file in which names and keys may still be missing."""
    problems: list[str] = []
    parsed = _parsed(path)
    settings = _review(parsed)
    found = _reviewing(parsed, settings, problems)
    _try_each(found, settings, problems)
    _refuse(path, problems)
    return _terms(found)


def _refuse(path: Path, problems: list[str]) -> None:
    """Raise with all problems, if there are any."""
    if problems:
        raise BadTerms("\n  - ".join([f"{path} cannot be used as it stands:", *problems]))


def _terms(found: Mapping[str, Any]) -> Terms:
    """The terms of the review, with its parts. Raises `BadTerms` if they cannot be run."""
    validation, classes, witnesses = (found[name] for name in _PARTS)
    made = terms.terms(
        **found["review"],
        validation=None if validation is None else _part(ValidationTerms, validation, _VALIDATION),
        classes=None if classes is None else _part(ClassTerms, classes, _CLASSES),
        witnesses=None if witnesses is None else _witnesses(witnesses),
    )
    terms.check(made)
    return made


def _witnesses(found: Mapping[str, Any]) -> WitnessTerms:
    """The outsiders. A certificate's fingerprint may be written with colons, in large letters."""
    named = [_fingerprint(str(each)) for each in found.get("authorities", [])]
    return terms.witnesses(sorted(set(named)), found.get("log"))


def _fingerprint(written: str) -> str:
    """The hex digits of a fingerprint, as openssl prints it or without colons."""
    found = written.rpartition("=")[2].replace(":", "").strip().lower()
    if len(found) != 2 * Digest.size or set(found) - set("0123456789abcdef"):
        raise BadTerms(
            f"witnesses.authorities: {written[:80]!r} is not a SHA-256 fingerprint; write what `openssl x509 -noout "
            "-fingerprint -sha256 -in CERTIFICATE` prints"
        )
    return found


def _part(record: type[R], values: Mapping[str, Any], known: Mapping[str, _Setting]) -> R:
    """A part of the terms. What is left out is null."""
    try:
        return records.from_value(record, {name: values.get(name) for name in known})
    except Malformed as error:
        raise BadTerms(str(error)) from None


def _parsed(path: Path) -> dict[str, Any]:
    try:
        data = reading.whole(path, MAX_SIZE, "a terms file")
        text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")
    except OSError as error:
        raise BadTerms(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadTerms(f"{path} is not saved as UTF-8; save it as plain text in UTF-8") from None
    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise BadTerms(
            f"{path} cannot be read: {error}. Texts stand between straight quotation marks, as in {_TEMPLATE}"
            f"{_SLASHES if chr(92) in text else ''}"
        ) from None
    except RecursionError:
        raise BadTerms(f"{path} cannot be read: it is nested too deeply; start from {_TEMPLATE}") from None
    except ValueError:  # Python reads whole numbers of up to 4,300 digits
        raise BadTerms(f"{path} cannot be read: a number in it has too many digits") from None


def _review(parsed: Mapping[str, Any]) -> dict[str, _Setting]:
    """The settings of the review: those of every matter, and the parameters of the rule that the file names.

    If the file names no known rule, it is read by the usual one.
    """
    section = parsed.get("review")
    protocol = section.get("protocol") if isinstance(section, dict) else None
    rule = table.named(protocol) if protocol in table.names() else table.USUAL
    named = _Setting(write=f"one of {', '.join(table.names())}", good=rule.name)
    return {"protocol": named, **_REVIEW, **{each.name: _parameter(each) for each in rule.parameters}}


def _sections(parsed: Mapping[str, Any], settings: Mapping[str, _Setting], problems: list[str]) -> dict[str, Any]:
    """The values by section, as far as they are present and of the right type."""
    _unknown("", parsed, ("caption", "review", *_PARTS, "parties"), problems)
    parties = _section("parties", parsed, problems)
    _unknown("parties.", parties, tuple(Role), problems)
    return {
        "caption": _values("caption", _section("caption", parsed, problems), _CAPTION, problems),
        **_reviewing(parsed, settings, problems),
        "parties": {
            role: _values(f"parties.{role}", _section(role, parties, problems, "parties."), _PARTY, problems)
            for role in Role
        },
    }


def _reviewing(parsed: Mapping[str, Any], settings: Mapping[str, _Setting], problems: list[str]) -> dict[str, Any]:
    """The values of the sections that say how the review is run."""
    return {
        "review": _values("review", _section("review", parsed, problems), settings, problems),
        **{name: _optional(name, parsed, known, problems) for name, known in _PARTS.items()},
    }


def _optional(
    name: str, parsed: Mapping[str, Any], known: Mapping[str, _Setting], problems: list[str]
) -> dict[str, Any] | None:
    """The values of a part that may be left out."""
    return _values(name, _section(name, parsed, problems), known, problems) if name in parsed else None


def _section(name: str, within: Mapping[str, Any], problems: list[str], prefix: str = "") -> Mapping[str, Any]:
    section = within.get(name, {})
    if isinstance(section, dict):
        return section
    problems.append(f"{prefix}{name} is a section: write [{prefix}{name}] on a line of its own")
    return {}


def _unknown(prefix: str, found: Mapping[str, Any], known: tuple[str, ...], problems: list[str]) -> None:
    problems += [
        f"{prefix}{shown(name)} is not known here; known are {', '.join(map(str, known))}"
        for name in found
        if name not in known
    ]


def _values(
    section: str, found: Mapping[str, Any], known: Mapping[str, _Setting], problems: list[str]
) -> dict[str, Any]:
    _unknown(f"{section}.", found, tuple(known), problems)
    good: dict[str, Any] = {}
    for name, setting in known.items():
        problem = _problem(name, found, setting)
        if problem:
            problems.append(f"{section}.{name} {problem}: write {setting.write}")
        elif name in found:
            good[name] = found[name]
    return good


def _problem(name: str, found: Mapping[str, Any], setting: _Setting) -> str:
    if name not in found:
        return "" if setting.optional else "is missing"
    value = found[name]
    if type(value) is not setting.kind:
        return f"is not {setting.called}"
    if isinstance(value, int) and abs(value) > canonical.MAX_INTEGER:
        return "is out of range"
    if isinstance(value, str):
        if not (value.strip() or setting.empty):
            return "is empty"
        if len(value) > LONGEST_TEXT:
            return f"has more than {LONGEST_TEXT} characters"
        try:
            canonical.check(value)
        except NotCanonical as error:
            return f"cannot be recorded ({error})"
    return ""


def _try_each(found: Mapping[str, Any], review: Mapping[str, _Setting], problems: list[str]) -> None:
    """Check that a matter can be run with each of the settings, whatever is wrong with the others, and with all."""
    good: dict[str, Any] = {"review": _good(review), **dict.fromkeys(_PARTS)}
    before = len(problems)
    for section, settings in {"review": review, **_PARTS}.items():
        for name, value in (found[section] or {}).items():
            try:
                _terms(good | {section: _good(settings) | {name: value}})
            except BadTerms as error:
                problems.append(f"{section}.{name}: {error}")
    if not before and len(problems) == before:
        try:
            _terms(found)
        except BadTerms as error:
            problems.append(str(error))


def _good(settings: Mapping[str, _Setting]) -> dict[str, Any]:
    """Values with which a matter can be run."""
    return {name: setting.good for name, setting in settings.items() if not setting.optional}


def _keys(folder: Path, parties: Mapping[Role, Mapping[str, Any]], problems: list[str]) -> dict[Role, PublicKey]:
    keys: dict[Role, PublicKey] = {}
    for role, given in parties.items():
        if "key" not in given:
            continue
        if not given["key"].isprintable():  # "keys\\bob.key.pub" holds a control character, by the rules of TOML
            problems.append(f"parties.{role}.key holds characters that no path can have{_SLASHES}")
            continue
        path = folder / given["key"]
        try:
            found = read_key(path, role=role)
        except PassphraseNeeded:
            problems.append(f"parties.{role}.key: {_PRIVATE.format(path)}")
            continue
        except LedgerError as error:
            problems.append(f"parties.{role}.key: {error}")
            continue
        if found.signing is not None:
            problems.append(f"parties.{role}.key: {_PRIVATE.format(path)}")
        if found.public in keys.values():
            other = next(each for each, key in keys.items() if key == found.public)
            problems.append(f"parties.{role}.key is the same key as {other.called}'s: each party has its own")
        keys[role] = found.public
    return keys
