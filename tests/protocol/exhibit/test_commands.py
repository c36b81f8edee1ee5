"""Exhibits through the commands, as an operator cuts them and a stranger checks them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from tests.support import corpora, forked, matters
from verifier import exhibit
from verifier.record.hashing import fingerprint

pytestmark = pytest.mark.slow  # starts a process many times


def run(program: str, *arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return forked.run(program, *arguments, cwd=folder)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trent's folder, with a corpus and a closed matter."""
    folder = tmp_path_factory.mktemp("office")
    corpus = corpora.make(folder / "corpus", documents=40, responsive=15)
    with matters.start(corpus, folder / "matter", rounds=2, batch=10, delta="0.6") as played:
        played.run(lambda _: None)
    return folder


def names(office: Path) -> tuple[str, str]:
    """A document that Bob was shown, and one that nobody has reviewed."""
    corpus, review = Corpus.open(office / "corpus"), summary.read(office / "matter")
    reviewed = {place.document for each in review.rounds for place in each.places}
    shown = review.rounds[0].places[review.rounds[0].waves[0][0] - 1].document
    return corpus.name(shown), corpus.name(min(set(range(corpus.size)) - reviewed))


def cut(office: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run("tallystick", "exhibit", "matter", "--corpus", "corpus", *arguments, folder=office)


def test_an_exhibit_is_cut_by_trent_and_checked_by_a_stranger_who_has_nothing_else(
    office: Path, tmp_path: Path
) -> None:
    name, _ = names(office)
    made = cut(office, "--document", name, "--out", "exhibit-1")
    assert made.returncode == 0, made.stderr
    assert "tallystick-verify exhibit exhibit-1" in made.stdout
    assert "WARNING" not in made.stderr
    shutil.copytree(office / "exhibit-1", tmp_path / "handed over")
    checked = run("tallystick-verify", "exhibit", "handed over", folder=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("VERIFIED: the exhibit of document")
    assert "Disclosure. Bob was shown it in wave 1" in checked.stdout
    assert "An exhibit does not show:" in checked.stdout
    value = json.loads(run("tallystick-verify", "exhibit", "handed over", "--json", folder=tmp_path).stdout)
    assert (value["verdict"], value["document"]["name"], value["simulation"]) == ("verified", name, True)
    assert int(value["courses"][0]["coin"]) < 2**64
    assert isinstance(value["courses"][0]["coin"], str) == (int(value["courses"][0]["coin"]) > 2**53)


def test_trusted_fingerprints_make_people_of_keys(office: Path, tmp_path: Path) -> None:
    name, _ = names(office)
    assert cut(office, "--document", name, "--out", tmp_path / "e").returncode == 0
    keys = exhibit.judge(tmp_path / "e").keys
    lines = [f"{role} {fingerprint(key)}" for role, key in keys.items()]
    (tmp_path / "trust").write_text("\n".join(lines))
    checked = run("tallystick-verify", "exhibit", "e", "--trust", "trust", folder=tmp_path)
    assert checked.returncode == 0
    assert checked.stdout.count("(confirmed)") == 4
    (tmp_path / "trust").write_text(lines[0].replace("alice", "bob"))
    checked = run("tallystick-verify", "exhibit", "e", "--trust", "trust", folder=tmp_path)
    assert checked.returncode == 1
    assert checked.stdout.startswith("REJECTED")


def test_a_damaged_exhibit_exits_with_3_and_no_story(office: Path, tmp_path: Path) -> None:
    name, _ = names(office)
    assert cut(office, "--document", name, "--out", tmp_path / "e").returncode == 0
    text = tmp_path / "e" / "document" / "text.txt"
    text.write_text(text.read_text() + ".")
    checked = run("tallystick-verify", "exhibit", "e", folder=tmp_path)
    assert checked.returncode == 3
    assert checked.stdout.startswith("UNDECIDED: document/text.txt is not the file that was committed to")
    assert "Shown." not in checked.stdout
    assert run("tallystick-verify", "exhibit", tmp_path, folder=tmp_path).returncode == 3
    assert run("tallystick-verify", "exhibit", "nowhere", folder=tmp_path).returncode == 2


def test_an_undisclosed_document_needs_a_word_more_and_is_warned_of(office: Path, tmp_path: Path) -> None:
    _, name = names(office)
    refused = cut(office, "--document", name, "--out", tmp_path / "e")
    assert refused.returncode == 1
    assert "has NOT BEEN SHOWN to Bob" in refused.stderr
    assert not (tmp_path / "e").exists()
    made = cut(office, "--document", name, "--out", tmp_path / "e", "--undisclosed")
    assert made.returncode == 0
    assert made.stderr.startswith("WARNING: document")
    assert (tmp_path / "e" / "README.txt").read_text().count("NOT DISCLOSED") == 1
    assert "the exhibit proves the COMMITMENT ONLY" in made.stdout
    assert (tmp_path / "e" / "README.txt").read_text().count("COMMITMENT ONLY") == 1
    assert (tmp_path / "e" / "certification.txt").read_text().count("COMMITMENT ONLY") == 1
    checked = run("tallystick-verify", "exhibit", "e", folder=tmp_path)
    assert (checked.returncode, checked.stderr) == (4, "")
    assert checked.stdout.startswith("COMMITMENT ONLY: the exhibit of document")
    assert "Nothing here shows that the document was ever reviewed" in " ".join(checked.stdout.split())
    value = json.loads(run("tallystick-verify", "exhibit", "e", "--json", folder=tmp_path).stdout)
    assert (value["verdict"], value["exit_code"], value["courses"]) == ("commitment only", 4, [])


def test_what_cannot_be_done_is_said_in_a_sentence(office: Path, tmp_path: Path) -> None:
    name, _ = names(office)
    unknown = cut(office, "--document", name.upper(), "--out", tmp_path / "e")
    assert unknown.returncode == 1
    assert f"similar names are {name!r}" in unknown.stderr
    assert cut(office, "--out", tmp_path / "e").returncode == 2
    assert cut(office, "--document", name, "--out", tmp_path / "no" / "e").returncode == 2
    beyond = cut(office, "--number", 40, "--out", tmp_path / "e")
    assert beyond.returncode == 1
    assert "the numbers go from 0 to 39" in beyond.stderr
    taken = cut(office, "--document", name, "--out", "corpus")
    assert taken.returncode == 1
    assert "exists already" in taken.stderr
    no_matter = run(
        "tallystick", "exhibit", "corpus/secret", "--number", 1, "--corpus", "corpus", "--out", "e", folder=office
    )
    assert no_matter.returncode == 1
    assert "Traceback" not in unknown.stderr + beyond.stderr + taken.stderr + no_matter.stderr
