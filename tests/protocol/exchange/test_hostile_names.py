"""Packages whose names mean one thing to the client and another to the system on which people unpack and read them."""

import struct
import unicodedata
import zipfile
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.roles import Role
from protocol.exchange import filenames, hostile_names, packages
from protocol.parties.errors import BadQuestion
from tests.support.exchange_cases import Table
from tests.support.forging.questions import given as answered
from tests.support.forging.questions import refused, signed_again

GOOD = ("question.json", "index.html", "labels.csv", "documents/0001-r1-memo.txt", "pages/0001.html")
ONE, DEVICE, END = "which are one file on some systems", "has the name of a device", "ends in a dot or a blank"
ELSEWHERE, SHORT, HIDDEN = "leads to another place", "may be the short name", "characters that cannot be seen"
HOSTILE = {
    "another case": (ONE, "Index.html"),
    "another case of a folder": (ONE, "Documents/more.txt"),
    "full-width letters": (ONE, "\uff49ndex.html"),
    "a ligature": (ONE, "pages/\ufb01le.html", "pages/file.html"),
    "another form of an accent": (ONE, "pages/\u00e9.html", "pages/e\u0301.html"),
    "a sharp s": (ONE, "pages/stra\u00dfe", "pages/STRASSE"),
    "a folder in the place of a file": (ONE, "Index.HTML/x"),
    "a device": (DEVICE, "CON"),
    "a device with an ending": (DEVICE, "pages/nul.html"),
    "a device with a blank": (DEVICE, "Aux .tar.gz"),
    "a port": (DEVICE, "com1.txt"),
    "a port with a raised digit": (DEVICE, "LPT\u00b9.txt"),
    "a full-width device": (DEVICE, "\uff23\uff2f\uff2e"),
    "a device as a folder": (DEVICE, "prn/x"),
    "a dot at the end": (END, "index.html."),
    "a blank at the end": (END, "index.html "),
    "a full-width blank at the end": (END, "index.html\u3000"),
    "an ellipsis at the end": (END, "pages\u2026/x"),
    "a folder with a dot at the end": (END, "documents./x"),
    "full-width dots": (END, "\uff0e\uff0e/x"),
    "a full-width slash": (ELSEWHERE, "more\uff0f0001.html"),
    "a full-width backslash": (ELSEWHERE, "more\uff3c0001.html"),
    "a full-width colon": (ELSEWHERE, "index.html\uff1astream"),
    "a short name": (SHORT, "INDEX~1.HTM"),
    "a turned direction": (HIDDEN, "indexlmth\u202e.exe"),
    "no width": (HIDDEN, "index\u200b.html"),
    "a control": (HIDDEN, "index\x07.html"),
}
HARMLESS = (
    *(".DS_Store", "Thumbs.db", "desktop.ini", "~$labels.csv", ".~lock.labels.csv#", "labels.csv~", "labels (1).csv"),
    *("labels\u00fc.csv", "Kopie von labels.csv", "\u6a19\u7c64.csv", "pages/.DS_Store", "console.txt", "com.txt"),
)


def packed(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return path


def unpacked(path: Path, *names: str) -> Path:
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(b"x")
    return path


def names_in(path: Path) -> set[str]:
    with packages.opened(path, "question.json") as package:
        return set(package.sizes)


@pytest.mark.parametrize(("reason", "names"), [(each[0], each[1:]) for each in HOSTILE.values()], ids=HOSTILE)
def test_a_name_that_some_system_takes_for_another_is_refused(tmp_path: Path, reason: str, names: list[str]) -> None:
    """Attack: what people unpack and read is another file than the one that the client has checked."""
    for around in ("", "question/"):
        with pytest.raises(BadQuestion, match=reason):
            names_in(packed(tmp_path / f"q{len(around)}.zip", *(around + each for each in (*GOOD, *names))))
    with pytest.raises(BadQuestion, match=reason):
        names_in(unpacked(tmp_path / "q", *GOOD, *names))


def test_what_a_persons_system_leaves_in_a_folder_does_no_harm(tmp_path: Path) -> None:
    for made in (packed(tmp_path / "q.zip", *GOOD, *HARMLESS), unpacked(tmp_path / "q", *GOOD, *HARMLESS)):
        assert names_in(made) == {*GOOD, *HARMLESS}


@pytest.mark.parametrize("name", ["pages//0001.html", "pages/./0001.html", "index.html\0.exe"])
def test_a_path_in_a_zip_that_becomes_another_when_it_is_unpacked_is_refused(tmp_path: Path, name: str) -> None:
    made = packed(tmp_path / "q.zip", *GOOD)
    with zipfile.ZipFile(made, "a") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = name
        archive.writestr(info, b"another")
    with pytest.raises(BadQuestion, match=f"{ELSEWHERE}|{END}|{HIDDEN}"):
        names_in(made)


def test_a_zip_whose_paths_begin_with_a_dot_is_read(tmp_path: Path) -> None:
    assert names_in(packed(tmp_path / "q.zip", *(f"./{each}" for each in GOOD))) == set(GOOD)
    with pytest.raises(BadQuestion, match="holds index.html twice"):
        names_in(packed(tmp_path / "twice.zip", *GOOD, "./index.html"))


def test_a_folder_in_a_zip_that_is_called_like_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadQuestion, match=ONE):
        names_in(packed(tmp_path / "q.zip", *GOOD, "index.html/"))


def test_a_second_name_in_a_zip_is_refused(tmp_path: Path) -> None:
    """Attack: some programs unpack by the Unicode path of a file, and put it in the place of another."""
    for second in ("notes.txt", "index.html"):
        made = packed(tmp_path / f"{second}.zip", *GOOD)
        with zipfile.ZipFile(made, "a") as archive:
            info = zipfile.ZipInfo("notes.txt")
            field = struct.pack("<BI", 1, crc32(b"notes.txt")) + second.encode()
            info.extra = struct.pack("<HHH", 0xCAFE, 2, 0) + struct.pack("<HH", 0x7075, len(field)) + field
            archive.writestr(info, b"another")
    assert names_in(tmp_path / "notes.txt.zip") == {*GOOD, "notes.txt"}
    with pytest.raises(BadQuestion, match="notes.txt has a second name"):
        names_in(tmp_path / "index.html.zip")


def test_files_beside_the_folder_in_a_zip_are_mentioned(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    made = path.with_name("q.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for file in sorted(each for each in path.rglob("*") if each.is_file()):
            archive.write(file, f"question/{file.relative_to(path).as_posix()}")
        archive.writestr("OPEN-ME-FIRST.html", b"<script>")
    result = reporting.answer(Role.ALICE, made, *answered(reporting, path))
    assert result.exit_code == 0
    assert "not part of the question and were not read: OPEN-ME-FIRST.html. Do not open them" in result.stderr


@pytest.mark.parametrize("ending", ["html", "xhtml", "hta", "js", "url", "lnk", "svg", "vbs", "exe", "docm"])
def test_a_hostile_trent_gives_no_document_a_name_that_runs(reporting: Table, ending: str) -> None:
    """Attack: Trent signs a file `memo.html` that holds the proven bytes, and a page that links to it."""
    path = reporting.until(Role.ALICE, "report")
    file = min(each.name for each in (path / "documents").iterdir())
    active = file.rpartition(".")[0] + f".{ending}"
    data = (path / "documents" / file).read_bytes()
    index = (path / filenames.INDEX).read_bytes().replace(file.encode(), active.encode())
    changed = {f"documents/{file}": None, f"documents/{active}": data, filenames.INDEX: index}
    said = refused(reporting, Role.ALICE, signed_again(reporting, path, changed), *answered(reporting, path))
    assert f"documents/{active} is not the file of the document at its position" in said


@given(st.text(min_size=1, max_size=20).filter(lambda name: "/" not in name))
def test_whatever_passes_is_one_file_to_every_system(name: str) -> None:
    try:
        hostile_names.check(Path("q"), [name, "index.html"])
    except BadQuestion:
        return
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        for folded in (str.lower, str.upper, str.casefold):
            seen = folded(unicodedata.normalize(form, name)).rstrip(". ")
            assert seen
            assert seen != folded("index.html") or name == "index.html"
            assert seen.split(".")[0].upper() not in ("CON", "NUL", "COM1")
