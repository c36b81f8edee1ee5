"""What `matter next` writes: the right question for the right party, once, with just what that party may see."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from protocol.exchange import question_file
from tests.support.flat import one_by_one, together
from tests.support.real_matter import Asked, Play, Saved, save
from tests.support.running import again, honest, opened, start

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """A matter that all have signed."""
    return start(tmp_path_factory.mktemp("signed") / "all")


@pytest.fixture
def play(signed: Play, tmp_path: Path) -> Play:
    return again(signed, tmp_path / "all")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def copy_lines(play: Play, audience: str) -> list[Any]:
    """The entries of a copy that is cut now."""
    target = play.folder("trent") / "now.jsonl"
    target.unlink(missing_ok=True)
    play.tallystick("trent", "copy", "case.matter", "--for", audience, "--key", "trent.key", "--out", "now.jsonl")
    return [value for value in map(json.loads, target.read_text().splitlines()) if "entry" in value]


def test_asked_again_the_same_question_stays_as_it_is(play: Play) -> None:
    first = play.next()["questions"]
    before = contents(play.folder("trent") / "outbox")
    size = len(copy_lines(play, "court"))
    second = play.next()["questions"]
    assert [each["new"] for each in first] == [True, True]
    assert [each | {"new": True} for each in second] == first
    assert [each["new"] for each in second] == [False, False]
    assert contents(play.folder("trent") / "outbox") == before
    assert len(copy_lines(play, "court")) == size


def test_a_question_that_was_lost_is_written_again_in_the_same_bytes(play: Play) -> None:
    play.next()
    outbox = play.folder("trent") / "outbox"
    before = contents(outbox)
    shutil.rmtree(outbox)
    play.next()
    after = contents(outbox)
    assert {name for name in before if name.startswith("1-")} == set(after)
    assert all(before[name] == data for name, data in after.items())


def test_a_form_that_was_filled_in_within_the_outbox_is_not_overwritten(play: Play) -> None:
    asked = play.until("report", honest(play))
    (here,) = (each["path"] for each in play.next()["questions"])
    form = play.folder("trent") / here / "labels.csv"
    save(form, [row | {"responsive": "yes"} for row in asked.form("labels.csv")], Saved())
    filled = form.read_bytes()
    (again_asked,) = play.next()["questions"]
    assert (again_asked["new"], again_asked["path"]) == (False, here)
    assert form.read_bytes() == filled


def test_a_package_of_that_name_that_is_something_else_keeps_its_name(play: Play) -> None:
    outbox = play.folder("trent") / "outbox"
    (outbox / "1-link-for-bob").mkdir()
    (outbox / "1-link-for-bob" / "notes.txt").write_text("mine")
    names = [Path(each["path"]).name for each in play.next()["questions"]]
    assert names == ["1-link-for-alice", "1-link-for-bob-v2"]
    assert contents(outbox / "1-link-for-bob") == {"notes.txt": b"mine"}


def test_a_zip_holds_the_same_question(play: Play) -> None:
    folders, packed = play.next()["questions"], play.next("--zip")["questions"]
    for one, other in zip(folders, packed, strict=True):
        assert other["path"] == f"{one['path']}.zip"
        found = [question_file.read(play.folder("trent") / each["path"]) for each in (one, other)]
        assert found[0] == found[1]


def test_the_court_is_asked_for_its_deposit_when_alice_and_bob_have_signed(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    first = [play.send(each) for each in play.next()["questions"]]
    assert [each.role for each in first] == ["alice", "bob"]
    play.accept(play.answer(first[0]))
    assert [each["role"] for each in play.next()["questions"]] == ["bob"]
    play.accept(play.answer(first[1]))
    (court,) = [play.send(each) for each in play.next()["questions"]]
    assert (court.role, court.kind) == ("court", "deposited")
    assert set(json.loads((court.path / "deposits.json").read_bytes())) == {"alice", "bob", "trent"}


def test_a_second_question_of_a_kind_in_a_round_has_a_number(play: Play) -> None:
    play.exchange(honest(play))
    play.exchange(honest(play))
    (asked,) = play.next()["questions"]
    assert Path(asked["path"]).name == "1-link-for-bob-2"


@pytest.mark.parametrize("role", ["alice", "bob", "court"])
def test_the_history_of_a_question_is_that_of_the_partys_own_copy(play: Play, role: str) -> None:
    behaviour = honest(play)
    behaviour.bob = lambda asked, names: {names[0]: not behaviour.truth[names[0]]}
    known: dict[int, Any] = {}
    asked_for = 0
    for _ in range(20):
        questions = play.next()["questions"]
        for each in questions:
            if each["role"] != role:
                continue
            asked_for += 1
            asked = play.send(each)
            for line in map(json.loads, (asked.path / "entries.jsonl").read_text().splitlines()):
                if "entry" in line:
                    known[line["entry"]["body"]["sequence"]] = line
                else:
                    earlier = known[line["released"]["entry"]]
                    merged = one_by_one(earlier["openings"]) + one_by_one(line["released"]["openings"])
                    in_order = sorted(merged, key=lambda opening: (opening["field"], opening["index"]))
                    earlier["openings"] = together(in_order)
            if len(questions) == 1:  # else others' answers may come before this party's
                seen = {number: line for number, line in known.items() if number < asked.request["size"]}
                expected = copy_lines(play, role)
                first = min(seen)
                assert [seen[number] for number in sorted(seen)] == expected[first:]
        if not questions:
            break
        play.exchange(behaviour)
    assert asked_for > 2


def test_all_carries_the_record_from_its_first_entry(play: Play) -> None:
    asked = play.until("report", honest(play))
    (whole,) = [play.send(each) for each in play.next("--all")["questions"]]
    assert whole.path.name == f"{asked.path.name}-v2"
    assert (asked.request["start"] > 0, whole.request["start"]) == (True, 0)
    assert whole.request["size"] == asked.request["size"]


def test_bob_gets_the_documents_of_his_wave_and_no_name_of_another(play: Play) -> None:
    asked = play.until("labels", honest(play))
    shown = {row["document"] for row in asked.form("labels.csv")}
    assert len(list((asked.path / "documents").iterdir())) == len(shown)
    text = "".join(data.decode(errors="replace") for data in contents(asked.path).values())
    others = honest(play).truth.keys() - shown
    assert others
    assert not [name for name in others if name in text]


def test_alice_gets_her_batch_with_the_exact_bytes(play: Play) -> None:
    from protocol.corpus.corpus import Corpus

    asked = play.until("report", honest(play))
    corpus = Corpus.open(play.folder("trent") / "corpus")
    by_name = {corpus.name(number): corpus.content(number) for number in range(corpus.size)}
    rows = asked.form("labels.csv")
    assert len(rows) == 8
    for row in rows:
        assert (asked.path / row["file"]).read_bytes() == by_name[row["document"]]


def test_next_says_in_a_sentence_who_must_do_what(play: Play) -> None:
    asked = play.until("report", honest(play))
    said = play.matter("next", "--corpus", "corpus", "--outbox", "outbox").stdout
    assert said.startswith("Counsel of alice (Alice) must label 8 documents (round 1).\n")
    assert f"outbox/{asked.path.name}  (already there)" in said


def test_another_corpus_is_refused(play: Play, tmp_path: Path) -> None:
    from tests.support import corpora

    corpora.make(tmp_path / "other", documents=60, responsive=20, seed="another")
    words = ("--corpus", tmp_path / "other", "--outbox", "outbox")
    assert "is not the corpus that the matter was opened with" in play.matter("next", *words, code=1).stderr


def test_an_outbox_that_cannot_be_made_is_told(play: Play) -> None:
    (play.folder("trent") / "file").write_text("")
    said = play.matter("next", "--corpus", "corpus", "--outbox", "file/outbox", code=1).stderr
    assert "file/outbox cannot be made" in said


def test_the_courts_questions_come_with_what_it_must_know(play: Play) -> None:
    behaviour = honest(play)
    behaviour.bob = lambda asked, names: {names[0]: not behaviour.truth[names[0]]}
    behaviour.claims = lambda asked, names: {names[1]: "Advice of counsel"}
    camera = play.until("privilege", behaviour)
    assert [row["basis"] for row in camera.form("labels.csv")] == ["Advice of counsel"]
    play.accept(play.answer(camera, *behaviour.decisions(camera, play.folder("court"))))
    dispute: Asked = play.until("rulings", behaviour)
    alice, bob = "Counsel of alice (Alice)", "Counsel of bob (Bob)"
    held = f"{alice} holds it responsive, {bob} not responsive", f"{alice} holds it not responsive, {bob} responsive"
    (page,) = (path.read_text() for path in (dispute.path / "pages").iterdir())
    assert any(words in page for words in held)
