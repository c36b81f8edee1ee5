"""A new rule is one module on each side: a whole real matter by a rule that no shipped file knows.

`tests/support/toy_rule.py` and `tests/support/toy_rule_verified.py` are all that it touches. `toy_verifier.py` tells
the rule to a verifier that runs as a process of its own.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.exchange import verifying
from protocol.exchange.termstemplate import template
from protocol.matter import summary, terms
from protocol.rules import label_report, table
from protocol.rules.terms import Terms
from tests.support import corpora, paper_rules, running, toy_rule, toy_rule_verified, toy_verifier
from tests.support.real_matter import Asked, Behaviour, Play, run_here
from verifier.rules import label as verifier_label
from verifier.rules import table as verifier_table

pytestmark = pytest.mark.slow

ODDS = "0.5"  # keys are new in each run, and so are coins: of two dozen documents some are drawn, and some not
AUDIENCES = ("alice", "bob", "court", "public")


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A closed matter by the toy rule, and what the commands said on the way."""

    play: Play
    template: str
    opened: str
    status: str

    @property
    def folder(self) -> Path:
        return self.play.folder("trent")

    def verify(self, *arguments: object, code: int = 0) -> str:
        return run_here(self.folder, "tallystick-verify", *arguments, code=code).stdout


@pytest.fixture
def known() -> Iterator[None]:
    """As long as a test runs, the rule is known on both sides."""
    with table.registered(toy_rule.RULE), verifier_table.registered(toy_rule_verified.RULE):
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Played by the commands from the terms file to the copies. Each party's own verifier is told the rule too."""
    with table.registered(toy_rule.RULE), pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifying, "_MODULE", toy_verifier.__name__)
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        return _play(tmp_path_factory.mktemp("toy"))


def _play(root: Path) -> Played:
    play = Play(root, run_here)
    play.make_keys()
    corpora.make(root / "trent" / "corpus", documents=60, responsive=20)
    play.write_terms(protocol="toy", odds=ODDS, batch=12, rounds=4, query=corpora.QUERY)
    opened = play.open().stdout
    behaviour = _mistakes(running.honest(play))
    while not play.next()["held"]:
        play.exchange(behaviour)
    play.matter("close")
    assert [each.kind for each in play.exchange(behaviour)] == ["cosign"] * 3
    for audience in AUDIENCES:
        words = ("--for", audience, "--key", "trent.key", "--out", f"{audience}.jsonl")
        play.tallystick("trent", "copy", "case.matter", *words)
    status = play.tallystick("trent", "status", "case.matter").stdout
    return Played(play=play, template=template(), opened=opened, status=status)


def _mistakes(honest: Behaviour) -> Behaviour:
    """Alice reports one document too many as responsive, and Bob errs about another, so that the court has to rule."""

    def alice(_asked: Asked, names: list[str]) -> dict[str, bool]:
        labels = {name: honest.truth[name] for name in names}
        return labels | dict.fromkeys([name for name in names if not labels[name]][:1], True)

    def bob(_asked: Asked, names: list[str]) -> dict[str, bool]:
        return {name: False for name in names if honest.truth[name]} if len(names) > 1 else {}

    return replace(honest, alice=alice, bob=bob)


def test_the_terms_file_offers_the_rule_and_its_parameter(played: Played) -> None:
    assert '#   "toy"         Coins draw some of the documents' in played.template
    assert "# odds = 0.25" in played.template
    assert 'Only for "toy": remove the # from the next line.' in " ".join(played.template.replace("\n# ", " ").split())
    assert 'Not for "reveal-all", "label", "classifier", "toy": delete the next line.' in " ".join(
        played.template.replace("\n# ", " ").split()
    )


def test_without_the_rule_the_terms_file_has_no_word_of_it() -> None:
    assert "toy" not in template()


@pytest.mark.usefixtures("known")
def test_trent_and_status_name_the_parameter_and_tell_the_rule_in_its_own_words(played: Played) -> None:
    assert f"Protocol    toy, odds {ODDS}, doubt 0.05" in played.opened
    assert "by the protocol 'toy'" in played.status
    assert "the toy court found against Counsel of alice (Alice)." in played.status
    assert "compelled: never, since a find brings nothing but itself" in played.status
    assert (
        "A coin decides about each document that Counsel of alice (Alice) leaves out. Exactly: In each" in played.status
    )


@pytest.mark.usefixtures("known")
def test_a_party_is_shown_the_rule_and_its_parameter_before_it_signs(tmp_path: Path) -> None:
    play = running.opened(tmp_path, protocol="toy", odds=ODDS)
    (question,) = [play.send(each) for each in play.next()["questions"] if each["role"] == "bob"]
    words = (question.path.relative_to(play.folder("bob")), "--key", "bob.key", "--yes", "--out", "answer.json")
    shown = " ".join(play.tallystick("bob", "answer", *words).stdout.split())
    assert (
        "toy: of the documents that Counsel of alice (Alice) calls not responsive, Counsel of bob (Bob) sees each"
        in shown
    )
    assert f"odds {ODDS}, the probability with which a coin draws a document" in shown
    assert "delta" not in shown


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_copy_is_verified_explained_and_reported(played: Played, audience: str) -> None:
    value = json.loads(played.verify(f"{audience}.jsonl", "--json"))
    assert (value["verdict"], value["findings"]) == ("verified", [])
    told = " ".join(played.verify(f"{audience}.jsonl", "--explain").split())
    assert "Counsel of bob (Bob) was to see what a toy coin drew." in told
    played.verify(f"{audience}.jsonl", "--report", f"{audience}.html")
    page = (played.folder / f"{audience}.html").read_text()
    assert "The rule was a toy." in page
    assert f"Here odds is {ODDS}." in page


@pytest.mark.usefixtures("known")
def test_the_court_verifies_the_ranking_with_the_corpus(played: Played) -> None:
    value = json.loads(played.verify("court.jsonl", "--corpus", "corpus", "--json"))
    outcomes = {each["check"]: each["outcome"] for each in value["checks"]}
    assert {name for name, outcome in outcomes.items() if outcome != "pass"} <= {
        "V04",
        "V19",
        "V23",
        "V24",
        "V32",
        "V33",
    }


@pytest.mark.usefixtures("known")
def test_the_report_gives_each_reason_in_the_words_of_the_rule(played: Played) -> None:
    played.verify("bob.jsonl", "--report", "reasons.html")
    page = (played.folder / "reasons.html").read_text()
    assert "certain: the toy shows what is reported" in page  # where Alice erred
    assert "50.0 %" in page  # the chance of each document that Alice left out


@pytest.mark.usefixtures("known")
def test_exhibits_tell_the_story_of_what_was_reported_drawn_and_left_out(played: Played) -> None:
    """One document for each way through a round."""
    corpus, review = Corpus.open(played.folder / "corpus"), summary.read(played.folder / "case.matter")
    ways: dict[str, str] = {}
    for each in review.rounds:
        assert each.examination is not None
        for position, place in enumerate(each.places, start=1):
            drawn, left = position in each.examination.drawn, position in each.examination.chances
            ways.setdefault("drawn" if drawn else "left out" if left else "reported", corpus.name(place.document))
    stories = {
        "reported": "No coin decided: the toy shows what is reported.",
        "drawn": "So it was drawn.",
        "left out": "So it was not drawn.",
    }
    assert ways.keys() == stories.keys()
    for number, (way, name) in enumerate(ways.items()):
        words = ("--corpus", "corpus", "--document", name, "--key", "trent.key", "--out", f"exhibit-{number}")
        undisclosed = ("--undisclosed",) if way == "left out" else ()
        played.play.tallystick("trent", "exhibit", "case.matter", *words, *undisclosed)
        told = " ".join(played.verify("exhibit", f"exhibit-{number}").split())
        assert told.startswith("VERIFIED: the exhibit of document")
        assert stories[way] in told
    unknown = _installed(played, "exhibit", "exhibit-0")
    assert unknown.startswith("UNDECIDED: the matter follows the rule 'toy'")
    assert "Nobody is blamed for this. A newer verifier may know it." in unknown


def test_a_verifier_that_does_not_know_the_rule_is_undecided_and_blames_nobody(played: Played) -> None:
    for words in (("bob.jsonl",), ("bob.jsonl", "--explain"), ("bob.jsonl", "--report", "unknown.html")):
        told = _installed(played, *words)
        assert told.startswith("UNDECIDED: the matter follows the rule 'toy'")
        assert "Nobody is blamed for this. Install a newer version of this program." in told


def _installed(played: Played, *words: str) -> str:
    """What the installed command says, which loads no rule from anywhere and so does not know this one."""
    program = Path(sys.executable).parent / "tallystick-verify"
    found = subprocess.run([program, *words], cwd=played.folder, capture_output=True, text=True, check=False)
    assert found.returncode == 3
    assert "Traceback" not in found.stderr
    return " ".join(found.stdout.split())


def test_a_verifier_with_another_probability_finds_that_trent_did_not_show_what_was_due(played: Played) -> None:
    """So the verifier computes the rule itself, and takes no number from the record."""

    def nearly_all(agreed: Any, *given: Any) -> Any:
        return toy_rule_verified.examine(replace(agreed, odds="0.999999"), *given)

    _with_other(played, replace(toy_rule_verified.RULE, examine=nearly_all), "V13")


def test_a_verifier_with_another_bound_or_other_words_finds_it_in_the_claims(played: Played) -> None:
    rule = toy_rule_verified.RULE
    _with_other(played, replace(rule, at_most=lambda *given: rule.at_most(*given) + 1), "V18")
    _with_other(played, replace(rule, words=replace(rule.words, guarantee="Nothing.")), "V17")


def _with_other(played: Played, rule: Any, check: str) -> None:
    """The verdict of a verifier that has another rule of this name."""
    with verifier_table.registered(rule):
        value = json.loads(played.verify("bob.jsonl", "--json", code=1))
    assert [(each["check"], each["party"]) for each in value["findings"]] == [(check, "trent")]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("alice", ["truthful", "hiding:0.3:far", "best:5"])
def test_simulate_runs_the_rule_with_its_option(tmp_path: Path, alice: str) -> None:
    corpora.make(tmp_path / "corpus", documents=60, responsive=20)
    words = ("simulate", "corpus", "--responsive", "responsive", "--protocol", "toy", "--rounds", 2, "--batch", 12)
    run_here(tmp_path, "tallystick", *words, "--odds", "0.9", "--alice", alice, "--out", "toy.matter")
    run_here(tmp_path, "tallystick", "copy", "toy.matter", "--for", "bob", "--out", "bob.jsonl")
    found = json.loads(run_here(tmp_path, "tallystick-verify", "bob.jsonl", "--json").stdout)
    assert json.loads(summary.read(tmp_path / "toy.matter").opening.terms.encoded())["odds"] == "0.9"
    assert (found["verdict"], found["findings"]) == ("verified", [])


def test_simulate_shows_the_option_while_the_rule_is_known(tmp_path: Path) -> None:
    with table.registered(toy_rule.RULE):
        told = run_here(tmp_path, "tallystick", "simulate", "--help").stdout
        assert "|label|classifier|toy]" in told
        assert "--odds TEXT" in told
        assert "Probability of being drawn, of the toy rule." in told
    assert "toy" not in run_here(tmp_path, "tallystick", "simulate", "--help").stdout


def test_a_parameter_of_another_rule_is_refused(tmp_path: Path) -> None:
    corpora.make(tmp_path / "corpus", documents=60, responsive=20)
    words = ("simulate", "corpus", "--responsive", "responsive", "--out", "m", "--protocol")
    with table.registered(toy_rule.RULE):
        said = run_here(tmp_path, "tallystick", *words, "toy", "--k", 2, code=1).stderr
        assert "the protocol 'toy' has no parameter k" in said
        said = run_here(tmp_path, "tallystick", *words, "label", "--odds", "0.5", code=1).stderr
        assert "the protocol 'label' has no parameter odds" in said
        with pytest.raises(BadTerms, match="odds is 1.5; it must lie between 0 and 1"):
            terms.terms(protocol="toy", rounds=2, batch=10, odds="1.5")


def test_two_rules_of_one_name_or_with_two_meanings_of_a_parameter_are_refused() -> None:
    with pytest.raises(ValueError, match="there is a rule 'label' already"), table.registered(label_report.RULE):
        pass
    other = replace(toy_rule.ODDS, name="delta")
    confusing = replace(toy_rule.RULE, parameters=(other,))
    with pytest.raises(ValueError, match="describes it differently"), table.registered(confusing):
        pass
    again = verifier_label.RULE
    with pytest.raises(ValueError, match="there is a rule 'label' already"), verifier_table.registered(again):
        pass


def test_when_a_test_is_over_only_the_shipped_rules_are_known() -> None:
    with table.registered(toy_rule.RULE), verifier_table.registered(toy_rule_verified.RULE):
        pass
    assert (
        set(table.names()) == {each.protocol for each in verifier_table.rules()} == {*paper_rules.NAMES, "spot-check"}
    )
    with pytest.raises(BadTerms, match="the protocol 'toy' is not known; known are .*label, classifier"):
        terms.terms(protocol="toy", rounds=2, batch=10)
    with pytest.raises(BadTerms, match="the protocol 'toy' is not known"):
        Terms.parse({"protocol": "toy", "odds": "0.5"})
