"""Before the coins Alice is asked about all that is like what she claimed or labelled, and signs nothing before.

The leak that this closes: a document for which the court upheld privilege went to Bob as the copy of another custodian,
as an attachment of another mail, or as its next draft.
"""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger.roles import Audience, Role
from protocol.commands.corpus import corpus as corpus_command
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.parties import alike
from protocol.parties.alike import Alike
from protocol.sources.source import SourceDocument, SourcePart
from tests.support import alike_answers, small_corpus
from tests.support.exchange_cases import Table
from tests.support.forging.questions import refused, signed_again
from tests.support.real_matter import Rows, Saved, save

BASIS = "Advice of counsel"
SECRET = " ".join(f"secret{each * 7919 % 1009}" for each in range(120))
DRAFT = SECRET.replace("secret0 ", "changed ")
LOGO = SourcePart(name="logo.gif", content=b"GIF89a", text="", parent=0)


def loose(name: str, text: str) -> SourceDocument:
    return SourceDocument(parts=(SourcePart(name=name, content=text.encode(), text=text),), labels=("responsive",))


def mail(name: str, text: str, *attached: SourcePart) -> SourceDocument:
    return SourceDocument(
        parts=(SourcePart(name=name, content=text.encode(), text=text), *attached), labels=("responsive",)
    )


def attached(name: str, text: str) -> SourcePart:
    return SourcePart(name=name, content=text.encode(), text=text, parent=0)


FORWARDED = mail("forwarded.eml", "please see what I send you with this", attached("copy.txt", SECRET), LOGO)


def in_order(patch: pytest.MonkeyPatch, corpus: Corpus, batches: Sequence[Sequence[str]]) -> None:
    """Let the batches be these, whatever the coins say."""

    def chosen(_: Cal, __: str, put_up: Sequence[int], *___: object) -> Selection:
        numbers = {corpus.name(number): number for number in range(corpus.size)}
        done = {corpus.name(number) for number in put_up}
        names = next(batch for batch in batches if not done & set(batch))
        return Selection(documents=[numbers[name] for name in names])

    patch.setattr(Cal, "by_coin", chosen)


def opened(patch: pytest.MonkeyPatch, folder: Path, *batches: Sequence[SourceDocument], candidates: str = "") -> Table:
    """A matter whose batches are these, up to Alice's first report."""
    documents = [each for batch in batches for each in batch]
    made = small_corpus.make(folder / "corpus", documents)
    in_order(patch, made, [[each.name for each in batch] for batch in batches])
    table = Table(folder=folder, corpus=made)
    settings = {"rounds": len(batches), "batch": max(map(len, batches)), "protocol": "reveal-all", "query": ""}
    if not candidates:
        table.begin(**settings)
        return table
    table.open(**settings)
    (folder / "terms.txt").write_text(candidates)
    for role, question in table.questions().items():
        given = ["--candidates", str(folder / "terms.txt")] if role is Role.ALICE else []
        table.accept(table.said(role, question, *given))
    (question,) = table.questions().values()
    table.accept(table.said(Role.COURT, question))
    return table


def rows(question: Path) -> tuple[Alike, ...]:
    return alike.decode((question / "alike.json").read_bytes(), "alike.json")


def named(question: Path) -> list[tuple[str, str, int | None, str]]:
    """What is asked, by name: why, what, which part, and like what."""
    return [(row.reason.value, row.name, row.part, row.other.name if row.other else row.said) for row in rows(question)]


def claim(table: Table, question: Path, *names: str) -> list[str]:
    """The options of a report that claims these documents and labels all as they are."""
    labels = ["--labels", str(table.filled(question))]
    if not names:
        return labels
    form = table.filled(question, lambda name: BASIS if name in names else "", "basis", "privilege.csv")
    return [*labels, "--privilege", str(form)]


def to_bob(table: Table) -> bytes:
    """All that was ever sent to Bob."""
    found = [path for folder in (table.folder / "outbox").glob("*for-bob*") for path in folder.rglob("*")]
    assert found
    return b"".join(path.read_bytes() for path in found if path.is_file())


def play_on(table: Table, question: Path, *options: str) -> None:
    """Answer, let the court uphold what it is asked about, and go on until Alice is asked again, or nobody is."""
    table.accept(table.said(Role.ALICE, question, *options))
    for _ in range(12):
        for role, asked in table.questions().items():
            if role is Role.ALICE and "-report-" in asked.name:
                return
            if asked.name.startswith("cosign"):
                return
            if "-privilege-" in asked.name:
                form = table.filled(asked, lambda _: "yes", "upheld")
                table.accept(table.said(role, asked, "--upheld", str(form)))
            else:
                table.accept(table.truthful(role, asked))


@pytest.fixture(scope="module")
def _claimed(tmp_path_factory: pytest.TempPathFactory) -> Table:
    first = [loose("memo.txt", SECRET), loose("lunch.txt", "shall we have lunch on Friday at noon")]
    with pytest.MonkeyPatch.context() as patch:
        table = opened(patch, tmp_path_factory.mktemp("claimed"), first, [FORWARDED, loose("draft.txt", DRAFT)])
        question = table.until(Role.ALICE, "report")
        play_on(table, question, *claim(table, question, "memo.txt"))
    return table


@pytest.fixture
def claimed(tmp_path: Path, _claimed: Table) -> Table:
    """The court has upheld the claim of a loose file; the next batch has a mail with it, and its next draft."""
    return _claimed.copied(tmp_path / "table")


def test_an_attachment_that_equals_what_was_upheld_and_its_next_draft_are_named(claimed: Table) -> None:
    question = claimed.until(Role.ALICE, "report")
    assert named(question) == [
        ("upheld", "copy.txt", 1, "memo.txt"),
        ("labelled", "copy.txt", 1, "memo.txt"),
        ("upheld", "draft.txt", None, "memo.txt"),
        ("labelled", "draft.txt", None, "memo.txt"),
        ("together", "draft.txt", None, "forwarded.eml"),
    ]
    first, _, draft, *_ = rows(question)
    assert alike.described(first) == f"it equals 'memo.txt' (round 1, position 1), upheld by the court: {BASIS}"
    assert "it is nearly the same as 'memo.txt'" in alike.described(draft)
    told = (question / "README.txt").read_text()
    assert "alike.csv has 5 rows" in told
    assert "--alike alike.csv" in told


def test_her_client_signs_nothing_before_she_says_yes_or_no_to_each(claimed: Table, tmp_path: Path) -> None:
    question = claimed.until(Role.ALICE, "report")
    options = claim(claimed, question)
    without = claimed.answer(Role.ALICE, question, *options)
    assert without.exit_code == 1
    assert (
        "row 1 of the list (position 1, part 1): say whether it is privileged: it equals 'memo.txt'" in without.output
    )
    assert "Fill in alike.csv, and add --alike FILE" in without.output
    for said in ({}, {"1": "no"}, {"3": "no"}):
        form = alike_answers.fill(question, tmp_path / "form.csv", said)
        result = claimed.answer(Role.ALICE, question, *options, "--alike", str(form))
        assert result.exit_code == 1
        assert "say whether it is privileged" in result.output
        assert not claimed.out.exists()
    form = alike_answers.fill(question, tmp_path / "form.csv", {"1": "no", "3": "no"})
    result = claimed.answer(Role.ALICE, question, *options, "--alike", str(form))
    assert result.exit_code == 0, result.output
    assert "asked of 2 whether privileged: 0 yes, 2 no" in result.output
    assert "no: 1, copy.txt: it equals 'memo.txt'" in result.output


def test_a_yes_needs_a_claim_in_the_same_form(claimed: Table, tmp_path: Path) -> None:
    question = claimed.until(Role.ALICE, "report")
    form = alike_answers.fill(question, tmp_path / "form.csv", {"1": "yes", "3": "yes"})
    result = claimed.answer(Role.ALICE, question, *claim(claimed, question), "--alike", str(form))
    assert "privilege.csv has no claim for position 1" in result.output
    assert "privilege.csv has no claim for position 2" in result.output
    result = claimed.answer(Role.ALICE, question, *claim(claimed, question, "forwarded.eml"), "--alike", str(form))
    assert "no claim for position 1" not in result.output
    assert "no claim for position 2" in result.output
    both = claim(claimed, question, "forwarded.eml", "draft.txt")
    assert claimed.answer(Role.ALICE, question, *both, "--alike", str(form)).exit_code == 0
    other = alike_answers.fill(question, tmp_path / "other.csv", {"1": "yes", "3": "no"})
    assert "claims position 2" in claimed.answer(Role.ALICE, question, *both, "--alike", str(other)).output


def test_what_she_says_yes_to_never_reaches_bob(claimed: Table) -> None:
    question = claimed.until(Role.ALICE, "report")
    play_on(claimed, question, *claim(claimed, question, "forwarded.eml", "draft.txt"))
    assert b"shall we have lunch" in to_bob(claimed)
    assert SECRET[:60].encode() not in to_bob(claimed)


def test_without_the_question_the_upheld_text_does_reach_bob(claimed: Table) -> None:
    """So the test above can fail."""
    question = claimed.until(Role.ALICE, "report")
    play_on(claimed, question, *claim(claimed, question))
    assert SECRET[:60].encode() in to_bob(claimed)


def test_another_label_for_what_is_alike_must_be_meant(claimed: Table, tmp_path: Path) -> None:
    question = claimed.until(Role.ALICE, "report")
    form = claimed.filled(question, lambda name: "no" if name == "draft.txt" else "yes")
    said = {"1": "no", "3": "no"}
    options = ["--labels", str(form), "--alike"]
    result = claimed.answer(Role.ALICE, question, *options, str(alike_answers.fill(question, tmp_path / "a", said)))
    assert result.exit_code == 1
    assert "row 4 of the list (position 2): you label it not responsive, and 'memo.txt'" in result.output
    assert (
        "row 5 of the list (position 2): you label it not responsive, and 'forwarded.eml' (position 1)" in result.output
    )
    said |= {"4": "no", "5": "no"}
    result = claimed.answer(Role.ALICE, question, *options, str(alike_answers.fill(question, tmp_path / "b", said)))
    assert result.exit_code == 0, result.output
    assert "2 treated otherwise than what they are like" in result.output


def changed(rows_of: Rows, **cells: str) -> Rows:
    return [rows_of[0] | cells, *rows_of[1:]]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"row": "9"}, "is no row of this question's list"),
        ({"row": "x"}, "is no row of this question's list"),
        ({"row": "2", "position": "2"}, "is no row of this question's list"),
        ({"row": "2"}, "row 2 already has this number"),
        ({"answer": "perhaps"}, "says 'perhaps'; write yes or no"),
        ({"file": "documents/0001-r1-memo.txt"}, "another round"),
    ],
)
def test_a_form_that_is_not_this_questions_is_refused(
    claimed: Table, tmp_path: Path, cells: dict[str, str], reason: str
) -> None:
    question = claimed.until(Role.ALICE, "report")
    form = list(csv.DictReader(io.StringIO((question / "alike.csv").read_text("utf-8-sig"), newline="")))
    path = save(tmp_path / "form.csv", changed(form, **cells), Saved())
    result = claimed.answer(Role.ALICE, question, *claim(claimed, question), "--alike", str(path))
    assert result.exit_code == 1
    assert reason in result.output


def test_the_same_question_gives_the_same_list(claimed: Table) -> None:
    one = claimed.questions()[Role.ALICE]
    assert claimed.questions()[Role.ALICE] == one


def test_a_list_about_something_else_is_objected_to(claimed: Table) -> None:
    question = claimed.until(Role.ALICE, "report")
    value = json.loads((question / "alike.json").read_bytes())
    value[0]["position"] = 3
    data = json.dumps(value, separators=(",", ":"), sort_keys=True).encode() + b"\n"
    bent = signed_again(claimed, question, {"alike.json": data})
    told = refused(claimed, Role.ALICE, bent, *claim(claimed, question))
    assert "is about a position that the question does not ask about" in told
    assert "A signed objection is in" in told


def test_a_trent_who_leaves_out_what_equals_what_was_upheld_is_found_out(claimed: Table) -> None:
    question = claimed.until(Role.ALICE, "report")
    value = json.loads((question / "alike.json").read_bytes())
    for left in ([], value[2:], [each for each in value if each["part"] is None]):
        data = json.dumps(left, separators=(",", ":"), sort_keys=True).encode() + b"\n"
        bent = signed_again(claimed, question, {"alike.json": data})
        told = refused(claimed, Role.ALICE, bent, *claim(claimed, question))
        assert "part 1 of the document at position 1 equals a document that the court has upheld" in told
    bent = signed_again(claimed, question, {"alike.json": None, "alike.csv": None})
    assert "and the question does not say so" in refused(claimed, Role.ALICE, bent, *claim(claimed, question))


def test_what_was_overruled_or_is_no_copy_of_anything_is_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [loose("memo.txt", SECRET), loose("lunch.txt", "shall we have lunch on Friday at noon")]
    table = opened(
        monkeypatch,
        tmp_path,
        first,
        [loose("draft.txt", DRAFT), loose("other.txt", "another matter altogether, my friend")],
    )
    question = table.until(Role.ALICE, "report")
    table.accept(table.said(Role.ALICE, question, *claim(table, question, "memo.txt")))
    court = table.until(Role.COURT, "privilege")
    table.accept(table.said(Role.COURT, court, "--upheld", str(table.filled(court, lambda _: "no", "upheld"))))
    assert named(table.until(Role.ALICE, "report")) == [("labelled", "draft.txt", None, "memo.txt")]


def test_what_is_alike_in_one_batch_is_claimed_alike_or_meant_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(monkeypatch, tmp_path, [loose("memo.txt", SECRET), FORWARDED])
    question = table.until(Role.ALICE, "report")
    assert named(question) == [("together", "copy.txt", 1, "memo.txt")]
    assert table.answer(Role.ALICE, question, *claim(table, question)).exit_code == 0
    only = claim(table, question, "memo.txt")
    result = table.answer(Role.ALICE, question, *only, "--replace")
    assert "you claim not it, but 'memo.txt' (position 1)" in result.output
    form = alike_answers.fill(question, tmp_path / "form.csv", {"1": "no"})
    assert table.answer(Role.ALICE, question, *only, "--replace", "--alike", str(form)).exit_code == 0


def test_a_logo_that_many_mails_have_is_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_logo(number: int) -> SourceDocument:
        return mail(f"{number}.eml", f"mail number {number} of those about {number * number}", LOGO)

    many = [with_logo(number) for number in range(22)]
    table = opened(monkeypatch, tmp_path, many[:2], many[2:4], many[4:])
    question = table.until(Role.ALICE, "report")
    assert not (question / "alike.csv").exists()
    play_on(table, question, *claim(table, question, "0.eml"))
    assert not (table.until(Role.ALICE, "report") / "alike.csv").exists()


def test_a_picture_that_few_have_is_asked_about_once_in_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mails = [
        mail(f"{number}.eml", f"mail number {number} of those about {number * number}", LOGO) for number in range(3)
    ]
    table = opened(monkeypatch, tmp_path, mails[:1], mails[1:])
    question = table.until(Role.ALICE, "report")
    play_on(table, question, *claim(table, question, "0.eml"))
    assert named(table.until(Role.ALICE, "report")) == [
        ("upheld", "logo.gif", 1, "logo.gif"),
        ("together", "logo.gif", 1, "logo.gif"),
    ]


def test_her_terms_mark_candidates_in_her_question_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = [loose("a.txt", "a letter to SMITH, Jones and others"), loose("b.txt", "a letter to nobody")]
    table = opened(monkeypatch, tmp_path, batch, candidates="# counsel\nSmith & Jones\n")
    question = table.until(Role.ALICE, "report")
    assert named(question) == [("candidate", "a.txt", None, "“Smith & Jones”")]
    result = table.answer(Role.ALICE, question, *claim(table, question))
    assert "say whether it is privileged: it holds “Smith & Jones”" in result.output
    form = alike_answers.fill(question, tmp_path / "form.csv", {"1": "no"})
    assert table.answer(Role.ALICE, question, *claim(table, question), "--alike", str(form)).exit_code == 0
    history = table.memory_of(Role.ALICE).history
    said = next(each.wire.entry.body.statement for each in history if each.wire.entry.body.statement.kind == "agreed")
    assert (said.author, said.sealed["candidates"].audiences) == (Role.ALICE, (Audience.ALICE,))
    for role in (Role.BOB, Role.COURT):
        given = b"".join(path.read_bytes() for path in (table.folder / "outbox").glob(f"*for-{role}*/entries.jsonl"))
        assert b'"candidates"' in given
        assert b"Jones" not in given


def test_candidates_are_told_before_she_signs_and_bob_gives_none(tmp_path: Path, table: Table) -> None:
    table.open()
    terms = tmp_path / "terms.txt"
    terms.write_text("Smith\nJones\n")
    asked = table.questions()
    result = table.answer(Role.ALICE, asked[Role.ALICE], "--candidates", str(terms))
    assert result.exit_code == 0
    assert "2 names and terms, sealed for you alone" in result.output
    assert "--candidates FILE" in (asked[Role.ALICE] / "README.txt").read_text()
    assert "--candidates" not in (asked[Role.BOB] / "README.txt").read_text()
    result = table.answer(Role.BOB, asked[Role.BOB], "--candidates", str(terms))
    assert result.exit_code == 1
    assert "only Acme Corp. (Alice) gives names and terms" in result.output
    assert "leave out --candidates FILE" in result.output


def test_candidates_come_with_the_terms_and_not_later(tmp_path: Path, reporting: Table) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("Smith\n")
    asked = reporting.until(Role.ALICE, "report")
    labels = ["--labels", str(reporting.filled(asked))]
    assert (
        "leave out --candidates FILE" in reporting.answer(Role.ALICE, asked, *labels, "--candidates", str(terms)).output
    )


MAIL = "From: a@x\nTo: b@x\nSubject: advice\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nReceived: {0}\n\n{1}\n"


def test_two_custodians_copies_of_a_mail_are_one_document_which_is_claimed_once_and_never_reaches_bob(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leak that was seen: upheld for one custodian, disclosed as the other's copy."""
    source, out = tmp_path / "source", tmp_path / "corpus"
    for custodian in ("ann", "ben"):
        (source / custodian).mkdir(parents=True)
        (source / custodian / "advice.eml").write_text(MAIL.format("here", SECRET))
        (source / custodian / f"{custodian}.txt").write_text(f"lunch with {custodian}")
    done = CliRunner().invoke(corpus_command, ["build", str(source), "--out", str(out), "--custodian-folders"])
    assert done.exit_code == 0, done.output
    (out / "labels.json").write_text('{"responsive": [0, 1, 2]}')
    corpus = Corpus.open(out)
    names = [corpus.name(number) for number in range(corpus.size)]
    (advice,) = [number for number in range(corpus.size) if SECRET in corpus.text(number)]
    assert len(names) == 3
    assert set(corpus.fields(advice).rest.custodians) == {"ann", "ben"}
    in_order(monkeypatch, corpus, [names])
    table = Table(folder=tmp_path, corpus=corpus)
    table.begin(rounds=1, batch=3, protocol="reveal-all", query="")
    question = table.until(Role.ALICE, "report")
    play_on(table, question, *claim(table, question, names[advice]))
    assert b"lunch with ben" in to_bob(table)
    assert SECRET[:60].encode() not in to_bob(table)
