"""`tallystick answer`: what is asked for is checked, shown, signed once, and remembered."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from ledger import entries, records
from ledger.entries import hash_words
from ledger.hashing import Digest
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey, fingerprint
from ledger.openings import Openings
from ledger.plain import shown
from ledger.roles import Role
from protocol.cli import main
from protocol.exchange import answer_file, filenames, question_file
from protocol.parties import question, view
from protocol.parties.secrets import chain_root, unsealed_root
from tests.support import exchange_cases
from tests.support.exchange_cases import Table


def test_at_first_contact_the_whole_terms_are_shown(table: Table) -> None:
    table.open()
    asked = table.questions()
    result = table.answer(Role.BOB, asked[Role.BOB])
    with table.office() as office:
        opening = office.state.opening
    assert result.exit_code == 0
    caption = exchange_cases.CAPTION
    for word in (caption.case, caption.court, "All documents about swaps,", *caption.names.values()):
        assert word in result.output
    for key in opening.keys.values():
        assert fingerprint(key) in result.output
    for word in (
        "label:",
        "at most 8 documents in a batch",
        "at most 2 batches",
        "0.2, ",
        "0.05, ",
        opening.terms.query,
        "by telephone",
    ):
        assert word in result.output
    assert opening.corpus.root.hex() in result.output
    assert "   (your key)" in result.output


def test_the_second_time_the_terms_are_not_shown_again(table: Table) -> None:
    table.begin()
    result = table.answer(Role.BOB, table.until(Role.BOB, "link"))
    assert "These are its terms" not in result.output
    assert "the link of draw 1" in result.output


def test_with_the_terms_goes_the_root_of_the_chain_for_the_court_alone(table: Table) -> None:
    table.open()
    asked = table.questions()[Role.ALICE]
    answer = table.said(Role.ALICE, asked)
    assert answer.deposit is not None
    opening = question_file.read(asked).request.entry
    assert unsealed_root(table.keys[Role.COURT], answer.deposit) == chain_root(table.keys[Role.ALICE], opening)


def test_a_report_is_what_the_form_says(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    form = reporting.filled(asked)
    result = reporting.answer(Role.ALICE, asked, "--labels", str(form))
    answer = answer_file.read(reporting.out)
    (labels,) = [each.value for each in answer.openings if each.field == "labels"]
    truth = [line.split(",")[3] == "yes" for line in form.read_text("utf-8-sig").splitlines()[1:]]
    assert labels == truth
    assert f"{sum(truth)} responsive, {len(truth) - sum(truth)} not responsive" in result.output
    for word in ("Acme Corp. (Alice)", "Round          1", fingerprint(reporting.keys[Role.ALICE].public)):
        assert word in result.output
    reporting.accept(answer)


def test_a_form_may_be_filled_in_within_the_question(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    shutil.copy(reporting.filled(asked), asked / "labels.csv")
    assert reporting.answer(Role.ALICE, asked, "--labels", str(asked / "labels.csv")).exit_code == 0


def test_a_zip_is_answered_like_a_folder(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    (packed,) = reporting.questions(packed=True).values()
    assert packed.suffix == ".zip"
    form = str(reporting.filled(asked))
    one, other = (reporting.said(Role.ALICE, each, "--labels", form) for each in (asked, packed))
    assert one == other


def test_privilege_is_claimed_with_the_report(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    bases = iter(["advice of counsel", "", "work product"])
    claims = reporting.filled(asked, lambda _: next(bases, ""), "basis", "privilege.csv")
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked)), "--privilege", str(claims))
    said = [each.value for each in answer_file.read(reporting.out).openings if each.field == "privilege"]
    assert said == ["advice of counsel", None, "work product", *[None] * 5]
    assert "you claim it for 2 documents" in result.output
    assert ": advice of counsel" in result.output
    reporting.accept(answer_file.read(reporting.out))


def test_a_threshold_comes_with_the_labels_above_it(table: Table) -> None:
    table.begin(protocol="classifier")
    asked = table.until(Role.ALICE, "report")
    assert "add\r\n   --threshold R below." in (asked / "README.txt").read_bytes().decode()
    form = str(table.filled(asked))
    assert ": add --threshold R" in table.answer(Role.ALICE, asked, "--labels", form).output
    assert "a rank from 0 to 8" in table.answer(Role.ALICE, asked, "--labels", form, "--threshold", "9").output
    result = table.answer(Role.ALICE, asked, "--labels", form, "--threshold", "3")
    assert "5 labels below the threshold" in result.output
    answer = answer_file.read(table.out)
    values = {(each.field, each.index): each.value for each in answer.openings}
    assert values["threshold", 0] == 3
    assert [label is None for label in values["labels", 0]] == [False] * 3 + [True] * 5
    table.accept(answer)


def test_a_threshold_of_nothing_needs_no_labels(table: Table) -> None:
    table.begin(protocol="classifier")
    asked = table.until(Role.ALICE, "report")
    table.accept(table.said(Role.ALICE, asked, "--threshold", "0"))


def test_where_no_threshold_is_asked_for_none_is_taken(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    assert "--threshold" not in (asked / "README.txt").read_text()
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked)), "--threshold", "3")
    assert result.exit_code == 1
    assert "for no threshold: leave out --threshold R" in result.output


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "add --labels FILE"),
        (("--grant",), "leave out --grant or --deny"),
        (("--accept",), "leave out --accept or --reject"),
        (("--upheld", "FORM"), "leave out --upheld FILE"),
    ],
)
def test_what_the_question_needs_is_asked_for_and_nothing_else(
    reporting: Table, options: tuple[str, ...], reason: str
) -> None:
    asked = reporting.until(Role.ALICE, "report")
    form = str(reporting.filled(asked))
    given = [form if option == "FORM" else option for option in options]
    result = reporting.answer(Role.ALICE, asked, *(["--labels", form] if options else []), *given)
    assert result.exit_code == 1
    assert reason in result.output
    assert not reporting.out.exists()


def test_labels_of_another_wave_are_refused(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    form = reporting.filled(asked)
    reporting.accept(reporting.said(Role.ALICE, asked, "--labels", str(form)))
    wave = reporting.until(Role.BOB, "labels")
    rows = form.read_text("utf-8-sig").splitlines()
    form.write_text("\n".join([rows[0], *[row.replace("-r1-", "-r2-") for row in rows[1:]]]), "utf-8")
    result = reporting.answer(Role.BOB, wave, "--labels", str(form))
    assert result.exit_code == 1
    assert "another" in result.output


def test_bob_labels_and_the_court_rules(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    contrary = labelling.filled(wave, lambda name: "no" if name in labelling.responsive else "yes")
    answer = labelling.said(Role.BOB, wave, "--labels", str(contrary))
    labelling.accept(answer)
    assert answer.answer is not None
    dispute = labelling.until(Role.COURT, "rulings")
    ruled = labelling.said(Role.COURT, dispute, "--labels", str(labelling.filled(dispute)))
    assert ruled.answer is not None
    assert [not label for label in ruled.answer.statement.content["labels"]] == answer.answer.statement.content[
        "labels"
    ]
    labelling.accept(ruled)


def test_the_same_words_give_the_same_bytes_and_others_are_refused(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    form = reporting.filled(asked)
    reporting.said(Role.ALICE, asked, "--labels", str(form))
    first = reporting.out.read_bytes()
    again = reporting.answer(Role.ALICE, asked, "--labels", str(form))
    assert reporting.out.read_bytes() == first
    assert "You gave this answer before" in again.output
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked, lambda _: "no")))
    assert result.exit_code == 1
    assert "you gave a different report to this question before" in result.output
    assert len(reporting.memory_of(Role.ALICE).about(question_file.read(asked).request.entry, "report")) == 1


def test_terms_are_signed_with_the_same_bytes_though_a_sealed_box_never_is_the_same(table: Table) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    table.said(Role.BOB, asked)
    first = table.out.read_bytes()
    table.said(Role.BOB, asked)
    assert table.out.read_bytes() == first


def test_labels_are_replaced_only_on_demand_and_name_what_they_replace(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    first = labelling.said(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
    other = str(labelling.filled(wave, lambda _: "no"))
    refused = labelling.answer(Role.BOB, wave, "--labels", other)
    assert refused.exit_code == 1
    assert "add --replace" in refused.output
    second = labelling.said(Role.BOB, wave, "--labels", other, "--replace")
    third = labelling.said(Role.BOB, wave, "--labels", str(labelling.filled(wave)), "--replace")
    hashes = []
    for each in (first, second, third):
        assert each.answer is not None
        hashes.append(entries.hash_statement(entries.encode_statement(each.answer.statement)))
    assert second.answer is not None
    assert third.answer is not None
    assert second.answer.statement.replaces == (hashes[0],)
    assert third.answer.statement.replaces == tuple(sorted(hashes[:2]))
    assert labelling.said(Role.BOB, wave, "--labels", str(labelling.filled(wave))) == third
    labelling.accept(third)


def test_an_answer_is_never_overwritten(table: Table) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    (table.folder / "bob" / "answer-1.json").write_text("something of mine")
    result = table.answer(Role.BOB, asked)
    assert result.exit_code == 1
    assert "never overwritten" in result.output
    assert table.out.read_text() == "something of mine"
    assert not (table.folder / "bob" / "bob.key.memory").exists()


def test_without_anybody_to_confirm_nothing_is_signed(table: Table) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    result = table.answer(Role.BOB, asked, yes=False)
    assert result.exit_code == 1
    assert "Add --yes to sign without being asked" in result.output
    assert not table.out.exists()
    assert not (table.folder / "bob" / "bob.key.memory").exists()


def test_another_key_is_refused_with_both_fingerprints(table: Table, tmp_path: Path) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    stranger = SigningKey.generate()
    write_keys(tmp_path / "stranger", stranger, Role.BOB, None)
    result = table.answer(Role.BOB, asked, key=tmp_path / "stranger")
    assert result.exit_code == 1
    assert fingerprint(stranger.public) in result.output
    assert fingerprint(table.keys[Role.BOB].public) in result.output


def test_another_role_is_refused(table: Table) -> None:
    table.open()
    result = table.answer(Role.ALICE, table.questions()[Role.BOB])
    assert result.exit_code == 1
    assert "is Alice's key, but Bob's is needed here" in result.output


def test_a_public_key_does_not_sign(table: Table) -> None:
    table.open()
    public = table.key_file(Role.BOB).with_name("bob.key.pub")
    result = table.answer(Role.BOB, table.questions()[Role.BOB], key=public)
    assert "signing needs the private one" in result.output


def _again(table: Table, path: Path, **changed: object) -> Path:
    """Trent writes the same question with something changed, and signs it."""
    asked = question_file.read_request(path)
    out = path.with_name(f"{path.name}-{len(list(path.parent.iterdir()))}")
    shutil.copytree(path, out)
    for name, content in changed.pop("contents", {}).items():  # type: ignore[attr-defined]
        (out / name).write_bytes(content)
    renamed = dict(changed.pop("renamed", {}))  # type: ignore[call-overload]
    for old, new in renamed.items():
        (out / old).rename(out / new)
    files = {
        each.relative_to(out).as_posix(): Digest(hashlib.sha256(each.read_bytes()).digest())
        for each in out.rglob("*")
        if each.is_file() and each.name != filenames.REQUEST
    }
    asked = msgspec.structs.replace(asked, files=files, **changed)
    (out / filenames.REQUEST).write_bytes(records.encode(question.sign(table.keys[Role.TRENT], asked)))
    return out


def test_a_document_that_is_not_the_committed_one_is_refused_though_trent_signed_it(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    file = next((wave / "documents").iterdir())
    forged = _again(labelling, wave, contents={f"documents/{file.name}": b"another text"})
    result = labelling.answer(Role.BOB, forged, "--labels", str(labelling.filled(wave)))
    assert result.exit_code == 1
    assert "is not the document that the matter has committed to at position" in result.output
    assert labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave))).exit_code == 0


def test_documents_at_other_positions_are_refused(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    one, two = sorted((asked / "documents").iterdir())[:2]
    swapped = {
        f"documents/{one.name}": f"documents/0002-{one.name[5:]}",
        f"documents/{two.name}": f"documents/0001-{two.name[5:]}",
    }
    result = reporting.answer(
        Role.ALICE, _again(reporting, asked, renamed=swapped), "--labels", str(reporting.filled(asked))
    )
    assert "is not the file of the document at its position" in result.output
    (asked / "documents" / one.name).unlink()
    fewer = _again(reporting, asked)
    result = reporting.answer(Role.ALICE, fewer, "--labels", str(reporting.filled(asked)))
    assert "does not hold exactly the documents that it asks about" in result.output


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"kind": "link"}, "the question asks for 'link' in round 1, but its entry asks for 'report' in round 1"),
        ({"round": 2}, "the question asks for 'report' in round 2, but its entry asks for 'report' in round 1"),
        ({"kind": "cosign"}, "an end that is not the end of its history"),
        ({"role": Role.BOB}, "is Alice's key, but Bob's is needed here"),
    ],
)
def test_a_request_that_does_not_fit_its_entry_is_refused(
    reporting: Table, changed: dict[str, object], reason: str
) -> None:
    asked = reporting.until(Role.ALICE, "report")
    if changed.get("kind") == "cosign":
        changed = {**changed, "entry": question_file.read(asked).question.lines.entries[0].hash}
    result = reporting.answer(Role.ALICE, _again(reporting, asked, **changed), "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert reason in result.output


def test_openings_that_are_left_out_are_refused(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    lines = [json.loads(line) for line in (asked / filenames.ENTRIES).read_bytes().splitlines()]
    for each in ("indices", "values"):
        lines[-1]["openings"]["documents"][each].pop()
    lines[-1]["openings"]["documents"]["salts"] = lines[-1]["openings"]["documents"]["salts"][:-64]
    data = b"".join(json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in lines)
    result = reporting.answer(
        Role.ALICE,
        _again(reporting, asked, contents={filenames.ENTRIES: data}),
        "--labels",
        str(reporting.filled(asked)),
    )
    assert result.exit_code == 1
    assert "does not hold exactly what Alice may see" in result.output


def test_a_name_from_elsewhere_cannot_steer_the_terminal() -> None:
    assert shown("\x1b[2J\u202eevil\nline") == "\ufffd[2J\ufffdevil\ufffdline"


def test_the_command_loads_neither_numpy_nor_a_database() -> None:
    script = (
        "import sys; from protocol.cli import main\n"
        "import protocol.commands.answer\n"
        "heavy = ('numpy', 'scipy', 'sqlite3', 'protocol.corpus.corpus', "
        "'protocol.learning', 'protocol.matter.trent', 'protocol.matter.desk')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    alone = script.replace("from protocol.cli import main", "")
    assert subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=True).stdout == "[]\n"
    whole = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not any(name in whole for name in ("numpy", "scipy"))


def test_the_installed_command_answers(table: Table) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    program = str(Path(sys.executable).with_name("tallystick"))
    given = ["answer", str(asked), "--key", str(table.key_file(Role.BOB)), "--out", str(table.folder / "answer.json")]
    run = subprocess.run([program, *given, "--yes"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    table.accept(answer_file.read(table.folder / "answer.json"))


def test_the_words_of_a_report_do_not_depend_on_trents_clock(reporting: Table) -> None:
    """Asked again about the same documents, Alice says the same words (decision 0025)."""
    asked = reporting.until(Role.ALICE, "report")
    first = reporting.said(Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    shutil.rmtree(reporting.folder / "alice" / "alice.key.memory")
    whole = reporting.questions(everything=True)[Role.ALICE]
    second = reporting.said(Role.ALICE, whole, "--labels", str(reporting.filled(asked)), "--forgotten")
    assert first.answer is not None
    assert second.answer is not None
    assert hash_words(first.answer.statement) == hash_words(second.answer.statement)


def test_a_question_that_trent_did_not_sign_is_refused(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    found = question_file.read(asked)
    forged = question.sign(reporting.keys[Role.BOB], found.request)
    (asked / filenames.REQUEST).write_bytes(records.encode(forged))
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "not signed with Trent's key in this matter" in result.output


def test_a_question_that_brings_nothing_new_is_answered_if_its_head_is_the_known_one(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    form = str(reporting.filled(asked))
    given = reporting.said(Role.ALICE, asked, "--labels", form)
    size = question_file.read(asked).request.size
    empty = _again(reporting, asked, start=size, contents={filenames.ENTRIES: b""})
    assert reporting.said(Role.ALICE, empty, "--labels", form) == given
    other = _again(reporting, empty, head=Digest(bytes(32)))
    result = reporting.answer(Role.ALICE, other, "--labels", form)
    assert result.exit_code == 1
    assert "is not the head of its history" in result.output


def test_openings_that_the_party_may_not_see_are_refused(reporting: Table) -> None:
    """Trent would show Bob the names of all documents of the batch."""
    batch = question_file.read(reporting.until(Role.ALICE, "report")).question.lines.entries[-1]
    asked = reporting.until(Role.BOB, "link")
    lines = [json.loads(line) for line in (asked / filenames.ENTRIES).read_bytes().splitlines()]
    (line,) = [each for each in lines if each["entry"]["body"]["sequence"] == batch.wire.entry.body.sequence]
    line["openings"] = Openings(batch.openings).to_value()
    data = b"".join(json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in lines)
    result = reporting.answer(Role.BOB, _again(reporting, asked, contents={filenames.ENTRIES: data}))
    assert result.exit_code == 1
    assert "is opened, but Bob may not see it" in result.output


def test_a_question_that_was_answered_is_not_asked_again(labelling: Table) -> None:
    asked = labelling.until(Role.BOB, "labels")
    drawn = labelling.memory_of(Role.BOB).answers[1]
    assert drawn.kind == "link"
    again = _again(labelling, asked, entry=drawn.entry, kind="link")
    result = labelling.answer(Role.BOB, again)
    assert result.exit_code == 1
    assert "does not ask Bob to answer this entry, or has the answer already" in result.output


def test_a_matter_of_another_method_is_not_signed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.open()
    asked = table.questions()[Role.BOB]
    monkeypatch.setattr(view, "METHOD", 9)
    result = table.answer(Role.BOB, asked)
    assert result.exit_code == 1
    assert "this program knows version 9: install the matching version" in result.output


def test_every_command_that_signs_warns_once_of_a_key_that_others_can_read(labelling: Table) -> None:
    wave = labelling.until(Role.BOB, "labels")
    for role in (Role.BOB, Role.TRENT):
        labelling.key_file(role).chmod(0o644)
    result = labelling.answer(Role.BOB, wave, "--labels", str(labelling.filled(wave)))
    assert result.stderr.count("WARNING: other users of this computer have access to the private key") == 1
    trent = labelling.key_file(Role.TRENT)
    for words in (["accept", str(labelling.matter), str(labelling.out)], ["late", str(labelling.matter)]):
        result = CliRunner().invoke(main, ["matter", *words, "--key", str(trent)])
        assert result.stderr.count(f"Keep it to yourself with: chmod 600 {trent}") == 1
