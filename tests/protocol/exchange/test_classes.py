"""Sensitive classes between real parties: what Alice may put into one, and what the court is asked about it."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.exchange import filenames
from protocol.rules.terms import ClassTerms
from tests.support.exchange_cases import Table
from tests.support.forging.questions import refused

ALLOWED = 3
TERMS: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.9999", "classes": ClassTerms(names=("medical", "personnel"), share="0.05"),
}  # fmt: skip
"""Of 60 documents, three may be in classes. Whatever Alice calls not responsive is drawn."""


@pytest.fixture(scope="module")
def _sorting(tmp_path_factory: pytest.TempPathFactory, _table: Table) -> Table:
    table = _table.copied(tmp_path_factory.mktemp("sorting"))
    table.begin(**TERMS)
    table.until(Role.ALICE, "report")
    return table


@pytest.fixture
def sorting(tmp_path: Path, _sorting: Table) -> Table:
    """A matter with sensitive classes in which Alice is asked for her first report."""
    return _sorting.copied(tmp_path / "table")


def report(table: Table, question: Path, count: int) -> list[str]:
    """The options of a report that calls nothing responsive, with so many documents in a class."""
    names = [path.name for path in sorted((question / filenames.DOCUMENTS).iterdir())][:count]
    chosen = {name.split("-r1-")[1].removesuffix(".txt") for name in names}
    labels = table.filled(question, lambda _: "no")
    form = table.filled(question, lambda name: "medical" if name in chosen else "", "class", filenames.CLAIMS)
    return ["--labels", str(labels), "--privilege", str(form)]


def test_no_more_documents_go_into_classes_than_the_terms_let(sorting: Table) -> None:
    question = sorting.until(Role.ALICE, "report")
    said = refused(sorting, Role.ALICE, question, *report(sorting, question, ALLOWED + 1))
    assert "the terms let 3 documents be put into classes in all" in said
    assert "objection" not in said  # it is Alice's own mistake
    assert sorting.said(Role.ALICE, question, *report(sorting, question, ALLOWED)).answer is not None


def test_what_is_about_to_be_signed_names_the_classes(sorting: Table) -> None:
    question = sorting.until(Role.ALICE, "report")
    said = sorting.answer(Role.ALICE, question, *report(sorting, question, 2)).output
    assert "2 documents as medical; if a coin draws one" in said
    assert said.count("class medical: ") == 2


def test_the_court_reads_what_is_drawn_of_a_class_and_bob_gets_what_is_responsive(sorting: Table) -> None:
    question = sorting.until(Role.ALICE, "report")
    sorting.accept(sorting.said(Role.ALICE, question, *report(sorting, question, 2)))
    camera = sorting.until(Role.COURT, "privilege")
    first = sorted((camera / filenames.DOCUMENTS).iterdir())[0].name.split("-r1-")[1].removesuffix(".txt")
    form = sorting.filled(camera, lambda name: "yes" if name == first else "no")
    said = sorting.answer(Role.COURT, camera, "--upheld", str(form)).output
    assert "1 responsive, 1 not responsive" in said
    assert f"responsive: 1, {first}" in said
    sorting.accept(sorting.said(Role.COURT, camera, "--upheld", str(form)))
    wave = sorting.until(Role.BOB, "labels")
    shown = {path.name.split("-r1-")[1].removesuffix(".txt") for path in (wave / filenames.DOCUMENTS).iterdir()}
    kept = {path.name.split("-r1-")[1].removesuffix(".txt") for path in (camera / filenames.DOCUMENTS).iterdir()}
    assert kept & shown == {first}
