"""Mailboxes of Outlook: each message becomes the same mail every time, and damage costs no other message."""

import io
import os
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import mail, mapi, pst, pstheap, pstitems, pstnodes
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from tests.support.compound_files import number, text


def real() -> Path:
    pytest.importorskip("pypff", reason="libpff-python is not installed: pip install 'tallystick[pst]'")
    folder = os.environ.get("TALLYSTICK_DATA")
    path = Path(folder or "", "intake", "testPST.pst")
    if not folder or not path.exists():
        pytest.skip("testPST.pst is not there: set TALLYSTICK_DATA to the folder that holds intake/testPST.pst")
    return path


# A mailbox as the library shows it, without the library


def entry(number_: int, value: tuple[int, bytes], named: int | None = None) -> SimpleNamespace:
    name = None if named is None else SimpleNamespace(number=named)
    return SimpleNamespace(entry_type=number_, value_type=value[0], data=value[1], name_to_id_map_entry=name)


def record(values: mapi.Values) -> SimpleNamespace:
    return SimpleNamespace(entries=[entry(key, value) for key, value in values.items()])


class Broken:
    """An item of which everything fails, as the library fails."""

    def __getattr__(self, name: str) -> Any:
        raise OSError(f"{name}: damaged")


class Attachment:
    def __init__(self, values: mapi.Values, content: bytes) -> None:
        self.record_sets = [record(values)]
        self.content = content

    def get_size(self) -> int:
        return len(self.content)

    def read_buffer(self, size: int) -> bytes:
        return self.content[:size]


class Message:
    def __init__(self, values: mapi.Values, attachments: tuple[Any, ...] = (), people: tuple[mapi.Values, ...] = ()):
        self.record_sets = [record(values)]
        self.attachments = attachments
        self.number_of_attachments = len(attachments)
        self.recipients = SimpleNamespace(record_sets=[record(each) for each in people])

    def get_attachment(self, place: int) -> Any:
        if isinstance(self.attachments[place], Exception):
            raise self.attachments[place]
        return self.attachments[place]


class Folder:
    def __init__(self, name: str, messages: tuple[Any, ...] = (), folders: tuple[Any, ...] = ()) -> None:
        self.name, self.messages, self.folders = name, messages, folders
        self.number_of_sub_messages, self.number_of_sub_folders = len(messages), len(folders)

    def get_sub_message(self, place: int) -> Any:
        return self.messages[place]

    def get_sub_folder(self, place: int) -> Any:
        return self.folders[place]


def opened(monkeypatch: pytest.MonkeyPatch, root: Any, orphans: tuple[Any, ...] = ()) -> list[tuple[str, File]]:
    """What is read of a mailbox with this root."""
    mailbox = SimpleNamespace(
        open_file_object=lambda _: None,
        get_root_folder=lambda: root,
        number_of_orphan_items=len(orphans),
        get_orphan_item=lambda place: orphans[place],
        close=lambda: None,
    )
    monkeypatch.setattr(pstitems, "pypff", SimpleNamespace(file=lambda: mailbox, get_version=lambda: "1"))
    return list(pst.messages(io.BytesIO()))


SIMPLE = {mapi.SUBJECT: text("\x01\x05FW: plan"), mapi.BODY: text("words"), mapi.SENDER_NAME: text("Ann")}
BOB = {mapi.RECIPIENT_TYPE: number(1), mapi.DISPLAY_NAME: text("Bob"), mapi.SMTP_ADDRESS: text("bob@x.com")}
FILE = {mapi.ATTACH_METHOD: number(1), mapi.ATTACH_LONG_FILENAME: text("a.txt")}


def test_each_message_is_a_mail_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Folder("2024", (Message(SIMPLE, (Attachment(FILE, b"content"),), (BOB,)),))
    root = Folder("", folders=(Folder("Inbox", (Message({mapi.SUBJECT: text("first")}),), (inner,)), Folder("Sent")))
    (first_folder, first), (folder, file) = opened(monkeypatch, root)
    assert (first_folder, first.name) == ("Inbox", "first.eml")
    assert (folder, file.name, file.declared) == ("Inbox/2024", "FW: plan.eml", "message/rfc822")
    assert mail.EXTRACTOR.recognises(file)
    got = mail.extract(file)
    assert got.text == 'From: Ann\nTo: "Bob" <bob@x.com>\nSubject: FW: plan\n\nwords'
    assert [(child.name, child.content) for child in got.children] == [("a.txt", b"content")]


def test_orphans_are_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ((folder, file),) = opened(monkeypatch, Folder(""), (Message(SIMPLE),))
    assert (folder, file.name) == ("(orphans)", "FW: plan.eml")


def test_a_damaged_message_says_so_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Folder("", (Broken(), Message(SIMPLE)), (Broken(),))
    (_, broken), (_, whole) = opened(monkeypatch, root)
    assert mail.extract(broken).notes == (
        (Cause.UNREAD_PART, "the message is damaged, and nothing of it could be read"),
    )
    assert "words" in mail.extract(whole).text


@pytest.mark.parametrize(
    ("attachment", "told"),
    [
        (OSError("no such block"), "attachment 1: no such block"),
        (Attachment(FILE | {mapi.ATTACH_METHOD: number(2)}, b""), "attachment 1: only a reference to a.txt"),
    ],
)
def test_a_damaged_attachment_is_told_and_costs_no_other(
    attachment: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = Message(SIMPLE, (attachment, Attachment(FILE, b"x")))
    ((_, file),) = opened(monkeypatch, Folder("", (message,)))
    got = mail.extract(file)
    assert [child.content for child in got.children] == [b"x"]
    assert got.notes == ((Cause.UNREAD_PART, told),)


def test_folders_that_hold_themselves_end(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Folder("loop", (Message(SIMPLE),))
    root.folders, root.number_of_sub_folders = (root,), 1
    assert len(opened(monkeypatch, root)) == pst.MAX_DEPTH + 1


def test_without_the_library_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pstitems, "pypff", None)
    with pytest.raises(Unextractable, match=r"pip install 'tallystick\[pst\]'") as raised:
        list(pst.messages(io.BytesIO()))
    assert raised.value.cause == Cause.NEEDS_TOOL


# Messages in messages


def nested(monkeypatch: pytest.MonkeyPatch, attachments: int) -> File:
    """A message whose attachments lead to the message itself."""
    values = {
        mapi.ATTACH_METHOD: number(5),
        mapi.DISPLAY_NAME: text("inner"),
        mapi.ATTACH_DATA: (mapi.OBJECT, bytes(8)),
    }
    one = Attachment(values, b"")
    one.get_identifier = lambda: 1  # type: ignore[attr-defined]
    message = Message(SIMPLE, (one,) * attachments)
    message.get_identifier = lambda: 1  # type: ignore[attr-defined]
    monkeypatch.setattr(pstnodes, "inside", lambda view, *_: view)
    ((_, file),) = opened(monkeypatch, Folder("", (message,)))
    return file


def test_messages_that_hold_themselves_end_at_a_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    file = nested(monkeypatch, 1)
    for _ in range(pstitems.MAX_NESTED):
        got = mail.extract(file)
        assert not got.notes
        (file,) = got.children
    assert mail.extract(file).notes == ((Cause.UNREAD_PART, "the attached message inner.eml is read only in part"),)


def test_messages_that_hold_themselves_many_times_are_not_opened_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pstitems, "MAX_INNER", 50)
    assert nested(monkeypatch, 3).content.count(b"\n") < 100_000


@pytest.mark.parametrize("place", [0, 5, 10, 14, 20, 30])
def test_a_view_of_a_file_reads_as_the_file_with_its_pages_replaced(place: int) -> None:
    view = pstnodes.View(io.BytesIO(bytes(range(30))), {10: b"new page"})
    expected = bytes(range(10)) + b"new page" + bytes(range(18, 30))
    assert view.seek(place) == place
    assert view.read(7) == expected[place : place + 7]
    assert view.tell() == min(place + 7, 30)
    assert view.read() == expected[place + 7 :]
    assert view.seek(-3, io.SEEK_END) == 27
    assert view.seek(-20, io.SEEK_CUR) == 7
    assert view.read(5) == expected[7:12]


@pytest.mark.parametrize("raw", [b"", b"!BDN", b"!BDN" + bytes(600), b"!BDN" + bytes(6) + b"\x17\0" + bytes(9000)])
def test_without_a_way_to_an_inner_message_that_is_said(raw: bytes) -> None:
    with pytest.raises(pstnodes.NoWay):
        pstnodes.inside(pstnodes.View(io.BytesIO(raw)), 1, 2, 3)


# Messages in messages, of which the library gives only the heap


def heap(values: mapi.Values) -> bytes:
    """A heap with a tree of properties, in one block."""
    items: list[bytes] = []

    def kept(raw: bytes) -> int:
        items.append(raw)
        return len(items) << 5

    root = kept(b"")
    records = b""
    for key, (kind, raw) in sorted(values.items()):
        records += struct.pack("<HH", key, kind) + (
            raw[:4] if kind == mapi.INTEGER_32 else struct.pack("<I", kept(raw))
        )
    items[0] = struct.pack("<BBBBI", 0xB5, 2, 6, 0, kept(records))
    out = bytearray(12)
    places = [len(out)]
    for raw in items:
        out += raw
        places.append(len(out))
    listed = len(out)
    out += struct.pack("<HH", len(items), 0) + struct.pack(f"<{len(places)}H", *places)
    out[:12] = struct.pack("<HBBI4x", listed, 0xEC, 0xBC, root)
    return bytes(out)


def test_a_message_in_a_message_is_read_as_far_as_it_can_be_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    attached = {mapi.ATTACH_METHOD: number(5), mapi.DISPLAY_NAME: text("inner")}
    message = Message(
        SIMPLE, (Attachment(attached, heap({mapi.SUBJECT: text("deep"), mapi.BODY: text("deep words")})),)
    )
    ((_, file),) = opened(monkeypatch, Folder("", (message,)))
    got = mail.extract(file)
    assert got.notes == ((Cause.UNREAD_PART, "the attached message inner.eml is read only in part"),)
    (child,) = got.children
    inner = mail.extract(child)
    assert inner.text == "Subject: deep\n\ndeep words"
    assert inner.notes[0][0] == Cause.UNREAD_PART


@settings(deadline=None)
@given(st.binary(max_size=200), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 255)), max_size=10))
def test_any_heap_is_read_as_far_as_it_can_be(raw: bytes, changes: list[tuple[int, int]]) -> None:
    changed = bytearray(heap({mapi.SUBJECT: text("deep"), mapi.RECIPIENT_TYPE: number(1)}))
    for place, value in changes:
        changed[place % len(changed)] = value
    for each in (raw, b"\0\0\xec\xbc" + raw, bytes(changed)):
        pstheap.properties(each)


# A real one


def test_a_real_mailbox_gives_its_messages_the_same_every_time() -> None:
    path = real()
    found = list(pst.messages(path))
    assert len(found) == 7
    assert {folder for folder, _ in found} == {"D\u00e9but du fichier de donn\u00e9es Outlook"}
    with path.open("rb") as stream:
        assert list(pst.messages(stream)) == found
    texts = [mail.extract(file).text for _, file in found]
    (inner,) = mail.extract(found[6][1]).children
    assert [(child.name, len(child.content)) for child in mail.extract(inner).children] == [("attachment.docx", 11862)]
    assert not any(mail.extract(file).notes for file in (inner, *(file for _, file in found)))
    assert texts[0].startswith("From: J\u00f6rn Kottmann <kottmann@gmail.com>\nTo: <users@opennlp.apache.org>\n")
    assert pst.tool().startswith("libpff ")


def test_the_messages_are_members_of_a_container() -> None:
    with real().open("rb") as stream:
        assert pst.CONTAINER.starts(stream.read(512))
        stream.seek(0)
        members = pst.CONTAINER.members(stream, "a.pst", Limits())
        assert members is not None
        paths = [(member.path, b"".join(member.pieces)[:9]) for member in members]
    assert paths[0][0] == "D\u00e9but du fichier de donn\u00e9es Outlook/message 1.eml"
    assert len({path for path, _ in paths}) == 7
    assert all(start for _, start in paths)


@pytest.mark.parametrize("raw", [b"", b"!BDN", b"!BDN" + bytes(600), b"words" * 200])
def test_what_is_no_mailbox_is_damaged(raw: bytes) -> None:
    pytest.importorskip("pypff", reason="libpff-python is not installed: pip install 'tallystick[pst]'")
    with pytest.raises(Unextractable) as raised:
        list(pst.messages(io.BytesIO(raw)))
    assert raised.value.cause == Cause.DAMAGED


@settings(deadline=None, max_examples=30, derandomize=True)  # a reader in C might crash: then always, or never
@given(st.lists(st.tuples(st.integers(0, 270_000), st.integers(0, 255)), min_size=1, max_size=30))
def test_a_damaged_mailbox_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    raw = bytearray(real().read_bytes())
    for place, value in changes:
        raw[place % len(raw)] = value
    try:
        for _, file in pst.messages(io.BytesIO(bytes(raw))):
            mail.extract(file).text.encode()
    except Unextractable as error:
        assert error.cause == Cause.DAMAGED
