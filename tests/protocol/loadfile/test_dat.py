"""Concordance DAT: what was written is read back, and each broken line is told with its number."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import BadSource, Unwritable
from protocol.loadfile import dat, lines
from protocol.loadfile.dat import CONCORDANCE, DIALECTS, Dat, DatWriter, Dialect, Row, fitted, open_dat
from protocol.loadfile.lines import ENCODINGS, Flaw, FlawKind

HEADER = "þDOCIDþ\x14þCUSTODIANþ\x14þTEXTþ"
GOOD = "þA1þ\x14þAnnþ\x14þwordsþ"


def opened(folder: Path, content: bytes | str, **given: str | Dialect) -> Dat:
    path = folder / "load.dat"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_dat(path, **given)  # type: ignore[arg-type]


def read(folder: Path, *rows: bytes | str, **given: str | Dialect) -> tuple[list[tuple[str, ...]], list[Flaw]]:
    content = b"\r\n".join(each if isinstance(each, bytes) else each.encode() for each in (HEADER, *rows, ""))
    items = list(opened(folder, content, **given).rows())
    return [each.values for each in items if isinstance(each, Row)], [each for each in items if isinstance(each, Flaw)]


def written(names: list[str], *rows: list[str], dialect: Dialect = CONCORDANCE, encoding: str = "utf-8") -> bytes:
    stream = io.BytesIO()
    writer = DatWriter(stream, names, dialect=dialect, encoding=encoding)
    for row in rows:
        writer.write(row)
    return stream.getvalue()


# What is read


def test_a_line_is_a_document_and_the_first_one_names_the_fields(tmp_path: Path) -> None:
    found = opened(tmp_path, f"{HEADER}\r\n{GOOD}\r\n")
    assert found.names == ("DOCID", "CUSTODIAN", "TEXT")
    rows = list(found.rows())
    assert [each.values for each in rows if isinstance(each, Row)] == [("A1", "Ann", "words")]
    assert [each.line for each in rows if isinstance(each, Row)] == [2]


def test_the_sign_for_newlines_becomes_one(tmp_path: Path) -> None:
    assert read(tmp_path, "þA1þ\x14þAnnþ\x14þone®®twoþ")[0] == [("A1", "Ann", "one\n\ntwo")]


def test_fields_without_qualifiers_and_empty_ones_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "A1\x14\x14þwordsþ", "þþ\x14þþ\x14", "A2\x14Ben\x14x y")[0] == [
        ("A1", "", "words"),
        ("", "", ""),
        ("A2", "Ben", "x y"),
    ]


def test_a_qualifier_within_a_field_is_a_letter_and_two_are_one(tmp_path: Path) -> None:
    rows, flaws = read(tmp_path, "þA1þ\x14þGuðmundur þórþ\x14þaþþbþ", "þA2þ\x14þþþ1þ\x14þendþþþ")
    assert rows == [("A1", "Guðmundur þór", "aþb"), ("A2", "þ1", "endþ")]
    assert not flaws


def test_empty_lines_and_the_end_sign_of_ms_dos_are_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "", GOOD, "", "\x1a")[0] == [("A1", "Ann", "words")]
    assert not read(tmp_path, "", GOOD, "", "\x1a")[1]


def test_the_last_line_may_lack_its_end(tmp_path: Path) -> None:
    assert len(list(opened(tmp_path, f"{HEADER}\n{GOOD}").rows())) == 1


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-8 without a mark"])
def test_every_encoding_is_found_from_the_start_of_the_file(tmp_path: Path, encoding: str) -> None:
    text = f"{HEADER}\r\nþA1þ\x14þMüller ਊ Ċþ\x14þ„x“®yþ\r\n"  # these letters hold the byte 0x0a in UTF-16
    if encoding == "cp1252":
        text = text.replace(" ਊ Ċ", "")
    name = encoding.removesuffix(" without a mark")
    mark = "" if encoding in ("cp1252", "utf-8 without a mark") else "\ufeff"
    found = opened(tmp_path, (mark + text).encode(name))
    assert found.encoding.name == name
    (row,) = found.rows()
    assert isinstance(row, Row)
    assert row.values == ("A1", "Müller" if encoding == "cp1252" else "Müller ਊ Ċ", "„x“\ny")


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("DOCID,TEXT", "comma"),
        ('"DOCID","TEXT"', "comma"),
        ('"DOC,ID";"TEXT"', "semicolon"),
        ("^DOCID^|^TEXT^", "pipe"),
        ("^DOCID^|^CUSTODIAN^|^TEXT^", "pipe"),
        ("DOCID|TEXT", "pipe"),
        ("|DOCID|^|TEXT|", "caret"),
        ("DOCID\tTEXT", "tab"),
        ('"DOCID"\t"TEXT"', "tab"),
        ("DOCID\x14TEXT", "concordance"),
        ("þDOCIDþ", "concordance"),
    ],
)
def test_delimiters_are_found_from_the_first_line(tmp_path: Path, first: str, name: str) -> None:
    found = opened(tmp_path, first + "\n")
    assert dat.dialect_text(found.dialect) == name


def test_odd_delimiters_can_be_given_by_their_codes(tmp_path: Path) -> None:
    dialect = dat.named_dialect("1,2,3")
    found = opened(tmp_path, "\x02A\x02\x01\x02B\x02\n\x02x\x03y\x02\x01z\n", dialect=dialect)
    (row,) = found.rows()
    assert isinstance(row, Row)
    assert row.values == ("x\ny", "z")
    assert dat.dialect_text(dialect) == "1,2,3"


@pytest.mark.parametrize(
    "text", ["", "colon", "20,254", "20,254,254", "20,10,174", "0,1,2", "a,b,c", "20,254,1740", "²,1,3"]
)
def test_delimiters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(BadSource, match="delimiters"):
        dat.named_dialect(text)


# What is wrong with a first line


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the first line is empty"),
        (b"\r\nx", "the first line is empty"),
        (b"DOCID\nA1\n", "line 1: no known separator is in it: 'DOCID'"),
        ("þAþ\x14þþ\x14þCþ", "line 1: field 2 of 3 has no name"),
        ("þAþ\x14þBþ\x14", "line 1: field 3 of 3 has no name"),
        ("þDocIDþ\x14þTEXTþ\x14þDOCIDþ", "line 1: fields 1 and 3 are both called 'DOCID'"),
        ("þAþ\x14þB", "line 1: field 2 begins with the qualifier"),
        ("þAþ\x14Bþ", "line 1: field 2 holds the qualifier"),
        ("þAþ\x14þBþ".encode("utf-16-le"), "line 1: it holds zero bytes, as UTF-16 does, and no byte order mark"),
        (b"\xef\xbb\xbfA,\xff", "line 1: byte 3 of the line is not utf-8"),
        (b"A,\x81\xfe", "line 1: byte 3 of the line is not cp1252"),
    ],
)
def test_a_file_without_good_field_names_is_refused(tmp_path: Path, content: bytes | str, reason: str) -> None:
    with pytest.raises(BadSource, match=reason):
        opened(tmp_path, content)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="cannot be read: No such file"):
        open_dat(tmp_path / "none.dat")
    with pytest.raises(BadSource, match="a folder, not a file"):
        open_dat(tmp_path)


def test_an_encoding_that_is_unknown_or_not_that_of_the_mark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="'klingon' is not known"):
        opened(tmp_path, HEADER, encoding="klingon")
    with pytest.raises(BadSource, match="it is marked as utf-8, not as utf-16-le"):
        opened(tmp_path, "\ufeff" + HEADER, encoding="utf-16-le")


def test_utf16_without_a_mark_is_read_if_it_is_given(tmp_path: Path) -> None:
    (row,) = opened(tmp_path, f"{HEADER}\n{GOOD}\n".encode("utf-16-be"), encoding="utf-16-be").rows()
    assert isinstance(row, Row)
    assert row.values == ("A1", "Ann", "words")


# What is wrong with a line


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("þA2þ\x14þBenþ", FlawKind.BAD_LINE, "2 fields under 3 names"),
        ("þA2þ\x14þBenþ\x14þxþ\x14þyþ", FlawKind.BAD_LINE, "4 fields under 3 names"),
        ("A2,Ben,x", FlawKind.BAD_LINE, "1 fields under 3 names"),
        ("þA2þ\x14þBenþ\x14þx", FlawKind.BAD_LINE, "field 3 begins with the qualifier 'þ', and the line ends"),
        ("þA2þ\x14þBen\x14þxþ", FlawKind.BAD_LINE, "2 fields under 3 names"),
        ("þA2þ\x14Benþ\x14þxþ", FlawKind.BAD_LINE, "field 2 holds the qualifier"),
        (b"\xc3\xbeA2\xc3\xbe\x14x\x14\xff\xfe", FlawKind.UNDECODABLE, "byte 10 of the line is not utf-8"),
    ],
)
def test_a_broken_line_is_told_with_its_number_and_the_others_are_read(
    tmp_path: Path, line: bytes | str, kind: FlawKind, reason: str
) -> None:
    rows, flaws = read(tmp_path, GOOD, line, GOOD)
    assert rows == [("A1", "Ann", "words")] * 2
    (flaw,) = flaws
    assert (flaw.where, flaw.kind) == ("load.dat, line 3", kind)
    assert reason in flaw.detail
    assert not flaw.kind.kept


def test_lines_after_a_stray_newline_are_told_as_such(tmp_path: Path) -> None:
    rows, flaws = read(tmp_path, GOOD, "þA2þ\x14þBenþ\x14þone", "two", "", "threeþ", GOOD, "x")
    assert len(rows) == 2
    assert [flaw.line for flaw in flaws] == [3, 4, 6, 8]
    assert "the line ends before its end" in flaws[0].detail
    for flaw in flaws[1:3]:
        assert flaw.detail.startswith("it seems to continue line 3, which a stray newline cut short")
    assert flaws[3].detail == "1 fields under 3 names"


def test_the_wrong_encoding_is_told_for_each_line_it_does_not_fit(tmp_path: Path) -> None:
    content = "DOCID,TEXT\nA1,x\nA2,Müller\n".encode("cp1252")
    items = list(opened(tmp_path, content).rows())
    assert [each.line for each in items if isinstance(each, Flaw)] == [3]
    assert not any(isinstance(each, Flaw) for each in opened(tmp_path, content, encoding="cp1252").rows())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("length", [45, 46, 47, 48, 49, 100, 145, 146, 147, 148, 149, 150, 1000])
def test_a_line_too_long_to_hold_is_one_flaw_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, length: int
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 100)
    text = f"\ufeffA,B\nx,{'y' * length}\nC,D\n"
    rows = list(opened(tmp_path, text.encode(encoding)).rows())
    last = rows[-1]
    assert isinstance(last, Row)
    assert (last.line, last.values) == (3, ("C", "D"))
    assert len(rows) == 2
    size = len(f"x,{'y' * length}\n".encode(encoding))
    assert isinstance(rows[0], Flaw) == (size >= 100)


@settings(deadline=None, max_examples=100)
@given(
    st.binary(max_size=60), st.sampled_from([HEADER.encode(), b"\xff\xfeA\0,\0B\0\n", b"A|B", HEADER.encode("cp1252")])
)
def test_any_bytes_end_in_rows_and_flaws_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, header: bytes
) -> None:
    try:
        found = opened(tmp_path_factory.mktemp("any"), header + content)
    except BadSource:
        return
    for item in found.rows():
        assert isinstance(item, Flaw) or len(item.values) == len(found.names)


def test_a_row_can_be_read_again_from_its_place_unless_the_file_was_changed(tmp_path: Path) -> None:
    for encoding in ENCODINGS:
        found = opened(tmp_path, written(["A", "B"], ["1", "þ\nx"], ["2", "y"], encoding=encoding))
        rows = list(found.rows())
        with found.path.open("rb") as stream:
            for row in reversed(rows):
                assert isinstance(row, Row)
                assert found.row_at(stream, row.start, row.line) == row
            with pytest.raises(BadSource, match="line 7: it was changed while it was read"):
                found.row_at(stream, 10**6, 7)


# What is written

VALUES = st.text(st.sampled_from('ab þ"^|,;\n\t\x9fé„')) | st.text()


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(VALUES, VALUES), max_size=5),
    st.sampled_from(sorted(DIALECTS)),
    st.sampled_from(ENCODINGS),
)
def test_what_was_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], name: str, encoding: str
) -> None:
    dialect = DIALECTS[name]
    fit = [[fitted(value, dialect=dialect, encoding=encoding) for value in row] for row in rows]
    content = written(["Doc ID", "þext"], *fit, dialect=dialect, encoding=encoding)
    given = {"encoding": encoding} if encoding == "cp1252" else {}
    found = opened(tmp_path_factory.mktemp("back"), content, dialect=dialect, **given)
    assert found.names == ("Doc ID", "þext")
    items = list(found.rows())
    assert [list(each.values) for each in items if isinstance(each, Row)] == fit
    assert len(items) == len(fit)


@settings(max_examples=100)
@given(VALUES, st.sampled_from(ENCODINGS))
def test_a_value_is_written_as_it_is_or_refused_and_a_fitted_one_is_always_written(value: str, encoding: str) -> None:
    fit = fitted(value, encoding=encoding)
    written(["A"], [fit], encoding=encoding)
    assert fitted(fit, encoding=encoding) == fit
    try:
        written(["A"], [value], encoding=encoding)
    except Unwritable:
        assert fit != value
    else:
        assert fit == value


def test_a_registered_trademark_is_spelled_out_and_line_ends_become_newlines() -> None:
    assert fitted("Acme® one\r\ntwo\rthree\n\0\ud800") == "Acme(R) one\ntwo\nthree\n\ufffd\ufffd"
    assert fitted("Ω", encoding="cp1252") == "?"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("Acme®", "line 2, field B: a load file cannot hold U\\+00AE"),
        ("a\x14b", "cannot hold U\\+0014"),
        ("a\r\nb", "cannot hold U\\+000D"),
        ("a\0", "cannot hold U\\+0000"),
        ("\u2028", "cannot hold U\\+2028"),
        ("\ud800", "cannot hold U\\+D800"),
        ("Ω", "cp1252 has no U\\+03A9"),
    ],
)
def test_a_value_that_would_be_read_back_as_another_is_refused(value: str, reason: str) -> None:
    with pytest.raises(Unwritable, match=reason):
        written(["A", "B"], ["x", value], encoding="cp1252")


@pytest.mark.parametrize("names", [["A", "a"], [""], [" A"], ["A\nB"], ["A®"], ["A\x14"]])
def test_names_that_would_be_read_back_as_others_are_refused(names: list[str]) -> None:
    with pytest.raises(Unwritable):
        written(names)


def test_a_row_of_another_length_and_an_unknown_encoding_are_refused() -> None:
    with pytest.raises(Unwritable, match="line 2: 1 values for 2 fields"):
        written(["A", "B"], ["x"])
    with pytest.raises(Unwritable, match="'ebcdic' is not known"):
        written(["A"], encoding="ebcdic")


def test_several_values_are_one_field_and_back(tmp_path: Path) -> None:
    assert dat.multiple(dat.joined(["Ann", "Ben B."])) == ("Ann", "Ben B.")
    assert dat.multiple(" ;a;; b ;") == ("a", "b")
    for bad in ("a;b", "", " a"):
        with pytest.raises(Unwritable, match="cannot be one of several values"):
            dat.joined([bad])
