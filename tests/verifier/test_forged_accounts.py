"""Whole copies whose account, list, proofs or path are false: each is found, by its check, and blames Trent."""

import base64
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, Spoil, both, content, forge, line_of
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.vectors import FOLDER, load
from verifier.checks import Check
from verifier.replay import account, documents
from verifier.replay.condition import Condition
from verifier.replay.contents import METHOD
from verifier.values import blamed
from verifier.verdict import Answer, Outcome, Verdict

Judge = Callable[..., Verdict]

CASES = {case["id"]: case for case in load("transcripts.json")["cases"]}
WITH_CORPUS = next(
    case
    for case in CASES.values()
    if case.get("verdict") == "verified" and case["corpus"] and case["copy"].endswith("court.jsonl")
)
CORPUS = FOLDER / WITH_CORPUS["corpus"]
COURT = (FOLDER / WITH_CORPUS["copy"]).read_bytes().splitlines()
BOB = (FOLDER / WITH_CORPUS["copy"].replace("court", "bob")).read_bytes().splitlines()


def forged(lines: Lines, spoil: Spoil) -> Lines:
    ours: dict[str, str] = {role: key.public.hex() for role, key in KEYS.items()}
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=both(content("open", keys=ours), spoil)))


def nothing(_: Forger) -> None:
    pass


def stated(**changed: Any) -> Spoil:
    """Other numbers in the account; functions are applied to what stands there."""

    def change(found: dict[str, Any]) -> dict[str, Any]:
        numbers = found["account"]
        new = {name: value(numbers[name]) if callable(value) else value for name, value in changed.items()}
        return found | {"account": numbers | new}

    return content("open", corpus=change)


def listed(change: Callable[[list[Any]], list[Any]], *, named: bool = True) -> Spoil:
    """Another list in the opening's attachment; if it is `named`, the account has its hash."""

    def spoil(forger: Forger) -> None:
        piece = next(each for each in forger.values if "attachment" in each)
        items = [json.loads(line) for line in base64.b64decode(piece["data"]).splitlines()]
        data = b"".join(
            json.dumps(each, sort_keys=True, separators=(",", ":")).encode() + b"\n" for each in change(items)
        )
        piece |= {"attachment": sha256(data).hexdigest(), "data": base64.b64encode(data).decode()}
        (opening,) = (each for each in line_of(forger, "open")["openings"] if each["field"] == "account")
        opening["value"] = {"attachment": piece["attachment"], "size": len(data)}
        if named:
            stated(list=piece["attachment"])(forger)
        forger.commit_again()

    return spoil


def opened(kind: str, field: str, change: Callable[[Any], Any], index: int = 0) -> Spoil:
    """Another value of a sealed field, and its commitment."""

    def spoil(forger: Forger) -> None:
        for each in line_of(forger, kind)["openings"]:
            if (each["field"], each["index"]) == (field, index):
                each["value"] = change(each["value"])
        forger.commit_again()

    return spoil


def check(verdict: Verdict, *due: Condition) -> None:
    assert [(each.check, each.rule) for each in verdict.findings] == [(each.check, each.sentence) for each in due]
    assert blamed(verdict) == (["trent"] if due else [])
    assert verdict.answer is (Answer.REJECTED if due else Answer.VERIFIED)


def test_a_copy_that_only_was_signed_anew_is_verified(judge: Judge) -> None:
    for lines in (COURT, BOB):
        verdict = judge(forged(lines, nothing))
        check(verdict)
        assert verdict.result(Check.ACCOUNT).outcome is Outcome.NOT_CHECKED
    assert judge(forged(COURT, nothing), corpus=CORPUS).result(Check.ACCOUNT).outcome is Outcome.PASS
    assert judge(forged(BOB, nothing), corpus=CORPUS).result(Check.ACCOUNT).outcome is Outcome.PASS


WRONG_SUMS: dict[str, Spoil] = {
    "an item more": stated(items=lambda found: found + 1),
    "a container more": stated(containers=lambda found: found + 1),
    "a duplicate more": stated(duplicates=lambda found: found + 1),
    "a family less": stated(families=lambda found: found - 1),
    "an exception without a reason": stated(items=lambda found: found + 1, exceptions=1),
    "a reason without an exception": stated(reasons={"encrypted": 1}),
    "another number of documents": content("open", corpus=lambda found: found | {"documents": 41}),
}


@pytest.mark.parametrize("spoil", WRONG_SUMS.values(), ids=WRONG_SUMS)
@pytest.mark.parametrize("lines", [COURT, BOB], ids=["court", "bob"])
def test_counts_that_do_not_add_up_are_found_in_every_copy(judge: Judge, lines: Lines, spoil: Spoil) -> None:
    check(judge(forged(lines, spoil)), account.adds_up)


WRONG_CONTENTS: dict[str, Spoil] = {
    "a reason that nothing has": stated(reasons={"encrypted": 0}),
    "a count that is a text": stated(items="40"),
    "another unit": content("open", corpus=lambda found: found | {"unit": "page"}),
    "an extraction, as in method 4": content("open", corpus=lambda found: found | {"extraction": ""}),
}


@pytest.mark.parametrize("spoil", WRONG_CONTENTS.values(), ids=WRONG_CONTENTS)
def test_a_count_of_another_type_is_a_wrong_content(judge: Judge, spoil: Spoil) -> None:
    verdict = judge(forged(BOB, spoil))
    assert [each.check for each in verdict.findings] == [Check.ORDER]
    assert blamed(verdict) == ["trent"]


@pytest.mark.parametrize("method", [METHOD - 1, METHOD + 1])
def test_another_method_is_undecided(judge: Judge, method: int) -> None:
    verdict = judge(forged(BOB, content("open", method=method)))
    assert verdict.answer is Answer.UNDECIDED
    assert f"version {method} of the method; this verifier knows version {METHOD}" in verdict.trouble


def two_lists(forger: Forger) -> None:
    line = line_of(forger, "open")
    line["entry"]["body"]["statement"]["sealed"]["account"]["commitments"].append("77" * 32)
    (own,) = (each for each in line["openings"] if each["field"] == "account")
    line["openings"].insert(1, own | {"index": 1, "salt": "78" * 32})
    forger.commit_again()


def test_two_lists_are_one_too_many(judge: Judge) -> None:
    check(judge(forged(COURT, two_lists)), account.one_list)


def test_a_list_that_the_opening_does_not_name_is_found(judge: Judge) -> None:
    check(judge(forged(COURT, listed(lambda items: items, named=True))))
    check(judge(forged(COURT, listed(lambda items: items[::-1], named=False))), account.list_is_named)
    without = both(opened("open", "account", lambda _: "text"), without_list)
    check(judge(forged(COURT, without)), account.list_is_named)


def without_list(forger: Forger) -> None:
    forger.values.remove(next(each for each in forger.values if "attachment" in each))


WRONG_LISTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "an item less": lambda items: items[1:],
    "an item more": lambda items: [*items, items[0] | {"documents": [], "outcome": "container"}],
    "an item twice": lambda items: [*items[:-1], items[0]],
    "an item of another shape": lambda items: [items[0] | {"more": 1}, *items[1:]],
    "a document beyond the last": lambda items: [items[0] | {"documents": [40]}, *items[1:]],
    "an exception that is not counted": lambda items: [
        items[0] | {"documents": [], "outcome": "exception", "reason": "x"},
        *items[1:],
    ],
}


@pytest.mark.parametrize("change", WRONG_LISTS.values(), ids=WRONG_LISTS)
def test_a_false_list_is_found_where_the_copy_shows_it(judge: Judge, change: Callable[[list[Any]], list[Any]]) -> None:
    check(judge(forged(COURT, listed(change))), account.list_follows)


def test_a_false_list_is_found_in_the_corpus_where_the_copy_does_not_show_it(judge: Judge, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    copied(corpus)
    data = b"".join((CORPUS / "account.jsonl").read_bytes().splitlines(keepends=True)[1:])
    (corpus / "account.jsonl").write_bytes(data)
    named = forged(BOB, stated(list=sha256(data).hexdigest()))
    check(judge(named), *())
    check(judge(named, corpus=corpus), account.LISTED)


def copied(to: Path) -> None:
    for path in CORPUS.rglob("*"):
        if path.is_file():
            (to / path.relative_to(CORPUS)).parent.mkdir(parents=True, exist_ok=True)
            (to / path.relative_to(CORPUS)).write_bytes(path.read_bytes())


def test_another_list_in_the_corpus_than_was_named_is_damage(judge: Judge, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    copied(corpus)
    (corpus / "account.jsonl").write_bytes(b"")
    for lines in (COURT, BOB):
        verdict = judge(forged(lines, nothing), corpus=corpus)
        assert (verdict.answer, verdict.findings) == (Answer.UNDECIDED, ())
        assert "account.jsonl is not the list that the opening names" in verdict.trouble
        assert verdict.result(Check.ACCOUNT).outcome is Outcome.NOT_CHECKED
        assert verdict.result(Check.CORPUS).outcome is Outcome.PASS


WRONG_COUNTS: dict[str, Spoil] = {
    "parts": stated(parts=lambda found: found + 1),
    "parts without text": stated(unread=lambda found: found + 1),
    "custodians": stated(custodians=lambda found: found + 1),
    "the first date": stated(first="1970-01-01"),
    "the last date": stated(last="2070-01-01"),
}


@pytest.mark.parametrize("spoil", WRONG_COUNTS.values(), ids=WRONG_COUNTS)
@pytest.mark.parametrize("lines", [COURT, BOB], ids=["court", "bob"])
def test_counts_that_are_not_those_of_the_corpus_are_found_with_it(judge: Judge, lines: Lines, spoil: Spoil) -> None:
    check(judge(forged(lines, spoil)))
    check(judge(forged(lines, spoil), corpus=CORPUS), account.COUNTED)


# Proofs and paths


def changed_part(**changed: Any) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        return value | {"parts": [value["parts"][0] | changed, *value["parts"][1:]]}

    return change


def renamed(value: Any) -> Any:
    return changed_part(rest=value["parts"][0]["rest"] | {"name": "other"})(value)


def two(field: str) -> Spoil:
    """One value more in a sealed field of the first wave."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, "disclosure")
        sealed = line["entry"]["body"]["statement"]["sealed"][field]["commitments"]
        own = [each for each in line["openings"] if each["field"] == field]
        place = line["openings"].index(own[-1]) + 1
        line["openings"].insert(place, own[-1] | {"index": len(sealed), "salt": "78" * 32})
        sealed.append("77" * 32)
        forger.commit_again()

    return spoil


WRONG_PROOFS: dict[str, tuple[Spoil, Condition]] = {
    "a proof too many": (two("proofs"), documents.one_proof_each),
    "two paths": (two("path"), documents.one_path),
    "no proof": (opened("disclosure", "proofs", lambda _: {}), documents.proofs_are_proofs),
    "a proof as in method 4": (
        opened("disclosure", "proofs", lambda found: found | {"path": ""}),
        documents.proofs_are_proofs,
    ),
    "a proof without parts": (
        opened("disclosure", "proofs", lambda found: found | {"parts": []}),
        documents.proofs_are_proofs,
    ),
    "another name": (opened("disclosure", "proofs", renamed), documents.has_its_name),
    "another content": (
        opened("disclosure", "proofs", changed_part(content="11" * 32)),
        documents.of_the_corpus,
    ),
    "another salt": (opened("disclosure", "proofs", changed_part(salt="11" * 32)), documents.of_the_corpus),
    "a part twice": (
        opened(
            "disclosure",
            "proofs",
            lambda found: (
                found | {"parts": [first := found["parts"][0], first | {"log": first.get("log", {}) | {"parent": 0}}]}
            ),
        ),
        documents.of_the_corpus,
    ),
    "no path": (opened("disclosure", "path", lambda _: None), documents.path_is_path),
    "half a hash": (opened("disclosure", "path", lambda found: found + "11" * 16), documents.path_is_path),
    "a hash too many": (opened("disclosure", "path", lambda found: found + "11" * 32), documents.of_the_corpus),
    "a hash too few": (opened("disclosure", "path", lambda found: found[:-64]), documents.of_the_corpus),
    "another hash": (opened("disclosure", "path", lambda found: "11" * 32 + found[64:]), documents.of_the_corpus),
}


@pytest.mark.parametrize(("spoil", "due"), WRONG_PROOFS.values(), ids=WRONG_PROOFS)
@pytest.mark.parametrize("lines", [COURT, BOB], ids=["court", "bob"])
def test_a_false_proof_or_path_is_found(judge: Judge, lines: Lines, spoil: Spoil, due: Condition) -> None:
    check(judge(forged(lines, spoil)), due)
