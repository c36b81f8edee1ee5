"""The verifier reads bytes, hashes, keys, trees and notes as the ledger does, and refuses what it must."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import canonical, checkpoints, merkle, notes
from ledger import commitments as ledger_commitments
from ledger import entries as ledger_entries
from ledger import openings as ledger_openings
from ledger.canonical import NotCanonical as LedgerNotCanonical
from ledger.checkpoints import Checkpoint
from ledger.entries import Opening
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.hashing import tagged_hash as ledger_hash
from ledger.keys import fingerprint as ledger_fingerprint
from ledger.openings import Openings
from ledger.roles import Audience
from ledger.roles import Role as LedgerRole
from tests.support import rfc9162
from tests.support.builders import KEYS, says, seal
from tests.vectors import load
from verifier.checks import Role
from verifier.record import encoding, keys
from verifier.record import notes as verifier_notes
from verifier.record.encoding import NotCanonical
from verifier.record.entries import hash_words
from verifier.record.hashing import derived_salt, fingerprint, integer, tagged_hash
from verifier.record.notes import BadNote
from verifier.record.openings import read_openings
from verifier.record.shapes import Malformed
from verifier.record.trees import GrowingTree, root_from_path

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz_", max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(plain)
def test_the_encoding_is_the_ledgers_and_reads_back(value: Any) -> None:
    data = canonical.encode(value)
    assert encoding.encode(value) == data
    assert encoding.decode(data) == value


@settings(max_examples=100)
@given(value=plain, at=st.integers(0, 200), byte=st.integers(0, 255))
def test_both_readers_refuse_the_same_bytes(value: Any, at: int, byte: int) -> None:
    data = bytearray(canonical.encode(value))
    data[at % len(data)] = byte
    verdicts = []
    for decode, refusal in ((canonical.decode, LedgerNotCanonical), (encoding.decode, NotCanonical)):
        try:
            verdicts.append(decode(bytes(data)))
        except refusal:
            verdicts.append(NotCanonical)
    assert verdicts[0] == verdicts[1]


NOT_CANONICAL = [
    b"",
    b"1.0",
    b"1e3",
    b"-0",
    b"01",
    b"NaN",
    b"Infinity",
    b"9007199254740992",
    b"-9007199254740992",
    b'{"a":9007199254740992}',
    b"[1,9007199254740992]",
    b'{"b":1,"a":1}',
    b'{"a":1,"a":1}',
    b'{"a": 1}',
    b"[1,2] ",
    b" []",
    b'"\\u0041"',
    b'"\\/"',
    b'"\\ud800"',
    b'"\xff"',
    b'"\n"',
    b"[" * 40 + b"]" * 40,
    b"[" * 100_000,
    b"9" * 10_000,
    b"\xef\xbb\xbf[]",
    b"tru",
    b"'a'",
]


@pytest.mark.parametrize("data", NOT_CANONICAL, ids=lambda data: repr(data[:20]))
def test_what_is_not_canonical_is_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        encoding.check_free(encoding.decode(data))


def test_keys_outside_of_ascii_are_refused_in_free_values() -> None:
    with pytest.raises(NotCanonical, match="not ASCII"):
        encoding.check_free({"\u00e9": 1})


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_hashes_are_the_ledgers(one: bytes, other: bytes) -> None:
    assert tagged_hash("entry", one, other, integer(7)) == ledger_hash("entry", one, other, integer(7))


def test_salts_and_fingerprints_are_the_ledgers() -> None:
    secret = ledger_commitments.Secret(bytes(range(32)))
    for purpose, index in (("document", 0), ("row", 77), ("order", 2**40)):
        assert derived_salt(secret, purpose, index) == ledger_commitments.derived_salt(secret, purpose, index)
    for key in KEYS.values():
        assert fingerprint(key.public) == ledger_fingerprint(key.public)


CASES: list[dict[str, Any]] = load("ed25519.json")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_keys_and_signatures_are_accepted_by_the_rule(case: dict[str, Any]) -> None:
    """OpenSSL with two checks of our own decides as libsodium does."""
    key = bytes.fromhex(case["public_key"])
    assert keys.is_acceptable(key) == (case["key"] == "valid")
    if case["key"] == "valid":
        message, signature = bytes.fromhex(case["message"]), bytes.fromhex(case["signature"])
        assert keys.signed_bare(key, message, signature) == (case["result"] == "valid")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_has_32_bytes(length: int) -> None:
    assert not keys.is_acceptable(bytes([9] * length))


@pytest.mark.parametrize("size", [*range(1, 20), 33, 64, 65])
def test_trees_and_proofs_are_those_of_the_rfc(size: int) -> None:
    leaves = [bytes([number]) * 3 for number in range(size)]
    tree = GrowingTree()
    tree.extend(leaves)
    assert (tree.size, tree.root()) == (size, rfc9162.mth(leaves))
    levels = merkle.levels(leaves)
    for index in range(size):
        proof = merkle.inclusion_proof(levels, index)
        assert root_from_path(leaves[index], index, size, proof) == tree.root()
        assert root_from_path(leaves[index], index, size, [*proof, bytes(32)]) is None
        assert root_from_path(b"other", index, size, proof) != tree.root()
        if proof:
            assert root_from_path(leaves[index], index, size, proof[:-1]) is None
        for wrong in (-1, size, size + 5):
            assert root_from_path(leaves[index], wrong, size, proof) is None


def test_the_tree_of_nothing_has_the_hash_of_nothing() -> None:
    assert GrowingTree().root() == merkle.EMPTY_ROOT


STATE = Checkpoint(matter=Digest(b"m" * 32), size=7, root=Digest(b"r" * 32), head=Digest(b"h" * 32))
PUBLIC = {Role(role): bytes(key.public) for role, key in KEYS.items()}


def full_note() -> str:
    note = str(checkpoints.sign(STATE, KEYS[LedgerRole.TRENT]))
    lines = [checkpoints.cosign(STATE, role, KEYS[role], 5) for role in checkpoints.COSIGNERS]
    return note + "".join(map(str, lines))


def test_a_checkpoint_is_read_with_its_signers() -> None:
    found = verifier_notes.parse(full_note())
    assert (found.state.matter, found.state.size) == (STATE.matter, 7)
    assert (found.state.root, found.state.head) == (STATE.root, STATE.head)
    assert set(verifier_notes.signers(found, PUBLIC)) == set(Role)


def test_a_checkpoint_need_not_be_signed_by_all() -> None:
    note = "".join(full_note().splitlines(keepends=True)[:-2])
    assert verifier_notes.signers(verifier_notes.parse(note), PUBLIC) == [Role.ALICE, Role.TRENT]


def _line(role: LedgerRole, *, by: LedgerRole | None = None, time: int = 5) -> str:
    genuine = checkpoints.cosign(STATE, role, KEYS[role], time)
    made = checkpoints.cosign(STATE, role, KEYS[by or role], time)
    return str(notes.NoteSignature(name=genuine.name, id=genuine.id, signature=made.signature))


BAD_SIGNATURES: dict[str, Callable[[str], str]] = {
    "false": lambda note: note + _line(LedgerRole.BOB, by=LedgerRole.ALICE),
    "twice": lambda note: note + _line(LedgerRole.BOB) + _line(LedgerRole.BOB, time=6),
    "a stranger": lambda note: note + str(notes.sign(STATE.text, KEYS[LedgerRole.BOB], "somebody")),
    "of another type": lambda note: (
        note + str(notes.sign(STATE.text, KEYS[LedgerRole.BOB], f"{checkpoints.origin(STATE.matter)}/bob"))
    ),
}


@pytest.mark.parametrize("kind", BAD_SIGNATURES)
def test_a_signature_line_that_is_false_doubled_or_a_strangers_spoils_the_note(kind: str) -> None:
    note = BAD_SIGNATURES[kind](str(checkpoints.sign(STATE, KEYS[LedgerRole.TRENT])))
    with pytest.raises(BadNote):
        verifier_notes.signers(verifier_notes.parse(note), PUBLIC)


BAD_NOTES: dict[str, Callable[[str], str]] = {
    "empty": lambda note: "",
    "no signatures": lambda note: note.partition("\n\n")[0] + "\n\n",
    "no gap": lambda note: note.replace("\n\n", "\n"),
    "another origin": lambda note: note.replace("tallystick/", "tallystack/"),
    "a leading zero": lambda note: note.replace("\n7\n", "\n07\n"),
    "no head": lambda note: note.replace("head ", "tail "),
    "stray bits in the root": lambda note: note.replace("cnI=\n", "cnJ=\n", 1),
    "a tab": lambda note: note.replace("head ", "head\t"),
    "a carriage return": lambda note: note.replace("\n", "\r\n"),
    "no newline at its end": lambda note: note[:-1],
    "no base64": lambda note: note[:-4] + "*=\n",
    "a short signature": lambda note: note + "\u2014 somebody AAAA\n",
    "another dash": lambda note: note.replace("\u2014", "-"),
    "very many lines": lambda note: note + "\u2014 somebody AAAAAAAAAAAA\n" * 70,
}


@pytest.mark.parametrize("kind", BAD_NOTES)
def test_what_is_no_checkpoint_is_refused(kind: str) -> None:
    changed = BAD_NOTES[kind](full_note())
    assert changed != full_note()
    with pytest.raises(BadNote):
        verifier_notes.parse(changed)


some_values: st.SearchStrategy[Any] = st.sampled_from([True, False, None, "x", {"a": [1, "\u00e9"]}, [], 0])
some_salts = st.sampled_from([bytes(32), b"a" * 32, b"b" * 32]).map(ledger_commitments.Salt)


@given(st.dictionaries(st.sampled_from("abc"), st.lists(st.tuples(some_salts, some_values), min_size=1, max_size=3)))
def test_openings_are_read_as_the_ledger_writes_them(fields: dict[str, Any]) -> None:
    written = [
        Opening(field=field, index=2 * index, salt=salt, value=value)
        for field, values in sorted(fields.items())
        for index, (salt, value) in enumerate(values)
    ]
    found = read_openings(Openings(written).to_value())
    assert list(Openings.parse(Openings(written).to_value())) == written
    assert found.encoded == ledger_openings.encode(written)
    assert [each for some in found.fields for each in some.commitments] == [each.commitment for each in written]
    assert found.places == [(each.field, each.index) for each in written]
    assert found.values == {name: {2 * i: v for i, (_, v) in enumerate(each)} for name, each in fields.items()}
    assert (len(found), found.hash) == (len(written), ledger_openings.hash_openings(written))
    assert found.leaf(7) == ledger_openings.leaf(7, written)


def test_a_salt_that_all_values_of_a_field_have_is_written_once() -> None:
    several = [Opening(field="proofs", index=place, salt=SALT, value=place) for place in range(3)]
    value: Any = Openings(several).to_value()
    assert value == {"proofs": {"indices": [0, 1, 2], "salts": SALT.hex(), "values": [0, 1, 2]}}


SALT = ledger_commitments.Salt(b"ab" * 16)
GOOD: dict[str, Any] = {"indices": [0, 3], "salts": "00" * 32 + "01" * 32, "values": [True, None]}
BAD_OPENINGS: list[Any] = [
    None,
    [],
    [{"field": "labels", "index": 0, "salt": "00" * 32, "value": True}],
    {"labels": None},
    {"labels": {}},
    {"labels": [GOOD]},
    {"Labels": GOOD},
    {"": GOOD},
    {"labels": GOOD | {"more": 1}},
    {"labels": {name: value for name, value in GOOD.items() if name != "values"}},
    {"labels": {"indices": [], "salts": "", "values": []}},
    {"labels": GOOD | {"values": [True]}},
    {"labels": GOOD | {"values": {"0": True, "3": None}}},
    {"labels": GOOD | {"indices": [0]}},
    {"labels": GOOD | {"indices": [0, -1]}},
    {"labels": GOOD | {"indices": [0, 2**53]}},
    {"labels": GOOD | {"indices": [0, True]}},
    {"labels": GOOD | {"indices": [0, "3"]}},
    {"labels": GOOD | {"indices": 0}},
    {"labels": GOOD | {"salts": "00" * 64}},  # both are equal, and stand there singly
    {"labels": GOOD | {"salts": "00" * 63}},
    {"labels": GOOD | {"salts": "00" * 96}},
    {"labels": GOOD | {"salts": "00" * 31}},
    {"labels": GOOD | {"salts": ""}},
    {"labels": GOOD | {"salts": "AB" * 32 + "01" * 32}},
    {"labels": GOOD | {"salts": "0 " * 64}},
    {"labels": GOOD | {"salts": None}},
    {"labels": GOOD | {"salts": ["00" * 32, "01" * 32]}},
    {"labels": GOOD | {"values": [True, 2**53]}},
    {"labels": GOOD | {"values": [True, {"\u00e9": 1}]}},
]


@pytest.mark.parametrize("value", BAD_OPENINGS, ids=repr)
def test_what_is_no_openings_is_refused_by_both(value: Any) -> None:
    read_openings({"labels": GOOD})
    Openings.parse({"labels": GOOD})
    with pytest.raises(Malformed):
        read_openings(value)
    with pytest.raises((LedgerError, ValueError)):
        Openings.parse(value)


def test_a_reports_words_are_the_ledgers() -> None:
    statement = says(
        LedgerRole.ALICE,
        "report",
        answers=Digest(b"q" * 32),
        replaces=(Digest(b"a" * 32), Digest(b"b" * 32)),
        round=3,
        content={"draw": 1, "note": ',"replaces":[]', "zz": {"author": 1}},
        sealed=seal({"labels": ([Audience.ALICE], [True]), "replaces": ([Audience.ALICE], [True])})[0],
    )
    for each in (statement, msgspec.structs.replace(statement, replaces=(), answers=None)):
        assert hash_words(ledger_entries.encode_statement(each)) == ledger_entries.hash_words(each)
