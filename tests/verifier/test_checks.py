"""What the checks say, one by one: reasons, numbers and edges that whole transcripts do not reach."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from tests.support import genuine
from tests.support.builders import KEYS
from tests.support.forging.forged import (
    FORGERIES,
    body,
    both,
    conflict_before,
    content,
    forge,
    line_of,
    renumber,
    said_in,
    statement,
    without,
)
from tests.support.forging.forged import Forgery as Spoiled
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines, reviewed
from tests.support.forging.running import CheatingRun, cut, plan, play
from tests.support.genuine import Genuine
from tests.vectors import FOLDER
from tests.vectors.agreed import AGREED
from verifier.checks import Check
from verifier.comparison import Comparison, compare
from verifier.replay.contents import METHOD
from verifier.summary import summary
from verifier.values import blamed
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

CORPUS = FOLDER / "corpora" / "plain"


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Genuine]:
    folder = tmp_path_factory.mktemp("genuine")
    corpus = Corpus.open(CORPUS)
    return {protocol: genuine.make(corpus, folder, protocol) for protocol in ("label", "classifier")}


def spoiled(lines: Lines, spoil: Callable[[Forger], None]) -> Lines:
    return forge(lines, dict(KEYS), Spoiled(comment="", check="", spoil=spoil))


def finding(verdict: Verdict) -> tuple[str, str | None]:
    assert verdict.answer is Answer.REJECTED, verdict.trouble
    first = verdict.findings[0]
    return first.check, first.party


def recommitted(spoil: Callable[[Forger], None]) -> Callable[[Forger], None]:
    """The change, and commitments that fit it."""
    return both(spoil, lambda forger: forger.commit_again())


def opened(kind: str, field: str, index: int, value: Any, number: int = 0) -> Callable[[Forger], None]:
    """Another sealed value, sealed anew. Of labels, which are one value, that at this index of the array."""

    def spoil(forger: Forger) -> None:
        for each in line_of(forger, kind, number)["openings"]:
            if each["field"] == field == "labels":
                each["value"][index] = value
            elif (each["field"], each["index"]) == (field, index):
                each["value"] = value(each["value"]) if callable(value) else value

    return recommitted(spoil)


def other_labels(forger: Forger) -> Any:
    """Another answer of Bob's to the first wave."""
    said = said_in(line_of(forger, "labels"))
    return {"signature": "", "statement": said | {"content": {"labels": []}}}


def claims(**fields: Any) -> Callable[[Forger], None]:
    return content("claims", **fields)


def one_more(number: int) -> int:
    return number + 1


VALIDATED = {
    "at_most": None,
    "called": 0,
    "never": {"documents": 0, "hits": 0, "shown": 0},
    "number": 1,
    "reached": False,
    "round": 1,
    "total": None,
    "unread": 0,
    "withheld": {"documents": 0, "hits": 0, "shown": 0},
}

COURT_CASES: dict[str, tuple[Callable[[Forger], None], str, str]] = {
    "a vocabulary that is no hash": (opened("open", "vocabulary", 0, "x"), "V07", "trent"),
    "a place that is none": (opened("batch", "documents", 1, {"document": 1}), "V09", "trent"),
    "a document beyond the corpus": (
        opened("batch", "documents", 1, lambda place: place | {"document": 40}),
        "V09",
        "trent",
    ),
    "a label that is a number": (opened("report", "labels", 1, 1), "V12", "alice"),
    "a label that is null": (opened("report", "labels", 1, None), "V12", "alice"),
    "a proof that is none": (opened("disclosure", "proofs", 0, {}), "V14", "trent"),
    "a path with half a hash": (
        opened("disclosure", "path", 0, lambda path: path[:-2]),
        "V14",
        "trent",
    ),
    "a path without its last step": (
        opened("disclosure", "path", 0, lambda path: path[:-64]),
        "V14",
        "trent",
    ),
    "a proof of another text": (
        opened("disclosure", "proofs", 0, lambda proof: proof | {"parts": [proof["parts"][0] | {"text": "00" * 32}]}),
        "V14",
        "trent",
    ),
    "a proof of another row": (
        opened("disclosure", "proofs", 0, lambda proof: proof | {"row": "00" * 32}),
        "V14",
        "trent",
    ),
    "an output label too many": (content("closed", responsive=lambda found: [*found, 7]), "V16", "trent"),
    "another error": (content("closed", error=one_more), "V16", "trent"),
    "another rank": (content("closed", threshold=one_more), "V16", "trent"),
    "another number of drawn ones": (content("closed", sampled=one_more), "V16", "trent"),
    "a link for another draw at the close": (content("closed", draw=one_more), "V08", "trent"),
    "a release of something else at the close": (
        body("closed", releases=lambda found: [found[0] | {"audience": "alice"}]),
        "V16",
        "trent",
    ),
    "a close in another round": (statement("closed", round=2), "V05", "trent"),
    "a dispute in another round": (statement("dispute", round=2), "V05", "trent"),
    "a disclosure in another round": (statement("disclosure", round=9), "V05", "trent"),
    "a draw in another round": (statement("draw", round=0), "V05", "trent"),
    "claims of a round": (statement("claims", round=2), "V05", "trent"),
    "an opening of a round": (statement("open", round=1), "V05", "trent"),
    "a draw by Bob": (statement("labels", kind="draw", content={"draw": 1}), "V05", "bob"),
    "a wave beyond the batch": (content("disclosure", positions=lambda found: [*found[:-1], 8]), "V13", "trent"),
    "an empty wave": (content("disclosure", positions=[]), "V13", "trent"),
    "an empty dispute": (content("dispute", positions=[]), "V15", "trent"),
    "reviewed": (claims(reviewed=one_more), "V17", "trent"),
    "revealed": (claims(revealed=one_more), "V17", "trent"),
    "disputes": (claims(disputes=one_more), "V17", "trent"),
    "alice_errors": (claims(alice_errors=one_more), "V17", "trent"),
    "clawed_back": (claims(clawed_back=one_more), "V17", "trent"),
    "compelled_rounds": (claims(compelled_rounds=one_more), "V17", "trent"),
    "defaults": (claims(defaults=1), "V17", "trent"),
    "privileged": (claims(privileged=1), "V17", "trent"),
    "in camera": (claims(in_camera=1), "V17", "trent"),
    "a validation that was not held": (claims(validations=[VALIDATED]), "V17", "trent"),
    "another end": (claims(ended="documents"), "V29", "trent"),
    "assumes": (claims(certificates=reviewed(lambda _: {"assumes": "nothing"})), "V18", "trent"),
    "the true recall": (claims(truth=lambda found: found | {"revealed": found["revealed"] + 1}), "V17", "trent"),
    "truly responsive": (claims(truth=lambda found: found | {"responsive": 1}), "V17", "trent"),
    "no truth": (claims(truth=None), "V17", "trent"),
    "a larger bound": (
        claims(certificates=reviewed(lambda found: {"at_most": found["at_most"] + 1})),
        "V18",
        "trent",
    ),
    "a target that the rule does not have": (
        claims(certificates=reviewed(lambda _: {"target": "0.9"})),
        "V18",
        "trent",
    ),
    "numbers of other documents": (opened("batch", "numbers", 0, lambda found: found[::-1]), "V09", "trent"),
    "numbers that are none": (opened("batch", "numbers", 0, "1, 2, 3"), "V09", "trent"),
    "a number too few": (opened("batch", "numbers", 0, lambda found: found[:-1]), "V09", "trent"),
    "a number beyond the corpus": (opened("batch", "numbers", 0, lambda found: [*found[:-1], 40]), "V09", "trent"),
}


@pytest.mark.parametrize("name", COURT_CASES)
def test_a_broken_rule_is_found_in_the_courts_copy(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], name: str
) -> None:
    spoil, check, party = COURT_CASES[name]
    verdict = judge(spoiled(copies["label"].lines[Audience.COURT], spoil))
    assert finding(verdict) == (check, party), verdict.findings
    assert blamed(verdict) == [party]


@pytest.mark.parametrize("threshold", [-1, 8, None, True, "3", [1]])
def test_a_threshold_that_is_no_rank_is_alices(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], threshold: Any
) -> None:
    lines = spoiled(copies["classifier"].lines[Audience.COURT], opened("report", "threshold", 0, threshold))
    assert finding(judge(lines)) == ("V12", "alice")


def test_a_label_below_the_threshold_is_alices(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    court = copies["classifier"].lines[Audience.COURT]
    reports = [line for line in map(json.loads, court) if "entry" in line and said_in(line)["kind"] == "report"]
    labelled = [any(label is not None for label in line["openings"]["labels"]["values"][0]) for line in reports]
    assert True in labelled
    lines = spoiled(court, opened("report", "threshold", 0, 0, labelled.index(True)))
    assert finding(judge(lines)) == ("V12", "alice")


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_stops_the_replay_and_says_so(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], name: str
) -> None:
    forgery = FORGERIES[name]
    verdict = judge(forge(copies["label"].lines[Audience.BOB], dict(KEYS), forgery))
    assert verdict.answer == forgery.verdict
    if forgery.check in ("V05", "V07", "V08", "V09", "V12", "V13", "V14", "V15", "V16"):
        assert verdict.result(Check.CLAIMS).outcome is Outcome.NOT_CHECKED
        assert verdict.result(Check.CLAIMS).reason


def test_what_a_copy_does_not_show_is_not_checked_and_why(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    public = judge(copies["label"].lines[Audience.PUBLIC])
    for check in (Check.REPORTS, Check.DISCLOSURES, Check.ANSWERS, Check.OUTCOMES, Check.CERTIFICATES):
        result = public.result(check)
        assert (result.outcome, "labels" in result.reason) == (Outcome.NOT_CHECKED, True), check
    assert "names no documents" in public.result(Check.DOCUMENTS).reason
    bob = judge(copies["label"].lines[Audience.BOB])
    assert "--corpus" in bob.result(Check.RANKING).reason
    assert "no fingerprints were given" in bob.result(Check.IDENTITIES).reason


def test_an_open_round_leaves_its_waves_unjudged(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    lines = copies["label"].lines[Audience.COURT]
    forger = Forger(lines, KEYS)
    last = forger.values.index(line_of(forger, "labels", -1))
    del forger.values[last + 1 :]
    verdict = judge(forger.sign())
    assert verdict.answer is Answer.NOT_CLOSED
    assert "round 2 is open" in verdict.result(Check.DISCLOSURES).reason
    assert verdict.result(Check.OUTCOMES).outcome is Outcome.PASS
    assert verdict.result(Check.CLAIMS).outcome is Outcome.NOT_CHECKED


def test_a_matter_that_has_only_been_opened_is_not_closed(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    forger = Forger(copies["label"].lines[Audience.COURT], KEYS)
    following = (place for place, line in enumerate(forger.values) if place and "entry" in line)
    del forger.values[next(following) :]  # but for the pieces of its attachment
    verdict = judge(forger.sign())
    assert verdict.answer is Answer.NOT_CLOSED
    assert verdict.waits_for == "Alice's agreed and Bob's agreed and the court's deposited"


def test_a_second_answer_that_withdraws_nothing_is_its_authors_fault(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    lines = spoiled(copies["label"].lines[Audience.BOB], conflict_before("dispute", other_labels))
    verdict = judge(lines)
    assert finding(verdict) == ("V19", "bob")
    assert verdict.result(Check.CLAIMS).outcome is Outcome.PASS


def test_a_conflict_of_another_round_is_trents(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    lines = spoiled(copies["label"].lines[Audience.BOB], conflict_before("dispute", other_labels, round=9))
    assert finding(judge(lines)) == ("V05", "trent")


def test_the_replay_ends_at_the_first_broken_rule(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    """The replay ends at the first broken rule: what comes later is not judged."""
    lines = spoiled(
        copies["label"].lines[Audience.COURT], both(content("closed", error=one_more), claims(found=one_more))
    )
    verdict = judge(lines)
    assert [each.check for each in verdict.findings] == ["V16"]
    assert Role.TRENT.value in blamed(verdict)


def test_a_conflict_behind_the_claims_has_no_place(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    def late(forger: Forger) -> None:
        conflict_before("closed", other_labels)(forger)
        place = forger.values.index(line_of(forger, "conflict"))
        last = forger.values.index(line_of(forger, "claims"))
        forger.values.insert(last, forger.values.pop(place))
        renumber(forger)

    verdict = judge(spoiled(copies["label"].lines[Audience.BOB], late))
    assert finding(verdict) == ("V05", "trent")


PUBLIC_CASES: dict[str, tuple[Callable[[Forger], None], str]] = {
    "an output label that was ruled otherwise": (content("closed", responsive=[]), "V16"),
    "output labels in disorder": (content("closed", responsive=lambda found: [*found, *found[:1]]), "V16"),
    "an output label beyond the batch": (content("closed", responsive=lambda found: [*found, 1000]), "V16"),
    "an output label just beyond the batch": (content("closed", responsive=lambda found: [*found, 8]), "V16"),
    "an output label twice": (content("closed", responsive=lambda found: [*found, found[-1]]), "V16"),
    "a rank beyond the batch": (content("closed", threshold=8), "V16"),
    "an error beyond the batch": (content("closed", error=8), "V16"),
    "more drawn than there are": (content("closed", sampled=10**9), "V16"),
    "a dispute in disorder": (content("dispute", positions=lambda found: found[::-1]), "V15"),
    "a dispute about one document twice": (content("dispute", positions=lambda found: [found[0], found[0]]), "V15"),
}


@pytest.mark.parametrize("name", PUBLIC_CASES)
def test_what_the_public_copy_shows_is_judged_all_the_same(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], name: str
) -> None:
    spoil, check = PUBLIC_CASES[name]
    assert finding(judge(spoiled(copies["label"].lines[Audience.PUBLIC], spoil))) == (check, "trent")


def test_a_simulation_that_misstates_how_many_are_responsive_is_found_with_the_corpus(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    def fewer(forger: Forger) -> None:
        content("open", simulation=lambda found: found | {"responsive": 1})(forger)
        claims(truth=lambda found: found | {"responsive": 1})(forger)

    lines = spoiled(copies["label"].lines[Audience.COURT], fewer)
    assert judge(lines).answer is Answer.VERIFIED  # without the corpus nobody can tell
    assert finding(judge(lines, corpus=CORPUS)) == ("V24", "trent")


def test_a_later_method_is_no_fault_whatever_its_forms(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    later = content("open", method=METHOD + 1, terms=lambda found: found | {"more": 1})
    verdict = judge(spoiled(copies["label"].lines[Audience.COURT], later))
    assert verdict.answer is Answer.UNDECIDED
    assert f"version {METHOD + 1} of the method" in verdict.trouble


@pytest.mark.parametrize("protocol", ["dark-matter", "LABEL", "", "\x1b[2J", "x" * 10**6])
def test_a_rule_that_the_verifier_does_not_know_is_undecided_and_blames_nobody(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], protocol: str
) -> None:
    """A later version may have more rules, with parameters of their own; who follows one breaks nothing."""
    later = content("open", terms=lambda found: found | {"protocol": protocol, "rate": "0.1"})
    for audience in (Audience.COURT, Audience.PUBLIC):
        verdict = judge(spoiled(copies["label"].lines[audience], later))
        assert (verdict.answer, verdict.findings) == (Answer.UNDECIDED, ())
        assert "this verifier knows reveal-all, label, classifier, spot-check" in verdict.trouble
        assert verdict.advice == "Install a newer version of this program."
        told = " ".join(summary(verdict).split())
        assert "Nobody is blamed for this." in told
        assert len(told) < 10_000
        assert "\x1b" not in told


def test_an_unknown_rule_is_no_fault_whatever_its_forms(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    later = content("open", terms=lambda found: found | {"protocol": "dark-matter"}, more=1)
    assert judge(spoiled(copies["label"].lines[Audience.COURT], later)).answer is Answer.UNDECIDED


@pytest.mark.parametrize("terms", [{"protocol": 7}, {"protocol": None}, [], "label"])
def test_terms_that_name_no_rule_are_trents_fault(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], terms: Any
) -> None:
    spoil = content("open", terms=lambda found: found | terms if isinstance(terms, dict) else terms)
    assert finding(judge(spoiled(copies["label"].lines[Audience.COURT], spoil))) == ("V05", "trent")


@pytest.mark.parametrize("changed", [{"more": 1}, {"k": 0}, {"delta": 5}])
def test_terms_have_the_parameters_of_their_rule(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], changed: dict[str, Any]
) -> None:
    spoil = content("open", terms=lambda found: found | changed)
    assert finding(judge(spoiled(copies["label"].lines[Audience.COURT], spoil))) == ("V05", "trent")


@pytest.mark.parametrize("label", [{"attachment": 1}, {"attachment": "00" * 32, "size": 5}, {"attachment": "00" * 32}])
def test_a_label_that_looks_like_an_attachment_is_alices_fault(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], label: Any
) -> None:
    lines = spoiled(copies["label"].lines[Audience.COURT], opened("report", "labels", 1, label))
    assert finding(judge(lines)) == ("V12", "alice")


def test_a_giant_word_in_a_record_is_cut_in_what_is_said(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    lines = spoiled(copies["label"].lines[Audience.COURT], content("draw", **{"x" * 10**6: 1}))
    verdict = judge(lines)
    assert finding(verdict) == ("V05", "trent")
    assert len(summary(verdict)) < 10_000


def test_an_entry_is_judged_although_the_next_line_is_garbage(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], tmp_path: Path
) -> None:
    honest = copies["label"].lines[Audience.BOB]
    forger = Forger(honest, KEYS)
    content("closed", error=one_more)(forger)
    lines = forger.sign()
    place = next(number for number, line in enumerate(lines) if b'"kind":"closed"' in line)
    assert finding(judge([*lines[: place + 1], b"garbage"])) == ("V16", "trent")
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_bytes(b"".join(line + b"\n" for line in honest))
    other.write_bytes(b"".join(line + b"\n" for line in [*lines[: place + 1], b"garbage"]))
    assert compare(one, other).result is Comparison.EQUIVOCATION


def test_what_was_not_looked_at_does_not_pass(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "stranger").write_text("x")
    lines = copies["label"].lines[Audience.BOB]
    cut = judge(lines[:-3], documents=tmp_path / "files")
    assert cut.result(Check.HANDED).outcome is Outcome.NOT_CHECKED
    fault = judge(spoiled(lines, statement("labels", matter="22" * 32)), documents=tmp_path / "files", corpus=CORPUS)
    for check in (Check.HANDED, Check.CORPUS, Check.FEATURES, Check.RANKING):
        assert fault.result(check).outcome is Outcome.NOT_CHECKED, check
    forger = Forger(copies["label"].lines[Audience.BOB], KEYS)
    del forger.values[1:]
    assert judge(forger.sign()).result(Check.TERMS).outcome is Outcome.NOT_CHECKED
    within = Forger(copies["label"].lines[Audience.BOB], KEYS)
    last = within.values.index(line_of(within, "labels", -1))
    del within.values[last + 1 :]
    line_of(within, "report", -1)["openings"] = []
    shown = judge(within.sign())
    for check in (Check.REPORTS, Check.ANSWERS, Check.DISCLOSURES):
        assert "round 2 is open" in shown.result(check).reason


def test_a_draw_where_a_model_is_due_is_trents(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    def drawn_again(forger: Forger) -> None:
        place = forger.values.index(line_of(forger, "batch", 1))
        first = line_of(forger, "draw")["entry"]["body"]
        said = first["statement"] | {"round": 2, "content": {"draw": 3}}
        forger.values.insert(place, {"entry": {"body": first | {"statement": said}, "signature": ""}, "openings": []})
        renumber(forger)

    assert finding(judge(spoiled(copies["label"].lines[Audience.BOB], drawn_again))) == ("V09", "trent")


def test_a_batch_with_two_models_is_trents(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    def doubled(forger: Forger) -> None:
        said_in(line_of(forger, "batch", 1))["sealed"]["model"]["commitments"].append("55" * 32)

    assert finding(judge(spoiled(copies["label"].lines[Audience.BOB], doubled))) == ("V09", "trent")


def test_a_conflict_about_a_question_that_its_author_was_never_asked_is_trents(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    def elsewhere(forger: Forger) -> Any:
        """Bob answers the batch, which asked Alice."""
        said = said_in(line_of(forger, "labels"))
        return {"signature": "", "statement": said | {"answers": forger.hash_of(line_of(forger, "batch"))}}

    lines = spoiled(copies["label"].lines[Audience.BOB], conflict_before("dispute", elsewhere))
    assert finding(judge(lines)) == ("V19", "trent")


def test_coins_go_on_choosing_while_all_labels_are_responsive(tmp_path: Path) -> None:
    """Batches of one document: the second is drawn too if the first one's label is all that there is to learn from."""
    corpus = Corpus.open(CORPUS)
    seen = set()
    for seed in range(6):
        agreed: dict[str, Any] = {
            "protocol": "reveal-all",
            "rounds": 3,
            "batch": 1,
            "delta": "0.5",
            "k": 1,
            "query": "",
        }
        played = plan(corpus, seed=str(seed), **agreed)
        path = tmp_path / f"{seed}.matter"
        with CheatingRun(corpus, played, path) as run:
            run.run()
            first, second = run.state.rounds[0], run.state.rounds[1]
            seen.add((bool(first.found), second.near_cut is None))
        copy = cut(path, played, Audience.COURT, tmp_path / f"{seed}.jsonl")
        assert verify(copy, corpus=CORPUS).answer is Answer.VERIFIED
    assert seen == {(True, True), (False, True)}


def test_an_opening_with_two_vocabularies_is_trents(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    def doubled(forger: Forger) -> None:
        said_in(line_of(forger, "open"))["sealed"]["vocabulary"]["commitments"].append("55" * 32)

    assert finding(judge(spoiled(copies["label"].lines[Audience.BOB], doubled))) == ("V07", "trent")


def test_a_round_is_closed_once(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    def again(forger: Forger) -> None:
        place = forger.values.index(line_of(forger, "closed"))
        closed = forger.values[place]["entry"]["body"]
        forger.values.insert(place + 1, {"entry": {"body": closed | {"releases": []}, "signature": ""}, "openings": []})
        renumber(forger)

    assert finding(judge(spoiled(copies["label"].lines[Audience.BOB], again))) == ("V05", "trent")


def waves_in_a_row(forger: Forger) -> tuple[Any, Any] | None:
    """Two waves of one round, if there are such."""
    waves = [
        each["entry"]["body"] for each in forger.values if "entry" in each and said_in(each)["kind"] == "disclosure"
    ]
    pairs = (pair for pair in pairwise(waves) if len({each["statement"]["round"] for each in pair}) == 1)
    return next(pairs, None)


def test_a_wave_is_shown_once(tmp_path: Path, judge: Callable[..., Verdict]) -> None:
    """In the public copy, where no opening would tell that something is released twice."""

    def twice(forger: Forger) -> None:
        waves = waves_in_a_row(forger)
        assert waves is not None
        first, second = waves
        second["releases"] = first["releases"]
        second["statement"]["content"] = first["statement"]["content"]
        proofs = [f"{number:064x}" for number in range(len(first["statement"]["content"]["positions"]))]
        second["statement"]["sealed"]["proofs"]["commitments"] = proofs

    def public(seed: int) -> Lines:
        corpus, hiding = Corpus.open(CORPUS), {"alice": "hiding:0.6:random"}
        played = genuine.with_same_keys(
            plan(corpus, players=hiding, **(AGREED | {"protocol": "label", "seed": str(seed)}))
        )
        play(corpus, played, tmp_path / f"matter {seed}")
        return cut(tmp_path / f"matter {seed}", played, Audience.PUBLIC, tmp_path / "cut").read_bytes().splitlines()

    found = (public(seed) for seed in range(1, 30))  # in one of them a coin finds something
    lines = next(each for each in found if waves_in_a_row(Forger(each, dict(KEYS))) is not None)
    assert finding(judge(spoiled(lines, twice))) == ("V13", "trent")


VALID: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "everything shown is disputed": ({"protocol": "label"}, {"bob": "vexatious"}),
    "the documents are used up before the rounds": ({"protocol": "classifier", "rounds": 9, "batch": 20}, {}),
    "the court is often wrong": ({"protocol": "classifier"}, {"bob": "careless:0.4", "court": "wrong:0.5"}),
}


@pytest.mark.parametrize("name", VALID)
def test_an_odd_matter_is_verified_in_every_copy(tmp_path: Path, name: str) -> None:
    changed, players = VALID[name]
    corpus = Corpus.open(CORPUS)
    played = plan(corpus, players=players, **(AGREED | changed))
    with CheatingRun(corpus, played, tmp_path / "matter") as run:
        run.run()
    for audience in Audience:
        copy = cut(tmp_path / "matter", played, audience, tmp_path / f"{audience}.jsonl")
        verdict = verify(copy, corpus=CORPUS if audience is Audience.COURT else None)
        assert verdict.answer is Answer.VERIFIED, (verdict.findings, verdict.trouble)


def rewritten_as_labels(forger: Forger) -> None:
    """Trent says what only Bob may say."""
    line = line_of(forger, "closed")
    line["entry"]["body"]["releases"] = []
    said_in(line).update(kind="labels", content={"labels": []})


A_RELEASE = [{"audience": "alice", "entry": 0, "field": "vocabulary", "indices": None}]
PLACES: dict[str, tuple[Callable[[Forger], None], str]] = {
    "Trent goes on before the court has signed": (without("deposited"), "trent"),
    "Trent speaks as Bob": (rewritten_as_labels, "trent"),
    "Bob gives a link where labels were asked for": (
        statement("labels", kind="link", content={"draw": 2, "link": "00" * 32}),
        "bob",
    ),
    "Bob says something that nobody knows": (statement("labels", kind="lottery"), "bob"),
    "Trent releases something with Bob's answer": (body("labels", releases=A_RELEASE), "trent"),
    "Trent asks somebody with Bob's answer": (body("labels", asks=["court"]), "trent"),
    "Bob seals something": (
        statement("labels", sealed={"more": {"audiences": ["court"], "commitments": ["00" * 32]}}),
        "bob",
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_everyone_speaks_in_their_place_and_form(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], name: str
) -> None:
    spoil, party = PLACES[name]
    verdict = judge(spoiled(copies["label"].lines[Audience.BOB], spoil))
    assert ("V05", party) in [(each.check, each.party) for each in verdict.findings]
    assert blamed(verdict) == [party]
