"""People's names in what the verifier prints: in each of its texts from the start, and never in a stranger's words."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger.roles import Role as Party
from protocol.cli import main as tallystick
from tests.support import exchange_cases
from tests.support.busy_verdict import busy, round_of
from tests.support.exchange_cases import Table
from verifier.checks import Check, Role
from verifier.cli import main
from verifier.comparison import Compared, Comparison
from verifier.explain import comparison, explain
from verifier.findings import Finding
from verifier.position import explain as explain_position
from verifier.report import About, page
from verifier.summary import summary
from verifier.verdict import Answer, CheckResult, Outcome, Verdict

ROLES = ("Alice", "Bob", "Trent")
FINDING = Finding(
    check=Check.DISCLOSURES, rule="Bob is shown what is due", expected="Bob's", found="Alice.txt", entry=4,
    party=Role.TRENT,
)  # fmt: skip


def words(text: str) -> str:
    return " ".join(text.split())


def unnamed(verdict: Verdict) -> Verdict:
    assert verdict.opened is not None
    return replace(verdict, opened=replace(verdict.opened, caption=None))


def rejected() -> Verdict:
    return busy(answer=Answer.REJECTED, findings=(FINDING,))


def test_an_explanation_calls_people_by_their_names() -> None:
    said = words(explain(busy()))
    assert said.startswith("VERIFIED: the copy for J. Doe (Bob), 40 entries.")
    assert "a neutral, Fox Neutrals, had 100 documents of Example Industries's reviewed for J. Doe." in said
    assert "Did Fox Neutrals sign every entry, and each party its own statements? Yes" in said
    assert "Fox Neutrals and the court say that a party was silent" in said
    assert "whether J. Doe recognised what he was shown" in said
    assert "Did Trent sign every entry" in explain(unnamed(busy()))
    assert "Fox" not in explain(unnamed(busy()))


def test_a_position_is_told_with_names_and_its_document_as_it_is_called() -> None:
    detail = round_of(1, names={6: "Bob's letter to Alice"}, labels_because={6: 'Alice said "Bob"'})
    said = words(explain_position(busy(details=(detail,)), 1, 6))
    assert said.startswith("VERIFIED: the copy for J. Doe (Bob), 40 entries.")
    assert 'the document "Bob\'s letter to Alice". Example Industries labelled it not responsive' in said
    assert "J. Doe was shown it in wave 1 (entry 7) and labelled it responsive (entry 8)." in said
    assert "The reason given: 'Alice said \"Bob\"'." in said
    assert "Alice labelled it not" in explain_position(unnamed(busy(details=(detail,))), 1, 6)


@pytest.mark.parametrize("presented", [summary, explain])
def test_a_finding_is_told_with_names_but_for_what_it_quotes(presented: object) -> None:
    assert callable(presented)
    said = words(presented(rejected()))
    assert "J. Doe is shown what is due." in said
    assert "Bob's" in said
    assert "Alice.txt" in said
    assert "which the copy names as that of Fox Neutrals" in said
    assert "Bob is shown what is due." in presented(unnamed(rejected()))


def test_the_report_tells_a_finding_with_names() -> None:
    assert "<bdi>J. Doe</bdi> is shown what is due." in page(rejected(), About(file="copy.jsonl"))


@pytest.mark.parametrize("presented", [summary, explain])
def test_why_a_check_was_not_made_has_names_unless_it_lists_files(presented: object) -> None:
    assert callable(presented)
    reasons = {
        Check.REPORTS: "this copy does not show Alice's labels",
        Check.HANDED: "no file has that of Bob's letter",
    }
    checks = [
        CheckResult(check=each, outcome=Outcome.NOT_CHECKED, items=0, reason=reasons[each])
        if each in reasons
        else CheckResult(check=each, outcome=Outcome.PASS, items=1)
        for each in Check
    ]
    said = words(presented(busy(checks=tuple(checks))))
    assert "this copy does not show Example Industries's labels" in said
    assert "no file has that of Bob's letter" in said


def test_two_histories_are_told_with_names_and_what_names_files_is_not() -> None:
    names = {Role.TRENT: "Fox Neutrals"}
    found = Compared(result=Comparison.EQUIVOCATION, message="Trent signed two", trent="1 2", names=names)
    assert comparison(found).startswith("TWO HISTORIES: Fox Neutrals (Trent) signed two.\n\nFox Neutrals's key in both")
    assert comparison(replace(found, names=None)).startswith("TWO HISTORIES: Trent signed two.\n\nTrent's key in both")
    troubled = replace(found, result=Comparison.UNDECIDED, message="Trent copy.jsonl is damaged")
    assert comparison(troubled).startswith("UNDECIDED: Trent copy.jsonl is damaged.")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A real matter with a caption, in which Bob has been shown a first wave."""
    folder = tmp_path_factory.mktemp("named")
    played = Table(folder=folder, corpus=exchange_cases.corpus(folder / "corpus"))
    played.begin()
    played.until(Party.BOB, "labels")
    return played


def verified(*given: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(each) for each in given])
    assert result.exit_code == code, result.output
    return result.output


def copy(table: Table, audience: str, out: Path) -> Path:
    given = ["copy", str(table.matter), "--for", audience, "--out", str(out), "--key", str(table.key_file(Party.TRENT))]
    result = CliRunner().invoke(tallystick, given)
    assert result.exit_code == 0, result.output
    return out


def test_a_comparison_takes_the_names_from_the_copies(table: Table, tmp_path: Path) -> None:
    both = copy(table, "bob", tmp_path / "bob.jsonl"), copy(table, "court", tmp_path / "court.jsonl")
    assert "T. Neutral's (Trent's) key in both copies is " in words(verified("compare", *both))
    assert "Neutral" not in verified("compare", *both, "--json")


def test_scripts_get_the_roles(table: Table, tmp_path: Path) -> None:
    value = json.loads(verified(copy(table, "bob", tmp_path / "bob.jsonl"), "--json"))
    del value["caption"]
    assert not any(name in json.dumps(value) for name in exchange_cases.CAPTION.names.values())
    assert any(role in json.dumps(value) for role in ROLES)
