"""What `matter accept` takes and what it refuses: a refusal says why, and changes nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import entries, records
from ledger.entries import SignedStatement
from ledger.keys import SigningKey
from ledger.store import Store
from tests.support.real_matter import Asked, Play
from tests.support.running import again, honest, opened, start


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Play, Asked]:
    """A matter in which Alice must report."""
    play = start(tmp_path_factory.mktemp("reported") / "all")
    return play, play.until("report", honest(play))


@pytest.fixture
def asked(reported: tuple[Play, Asked], tmp_path: Path) -> tuple[Play, Asked]:
    play = again(reported[0], tmp_path / "all")
    (question,) = play.next()["questions"]
    return play, play.send(question)


def answer(play: Play, asked: Asked) -> Path:
    return play.answer(asked, *honest(play).decisions(asked, play.folder(asked.role)))


def rows(play: Play) -> list[tuple[bytes, bytes]]:
    """Every entry of the matter, as it is stored."""
    with Store.open(play.folder("trent") / "case.matter") as store:
        return [(body, bytes(signature)) for body, signature in store.chain(size=store.size())]


def changed(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """An answer that was changed on its way, still in its one encoding."""
    value = change(json.loads(path.read_bytes()))
    target = path.with_name("changed.json")
    target.write_text(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
    return target


def refused(play: Play, path: Path, *options: str) -> str:
    before = rows(play)
    said = play.accept(path, code=1, options=options).stderr
    assert rows(play) == before
    return said


def resigned(value: dict[str, Any], key: SigningKey, **changes: Any) -> dict[str, Any]:
    statement = records.from_value(
        SignedStatement, value["answer"] | {"statement": value["answer"]["statement"] | changes}
    )
    return value | {"answer": records.to_value(entries.sign_statement(key, statement.statement))}


def test_an_accepted_answer_is_on_record_and_told_so_the_second_time(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = answer(play, question)
    assert "Accepted: Counsel of alice's (Alice's) report of round 1, entry 8" in play.accept(path).stdout
    before = rows(play)
    assert "On record already: Counsel of alice's (Alice's) report of round 1, entry 8" in play.accept(path).stdout
    assert rows(play) == before


def test_another_key_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = changed(answer(play, question), lambda value: resigned(value, SigningKey.generate()))
    assert "is not signed by the key that Counsel of alice (Alice) has" in refused(play, path)


def test_a_changed_label_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked

    def flip(value: dict[str, Any]) -> dict[str, Any]:
        labels = value["openings"]["labels"]["values"][0]
        labels[0] = not labels[0]
        return value

    said = refused(play, changed(answer(play, question), flip))
    assert "Counsel of alice's (Alice's) report" in said


def test_openings_that_are_missing_are_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = changed(answer(play, question), lambda value: value | {"openings": {}})
    assert "Counsel of alice's (Alice's) report" in refused(play, path)


def test_an_answer_to_another_matter_is_refused(asked: tuple[Play, Asked], tmp_path: Path) -> None:
    play, _ = asked
    other = opened(tmp_path / "other")
    first = other.send(other.next()["questions"][0])
    path = Path(shutil.copy(other.answer(first), play.folder("trent") / "inbox" / "other.json"))
    assert "is for another matter" in refused(play, path)


def test_an_answer_for_another_round_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    from ledger.keyfiles import read_signing_key

    key = read_signing_key(play.folder("alice") / "alice.key", None)
    path = changed(answer(play, question), lambda value: resigned(value, key, round=2))
    assert "is for round 2, but this is round 1" in refused(play, path)


def test_what_nobody_asked_for_is_refused(asked: tuple[Play, Asked]) -> None:
    play, _ = asked
    earlier = next(play.folder("trent").joinpath("inbox").glob("*-alice-link.json"))
    key = SigningKey.generate()
    path = changed(earlier, lambda value: resigned(value, key, answers="00" * 32))
    said = "Counsel of alice (Alice) is asked for the report, not for the link of the coin chain"
    assert said in refused(play, path)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff\xfe", b'{"format":2}', b"PK\x03\x04"])
def test_a_file_that_is_no_answer_is_refused(asked: tuple[Play, Asked], data: bytes) -> None:
    play, _ = asked
    path = play.folder("trent") / "inbox" / "bad.json"
    path.write_bytes(data)
    assert "is not an answer, or was changed on the way" in refused(play, path)


def test_a_second_different_answer_is_refused_and_can_be_kept_as_evidence(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    twin = again(play, play.root.with_name("twin"))
    first = answer(play, question)
    play.accept(first)
    behaviour = honest(twin)
    behaviour.alice = lambda asked, names: {name: not behaviour.truth[name] for name in names}
    mine = Asked(
        role="alice", kind="report", round=1, path=twin.folder("alice") / "inbox" / question.path.name, request={}
    )
    second = twin.answer(mine, *behaviour.decisions(mine, twin.folder("alice")))
    path = Path(shutil.copy(second, play.folder("trent") / "inbox" / "second.json"))
    assert "the first answer stands. To put this one on record as evidence" in refused(play, path)
    before = rows(play)
    assert (
        "Accepted: Counsel of alice's (Alice's) second report of round 1, entry 9"
        in play.accept(path, options=("--as-evidence",)).stdout
    )
    assert len(rows(play)) == len(before) + 1
    assert [event["what"] for event in play.status()["events"]] == [
        "a second answer to the question that entry 8 answers is on record as evidence"
    ]
    play.exchange(honest(play))  # and the matter goes on


def test_evidence_of_nothing_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = answer(play, question)
    assert "there is no conflict" in refused(play, path, "--as-evidence")
    play.accept(path)
    assert "gave this same answer" in refused(play, path, "--as-evidence")


def test_of_several_those_before_a_wrong_one_are_on_record(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    good = answer(play, question)
    bad = good.with_name("bad.json")
    bad.write_text("{}")
    found = play.accept(good, bad, code=1)
    assert "Accepted: Counsel of alice's (Alice's) report" in found.stdout
    assert "bad.json is not an answer" in found.stderr
    assert "On record already" in play.accept(good).stdout


def test_an_agreement_without_its_deposit_is_refused(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    question = play.send(play.next()["questions"][0])
    path = changed(play.answer(question), lambda value: value | {"deposit": None})
    assert "lacks the sealed deposit" in refused(play, path)


def test_a_lost_deposit_comes_back_with_its_answer(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    answers = [play.answer(play.send(each)) for each in play.next()["questions"]]
    play.accept(*answers)
    shutil.rmtree(play.folder("trent") / "trent.key.memory")
    words = ("--corpus", "corpus", "--outbox", "outbox")
    said = play.matter("next", *words, code=1).stderr
    assert "the sealed deposit of Alice is no longer beside Trent's key: accept Alice's answer" in said
    play.accept(*answers)
    assert [each["kind"] for each in play.next()["questions"]] == ["deposited"]


def test_a_deposit_that_was_damaged_on_its_way_can_be_sent_again(tmp_path: Path) -> None:
    play = opened(tmp_path / "all")
    alice, bob = (play.answer(play.send(each)) for each in play.next()["questions"])
    play.accept(changed(alice, lambda value: value | {"deposit": "00" * 80}), bob)
    court = play.send(play.next()["questions"][0])
    play.answer(court, code=1)  # the court's program opens every deposit
    play.accept(alice)
    again_asked = play.send(play.next()["questions"][0])
    assert again_asked.path.name == f"{court.path.name}-v2"
    play.accept(play.answer(again_asked))


def test_while_another_command_writes_nothing_is_accepted_and_nothing_lost(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = answer(play, question)
    with Store.open(play.folder("trent") / "case.matter", writable=True):
        assert "another process is writing to this matter" in play.accept(path, code=1).stderr
        assert play.status()["asked"][0]["role"] == "alice"  # reading goes on
    assert "Accepted" in play.accept(path).stdout


def test_another_key_than_trents_opens_nothing(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    path = answer(play, question)
    trent = play.folder("trent")
    play.tallystick("trent", "key", "new", "--role", "trent", "--out", "other.key", "--no-passphrase")
    words = ("matter", "accept", "case.matter", path, "--key")
    said = play.tallystick("trent", *words, "other.key", code=1).stderr
    assert "is not Trent's key in this matter" in said
    shutil.copy(play.folder("bob") / "bob.key", trent)
    assert (
        "bob.key is Bob's key, but Trent's is needed here" in play.tallystick("trent", *words, "bob.key", code=1).stderr
    )


def test_a_cosignature_before_the_close_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    line = "\u2014 tallystick/x/alice AAAA\n"
    path = changed(answer(play, question), lambda value: value | {"answer": None, "openings": {}, "cosignature": line})
    assert "there is no checkpoint to cosign" in refused(play, path)


def test_a_cosignature_for_another_matter_is_refused(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    other: dict[str, Any] = {"answer": None, "openings": {}, "cosignature": "\u2014 x AAAA\n", "matter": "00" * 32}
    path = changed(answer(play, question), lambda value: value | other)
    assert f"the answer is for another matter, {'00' * 32}" in refused(play, path)


def test_json_tells_what_was_accepted(asked: tuple[Play, Asked]) -> None:
    play, question = asked
    (found,) = json.loads(play.accept(answer(play, question), options=("--json",)).stdout)
    assert (found["role"], found["what"], found["round"], found["entry"], found["new"]) == (
        "alice",
        "report",
        1,
        8,
        True,
    )
