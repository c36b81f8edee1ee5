"""Folders and single files as sources: the exact bytes of every file, and a word on everything else."""

import os
import re
import zipfile
from io import BufferedReader
from pathlib import Path

import pytest

from ledger import reading
from protocol.errors import BadSource
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Settings, SourceDocument

pytestmark = pytest.mark.slow

Read = tuple[list[SourceDocument], list[Problem]]


def read(path: Path) -> Read:
    items = list(registry.find(path).read(settings=Settings(workers=1)))
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
        "plain\n",
    ]
    assert not problems


def test_a_text_that_is_not_utf8_is_kept_with_its_bytes_and_listed(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_txt=b"touch\xe9 \x80")
    assert [(document.content, document.text) for document in documents] == [(b"touch\xe9 \x80", "touch\u00e9 \u20ac")]
    assert causes(problems) == [("a.txt", Cause.UNDECODABLE)]


def test_files_that_no_reader_knows_are_left_out_and_listed_with_their_first_bytes(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_txt=b"a", b_exe=b"MZ\x90\0\3\0\0\0" * 99, c=bytes(100))
    assert [document.name for document in documents] == ["a.txt"]
    assert causes(problems) == [("b.exe", Cause.OTHER_FILE), ("c", Cause.OTHER_FILE)]
    assert "it begins with 4d 5a 90 00 03" in problems[0].detail


def test_a_file_is_known_by_its_content_whatever_it_is_called(tmp_path: Path) -> None:
    raw = b"From: a@x\nTo: b@x\nSubject: hello\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nbody\n"
    documents, _ = read_folder(tmp_path, a_txt=raw, b=raw + b"b", c_pdf=raw + b"c")
    assert [document.parts[0].type for document in documents] == ["mail"] * 3


MAIL = b"""From: a@x
Subject: hello
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

see attached
--b
Content-Type: text/plain; name=one.txt
Content-Disposition: attachment; filename=one.txt

first words
--b
Content-Type: application/octet-stream; name=two.bin
Content-Disposition: attachment; filename=two.bin
Content-Transfer-Encoding: base64

AAECAwQFBgcICQ==
--b--
"""


def test_a_mail_with_its_attachments_is_one_family(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_eml=MAIL)
    (family,) = documents
    assert [(part.parent, part.name) for part in family.parts] == [(None, "a.eml"), (0, "one.txt"), (0, "two.bin")]
    assert family.content == MAIL
    assert family.parts[2].content == bytes(range(10))
    texts = [part.text for part in family.parts]
    assert "see attached" in texts[0]
    assert texts[1:] == ["first words", ""]
    assert family.text == "\n".join(texts)
    assert causes(problems) == [("a.eml, attachment 3 (two.bin)", Cause.OTHER_FILE)]
    assert problems[0].kept


def test_what_is_known_of_a_mail_is_known_of_its_first_part(tmp_path: Path) -> None:
    raw = (
        b"From: Ann <a@x>\nTo: b@x\nCc: c@x, d@x\nBcc: e@x\nSubject: hello\n"
        b"Date: Mon, 1 Jan 2024 00:00:00 +0000\nMessage-ID: <1@x>\n\nbody\n"
    )
    documents, _ = read_folder(tmp_path, in__a_eml=raw, in__b_txt=b"plain")
    part, other = (document.parts[0] for document in documents)
    assert (part.author, part.recipients, part.type) == ("Ann <a@x>", "b@x; c@x, d@x; e@x", "mail")
    assert (part.date, part.paths, part.custodians) == ("2024-01-01T00:00:00+00:00", ("in/a.eml",), ())
    assert part.fields.items() >= {"to": "b@x", "cc": "c@x, d@x", "bcc": "e@x", "subject": "hello"}.items()
    assert not {"date", "custodian"} & set(part.fields)
    assert re.fullmatch("tallystick [0-9.]+", part.tool)
    assert (other.author, other.recipients, other.date, other.type) == ("", "", "", "text")
    assert other.tool.startswith("tallystick ")


def test_the_items_of_a_folder_add_up_in_the_order_of_its_files_whoever_reads_them(tmp_path: Path) -> None:
    for name, content in {"a.eml": MAIL, "b.txt": b"--", "c.bin": bytes(100), "e.txt": b"word"}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "nowhere").symlink_to("gone")
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("in.txt", "words")
    for workers in (1, 2, 3):
        intake = Intake()
        found = list(intake.take(registry.find(tmp_path).read(settings=Settings(workers=workers))))
        items = [(item.where, item.outcome.value, item.reason, list(item.documents)) for item in intake.received]
        assert items == [
            ("a.eml", "entered", "", [0]),
            ("b.txt", "entered", "", [1]),
            ("c.bin", "exception", "other file", []),
            ("d.zip", "container", "", []),
            ("d.zip/in.txt", "entered", "", [2]),
            ("e.txt", "entered", "", [3]),
            ("nowhere", "exception", "other file", []),
        ]
        assert [document.name for document in found] == ["a.eml", "b.txt", "d.zip/in.txt", "e.txt"]


def test_an_empty_file_is_kept_and_listed(tmp_path: Path) -> None:
    documents, problems = read_folder(tmp_path, a_txt=b"")
    assert [(each.name, each.content, each.text) for each in documents] == [("a.txt", b"", "")]
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
    assert [(document.name, document.text) for document in documents] == [("in.txt", "real")]
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
    assert [cause for _, cause in causes(problems)] == [Cause.REPEATED_ID]


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="holds no document$"):
        read(tmp_path)
    with pytest.raises(BadSource, match="first problem: a.bin: other file: no reader knows this kind"):
        read_folder(tmp_path, a_bin=bytes(99))


def test_progress_counts_the_files(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"x{number}")
    source = registry.find(tmp_path)
    told: list[int] = []
    read = [each for each in source.read(told.append) if isinstance(each, SourceDocument)]
    assert len(read) == source.total == 5
    assert told == [1, 2, 3, 4, 5]
