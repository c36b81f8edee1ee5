"""Folders and mbox files as sources: the exact bytes of every document, and a word on everything else."""

import gzip
import os
from io import BufferedReader
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import reading
from protocol.errors import BadSource
from protocol.sources import registry, source
from protocol.sources.formats import mbox
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import SourceDocument

Read = tuple[list[SourceDocument], list[Problem]]


def read(path: Path) -> Read:
    items = list(registry.find(path).read())
    return [i for i in items if isinstance(i, SourceDocument)], [i for i in items if isinstance(i, Problem)]


def read_folder(folder: Path, **files: bytes) -> Read:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return read(folder)


def causes(problems: list[Problem]) -> list[tuple[str, Cause]]:
    return [(problem.where, problem.cause) for problem in problems]


# Folders


def test_a_folder_gives_its_files_in_order_with_their_bytes_and_texts(tmp_path: Path) -> None:
    mail = b"Subject: hello\r\nX-Other: no\r\n\r\nbody\r\n"
    files = {"b_txt": b"plain\r\n", "a__z_TXT": "\ufeffGr\u00fc\u00dfe".encode(), "a__m_eml": mail, "a0_txt": b"last"}
    documents, problems = read_folder(tmp_path, **files)
    assert [document.name for document in documents] == ["a/m.eml", "a/z.TXT", "a0.txt", "b.txt"]
    assert [document.content for document in documents] == [mail, files["a__z_TXT"], b"last", b"plain\r\n"]
    assert [document.text for document in documents] == [
        "Subject: hello\n\nbody\n",
        "Gr\u00fc\u00dfe",
        "last",
        "plain\r\n",
    ]
    assert not problems


@pytest.mark.parametrize(
    ("raw", "text", "read_as"),
    [
        (b"touch\xe9 \x80", "touch\u00e9 \u20ac", "Windows-1252"),
        (b"touch\xe9 \x81", "touch\u00e9 \x81", "ISO 8859-1"),
        ("\ufefftouch\u00e9".encode("utf-16-le"), "touch\u00e9", "UTF-16"),
        ("\ufefftouch\u00e9".encode("utf-16-be"), "touch\u00e9", "UTF-16"),
        (b"\xff\xfea", "\ufffd", "UTF-16"),
    ],
)
def test_a_text_that_is_not_utf8_is_read_as_something_else_and_listed(
    tmp_path: Path, raw: bytes, text: str, read_as: str
) -> None:
    documents, problems = read_folder(tmp_path, a_txt=raw)
    assert [(document.content, document.text) for document in documents] == [(raw, text)]
    assert causes(problems) == [("a.txt", Cause.UNDECODABLE)]
    assert f"read as {read_as}" in problems[0].detail


def test_other_files_are_left_out_and_listed(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_txt=b"a", b_pdf=b"b", c=b"c", d_eml_bak=b"d")
    assert [document.name for document in documents] == ["a.txt"]
    assert causes(problems) == [(name, Cause.OTHER_FILE) for name in ("b.pdf", "c", "d.eml.bak")]
    assert all(problem.detail == "not .txt or .eml" for problem in problems)


def test_an_empty_file_is_kept_and_listed(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_txt=b"")
    assert documents == [SourceDocument(name="a.txt", content=b"", text="")]
    assert causes(problems) == [("a.txt", Cause.EMPTY_TEXT)]


def test_links_are_not_followed_out_of_the_folder_and_special_files_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/real.txt").write_text("real")
    for name, target in {
        "in.txt": "sub/real.txt",
        "out.txt": "../outside.txt",
        "absolute.txt": str(tmp_path / "outside.txt"),
        "nowhere.txt": "gone.txt",
        "loop.txt": "loop.txt",
        "up": "..",
        "again": "sub",
    }.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.txt")  # opening it would wait for ever
    documents, problems = read(folder)
    assert [(document.name, document.text) for document in documents] == [("in.txt", "real"), ("sub/real.txt", "real")]
    assert {problem.where: problem.detail for problem in problems} == {
        "absolute.txt": "a link to a place outside the folder",
        "again": "a link to a folder, which is not followed",
        "loop.txt": "a link to a file that does not exist",
        "nowhere.txt": "a link to a file that does not exist",
        "out.txt": "a link to a place outside the folder",
        "pipe.txt": "not a regular file",
        "up": "a link to a place outside the folder",
    }


def test_what_cannot_be_read_is_listed_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = reading.opened

    def refusing(path: Path) -> BufferedReader:
        if path.name == "b.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path)

    monkeypatch.setattr(reading, "opened", refusing)
    documents, problems = read_folder(tmp_path, a_txt=b"a", b_txt=b"b", c_txt=b"c")
    assert [document.name for document in documents] == ["a.txt", "c.txt"]
    assert causes(problems) == [("b.txt", Cause.UNREADABLE)]
    assert problems[0].detail == "Permission denied"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "listed").mkdir(mode=0o700)
    (tmp_path / "listed/b.txt").write_text("b")
    (tmp_path / "listed").chmod(0o400)
    try:
        _, problems = read_folder(tmp_path, a_txt=b"a")
        assert causes(problems) == [("closed", Cause.UNREADABLE), ("listed/b.txt", Cause.UNREADABLE)]
    finally:
        (tmp_path / "listed").chmod(0o700)


def test_file_names_that_are_not_utf8_get_unique_names_that_are(tmp_path: Path) -> None:
    for name, content in ((b"x\xfe.txt", b"one"), (b"x\xff.txt", b"two")):
        (tmp_path / os.fsdecode(name)).write_bytes(content)
    documents, problems = read(tmp_path)
    assert [(document.name, document.content) for document in documents] == [
        ("x\ufffd.txt", b"one"),
        ("x\ufffd.txt (2)", b"two"),
    ]
    assert [cause for _, cause in causes(problems)] == [Cause.UNDECODABLE, Cause.UNDECODABLE, Cause.REPEATED_ID]


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="holds no document$"):
        read(tmp_path)
    with pytest.raises(BadSource, match="first problem: a.pdf: other file: not .txt or .eml"):
        read_folder(tmp_path, a_pdf=b"")


def test_progress_counts_the_files(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("x")
    source = registry.find(tmp_path)
    told: list[int] = []
    assert len(list(source.read(told.append))) == source.total == 5
    assert told == [1, 2, 3, 4, 5]


# mbox


def read_mbox(folder: Path, raw: bytes, name: str = "mail.mbox") -> Read:
    (folder / name).write_bytes(raw)
    return read(folder / name)


FIRST = b"Message-ID: <1@x>\nSubject: one\n\nhello\nFrom here on, all in the first\n>From quoted\n\n\nend\n"
SECOND = b"Message-ID:\n <2@x>\r\nSubject: two\r\n\r\nworld\r\n"
THIRD = b"Subject: three\n\nno line end"


def test_an_mbox_gives_the_exact_bytes_of_its_messages(tmp_path: Path) -> None:
    raw = b"From a@x Mon\n" + FIRST + b"\nFrom b@x Tue\r\n" + SECOND + b"\r\nFrom c\n" + THIRD
    documents, problems = read_mbox(tmp_path, raw)
    assert [(document.name, document.content) for document in documents] == [
        ("<1@x>", FIRST),
        ("<2@x>", SECOND),
        ("mbox:3", THIRD),
    ]
    assert documents[0].text.startswith("Subject: one\n\nhello\nFrom here on")
    assert not problems


@pytest.mark.parametrize("name", ["Inbox", "mail.2001", "mail.mbox.gz", "Inbox.gz"])
def test_an_mbox_is_known_by_its_first_line_or_its_name(tmp_path: Path, name: str) -> None:
    raw = b"From a\n" + FIRST
    documents, _ = read_mbox(tmp_path, gzip.compress(raw) if name.endswith(".gz") else raw, name)
    assert [document.content for document in documents] == [FIRST]


def test_the_last_message_is_the_same_with_and_without_an_empty_line_after_it(tmp_path: Path) -> None:
    one, two = (read_mbox(tmp_path, b"From a\n" + FIRST + end)[0] for end in (b"", b"\n"))
    assert one == two


def test_a_repeated_message_is_left_out_and_another_of_its_id_is_numbered(tmp_path: Path) -> None:
    other = FIRST.replace(b"hello", b"HELLO")
    documents, problems = read_mbox(tmp_path, b"".join(b"From a\n" + raw + b"\n" for raw in (FIRST, FIRST, other)))
    assert [(document.name, document.content) for document in documents] == [("<1@x>", FIRST), ("mbox:3", other)]
    assert causes(problems) == [("message 2", Cause.REPEATED_DOCUMENT), ("message 3", Cause.REPEATED_ID)]


def test_a_message_id_cannot_take_the_name_of_another_message(tmp_path: Path) -> None:
    messages = [b"Message-ID: mbox:2\n\none\n", b"Subject: x\n\ntwo\n"]
    documents, _ = read_mbox(tmp_path, b"".join(b"From a\n" + raw + b"\n" for raw in messages))
    assert [document.name for document in documents] == ["mbox:2", "mbox:2 (2)"]


def test_bytes_before_the_first_message_are_listed(tmp_path: Path) -> None:
    documents, problems = read_mbox(tmp_path, b"junk\n\nFrom a\n" + FIRST)
    assert [document.content for document in documents] == [FIRST]
    assert causes(problems) == [("message 0", Cause.BAD_LINE)]


def test_an_empty_message_is_kept_and_listed(tmp_path: Path) -> None:
    documents, problems = read_mbox(tmp_path, b"From a\n\nFrom b\n" + FIRST)
    assert [document.content for document in documents] == [b"", FIRST]
    assert causes(problems) == [("message 1", Cause.BROKEN_MAIL), ("message 1", Cause.EMPTY_TEXT)]


def test_an_mbox_without_a_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="holds no document. The first problem: message 0: bad line: 5 bytes before"):
        read_mbox(tmp_path, b"hello")


def test_the_end_of_a_long_line_is_no_empty_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_PIECE", 5)
    raw = b"12345\nFrom here\n12345\n"
    documents, _ = read_mbox(tmp_path, b"From someone\n" + raw)
    assert [document.content for document in documents] == [raw]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=30).filter(lambda raw: b"From " not in raw), min_size=1), st.sampled_from([5, 100]))
def test_messages_come_back_byte_by_byte_however_long_their_lines(
    tmp_path_factory: pytest.TempPathFactory, messages: list[bytes], longest: int
) -> None:
    path = tmp_path_factory.mktemp("mbox") / "mail.mbox"
    path.write_bytes(b"".join(b"From a\n" + raw + b"\n\n" for raw in messages))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "MAX_PIECE", longest)
        found = list(mbox._messages(path, lambda _: None))
    assert found == [b"", *(raw + b"\n" for raw in messages)]
