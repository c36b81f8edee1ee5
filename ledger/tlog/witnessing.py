"""Asking witnesses to cosign a log's newest checkpoint: the client's side of c2sp.org/tlog-witness (add-checkpoint).

A witness cosigns only what continues the last checkpoint that it has cosigned. It is told from which size the log
believes to go on, with the proof; if the witness stands elsewhere, it says where, and gets the proof from there. So one
that was away for long is brought up to date with one more request.

Nothing that a witness says is believed but its signature, which is checked by the key in the policy. Whatever else
comes back is an `Unwitnessed` in words, and the log goes on without that cosignature until it is asked again.
"""

import base64
import http.client
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer
from typing import NoReturn
from urllib.parse import SplitResult, urlsplit

from ledger import notes
from ledger.errors import LedgerError
from ledger.notes import BadNote, Note, NoteSignature
from ledger.plain import shown
from ledger.tlog.log import Log
from ledger.tlog.policy import Witness

TIMEOUT = 20.0
"""Seconds in which a witness must have answered one request."""
MAX_ANSWER = 2**18
"""Largest answer in bytes."""

_ATTEMPTS = 4  # others may ask the same witness about the same log in the meantime
_AT_A_TIME = 8
_SIZE = re.compile(rb"(0|[1-9][0-9]{0,15})\n")


class Unwitnessed(LedgerError):
    """There is no cosignature of a witness; the message says why, and what to do."""


class Unreachable(Unwitnessed):
    """The witness could not be reached, or has no time: ask again later."""


class Ahead(Unwitnessed):
    """The witness knows a larger log than this one."""


class OtherHistory(Unwitnessed):
    """The witness finds that the log does not continue what it has cosigned."""


class BadAnswer(Unwitnessed):
    """What the witness has sent is no answer by the protocol."""


class Rejected(Unwitnessed):
    """The witness does not cosign for this log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking one witness."""

    witness: Witness
    line: NoteSignature | None
    error: Unwitnessed | None


def ask_all(log: Log, witnesses: Sequence[Witness], *, again: bool = False, timeout: float = TIMEOUT) -> list[Asked]:
    """Ask those witnesses that have an address and have not cosigned the newest checkpoint, several at a time.

    With `again` the others are asked, too: whether the log still is where they have seen it.
    """
    missing = [each for each in witnesses if each.url is not None and (again or not _has_cosigned(log.note, each))]
    if not missing:
        return []
    kept = log.kept()

    def asked(witness: Witness) -> Asked:
        known = max((size for size, note in kept.items() if _has_cosigned(note, witness)), default=0)
        try:
            return Asked(witness=witness, line=ask(log, witness, known=known, timeout=timeout), error=None)
        except Unwitnessed as error:
            return Asked(witness=witness, line=None, error=error)

    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return list(threads.map(asked, missing))


def _has_cosigned(note: Note, witness: Witness) -> bool:
    try:
        return bool(note.signed_by([witness.key]))
    except BadNote:
        return False


def ask(log: Log, witness: Witness, *, known: int = 0, timeout: float = TIMEOUT) -> NoteSignature:
    """The witness's cosignature of the newest checkpoint; `known` is the size that it is believed to stand at."""
    old = min(known, log.size)
    told = set[int]()
    for _ in range(_ATTEMPTS):
        status, body = _post(witness, _request(log, old), timeout)
        if status == 200:
            return _line(log.note, witness, body)
        if status != 409:
            _refused(log, witness, status, old)
        told.add(old)
        old = _size(witness, body)
        if old > log.size:
            raise Ahead(
                f"the witness {witness.name} has cosigned {old} leaves of the log {log.key.name}, and there are only "
                f"{log.size} here: this is an older copy of the log. Add nothing to it; find the newest one"
            )
        if old in told:
            raise BadAnswer(f"the witness {witness.name} contradicts itself about the size that it has cosigned, {old}")
    raise Unreachable(f"the witness {witness.name} is being asked by others about the same log; ask again later")


def _request(log: Log, old: int) -> bytes:
    hashes = (base64.b64encode(each).decode() for each in log.consistency(old))
    return ("".join(f"{line}\n" for line in (f"old {old}", *hashes, "")) + str(log.note)).encode()


def _size(witness: Witness, body: bytes) -> int:
    match = _SIZE.fullmatch(body)
    if match is None:
        raise BadAnswer(f"the witness {witness.name} says 409 (Conflict) without the size that it has cosigned")
    return int(match[1])


def _line(note: Note, witness: Witness, body: bytes) -> NoteSignature:
    """The witness's own line in its answer, if it is true; lines by other keys are left aside."""
    try:
        answered = notes.parse(f"{note.text}\n{body.decode()}")
        if answered.text != note.text:
            raise BadNote("it holds an empty line")
        if not answered.signed_by([witness.key]):
            raise BadNote("it holds no cosignature by the key that the policy lists")
    except UnicodeDecodeError:
        raise BadAnswer(f"the answer of the witness {witness.name} is not UTF-8") from None
    except BadNote as error:
        raise BadAnswer(f"the answer of the witness {witness.name} cannot be used: {error}") from None
    name, id_ = witness.key.name, witness.key.id
    line = next(line for line in answered.signatures if (line.name, line.id) == (name, id_))
    if not any(line.signature[:8]):
        raise BadAnswer(f"the cosignature of the witness {witness.name} states no time")
    return line


def _refused(log: Log, witness: Witness, status: int, old: int) -> NoReturn:
    """What a status other than success and conflict means."""
    name, origin = witness.name, log.key.name
    if status == 404:
        raise Rejected(
            f"the witness {name} does not know the log {origin} (404): give its operator the log's key, {log.key.vkey}"
        )
    if status == 403:
        raise Rejected(
            f"the witness {name} does not accept the signature of the log {origin} (403): it has another key for "
            f"that name. Compare with its operator: {log.key.vkey}"
        )
    if status == 422:
        raise OtherHistory(
            f"the witness {name} finds that the {log.size} leaves of the log {origin} here do not continue the {old} "
            "that it has cosigned (422). Perhaps the log was restored from a backup, or is written in two places, or "
            "the witness errs; nobody is blamed for it yet. Add nothing more; compare the checkpoint of "
            f"{old} leaves with the witness's"
        )
    if status == 400:
        raise BadAnswer(f"the witness {name} does not understand the request (400); is its address right?")
    if status in (408, 429) or status >= 500:
        raise Unreachable(f"the witness {name} cannot cosign now (status {status}); ask again later")
    raise BadAnswer(f"what answers at the address of the witness {name} does not answer as a witness (status {status})")


def _post(witness: Witness, body: bytes, timeout: float) -> tuple[int, bytes]:
    """One request to add-checkpoint: status and body."""
    address = _address(witness)
    headers = {"Content-Type": "text/plain; charset=utf-8", "Accept-Encoding": "identity"}
    with _understood(witness), _connected(address, timeout) as connection:
        connection.request("POST", f"{address.path.rstrip('/')}/add-checkpoint", body, headers)
        response = connection.getresponse()
        said = response.read(MAX_ANSWER + 1)
        if len(said) > MAX_ANSWER:
            raise BadAnswer(f"the answer of the witness {witness.name} is too large")
        if response.length:
            raise http.client.IncompleteRead(said)
        return response.status, said


def _address(witness: Witness) -> SplitResult:
    try:
        found = urlsplit(witness.url or "")
        fine = found.scheme in ("http", "https") and found.hostname and found.port != 0
        fine = fine and not (found.query or found.fragment or found.username or found.password)
        found.path.encode("ascii")
    except ValueError:
        fine = False
    if not fine:
        raise BadAnswer(
            f"{witness.url} is not an address of the witness {witness.name}: it must be like https://court.example/w"
        )
    return found


@contextmanager
def _connected(address: SplitResult, timeout: float) -> Iterator[http.client.HTTPConnection]:
    """A connection that ends after the time-out, even if the other side sends a byte now and then."""
    host = address.hostname or ""
    if address.scheme == "http":
        connection = http.client.HTTPConnection(host, address.port, timeout=timeout)
    else:
        connection = http.client.HTTPSConnection(
            host, address.port, timeout=timeout, context=ssl.create_default_context()
        )
    late = False

    def end() -> None:
        nonlocal late
        late = True
        with suppress(OSError):
            if connection.sock is not None:
                connection.sock.shutdown(socket.SHUT_RDWR)

    clock = Timer(timeout, end)
    clock.daemon = True
    clock.start()
    try:
        yield connection
        if late:
            raise TimeoutError
    except (OSError, http.client.HTTPException):
        if late:
            raise TimeoutError from None
        raise
    finally:
        clock.cancel()
        connection.close()


@contextmanager
def _understood(witness: Witness) -> Iterator[None]:
    named = f"the witness {witness.name} ({shown(witness.url or '')})"
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(f"{named} cannot prove its name: {error.verify_message}. Nothing was sent") from None
    except TimeoutError:
        raise Unreachable(f"{named} does not answer in time; ask again later") from None
    except (http.client.HTTPException, UnicodeError) as error:
        if isinstance(error, http.client.IncompleteRead | http.client.RemoteDisconnected):
            raise Unreachable(f"{named} cannot be reached: the connection was cut; ask again later") from None
        raise BadAnswer(f"{named} does not answer as a web server does") from None
    except OSError as error:
        raise Unreachable(f"{named} cannot be reached: {error.strerror or 'the connection failed'}") from None
