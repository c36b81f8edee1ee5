"""Field names: the usual ones are recognised, and the field file says the rest, with clear errors."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import BadSource
from protocol.loadfile import fieldfile
from protocol.loadfile.dat import DIALECTS, Dat, DatWriter, named_dialect, open_dat
from protocol.loadfile.fieldfile import FieldFile
from protocol.loadfile.fieldnames import BY_NAME, FIELDS, plain, recognise


def load(folder: Path, names: list[str], *rows: list[str]) -> Dat:
    path = folder / "load.dat"
    with path.open("wb") as stream:
        writer = DatWriter(stream, names)
        for row in rows:
            writer.write(row)
    return open_dat(path)


def test_no_name_stands_for_two_fields() -> None:
    names = [plain(name) for field in FIELDS for name in (field.usual, *field.others)]
    assert sorted(names) == sorted(set(names))
    assert len(BY_NAME) == len(FIELDS)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("BEGBATES", "begin"),
        ("Beg Doc#", "begin"),
        ("BegDoc#", "begin"),
        ("PRODBEG", "begin"),
        ("Prod_Beg", "begin"),
        ("DOCID", "begin"),
        ("Control Number", "begin"),
        ("ENDBATES", "end"),
        ("EndDoc#", "end"),
        ("BEGATTACH", "begin_family"),
        ("EndAttach", "end_family"),
        ("PARENTID", "parent"),
        ("Parent_ID", "parent"),
        ("AttachIDs", "attachments"),
        ("FAMILYID", "family"),
        ("Group Identifier", "family"),
        ("CUSTODIAN", "custodian"),
        ("All Custodians", "all_custodians"),
        ("DUPCUSTODIAN", "all_custodians"),
        ("From", "from"),
        ("AUTHOR", "author"),
        ("TO", "to"),
        ("Email CC", "cc"),
        ("BCC", "bcc"),
        ("DATESENT", "date_sent"),
        ("Sent Date", "date_sent"),
        ("TIMESENT", "time_sent"),
        ("DATERECEIVED", "date_received"),
        ("DATEMODIFIED", "date_modified"),
        ("EMAILSUBJECT", "subject"),
        ("Email Subject", "subject"),
        ("TITLE", "title"),
        ("FILENAME", "file_name"),
        ("File Name", "file_name"),
        ("FILEPATH", "path"),
        ("FILEEXT", "extension"),
        ("HASH", "hash"),
        ("MD5HASH", "md5"),
        ("MD5 Hash", "md5"),
        ("SHA-1", "sha1"),
        ("SHA256", "sha256"),
        ("NATIVELINK", "native_link"),
        ("NativePath", "native_link"),
        ("FILELINK", "native_link"),
        ("TEXTLINK", "text_link"),
        ("TextPath", "text_link"),
        ("EXTRACTEDTEXT", "text"),
        ("PAGECOUNT", "pages"),
    ],
)
def test_usual_names_are_recognised_whatever_their_case_and_punctuation(theirs: str, ours: str) -> None:
    assert recognise([theirs]).fields == {ours: theirs}


def test_of_two_names_for_the_same_the_more_usual_one_is_taken_and_the_other_told() -> None:
    found = recognise(["DOCID", "Reviewer Notes", "Beg Bates", "ControlNumber"])
    assert found.fields == {"begin": "Beg Bates"}
    assert found.second == {"DOCID": "begin", "ControlNumber": "begin"}
    assert found.unknown == ("Reviewer Notes",)


@pytest.mark.parametrize(
    ("values", "ours"),
    [
        (["TEXT\\1.txt", "", "text/2.TXT"], "text_link"),
        (["TEXT\\1.txt", "Dear Bob"], "text"),
        (["see\nTEXT\\1.txt"], "text"),
        ([""], "text"),
        ([], "text"),
    ],
)
def test_extracted_text_is_a_field_of_links_if_all_of_it_looks_like_links(
    tmp_path: Path, values: list[str], ours: str
) -> None:
    found = fieldfile.guess(load(tmp_path, ["DOCID", "Extracted Text"], *([str(n), v] for n, v in enumerate(values))))
    assert found.fields == {"begin": "DOCID", ours: "Extracted Text"}


def test_a_second_field_of_links_to_texts_is_not_used(tmp_path: Path) -> None:
    found = fieldfile.guess(load(tmp_path, ["DOCID", "TEXTLINK", "TEXT"], ["1", "a.txt", "b.txt"]))
    assert found.fields == {"begin": "DOCID", "text_link": "TEXTLINK"}
    assert found.second == {"TEXT": "text_link"}


WRITTEN = """\
# Which field of load.dat is what. Correct it, and give it to `tallystick corpus build` with --fields.
#
# Each line below [fields] gives our name of a field, then the load file's name of it. Put # before a line
# if the field is none of that. Fields without a line are not used, and the report of the corpus lists them.

[file]
encoding = "utf-8"  # one of utf-8, utf-16-le, utf-16-be, cp1252
delimiters = "concordance"  # a name, or the decimal codes of separator, qualifier and newline, such as 20,254,174

[fields]
begin = "Beg Bates"  # the first number of the document, by which others refer to it; here: "A1", "A2", "A3"
subject = "SUBJECT"  # the subject of a mail; here: "one\ufffdtwo", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"

# Not used, since another field was taken for the same:
# begin = "DOCID"  # here: "1", "2", "3"

# Not recognised, and not used unless you give them one of our names:
# ? = "Hot \\"Doc\\""  # empty here

# Our names that no field was recognised for:
# end = ""  # the last number of the document
"""


def test_a_field_file_tells_what_was_recognised_and_what_was_not_with_examples(tmp_path: Path) -> None:
    opened = load(
        tmp_path,
        ["DOCID", "Beg Bates", 'Hot "Doc"', "SUBJECT"],
        ["1", "A1", "", "one\ntwo"],
        ["2", "A2", " ", "x" * 50],
        ["3", "A3", "", ""],
        ["4", "A4", "", "one\ntwo"],
    )
    text = fieldfile.written(opened, fieldfile.guess(opened))
    assert text.startswith(WRITTEN)
    for field in FIELDS:
        assert f"{field.name} = " in text


NAMES = st.text(st.characters(exclude_characters="®", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf", "Cn", "Co"]))


@settings(deadline=None)
@given(
    st.lists(NAMES.map(str.strip).filter(lambda each: each and each.isprintable()), unique_by=str.casefold, max_size=4)
)
def test_a_field_file_that_was_written_is_read_back_whatever_the_names(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("names")
    opened = load(folder, ["DOCID", *(each for each in names if each.casefold() != "docid")])
    found = fieldfile.guess(opened)
    path = folder / "fields.toml"
    path.write_text(fieldfile.written(opened, found), encoding="utf-8")
    read = fieldfile.read(path)
    assert read == FieldFile(fields=found.fields, encoding="utf-8", dialect=DIALECTS["concordance"])
    fieldfile.check(path, read, opened)


def refusal(folder: Path, content: str | bytes) -> str:
    path = folder / "fields.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadSource) as caught:
        fieldfile.read(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[fields]", "fields.begin is missing: it is the first number of the document"),
        ("[fields]\nbegin = 'A'\nsubjekt = 'B'", "fields.subjekt is not one of our names (is it 'subject'?)"),
        ("[fields]\nbegin = 'A'\n'' = 'B'", "is not one of our names"),
        ("[fields]\nbegin = ''", "fields.begin is empty: put # before the line"),
        ("[fields]\nbegin = 'A'\nend = 'A'", "fields.end and fields.begin are both 'A'"),
        ("[fields]\nbegin = 7", "fields.begin is not a text between quotation marks"),
        ("[fields]\nbegin = 'A'\n[other]", "[other] is not a known section"),
        ("fields = 'A'", "fields is not a section"),
        ("[file]\nencoding = 'utf-7'\n[fields]\nbegin = 'A'", "file.encoding is 'utf-7': write one of utf-8,"),
        ("[file]\ndelimiters = 'x'\n[fields]\nbegin = 'A'", "file.delimiters: the delimiters 'x' are not known"),
        ("[file]\nnewline = 'x'\n[fields]\nbegin = 'A'", "file.newline is not known: it is encoding or delimiters"),
        ("[fields]\nbegin = A", "line 2, column"),
        ("[fields]\nbegin = 'A'\nbegin = 'B'", "Cannot overwrite a value"),
        (b"\xff", "not saved as UTF-8"),
        ("[fields]\nbegin = " + "[" * 100_000, "cannot be read"),
    ],
)
def test_a_field_file_that_makes_no_sense_is_refused_with_what_to_write(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    assert reason in refusal(tmp_path, content)


def test_everything_wrong_is_listed_at_once(tmp_path: Path) -> None:
    assert refusal(tmp_path, "[file]\nencoding = 'x'\n[fields]\na = ''\n").count("\n  - ") == 4


def test_a_field_that_the_load_file_does_not_have_is_refused_with_what_may_be_meant(tmp_path: Path) -> None:
    opened = load(tmp_path, ["DOCID", "SUBJECT"])
    with pytest.raises(BadSource, match=r"fields.subject: load.dat has no field 'Subjct' \(is it 'SUBJECT'\?\)"):
        fieldfile.check(tmp_path / "f", FieldFile(fields={"begin": "DOCID", "subject": "Subjct"}), opened)


def test_codes_of_delimiters_and_a_file_saved_by_a_windows_editor_are_read(tmp_path: Path) -> None:
    path = tmp_path / "fields.toml"
    path.write_bytes("[file]\ndelimiters = '124,94,126'\r\n[fields]\r\nbegin = 'A'\r\n".encode("utf-16"))
    assert fieldfile.read(path).dialect == named_dialect("124,94,126")


def test_a_field_file_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="cannot be read: No such file"):
        fieldfile.read(tmp_path / "none")


def test_the_names_of_a_volume_are_given_in_the_same_way_and_none_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    path.write_text("[fields]\nsubject = 'EMAIL_SUBJECT'\n")
    assert fieldfile.read_names(path) == {"subject": "EMAIL_SUBJECT"}
    path.write_text("[file]\nencoding = 'utf-8'\n[fields]\nsubject = 'X'\ntitle = 'X'\nfoo = 'Y'")
    with pytest.raises(BadSource) as caught:
        fieldfile.read_names(path)
    assert str(caught.value).count("\n  - ") == 3
