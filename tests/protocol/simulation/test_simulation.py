"""A simulated matter is played by the rules, repeats itself to the byte, and goes on wherever it stopped."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.errors import Refused
from ledger.examining import examine, open_reader
from ledger.keys import PublicKey
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus import leaves
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus, BadTerms
from protocol.learning.cal import query_weights
from protocol.matter import summary, terms
from protocol.matter.kinds import claims
from protocol.simulation import run as simulation
from tests.support import corpora, paper_rules
from tests.support.corpora import QUERY
from tests.support.matters import court_copy, overheard, start

EVERY = pytest.mark.parametrize("protocol", paper_rules.NAMES)


def played(corpus: Corpus, path: Path, **options: Any) -> dict[str, Any]:
    with start(corpus, path, **options) as run:
        return summary.summary(run.run())


@EVERY
def test_the_same_simulation_writes_the_same_bytes(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    for name in ("one", "two"):
        played(small_corpus, tmp_path / name, protocol=protocol)
    assert court_copy(tmp_path / "one") == court_copy(tmp_path / "two")


def test_no_two_simulations_share_a_key(small_corpus: Corpus, tmp_path: Path) -> None:
    keys: list[PublicKey] = []
    changes: list[dict[str, Any]] = [{}, {"protocol": "classifier"}, {"k": 2}, {"players": {"bob": "truthful"}}]
    for number, changed in enumerate(changes):
        played(small_corpus, tmp_path / str(number), rounds=1, **changed)
        keys += summary.read(tmp_path / str(number)).opening.keys.values()
    assert len(set(keys)) == len(keys) == 16


def test_another_seed_is_another_matter(small_corpus: Corpus, tmp_path: Path) -> None:
    matters = {played(small_corpus, tmp_path / seed, seed=seed)["matter"] for seed in ("1", "2")}
    assert len(matters) == 2


@EVERY
def test_a_matter_goes_on_from_every_entry(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    whole = tmp_path / "whole"
    played(small_corpus, whole, protocol=protocol, rounds=2)
    path = tmp_path / "matter"
    steps = 0
    while True:  # one entry a process, as it were: each is added by an engine that has read all others from the file
        with start(small_corpus, path, protocol=protocol, rounds=2) as run:
            if not run.step():
                run.run()
                break
        steps += 1
    assert steps == summary.read(whole).size - 1
    assert court_copy(path) == court_copy(whole)


def test_a_matter_with_other_options_is_not_gone_on_with(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter", rounds=1)
    before = court_copy(tmp_path / "matter")
    with pytest.raises(Refused, match="other options"):
        start(small_corpus, tmp_path / "matter", rounds=2)
    assert court_copy(tmp_path / "matter") == before


def test_a_corpus_that_changed_after_the_matter_was_opened_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run.step()
    other = corpora.make(tmp_path / "other", seed="another")
    with pytest.raises(BadCorpus, match="not the corpus that the matter was opened with"):
        start(other, tmp_path / "matter")
    with start(small_corpus, tmp_path / "matter") as run:
        assert summary.summary(run.run())["reviewed"]


def test_all_that_is_stored_passes_the_ledgers_own_check(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter")
    found = examine(open_reader(tmp_path / "matter"))
    assert found.cosigned == found.size
    court_copy(tmp_path / "matter")
    assert examine(open_reader(tmp_path / "matter.court.jsonl")).size == found.size


def test_every_disclosed_document_opens_its_leaf_of_the_corpus(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter")
    state = summary.read(tmp_path / "matter")
    seen = 0
    for opened in MatterReader(tmp_path / "matter"):
        said = opened.entry.body.statement
        if said.kind == "disclosure":
            places = state.rounds[said.round - 1].places
            proofs = [each.value for each in opened.openings if each.field == "proofs"]
            (path,) = (each.value for each in opened.openings if each.field == "path")
            found = [places[position - 1] for position in said.content["positions"]]
            named = {
                place.document: (place.name, leaves.read_proof(proof))
                for place, proof in zip(found, proofs, strict=True)
            }
            assert leaves.opens(small_corpus.root, small_corpus.size, "family", named, bytes.fromhex(path))
            seen += len(named)
    assert seen == claims.claims(state).revealed > 0


def test_no_document_is_reviewed_twice_and_the_last_batch_may_be_smaller(small_corpus: Corpus, tmp_path: Path) -> None:
    found = played(small_corpus, tmp_path / "matter", rounds=50, batch=70, protocol="reveal-all")
    state = summary.read(tmp_path / "matter")
    documents = Counter(place.document for each in state.rounds for place in each.places)
    assert found["reviewed"] == len(documents) == small_corpus.size
    assert set(documents.values()) == {1}
    assert found["recall"] == 1
    assert state.rounds[-1].size < 70


def test_truthful_parties_find_the_same_with_labels_and_with_everything_revealed(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    truthful = {"alice": "truthful", "bob": "truthful", "court": "right"}
    found = {
        protocol: played(small_corpus, tmp_path / protocol, protocol=protocol, players=truthful, batch=30, rounds=6)
        for protocol in paper_rules.NAMES
    }
    batches = [
        [each.places for each in summary.read(tmp_path / protocol).rounds] for protocol in ("label", "reveal-all")
    ]
    assert batches[0] == batches[1]
    assert found["label"]["found"] == found["reveal-all"]["found"] > 0
    assert found["label"]["nrd"] < found["reveal-all"]["nrd"]
    assert found["label"]["disputes"] == 0
    assert not any(row["compelled"] for row in found["label"]["rounds"])
    assert found["reveal-all"]["certificates"]["reviewed"] == {
        "target": None,
        "reached": None,
        "confidence": 0.95,
        "at_most": 0,
        "recall_at_least": 1.0,
        "assumes": claims.ASSUMPTIONS,
        "does_not_cover": summary.REVIEWED_ONLY,
    }


def test_hiding_documents_is_found_out_and_brings_whole_batches(small_corpus: Corpus, tmp_path: Path) -> None:
    players = {"alice": "hiding:0.5:near", "bob": "truthful"}
    found = played(small_corpus, tmp_path / "matter", players=players, batch=40, rounds=4)
    compelled = [row for row in found["rounds"] if row["compelled"]]
    assert compelled
    assert found["alice_errors"] > 0
    assert all(row["revealed"] == row["reviewed"] for row in compelled)


def test_a_vexatious_bob_has_every_truthful_label_disputed(small_corpus: Corpus, tmp_path: Path) -> None:
    players = {"alice": "truthful", "bob": "vexatious"}
    found = played(small_corpus, tmp_path / "matter", players=players)
    assert found["disputes"] == found["revealed"] > 0
    assert found["alice_errors"] == 0


def test_rows_add_up_to_the_totals(small_corpus: Corpus, tmp_path: Path) -> None:
    found = played(small_corpus, tmp_path / "matter")
    for key in ("reviewed", "revealed", "found", "nrd", "disputes"):
        assert sum(row[key] for row in found["rounds"]) == found[key], key
    assert found["rounds"][-1]["recall"] == found["recall"]
    assert found["found"] + found["nrd"] == found["revealed"]


@pytest.mark.parametrize("label", ["nothing", ""])
def test_a_label_that_no_document_has_is_refused(small_corpus: Corpus, label: str) -> None:
    agreed = terms.terms(protocol="label", rounds=1, batch=10, delta="0.01", k=1)
    with pytest.raises((BadTerms, BadCorpus), match="label"):
        simulation.plan(small_corpus, agreed, label=label, seed="1", alice="truthful", bob="truthful", court="right")


def test_a_query_without_results_is_refused_and_nothing_is_written(small_corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(BadTerms, match="no document holds a term of the query"):
        start(small_corpus, tmp_path / "matter", query="xyzzy plugh")
    assert not (tmp_path / "matter").exists()


def test_without_a_query_the_first_batch_is_drawn_from_all_documents(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter", query="", rounds=3)
    first, *_ = summary.read(tmp_path / "matter").rounds
    drawn = [place.document for place in first.places]
    assert drawn != sorted(drawn)


def test_batches_are_drawn_again_while_only_one_class_is_known(small_corpus: Corpus, tmp_path: Path) -> None:
    found = played(small_corpus, tmp_path / "matter", seed="2", query="", batch=1, rounds=6, protocol="reveal-all")
    kinds = [each.entry.body.statement.kind for each in MatterReader(tmp_path / "matter")]
    one_class = next(
        number for number in range(1, 7) if 0 < sum(row["found"] for row in found["rounds"][:number]) < number
    )
    assert kinds.count("draw") == min(one_class, 6)


BAD_TERMS: list[tuple[dict[str, Any], str]] = [
    ({"delta": "0"}, "between 0 and 1"),
    ({"delta": "1"}, "between 0 and 1"),
    ({"delta": "1.5"}, "between 0 and 1"),
    ({"delta": "-0.1"}, "plain decimal"),
    ({"delta": "1e-3"}, "plain decimal"),
    ({"delta": "nan"}, "plain decimal"),
    ({"doubt": "0"}, "between 0 and 1"),
    ({"k": 0}, "k is 0"),
    ({"k": -1}, "k is -1"),
    ({"rounds": 0}, "rounds is 0"),
    ({"batch": 0}, "batch is 0"),
    ({"protocol": "trust"}, "known are spot-check, reveal-all, label, classifier"),
    ({"query": "\ud800"}, "cannot be recorded"),
]


@pytest.mark.parametrize(("changed", "reason"), BAD_TERMS)
def test_terms_that_cannot_be_run_are_refused(changed: dict[str, Any], reason: str) -> None:
    good: dict[str, Any] = {"protocol": "label", "rounds": 1, "batch": 10, "delta": "0.01", "k": 1}
    with pytest.raises(BadTerms, match=reason):
        terms.terms(**(good | changed))


def test_a_copied_matter_goes_on_like_the_original(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        for _ in range(11):
            run.step()
    shutil.copy(tmp_path / "matter", tmp_path / "twin")
    assert played(small_corpus, tmp_path / "matter") == played(small_corpus, tmp_path / "twin")


def test_a_party_is_told_what_its_copy_shows_and_no_more(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = overheard(monkeypatch)
    with start(small_corpus, tmp_path / "matter", protocol="classifier") as run:
        run.run()
    with Store.open(tmp_path / "matter") as store:
        for audience in (Audience.ALICE, Audience.BOB, Audience.COURT):
            copy = tmp_path / audience
            write_copy(store, audience, run.plan.key(Role.TRENT), copy)
            shown = {(each.field, each.salt.hex()) for opened in open_reader(copy) for each in opened.openings}
            assert told[audience] == shown


def test_a_drawn_batch_stands_in_the_order_of_the_querys_score(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter", rounds=1)
    (first,) = summary.read(tmp_path / "matter").rounds
    query = dict(enumerate(query_weights(small_corpus, QUERY).tolist()))
    scores = []
    for place in first.places:
        columns, values = small_corpus.features.row(place.document)
        score = sum(query[column] * value for column, value in zip(columns.tolist(), values.tolist(), strict=True))
        scores.append((-score, place.document))
    assert scores == sorted(scores)
    assert all(score < 0 for score, _ in scores)
