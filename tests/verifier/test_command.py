"""`tallystick-verify` as people use it: the installed command, its answers, exit codes and errors."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocol.corpus.corpus import Corpus
from tests.vectors import FOLDER, load
from verifier.cli import main
from verifier.plain import harmless

COMMAND = str(Path(sys.executable).parent / "tallystick-verify")
TRANSCRIPTS = FOLDER / "transcripts"
CORPUS = FOLDER / "corpora" / "plain"
BOB, COURT = TRANSCRIPTS / "valid-label-bob.jsonl", TRANSCRIPTS / "valid-label-court.jsonl"
FAULT = TRANSCRIPTS / "trent-inflates-recall.jsonl"
ENTRIES = BOB.read_bytes().count(b'"entry":{"body"')
SHOWN = sum(
    len(each["indices"])
    for line in BOB.read_bytes().splitlines()
    for each in json.loads(line).get("entry", {"body": {"releases": []}})["body"]["releases"]
    if each["field"] == "documents"
)


def run(*arguments: object, code: int = 0) -> str:
    """What the command says, in this process: a process for each would take most of the time."""
    done = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout + done.stderr


def as_json(*arguments: object, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code))


def trusted() -> dict[str, str]:
    case = next(case for case in load("transcripts.json")["cases"] if case["id"] == "valid-trusted")
    return {role: fingerprint for role, [fingerprint] in case["trust"].items()}


def trust_file(folder: Path, **changed: str) -> Path:
    path = folder / "trust.txt"
    path.write_text("".join(f"{role}  {digits}\n" for role, digits in (trusted() | changed).items()))
    return path


def test_a_verified_copy_says_what_the_verdict_covers() -> None:
    shown = run(BOB)
    assert shown.startswith(f"VERIFIED: the copy for Bob, {ENTRIES} entries, of a SIMULATION")
    assert "22 of 30 checks passed, 8 could not be made" in " ".join(shown.split())
    assert "Nothing is proven about the 26 documents that nobody has read." in " ".join(shown.split())
    assert "a SIMULATION" in shown
    assert re.search(r"V10 ranking +not checked +needs the court's copy", shown)
    assert "This verdict does not cover: V04 identities, V10 ranking" in shown
    assert "Recomputed from 2 closed rounds" in shown
    assert run("copy", BOB) == shown


def test_a_rejected_copy_names_check_entry_rule_values_and_key() -> None:
    shown = run(FAULT, code=1)
    assert shown.startswith("REJECTED")
    for part in ("V17 claims, entry", "Rule      Trent claims the numbers", "Expected  found", "Found     found"):
        assert part in shown
    assert re.search(r"Signed +with the key [0-9 ]+\s*, which the copy names as\s+that of Trent", shown)
    assert "proven about recall:" not in shown


def test_a_damaged_copy_blames_nobody() -> None:
    shown = run(TRANSCRIPTS / "damage-a-changed-byte.jsonl", code=3)
    assert shown.startswith("UNDECIDED")
    assert "Nobody is blamed" in shown
    assert "Recomputed" not in shown


def test_json_has_the_whole_verdict() -> None:
    found = as_json(FAULT, code=1)
    assert (found["verdict"], found["exit_code"]) == ("rejected", 1)
    (finding,) = found["findings"]
    assert (finding["check"], finding["party"], finding["identity"]) == ("V17", "trent", "not checked")
    assert finding["key"] == found["keys"]["trent"]["fingerprint"]
    assert found["blamed"] == [{"role": "trent", "key": finding["key"], "identity": "not checked"}]
    assert [check["check"] for check in found["checks"]] == [f"V{number:02}" for number in range(1, 34)]
    good = as_json(COURT, "--corpus", CORPUS)
    assert {check["check"]: check["outcome"] for check in good["checks"] if check["outcome"] != "pass"} == {
        "V04": "not checked",
        "V23": "not checked",
        "V32": "not checked",
        "V33": "not checked",
    }
    assert good["claims"]["found"] == sum(each["found"] for each in good["rounds"])
    assert good["copy"]["simulation"] is True


def test_the_public_copys_bound_is_unknown_rather_than_zero() -> None:
    found = as_json(TRANSCRIPTS / "valid-label-public.jsonl")
    assert found["certificates"]["reviewed"]["at_most"] is None
    assert found["certificates"]["collection"]["at_most"] is None
    shown = " ".join(run(TRANSCRIPTS / "valid-label-public.jsonl").split())
    assert "Alice's labels are sealed in this copy." in shown
    assert "% confidence" not in shown


@pytest.mark.parametrize("name", ["valid-label-public.jsonl", "valid-validated-public.jsonl.gz"])
def test_the_public_copy_tells_what_trent_claims_and_that_it_is_not_checked(name: str) -> None:
    stated = _stated(TRANSCRIPTS / name)
    told = " ".join(run(TRANSCRIPTS / name).split())
    found = as_json(TRANSCRIPTS / name)["certificates"]["reviewed"]
    claimed = found["claimed_by_trent_not_checked"]
    assert claimed["at_most"] == stated["at_most"] > 0
    assert claimed["recall_at_least"] == pytest.approx(stated["found"] / (stated["found"] + stated["at_most"]))
    assert claimed["reached"] is stated["reached"]
    assert found["at_most"] is found["recall_at_least"] is found["reached"] is None
    assert claimed["said"] in told
    assert re.search(r"^Trent claims at least [0-9.]+ %.*; this copy cannot check that\.$", claimed["said"])


def _stated(path: Path) -> Any:
    """The certificate of the reviewed, as the claims state it."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    said = [json.loads(line)["entry"]["body"]["statement"] for line in data.splitlines() if b'"kind":"claims"' in line]
    return said[0]["content"]["certificates"]["reviewed"]


def test_explain_is_in_words() -> None:
    shown = run(BOB, "--explain")
    assert "a neutral, Trent, had 40 documents of Alice's reviewed for Bob" in shown
    assert "V13  Was Bob shown just what the rule and the coins say, wave by wave? Yes (2 rounds)." in shown
    fault = run(FAULT, "--explain", code=1)
    assert "What is wrong (V17)." in fault
    assert "nobody without that key could have made it" in " ".join(fault.split())


def test_trusted_fingerprints_make_keys_people(tmp_path: Path) -> None:
    path = trust_file(tmp_path)
    found = as_json(BOB, "--trust", path)
    assert {each["identity"] for each in found["keys"].values()} == {"confirmed"}
    assert next(check for check in found["checks"] if check["check"] == "V04")["outcome"] == "pass"
    assert "was not checked." not in run(BOB, "--trust", path)


def test_a_key_that_is_not_the_trusted_one_rejects_and_blames_nobody(tmp_path: Path) -> None:
    path = trust_file(tmp_path, trent="00000 " * 8)
    found = as_json(BOB, "--trust", path, code=1)
    assert found["blamed"] == []
    assert found["findings"][0]["check"] == "V04"
    shown = run(FAULT, "--trust", path, code=1)
    assert "is NOT that of Trent as you know it: Trent is not blamed" in " ".join(shown.split())


def test_a_trust_file_may_name_some_and_hold_comments(tmp_path: Path) -> None:
    path = tmp_path / "trust.txt"
    path.write_bytes(b"\xef\xbb\xbf# told by telephone\r\n\r\nTrent: " + trusted()["trent"].encode() + b"  # yes\r\n")
    found = as_json(BOB, "--trust", path)
    assert found["keys"]["trent"]["identity"] == "confirmed"
    assert found["keys"]["alice"]["identity"] == "not checked"
    assert "no fingerprint of alice, bob, court" in run(BOB, "--trust", path)


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"# nobody\n",
        b"mallory " + b"1" * 40,
        b"alice 123",
        b"alice",
        b"\xff\xfe\x00",
        b"bob " + b"x" * 40,
        (b"bob " + b"1" * 40 + b"\n") * 2,
    ],
)
def test_a_trust_file_that_says_nothing_is_wrong_usage(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "trust.txt"
    path.write_bytes(written)
    shown = run(BOB, "--trust", path, code=2)
    assert "Usage:" in shown
    assert "Error:" in shown


def handed(folder: Path, copy: Path = BOB) -> Path:
    """The documents that Bob was given, under names of their own."""
    corpus = Corpus.open(CORPUS)
    shown: set[int] = set()
    for line in copy.read_bytes().splitlines():
        opened = json.loads(line).get("openings", {}).get("documents", {"values": []})
        shown.update(value["document"] for value in opened["values"])
    files = folder / "handed"
    files.mkdir()
    for place, document in enumerate(sorted(shown)):
        (files / f"{place}.txt").write_bytes(corpus.content(document))
    return files


def test_the_files_that_bob_was_handed_are_the_disclosed_documents(tmp_path: Path) -> None:
    files = handed(tmp_path)
    assert re.search(rf"V23 handed documents +pass +{SHOWN} files", run(BOB, "--documents", files))


def test_of_the_questions_that_bob_was_handed_only_the_documents_count(tmp_path: Path) -> None:
    files = handed(tmp_path)
    received = tmp_path / "received"
    question = received / "1-labels-for-bob"
    question.mkdir(parents=True)
    files.rename(question / "documents")
    for name in ("question.json", "README.txt", "labels.csv"):
        (question / name).write_text("not a document")
    assert re.search(rf"V23 handed documents +pass +{SHOWN} files", run(BOB, "--documents", received))
    (question / "documents" / "0.txt").write_text("something else")
    (received / "beside.txt").write_text("something else")
    (finding,) = as_json(BOB, "--documents", received, code=1)["findings"]
    assert finding["found"].startswith("other content in 1-labels-for-bob/documents/0.txt, beside.txt")


def test_a_file_that_was_never_disclosed_rejects_and_blames_nobody(tmp_path: Path) -> None:
    files = handed(tmp_path)
    (files / "0.txt").write_text("something else")
    found = as_json(BOB, "--documents", files, code=1)
    (finding,) = found["findings"]
    assert (finding["check"], finding["party"]) == ("V23", None)
    assert "0.txt" in finding["found"]
    assert "nobody is blamed" in run(BOB, "--documents", files, code=1)


def test_a_disclosed_document_without_a_file_is_not_checked(tmp_path: Path) -> None:
    files = handed(tmp_path)
    for path in files.iterdir():  # every text stands twice in this corpus
        path.unlink()
    found = as_json(BOB, "--documents", files)
    check = next(each for each in found["checks"] if each["check"] == "V23")
    assert check["outcome"] == "not checked"
    assert "no file in" in check["reason"]


def test_documents_need_a_copy_that_proves_some(tmp_path: Path) -> None:
    found = as_json(TRANSCRIPTS / "valid-label-public.jsonl", "--documents", handed(tmp_path))
    assert "proves no disclosed documents" in next(each for each in found["checks"] if each["check"] == "V23")["reason"]


def test_a_corpus_that_is_another_one_is_undecided() -> None:
    shown = run(COURT, "--corpus", FOLDER / "corpora" / "wrong-row", code=3)
    assert "is damaged, or is not the corpus of this matter" in " ".join(shown.split())
    assert re.search(r"V10 ranking +not checked", shown)


def test_a_folder_that_is_no_corpus_is_undecided(tmp_path: Path) -> None:
    shown = run(COURT, "--corpus", tmp_path, code=3)
    assert "UNDECIDED" in shown


def test_compressed_copies_are_read(tmp_path: Path) -> None:
    path = tmp_path / "bob.jsonl.gz"
    path.write_bytes(gzip.compress(BOB.read_bytes()))
    assert run(path).startswith("VERIFIED")
    path.write_bytes(gzip.compress(BOB.read_bytes())[:-2000])
    assert "cut short" in run(path, code=3)


OTHER_FILES = {
    b"SQLite format 3\0" + bytes(100): "cut a copy of it with `tallystick copy`",
    b"%PDF-1.7": "a PDF",
    b"PK\x03\x04": "a ZIP archive",
    b"-----BEGIN PRIVATE KEY-----": "a key file",
    b"hello\n": "does not look like a copy that Trent handed out",
    b'{"id":1,"text":"x"}\n': "does not look like a copy that Trent handed out",
    b"": "the file is empty",
}


@pytest.mark.parametrize("data", OTHER_FILES, ids=lambda data: repr(data[:8]))
def test_a_file_that_is_no_copy_is_told_what_it_looks_like(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert OTHER_FILES[data] in " ".join(run(path, code=3).split())


def test_wrong_usage_has_exit_code_2(tmp_path: Path) -> None:
    both = [BOB, "--json", "--explain"]
    wrong: tuple[list[object], ...] = (
        ["missing.jsonl"],
        [tmp_path],
        [BOB, "--nonsense"],
        [BOB, "--corpus", BOB],
        ["compare", BOB],
        both,
        [],
    )
    for arguments in wrong:
        shown = run(*arguments, code=2)
        assert "Usage:" in shown


def test_an_answer_that_cannot_be_written_or_was_interrupted_is_no_rejection(tmp_path: Path) -> None:
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([COMMAND, str(BOB)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    script = (
        "import os, signal; from verifier import cli; from verifier.commands import copy; "
        "copy.verify = lambda *a, **k: os.kill(os.getpid(), signal.SIGINT); cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(BOB)], capture_output=True, text=True, check=False)
    assert (done.returncode, "nothing was decided" in done.stderr) == (3, True)


def test_systems_own_files_among_the_documents_are_passed_over(tmp_path: Path) -> None:
    files = handed(tmp_path)
    (files / ".DS_Store").write_bytes(b"x")
    assert run(BOB, "--documents", files).startswith("VERIFIED")


def test_a_fingerprint_may_be_pasted_as_a_verdict_prints_it(tmp_path: Path) -> None:
    path = tmp_path / "trust.txt"
    shown = run(BOB)
    path.write_text("".join(line + "\n" for line in shown.splitlines() if "(not checked)" in line))
    assert {each["identity"] for each in as_json(BOB, "--trust", path)["keys"].values()} == {"confirmed"}


def test_rows_alone_are_no_proof_of_the_features_where_the_term_table_is_sealed() -> None:
    found = as_json(BOB, "--corpus", CORPUS)
    check = next(each for each in found["checks"] if each["check"] == "V22")
    assert (check["outcome"], check["items"]) == ("not checked", 40)


def test_help_and_version() -> None:
    assert "\\b" not in run("--help")
    assert "tallystick-verify compare A B" in run("--help")
    assert "--trust FILE" in run("copy", "--help")
    assert "Exit codes: 0 all that this copy" in run(BOB, "--help")
    assert run("--version").startswith("tallystick-verify, version")


def test_comparing_shows_one_history_or_proves_two(tmp_path: Path) -> None:
    assert run("compare", BOB, COURT).startswith(f"SAME HISTORY: both copies hold the same {ENTRIES} entries.")
    other = TRANSCRIPTS / "two-histories-alice.jsonl"
    shown = " ".join(run("compare", BOB, other, code=1).split())
    assert f"TWO HISTORIES: Trent signed two different entries {ENTRIES - 1} of one matter." in shown
    assert "whose keys anyone can derive" in shown
    found = as_json("compare", BOB, other, "--trust", trust_file(tmp_path), code=1)
    assert found["blamed"][0]["identity"] == "confirmed"
    assert len({each["signature"] for each in found["proof"]}) == 2
    stranger = trust_file(tmp_path, trent="1" * 40)
    assert as_json("compare", BOB, other, "--trust", stranger, code=1)["blamed"] == []
    assert "not signed with the key that you trust as Trent's" in run(
        "compare", BOB, COURT, "--trust", stranger, code=3
    )
    nameless = tmp_path / "nameless.txt"
    nameless.write_text(f"alice {trusted()['alice']}\n")
    assert "does not name trent" in run("compare", BOB, COURT, "--trust", nameless, code=2)


def test_comparing_undecided_copies_says_why() -> None:
    assert "different keys as Trent's" in " ".join(
        run("compare", BOB, TRANSCRIPTS / "valid-classifier-bob.jsonl", code=3).split()
    )
    assert "damaged" in run("compare", BOB, TRANSCRIPTS / "damage-cut-short.jsonl", code=3)
    said = run("compare", BOB, TRANSCRIPTS / "trent-states-another-head.jsonl", code=3)
    assert "breaks V02" in " ".join(said.split())  # where a line ends depends on the folder's name


def test_what_a_record_says_cannot_move_a_terminals_cursor(tmp_path: Path) -> None:
    path = tmp_path / "copy.jsonl"
    path.write_bytes(b'{"\x1b[2JVERIFIED":1}\n')
    assert "\x1b" not in run(path, code=3)
    assert harmless("a\x1b[2J\u202eb\u0085c\nd\u00e9") == "a\ufffd[2J\ufffdb\ufffdc\nd\u00e9"


def test_output_reaches_a_terminal_without_unicode() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run([COMMAND, str(BOB), "--explain"], capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    done.stdout.decode("ascii")


def test_progress_is_shown_where_somebody_looks() -> None:
    if shutil.which("script") is None:
        pytest.skip("no `script` to make a terminal")
    at_once = "from verifier import cli, display; display._PATIENCE = display._PAUSE = 0; cli.main()"
    command = f"{sys.executable} -c '{at_once}' {COURT} --corpus {CORPUS} > /dev/null"
    done = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for stage in ("Reading the copy", "Checking the commitment", "Recomputing features"):
        assert stage in done.stdout
    quiet = subprocess.run(["script", "-qec", f"{command} --quiet", "/dev/null"], capture_output=True, check=False)
    assert (quiet.returncode, quiet.stdout) == (0, b"")


_PEAK = """
import re, sys
from pathlib import Path
from verifier.verification import verify
assert verify(Path(sys.argv[1])).answer == "verified"
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_rounds(tmp_path: Path) -> None:
    """Beyond the few numbers of each round that the replay needs."""
    tallystick = str(Path(sys.executable).parent / "tallystick")

    def made(*arguments: object) -> None:
        subprocess.run([tallystick, *map(str, arguments)], check=True, capture_output=True)

    made("corpus", "synth", "--documents", 3000, "--responsive", 150, "--out", tmp_path / "mail.jsonl")
    made("corpus", "build", tmp_path / "mail.jsonl", "--out", tmp_path / "corpus")
    peaks = []
    for rounds in (20, 120):
        matter, copy = tmp_path / f"{rounds}.matter", tmp_path / f"{rounds}.jsonl"
        options = ["--responsive", "responsive", "--protocol", "label", "--rounds", rounds, "--batch", 20]
        made("simulate", tmp_path / "corpus", *options, "--query", "prepay", "--out", matter)
        made("copy", matter, "--for", "bob", "--out", copy)
        run_ = subprocess.run([sys.executable, "-c", _PEAK, str(copy)], check=True, capture_output=True, text=True)
        peaks.append(int(run_.stdout))
    assert peaks[1] < peaks[0] + 5 * 1024, peaks  # KiB


def test_the_page_is_written_whole_with_its_hash(tmp_path: Path) -> None:
    out = tmp_path / "verify.html"
    result = CliRunner().invoke(main, ["page", "--out", str(out)])
    assert result.exit_code == 0
    assert result.output == f"{hashlib.sha256(out.read_bytes()).hexdigest()}  {out}\n"
    assert out.read_bytes().startswith(b"<!doctype html>")


def test_the_page_replaces_no_file(tmp_path: Path) -> None:
    out = tmp_path / "verify.html"
    out.write_text("mine")
    result = CliRunner().invoke(main, ["page", "--out", str(out)])
    assert result.exit_code == 2
    assert "exists, and is left as it is" in result.output
    assert out.read_text() == "mine"
