"""`.tlog-proof` files: what is written is read again, and what proves nothing is refused in words."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle, notes
from ledger.keys import SigningKey
from ledger.notes import Note
from ledger.tlog import checkpoint, proofs
from ledger.tlog.checkpoint import LogCheckpoint
from ledger.tlog.proofs import BadProof, Proof

KEY = SigningKey(bytes(range(32)))
OTHER = SigningKey(bytes(range(1, 33)))
LOG = checkpoint.note_key("trent.example/log", KEY)


def leaves_of(size: int) -> list[bytes]:
    return [f"leaf {number}".encode() for number in range(size)]


def signed(leaves: list[bytes], key: SigningKey = KEY, origin: str = LOG.name) -> Note:
    return checkpoint.signed(LogCheckpoint(origin=origin, size=len(leaves), root=merkle.root(leaves)), key)


def proof_of(index: int, size: int, extra: bytes | None = None) -> Proof:
    leaves = leaves_of(size)
    hashes = merkle.inclusion_proof(merkle.levels(leaves), index)
    return Proof(index=index, hashes=tuple(hashes), note=signed(leaves), extra=extra)


@given(size=st.integers(min_value=1, max_value=80), data=st.data(), extra=st.none() | st.binary(max_size=60))
def test_a_proof_is_read_as_it_was_written_and_holds(size: int, data: st.DataObject, extra: bytes | None) -> None:
    index = data.draw(st.integers(min_value=0, max_value=size - 1))
    made = proof_of(index, size, extra)
    found = proofs.decode(str(made).encode())
    assert (found, str(found)) == (made, str(made))
    stated = proofs.check(found, leaves_of(size)[index], LOG)
    assert (stated.origin, stated.size, stated.root) == (LOG.name, size, merkle.root(leaves_of(size)))


TEXT = str(proof_of(5, 11, b"extra"))


@given(place=st.integers(min_value=0, max_value=len(TEXT) - 1), other=st.characters(max_codepoint=0x2FF))
@settings(max_examples=100)
def test_a_proof_with_one_other_character_never_proves_anything_else(place: int, other: str) -> None:
    changed = TEXT[:place] + other + TEXT[place + 1 :]
    try:
        found = proofs.parse(changed)
        proofs.check(found, b"leaf 5", LOG)
    except BadProof:
        return
    assert str(found) == changed
    assert replace(found, extra=b"extra") == proofs.parse(TEXT)  # only what nobody signs may differ


@pytest.mark.parametrize("cut", range(0, len(TEXT), 7))
def test_a_cut_proof_is_refused(cut: int) -> None:
    with pytest.raises(BadProof):
        proofs.check(proofs.parse(TEXT[:cut]), b"leaf 5", LOG)


def test_it_has_the_lines_of_the_specification() -> None:
    lines = TEXT.split("\n")
    assert lines[:3] == ["c2sp.org/tlog-proof@v1", "extra ZXh0cmE=", "index 5"]
    assert lines[3 + 4 :][:3] == ["", "trent.example/log", "11"]


@pytest.mark.parametrize(
    ("proof", "leaf", "why"),
    [
        (proof_of(5, 11), b"leaf 6", "not for this leaf"),
        (replace(proof_of(5, 11), index=4), b"leaf 5", "not for this leaf"),
        (replace(proof_of(5, 11), index=11), b"leaf 5", "its checkpoint has only 11 leaves"),
        (replace(proof_of(5, 11), hashes=proof_of(5, 11).hashes[:-1]), b"leaf 5", "not for this leaf"),
        (replace(proof_of(5, 11), hashes=(*proof_of(5, 11).hashes, bytes(32))), b"leaf 5", "not for this leaf"),
        (replace(proof_of(5, 11), note=signed(leaves_of(12))), b"leaf 5", "not for this leaf"),
        (replace(proof_of(5, 11), note=signed(leaves_of(11), OTHER)), b"leaf 5", "does not carry the signature"),
        (
            replace(proof_of(5, 11), note=signed(leaves_of(11), origin="other.example/log")),
            b"leaf 5",
            "of the log other.example/log, not of trent.example/log",
        ),
        (
            replace(proof_of(5, 11), note=Note(text="a\n", signatures=(notes.sign("a\n", KEY, LOG.name),))),
            b"leaf 5",
            "is not a checkpoint of a log",
        ),
    ],
)
def test_what_does_not_prove_the_leaf_is_refused_with_the_reason(proof: Proof, leaf: bytes, why: str) -> None:
    with pytest.raises(BadProof, match=why):
        proofs.check(proofs.parse(str(proof)), leaf, LOG)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin as a proof"),
        (TEXT.replace("@v1", "@v2"), "of another version"),
        (TEXT.replace("index 5", "index 05"), "lines"),
        (TEXT.replace("index 5", "index -5"), "lines"),
        (TEXT.replace("index 5", "index 5\r"), "lines"),
        (TEXT.replace("extra ZXh0cmE=", "extra ZXh0cmF="), "one encoding"),
        (TEXT.replace("extra ZXh0cmE=", "extra ZXh0cmE"), "not base64"),
        (TEXT.replace("extra ZXh0cmE=\nindex 5", "index 5\nextra ZXh0cmE="), "lines"),
        (TEXT + "more\n", "the proof's checkpoint"),
        (TEXT.replace("index 5\n", "index 5\n" + ("A" * 43 + "=\n") * 61), "no log needs"),
    ],
)
def test_what_is_no_proof_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(BadProof, match=why):
        proofs.parse(text)


def test_what_is_no_text_or_too_large_is_refused() -> None:
    with pytest.raises(BadProof, match="not UTF-8"):
        proofs.decode(b"\xff")
    with pytest.raises(BadProof, match="at most"):
        proofs.decode(bytes(proofs.MAX_SIZE + 1))
