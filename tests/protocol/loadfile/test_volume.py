"""Volumes: what was produced is read back as the same documents, families and fields, and nothing withheld is in it."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import Unwritable
from protocol.loadfile import fieldfile
from protocol.loadfile import volume as volumes
from protocol.loadfile.dat import DIALECTS, fitted, open_dat
from protocol.loadfile.lines import ENCODINGS, Flaw
from protocol.loadfile.loadfile import Family, open_loadfile, read_text
from protocol.loadfile.volume import (
    COMPUTED,
    GIVEN,
    Document,
    Layout,
    Numbers,
    Part,
    SlipSheet,
    Written,
    slip_sheet_text,
    write_volume,
)

LAYOUT = Layout(name="VOL001")
NUMBERS = Numbers(prefix="ACME", digits=6)


def document(**given: Any) -> Document:
    values: dict[str, Any] = {"fields": {"custodian": "Ann"}, "text": "words", "native": b"bytes", "extension": "docx"}
    return Document(**{**values, **given})


def write(folder: Path, *families: Sequence[Part], layout: Layout = LAYOUT, numbers: Numbers = NUMBERS) -> Written:
    folder.mkdir(exist_ok=True)
    return write_volume(folder, families, numbers=numbers, layout=layout)


def read(folder: Path, name: str = "VOL001", *, encoding: str | None = None) -> list[Family]:
    path, fields = folder / f"DATA/{name}.dat", None
    if encoding is not None:
        fields, opened = folder / "fields.toml", open_dat(path, encoding=encoding)
        fields.write_text(fieldfile.written(opened, fieldfile.guess(opened)), encoding="utf-8")
    items = list(open_loadfile(path, fields=fields).families())
    assert not [each for each in items if isinstance(each, Flaw)]
    return [each for each in items if not isinstance(each, Flaw)]


def files(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def test_a_volume_has_its_documents_in_numbered_files_and_a_line_for_each(tmp_path: Path) -> None:
    family: list[Part] = [
        document(),
        document(native=None, parent=0),
        SlipSheet(parent=0, fields={"author": "Counsel"}),
    ]
    done = write(tmp_path, family, [document(extension="p/../d")])
    assert files(tmp_path) == [
        "DATA/VOL001.dat",
        "DATA/VOL001.opt",
        "NATIVES/0001/ACME000001.docx",
        "NATIVES/0001/ACME000004.bin",
        "TEXT/0001/ACME000001.txt",
        "TEXT/0001/ACME000002.txt",
        "TEXT/0001/ACME000003.txt",
        "TEXT/0001/ACME000004.txt",
    ]
    assert (done.families, done.documents, done.slip_sheets, done.next, done.changed) == (2, 4, 1, 5, ())
    (first, second, third), (single,) = read(tmp_path)
    assert first.fields == {
        "begin": "ACME000001",
        "end": "ACME000001",
        "begin_family": "ACME000001",
        "end_family": "ACME000003",
        "custodian": "Ann",
        "hash": sha256(b"bytes").hexdigest(),
        "native_link": "NATIVES\\0001\\ACME000001.docx",
        "text_link": "TEXT\\0001\\ACME000001.txt",
    }
    assert second.fields["parent"] == third.fields["parent"] == "ACME000001"
    assert third.fields["withheld"] == "This document is withheld as privileged."
    assert third.fields["author"] == "Counsel"
    assert "begin_family" not in single.fields


def test_a_slip_sheet_tells_its_number_and_words_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, [document(), SlipSheet(parent=0, words="Withheld, see the log.")])
    ((_, sheet),) = read(tmp_path)
    assert sheet.text_path is not None
    assert read_text(sheet.text_path)[0] == "ACME000002\n\nWithheld, see the log.\n"
    assert read_text(sheet.text_path)[0] == slip_sheet_text("ACME000002", "Withheld, see the log.")
    assert sheet.native is None
    assert set(sheet.fields) == {"begin", "end", "begin_family", "end_family", "parent", "withheld", "text_link"}


def test_numbers_go_on_from_volume_to_volume(tmp_path: Path) -> None:
    done = write(tmp_path / "1", [document()], [document()])
    numbers = Numbers(prefix="ACME", digits=6, next=done.next)
    again = write(tmp_path / "2", [document()], layout=Layout(name="VOL002"), numbers=numbers)
    assert [record.number for (record,) in read(tmp_path / "2", "VOL002")] == ["ACME000003"]
    assert again.next == 4


def test_each_page_image_has_a_number_and_a_line(tmp_path: Path) -> None:
    pages = (("tif", b"one"), ("tif", b"two"), ("JPG", b"three"))
    write(tmp_path, [document(images=pages), document(parent=0)], [document(images=pages[:1])])
    write(tmp_path / "other", [document(), document(images=pages, parent=0)])
    assert {each.fields["end_family"] for family in read(tmp_path / "other") for each in family} == {"ACME000004"}
    assert (tmp_path / "DATA/VOL001.opt").read_bytes().decode().split("\r\n") == [
        "ACME000001,VOL001,IMAGES\\0001\\ACME000001.tif,Y,,,3",
        "ACME000002,VOL001,IMAGES\\0001\\ACME000002.tif,,,,",
        "ACME000003,VOL001,IMAGES\\0001\\ACME000003.jpg,,,,",
        "ACME000005,VOL001,IMAGES\\0001\\ACME000005.tif,Y,,,1",
        "",
    ]
    families = read(tmp_path)
    assert [[record.number for record in family] for family in families] == [
        ["ACME000001", "ACME000004"],
        ["ACME000005"],
    ]
    assert families[0][0].fields["end"] == "ACME000003"
    assert families[0][0].images == 3


def test_files_go_into_folders_of_a_thousand_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volumes, "A_FOLDER", 2)
    write(tmp_path, [document()], [document(), document(parent=0)])
    assert [each for each in files(tmp_path) if each.startswith("TEXT")] == [
        "TEXT/0001/ACME000001.txt",
        "TEXT/0001/ACME000002.txt",
        "TEXT/0002/ACME000003.txt",
    ]
    assert len(read(tmp_path)) == 2


def test_fields_can_be_renamed(tmp_path: Path) -> None:
    write(tmp_path, [document()], layout=Layout(name="VOL001", names={"custodian": "CUST_NAME", "begin": "PRODBEG"}))
    assert open_loadfile(tmp_path / "DATA/VOL001.dat").dat.names[:6] == (
        "PRODBEG", "ENDBATES", "BEGATTACH", "ENDATTACH", "PARENTID", "CUST_NAME",
    )  # fmt: skip


def test_a_value_that_a_load_file_cannot_hold_is_replaced_and_listed(tmp_path: Path) -> None:
    done = write(tmp_path, [document(fields={"subject": "Acme®", "title": "plain"})])
    assert done.changed == (("ACME000001", "subject"),)
    assert read(tmp_path)[0][0].fields["subject"] == "Acme(R)"


@pytest.mark.parametrize(
    ("family", "reason"),
    [
        ([], "a family without a document"),
        ([document(parent=0)], "part 1 of a family of 1 is attached to none"),
        ([document(), document()], "part 2 of a family of 2 is attached to none"),
        ([document(), document(parent=1)], "part 2 of a family of 2 is attached to none"),
        ([document(), document(parent=-1)], "part 2 of a family of 2 is attached to none"),
        ([document(fields={"begin": "X1"})], "ACME000001: the volume has no field begin that could be given"),
        ([document(fields={"hash": "0"})], "no field hash"),
        ([document(fields={"reviewer": "x"})], "no field reviewer"),
        ([SlipSheet(fields={"text": "secret"})], "no field text"),
        ([document(text="\ud800")], "its text holds half a character"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, family: list[Part], reason: str) -> None:
    with pytest.raises(Unwritable, match=reason):
        write(tmp_path, family)


@pytest.mark.parametrize("prefix", ["", "A/B", "..", ".A", "A B", "ACME1", "Ä", "A" * 41, "-A", "A\n", "A,B"])
def test_a_prefix_that_makes_bad_names_of_files_is_refused(prefix: str) -> None:
    with pytest.raises(Unwritable, match="cannot stand before the number"):
        Numbers(prefix=prefix)


@pytest.mark.parametrize("prefix", ["A", "ACME", "ACME-", "ACME.US_", "3M"])
def test_usual_prefixes_are_not(prefix: str) -> None:
    assert Numbers(prefix=prefix, digits=3).named(7) == f"{prefix}007"


def test_numbers_with_too_many_digits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="the number 10 has more than 1 digits"):
        write(tmp_path, [document()], [document()], numbers=Numbers(prefix="A", digits=1, next=9))
    with pytest.raises(Unwritable, match="1 to 15 digits"):
        Numbers(prefix="A", digits=16)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.b", "Ä"])
def test_a_volumes_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(Unwritable, match="cannot be the name of a volume"):
        Layout(name=name)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"fields": ["custodian", "hash"]}, "computed, or named twice: hash"),
        ({"fields": ["to", "to"]}, "computed, or named twice: to"),
        ({"fields": ["nonsense"]}, "none of our names of fields: nonsense"),
        ({"names": {"nonsense": "X"}}, "none of our names of fields: nonsense"),
        ({"names": {"begin": "SUBJECT"}}, "two fields have the same name"),
    ],
)
def test_fields_that_make_no_sense_are_refused(tmp_path: Path, given: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unwritable, match=reason):
        write(tmp_path, [document()], layout=Layout(name="V", **given))


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "TEXT/0001").mkdir(parents=True)
    (tmp_path / "TEXT/0001/ACME000001.txt").write_text("before")
    with pytest.raises(FileExistsError):
        write(tmp_path, [document()])


VALUES = st.text(st.sampled_from("ab þ®;\n\r\téΩ")) | st.text(max_size=20)
TEXTS = st.text(max_size=30).filter(lambda each: not each.startswith("\ufeff"))
FIELD_MAPS = st.dictionaries(st.sampled_from(GIVEN), VALUES, max_size=5)
EXTENSIONS = st.sampled_from(["", "docx", "PDF", "tar.gz"])
DOCUMENTS = st.builds(
    Document,
    fields=FIELD_MAPS,
    text=TEXTS,
    native=st.none() | st.binary(max_size=20),
    extension=EXTENSIONS,
    images=st.lists(st.tuples(EXTENSIONS, st.binary(max_size=5)), max_size=3).map(tuple),
)
PARTS = DOCUMENTS | st.builds(SlipSheet, fields=FIELD_MAPS, words=st.text(st.sampled_from("ab ®\n"), max_size=9))


def attached(part: Part, parent: int | None) -> Part:
    if isinstance(part, SlipSheet):
        return SlipSheet(fields=part.fields, words=part.words, parent=parent)
    return Document(
        fields=part.fields,
        text=part.text,
        native=part.native,
        extension=part.extension,
        images=part.images,
        parent=parent,
    )


@st.composite
def family(draw: st.DrawFn) -> list[Part]:
    parts = draw(st.lists(PARTS, min_size=1, max_size=4))
    return [attached(part, draw(st.integers(0, place - 1)) if place else None) for place, part in enumerate(parts)]


@settings(deadline=None, max_examples=100)
@given(
    st.lists(family(), max_size=4), st.sampled_from(sorted(DIALECTS)), st.sampled_from(ENCODINGS), st.integers(0, 90)
)
def test_what_was_produced_is_read_back_as_the_same_documents_families_and_fields(
    tmp_path_factory: pytest.TempPathFactory, families: list[list[Part]], name: str, encoding: str, first: int
) -> None:
    folder = tmp_path_factory.mktemp("volume")
    layout = Layout(name="VOL001", dialect=DIALECTS[name], encoding=encoding)
    done = write(folder, *families, layout=layout, numbers=Numbers(prefix="X-", digits=4, next=first))
    found = read(folder, encoding=encoding)
    assert [len(each) for each in found] == [len(each) for each in families]
    assert done.documents == sum(len(each) for each in families)
    number = first
    for records, parts in zip(found, families, strict=True):
        for record, part in zip(records, parts, strict=True):
            assert record.number == f"X-{number:04}"
            assert record.parent == part.parent
            values = {
                name: fitted(value, dialect=layout.dialect, encoding=encoding) for name, value in part.fields.items()
            }
            given = {name: value for name, value in record.fields.items() if name not in COMPUTED}
            assert given == {name: value for name, value in values.items() if value.strip()}
            assert record.text_path is not None
            text = read_text(record.text_path)[0]
            number += 1
            if isinstance(part, SlipSheet):
                assert text == slip_sheet_text(record.number, part.words)
                assert record.native is None
                continue
            number += max(0, len(part.images) - 1)
            assert record.images == (len(part.images) or None)
            assert text == part.text
            assert (record.native.read_bytes() if record.native else None) == part.native
    assert done.next == number
