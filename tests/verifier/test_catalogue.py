"""The verifier reads like its specification: one home for each check, one place for each condition."""

import ast
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verifier
from ledger.roles import Audience
from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, Spoil, both, content, forge
from tests.support.forging.mutations import Lines
from tests.vectors import FOLDER, load
from verifier import corpus_replay
from verifier.checks import Check
from verifier.replay import catalogue
from verifier.replay.condition import Blamed, ReplayCondition
from verifier.replay.forms import Kind
from verifier.values import blamed
from verifier.verdict import Answer, Verdict
from verifier.verification import verify

ROOT = Path(verifier.__file__).parent
HOMES = {path: ast.get_docstring(ast.parse(path.read_text())) or "" for path in ROOT.rglob("*.py")}
LABEL = (FOLDER / "transcripts" / f"valid-label-{Audience.COURT}.jsonl").read_bytes().splitlines()


@pytest.mark.parametrize("check", Check)
def test_each_check_has_one_home_which_says_so_in_its_first_line(check: Check) -> None:
    homes = [path for path, words in HOMES.items() if check in words.partition("\n")[0]]
    assert len(homes) == 1, homes


def test_a_home_names_its_checks_at_the_very_beginning() -> None:
    named = [match[0] for words in HOMES.values() if (match := re.match(r"V\d\d(, V\d\d)*(?=: )", words))]
    assert sorted(check for line in named for check in line.split(", ")) == sorted(Check)


def test_every_kind_of_entry_has_its_conditions_and_what_it_changes() -> None:
    assert set(catalogue.KINDS) == set(Kind)
    assert set(catalogue.tables()) == {"entry", *Kind}


def test_ids_are_numbered_through_each_table() -> None:
    for kind, rows in catalogue.tables().items():
        assert [row.id for row in rows] == [f"{kind}.{number}" for number in range(1, len(rows) + 1)]
        assert {row.kind for row in rows} <= {kind}


def all_conditions() -> list[ReplayCondition]:
    return [*catalogue.ENTRY, *(each for kind in catalogue.KINDS.values() for each in kind.conditions)]


def test_a_condition_is_tried_once_at_an_entry() -> None:
    for kind in catalogue.KINDS.values():
        assert max(Counter(map(id, (*catalogue.ENTRY, *kind.conditions))).values()) == 1


def test_a_condition_is_one_sentence_that_a_finding_can_quote() -> None:
    added = [each for some in corpus_replay.CONDITIONS.values() for each in some]
    for each in (*all_conditions(), *added):
        assert re.fullmatch(r"[A-Z][^\n]*[^.\s]", each.sentence), each.sentence
        assert each.blames in Blamed


def test_each_test_says_to_the_letter_what_is_required() -> None:
    for each in all_conditions():
        assert re.fullmatch(r"[A-Z`].*[.)]", each.exactly), each.sentence


def test_conditions_live_in_the_home_of_their_check_or_are_about_the_order() -> None:
    """V05 is everywhere; a condition of any other check is written where its check lives."""
    for each in all_conditions():
        home = next(path for path, words in HOMES.items() if each.check in words.partition("\n")[0])
        if each.check is not Check.ORDER:
            assert each.test.__module__ == ".".join(("verifier", *home.relative_to(ROOT).with_suffix("").parts))


@pytest.mark.slow
def test_every_condition_is_broken_by_some_transcript() -> None:
    """So whoever writes a verifier from the specification can try each of them."""
    broken = set()
    for case in load("transcripts.json")["cases"]:
        if case.get("verdict") == "rejected":
            corpus = FOLDER / case["corpus"] if case["corpus"] else None
            broken |= {(each.check, each.rule) for each in verify(FOLDER / case["copy"], corpus=corpus).findings}
    added = [each for some in corpus_replay.CONDITIONS.values() for each in some]
    unbroken = {(each.check, each.sentence) for each in (*all_conditions(), *added)} - broken
    assert unbroken == set()


def spoiled(lines: Lines, spoil: Spoil) -> Lines:
    """A transcript signed anew with the keys of the tests, and spoiled."""
    ours: dict[str, str] = {role: key.public.hex() for role, key in KEYS.items()}
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=both(content("open", keys=ours), spoil)))


def without_bobs(found: dict[str, str]) -> dict[str, str]:
    return {role: anchor for role, anchor in found.items() if role != "bob"}


@pytest.mark.parametrize("anchors", [without_bobs, lambda found: found | {"court": "44" * 32}, {}, None, []])
def test_a_deposit_that_does_not_name_three_anchors_is_the_courts_fault(
    judge: Callable[..., Verdict], anchors: Any
) -> None:
    verdict = judge(spoiled(LABEL, content("deposited", anchors=anchors)))
    assert [each.check for each in verdict.findings] == [Check.ORDER]
    assert blamed(verdict) == ["court"]


def test_a_deposit_of_another_anchor_than_was_named_is_trents_fault(judge: Callable[..., Verdict]) -> None:
    verdict = judge(spoiled(LABEL, content("deposited", anchors=lambda found: found | {"bob": "44" * 32})))
    assert [each.check for each in verdict.findings] == [Check.COINS]
    assert blamed(verdict) == ["trent"]


@pytest.mark.parametrize("key", [None, "00" * 32, "zz", 7])
def test_a_first_entry_that_enrols_no_usable_key_blames_nobody(judge: Callable[..., Verdict], key: Any) -> None:
    verdict = judge(spoiled(LABEL, content("open", keys=lambda found: found | {"bob": key})))
    assert verdict.answer is Answer.UNDECIDED
    assert not verdict.findings
