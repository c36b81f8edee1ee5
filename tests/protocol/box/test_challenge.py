"""A login is accepted once, in time, by the server and for the words that it was signed for, and never otherwise."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import records
from ledger.hashing import Digest
from ledger.keys import Signature, SigningKey
from ledger.roles import Role
from protocol.box import challenge
from protocol.box.challenge import SECONDS, Challenges, Login, Nonce, SignedLogin, Wanted
from protocol.box.errors import BadLogin
from tests.support.boxes import KEYS, MATTER, NAME, OTHER_MATTER, STRANGER

BOB = KEYS[Role.BOB]
WANTED = Wanted(matter=MATTER, role=Role.BOB)

logins = st.builds(
    Login,
    expires=st.integers(0, 2**53 - 1),
    matter=st.none() | st.builds(Digest, st.binary(min_size=32, max_size=32)),
    nonce=st.builds(Nonce, st.binary(min_size=32, max_size=32)),
    role=st.none() | st.sampled_from(Role),
    server=st.text(max_size=50).filter(lambda text: text.isprintable()),
)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def login(server: Challenges, key: SigningKey = BOB, wanted: Wanted = WANTED, name: str = NAME) -> SignedLogin:
    return challenge.signed(key, wanted, server.issue(wanted), name)


def changed(found: SignedLogin, **fields: object) -> SignedLogin:
    """The login with other words, which its holder has signed too."""
    said = msgspec.structs.replace(found.login, **fields)
    return SignedLogin(key=BOB.public, login=said, signature=BOB.sign("box", records.encode(said)))


@given(logins)
def test_a_login_is_read_as_it_was_written(found: Login) -> None:
    assert records.decode(Login, records.encode(found)) == found


@given(logins, logins)
def test_no_two_logins_have_the_same_bytes(one: Login, other: Login) -> None:
    assert (one == other) == (records.encode(one) == records.encode(other))


@given(st.binary(max_size=100))
def test_what_is_no_login_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(BadLogin, match="not a message of a login"):
        challenge.parsed(SignedLogin, data)


def test_the_holder_of_the_key_is_accepted_once() -> None:
    server = Challenges(NAME)
    found = login(server)
    server.check(found)
    server.use(found.login)
    with pytest.raises(BadLogin, match="used already"):
        server.check(found)
    with pytest.raises(BadLogin, match="used already"):
        server.use(found.login)


@given(logins)
def test_words_that_this_server_has_not_asked_for_are_refused_whoever_signs_them(said: Login) -> None:
    server = Challenges(NAME)
    for words in (said, msgspec.structs.replace(said, server=NAME)):
        with pytest.raises(BadLogin):
            server.check(SignedLogin(key=BOB.public, login=words, signature=BOB.sign("box", records.encode(words))))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"server": "https://mallory.example"}, "signed for the server"),
        ({"matter": OTHER_MATTER}, "no such challenge"),
        ({"role": Role.ALICE}, "no such challenge"),
        ({"matter": None, "role": None}, "no such challenge"),
        ({"expires": 2**40}, "no such challenge"),
        ({"nonce": Nonce(bytes(32))}, "no such challenge"),
    ],
)
def test_a_challenge_for_something_else_is_refused(fields: dict[str, object], said: str) -> None:
    server = Challenges(NAME)
    found = changed(login(server), **fields)
    with pytest.raises(BadLogin, match=said):
        server.check(found)


def test_an_expired_challenge_is_refused() -> None:
    clock = Clock()
    server = Challenges(NAME, clock=clock)
    found = login(server)
    clock.now += SECONDS
    server.check(found)
    clock.now += 1
    with pytest.raises(BadLogin, match="expired"):
        server.check(found)


@given(st.integers(0, 511))
def test_an_altered_signature_is_refused(bit: int) -> None:
    server = Challenges(NAME)
    found = login(server)
    raw = bytearray(found.signature)
    raw[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BadLogin, match="signature"):
        server.check(msgspec.structs.replace(found, signature=Signature(bytes(raw))))


FORGED: list[Callable[[Login], Signature]] = [
    lambda said: STRANGER.sign("box", records.encode(said)),
    lambda said: BOB.sign("statement", records.encode(said)),
    lambda said: BOB.sign_bare(records.encode(said)),
]


@pytest.mark.parametrize("forged", FORGED, ids=["another key", "another tag", "no tag"])
def test_a_signature_by_another_key_or_for_another_purpose_is_refused(forged: Callable[[Login], Signature]) -> None:
    server = Challenges(NAME)
    found = login(server)
    with pytest.raises(BadLogin, match="signature"):
        server.check(msgspec.structs.replace(found, signature=forged(found.login)))


def test_a_challenge_of_another_server_of_the_same_name_is_refused() -> None:
    with pytest.raises(BadLogin, match="no such challenge"):
        Challenges(NAME).check(login(Challenges(NAME)))


def test_challenges_that_are_only_asked_for_cost_no_memory() -> None:
    clock = Clock()
    server = Challenges(NAME, clock=clock)
    for _ in range(1000):
        server.issue(WANTED)
    assert not server._used
    for _ in range(5):
        server.use(login(server).login)
    clock.now += SECONDS + 1
    server.use(login(server).login)
    assert len(server._used) == 1
