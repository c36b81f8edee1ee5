"""How much the server takes on: what is beyond is refused in words, and can be tried again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Generous for four parties and their programs, and small enough for a small computer."""

    connections: int = 1000
    """At a time; one more ends the one that has been silent longest."""
    requests: int = 200
    """At work at a time."""
    requests_of_party: int = 16
    """Of one party, at work at a time."""
    head_bytes: int = 2**14
    """Of a request's line and headers."""
    head_seconds: float = 10
    """In which a request's line and headers, or the start of TLS, must be complete."""
    stall_seconds: float = 30
    """In which something of a request or of its answer must move."""
    bytes_a_second: int = 2**12
    """That must arrive at least, on top of that."""
    address_rate: float = 20
    """Requests a second of one address."""
    address_burst: int = 400
    """Of one address at once."""
    party_rate: float = 10
    """Requests a second of one party."""
    party_burst: int = 200
    """Of one party at once."""
    answers: int = 64
    """Of one party, that wait for a receipt."""
    spare_disk: int = 2**27
    """Bytes that must be left on the disk for an answer to be taken."""
    stop_seconds: int = 10
    """In which requests at work may finish when the server is stopped."""
