"""P04 to P07: the documents of a volume, their files, slip sheets and lines, by what the record commits to."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise, zip_longest

from verifier.production import fields, form
from verifier.production.checks import Check, Results
from verifier.production.folder import Folder
from verifier.production.form import Earlier, File, Manifest, Row
from verifier.production.loadfile import BadLine, lines
from verifier.production.record import Shown, Witness, some
from verifier.record.parts import Part, holding

IN_ORDER = "Documents are in the order of rounds and positions, whole, with numbers in a row"


@dataclass(frozen=True, slots=True)
class Due:
    """A record that is due in the volume: a part of a document."""

    shown: Shown
    part: int
    place: int  # among the records, from 0
    numbers: tuple[str, ...]  # of all parts of the document

    @property
    def number(self) -> str:
        """The number of this part."""
        return self.numbers[self.part]

    @property
    def opened(self) -> Part:
        """What the proof opens of the part."""
        return self.shown.parts[self.part]

    @property
    def words(self) -> str:
        """Which part it is."""
        return f"{self.number}, part {self.part} of {self.shown.words}"


def check(results: Results, manifest: Manifest, witness: Witness) -> list[tuple[Due, Row]]:
    """P04. The records that are due and there, each with what the manifest says of it."""
    results.made(Check.DOCUMENTS)
    due = witness.due_in(manifest.size, [each.size for each in manifest.earlier])
    rule = "A volume holds what is to be produced, and nothing else"
    there = {each.document for each in manifest.records}
    if missing := [each for each in due if each.document not in there]:
        results.fail(Check.DOCUMENTS, rule, form.FILE, some(missing), "no such documents")
    if added := sorted(there - {each.document for each in due}):
        numbers = [each.number for each in manifest.records if each.document == added[0]]
        results.fail(
            Check.DOCUMENTS, rule, form.FILE, f"no document {added[0]}", f"it is there, as {', '.join(numbers[:3])}"
        )
    found, wrong = compared(manifest, due)
    if wrong and not missing and not added:
        results.fail(Check.DOCUMENTS, IN_ORDER, form.FILE, *map(told, wrong))
    _check_numbers(results, manifest)
    results.items[Check.DOCUMENTS] = len({one.shown.document for one, _ in found})
    return found


def compared(
    manifest: Manifest, due: Sequence[Shown]
) -> tuple[list[tuple[Due, Row]], tuple[Due | None, Row | None] | None]:
    """The records before the first that is not the one due at its place, and what is due and there at that place."""
    found = list[tuple[Due, Row]]()
    for one, row in zip_longest(_numbered(manifest, due), manifest.records):
        if one is None or row is None or _identity(one) != _stated(row):
            return found, (one, row)
        found.append((one, row))
    return found, None


def _check_numbers(results: Results, manifest: Manifest) -> None:
    """Each record has a number, and they go on from volume to volume."""
    volumes: list[Earlier | Manifest] = [*manifest.earlier, manifest]
    for before, each in pairwise(volumes):
        if each.begin != before.next:
            rule, at = "Numbers go on from volume to volume", f"{form.FILE}, volume {each.volume}"
            results.fail(Check.DOCUMENTS, rule, at, f"begin = {before.next}", each.begin)
    if manifest.next != manifest.begin + len(manifest.records):
        rule = "Each record has one number, and they are in a row"
        results.fail(
            Check.DOCUMENTS, rule, form.FILE, f"next = {manifest.begin + len(manifest.records)}", manifest.next
        )


def _numbered(manifest: Manifest, due: Sequence[Shown]) -> list[Due]:
    found = list[Due]()
    for shown in due:
        first = manifest.begin + len(found)
        numbers = tuple(manifest.named(first + part) for part in range(len(shown.parts)))
        found += [Due(shown, part, len(found) + part, numbers) for part in range(len(shown.parts))]
    return found


def _identity(one: Due) -> tuple[str, int, int, int, int]:
    return one.number, one.shown.document, one.part, one.shown.round, one.shown.position


def _stated(row: Row) -> tuple[str, int, int, int, int]:
    return row.number, row.document, row.part, row.round, row.position


def told(one: Due | Row | None) -> str:
    """A record that is due or there, in words."""
    if one is None:
        return "no further record"
    if isinstance(one, Due):
        return one.words
    return f"{one.number}, part {one.part} of document {one.document} (round {one.round}, position {one.position})"


def check_files(results: Results, manifest: Manifest, records: Sequence[tuple[Due, Row]]) -> None:
    """P05 and P06, by the hashes that Trent signed. Whether the files have these is P03."""
    listed = {each.path: each for each in manifest.files}
    for one, row in records:
        withheld = one.opened.withheld
        if row.withheld != withheld:
            rule = "Just the parts that the proof of the disclosure withholds are slip sheets"
            said = "withheld" if row.withheld else "produced"
            results.fail(Check.SLIP_SHEETS, rule, one.words, "withheld" if withheld else "produced", said)
        elif withheld:
            _check_slip_sheet(results, manifest, one, row, listed)
        else:
            _check_open(results, manifest, one, row, listed)
    _made(results, Check.CONTENTS, manifest, records)
    _made(results, Check.SLIP_SHEETS, manifest, records)


def _made(results: Results, check: Check, manifest: Manifest, records: Sequence[tuple[Due, Row]]) -> None:
    """A check is made to its end if each record of the manifest was looked at."""
    if len(records) == len(manifest.records):
        results.made(check)
    else:
        results.leave(check, f"only the {len(records)} records before the first wrong one were compared")


def _check_open(results: Results, manifest: Manifest, one: Due, row: Row, listed: dict[str, File]) -> None:
    right = True
    pairs = [("text", row.text, form.text_path(manifest, one.place), one.opened.text)]
    if one.part not in holding(one.shown.parts):
        native = form.native_path(manifest, one.place, row.native or "")
        pairs.append(("native", row.native or "", native, one.opened.content))
    elif row.native is not None:
        rule = "A part in which a withheld part lies has no native, whose bytes would hold that part"
        results.fail(Check.SLIP_SHEETS, rule, one.words, "no native", row.native)
    for what, path, expected, committed in pairs:
        if path != expected:
            rule = f"The {what} of a part is the file with its number"
            results.fail(Check.CONTENTS, rule, one.words, expected, path or "no file")
        elif path not in listed or listed[path].sha256 != committed:
            rule = f"The {what} of a part is the committed one, byte for byte"
            said = listed[path].sha256.hex() if path in listed else "no such file"
            results.fail(Check.CONTENTS, rule, f"{path}, {one.words}", f"the SHA-256 {committed.hex()}", said)
        else:
            continue
        right = False
    results.items[Check.CONTENTS] += right


def _check_slip_sheet(results: Results, manifest: Manifest, one: Due, row: Row, listed: dict[str, File]) -> None:
    rule = "A slip sheet has no native, and its text says its number and that it is withheld, and nothing else"
    path = form.text_path(manifest, one.place)
    if row.native is not None or row.text != path:
        results.fail(Check.SLIP_SHEETS, rule, one.words, f"{path} alone", row.native or row.text)
    elif path not in listed or listed[path].sha256 != sha256(fields.slip_sheet(one.number)).digest():
        results.fail(Check.SLIP_SHEETS, rule, f"{path}, {one.words}", "the words of a slip sheet", "other words")
    else:
        results.items[Check.SLIP_SHEETS] += 1


def check_table(
    results: Results, manifest: Manifest, records: Sequence[tuple[Due, Row]], volume: Folder, intact: frozenset[str]
) -> None:
    """P07: the load file, line by line."""
    path, signed = manifest.table, manifest.table in intact
    if path not in volume.files:
        results.leave(Check.FIELDS, f"there is no {path}")
        return
    called = [each.called for each in manifest.fields]
    if tuple(each.field for each in manifest.fields) != fields.COLUMNS or len({*called, ""}) <= len(called):
        rule = "The load file has the columns of a volume, each under a name of its own"
        results.fail(Check.FIELDS, rule, form.FILE, ", ".join(fields.COLUMNS), ", ".join(called))
        return
    rule = "Each line of the load file states what the record commits to"
    try:
        with volume.opened(path) as file:
            found = lines(file)
            if next(found, None) != called:
                results.fail(Check.FIELDS, rule, f"{path}, line 1", ", ".join(called), "other names", signed=signed)
                return
            where, lacking = f"{path}, line {len(records) + 2}", False
            for number, record in enumerate(records, start=2):
                line = next(found, None)
                if lacking := line is None:
                    where = f"{path}, line {number}"
                    break
                _check_line(results, f"{path}, line {number}", called, record, line, signed=signed)
            # What stands behind the first wrong record is not looked at.
            if lacking or (len(records) == len(manifest.records) and next(found, None) is not None):
                results.fail(Check.FIELDS, rule, where, f"{len(records) + 1} lines", "another number", signed=signed)
    except BadLine as error:
        results.fail(
            Check.FIELDS, "The load file has the form of one", path, "a line of a load file", error, signed=signed
        )
    _made(results, Check.FIELDS, manifest, records)


def _check_line(
    results: Results, where: str, called: Sequence[str], record: tuple[Due, Row], line: Sequence[str], *, signed: bool
) -> None:
    one, row = record
    rule = "Each line of the load file states what the record commits to"
    if len(line) != len(called):
        results.fail(Check.FIELDS, rule, where, f"{len(called)} values", len(line), signed=signed)
        return
    expected = fields.stated(one.shown.parts, one.part, one.numbers, row.native, row.text)
    right = True
    for name, heading, value in zip(fields.COLUMNS, called, line, strict=True):
        if value != expected[name]:
            right = False
            at = f"{where} ({one.number}), {heading}"
            results.fail(Check.FIELDS, rule, at, repr(expected[name]), repr(value), signed=signed)
    results.items[Check.FIELDS] += right
