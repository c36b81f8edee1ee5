"""From whatever an exhibit was stripped, its answer says no more than what is left proves."""

import shutil
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest

from protocol.corpus.corpus import Corpus
from protocol.matter import summary, terms
from protocol.simulation import run as simulation
from tests.support import corpora, exhibit_samples, matters
from tests.support.exhibit_matters import MATTERS, Corpora
from tests.support.exhibits import cut, record, rewrite
from tests.support.forging.exhibits import changed_by
from tests.support.scripted import ScriptedRun
from tests.vectors import FOLDER
from tests.vectors.exhibit_changes import asked_back_at, both, moved
from verifier import exhibit
from verifier.exhibit import Answer

FILES = {
    "certification": "certification.txt",
    "readme": "README.txt",
    "content": "document/content.eml",
    "text": "document/text.txt",
}
LINES = ("alice", "bob", "court")
RECORD = ("round", "new key", *LINES)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small", documents=60, responsive=25)


@pytest.fixture(scope="module")
def matter(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In its second round Bob gets a new key, with which he cosigns the end."""
    path = tmp_path_factory.mktemp("matters") / "matter"
    agreed = terms.terms(protocol="label", rounds=3, batch=12, delta="0.6", k=1, query=corpora.QUERY)
    plan = simulation.plan(corpus, agreed, label="responsive", seed="1", **matters.PLAYERS)
    with ScriptedRun(corpus, plan, path) as run:
        run.run()
    return path


def whole(matter: Path, corpus: Corpus, number: int, out: Path) -> Path:
    """The exhibit of a document that stands third in its round."""
    return cut(matter, corpus, summary.read(matter).rounds[number - 1].places[2].document, out)


def kind(entry: Any) -> str:
    return str(entry["entry"]["body"]["statement"]["kind"])


def of_a_new_key(entry: Any) -> bool:
    return kind(entry) in ("rekey", "rekeyed")


def of_the_round(entries: list[Any]) -> list[Any]:
    kinds = [kind(each) for each in entries]
    start = next(at for at, each in enumerate(kinds) if each in ("draw", "batch"))
    return [each for each in entries[start : kinds.index("closed") + 1] if not of_a_new_key(each)]


def strip(folder: Path, removed: set[str]) -> None:
    """Take pieces out, as anybody can: nobody signs an exhibit as a whole."""
    value = record(folder)
    if "round" in removed:
        gone = of_the_round(value["entries"])
        value["entries"] = [each for each in value["entries"] if each not in gone]
    if "new key" in removed:
        value["entries"] = [each for each in value["entries"] if not of_a_new_key(each)]
    for role in removed.intersection(LINES):
        note = value["checkpoint"].splitlines(keepends=True)
        value["checkpoint"] = "".join(line for line in note if f"/{role} " not in line)
    rewrite(folder, value, certified=True)
    for name in removed.intersection(FILES):
        (folder / FILES[name]).unlink()


def proven(number: int, removed: set[str]) -> Answer:
    """What is left proves this much of the story of a document in the round with this number."""
    if removed & {"content", "text"} or (removed and "certification" not in removed):
        return Answer.UNDECIDED  # the document is gone, or the certification states hashes of what is gone
    if "new key" in removed and ("bob" not in removed or (number > 1 and "round" not in removed)):
        return Answer.UNDECIDED  # Bob's signature is there, and nothing says whose key made it
    if "round" in removed:
        return Answer.COMMITMENT_ONLY
    return Answer.NOT_CLOSED if removed.intersection(LINES) else Answer.VERIFIED


def subsets(pieces: Iterable[str]) -> Iterator[set[str]]:
    known = tuple(pieces)
    return map(set, chain.from_iterable(combinations(known, count) for count in range(len(known) + 1)))


def test_no_partial_exhibit_says_more_than_what_is_left_proves(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    records = [removed | {"certification"} for removed in subsets(RECORD)]
    check_all(matter, corpus, 1, tmp_path, chain(records, subsets(FILES)))


@pytest.mark.slow
def test_no_combination_of_missing_pieces_says_more_than_what_is_left_proves(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    check_all(matter, corpus, 3, tmp_path, subsets((*RECORD, *FILES)))


def check_all(matter: Path, corpus: Corpus, number: int, tmp_path: Path, combined: Iterable[set[str]]) -> None:
    genuine = whole(matter, corpus, number, tmp_path / "whole")
    assert {kind(each) for each in record(genuine)["entries"]} >= {"batch", "closed", "rekey", "rekeyed"}
    answers = set()
    for at, removed in enumerate(combined):
        folder = Path(shutil.copytree(genuine, tmp_path / str(at)))
        strip(folder, removed)
        judgement = exhibit.judge(folder)
        assert judgement.answer is proven(number, removed), (removed, judgement.trouble, judgement.findings)
        check_words(judgement, removed)
        answers.add(judgement.answer)
        shutil.rmtree(folder)
    assert answers == set(Answer) - {Answer.REJECTED}


def check_words(judgement: exhibit.Judgement, removed: set[str]) -> None:
    """The headline begins with the answer, and neither text nor JSON tells what the exhibit no longer shows."""
    text, value = " ".join(exhibit.text(judgement).split()), exhibit.value(judgement)
    headline = text.partition("Commitment.")[0]
    assert text.startswith(f"{judgement.answer.upper()}: ")
    assert value["verdict"] == judgement.answer
    assert not judgement.findings
    steps = [each.partition(".")[0] for each in value["story"]]
    if judgement.answer is Answer.UNDECIDED:
        assert steps == []
        return
    lacking = removed.intersection(LINES)
    assert ("The keys of Alice, Bob and the court have signed" in headline) == (not lacking)
    assert ("It holds NO signature of" in headline) == bool(lacking)
    assert value["checkpoint"]["cosigned"] == (not lacking)
    if "round" in removed:
        assert "NOTHING about its review" in headline
        assert not any(word in headline for word in ("VERIFIED", "coin", "link", "OPEN"))
        assert steps == ["Commitment", "Review", "Signatures"]
        assert value["courses"] == []
    else:
        assert {"Batch", "Report", "Coin", "Disclosure", "Outcome"} <= set(steps)


def test_an_exhibit_from_which_its_round_was_removed_is_a_commitment_only(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    folder = whole(matter, corpus, 1, tmp_path / "exhibit")
    assert exhibit.judge(folder).answer is Answer.VERIFIED
    strip(folder, {"round", "certification"})
    judgement = exhibit.judge(folder)
    assert judgement.cosigned
    assert (judgement.answer, judgement.exit_code) == ("commitment only", 4)


def test_a_round_of_which_any_entries_are_missing_is_damage(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = whole(matter, corpus, 1, tmp_path / "exhibit")
    value = record(folder)
    review = of_the_round(value["entries"])
    size = len(review)
    singles = [(at, at + 1) for at in range(size)]
    for start, end in [*singles, *((0, at) for at in range(2, size)), *((at, size) for at in range(1, size - 1))]:
        gone = review[start:end]
        rewrite(folder, value | {"entries": [each for each in value["entries"] if each not in gone]})
        judgement = exhibit.judge(folder)
        assert judgement.answer is Answer.UNDECIDED, (start, end)
        assert not judgement.findings


CLAWBACK = {"question": "again", "reclaim": "reclaim", "ruling": "returned"}
OUTSIDERS = ("stamped", "logged")


def stripped(genuine: Path, out: Path, gone: Iterable[Any], files: Iterable[str] = ()) -> Answer:
    """The answer to an exhibit without these entries and files."""
    folder, left_out = Path(shutil.copytree(genuine, out)), list(gone)
    if left_out:
        value = record(folder)
        rewrite(folder, value | {"entries": [each for each in value["entries"] if each not in left_out]})
    for name in files:
        (folder / name).unlink()
    judgement = exhibit.judge(folder)
    assert not judgement.findings
    shutil.rmtree(folder)
    return judgement.answer


def test_of_a_claw_back_between_rounds_only_the_ruling_or_all_can_be_taken_out(tmp_path: Path) -> None:
    """With the round, all of it must go: nothing else tells which document Alice asked back."""
    matter, corpus = tmp_path / "matter", Corpora(tmp_path).under("clawed-back")
    MATTERS["clawed-back"](corpus, matter)
    seat = list(summary.read(matter).clawbacks.bases)[2]
    document = summary.read(matter).rounds[seat.round - 1].places[seat.position - 1].document
    genuine = cut(matter, corpus, document, tmp_path / "whole")
    entries = record(genuine)["entries"]
    review, last = of_the_round(entries), {kind(each): each for each in entries}
    for at, removed in enumerate(subsets(("round", *CLAWBACK))):
        gone = [last[CLAWBACK[each]] for each in removed & CLAWBACK.keys()] + (review if "round" in removed else [])
        without_round = Answer.COMMITMENT_ONLY if removed >= CLAWBACK.keys() else Answer.UNDECIDED
        fits = removed in ({"ruling"}, CLAWBACK.keys(), set())
        with_round = Answer.VERIFIED if fits else Answer.UNDECIDED
        due = without_round if "round" in removed else with_round
        assert stripped(genuine, tmp_path / str(at), gone) is due, removed


def test_with_a_round_goes_the_claw_back_that_names_it(tmp_path: Path) -> None:
    """A document that was withheld in round 1 is shown in round 3, and then asked back."""
    vector = FOLDER / "exhibits" / "an-escalation"
    place = (3, exhibit.judge(vector).followed[-1].review.position)
    change = both(moved(23, 28, -7), asked_back_at(22, place))
    genuine = tmp_path / "whole"
    exhibit_samples.put(changed_by(change, exhibit_samples.files(vector)), genuine)
    entries = record(genuine)["entries"]
    pieces = {str(number): of_round(entries, number) for number in (1, 3)}
    pieces |= {name: of_round(entries, 0, name) for name in ("clawback", "reclaim", "returned")}
    for at, removed in enumerate(subsets(pieces)):
        gone = [each for name in removed for each in pieces[name]]
        left = pieces.keys() - removed
        fits = "reclaim" not in left or {"3", "clawback"} <= left
        whole = fits and ("reclaim" in left or not left & {"clawback", "returned"})
        due = Answer.VERIFIED if left & {"1", "3"} else Answer.COMMITMENT_ONLY
        assert stripped(genuine, tmp_path / str(at), gone) is (due if whole else Answer.UNDECIDED), removed


def of_round(entries: list[Any], number: int, *kinds: str) -> list[Any]:
    found = [each for each in entries if each["entry"]["body"]["statement"]["round"] == number]
    return [each for each in found if not kinds or kind(each) in kinds]


@pytest.fixture(scope="module")
def witnessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exhibit with two stamps and two proofs of the log, and their files."""
    folder = tmp_path_factory.mktemp("witnessed")
    corpus = Corpora(folder).under("witnessed")
    MATTERS["witnessed"](corpus, folder / "matter")
    return cut(folder / "matter", corpus, 0, folder / "whole")


def test_what_outsiders_saw_can_be_taken_out(witnessed: Path, tmp_path: Path) -> None:
    """Each `stamped` and `logged`, with the round or without it; their files may stay."""
    entries = record(witnessed)["entries"]
    review = of_the_round(entries)
    seen = {str(at): each for at, each in enumerate(entries) if kind(each) in OUTSIDERS}
    assert len(seen) == 2 * len(OUTSIDERS)
    for at, removed in enumerate(subsets(("round", *seen))):
        gone = [seen[each] for each in removed & seen.keys()] + (review if "round" in removed else [])
        due = Answer.COMMITMENT_ONLY if "round" in removed else Answer.VERIFIED
        assert stripped(witnessed, tmp_path / str(at), gone) is due, removed


@pytest.mark.slow
def test_the_files_of_outsiders_can_be_taken_out(witnessed: Path, tmp_path: Path) -> None:
    files = [str(each.relative_to(witnessed)) for name in ("stamps", "log") for each in (witnessed / name).iterdir()]
    assert len(files) == 2 * 2 * len(OUTSIDERS)
    for at, removed in enumerate(subsets(files)):
        assert stripped(witnessed, tmp_path / str(at), (), removed) is Answer.VERIFIED, removed
