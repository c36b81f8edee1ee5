"""Time stamps: what a real authority signs is accepted, and nothing else."""

import hashlib
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from hypothesis import given
from hypothesis import strategies as st

from tests.support.authority import Authority, authority, needs_openssl
from tests.support.forging import stamps as forged
from tests.support.forging.stamps import Rogue, Told, response, tlv
from verifier import stamps
from verifier.cli import main
from verifier.stamps import BadRoots, BadStamp, NotChecked, Stamped, Untrusted
from verifier.stamps.token import LARGEST

CONTENT = b"the bytes that are stamped\n"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority") / "one")


@pytest.fixture(scope="module")
def rogue() -> Rogue:
    return Rogue.make()


@pytest.fixture(scope="module")
def whole(rogue: Rogue) -> bytes:
    return rogue.token(CONTENT, Told(accuracy=tlv(0x30, tlv(2, b"\x05"))))


def refused(token: bytes, roots: bytes, content: bytes = CONTENT) -> str:
    """Why a token is rejected, which is about the token and not about the roots."""
    with pytest.raises(BadStamp) as caught:
        stamps.check(token, content, roots)
    assert not isinstance(caught.value, Untrusted)
    return str(caught.value)


# a real authority


@needs_openssl
def test_the_stamp_of_a_real_authority_holds(real: Authority) -> None:
    earliest = datetime.now(UTC).replace(microsecond=0)
    found = stamps.check(real.stamp(CONTENT), CONTENT, real.roots)
    assert earliest <= found.time <= datetime.now(UTC)
    assert found.before - found.time == timedelta(seconds=2)  # an accuracy of 1.5 seconds, rounded up
    assert found.authority == "Stamps of Springfield (Example)"


@needs_openssl
@pytest.mark.parametrize("bound_by", ["sha1", "sha512"])
def test_the_certificate_may_be_named_by_any_hash_that_is_in_use(tmp_path: Path, bound_by: str) -> None:
    found = authority(tmp_path / "a", rsa=True, bound_by=bound_by)
    assert stamps.check(found.stamp(CONTENT), CONTENT, found.roots).authority == "Stamps of Springfield (Example)"


@needs_openssl
def test_a_bare_token_says_the_same_as_the_response(real: Authority) -> None:
    whole = real.stamp(CONTENT)
    bare = real.bare(whole)
    assert len(bare) < len(whole)
    assert stamps.check(bare, CONTENT, real.roots) == stamps.check(whole, CONTENT, real.roots)


@needs_openssl
def test_certificates_may_stand_in_any_order(real: Authority) -> None:
    query = real.folder / "own"
    real.stamp(CONTENT)
    chained = real.reply(query.read_bytes(), "-chain", "root.pem")  # openssl does not sort them, as DER would have it
    real.verify(CONTENT, chained)
    assert stamps.check(chained, CONTENT, real.roots).authority == "Stamps of Springfield (Example)"


@needs_openssl
def test_the_stamp_of_another_file_is_rejected(real: Authority) -> None:
    said = refused(real.stamp(CONTENT), real.roots, CONTENT + b"!")
    assert hashlib.sha256(CONTENT).hexdigest() in said


@needs_openssl
def test_foreign_roots_show_nothing_and_blame_nobody(real: Authority, rogue: Rogue, tmp_path: Path) -> None:
    namesake = authority(tmp_path / "namesake")
    for roots in (rogue.roots, namesake.roots, (real.folder / "signer.pem").read_bytes()):
        with pytest.raises(Untrusted, match="do not lead to one of the roots that you gave"):
            stamps.check(real.stamp(CONTENT), CONTENT, roots)


@needs_openssl
def test_one_of_several_roots_is_enough(real: Authority, rogue: Rogue) -> None:
    assert stamps.check(real.stamp(CONTENT), CONTENT, rogue.roots + real.roots + rogue.roots).serial > 0


@needs_openssl
def test_a_root_that_had_expired_before_the_stamp_shows_nothing(tmp_path: Path) -> None:
    old = authority(tmp_path / "old", root_valid=("20000101000000Z", "20100101000000Z"))
    with pytest.raises(Untrusted, match="certificate has expired"):
        stamps.check(old.stamp(CONTENT), CONTENT, old.roots)


@needs_openssl
@pytest.mark.parametrize("method", ["-sha1", "-sha512"])
def test_the_stamp_of_another_hash_is_rejected(real: Authority, method: str) -> None:
    said = refused(real.stamp(CONTENT, method, "-cert"), real.roots)
    assert "another method than SHA-256" in said


@needs_openssl
def test_a_stamp_without_certificates_is_rejected(real: Authority) -> None:
    assert "ask the authority again, with certificates" in refused(real.stamp(CONTENT, "-sha256"), real.roots)


@needs_openssl
def test_a_refusal_is_told_from_a_stamp(real: Authority) -> None:
    said = refused(real.stamp(CONTENT, "-sha384", "-cert"), real.roots)
    assert "the authority refused to stamp (status 2, rejection)" in said


@needs_openssl
@given(data=st.data())
def test_one_changed_byte_never_changes_what_is_accepted(real: Authority, data: st.DataObject) -> None:
    whole = _stamped_once(real)
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        found = stamps.check(bytes(changed), CONTENT, real.roots)
    except BadStamp:
        return
    assert found == stamps.check(whole, CONTENT, real.roots)


@needs_openssl
@given(data=st.data())
def test_no_cut_or_lengthened_token_is_accepted(real: Authority, data: st.DataObject) -> None:
    whole = _stamped_once(real)
    place = data.draw(st.integers(0, len(whole) - 1))
    refused(whole[:place], real.roots)
    refused(whole + data.draw(st.binary(min_size=1, max_size=9)), real.roots)
    with pytest.raises(BadStamp):
        stamps.check(whole[:place] + data.draw(st.binary(min_size=1, max_size=9)) + whole[place:], CONTENT, real.roots)


def _stamped_once(real: Authority) -> bytes:
    kept = real.folder / "kept.tsr"
    if not kept.exists():
        kept.write_bytes(real.stamp(CONTENT))
    return kept.read_bytes()


@given(garbage=st.binary(max_size=300))
def test_garbage_is_no_token(garbage: bytes) -> None:
    assert "it is not a time-stamp token" in refused(garbage, b"")


def test_a_huge_file_is_no_token() -> None:
    assert f"at most {LARGEST}" in refused(bytes(LARGEST + 1), b"")


def test_deeply_nested_bytes_are_no_token() -> None:
    nested = b""
    for _ in range(5000):
        nested = tlv(0x30, nested)
    assert "it is not a time-stamp token" in refused(nested, b"")


# an authority that may do anything with its key


def test_a_stamp_holds_though_all_certificates_have_expired_since(rogue: Rogue) -> None:
    found = stamps.check(rogue.token(CONTENT), CONTENT, rogue.roots)
    noon = datetime(2020, 7, 1, 12, tzinfo=UTC)
    assert found == Stamped(time=noon, before=noon, authority="Rogue stamps", serial=5)
    assert stamps.check(response(rogue.token(CONTENT), 1), CONTENT, rogue.roots) == found


@pytest.mark.parametrize(
    ("told", "before"),
    [
        (Told(time=b"20200701120000.000001Z"), "2020-07-01T12:00:01Z"),
        (Told(time=b"20200701120000.9999999Z"), "2020-07-01T12:00:01Z"),
        (Told(time=b"20200701120000.0000001Z"), "2020-07-01T12:00:01Z"),
        (Told(accuracy=tlv(0x30, tlv(2, b"\x05"))), "2020-07-01T12:00:05Z"),
        (Told(accuracy=tlv(0x30, tlv(0x80, b"\x01"))), "2020-07-01T12:00:01Z"),
        (Told(time=b"20200701120000.9Z", accuracy=tlv(0x30, tlv(0x81, b"\x01"))), "2020-07-01T12:00:01Z"),
        (Told(after_time=tlv(1, b"\xff") + tlv(2, b"\x09")), "2020-07-01T12:00:00Z"),
    ],
)
def test_the_time_is_never_stated_earlier_than_the_authority_vouches_for(rogue: Rogue, told: Told, before: str) -> None:
    found = stamps.check(rogue.token(CONTENT, told), CONTENT, rogue.roots)
    assert stamps.told(found, "It") == f"It existed before {before}, says Rogue stamps"


SERVER = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
BOTH = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.SERVER_AUTH])


@pytest.mark.parametrize(
    ("purpose", "critical"), [(None, True), (SERVER, True), (BOTH, True), (forged.STAMPING, False)]
)
def test_a_certificate_for_another_purpose_stamps_nothing(
    *, purpose: x509.ExtendedKeyUsage | None, critical: bool
) -> None:
    other = Rogue.make(purpose=purpose, critical=critical)
    assert "not for time stamping, or not for that alone" in refused(other.token(CONTENT), other.roots)


def test_a_certificate_cannot_be_exchanged_for_another_with_the_same_key_and_name(rogue: Rogue) -> None:
    server = rogue.certified_again(SERVER)
    exchanged = server.token(CONTENT, Told(certificates=(forged.der(rogue.signer),)))
    assert "names another certificate than the one that it holds" in refused(exchanged, rogue.roots)
    both = rogue.token(CONTENT, Told(certificates=(forged.der(rogue.signer), forged.der(server.signer))))
    assert "exactly once" in refused(both, rogue.roots)


def test_a_certificate_that_was_not_valid_at_the_stated_time_stamps_nothing(rogue: Rogue) -> None:
    for time in (b"20191231235959Z", b"20210101000001Z", b"99991231235959Z", b"00010101000000Z"):
        said = refused(rogue.token(CONTENT, Told(time=time)), rogue.roots)
        assert "is valid only from 2020-01-01T00:00:00Z to 2021-01-01T00:00:00Z" in said
    for time in (b"20200101000000Z", b"20201231235959.9Z"):
        assert stamps.check(rogue.token(CONTENT, Told(time=time)), CONTENT, rogue.roots)


@pytest.mark.parametrize("years", [(2010, 2011), (2030, 2031)])
def test_a_root_must_be_valid_at_the_stated_time(years: tuple[int, int]) -> None:
    valid = datetime(years[0], 1, 1, tzinfo=UTC), datetime(years[1], 1, 1, tzinfo=UTC)
    other = Rogue.make(root_valid=valid)
    with pytest.raises(Untrusted, match="each valid at its time, 2020-07-01T12:00:00Z"):
        stamps.check(other.token(CONTENT), CONTENT, other.roots)


BAD: dict[str, tuple[Told, str]] = {
    "a signature of other bytes": (Told(broken=True), "its signature does not hold"),
    "a signature under SHA-1": (Told(signer_hash=forged.SHA1), "another hash than SHA-256, SHA-384 or SHA-512"),
    "an imprint of as many bytes by SHA-3": (Told(imprint_hash=forged.SHA3_256), "another method than SHA-256"),
    "a signature that names no certificate": (Told(bound=()), "does not name the certificate"),
    "a certificate named by an unknown hash": (
        Told(bound=((forged.BOUND_V2, tlv(48, tlv(48, tlv(48, forged.algorithm(forged.SHA1), tlv(4, bytes(20)))))),)),
        "names another certificate",
    ),
    "an empty list of certificates in the signature": (
        Told(bound=((forged.BOUND_V2, tlv(0x30, tlv(0x30))),)),
        "it is not a time-stamp token",
    ),
    "a signature of another kind of content": (Told(signed_type=forged.DATA), "is not a time stamp"),
    "another kind of content": (Told(content_type=forged.DATA), "it is not a time-stamp token"),
    "two signers": (Told(signers=2), "it is not a time-stamp token"),
    "no signer": (Told(signers=0), "it is not a time-stamp token"),
    "no certificate": (Told(certificates=()), "exactly once"),
    "certificates that are none": (Told(certificates=(tlv(0x30), tlv(0x31), b"\x30\x80")), "not a time-stamp token"),
    "a 30th of February": (Told(time=b"20200230120000Z"), "a time that does not exist: 20200230120000Z"),
    "a local time": (Told(time=b"20200701120000"), "it is not a time-stamp token"),
    "a time in another zone": (Told(time=b"20200701120000+0100"), "it is not a time-stamp token"),
    "an accuracy of ages": (Told(accuracy=tlv(0x30, tlv(2, b"\x7f" * 9))), "more than a million years"),
    "an accuracy beyond the calendar": (Told(accuracy=tlv(0x30, forged.number(10**12))), "a time that does not exist"),
    "a negative accuracy": (Told(accuracy=tlv(0x30, tlv(2, b"\xff"))), "it is not a time-stamp token"),
    "a huge serial number": (Told(serial=256**2000), "it is not a time-stamp token"),
    "a huge accuracy": (Told(accuracy=tlv(0x30, forged.number(256**2000))), "it is not a time-stamp token"),
    "a critical extension": (
        Told(after_time=tlv(0xA1, tlv(0x30, tlv(6, b"\x2a\x03"), tlv(1, b"\xff"), tlv(4, b"")))),
        "a critical extension that this version does not know",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_token_that_breaks_a_rule_is_rejected_in_words(rogue: Rogue, case: str) -> None:
    told, words = BAD[case]
    assert words in refused(rogue.token(CONTENT, told), rogue.roots)


def test_a_huge_status_is_rejected_in_words(rogue: Rogue) -> None:
    assert "it is not a time-stamp token" in refused(response(rogue.token(CONTENT), 256**2000), rogue.roots)


def test_a_serial_number_may_have_as_many_bytes_as_are_read(rogue: Rogue) -> None:
    found = stamps.check(rogue.token(CONTENT, Told(serial=256**63)), CONTENT, rogue.roots)
    assert stamps.checking.value(found)["serial"] == str(256**63)


@given(data=st.data())
def test_one_changed_byte_of_a_rogue_token_never_changes_what_is_accepted(
    rogue: Rogue, whole: bytes, data: st.DataObject
) -> None:
    changed = bytearray(whole)
    changed[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = stamps.check(bytes(changed), CONTENT, rogue.roots)
    except BadStamp:
        return
    assert found == stamps.check(whole, CONTENT, rogue.roots)


def test_a_name_with_control_characters_is_made_harmless() -> None:
    nasty = Rogue.make(name="Good\x1b[2J\nVERIFIED\u202e")
    assert stamps.check(nasty.token(CONTENT), CONTENT, nasty.roots).authority == "Good\ufffd[2J\ufffdVERIFIED\ufffd"


# what the reader gives


def test_without_roots_nothing_is_checked_but_other_bytes_are_noticed(rogue: Rogue) -> None:
    with pytest.raises(NotChecked, match="--tsa-roots"):
        stamps.check(rogue.token(CONTENT), CONTENT, None)
    with pytest.raises(BadStamp, match="it stamps other bytes"):
        stamps.check(rogue.token(CONTENT), b"", None)


@pytest.mark.parametrize(
    "roots", [b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", bytes(1 << 23)]
)
def test_roots_that_are_none_are_the_readers_to_mend(rogue: Rogue, roots: bytes) -> None:
    with pytest.raises(BadRoots):
        stamps.check(rogue.token(CONTENT), CONTENT, roots)


# the command


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["stamp", *(str(folder / each) if each[0] != "-" else each for each in words)])


@pytest.fixture
def folder(tmp_path: Path, rogue: Rogue) -> Path:
    for name, content in {
        "good.tsr": response(rogue.token(CONTENT)),
        "broken.tsr": rogue.token(CONTENT, Told(broken=True)),
        "huge.tsr": bytes(LARGEST + 1),
        "file": CONTENT,
        "other": b"",
        "roots.pem": rogue.roots,
        "foreign.pem": Rogue.make().roots,
    }.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_the_command_says_before_when_a_file_existed_and_who_says_so(folder: Path) -> None:
    done = run(folder, "good.tsr", "file", "--tsa-roots", "roots.pem")
    assert (done.exit_code, done.stdout) == (
        0,
        f"{folder / 'file'} existed before 2020-07-01T12:00:00Z, says Rogue stamps.\n",
    )
    told = run(folder, "good.tsr", "file", "--tsa-roots", "roots.pem", "--json")
    assert '"before": "2020-07-01T12:00:00Z"' in told.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("broken.tsr", "file", "--tsa-roots", "roots.pem"), 1, "REJECTED"),
        (("good.tsr", "other", "--tsa-roots", "roots.pem"), 1, "Nobody is blamed for this"),
        (("file", "file", "--tsa-roots", "roots.pem"), 1, "not a time-stamp token"),
        (("good.tsr", "file", "--tsa-roots", "foreign.pem"), 3, "proves nothing by these roots"),
        (("good.tsr", "file"), 3, "not checked: the token says that it existed before 2020-07-01T12:00:00Z"),
        (("huge.tsr", "file", "--tsa-roots", "roots.pem"), 3, "cannot be read: it is larger than 65536 bytes"),
        (("good.tsr", "file", "--tsa-roots", "file"), 2, "does not hold certificates in PEM"),
        (("missing.tsr", "file", "--tsa-roots", "roots.pem"), 2, "does not exist"),
    ],
)
def test_the_command_says_why_not(folder: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = run(folder, *words)
    assert (done.exit_code, said in " ".join(done.output.split())) == (code, True), done.output


def test_where_the_library_is_missing_nothing_is_checked_and_the_answer_says_what_to_install(folder: Path) -> None:
    script = (
        "import sys; sys.modules['rfc3161_client'] = None; from verifier.cli import main; "
        "main(['stamp', 'good.tsr', 'file', '--tsa-roots', 'roots.pem'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "not checked: time stamps are checked by rfc3161-client" in done.stderr
    assert "pip install 'tallystick[stamps]'" in done.stderr


def test_a_verdict_on_a_copy_does_not_need_the_library() -> None:
    script = "import sys, verifier.cli, verifier.stamps; sys.exit('rfc3161_client' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
