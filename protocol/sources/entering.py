"""What a source is found to hold becomes documents with unique names, and items that say what became of everything.

A family that equals an earlier one is no document: its item names the documents of that one, and its own place and
custodian. `protocol.corpus.taking` adds these to what is known of the first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256

from protocol.sources.duplicates import Families, part_keys
from protocol.sources.family import TOKEN, Family, Part
from protocol.sources.items import Item, Outcome
from protocol.sources.names import TakenNames, content_hash
from protocol.sources.pictures import PAGE_IMAGES, images_digest
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Found, Settings, SourceDocument, SourcePart

Entered = SourceDocument | Item | Problem

_RECIPIENTS = ("to", "cc", "bcc")
_CUSTODIANS, _PATHS = ("custodian", "all_custodians"), ("path", "all_paths")
_ELSEWHERE = ("date", *_CUSTODIANS, *_PATHS)  # fields that a part has a place of its own for
_OWN = re.compile(r"\btallystick\b(?! [0-9])")


class Entering:
    """Takes what is found, in the source's order. `above` goes before the places of lines."""

    def __init__(self, above: str, settings: Settings) -> None:
        self._above = above
        self._custodian = settings.custodian
        self._apart = settings.apart
        self._names = _Names()
        self._families = Families()
        self._documents = 0

    def take(self, found: Iterable[Found | Family | Problem | Item]) -> Iterator[Entered]:
        """Documents, each after its problems and its item; and an item for everything else."""
        for each in found:
            if isinstance(each, Family):
                yield from self._family(each)
            elif isinstance(each, Found):
                yield from self._line(each)
            else:
                yield each
                if isinstance(each, Problem) and not each.kept:
                    where = self._above + each.where
                    yield Item(where=where, outcome=Outcome.EXCEPTION, reason=each.cause.words)

    def _family(self, family: Family) -> Iterator[Entered]:
        """The family under a name of its own, after the notes of its parts; unless it equals an earlier one."""
        first, *others = (_part(part) for part in family.parts)
        where = self._above + family.path
        otherwise = family.custodian or self._custodian
        custodians = first.custodians or ((otherwise,) if otherwise else ())
        offered = range(self._documents, self._documents + (len(family.parts) if self._apart else 1))
        documents = self._families.documents(part_keys(family.parts), offered) if family.merges else offered
        if documents != offered:
            yield Item(
                where=where, outcome=Outcome.DUPLICATE, documents=documents, custodians=custodians, paths=first.paths
            )
            return
        name = self._names.free(family.path)
        first = replace(first, name=name, custodians=custodians, paths=first.paths or (where,))
        yield from _problems(family, name)
        yield self._item(where, documents)
        if not self._apart:
            yield SourceDocument(parts=(first, *others))
        elif others:
            yield from (SourceDocument(parts=(part,)) for part in self._each_alone(first, others))
        else:
            yield SourceDocument(parts=(first,))

    def _each_alone(self, first: SourcePart, others: Iterable[SourcePart]) -> list[SourcePart]:
        """The parts of a family with names of their own. Each says which family it is of, and its place there."""
        made: list[SourcePart] = []
        for place, part in enumerate((first, *others)):
            fields = {**part.fields, "family": first.name, "place": str(place)}
            name = first.name
            if part.parent is not None:
                fields["attached_to"] = made[part.parent].name
                name = self._names.free(f"{made[part.parent].name}/{part.name}")
            alone = replace(part, name=name, parent=None, fields=fields)
            made.append(replace(alone, custodians=first.custodians, paths=first.paths))
        return made

    def _line(self, found: Found) -> Iterator[Entered]:
        """The document of a line, unless the same line occurred before."""
        name, place = self._names.given_to(found, self._documents)
        where = self._above + found.where
        if name is None:
            detail = f"{found.name!r} occurred before, with the same bytes"
            yield Problem(where=found.where, cause=Cause.REPEATED_DOCUMENT, detail=detail)
            yield Item(where=where, outcome=Outcome.DUPLICATE, documents=range(place, place + 1))
            return
        notes = list(found.notes)
        if name != found.name:
            detail = f"{found.name!r} occurred before, with other bytes; this one is named {name!r}"
            notes.append((Cause.REPEATED_ID, detail))
        for cause, detail in notes:
            yield Problem(where=found.where, cause=cause, detail=detail)
        if not TOKEN.search(found.text):
            yield _empty(found.where)
        custodians = (self._custodian,) if self._custodian else ()
        yield self._item(where, range(place, place + 1))
        part = SourcePart(
            name=name,
            content=found.content,
            text=found.text,
            custodians=custodians,
            tool=versioned("tallystick") if found.options else "",  # else the text is the content
            options=found.options,
        )
        yield SourceDocument(parts=(part,), labels=found.labels)

    def _item(self, where: str, documents: range) -> Item:
        """The next documents enter."""
        self._documents = documents.stop
        return Item(where=where, outcome=Outcome.ENTERED, documents=documents)


def _problems(family: Family, name: str) -> Iterator[Problem]:
    """What is wrong with a family that enters under this name."""
    if name != family.path:
        detail = f"{family.path!r} occurred before; this one is named {name!r}"
        yield Problem(where=family.path, cause=Cause.REPEATED_ID, detail=detail)
    for part in family.parts:
        where = f"{name}, attachment {part.index + 1} ({part.name})" if part.index else name
        for cause, detail in part.notes:
            yield Problem(where=where, cause=cause, detail=detail, in_kept=True)
    if family.is_empty:
        yield _empty(name)


def _empty(where: str) -> Problem:
    return Problem(where=where, cause=Cause.EMPTY_TEXT, detail="its text has no letter and no digit")


def _part(part: Part) -> SourcePart:
    """A part as the corpus takes it."""
    known = {f"{key}_told" if key == PAGE_IMAGES else key: value for key, value in part.fields.items()}
    if part.images:
        known[PAGE_IMAGES] = images_digest(sha256(image).digest() for image in part.images)
    return SourcePart(
        name=part.name,
        content=part.content,
        text=part.text,
        type=part.kind,
        parent=part.parent,
        author=known.get("from") or known.get("author", ""),
        date=known.get("date", ""),
        recipients="; ".join(known[each] for each in _RECIPIENTS if known.get(each)),
        custodians=_both(known, *_CUSTODIANS),
        paths=_both(known, *_PATHS),
        fields={key: value for key, value in known.items() if key not in _ELSEWHERE},
        pages=part.pages,
        images=part.images,
        tool=versioned(part.tool),
        options=part.options,
    )


def _both(known: Mapping[str, str], one: str, many: str) -> tuple[str, ...]:
    """What a load file says in two fields, of which the second has several values, each once."""
    found = [known.get(one, ""), *known.get(many, "").split(";")]
    return tuple(dict.fromkeys(each.strip() for each in found if each.strip()))


def versioned(tool: str) -> str:
    """What read a file, with our own version where a reader of ours took part."""
    return _OWN.sub(f"tallystick {_version()}", tool)


@cache
def _version() -> str:
    from importlib.metadata import version

    return version("tallystick")


class _Names:
    """Names that are taken, and which number comes next for those that came back."""

    def __init__(self) -> None:
        self._taken = TakenNames()
        self._versions: dict[str, dict[bytes, int]] = {}  # of ids that came back: the lines by their hash
        self._last_number: dict[str, int] = {}

    def given_to(self, found: Found, place: int) -> tuple[str | None, int]:
        """The name that this line gets, or None if it occurred before; and its place, or then that of the first."""
        digest = content_hash(found.content)
        name = found.name
        if name in self._taken:
            versions = self._versions.setdefault(name, dict([self._taken.line(name)]))
            if digest in versions:
                return None, versions[digest]
            versions[digest] = place
            name = self._numbered(name)
        self._taken.add(name, digest, place)
        return name, place

    def free(self, wanted: str) -> str:
        """The name itself or, if it is taken, with a number. It is taken then."""
        name = self._numbered(wanted) if wanted in self._taken else wanted
        self._taken.add(name)
        return name

    def _numbered(self, wanted: str) -> str:
        number = self._last_number.get(wanted, 1)
        while True:
            number += 1
            name = f"{wanted} ({number})"
            if name not in self._taken:
                self._last_number[wanted] = number
                return name
