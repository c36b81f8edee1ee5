"""Workers that read hostile files: one problem for each, nothing for the others, and no way out."""

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.sources import families
from protocol.sources.extractors import encode_file
from protocol.sources.families import Result
from protocol.sources.family import Family
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.limits import MIB, Limits
from protocol.sources.opener import Loose
from protocol.sources.parts import File
from protocol.sources.problems import Cause, Problem
from protocol.sources.sandbox import confine
from protocol.sources.sandbox.crew import CannotStart, Crew, Worker
from protocol.sources.source import Settings
from tests.support import hostile_readers

pytestmark = pytest.mark.slow

LIMITS = Limits(seconds=6, memory=512 * MIB, output=32 * MIB, text=16 * MIB, parts=100)
SETTINGS = Settings(limits=LIMITS, workers=2, work=hostile_readers.WORK)

needs_namespaces = pytest.mark.skipif(
    os.system("unshare -Urnm true 2>/dev/null") != 0, reason="this machine lets nobody make namespaces"
)


def read(*orders: str, settings: Settings = SETTINGS, received: Received | None = None) -> list[Result]:
    items = [Loose(path=str(n), file=File(name="f", content=order.encode())) for n, order in enumerate(orders)]
    return list(families.families(items, settings, Received() if received is None else received))


def said(order: str) -> str:
    (found,) = read(order)
    assert isinstance(found, Family), found
    return found.parts[0].text


BAD = {
    "segfault": (Cause.CRASHED, "SIGSEGV"),
    "exit 0": (Cause.CRASHED, "ended early"),
    "exit 7": (Cause.CRASHED, "exit code 7"),
    "quit": (Cause.CRASHED, "ended early"),
    "sleep": (Cause.TOO_SLOW, "more than 6 seconds"),
    "spin": (Cause.TOO_SLOW, "more than 6 seconds"),
    "allocate": (Cause.TOO_LARGE, "memory"),
    "recurse": (Cause.DAMAGED, "RecursionError"),
    "raise so": (Cause.DAMAGED, "ZeroDivisionError: so"),
    "refuse so": (Cause.ENCRYPTED, "so"),
    "endless": (Cause.TOO_LARGE, "16777216 bytes"),
    "flood": (Cause.TOO_LARGE, "bytes came out of it"),
    "many": (Cause.CRASHED, "senseless"),
    "nothing": (Cause.CRASHED, "empty"),
    "noise": (Cause.CRASHED, "senseless"),
    "no kind": (Cause.CRASHED, "senseless"),
    "pickle": (Cause.CRASHED, "senseless"),
    "two roots": (Cause.CRASHED, "senseless"),
    "no root": (Cause.CRASHED, "senseless"),
    "later parent": (Cause.CRASHED, "senseless"),
    "gap": (Cause.CRASHED, "senseless"),
    "bad text": (Cause.CRASHED, "senseless"),
    "bad cause": (Cause.CRASHED, "senseless"),
}


@pytest.mark.slow
def test_whatever_a_file_does_is_one_problem_and_the_files_around_it_are_read() -> None:
    orders = [order for bad in BAD for order in (f"before-{bad.replace(' ', '-')}", bad)] + ["last"]
    found = read(*orders)
    assert len(found) == len(orders)
    for order, each in zip(orders, found, strict=True):
        if order in BAD:
            cause, words = BAD[order]
            assert isinstance(each, Problem), order
            assert (each.cause, words in each.detail) == (cause, True), (order, each)
        else:
            assert isinstance(each, Family), (order, each)
            assert each.parts[0].text == order


def test_results_come_in_the_order_of_the_files_however_long_each_takes() -> None:
    orders = ["slow 0.5", "slow 0.01", "slow 0.3", *(f"file-{n}" for n in range(40)), "slow 0.2", "end"]
    for workers in (1, 3):
        found = read(*orders, settings=replace(SETTINGS, workers=workers))
        assert [each.parts[0].text for each in found if isinstance(each, Family)] == [
            o.removeprefix("slow ") for o in orders
        ]


def test_only_so_many_items_and_bytes_are_under_way_at_a_time() -> None:
    for weight, most in ((1, 16 + 2), (40, 2 + 2), (1000, 1 + 2)):
        taken: list[int] = []
        with Crew[int, int](hostile_readers.WORK, LIMITS, 2) as crew:
            items = (taken.append(n) or n for n in range(50))  # type: ignore[func-returns-value]
            results = crew.in_order(items, lambda n, *_: n, lambda _, w=weight: w, most=100)  # type: ignore[misc]
            for seen, result in enumerate(results, 1):
                assert result == seen - 1
                assert len(taken) <= seen + most


def test_problems_and_containers_of_a_source_keep_their_place_among_its_files() -> None:
    problem = Problem(where="there", cause=Cause.UNREADABLE, detail="so")
    box = Item(where="box", outcome=Outcome.CONTAINER)
    slow = Loose(path="a", file=File(name="f", content=b"word"))
    found = list(families.families([slow, box, problem, slow, box], SETTINGS, Received()))
    assert [isinstance(each, Family) for each in found] == [True, False, False, True, False]
    assert found[1:3] == [box, problem]


# What a worker cannot do


@needs_namespaces
def test_the_protections_that_hold_are_in_the_account() -> None:
    received = Received()
    read("word", received=received)
    assert received.protections == tuple(sorted(confine.PROTECTIONS))


@needs_namespaces
@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", __file__, "/dev/null", "."])
def test_a_worker_opens_no_file(path: str) -> None:
    assert said(f"open {path}").startswith("refused")


@needs_namespaces
def test_a_worker_sees_an_empty_root_and_can_write_nothing(tmp_path: Path) -> None:
    assert said("list /") == "[]"
    assert said("write /x") == "refused: Read-only file system"
    assert said(f"write {tmp_path}/x").startswith("refused")
    assert not list(tmp_path.iterdir())


@needs_namespaces
def test_a_worker_reaches_no_service_of_this_machine(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind("\0tallystick-test")
        local.listen()
        for order in (f"connect {server.getsockname()[1]}", "local \0tallystick-test"):
            (found,) = read(order)
            assert isinstance(found, Problem)
            assert "unreachable" in found.detail or "refused" in found.detail.lower()


@needs_namespaces
def test_a_worker_has_no_rights_to_get_out_with() -> None:
    assert said("deeper") == "refused refused refused refused"


def test_a_worker_cannot_lift_its_limit_on_memory() -> None:
    assert said("unlimit").startswith("refused") or os.geteuid() == 0


def test_after_a_native_library_has_read_a_file_its_process_reads_no_other() -> None:
    def names(*names: str) -> list[str]:
        items = [Loose(path=str(n), file=File(name=name, content=b"remember x")) for n, name in enumerate(names)]
        found = families.families(items, replace(SETTINGS, workers=1), Received())
        return [each.parts[0].text for each in found if isinstance(each, Family)]

    assert names("a", "b", "c.pdf", "d", "e.pdf", "f.pdf") == ["x", "x,x", "x,x,x", "x", "x,x", "x"]


def test_children_of_a_worker_end_with_it(tmp_path: Path) -> None:
    before = _running()
    (found,) = read("fork")
    assert isinstance(found, Family)
    assert _all_gone(before)


def _all_gone(before: set[str]) -> bool:
    """Whether all workers end soon."""
    end = time.monotonic() + 5
    while _running() - before and time.monotonic() < end:
        time.sleep(0.05)
    return not _running() - before


def _running() -> set[str]:
    return {
        each.name
        for each in Path("/proc").iterdir()
        if each.name.isdigit() and b"hostile_readers" in _command(each / "cmdline")
    }


def _command(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


# How it ends


def test_no_worker_is_left_when_the_reading_is_given_up() -> None:
    before = _running()
    with pytest.raises(RuntimeError, match="enough"):
        for _ in families.families(_then_fails(), SETTINGS, Received()):
            pass
    reading = families.families(_with_a_sleeper(), replace(SETTINGS, limits=replace(LIMITS, seconds=60)), Received())
    assert isinstance(next(reading), Family)
    del reading
    assert _all_gone(before)


def _with_a_sleeper() -> Iterator[Loose]:
    for order in (b"word", b"sleep", b"sleep", b"sleep"):
        yield Loose(path="a", file=File(name="f", content=order))


def _then_fails() -> Iterator[Loose]:
    yield Loose(path="a", file=File(name="f", content=b"word"))
    yield Loose(path="b", file=File(name="f", content=b"slow 0.1"))
    raise RuntimeError("enough")


def test_a_worker_that_cannot_start_is_no_files_fault() -> None:
    with pytest.raises(CannotStart, match="No module named 'tests.nowhere'"):
        list(Worker("tests.nowhere:WORK", LIMITS).ask(encode_file(File(name="f", content=b"")), most=100))
