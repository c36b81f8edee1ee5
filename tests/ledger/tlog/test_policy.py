"""Policies: what is read from a file, whom it makes enough, and what is refused in words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import merkle, notes
from ledger.keys import SigningKey
from ledger.notes import Note, NoteKey, SignatureType
from ledger.tlog import checkpoint, policy
from ledger.tlog.checkpoint import LogCheckpoint
from ledger.tlog.policy import BadPolicy, NotWitnessed

KEY = SigningKey(bytes(range(32)))
LOG = checkpoint.note_key("trent.example/log", KEY)
NAMES = ("X1", "X2", "X3", "Y1", "Y2", "Y3")
SIGNERS = {name: SigningKey(name.encode() * 16) for name in NAMES}
VKEYS = {
    name: NoteKey(name=f"{name}.example", type=SignatureType.COSIGNATURE, key=key.public).vkey
    for name, key in SIGNERS.items()
}
WITNESSES = "".join(f"witness {name} {VKEYS[name]}\n" for name in NAMES)
EXAMPLE = (
    f"# The example of the specification.\nlog {LOG.vkey}\n\n{WITNESSES}"
    "group X-witnesses 2 X1 X2 X3\n  \t\n\tgroup Y-witnesses  any Y1 Y2 Y3\n"
    "group X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y\n"
)


def note(*cosigners: str, size: int = 7) -> Note:
    found = checkpoint.signed(LogCheckpoint(origin=LOG.name, size=size, root=merkle.EMPTY_ROOT), KEY)
    lines = [notes.cosign(found.text, SIGNERS[name], f"{name}.example", 1_700_000_000) for name in cosigners]
    return replace(found, signatures=(*found.signatures, *lines))


def test_the_specifications_example_is_read() -> None:
    found = policy.decode(EXAMPLE.encode())
    assert found.keys == (LOG,)
    assert [each.name for each in found.witnesses] == [*NAMES]
    assert [(each.name, each.least, each.members) for each in found.groups] == [
        ("X-witnesses", 2, ("X1", "X2", "X3")),
        ("Y-witnesses", 1, ("Y1", "Y2", "Y3")),
        ("X-and-Y", 2, ("X-witnesses", "Y-witnesses")),
    ]
    assert found.quorum == "X-and-Y"


@given(cosigners=st.sets(st.sampled_from(NAMES)))
def test_two_of_the_one_group_and_one_of_the_other_are_enough_and_no_fewer(cosigners: set[str]) -> None:
    found = policy.parse(EXAMPLE)
    enough = len(cosigners & {"X1", "X2", "X3"}) >= 2 and bool(cosigners & {"Y1", "Y2", "Y3"})
    assert found.suffices(cosigners) == enough
    if enough:
        assert found.check(note(*sorted(cosigners))) == tuple(sorted(cosigners))
    else:
        with pytest.raises(NotWitnessed, match="the quorum X-and-Y is not reached"):
            found.check(note(*sorted(cosigners)))


def test_addresses_are_kept_and_a_witness_alone_can_be_the_quorum() -> None:
    text = f"log {LOG.vkey} https://trent.example/log\nwitness w {VKEYS['X1']} https://x.example/w\nquorum w\n"
    found = policy.parse(text)
    assert [each.url for each in found.logs] == ["https://trent.example/log"]
    assert [each.url for each in found.witnesses] == ["https://x.example/w"]
    assert found.check(note("X1")) == ("w",)
    with pytest.raises(NotWitnessed, match="no witness of the policy cosigned"):
        found.check(note("X2"))


def test_nobody_is_needed_where_the_quorum_is_none() -> None:
    found = policy.parse(f"log {LOG.vkey}\n{WITNESSES}quorum none\n")
    assert found.check(note()) == ()
    assert found.check(note("Y2")) == ("Y2",)


def test_a_policy_without_logs_is_about_the_log_that_the_caller_expects() -> None:
    found = policy.parse("quorum none\n")
    assert found.check(note(), LOG) == ()
    with pytest.raises(NotWitnessed, match="does not list the log trent.example/log"):
        found.check(note())


def test_another_log_and_another_key_for_its_name_are_not_accepted() -> None:
    other = checkpoint.note_key(LOG.name, SIGNERS["X1"])
    with pytest.raises(NotWitnessed, match="not signed by the key that the policy lists"):
        policy.parse(f"log {other.vkey}\nquorum none\n").check(note())
    elsewhere = checkpoint.note_key("other.example/log", KEY)
    with pytest.raises(NotWitnessed, match="does not list the log trent.example/log"):
        policy.parse(f"log {elsewhere.vkey}\nquorum none\n").check(note())


def test_a_false_line_of_a_known_witness_spoils_the_note_and_one_of_a_stranger_does_not() -> None:
    false = replace(note("X1"), signatures=(note().signatures[0], note("X1", size=8).signatures[1]))
    with pytest.raises(NotWitnessed, match="the signature of X1.example on the note is false"):
        policy.parse(f"log {LOG.vkey}\nwitness w {VKEYS['X1']}\nquorum none\n").check(false)
    assert policy.parse(f"log {LOG.vkey}\nwitness w {VKEYS['X2']}\nquorum none\n").check(false) == ()


def test_a_cosignature_of_the_same_key_under_another_name_does_not_count() -> None:
    renamed = notes.cosign(note().text, SIGNERS["X1"], "other.example", 1_700_000_000)
    found = policy.parse(f"log {LOG.vkey}\nwitness w {VKEYS['X1']}\nquorum w\n")
    with pytest.raises(NotWitnessed):
        found.check(replace(note(), signatures=(*note().signatures, renamed)))


def test_names_are_opaque_bytes() -> None:
    kelvin, k = "\u212a".encode(), b"K"
    text = b"witness %s %s\nwitness %s %s\nwitness \xff %s\ngroup g all %s %s \xff\nquorum g\n" % (
        *(kelvin, VKEYS["X1"].encode(), k, VKEYS["X2"].encode(), VKEYS["X3"].encode(), kelvin, k),
    )
    assert len(policy.decode(text).witnesses) == 3


W1 = f"witness a {VKEYS['X1']}\n"
W2 = f"witness b {VKEYS['X2']}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no quorum line"),
        ("quorum none", "does not end with a newline"),
        ("quorum none\nquorum none\n", "line 2 of the policy: there is a second quorum line"),
        ("quorum a\n", "no line before it defines a"),
        (f"quorum a\n{W1}", "line 1 .* no line before it defines a"),
        ("quorum\n", "neither `log VKEY"),
        ("quorum none more\n", "neither `log VKEY"),
        ("Quorum none\n", "neither `log VKEY"),
        ("quorum none\r\n", "control character"),
        ("quorum none\x00\n", "control character"),
        ("log x\nquorum none\n", "line 1 .* not a verifier key"),
        (f"log {LOG.vkey} a b\nquorum none\n", "neither `log VKEY"),
        (f"log {LOG.vkey}\nlog {LOG.vkey}\nquorum none\n", "line 2 .* listed twice"),
        (f"log {LOG.vkey}\nlog {checkpoint.note_key('b', KEY).vkey}\nquorum none\n", "line 2 .* listed twice"),
        (f"log {VKEYS['X1']}\nquorum none\n", "has type 4, but a log signs with type 1"),
        (f"witness a {LOG.vkey}\nquorum a\n", "has type 1, but a witness cosigns with type 4"),
        (f"{W1}witness a {VKEYS['X2']}\nquorum a\n", "the name a is taken"),
        (f"{W1}witness b {VKEYS['X1']}\nquorum a\n", "listed twice"),
        (f"witness none {VKEYS['X1']}\nquorum none\n", "the name none is taken"),
        (f"{W1}group a any a\nquorum a\n", "the name a is taken"),
        (f"{W1}group g any g\nquorum g\n", "no line before it defines g"),
        (f"{W1}group g any none\nquorum g\n", "no line before it defines none"),
        (f"{W1}group g any\nquorum g\n", "neither `log VKEY"),
        (f"{W1}group g any a a\nquorum g\n", "a is a member of a group twice"),
        (f"{W1}{W2}group g any a\ngroup h any a b\nquorum h\n", "a is a member of a group twice"),
        (f"{W1}group g 0 a\nquorum g\n", "0 is neither any, all, nor a number from 1 to 1"),
        (f"{W1}group g 2 a\nquorum g\n", "2 is neither"),
        (f"{W1}group g 01 a\nquorum g\n", "01 is neither"),
        (f"{W1}group g -1 a\nquorum g\n", "-1 is neither"),
        (f"{W1}group g \u0661 a\nquorum g\n", "is neither"),
        ("witness w x+00000000+" + "Bg" + "A" * 1750 + "==\nquorum w\n", "line 1"),
    ],
)
def test_what_is_no_policy_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(BadPolicy, match=why):
        policy.parse(text)


def test_a_policy_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadPolicy, match="at most"):
        policy.decode(bytes(policy.MAX_SIZE + 1))
    signers = (SigningKey(number.to_bytes(32, "big")).public for number in range(1, 1026))
    keys = [NoteKey(name="w", type=SignatureType.COSIGNATURE, key=key).vkey for key in signers]
    with pytest.raises(BadPolicy, match="more than 1024"):
        policy.parse("".join(f"witness {number} {key}\n" for number, key in enumerate(keys)) + "quorum none\n")


@given(text=st.text(alphabet="log witness group quorum none any all 12\n\t#ab", max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        policy.parse(text)
    except BadPolicy as error:
        assert str(error)
