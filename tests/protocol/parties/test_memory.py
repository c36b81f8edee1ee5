"""What a party remembers beside its key: nobody shows it two histories, and it never contradicts itself."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import entries, keys, records
from ledger.entries import Body, Commitments, Sealed, Statement
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.exchange import filenames, objection_file, question_file
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.readme import Guide
from protocol.parties import history_lines, memory, question, secrets
from protocol.parties.history_lines import ServedEntry
from tests.support.exchange_cases import Table
from tests.support.shown import document as shown_document


def memory_folder(table: Table, role: Role) -> Path:
    (found,) = (table.folder / role / f"{role}.key.memory").iterdir()
    return found


def forked(table: Table, folder: Path) -> Table:
    """The same matter, as it would go on had Alice reported otherwise."""
    other = table.copied(folder)
    asked = other.until(Role.ALICE, "report")
    other.accept(other.said(Role.ALICE, asked, "--labels", str(other.filled(asked, lambda _: "no"))))
    return other


def test_two_entries_of_one_number_are_kept_as_evidence(reporting: Table, tmp_path: Path) -> None:
    other = forked(reporting, tmp_path / "other")
    shown = other.until(Role.BOB, "link")
    reporting.said(Role.BOB, reporting.until(Role.BOB, "link"))
    before = memory.recall_raw(memory_folder(reporting, Role.BOB))
    result = reporting.answer(Role.BOB, shown)
    assert result.exit_code == 1
    assert "Trent has signed two different entries with number 8" in result.output
    assert "tell the court and the other party" in result.output
    assert not reporting.out.exists()
    assert memory.recall_raw(memory_folder(reporting, Role.BOB)) == before
    (evidence,) = memory_folder(reporting, Role.BOB).glob("two-histories-8-*")
    found = [
        history_lines.parse((evidence / name).read_bytes(), name).entries[0]
        for name in ("seen-before.jsonl", "in-the-question.jsonl")
    ]
    assert [each.wire.entry.body.sequence for each in found] == [8, 8]
    assert found[0].hash != found[1].hash
    trent = reporting.keys[Role.TRENT].public
    for each in found:
        assert keys.holds(entries.entry_signed(trent, each.wire.body_bytes, each.wire.entry.signature))
    assert "different histories of one matter" in (evidence / "README.txt").read_text()
    (objection,) = reporting.out.parent.glob(f"{reporting.out.stem}-objection.json")
    reason = objection_file.read(objection).objection.reason
    assert "Trent has signed two different entries with number 8" in reason
    assert str(reporting.folder) not in reason  # where Bob keeps his files is nobody's business


def test_a_question_that_follows_another_entry_is_a_fork_too(reporting: Table, tmp_path: Path) -> None:
    """The packages of the two histories need not overlap."""
    other = forked(reporting, tmp_path / "other")
    shown = other.until(Role.BOB, "labels")
    assert question_file.read(shown).request.start == 9
    reporting.said(Role.BOB, reporting.until(Role.BOB, "link"))
    result = reporting.answer(Role.BOB, shown, "--labels", str(other.filled(shown)))
    assert result.exit_code == 1
    assert "Trent's entry 9 does not follow the entry that he showed before" in result.output
    (evidence,) = memory_folder(reporting, Role.BOB).glob("two-histories-9-*")
    assert (evidence / "seen-before.jsonl").read_bytes() != (evidence / "in-the-question.jsonl").read_bytes()


def test_the_honest_question_is_answered_after_a_fork_was_refused(reporting: Table, tmp_path: Path) -> None:
    other = forked(reporting, tmp_path / "other")
    reporting.accept(reporting.said(Role.BOB, reporting.until(Role.BOB, "link")))
    assert reporting.answer(Role.BOB, other.until(Role.BOB, "link")).exit_code == 1
    reporting.accept(reporting.truthful(Role.BOB, reporting.until(Role.BOB, "labels")))


def test_an_older_question_is_refused_with_a_sentence(labelling: Table) -> None:
    older = labelling.folder / "outbox" / "1-link-for-bob"
    labelling.accept(labelling.truthful(Role.BOB, labelling.until(Role.BOB, "labels")))
    result = labelling.answer(Role.BOB, older)
    assert result.exit_code == 1
    assert "older than one that was answered here before" in result.output


def test_without_memory_the_whole_history_is_asked_for(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    shutil.rmtree(labelling.folder / "bob" / "bob.key.memory")
    result = labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
    assert result.exit_code == 1
    assert "this computer knows nothing of the matter" in result.output
    assert "copy the folder bob.key.memory from there to the folder of your key" in result.output
    assert "matter next --all" in result.output


def test_a_memory_from_a_backup_is_too_short(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    file = memory_folder(labelling, Role.BOB) / "history.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]))
    result = labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
    assert result.exit_code == 1
    assert "from entry 9 on, but this computer knows only 3 entries" in result.output
    assert "matter next --all" in result.output


def test_what_this_key_signed_and_forgot_needs_a_word(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    form = str(labelling.filled(wave))
    shutil.rmtree(labelling.folder / "bob" / "bob.key.memory")
    whole = labelling.questions(everything=True)[Role.BOB]
    result = labelling.answer(Role.BOB, whole, "--labels", form)
    assert result.exit_code == 1
    assert "the history holds 3 statements signed with this key" in result.output
    assert "somebody else has your key" in result.output
    assert not (labelling.folder / "bob" / "bob.key.memory").exists()
    labelling.accept(labelling.said(Role.BOB, whole, "--labels", form, "--forgotten"))
    assert [each.kind for each in labelling.memory_of(Role.BOB).answers] == ["agreed", "link", "link", "labels"]
    for role, asked in labelling.questions().items():
        labelling.truthful(role, asked)  # nothing has to be said twice


def test_a_statement_under_ones_own_key_that_one_never_made_is_noticed(labelling: Table) -> None:
    """Somebody else has the key: the memory is whole, and lacks what the history holds."""
    wave = labelling.until(Role.BOB, "labels")
    file = memory_folder(labelling, Role.BOB) / "answers.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    result = labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
    assert result.exit_code == 1
    assert "the history holds 1 statement signed with this key" in result.output


def test_a_key_that_was_moved_takes_its_memory_along(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    moved = labelling.folder / "elsewhere"
    moved.mkdir()
    shutil.move(labelling.key_file(Role.BOB), moved / "mine")
    shutil.move(labelling.folder / "bob" / "bob.key.memory", moved / "mine.memory")
    form = str(labelling.filled(wave))
    assert labelling.answer(Role.BOB, wave, "--labels", form, key=moved / "mine").exit_code == 0


def test_memory_comes_first_so_that_a_full_disk_changes_nothing(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    form = str(labelling.filled(wave))
    given = ["--labels", form, "--out", str(labelling.folder / "no-such-folder" / "answer.json")]
    result = labelling.answer(Role.BOB, wave, *given)
    assert result.exit_code == 1
    assert "run the command again" in result.output
    (kept,) = labelling.memory_of(Role.BOB).about(question_file.read(wave).request.entry, "labels")
    assert labelling.said(Role.BOB, wave, "--labels", form) == kept.file


def test_nothing_secret_lies_beside_the_key(labelling: Table) -> None:
    kept = b"".join(each.read_bytes() for each in memory_folder(labelling, Role.ALICE).iterdir())
    opening = labelling.memory_of(Role.ALICE).history[0].hash
    alice = labelling.keys[Role.ALICE]
    for secret in (alice.seed, secrets.chain_root(alice, opening), secrets.seal(alice, opening)):
        assert secret not in kept
        assert secret.hex().encode() not in kept


def test_a_damaged_memory_is_said_to_be_damaged(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    folder = memory_folder(labelling, Role.BOB)
    for name in ("history.jsonl", "answers.jsonl"):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(before[:-10] + b"\n")
        result = labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
        assert result.exit_code == 1
        assert f"{name}" in result.output
        (folder / name).write_bytes(before)


def test_two_programs_at_once_do_not_both_answer(labelling: Table) -> None:
    before = labelling.memory_of(Role.BOB)
    (before.folder / "answers.jsonl").write_bytes(b"")
    with pytest.raises(Refused, match="another program changed"):
        memory.keep(before, before)


def test_memory_that_cannot_be_written_is_said_before_anything_is_given(labelling: Table) -> None:
    with pytest.raises(Refused, match="nothing was signed"):
        memory.write(labelling.key_file(Role.BOB) / "below-a-file" / "x", b"")


def entry_after(
    last: ServedEntry, table: Table, statement: Statement, openings: Any = (), **around: Any
) -> ServedEntry:
    """An entry that Trent signs after another."""
    body = Body(
        asks=around.get("asks", ()),
        matter=last.wire.entry.body.matter,
        previous=last.hash,
        releases=(),
        sequence=last.wire.entry.body.sequence + 1,
        signature=None,
        statement=statement,
        time=1,
    )
    raw = records.encode(body)
    wire = entries.read_body(raw, entries.sign_entry(table.keys[Role.TRENT], raw))
    return ServedEntry(wire=wire, openings=tuple(openings))


def written(table: Table, asked: Path, more: ServedEntry, documents: list[ShownDocument], **changed: Any) -> Path:
    """The question with one more entry, which asks."""
    found = question_file.read(asked)
    out = asked.with_name(f"{asked.name}-again")
    question_file.write(
        out,
        key=table.keys[Role.TRENT],
        history=[*(each.line for each in found.question.lines.entries), more.line],
        released=[],
        request=msgspec.structs.replace(
            found.request, entry=more.hash, head=more.hash, size=found.request.size + 1, files={}, **changed
        ),
        documents=documents,
        extra={},
        guide=Guide(case="again"),
    )
    return out


def test_a_link_is_not_given_for_another_batch(reporting: Table) -> None:
    """Trent loses Alice's report, which has her link, and asks again about other documents (decision 0025)."""
    asked = reporting.until(Role.ALICE, "report")
    reporting.said(Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    last = question_file.read(asked).question.lines.entries[-1]
    batch = last.wire.entry.body.statement
    sealed = {
        name: Sealed(audiences=each.audiences, commitments=Commitments(each.commitments[:-1]))
        for name, each in batch.sealed.items()
        if name == "documents"
    }
    smaller = msgspec.structs.replace(batch, content=batch.content | {"size": 7}, sealed=sealed)
    openings = [each for each in last.openings if each.field == "documents"][:-1]
    more = entry_after(last, reporting, smaller, openings, asks=(Role.ALICE,))
    shown = _documents(reporting.corpus, openings)
    again = written(reporting, asked, more, shown)
    result = reporting.answer(Role.ALICE, again, "--labels", str(reporting.filled(again)))
    assert result.exit_code == 1
    assert "entry 8: Trent's 'batch' comes too early; others must answer first" in result.output


def _documents(corpus: Corpus, openings: list[Any]) -> list[ShownDocument]:
    return [
        shown_document(
            position=each.index + 1,
            name=each.value["name"],
            content=corpus.content(each.value["document"]),
            text=corpus.text(each.value["document"]),
        )
        for each in openings
    ]


def test_what_breaks_the_rules_of_the_chain_is_trents_fault(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    last = question_file.read(asked).question.lines.entries[-1]
    wrong = msgspec.structs.replace(last.wire.entry.body.statement, answers=last.hash, sealed={})
    more = entry_after(last, reporting, wrong, asks=(Role.ALICE,))
    result = reporting.answer(Role.ALICE, written(reporting, asked, more, []), "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "the history in the question, which Trent has signed, breaks the rules of a record: entry 8" in result.output
    assert "A signed objection is in" in result.output


def test_an_entry_that_trent_did_not_sign_is_damage(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    found = question_file.read(asked)
    file = asked / filenames.ENTRIES
    signature = found.question.lines.entries[-1].wire.entry.signature.hex().encode()
    data = file.read_bytes().replace(signature, bytes(reversed(signature)))
    files = dict(found.request.files) | {filenames.ENTRIES: Digest(hashlib.sha256(data).digest())}
    signed = question.sign(reporting.keys[Role.TRENT], msgspec.structs.replace(found.request, files=files))
    file.write_bytes(data)
    (asked / filenames.REQUEST).write_bytes(records.encode(signed))
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "does not carry Trent's signature" in result.output


def test_openings_of_one_place_that_differ_are_damage(reporting: Table) -> None:
    last = question_file.read(reporting.until(Role.ALICE, "report")).question.lines.entries[-1]
    other = msgspec.structs.replace(last.openings[0], value={"document": 1, "name": "other"})
    assert history_lines.merged(last, last.openings) == last
    with pytest.raises(Damaged, match="two different openings"):
        history_lines.merged(last, [other])


def test_a_matter_whose_number_begins_alike_has_a_memory_of_its_own(reporting: Table) -> None:
    """Trent chooses the number."""
    found = reporting.memory_of(Role.BOB)
    matter = found.history[0].wire.entry.body.matter
    alike = Digest(matter[:31] + bytes([matter[31] ^ 1]))
    assert memory.recall(reporting.key_file(Role.BOB), alike).history == ()


def test_a_memory_that_was_moved_to_another_matter_is_refused(reporting: Table) -> None:
    other = Digest(bytes(32))
    memory_folder(reporting, Role.BOB).rename(memory.folder_of(reporting.key_file(Role.BOB), other))
    with pytest.raises(Refused, match="memory of another matter"):
        memory.recall(reporting.key_file(Role.BOB), other)


def test_entries_of_another_matter_than_the_request_names_are_no_fork(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    whole = reporting.questions(everything=True)[Role.ALICE]
    changed = msgspec.structs.replace(question_file.read(whole).request, matter=Digest(bytes(32)))
    (whole / filenames.REQUEST).write_bytes(records.encode(question.sign(reporting.keys[Role.TRENT], changed)))
    result = reporting.answer(Role.ALICE, whole, "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "entry 0 in the question belongs to another matter" in result.output
    assert not list(reporting.folder.rglob("two-histories-*"))


def test_an_entry_that_anybody_changed_is_no_proof_against_trent(reporting: Table) -> None:
    """A second entry of one number proves a fork only under Trent's own signature."""
    asked = reporting.until(Role.ALICE, "report")
    whole = reporting.questions(everything=True)[Role.ALICE]
    found = question_file.read(whole)
    first = found.question.lines.entries[1].wire.entry.body
    data = (whole / filenames.ENTRIES).read_bytes()
    data = data.replace(b'"time":%d' % first.time, b'"time":%d' % (first.time + 1))
    files = dict(found.request.files) | {filenames.ENTRIES: Digest(hashlib.sha256(data).digest())}
    (whole / filenames.ENTRIES).write_bytes(data)
    last = history_lines.parse(data, "").entries[-1]
    changed = msgspec.structs.replace(found.request, files=files, head=last.hash)
    (whole / filenames.REQUEST).write_bytes(records.encode(question.sign(reporting.keys[Role.TRENT], changed)))
    result = reporting.answer(Role.ALICE, whole, "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "does not carry Trent's signature" in result.output
    assert not list(reporting.folder.rglob("two-histories-*"))
