"""Old Office files: recognised by what is in them, refused with the remedy, and converted where a program can."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import oldoffice
from protocol.sources.formats.oldoffice import EXTRACTOR, convert, extract, suffix
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.programs import installed
from tests.support.compound_files import compound
from tests.support.officefiles import package

WORD = struct.pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0, 0, 0)
PROTECTED_WORD = struct.pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0, 0, 0x0100)
BOOK = struct.pack("<HHI", 0x809, 4, 0) + struct.pack("<HH", 0x0A, 0)
PROTECTED_BOOK = struct.pack("<HHI", 0x809, 4, 0) + struct.pack("<HHI", 0x2F, 4, 0)
USER = bytes(12) + b"\x5f\xc0\x91\xe3"
PROTECTED_USER = bytes(12) + b"\xdf\xc4\xd1\xf3"


def odf(kind: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", "<x/>")
    return out.getvalue()


def file(content: bytes) -> File:
    return File(name="a", content=content)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (compound({"WordDocument": WORD}), "doc"),
        (compound({"WORDDOCUMENT": WORD}), "doc"),
        (compound({"worddocument": WORD}), "doc"),
        (compound({"Workbook": BOOK}), "xls"),
        (compound({"Book": BOOK}), "xls"),
        (compound({"Current User": USER, "PowerPoint Document": b"x"}), "ppt"),
        (odf("text"), "odt"),
        (odf("spreadsheet"), "ods"),
        (odf("presentation"), "odp"),
        (b"\xffWPC" + bytes(100), "wpd"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00", "xls"),
        (b'<?xml version="1.0"?><w:x xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">', "doc"),
    ],
)
def test_old_files_are_known_by_what_is_in_them(content: bytes, kind: str) -> None:
    assert suffix(file(content)) == kind
    assert EXTRACTOR.recognises(file(content))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"words",
        compound({}),
        compound({"__properties_version1.0": b"x"}),
        compound({"inner": {"WordDocument": WORD}}),
        compound({"EncryptedPackage": b"x"}),
        compound({"WordDocument": WORD})[:600],
        odf("graphics"),
        b"PK\x03\x04" + bytes(100),
        b"<?xml version='1.0'?><x/>",
    ],
)
def test_other_files_are_not(content: bytes) -> None:
    assert not EXTRACTOR.recognises(File(name="a.doc", content=content))


def refused(content: bytes) -> Cause:
    with pytest.raises(Unextractable) as raised:
        extract(file(content))
    return raised.value.cause


def test_without_a_program_the_remedy_is_told() -> None:
    with pytest.raises(Unextractable, match=r"office file \(\.doc\); install LibreOffice \(soffice\)") as raised:
        extract(file(compound({"WordDocument": WORD})))
    assert raised.value.cause == Cause.NEEDS_TOOL


def test_a_program_that_is_not_installed_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oldoffice, "installed", lambda _: None)
    with pytest.raises(Unextractable, match="install LibreOffice") as raised:
        convert(file(compound({"WordDocument": WORD})), Limits())
    assert raised.value.cause == Cause.NEEDS_TOOL


def test_what_a_password_protects_is_encrypted_where_it_can_be_told() -> None:
    assert refused(compound({"WordDocument": PROTECTED_WORD})) == Cause.ENCRYPTED
    assert refused(compound({"PowerPoint Document": b"x", "Current User": PROTECTED_USER})) == Cause.ENCRYPTED
    assert refused(compound({"PowerPoint Document": b"x", "Current User": USER})) == Cause.NEEDS_TOOL
    assert refused(compound({"PowerPoint Document": b"x"})) == Cause.NEEDS_TOOL


@pytest.mark.parametrize(("book", "cause"), [(PROTECTED_BOOK, Cause.ENCRYPTED), (BOOK, Cause.DAMAGED)])
def test_a_workbook_that_cannot_be_converted_is_encrypted_if_it_has_a_password(
    book: bytes, cause: Cause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oldoffice, "installed", lambda _: "soffice")
    monkeypatch.setattr(oldoffice, "run_program", lambda *_: {})
    assert refused(compound({"Workbook": book})) == Cause.NEEDS_TOOL
    with pytest.raises(Unextractable) as raised:
        convert(file(compound({"Workbook": book})), Limits())
    assert raised.value.cause == cause


def test_the_converted_file_has_the_name_with_its_new_kind_and_says_what_made_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def run(argv: list[str], name: str, content: bytes, limits: Limits) -> dict[str, bytes]:
        asked.append((argv[-1], name, content))
        return {"input.xlsx": b"made", "other": b"x"}

    monkeypatch.setattr(oldoffice, "installed", lambda _: "soffice")
    monkeypatch.setattr(oldoffice, "run_program", run)
    monkeypatch.setattr(oldoffice, "_version", lambda: "LibreOffice 7")
    content = compound({"Workbook": BOOK})
    made = convert(File(name="../a b.xls", content=content), Limits())
    assert asked == [("input.xls", "input.xls", content)]
    assert (made.file.name, made.file.content) == ("../a b.xls.xlsx", b"made")
    assert (made.tool, made.options) == ("LibreOffice 7", "xls to xlsx")


@pytest.mark.parametrize(
    ("name", "content", "kind", "target"),
    [
        ("a.vsd", compound({"VisioDocument": b"x"}), "vsd", "pdf"),
        ("a.pub", compound({"Quill": b"x"}), "pub", "pdf"),
        ("a.vsdx", package("visio/document.xml", {"visio/document.xml": b"<x/>"}), "vsdx", "pdf"),
        ("a.xlsb", package("xl/workbook.bin", {"xl/workbook.bin": b"\x83\x01"}), "xlsb", "xlsx"),
        ("a.pages", package("Index/Document.iwa", {"Index/Document.iwa": b"x"}), "pages", "docx"),
        ("a.emf", b"\x01\0\0\0" + bytes(36) + b" EMF" + bytes(60), "emf", "pdf"),
        ("a.wmf", b"\xd7\xcd\xc6\x9a" + bytes(60), "wmf", "pdf"),
    ],
)
def test_what_only_an_office_suite_reads_is_converted_to_what_we_read(
    monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, kind: str, target: str
) -> None:
    given = File(name=name, content=content)
    assert oldoffice.suffix(given) == kind
    monkeypatch.setattr(oldoffice, "installed", lambda _: "soffice")
    monkeypatch.setattr(oldoffice, "run_program", lambda argv, *_: {f"input.{argv[-2]}": b"made"})
    assert convert(given, Limits()).file == File(name=f"{name}.{target}", content=b"made")
    monkeypatch.setattr(oldoffice, "installed", lambda _: None)
    with pytest.raises(Unextractable, match="install LibreOffice") as raised:
        convert(given, Limits())
    assert raised.value.cause is Cause.NEEDS_TOOL


def test_libreoffice_turns_an_old_file_into_a_modern_one() -> None:
    if not installed("soffice"):
        pytest.skip("LibreOffice (soffice) is not installed")
    rich = b"{\\rtf1\\ansi some old words}"  # which it also takes under the name of a .doc
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oldoffice, "suffix", lambda _: "doc")
        made = convert(file(rich), Limits())
    with zipfile.ZipFile(io.BytesIO(made.file.content)) as archive:
        assert b"some old words" in archive.read("word/document.xml")
    assert made.tool.startswith("LibreOffice ")


WHOLE = compound({"WordDocument": PROTECTED_WORD, "Workbook": PROTECTED_BOOK, "Current User": USER})


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=20), st.integers(0, 2000))
def test_a_damaged_file_is_refused_and_nothing_else(changes: list[tuple[int, int]], cut: int) -> None:
    raw = bytearray(WHOLE)
    for place, value in changes:
        raw[place] = value
    EXTRACTOR.recognises(file(bytes(raw[: len(raw) - cut])))
    with pytest.raises(Unextractable):
        extract(file(bytes(raw[: len(raw) - cut])))
