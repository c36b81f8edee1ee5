"""Load files as families: what belongs together comes together, and nothing that is missing or refused is silent."""

from pathlib import Path

import pytest

from protocol.errors import BadSource
from protocol.loadfile.dat import DatWriter
from protocol.loadfile.lines import Flaw, FlawKind
from protocol.loadfile.links import BadLink, Volume
from protocol.loadfile.loadfile import Family, open_loadfile, read_text


def load(folder: Path, names: str, *rows: str, name: str = "load.dat") -> Path:
    """A load file; fields are separated by |."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as stream:
        writer = DatWriter(stream, names.split("|"))
        for row in rows:
            writer.write(row.split("|"))
    return path


def read(path: Path, **given: Path) -> tuple[list[Family], list[Flaw]]:
    items = list(open_loadfile(path, **given).families())
    return [each for each in items if not isinstance(each, Flaw)], [each for each in items if isinstance(each, Flaw)]


def shape(families: list[Family]) -> list[list[tuple[str, int | None]]]:
    return [[(record.number, record.parent) for record in family] for family in families]


def told(flaws: list[Flaw]) -> list[tuple[int, FlawKind]]:
    return [(flaw.line, flaw.kind) for flaw in flaws]


# Families


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("BEGBATES|ENDBATES|BEGATTACH|ENDATTACH", ["A1|A1|A1|A4", "A2|A3|A1|A4", "A4|A4|A1|A4", "A5|A6||"]),
        ("BEGBATES|ENDBATES|BEGATTACH|ENDATTACH", ["A1|A1|A2|A4", "A2|A3||", "A4|A4||", "A5|A6|A5|A6"]),
        ("BEGBATES|BEGATTACH|ENDATTACH", ["A1|A1|A4", "A2||", "A4||", "A5||"]),
        ("BEGBATES|BEGATTACH", ["A1|A1", "A2|A1", "A4|A1", "A5|"]),
        ("BEGBATES|PARENTID", ["A1|", "A2|A1", "A4|A1", "A5|"]),
        ("BEGBATES|PARENTID", ["A1|A1", "A2|A1", "A4|A1", "A5|A5"]),
        ("BEGBATES|ATTACHIDS", ["A1|A2; A4", "A2|", "A4|", "A5|"]),
        ("BEGBATES|FAMILYID", ["A1|f", "A2|f", "A4|f", "A5|g"]),
        ("BEGBATES|GROUPID|PARENTID", ["A1|f|", "A2|f|A1", "A4|f|", "A5||"]),
    ],
)
def test_families_are_found_in_every_way_that_load_files_tell_them(tmp_path: Path, names: str, rows: list[str]) -> None:
    families, flaws = read(load(tmp_path, names, *rows))
    assert shape(families) == [[("A1", None), ("A2", 0), ("A4", 0)], [("A5", None)]]
    assert not flaws


def test_without_a_word_of_families_each_document_is_one(tmp_path: Path) -> None:
    families, flaws = read(load(tmp_path, "DOCID|TEXT", "A1|x", "A2|y"))
    assert shape(families) == [[("A1", None)], [("A2", None)]]
    assert not flaws


def test_attachments_of_attachments_know_their_own_parent(tmp_path: Path) -> None:
    rows = ["A1||A1|A4", "A2|A1|A1|A4", "A3|A2|A1|A4", "A4|A1|A1|A4"]
    families, _ = read(load(tmp_path, "BEGBATES|PARENTID|BEGATTACH|ENDATTACH", *rows))
    assert shape(families) == [[("A1", None), ("A2", 0), ("A3", 1), ("A4", 0)]]


def test_a_range_within_another_is_no_flaw(tmp_path: Path) -> None:
    families, flaws = read(load(tmp_path, "DOCID|BEGATTACH|ENDATTACH", "A1|A1|A3", "A2|A2|A3", "A3|A2|A3", "A4|A4|A4"))
    assert shape(families) == [[("A1", None), ("A2", 0), ("A3", 0)], [("A4", None)]]
    assert not flaws


def test_members_far_apart_meet_and_a_parent_comes_first_even_if_its_line_does_not(tmp_path: Path) -> None:
    families, flaws = read(load(tmp_path, "DOCID|PARENTID", "C|B", "X|", "B|A", "Y|", "A|", "Z|X"))
    assert shape(families) == [[("A", None), ("B", 0), ("C", 1)], [("X", None), ("Z", 0)], [("Y", None)]]
    assert [record.line for record in families[0]] == [6, 4, 2]
    assert not flaws


@pytest.mark.parametrize(
    ("names", "rows", "line", "reason"),
    [
        ("DOCID|PARENTID", ["A1|", "A2|A9"], 3, "its parent A9 is not in the load file"),
        ("DOCID|ATTACHIDS", ["A1|A9;A2", "A2|"], 2, "its attachment A9 is not in the load file"),
        ("DOCID|BEGATTACH|ENDATTACH", ["A1|A9|A9", "A2||"], 2, "A9, which is no document's number"),
        ("DOCID|BEGATTACH|ENDATTACH", ["A1|A1|A9", "A2||"], 2, "A9, which is no document's number"),
        ("DOCID|BEGATTACH|ENDATTACH", ["A1||", "A2|A2|A1"], 3, "ends with A1, which comes before A2"),
        ("DOCID|BEGATTACH|ENDATTACH", ["A1|A1|A2", "A2||", "A3|A2|A3"], 4, "its family overlaps the one before"),
        ("DOCID|PARENTID", ["A1|A3", "A2|A1", "A3|A2"], 2, "it is attached to itself through others"),
        ("DOCID|PARENTID", ["A1|", "A1|"], 3, "its number A1 is that of line 2"),
        ("DOCID|PARENTID", ["A1|", " |"], 3, "it has no number"),
    ],
)
def test_what_makes_no_family_is_told_with_its_line_and_no_document_is_lost(
    tmp_path: Path, names: str, rows: list[str], line: int, reason: str
) -> None:
    families, flaws = read(load(tmp_path, names, *rows))
    assert sum(len(family) for family in families) == len(rows)
    assert [flaw.line for flaw in flaws] == [line]
    assert reason in flaws[0].detail
    assert flaws[0].kind.kept
    for family in families:
        for place, record in enumerate(family):
            assert record.parent is None if not place else record.parent is not None and record.parent < place


def test_broken_lines_are_told_first_and_the_others_are_read(tmp_path: Path) -> None:
    path = load(tmp_path, "DOCID|TEXT", "A1|x", "A2|y")
    path.write_bytes(path.read_bytes() + b"broken\n\xff\n")
    families, flaws = read(path)
    assert len(families) == 2
    assert told(flaws) == [(4, FlawKind.BAD_LINE), (5, FlawKind.UNDECODABLE)]


# Fields, texts and natives


def test_fields_have_our_names_and_those_not_used_are_listed(tmp_path: Path) -> None:
    path = load(tmp_path, "Beg Doc|Custodian|Tag|Email Subject", "A1|Ann|hot|")
    opened = open_loadfile(path)
    ((record,),) = (each for each in opened.families() if not isinstance(each, Flaw))
    assert record.fields == {"begin": "A1", "custodian": "Ann"}
    assert opened.unused == ("Tag",)


def test_a_field_file_says_which_field_is_what(tmp_path: Path) -> None:
    path = load(tmp_path, "Nummer|Betreff|DOCID", "A1|Hallo|7")
    fields = tmp_path / "fields.toml"
    fields.write_text("[file]\nencoding = 'utf-8'\n[fields]\nbegin = 'Nummer'\nsubject = 'Betreff'\n")
    opened = open_loadfile(path, fields=fields)
    ((record,),) = (each for each in opened.families() if not isinstance(each, Flaw))
    assert record.fields == {"begin": "A1", "subject": "Hallo"}
    assert opened.unused == ("DOCID",)
    fields.write_text("[fields]\nbegin = 'Number'\n")
    with pytest.raises(BadSource, match="has no field 'Number'"):
        open_loadfile(path, fields=fields)


def test_a_load_file_without_numbers_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="line 1: no field is recognised as the document's number; it names A, B"):
        open_loadfile(load(tmp_path, "A|B", "1|2"))


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    root = tmp_path / "Vol001"
    for name in ("DATA", "NATIVES/0001", "TEXT/0001"):
        (root / name).mkdir(parents=True)
    (root / "NATIVES/0001/A1.docx").write_bytes(b"native")
    (root / "TEXT/0001/A1.txt").write_bytes("Größe".encode())
    (tmp_path / "secret.txt").write_text("secret")
    return root


@pytest.mark.parametrize(
    "link",
    [
        "TEXT\\0001\\A1.txt",
        "TEXT/0001/A1.txt",
        ".\\TEXT\\0001\\A1.txt",
        "\\TEXT\\0001\\A1.txt",
        "text\\0001\\a1.TXT",
        "Vol001\\TEXT\\0001\\A1.txt",
        ".\\VOL001\\Text\\0001\\A1.txt",
        " TEXT\\0001\\\\A1.txt ",
    ],
)
def test_links_are_followed_whatever_their_slashes_and_case(volume: Path, link: str) -> None:
    path = load(volume, "DOCID|TEXTLINK|NATIVELINK", f"A1|{link}|natives\\0001\\a1.DOCX", name="DATA/load.dat")
    ((record,),), flaws = read(path)
    assert not flaws
    assert record.text_path is not None
    assert read_text(record.text_path) == ("Größe", "utf-8")
    assert record.native is not None
    assert record.native.read_bytes() == b"native"


@pytest.mark.parametrize(
    ("link", "kind", "reason"),
    [
        ("TEXT\\0001\\A2.txt", FlawKind.MISSING_FILE, "TEXT\\0001\\A2.txt does not exist in Vol001"),
        ("TEXT\\0002\\A1.txt", FlawKind.MISSING_FILE, "does not exist"),
        ("TEXT\\0001\\A1.txt\\x", FlawKind.MISSING_FILE, "does not exist"),
        ("TEXT\\0001", FlawKind.MISSING_FILE, "is not a file"),
        (".", FlawKind.REFUSED_LINK, "is not a path"),
        ("x" * 4000, FlawKind.MISSING_FILE, "does not exist"),
        ("..\\secret.txt", FlawKind.REFUSED_LINK, "leads upwards"),
        ("TEXT\\..\\..\\secret.txt", FlawKind.REFUSED_LINK, "leads upwards"),
        ("TEXT/../TEXT/0001/A1.txt", FlawKind.REFUSED_LINK, "leads upwards"),
        ("/etc/passwd", FlawKind.REFUSED_LINK, "is an absolute path"),
        ("C:\\secret.txt", FlawKind.REFUSED_LINK, "is an absolute path"),
        ("c:secret.txt", FlawKind.REFUSED_LINK, "is an absolute path"),
        ("\\\\server\\share\\x.txt", FlawKind.REFUSED_LINK, "is an absolute path"),
        ("a\tb", FlawKind.REFUSED_LINK, "is not a path"),
    ],
)
@pytest.mark.parametrize("field", ["TEXTLINK", "NATIVELINK"])
def test_what_is_missing_or_outside_is_told_with_its_line_and_the_document_is_there(
    volume: Path, field: str, link: str, kind: FlawKind, reason: str
) -> None:
    path = load(volume, f"DOCID|{field}", "A1|", f"A2|{link}", name="DATA/load.dat")
    families, flaws = read(path)
    assert shape(families) == [[("A1", None)], [("A2", None)]]
    assert told(flaws) == [(3, kind)]
    assert reason in flaws[0].detail
    assert flaws[0].detail.startswith("the text" if field == "TEXTLINK" else "the native")
    assert families[1][0].text_path is None
    assert families[1][0].native is None


def test_symbolic_links_are_followed_inside_and_refused_outside(volume: Path) -> None:
    (volume / "inside.txt").symlink_to(volume / "TEXT/0001/A1.txt")
    (volume / "outside.txt").symlink_to(volume.parent / "secret.txt")
    (volume / "up").symlink_to(volume.parent)
    (volume / "circle.txt").symlink_to(volume / "circle.txt")
    (volume / "dangling.txt").symlink_to(volume / "nothing.txt")
    found = Volume(volume)
    assert found.find("inside.txt").read_text() == "Größe"
    for name in ("outside.txt", "up\\secret.txt", "UP\\SECRET.TXT", "OUTSIDE.txt"):
        with pytest.raises(BadLink, match="symbolic link to a place outside"):
            found.find(name)
    for name in ("circle.txt", "dangling.txt"):
        with pytest.raises(BadLink):
            found.find(name)


def test_a_name_that_two_files_have_but_for_case_is_not_guessed(volume: Path) -> None:
    (volume / "TEXT/0001/a1.TXT").write_text("another")
    found = Volume(volume)
    assert found.find("TEXT\\0001\\A1.txt").read_text() == "Größe"
    with pytest.raises(BadLink, match=r"A1.TXT may be each of A1.txt, a1.TXT"):
        found.find("TEXT\\0001\\A1.TXT")


def test_links_begin_beside_the_load_file_unless_its_folder_is_called_data(volume: Path) -> None:
    path = load(volume, "DOCID|TEXTLINK", "A1|TEXT\\0001\\A1.txt")
    assert not read(path)[1]
    elsewhere = load(volume, "DOCID|TEXTLINK", "A1|TEXT\\0001\\A1.txt", name="LOAD/load.dat")
    assert told(read(elsewhere)[1]) == [(2, FlawKind.MISSING_FILE)]
    assert not read(elsewhere, root=volume)[1]


def test_a_text_in_a_field_is_the_text(tmp_path: Path) -> None:
    ((record,),), _ = read(load(tmp_path, "DOCID|EXTRACTEDTEXT", "A1|Dear Bob,\n\nyes."))
    assert record.text == "Dear Bob,\n\nyes."
    assert "text" not in record.fields


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        ("é".encode(), "é", "utf-8"),
        ("\ufeffé".encode(), "é", "utf-8"),
        ("é".encode("utf-16"), "é", "utf-16"),
        ("„é“".encode("cp1252"), "„é“", "cp1252"),
    ],
)
def test_texts_are_read_in_the_usual_encodings(tmp_path: Path, raw: bytes, text: str, encoding: str) -> None:
    (tmp_path / "t").write_bytes(raw)
    assert read_text(tmp_path / "t") == (text, encoding)


def test_a_text_in_no_usual_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\x81\xff")
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "t")


# Images


def test_pages_are_counted_in_the_image_load_file_beside_it(tmp_path: Path) -> None:
    path = load(tmp_path, "DOCID|TEXT", "A1|x", "A3|y", "A4|z")
    (tmp_path / "LOAD.OPT").write_text("A1,,1.tif,Y,,,2\nA2,,2.tif,,,,\nA3,,3.tif,Y,,,\nB1,,4.tif,Y,,,1\nbroken\n")
    families, flaws = read(path)
    assert [record.images for (record,) in families] == [2, 1, None]
    assert [(flaw.where, flaw.kind) for flaw in flaws] == [
        ("LOAD.OPT, line 4", FlawKind.BAD_IMAGE_LINE),
        ("LOAD.OPT, line 5", FlawKind.BAD_LINE),
    ]


def test_progress_grows_to_its_total(tmp_path: Path) -> None:
    opened = open_loadfile(load(tmp_path, "DOCID|TEXT", *(f"A{n}|x" for n in range(1000))))
    seen = list[int]()
    list(opened.families(seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == opened.total
