"""What is kept in memory hardly grows with a record: a long one is read as a stream."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import copyreader
from ledger.examining import examine, open_reader
from ledger.roles import Audience
from tests.support import corpora, long_records
from verifier.replay import ordered
from verifier.replay.forms import Kind
from verifier.summary import summary
from verifier.values import verdict_value
from verifier.verification import verify

pytestmark = pytest.mark.slow

SIZES = (150, 550)
"""Entries, with all that the interpreter keeps from one run to the next filled before."""

PER_ANSWER = 150
"""Bytes at most that an answer leaves behind: the hashes of its question and of itself, for a second answer to it, and
room for their lists to grow.
"""


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The court's copies of one record, as it was at each size."""
    folder = tmp_path_factory.mktemp("long")
    corpus = corpora.make(folder / "corpus", documents=40, responsive=10)
    found = {}
    with long_records.begin(corpus, folder / "matter") as run:
        for size in SIZES:
            long_records.lengthen(run, size)
            found[size] = long_records.cut(run, Audience.COURT, folder / f"{size}.jsonl")
    return found


def growth(work: Callable[[Path], object], copies: dict[int, Path]) -> float:
    """By how many bytes the peak grows for each further entry. What is kept of an entry is seen every time; what the
    interpreter happens to keep or to free meanwhile is not, so the least of three counts.
    """
    work(copies[SIZES[0]])
    grown = []
    for _ in range(3):
        first, second = (_peak(work, copies[size]) for size in SIZES)
        grown.append((second - first) / (SIZES[1] - SIZES[0]))
    return min(grown)


def _peak(work: Callable[[Path], object], copy: Path) -> int:
    tracemalloc.start()
    try:
        work(copy)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_verifying_keeps_little_more_than_the_hashes_of_each_answer(
    copies: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordered, "MOST", 20)
    assert growth(lambda copy: summary(verify(copy)), copies) < PER_ANSWER * long_records.ANSWERS / long_records.CYCLE


def test_checking_a_copy_keeps_nothing_of_each_entry(copies: dict[int, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copyreader, "_BLOCK", 8)  # lines that are in memory together
    assert growth(lambda copy: examine(open_reader(copy)), copies) < 20


def test_orders_that_were_not_granted_are_counted_once_the_list_is_long(
    copies: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = verify(copies[SIZES[0]])
    monkeypatch.setattr(ordered, "MOST", 20)
    verdict = verify(copies[SIZES[0]])
    assert verdict.orders == whole.orders[:20]
    assert (whole.orders_unlisted, verdict.orders_unlisted) == (0, len(whole.orders) - 20)
    assert f"{verdict.orders_unlisted} more were asked for and not granted." in " ".join(summary(verdict).split())
    assert verdict_value(verdict)["orders_unlisted"] == verdict.orders_unlisted


def test_what_was_granted_is_always_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "MOST", 2)
    kept = ordered.OrdersOnRecord()
    for number in range(6):
        granted = number % 2 == 1
        kept.add(ordered.OrderDetail(kind=Kind.AMENDED, entry=number, role=None, granted=granted, words="so be it"))
    assert [each.entry for each in kept.listed] == [0, 1, 3, 5]
    assert kept.unlisted == 2
