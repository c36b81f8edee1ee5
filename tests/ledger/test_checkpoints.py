"""Checkpoints: what they state, and who signed them."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import checkpoints, merkle, notes
from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.notes import BadNote, Note, NoteSignature, SignatureType
from ledger.roles import Role
from tests.support.builders import KEYS, MATTER, OTHER_MATTER

TRENT = KEYS[Role.TRENT]
PUBLIC = {role: key.public for role, key in KEYS.items()}
STRANGER = SigningKey(tagged_hash("test", b"stranger"))
TIME = 1_800_000_000
STATE = Checkpoint(
    matter=MATTER,
    size=42,
    root=merkle.root(b"leaf %d" % index for index in range(42)),
    head=tagged_hash("test", b"head"),
)
OTHER_ROOT = replace(STATE, root=tagged_hash("test", b"another root"))
OTHER_HEAD = replace(STATE, head=tagged_hash("test", b"another head"))

digests = st.binary(min_size=32, max_size=32).map(Digest)
states = st.builds(Checkpoint, matter=digests, size=st.integers(0, 10**16 - 1), root=digests, head=digests)


def with_lines(note: Note, *lines: NoteSignature) -> Note:
    return replace(note, signatures=(*note.signatures, *lines))


def cosigned(state: Checkpoint, *roles: Role) -> Note:
    lines = [checkpoints.cosign(state, role, KEYS[role], TIME) for role in roles]
    return with_lines(checkpoints.sign(state, TRENT), *lines)


def unsigned(text: str) -> Note:
    """A note of any text, with a line that says nothing."""
    return Note(text=text, signatures=(NoteSignature(name="n", id=bytes(4), signature=bytes(1)),))


# What a checkpoint states


def test_a_checkpoint_has_the_four_lines_of_the_docstring() -> None:
    assert STATE.text.split("\n") == [
        f"tallystick/{MATTER.hex()}",
        "42",
        base64.b64encode(STATE.root).decode(),
        f"head {STATE.head.hex()}",
        "",
    ]


@settings(deadline=None)
@given(states)
def test_a_signed_checkpoint_is_parsed_back_from_the_notes_bytes(state: Checkpoint) -> None:
    note = checkpoints.sign(state, TRENT)
    assert checkpoints.parse(notes.parse(str(note))) == state
    assert checkpoints.signers(note, PUBLIC) == [Role.TRENT]


ORIGIN, SIZE, ROOT, HEAD = STATE.text.split("\n")[:4]
LAST = chr(ord(ROOT[-2]) + 1)  # of the last letter's six bits, two are unused

MALFORMED = {
    "no lines": [],
    "origin only": [ORIGIN],
    "no head": [ORIGIN, SIZE, ROOT],
    "no size": [ORIGIN, ROOT, HEAD],
    "no origin": [SIZE, ROOT, HEAD],
    "a line more": [ORIGIN, SIZE, ROOT, HEAD, "more"],
    "an empty line more": [ORIGIN, SIZE, ROOT, HEAD, ""],
    "an empty line before": ["", ORIGIN, SIZE, ROOT, HEAD],
    "two heads": [ORIGIN, SIZE, ROOT, HEAD, HEAD],
    "lines in another order": [ORIGIN, ROOT, SIZE, HEAD],
    "a leading zero": [ORIGIN, "042", ROOT, HEAD],
    "zero twice": [ORIGIN, "00", ROOT, HEAD],
    "an empty size": [ORIGIN, "", ROOT, HEAD],
    "a negative size": [ORIGIN, "-42", ROOT, HEAD],
    "a sign": [ORIGIN, "+42", ROOT, HEAD],
    "a fraction": [ORIGIN, "42.0", ROOT, HEAD],
    "an underscore": [ORIGIN, "4_2", ROOT, HEAD],
    "a blank before the size": [ORIGIN, " 42", ROOT, HEAD],
    "hexadecimal": [ORIGIN, "0x2a", ROOT, HEAD],
    "digits of another script": [ORIGIN, "\u0664\u0662", ROOT, HEAD],
    "a size of 17 digits": [ORIGIN, "1" + "0" * 16, ROOT, HEAD],
    "root with padding bits": [ORIGIN, SIZE, ROOT[:-2] + LAST + "=", HEAD],
    "root without padding": [ORIGIN, SIZE, ROOT[:-1], HEAD],
    "root with more padding": [ORIGIN, SIZE, ROOT + "=", HEAD],
    "root of 31 bytes": [ORIGIN, SIZE, base64.b64encode(bytes(31)).decode(), HEAD],
    "root of 33 bytes": [ORIGIN, SIZE, base64.b64encode(bytes(33)).decode(), HEAD],
    "root in hexadecimal": [ORIGIN, SIZE, STATE.root.hex(), HEAD],
    "root in the URL alphabet": [ORIGIN, SIZE, "-_" + ROOT[2:], HEAD],
    "a blank after the root": [ORIGIN, SIZE, ROOT + " ", HEAD],
    "head without its word": [ORIGIN, SIZE, ROOT, STATE.head.hex()],
    "head by another word": [ORIGIN, SIZE, ROOT, f"tail {STATE.head.hex()}"],
    "head in capitals": [ORIGIN, SIZE, ROOT, f"head {'AB' * 32}"],
    "head too short": [ORIGIN, SIZE, ROOT, HEAD[:-2]],
    "head too long": [ORIGIN, SIZE, ROOT, HEAD + "00"],
    "head in base64": [ORIGIN, SIZE, ROOT, f"head {ROOT}"],
    "another log's origin": ["go.sum database tree", SIZE, ROOT, HEAD],
    "origin in capitals": [ORIGIN.upper(), SIZE, ROOT, HEAD],
    "matter in capitals": [f"tallystick/{MATTER.hex().upper()}", SIZE, ROOT, HEAD],
    "origin of another program": [ORIGIN.replace("tallystick", "talleystick"), SIZE, ROOT, HEAD],
    "origin too short": [ORIGIN[:-1], SIZE, ROOT, HEAD],
    "origin with more behind it": [ORIGIN + "/alice", SIZE, ROOT, HEAD],
    "origin with a scheme": ["https://" + ORIGIN, SIZE, ROOT, HEAD],
}


@pytest.mark.parametrize("lines", MALFORMED.values(), ids=MALFORMED)
def test_a_text_of_any_other_form_is_no_checkpoint(lines: list[str]) -> None:
    with pytest.raises(BadNote, match="not a checkpoint of a matter|not in its one encoding"):
        checkpoints.parse(unsigned("".join(f"{line}\n" for line in lines)))


@pytest.mark.parametrize(
    "text", [STATE.text[:-1], STATE.text.replace("\n", "\r\n"), STATE.text + "\n", "\ufeff" + STATE.text]
)
def test_a_text_with_other_ends_of_lines_is_no_checkpoint(text: str) -> None:
    with pytest.raises(BadNote, match="not a checkpoint of a matter"):
        checkpoints.parse(unsigned(text))


def test_the_malformed_texts_are_made_from_one_that_parses() -> None:
    assert checkpoints.parse(unsigned(f"{ORIGIN}\n{SIZE}\n{ROOT}\n{HEAD}\n")) == STATE
    assert base64.b64decode(ROOT[:-2] + LAST + "=") == STATE.root


@settings(deadline=None, max_examples=100)
@given(
    st.integers(0, len(STATE.text)),
    st.integers(0, 2),
    st.text(st.sampled_from("0123456789abcdefABC+/=- \n\u0664\ud800"), max_size=2),
)
def test_an_altered_text_is_no_checkpoint_or_states_what_it_says(place: int, cut: int, put: str) -> None:
    altered = STATE.text[:place] + put + STATE.text[place + cut :]
    try:
        state = checkpoints.parse(unsigned(altered))
    except BadNote:
        return
    assert state.text == altered
    assert (state == STATE) is (altered == STATE.text)


# Who signed it


def test_trent_signs_as_the_log_and_the_others_cosign_under_their_roles() -> None:
    note = cosigned(STATE, *checkpoints.COSIGNERS)
    origin = f"tallystick/{MATTER.hex()}"
    assert [line.name for line in note.signatures] == [origin, f"{origin}/alice", f"{origin}/bob", f"{origin}/court"]
    types = [checkpoints.note_key(MATTER, role, key).type for role, key in PUBLIC.items() if role is not Role.TRENT]
    assert types == [SignatureType.COSIGNATURE] * 3
    assert checkpoints.note_key(MATTER, Role.TRENT, TRENT.public).type is SignatureType.ED25519


def test_a_note_signed_by_all_says_so_after_a_trip_through_its_bytes() -> None:
    note = notes.parse(str(cosigned(STATE, Role.COURT, Role.ALICE, Role.BOB)))
    assert set(checkpoints.signers(note, PUBLIC)) == set(Role)


@settings(deadline=None)
@given(st.sets(st.sampled_from(checkpoints.COSIGNERS)))
def test_exactly_those_who_cosigned_are_found(roles: set[Role]) -> None:
    assert set(checkpoints.signers(cosigned(STATE, *roles), PUBLIC)) == roles | {Role.TRENT}


def test_who_is_not_enrolled_has_not_signed() -> None:
    note = cosigned(STATE, Role.ALICE, Role.BOB)
    assert checkpoints.signers(note, {Role.BOB: PUBLIC[Role.BOB]}) == [Role.BOB]
    assert checkpoints.signers(note, dict.fromkeys(Role, STRANGER.public)) == []


def test_a_stranger_who_signs_under_a_partys_name_is_ignored() -> None:
    line = checkpoints.cosign(STATE, Role.ALICE, STRANGER, TIME)
    assert checkpoints.signers(with_lines(cosigned(STATE, Role.BOB), line), PUBLIC) == [Role.BOB, Role.TRENT]


def test_a_party_who_signs_under_anothers_role_counts_as_neither() -> None:
    line = checkpoints.cosign(STATE, Role.COURT, KEYS[Role.ALICE], TIME)
    assert checkpoints.signers(with_lines(cosigned(STATE), line), PUBLIC) == [Role.TRENT]


@pytest.mark.parametrize("role", Role)
def test_a_partys_line_from_another_checkpoint_spoils_the_note(role: Role) -> None:
    elsewhere = cosigned(OTHER_HEAD, *checkpoints.COSIGNERS)
    name = checkpoints.note_key(MATTER, role, PUBLIC[role]).name
    (line,) = (line for line in elsewhere.signatures if line.name == name)
    spoiled = replace(cosigned(STATE), signatures=(line,))
    with pytest.raises(BadNote, match="is false"):
        checkpoints.signers(spoiled, PUBLIC)


@pytest.mark.parametrize("role", checkpoints.COSIGNERS)
def test_a_cosignature_with_another_time_spoils_the_note(role: Role) -> None:
    line = checkpoints.cosign(STATE, role, KEYS[role], TIME)
    later = replace(line, signature=(TIME + 1).to_bytes(8, "big") + line.signature[8:])
    with pytest.raises(BadNote, match="is false"):
        checkpoints.signers(with_lines(cosigned(STATE), later), PUBLIC)


def test_a_line_for_another_matter_is_ignored() -> None:
    other = cosigned(replace(STATE, matter=OTHER_MATTER), *checkpoints.COSIGNERS)
    assert checkpoints.signers(replace(other, text=STATE.text), PUBLIC) == []


def test_signers_of_a_note_that_is_no_checkpoint_are_not_looked_for() -> None:
    text = "any text\n"
    note = Note(text=text, signatures=(notes.sign(text, TRENT, checkpoints.origin(MATTER)),))
    with pytest.raises(BadNote, match="not a checkpoint"):
        checkpoints.signers(note, PUBLIC)
