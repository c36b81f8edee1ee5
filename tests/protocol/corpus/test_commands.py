"""`tallystick corpus`: what it prints, what it refuses, and that nothing is left behind by a refusal."""

import gzip
import json
import os
import pty
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger import records
from protocol.commands.corpus import corpus
from protocol.corpus.corpus import Corpus
from protocol.errors import BadSource
from protocol.sources.intake import Intake
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import SourceDocument

PROGRAM = "from protocol.commands.corpus import corpus; corpus()"
IMPATIENT = f"from ledger import progress; progress._PATIENCE, progress._PAUSE = 0, 0.001; {PROGRAM}"

GOOD = [{"id": f"d{n}", "text": f"some words number{n}", "labels": ["x"] if n % 3 else ["x", "y"]} for n in range(12)]
BAD = ["not json", {"id": "d0", "text": "other words"}, {"id": "e", "text": "--"}, GOOD[1]]


def run(*arguments: object, code: int = 0) -> Result:
    """Run the command; whatever happens, it must end as it should and not in an error of the program."""
    result = CliRunner().invoke(corpus, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def answer(*arguments: object, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code).stdout)


def write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(tmp_path / "good.jsonl", *GOOD)


@pytest.fixture
def flawed(tmp_path: Path) -> Path:
    return write(tmp_path / "flawed.jsonl", *GOOD, *BAD)


# build


def test_a_build_says_what_it_made_and_where(good: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    shown = run("build", good, "--out", out).stdout
    made = Corpus.open(out)
    assert made.size == 12
    for line in ("Documents  12", f"Terms      {len(made.terms)}", f"Root       {made.root.hex()}"):
        assert line in shown
    assert "Labels     x 12, y 4\n" in shown
    assert "Problems   none\n" in shown
    assert shown.endswith(f"Corpus     {out}\n")


def test_a_script_gets_the_same_as_json(flawed: Path, tmp_path: Path) -> None:
    value = answer("build", flawed, "--out", tmp_path / "corpus")
    made = Corpus.open(tmp_path / "corpus")
    assert value == {
        "corpus": str(tmp_path / "corpus"),
        "documents": 14,
        "unit": "family",
        "account": json.loads(records.encode(made.account)),
        "terms": len(made.terms),
        "root": made.root.hex(),
        "oversized": 0,
        "unused": {},
        "problems": {"bad_line": 1, "empty_text": 1, "repeated_document": 1, "repeated_id": 1},
        "labels": {"x": 12, "y": 4},
    }
    counted = {"items": 17, "containers": 1, "exceptions": 1, "families": 15, "duplicates": 1, "entered": 14}
    assert value["account"].items() >= counted.items()
    assert value["account"]["reasons"] == {"bad line": 1}


def test_contents_texts_names_and_labels_are_in_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    raw = b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nX-Y: z\r\n\r\nbody\r\n"
    (tmp_path / "mail/a.eml").write_bytes(raw)
    (tmp_path / "mail/b.txt").write_bytes(b"touch\xe9")
    run("build", tmp_path / "mail", "--out", tmp_path / "corpus")
    made = Corpus.open(tmp_path / "corpus")
    found = {made.name(number): (made.content(number), made.text(number)) for number in range(made.size)}
    assert found == {
        "a.eml": (raw, "Subject: Gr\u00fc\u00dfe\n\nbody\n"),
        "b.txt": (b"touch\xe9", "touch\u00e9"),
    }
    extraction = {made.name(number): made.fields(number).rest.extraction for number in range(made.size)}
    assert all(each.tool.startswith("tallystick ") for each in extraction.values())
    assert "cp1252" in extraction["b.txt"].options


def test_problems_are_counted_shown_and_listed_in_the_report(flawed: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    shown = run("build", flawed, "--out", out).stdout
    assert "1 bad line (left out), 1 empty text (kept), 1 repeated document (left out), 1 repeated id (kept)" in shown
    assert "line 13: bad line: not JSON" in shown
    assert "report.json" not in shown  # all of them are shown
    report = json.loads((out / "report.json").read_text())
    assert report["documents"] == 14
    assert [(listed["where"], listed["cause"], listed["kept"]) for listed in report["listed"]] == [
        ("line 13", "bad_line", False),
        ("line 14", "repeated_id", True),
        ("line 15", "empty_text", True),
        ("line 16", "repeated_document", False),
    ]
    assert Corpus.open(out).size == 14


def test_of_many_problems_the_first_are_shown_and_all_are_listed(tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", GOOD[0], *("x" for _ in range(25)))
    shown = run("build", source, "--out", tmp_path / "corpus").stdout
    assert shown.count("not JSON") == 10
    assert f"and 15 more: all are listed in {tmp_path / 'corpus' / 'report.json'}" in shown
    assert len(json.loads((tmp_path / "corpus/report.json").read_text())["listed"]) == 25


def test_what_a_source_says_cannot_reach_the_terminal_as_a_command(tmp_path: Path) -> None:
    name = "\x1b[31mred\nline"
    lines = [{"id": name, "text": text, "labels": ["\x1b[0m"]} for text in ("one word", "another word")]
    shown = run("build", write(tmp_path / "s.jsonl", *lines), "--out", tmp_path / "corpus").stdout
    assert "\x1b" not in shown
    assert "Labels     \ufffd[0m 2\n" in shown
    assert "\\x1b[31mred\\nline" in shown  # quoted, as Python writes it
    assert str(Problem(where="a\x1b[31m\nb", cause=Cause.BAD_LINE, detail="x" * 999)).startswith(
        "a\ufffd[31m\ufffdb: bad"
    )


def test_strict_refuses_with_all_problems_and_leaves_nothing(flawed: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    refused = run("build", flawed, "--out", tmp_path / "corpus", "--strict", code=1).stderr
    assert "1 bad line, 1 empty text, 1 repeated document, 1 repeated id" in refused
    assert "line 16: repeated document" in refused
    value = answer("build", flawed, "--out", tmp_path / "corpus", "--strict", code=1)
    assert value["outcome"] == "refused"
    assert sorted(tmp_path.iterdir()) == before


def test_a_strict_reader_hands_out_nothing_after_the_first_problem() -> None:
    document = SourceDocument.of_one(name="a", content=b"a", text="a")
    problem = Problem(where="line 2", cause=Cause.BAD_LINE, detail="so")
    read = Intake().take([document, problem, document, problem], strict=True)
    assert next(read) is document
    with pytest.raises(BadSource, match="2 bad line"):
        next(read)


def test_strict_takes_a_source_without_problems(good: Path, tmp_path: Path) -> None:
    run("build", good, "--out", tmp_path / "corpus", "--strict")
    assert Corpus.open(tmp_path / "corpus").size == 12


def test_a_seed_makes_the_same_corpus_again_and_no_seed_never_does(good: Path, tmp_path: Path) -> None:
    roots = [
        answer("build", good, "--out", tmp_path / str(number), *options)["root"]
        for number, options in enumerate([["--seed", "a"], ["--seed", "a"], ["--seed", "b"], [], []])
    ]
    assert roots[0] == roots[1]
    assert len(set(roots)) == 4


def test_columns_can_be_named(tmp_path: Path) -> None:
    source = tmp_path / "s.csv"
    source.write_text("No;Body;Tags\n1;one word;a; \n".replace("a; ", '"a; b"') + "2;another word;\n")
    columns = ["--id-column", "No", "--text-column", "Body", "--labels-column", "Tags"]
    assert answer("build", source, "--out", tmp_path / "corpus", *columns)["labels"] == {"a": 1, "b": 1}
    assert "--id-column" in run("build", source, "--out", tmp_path / "other", code=1).stderr


def test_of_many_labels_the_most_frequent_are_shown(tmp_path: Path) -> None:
    lines = [{"id": n, "text": "word", "labels": [f"l{m:02}" for m in range(n)]} for n in range(1, 15)]
    source = write(tmp_path / "s.jsonl", *lines)
    value = answer("build", source, "--out", tmp_path / "one")
    assert list(value["labels"].items()) == [(f"l{m:02}", 14 - m) for m in range(10)]
    assert "l09 5, and 4 more\n" in run("build", source, "--out", tmp_path / "two").stdout


def test_what_cannot_be_built_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(json.dumps({"id": n, "text": f"{n**90}"}) for n in range(900)).encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-30])
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "odd.bin").write_bytes(bytes(99))
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    for name, reason in {
        "cut.jsonl.gz": "cut short after",
        "empty.jsonl": "is empty",
        "odd.bin": "The first problem: odd.bin: other file: no reader knows this kind of file",
        "folder": "holds no document",
        "missing.jsonl": "does not exist",
    }.items():
        assert reason in run("build", tmp_path / name, "--out", tmp_path / "corpus", code=1).stderr
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_exists_is_left_alone(good: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    out.mkdir()
    (out / "mine").touch()
    assert "exists already" in run("build", good, "--out", out, code=1).stderr
    assert [path.name for path in out.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    "arguments", [["build"], ["build", "x"], ["build", "--out", "x"], ["build", "x", "y", "--out", "z"]]
)
def test_wrong_usage_has_its_own_exit_code(arguments: list[str]) -> None:
    run(*arguments, code=2)


def test_where_the_report_cannot_be_written_no_corpus_appears(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Intake, folder: Path) -> Path:
        raise OSError(28, "No space left on device", str(folder))

    monkeypatch.setattr(Intake, "write", full)
    refused = run("build", good, "--out", tmp_path / "corpus", code=1).stderr
    assert "cannot be written: the disk is full; make room, then run the command again" in refused
    assert not (tmp_path / "corpus").exists()


def test_a_report_names_every_cause_and_what_became_of_the_document() -> None:
    intake = Intake(listed=[Problem(where="here", cause=cause, detail="so") for cause in Cause])
    assert intake.counts() == {cause.value: 1 for cause in Cause}
    kept = {listed["cause"] for listed in intake.value()["listed"] if listed["kept"]}
    assert kept == {"bad_family", "broken_mail", "empty_text", "repeated_id", "undecodable", "unread_part"}
    parts = Intake(listed=[Problem(where="here", cause=cause, detail="so", in_kept=True) for cause in Cause])
    assert all(listed["kept"] for listed in parts.value()["listed"])


def test_columns_and_keys_that_are_not_used_are_listed(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("id,text,Custodian,Date\n1,one word,x,y\n2,two words,,\n")
    value = answer("build", table, "--out", tmp_path / "one")
    assert value["unused"] == {"Custodian": 2, "Date": 2}
    lines = write(tmp_path / "s.jsonl", {"id": 1, "text": "one word", "a": 1}, {"id": 2, "text": "two", "\x1b[0m": 1})
    shown = run("build", lines, "--out", tmp_path / "two").stdout
    assert "Not used   \ufffd[0m, a\n" in shown


def test_a_build_from_files_says_what_it_received_what_became_of_it_and_what_protected_it(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("some words")
    (folder / "b.bin").write_bytes(bytes(99))
    with zipfile.ZipFile(folder / "c.zip", "w") as archive:
        archive.writestr("d.txt", "other words")
    shown = run("build", folder, "--out", tmp_path / "corpus").stdout
    assert "4 items were received: 1 container, 1 exception (1 other file), 2 families; 2 documents entered\n" in shown
    assert "           files were read with limited memory, limited time" in shown
    assert "1 other file (left out)" in shown


def test_long_work_shows_how_far_it_is_in_a_terminal(good: Path, tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(
            sys.executable, [sys.executable, "-c", IMPATIENT, "build", str(good), "--out", str(tmp_path / "corpus")]
        )
    screen = b""
    while True:
        try:
            piece = os.read(terminal, 1000)
        except OSError:  # the other side has gone
            break
        if not piece:
            break
        screen += piece
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"Reading" in screen or b"Making features" in screen


# synth


def test_synth_writes_documents_that_build_into_a_corpus(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl.gz"
    shown = run("synth", "--documents", 200, "--responsive", 15, "--out", file).stdout
    assert '--query "prepay swap' in shown
    value = answer("build", file, "--out", tmp_path / "corpus", "--strict")
    assert (value["documents"], value["labels"], value["problems"]) == (200, {"responsive": 15}, {})
    assert len(Corpus.open(tmp_path / "corpus").labels("responsive")) == 15


def test_synth_repeats_itself_for_a_seed_and_only_then(tmp_path: Path) -> None:
    options = [["--seed", "a"], ["--seed", "a"], ["--seed", "b"], ["--seed", "a", "--noise", "0.5"]]
    files = []
    for number, option in enumerate(options):
        file = tmp_path / f"{number}.jsonl.gz"
        assert answer("synth", "--documents", 50, "--responsive", 9, "--out", file, *option)["responsive"] == 9
        files.append(file.read_bytes())
    assert files[0] == files[1]
    assert len(set(files)) == 3


@pytest.mark.parametrize(
    "options",
    [
        ["--documents", 9, "--responsive", 3],
        ["--documents", 10, "--responsive", 0],
        ["--documents", 10, "--responsive", 10],
        ["--documents", 10],
        ["--responsive", 3],
        ["--documents", "ten", "--responsive", 3],
        *(
            ["--documents", 10, "--responsive", 3, "--noise", noise]
            for noise in ("1.1", "-0.1", "x", "", "1e-99", "1/0")
        ),
        ["--documents", 10, "--responsive", 3, "--out", "s.csv"],
    ],
)
def test_synth_refuses_what_it_cannot_make_as_wrong_usage(options: list[object], tmp_path: Path) -> None:
    run("synth", "--out", tmp_path / "s.jsonl", *options, code=2)
    assert not list(tmp_path.iterdir())


def test_synth_leaves_a_file_that_exists_alone(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text("mine")
    refused = run("synth", "--documents", 10, "--responsive", 3, "--out", tmp_path / "s.jsonl", code=1)
    assert "exists already" in refused.stderr
    assert (tmp_path / "s.jsonl").read_text() == "mine"


def test_synth_into_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    arguments = ["synth", "--documents", "10", "--responsive", "3", "--out", str(tmp_path / "none/s.jsonl")]
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"Error: {tmp_path / 'none/s.jsonl'} cannot be written: No such file or directory\n"
