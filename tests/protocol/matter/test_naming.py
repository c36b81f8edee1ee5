"""People's names in what people read: the caption's names in our own sentences, and never in anybody else's words."""

import pytest

from ledger.errors import Refused
from ledger.roles import Role
from protocol.errors import OutOfTurn, ProtocolError
from protocol.matter.naming import LONGEST, Telling, errors_told
from protocol.matter.values import Caption
from verifier import naming
from verifier.checks import Role as Judged

NAMES = {Role.ALICE: "Acme Corp.", Role.BOB: "Jo Smith", Role.COURT: "Judge Roe", Role.TRENT: "T. Neutral"}


def caption(**names: str) -> Caption:
    return Caption(case="c", court="d", names=NAMES | {Role(role): name for role, name in names.items()}, request="r")


def told(words: str, **names: str) -> str:
    """The same from both sides, which share no code."""
    found = Telling(caption(**names)).said(words)
    stated = {Judged(role): name for role, name in caption(**names).names.items()}
    assert naming.Telling(stated).said(words) == found
    return found


def test_somebody_is_introduced_with_the_role_and_called_by_name_from_then_on() -> None:
    said = told("Bob was shown what Alice reported. Bob did not answer, and Alice's labels stand.")
    assert said == (
        "Jo Smith (Bob) was shown what Acme Corp. (Alice) reported. Jo Smith did not answer, and Acme Corp.'s labels "
        "stand."
    )


def test_a_possessive_is_introduced_too() -> None:
    assert told("Bob's labels, Bob's reasons") == "Jo Smith's (Bob's) labels, Jo Smith's reasons"


def test_a_name_that_ends_with_a_full_stop_ends_a_sentence_with_one() -> None:
    assert told("Ask Alice. Then ask Alice. It is Alice's.").endswith("Then ask Acme Corp. It is Acme Corp.'s.")


def test_the_court_is_the_court_and_no_part_of_a_word_is_a_role() -> None:
    for words in ("The court rules.", "bob.key, Bobby, --for bob, Trents, alice, Bob.jsonl, /Bob/x, a-Bob, Bob-a"):
        assert told(words) == words


@pytest.mark.parametrize("name", ["Bob", "Bob's letter", 'to "Bob"', "'Bob' and \\", "\\' Bob"])
def test_what_stands_in_quotes_is_somebody_elses(name: str) -> None:
    said = told(f"Alice's others' {name!r}, (Alice claimed {name!r}). Bob")
    assert said == f"Acme Corp.'s (Alice's) others' {name!r}, (Acme Corp. claimed {name!r}). Jo Smith (Bob)"


def test_a_quote_that_was_cut_off_goes_on_to_the_end() -> None:
    assert told("Alice says 'Bob and Alic…") == "Acme Corp. (Alice) says 'Bob and Alic…"


def test_without_a_caption_or_a_name_the_roles_stay() -> None:
    words = "Bob was shown what Alice reported."
    assert Telling(None).said(words) == naming.Telling(None).said(words) == words
    assert Telling(None).introduced(Role.BOB) == "Bob"
    assert told("Bob and Alice", bob=" \t") == "Bob and Acme Corp. (Alice)"


@pytest.mark.parametrize("name", ["Alice", "Counsel of Trent", "Court Reporters Inc.", "Acme Corp."])
def test_a_name_that_could_be_taken_for_somebody_else_always_has_its_role(name: str) -> None:
    assert told("Bob, Bob", bob=name).endswith(f", {name} (Bob)")


def test_a_name_is_one_line_that_hides_nothing_and_is_cut_where_it_is_too_long() -> None:
    said = told("Bob", bob="Jo\nSmith\u202e " + "x" * 200)
    assert "\n" not in said
    assert "\u202e" not in said
    assert len(said) < LONGEST + 10


def test_a_telling_introduces_each_once() -> None:
    telling = Telling(caption())
    assert [telling.introduced(Role.COURT), telling.introduced(Role.BOB)] == ["Judge Roe (the court)", "Jo Smith (Bob)"]
    assert [telling.called(Role.BOB), telling.called(Role.TRENT), telling.called(Role.COURT)] == [
        "Jo Smith", "T. Neutral (Trent)", "the court",
    ]  # fmt: skip


def test_an_error_names_people_and_stays_the_error_that_it_is() -> None:
    error = OutOfTurn("Bob is not in default")
    with (
        pytest.raises(OutOfTurn, match=r"^Jo Smith \(Bob\) is not in default$") as found,
        errors_told(caption(), OutOfTurn),
    ):
        raise error
    assert found.value is error
    with pytest.raises(Refused, match="^Bob$"), errors_told(caption(), OutOfTurn):
        raise Refused("Bob")
    with pytest.raises(OutOfTurn, match="^Bob$"), errors_told(None, OutOfTurn):
        raise OutOfTurn("Bob")
    with pytest.raises(OutOfTurn, match="^Bob$"), errors_told(caption(), ProtocolError, but=OutOfTurn):
        raise OutOfTurn("Bob")


def test_on_a_page_only_our_own_text_is_changed_and_a_name_cannot_break_out() -> None:
    html = '<p title="Bob">Bob&#x27;s <bdi>Bob</bdi> <code>Alice</code> <svg><text>Bob</text></svg> Bob</p>'
    found = naming.Telling({Judged.BOB: "<b>Jo"}).page(html)
    assert found == (
        '<p title="Bob"><bdi>&lt;b&gt;Jo</bdi>&#x27;s (Bob&#x27;s) <bdi>Bob</bdi> <code>Alice</code> '
        "<svg><text>Bob</text></svg> <bdi>&lt;b&gt;Jo</bdi></p>"
    )
    assert naming.Telling(None).page(html) == html
    quoted = "<p>Bob, &#x27;Bob&#x27;, &quot;Bob&#x27;s&quot;, Bob</p>"
    found = naming.Telling({Judged.BOB: "Jo"}).page(quoted)
    assert found == "<p><bdi>Jo</bdi> (Bob), &#x27;Bob&#x27;, &quot;Bob&#x27;s&quot;, <bdi>Jo</bdi></p>"
