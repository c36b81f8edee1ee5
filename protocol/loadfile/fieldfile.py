"""The file that says which field of a load file is what: written with what was recognised, and corrected by hand.

    [file]
    encoding = "utf-8"
    delimiters = "concordance"

    [fields]
    begin = "BEGBATES"  # the first number of the document, by which others refer to it; here: "ACME000001", …

It is TOML, as a matter's terms are. All that is wrong with a file is listed at once.
"""

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ledger import reading
from ledger.plain import shown
from protocol.errors import BadSource
from protocol.loadfile import dat
from protocol.loadfile.dat import Dat, Dialect, Row
from protocol.loadfile.fieldnames import BEGIN, BY_NAME, FIELDS, TEXT, TEXT_LINK, recognise
from protocol.loadfile.lines import ENCODINGS

LOOKED_AT = 1000
"""Documents of a load file in which examples are looked for."""
EXAMPLES = 3
MAX_SIZE = 2**20

_LONGEST = 40
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFile:
    """How a load file is read: what is not said is found from the load file itself."""

    fields: dict[str, str]
    """Their name of each of our fields."""
    encoding: str | None = None
    dialect: Dialect | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What the fields of a load file were recognised as, with examples of their values."""

    fields: dict[str, str]
    second: dict[str, str]
    """Their other names of a field that has one already, with our name of it."""
    unknown: tuple[str, ...]
    examples: dict[str, tuple[str, ...]] = field(default_factory=dict)


def guess(opened: Dat) -> Guess:
    """What the fields of a load file are, by their names.

    A field of texts is one of links if all that is looked at in it is: both are called EXTRACTEDTEXT.
    """
    found = recognise(opened.names)
    examples = _examples(opened)
    fields, second = dict(found.fields), dict(found.second)
    theirs = fields.get(TEXT)
    if theirs is not None and examples[theirs] and all(_is_text_link(each) for each in examples[theirs]):
        del fields[TEXT]
        if TEXT_LINK in fields:
            second[theirs] = TEXT_LINK
        else:
            fields[TEXT_LINK] = theirs
    return Guess(
        fields={each.name: fields[each.name] for each in FIELDS if each.name in fields},
        second=second,
        unknown=found.unknown,
        examples=examples,
    )


def written(opened: Dat, found: Guess) -> str:
    """A field file for this load file, to be corrected by hand."""
    path = shown(opened.path.name)
    out = [
        f"# Which field of {path} is what. Correct it, and give it to `tallystick corpus build` with --fields.",
        "#",
        "# Each line below [fields] gives our name of a field, then the load file's name of it. Put # before a line",
        "# if the field is none of that. Fields without a line are not used, and the report of the corpus lists them.",
        "",
        "[file]",
        f"encoding = {_quoted(opened.encoding.name)}  # one of {', '.join(ENCODINGS)}",
        f"delimiters = {_quoted(dat.dialect_text(opened.dialect))}  "
        "# a name, or the decimal codes of separator, qualifier and newline, such as 20,254,174",
        "",
        "[fields]",
    ]
    out += [_line(ours, theirs, BY_NAME[ours].described, found) for ours, theirs in found.fields.items()]
    if found.second:
        out += ["", "# Not used, since another field was taken for the same:"]
        out += [f"# {_line(ours, theirs, '', found)}" for theirs, ours in found.second.items()]
    if found.unknown:
        out += ["", "# Not recognised, and not used unless you give them one of our names:"]
        out += [f"# {_line('?', theirs, '', found)}" for theirs in found.unknown]
    missing = [each for each in FIELDS if each.name not in found.fields]
    if missing:
        out += ["", "# Our names that no field was recognised for:"]
        out += [f'# {each.name} = ""  # {each.described}' for each in missing]
    return "\n".join(out) + "\n"


def _line(ours: str, theirs: str, described: str, found: Guess) -> str:
    """One line of a field file, with examples of the field's values."""
    cut = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in found.examples.get(theirs, ())]
    here = "here: " + ", ".join(f'"{shown(each)}"' for each in cut) if cut else "empty here"
    return f"{ours} = {_quoted(theirs)}  # {'; '.join(filter(None, (described, here)))}"


def read(path: Path) -> FieldFile:
    """A field file. Raises `BadSource` with everything that is wrong with it."""
    problems: list[str] = []
    parsed = _parsed(path)
    problems += [f"[{name}] is not a known section: it is [file] or [fields]" for name in parsed if name not in _READ]
    about, fields = (_section(parsed, name, problems) for name in _READ)
    for name in about:
        if name not in ("encoding", "delimiters"):
            problems.append(f"file.{shown(name)} is not known: it is encoding or delimiters")
    encoding, delimiters = about.get("encoding"), about.get("delimiters")
    if encoding is not None and encoding not in ENCODINGS:
        problems.append(f"file.encoding is {shown(encoding)!r}: write one of {', '.join(ENCODINGS)}")
    dialect = None
    if delimiters is not None:
        try:
            dialect = dat.named_dialect(delimiters)
        except BadSource as error:
            problems.append(f"file.delimiters: {error}")
    problems += _wrong_fields(fields)
    if BEGIN not in fields:
        problems.append(f"fields.{BEGIN} is missing: it is {BY_NAME[BEGIN].described}")
    _refuse(path, problems)
    return FieldFile(fields=fields, encoding=encoding, dialect=dialect)


def read_names(path: Path) -> dict[str, str]:
    """What the fields of a volume are to be called, from a file with only the section [fields]."""
    problems: list[str] = []
    parsed = _parsed(path)
    problems += [f"[{name}] is not a known section: it is [fields]" for name in parsed if name != "fields"]
    fields = _section(parsed, "fields", problems)
    _refuse(path, problems + _wrong_fields(fields))
    return fields


def check(path: Path, wanted: FieldFile, opened: Dat) -> None:
    """Raise `BadSource` if a field file names a field that the load file does not have."""
    problems = [
        f"fields.{ours}: {shown(opened.path.name)} has no field {shown(theirs)!r}{_close(theirs, opened.names)}"
        for ours, theirs in wanted.fields.items()
        if theirs not in opened.names
    ]
    _refuse(path, problems)


_READ = ("file", "fields")


def _examples(opened: Dat) -> dict[str, tuple[str, ...]]:
    """The first different values of each field."""
    found: dict[str, dict[str, None]] = {name: {} for name in opened.names}
    for row in islice(opened.rows(), LOOKED_AT):
        if isinstance(row, Row):
            for name, value in zip(opened.names, row.values, strict=True):
                if value.strip() and len(found[name]) < EXAMPLES:
                    found[name].setdefault(value[: 10 * _LONGEST])
    return {name: tuple(values) for name, values in found.items()}


def _is_text_link(value: str) -> bool:
    return "\n" not in value and value.strip().lower().endswith(".txt")


def _quoted(text: str) -> str:
    """A text as TOML has it, which is as JSON has it but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parsed(path: Path) -> dict[str, Any]:
    try:
        data = reading.whole(path, MAX_SIZE, "a field file")
        return tomllib.loads(data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig"), parse_float=str)
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadSource(f"{path} is not saved as UTF-8; save it as plain text in UTF-8") from None
    except (ValueError, RecursionError) as error:  # what is no TOML is a ValueError
        raise BadSource(f"{path} cannot be read: {error}. Names stand between straight quotation marks") from None


def _section(parsed: Mapping[str, Any], name: str, problems: list[str]) -> dict[str, str]:
    """The texts of a section."""
    section = parsed.get(name, {})
    if not isinstance(section, dict):
        problems.append(f"{name} is not a section: write [{name}] on a line of its own")
        return {}
    problems += [
        f"{name}.{shown(key)} is not a text between quotation marks"
        for key, value in section.items()
        if not isinstance(value, str)
    ]
    return {key: value for key, value in section.items() if isinstance(value, str)}


def _wrong_fields(fields: Mapping[str, str]) -> list[str]:
    problems = list[str]()
    for ours, theirs in fields.items():
        if ours not in BY_NAME:
            problems.append(f"fields.{shown(ours)} is not one of our names{_close(ours, BY_NAME)}")
        if not theirs:
            problems.append(f"fields.{shown(ours)} is empty: put # before the line")
    taken: dict[str, str] = {}
    for ours, theirs in fields.items():
        if theirs and theirs in taken:
            problems.append(f"fields.{shown(ours)} and fields.{shown(taken[theirs])} are both {shown(theirs)!r}")
        taken[theirs] = ours
    return problems


def _close(name: str, known: Iterable[str]) -> str:
    """A known name that somebody may have meant."""
    by_small = {each.casefold(): each for each in known}
    found: Sequence[str] = difflib.get_close_matches(name.casefold(), list(by_small), n=1)
    return f" (is it {shown(by_small[found[0]])!r}?)" if found else ""


def _refuse(path: Path, problems: list[str]) -> None:
    if problems:
        raise BadSource("\n  - ".join([f"{path} cannot be used as it stands:", *problems]))
