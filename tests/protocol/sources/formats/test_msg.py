"""Messages of Outlook: the same mail as any other, whichever of its properties are there."""

import os
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import mail, mapi
from protocol.sources.formats.msg import EXTRACTOR, MAX_DEPTH, extract
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.compound_files import (
    Tree,
    attached_file,
    attached_message,
    compound,
    message,
    number,
    storage,
    text,
)

MOMENT = (mapi.TIME, struct.pack("<Q", 132_510_000_000_000_000))
SIMPLE = {
    mapi.SUBJECT: text("the contract"),
    mapi.SENT_REPRESENTING_NAME: text("Smith, Ann"),
    mapi.SENT_REPRESENTING_ADDRESS: text("ann@x.com"),
    mapi.CLIENT_SUBMIT_TIME: MOMENT,
    mapi.MESSAGE_ID: text("<1@x.com>"),
    mapi.BODY: text("some\r\nwords"),
}
BOB = {mapi.RECIPIENT_TYPE: number(1), mapi.DISPLAY_NAME: text("Bob"), mapi.SMTP_ADDRESS: text("bob@x.com")}
CAROL = {mapi.RECIPIENT_TYPE: number(2), mapi.EMAIL_ADDRESS: text("carol@x.com")}
DAVE = {mapi.RECIPIENT_TYPE: number(3), mapi.DISPLAY_NAME: text("Dave")}


def read(tree: Tree) -> Extracted:
    file = File(name="a.msg", content=compound(tree))
    assert EXTRACTOR.recognises(file)
    return extract(file)


def test_the_properties_become_the_headers_and_the_text_of_a_mail() -> None:
    got = read(message(SIMPLE, recipients=(BOB, CAROL, DAVE)))
    assert got.kind == "msg"
    assert got.text == (
        'From: "Smith, Ann" <ann@x.com>\nTo: "Bob" <bob@x.com>\nCc: <carol@x.com>\nBcc: Dave\n'
        "Date: Sat, 28 Nov 2020 01:20:00 +0000\nSubject: the contract\n\nsome\nwords"
    )
    assert got.fields["date"] == "2020-11-28T01:20:00+00:00"
    assert got.fields["message_id"] == "<1@x.com>"
    assert not got.notes


def test_headers_that_outlook_kept_come_before_those_from_properties() -> None:
    kept = "Received: x\r\n\ty\r\nFrom: =?utf-8?q?=C3=84nn?= <a@y>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    got = read(message(SIMPLE | {mapi.TRANSPORT_HEADERS: text(kept)}))
    assert got.fields["from"] == "\u00c4nn <a@y>"
    assert got.fields["subject"] == "the contract"
    assert got.text.endswith("some\nwords")


def test_of_plain_text_and_html_the_html_is_left_out_if_it_says_the_same() -> None:
    html = (mapi.BINARY, b"<p>some words</p>")
    assert read(message(SIMPLE | {mapi.HTML: html})).text.endswith("\n\nsome\nwords")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {mapi.HTML: (mapi.BINARY, "<p>W\u00f6rter</p>".encode()), mapi.INTERNET_CODE_PAGE: number(65001)},
            "W\u00f6rter",
        ),
        (
            {mapi.BODY: (mapi.STRING_8, "\u4e2d\u6587".encode("big5")), mapi.INTERNET_CODE_PAGE: number(950)},
            "\u4e2d\u6587",
        ),
        ({mapi.BODY: (mapi.STRING_8, b"caf\xe9")}, "caf\u00e9"),
        ({mapi.BODY: (mapi.STRING_8, b"caf\xe9"), mapi.INTERNET_CODE_PAGE: number(4_000_000_000)}, "caf\u00e9"),
        (
            {mapi.RTF_COMPRESSED: (mapi.BINARY, struct.pack("<4I", 99, 99, 0x414C454D, 0) + b"{\\rtf1 stored}")},
            "stored",
        ),
        ({mapi.BODY: text("odd\ud800")}, "odd\ufffd"),
        ({mapi.BODY: (mapi.STRING, b"a\0b")}, "a"),
    ],
)
def test_a_body_is_read_in_whichever_form_it_is_there(values: mapi.Values, words: str) -> None:
    assert read(message({mapi.SUBJECT: text("s"), **values})).text == f"Subject: s\n\n{words}"


def test_a_contact_says_what_outlook_shows_of_it() -> None:
    got = read(message({mapi.MESSAGE_CLASS: text("IPM.Contact"), 0x3001: text("Dr Fox"), 0x3A16: text("Fence Co")}))
    assert "Name: Dr Fox\nCompany: Fence Co\n" in got.text


def test_an_appointment_says_when_and_where_it_is() -> None:
    listed = struct.pack("<IHH", 0x820D, 0, 0) + struct.pack("<IHH", 0x8208, 0, 1) + struct.pack("<IHH", 9, 1, 2)
    values = {mapi.MESSAGE_CLASS: text("IPM.Appointment"), 0x8000: MOMENT, 0x8001: text("cellar"), 0x8002: text("no")}
    got = read({**message(values), "__nameid_version1.0": {"__substg1.0_00030102": listed}})
    assert got.text.strip() == "Location: cellar\nStart: 2020-11-28T01:20:00+00:00"


@pytest.mark.parametrize("ticks", [0, 2**64 - 1])
def test_a_time_that_no_calendar_has_is_no_date(ticks: int) -> None:
    assert "date" not in read(message({mapi.CLIENT_SUBMIT_TIME: (mapi.TIME, struct.pack("<Q", ticks))})).fields


def test_files_are_attachments_with_their_bytes() -> None:
    large = bytes(range(256)) * 20
    got = read(message(SIMPLE, attachments=(attached_file("\u00e4 b.pdf", large), attached_file("c", b""))))
    assert [(child.name, child.content) for child in got.children] == [("\u00e4 b.pdf", large), ("c", b"")]


def test_a_message_in_a_message_is_a_mail_with_its_own_attachments() -> None:
    inner = message(SIMPLE, recipients=(BOB,), attachments=(attached_file("deep.txt", b"deep"),), header=24)
    (child,) = read(message({mapi.SUBJECT: text("outer")}, attachments=(attached_message("FW", inner),))).children
    assert (child.name, child.declared) == ("FW.eml", "message/rfc822")
    assert mail.EXTRACTOR.recognises(child)
    got = mail.extract(child)
    assert got.fields["subject"] == "the contract"
    assert got.fields["to"] == '"Bob" <bob@x.com>'
    assert [(each.name, each.content) for each in got.children] == [("deep.txt", b"deep")]


def test_a_picture_that_the_html_shows_is_no_attachment() -> None:
    shown = attached_file("logo.png", b"x", **{"370e": text("image/png"), "3712": text("1@2")})
    got = read(message({mapi.HTML: (mapi.BINARY, b'<p>a<img src="cid:1@2">')}, attachments=(shown,)))
    assert not got.children
    assert got.notes == ((Cause.UNREAD_PART, "pictures in the text that are not read: 1"),)


def test_a_picture_that_the_rtf_shows_is_no_attachment() -> None:
    shown = attached_file("logo.png", b"x", **{"370e": text("image/png"), "3712": text("1@2")})
    other = attached_file("plan.png", b"x", **{"370e": text("image/png"), "3712": text("3@4")})
    rtf = b'{\\rtf1\\fromhtml1 {\\*\\htmltag84 <img src="cid:1@2">}words}'
    packed = struct.pack("<4I", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf
    values = {mapi.BODY: text("words"), mapi.RTF_COMPRESSED: (mapi.BINARY, packed)}
    got = read(message(values, attachments=(shown, other)))
    assert [child.name for child in got.children] == ["plan.png"]
    assert got.notes == ((Cause.UNREAD_PART, "pictures in the text that are not read: 1"),)


def test_the_same_message_gives_the_same_bytes() -> None:
    tree = message(SIMPLE, recipients=(BOB,), attachments=(attached_message("m", message(SIMPLE, header=24)),))
    assert read(tree) == read(tree)


# What is damaged


def test_an_attachment_that_is_only_a_reference_is_told() -> None:
    values = {mapi.ATTACH_METHOD: number(2), mapi.ATTACH_LONG_FILENAME: text("far.doc")}
    got = read(message(SIMPLE, attachments=(storage(values, 8), attached_file("near.doc", b"x"))))
    assert [child.name for child in got.children] == ["near.doc"]
    assert got.notes == ((Cause.UNREAD_PART, "attachment 1: only a reference to far.doc"),)


def test_a_file_in_an_object_of_ole_comes_out_as_it_is() -> None:
    values = {mapi.ATTACH_METHOD: number(6), mapi.DISPLAY_NAME: text("Picture")}
    inner: Tree = {**storage(values, 8), f"__substg1.0_{mapi.ATTACH_DATA:04X}000D": {"CONTENTS": b"%PDF-1.7 x"}}
    (child,) = read(message(SIMPLE, attachments=(inner,))).children
    assert child.content == b"%PDF-1.7 x"
    assert child.name.endswith(".pdf")


def test_a_damaged_attachment_costs_no_other() -> None:
    empty_object: Tree = {**storage({}, 8), f"__substg1.0_{mapi.ATTACH_DATA:04X}000D": {}}
    got = read(message(SIMPLE, attachments=(empty_object, attached_file("a", b"x"))))
    assert [child.name for child in got.children] == ["a"]
    assert got.notes == ((Cause.UNREAD_PART, "attachment 1: an embedded object without content"),)


def test_messages_in_messages_are_opened_to_a_depth_and_then_told() -> None:
    tree = message(SIMPLE, header=24)
    for level in range(MAX_DEPTH + 3):
        tree = message(SIMPLE, attachments=(attached_message(f"level {level}", tree),), header=24)
    child = File(name="a", content=b"")
    got = read(message(SIMPLE, attachments=(attached_message("top", tree),)))
    for _ in range(MAX_DEPTH):
        (child,) = got.children
        got = mail.extract(child)
    assert got.notes == ((Cause.UNREAD_PART, "attachment 1: messages nested too deeply"),)


def test_a_hostile_header_cannot_pass_for_one_of_ours() -> None:
    kept = "X-Tallystick-Unread: nothing\r\nContent-Transfer-Encoding: base64\r\n"
    got = read(message(SIMPLE | {mapi.TRANSPORT_HEADERS: text(kept)}))
    assert not got.notes
    assert got.text.endswith("some\nwords")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        compound({}),
        compound({"WordDocument": b"x"}),
        compound({"__properties_version1.0": b""}),
        compound(message(SIMPLE))[:1500],
    ],
)
def test_what_is_no_message_is_damaged(content: bytes) -> None:
    with pytest.raises(Unextractable) as raised:
        extract(File(name="a.msg", content=content))
    assert raised.value.cause == Cause.DAMAGED


@pytest.mark.parametrize("tree", [{}, {"WordDocument": b"x"}, {"inner": message(SIMPLE)}])
def test_another_compound_file_is_not_recognised(tree: Tree) -> None:
    assert not EXTRACTOR.recognises(File(name="a.msg", content=compound(tree)))


WHOLE = compound(
    message(
        SIMPLE,
        recipients=(BOB,),
        attachments=(attached_file("a", b"x" * 5000), attached_message("m", message(SIMPLE, header=24))),
    )
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=20), st.integers(0, 6000))
def test_a_damaged_message_is_read_or_refused(changes: list[tuple[int, int]], cut: int) -> None:
    raw = bytearray(WHOLE)
    for place, value in changes:
        raw[place] = value
    raw = raw[: len(raw) - cut] if cut < 3000 else raw
    file = File(name="a.msg", content=bytes(raw))
    EXTRACTOR.recognises(file)
    try:
        got = extract(file)
    except Unextractable:
        return
    got.text.encode()


# Real ones


def real(name: str) -> File:
    folder = os.environ.get("TALLYSTICK_DATA")
    path = Path(folder or "", "intake", name)
    if not folder or not path.exists():
        pytest.skip(f"{name} is not there: set TALLYSTICK_DATA to the folder that holds intake/{name}")
    return File(name=name, content=path.read_bytes())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "testMSG.msg",
            ["Jukka Zitting <jukka.zitting@gmail.com>", "MIME registry use cases", "modular and extensible"],
        ),
        ("testMSG_chinese.msg", ["\u5f35\u6bd3\u502b", "\u4e2d\u6587\u6e2c\u8a66"]),
        ("testMSG_Contact.msg", ["E-mail: quickbrown@gmail.com", "Company: Fence Co", "jump over a lazy dog"]),
        ("testMSG_forwarded.msg", ["Subject: FW: Testing", "Original Body"]),
        ("testMSG_Post.msg", ["jump over the lazy brown dog"]),
        ("testMSG_StickyNote.msg", ["a note about the quick brown fox"]),
        ("test-outlook2003.msg", ["Thank you for using Microsoft\u00ae Office Outlook\u00ae 2003!"]),
    ],
)
def test_real_messages_say_what_they_say_in_outlook(name: str, words: list[str]) -> None:
    got = extract(real(name))
    assert all(word in got.text for word in words)
    assert not got.notes
