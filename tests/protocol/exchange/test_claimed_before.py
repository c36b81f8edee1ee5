"""What Alice claimed in a report stands when a validation draws the document: nobody asks her again, and Bob waits."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.exchange import filenames, question_file
from protocol.matter import terms
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Round
from protocol.parties import answer, memory
from protocol.parties import view as views
from protocol.parties.errors import Objectionable
from protocol.parties.view import Document
from tests.support.exchange_cases import Table
from tests.support.forging.questions import asked_of, package, proven, refused, shown
from tests.support.real_matter import Asked, Rows, Saved, save

TERMS: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.0001", "target": "0.01", "batch": 30, "rounds": 1, "query": "",
    "classes": terms.classes(["medical"], "0.1"),
    "validation": terms.validation(every=1, show="0.999", **{"yield": None}),
}  # fmt: skip
"""A validation that draws nearly everything, after a batch of which hardly anything is drawn."""
BASIS = "Advice of counsel"


@pytest.fixture(scope="module")
def _drawn(tmp_path_factory: pytest.TempPathFactory, _table: Table) -> Table:
    table = _table.copied(tmp_path_factory.mktemp("drawn"))
    table.begin(**TERMS)
    report = table.until(Role.ALICE, "report")
    form = rows(report, filenames.CLAIMS)
    first, second = [row for row in form if row["document"] not in table.responsive][:2]
    first["basis"], second["class"] = BASIS, "medical"
    filled = str(save(table.folder / "claims.csv", form, Saved()))
    table.accept(table.said(Role.ALICE, report, "--labels", str(table.filled(report)), "--privilege", filled))
    table.until(Role.ALICE, "claim")
    return table


@pytest.fixture
def drawn(tmp_path: Path, _drawn: Table) -> Table:
    """A matter in which a validation has drawn two documents that Alice claimed before: privilege, and a class."""
    return _drawn.copied(tmp_path / "table")


def rows(question: Path, form: str) -> Rows:
    return Asked(role="", kind="", round=0, path=question, request={}).form(form)


def names(question: Path, form: str) -> set[str]:
    return {row["document"] for row in rows(question, form)}


def validation(table: Table) -> Round:
    with table.office() as office:
        return office.state.rounds[-1]


def claimed(table: Table) -> list[str]:
    """The names of the two documents: privilege first, then the class."""
    current = validation(table)
    places = sorted(current.privilege.claimed, key=lambda place: place in current.privilege.classes)
    assert len(places) == 2
    return [current.places[place - 1].name for place in places]


def test_alice_is_asked_only_about_what_she_has_not_claimed(drawn: Table) -> None:
    question = drawn.until(Role.ALICE, "claim")
    current = validation(drawn)
    everything = {place.name for place in current.places}
    assert names(question, filenames.CLAIMS) == everything - set(claimed(drawn))
    assert len(question_file.read(question).documents) == current.size - 2
    told = " ".join((question / filenames.INSTRUCTIONS).read_text().split())
    assert "You have claimed 2 documents of this round before. These claims stand: you need not make them again" in told
    said = drawn.answer(Role.ALICE, question).output
    assert "Claimed before 2 documents of this round, in earlier reports; this stands" in said
    assert "that nothing further is claimed" in said


def test_a_question_that_asks_again_about_what_is_claimed_is_objected_to(drawn: Table) -> None:
    drawn.until(Role.ALICE, "claim")
    current = validation(drawn)
    everything = shown(drawn, current.places, range(1, current.size + 1))
    again = package(
        drawn, Role.ALICE, "claim", asked_of(drawn, Role.ALICE), 2, everything, proven(drawn, current.places)
    )
    said = " ".join(refused(drawn, Role.ALICE, again).split())
    first = ", ".join(map(str, sorted(current.privilege.claimed)))
    assert f"cannot be claimed any more, at position {first}: Bob was shown them, or you have claimed them" in said
    assert "A signed objection is in" in said


def test_what_is_claimed_already_is_not_claimed_again_whatever_listed_it(drawn: Table) -> None:
    """The check of the finished answer stands alone: no list of documents has a part in it."""
    path = drawn.until(Role.ALICE, "claim")
    current, asked = validation(drawn), question_file.read(path)
    known = memory.recall(drawn.key_file(Role.ALICE), asked.request.matter)
    view = views.checked(asked.question, drawn.keys[Role.ALICE], known, forgotten=False)
    anything = {position: Document(name="", file="") for position in range(1, current.size + 1)}
    for position in sorted(current.privilege.claimed):
        with pytest.raises(Objectionable, match=f"would be held against you: it claims position {position}, which"):
            answer.draft(view, anything, Decisions(claims={position: BASIS}), replacing=False, now=0)
    answer.draft(view, anything, Decisions(claims={min(current.claimable): BASIS}), replacing=False, now=0)


def test_the_court_gets_the_claims_of_before_with_their_bases_and_bob_only_what_is_not_upheld(drawn: Table) -> None:
    question = drawn.until(Role.ALICE, "claim")
    privileged, sensitive = claimed(drawn)
    drawn.accept(drawn.said(Role.ALICE, question))
    camera = drawn.questions()[Role.COURT]
    form = {row["document"]: row for row in rows(camera, filenames.LABELS)}
    told = {name: row["basis"] for name, row in form.items()}
    assert told == {privileged: BASIS, sensitive: "class medical: is it responsive?"}
    form[privileged]["upheld"], form[sensitive]["responsive"] = "yes", "no"
    filled = str(save(drawn.folder / "rulings.csv", list(form.values()), Saved()))
    drawn.accept(drawn.said(Role.COURT, camera, "--upheld", filled))
    wave = drawn.until(Role.BOB, "labels")
    assert not {privileged, sensitive} & names(wave, filenames.LABELS)
    drawn.accept(drawn.truthful(Role.BOB, wave))
    current = validation(drawn)
    assert len(current.privilege.withheld) == len(current.kept) == 1
