"""TERMS.toml: the file that is written can be filled in and read, and everything wrong with one is said at once."""

import re
from pathlib import Path

import pytest

from ledger.keyfiles import write_keys
from ledger.roles import Role
from protocol.errors import BadTerms
from protocol.exchange import termsfile
from protocol.exchange.termstemplate import template
from protocol.rules.spot_check import SpotCheckTerms
from protocol.rules.terms import ClassTerms, ValidationTerms
from tests.support.builders import KEYS

FILLED = {
    'case = ""': 'case = "Smith v. Acme Corp., No. 3:24-cv-00123"',
    'court = ""': 'court = "Superior Court"',
    'request = """\n"""': 'request = """\nAll mail about prepaid swaps.\n"""',
    'query = ""': 'query = "prepay swap"',
    'name = ""': 'name = "Doe & Müller LLP"',
}


def filled(folder: Path, changes: dict[str, str] | None = None) -> Path:
    """The template with every blank filled in, changed as asked, beside four public keys."""
    text = template()
    for before, after in (FILLED | (changes or {})).items():
        assert before in text, before
        text = text.replace(before, after)
    folder.mkdir(exist_ok=True)
    for role in Role:
        if not (folder / f"{role}.key").exists():
            write_keys(folder / f"{role}.key", KEYS[role], role, None)
    path = folder / "terms.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(BadTerms) as raised:
        termsfile.read(path)
    return str(raised.value)


def test_the_template_once_filled_in_is_read_as_it_stands(tmp_path: Path) -> None:
    found = termsfile.read(filled(tmp_path))
    assert isinstance(found.terms, SpotCheckTerms)
    assert (found.terms.protocol, found.terms.batch, found.terms.rounds) == ("spot-check", 500, 20)
    assert (found.terms.rate, found.terms.target, found.terms.limit) == ("0.01", "0.9", "0.25")
    assert (found.terms.penalty, found.terms.every) == ("none", 10)
    assert (found.terms.doubt, found.terms.query) == ("0.05", "prepay swap")
    assert found.terms.validation == ValidationTerms(
        every=10, hits=3, least_yield="0.02", review=None, show="0.2", target="0.8", viewer="bob", window=5
    )
    assert found.terms.classes is None
    assert found.caption.case == "Smith v. Acme Corp., No. 3:24-cv-00123"
    assert (found.caption.court, found.caption.request) == ("Superior Court", "All mail about prepaid swaps.")
    assert found.caption.names == dict.fromkeys(Role, "Doe & Müller LLP")
    assert found.keys == {role: KEYS[role].public for role in Role}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_that_a_windows_terminal_wrote_is_read(tmp_path: Path, encoding: str) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_text(encoding="utf-8").replace("\n", "\r\n").encode(encoding))
    assert termsfile.read(path).caption.names == dict.fromkeys(Role, "Doe & Müller LLP")


@pytest.mark.parametrize("written", ["C:\\Users\\bob.key.pub", "keys\\bob.key.pub"])
def test_a_path_as_windows_writes_it_is_refused_with_how_to_write_it(tmp_path: Path, written: str) -> None:
    said = refused(filled(tmp_path, {'key = "bob.key.pub"': f'key = "{written}"'}))
    assert "In the path of a file, write / where Windows writes \\" in said


def test_the_template_as_it_is_names_each_blank_and_each_key_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(template())
    said = refused(path)
    blanks = ["caption.case", "caption.court", "caption.request", *(f"parties.{role}.name" for role in Role)]
    for blank in blanks:
        assert f"{blank} is empty: write" in said
    for role in Role:
        assert re.search(rf"parties\.{role}\.key: .*{role}\.key\.pub cannot be read", said)
    assert len(said.splitlines()) == 1 + len(blanks) + len(Role)


def test_decimals_may_stand_in_quotation_marks_and_are_never_floats(tmp_path: Path) -> None:
    changes = {"rate = 0.01": 'rate = "0.010"', "doubt = 0.05": "doubt = 0.1000000000000000000001"}
    found = termsfile.read(filled(tmp_path, changes)).terms
    assert isinstance(found, SpotCheckTerms)
    assert (found.rate, found.doubt) == ("0.010", "0.1000000000000000000001")


def test_a_file_of_windows_is_read(tmp_path: Path) -> None:
    path = filled(tmp_path)
    expected = termsfile.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert termsfile.read(path) == expected


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("batch = 500", "batch = 0", "review.batch: batch is 0"),
        ("batch = 500", 'batch = "500"', "review.batch is not a whole number: write how many documents a round"),
        ("batch = 500", "batch = 500.0", "review.batch is not a whole number"),
        ("batch = 500", "batch = true", "review.batch is not a whole number"),
        ("batch = 500", "batches = 500", "review.batches is not known here"),
        ("batch = 500", "", "review.batch is missing: write"),
        ("rounds = 20", "rounds = 5000", "review.rounds: rounds is 5000"),
        ("rate = 0.01", "rate = 1", "review.rate is not a decimal"),
        ("rate = 0.01", "rate = 1.5", "review.rate: rate is 1.5; it must lie between 0 and 1"),
        ("rate = 0.01", "rate = 1e-2", "review.rate: rate: '1e-2'"),
        ('penalty = "none"', 'penalty = "all"', "review.penalty: penalty is all; it must be none or batch"),
        ("limit = 0.25", "limit = 1.5", "review.limit: limit is 1.5; it must lie"),
        ("limit = 0.25", "delta = 0.01", "review.delta is not known here"),
        ("doubt = 0.05", 'doubt = "five"', "review.doubt: doubt: 'five'"),
        ('"spot-check"\n', '"labels"\n', "review.protocol: the protocol 'labels' is not known; known are"),
        ('protocol = "spot-check"', "protocol = 1", "review.protocol is not a text"),
        ("[caption]", "[captions]", "captions is not known here; known are caption, review, validation, classes"),
        ("[parties.bob]", "[parties.carol]", "parties.carol is not known here"),
        ("[caption]", 'caption = "x"\n[other]', "caption is a section: write [caption]"),
        ('key = "bob.key.pub"', 'key = "alice.key.pub"', "alice.key.pub is Alice's key, but Bob's is needed here"),
        ('key = "bob.key.pub"', 'key = "bob.key"', "bob.key is a private key, which stays with its owner"),
        ('key = "bob.key.pub"', 'key = "terms.toml"', "terms.toml holds no key in PEM form"),
        ("batch = 500", "batch = -1", "review.batch: batch is -1"),
        ("batch = 500", "batch = many", "terms.toml cannot be read: "),
        ("batch = 500", "batch = 500\nbatch = 2", "terms.toml cannot be read: "),
        ("target = 0.8", "target = 1.0", "validation.target: "),
        ("target = 0.8", "", "validation.target is missing: write a decimal between 0 and 1, such as 0.8"),
        ("show = 0.2", "show = 5", "validation.show is not a decimal"),
        ("yield = 0.02", "yields = 0.02", "validation.yields is not known here"),
        ("window = 5", "window = 0", "validation.window: "),
        ("hits = 3", "hits = -1", "validation.hits: "),
        ("hits = 3", "hits = 2.5", "validation.hits is not a whole number: write a whole number from 0 to 1000"),
        ("hits = 3", "hits = 1001", "validation.hits: validation: hits is 1001; it must be at most 1000"),
        ('viewer = "bob"', 'viewer = "alice"', "validation.viewer: "),
        ("# review = 0.1", "review = 0.1", "hits"),
        ('viewer = "bob"', 'viewer = "court"\nreview = 0.1', "viewer"),
        ("# [classes]", "[classes]", "classes.names is missing: write the names of the classes, such as"),
        ("# share = 0.05", '[classes]\nnames = "medical"\nshare = 0.05', "classes.names is not a list"),
        ("# share = 0.05", "[classes]\nnames = []\nshare = 0.05", "classes.names: "),
        ("# share = 0.05", '[classes]\nnames = ["b", "a"]\nshare = 0.05', "classes.names: "),
        ("# share = 0.05", '[classes]\nnames = ["A"]\nshare = 0.05', "classes.names: "),
        ("# share = 0.05", '[classes]\nnames = ["a"]\nshare = 0.0', "classes.share: "),
    ],
)
def test_what_is_wrong_is_said_with_what_to_write(tmp_path: Path, before: str, after: str, says: str) -> None:
    assert says in refused(filled(tmp_path, {before: after}))


def test_validations_and_classes_are_what_the_file_says(tmp_path: Path) -> None:
    changes = {
        "hits = 3\n": "",
        "yield = 0.02\n": "",
        "# review = 0.1": "review = 0.1",
        "# [classes]": "[classes]",
        "# names = ": "names = ",
        "# share = ": "share = ",
    }
    found = termsfile.read(filled(tmp_path, changes)).terms
    assert found.validation is not None
    assert (found.validation.review, found.validation.least_yield, found.validation.hits) == ("0.1", None, None)
    assert found.classes == ClassTerms(names=("medical", "personnel"), share="0.05")


def test_a_file_without_the_part_has_no_validations(tmp_path: Path) -> None:
    path = filled(tmp_path)
    text = path.read_text("utf-8")
    start, end = text.index("[validation]"), text.index("every = 10", text.index("[validation]"))
    path.write_text(text[:start] + text[end:].removeprefix("every = 10\n"), encoding="utf-8")
    assert termsfile.read(path).terms.validation is None


@pytest.mark.parametrize("name", ["label", "classifier", "reveal-all"])
def test_another_rule_is_chosen_as_the_comments_say(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path)
    text = path.read_text("utf-8").replace('protocol = "spot-check"', f'protocol = "{name}"')
    for parameter in ("rate = 0.01", "target = 0.9", 'penalty = "none"', "limit = 0.25"):
        text = text.replace(f"\n{parameter}\n", "\n")
    text = text.replace("\nevery = 10\n", "\n", 1)
    if name != "reveal-all":
        text = text.replace("# delta = 0.01", "delta = 0.01").replace("# k = 1", "k = 1")
    path.write_text(text, encoding="utf-8")
    assert termsfile.read(path).terms.protocol == name


def test_several_problems_are_all_said_at_once(tmp_path: Path) -> None:
    changes = {"batch = 500": "batch = 0", "rate = 0.01": "rate = 2.0", "rounds = 20": "", "doubt = 0.05": "doubts = 1"}
    said = refused(filled(tmp_path, changes))
    for part in (
        "review.batch:",
        "review.rate:",
        "review.rounds is missing",
        "review.doubts is",
        "review.doubt is missing",
    ):
        assert part in said


def test_one_key_for_two_parties_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)
    bob = tmp_path / "bob.key.pub"
    (tmp_path / "court.key.pub").write_text(bob.read_text().replace("Role: bob", "Role: court"))
    assert "parties.court.key is the same key as Bob's: each party has its own" in refused(path)


def test_an_encrypted_private_key_is_not_asked_for_its_passphrase(tmp_path: Path) -> None:
    path = filled(tmp_path)
    write_keys(tmp_path / "locked.key", KEYS[Role.BOB], Role.BOB, b"a long passphrase")
    path.write_text(path.read_text().replace('key = "bob.key.pub"', 'key = "locked.key"'))
    assert "name the file beside it that ends in .pub" in refused(path)


def test_text_that_is_not_utf8_is_told_as_such(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes().decode().encode("cp1252"))
    assert "is not saved as UTF-8" in refused(path)


def test_a_text_without_end_is_refused(tmp_path: Path) -> None:
    said = refused(filled(tmp_path, {'court = ""': f'court = "{"x" * 20_001}"'}))
    assert "caption.court has more than 20000 characters" in said


DIGITS = 5_000


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("batch", "[" * DIGITS + "]" * DIGITS, "it is nested too deeply; start from the file that `tallystick matter"),
        ("batch", "{a=" * DIGITS + "1" + "}" * DIGITS, "it is nested too deeply; start from the file that"),
        ("batch", "9" * DIGITS, "a number in it has too many digits"),
        ("batch", "-0x" + "f" * DIGITS, "cannot be read"),
        ("batch", "0x" + "f" * DIGITS, "review.batch is out of range: write how many documents a round, such as 500"),
        ("rounds", "9" * 4_000, "review.rounds is out of range"),
        ("doubt", "0." + "1" * DIGITS, "is not a plain decimal of at most 30 characters"),
    ],
)
def test_values_nested_or_long_beyond_reason_are_refused(tmp_path: Path, name: str, value: str, reason: str) -> None:
    path = filled(tmp_path)
    text, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value}", path.read_text("utf-8"))
    assert count == 1
    path.write_text(text, encoding="utf-8")
    assert reason in refused(path)
