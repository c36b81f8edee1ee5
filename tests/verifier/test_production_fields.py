"""The load file that Trent writes and the one that the verifier expects: the same, whatever a part's fields hold."""

import json
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import records
from protocol.corpus.leaves import Log, Rest
from protocol.corpus.listing import PartFields
from protocol.loadfile.volume import Document, Layout, Numbers, SlipSheet, slip_sheet_text, write_volume
from protocol.production import fields as trents
from verifier.production import fields
from verifier.production.loadfile import BadLine, lines
from verifier.reading import plain_file
from verifier.record.parts import Log as ReadLog
from verifier.record.parts import Part
from verifier.record.parts import Rest as ReadRest
from verifier.record.shapes import read

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text(st.sampled_from("a;þ®\x14\r\n\x00\x85\u2028\t/\\\" '=."), max_size=8),
)
names = st.sampled_from([*fields.COLUMNS, "other"])


@st.composite
def part_fields(draw: st.DrawFn, place: int) -> PartFields:
    log = Log(
        author=draw(texts),
        date=draw(texts),
        parent=draw(st.integers(0, place - 1)) if place else None,
        recipients=draw(texts),
        type=draw(texts),
    )
    rest = Rest(
        custodians=tuple(draw(st.lists(texts, max_size=3))),
        fields=draw(st.dictionaries(names, texts, max_size=5)),
        name=draw(texts),
        pages=draw(st.none() | st.integers(0, 9)),
        paths=tuple(draw(st.lists(texts, max_size=3))),
    )
    return PartFields(log=log, rest=rest)


@st.composite
def families(draw: st.DrawFn) -> list[tuple[PartFields, bool]]:
    """The parts of a document, each with whether it is withheld."""
    return [(draw(part_fields(place)), draw(st.booleans())) for place in range(draw(st.integers(1, 3)))]


def as_read(part: PartFields, withheld: bool, content: bytes) -> Part:  # noqa: FBT001 - a pair of the above
    log = read(ReadLog, json.loads(records.encode(part.log)))
    if withheld:
        return Part(b"", log)
    rest = read(ReadRest, json.loads(records.encode(part.rest)))
    return Part(b"", log, rest, sha256(content).digest(), b"")


def written(family: list[tuple[PartFields, bool]], folder: Path) -> list[list[str]]:
    first = None if family[0][1] else family[0][0]
    parts = [
        SlipSheet(fields=trents.of_withheld(part), parent=part.log.parent)
        if withheld
        else Document(
            fields=trents.of_open(part, first),
            text="",
            native=str(place).encode(),
            extension=trents.extension(part),
            parent=part.log.parent,
        )
        for place, (part, withheld) in enumerate(family)
    ]
    write_volume(folder, [parts], numbers=Numbers(prefix="A", digits=3), layout=Layout(name="VOL001"))
    with plain_file(folder / "DATA/VOL001.dat") as file:
        return list(lines(file))


@settings(max_examples=100, deadline=None)
@given(families())
def test_each_line_of_a_volume_is_the_one_that_the_verifier_expects(family: list[tuple[PartFields, bool]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        header, *found = written(family, folder)
        natives = {path.stem: path.relative_to(folder).as_posix() for path in folder.glob("NATIVES/*/*")}
    parts = [as_read(part, withheld, str(place).encode()) for place, (part, withheld) in enumerate(family)]
    numbers = [f"A{number:03}" for number in range(1, len(parts) + 1)]
    assert len(header) == len(fields.COLUMNS)
    for place, line in enumerate(found):
        text = f"TEXT/0001/{numbers[place]}.txt"
        expected = fields.stated(parts, place, numbers, natives.get(numbers[place]), text)
        assert dict(zip(fields.COLUMNS, line, strict=True)) == expected


def test_both_sides_know_the_same_columns_and_words() -> None:
    assert Layout(name="VOL001").columns == fields.COLUMNS
    assert slip_sheet_text("A001").encode() == fields.slip_sheet("A001")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_whatever_a_load_file_holds_the_reader_reads_it_or_names_the_line(data: bytes) -> None:
    with TemporaryDirectory() as name:
        path = Path(name) / "x.dat"
        path.write_bytes(b"\xef\xbb\xbf" + data)
        with plain_file(path) as file:
            try:
                found = list(lines(file))
            except BadLine as error:
                assert f"line {error.number}" in str(error)
            else:
                assert len(found) == data.count(b"\r\n")


@pytest.mark.parametrize(
    ("name", "kind", "ending"),
    [
        ("a/b.DOCX", "", "docx"),
        ("maildir/1.", "mail", "eml"),
        ("mail/17", "mail", "eml"),
        ("a.tar/1.5", "text", "txt"),
        ("a.p/../d", "pdf", "pdf"),
        ("a." + "x" * 11, "winmail.dat", "bin"),
        ("", "", "txt"),
        ("a", "PDF", "pdf"),
    ],
)
def test_a_native_has_the_ending_of_its_name_or_type(name: str, kind: str, ending: str) -> None:
    log = Log(type=kind)
    rest = Rest(name=name)
    assert trents.extension(PartFields(log=log, rest=rest)) == ending
