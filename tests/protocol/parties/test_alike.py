"""What Alice says of documents that are alike: no row is left open, and no yes or no contradicts her other words."""

from typing import Any

import pytest

from ledger import canonical
from protocol.corpus.likeness import Likeness
from protocol.parties import alike
from protocol.parties.alike import Alike, Other, Reason, answered, covers
from protocol.parties.errors import NotAnswered, Objectionable

PRIVILEGE = (Reason.UPHELD, Reason.CLAIMED, Reason.CANDIDATE)


def row(reason: Reason, **changed: Any) -> Alike:
    other = Other(name="memo.txt", part=None, position=2, round=1)
    given: dict[str, Any] = {
        "label": None, "labels": reason is Reason.TOGETHER, "likeness": Likeness.EQUAL, "name": "copy.txt",
        "other": None if reason is Reason.CANDIDATE else other, "part": None, "position": 5, "reason": reason,
        "said": "which you claim: advice",
    }  # fmt: skip
    return Alike(**(given | changed))


def refused(one: Alike, *, said: bool | None = None, labels: dict[int, bool] | None = None, **claims: Any) -> str:
    with pytest.raises(NotAnswered) as error:
        answered(
            [one],
            labels or {},
            {int(key[1:]): each for key, each in claims.items()},
            {1: said} if said is not None else {},
        )
    return str(error.value)


def accepted(one: Alike, *, said: bool | None = None, labels: dict[int, bool] | None = None, **claims: Any) -> None:
    found = answered(
        [one], labels or {}, {int(key[1:]): each for key, each in claims.items()}, {1: said} if said is not None else {}
    )
    assert [each.said for each in found] == [said]


@pytest.mark.parametrize("reason", PRIVILEGE)
def test_whether_it_is_privileged_is_never_left_open(reason: Reason) -> None:
    assert "say whether it is privileged" in refused(row(reason))
    assert "say whether it is privileged" in refused(row(reason), _5="advice")
    assert "row 1 of the list (position 5)" in refused(row(reason))
    assert "add --alike FILE" in refused(row(reason))


@pytest.mark.parametrize("reason", PRIVILEGE)
def test_a_yes_needs_a_claim_and_a_no_none(reason: Reason) -> None:
    assert "privilege.csv has no claim for position 5" in refused(row(reason), said=True)
    assert "has no claim for position 5" in refused(row(reason), said=True, _4="advice")
    assert "privilege.csv claims position 5" in refused(row(reason), said=False, _5="advice")
    accepted(row(reason), said=True, _5="advice")
    accepted(row(reason), said=False, _4="advice")


def test_a_claim_of_the_family_is_a_yes_for_each_part_of_it() -> None:
    part = row(Reason.CLAIMED, part=2)
    accepted(part, said=True, _5="advice")
    accepted(part, said=False, _5="advice")  # the family may be claimed because of another part


def test_a_claim_of_parts_is_a_yes_for_these_alone() -> None:
    claim = {"basis": "advice", "parts": [2]}
    accepted(row(Reason.CLAIMED, part=2), said=True, _5=claim)
    accepted(row(Reason.CLAIMED, part=1), said=False, _5=claim)
    assert "has no claim" in refused(row(Reason.CLAIMED, part=1), said=True, _5=claim)
    assert "has no claim" in refused(row(Reason.CLAIMED), said=True, _5=claim)
    assert "claims position 5" in refused(row(Reason.CLAIMED, part=2), said=False, _5=claim)
    accepted(row(Reason.CANDIDATE), said=True, _5=claim)
    assert covers(claim, 2)
    assert not covers(claim, None)
    assert not covers(None, 2)


def test_another_label_than_before_must_be_meant() -> None:
    one = row(Reason.LABELLED, label=True)
    labels = {5: False}
    open_one = refused(one, labels=labels)
    assert "you label it not responsive, and 'memo.txt' (round 1, position 2) responsive. Write no if" in open_one
    assert "you say yes, the same, but you label it not responsive" in refused(one, said=True, labels=labels)
    accepted(one, said=False, labels=labels)


def test_the_same_label_needs_no_word_and_no_other() -> None:
    one = row(Reason.LABELLED, label=True)
    accepted(one, labels={5: True})
    accepted(one, said=True, labels={5: True})
    assert "you say no, but you treat it like" in refused(one, said=False, labels={5: True})


def test_what_she_does_not_label_is_not_compared() -> None:
    accepted(row(Reason.LABELLED, label=True), labels={})  # below her threshold
    accepted(row(Reason.TOGETHER), labels={5: True})


def test_two_in_one_question_are_compared_by_label_and_claim() -> None:
    one = row(Reason.TOGETHER)
    same = {2: True, 5: True}
    accepted(one, labels=same)
    accepted(one, labels=same, _2="advice", _5="another basis")
    assert "you label it responsive, and 'memo.txt' (position 2) not" in refused(one, labels={2: False, 5: True})
    assert "you claim it, and not 'memo.txt' (position 2)" in refused(one, labels=same, _5="advice")
    assert "you claim not it, but 'memo.txt' (position 2)" in refused(one, labels=same, _2="advice")
    assert "you say yes, the same, but you claim" in refused(one, said=True, labels=same, _2="advice")
    accepted(one, said=False, labels=same, _2="advice")


def test_parts_in_one_question_are_compared_by_claim_alone() -> None:
    other = Other(name="memo.txt", part=1, position=2, round=1)
    one = row(Reason.TOGETHER, labels=False, part=3, other=other)
    accepted(one, labels={2: False, 5: True})
    assert "you claim" in refused(one, labels={2: False, 5: True}, _2={"basis": "advice", "parts": [1]})
    accepted(one, labels={2: False, 5: True}, _2={"basis": "advice", "parts": [2]})


def test_all_open_rows_are_told_at_once_up_to_a_number() -> None:
    with pytest.raises(NotAnswered) as error:
        answered([row(Reason.CLAIMED)] * 13, {}, {}, {3: False})
    told = str(error.value)
    assert "row 1 of the list" in told
    assert "row 3 of the list" not in told
    assert "and 2 other rows" in told
    assert "--alike" not in told  # it was given


def test_a_list_is_read_as_it_was_written() -> None:
    rows = (row(Reason.CLAIMED), row(Reason.CANDIDATE, likeness=None), row(Reason.LABELLED, label=False))
    assert alike.decode(alike.encode(rows), "alike.json") == rows


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[1]",
        b"[{}]",
        b"not json",
        canonical.encode([{"position": 0}]),
        alike.encode([row(Reason.CLAIMED)])[:-3],
    ],
)
def test_a_list_that_is_malformed_is_objected_to(data: bytes) -> None:
    with pytest.raises(Objectionable, match="alike.json"):
        alike.decode(data, "alike.json")


def test_a_person_is_told_what_was_said() -> None:
    rows = answered(
        [row(Reason.CLAIMED), row(Reason.CANDIDATE), row(Reason.LABELLED, label=True)],
        {5: False},
        {},
        {1: False, 2: False, 3: False},
    )
    assert list(alike.counted(rows)) == [
        "asked of 2 whether privileged: 0 yes, 2 no",
        "1 treated otherwise than what it is like, as you say",
    ]
    assert list(alike.counted(answered([row(Reason.TOGETHER)], {}, {}, {}))) == ["1 like others, all treated the same"]
