"""The files inside old Office files come out as they are; a hostile file gives no more than it could hold."""

import io
import struct
import time
import zipfile
import zlib

import olefile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import oldobjects, oldoffice
from protocol.sources.formats.oldobjects import objects
from protocol.sources.formats.ole import unwrapped
from protocol.sources.formats.olewriting import Tree, compound
from protocol.sources.parts import File

INNER: Tree = {"WordDocument": b"w" * 5000, "1Table": b"t", "deep": {"er": b"x"}}


def tree(raw: bytes) -> dict[str, bytes]:
    with olefile.OleFileIO(io.BytesIO(raw)) as ole:
        return {"/".join(path): ole.openstream(path).read() for path in ole.listdir()}


def record(kind: int, content: bytes, version: int = 0) -> bytes:
    return struct.pack("<HHI", version, kind, len(content)) + content


def packed(content: bytes) -> bytes:
    return record(0x1011, struct.pack("<I", len(content)) + zlib.compress(content), 0x10)


# Compound files


@settings(deadline=None)
@given(
    st.recursive(
        st.binary(max_size=200) | st.integers(0, 9000).map(bytes),
        lambda inner: st.dictionaries(st.text("abcXYZ_0 \x01", min_size=1, max_size=8), inner, max_size=5),
        max_leaves=20,
    ).filter(lambda made: isinstance(made, dict))
)
def test_what_is_written_is_read_back(made: Tree) -> None:
    def flat(each: Tree, path: str = "") -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for name, value in each.items():
            found |= {path + name: value} if isinstance(value, bytes) else flat(value, f"{path}{name}/")
        return found

    if len({name.lower() for name in flat(made)}) == len(flat(made)):
        assert tree(compound(made)) == flat(made)


def test_a_file_so_large_that_the_header_cannot_list_its_tables_is_read_back() -> None:
    large = bytes(range(256)) * 40_000
    assert tree(compound({"a": large, "b": b"small"})) == {"a": large, "b": b"small"}


# Objects


def test_the_objects_of_a_workbook_are_compound_files() -> None:
    (found,) = objects(compound({"Workbook": b"x", "MBD0012": INNER, "_other": INNER, "MBDstream": b"x"}), "xls")
    assert tree(found) == {"WordDocument": b"w" * 5000, "1Table": b"t", "deep/er": b"x"}
    assert unwrapped(File(name="a.bin", content=found)).name == "a.doc"


def test_the_objects_of_a_document_stand_in_its_pool() -> None:
    raw = compound({"WordDocument": b"x", "ObjectPool": {"_1": {"CONTENTS": b"%PDF-x"}, "_2": INNER}, "_3": INNER})
    first, second = objects(raw, "doc")
    assert unwrapped(File(name="a.bin", content=first)).content == b"%PDF-x"
    assert "WordDocument" in tree(second)


def test_the_objects_of_a_presentation_are_unpacked_and_macros_left_out() -> None:
    inner, macros = compound(INNER), compound({"VBA": {"dir": b"x"}})
    stream = record(1000, b"slide") + packed(inner) + record(0x1011, inner) + packed(macros) + record(0x1011, b"odd")
    assert objects(compound({"PowerPoint Document": stream}), "ppt") == [inner, inner]


@pytest.mark.parametrize("kind", ["doc", "xls", "ppt"])
@pytest.mark.parametrize(
    "raw", [b"", b"words", compound({}), compound({"ObjectPool": b"x", "PowerPoint Document": {}})]
)
def test_a_file_without_objects_has_none(raw: bytes, kind: str) -> None:
    assert objects(raw, kind) == []


def test_a_bomb_in_a_presentation_does_not_go_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oldobjects, "ROOM", 1000)
    start = time.process_time()
    bomb = record(0x1011, b"\0\0\0\0" + zlib.compress(olefile.MAGIC + bytes(10**8), 9), 0x10)
    found = objects(compound({"PowerPoint Document": bomb * 20}), "ppt")
    assert sum(map(len, found)) < 10**7
    assert time.process_time() - start < 5


def test_sectors_that_are_used_many_times_are_not_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oldobjects, "ROOM", 1000)
    raw = bytearray(compound({f"MBD{number:04}": {"CONTENTS": b"x" * 10_000} for number in range(50)}))
    assert len(objects(bytes(raw), "xls")) == 50
    name = "CONTENTS".encode("utf-16-le")
    place, first = 0, b""
    while (place := raw.find(name, place)) >= 0:  # all streams become the first one, and claim to be large
        first = first or bytes(raw[place + 116 : place + 120])
        raw[place + 116 : place + 124] = first + struct.pack("<I", 400_000)
        place += 128
    assert sum(map(len, objects(bytes(raw), "xls"))) < 4 * len(raw)


WHOLE = compound(
    {"Workbook": b"x", "MBD1": INNER, "ObjectPool": {"_1": INNER}, "PowerPoint Document": packed(b"x" * 99)}
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=20), st.integers(0, 4000))
def test_a_damaged_file_gives_what_can_be_read(changes: list[tuple[int, int]], cut: int) -> None:
    raw = bytearray(WHOLE)
    for place, value in changes:
        raw[place] = value
    for kind in ("doc", "xls", "ppt"):
        objects(bytes(raw[: len(raw) - cut]), kind)


# In the converted file


def test_the_converted_file_holds_the_objects_of_the_old_one_and_no_others() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
        archive.writestr("xl/embeddings/oleObject1.xlsx", "what LibreOffice made of it")
    old = compound({"Workbook": b"x", "MBD1": {"CONTENTS": b"%PDF-x"}})
    with zipfile.ZipFile(io.BytesIO(oldoffice._with_objects(made.getvalue(), old, "xls"))) as archive:
        assert archive.namelist() == ["xl/workbook.xml", "xl/embeddings/oleObject1.bin"]
        assert tree(archive.read("xl/embeddings/oleObject1.bin")) == {"CONTENTS": b"%PDF-x"}
    without = compound({"Workbook": b"x"})
    assert oldoffice._with_objects(made.getvalue(), without, "xls") == made.getvalue()
