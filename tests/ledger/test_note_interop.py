"""Notes are read as another implementation reads them, and keys, notes and checkpoints that it accepted are still made
byte for byte.
"""

import base64
from dataclasses import replace
from typing import Any

import pytest

from ledger import checkpoints, notes
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.notes import BadNote, Note, NoteKey, SignatureType
from ledger.roles import Role
from tests.vectors import load

VECTORS: dict[str, Any] = load("interop_notes.json")
VECTOR_KEYS: dict[str, dict[str, Any]] = {key["id"]: key for key in VECTORS["keys"]}


def verifier_key(key: NoteKey) -> str:
    encoded = base64.b64encode(bytes([key.type]) + key.key).decode()
    return f"{key.name}+{key.id.hex()}+{encoded}"


def from_verifier_key(line: str) -> NoteKey:
    name, _, encoded = line.split("+", 2)
    raw = base64.b64decode(encoded)
    return NoteKey(name=name, type=SignatureType(raw[0]), key=PublicKey(raw[1:]))


def named(signatures: list[NoteKey]) -> list[str]:
    return [f"{key.name}+{key.id.hex()}" for key in signatures]


def result(text: str, known: list[NoteKey]) -> str:
    """What becomes of a note, in the words of the vectors."""
    try:
        parsed = notes.parse(text)
    except BadNote:
        return "malformed"
    try:
        return "opened" if parsed.signed_by(known) else "unverified"
    except BadNote:
        return "spoiled"


def test_the_vectors_state_their_origin_and_every_case_says_what_it_shows() -> None:
    assert VECTORS["origin"]["implementation"]
    assert VECTORS["origin"]["version"]
    cases = VECTORS["keys"] + VECTORS["notes"] + VECTORS["ours"] + VECTORS["checkpoints"]
    assert all(case["comment"] for case in cases)
    assert len({case["id"] for case in cases}) == len(cases)


@pytest.mark.parametrize("case", VECTORS["notes"], ids=lambda case: case["id"])
def test_a_note_is_read_as_the_other_implementation_reads_it(case: dict[str, Any]) -> None:
    known = [from_verifier_key(VECTOR_KEYS[each]["verifier_key"]) for each in case["known"]]
    assert result(case["note"], known) == case["tallystick"]
    if case["tallystick"] in ("opened", "unverified"):
        parsed = notes.parse(case["note"])
        assert str(parsed) == case["note"]
        assert parsed.text == case["go"]["text"]
        assert sorted(named(parsed.signed_by(known))) == sorted(case["go"]["verified"])


def test_only_deliberate_strictness_differs_from_the_other_implementation() -> None:
    different = {case["id"] for case in VECTORS["notes"] if case["tallystick"] != case["go"]["result"]}
    assert different == {case["id"] for case in VECTORS["notes"] if "why" in case}
    assert different == {
        "stricter-signatures-65",
        "stricter-padding-bits",
        "stricter-key-twice",
        "stricter-key-twice-second-false",
    }


@pytest.mark.parametrize("key", VECTORS["keys"], ids=lambda key: key["id"])
def test_a_verifier_key_is_the_line_that_the_other_implementation_takes(key: dict[str, Any]) -> None:
    public = SigningKey(bytes.fromhex(key["seed"])).public
    ours = NoteKey(name=key["name"], type=SignatureType(key["type"]), key=public)
    assert verifier_key(ours) == key["verifier_key"]
    # Its reader checks the key id first, and then knows no cosigners.
    plain = ours.type is SignatureType.ED25519
    assert key["go_new_verifier"] == ("accepted" if plain else "unknown verifier algorithm")


@pytest.mark.parametrize("case", VECTORS["ours"], ids=lambda case: case["id"])
def test_a_note_that_the_other_implementation_opened_is_still_made_byte_for_byte(case: dict[str, Any]) -> None:
    assert case["go"]["result"] == "opened"
    assert (case["go"]["text"], case["go"]["unverified"]) == (case["text"], [])
    signers = [VECTOR_KEYS[each] for each in case["signers"]]
    made = tuple(notes.sign(case["text"], SigningKey(bytes.fromhex(key["seed"])), key["name"]) for key in signers)
    assert str(Note(text=case["text"], signatures=made)) == case["note"]
    known = [from_verifier_key(key["verifier_key"]) for key in signers]
    assert named(notes.parse(case["note"]).signed_by(known)) == case["go"]["verified"]


@pytest.mark.parametrize("case", VECTORS["checkpoints"], ids=lambda case: case["id"])
def test_a_checkpoint_that_the_other_implementation_opened_is_still_made_byte_for_byte(case: dict[str, Any]) -> None:
    matter, root, head = (Digest.parse(case[field]) for field in ("matter", "root", "head"))
    checkpoint = checkpoints.Checkpoint(matter=matter, size=case["size"], root=root, head=head)
    trent = VECTOR_KEYS[case["trent"]]
    note = checkpoints.sign(checkpoint, SigningKey(bytes.fromhex(trent["seed"])))
    for each, cosigner in zip(case["cosigned"], case["cosigners"], strict=True):
        key = SigningKey(bytes.fromhex(VECTOR_KEYS[cosigner]["seed"]))
        cosigned = checkpoints.cosign(checkpoint, Role(each["role"]), key, each["time"])
        note = replace(note, signatures=(*note.signatures, cosigned))
    assert str(note) == case["note"]

    # With Trent's key alone it read the text, the size and the root; with the cosigners', their times too.
    assert case["go"]["result"] == case["go_with_cosigners"]["result"] == "opened"
    assert case["go"]["text"] == checkpoint.text
    assert case["go_parse_tree"] == {"n": checkpoint.size, "hash": checkpoint.root.hex()}
    assert case["go_cosigned_at"] == [each["time"] for each in case["cosigned"]]
    known = [from_verifier_key(VECTOR_KEYS[each]["verifier_key"]) for each in (case["trent"], *case["cosigners"])]
    assert named(note.signed_by(known[:1])) == case["go"]["verified"]
    assert named(known[1:]) == case["go"]["unverified"]
    assert named(note.signed_by(known)) == case["go_with_cosigners"]["verified"]


def test_a_checkpoint_cosigned_by_alice_bob_and_the_court_is_among_them() -> None:
    cosigned = [[each["role"] for each in case["cosigned"]] for case in VECTORS["checkpoints"]]
    assert ["alice", "bob", "court"] in cosigned
