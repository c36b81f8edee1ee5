"""`simulate`, `status`, `copy` and `demo`, as they are typed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger.examining import examine, open_reader
from ledger.store import Store
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from tests.support.corpora import QUERY
from tests.support.matters import start

TALLYSTICK = Path(sys.executable).with_name("tallystick")
OPTIONS = {
    "--responsive": "responsive",
    "--protocol": "label",
    "--rounds": "2",
    "--batch": "20",
    "--query": QUERY,
    "--alice": "hiding:0.5:random",
}
TOTALS = {
    "documents", "responsive", "reviewed", "revealed", "found", "nrd", "recall", "disputes", "alice_errors",
    "certificates", "validations", "ended", "in_camera", "rounds",
}  # fmt: skip
ROW = {
    "round", "sort", "responsive", "found", "nrd", "recall", "threshold_rank", "report_error", "sampled", "compelled",
}  # fmt: skip


def simulate(corpus: Path, out: Path, **changed: str | None) -> Result:
    options = OPTIONS | {f"--{name}": value for name, value in changed.items()}
    words = [word for name, value in options.items() if value is not None for word in (name, value)]
    return CliRunner().invoke(main, ["simulate", str(corpus), *words, "--out", str(out)])


@pytest.fixture(scope="module")
def matter(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matter") / "one.matter"
    assert simulate(small_corpus.path, path).exit_code == 0
    return path


def test_a_simulation_ends_with_a_table_by_round_and_the_claims(small_corpus: Corpus, tmp_path: Path) -> None:
    found = simulate(small_corpus.path, tmp_path / "matter")
    assert found.exit_code == 0
    for words in (
        "round",
        "recall",
        "Reviewed 40 documents of 300 in 2 rounds",
        "Of the reviewed documents, Bob is missing at most",
        "Nothing is proven about the 260 documents that nobody has reviewed",
    ):
        assert words in found.output
    assert "true recall" in found.output
    assert "the matter is closed" in found.output


def test_status_and_simulate_print_the_same_object(small_corpus: Corpus, matter: Path) -> None:
    options = [word for pair in OPTIONS.items() for word in pair]
    again = CliRunner().invoke(main, ["simulate", str(small_corpus.path), *options, "--out", str(matter), "--json"])
    status = CliRunner().invoke(main, ["status", str(matter), "--json"])
    found: dict[str, Any] = json.loads(status.stdout)
    assert json.loads(again.stdout) == found
    assert found.keys() >= TOTALS
    certificate = {"target", "reached", "recall_at_least", "confidence", "at_most", "assumes", "does_not_cover"}
    assert found["certificates"]["reviewed"].keys() == certificate
    assert found["certificates"]["collection"].keys() == certificate | {"unreviewed"}
    assert [row["round"] for row in found["rounds"]] == [1, 2]
    assert all(row.keys() >= ROW for row in found["rounds"])


@pytest.mark.parametrize("audience", ["bob", "alice", "court", "public"])
def test_a_copy_for_each_audience_passes_the_check(matter: Path, tmp_path: Path, audience: str) -> None:
    copy = tmp_path / f"{audience}.jsonl.gz"
    found = CliRunner().invoke(main, ["copy", str(matter), "--for", audience, "--out", str(copy)])
    assert found.exit_code == 0, found.output
    assert examine(open_reader(copy)).audience == audience


def test_bobs_copy_has_no_model_and_no_name_of_an_undisclosed_document(small_corpus: Corpus, tmp_path: Path) -> None:
    copy, matter = tmp_path / "bob.jsonl", tmp_path / "matter"
    simulate(small_corpus.path, matter, batch="80", delta="0.7", alice="truthful")
    CliRunner().invoke(main, ["copy", str(matter), "--for", "bob", "--out", str(copy)])
    shown: set[str] = set()
    fields: set[str] = set()
    for opened in open_reader(copy):
        fields |= {each.field for each in opened.openings}
        shown |= {each.value["name"] for each in opened.openings if each.field == "documents"}
    assert fields == {"documents", "labels", "path", "proofs"}
    status = json.loads(CliRunner().invoke(main, ["status", str(matter), "--json"]).stdout)
    assert len(shown) == status["revealed"] < status["reviewed"]


BAD_OPTIONS: list[tuple[dict[str, str | None], int, str]] = [
    ({"delta": "2"}, 1, "between 0 and 1"),
    ({"delta": "0"}, 1, "between 0 and 1"),
    ({"delta": "much"}, 1, "plain decimal"),
    ({"k": "0"}, 1, "k is 0"),
    ({"k": "1.5"}, 2, "not a valid integer"),
    ({"rounds": "0"}, 1, "rounds is 0"),
    ({"batch": "-3"}, 1, "batch is -3"),
    ({"protocol": "trust"}, 2, "is not one of"),
    ({"responsive": "nobody"}, 1, "no document"),
    ({"responsive": None}, 2, "Missing option '--responsive'"),
    ({"query": "xyzzy"}, 1, "no document holds a term of the query"),
    ({"alice": "sly"}, 1, "write one of truthful, careless:RATE"),
    ({"alice": "careless:2"}, 1, "not a share from 0 to 1"),
    ({"alice": "hiding:0.5:up"}, 1, "is not known"),
    ({"bob": "wrong:0.1"}, 1, "write one of truthful, careless:RATE, vexatious"),
    ({"court": "careless:0.1"}, 1, "write one of right, wrong:RATE"),
]


@pytest.mark.parametrize(("changed", "code", "reason"), BAD_OPTIONS)
def test_a_bad_option_is_explained_and_nothing_is_written(
    small_corpus: Corpus, tmp_path: Path, changed: dict[str, str | None], code: int, reason: str
) -> None:
    found = simulate(small_corpus.path, tmp_path / "matter", **changed)
    assert (found.exit_code, (tmp_path / "matter").exists()) == (code, False), found.output
    assert reason in found.output


def test_more_rounds_than_documents_end_when_all_are_reviewed(small_corpus: Corpus, tmp_path: Path) -> None:
    found = simulate(small_corpus.path, tmp_path / "matter", rounds="9", batch="90")
    assert found.exit_code == 0
    assert "Reviewed 300 documents of 300" in found.output


def test_a_changed_corpus_is_refused_and_the_matter_is_as_it_was(small_corpus: Corpus, tmp_path: Path) -> None:
    corpus, matter = tmp_path / "corpus", tmp_path / "matter"
    shutil.copytree(small_corpus.path, corpus)
    assert simulate(corpus, matter).exit_code == 0
    before = matter.read_bytes()
    terms = corpus / "terms.bin"
    terms.write_bytes(terms.read_bytes().swapcase())
    found = simulate(corpus, matter)
    assert found.exit_code == 1
    assert "terms.bin" in found.output
    assert matter.read_bytes() == before


def test_a_real_matter_needs_trents_key_for_a_copy(written: Path, tmp_path: Path, matter: Path) -> None:
    found = CliRunner().invoke(
        main, ["copy", str(matter), "--for", "bob", "--key", str(written / "plain"), "--out", str(tmp_path / "copy")]
    )
    assert found.exit_code == 1
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("command", ["status", "copy"])
def test_what_is_no_matter_is_refused(tmp_path: Path, command: str) -> None:
    path = tmp_path / "file"
    path.write_text("hello")
    more = ["--for", "bob", "--out", str(tmp_path / "copy")] if command == "copy" else []
    found = CliRunner().invoke(main, [command, str(path), *more])
    assert found.exit_code == 1
    assert "Traceback" not in found.output


@pytest.mark.slow
def test_the_installed_command_writes_the_same_bytes_in_one_process_or_several(
    small_corpus: Corpus, matter: Path, tmp_path: Path
) -> None:
    copies = []
    for path in (matter, tmp_path / "again.matter"):
        words = [word for pair in OPTIONS.items() for word in pair]
        for _ in range(2):  # the second time there is nothing left to do
            subprocess.run(
                [TALLYSTICK, "simulate", small_corpus.path, *words, "--out", path], check=True, capture_output=True
            )
        copy = tmp_path / f"{path.stem}.jsonl"
        subprocess.run([TALLYSTICK, "copy", path, "--for", "court", "--out", copy], check=True, capture_output=True)
        copies.append(copy.read_bytes())
    assert copies[0] == copies[1]


@pytest.mark.slow
def test_the_demo_goes_from_nothing_to_three_matters(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    found = CliRunner().invoke(main, ["demo", "--out", str(out)])
    assert found.exit_code == 0, found.output
    for protocol in ("reveal-all", "label", "classifier"):
        assert protocol in found.output
        for audience in ("bob", "alice", "court", "public"):
            assert examine(open_reader(out / f"{protocol}-{audience}.jsonl")).cosigned
            assert re.search(rf"{protocol}-{audience}.jsonl +VERIFIED\n", found.output)
    assert "UNDECIDED" in found.output
    assert "V17 claims" in found.output
    assert "What to look at next" in found.output
    again = CliRunner().invoke(main, ["demo", "--out", str(out)])
    assert again.exit_code == 1
    assert "exists already" in again.output


def test_a_copy_never_replaces_a_file_least_of_all_the_matter(matter: Path, tmp_path: Path) -> None:
    twin, other = tmp_path / "twin.matter", tmp_path / "notes.txt"
    shutil.copy(matter, twin)
    other.write_text("mine")
    before = twin.read_bytes()
    for out in (twin, other, tmp_path / "twin.matter-wal", tmp_path / "twin.matter-shm"):
        found = CliRunner().invoke(main, ["copy", str(twin), "--for", "bob", "--out", str(out)])
        assert found.exit_code == 1
        assert "choose another name" in found.output
    assert (twin.read_bytes(), other.read_text()) == (before, "mine")


@pytest.mark.parametrize("command", ["status", "copy"])
def test_a_matter_without_entries_is_told_as_such(tmp_path: Path, command: str) -> None:
    Store.create(tmp_path / "matter").close()
    more = ["--for", "bob", "--out", str(tmp_path / "copy")] if command == "copy" else []
    found = CliRunner().invoke(main, [command, str(tmp_path / "matter"), *more])
    assert found.exit_code == 1
    assert "has no entries" in found.output


def test_before_a_round_is_closed_nothing_is_claimed(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run.step()
    found = CliRunner().invoke(main, ["status", str(tmp_path / "matter")])
    assert "No round is closed yet; nothing can be claimed." in found.output
    assert "missing at most" not in found.output


def test_a_bound_whose_assumption_was_switched_off_is_not_claimed(small_corpus: Corpus, tmp_path: Path) -> None:
    assert "prove nothing here" in simulate(small_corpus.path, tmp_path / "one", bob="careless:0.5").output
    assert "prove nothing here" not in simulate(small_corpus.path, tmp_path / "two").output


def test_a_matter_can_be_read_by_its_owner_only(matter: Path) -> None:
    assert matter.stat().st_mode & 0o077 == 0


def test_an_interrupted_simulation_says_so_and_goes_on(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("protocol.simulation.run.Run.step", interrupt)
        found = simulate(small_corpus.path, tmp_path / "matter")
    assert found.exit_code == 1
    assert "interrupted; nothing was left half done. Run the same command again" in found.output
    assert simulate(small_corpus.path, tmp_path / "matter").exit_code == 0
