"""Tokens as an authority sends them: what is read, and what is refused in words."""

import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.hashing import Digest
from protocol.errors import BadToken
from protocol.stamps import request, tokens
from protocol.stamps.request import Query
from tests.support.authority import Authority, authority, needs_openssl
from tests.support.forging.stamps import SHA3_256, Rogue, Told, number, response, tlv
from verifier import stamps as verifier

CONTENT = b"an answer that is dated\n"
DIGEST = Digest(sha256(CONTENT).digest())


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority") / "one")


@pytest.fixture(scope="module")
def rogue() -> Rogue:
    return Rogue.make()


@pytest.fixture(scope="module")
def whole(rogue: Rogue) -> bytes:
    return response(rogue.token(CONTENT))


def refused(data: bytes) -> str:
    with pytest.raises(BadToken) as caught:
        tokens.read(data)
    return str(caught.value)


@needs_openssl
def test_our_query_is_answered_and_both_our_check_and_openssls_accept_the_same_file(real: Authority) -> None:
    query = Query.of(DIGEST)
    answer = real.reply(query.data)
    token = tokens.read(answer)
    assert token.data == answer
    assert (token.imprint, token.nonce, token.policy) == (DIGEST, query.nonce, "1.2.3.4.1")
    assert token.authority == "Stamps of Springfield (Example)"
    tokens.check_imprint(token, CONTENT)
    tokens.check_query(token, request.read(query.data))
    tokens.check_roots(token, real.roots)
    found = verifier.check(token.data, CONTENT, real.roots)
    assert (found.time, found.serial, found.authority) == (token.time, token.serial, token.authority)
    assert "Verification: OK" in real.verify(CONTENT, token.data)


@needs_openssl
def test_a_bare_token_is_kept_as_the_response_that_openssl_reads(real: Authority) -> None:
    answer = real.reply(Query.of(DIGEST).data)
    bare = real.bare(answer)
    assert bare != answer
    assert tokens.read(bare) == tokens.read(answer)
    real.verify(CONTENT, tokens.read(bare).data)


@needs_openssl
def test_certificates_in_any_order_are_read_and_kept_as_they_came(real: Authority) -> None:
    answer = real.reply(Query.of(DIGEST).data, "-chain", "root.pem")
    token = tokens.read(answer)
    assert token.data == answer
    tokens.check_roots(token, real.roots)
    real.verify(CONTENT, answer)


@needs_openssl
def test_a_token_for_another_query_is_refused(real: Authority) -> None:
    token = tokens.read(real.reply(Query.of(DIGEST).data))
    with pytest.raises(BadToken, match="another nonce than the query"):
        tokens.check_query(token, Query.of(DIGEST))
    with pytest.raises(BadToken, match="but the query asked for"):
        tokens.check_query(token, Query.of(Digest(bytes(32))))
    without = tokens.read(real.stamp(CONTENT, "-sha256", "-cert", "-no_nonce"))
    assert without.nonce is None
    with pytest.raises(BadToken, match="another nonce than the query"):
        tokens.check_query(without, Query.of(DIGEST))


@needs_openssl
def test_a_token_of_other_bytes_is_refused(real: Authority) -> None:
    with pytest.raises(BadToken, match="the token stamps other bytes"):
        tokens.check_imprint(tokens.read(real.stamp(CONTENT)), b"")


@needs_openssl
def test_a_refusal_is_told_with_the_authoritys_own_words(real: Authority) -> None:
    said = refused(real.stamp(CONTENT, "-sha384", "-cert"))
    assert "the authority refused to stamp (status 2: Message digest algorithm is not supported.)" in said


@needs_openssl
@pytest.mark.parametrize(("method", "name"), [("-sha1", "SHA-1"), ("-sha512", "SHA-512")])
def test_the_stamp_of_another_hash_is_refused(real: Authority, method: str, name: str) -> None:
    assert f"the token stamps a hash by {name}, but SHA-256 is needed" in refused(real.stamp(CONTENT, method, "-cert"))


@needs_openssl
def test_a_token_that_nobody_could_check_later_is_refused(real: Authority) -> None:
    assert "does not hold the certificate of its signer" in refused(real.stamp(CONTENT, "-sha256"))


@needs_openssl
def test_with_roots_the_signature_is_checked_too(real: Authority, rogue: Rogue) -> None:
    token = tokens.read(real.stamp(CONTENT))
    for roots in (rogue.roots, (real.folder / "signer.pem").read_bytes()):
        with pytest.raises(BadToken, match="does not lead to one of these roots"):
            tokens.check_roots(token, roots)
    with pytest.raises(BadToken, match="holds no certificates in PEM"):
        tokens.check_roots(token, b"none")
    broken = tokens.read(rogue.token(CONTENT, Told(broken=True)))
    with pytest.raises(BadToken, match="the signature of the token does not hold"):
        tokens.check_roots(broken, rogue.roots)


def test_what_a_token_says_is_read_from_it(rogue: Rogue, whole: bytes) -> None:
    token = tokens.read(whole)
    assert (token.time, token.serial, token.policy) == (datetime(2020, 7, 1, 12, tzinfo=UTC), 5, "1.2.3.4")
    assert token.digest == sha256(whole).digest()
    tokens.check_roots(token, rogue.roots)


def test_a_status_of_granted_with_changes_is_kept_as_granted(rogue: Rogue) -> None:
    bare = rogue.token(CONTENT)
    assert tokens.read(response(bare, 1)) == tokens.read(response(bare))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a time-stamp token"),
        (b"hello", "not a time-stamp token"),
        (tlv(0x30), "not a time-stamp token"),
        (tlv(0x30, tlv(0x30, number(0))), "not a time-stamp token"),
        (tlv(0x30, tlv(0x30, number(2))), "(status 2: it gives no reason)"),
        (tlv(0x30, tlv(0x30, number(2), tlv(0x30, tlv(0x0C, b"no\x1b[2J")))), "(status 2: no\ufffd[2J)"),
        (b"\x30\x84\xff\xff\xff\xff", "not a time-stamp token"),
        (bytes(tokens.LARGEST + 1), "more than 65536 bytes"),
    ],
)
def test_what_is_not_a_token_is_refused_in_words(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_a_response_with_more_than_a_token_is_refused(rogue: Rogue) -> None:
    status, token = tlv(0x30, number(0)), rogue.token(CONTENT)
    tokens.read(tlv(0x30, status, token))
    assert "not a time-stamp token" in refused(tlv(0x30, status, token, number(1)))


@pytest.mark.parametrize(
    "told", [Told(signers=2), Told(signers=0), Told(time=b"20200230120000Z"), Told(content_type=b"\x2a\x03")]
)
def test_a_token_of_another_form_is_refused(rogue: Rogue, told: Told) -> None:
    assert "not a time-stamp token" in refused(rogue.token(CONTENT, told))


def test_a_hash_of_as_many_bytes_by_another_method_is_refused(rogue: Rogue) -> None:
    assert "SHA-256 is needed" in refused(rogue.token(CONTENT, Told(imprint_hash=SHA3_256)))


@given(data=st.data())
def test_a_changed_or_cut_token_is_refused_or_read_but_never_an_error_of_ours(
    whole: bytes, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + data.draw(st.binary(max_size=3)) + whole[place + data.draw(st.integers(0, 3)) :]
    try:
        token = tokens.read(changed)
    except BadToken:
        return
    assert tokens.read(token.data) == token


@given(digest=st.binary(min_size=32, max_size=32))
def test_a_query_is_read_as_it_was_written_and_no_two_are_alike(digest: bytes) -> None:
    first, second = Query.of(Digest(digest)), Query.of(Digest(digest))
    assert request.read(first.data) == first
    assert first != second
    assert len(first.data) == len(second.data) == 69


@given(data=st.binary(max_size=80))
def test_other_bytes_are_no_query_of_ours(data: bytes) -> None:
    for each in (data, Query.of(DIGEST).data[:-1] + b"\0", Query.of(DIGEST).data + data[:1] + b"!"):
        with pytest.raises(BadToken, match="not a query that `tallystick stamp request` wrote"):
            request.read(each)


def test_where_the_library_is_missing_the_refusal_says_what_to_install(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "token").write_bytes(whole)
    script = (
        "import sys; sys.modules['rfc3161_client'] = None\n"
        "from pathlib import Path; from protocol.stamps import tokens\n"
        "tokens.read(Path('token').read_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "TrentOnly: time stamps need one more package: pip install 'tallystick[stamps]'" in done.stderr
