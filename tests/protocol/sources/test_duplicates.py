"""Exact duplicates: whole families meet, parts never do, and nothing that was merged loses its place."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.sources.duplicates import Families, family_key, part_keys
from protocol.sources.equals import Equals
from protocol.sources.family import Part
from protocol.sources.parts import Note
from protocol.sources.problems import Cause


def keys(*contents: bytes) -> list[bytes]:
    return [sha256(each).digest() for each in contents]


def part(
    index: int = 0, content: bytes = b"mail", kind: str = "mail", notes: tuple[Note, ...] = (), **fields: str
) -> Part:
    known = {"from": "a@x", "date": "2024-01-01T00:00:00+00:00", "subject": "hello"} | fields
    parent = index - 1 if index else None
    return Part(
        index=index, parent=parent, name="", content=content, kind=kind, text="\nbody", fields=known, notes=notes
    )


def test_the_same_family_is_kept_once_and_its_copies_lead_to_its_documents() -> None:
    families = Families()
    assert families.documents(keys(b"mail", b"attached"), range(2)) == range(2)
    assert families.documents(keys(b"other"), range(2, 3)) == range(2, 3)
    assert families.documents(keys(b"mail", b"attached"), range(3, 5)) == range(2)
    assert families.documents(keys(b"mail", b"attached"), range(3, 5)) == range(2)
    assert len(families) == 2


def test_an_attachment_is_merged_neither_with_a_loose_file_nor_with_another_familys() -> None:
    families = Families()
    for place, parts in enumerate((keys(b"mail", b"attached"), keys(b"attached"), keys(b"another mail", b"attached"))):
        assert families.documents(parts, range(place, place + 1)) == range(place, place + 1)
    assert len(families) == 3


def test_two_copies_of_a_mail_have_the_same_key_whatever_their_bytes_and_program() -> None:
    assert part_keys([part(content=b"Received: one")]) == part_keys([part(content=b"Received: two", kind="msg")])


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "text"},
        {"from": ""},
        {"date": ""},
        {"notes": ((Cause.ENCRYPTED, "so"),)},
        {"notes": ((Cause.UNREAD_PART, "so"), (Cause.BROKEN_MAIL, "so"))},
    ],
    ids=["no mail", "without a sender", "without a date", "encrypted", "broken"],
)
def test_what_cannot_be_told_from_others_by_what_it_says_goes_by_its_bytes(changed: dict[str, Any]) -> None:
    one, two = (part_keys([part(content=content, **changed)]) for content in (b"one", b"two"))
    assert (one, two) == (keys(b"one"), keys(b"two"))


@pytest.mark.parametrize("changed", [{"subject": "other"}, {"to": "b@x"}, {"from": "c@x"}, {"date": "2024-01-01"}])
def test_mails_that_say_something_else_stay_apart(changed: dict[str, str]) -> None:
    assert part_keys([part()]) != part_keys([part(**changed)])  # type: ignore[arg-type]


def test_mails_with_other_attachments_stay_apart_and_attachments_go_by_their_bytes() -> None:
    def found(attached: bytes) -> list[bytes]:
        return part_keys([part(), part(1, attached, "text")])

    assert found(b"a")[0] != found(b"b")[0]
    assert found(b"a")[1] == keys(b"a")[0]
    assert found(b"a")[0] != part_keys([part()])[0]


@pytest.mark.parametrize("other", [(b"b", b"a"), (b"a",), (b"a", b"b", b"b"), (b"a", b"b", b""), (b"ab",)])
def test_families_with_other_parts_or_another_order_stay_apart(other: Sequence[bytes]) -> None:
    assert family_key(keys(b"a", b"b")) != family_key(keys(*other))


def test_the_key_of_a_family_is_the_hash_of_its_parts_keys_in_order() -> None:
    parts = keys(b"a", b"b")
    assert family_key(parts) == sha256(sha256(b"a").digest() + sha256(b"b").digest()).digest()


@pytest.mark.parametrize("parts", [[], [b"short"], [bytes(32), b""], [bytes(33)]])
def test_what_is_no_key_is_refused(parts: list[bytes]) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Families().documents(parts, range(1))


def test_what_is_no_key_has_no_equals() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Equals().add(b"short")


@given(st.lists(st.sampled_from([bytes(32), bytes(31) + b"\1", b"\1" + bytes(31), b"\xff" * 32, b"\xff" * 31 + b"\0"])))
def test_each_part_knows_its_equals_and_no_others(parts: list[bytes]) -> None:
    equals = Equals()
    for each in parts:
        equals.add(each)
    groups = equals.groups()
    assert len(equals) == len(parts)
    for index, each in enumerate(parts):
        same = [other for other, key in enumerate(parts) if key == each]
        assert groups.of(index) == tuple(other for other in same if other != index)
        assert groups.first(index) == same[0]


@given(st.lists(st.lists(st.sampled_from([b"a", b"b", b"c"]), min_size=1, max_size=3), max_size=12))
def test_each_family_is_kept_or_merged_with_the_first_that_has_the_same_parts(found: list[list[bytes]]) -> None:
    families, kept = Families(), list[list[bytes]]()
    for contents in found:
        offered = range(len(kept), len(kept) + 1)
        documents = families.documents(keys(*contents), offered)
        if contents in kept:
            assert documents.start == kept.index(contents)
        else:
            assert documents == offered
            kept.append(contents)
    assert len(families) == len(kept)
