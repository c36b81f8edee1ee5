"""Image load files: what was written is read back, and each broken line is told with its number."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import BadSource, Unwritable
from protocol.loadfile.lines import Flaw, FlawKind
from protocol.loadfile.opt import Image, OptWriter, read_images

FIRST = "A1,VOL1,IMAGES\\1\\A1.tif,Y,,,2"
SECOND = "A2,VOL1,IMAGES\\1\\A2.tif,,,,"


def read(folder: Path, *rows: str | bytes) -> tuple[list[tuple[int, Image]], list[Flaw]]:
    path = folder / "load.opt"
    path.write_bytes(b"\r\n".join(each if isinstance(each, bytes) else each.encode() for each in rows))
    items = list(read_images(path))
    return [each for each in items if not isinstance(each, Flaw)], [each for each in items if isinstance(each, Flaw)]


def test_a_line_is_an_image(tmp_path: Path) -> None:
    images, flaws = read(tmp_path, FIRST, SECOND, "", "B1,,x.jpg,y,Y,Y,1")
    assert images == [
        (1, Image(key="A1", volume="VOL1", path="IMAGES\\1\\A1.tif", document=True, pages=2)),
        (2, Image(key="A2", volume="VOL1", path="IMAGES\\1\\A2.tif", document=False)),
        (4, Image(key="B1", volume="", path="x.jpg", document=True, folder=True, box=True, pages=1)),
    ]
    assert not flaws


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A3,VOL1,x.tif,Y,,", "6 fields, where an image has 7: image key, volume, path"),
        ("A3,VOL1,x,y.tif,Y,,,1", "8 fields"),
        ("A3,VOL1,x.tif,N,,,1", "the document break is 'N': write Y or leave it empty"),
        ("A3,VOL1,x.tif,,1,,", "the folder break is '1'"),
        (",VOL1,x.tif,Y,,,1", "the image key is empty"),
        ("A3,VOL1,,Y,,,1", "the path is empty"),
        ("A3,VOL1,x.tif,Y,,,one", "the page count is 'one'"),
        ("A3,VOL1,x.tif,Y,,,0", "the page count is '0'"),
        ("A3,VOL1,x.tif,Y,,,9999999999", "the page count is"),
    ],
)
def test_a_broken_line_is_told_with_its_number(tmp_path: Path, line: str, reason: str) -> None:
    images, flaws = read(tmp_path, FIRST, SECOND, line, FIRST, SECOND)
    assert [number for number, _ in images] == [1, 2, 4, 5]
    assert [(flaw.where, flaw.kind) for flaw in flaws] == [("load.opt, line 3", FlawKind.BAD_LINE)]
    assert reason in flaws[0].detail


def test_undecodable_bytes_are_told_with_their_line(tmp_path: Path) -> None:
    _, flaws = read(tmp_path, FIRST, SECOND, b"A\xff,,x,,,,")
    assert [(flaw.line, flaw.kind) for flaw in flaws] == [(3, FlawKind.UNDECODABLE)]


def test_a_page_count_that_does_not_fit_is_told_with_its_line(tmp_path: Path) -> None:
    images, flaws = read(tmp_path, FIRST, SECOND, SECOND, FIRST)
    assert len(images) == 4
    assert [(flaw.line, flaw.detail) for flaw in flaws] == [
        (1, "1 pages more follow than its page count says"),
        (4, "1 pages fewer follow than its page count says"),
    ]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="cannot be read"):
        list(read_images(tmp_path / "none.opt"))


TEXTS = st.text(st.sampled_from("abc \\/.é"), min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.booleans(), st.booleans())))
def test_what_was_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, bool, bool]]
) -> None:
    images = [
        Image(key=key, volume=volume, path=path, document=True, folder=folder, box=box, pages=1)
        for key, volume, path, folder, box in rows
    ]
    stream = io.BytesIO()
    writer = OptWriter(stream)
    for each in images:
        writer.write(each)
    found, flaws = read(tmp_path_factory.mktemp("back"), stream.getvalue())
    assert found == list(enumerate(images, 1))
    assert not flaws


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": "a,b"}, "'a,b' cannot be the image key"),
        ({"key": ""}, "cannot be the image key"),
        ({"path": "a\nb"}, "cannot be the path"),
        ({"volume": " x"}, "cannot be the volume"),
        ({"pages": 0}, "from 1 on"),
        ({"document": False, "pages": 1}, "only the first page"),
    ],
)
def test_what_would_be_read_back_as_another_is_refused(change: dict[str, object], reason: str) -> None:
    values: dict[str, object] = {"key": "A", "volume": "V", "path": "p", "document": True, **change}
    with pytest.raises(Unwritable, match=f"line 1: .*{reason}"):
        OptWriter(io.BytesIO()).write(Image(**values))  # type: ignore[arg-type]
