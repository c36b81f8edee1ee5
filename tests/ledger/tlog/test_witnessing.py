"""Witnesses over HTTP: they cosign what continues, and every other answer is told in words."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger import notes
from ledger.keys import SigningKey
from ledger.tlog import checkpoint, log, witnessing
from ledger.tlog.log import Log
from ledger.tlog.policy import Witness
from ledger.tlog.witnessing import Ahead, BadAnswer, OtherHistory, Rejected, Unreachable, Unwitnessed
from tests.ledger.tlog.test_log import KEY, ORIGIN, OTHER, add, leaves_of
from tests.support.witness import TIME, TestWitness, serving


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log.create(tmp_path / "log", ORIGIN, KEY)
    add(tmp_path / "log", leaves_of(0, 5))
    return tmp_path / "log"


@pytest.fixture
def court(folder: Path) -> Iterator[TestWitness]:
    found = TestWitness()
    found.logs[ORIGIN] = Log.open(folder).key
    with serving(found):
        yield found


def cosign(folder: Path, *witnesses: TestWitness) -> list[witnessing.Asked]:
    """What `log add` does after it has added something."""
    found = Log.open(folder)
    asked = witnessing.ask_all(found, [each.known(f"w{number}") for number, each in enumerate(witnesses)])
    log.keep_cosignatures(folder, found.size, [each.line for each in asked if each.line])
    return asked


def test_a_witness_cosigns_a_new_log_and_each_size_after_it(folder: Path, court: TestWitness) -> None:
    for first, last in ((5, 6), (6, 300), (300, 301)):
        (asked,) = cosign(folder, court)
        assert asked.error is None
        note = Log.open(folder).note
        assert note.signed_by([court.key]) == [court.key]
        add(folder, leaves_of(first, last))
    assert len(court.requests) == 3  # the size that it stands at is known from the kept checkpoints


def test_a_witness_that_has_cosigned_is_not_asked_again(folder: Path, court: TestWitness) -> None:
    cosign(folder, court)
    assert cosign(folder, court) == []
    assert len(court.requests) == 1


def test_a_witness_that_is_behind_by_many_sizes_is_brought_up_to_date(folder: Path, court: TestWitness) -> None:
    cosign(folder, court)
    for number in range(5, 40):
        add(folder, leaves_of(number, number + 1))
    (asked,) = cosign(folder, court)
    assert asked.line is not None
    assert court.seen[ORIGIN][0] == 40


def test_a_witness_that_stands_elsewhere_than_the_log_believes_is_proven_from_there(
    folder: Path, court: TestWitness
) -> None:
    before = Log.open(folder)
    witnessing.ask(before, court.known("w"))  # the answer was lost before it was kept
    add(folder, leaves_of(5, 9))
    (asked,) = cosign(folder, court)
    assert asked.line is not None
    starts = [request.split(b"\n")[0] for request in court.requests]
    assert starts == [b"old 0", b"old 0", b"old 5"]


def test_a_lost_answer_for_the_newest_size_is_given_again(folder: Path, court: TestWitness) -> None:
    witnessing.ask(Log.open(folder), court.known("w"))
    (asked,) = cosign(folder, court)
    assert asked.line is not None
    assert court.requests[-1].split(b"\n")[:2] == [b"old 5", b""]


@given(old=st.integers(min_value=0, max_value=40), more=st.integers(min_value=0, max_value=40))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_proof_holds_from_any_size_to_any_other(court: TestWitness, tmp_path: Path, old: int, more: int) -> None:
    folder = tmp_path / f"{old} {more} {time.monotonic_ns()}"
    log.create(folder, ORIGIN, KEY)
    first, second = add(folder, leaves_of(0, old)), add(folder, leaves_of(old, old + more))
    court.seen[ORIGIN] = old, first.checkpoint.root
    assert witnessing.ask(second, court.known("w")).name == court.key.name


def test_a_log_that_was_set_back_is_told_and_not_blamed(folder: Path, court: TestWitness, tmp_path: Path) -> None:
    cosign(folder, court)
    log.create(tmp_path / "other", ORIGIN, KEY)
    add(tmp_path / "other", [b"x"] * 3)
    with pytest.raises(Ahead, match="has cosigned 5 leaves .* and there are only 3 here: this is an older copy"):
        witnessing.ask(Log.open(tmp_path / "other"), court.known("w"))
    add(tmp_path / "other", [b"x"] * 4)
    with pytest.raises(OtherHistory, match="do not continue the 5 that it has cosigned .* nobody is blamed"):
        witnessing.ask(Log.open(tmp_path / "other"), court.known("w"))
    assert court.seen[ORIGIN][0] == 5


def test_a_witness_that_does_not_know_the_log_or_has_another_key_for_it(folder: Path, court: TestWitness) -> None:
    found = Log.open(folder)
    court.logs[ORIGIN] = checkpoint.note_key(ORIGIN, OTHER)
    with pytest.raises(Rejected, match="does not accept the signature .* another key for that name") as refused:
        witnessing.ask(found, court.known("w"))
    assert found.key.vkey in str(refused.value)
    del court.logs[ORIGIN]
    with pytest.raises(Rejected, match="does not know the log trent.example/log") as refused:
        witnessing.ask(found, court.known("w"))
    assert found.key.vkey in str(refused.value)


def line(note: notes.Note, signer: SigningKey, name: str, when: int = TIME) -> bytes:
    return str(notes.cosign(note.text, signer, name, when)).encode()


def answers(folder: Path, court: TestWitness) -> list[tuple[int, bytes, type[Unwitnessed], str]]:
    """What a witness may say, and what becomes of it."""
    note = Log.open(folder).note
    name, signer = court.key.name, court.signer
    own = line(note, signer, name)
    false = line(replace(note, text=note.text.replace("\n5\n", "\n6\n")), signer, name)
    return [
        (200, b"", BadAnswer, "cannot be used"),
        (200, b"\xff\n", BadAnswer, "not UTF-8"),
        (200, b"<html>hello</html>\n", BadAnswer, "cannot be used"),
        (200, own[:-1], BadAnswer, "cannot be used"),
        (200, own[:-9] + b"\n", BadAnswer, "cannot be used"),
        (200, b"\n" + own, BadAnswer, "empty line"),
        (200, b"more text\n\n" + own, BadAnswer, "empty line"),
        (200, own + own, BadAnswer, "two signatures"),
        (200, line(note, OTHER, "stranger.example"), BadAnswer, "no cosignature by the key"),
        (200, str(notes.sign(note.text, signer, name)).encode(), BadAnswer, "no cosignature by the key"),
        (200, false, BadAnswer, "is false"),
        (200, line(note, signer, name, 0), BadAnswer, "states no time"),
        (200, b"x" * (witnessing.MAX_ANSWER + 1), BadAnswer, "too large"),
        (409, b"", BadAnswer, "without the size"),
        (409, b"five\n", BadAnswer, "without the size"),
        (409, b"5", BadAnswer, "without the size"),
        (409, b"05\n", BadAnswer, "without the size"),
        (409, b"-1\n", BadAnswer, "without the size"),
        (409, b"0\n", BadAnswer, "contradicts itself"),
        (409, b"6\n", Ahead, "older copy"),
        (409, b"9" * 16 + b"\n", Ahead, "older copy"),
        (400, b"", BadAnswer, "does not understand"),
        (301, b"", BadAnswer, "does not answer as a witness"),
        (204, b"", BadAnswer, "does not answer as a witness"),
        (418, b"", BadAnswer, "does not answer as a witness"),
        (429, b"", Unreachable, "cannot cosign now"),
        (500, b"", Unreachable, "cannot cosign now"),
        (503, b"x", Unreachable, "cannot cosign now"),
    ]


def test_every_other_answer_is_told_in_words_and_nothing_is_kept(folder: Path, court: TestWitness) -> None:
    before = (folder / "checkpoints/5").read_bytes()
    for status, body, error, why in answers(folder, court):
        court.behave = lambda _, given=(status, body): given
        (asked,) = cosign(folder, court)
        assert asked.line is None
        assert type(asked.error) is error, (status, body[:40], asked.error)
        assert re.search(why, str(asked.error)), asked.error
        assert (folder / "checkpoints/5").read_bytes() == before


def test_a_witness_that_keeps_naming_other_sizes_is_not_asked_for_ever(folder: Path, court: TestWitness) -> None:
    sizes = iter(range(1, 100))
    court.behave = lambda _: (409, f"{next(sizes)}\n".encode())
    (asked,) = cosign(folder, court)
    assert isinstance(asked.error, Unreachable)
    assert len(court.requests) == 4


def test_lines_of_others_in_an_answer_are_left_aside(folder: Path, court: TestWitness) -> None:
    note = Log.open(folder).note
    stranger = line(note, OTHER, "stranger.example")
    court.behave = lambda _: (200, stranger + line(note, court.signer, court.key.name))
    cosign(folder, court)
    assert [each.name for each in Log.open(folder).note.signatures] == [ORIGIN, court.key.name]


def test_a_cut_connection_and_a_closed_port_are_told(folder: Path, court: TestWitness) -> None:
    court.behave = lambda _: None
    with pytest.raises(Unreachable, match="the connection was cut"):
        witnessing.ask(Log.open(folder), court.known("w"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unreachable, match="cannot be reached: Connection refused"):
        witnessing.ask(Log.open(folder), replace(court.known("w"), url=url))


@contextmanager
def raw_server(pieces: list[bytes], pause: float) -> Iterator[str]:
    """A server that sends these bytes slowly, whatever it is asked."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        stopped = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                for piece in pieces:
                    if stopped.wait(pause):
                        return
                    try:
                        connection.sendall(piece)
                    except OSError:
                        return

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            stopped.set()
            thread.join()


def test_a_witness_that_sends_a_byte_now_and_then_does_not_hold_the_log_up(folder: Path, court: TestWitness) -> None:
    for begin in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"):
        with raw_server([begin or b"H", *[b"x"] * 600], 0.1) as url:
            start = time.monotonic()
            with pytest.raises(Unreachable, match="does not answer in time"):
                witnessing.ask(Log.open(folder), replace(court.known("w"), url=url), timeout=0.5)
            assert time.monotonic() - start < 30  # of the minute that all of it takes


def test_what_is_no_web_server_is_told(folder: Path, court: TestWitness) -> None:
    for sent in (b"220 mail.example ready\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00\x01\x02\r\n"):
        with (
            raw_server([sent], 0) as url,
            pytest.raises(Unwitnessed, match="answer as a web server|was cut|be reached"),
        ):
            witnessing.ask(Log.open(folder), replace(court.known("w"), url=url))


@pytest.mark.parametrize(
    "url", ["", "court.example", "ftp://court.example", "http://", "http://u:p@h/", "http://h:99999/", "http://h/?q=1"]
)
def test_an_address_that_cannot_be_asked_is_told(folder: Path, court: TestWitness, url: str) -> None:
    with pytest.raises(BadAnswer, match="is not an address of the witness w"):
        witnessing.ask(Log.open(folder), replace(court.known("w"), url=url))


def test_plain_tcp_where_tls_is_expected_is_told(folder: Path, court: TestWitness) -> None:
    url = court.url.replace("http:", "https:")
    with pytest.raises(Unreachable, match="cannot be reached"):
        witnessing.ask(Log.open(folder), replace(court.known("w"), url=url))


def test_several_witnesses_are_asked_and_each_has_its_own_answer(folder: Path, court: TestWitness) -> None:
    bar, away = TestWitness("bar.example/w"), TestWitness("firm.example/w")
    bar.logs, away.behave = court.logs, lambda _: (500, b"")
    with serving(bar, away):
        asked = cosign(folder, court, away, bar)
        assert [type(each.error) for each in asked] == [type(None), Unreachable, type(None)]
        assert [each.name for each in Log.open(folder).note.signatures[1:]] == [court.key.name, bar.key.name]
        away.behave, away.logs = None, court.logs
        assert [each.witness.name for each in cosign(folder, court, away, bar)] == ["w1"]
    assert len(Log.open(folder).note.signatures) == 4


def test_a_witness_without_an_address_is_not_asked(folder: Path) -> None:
    court = TestWitness()
    assert witnessing.ask_all(Log.open(folder), [Witness(name="w", key=court.key)]) == []
