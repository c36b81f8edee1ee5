"""What an exhibit leaves out nobody is blamed for; what a party signed within it, that party answers for."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from ledger.entries import Addition
from protocol.corpus.corpus import Corpus
from protocol.matter import summary, terms
from protocol.simulation import run as simulation
from tests.support import corpora, matters
from tests.support.exhibits import cut, record, rewrite
from tests.support.forging.running import CheatingRun, plan, play
from tests.support.scripted import ScriptedRun
from verifier import exhibit
from verifier.checks import Check, Role
from verifier.exhibit import Answer, files
from verifier.exhibit import replay as exhibit_replay
from verifier.exhibit.parts import Parts, opening, split
from verifier.exhibit.pieces import Pieces
from verifier.exhibit.replay import RoundReplay
from verifier.findings import Damaged

AGREED: dict[str, Any] = {"rounds": 3, "batch": 10, "delta": "0.6", "k": 1, "query": corpora.QUERY}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small", documents=60, responsive=25)


class AmendingRun(ScriptedRun):
    """All agree on five rounds while the first is open, and on three again while the second is."""

    def _propose(self) -> bool:
        rounds = len(self.state.rounds)
        if self.state.current is None or rounds > 2 or self.seen["amend"] >= rounds:
            return super()._propose()
        self.desk.amend(5 if rounds == 1 else 3)
        return True


@pytest.fixture(scope="module")
def matter(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matters") / "amended"
    agreed = terms.terms(protocol="label", **AGREED)
    played = simulation.plan(corpus, agreed, label="responsive", seed="1", **matters.PLAYERS)
    with AmendingRun(corpus, played, path) as run:
        run.run()
    return path


@pytest.fixture
def folder(matter: Path, corpus: Corpus, tmp_path: Path) -> Path:
    """The exhibit of a document of the second round, with an amendment, a silence and a new key in it."""
    return cut(matter, corpus, summary.read(matter).rounds[1].places[0].document, tmp_path / "second")


def taken_apart(folder: Path) -> Parts:
    found = files.read_record(folder)
    pieces = Pieces(found)
    size, first = pieces.read().state.size, opening(pieces.told)
    return split(found, first, pieces.told[len(first) :], size)


def test_amendments_within_the_round_are_no_hindrance(folder: Path) -> None:
    kinds = {each["entry"]["body"]["statement"]["kind"] for each in record(folder)["entries"]}
    assert {"amend", "rekey", "default", "order", "claim"} <= kinds
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED, (judgement.trouble, judgement.findings)


@pytest.mark.parametrize(("kind", "changed"), [("rekey", {"role": "court"}), ("amend", {"limit": "2"})])
def test_what_rests_on_earlier_entries_is_not_judged(folder: Path, kind: str, changed: dict[str, Any]) -> None:
    whole = taken_apart(folder)
    asked = next(each for each in whole.reviews[0].entries if each.entry.said.kind == kind)
    asked.entry.said.content.update(changed)
    replay = RoundReplay()
    assert replay.open(whole.opening)
    with pytest.raises(Damaged, match="rests on what came before the round"):
        replay.review(whole.reviews[0])
    assert not replay.tally.findings


def test_an_amendment_of_a_round_may_rest_on_earlier_entries(folder: Path) -> None:
    whole = taken_apart(folder)
    asked = next(each.entry for each in whole.reviews[0].entries if each.entry.said.kind == "amend")
    object.__setattr__(asked.said, "round", 2)
    replay = RoundReplay()
    assert replay.open(whole.opening)
    with pytest.raises(Damaged, match=f"entry {asked.body.sequence} rests on what came before the round"):
        replay.review(whole.reviews[0])


@pytest.mark.parametrize("kind", ["batch", "closed"])
def test_an_entry_of_another_round_is_trents_fault(matter: Path, corpus: Corpus, tmp_path: Path, kind: str) -> None:
    first = summary.read(matter).rounds[0].places[0].document
    whole = taken_apart(cut(matter, corpus, first, tmp_path / "first"))
    said = next(each.entry.said for each in whole.reviews[0].entries if each.entry.said.kind == kind)
    object.__setattr__(said, "round", said.round + 1)
    replay = RoundReplay()
    assert replay.open(whole.opening)
    assert replay.review(whole.reviews[0]) is None
    assert [(each.check, each.party) for each in replay.tally.findings] == [(Check.ORDER, Role.TRENT)]


def test_where_the_numbers_of_a_draw_differ_nobody_is_blamed(folder: Path) -> None:
    review = taken_apart(folder).reviews[0]
    number = exhibit_replay.first_draw(review)
    assert number is not None
    report = next(each for each in review.entries if each.entry.said.kind == "report")
    report.entry.said.content["draw"] = number + 1
    with pytest.raises(Damaged, match="do not agree on the draws' numbers"):
        exhibit_replay.first_draw(review)


def with_false_links(folder: Path, kinds: tuple[str, ...]) -> tuple[Parts, RoundReplay]:
    """The exhibit, in which all entries of these kinds have a link of no chain, ready to be replayed."""
    whole = taken_apart(folder)
    for each in whole.reviews[0].entries:
        if each.entry.said.kind in kinds and each.entry.said.content.get("link") is not None:
            each.entry.said.content["link"] = "11" * 32
    replay = RoundReplay()
    assert replay.open(whole.opening)
    return whole, replay


@pytest.mark.parametrize(("kinds", "party"), [(("report", "closed"), Role.ALICE), (("closed",), Role.TRENT)])
def test_the_first_false_link_blames_its_signer(folder: Path, kinds: tuple[str, ...], party: Role) -> None:
    whole, replay = with_false_links(folder, kinds)
    assert replay.review(whole.reviews[0]) is None
    assert [(each.check, each.party) for each in replay.tally.findings] == [(Check.COINS, party)]


def test_a_false_link_in_an_order_blames_nobody_since_the_court_states_no_number(folder: Path) -> None:
    whole, replay = with_false_links(folder, ("order",))
    with pytest.raises(Damaged, match="has a link that is not for the draw under way"):
        replay.review(whole.reviews[0])
    assert not replay.tally.findings


def test_what_is_wrong_before_a_false_link_is_found_before_it(folder: Path) -> None:
    whole, replay = with_false_links(folder, ("report",))
    first = whole.reviews[0].first.entry
    first.said.content["size"] += 1
    assert replay.review(whole.reviews[0]) is None
    found = [(each.check, each.entry) for each in replay.tally.findings]
    assert found == [(Check.BATCHES, first.body.sequence)]


def test_a_draw_that_the_terms_do_not_have_blames_nobody(folder: Path) -> None:
    whole, replay = with_false_links(folder, ())
    for each in whole.reviews[0].entries:
        if "draw" in each.entry.said.content:
            each.entry.said.content["draw"] = 10**6
    with pytest.raises(Damaged, match="begins with draw 1000000, but there are only"):
        replay.review(whole.reviews[0])


def test_a_link_that_is_not_of_its_owners_chain_is_found_without_the_rounds_before(
    corpus: Corpus, tmp_path: Path
) -> None:
    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if (said.kind, said.round) != ("report", 2):
            return None
        return run.saying(addition, link="11" * 32)

    played = plan(corpus, protocol="label", **AGREED)
    assert play(corpus, played, tmp_path / "m", change=change, last=True)
    found = [exhibit.judge(cut(tmp_path / "m", corpus, each, tmp_path / str(each))) for each in range(corpus.size)]
    rejected = [each for each in found if each.answer is Answer.REJECTED]
    assert len(rejected) == AGREED["batch"]
    for each in rejected:
        assert [(finding.check, finding.party) for finding in each.findings] == [(Check.COINS, Role.ALICE)]


def test_a_document_does_not_pass_under_anothers_story(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    places = summary.read(matter).rounds[1].places
    one, other = (cut(matter, corpus, place.document, tmp_path / place.name) for place in places[:2])
    rewrite(one, record(one) | {"document": record(other)["document"]})
    shutil.rmtree(one / "document")
    shutil.copytree(other / "document", one / "document")
    judgement = exhibit.judge(one)
    assert judgement.answer is Answer.UNDECIDED
    assert "names another document" in judgement.trouble
    assert not judgement.findings
