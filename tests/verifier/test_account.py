"""V30: the counts of what was received add up, and are those of the list and of the corpus."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verifier.hand_made import DOCUMENTS, account, canonical, commitment, items, listed, part, write
from verifier import received_list
from verifier.corpus import leaves
from verifier.corpus.counting import Counting
from verifier.corpus.folder import SealedCorpus
from verifier.record.shapes import Malformed, read
from verifier.replay import account as replayed
from verifier.replay.commitment import Account, CorpusCommitment, Unit

LIST = listed(items(DOCUMENTS))
RIGHT: CorpusCommitment = read(CorpusCommitment, commitment(DOCUMENTS, LIST))


def judged_list(data: bytes, corpus: CorpusCommitment) -> Any:
    """What is wrong with a list, if anything; the reader of large lists says no just if something is."""
    broken = replayed.judge_list(data, corpus)
    if corpus.documents < 2**31:
        assert received_list.fits(memoryview(data), corpus) is (broken is None)
    return broken


def committed(**changed: Any) -> CorpusCommitment:
    """The commitment with other numbers in its account."""
    data = commitment(DOCUMENTS, LIST)
    return read(CorpusCommitment, data | {"account": data["account"] | changed})


def candidate(corpus: CorpusCommitment, told: Any = None, sealed: int = 1) -> Any:
    """As much of an opening as the conditions look at."""
    return SimpleNamespace(content=SimpleNamespace(corpus=corpus), told=told, sealed=lambda _: sealed)


def reason(broken: Any) -> str:
    """What is wrong, if something is."""
    return "" if broken is None else f"{broken.expected} / {broken.found}"


# The shape of the account


WRONG_SHAPES: dict[str, dict[str, Any]] = {
    "a count below 0": {"items": -1},
    "a count as text": {"parts": "9"},
    "a count that is null": {"unread": None},
    "a count that is true": {"entered": True},
    "a reason that nothing has": {"reasons": {"encrypted": 0}},
    "a reason below 0": {"reasons": {"encrypted": -1}},
    "reasons as an array": {"reasons": ["encrypted"]},
    "a date that is null": {"first": None},
    "a list that is no hash": {"list": "x"},
    "protections as text": {"protections": "none"},
    "a field too many": {"folders": 3},
}


@pytest.mark.parametrize("change", WRONG_SHAPES.values(), ids=WRONG_SHAPES)
def test_an_account_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        read(Account, account(DOCUMENTS, LIST) | change)


@pytest.mark.parametrize("name", sorted(account(DOCUMENTS, LIST)))
def test_an_account_lacks_nothing(name: str) -> None:
    with pytest.raises(Malformed, match=f"'{name}' is missing"):
        read(Account, {key: value for key, value in account(DOCUMENTS, LIST).items() if key != name})


@pytest.mark.parametrize(
    "change", [{"unit": "part"}, {"unit": None}, {"documents": 0}, {"extraction": ""}, {"account": None}]
)
def test_a_commitment_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        read(CorpusCommitment, commitment(DOCUMENTS, LIST) | change)


# The sums


def test_an_account_whose_sums_hold_adds_up() -> None:
    assert replayed.adds_up.test(candidate(RIGHT)) is None


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("containers", "9 items / 8"),
        ("exceptions", "9 items / 8"),
        ("families", "9 items / 8"),
        ("items", "8 items / 9"),
        ("duplicates", "7 families / 6"),
        ("entered", "7 families / 6"),
    ],
)
def test_one_number_more_does_not_add_up(name: str, due: str) -> None:
    more = committed(**{name: getattr(RIGHT.account, name) + 1})
    assert reason(replayed.adds_up.test(candidate(more))) == due


def test_reasons_add_up_to_the_exceptions() -> None:
    for reasons in ({}, {"encrypted": 2}, {"encrypted": 1, "damaged": 1}):
        assert "exceptions / 1" in reason(replayed.adds_up.test(candidate(committed(reasons=reasons))))


def test_documents_are_the_families_or_the_parts_by_the_unit() -> None:
    assert RIGHT.unit is Unit.FAMILY
    data = commitment(DOCUMENTS, LIST, unit="document")
    assert reason(replayed.adds_up.test(candidate(read(CorpusCommitment, data)))) == "9 documents / 5"
    assert replayed.adds_up.test(candidate(read(CorpusCommitment, data | {"documents": 9}))) is None
    less = read(CorpusCommitment, commitment(DOCUMENTS, LIST, documents=4))
    assert reason(replayed.adds_up.test(candidate(less))) == "5 documents / 4"


# The sealed list


@pytest.mark.parametrize("count", [0, 2])
def test_one_list_is_sealed(count: int) -> None:
    assert replayed.one_list.test(candidate(RIGHT)) is None
    assert reason(replayed.one_list.test(candidate(RIGHT, sealed=count))) == f"one value / {count} values"


def shown(value: Any) -> Any:
    return SimpleNamespace(all_of=lambda _: None if value is None else [value])


def test_the_list_is_the_attachment_that_the_opening_names() -> None:
    named = {"attachment": RIGHT.account.list.hex(), "size": len(LIST)}
    assert replayed.list_is_named.test(candidate(RIGHT, shown(named))) is None
    assert replayed.list_is_named.test(candidate(RIGHT, shown(None))) is None  # the copy does not show it


@pytest.mark.parametrize("value", [{"attachment": "11" * 32, "size": 5}, "11" * 32, 7, [], {}, False])
def test_another_list_is_not_the_one_that_the_opening_names(value: Any) -> None:
    assert reason(replayed.list_is_named.test(candidate(RIGHT, shown(value)))).startswith("the attachment ")


def test_a_list_that_the_copy_does_not_show_is_not_judged() -> None:
    hidden = SimpleNamespace(attachments={})
    assert replayed.list_follows.test(candidate(RIGHT, hidden)) is None
    other = SimpleNamespace(attachments={"account": b""})
    assert replayed.list_follows.test(candidate(RIGHT, other)) is not None


# What the list says


def test_a_list_that_gives_the_counts_is_right() -> None:
    assert judged_list(LIST, RIGHT) is None


def changed_items(place: int, **change: Any) -> bytes:
    found = items(DOCUMENTS)
    found[place] = found[place] | change
    return listed(found)


WRONG_LISTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "0 items with the outcome container"),
    "without its last newline": (LIST[:-1], "line 8: its newline is missing"),
    "with an empty line": (LIST + b"\n", "line 9: "),
    "with a blank": (LIST.replace(b'":', b'": ', 1), "line 1: "),
    "with a Windows line end": (LIST.replace(b"\n", b"\r\n"), "line 1: "),
    "not UTF-8": (LIST.replace(b"copy", b"c\xffpy"), "line 7: "),
    "not JSON": (b"{\n" + LIST, "line 1: "),
    "deep": (b"[" * 100_000 + b"\n" + LIST, "line 1: "),
    "of arrays": (b"[]\n" + LIST, "line 1: an object was expected"),
    "with a field too many": (changed_items(0, size=3), "line 1: the field 'size'"),
    "with a field too few": (listed([{"where": "x"}]), "line 1: the field 'documents' is missing"),
    "with another outcome": (changed_items(0, outcome="lost"), "line 1: outcome"),
    "with a document as text": (changed_items(1, documents=["0"]), "line 2: documents"),
    "with a document below 0": (changed_items(1, documents=[-1]), "line 2: documents"),
    "with a place that is null": (changed_items(1, where=None), "line 2: where"),
    "with a reason for a container": (changed_items(0, reason="encrypted"), "line 1: only an exception"),
    "with a reason for a document": (changed_items(1, reason="encrypted"), "line 2: only an exception"),
    "with a reason for a duplicate": (changed_items(6, reason="encrypted"), "line 7: only an exception"),
    "with a document of a container": (changed_items(0, documents=[0]), "line 1: 1 documents"),
    "with a document of an exception": (changed_items(7, documents=[0]), "line 8: 1 documents"),
    "with nothing that entered": (changed_items(1, documents=[]), "line 2: 0 documents"),
    "with a duplicate of nothing": (changed_items(6, documents=[]), "line 7: 0 documents"),
    "with a document twice": (changed_items(2, documents=[0]), "line 3: document 0 entered twice"),
    "with a document beyond the last": (changed_items(5, documents=[5]), "line 6: document 5 entered"),
    "with two documents of one family": (changed_items(1, documents=[0, 1]), "line 2: 2 documents entered with one"),
    "with a duplicate of what is not there": (changed_items(6, documents=[9]), "line 7: a duplicate of no item"),
    "with a duplicate of two": (changed_items(6, documents=[0, 1]), "line 7: a duplicate of no item"),
    "with a duplicate named twice": (changed_items(6, documents=[0, 0]), "line 7: a duplicate of no item"),
    "with a duplicate before what it equals": (
        listed([items(DOCUMENTS)[6], *items(DOCUMENTS)[:6], items(DOCUMENTS)[7]]),
        "line 1: a duplicate of no item",
    ),
    "with a container less": (listed(items(DOCUMENTS)[1:]), "0 items with the outcome container"),
    "with a container more": (listed(items(DOCUMENTS)[:1]) + LIST, "2 items with the outcome container"),
    "without the exception": (listed(items(DOCUMENTS)[:-1]), "0 items with the outcome exception"),
    "without the duplicate": (listed(items(DOCUMENTS)[:6] + items(DOCUMENTS)[7:]), "0 items with the outcome dupl"),
    "without a document": (listed(items(DOCUMENTS)[:5] + items(DOCUMENTS)[6:]), "4 items with the outcome entered"),
    "with another reason": (changed_items(7, reason="too deep"), "the reasons {'too deep': 1}"),
}


@pytest.mark.parametrize(("data", "due"), WRONG_LISTS.values(), ids=WRONG_LISTS)
def test_another_list_is_refused_with_the_place(data: bytes, due: str) -> None:
    assert due in reason(judged_list(data, RIGHT))


def test_a_list_does_not_use_memory_for_documents_that_it_cannot_name() -> None:
    many = read(CorpusCommitment, commitment(DOCUMENTS, LIST, documents=2**31))
    assert "document 5 did not enter" in reason(judged_list(LIST, many))


def of_parts(*families: list[int], duplicate: list[int] | None = None) -> Any:
    """What is wrong with a list of families whose parts are documents of their own."""
    found = [{"documents": each, "outcome": "entered", "reason": "", "where": str(each)} for each in families]
    if duplicate is not None:
        found.append({"documents": duplicate, "outcome": "duplicate", "reason": "", "where": "again"})
    numbers = account(DOCUMENTS, b"", containers=0, exceptions=0, reasons={}, entered=len(families), parts=4)
    numbers["duplicates"] = int(duplicate is not None)
    data = commitment(DOCUMENTS, b"", unit="document", documents=4) | {"account": numbers}
    return judged_list(listed(found), read(CorpusCommitment, data))


def test_with_the_unit_document_a_family_enters_with_all_its_parts() -> None:
    assert of_parts([0, 1], [2], [3]) is None
    assert of_parts([3, 0, 2], [1]) is None
    assert of_parts([0, 1], [2], [3], duplicate=[0, 1]) is None
    assert of_parts([0, 1], [2], [3], duplicate=[3]) is None


@pytest.mark.parametrize("duplicate", [[0], [1], [0, 2], [0, 1, 2], [0, 0], [4], [0, 1, 1]])
def test_a_duplicate_equals_a_family_as_a_whole(duplicate: list[int]) -> None:
    assert "a duplicate of no item" in reason(of_parts([0, 1], [2], [3], duplicate=duplicate))


@pytest.mark.parametrize("families", [([0, 0], [1], [2, 3]), ([0, 1], [1, 2], [3]), ([0, 1], [2], [4])])
def test_with_the_unit_document_each_number_enters_once(families: tuple[list[int], ...]) -> None:
    assert "entered" in reason(of_parts(*families))


def test_a_number_that_never_enters_is_told() -> None:
    assert "document 3 did not enter" in reason(of_parts([0, 1], [2]))


@given(st.binary(max_size=200))
def test_whatever_a_list_is_it_is_judged(data: bytes) -> None:
    assert judged_list(data, RIGHT) is not None


@given(st.integers(0, len(LIST) - 1), st.integers(0, 7))
def test_a_flipped_bit_is_noticed_or_only_in_a_place(place: int, bit: int) -> None:
    data = bytearray(LIST)
    data[place] ^= 1 << bit
    lines = bytes(data).splitlines()
    broken = judged_list(bytes(data), RIGHT)
    assert broken is not None or lines[LIST[:place].count(b"\n")].find(b'"where":"') < place


# What the corpus says


def counted(folder: Path) -> Counting:
    found = Counting()
    leaves.root(SealedCorpus.open(folder), counting=found)
    return found


def test_the_counts_of_the_corpus_are_those_of_the_account(tmp_path: Path) -> None:
    found = counted(write(tmp_path / "corpus", DOCUMENTS))
    assert (found.parts, found.unread, found.named) == (9, 2, {"Ann", "Bo"})
    assert (found.first, found.last) == ("1999-12-31", "2001-05-15")
    assert replayed.judge_counts(RIGHT.account, found) is None


@pytest.mark.parametrize(
    "change",
    [
        {"parts": 8},
        {"parts": 10},
        {"unread": 0},
        {"unread": 3},
        {"custodians": 1},
        {"custodians": 3},
        {"first": ""},
        {"first": "1999-12-30"},
        {"first": "1999-12-31T23:59:59"},
        {"last": "2001-05-14"},
        {"last": "14 May 2001"},
    ],
)
def test_another_number_than_the_corpus_has_is_told(tmp_path: Path, change: dict[str, Any]) -> None:
    found = counted(write(tmp_path / "corpus", DOCUMENTS))
    ((name, value),) = change.items()
    told = reason(replayed.judge_counts(committed(**change).account, found))
    assert told.startswith(f"`{name}` ")
    assert told.endswith(f" / {value!r}")


@pytest.mark.parametrize(
    ("dates", "due"),
    [
        ([""], ("", "")),
        (["2001-05-14"], ("2001-05-14", "2001-05-14")),
        (["2001-05-14 08:00", "2001-05-13x"], ("2001-05-13", "2001-05-14")),
        (["2001-5-14", "01-05-2001", "20010514", " 2001-05-14", "\uff12001-05-14"], ("", "")),
        (["0000-00-00", "9999-99-99"], ("0000-00-00", "9999-99-99")),
    ],
)
def test_only_dates_that_begin_as_dates_count(tmp_path: Path, dates: list[str], due: tuple[str, str]) -> None:
    documents = [[part(f"d{place}", "a", log={"date": date})] for place, date in enumerate(dates)]
    found = counted(write(tmp_path / "corpus", documents))
    assert (found.first, found.last) == due


def test_the_list_of_the_tests_has_every_outcome() -> None:
    assert {each["outcome"] for each in items(DOCUMENTS)} == {"container", "duplicate", "entered", "exception"}
    assert canonical(items(DOCUMENTS)[0]) + b"\n" == LIST.splitlines(keepends=True)[0]


@pytest.mark.parametrize("at_once", [1, 7, 50, 100, 1000])
def test_a_large_list_is_read_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(received_list, "_AT_ONCE", at_once)
    assert received_list.fits(memoryview(LIST), RIGHT)
    assert not received_list.fits(memoryview(LIST[:-1]), RIGHT)
    assert not received_list.fits(memoryview(LIST + LIST[-1:]), RIGHT)
