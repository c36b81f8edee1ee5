"""Frames come out as they went in, however the bytes of the line fall apart."""

import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.sandbox.frames import BadFrame, Closed, Kind, Line, TooLong

MOST = 2**20


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(Kind), st.one_of(st.binary(max_size=50), st.sampled_from([b"x" * 2**16, b"y" * 70_000]))
        ),
        max_size=8,
    )
)
def test_many_frames_sent_at_once_are_received_one_by_one(frames: list[tuple[Kind, bytes]]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender, receiver = Line(ours), Line(theirs)

        def send() -> None:
            for kind, payload in frames:
                sender.send(kind, payload)
            ours.shutdown(socket.SHUT_WR)

        thread = threading.Thread(target=send)
        thread.start()
        assert [receiver.receive(MOST, 5) for _ in frames] == frames
        with pytest.raises(Closed):
            receiver.receive(MOST, 5)
        thread.join()


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"\x03" + (10).to_bytes(8, "big") + b"short", Closed),
        (b"\x03\0\0", Closed),
        (b"\x09" + bytes(8), BadFrame),
        (b"\x03" + (MOST + 1).to_bytes(8, "big"), TooLong),
    ],
    ids=["cut in its bytes", "cut in its length", "of no kind", "too long"],
)
def test_what_is_no_frame_is_told_also_after_one_that_is(sent: bytes, error: type[Exception]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"\x03" + (2).to_bytes(8, "big") + b"ok" + sent)
        ours.shutdown(socket.SHUT_WR)
        receiver = Line(theirs)
        assert receiver.receive(MOST, 5) == (Kind.ANSWER, b"ok")
        with pytest.raises(error):
            receiver.receive(MOST, 5)


def test_a_frame_that_does_not_come_in_time_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"\x03" + (2).to_bytes(8, "big") + b"o")
        with pytest.raises(TimeoutError):
            Line(theirs).receive(MOST, 0.05)
