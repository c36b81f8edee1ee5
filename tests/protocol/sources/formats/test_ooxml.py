"""Packages of office files: how they are recognised, what is refused, and that nothing hostile gets through."""

import io
import struct
import time
import zipfile

import olefile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import docx as docx_format
from protocol.sources.formats import ooxml
from protocol.sources.formats import pptx as pptx_format
from protocol.sources.formats import xlsx as xlsx_format
from protocol.sources.formats.ole import MAGIC, read_native, unwrapped
from protocol.sources.parts import Extractor, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.officefiles import (
    BOMB,
    cells,
    docx,
    element,
    package,
    paragraph,
    pptx,
    read,
    real_files,
    relationships,
    shape,
    slide,
    xlsx,
)

DOCX, XLSX, PPTX = docx_format.EXTRACTOR, xlsx_format.EXTRACTOR, pptx_format.EXTRACTOR
ALL = (DOCX, XLSX, PPTX)
SMALL = {
    DOCX.name: docx(paragraph("word") + '<w:p><w:del w:author="A"><w:r><w:delText>x</w:delText></w:r></w:del></w:p>'),
    XLSX.name: xlsx(cells("<x:c><x:v>1</x:v></x:c>")),
    PPTX.name: pptx([slide(shape("slide"))]),
}


def recognised(content: bytes, name: str = "file") -> list[str]:
    return [each.name for each in ALL if each.recognises(File(name=name, content=content))]


def refusal(extractor: Extractor, content: bytes, name: str = "file") -> Unextractable:
    with pytest.raises(Unextractable) as refused:
        read(extractor, content, name)
    return refused.value


# What is recognised


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("name", ["file", "wrong.docx", "wrong.xlsx", "wrong.pdf"])
def test_a_file_is_recognised_by_what_is_in_it_whatever_its_name(kind: str, name: str) -> None:
    assert recognised(SMALL[kind], name) == [kind]


@pytest.mark.parametrize(
    "parts",
    [
        {"_rels/.rels": relationships({"rId1": ("officeDocument", "/nowhere.xml")})},
        {"_rels/.rels": "<broken"},
        {"[Content_Types].xml": "<nonsense/>"},
    ],
)
def test_a_file_without_its_relationships_or_content_types_is_recognised_by_its_usual_parts(
    parts: dict[str, str | bytes],
) -> None:
    content = docx(paragraph("a"), parts=parts)
    assert recognised(content) == [DOCX.name]
    assert read(DOCX, content).text == "a"


def test_the_main_part_may_have_any_name() -> None:
    main = element("w:document", paragraph("elsewhere"))
    assert read(DOCX, package("/odd/place.xml", {"odd/place.xml": main})).text == "elsewhere"


def test_names_with_backslashes_and_capitals_are_the_same_parts() -> None:
    content = package("word/document.xml", {"WORD\\Document.xml": element("w:document", paragraph("a"))})
    assert read(DOCX, content).text == "a"


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\x03\x04", b"text", MAGIC, MAGIC + bytes(600), package("x", {"a": "b"})]
)
def test_other_files_are_not_recognised(content: bytes) -> None:
    assert recognised(content) == []


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_that_was_cut_is_damaged_and_the_detail_says_what_to_do(kind: str) -> None:
    content = SMALL[kind][:-30]
    assert recognised(content, f"a.{kind}") == [kind]
    extractor = next(each for each in ALL if each.name == kind)
    refused = refusal(extractor, content, f"a.{kind}")
    assert refused.cause == Cause.DAMAGED
    assert "ask for a whole copy" in refused.detail


# Passwords


def test_a_part_that_the_zip_encrypts_needs_a_password() -> None:
    content = bytearray(docx(paragraph("a")))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := content.find(signature, start)) >= 0:
            content[start + place] |= 1
            start += 1
    refused = refusal(DOCX, bytes(content), "a.docx")
    assert refused.cause == Cause.ENCRYPTED


def test_a_real_file_with_a_password_is_told_with_what_to_do() -> None:
    path = next(path for path in real_files(".docx") if path.name == "protected_normal_case.docx")
    content = path.read_bytes()
    assert recognised(content, "a.docx") == [DOCX.name]
    assert recognised(content, "a.xlsx") == [XLSX.name]
    assert recognised(content, "unknown") == [DOCX.name]
    refused = refusal(DOCX, content)
    assert refused.cause == Cause.ENCRYPTED
    assert refused.detail == "it is protected by a password; ask its owner for the password or an open copy"


# Bombs


def test_entities_are_refused_and_never_grow() -> None:
    for kind, main, root in (
        (DOCX, "word/document.xml", "w:document"),
        (XLSX, "xl/workbook.xml", "x:workbook"),
        (PPTX, "ppt/presentation.xml", "p:presentation"),
    ):
        bomb = BOMB + element(root, "&c;").partition("?>")[2]
        refused = refusal(kind, package(main, {main: bomb}))
        assert refused.cause == Cause.DAMAGED
        assert "DOCTYPE" in refused.detail


def test_an_entity_that_names_a_file_is_refused() -> None:
    named = '<!DOCTYPE z [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + element("w:document", "&a;").partition("?>")[2]
    assert "DOCTYPE" in refusal(DOCX, package("word/document.xml", {"word/document.xml": named})).detail


def test_a_document_type_in_another_part_is_noted_and_that_part_is_left_out() -> None:
    parts: dict[str, str | bytes] = {"word/footnotes.xml": BOMB + "<w:footnotes>&c;</w:footnotes>"}
    found = read(DOCX, docx(paragraph("a"), {"rId1": ("footnotes", "footnotes.xml")}, parts))
    assert found.text == "a"
    assert "DOCTYPE" in found.notes[0][1]


def test_a_part_of_zeros_is_too_large() -> None:
    zeros = b"<w:document>" + b" " * (32 * 2**20)
    refused = refusal(DOCX, package("word/document.xml", {"word/document.xml": zeros}), "a.docx")
    assert refused.cause == Cause.TOO_LARGE
    assert "may be a bomb" in refused.detail


def test_an_embedded_file_of_zeros_is_too_large() -> None:
    refused = refusal(DOCX, docx(paragraph("a"), parts={"word/embeddings/a.bin": bytes(32 * 2**20)}))
    assert refused.cause == Cause.TOO_LARGE


def test_too_many_parts_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "MAX_MEMBERS", 5)
    refused = refusal(DOCX, docx(paragraph("a"), parts={f"word/{n}.xml": "" for n in range(5)}), "a.docx")
    assert refused.cause == Cause.TOO_LARGE


def test_parts_that_are_too_large_together_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "MAX_READ", 100_000)
    parts: dict[str, str | bytes] = {f"word/embeddings/{n}.bin": bytes(30_000) for n in range(5)}
    assert refusal(DOCX, docx(paragraph("a"), parts=parts)).cause == Cause.TOO_LARGE


def test_a_size_that_the_zip_understates_does_not_let_more_through() -> None:
    content = docx(paragraph("a" * 5000))
    size = struct.pack("<I", zipfile.ZipFile(io.BytesIO(content)).getinfo("word/document.xml").file_size)
    assert refusal(DOCX, content.replace(size, struct.pack("<I", 400)), "a.docx").cause == Cause.DAMAGED


def test_elements_nested_too_deeply_are_refused() -> None:
    deep = "<w:p>" * 500 + "</w:p>" * 500
    assert "inside each other" in refusal(DOCX, docx(deep)).detail


def test_two_parts_of_the_same_name_are_noted() -> None:
    written = io.BytesIO(docx(paragraph("first")))
    with zipfile.ZipFile(written, "a") as zipped:
        zipped.writestr("WORD/document.xml", element("w:document", paragraph("second")))
    found = read(DOCX, written.getvalue())
    assert found.text == "second"
    assert "same name" in found.notes[0][1]


def test_a_part_without_a_name_is_passed_over() -> None:
    written = io.BytesIO(SMALL["docx"])
    with zipfile.ZipFile(written, "a") as zipped:
        zipped.writestr(zipfile.ZipInfo(""), b"x")
    assert recognised(written.getvalue()) == recognised(SMALL["docx"])


def test_a_part_packed_in_an_unusual_way_is_refused() -> None:
    content = package("word/document.xml", {"word/document.xml": element("w:document")}, zipfile.ZIP_LZMA)
    assert refusal(DOCX, content, "a.docx").cause == Cause.DAMAGED


@pytest.mark.parametrize(
    "body",
    [
        "<w:p/>" * 60_000,
        f"<w:p>{'<w:ins><w:del>' * 150}{'</w:del></w:ins>' * 150}</w:p>" * 200,
        f"<w:p><w:r><w:t>{'x' * 8_000_000}</w:t></w:r></w:p>",
        f'<w:p w:x="{"y" * 8_000_000}"/>',
        "<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>a</w:t></w:r></w:p></mc:Choice></mc:AlternateContent>" * 10_000,
        '<w:p><w:r><wp:docPr descr="d"/></w:r></w:p>' * 10_000,
        f"<!--{'-x' * 4_000_000}-->",
    ],
    ids=["paragraphs", "nested marks", "long text", "long attribute", "choices", "labels", "comment"],
)
def test_large_files_are_read_in_time_that_grows_with_their_size(body: str) -> None:
    content = package(
        "word/document.xml",
        {"word/document.xml": element("w:document", body)},
        zipfile.ZIP_STORED,
    )
    started = time.process_time()
    read(DOCX, content)
    assert time.process_time() - started < 20


# Objects


def native(content: bytes, name: bytes = b"C:\\a\\note.txt") -> bytes:
    body = b"\x02\x00" + name + b"\0" + name + b"\0" + struct.pack("<HHI", 0, 3, 2) + b"p\0"
    body += struct.pack("<I", len(content)) + content
    return struct.pack("<I", len(body)) + body


def test_a_packaged_file_comes_out_with_the_name_it_had() -> None:
    found = read_native(native(b"hello"), "object.bin")
    assert found == File(name="note.txt", content=b"hello")


@given(st.binary(max_size=60))
def test_any_native_stream_gives_a_file_or_nothing(stream: bytes) -> None:
    read_native(stream, "object.bin")


@given(st.binary(max_size=200))
def test_any_object_gives_a_file(content: bytes) -> None:
    file = File(name="object.bin", content=MAGIC + content)
    assert unwrapped(file).content


def test_objects_in_real_files_are_unwrapped() -> None:
    path = next(path for path in real_files(".docx") if path.name == "2exe.docx")
    children = read(DOCX, path.read_bytes()).children
    assert [(child.name, child.content[:2]) for child in children] == [("GMapTool.exe", b"MZ"), ("Setup.exe", b"MZ")]
    assert not any(olefile.isOleFile(io.BytesIO(child.content)) for child in children)


# Anything


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(SMALL)), st.data())
def test_a_file_with_changed_bytes_is_read_or_refused(kind: str, data: st.DataObject) -> None:
    content = bytearray(SMALL[kind])
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 60))
    _anything(bytes(content[: len(content) - cut]), f"a.{kind}")


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(SMALL)), st.data())
def test_a_package_with_changed_xml_is_read_or_refused(kind: str, data: st.DataObject) -> None:
    with zipfile.ZipFile(io.BytesIO(SMALL[kind])) as zipped:
        parts = {name: zipped.read(name) for name in zipped.namelist()}
    name = data.draw(st.sampled_from(sorted(parts)))
    start = data.draw(st.integers(0, len(parts[name])))
    end = data.draw(st.integers(start, min(start + 40, len(parts[name]))))
    new = data.draw(
        st.binary(max_size=20) | st.sampled_from([b"<w:p>", b"</w:p>", b"<mc:Choice>", b"&#0;", b"<x:si/>"])
    )
    changed: dict[str, str | bytes] = {**parts, name: parts[name][:start] + new + parts[name][end:]}
    _anything(package("word/document.xml", changed), f"a.{kind}")


TAGS = st.sampled_from(
    [
        "w:p",
        "w:r",
        "w:t",
        "w:tc",
        "w:tr",
        "w:ins",
        "w:del",
        "w:hyperlink",
        "w:fldChar",
        "w:instrText",
        "w:txbxContent",
        "w:ddList",
        "w:listEntry",
        "w:result",
        "w:comment",
        "w:footnote",
        "w:altChunk",
        "w:sym",
        "mc:AlternateContent",
        "mc:Choice",
        "mc:Fallback",
        "w:pPr",
        "w:numPr",
        "w:numId",
        "w:rt",
        "a:t",
        "a:p",
        "a:tc",
        "p:sp",
        "p:ph",
        "a:fld",
        "x:c",
        "x:v",
        "x:f",
        "x:is",
        "x:t",
        "x:row",
        "x:oddHeader",
        "c:v",
        "c:strCache",
        "p:cm",
        "p188:reply",
    ]
)
TREES = st.recursive(
    st.builds("<{} w:id='1' w:val='1' w:char='D800' r:id='rId1' t='s' type='slidenum'/>".format, TAGS)
    | st.text("ab \n", max_size=4),
    lambda inner: st.builds(lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", TAGS, st.lists(inner, max_size=4)),
    max_leaves=20,
)


@settings(deadline=None, max_examples=100)
@given(TREES)
def test_any_tree_of_known_elements_is_read(inner: str) -> None:
    read(DOCX, docx(inner))
    read(XLSX, xlsx(inner))
    read(PPTX, pptx([slide(inner)]))


def _anything(content: bytes, name: str) -> None:
    file = File(name=name, content=content)
    for each in ALL:
        each.recognises(file)
        try:
            each.extract(file).text.encode()
        except Unextractable as refused:
            assert refused.detail
