"""Exhibits out of matters between real parties: no simulation, keys of their own, a caption."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocol.sources.synthetic import QUERY
from tests.support.real_matter import Asked, Behaviour, Play, run, run_here
from verifier.cli import main


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Play, Asked]:
    """A real matter in which Bob has been shown a first wave."""
    play = Play(tmp_path_factory.mktemp("real"), runs=run_here)
    play.make_keys()
    play.tallystick("trent", "corpus", "synth", "--documents", 40, "--responsive", 15, "--out", "mail.jsonl")
    play.tallystick("trent", "corpus", "build", "mail.jsonl", "--out", "corpus")
    mail = [json.loads(line) for line in (play.folder("trent") / "mail.jsonl").read_text().splitlines()]
    play.write_terms(batch=8, rounds=2, delta="0.5", query=QUERY)
    play.open()
    behaviour = Behaviour(truth={each["id"]: "responsive" in each["labels"] for each in mail})
    return play, play.until("labels", behaviour)


def exhibit(play: Play, name: str, out: object, *options: object, code: int = 0) -> str:
    words = ("case.matter", "--document", name, "--corpus", "corpus", "--out", out, *options)
    found = play.tallystick("trent", "exhibit", *words, code=code)
    return found.stdout + found.stderr


def judged(folder: Path, *options: object, code: int = 0) -> Any:
    """The expert's answer, who has the folder alone."""
    return json.loads(run(folder.parent, "tallystick-verify", "exhibit", folder, "--json", *options, code=code).stdout)


def test_where_no_checkpoint_covers_the_document_trents_key_is_asked_for(
    begun: tuple[Play, Asked], tmp_path: Path
) -> None:
    play, asked = begun
    name = asked.form("labels.csv")[0]["document"]
    assert "give Counsel of trent's (Trent's) key with --key" in exhibit(play, name, tmp_path / "e", code=1)
    assert not (tmp_path / "e").exists()
    exhibit(play, name, tmp_path / "e", "--key", "trent.key")
    value = judged(tmp_path / "e")
    assert (value["verdict"], value["simulation"]) == ("not closed", False)
    assert value["checkpoint"]["signers"] == ["trent"]
    assert (value["courses"][0]["wave"], value["courses"][0]["bob"], value["courses"][0]["label"]) == (1, None, None)


def test_a_real_exhibit_speaks_of_its_case_and_not_of_a_simulation(begun: tuple[Play, Asked], tmp_path: Path) -> None:
    play, asked = begun
    exhibit(play, asked.form("labels.csv")[0]["document"], tmp_path / "e", "--key", "trent.key")
    draft = (tmp_path / "e" / "certification.txt").read_text()
    assert "Roe v. Doe, No. 12-345" in draft
    assert "SIMULATION" not in draft + (tmp_path / "e" / "README.txt").read_text()
    said = run(tmp_path, "tallystick-verify", "exhibit", "e").stdout
    assert "Case    Roe v. Doe, No. 12-345" in said
    assert "SIMULATION" not in said


def test_a_real_exhibit_calls_people_by_their_names(begun: tuple[Play, Asked], tmp_path: Path) -> None:
    play, asked = begun
    name = asked.form("labels.csv")[0]["document"]
    told = exhibit(play, name, tmp_path / "e", "--key", "trent.key")
    assert "which Counsel of alice (Alice), Counsel of bob (Bob) and the court have NOT all cosigned" in told
    draft = (tmp_path / "e" / "certification.txt").read_text()
    assert "Alice:     Counsel of alice\nBob:       Counsel of bob\nThe court: Counsel of court\n" in draft
    assert "(Counsel: Counsel of alice (Alice), Counsel of bob (Bob) and the court have NOT all cosigned" in draft
    assert "They hold Counsel of alice's (Alice's) labels" in (tmp_path / "e" / "README.txt").read_text()
    said = " ".join(CliRunner().invoke(main, ["exhibit", str(tmp_path / "e")]).output.split())
    assert "Disclosure. Counsel of bob (Bob) was shown it in wave 1" in said
    assert "What was received, as Counsel of trent (Trent) states it in the opening:" in said
    assert "Disclosure. Bob was shown it in wave 1" in str(judged(tmp_path / "e")["story"])
