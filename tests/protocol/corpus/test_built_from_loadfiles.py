"""Corpora from load files: families of records with their fields, texts that are given, natives, and clear problems."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocol.commands.corpus import corpus as command
from protocol.corpus import account
from protocol.corpus.corpus import Corpus
from protocol.loadfile.dat import DatWriter

NAMES = (
    "BEGBATES|ENDBATES|BEGATTACH|ENDATTACH|CUSTODIAN|ALLCUSTODIANS|FROM|TO|CC|DATESENT|FILENAME|FILEPATH|"
    "TEXTLINK|NATIVELINK"
)


def load(folder: Path, names: str, *rows: str) -> Path:
    """A load file; fields are separated by |."""
    path = folder / "VOL1/DATA/load.dat"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        writer = DatWriter(stream, names.split("|"))
        for row in rows:
            writer.write(row.split("|"))
    return path


def put(folder: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = folder / "VOL1" / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done.output


def build(path: Path, *options: object) -> tuple[Corpus, dict[str, Any], dict[str, int]]:
    out = path.parents[2] / "corpus"
    value = json.loads(run("build", path, "--out", out, "--json", *options))
    made = Corpus.open(out)
    assert not account.fault(made.account, made.size, made.unit)
    return made, value, {made.name(number): number for number in range(made.size)}


def listed(corpus: Corpus) -> list[tuple[str, str, bool]]:
    found = json.loads((corpus.path / "report.json").read_text())["listed"]
    return [(each["where"], each["cause"], each["kept"]) for each in found]


def test_families_of_records_have_their_fields_texts_and_natives(tmp_path: Path) -> None:
    path = load(
        tmp_path,
        NAMES,
        r"A1|A2|A1|A3|Ann|Ann; Ben|a@x|b@x|c@x|01/02/2003|mail.msg|in\box|TEXT\1.txt|NATIVES\1.bin",
        r"A3|A3|A1|A3|Ann|||||||||NATIVES\3.txt",
        r"A4|A4|||Cy||||||||TEXT\4.txt|",
    )
    put(
        tmp_path, TEXT__1_txt="the given text", NATIVES__1_bin=bytes(99), NATIVES__3_txt="native words", TEXT__4_txt="4"
    )
    made, value, numbers = build(path)
    assert value["problems"] == {}
    counts = ("items", "containers", "families", "entered", "parts", "custodians")
    assert [value["account"][each] for each in counts] == [3, 1, 2, 2, 3, 3]
    assert set(numbers) == {"A1", "A4"}
    first, attached = (made.fields(numbers["A1"], part) for part in (0, 1))
    assert (made.part_text(numbers["A1"], 0), made.content(numbers["A1"], 0)) == ("the given text", bytes(99))
    assert (made.part_text(numbers["A1"], 1), made.content(numbers["A1"], 1)) == ("native words", b"native words")
    assert (first.log.author, first.log.recipients, first.log.date) == ("a@x", "b@x; c@x", "01/02/2003")
    assert (first.rest.custodians, first.rest.paths) == (("Ann", "Ben"), ("in\\box",))
    assert first.rest.extraction.options == "the text that the load file links to, as utf-8"
    assert (attached.log.parent, attached.rest.name, attached.log.type) == (0, "A3", "text")
    assert attached.rest.extraction.options.startswith("encoding ")
    assert first.rest.fields.items() >= {"begin": "A1", "end": "A2", "file_name": "mail.msg", "from": "a@x"}.items()
    other = made.fields(numbers["A4"])
    assert (made.content(numbers["A4"]), other.rest.paths) == (b"4", ("load.dat/A4",))


def test_the_items_are_the_load_file_and_its_families_in_order(tmp_path: Path) -> None:
    path = load(tmp_path, "DOCID|PARENTID|TEXT", "1||one", "2|1|two", "3||three", "4||four")
    with path.open("ab") as stream:
        stream.write("þonly one fieldþ\r\n".encode())
    made, _, numbers = build(path)
    items = [json.loads(line) for line in b"".join(made.items().pieces()).splitlines()]
    assert [(each["where"], each["outcome"], each["documents"]) for each in items] == [
        ("load.dat", "container", []),
        ("load.dat/line 6", "exception", []),
        ("load.dat/1", "entered", [numbers["1"]]),
        ("load.dat/3", "entered", [numbers["3"]]),
        ("load.dat/4", "entered", [numbers["4"]]),
    ]
    assert made.text(numbers["1"]) == "one\ntwo"
    assert made.fields(numbers["1"]).rest.extraction.options == "the text in the load file"


def test_a_mail_whose_attachments_are_records_is_not_opened_twice_and_another_is(tmp_path: Path) -> None:
    mail = (
        b"From: a@x\nSubject: s\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nContent-Type: multipart/mixed; boundary=b\n\n"
        b"--b\n\nbody\n--b\nContent-Disposition: attachment; filename=in.txt\n\ninside\n--b--\n"
    )
    put(tmp_path, N__1_eml=mail, N__2_txt=b"inside", N__3_eml=mail.replace(b": s", b": t"))
    path = load(tmp_path, "DOCID|PARENTID|NATIVELINK", "1||N/1.eml", "2|1|N/2.txt", "3||N/3.eml")
    made, _, numbers = build(path)
    assert [made.parts(numbers[each]) for each in ("1", "3")] == [2, 2]
    assert [made.fields(numbers["1"], part).rest.name for part in (0, 1)] == ["1", "2"]
    assert [made.fields(numbers["3"], part).rest.name for part in (0, 1)] == ["3", "in.txt"]
    assert made.fields(numbers["3"], 1).log.parent == 0


def test_what_is_missing_or_refused_hides_no_record(tmp_path: Path) -> None:
    put(tmp_path, N__odd_bin=b"MZ\x90\0\3\0\0\0" * 9, T__bad_txt=b"\x81\x8d")
    (tmp_path / "outside.txt").write_text("secret")
    path = load(
        tmp_path,
        "DOCID|PARENTID|NATIVELINK|TEXTLINK",
        "1||N/gone.doc|",
        "2|nobody|../outside.txt|",
        "3||N/odd.bin|",
        "3|||T/bad.txt",
        "||/etc/passwd|",
        "6|||",
    )
    made, value, numbers = build(path)
    assert set(numbers) == {"1", "2", "3", "3 (line 5)", "line 6", "6"}
    assert made.content(numbers["3"]) == b"MZ\x90\0\3\0\0\0" * 9
    assert not any(b"secret" in made.content(number) or b"root:" in made.content(number) for number in range(6))
    problems = listed(made)
    assert all(kept for _, _, kept in problems)
    assert {
        ("line 2", "unreadable"),
        ("line 3", "unreadable"),
        ("line 3", "bad_family"),
        ("3", "other_file"),
        ("line 5", "repeated_id"),
        ("3 (line 5)", "undecodable"),
        ("line 6", "repeated_id"),
        ("line 6", "unreadable"),
        ("6", "unread_part"),
    } <= {(where, cause) for where, cause, _ in problems}
    assert value["account"]["entered"] == 6


def test_only_records_with_all_their_natives_are_duplicates(tmp_path: Path) -> None:
    put(tmp_path, N__1_txt="words", N__2_txt="words", N__s_txt="slip sheet")
    path = load(
        tmp_path,
        "DOCID|CUSTODIAN|FILEPATH|NATIVELINK|TEXT|WITHHELD",
        "1|Ann|a/1|N/1.txt||",
        "2|Ben|b/2|N/2.txt||",
        "3|Cy||||",
        "4|Cy||||",
        "5|Cy|||same|",
        "6|Cy|||same|",
        "7|||N/s.txt||privileged",
        "8|||N/s.txt||privileged",
    )
    made, value, numbers = build(path)
    assert set(numbers) == {"1", "3", "4", "5", "6", "7", "8"}
    assert value["account"]["duplicates"] == 1
    first = made.fields(numbers["1"]).rest
    assert (first.custodians, first.paths) == (("Ann", "Ben"), ("a/1", "b/2"))


def test_fields_that_are_not_used_are_counted(tmp_path: Path) -> None:
    _, value, _ = build(load(tmp_path, "DOCID|TEXT|Own Code", "1|one|x", "2|two|"))
    assert value["unused"] == {"Own Code": 2}


def test_each_record_may_be_a_document_of_its_own(tmp_path: Path) -> None:
    path = load(tmp_path, "DOCID|PARENTID|TEXT", "1||one", "2|1|two", "3|2|three")
    made, _, numbers = build(path, "--unit", "document")
    assert set(numbers) == {"1", "1/2", "1/2/3"}
    assert made.fields(numbers["1/2/3"]).rest.fields["attached_to"] == "1/2"


def test_a_field_file_says_what_names_do_not(tmp_path: Path) -> None:
    path = load(tmp_path, "Key|Words|Whose", "1|some words|Ann")
    told = tmp_path / "fields.toml"
    shown = run("fields", path, "--out", told)
    assert "Recognised  0 of 3 fields\nUnknown     Key, Words, Whose\n" in shown
    assert "no field is recognised as the document's number" in run("build", path, "--out", tmp_path / "c", code=1)
    told.write_text('[fields]\nbegin = "Key"\ntext = "Words"\ncustodian = "Whose"\n')
    made, _, numbers = build(path, "--fields", told)
    assert (made.text(numbers["1"]), made.fields(numbers["1"]).rest.custodians) == ("some words", ("Ann",))


def test_what_the_fields_are_can_be_written_corrected_and_used(tmp_path: Path) -> None:
    path = load(tmp_path, "DOCID|TEXT|Odd", "1|some words|x")
    told = tmp_path / "fields.toml"
    value = json.loads(run("fields", path, "--out", told, "--json"))
    assert value == {"file": str(told), "fields": {"begin": "DOCID", "text": "TEXT"}, "unknown": ["Odd"]}
    made, _, numbers = build(path, "--fields", told)
    assert made.text(numbers["1"]) == "some words"
    assert "exists already" in run("fields", path, "--out", told, code=1)


def test_delimiters_and_encoding_that_are_not_found_can_be_given_and_are_in_the_field_file(tmp_path: Path) -> None:
    path = tmp_path / "VOL1/DATA/load.dat"
    path.parent.mkdir(parents=True)
    path.write_bytes("DOCID~TEXT\n1~caf\u00e9 words\n".encode("cp1252"))
    told = tmp_path / "fields.toml"
    assert "corpus fields --delimiters" in run("fields", path, "--out", told, code=1)
    assert "not known" in run("fields", path, "--out", told, "--encoding", "ebcdic", code=1)
    run("fields", path, "--out", told, "--delimiters", "126,254,174")
    assert "corpus fields --encoding" in run("build", path, "--fields", told, "--out", tmp_path / "one", code=1)
    told.unlink()
    run("fields", path, "--out", told, "--delimiters", "126,254,174", "--encoding", "cp1252")
    made, _, numbers = build(path, "--fields", told)
    assert made.text(numbers["1"]) == "caf\u00e9 words"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xfeDOCID\xfe\x14\xfeTEXT\xfe\n\xff", "line 2: bad line: 1 fields under 2 names"),
        (b"hello", "line 1"),
        (b"\xfeDOCID\xfe\x14\xfeDOCID\xfe\r\n", "DOCID"),
        (b"\xfeDOCID\xfe\x14\xfeTEXT\xfe\r\n\xfe1\r\n", "holds no document"),
    ],
    ids=["a field too few", "no table", "a name twice", "an open field"],
)
def test_what_is_no_load_file_is_refused_with_the_line(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "load.dat"
    path.write_bytes(content)
    assert reason in run("build", path, "--out", tmp_path / "corpus", code=1)
    assert not (tmp_path / "corpus").exists()


def test_a_family_of_too_many_records_is_one_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from protocol.sources import source
    from protocol.sources.limits import Limits

    monkeypatch.setattr(
        "protocol.commands.corpus.Settings", lambda **given: source.Settings(**(given | {"limits": Limits(parts=3)}))
    )
    path = load(tmp_path, "DOCID|FAMILYID|TEXT", *(f"{n}|same|words" for n in range(4)), "5|other|fine")
    made, value, numbers = build(path)
    assert set(numbers) == {"5"}
    assert value["account"]["reasons"] == {"too large": 1}
    assert listed(made) == [("line 2", "too_large", False)]
