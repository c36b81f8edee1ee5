"""Names of servers, tokens, rates, notices and the log."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.box import logbook, notices, origins, rates
from protocol.box.errors import BadNotice, BadOrigin
from protocol.box.logbook import Logbook
from protocol.box.rates import Rates
from protocol.box.sessions import MOST, SECONDS, Sessions
from tests.support.boxes import KEYS, MATTER, OTHER_MATTER, PUBLIC, STRANGER, TRENT


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://Trent.Example", "https://trent.example"),
        ("https://trent.example:443/", "https://trent.example"),
        ("https://trent.example:8470", "https://trent.example:8470"),
        (" https://trent.example ", "https://trent.example"),
        ("http://127.0.0.1:8470", "http://127.0.0.1:8470"),
        ("http://[::1]:8470", "http://[::1]:8470"),
        ("http://localhost:80", "http://localhost"),
        ("https://[2001:DB8::0:1]", "https://[2001:db8::1]"),
    ],
)
def test_a_server_has_one_name(text: str, name: str) -> None:
    assert str(origins.parse(text)) == name
    assert str(origins.parse(name)) == name


@pytest.mark.parametrize(
    "text",
    ["", "trent.example", "ftp://trent.example", "https://", "https://a/b", "https://a?b", "https://a#b",
     "https://user@a", "https://a:0", "https://a:x", "https://a:99999", "https://[::1", "https://a b", "https://-a",
     "https://[fe80::1%25eth0]", "https://ä.example"],
)  # fmt: skip
def test_what_names_no_server_is_refused(text: str) -> None:
    with pytest.raises(BadOrigin, match="does not name a server"):
        origins.parse(text)


@pytest.mark.parametrize("host", ["trent.example", "10.0.0.1", "0.0.0.0", "[::]", "127.0.0.1.example"])
def test_plain_http_is_for_this_computer_alone(host: str) -> None:
    with pytest.raises(BadOrigin, match="plain HTTP"):
        origins.parse(f"http://{host}")


@given(st.text(max_size=30))
def test_any_text_names_a_server_in_one_way_or_is_refused(text: str) -> None:
    try:
        found = origins.parse(f"https://{text}")
    except BadOrigin:
        return
    assert origins.parse(str(found)) == found


def test_a_token_holds_for_some_minutes() -> None:
    clock = Clock()
    sessions = Sessions(clock=clock)
    token, expires = sessions.begin(MATTER, Role.BOB, PUBLIC[Role.BOB])
    found = sessions.find(token)
    assert found is not None
    assert (found.matter, found.role, expires) == (MATTER, Role.BOB, 1000 + SECONDS)
    clock.now = expires + 1
    assert sessions.find(token) is None


@pytest.mark.parametrize("token", ["", "x", "\udc80", "ä" * 1000])
def test_a_token_that_was_not_given_is_nobodys(token: str) -> None:
    sessions = Sessions()
    sessions.begin(MATTER, Role.BOB, PUBLIC[Role.BOB])
    assert sessions.find(token) is None


def test_one_party_cannot_fill_the_memory_with_tokens_nor_end_anothers() -> None:
    sessions = Sessions()
    alices, _ = sessions.begin(MATTER, Role.ALICE, PUBLIC[Role.ALICE])
    bobs = [sessions.begin(MATTER, Role.BOB, PUBLIC[Role.BOB])[0] for _ in range(50)]
    assert [each for each in bobs if sessions.find(each)] == bobs[-MOST:]
    assert sessions.find(alices)


def test_a_bucket_empties_and_refills_with_time() -> None:
    clock = Clock()
    found = Rates(rate=2, burst=3, clock=clock)
    assert [found.wait("a") for _ in range(4)] == [0, 0, 0, 1]
    assert found.wait("b") == 0
    clock.now += 0.5
    assert [found.wait("a"), found.wait("a")] == [0, 1]
    clock.now += 100
    assert [found.wait("a") for _ in range(4)] == [0, 0, 0, 1]


def test_buckets_are_bounded_in_number() -> None:
    found = Rates(rate=1, burst=1, most=10)
    for number in range(1000):
        found.wait(number)
    assert len(found._buckets) == 10


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),  # a stranger may say what it likes
        ("127.0.0.1", "", None),  # all that is behind a proxy that says nothing would share one bucket
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"),  # the proxy speaks last
        ("127.0.0.1", "nonsense", None),
        ("::1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "", "192.0.2.7"),
        ("", "", None),
    ],
)
def test_a_request_counts_by_its_address_or_by_what_a_proxy_says_of_it(
    peer: str, forwarded: str, counted: str | None
) -> None:
    assert rates.counted(peer, forwarded) == counted


def test_trents_list_of_keys_is_read_as_he_signed_it() -> None:
    signed = notices.parties(KEYS[Role.TRENT], MATTER, PUBLIC, 7)
    found = notices.read_parties(notices.encode(signed), "the list", MATTER)
    assert found == signed
    assert found.parties.keys == {role: key for role, key in PUBLIC.items() if role != Role.TRENT}
    assert (found.parties.trent, found.parties.size) == (TRENT, 7)


def test_a_list_of_another_matter_or_with_another_key_is_refused() -> None:
    data = notices.encode(notices.parties(KEYS[Role.TRENT], MATTER, PUBLIC, 7))
    with pytest.raises(BadNotice, match="not the list"):
        notices.read_parties(data, "the list", OTHER_MATTER)
    swapped = data.replace(PUBLIC[Role.BOB].hex().encode(), STRANGER.public.hex().encode())
    with pytest.raises(BadNotice, match="not signed"):
        notices.read_parties(swapped, "the list", MATTER)
    with pytest.raises(BadNotice, match="damaged"):
        notices.read_parties(data[:-5], "the list", MATTER)


def receipt(key: SigningKey = KEYS[Role.TRENT]) -> bytes:
    answer = Digest(b"\x01" * 32)
    return notices.encode(
        notices.receipt(key, MATTER, Role.BOB, answer, accepted=True, words="the labels of round 1", entry=9)
    )


def test_a_receipt_holds_under_trents_key_alone() -> None:
    found = notices.read_receipt(receipt(), "it", TRENT).receipt
    assert (found.outcome, found.entry, found.words) == ("accepted", 9, "the labels of round 1")
    with pytest.raises(BadNotice, match="not signed"):
        notices.read_receipt(receipt(STRANGER), "it", TRENT)
    with pytest.raises(BadNotice, match="not signed"):
        notices.read_receipt(receipt().replace(b"accepted", b"refused"), "it", TRENT)


@given(st.binary(max_size=200))
def test_what_is_no_notice_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(BadNotice, match="damaged"):
        notices.read_receipt(data, "it", TRENT)


def test_a_line_of_the_log_is_ascii_and_bounded() -> None:
    said = json.loads(logbook.line(path="/\x1b[2J\x7f\u202e" + "x" * 1000, refused=None, status=404))
    assert list(said) == ["time", "path", "status"]
    assert len(said["path"]) == 300
    assert logbook.line(path="\x1b\x7f\u202eä").isprintable()
    assert logbook.line(path="\x1b\x7f\u202eä").isascii()


def test_the_log_goes_on_in_its_file_and_in_a_new_one_when_that_was_moved(tmp_path: Path) -> None:
    log = Logbook(logbook.to_file(tmp_path / "log"))
    log.note(status=200)
    (tmp_path / "log").rename(tmp_path / "log.1")
    log.note(status=201)
    log.note(status=202)
    assert [json.loads(line)["status"] for line in (tmp_path / "log").read_text().splitlines()] == [201, 202]


def test_lines_that_cannot_be_written_are_counted() -> None:
    written, full = list[str](), [True]

    def write(text: str) -> None:
        if full[0]:
            raise OSError("no room")
        written.append(text)

    log = Logbook(write)
    log.note(status=200)
    log.note(status=200)
    full[0] = False
    log.note(status=200)
    log.note(status=200)
    assert [json.loads(line).get("lost_lines") for line in written] == [2, None]
