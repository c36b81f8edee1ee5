"""The vectors of single functions are stored as they are generated, and the verifier's functions give them."""

import hmac
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from tests.support import literal_corpus
from tests.vectors import generate, load, stored_text, text_of
from verifier import logarithms
from verifier.record import encoding
from verifier.record.entries import hash_words
from verifier.record.hashing import fingerprint, integer, part_of, tagged_hash
from verifier.record.openings import read_openings
from verifier.record.parts import read_path, read_proof
from verifier.record.shapes import Malformed
from verifier.record.trees import root_from_shared_path
from verifier.rules import bound, coins, table
from verifier.rules.base import Evidence, Report
from verifier.rules.terms import Terms

VECTORS: dict[str, Any] = load("functions.json")


def test_the_stored_file_is_the_one_that_is_generated() -> None:
    assert text_of(generate.FILES["functions.json"]()) == stored_text("functions.json")


@pytest.mark.parametrize("case", [case for case in VECTORS["hashes"] if "tag" in case], ids=lambda case: case["tag"])
def test_hashes(case: dict[str, Any]) -> None:
    assert tagged_hash(case["tag"], *map(bytes.fromhex, case["arguments"])).hex() == case["result"]


def test_what_is_made_of_hashes() -> None:
    made = {case["comment"]: (case["given"], case["result"]) for case in VECTORS["hashes"] if "given" in case}
    found = {}
    for comment, (given, _) in made.items():
        match comment.split(" ")[0]:
            case "commitment":
                found[comment] = tagged_hash("commitment", bytes.fromhex(given), b"true").hex()
            case "hash":
                found[comment] = read_openings(given).hash.hex()
            case "words":
                found[comment] = hash_words(encoding.encode(given)).hex()
            case "salt":
                message = tagged_hash("salt", b"row", integer(9))
                found[comment] = hmac.digest(bytes.fromhex(given), message, "sha256").hex()
            case "log" | "rest" | "body" if " salt of " in comment:
                found[comment] = tagged_hash(f"{comment.split(' ')[0]}-salt", bytes.fromhex(given)).hex()
            case "log" | "rest":
                stated, salt = given
                tag = comment.split(" ")[0]
                found[comment] = tagged_hash(tag, bytes.fromhex(salt), encoding.encode(stated)).hex()
            case "body":
                content, text, salt = map(bytes.fromhex, given)
                found[comment] = tagged_hash("body", salt, content, text).hex()
            case "part":
                found[comment] = part_of(*map(bytes.fromhex, given)).hex()
            case "first":
                found[comment] = tagged_hash("document", integer(5), *map(bytes.fromhex, given)).hex()
            case "second":
                row = bytes.fromhex("000000010002" + "000111708000")
                found[comment] = tagged_hash("row", bytes.fromhex(given), row).hex()
            case "leaf":
                found[comment] = tagged_hash("leaf", *map(bytes.fromhex, given)).hex()
            case "fingerprint":
                found[comment] = fingerprint(bytes.fromhex(given))
    assert found == {comment: result for comment, (_, result) in made.items()}


@pytest.mark.parametrize("case", VECTORS["proofs"], ids=lambda case: case["comment"])
def test_proofs_lead_to_their_leaves_or_are_refused(case: dict[str, Any]) -> None:
    if case["leaf"] is None:
        with pytest.raises(Malformed):
            read_proof(case["proof"])
    else:
        assert read_proof(case["proof"]).leaf(case["document"]).hex() == case["leaf"]


def test_paths_lead_to_their_roots_or_are_refused() -> None:
    for case in VECTORS["paths"]:
        leaves = {int(number): bytes.fromhex(leaf) for number, leaf in case["leaves"].items()}
        found = root_from_shared_path(leaves, case["size"], read_path(case["path"]))
        assert (None if found is None else found.hex()) == case["root"], case["comment"]


def test_logarithms() -> None:
    for case in VECTORS["logarithms"]:
        given = (int(case["numerator"]), int(case["denominator"]), case["bits"])
        assert str(logarithms.ln_floor(*given)) == case["floor"]
        assert str(logarithms.ln_ceil(*given)) == case["ceil"]
        assert str(logarithms.ln_round(*given)) == case["round"]


def test_draws() -> None:
    for case in VECTORS["draws"]:
        found = coins.coins(bytes.fromhex(case["seed"]), case["items"])
        assert [str(each) for each in found] == case["coins"]
        tickets = sorted(zip(found, case["items"], strict=True))
        assert [item for _, item in tickets[: case["count"]]] == case["drawn"]


def _terms(case: dict[str, Any]) -> Terms:
    given = {"batch": 100, "doubt": "0.05", "draws": 256, "query": "", "rounds": 1}
    given |= {"classes": None, "validation": None, "witnesses": None}
    own = {} if case["protocol"] == "reveal-all" else {"delta": case.get("delta", "0.5"), "k": case.get("k", 1)}
    return table.read_terms(given | own | {"protocol": case["protocol"]})


def test_rules() -> None:
    assert {case["compelled_at"] is None for case in VECTORS["rules"] if case["protocol"] == "classifier"} == {
        True,
        False,
    }
    for case in VECTORS["rules"]:
        terms = _terms(case)
        rule = table.of(terms)
        report = Report(labels=tuple(case["labels"]), threshold=case["reported_threshold"])
        settled = {int(place): label for place, label in case["settled"].items()}
        counted = frozenset(case["counted"])
        found = rule.examine(terms, report, [int(each) for each in case["coins"]], settled, counted)
        assert (found.threshold, found.error, found.compelled_at) == (
            case["threshold"],
            case["error"],
            case["compelled_at"],
        )
        assert (sorted(found.due), sorted(found.drawn)) == (case["due"], case["drawn"])
        assert {str(place): str(number) for place, number in found.chances.items()} == case["chances"]


def test_evidence() -> None:
    for case in VECTORS["evidence"]:
        terms = _terms(case)
        rule = table.of(terms)
        report = Report(labels=tuple(case["labels"]), threshold=case["reported_threshold"])
        settled = {int(place): label for place, label in case["settled"].items()}
        flips, counted = [int(each) for each in case["coins"]], frozenset(case["counted"])
        examined = rule.examine(terms, report, flips, settled, counted)
        alone = rule.examine(terms, report, flips, settled, frozenset())
        found = bound.evidence(examined, alone, settled, case["withheld"])
        if case["unread"]:
            found = bound.without_answer(found, examined, alone, case["unread"], 0)
        assert found.compelled is case["compelled"]
        assert [str(each) for each in found.missed] == case["missed"]
        assert [str(each) for each in found.found] == case["found"]


def test_bounds() -> None:
    for case in VECTORS["bounds"]:
        seen = [
            Evidence(
                compelled=each["compelled"],
                missed=tuple(map(int, each["missed"])),
                found=tuple(map(int, each["found"])),
                unproven=each["unproven"],
            )
            for each in case["rounds"]
        ]
        terms = _terms(case)
        assert bound.hidden_at_most(table.of(terms), terms, seen, Fraction(case["doubt"])) == case["at_most"]


def test_features_and_models_have_what_an_implementer_needs() -> None:
    """They are checked against the verifier in tests/test_verifier_corpus_*.py; here, that the numbers fit together."""
    features = VECTORS["features"]
    assert len(features["rows"]) == len(features["texts"])
    table = b"".join(
        len(bytes.fromhex(term)).to_bytes(4, "big") + bytes.fromhex(term) + df.to_bytes(4, "big")
        for term, df in features["terms"]
    )
    assert sha256(table).hexdigest() == features["vocabulary"]
    terms = [(bytes.fromhex(term), df) for term, df in features["terms"]]
    for text, row in zip(features["texts"], features["rows"], strict=True):
        assert [list(entry) for entry in literal_corpus.row(text, terms, len(features["texts"]))] == row
    for model in VECTORS["models"]:
        sums = [0] * 4
        for row, label, alpha in zip(model["rows"], model["labels"], model["alphas"], strict=True):
            for column, value in [*row, (3, 2**15)]:
                sums[column] += alpha * value * (1 if label else -1)
        weights = [(each + 2**16) >> 17 for each in sums]
        assert weights == model["weights"]
        slack = [
            max(0, 2**43 - (1 if label else -1) * sum(weights[c] * v for c, v in [*row, (3, 2**15)]))
            for row, label in zip(model["rows"], model["labels"], strict=True)
        ]
        primal = 2**34 * sum(each**2 for each in weights) + 2**5 * sum(each**2 for each in slack)
        squares = sum(each**2 for each in model["alphas"])
        dual = 2**61 * sum(model["alphas"]) - sum(each**2 for each in sums) - 2**29 * squares
        assert (str(primal), str(dual)) == (model["primal"], model["dual"])
        assert ((primal - dual) * 10**12 <= primal) == model["accepted"]
