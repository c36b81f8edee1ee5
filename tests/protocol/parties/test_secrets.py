"""What a key's holder derives and seals, and the file that it sends back."""

import hmac
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import entries
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.openings import Openings
from ledger.roles import Role
from protocol.exchange import answer_file
from protocol.exchange.errors import BadAnswer
from protocol.parties import secrets
from protocol.parties.reply import Reply
from protocol.parties.secrets import NotSealedForThis, SealedRoot
from tests.support.builders import KEYS, MATTER, SECRET, says

ALICE, COURT = KEYS[Role.ALICE], KEYS[Role.COURT]
OPENING = tagged_hash("test", b"opening")


def test_secrets_are_the_ones_of_the_specification() -> None:
    for purpose, derive in (("seal", secrets.seal), ("chain", secrets.chain_root)):
        message = tagged_hash("derived", purpose.encode(), OPENING)
        assert derive(ALICE, OPENING) == hmac.new(ALICE.seed, message, "sha256").digest()


def test_another_key_opening_or_purpose_gives_another_secret() -> None:
    other = tagged_hash("test", b"other opening")
    found = {
        bytes(derive(key, opening))
        for derive in (secrets.seal, secrets.chain_root)
        for key in (ALICE, COURT)
        for opening in (OPENING, other)
    }
    assert len(found) == 8


@given(st.binary(max_size=100))
def test_what_is_sealed_only_its_holder_reads(data: bytes) -> None:
    sealed = secrets.sealed_for(COURT.public, data)
    assert secrets.unsealed(COURT, sealed) == data
    with pytest.raises(NotSealedForThis):
        secrets.unsealed(ALICE, sealed)


def test_damage_to_a_sealed_root_is_found_wherever_it_is() -> None:
    sealed = secrets.sealed_root(COURT.public, OPENING)
    assert secrets.unsealed_root(COURT, sealed) == OPENING
    for place in range(len(sealed)):
        with pytest.raises(NotSealedForThis, match="sealed for another key, or is damaged"):
            secrets.unsealed_root(COURT, SealedRoot(sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]))
    for wrong in (b"", sealed[:-1], sealed + b"x"):
        with pytest.raises(NotSealedForThis):
            secrets.unsealed(COURT, wrong)


def test_any_key_can_be_sealed_for() -> None:
    for seed in range(20):
        key = SigningKey(sha256(bytes([seed])).digest())
        assert secrets.unsealed(key, secrets.sealed_for(key.public, b"x")) == b"x"


def answer() -> Reply:
    statement = says(Role.ALICE, "agreed", answers=OPENING, content={"anchor": OPENING.hex()})
    return Reply(
        answer=entries.sign_statement(ALICE, statement),
        cosignature=None,
        deposit=secrets.sealed_root(COURT.public, Digest(SECRET)),
        format=1,
        matter=MATTER,
        openings=Openings(),
        role=Role.ALICE,
    )


def test_an_answer_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = answer()
    path = tmp_path / "answer.json"
    for end in (b"", b"\n", b"\r\n"):
        path.write_bytes(answer_file.encode(written).rstrip(b"\n") + end)
        assert answer_file.read(path) == written


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"format":1', b'"format":2', "format 2.*install a newer version"),
        (b'"role":"alice"', b'"role":"bob"', "claims to be Bob's"),
        (b'"deposit":"', b'"deposit":"00', "not an answer, or was changed on the way"),
        (b"{", b"{ ", "not an answer, or was changed on the way"),
        (b'"cosignature":null', b'"cosignature":"x"', "and not both"),
    ],
)
def test_what_is_no_answer_is_refused(tmp_path: Path, old: bytes, new: bytes, reason: str) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(answer_file.encode(answer()).replace(old, new, 1))
    with pytest.raises(BadAnswer, match=reason):
        answer_file.read(path)


@given(st.binary(max_size=60))
def test_any_bytes_are_an_answer_or_refused(data: bytes) -> None:
    with pytest.raises(BadAnswer, match="answer.json is not an answer"):
        answer_file.decode(data, "answer.json")


def test_a_file_that_is_not_there_or_absurd_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadAnswer, match="cannot be read"):
        answer_file.read(tmp_path / "missing.json")
    path = tmp_path / "answer.json"
    path.write_bytes(answer_file.encode(answer()))
    monkeypatch.setattr(answer_file, "MAX_SIZE", 100)
    with pytest.raises(BadAnswer, match="too large"):
        answer_file.read(path)
