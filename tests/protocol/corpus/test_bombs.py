"""Files that were made to fill a machine, hang it or write outside: each is told, and what lies beside it enters."""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from protocol.cli import main
from tests.support.officefiles import element, package
from tests.support.pdf_files import pages, pdf, shown

ZEROS = bytes(2**26)
LETTERS = "abcdefghijkl"
ENTITIES = "".join(f'<!ENTITY {each} "{f"&{before};" * 8}">' for before, each in pairwise(LETTERS))
LAUGHS = f'<!DOCTYPE z [<!ENTITY a "ha">{ENTITIES}]>'
NAMES = ("../../out.txt", "/etc/out.txt", "C:\\out.txt", "n" * 4000 + ".txt", "a\x00b\x1b[2J\r\n.txt", "..", "con.txt")


def zipped(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name.replace("\0", "\x01"))
            info.filename = name.replace("\0", "\x01")
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def multiplied(levels: int) -> bytes:
    """A zip of ten zips of ten zips …, with zeros at the bottom."""
    content = zipped(("zeros", ZEROS))
    for _ in range(levels):
        content = zipped(*((f"{number}.zip", content) for number in range(10)))
    return content


def packed_often(levels: int) -> bytes:
    content = b"words"
    for _ in range(levels):
        content = gzip.compress(content, 1)
    return content


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    return out.getvalue()


def mail_in_mail(levels: int) -> bytes:
    return b"Subject: a\nContent-Type: message/rfc822\n\n" * levels + b"Subject: last\n\nwords\n"


def mail_with(attachments: int) -> bytes:
    part = b"--b\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nx\n"
    return b"From: a@x\nSubject: many\nContent-Type: multipart/mixed; boundary=b\n\n" + part * attachments + b"--b--\n"


def million_pages() -> bytes:
    kids = b" ".join([b"3 0 R"] * 1_000_000)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1000000/Kids[%s]>>" % kids, page])


def word(body: str) -> bytes:
    return package("word/document.xml", {"word/document.xml": element("w:document", body).replace("?>", f"?>{LAUGHS}")})


BOMBS = {
    "multiplied.zip": lambda: multiplied(3),
    "zeros.zip": lambda: zipped(("zeros", ZEROS)),
    "zeros.gz": lambda: gzip.compress(ZEROS),
    "packed.gz": lambda: packed_often(20),
    "links.tar": tarred,
    "nested.eml": lambda: mail_in_mail(10_000),
    "laughs.docx": lambda: word("<w:body><w:p><w:r><w:t>&l;</w:t></w:r></w:p></w:body>"),
    "laughs.xlsx": lambda: package(
        "xl/workbook.xml", {"xl/workbook.xml": element("x:workbook", "&l;").replace("?>", f"?>{LAUGHS}")}
    ),
    "pages.pdf": million_pages,
}
HARMLESS = {
    "flat.eml": lambda: mail_with(10_001),
    "laughs.html": lambda: f"{LAUGHS}<html><body>&l; words</body></html>".encode(),
    "laughs.svg": lambda: f"{LAUGHS}<svg><text>&l; words</text></svg>".encode(),
    "laughs.xml": lambda: f"<?xml version='1.0'?>{LAUGHS}<z>&l; words</z>".encode(),
    "good.txt": lambda: b"some good words",
    "good.pdf": lambda: pages(shown("good words in a PDF")),
}


def everything(folder: Path) -> Iterator[str]:
    return (str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))


def built(folder: Path) -> tuple[dict[str, list[dict[str, object]]], dict[str, object]]:
    """The items of the list by the file that they come from, and what the command says."""
    before = set(everything(folder))
    made = CliRunner().invoke(main, ["corpus", "build", str(folder / "in"), "--out", str(folder / "out"), "--json"])
    assert made.exit_code == 0, made.output
    beside = set(everything(folder)) - before - set(everything(folder / "out"))
    assert all(path == "out" or path.startswith("out/") for path in beside)
    found: dict[str, list[dict[str, object]]] = {}
    for line in (folder / "out" / "account.jsonl").read_text().splitlines():
        item = json.loads(line)
        found.setdefault(item["where"].split("/")[0].split(": ")[0], []).append(item)
    return found, json.loads(made.stdout)


@pytest.mark.slow
def test_each_bomb_is_an_exception_and_what_lies_beside_it_enters(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name, make in (BOMBS | HARMLESS).items():
        (source / name).write_bytes(make())
    items, said = built(tmp_path)
    for name in BOMBS:
        assert any(item["outcome"] == "exception" for item in items[name]), (name, items[name])
        assert not any(item["outcome"] == "entered" for item in items[name]), (name, items[name])
    for name in HARMLESS:
        assert [item["outcome"] for item in items[name]] == ["entered"], (name, items[name])
    texts = (tmp_path / "out" / "shards/00000/texts.bin").read_bytes()
    assert b"hahaha" not in texts
    listed = json.loads((tmp_path / "out" / "report.json").read_text())["listed"]
    assert any(each["where"] == "flat.eml" and "too many parts" in each["detail"] for each in listed)
    account = said["account"]
    assert isinstance(account, dict)
    assert account["items"] == account["containers"] + account["exceptions"] + account["families"]


def test_names_that_lead_outside_are_shown_and_write_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "names.zip").write_bytes(
        zipped(*((name, f"words of {number}".encode()) for number, name in enumerate(NAMES)))
    )
    items, _ = built(tmp_path)
    entered = [str(item["where"]) for item in items["names.zip"] if item["outcome"] == "entered"]
    assert len(entered) == len(NAMES)
    assert all(where.startswith("names.zip/") and len(where) < 1100 and where.isprintable() for where in entered)
    assert not any(".." in where.split("/") for where in entered)
    assert not [path for path in (tmp_path.parent / "out.txt", Path("/etc/out.txt")) if path.exists()]


@pytest.mark.slow
def test_a_mailbox_with_a_line_of_a_hundred_megabytes_is_read_or_told(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    with (source / "box.mbox").open("wb") as file:
        file.write(b"From a@x Mon Jan  1 00:00:00 2001\nSubject: one\n\nwords\n\n")
        file.write(b"From a@x Mon Jan  1 00:00:00 2001\nSubject: long\n\n" + b"x" * 10**8 + b"\n\n")
        file.write(b"From a@x Mon Jan  1 00:00:00 2001\nSubject: three\n\nother words\n\n")
    items, _ = built(tmp_path)
    assert [item["outcome"] for item in items["box.mbox"]] == ["container", "entered", "exception", "entered"]
