"""A question package is whole and Trent's, or it is refused; its file names are safe everywhere."""

import zipfile
from pathlib import Path, PureWindowsPath

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import copylines, records
from ledger.errors import Damaged, LedgerError, Refused
from ledger.hashing import Digest
from ledger.roles import Role
from ledger.store import Store
from protocol.exchange import filenames, packages, question_file
from protocol.exchange.question_file import QuestionFile
from protocol.exchange.readme import Guide
from protocol.parties import history_lines, question, secrets
from protocol.parties.errors import BadQuestion
from protocol.parties.history_lines import released_line
from protocol.parties.question import Request
from protocol.parties.secrets import SealedRoot
from tests.support import shown
from tests.support.builders import KEYS, MATTER, build_matter

TRENT = KEYS[Role.TRENT]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a small matter after its opening, without openings."""
    path = tmp_path_factory.mktemp("history") / "matter"
    build_matter(path)
    with Store.open(path) as store:
        return [copylines.entry_line(each.body, each.signature, ()) for each in store.entries(size=store.size())][1:]


def asked(history: list[bytes], **changed: object) -> Request:
    lines = history_lines.parse(b"".join(line + b"\n" for line in history), "test")
    fields: dict[str, object] = {
        "entry": lines.entries[-1].hash,
        "files": {},
        "format": question.FORMAT,
        "head": lines.entries[-1].hash,
        "kind": "labels",
        "matter": MATTER,
        "role": Role.BOB,
        "round": 3,
        "size": len(history) + 1,
        "start": 1,
    }
    return Request(**(fields | changed))  # type: ignore[arg-type]


DOCUMENTS = [
    shown.document(position=2, name="mail/1.eml", content=b"From: a\r\n\r\n<b>hi</b>", text="<b>hi</b> & more"),
    shown.document(position=7, name="CON", content=b"\x00\xff", text=""),
]


def write(out: Path, history: list[bytes], **changed: object) -> Path:
    options: dict[str, object] = {
        "key": TRENT,
        "history": history,
        "released": [released_line(0, ())],
        "request": changed.get("request") or asked(history),
        "documents": DOCUMENTS,
        "extra": {filenames.CHECKPOINT: b"note"},
        "guide": Guide(case="Smith v. Acme"),
    }
    question_file.write(out, **(options | changed))  # type: ignore[arg-type]
    return out


@pytest.mark.parametrize("name", ["question", "question.zip"])
def test_what_was_written_is_read(tmp_path: Path, history: list[bytes], name: str) -> None:
    found = question_file.read(write(tmp_path / name, history), TRENT.public)
    assert [each.line for each in found.question.lines.entries] == history
    assert [each.entry for each in found.question.lines.released] == [0]
    assert found.small == {filenames.CHECKPOINT: b"note"}
    assert found.documents.keys() == {2, 7}
    assert found.others == ()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_the_same_question_has_the_same_bytes(tmp_path: Path, history: list[bytes]) -> None:
    one, other = (write(tmp_path / f"{name}.zip", history).read_bytes() for name in ("one", "other"))
    assert one == other


@pytest.mark.parametrize("name", ["question", "question.zip"])
def test_nothing_is_ever_overwritten(tmp_path: Path, history: list[bytes], name: str) -> None:
    write(tmp_path / name, history)
    with pytest.raises(Refused, match="exists already"):
        write(tmp_path / name, history)


def test_a_question_that_cannot_be_written_leaves_nothing(tmp_path: Path, history: list[bytes]) -> None:
    with pytest.raises(LedgerError):
        write(tmp_path / "question", history, extra={"../outside": b""})
    with pytest.raises(Refused, match="cannot be written"):
        write(tmp_path / "no-such-folder" / "question", history)
    assert list(tmp_path.iterdir()) == []


def test_every_file_is_bound_by_the_signature(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    files = [each for each in path.rglob("*") if each.is_file()]
    assert len(files) == 12
    for file in files:
        before = file.read_bytes()
        file.write_bytes(before + b" ")
        if file.name in (filenames.LABELS, filenames.CLAIMS):
            question_file.read(path, TRENT.public)  # a form may be filled in where it lies
        else:
            with pytest.raises(BadQuestion, match=file.name):
                question_file.read(path, TRENT.public)
        file.write_bytes(before)


def test_a_missing_file_is_refused_but_for_the_form(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    (path / filenames.LABELS).unlink()
    question_file.read(path)
    (path / filenames.INDEX).unlink()
    with pytest.raises(BadQuestion, match="index.html is missing"):
        question_file.read(path)


def test_a_question_by_somebody_else_is_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history, key=KEYS[Role.ALICE])
    assert isinstance(question_file.read(path), QuestionFile)
    with pytest.raises(BadQuestion, match="not signed with Trent's key in this matter"):
        question_file.read(path, TRENT.public)


def test_a_request_that_was_edited_is_not_signed(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    file = path / filenames.REQUEST
    signed = records.decode(question.SignedRequest, file.read_bytes()[:-1])
    edited = msgspec.structs.replace(signed, question=msgspec.structs.replace(signed.question, round=4))
    file.write_bytes(records.encode(edited))
    with pytest.raises(BadQuestion, match="not signed"):
        question_file.read(path, TRENT.public)


def test_what_the_system_adds_is_named_and_does_no_harm(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    (path / "~$labels.csv").write_bytes(b"")
    (path / "documents" / "0009-r3-extra.txt").write_bytes(b"unsigned")
    found = question_file.read(path, TRENT.public)
    assert found.others == ("documents/0009-r3-extra.txt", "~$labels.csv")
    assert 9 not in found.documents


def test_a_folder_around_the_question_does_no_harm(tmp_path: Path, history: list[bytes]) -> None:
    outer = tmp_path / "unpacked"
    outer.mkdir()
    write(outer / "question", history)
    assert question_file.read(outer).request.round == 3
    packed = tmp_path / "again.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(outer.rglob("*")):
            archive.write(file, file.relative_to(outer))
        archive.writestr("__MACOSX/question/._question.json", b"")
    assert question_file.read(packed, TRENT.public).others == ()


def test_a_zip_made_on_windows_has_backslashes(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        for file in path.rglob("*"):
            if file.is_file():
                name = str(PureWindowsPath(file.relative_to(path)))
                info = zipfile.ZipInfo("placeholder")
                info.filename = name
                archive.writestr(info, file.read_bytes())
    assert question_file.read(tmp_path / "w.zip", TRENT.public).documents.keys() == {2, 7}


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil", "documents/../../evil", "C:/evil.txt", "..\\evil.txt", "\\\\server\\evil"]
)
def test_a_zip_that_would_write_elsewhere_is_refused(tmp_path: Path, history: list[bytes], name: str) -> None:
    path = write(tmp_path / "question.zip", history)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"evil")
    with pytest.raises(BadQuestion, match="would be unpacked outside its folder"):
        question_file.read(path)


def test_links_are_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    secret = tmp_path / "secret"
    secret.write_bytes((path / filenames.INDEX).read_bytes())
    (path / filenames.INDEX).unlink()
    (path / filenames.INDEX).symlink_to(secret)
    with pytest.raises(BadQuestion, match="link to another place"):
        question_file.read(path)


def test_links_in_a_zip_are_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question.zip", history)
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadQuestion, match="link to another place"):
        question_file.read(path)


def test_a_linked_folder_is_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    (path / "documents").rename(tmp_path / "elsewhere")
    (path / "documents").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadQuestion, match="link to another place"):
        question_file.read(path)


def test_absurd_sizes_are_refused(tmp_path: Path, history: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    path, packed = write(tmp_path / "question", history), write(tmp_path / "question.zip", history)
    monkeypatch.setattr(packages, "MAX_TOTAL", 10_000)
    for each in (path, packed):
        with pytest.raises(BadQuestion, match="too much for a question"):
            question_file.read(each)
    monkeypatch.undo()
    monkeypatch.setattr(packages, "MAX_FILES", 3)
    with pytest.raises(BadQuestion, match="holds 12 files"):
        question_file.read(packed)
    monkeypatch.undo()
    monkeypatch.setattr(question_file, "MAX_REQUEST", 10)
    with pytest.raises(BadQuestion, match="which is too many"):
        question_file.read(path)


def test_a_line_without_an_end_is_not_read_to_its_end(
    tmp_path: Path, history: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "question", [*history, b"{" * 2**21], request=asked(history))
    monkeypatch.setattr(packages, "MAX_LINE", 2**19)
    with pytest.raises(BadQuestion, match="has a line that is too long"):
        question_file.read(path)


def test_more_documents_than_a_request_can_name_are_not_put_into_one(
    tmp_path: Path, history: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_file, "MAX_REQUEST", 1000)
    with pytest.raises(Refused, match="2 documents are too many for one question"):
        write(tmp_path / "question", history)
    assert not list(tmp_path.iterdir())


def test_a_bomb_is_not_unpacked(tmp_path: Path, history: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "question.zip", history)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(2**24))
    monkeypatch.setattr(packages, "MAX_TOTAL", 2**23)
    assert path.stat().st_size < 2**20
    with pytest.raises(BadQuestion, match="too much for a question"):
        question_file.read(path)


@pytest.mark.parametrize("cut", [10, 1000, -1, -30])
def test_a_damaged_zip_is_refused(tmp_path: Path, history: list[bytes], cut: int) -> None:
    path = write(tmp_path / "question.zip", history)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BadQuestion, match="ask for the question again"):
        question_file.read(path)


def test_a_flipped_byte_anywhere_in_a_zip_is_found(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question.zip", history, documents=[])
    whole = path.read_bytes()
    before = question_file.read(path, TRENT.public)
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            found = question_file.read(path, TRENT.public)
        except LedgerError:
            continue
        assert (found.question, found.small) == (before.question, before.small)


def test_a_file_that_holds_no_question_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a/b/c/question.json", "{}")
    for name in ("empty", "text", "missing", "other.zip"):
        with pytest.raises(BadQuestion, match="question"):
            question_file.read(tmp_path / name)


def test_a_later_format_says_to_install_a_newer_version(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history, request=asked(history, format=3))
    with pytest.raises(BadQuestion, match="format 3.*install a newer version"):
        question_file.read(path)


@pytest.mark.parametrize("entries", [[1], [0, 0], [99]])
def test_openings_that_no_entry_of_the_question_releases_are_refused(
    tmp_path: Path, history: list[bytes], entries: list[int]
) -> None:
    """They are of entries before the first one that it carries, each once."""
    path = write(tmp_path / "question", history, released=[released_line(entry, ()) for entry in entries])
    with pytest.raises(BadQuestion, match="not the one that the request names"):
        question_file.read(path)


@pytest.mark.parametrize("changed", [{"start": 2}, {"start": 0}, {"size": 4}, {"head": Digest(bytes(32))}])
def test_another_history_than_the_request_names_is_refused(
    tmp_path: Path, history: list[bytes], changed: dict[str, object]
) -> None:
    path = write(tmp_path / "question", history, request=asked(history, **changed))
    with pytest.raises(BadQuestion, match="not the one that the request names"):
        question_file.read(path)


def test_a_history_that_is_no_history_is_damage(tmp_path: Path, history: list[bytes]) -> None:
    for lines in ([b"{}"], [b'{"released":{"entry":0}}'], [history[0].replace(b":", b": ", 1)], [b""]):
        path = write(tmp_path / f"question-{len(lines[0])}", lines, request=asked(history))
        with pytest.raises(Damaged, match="entries.jsonl, line 1"):
            question_file.read(path)


@given(st.text(max_size=300), st.integers(1, 10**6), st.integers(1, 5000), st.integers(0, 2**16 - 1))
def test_a_file_name_is_safe_on_windows_whatever_the_document_is_called(
    name: str, position: int, number: int, part: int
) -> None:
    file = filenames.file_name(number, position, name, part)
    path = PureWindowsPath("documents", file)
    assert file.isascii()
    assert len(file) <= 90
    assert not path.is_reserved()
    assert path.name == file
    assert file.endswith((".txt", ".eml"))
    assert file.count(".") == 1
    assert not set(file) & set('<>:"/\\|?* ')
    assert filenames.place_of(f"documents/{file}") == (position, part)
    msgspec.convert({f"documents/{file}": 1}, dict[question.FilePath, int])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("CON", "0003-r1-CON.txt"),
        ("nul.txt", "0003-r1-nul.txt"),
        ("a/b\\c.PDF", "0003-r1-c-PDF.txt"),
        ("a/b\\c.TXT", "0003-r1-c.txt"),
        ("trailing dots...", "0003-r1-trailing-dots.txt"),
        (".hidden", "0003-r1-hidden.txt"),
        ("\U0001f4e7", "0003-r1-document.txt"),
        ("Prüfung.eml", "0003-r1-Prufung.eml"),
        ("x" * 300 + ".docx", f"0003-r1-{'x' * 50}.txt"),
        ("4711@mail.example.com", "0003-r1-4711-mail-example-com.txt"),
        (".eml", "0003-r1-eml.txt"),
        ("x.\uff28\uff34\uff2d\uff2c", "0003-r1-x-HTML.txt"),
        ("x\uff0ehtml", "0003-r1-x-html.txt"),
        ("x.html.", "0003-r1-x-html.txt"),
        ("x.html ", "0003-r1-x-html.txt"),
        ("memo.txt.html", "0003-r1-memo-txt-html.txt"),
        ("memo.html.txt", "0003-r1-memo-html.txt"),
        ("../../etc/passwd", "0003-r1-passwd.txt"),
        ("a.exe\u202etxt", "0003-r1-a-exetxt.txt"),
    ],
)
def test_file_names(name: str, file: str) -> None:
    assert filenames.file_name(1, 3, name) == file


ACTIVE = (
    *(
        "html",
        "htm",
        "xhtml",
        "xht",
        "shtml",
        "mht",
        "svg",
        "svgz",
        "xml",
        "xsl",
        "hta",
        "js",
        "mjs",
        "jse",
        "vbs",
        "vbe",
    ),
    *("wsf", "wsh", "ps1", "bat", "cmd", "com", "exe", "scr", "pif", "msi", "jar", "lnk", "url", "website", "desktop"),
    *(
        "webloc",
        "command",
        "app",
        "reg",
        "scf",
        "inf",
        "chm",
        "iso",
        "docm",
        "xlsm",
        "pptm",
        "doc",
        "xls",
        "csv",
        "rtf",
    ),
)


@pytest.mark.parametrize("ending", ACTIVE)
def test_a_document_whose_ending_would_run_it_gets_a_file_that_does_not_run(ending: str) -> None:
    """Attack: `.html`, `.hta`, `.url` and others, linked from the page, ran when they were opened."""
    for written in (ending, ending.upper(), f"{ending}\u200b", f"{ending}.", f"{ending} "):
        for stem in ("memo", "memo.txt", ".", "memo\u202e"):
            file = filenames.file_name(1, 3, f"{stem}.{written}")
            assert file.startswith("0003-r1-")
            assert file.endswith(".txt")
            assert file.count(".") == 1


def test_deposits_are_read_as_they_were_written() -> None:
    sealed = {Role.ALICE: SealedRoot(bytes(80)), Role.TRENT: SealedRoot(bytes(range(80)))}
    assert secrets.decode_deposits(secrets.encode_deposits(sealed), "deposits.json") == sealed
    for bad in (b"", b"[]", b'{"alice":"00"}', b'{"carol":"%b"}' % (b"00" * 80), b'{"alice":1}'):
        with pytest.raises(BadQuestion, match="does not hold deposits"):
            secrets.decode_deposits(bad, "deposits.json")


def test_a_file_that_stands_twice_in_a_zip_is_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question.zip", history)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(filenames.INDEX, b"another page")
    with pytest.raises(BadQuestion, match="holds index.html twice"):
        question_file.read(path)


def test_an_encrypted_zip_says_what_to_do(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question.zip", history)
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02")
    data[place + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(BadQuestion, match="unpack it with its password first"):
        question_file.read(path)


def test_a_question_without_a_history_is_refused(tmp_path: Path, history: list[bytes]) -> None:
    path = write(tmp_path / "question", history)
    found = question_file.read(path)
    files = {name: digest for name, digest in found.request.files.items() if name != filenames.ENTRIES}
    signed = question.sign(TRENT, msgspec.structs.replace(found.request, files=files))
    (path / filenames.REQUEST).write_bytes(records.encode(signed))
    with pytest.raises(BadQuestion, match="has no history"):
        question_file.read(path)
