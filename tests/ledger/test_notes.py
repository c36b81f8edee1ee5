"""Signed notes: their one encoding, and whose signature counts."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import notes
from ledger.keys import SigningKey
from ledger.notes import BadNote, Note, NoteKey, NoteSignature, SignatureType
from ledger.roles import Role
from tests.support.builders import KEYS
from tests.vectors import load

BLANK_CODES: list[int] = load("interop_notes.json")["blanks_in_names"]
BLANKS = {chr(code) for code in BLANK_CODES}

LOG, WITNESS = KEYS[Role.TRENT], KEYS[Role.COURT]
NAME = "example.org/log"
TEXT = "a tally of\n\ntwo halves\n"
LOG_KEY = NoteKey(name=NAME, type=SignatureType.ED25519, key=LOG.public)
WITNESS_KEY = NoteKey(name="witness.example", type=SignatureType.ED25519, key=WITNESS.public)
COSIGNER_KEY = NoteKey(name=NAME, type=SignatureType.COSIGNATURE, key=LOG.public)
NOTE = Note(text=TEXT, signatures=(notes.sign(TEXT, LOG, NAME), notes.sign(TEXT, WITNESS, "witness.example")))


def line(name: str, raw: bytes) -> str:
    return f"\u2014 {name} {base64.b64encode(raw).decode()}\n"


# The format


def test_a_known_note_keeps_its_bytes() -> None:
    seed = bytes(range(32))
    text = "one note\n"
    note = Note(text=text, signatures=(notes.sign(text, SigningKey(seed), "example.org/log"),))
    assert str(note) == (
        "one note\n"
        "\n"
        "\u2014 example.org/log "
        "mK8CO7SNsuoxnrX0M0o5984CkjCJeLYgw1/Ds0IltmEnUiwuzW0UcqCCAT/r982Xbh9AmOSVi7CJfCe3UpbcOwTyGAY=\n"
    )


def test_a_note_is_the_text_an_empty_line_and_the_signature_lines() -> None:
    log, witness = NOTE.signatures
    assert str(NOTE) == f"{TEXT}\n{log}{witness}"
    assert str(log) == line(NAME, LOG_KEY.id + LOG.sign_bare(TEXT.encode()))
    assert notes.parse(str(NOTE)) == NOTE


def test_a_key_id_depends_on_name_type_and_key() -> None:
    variants = [
        LOG_KEY,
        replace(LOG_KEY, name=NAME + "2"),
        replace(LOG_KEY, type=SignatureType.COSIGNATURE),
        replace(LOG_KEY, key=WITNESS.public),
    ]
    assert len({key.id for key in variants}) == len(variants)
    assert {len(key.id) for key in variants} == {4}


LOG_LINE, WITNESS_LINE = map(str, NOTE.signatures)
RAW = NOTE.signatures[0].id + NOTE.signatures[0].signature
ENCODED = base64.b64encode(RAW).decode()  # 68 bytes: 91 characters and one for padding, whose last 2 bits are unused
NEXT = chr(ord(ENCODED[-2]) + 1)
FORM, CONTROL, BASE64 = "a note is a text", "no control characters", "is not base64"
ENCODING, LINE, NAMING, SHORT = "not in their one encoding", "is not a signature line", "cannot name a key", "too short"

MALFORMED = {
    "an empty string": ("", FORM),
    "a newline": ("\n", FORM),
    "a text alone": (TEXT, LINE),  # whose own empty line is taken for the one before the signatures
    "a text of one line alone": ("text\n", FORM),
    "no signature": ("text\n\n", FORM),
    "no empty line": ("text\n" + LOG_LINE, FORM),
    "signatures after one newline": ("\n" + LOG_LINE, FORM),
    "signatures alone": (LOG_LINE, FORM),
    "no newline at the end": (f"{TEXT}\n{LOG_LINE}"[:-1], FORM),
    "an empty line at the end": (f"{TEXT}\n{LOG_LINE}\n", FORM),
    "text between signatures": (f"{TEXT}\n{LOG_LINE}text\n{WITNESS_LINE}", LINE),
    "carriage returns": (f"{TEXT}\n{LOG_LINE}".replace("\n", "\r\n"), CONTROL),
    "a carriage return in the text": (f"a\rb\n\n{LOG_LINE}", CONTROL),
    "a carriage return after a signature": (f"{TEXT}\n{LOG_LINE[:-1]}\r\n", CONTROL),
    "a carriage return inside a signature": (f"{TEXT}\n{LOG_LINE[:-9]}\r{LOG_LINE[-9:]}", CONTROL),
    "a hyphen": (f"{TEXT}\n-{LOG_LINE[1:]}", LINE),
    "an en dash": (f"{TEXT}\n\u2013{LOG_LINE[1:]}", LINE),
    "a blank before the dash": (f"{TEXT}\n {LOG_LINE}", LINE),
    "no blank after the dash": (f"{TEXT}\n\u2014{LOG_LINE[2:]}", LINE),
    "a no-break space after the dash": (f"{TEXT}\n\u2014\u00a0{LOG_LINE[2:]}", LINE),
    "two blanks before the signature": (f"{TEXT}\n\u2014 {NAME}  {ENCODED}\n", LINE),
    "a blank at the end": (f"{TEXT}\n\u2014 {NAME} {ENCODED} \n", LINE),
    "a name only": (f"{TEXT}\n\u2014 {NAME}\n", LINE),
    "an empty signature": (f"{TEXT}\n\u2014 {NAME} \n", SHORT),
    "an empty name": (TEXT + "\n" + line("", RAW), NAMING),
    "a blank in the name": (TEXT + "\n" + line("example.org log", RAW), LINE),
    "a plus in the name": (TEXT + "\n" + line("example.org+log", RAW), NAMING),
    "a plus for a name": (TEXT + "\n" + line("+", RAW), NAMING),
    "a character outside base64": (f"{TEXT}\n\u2014 {NAME} *{ENCODED[1:]}\n", BASE64),
    "a letter outside ASCII": (f"{TEXT}\n\u2014 {NAME} \u00c4{ENCODED[1:]}\n", BASE64),
    "the URL alphabet": (f"{TEXT}\n\u2014 {NAME} _-{ENCODED[2:]}\n", BASE64),
    "base64 without padding": (f"{TEXT}\n\u2014 {NAME} {ENCODED[:-1]}\n", BASE64),
    "base64 with too much padding": (f"{TEXT}\n\u2014 {NAME} {ENCODED}=\n", BASE64),
    "base64 after its padding": (f"{TEXT}\n\u2014 {NAME} {ENCODED}AAAA\n", BASE64),
    "padding bits that are not zero": (f"{TEXT}\n\u2014 {NAME} {ENCODED[:-2]}{NEXT}=\n", ENCODING),
    "a key id and no signature": (TEXT + "\n" + line(NAME, RAW[:4]), SHORT),
    "less than a key id": (TEXT + "\n" + line(NAME, RAW[:3]), SHORT),
    "more than 64 signatures": (TEXT + "\n" + 65 * LOG_LINE, "more than 64"),
}


@pytest.mark.parametrize(("text", "why"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_a_note_is_refused_for_its_own_reason(text: str, why: str) -> None:
    with pytest.raises(BadNote, match=why):
        notes.parse(text)


def test_the_padding_case_differs_from_the_note_by_unused_bits_only() -> None:
    assert base64.b64decode(ENCODED[:-2] + NEXT + "=") == RAW


def test_64_signatures_are_not_too_many() -> None:
    many = "".join(line("n", bytes([0, 0, 0, number, 0])) for number in range(64))
    assert len(notes.parse(f"{TEXT}\n{many}").signatures) == notes.MAX_SIGNATURES == 64


@pytest.mark.parametrize("character", [chr(code) for code in range(0x20) if chr(code) != "\n"], ids=repr)
@pytest.mark.parametrize("place", [0, 3, len(TEXT) + 2, len(TEXT) + 8, len(str(NOTE)) - 2, len(str(NOTE))])
def test_a_control_character_is_refused_wherever_it_stands(character: str, place: int) -> None:
    text = str(NOTE)
    with pytest.raises(BadNote, match=CONTROL):
        notes.parse(text[:place] + character + text[place:])


@pytest.mark.parametrize("code", BLANK_CODES, ids=lambda code: f"U+{code:04X}")
def test_no_unicode_blank_stands_in_a_name(code: int) -> None:
    with pytest.raises(BadNote, match=f"{LINE}|{NAMING}"):
        notes.parse(TEXT + "\n" + line(f"a{chr(code)}b", RAW))
    with pytest.raises(BadNote, match=NAMING):
        notes.sign(TEXT, LOG, f"a{chr(code)}b")


@pytest.mark.parametrize("name", ["", "+", "a+b", "a b", " a", "a\n", "a\tb"])
def test_nothing_is_signed_or_cosigned_under_a_name_that_no_note_can_carry(name: str) -> None:
    with pytest.raises(BadNote, match=NAMING):
        notes.sign(TEXT, LOG, name)
    with pytest.raises(BadNote, match=NAMING):
        notes.cosign(TEXT, LOG, name, 1)


# Whose signature counts


def test_the_known_keys_that_signed_are_found() -> None:
    assert NOTE.signed_by([LOG_KEY, WITNESS_KEY]) == [LOG_KEY, WITNESS_KEY]
    assert NOTE.signed_by([WITNESS_KEY]) == [WITNESS_KEY]
    assert NOTE.signed_by([]) == []


def test_lines_by_unknown_keys_are_ignored_even_if_false() -> None:
    false = replace(NOTE.signatures[1], signature=bytes(64))
    assert replace(NOTE, signatures=(NOTE.signatures[0], false)).signed_by([LOG_KEY]) == [LOG_KEY]


def test_a_line_with_a_known_name_and_another_key_id_is_ignored() -> None:
    for at in range(4):
        log = NOTE.signatures[0]
        renumbered = replace(log, id=log.id[:at] + bytes([log.id[at] ^ 1]) + log.id[at + 1 :])
        assert replace(NOTE, signatures=(renumbered,)).signed_by([LOG_KEY]) == []


def test_a_line_with_a_known_key_id_and_another_name_is_ignored() -> None:
    renamed = replace(NOTE.signatures[0], name="example.org/LOG")
    assert replace(NOTE, signatures=(renamed,)).signed_by([LOG_KEY]) == []


@pytest.mark.parametrize("at", range(64))
def test_a_known_keys_false_signature_spoils_the_note(at: int) -> None:
    log, witness = NOTE.signatures
    flipped = log.signature[:at] + bytes([log.signature[at] ^ 1]) + log.signature[at + 1 :]
    for signatures in ((replace(log, signature=flipped), witness), (witness, replace(log, signature=flipped))):
        with pytest.raises(BadNote, match=f"the signature of {NAME} on the note is false"):
            replace(NOTE, signatures=signatures).signed_by([WITNESS_KEY, LOG_KEY])


@pytest.mark.parametrize("length", [0, 1, 32, 63, 65, 72, 128])
def test_a_known_keys_signature_of_another_length_spoils_the_note(length: int) -> None:
    log = NOTE.signatures[0]
    other = replace(log, signature=(log.signature * 2)[:length])
    with pytest.raises(BadNote, match="is false"):
        replace(NOTE, signatures=(other,)).signed_by([LOG_KEY])


@pytest.mark.parametrize("text", ["", "\n", TEXT[:-1], TEXT + "\n", "\n" + TEXT, TEXT.upper(), TEXT + "x\n"])
def test_a_signature_under_another_text_spoils_the_note(text: str) -> None:
    with pytest.raises(BadNote, match="is false"):
        replace(NOTE, text=text).signed_by([LOG_KEY])


def test_a_key_that_stands_twice_on_a_note_spoils_it_whether_its_lines_are_true_or_not() -> None:
    log, witness = NOTE.signatures
    false = replace(log, signature=bytes(64))
    for lines in ((log, log), (log, false), (false, log), (log, witness, log)):
        with pytest.raises(BadNote, match=f"the note has two signatures of {NAME}"):
            replace(NOTE, signatures=lines).signed_by([WITNESS_KEY, LOG_KEY])


def test_an_unknown_key_may_stand_on_a_note_twice() -> None:
    log, witness = NOTE.signatures
    assert replace(NOTE, signatures=(witness, log, witness)).signed_by([LOG_KEY]) == [LOG_KEY]


# Cosignatures

TIME = 1_800_000_000


def cosigned(time: int = TIME, text: str = TEXT) -> Note:
    return Note(text=text, signatures=(notes.cosign(text, LOG, NAME, time),))


def test_a_cosignature_is_over_its_time_and_the_text() -> None:
    signature = cosigned().signatures[0].signature
    assert signature[:8] == TIME.to_bytes(8, "big")
    assert signature[8:] == LOG.sign_bare(b"cosignature/v1\ntime 1800000000\n" + TEXT.encode())
    assert cosigned().signed_by([COSIGNER_KEY]) == [COSIGNER_KEY]


@settings(deadline=None)
@given(st.integers(0, 2**63 - 1), st.integers(0, 2**64 - 1))
def test_a_cosignature_holds_for_its_own_time_only(time: int, other: int) -> None:
    note = cosigned(time)
    assert note.signed_by([COSIGNER_KEY]) == [COSIGNER_KEY]
    if other != time:
        moved = replace(note.signatures[0], signature=other.to_bytes(8, "big") + note.signatures[0].signature[8:])
        with pytest.raises(BadNote, match="is false"):
            replace(note, signatures=(moved,)).signed_by([COSIGNER_KEY])


@pytest.mark.parametrize("time", [2**63, 2**63 + 1, 2**64 - 1])
def test_a_cosignature_with_a_time_that_the_format_lacks_is_refused_although_truly_signed(time: int) -> None:
    signature = LOG.sign_bare(f"cosignature/v1\ntime {time}\n{TEXT}".encode())
    made = NoteSignature(name=NAME, id=COSIGNER_KEY.id, signature=time.to_bytes(8, "big") + signature)
    with pytest.raises(BadNote, match="is false"):
        Note(text=TEXT, signatures=(made,)).signed_by([COSIGNER_KEY])


def test_a_cosignature_at_either_end_of_time_is_accepted() -> None:
    assert cosigned(0).signed_by([COSIGNER_KEY])
    assert cosigned(2**63 - 1).signed_by([COSIGNER_KEY])


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 63, 64, 71, 73, 80])
def test_a_cosignature_of_another_length_is_refused(length: int) -> None:
    (good,) = cosigned().signatures
    other = replace(good, signature=(good.signature * 2)[:length])
    with pytest.raises(BadNote, match="is false"):
        Note(text=TEXT, signatures=(other,)).signed_by([COSIGNER_KEY])


def test_a_cosignature_under_another_text_is_refused() -> None:
    with pytest.raises(BadNote, match="is false"):
        replace(cosigned(), text="\n" + TEXT).signed_by([COSIGNER_KEY])


def test_a_plain_key_does_not_know_the_cosignature_of_the_same_key_and_name() -> None:
    assert cosigned().signed_by([LOG_KEY]) == []
    assert NOTE.signed_by([COSIGNER_KEY]) == []


@pytest.mark.parametrize("stamp", [b"", bytes(8), TIME.to_bytes(8, "big")])
def test_a_plain_signature_never_passes_as_a_cosignature(stamp: bytes) -> None:
    plain = LOG.sign_bare(TEXT.encode())
    claimed = NoteSignature(name=NAME, id=COSIGNER_KEY.id, signature=stamp + plain)
    with pytest.raises(BadNote, match="is false"):
        Note(text=TEXT, signatures=(claimed,)).signed_by([COSIGNER_KEY])


@pytest.mark.parametrize("start", [0, 8])
def test_a_cosignature_never_passes_as_a_plain_signature(start: int) -> None:
    claimed = NoteSignature(name=NAME, id=LOG_KEY.id, signature=cosigned().signatures[0].signature[start:])
    with pytest.raises(BadNote, match="is false"):
        Note(text=TEXT, signatures=(claimed,)).signed_by([LOG_KEY])


def test_a_key_may_sign_and_cosign_one_note() -> None:
    both = Note(text=TEXT, signatures=(NOTE.signatures[0], *cosigned().signatures))
    assert notes.parse(str(both)).signed_by([LOG_KEY, COSIGNER_KEY]) == [LOG_KEY, COSIGNER_KEY]


# Whatever parses

characters = st.characters(exclude_categories=["Cs"], exclude_characters=[chr(code) for code in range(0x20)])
texts = st.lists(st.text(characters, max_size=12), max_size=6).map(lambda lines: "".join(f"{each}\n" for each in lines))
signature_lines = st.builds(
    NoteSignature,
    name=st.text(characters, min_size=1, max_size=12).filter(lambda name: "+" not in name and not set(name) & BLANKS),
    id=st.binary(min_size=4, max_size=4),
    signature=st.binary(min_size=1, max_size=80),
)


@settings(deadline=None)
@given(texts, st.lists(signature_lines, min_size=1, max_size=5))
def test_every_note_is_parsed_back_from_its_bytes(text: str, lines: list[NoteSignature]) -> None:
    note = Note(text=text + "last line\n", signatures=tuple(lines))
    assert notes.parse(str(note)) == note


def check_that_it_parses_to_itself_or_not_at_all(text: str) -> None:
    """Fails if `parse` raises anything but BadNote, or loses a byte."""
    try:
        parsed = notes.parse(text)
    except BadNote:
        return
    assert str(parsed) == text
    assert parsed.text.endswith("\n")
    assert 1 <= len(parsed.signatures) <= notes.MAX_SIGNATURES


pieces = st.sampled_from(
    [
        "\n",
        "\n\n",
        "\u2014 ",
        "\u2014",
        " ",
        "a",
        "+",
        "=",
        ENCODED,
        "AAAAAAA=",
        "AAAAAAB=",
        "\r",
        "\u00a0",
        "\ud800",
        LOG_LINE,
    ]
)


@settings(deadline=None, max_examples=100)
@given(st.lists(pieces, max_size=12).map("".join))
def test_whatever_parses_serialises_identically(text: str) -> None:
    check_that_it_parses_to_itself_or_not_at_all(text)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_no_text_at_all_makes_the_parser_fail_otherwise(text: str) -> None:
    check_that_it_parses_to_itself_or_not_at_all(text)
    check_that_it_parses_to_itself_or_not_at_all(f"text\n\n\u2014 {text}\n")


@settings(deadline=None, max_examples=100)
@given(st.integers(0, len(str(NOTE))), st.integers(0, 3), st.text(max_size=3))
def test_a_note_altered_anywhere_is_no_longer_signed_by_both(place: int, cut: int, put: str) -> None:
    original = str(NOTE)
    altered = original[:place] + put + original[place + cut :]
    check_that_it_parses_to_itself_or_not_at_all(altered)
    if altered == original:
        return
    try:
        found = notes.parse(altered).signed_by([LOG_KEY, WITNESS_KEY])
    except BadNote:
        return
    assert found != [LOG_KEY, WITNESS_KEY]


def test_what_parse_would_refuse_cannot_be_signed() -> None:
    key = SigningKey(bytes(32))
    for text in ("no newline", "tab\t\n", "half \ud800\n"):
        with pytest.raises(BadNote):
            notes.sign(text, key, "name")
        with pytest.raises(BadNote):
            notes.cosign(text, key, "name", 1)
    for time in (-1, 2**63, 2**64):
        with pytest.raises(BadNote, match="not a time"):
            notes.cosign("text\n", key, "name", time)
    with pytest.raises(BadNote, match="surrogates"):
        notes.parse("half \ud800\n\n\u2014 name AAAAAAAA\n")
