"""A second answer on record: of the form of its kind, sealed for those who may see such an answer, under one key."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import entries
from ledger.copies import write_copy
from ledger.entries import SignedStatement
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.simulation.run import Run
from tests.support.matters import contents, refusal, resigned, run_until, start

SECRET = "privileged words of a client"
FREE: list[dict[str, Any]] = [{"labels": [True], "note": SECRET}, {"labels": [SECRET]}, {SECRET: []}, {}]


def copy(run: Run, audience: Audience, folder: Path) -> str:
    """The bytes of one audience's copy, as text."""
    path = folder / f"{audience}.jsonl"
    write_copy(run.desk.log.store, audience, run.plan.key(Role.TRENT), path)
    return path.read_text()


def labelled_twice(run: Run, **fields: Any) -> SignedStatement:
    """Bob's second, different answer to the wave that he has labelled."""
    first = run_until(run, Role.BOB, "labels")
    run.desk.accept(first)
    content = {"labels": [not label for label in first.signed.statement.content["labels"]]}
    return resigned(run, first, **({"content": content} | fields)).signed


def test_a_second_answer_with_free_text_is_not_put_on_record(small_corpus: Corpus, tmp_path: Path) -> None:
    """An honest Trent would have published whatever a party wrote into it."""
    with start(small_corpus, tmp_path / "matter") as run:
        labelled_twice(run)
        for content in FREE:
            with refusal(run, "does not have the form of a 'labels'"):
                run.desk.keep_as_evidence(second_of(run, content), run.trent.seal)
        with refusal(run, "does not have the form of a 'labels'"):
            sealed = {
                "note": entries.Sealed(audiences=(Audience.BOB,), commitments=entries.Commitments([run.state.number]))
            }
            run.desk.keep_as_evidence(second_of(run, {"labels": []}, sealed=sealed), run.trent.seal)
        assert SECRET not in copy(run, Audience.COURT, tmp_path)


def second_of(run: Run, content: dict[str, Any], **fields: Any) -> SignedStatement:
    """Another answer of Bob's to the question that he has answered last."""
    known = [each.statement for (role, _), each in run.state.answered.items() if role is Role.BOB][-1]
    said = msgspec.structs.replace(known, content=content, **fields)
    return entries.sign_statement(run.bob.key, said)


@pytest.mark.parametrize("field", ["kind", "round", "answers", "author", "matter"])
def test_evidence_answers_the_question_of_the_answer_on_record(
    small_corpus: Corpus, tmp_path: Path, field: str
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        labelled_twice(run)
        other = {"kind": "rulings", "round": 9, "answers": run.state.number, "author": Role.ALICE}.get(
            field, run.state.opening.corpus.root
        )
        second = second_of(run, {"labels": []}, **{field: other})
        with refusal(run, "has not answered this question yet|does not answer the question"):
            run.desk.keep_as_evidence(second, run.trent.seal)


def test_only_those_who_may_see_such_an_answer_see_the_evidence(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        report = run_until(run, Role.ALICE, "report")
        run.desk.accept(report)
        twice = resigned(run, report, content=report.signed.statement.content | {"openings": "ab" * 32}).signed
        run.desk.keep_as_evidence(twice, run.trent.seal)
        labels = labelled_twice(run)
        run.desk.keep_as_evidence(labels, run.trent.seal)
        seen = {audience: copy(run, audience, tmp_path) for audience in Audience}
    assert {each for each in Audience if twice.signature.hex() in seen[each]} == {Audience.ALICE, Audience.COURT}
    assert {each for each in Audience if labels.signature.hex() in seen[each]} == set(Audience) - {Audience.PUBLIC}
    kept = contents(tmp_path / "matter", "conflict")
    assert [each.keys() for each in kept] == [{"answer"}, {"answer"}]


def test_evidence_changes_nothing_and_is_told_again_from_the_file(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        second = labelled_twice(run)
        before = run.state.awaits.copy()
        run.desk.keep_as_evidence(second, run.trent.seal)
        assert run.state.awaits == before
    assert summary.read(tmp_path / "matter").size == run.state.size
