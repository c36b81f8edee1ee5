"""Containers are opened and never a unit; bombs and odd names are exceptions, and nothing is written anywhere."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources import registry
from protocol.sources.containers import mailbox
from protocol.sources.containers.bounds import safe_name
from protocol.sources.containers.table import EXTRACTOR
from protocol.sources.extractors import Beyond, extract_family
from protocol.sources.family import Family
from protocol.sources.intake import Intake
from protocol.sources.items import Item, Received
from protocol.sources.limits import MIB, Limits
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Settings

pytestmark = pytest.mark.slow

WORD = b"some words\n"
LIMITS = Limits(seconds=20)


def zipped(**files: bytes) -> bytes:
    return zip_of([(name.replace("__", "/").replace("_", "."), content) for name, content in files.items()])


def zip_of(files: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return packed.getvalue()


def tarred(files: list[tuple[str, bytes]], kind: bytes = tarfile.REGTYPE) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.type = (len(content), kind)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class Took:
    """What came out of a source."""

    def __init__(self, path: Path, limits: Limits = LIMITS) -> None:
        received = Received()
        found = list(registry.find(path).reader.read(lambda _: None, received, Settings(limits=limits, workers=1)))
        self.texts = {each.path: each.parts[0].text for each in found if isinstance(each, Family)}
        self.problems = {each.where: (each.cause, each.detail) for each in found if isinstance(each, Problem)}
        self.containers = [each.where for each in found if isinstance(each, Item)]
        self.protections = received.protections
        assert all(isinstance(each, Family | Problem | Item) for each in found)


def took(folder: Path, name: str, content: bytes, limits: Limits = LIMITS) -> Took:
    """A folder with this file, and a good one after it, which must always come out."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    (folder / "zz.txt").write_bytes(WORD)
    found = Took(folder, limits)
    assert found.texts.pop("zz.txt") == WORD.decode()
    return found


# What comes out


@pytest.mark.parametrize(
    "packed",
    [
        zipped(a_txt=WORD, b__c_txt=WORD),
        tarred([("a.txt", WORD), ("b/c.txt", WORD)]),
        gzip.compress(tarred([("a.txt", WORD), ("b/c.txt", WORD)])),
        bz2.compress(tarred([("a.txt", WORD), ("b/c.txt", WORD)])),
        lzma.compress(tarred([("a.txt", WORD), ("b/c.txt", WORD)])),
        zip_of([("a.txt", WORD), ("b/", b""), ("b/c.txt", WORD)], zipfile.ZIP_STORED),
        zip_of([("a.txt", WORD), ("b/c.txt", WORD)], zipfile.ZIP_LZMA),
        zip_of([("a.txt", WORD), ("b/c.txt", WORD)], zipfile.ZIP_BZIP2),
    ],
    ids=["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "stored", "lzma", "bzip2"],
)
def test_each_member_of_an_archive_is_its_own_family(tmp_path: Path, packed: bytes) -> None:
    (tmp_path / "archive").write_bytes(packed)
    found = Took(tmp_path / "archive")
    assert found.texts == {"archive/a.txt": WORD.decode(), "archive/b/c.txt": WORD.decode()}
    assert found.containers == ["archive"]


def test_containers_inside_containers_are_opened_too(tmp_path: Path) -> None:
    mail = b"From a\nSubject: one\n\nfirst\n\nFrom b\nSubject: two\n\nsecond\n"
    inner = zipped(in_txt=WORD)
    found = took(tmp_path, "a.zip", zipped(b_zip=inner, mail_mbox=mail, d_gz=gzip.compress(WORD)))
    assert list(found.texts) == [
        "a.zip/b.zip/in.txt",
        "a.zip/mail.mbox/message 1",
        "a.zip/mail.mbox/message 2",
        "a.zip/d.gz/d",
    ]
    assert found.containers == ["a.zip", "a.zip/b.zip", "a.zip/mail.mbox", "a.zip/d.gz"]
    assert found.protections


def test_a_packed_mailbox_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "Inbox.gz").write_bytes(gzip.compress(b"From a\nSubject: one\n\nfirst\n\nFrom b\nSubject: two\n\nx\n"))
    assert list(Took(tmp_path / "Inbox.gz").texts) == ["Inbox.gz/message 1", "Inbox.gz/message 2"]


def test_an_archive_inside_a_family_is_a_part_and_its_members_are_parts() -> None:
    text = Extractor(
        name="text", described="", recognises=lambda file: True,
        extract=lambda file: Extracted(kind="text", text=file.content.decode(), tool="t"),
    )  # fmt: skip
    packed = zipped(x_txt=b"one", y_zip=zipped(z_txt=b"two"))
    carrier = Extractor(
        name="mail", described="", recognises=lambda file: file.content == b"mail",
        extract=lambda file: Extracted(
            kind="mail", text="hello", tool="t",
            children=(File(name="a.zip", content=packed), File(name="b", content=b"last")),
        ),
    )  # fmt: skip
    parts = extract_family(File(name="m", content=b"mail"), LIMITS, (EXTRACTOR, carrier, text))
    assert [(each.name, each.parent, each.text) for each in parts] == [
        ("m", None, "hello"),
        ("a.zip", 0, "x.txt\ny.zip"),
        ("x.txt", 1, "one"),
        ("y.zip", 1, "z.txt"),
        ("z.txt", 3, "two"),
        ("b", 0, "last"),
    ]


def test_two_members_of_one_name_are_both_kept(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        packed = zip_of([("a.txt", b"one"), ("a.txt", b"two")])
    (tmp_path / "a.zip").write_bytes(packed)
    assert contents(tmp_path / "a.zip") == [b"one", b"two"]


# Bombs


def test_a_zip_of_zeros_is_an_exception(tmp_path: Path) -> None:
    found = took(tmp_path, "bomb.zip", zipped(zeros_bin=bytes(40 * MIB), good_txt=WORD))
    assert found.problems["bomb.zip/zeros.bin"][0] is Cause.TOO_LARGE
    assert found.texts == {"bomb.zip/good.txt": WORD.decode()}


def test_a_zip_that_lies_about_its_sizes_is_an_exception(tmp_path: Path) -> None:
    packed = zipped(zeros_txt=bytes(40 * MIB))
    lied = packed.replace((40 * MIB).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    found = took(tmp_path, "bomb.zip", lied)
    assert not found.texts
    assert found.problems["bomb.zip/zeros.txt"][0] in (Cause.DAMAGED, Cause.TOO_LARGE)


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_of_zeros_is_an_exception(tmp_path: Path, pack: object) -> None:
    found = took(tmp_path, "zeros.gz", pack(bytes(40 * MIB)))  # type: ignore[operator]
    assert found.problems["zeros.gz/zeros"][0] is Cause.TOO_LARGE


def test_a_tar_that_expands_too_much_is_given_up_where_it_does(tmp_path: Path) -> None:
    many = gzip.compress(tarred([(f"{n:02}.txt", bytes(2 * MIB)) for n in range(40)]))
    limits = Limits(seconds=20, file=4 * MIB)
    found = took(tmp_path, "bomb.tar.gz", many, limits)
    assert found.problems["bomb.tar.gz: the rest of it"][0] is Cause.TOO_LARGE


@pytest.mark.slow
def test_archives_nested_too_deeply_are_an_exception(tmp_path: Path) -> None:
    packed = zipped(last_txt=WORD)
    for _ in range(12):
        packed = zipped(a_zip=packed, b_txt=WORD)
    found = took(tmp_path, "deep.zip", packed)
    assert [cause for cause, _ in found.problems.values()] == [Cause.TOO_DEEP]
    assert len(found.texts) == 11  # all that are not too deep


@pytest.mark.slow
def test_archives_that_multiply_are_given_up(tmp_path: Path) -> None:
    packed = zipped(a_txt=WORD)
    for _ in range(4):
        packed = zip_of([(f"{n}.zip", packed) for n in range(5)])
    found = took(tmp_path, "many.zip", packed, Limits(seconds=20, containers=20))
    assert [cause for cause, _ in found.problems.values()] == [Cause.TOO_LARGE]
    assert "20 archives" in found.problems["many.zip: the rest of it"][1]


def test_a_container_with_too_many_members_is_given_up(tmp_path: Path) -> None:
    packed = zip_of([(f"{n}.txt", WORD) for n in range(50)])
    found = took(tmp_path, "many.zip", packed, Limits(seconds=20, members=30))
    assert len(found.texts) == 30
    assert found.problems["many.zip: the rest of it"][0] is Cause.TOO_LARGE


def nest(kind: str, depth: int, width: int) -> tuple[Extractor, ...]:
    def extract(file: File) -> Extracted:
        level = int(file.content)
        inner = File(name=f"level {level}", content=str(level + 1).encode())
        return Extracted(kind=kind, text="x", tool="t", children=(inner,) * width if level < depth else ())

    return (Extractor(name=kind, described="", recognises=lambda _: True, extract=extract),)


def test_ten_thousand_parts_inside_each_other_or_beside_each_other_are_an_exception() -> None:
    file = File(name="f", content=b"0")
    with pytest.raises(Beyond) as deep:
        extract_family(file, LIMITS, nest("n", 10_000, 1))
    with pytest.raises(Beyond) as wide:
        extract_family(file, LIMITS, nest("n", 1, 10_000))
    with pytest.raises(Beyond) as both:
        extract_family(file, LIMITS, nest("n", 9, 5))
    assert [each.value.cause for each in (deep, wide, both)] == [Cause.TOO_DEEP, Cause.TOO_LARGE, Cause.TOO_LARGE]
    assert len(extract_family(file, LIMITS, nest("n", 1, 9_999))) == 10_000


def test_a_bomb_attached_to_a_mail_is_a_note_about_that_part() -> None:
    with pytest.raises(Unextractable, match="more than 10000 files"):
        EXTRACTOR.extract(File(name="a.zip", content=zip_of([(str(n), b"") for n in range(10_001)])))
    made = EXTRACTOR.extract(File(name="a.zip", content=zipped(zeros_bin=bytes(40 * MIB), good_txt=WORD)))
    assert [child.name for child in made.children] == ["good.txt"]
    assert [cause for cause, _ in made.notes] == [Cause.TOO_LARGE]


# Damage


def test_an_encrypted_member_is_an_exception_with_its_remedy(tmp_path: Path) -> None:
    packed = bytearray(zipped(secret_txt=WORD, open_txt=WORD))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(signature) + flags] |= 1
    found = took(tmp_path, "a.zip", bytes(packed))
    assert found.texts == {"a.zip/open.txt": WORD.decode()}
    cause, detail = found.problems["a.zip/secret.txt"]
    assert cause is Cause.ENCRYPTED
    assert "password" in detail


def test_a_damaged_member_is_an_exception_and_the_others_are_read(tmp_path: Path) -> None:
    packed = bytearray(zip_of([("a.txt", b"hello world"), ("b.txt", WORD)], zipfile.ZIP_STORED))
    packed[packed.index(b"hello")] ^= 1
    found = took(tmp_path, "a.zip", bytes(packed))
    assert found.texts == {"a.zip/b.txt": WORD.decode()}
    assert found.problems["a.zip/a.txt"][0] is Cause.DAMAGED


@pytest.mark.parametrize("keep", [5, 30, 200, -1, -30])
@pytest.mark.parametrize("pack", [zip_of, tarred, lambda files: gzip.compress(tarred(files))])
def test_a_container_that_was_cut_is_an_exception_and_never_an_error(tmp_path: Path, pack: object, keep: int) -> None:
    packed = pack([(f"{n}.txt", os.urandom(300)) for n in range(3)])  # type: ignore[operator]
    took(tmp_path, "cut", packed[:keep])


def test_a_member_without_a_name_is_read_like_the_others(tmp_path: Path) -> None:
    found = took(tmp_path, "a.zip", zip_of([("", WORD), ("b.txt", WORD)]))
    assert found.texts == {"a.zip/without a name": WORD.decode(), "a.zip/b.txt": WORD.decode()}


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=40), st.integers(0, 10_000), st.sampled_from(["zip", "tar", "gz"]))
def test_no_damage_makes_a_container_raise_anything_else(damage: bytes, place: int, kind: str) -> None:
    files = [("a.txt", WORD), ("b.txt", zlib.compress(WORD))]
    packed = bytearray(zip_of(files) if kind == "zip" else tarred(files))
    if kind == "gz":
        packed = bytearray(gzip.compress(packed))
    start = place % len(packed)
    packed[start : start + len(damage)] = damage
    try:
        EXTRACTOR.extract(File(name="a", content=bytes(packed)))
    except Unextractable as error:
        assert error.cause in (Cause.DAMAGED, Cause.OTHER_FILE, Cause.TOO_LARGE)


def test_links_and_devices_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            info = tarfile.TarInfo("link")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        found = took(tmp_path / str(number), "a.tar", packed.getvalue())
        assert found.problems["a.tar/link"][0] is Cause.OTHER_FILE


# Names


ODD = {
    "../../up.txt": "\ufffd\ufffd/\ufffd\ufffd/up.txt",
    "/etc/absolute.txt": "etc/absolute.txt",
    "C:\\windows\\a.txt": "C:/windows/a.txt",
    "..\\..\\b.txt": "\ufffd\ufffd/\ufffd\ufffd/b.txt",
    "n" * 4000 + ".txt": "n" * 1000 + "...",
    "a\x1b[31m\nred.txt": "a\ufffd[31m\ufffdred.txt",
    "a\u202etxt.exe": "a\ufffdtxt.exe",
}


def test_names_are_never_used_as_paths_and_are_shown_safely(tmp_path: Path) -> None:
    packed = zip_of([(name, WORD) for name in ODD])
    before = sorted(tmp_path.rglob("*"))
    found = took(tmp_path / "in", "a.zip", packed)
    assert list(found.texts) == [f"a.zip/{name}" for name in ODD.values()]
    assert sorted(tmp_path.rglob("*")) == sorted(
        [*before, tmp_path / "in", tmp_path / "in/a.zip", tmp_path / "in/zz.txt"]
    )
    assert not Path("/etc/absolute.txt").exists()


@given(st.text())
def test_a_safe_name_has_no_step_up_and_no_control_character(name: str) -> None:
    shown = safe_name(name)
    assert shown
    assert not shown.startswith("/")
    assert ".." not in shown.split("/")
    assert shown.isprintable() or not any(ord(each) < 32 for each in shown)
    shown.encode()


# mbox


FIRST = b"Message-ID: <1@x>\nSubject: one\n\nhello\nFrom here on, all in the first\n>From quoted\n\n\nend\n"
SECOND = b"Message-ID:\n <2@x>\r\nSubject: two\r\n\r\nworld\r\n"
THIRD = b"Subject: three\n\nno line end"


def contents(path: Path) -> list[bytes]:
    return [each.content for each in Intake().take(registry.find(path).read(settings=Settings(workers=1)))]


def test_an_mbox_gives_the_exact_bytes_of_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "Inbox"
    path.write_bytes(b"From a@x Mon\n" + FIRST + b"\nFrom b@x Tue\r\n" + SECOND + b"\r\nFrom c\n" + THIRD)
    assert contents(path) == [FIRST, SECOND, THIRD]


def test_a_text_that_begins_like_an_mbox_is_a_text(tmp_path: Path) -> None:
    found = took(tmp_path, "a.txt", b"From the beginning it was clear\nthat this is no mailbox.\n")
    assert list(found.texts) == ["a.txt"]


def test_a_message_that_is_too_large_is_an_exception_and_the_next_is_read(tmp_path: Path) -> None:
    raw = b"From a\nSubject: x\n\n" + b"word\n" * MIB + b"\nFrom b\n" + THIRD
    found = took(tmp_path, "mail.mbox", raw, Limits(seconds=20, file=MIB))
    assert found.problems["mail.mbox/message 1"][0] is Cause.TOO_LARGE
    assert list(found.texts) == ["mail.mbox/message 2"]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=30).filter(lambda raw: b"From " not in raw), min_size=1), st.sampled_from([5, 100]))
def test_messages_come_back_byte_by_byte_however_long_their_lines(messages: list[bytes], longest: int) -> None:
    raw = b"".join(b"From a\n" + raw + b"\n\n" for raw in messages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mailbox, "MAX_PIECE", longest)
        assert list(mailbox.messages(io.BytesIO(raw), 2**20)) == [b"", *(raw + b"\n" for raw in messages)]


def test_a_document_that_is_a_zip_of_an_unknown_kind_is_opened_and_noted() -> None:
    page = b"<html><body>words of a book</body></html>"
    raw = zip_of([("mimetype", b"application/epub+zip"), ("OEBPS/one.xhtml", page)])
    first, *others = extract_family(File(name="a.epub", content=raw), Limits())
    ((cause, detail),) = first.notes
    assert (cause, "of a kind that no reader knows" in detail) == (Cause.UNREAD_PART, True)
    assert "words of a book" in others[-1].text
