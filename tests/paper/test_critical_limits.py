"""No file keeps the checker of critical points busy for long, and long numbers are exact all the same."""

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.geometry import certificate
from tests.support import critical_files
from tests.support.critical_files import Value, encoded, flipped_plane, on_a_line, refused
from verifier import critical as checker
from verifier.critical import arithmetic, checking, form


@pytest.fixture
def genuine() -> Value:
    return critical_files.genuine()


@pytest.fixture
def degenerate() -> Value:
    return critical_files.degenerate()


def test_a_file_that_would_keep_the_machine_busy_is_refused(
    genuine: Value, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in (("LARGEST_FILE", 1000), ("LARGEST_WORK", 1000)):
        with monkeypatch.context() as patch:
            patch.setattr(form, name, limit)
            assert "larger than" in (said := refused(genuine, tmp_path)) or "reasonable time" in said
    long = copy.deepcopy(genuine)
    long["critical"][0]["plane"] = [each * 10**50 for each in long["critical"][0]["plane"]]
    path = tmp_path / "long.json"
    path.write_bytes(encoded(long))
    assert checker.check(path).critical
    monkeypatch.setattr("verifier.critical.checking.LARGEST_LONG_WORK", 100)
    assert "too long for so many points" in refused(long, tmp_path)


@pytest.mark.parametrize("sign", form.MOST)
def test_a_file_with_too_many_values_is_refused_before_it_is_parsed(
    sign: str, genuine: Value, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "genuine.json"
    path.write_bytes(encoded(genuine))
    found = path.read_bytes().count(sign.encode())
    monkeypatch.setitem(form.MOST, sign, found)
    assert checker.check(path).critical
    monkeypatch.setitem(form.MOST, sign, found - 1)
    monkeypatch.setattr("json.loads", lambda *_, **__: pytest.fail("parsed"))
    assert f"has the sign {sign} more than {found - 1} times" in refused(genuine, tmp_path)


def test_the_limits_leave_room_for_the_largest_sets_of_the_experiments() -> None:
    for dimension, size in ((100, 16_000), (20, 20_000)):
        most = {"{": size + 2, '"': 8 * (size + 4), "[": size * (dimension + 5), ",": size * (3 * dimension + 10)}
        for sign, count in most.items():
            assert 2 * count < form.MOST[sign]
        assert 2 * size**2 * (dimension + 17) < form.LARGEST_WORK


def test_all_limits_are_known_where_proofs_are_made() -> None:
    ours = (form.FORMAT, form.LARGEST_FILE, form.MOST, form.DIGITS)
    assert ours == (certificate.FORMAT, certificate.LARGEST_FILE, certificate.MOST, certificate.DIGITS)


def in_two_dimensions() -> Value:
    """Written by hand: a triangle of negatives round 0, the corner next to the only positive, and 0 itself."""
    return {
        "format": form.FORMAT,
        "unit": 1,
        "positive": [[9, 0]],
        "negative": [[3, 0], [-3, 3], [-3, -3], [0, 0]],
        "separator": [-6, 1, 0],
        "interior": {"basis": [0, 1, 2], "inverse": [[-6, -2, 0], [-3, 1, -2], [-3, 1, 2]], "scale": 12},
        "critical": [
            {"point": 0, "plane": [-4, 2, 0]},
            {"point": 1, "plane": [-6, 1, 4]},
            {"point": 2, "plane": [-6, 1, -4]},
        ],
        "other": [{"point": 3, "times": 4, "of": [[0, 1]], "interior": 1}],
    }


BIG = 10**600


def big_plane(value: Value) -> int:
    value["critical"][0]["plane"] = [each * BIG for each in value["critical"][0]["plane"]]
    return arithmetic.effort(5 * 3, 9, 4 * BIG)


def big_separator(value: Value) -> int:
    value["separator"] = [each * BIG for each in value["separator"]]
    return arithmetic.effort(5 * 3, 9, 6 * BIG)


def big_witness(value: Value) -> int:
    value["other"][0] |= {"times": 4 * BIG, "of": [[0, BIG]], "interior": BIG}
    return arithmetic.effort(3 * 3, 12, 4 * BIG)


def big_interior(value: Value) -> int:
    """It leaves a rest, which takes work to see."""
    value["other"][0]["interior"] = BIG
    return arithmetic.effort(3 * 3, 12, BIG)


def big_inverse(value: Value) -> int:
    interior = value["interior"]
    interior["inverse"] = [[each * BIG for each in row] for row in interior["inverse"]]
    interior["scale"] *= BIG
    return arithmetic.effort(3**3, 9, 6 * BIG) - arithmetic.effort(3**3, 9, 6)


def big_rest(value: Value) -> int:
    """A rest is multiplied by the inverse's largest number, too."""
    work = big_inverse(value)
    big_witness(value)
    return work + arithmetic.effort(3 * 3, 12 * BIG, 4 * BIG)


def big_points(value: Value) -> int:
    """Everything is long then, though only the points are."""
    for name in ("positive", "negative"):
        value[name] = [[each * BIG for each in point] for point in value[name]]
    value["unit"] = BIG
    value["interior"]["scale"] *= BIG
    planes = [value["separator"], *(each["plane"] for each in value["critical"])]
    work = sum(arithmetic.effort(5 * 3, 9 * BIG, max(map(abs, plane))) for plane in planes)
    work += arithmetic.effort(3**3, 9 * BIG, 6) - arithmetic.effort(3**3, 9, 6)
    return work + arithmetic.effort(3 * 3, 12 * BIG, 4)


@pytest.mark.parametrize(
    "lengthen",
    [big_plane, big_separator, big_witness, big_interior, big_inverse, big_rest, big_points],
    ids=lambda f: f.__name__,
)
def test_work_with_long_numbers_is_counted_wherever_they_are(
    lengthen: Callable[[Value], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, value = tmp_path / "long.json", in_two_dimensions()
    always = arithmetic.effort(3**3, 9, 6)  # for the interior
    path.write_bytes(encoded(value))
    monkeypatch.setattr(checking, "LARGEST_LONG_WORK", always)
    assert checker.check(path).critical == (0, 1, 2)
    counted = always + lengthen(value)
    path.write_bytes(encoded(value))
    monkeypatch.setattr(checking, "LARGEST_LONG_WORK", counted)
    if lengthen is big_interior:
        assert "is too large for its interior" in refused(value, tmp_path)
    else:
        assert checker.check(path).critical == (0, 1, 2)
    monkeypatch.setattr(checking, "LARGEST_LONG_WORK", counted - 1)
    assert "too long for so many points" in refused(value, tmp_path)


def test_work_counts_more_the_longer_the_numbers_are() -> None:
    assert arithmetic.effort(7, 2**26, 2**52) == 7
    assert arithmetic.effort(7, 2**26, 10**1500) > 7 * 5
    assert arithmetic.effort(7, 10**1500, 10**1500) > 7 * 300


def test_planes_are_checked_in_as_few_rows_and_columns_as_memory_allows(
    genuine: Value, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = copy.deepcopy(genuine)
    for each in value["critical"][:2]:
        each["plane"] = [number * 10**50 for number in each["plane"]]
    count = len(value["negative"]) + len(value["positive"])
    together: list[int] = []

    def watched(rows: form.Integers, largest: int, planes: list[list[int]]) -> Any:
        long = any(arithmetic.is_long(largest, plane) for plane in planes)
        together.append(-len(planes) if long else len(planes))
        return arithmetic.signs(rows, largest, planes)

    monkeypatch.setattr(checking, "signs", watched)
    monkeypatch.setattr(checking, "_ENTRIES", 3 * count + 1)
    monkeypatch.setattr(arithmetic, "_ENTRIES", 9)  # two rows at a time
    path = tmp_path / "long.json"
    path.write_bytes(encoded(value))
    assert list(checker.check(path).critical) == [each["point"] for each in value["critical"]]
    short = len(value["critical"]) - 2
    assert together[1:] == [3] * (short // 3) + [short % 3] * (short % 3 > 0) + [-1, -1]
    monkeypatch.setattr(checking, "_ENTRIES", 1)
    together.clear()
    assert checker.check(path).critical
    assert together[1:] == [1] * short + [-1, -1]
    flipped_plane(value)
    assert "does not flip it" in refused(value, tmp_path)


def test_a_plane_that_is_too_long_by_itself_is_long_whatever_the_rows() -> None:
    assert arithmetic.is_long(0, [0, 2**63])
    assert arithmetic.signs(np.zeros((1, 2), np.int64), 0, [[0, 2**63]]).tolist() == [[0]]


def test_a_planes_own_sum_says_whether_it_is_long() -> None:
    large = 2**26 - 1
    assert not arithmetic.is_long(large, [2**36, *[0] * 100])
    assert arithmetic.is_long(large, [2**36] * 101)
    for size in (2, 64, 100, 1000):
        most = (2**63 - 1) // large // size - 1
        plane = [most if place % 2 else -most for place in range(size)]
        assert not arithmetic.is_long(large, plane)
        assert arithmetic.is_long(large, [*plane[1:], 2 * most + size])
        rows = np.array([[large if each > 0 else -large for each in plane]], np.int64)
        rows = np.concatenate((rows, -rows, np.abs(rows)))
        assert arithmetic.signs(rows, large, [plane])[:, 0].tolist() == [1, -1, 0]
        plane[0] -= 1
        assert arithmetic.signs(rows, large, [plane])[:, 0].tolist() == [1, -1, -1]


def test_exact_numbers_may_have_thousands_of_digits_and_no_more(degenerate: Value, tmp_path: Path) -> None:
    for power, right in ((3900, True), (3999, True), (4000, False)):
        value = copy.deepcopy(degenerate)
        witness = next(each for each in value["other"] if each["of"] == [[3, 1]])  # a twin
        witness |= {"times": 10**power, "of": [[3, 10**power]]}
        path = tmp_path / "long.json"
        path.write_bytes(encoded(value))
        if right:
            assert checker.check(path).critical
        else:
            assert "a number has more than 4000 digits" in refused(value, tmp_path)
    value = on_a_line({"point": 1, "times": 2, "of": [[0, 3], [2, 1]], "interior": 0})
    path.write_bytes(encoded(value | {"separator": [-(10**3999), 10**3999]}))  # a sign is no digit
    assert checker.check(path).critical == (0,)


_MEASURED = """
import re, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
from verifier import critical
try:
    critical.check(Path(sys.argv[1]))
except (critical.Unreadable, critical.Disproved) as error:
    # getrusage would also count what the parent had at the fork
    print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], error)
"""


def many_positives(planes: int, digits: int) -> bytes:
    """A million positives on a line, and planes that do not flip what they should."""
    value: Value = {"format": form.FORMAT, "unit": 1, "positive": [[1]] * 10**6}
    value["negative"] = [[-1 - each] for each in range(planes)]
    critical = [{"point": each, "plane": [0, 10**digits]} for each in range(planes)]
    return encoded(value | {"separator": [0, 1], "interior": None, "critical": critical, "other": []})


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "many long planes": (lambda: many_positives(128, 1490), "too long for so many points"),
    "some long planes": (lambda: many_positives(4, 3990), "does not flip it"),
    "many planes": (lambda: many_positives(128, 2), "does not flip it"),
    "empty lists": (lambda: b"[" + b"[]," * 5_000_000 + b"[]]", "has the sign [ more"),
    "as many lists as there may be": (lambda: b"[" + b"[]," * 4_000_000 + b"[]]", "must be an object"),
    "empty objects": (lambda: b"[" + b"{}," * 5_000_000 + b"{}]", "has the sign { more"),
    "as many objects as there may be": (lambda: b"[" + b'{"a":[]},' * 500_000 + b"{}]", "must be an object"),
    "numbers": (lambda: b"[" + b"300," * 20_000_000 + b"1]", "has the sign , more"),
    "texts": (lambda: b"[" + b'"ab",' * 5_000_000 + b"1]", 'has the sign " more'),
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_memory_stays_bounded_whatever_the_file(bomb: str, tmp_path: Path) -> None:
    make, reason = BOMBS[bomb]
    path = tmp_path / "bomb.json"
    path.write_bytes(make())
    run = subprocess.run([sys.executable, "-c", _MEASURED, str(path)], capture_output=True, text=True, check=True)
    peak, said = run.stdout.split(maxsplit=1)
    assert reason in said
    assert int(peak) < 800 * 1024  # KiB


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_products_are_exact_for_numbers_of_any_size(data: st.DataObject) -> None:
    size, bits, planes_bits = (data.draw(st.integers(1, most)) for most in (6, 44, 90))
    numbers = st.integers(-(2**bits), 2**bits)
    rows = data.draw(st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=1, max_size=5))
    long = st.integers(-(2**planes_bits), 2**planes_bits)
    planes = data.draw(st.lists(st.lists(long, min_size=size, max_size=size), min_size=1, max_size=4))
    # Pairs that cancel nearly, where rounding would show.
    planes.append([rows[0][-1], *([0] * (size - 2)), -rows[0][0] - 1][:size])
    array = np.array(rows, data.draw(st.sampled_from([np.int64, object])))
    largest = max(abs(each) for row in rows for each in row)
    expected = [[sum(a * b for a, b in zip(row, plane, strict=True)) for plane in planes] for row in rows]
    found = arithmetic.signs(array, largest, planes)
    assert found.tolist() == [[(each > 0) - (each < 0) for each in row] for row in expected]
    factors = data.draw(st.lists(long, min_size=len(rows), max_size=len(rows)))
    sums = [sum(factor * row[place] for factor, row in zip(factors, rows, strict=True)) for place in range(size)]
    assert arithmetic.combined(array, largest, factors) == sums
