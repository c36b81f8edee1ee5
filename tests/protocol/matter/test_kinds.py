"""The table of kinds: one that lacks a part, or that nobody can answer, fails when the program is loaded."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from ledger.roles import Role
from protocol.matter import kinds
from protocol.matter.kind import Kind, When
from protocol.matter.kinds import KINDS, Unfinished, disclosure, labels, table


@pytest.mark.parametrize("part", [part.name for part in fields(Kind) if part.name != "asks_about"])
def test_a_kind_that_lacks_a_part_is_no_kind(part: str) -> None:
    whole = {each.name: getattr(disclosure.KIND, each.name) for each in fields(Kind)}
    assert Kind(**whole) == disclosure.KIND
    del whole[part]
    with pytest.raises(TypeError, match=part):
        Kind(**whole)


def listed(changed: Kind[Any]) -> list[Kind[Any]]:
    """All kinds, one of them changed."""
    return [changed if kind.name == changed.name else kind for kind in KINDS.values()]


WRONG: dict[str, Callable[[], list[Kind[Any]]]] = {
    "an unknown kind": lambda: listed(replace(disclosure.KIND, asks={Role.BOB: "tags"})),
    "another's to write": lambda: listed(replace(disclosure.KIND, asks={Role.ALICE: "labels"})),
    "no answer": lambda: listed(replace(labels.KIND, asking=None)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_asked_for_can_be_answered(wrong: str) -> None:
    with pytest.raises(Unfinished, match="'disclosure' asks .* cannot answer"):
        table(WRONG[wrong](), KINDS)


def test_every_module_is_listed_and_every_kind_has_a_module() -> None:
    assert table(KINDS.values(), KINDS) == KINDS
    with pytest.raises(Unfinished, match="these lack one of the two: redaction"):
        table(KINDS.values(), [*KINDS, "redaction"])
    with pytest.raises(Unfinished, match="these lack one of the two: labels"):
        table((kind for kind in KINDS.values() if kind.name != "labels"), KINDS)


def test_answers_and_only_answers_come_when_they_are_asked_for() -> None:
    for kind in KINDS.values():
        assert (kind.when is When.ASKED) == (kind.asking is not None) == (Role.TRENT not in kind.authors)
        assert set(kind.optional) <= kind.seals.keys()
    assert {asked for kind in KINDS.values() for asked in (kind.asks or {}).values()} == {
        name for name, kind in KINDS.items() if kind.asking is not None
    }


def test_what_is_no_kind_keeps_its_name() -> None:
    assert (kinds.called("link"), kinds.called("cosign")) == ("link of the coin chain", "cosign")
