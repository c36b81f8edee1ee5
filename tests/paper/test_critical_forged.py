"""The checker of critical points believes nothing: each kind of forgery is refused, with the reason."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import critical_files
from tests.support.critical_files import Value, encoded, flipped_plane, on_a_line, refused
from verifier import critical as checker
from verifier.cli import main
from verifier.critical import form


@pytest.fixture
def genuine() -> Value:
    return critical_files.genuine()


@pytest.fixture
def degenerate() -> Value:
    return critical_files.degenerate()


def test_what_was_proven_is_accepted(genuine: Value, degenerate: Value, tmp_path: Path) -> None:
    for value in (genuine, degenerate):
        path = tmp_path / "genuine.json"
        path.write_bytes(encoded(value))
        assert list(checker.check(path).critical) == [each["point"] for each in value["critical"]]


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
    flipped_plane: "does not flip it",
    empty_plane: "does not flip it",
    separators_plane: "does not flip it",
    planes_exchanged: "does not flip it",
    no_separator: "the separator does not have point 0",
    moved_separator: "the separator does not have point",
    relabelled: "must be at least 0 and below",
    critical_called_other: "is too large for its interior",
    critical_left_out: "the file says nothing about negative point",
    other_left_out: "the file says nothing about negative point",
    critical_twice: "is listed twice in 'critical'",
    other_twice: "is listed twice in 'other'",
    both: "is listed both as critical and as not critical",
    other_called_critical: "so it proves nothing",
    wrong_part: "leaves a rest that is too large for its interior",
    part_of_another: "leaves a rest that is too large for its interior",
    negative_part: "must be at least 0",
    too_little_interior: "leaves a rest that is too large for its interior",
    no_interior_used: "leaves a rest, and uses no interior",
    too_much_interior: "leaves a rest that is too large for its interior",
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
    assert "does not keep point 1 on its side" in refused(value, tmp_path)


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
            assert "is too large for its interior" in refused(value, tmp_path)


def test_an_exact_witness_must_be_exact(degenerate: Value, tmp_path: Path) -> None:
    forged = copy.deepcopy(degenerate)
    next(each for each in forged["other"] if not each["interior"])["times"] += 1
    assert "leaves a rest, and uses no interior" in refused(forged, tmp_path)


def test_a_combination_of_nothing_is_no_witness(genuine: Value, tmp_path: Path) -> None:
    forged = copy.deepcopy(genuine)
    _deep(forged).update({"of": [], "interior": 0})
    assert "uses no interior" in refused(forged, tmp_path)


UNREADABLE: dict[str, tuple[Callable[[Value], Any], str]] = {
    "nothing": (lambda _: b"", "not JSON"),
    "not JSON": (lambda _: b"{", "not JSON"),
    "not ASCII": (lambda _: b'{"format": "\xc3\xa4"}', "not JSON"),
    "deep": (lambda _: b"[" * 200_000, "not JSON"),
    "a list": (lambda _: b"[]", "the file must be an object"),
    "another format": (lambda value: value | {"format": "tallystick critical points 2"}, "the format is not"),
    "one name more": (lambda value: value | {"more": 1}, "the file must be an object"),
    "one name less": (lambda value: {name: value[name] for name in value if name != "unit"}, "must be an object"),
    "a name twice": (lambda value: encoded(value)[:-1] + b', "unit": 1}', "occurs twice"),
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
