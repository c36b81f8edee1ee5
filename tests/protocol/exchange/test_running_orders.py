"""Silence, new keys, amendments and late claims: what Trent may ask when, and what follows from the answers."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.real_matter import Asked, Play, Saved, run_here, save
from tests.support.running import again, honest, opened, start

pytestmark = pytest.mark.slow  # plays whole matters through files


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Play]:
    """A matter of one round when all have signed, when Alice must report, when Bob must label, and at its end."""
    folder = tmp_path_factory.mktemp("stages")
    found = {"signed": start(folder / "signed", rounds=1)}
    for before, stage in (("signed", "report"), ("report", "link"), ("link", "labels"), ("labels", "held")):
        play = found[stage] = again(found[before], folder / stage)
        if stage == "held":
            while play.exchange(honest(play)):
                pass
        else:
            play.until(stage, honest(play))
    return found


@pytest.fixture
def at(stages: dict[str, Play], tmp_path: Path) -> Callable[[str], Play]:
    """The matter at a stage, in folders of its own."""
    return lambda stage: again(stages[stage], tmp_path / "all")


@pytest.fixture
def reporting(at: Callable[[str], Play]) -> tuple[Play, Asked]:
    """Alice must report."""
    play = at("report")
    return play, play.until("report", honest(play))


@pytest.fixture
def labelling(at: Callable[[str], Play]) -> tuple[Play, Asked]:
    """Bob must label."""
    play = at("labels")
    return play, play.until("labels", honest(play))


@pytest.fixture
def unasked(at: Callable[[str], Play]) -> Play:
    """Nobody must answer: the coins of the round are fixed, and Trent has not gone on."""
    play = at("link")
    play.accept(play.answer(play.until("link", honest(play))))
    return play


@pytest.fixture
def held(at: Callable[[str], Play]) -> Play:
    """All rounds are held."""
    return at("held")


def ask(play: Play) -> list[Asked]:
    return [play.send(each) for each in play.next()["questions"]]


def finish(play: Play) -> dict[str, int]:
    """Play to the end; the claims of a verified copy."""
    while play.exchange(honest(play)):
        pass
    play.matter("close")
    play.exchange(honest(play))
    words = ("--for", "court", "--key", "trent.key", "--out", "court.jsonl")
    play.tallystick("trent", "copy", "case.matter", *words)
    verified = run_here(play.folder("trent"), "tallystick-verify", "court.jsonl", "--corpus", "corpus", "--json")
    found = json.loads(verified.stdout)
    assert found["verdict"] == "verified"
    claims: dict[str, int] = found["claims"]
    return claims


def test_without_alices_report_the_whole_batch_goes_to_bob(reporting: tuple[Play, Asked]) -> None:
    play, _ = reporting
    said = play.matter("default", "--absent", "alice").stdout
    assert "must decide whether the matter goes on without Counsel of alice's (Alice's) answer" in said
    (order,) = ask(play)
    play.accept(play.answer(order, "--grant"))
    (labels,) = ask(play)
    assert (labels.kind, len(labels.form("labels.csv"))) == ("labels", 8)
    claims = finish(play)
    assert (claims["defaults"], claims["revealed"], claims["disputes"]) == (1, 8, 0)


def test_where_the_court_denies_it_the_party_must_answer_as_before(reporting: tuple[Play, Asked]) -> None:
    play, report = reporting
    play.matter("default", "--absent", "alice")
    (order,) = ask(play)
    answer = play.answer(report, *honest(play).decisions(report, play.folder("alice")))
    said = play.accept(answer, code=1).stderr
    assert "nothing is asked of Counsel of alice (Alice) now" in said
    assert "Keep this file, and tell the court that the answer has come" in said
    said = play.matter("default", "--absent", "Alice", code=1).stderr
    assert "asked about Counsel of alice's (Alice's) silence already" in said
    play.accept(play.answer(order, "--deny"))
    (again_asked,) = play.next()["questions"]
    assert (again_asked["role"], again_asked["kind"], again_asked["new"]) == ("alice", "report", False)
    play.accept(answer)
    assert "still waits for Alice's answer" in play.status()["events"][0]["what"]
    assert finish(play)["defaults"] == 0


def test_without_bobs_labels_alices_stand_and_count_as_unread(labelling: tuple[Play, Asked]) -> None:
    play, _ = labelling
    play.matter("default", "--absent", "bob")
    (order,) = ask(play)
    play.accept(play.answer(order, "--grant"))
    assert finish(play)["defaults"] == 1
    assert play.status()["rounds"][0]["unread"] == 8
    shown = play.tallystick("trent", "status", "case.matter").stdout
    assert "unread" in shown.splitlines()[0]
    assert "who did not label them: 8." in shown


def test_both_links_of_a_drawn_batch_can_come_from_the_deposit(at: Callable[[str], Play]) -> None:
    play = at("signed")
    for absent in ("alice", "bob"):
        assert {each.role for each in ask(play)} <= {"alice", "bob"}
        play.matter("default", "--absent", absent)
        (order,) = (each for each in ask(play) if each.role == "court")
        play.accept(play.answer(order, "--grant"))
    assert finish(play)["defaults"] == 2


def test_late_claims_go_to_the_court_in_camera(unasked: Play) -> None:
    play, behaviour = unasked, honest(unasked)
    said = play.matter("late").stdout
    assert "must say which documents are claimed as privileged (round 1)" in said
    (claim,) = ask(play)
    rows = claim.form("privilege.csv")
    assert len(rows) == 8
    rows[2]["basis"] = "Advice of counsel"
    table = save(play.folder("alice") / "late.csv", rows, Saved())
    play.accept(play.answer(claim, "--privilege", table))
    (camera,) = ask(play)
    assert [row["document"] for row in camera.form("labels.csv")] == [rows[2]["document"]]
    play.accept(play.answer(camera, *behaviour.decisions(camera, play.folder("court"))))
    assert finish(play)["privileged"] == 1


def test_a_new_key_answers_what_was_asked_of_the_old_one(labelling: tuple[Play, Asked]) -> None:
    play, labels = labelling
    bob = play.folder("bob")
    new = play.root / "new-counsel"
    (new / "inbox").mkdir(parents=True)
    play.folders["bob"], play.keys["bob"] = new, "new.key"
    play.tallystick("bob", "key", "new", "--role", "bob", "--out", "new.key", "--no-passphrase")
    shutil.copy(new / "new.key.pub", play.folder("trent"))
    said = play.matter("rekey", "--role", "Bob", "--new-key", "new.key.pub").stdout
    assert "the court is asked to grant Counsel of bob (Bob) a new key" in said
    assert "Until then, the old key stays in force." in said
    assert (
        "the matter waits for Counsel of bob's (Bob's) labels, the court's order on the new key. Give their answers"
        in play.matter("default", "--absent", "bob", code=1).stderr
    )
    order = next(each for each in ask(play) if each.kind == "rekeyed")
    accepted = play.accept(play.answer(order, "--grant")).stdout
    assert "Accepted: the court's order on the new key, entry " in accepted
    (question,) = ask(play)
    told = (question.path / "README.txt").read_text()
    assert "--key KEY " in told
    assert "KEY is the file of your new private key, with the fingerprint" in " ".join(told.split())
    words = ("answer", question.path, "--labels", "x.csv", "--out", "x.json", "--key", bob / "bob.key")
    (new / "x.csv").touch()
    refused = play.tallystick("bob", *words, code=1).stderr
    assert "was Bob's until the court replaced it in entry" in refused
    assert (question.role, question.kind, question.request["start"]) == ("bob", "labels", 0)
    assert question.request["entry"] != labels.request["entry"]
    assert (question.path / "deposit.json").exists()
    assert not (bob / "inbox" / question.path.name).exists()
    shutil.rmtree(play.folder("trent") / "trent.key.memory")
    said = play.matter("next", "--corpus", "corpus", "--outbox", "outbox", code=1).stderr
    assert "the sealed deposit of Bob is no longer beside Trent's key: accept the court's order" in said
    play.accept(next(play.folder("trent").joinpath("inbox").glob("*-court-rekeyed.json")))
    assert finish(play)["defaults"] == 0


def test_a_key_that_the_court_refuses_changes_nothing(labelling: tuple[Play, Asked]) -> None:
    play, labels = labelling
    play.tallystick("expert", "key", "new", "--role", "bob", "--out", "new.key", "--no-passphrase")
    shutil.copy(play.folder("expert") / "new.key.pub", play.folder("trent"))
    play.matter("rekey", "--role", "bob", "--new-key", "new.key.pub")
    order = next(each for each in ask(play) if each.kind == "rekeyed")
    play.accept(play.answer(order, "--deny"))
    play.accept(play.answer(labels, *honest(play).decisions(labels, play.folder("bob"))))
    assert "refuses Bob a new key" in play.status()["events"][0]["what"]
    finish(play)


def test_an_amendment_that_one_rejects_is_not_in_force(unasked: Play) -> None:
    play = unasked
    assert "all are asked for 2 rounds in all" in play.matter("amend", "--rounds", 2).stdout
    answers = [play.answer(each, "--reject" if each.role == "bob" else "--accept") for each in ask(play)]
    play.accept(*answers)
    status = play.status()
    assert (status["rounds_agreed"], status["events"][0]["what"]) == (1, "2 rounds in all, instead of 1: not agreed")
    assert finish(play)["reviewed"] == 8


def test_rounds_can_be_added_when_all_are_held(held: Play) -> None:
    play = held
    assert play.next()["held"]
    play.matter("amend", "--rounds", 2)
    play.accept(*(play.answer(each, "--accept") for each in ask(play)))
    assert not play.next()["held"]
    assert finish(play)["reviewed"] > 8
    assert len(play.status()["rounds"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("default", "--absent", "bob"), "Counsel of bob (Bob) is not in default: nothing is asked of Counsel of bob"),
        (("late",), "accept`, then run this command again, before `tallystick matter next`"),
        (
            ("amend", "--rounds", 2),
            "others must answer first: the matter waits for Counsel of alice's (Alice's) report",
        ),
        (("amend", "--stop"), "others must answer first"),
        (("close",), "and the matter waits for Counsel of alice's (Alice's) report. To stop early"),
        (("rekey", "--role", "bob", "--new-key", "bob.key.pub"), "already belongs to a party"),
        (("rekey", "--role", "bob", "--new-key", "alice.key.pub"), "is Alice's key, but Bob's is needed here"),
    ],
)
def test_what_may_not_come_now_is_refused_with_the_reason(
    reporting: tuple[Play, Asked], words: tuple[str, ...], says: str
) -> None:
    play, _ = reporting
    before = play.status()
    assert says in play.matter(*words, code=1).stderr
    assert play.status() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("amend", "--rounds", 1), "1 rounds are agreed on already"),
        (("amend", "--rounds", 257), "257 rounds cannot be agreed on now, only 1 to 256"),
        (("late",), "no round is open"),
        (("default", "--absent", "alice"), "Counsel of alice (Alice) is not in default"),
    ],
)
def test_after_all_rounds_that_which_cannot_be_is_refused(held: Play, words: tuple[str, ...], says: str) -> None:
    before = held.status()
    assert says in held.matter(*words, code=1).stderr
    assert held.status() == before


def test_before_all_have_signed_nobody_is_in_default(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    assert "others must answer first" in play.matter("default", "--absent", "alice", code=1).stderr


@pytest.mark.parametrize("options", [(), ("--rounds", "2", "--stop")])
def test_an_amendment_is_either_a_number_or_a_stop(held: Play, options: tuple[str, ...]) -> None:
    assert "Give --rounds or --stop, or --limit" in held.matter("amend", *options, code=2).stderr


def test_a_matter_is_not_closed_before_its_rounds_are_held(unasked: Play) -> None:
    before = unasked.status()
    assert (
        "0 of 1 batches are closed, and it is Counsel of trent's (Trent's) turn: run `tallystick matter next` first"
        in unasked.matter("close", code=1).stderr
    )
    assert unasked.status() == before


def test_the_close_says_who_has_not_signed_and_at_last_that_all_have(held: Play) -> None:
    play = held
    first = play.matter("close").stdout
    assert first.count("must sign the checkpoint of the closed matter") == 3
    asked = {each.role: each for each in ask(play)}
    bobs = play.answer(asked["bob"])
    assert "Accepted: Counsel of bob's (Bob's) cosignature" in play.accept(bobs).stdout
    assert "On record already: Counsel of bob's (Bob's) cosignature" in play.accept(bobs).stdout
    found = json.loads(play.matter("close", "--json").stdout)
    assert found["not_cosigned"] == ["alice", "court"]
    assert sorted(each["role"] for each in play.next()["questions"]) == ["alice", "court"]
    second = play.accept(play.answer(asked["alice"]), play.answer(asked["court"])).stdout
    assert "Counsel of alice (Alice), Counsel of bob (Bob) and the court have signed the closed matter" in second
    assert "have signed the closed matter" in play.matter("next", "--corpus", "corpus", "--outbox", "outbox").stdout
    assert play.status()["cosigned"] == ["alice", "bob", "court"]
    status = play.tallystick("trent", "status", "case.matter").stdout
    assert "Cosigned by Counsel of alice (Alice), Counsel of bob (Bob) and the court." in status


def test_a_cosignature_by_another_key_is_refused(held: Play) -> None:
    play = held
    play.matter("close")
    asked = {each.role: each for each in ask(play)}
    path = play.answer(asked["alice"])
    value = json.loads(path.read_bytes())
    path.write_text(
        json.dumps(value | {"role": "bob"}, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    )
    assert "is not Counsel of bob's (Bob's) signature of the checkpoint" in play.accept(path, code=1).stderr
    assert play.status()["cosigned"] == []


def test_a_matter_by_the_classifier_report_goes_to_its_end(tmp_path: Path) -> None:
    play = start(tmp_path / "all", rounds=1, protocol="classifier")
    report = play.until("report", honest(play))
    rows = report.form("labels.csv")
    truth = honest(play).truth
    filled = [row | {"responsive": "yes" if truth[row["document"]] else "no"} for row in rows]
    table = save(play.folder("alice") / "filled.csv", filled, Saved())
    play.accept(play.answer(report, "--labels", table, "--threshold", 4))
    assert finish(play)["reviewed"] == 8
