"""The desk takes what was asked for, and refuses everything else with the reason, changing nothing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import entries
from ledger.entries import Opening, SignedStatement, Statement
from ledger.hashing import Digest
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import fold, kinds
from protocol.matter.asking import Answer
from protocol.matter.kind import Entry
from protocol.matter.kinds import late
from protocol.matter.kinds.late import Late
from protocol.simulation.run import Run
from tests.support.builders import KEYS
from tests.support.matters import refusal, resigned, run_until, start

Change = Callable[[Run, Answer], Answer]

ASKED = [
    (Role.ALICE, "agreed"),
    (Role.COURT, "deposited"),
    (Role.ALICE, "link"),
    (Role.BOB, "link"),
    (Role.ALICE, "report"),
    (Role.BOB, "labels"),
    (Role.COURT, "rulings"),
]


def with_content(**content: Any) -> Change:
    return lambda run, answer: resigned(run, answer, content=answer.signed.statement.content | content)


def with_openings(change: Callable[[list[Opening]], list[Opening]]) -> Change:
    return lambda run, answer: replace(answer, openings=tuple(change(list(answer.openings))))


def refused(run: Run, answer: Answer, reason: str) -> None:
    """The answer is refused for this reason, and nothing has changed: the right one is still welcome."""
    with refusal(run, reason):
        run.desk.accept(answer)


@pytest.mark.parametrize(("role", "kind"), ASKED)
@pytest.mark.parametrize("protocol", ["label", "classifier"])
def test_an_answer_is_welcome_once_and_only_as_it_was_asked_for(
    small_corpus: Corpus, tmp_path: Path, role: Role, kind: str, protocol: str
) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol) as run:
        right = run_until(run, role, kind)
        said = right.signed.statement
        other = Digest(bytes(32))
        refused(run, resigned(run, right, matter=other), "another matter")
        refused(run, resigned(run, right, round=said.round + 1), "but this is round")
        refused(run, resigned(run, right, answers=other), "another question")
        refused(run, resigned(run, right, kind="note"), "is asked for")
        stranger = SignedStatement(signature=entries.sign_statement(KEYS[role], said).signature, statement=said)
        refused(run, replace(right, signed=stranger), "not signed by the key")
        refused(run, resigned(run, right, content={}), f"{role.called}'s {kind}: ")
        refused(run, resigned(run, right, content=said.content | {"more": 1}), "unknown field")
        run.desk.checked(kinds.by_party(right))
        assert run.step()
        if (role, said.answers) in run.state.answered:
            refused(run, right, "has answered this question already")


def test_nobody_may_speak_who_was_not_asked(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        link = run_until(run, Role.BOB, "link")
        run_until(run, Role.ALICE, "report")
        bob = resigned(run, link, answers=Digest(bytes(32)))
        refused(run, bob, "nothing is asked of Bob now; the matter waits for Alice's report")


def test_nobody_hands_in_what_is_trents_to_say(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        while run.state.awaits:
            run.step()
        said = late.KIND.by_trent(run.state.number, Late(), 1).statement
        run.desk.checked(late.KIND.by_trent(run.state.number, Late(), 1))  # he may say it himself
        for key in (run.plan.key(Role.TRENT), run.alice.key):
            refused(run, Answer(signed=entries.sign_statement(key, said)), "nothing is asked of Trent now")


def test_the_court_deposits_after_alice_and_bob_have_named_their_anchors(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        court = run.parties[Role.COURT].answer()
        refused(run, court, "before Alice and Bob")


def label_value(index: int, value: Any) -> Change:
    """A report that seals and opens another label."""
    return labels_value(lambda found: [*found[:index], value, *found[index + 1 :]])


def labels_value(changed: Callable[[list[Any]], Any]) -> Change:
    """A report that seals and opens another value as its labels."""

    def change(run: Run, answer: Answer) -> Answer:
        said = answer.signed.statement
        (found,) = [each.value for each in answer.openings if each.field == "labels"]
        audiences = (Audience.ALICE, Audience.COURT)
        fields: dict[str, Any] = {"labels": (audiences, [changed(found)])}
        if "threshold" in said.sealed:
            fields["threshold"] = (audiences, [answer.openings[-1].value])
        sealed, openings = run.plan.seal(Role.ALICE).close("test", fields)
        return replace(resigned(run, answer, sealed=sealed), openings=openings)

    return change


def other_link(run: Run, answer: Answer) -> Answer:
    draw = answer.signed.statement.content["draw"]
    link = run.plan.chain(answer.signed.statement.author).link(draw + 1)
    return with_content(link=link.hex())(run, answer)


def audience_of_labels(run: Run, answer: Answer) -> Answer:
    sealed = answer.signed.statement.sealed
    wider = msgspec.structs.replace(sealed["labels"], audiences=(Audience.ALICE, Audience.BOB, Audience.COURT))
    return resigned(run, answer, sealed=sealed | {"labels": wider})


def shorter(run: Run, answer: Answer) -> Answer:
    sealed = answer.signed.statement.sealed
    cut = msgspec.structs.replace(sealed["labels"], commitments=sealed["labels"].commitments[:-1])
    return resigned(run, answer, sealed=sealed | {"labels": cut})


def flipped(found: list[Opening]) -> list[Opening]:
    first, *others = found[0].value
    return [msgspec.structs.replace(found[0], value=[not first, *others]), *found[1:]]


def opened_otherwise(run: Run, answer: Answer) -> Answer:
    """She signs both: commitments to some labels, and openings of others."""
    changed = with_openings(flipped)(run, answer)
    return with_content(openings=hash_openings(changed.openings).hex())(run, changed)


BAD_REPORTS: list[tuple[str, str, Change]] = [
    ("label", "the link is for draw 9", with_content(draw=9)),
    ("label", "not number 2 of the chain", other_link),
    ("label", "with the openings of all that it seals", shorter),
    ("label", "must be sealed for Alice and the court", audience_of_labels),
    ("label", "with the openings of all that it seals", with_openings(lambda found: found[:-1])),
    ("classifier", "with the openings of all that it seals", with_openings(lambda found: found[::-1])),
    ("label", "not those whose hash it signs", with_openings(flipped)),
    ("label", "not those whose hash it signs", with_content(openings="00" * 32)),
    ("label", "does not match its commitment", opened_otherwise),
    ("label", "must be true, false or null", label_value(3, 1)),
    ("label", "must be true, false or null", label_value(3, "yes")),
    ("label", "no label for position 4", label_value(3, None)),
    ("label", "has 20 documents, but the report has 19 labels", labels_value(lambda found: found[:-1])),
    ("label", "has 20 documents, but the report has 21 labels", labels_value(lambda found: [*found, True])),
    ("label", "the labels must be an array", labels_value(lambda _: True)),
    ("classifier", "labels are asked for the top", label_value(19, True)),
]


@pytest.mark.parametrize(("protocol", "reason", "change"), BAD_REPORTS)
def test_a_report_that_is_not_complete_is_refused(
    small_corpus: Corpus, tmp_path: Path, protocol: str, reason: str, change: Change
) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol) as run:
        right = run_until(run, Role.ALICE, "report")
        refused(run, change(run, right), reason)
        run.desk.checked(kinds.by_party(right))


@pytest.mark.parametrize("threshold", [-1, 21, None, "3", True])
def test_a_threshold_must_be_a_rank(small_corpus: Corpus, tmp_path: Path, threshold: Any) -> None:
    with start(small_corpus, tmp_path / "matter", protocol="classifier") as run:
        right = run_until(run, Role.ALICE, "report")
        values = [each.value for each in right.openings if each.field == "labels"]
        audiences = (Audience.ALICE, Audience.COURT)
        sealed, openings = run.plan.seal(Role.ALICE).close(
            "test", {"labels": (audiences, values), "threshold": (audiences, [threshold])}
        )
        refused(run, replace(resigned(run, right, sealed=sealed), openings=openings), "must be a rank")


@pytest.mark.parametrize(("role", "kind"), [(Role.BOB, "labels"), (Role.COURT, "rulings")])
@pytest.mark.parametrize("change", [lambda labels: labels[:-1], lambda labels: [*labels, True], lambda _: []])
def test_labels_left_out_or_added_are_refused(
    small_corpus: Corpus, tmp_path: Path, role: Role, kind: str, change: Callable[[list[bool]], list[bool]]
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        right = run_until(run, role, kind)
        labels = list(right.signed.statement.content["labels"])
        refused(run, with_content(labels=change(labels))(run, right), "documents were asked about")


def test_a_link_of_another_chain_or_draw_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        right = run_until(run, Role.BOB, "link")
        refused(run, other_link(run, right), "is not number 1 of the chain that Bob has committed to")
        refused(run, with_content(draw=2)(run, right), "draw 1 is due")
        refused(run, with_content(link=run.plan.chain(Role.ALICE).link(1).hex())(run, right), "is not number 1")


def test_labels_may_not_be_sealed(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        right = run_until(run, Role.BOB, "labels")
        sealed, openings = run.plan.seal(Role.BOB).close("test", {"more": ((Audience.COURT,), [1])})
        refused(run, replace(resigned(run, right, sealed=sealed), openings=openings), "it may not seal")


def test_trent_does_not_move_while_somebody_is_asked(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, "report")
        with pytest.raises(RuntimeError, match="waits for Alice's report"):
            run.trent.move(run.state, run.desk.attachment)


def test_an_entry_that_the_protocol_does_not_know_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        state = run.state
        statement = Statement(
            answers=None,
            author=Role.TRENT,
            content={},
            kind="note",
            matter=state.number,
            replaces=(),
            round=0,
            sealed={},
        )
        with pytest.raises(OutOfTurn, match="may not come here"):
            fold.follow(state, Entry(sequence=state.size, hash=Digest(bytes(32)), statement=statement, openings=()))
