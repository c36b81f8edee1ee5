"""The checker of critical points believes nothing: each kind of forgery is refused, with the reason."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.geometry import certificate
from protocol.geometry.gaussians import Cut, Shift, two_gaussians
from protocol.geometry.points import on_grid
from verifier import critical as checker
from verifier.cli import main
from verifier.critical import arithmetic, checking, form

Value = dict[str, Any]


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def genuine() -> Value:
    made = two_gaussians(dimension=3, size=80, ratio=0.2, distance=3, cut=Cut.BAYES, shift=Shift.MIRROR, seed=4)
    value: Value = json.loads(certificate.encode(certificate.certified(made.points)))
    assert value["critical"]
    assert any(each["interior"] for each in value["other"])
    return value


@pytest.fixture(scope="module")
def degenerate() -> Value:
    """All witnesses are exact, and there are twins."""
    points = on_grid([[3.0, 0.0]], [[0.0, 0.0], [0.0, 2.0], [0.0, 1.0], [0.0, 0.0], [-1.0, 1.0]])
    value: Value = json.loads(certificate.encode(certificate.certified(points)))
    assert any(not each["interior"] for each in value["other"])
    return value


def refused(value: object, folder: Path) -> str:
    """Why the checker does not accept a file."""
    path = folder / "forged.json"
    path.write_bytes(value if isinstance(value, bytes) else encoded(value))
    with pytest.raises((checker.Disproved, checker.Unreadable)) as caught:
        checker.check(path)
    return str(caught.value)


def test_what_was_proven_is_accepted(genuine: Value, degenerate: Value, tmp_path: Path) -> None:
    for value in (genuine, degenerate):
        path = tmp_path / "genuine.json"
        path.write_bytes(encoded(value))
        assert list(checker.check(path).critical) == [each["point"] for each in value["critical"]]


def flipped_plane(value: Value) -> None:
    value["critical"][0]["plane"] = [-each for each in value["critical"][0]["plane"]]


def empty_plane(value: Value) -> None:
    value["critical"][0]["plane"] = [0] * len(value["separator"])


def separators_plane(value: Value) -> None:
    value["critical"][0]["plane"] = value["separator"]


def planes_exchanged(value: Value) -> None:
    first, second = value["critical"][:2]
    first["plane"], second["plane"] = second["plane"], first["plane"]


def no_separator(value: Value) -> None:
    value["separator"] = [0] * len(value["separator"])


def moved_separator(value: Value) -> None:
    value["separator"][0] += 10**15


def relabelled(value: Value) -> None:
    value["positive"].append(value["negative"].pop(value["critical"].pop(0)["point"]))


def critical_called_other(value: Value) -> None:
    point = value["critical"].pop(0)["point"]
    value["other"].append({"point": point, "times": 1, "of": [], "interior": 1})


def critical_left_out(value: Value) -> None:
    del value["critical"][0]


def other_left_out(value: Value) -> None:
    del value["other"][-1]


def critical_twice(value: Value) -> None:
    value["critical"].append(value["critical"][0])


def other_twice(value: Value) -> None:
    value["other"].append(value["other"][0])


def both(value: Value) -> None:
    value["critical"].append({"point": value["other"][0]["point"], "plane": value["separator"]})


def other_called_critical(value: Value) -> None:
    point = value["other"].pop(0)["point"]
    value["critical"].append({"point": point, "plane": value["critical"][0]["plane"]})


def _deep(value: Value) -> Value:
    found: Value = next(each for each in value["other"] if each["interior"])
    return found


def wrong_part(value: Value) -> None:
    _deep(value)["of"][0][1] += 2**43


def part_of_another(value: Value) -> None:
    witness = _deep(value)
    used = {index for index, _ in witness["of"]} | {witness["point"]}
    witness["of"][0][0] = next(index for index in range(len(value["negative"])) if index not in used)


def negative_part(value: Value) -> None:
    _deep(value)["of"][0][1] *= -1


def too_little_interior(value: Value) -> None:
    _deep(value)["interior"] = 1


def no_interior_used(value: Value) -> None:
    _deep(value)["interior"] = 0


def too_much_interior(value: Value) -> None:
    _deep(value)["interior"] *= 10**6


def negative_interior(value: Value) -> None:
    _deep(value)["interior"] *= -1


def no_times(value: Value) -> None:
    _deep(value)["times"] = 0


def of_itself(value: Value) -> None:
    witness = _deep(value)
    witness |= {"of": [[witness["point"], 1]], "times": 1, "interior": 0}


def part_twice(value: Value) -> None:
    _deep(value)["of"].append(_deep(value)["of"][0])


def in_the_basis(value: Value) -> None:
    """A critical point of the basis, said to be made of the basis."""
    chosen = next(each for each in value["critical"] if each["point"] in value["interior"]["basis"])
    value["critical"].remove(chosen)
    others = [index for index in value["interior"]["basis"] if index != chosen["point"]]
    value["other"].append(
        {"point": chosen["point"], "times": 2**50, "of": [[index, 1] for index in others], "interior": 2**50}
    )


def interior_gone(value: Value) -> None:
    value["interior"] = None


def singular_basis(value: Value) -> None:
    value["interior"]["basis"][1] = value["interior"]["basis"][0]


def wrong_inverse(value: Value) -> None:
    value["interior"]["inverse"][0][0] += 2**40


def empty_inverse(value: Value) -> None:
    value["interior"]["inverse"] = [[0] * len(row) for row in value["interior"]["inverse"]]


def small_scale(value: Value) -> None:
    value["interior"]["scale"] //= 2


def no_scale(value: Value) -> None:
    value["interior"]["scale"] = 0


def beyond_the_points(value: Value) -> None:
    _deep(value)["of"][0][0] = len(value["negative"]) + len(value["positive"])


def before_the_points(value: Value) -> None:
    _deep(value)["of"][0][0] = -1


def positive_claimed(value: Value) -> None:
    value["critical"][0]["point"] = len(value["negative"])


def moved_point(value: Value) -> None:
    value["negative"][_deep(value)["point"]][0] += 2**26


def negative_unit(value: Value) -> None:
    value["unit"] = -value["unit"]


FORGERIES: dict[Callable[[Value], None], str] = {
    flipped_plane: "is not critical by its plane, which does not flip it",
    empty_plane: "which does not flip it",
    separators_plane: "which does not flip it",
    planes_exchanged: "which does not flip it",
    no_separator: "the separator does not have point 0",
    moved_separator: "the separator does not have point",
    relabelled: "must be at least 0 and below",
    critical_called_other: "does not make up for",
    critical_left_out: "nothing is said of negative point",
    other_left_out: "nothing is said of negative point",
    critical_twice: "is listed twice in 'critical'",
    other_twice: "is listed twice in 'other'",
    both: "is listed as critical and as another",
    other_called_critical: "is not critical by its plane",
    wrong_part: "leaves a rest that its interior does not make up for",
    part_of_another: "leaves a rest that its interior does not make up for",
    negative_part: "must be at least 0",
    too_little_interior: "leaves a rest that its interior does not make up for",
    no_interior_used: "uses no interior to make up for that",
    too_much_interior: "leaves a rest that its interior does not make up for",
    negative_interior: "must be at least 0",
    no_times: "must be at least 1",
    of_itself: "uses the point itself",
    part_twice: "twice",
    in_the_basis: "whose basis has the point itself",
    interior_gone: "uses an interior, which the file does not have",
    singular_basis: "is not shown to be independent",
    wrong_inverse: "is not shown to be independent",
    empty_inverse: "is not shown to be independent",
    small_scale: "is not shown to be independent",
    no_scale: "must be at least 1",
    beyond_the_points: "must be at least 0 and below",
    before_the_points: "must be at least 0 and below",
    positive_claimed: "must be at least 0 and below",
    moved_point: "the separator does not have point",
    negative_unit: "must be at least 1",
}


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forgery_is_rejected_for_its_reason(forge: Callable[[Value], None], genuine: Value, tmp_path: Path) -> None:
    forged = copy.deepcopy(genuine)
    forge(forged)
    assert FORGERIES[forge] in refused(forged, tmp_path)
    path = tmp_path / "forged.json"
    run = CliRunner().invoke(main, ["critical", str(path)])
    assert (run.exit_code, run.output[:9]) == (1, "REJECTED:")


def test_a_plane_through_another_point_proves_nothing(tmp_path: Path) -> None:
    value = on_a_line({"point": 1, "times": 2, "of": [[0, 3], [2, 1]], "interior": 0})
    path = tmp_path / "genuine.json"
    path.write_bytes(encoded(value))
    assert checker.check(path).critical == (0,)
    value["critical"][0]["plane"] = [1, 1]
    assert "has point 1 wrong as well" in refused(value, tmp_path)


def on_a_line(witness: Value) -> Value:
    """Written by hand: the points 0 and -2 are negative, 4 is positive, and 0 is critical."""
    value = {"format": form.FORMAT, "unit": 2, "positive": [[4]], "negative": [[0], [-2]], "separator": [-1, 1]}
    return value | {"interior": None, "critical": [{"point": 0, "plane": [1, 2]}], "other": [witness]}


def test_a_rest_may_be_as_large_as_the_proof_allows_and_no_larger(tmp_path: Path) -> None:
    # Z0 = [[-2, 2], [0, 4]] and D = 8; this M makes E = [[0, 2], [0, 4]], so eta = 6, max|M| = 4 and |r| 4 <= 2 t.
    interior = {"basis": [0, 2], "inverse": [[-4, 2], [0, 1]], "scale": 8}
    path = tmp_path / "genuine.json"
    for excess, right in ((-2, True), (2, True), (-3, False), (3, False)):  # |r| is twice that
        witness = {"point": 1, "times": 20, "of": [[0, 20 + excess]], "interior": 10}
        value = on_a_line(witness) | {"interior": interior}
        path.write_bytes(encoded(value))
        if right:
            assert checker.check(path).critical == (0,)
        else:
            assert "does not make up for" in refused(value, tmp_path)


def test_an_exact_witness_must_be_exact(degenerate: Value, tmp_path: Path) -> None:
    forged = copy.deepcopy(degenerate)
    next(each for each in forged["other"] if not each["interior"])["times"] += 1
    assert "uses no interior to make up for that" in refused(forged, tmp_path)


def test_a_combination_of_nothing_is_no_witness(genuine: Value, tmp_path: Path) -> None:
    forged = copy.deepcopy(genuine)
    _deep(forged).update({"of": [], "interior": 0})
    assert "uses no interior" in refused(forged, tmp_path)


UNREADABLE: dict[str, tuple[Callable[[Value], Any], str]] = {
    "nothing": (lambda _: b"", "no JSON"),
    "not JSON": (lambda _: b"{", "no JSON"),
    "not ASCII": (lambda _: b'{"format": "\xc3\xa4"}', "no JSON"),
    "deep": (lambda _: b"[" * 200_000, "no JSON"),
    "a list": (lambda _: b"[]", "the file must be an object"),
    "another format": (lambda value: value | {"format": "tallystick critical points 2"}, "the format is not"),
    "one name more": (lambda value: value | {"more": 1}, "the file must be an object"),
    "one name less": (lambda value: {name: value[name] for name in value if name != "unit"}, "must be an object"),
    "a name twice": (lambda value: encoded(value)[:-1] + b', "unit": 1}', "there twice"),
    "a float": (lambda value: value | {"unit": 1.0}, "1.0 is not a whole number"),
    "infinity": (lambda value: value | {"unit": float("inf")}, "Infinity is not a whole number"),
    "a boolean": (lambda value: value | {"unit": True}, "the unit must be a whole number"),
    "a text": (lambda value: value | {"separator": ["1"] * 4}, "the separator must be whole numbers only"),
    "a huge number": (
        lambda value: encoded(value)[:-1].replace(b'"unit": ', b'"unit": ' + b"1" * 5000) + b"}",
        "digits",
    ),
    "a negative number with too many digits": (
        lambda value: encoded(value).replace(b'"unit": ', b'"unit": -' + b"1" * form.DIGITS),
        f"more than {form.DIGITS} digits",
    ),
    "no coordinates": (
        lambda value: value | {"positive": [], "negative": [[]], "separator": [-1]},
        "the points have no coordinates",
    ),
    "no negatives": (lambda value: value | {"negative": []}, "at least one"),
    "a number as point": (lambda value: value | {"negative": [1]}, "lists of numbers"),
    "points of different lengths": (lambda value: value | {"positive": [[1]]}, "a point must have 3 numbers, 1 found"),
    "a short plane": (
        lambda value: value | {"critical": [{"point": value["critical"][0]["point"], "plane": [1]}]},
        "must have 4 numbers, 1 found",
    ),
    "a short separator": (lambda value: value | {"separator": [1]}, "the separator must have 4 numbers"),
    "no list": (lambda value: value | {"other": {}}, "'other' must be a list"),
    "no claim": (lambda value: value | {"other": [1]}, "an entry of 'other' must be an object"),
    "a part of three": (
        lambda value: value | {"other": [{"point": 0, "times": 1, "of": [[1, 2, 3]], "interior": 0}]},
        "must have 2 numbers, 3 found",
    ),
    "a short inverse": (
        lambda value: value | {"interior": value["interior"] | {"inverse": [[1, 2, 3, 4]]}},
        "must have 4 rows, 1 found",
    ),
    "no interior": (lambda value: value | {"interior": 0}, "the interior must be an object"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_such_file_is_said_to_be_none(name: str, genuine: Value, tmp_path: Path) -> None:
    spoil, reason = UNREADABLE[name]
    assert reason in refused(spoil(genuine), tmp_path)
    run = CliRunner().invoke(main, ["critical", str(tmp_path / "forged.json")])
    assert (run.exit_code, run.output[:7]) == (3, "Error: ")


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


def test_the_command_says_what_is_proven(genuine: Value, tmp_path: Path) -> None:
    path = tmp_path / "genuine.json"
    path.write_bytes(encoded(genuine))
    run = CliRunner().invoke(main, ["critical", str(path)])
    assert run.exit_code == 0
    assert f"of {len(genuine['negative'])} negative points, {len(genuine['critical'])} are critical" in run.output
    assert "proven of the points as they stand in the file" in run.output
    assert CliRunner().invoke(main, ["critical", str(tmp_path / "absent")]).exit_code == 2


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_no_bytes_bring_the_command_down(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.json"
    path.write_bytes(content)
    assert CliRunner().invoke(main, ["critical", str(path)]).exit_code == 3


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
        assert "does not make up for" in refused(value, tmp_path)
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
    assert "which does not flip it" in refused(value, tmp_path)


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
