"""JSON Lines and CSV as sources: every document comes out, and everything else is listed with its reason."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import BadSource
from protocol.sources import registry, source
from protocol.sources.formats import jsonl
from protocol.sources.intake import Intake
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Columns, SourceDocument

Read = tuple[list[SourceDocument], list[Problem]]


def read(path: Path, columns: Columns | None = None) -> Read:
    items = list(registry.find(path, columns).read())
    return list(Intake().take(items)), [i for i in items if isinstance(i, Problem)]


def read_lines(folder: Path, *lines: bytes | dict[str, Any], name: str = "source.jsonl") -> Read:
    path = folder / name
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return read(path)


def plain(document: SourceDocument) -> tuple[str, bytes, str, tuple[str, ...]]:
    return document.name, document.content, document.text, document.labels


def causes(problems: list[Problem]) -> list[tuple[str, Cause]]:
    return [(problem.where, problem.cause) for problem in problems]


GOOD = {"id": "good", "text": "some text"}


# JSON Lines


def test_a_json_line_is_a_document_whose_content_is_its_text(tmp_path: Path) -> None:
    line = {"id": "a", "text": "Gr\u00fc\u00dfe\n\0end", "labels": ["x", "y", "x"], "other": [1.5, None]}
    documents, problems = read_lines(tmp_path, line)
    text = "Gr\u00fc\u00dfe\n\0end"
    assert [plain(each) for each in documents] == [("a", text.encode(), text, ("x", "y"))]
    assert (documents[0].parts[0].tool, documents[0].parts[0].options) == ("", "")  # nothing was extracted
    assert not problems


def test_ids_may_be_whole_numbers_and_labels_may_be_missing_or_null(tmp_path: Path) -> None:
    documents, problems = read_lines(tmp_path, {"id": 7, "text": "a"}, {"id": "8", "text": "b", "labels": None})
    assert [(document.name, document.labels) for document in documents] == [("7", ()), ("8", ())]
    assert not problems


def test_byte_order_mark_windows_line_ends_and_empty_lines_are_nothing(tmp_path: Path) -> None:
    documents, problems = read_lines(tmp_path, b'\xef\xbb\xbf{"id":1,"text":"a"}\r', b"\r", b"", b'{"id":2,"text":"b"}')
    assert [document.name for document in documents] == ["1", "2"]
    assert not problems


BAD_LINES: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"hello", "not JSON"),
    "cut short": (b'{"id": "a", "text": "b', "not JSON"),
    "two values": (b'{"id":1,"text":"a"} {}', "not JSON"),
    "a list": (b"[1, 2]", "not an object"),
    "a string": (b'"text"', "not an object"),
    "no id": (b'{"text": "a"}', "it has no 'id'; its keys: 'text'"),
    "no text": (b'{"id": "a"}', "it has no 'text'; its keys: 'id'"),
    "nothing": (b"{}", "it has no 'id'; its keys: none"),
    "an empty id": (b'{"id": " ", "text": "a"}', "its id is empty"),
    "a true id": (b'{"id": true, "text": "a"}', "neither a string nor a whole number"),
    "a fraction as id": (b'{"id": 1.5, "text": "a"}', "neither a string nor a whole number"),
    "no id but null": (b'{"id": null, "text": "a"}', "neither a string nor a whole number"),
    "a number as text": (b'{"id": "a", "text": 7}', "'text' is not a string"),
    "null as text": (b'{"id": "a", "text": null}', "'text' is not a string"),
    "a label alone": (b'{"id": "a", "text": "b", "labels": "x"}', "'labels' is not a list of strings"),
    "a number as label": (b'{"id": "a", "text": "b", "labels": ["x", 1]}', "'labels' is not a list of strings"),
    "an empty label": (b'{"id": "a", "text": "b", "labels": [""]}', "'labels' is not a list of strings"),
    "a key twice": (b'{"id": "a", "text": "b", "text": "c"}', "a key occurs twice"),
    "too deep": (b'{"id": "a", "text": ' + b"[" * 100_000, "not JSON"),
    "a number too long": (b'{"id": ' + b"1" * 5000 + b', "text": "a"}', "not JSON"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_left_out_and_listed_with_its_number_and_reason(tmp_path: Path, case: str) -> None:
    line, reason = BAD_LINES[case]
    documents, problems = read_lines(tmp_path, {**GOOD, "id": "before"}, line, {**GOOD, "id": "after"})
    assert [document.name for document in documents] == ["before", "after"]
    assert causes(problems) == [("line 2", Cause.BAD_LINE)]
    assert reason in problems[0].detail
    assert not problems[0].cause.kept


def test_a_line_too_long_to_hold_is_one_bad_line_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (jsonl, source):
        monkeypatch.setattr(module, "MAX_PIECE", 64)
    documents, problems = read_lines(tmp_path, {"id": 1, "text": "x" * 1000}, GOOD)
    assert [document.name for document in documents] == ["good"]
    assert causes(problems) == [("line 1", Cause.BAD_LINE)]


@pytest.mark.parametrize("text", ["", " \n\t", "-- !? --"])
def test_a_text_without_a_token_is_kept_and_listed(tmp_path: Path, text: str) -> None:
    documents, problems = read_lines(tmp_path, {"id": "a", "text": text})
    assert [document.text for document in documents] == [text]
    assert causes(problems) == [("line 1", Cause.EMPTY_TEXT)]
    assert problems[0].cause.kept


@pytest.mark.parametrize("text", ["a", "7", "\u00e9", "\u4e2d", "\U0001f600", "\x80"])
def test_a_text_of_one_token_is_not_empty(tmp_path: Path, text: str) -> None:
    assert not read_lines(tmp_path, {"id": "a", "text": text})[1]


def test_bytes_that_are_not_utf8_become_u_fffd_and_are_listed(tmp_path: Path) -> None:
    documents, problems = read_lines(tmp_path, b'{"id": "a", "text": "touch\xe9 noir"}')
    assert documents[0].text == "touch\ufffd noir"
    assert documents[0].content == "touch\ufffd noir".encode()
    assert causes(problems) == [("line 1", Cause.UNDECODABLE)]


def test_half_characters_become_u_fffd_and_are_listed_and_whole_ones_stay(tmp_path: Path) -> None:
    line = rb'{"id": "a\udc00", "text": "x\ud800y\ud83d\ude00", "labels": ["l\udfff"]}'
    documents, problems = read_lines(tmp_path, line)
    text = "x\ufffdy\U0001f600"
    assert [plain(each) for each in documents] == [("a\ufffd", text.encode(), text, ("l\ufffd",))]
    assert {cause for _, cause in causes(problems)} == {Cause.UNDECODABLE}


@settings(deadline=None, max_examples=100)
@given(st.lists(st.binary(max_size=60) | st.sampled_from([line for line, _ in BAD_LINES.values()]), max_size=6))
def test_any_lines_end_in_documents_and_problems_and_never_in_another_error(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    documents, problems = read_lines(tmp_path_factory.mktemp("any"), json.dumps(GOOD).encode(), *lines)
    assert documents[0].name == "good"
    for document in documents:
        document.text.encode()
    filled = [line for piece in lines for line in piece.split(b"\n") if line.strip()]
    assert len({problem.where for problem in problems}) + len(documents) > len(filled)


# Names


def test_the_same_id_with_the_same_text_is_left_out_and_listed(tmp_path: Path) -> None:
    documents, problems = read_lines(tmp_path, GOOD, {**GOOD, "labels": ["x"]})
    assert len(documents) == 1
    assert causes(problems) == [("line 2", Cause.REPEATED_DOCUMENT)]
    assert not problems[0].cause.kept


def test_the_same_id_with_another_text_gets_a_number_and_is_listed(tmp_path: Path) -> None:
    texts = ["one", "two", "three", "two", "one"]
    documents, problems = read_lines(tmp_path, *({"id": "a", "text": text} for text in texts))
    assert [(document.name, document.text) for document in documents] == [
        ("a", "one"),
        ("a (2)", "two"),
        ("a (3)", "three"),
    ]
    assert causes(problems) == [
        ("line 2", Cause.REPEATED_ID),
        ("line 3", Cause.REPEATED_ID),
        ("line 4", Cause.REPEATED_DOCUMENT),
        ("line 5", Cause.REPEATED_DOCUMENT),
    ]


def test_a_number_given_to_a_repeated_id_takes_no_name_from_another(tmp_path: Path) -> None:
    ids = ["a", "a (2)", "a", "a (3)"]
    documents, _ = read_lines(tmp_path, *({"id": id_, "text": f"text {n}"} for n, id_ in enumerate(ids)))
    assert [document.name for document in documents] == ["a", "a (2)", "a (3)", "a (3) (2)"]


def test_a_thousand_documents_of_one_id_all_stay(tmp_path: Path) -> None:
    documents, problems = read_lines(tmp_path, *({"id": "x", "text": f"t{n}"} for n in range(1000)))
    assert len({document.name for document in documents}) == 1000
    assert len(problems) == 999


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "a (2)", "a (3)", "b"]), st.sampled_from("xyz")), min_size=1))
def test_names_are_unique_and_no_id_with_its_text_is_lost(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    documents, problems = read_lines(tmp_path_factory.mktemp("names"), *({"id": i, "text": t} for i, t in pairs))
    assert len({document.name for document in documents}) == len(documents)
    assert {document.text for document in documents} == {text for _, text in pairs}
    left_out = sum(not problem.cause.kept for problem in problems)
    assert len(documents) + left_out == len(pairs)


# CSV


def read_table(folder: Path, text: str | bytes, columns: Columns | None = None) -> Read:
    path = folder / "source.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, columns)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_read_whatever_separates_its_columns(tmp_path: Path, delimiter: str) -> None:
    stream = io.StringIO()
    rows = [
        ["date", "id", "labels", "text"],
        ["x", "1", " p;q ; ", f'a "quoted" {delimiter}\nsecond line'],
        ["", "2", "", "b"],
    ]
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    documents, problems = read_table(tmp_path, b"\xef\xbb\xbf" + stream.getvalue().encode())
    assert [(d.name, d.text, d.labels) for d in documents] == [("1", rows[1][3], ("p", "q")), ("2", "b", ())]
    assert documents[0].content == rows[1][3].encode()
    assert not problems


def test_columns_may_have_other_names_in_tables_and_in_json(tmp_path: Path) -> None:
    columns = Columns(id="No", text="Body", labels="Tags")
    documents, _ = read_table(tmp_path, "No,Body,Tags\n1,hello,a;b\n", columns)
    (tmp_path / "s.jsonl").write_text('{"No": 1, "Body": "hello", "Tags": ["a", "b"]}')
    assert documents == read(tmp_path / "s.jsonl", columns)[0]
    assert documents[0].labels == ("a", "b")


@pytest.mark.parametrize(
    ("header", "columns", "reason"),
    [
        ("id,body", Columns(), "no column text; it names id, body"),
        ("a;b;c", Columns(), "no column id, text; it names a, b, c"),
        ("id,text", Columns(labels="tags"), "no column tags"),
        ("id,text,text", Columns(), "names a column twice"),
        ("id,text,labels,labels", Columns(), "names a column twice"),
        ("id,text\rone,two", Columns(), "cannot be read as CSV"),
        ("\n", Columns(), "it names none"),
    ],
)
def test_a_table_without_the_columns_is_refused(tmp_path: Path, header: str, columns: Columns, reason: str) -> None:
    with pytest.raises(BadSource, match=reason):
        read_table(tmp_path, header + "\nx,y\n", columns)


def test_bad_rows_are_left_out_and_listed_with_their_lines(tmp_path: Path) -> None:
    rows = 'id,text\n1,"a\nb"\n2\n3,c,d\n\n"4"x,e\n ,f\n5,g\rh\n6,"never\nclosed'
    documents, problems = read_table(tmp_path, rows)
    assert [(document.name, document.text) for document in documents] == [("1", "a\nb")]
    assert causes(problems) == [
        (where, Cause.BAD_LINE) for where in ("line 4", "line 5", "line 7", "line 8", "line 9", "lines 10 to 11")
    ]


def test_bad_bytes_in_a_table_become_u_fffd_and_are_listed_for_their_row_only(tmp_path: Path) -> None:
    documents, problems = read_table(tmp_path, b'id,text\n1,"touch\xe9\nnoir"\n2,b\n')
    assert [document.text for document in documents] == ["touch\ufffd\nnoir", "b"]
    assert causes(problems) == [("lines 2 to 3", Cause.UNDECODABLE)]


def test_a_field_may_be_longer_than_the_librarys_limit(tmp_path: Path) -> None:
    documents, _ = read_table(tmp_path, f"id,text\n1,{'x' * 1_000_000}\n")
    assert len(documents[0].text) == 1_000_000


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_any_table_ends_in_documents_and_problems_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: bytes
) -> None:
    documents, _ = read_table(tmp_path_factory.mktemp("any"), b"id,text\ngood,some text\n" + rows)
    assert documents[0].name == "good"


# What is no source


def test_a_file_that_is_no_table_and_that_no_reader_knows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.bin").write_bytes(bytes(99))
    with pytest.raises(BadSource, match="s.bin holds no document. The first problem: s.bin: other file: no reader"):
        read(tmp_path / "s.bin")


def test_a_single_file_that_a_reader_knows_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("some words")
    documents, problems = read(tmp_path / "s.txt")
    assert [(document.name, document.text) for document in documents] == [("s.txt", "some words")]
    assert not problems


def test_what_does_not_exist_or_is_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="does not exist; a source is JSON Lines"):
        read(tmp_path / "nothing.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(BadSource, match="empty.jsonl is empty"):
        read(tmp_path / "empty.jsonl")


def test_a_source_without_a_document_is_refused_with_its_first_problem(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="holds no document. The first problem: line 1: bad line: it has no 'id'"):
        read_lines(tmp_path, {"key": "a"}, b"x")
    with pytest.raises(BadSource, match="holds no document$"):
        read_lines(tmp_path, b"  ")
    with pytest.raises(BadSource, match="holds no document$"):
        read_table(tmp_path, "id,text\n")


def test_utf16_is_refused_before_every_line_is_listed(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="saved as UTF-16"):
        read_lines(tmp_path, json.dumps(GOOD).encode("utf-16"))


# Compressed


def packed(folder: Path) -> Path:
    path = folder / "s.jsonl.gz"
    lines = [json.dumps({"id": n, "text": f"text {n} {n**50}"}) for n in range(3000)]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def test_a_compressed_source_reads_as_the_plain_one(tmp_path: Path) -> None:
    path = packed(tmp_path)
    (tmp_path / "p.jsonl").write_bytes(gzip.decompress(path.read_bytes()))
    assert read(path) == read(tmp_path / "p.jsonl")
    assert len(read(path)[0]) == 3000


@pytest.mark.parametrize("damage", ["cut short", "changed", "trailer gone", "second part broken", "junk after it"])
def test_a_damaged_compressed_source_is_refused_with_how_far_it_could_be_read(tmp_path: Path, damage: str) -> None:
    path = packed(tmp_path)
    whole = path.read_bytes()
    half = len(whole) // 2
    damaged = {
        "cut short": whole[:half],
        "changed": whole[:half] + bytes(50) + whole[half + 50 :],
        "trailer gone": whole[:-8],
        "second part broken": whole + whole[:10] + b"\x07" + whole[11:],  # a kind of block that does not exist
        "junk after it": whole + b"junk",
    }
    path.write_bytes(damaged[damage])
    with pytest.raises(BadSource, match=r"damaged or cut short after \d{3,} documents"):
        read(path)


def test_a_compressed_source_without_a_first_byte_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path)
    whole = path.read_bytes()
    for broken in (whole[:5], whole[:10] + b"\x07" + whole[11:]):
        path.write_bytes(broken)
        with pytest.raises(BadSource, match="damaged at its start"):
            read(path)


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_progress_comes_to_the_size_of_the_file_as_it_lies_there(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path)
    if name == "s.jsonl":
        path = tmp_path / name
        path.write_bytes(gzip.decompress((tmp_path / "s.jsonl.gz").read_bytes()))
    source = registry.find(path)
    told: list[int] = []
    assert sum(isinstance(each, SourceDocument) for each in source.read(told.append)) == 3000
    assert told == sorted(told)
    assert told[-1] == source.total == path.stat().st_size
    assert len(set(told)) > 2
