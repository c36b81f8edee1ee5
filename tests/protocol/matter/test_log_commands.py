"""`tallystick log` as it is typed: a log of matters, its export, its proofs, and its witnesses."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ledger import notes
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.tlog import log as logs
from ledger.tlog import proofs
from ledger.tlog.log import Log
from protocol.corpus.corpus import Corpus
from protocol.matter import logged
from tests.support import logged_matters
from tests.support.logged_matters import LOG_KEY, ORIGIN, Course
from tests.support.witness import TestWitness, serving


@pytest.fixture(scope="module")
def _played(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Course:
    return logged_matters.played(small_corpus, tmp_path_factory.mktemp("played"))


@pytest.fixture
def course(_played: Course, tmp_path: Path) -> Course:
    return _played.copied(tmp_path / "course")


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    assert result.exception is None
    return result.output


def refused(result: Result) -> str:
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit), result.exception
    return result.output


def value(result: Result) -> Any:
    return json.loads(done(result))


def test_init_prints_the_verifier_key_and_takes_no_other_place(course: Course) -> None:
    said = done(course.run("init", course.folder / "second", "--origin", "trent.example/2", "--key", course.key))
    assert notes.parse_vkey(said.strip()).name == "trent.example/2"
    assert "exists already" in refused(course.run("init", course.log, "--origin", ORIGIN, "--key", course.key))
    for origin in ("tallystick/x", "a b"):
        words = ("init", course.folder / "third", "--origin", origin, "--key", course.key)
        assert "origin" in refused(course.run(*words))


def test_opening_and_state_of_a_matter_are_added_once(course: Course) -> None:
    first = value(course.add(course.begun, "--json"))
    assert [(each["entries"] == 1, each["state"], each["index"], each["new"]) for each in first["leaves"]] == [
        (True, "opened", 0, True),
        (False, "open", 1, True),
    ]
    assert (first["origin"], first["size"], first["witnesses"]) == (ORIGIN, 2, [])
    again = value(course.add(course.begun, "--json"))
    assert [each["new"] for each in again["leaves"]] == [False, False]
    assert list(Log.open(course.log).kept()) == [0, 2]
    said = done(course.add(course.closed, course.other))
    assert "closed: added as leaf 2" in said
    assert "1 entry, opened: already there, leaf 0" in said
    assert f"The log {ORIGIN} has 5 leaves." in said
    assert Log.open(course.log).leaves[2] == bytes(logged.read(course.closed).present)


def test_a_matter_that_is_only_opened_is_one_leaf(course: Course) -> None:
    assert value(course.add(course.opened, course.opened, "--json"))["size"] == 1


def test_an_older_copy_of_a_matter_is_refused_and_nothing_is_added(course: Course) -> None:
    done(course.add(course.later))
    assert "the file is an older copy" in refused(course.add(course.other, course.begun))
    assert Log.open(course.log).size == 2


def test_another_history_of_a_matter_is_refused_and_nothing_is_added(course: Course) -> None:
    known = logged.read(course.begun).present
    forged = replace(known, checkpoint=replace(known.checkpoint, head=known.checkpoint.root))
    with logs.writing(course.log, LOG_KEY) as writer:
        writer.append([bytes(forged)])
    for words in ([course.begun], [course.later]):
        assert "two histories of" in refused(course.add(*words))
    assert Log.open(course.log).size == 1


def test_check_says_which_matters_were_opened_and_have_no_end(course: Course) -> None:
    done(course.add(course.begun, course.other))
    done(course.add(course.closed))
    ended, endless = (logged.read(path).matter.hex() for path in (course.closed, course.other))
    said = done(course.run("check", course.log))
    assert "Matters      2, of which 1 have no end in the log" in said
    assert f"{ended}  closed" in said
    assert f"{endless}  NO END" in said
    found = value(course.run("check", course.log, "--json"))
    assert [(each["matter"], each["ended"], each["troubles"]) for each in found["matters"]] == [
        (ended, True, []),
        (endless, False, []),
    ]
    assert (found["size"], found["checkpoints"], found["witnesses"]) == (5, 3, None)


def test_check_tells_contradictions_in_the_leaves(course: Course) -> None:
    known = logged.read(course.begun)
    forged = replace(known.present, checkpoint=replace(known.present.checkpoint, head=known.matter))
    with logs.writing(course.log, LOG_KEY) as writer:
        writer.append([bytes(known.opened), bytes(known.present), bytes(forged), b"a grocery list"])
    said = refused(course.run("check", course.log))
    assert f"CONTRADICTION: leaves 1 and 2 state two histories of {known.size} entries" in said
    assert "Other leaves 3: not about matters" in said


def exported(course: Course, *words: object) -> Any:
    return value(course.run("export", course.log, "--out", course.folder / "public", "--json", *words))


def test_an_export_is_read_by_itself_and_a_second_one_adds_what_is_new(course: Course) -> None:
    out = course.folder / "public"
    assert exported(course) == {"size": 0, "written": 2, "kept": 0}
    done(course.add(course.begun))
    assert exported(course)["written"] == 3  # a tile, a bundle and the checkpoint
    assert exported(course)["written"] == 0
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert names == {"checkpoint", "log.vkey", "tile/0/000.p/2", "tile/entries/000.p/2"}
    assert Log.open(out).leaves == Log.open(course.log).leaves
    assert "1 have no end" in done(course.run("check", out))


def test_an_export_without_a_key_needs_a_policy(course: Course) -> None:
    done(course.add(course.begun))
    exported(course)
    (course.folder / "public/log.vkey").unlink()
    assert "does not say which key" in refused(course.run("check", course.folder / "public"))
    policy = course.folder / "policy"
    policy.write_text(f"log {Log.open(course.log).key.vkey}\nquorum none\n")
    said = done(course.run("check", course.folder / "public", "--policy", policy))
    assert "Witnessed    by nobody, which the policy allows" in said


def test_a_damaged_tile_of_an_export_is_told_and_written_again(course: Course) -> None:
    done(course.add(course.begun))
    exported(course)
    tile = course.folder / "public/tile/entries/000.p/2"
    whole = tile.read_bytes()
    tile.write_bytes(whole[:-5])
    said = refused(course.run("check", course.folder / "public"))
    assert said.startswith("Damaged: ")
    assert "tile/entries/000.p/2 is cut: only 1 of its 2 leaves can be read" in said
    assert "Nobody is blamed" in said
    assert exported(course)["written"] == 1
    assert tile.read_bytes() == whole


def test_nothing_is_exported_over_another_log_or_history_or_newer_state(course: Course, tmp_path: Path) -> None:
    done(course.add(course.begun))
    earlier = course.copied(tmp_path / "earlier")
    done(course.add(course.closed))
    exported(course)
    out = course.folder / "public"
    assert "an older copy of the log" in refused(earlier.run("export", earlier.log, "--out", out))
    for matter in (earlier.other, earlier.later):
        done(earlier.add(matter))
    assert "has signed two histories" in refused(earlier.run("export", earlier.log, "--out", out))
    done(course.run("init", tmp_path / "second", "--origin", "trent.example/2", "--key", course.key))
    assert "choose another folder" in refused(course.run("export", tmp_path / "second", "--out", out))
    assert "holds other things" in refused(course.run("export", course.log, "--out", course.folder))


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_exported_into_the_folder_in_which_a_log_is_kept(course: Course, tmp_path: Path) -> None:
    done(course.add(course.begun))
    second = tmp_path / "second"
    done(course.run("init", second, "--origin", "trent.example/2", "--key", course.key))
    before = _files(second), _files(course.log)
    for out in (second, course.log):
        said = refused(course.run("export", course.log, "--out", out))
        assert "is the folder in which a log is kept" in said
        assert "choose another folder" in said
    assert (_files(second), _files(course.log)) == before


def test_nothing_is_exported_over_another_logs_key(course: Course, tmp_path: Path) -> None:
    done(course.add(course.begun))
    done(course.run("init", tmp_path / "second", "--origin", "trent.example/2", "--key", course.key))
    out = tmp_path / "public"
    done(course.run("export", tmp_path / "second", "--out", out))
    (out / "checkpoint").unlink()
    before = _files(out)
    assert "log.vkey is not the key of the log" in refused(course.run("export", course.log, "--out", out))
    assert _files(out) == before


def test_a_proof_is_for_the_last_state_or_the_one_that_is_asked_for(course: Course) -> None:
    done(course.add(course.begun))
    done(course.add(course.closed))
    out = course.folder / "end.tlog-proof"
    said = value(course.run("prove", course.log, course.closed, "--out", out, "--json"))
    assert (said["index"], said["state"]) == (2, "closed")
    proof, leaf = proofs.decode(out.read_bytes()), bytes(logged.read(course.closed).present)
    assert proof.extra == leaf
    assert proofs.check(proof, leaf, Log.open(course.log).key).size == 3
    size = logged.read(course.begun).size
    done(course.run("prove", course.log, course.closed, "--size", size, "--out", course.folder / "earlier"))
    assert proofs.decode((course.folder / "earlier").read_bytes()).index == 1
    assert "exists already" in refused(course.run("prove", course.log, course.closed, "--out", out))
    words = ("prove", course.log, course.closed, "--size", 2, "--out", course.folder / "none")
    assert f"it has those of 1, {size}, " in refused(course.run(*words))
    missing = course.run("prove", course.log, course.other, "--out", course.folder / "none")
    assert "is not in the log" in refused(missing)


def test_a_log_must_continue_what_somebody_has_kept(course: Course, tmp_path: Path) -> None:
    done(course.add(course.begun))
    proof, note = course.folder / "p.tlog-proof", course.log / "checkpoints/2"
    done(course.run("prove", course.log, course.begun, "--out", proof))
    earlier = course.copied(tmp_path / "earlier")
    done(course.add(course.closed))
    done(course.run("check", course.log, "--seen", proof, "--seen", note))
    done(earlier.add(earlier.other))
    newer = course.log / "checkpoints/3"
    assert "has signed two histories" in refused(earlier.run("check", earlier.log, "--seen", newer))
    proof.write_bytes(b"\xff")
    assert "p.tlog-proof is not a checkpoint" in refused(course.run("check", course.log, "--seen", proof))


def test_another_key_a_broken_policy_and_what_is_no_log_are_refused(course: Course) -> None:
    write_keys(course.folder / "other.key", SigningKey(bytes(32)), Role.TRENT, None)
    words = ("add", course.log, course.begun, "--key", course.folder / "other.key")
    assert "not that of the log" in refused(course.run(*words))
    policy = course.folder / "policy"
    policy.write_text("quorum nobody\n")
    assert "policy: line 1 of the policy" in refused(course.add(course.begun, "--policy", policy))
    for name in ("check", "export", "prove"):
        more = {"check": (), "export": ("--out", "x"), "prove": (course.begun, "--out", "x")}[name]
        assert "neither a log nor" in refused(course.run(name, course.folder, *more))
    assert json.loads(refused(course.add(course.key, "--json")))["outcome"] == "refused"
    assert Log.open(course.log).size == 0


# Witnesses


@pytest.fixture
def court() -> Iterator[TestWitness]:
    found = TestWitness()
    with serving(found):
        yield found


def policy_for(course: Course, *witnesses: TestWitness, quorum: str = "any") -> Path:
    key = Log.open(course.log).key
    lines = [f"log {key.vkey}"]
    for number, each in enumerate(witnesses):
        each.logs[ORIGIN] = key
        lines.append(f"witness w{number} {each.key.vkey} {each.url}")
    names = " ".join(f"w{number}" for number, _ in enumerate(witnesses))
    path = course.folder / "policy"
    path.write_text("".join(f"{line}\n" for line in [*lines, f"group g {quorum} {names}", "quorum g"]))
    return path


def test_witnesses_cosign_what_was_added_and_the_proof_satisfies_the_policy(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    said = value(course.add(course.begun, "--policy", policy, "--json"))
    assert (said["cosigned"], said["quorum"]) == (["w0"], True)
    assert said["witnesses"] == [{"name": "w0", "cosigned": True, "message": None}]
    out = course.folder / "p.tlog-proof"
    done(course.run("prove", course.log, course.begun, "--policy", policy, "--out", out))
    assert proofs.decode(out.read_bytes()).note.signed_by([court.key]) == [court.key]
    assert "Witnessed    by w0" in done(course.run("check", course.log, "--policy", policy))


def test_a_witness_that_is_away_is_asked_again_by_the_next_add(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    court.behave = lambda _: (503, b"")
    said = done(course.add(course.begun, "--policy", policy, "--unwitnessed"))
    assert "Not cosigned: the witness w0 cannot cosign now (status 503)" in said
    assert "Cosigned by nobody; the quorum g is NOT reached" in said
    assert "quorum g is not reached" in refused(course.run("check", course.log, "--policy", policy))
    words = ("prove", course.log, course.begun, "--policy", policy, "--out", course.folder / "p")
    assert "satisfies the policy" in refused(course.run(*words))
    court.behave = None
    assert "Cosigned by w0; the quorum g is reached" in done(course.add("--policy", policy))
    done(course.run(*words))
    done(course.run("check", course.log, "--policy", policy))


def test_a_proof_stands_under_the_newest_checkpoint_that_the_policy_accepts(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    done(course.add(course.begun, "--policy", policy))
    court.behave = lambda _: (503, b"")
    done(course.add(course.closed, "--policy", policy, "--unwitnessed"))
    out, size = course.folder / "p", logged.read(course.begun).size
    done(course.run("prove", course.log, course.closed, "--size", size, "--policy", policy, "--out", out))
    assert proofs.decode(out.read_bytes()).note.text.split("\n")[1] == "2"


def test_a_log_restored_from_a_backup_signs_nothing_a_second_time(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    done(course.add(course.begun, "--policy", policy))
    shutil.copytree(course.log, course.folder / "backup")
    done(course.add(course.closed, "--policy", policy))
    shutil.rmtree(course.log)
    shutil.copytree(course.folder / "backup", course.log)
    said = refused(course.add(course.other, "--policy", policy))
    assert "the witness w0 has cosigned 3 leaves" in said
    assert "this is an older copy of the log" in said
    assert Log.open(course.log).size == 2
    assert court.seen[ORIGIN][0] == 3


@pytest.mark.parametrize("status", [503, 404, 403, 400, 200])
def test_nothing_new_is_signed_while_no_witness_can_be_reached(course: Course, court: TestWitness, status: int) -> None:
    policy = policy_for(course, court)
    done(course.add(course.begun, "--policy", policy))
    court.behave = lambda _: (status, b"")
    before = _files(course.log)
    said = refused(course.add(course.closed, "--policy", policy))
    assert "nothing was added: no witness of the policy could tell" in said
    assert "add --unwitnessed" in said
    assert _files(course.log) == before
    assert "already there" in done(course.add(course.begun, "--policy", policy))  # which signs nothing
    assert "closed: added as leaf 2" in done(course.add(course.closed, "--policy", policy, "--unwitnessed"))


def test_one_witness_that_answers_is_enough_to_add(course: Course, court: TestWitness) -> None:
    away = TestWitness("bar.example/w")
    with serving(away):
        away.behave = lambda _: (503, b"")
        said = done(course.add(course.begun, "--policy", policy_for(course, court, away)))
    assert "Not cosigned: the witness w1 cannot cosign now" in said
    assert "Cosigned by w0; the quorum g is reached" in said


def test_a_log_that_was_lost_and_made_again_signs_nothing_a_second_time(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    done(course.add(course.begun, "--policy", policy))
    shutil.rmtree(course.log)
    done(course.run("init", course.log, "--origin", ORIGIN, "--key", course.key))
    assert "there are only 0 here" in refused(course.add(course.other, "--policy", policy))
    assert Log.open(course.log).size == 0


def test_a_witness_with_another_history_is_told_and_not_blamed(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    done(course.add(course.begun))
    court.seen[ORIGIN] = 2, bytes(32)
    said = refused(course.add(course.other, "--policy", policy))
    assert "do not continue the 2 that it has cosigned" in said
    assert "nobody is blamed" in said
    assert Log.open(course.log).size == 2


def test_a_policy_for_another_log_is_refused_before_anything_is_added(course: Course, court: TestWitness) -> None:
    policy = policy_for(course, court)
    done(course.run("init", course.folder / "second", "--origin", "trent.example/2", "--key", course.key))
    words = ("add", course.folder / "second", course.begun, "--key", course.key, "--policy", policy)
    assert "does not list the log trent.example/2" in refused(course.run(*words))
    assert Log.open(course.folder / "second").size == 0
    assert court.requests == []
