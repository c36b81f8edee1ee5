"""Vectors for single functions of the specification: hashes, logarithms, draws, rules, bounds, features, models.

Made by the ledger's and the protocol's code. Integers beyond 2^53 are written as decimal texts.
"""

from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np

from ledger import canonical, coins, entries, keys
from ledger.commitments import Salt, Secret, commit, derived_salt
from ledger.entries import Opening
from ledger.hashing import Digest, integer, tagged_hash
from ledger.openings import Openings, hash_openings
from ledger.records import Record, encode, to_value
from ledger.roles import Audience, Role
from protocol import fixedpoint
from protocol.corpus.leaves import document_half, leaf, log_node, part_hash, row_half
from protocol.learning.model import TrainingSet, derive
from protocol.rules.base import Evidence, Report, evidence
from tests.support import literal_corpus, paper_rules
from tests.support.builders import KEYS, says, seal
from tests.vectors import parts
from tests.vectors.certificates import certificates

ABOUT = (
    "Inputs and results of single functions. Bytes are hex. Each entry of `hashes` lists the arguments of H behind the "
    "tag, as raw bytes. Each of `proofs` leads to a leaf, and each of `paths` to a root, or is refused (null). Coins "
    "and chances are decimal texts, since they exceed 2^53. `evidence` lists all missed and found chances of a round, "
    "also those of 2^64, which the bound leaves out."
)

_A, _B, _C = (Digest(sha256(each).digest()) for each in (b"a", b"b", b"c"))


def functions() -> dict[str, object]:
    return {
        "about": ABOUT,
        "hashes": list(_hashes()),
        "logarithms": list(_logarithms()),
        "proofs": list(parts.proofs()),
        "paths": list(parts.shared_paths()),
        "draws": list(_draws()),
        "rules": list(_rules()),
        "evidence": list(_evidence()),
        "bounds": list(_bounds()),
        "certificates": certificates(),
        "features": _features(),
        "models": list(_models()),
    }


def _hashes() -> Iterator[dict[str, object]]:
    def case(comment: str, tag: str, *arguments: bytes) -> dict[str, object]:
        return {
            "comment": comment,
            "tag": tag,
            "arguments": [each.hex() for each in arguments],
            "result": tagged_hash(tag, *arguments).hex(),
        }

    yield case(
        "a statement's or an entry's canonical bytes", "entry", canonical.encode({"a": [1, True, None, "\u00e9"]})
    )
    yield case("a coin chain's step: matter, role, index, link", "link", _A, b"alice", integer(7), _B)
    seed = "a seed: matter, draw, links of Alice, Bob and Trent, what the draw answers"
    yield case(seed, "draw", _A, integer(2), _A, _B, _C, _B)
    yield case("a coin: seed, item; its first 8 bytes are U", "coin", _A, integer(5))
    yield case("what a drawn batch answers: corpus root, query", "query", _A, b"prepay swap")
    yield case("the leaf of an entry's openings: sequence number, hash of openings", "opened", integer(8), _C)
    yield case("a simulation's truth: each number an argument", "truth", integer(3), integer(17))
    salt = Salt(bytes(range(32)))
    opened = [Opening(field="labels", index=index, salt=Salt(bytes([index]) * 32), value=True) for index in (0, 3)]
    common = [Opening(field="proofs", index=index, salt=salt, value=index) for index in range(3)]
    statement = says(
        Role.ALICE, "report", answers=_A, matter=_B, round=2, sealed=seal({"labels": ([Audience.ALICE], [True])})[0]
    )
    made: list[tuple[str, Any, bytes]] = [
        ("commitment to true with this salt", salt.hex(), commit(salt, canonical.encode(True))),
        ("hash of one opening", Openings(opened[1:]).to_value(), hash_openings(opened[1:])),
        (
            "hash of openings of two fields, one with a common salt",
            Openings([*opened, *common]).to_value(),
            hash_openings([*opened, *common]),
        ),
        ("words of a statement", _value(statement), entries.hash_words(statement)),
        ("salt under the purpose `row`, index 9, from this secret", _A.hex(), derived_salt(Secret(_A), "row", 9)),
        *parts.hashes(),
        ("log node of this `log` with this log salt", [_value(parts.MAIL.log), salt.hex()], log_node(salt, _LOG)),
        ("part of these nodes", [_A.hex(), _B.hex(), _C.hex()], part_hash(_A, _B, _C)),
        ("first half of document 5 with these two parts", [_A.hex(), _B.hex()], document_half(5, (_A, _B))),
        ("second half of a row with the entries (1, 2), (70000, 32768)", salt.hex(), row_half(salt, _ROW)),
        ("leaf of these halves", [_A.hex(), _B.hex()], leaf(_A, _B)),
    ]
    for comment, given, result in made:
        yield {"comment": comment, "given": given, "result": result.hex()}
    key = KEYS[Role.ALICE].public
    yield {"comment": "fingerprint of this key", "given": key.hex(), "result": keys.fingerprint(key)}


_LOG = encode(parts.MAIL.log)
_ROW = literal_corpus.row_bytes([(1, 2), (70000, 32768)])


def _value(record: Record) -> Any:
    return to_value(record)


def _logarithms() -> Iterator[dict[str, object]]:
    for numerator, denominator, bits in ((1, 1, 64), (2, 1, 32), (100, 1, 32), (1, 3, 14), (2**64, 2**64 - 2**40, 64)):
        yield {
            "numerator": str(numerator),
            "denominator": str(denominator),
            "bits": bits,
            "floor": str(fixedpoint.floor_ln(numerator, denominator, bits)),
            "ceil": str(fixedpoint.ceil_ln(numerator, denominator, bits)),
            "round": str(fixedpoint.round_ln(numerator, denominator, bits)),
        }


def _draws() -> Iterator[dict[str, object]]:
    for count, items in ((3, range(10)), (0, range(4)), (5, [9, 4, 700, 2, 31])):
        yield {
            "seed": _A.hex(),
            "items": list(items),
            "coins": [str(each) for each in coins.coins(_A, items)],
            "count": count,
            "drawn": coins.draw(_A, count, list(items)),
        }


def _rules() -> Iterator[dict[str, object]]:
    for name in paper_rules.NAMES:
        for number in range(24):
            random = Random(f"{name} {number}")
            size = random.choice([1, 5, 12, 30])
            delta, k = random.choice(["0.5", "0.01", "0.95"]), random.choice([1, 2, 5])
            labels: list[bool | None] = [random.random() < 0.4 for _ in range(size)]
            threshold = None
            if name == "classifier":
                threshold = random.randrange(size + 1)
                labels = [label if place < threshold else None for place, label in enumerate(labels)]
            flips = [random.randrange(2**64) for _ in range(size)]
            settled = {place: random.random() < 0.3 for place in range(1, size + 1) if random.random() < 0.6}
            counted = frozenset(place for place in range(1, size + 1) if number % 3 == 2 and random.random() < 0.2)
            rule = paper_rules.rule(name, delta=Fraction(delta), k=k)
            found = rule.examine(Report(labels=tuple(labels), threshold=threshold), flips, settled, counted)
            yield {
                "protocol": name,
                "delta": delta,
                "k": k,
                "labels": labels,
                "reported_threshold": threshold,
                "coins": [str(each) for each in flips],
                "settled": {str(place): label for place, label in settled.items()},
                "counted": sorted(counted),
                "threshold": found.threshold,
                "error": found.error,
                "due": sorted(found.due),
                "drawn": sorted(found.drawn),
                "chances": {str(place): str(number) for place, number in found.chances.items()},
                "compelled_at": found.compelled_at,
            }


def _evidence() -> Iterator[dict[str, object]]:
    """Rounds with late claims, played to their end: a find among them is charged as the coins alone draw it."""
    size, delta = 30, "0.99"
    cases: list[tuple[str, str, list[int], list[int], list[int]]] = [
        ("30 is hit, nothing is claimed late", "classifier", [12, 30], [30], []),
        ("30 is hit; 12, claimed late, starts W again above it", "classifier", [12, 30], [30], [12]),
        ("30 is spared; 12, claimed late, makes its chance larger", "classifier", [12, 30], [], [12]),
        ("8 and 30 are hit; 7, claimed late, compels the round at 13", "classifier", [*range(7, 14), 30], [8, 30], [7]),
        ("25, claimed late, is not responsive", "classifier", [12, 30], [30], [25]),
        ("12, claimed late, compels the round", "label", [12, 30], [], [12]),
    ]
    rule_of = {name: paper_rules.rule(name, delta=Fraction(delta), k=1) for name in paper_rules.NAMES}
    for comment, name, responsive, hit, late in cases:
        report = Report(labels=(False,) * size)
        if name == "classifier":
            report = Report(labels=(None,) * size, threshold=0)
        flips = [0 if place in hit else 2**64 - 1 for place in range(1, size + 1)]
        for withheld, answered in (((), size), ((20, *late), size), ((), 0), ((), 20)):
            settled: dict[int, bool] = {}
            rule, counted = rule_of[name], frozenset(late)
            while due := rule.examine(report, flips, settled, counted).due - settled.keys() - set(withheld):
                settled |= {place: place in responsive and place <= answered for place in due}
            unread = sorted(place for place in settled if place > answered)
            found = evidence(
                rule.examine(report, flips, settled, counted),
                settled,
                by_coin=rule.examine(report, flips, settled),
                withheld=frozenset(withheld),
                unread=frozenset(unread),
            )
            yield {
                "comment": comment,
                "protocol": name,
                "delta": delta,
                "k": 1,
                "labels": report.labels,
                "reported_threshold": report.threshold,
                "coins": [str(each) for each in flips],
                "settled": {str(place): label for place, label in settled.items()},
                "counted": late,
                "withheld": sorted(withheld),
                "unread": unread,
                "compelled": found.compelled,
                "missed": [str(each) for each in found.undisclosed],
                "found": [str(each) for each in found.found],
            }


def _bounds() -> Iterator[dict[str, object]]:
    for name in paper_rules.NAMES:
        for number in range(8):
            random = Random(f"bound {name} {number}")
            seen = [
                Evidence(
                    compelled=random.random() < 0.3,
                    undisclosed=tuple(random.randrange(1, 2**64) >> random.randrange(12) for _ in range(40)),
                    found=tuple(random.randrange(2**60, 2**64 + 1) for _ in range(random.choice([0, 0, 1, 3]))),
                    unproven=random.randrange(20) if number % 2 else 0,
                )
                for _ in range(random.randrange(1, 5))
            ]
            doubt = random.choice(["0.05", "0.3", "0.001"])
            bound = paper_rules.rule(name, delta=Fraction(1, 2), k=1).hidden_at_most(seen, Fraction(doubt))
            yield {
                "protocol": name,
                "doubt": doubt,
                "rounds": [
                    {
                        "compelled": each.compelled,
                        "missed": [str(chance) for chance in each.undisclosed],
                        "found": [str(chance) for chance in each.found],
                        "unproven": each.unproven,
                    }
                    for each in seen
                ],
                "at_most": bound,
            }


TEXTS = [
    "Gas storage, gas prices",
    "Prices of GAS and of storage; pr\u00fcfung",
    "Lunch? 12:30",
    "lunch at 12:30, pr\u00fcfung",
    "",
    "gas " * 40 + "alone",
]


def _features() -> dict[str, object]:
    terms = literal_corpus.table(TEXTS)
    table = b"".join(len(term).to_bytes(4, "big") + term + df.to_bytes(4, "big") for term, df in terms)
    return {
        "texts": TEXTS,
        "terms": [[term.hex(), df] for term, df in terms],
        "vocabulary": sha256(table).hexdigest(),
        "rows": [literal_corpus.row(text, terms, len(TEXTS)) for text in TEXTS],
    }


def _models() -> Iterator[dict[str, object]]:
    """Rows as lists of (column, value); the dual values are of no optimal model, but for the first."""
    rows = [[(0, 32768)], [(1, 32768)], [(0, 20000), (2, 25956)]]
    labels = [True, False, True]
    for alphas in ([0, 0, 0], [858993459, 1288490189, 3], [5, 2**31, 77]):
        lengths = [len(row) for row in rows]
        made = TrainingSet(
            signs=np.where(labels, 1, -1),
            starts=np.concatenate(([0], np.cumsum(lengths))),
            columns=np.array([column for row in rows for column, _ in row], np.int32),
            values=np.array([value for row in rows for _, value in row], np.uint16),
            terms=3,
        )
        found = derive(made, np.array(alphas))
        yield {
            "rows": rows,
            "labels": labels,
            "alphas": alphas,
            "weights": found.weights.tolist(),
            "primal": str(found.certificate.primal),
            "dual": str(found.certificate.dual),
            "accepted": found.certificate.accepted,
        }
