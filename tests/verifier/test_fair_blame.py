"""Nothing that anyone does without P's key leads to a finding against P, and nothing that was changed is verified.

`TALLYSTICK_FUZZ` multiplies the number of cases (`make fuzz`).
"""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ledger.entries import Addition
from ledger.errors import LedgerError
from ledger.keys import fingerprint
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.identity import Simulated
from tests.support import genuine
from tests.support.builders import KEYS
from tests.support.forging import eventful, spotcheck
from tests.support.forging.allcheats import ALL_CHEATS
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.copies import Copyist
from tests.support.forging.eventful import EventfulRun, RenewedRun
from tests.support.forging.forger import disturb
from tests.support.forging.mutations import MUTATIONS, Lines, Mutation
from tests.support.forging.running import CheatingRun, Ended, cut, plan, play
from tests.support.genuine import Genuine
from tests.vectors import FOLDER
from tests.vectors.agreed import AGREED
from verifier import checks
from verifier.values import blamed
from verifier.verdict import Answer, Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
MANY = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
PAPER: dict[str, tuple[str, type[CheatingRun], dict[str, Any]]] = {
    "label": ("label", CheatingRun, AGREED),
    "classifier": ("classifier", CheatingRun, AGREED),
    "eventful": ("label", EventfulRun, AGREED | eventful.AGREED),
    "renewed": ("classifier", RenewedRun, AGREED | eventful.AGREED),
}
"""The paper's rules, what happens under them, and on which terms."""
SPOT = ("escalated", "validated", "called", "classed", "eventful-two-stages")
"""Courses with spot checks, escalations and validations."""
COURSES = (*PAPER, *SPOT)
CORPUS = FOLDER / "corpora" / "plain"
seeds = st.integers(min_value=0, max_value=2**64 - 1)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.open(CORPUS)


@pytest.fixture(scope="module")
def copies(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Genuine]:
    folder = tmp_path_factory.mktemp("genuine")
    paper = {name: genuine.make(corpus, folder, protocol, course) for name, (protocol, course, _) in PAPER.items()}
    return paper | {name: genuine.make_spot(corpus, folder, name) for name in SPOT}


def planned(corpus: Corpus, course: str) -> tuple[Simulated, type[CheatingRun]]:
    """A matter of this course, and what happens in it."""
    if course in PAPER:
        protocol, run, agreed = PAPER[course]
        return plan(corpus, players=DISPUTED, protocol=protocol, **agreed), run
    spot = spotcheck.COURSES[course]
    agreed = AGREED | dict(spot.terms)
    return plan(corpus, players=dict(spot.players), protocol=spot.protocol, **agreed), spot.run


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Verdict]:
    path = tmp_path_factory.mktemp("judged") / "copy.jsonl"

    def verdict(lines: Lines, **options: Any) -> Verdict:
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return verify(path, **options)

    return verdict


def test_the_genuine_copies_pass(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    for course in COURSES:
        for audience in EVERYBODY:
            assert judge(copies[course].lines[audience]).answer is Answer.VERIFIED
            assert judge(copies[course].earlier[audience]).answer is Answer.NOT_CLOSED


@settings(MANY, max_examples=300 * TIMES)
@given(
    mutations=st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=3),
    audience=st.sampled_from(EVERYBODY),
    course=st.sampled_from(COURSES),
    seed=seeds,
)
def test_what_needs_no_key_blames_nobody_and_is_not_verified(
    copies: dict[str, Genuine],
    judge: Callable[..., Verdict],
    mutations: list[Mutation],
    audience: Audience,
    course: str,
    seed: int,
) -> None:
    random, all_of_them = Random(seed), copies[course]
    lines = all_of_them.lines[audience]
    for mutation in mutations:
        with suppress(ValueError, KeyError, TypeError, AttributeError, IndexError):  # too spoiled for this one
            lines = mutation(lines.copy(), random, all_of_them.sources(audience)) or lines
    if lines in (all_of_them.lines[audience], all_of_them.earlier[audience]):
        return
    verdict = judge(lines)
    assert blamed(verdict) == []
    assert verdict.answer is Answer.UNDECIDED


@settings(MANY, max_examples=100 * TIMES)
@given(audience=st.sampled_from(EVERYBODY), course=st.sampled_from(COURSES), seed=seeds)
def test_what_trent_signs_anew_blames_nobody_but_him(
    corpus: Corpus,
    copies: dict[str, Genuine],
    judge: Callable[..., Verdict],
    audience: Audience,
    course: str,
    seed: int,
) -> None:
    """Trent changes anything anywhere in a genuine copy, and signs all that he has a key for."""
    random, all_of_them = Random(seed), copies[course]
    played = genuine.with_same_keys(planned(corpus, course)[0])
    copyist = Copyist(all_of_them.lines[audience], played, all_of_them.lines[Audience.COURT])
    line = random.choice([each for each in copyist.values if "entry" in each])
    disturb(line["entry"]["body"] if random.random() < 0.8 else line, random)
    try:
        if random.random() < 0.7:
            copyist.rechain(copyist.sequence(line))
        lines = copyist.sign()
    except (LedgerError, KeyError, TypeError, ValueError, AttributeError):
        return  # nothing that could be signed
    verdict = judge(lines)
    assert set(blamed(verdict)) <= {"trent"}
    if lines != all_of_them.lines[audience]:
        assert verdict.answer is not Answer.VERIFIED


class Mischief:
    """Everyone but one party says odd things now and then, under their own signatures."""

    def __init__(self, honest: Role, random: Random) -> None:
        self.honest, self.random = honest, random
        self.left = random.randrange(1, 3)

    def __call__(self, run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if said.author is self.honest or not self.left or said.kind == "open" or self.random.random() < 0.9:
            return None
        content = deepcopy(said.content)
        disturb(content, self.random)
        self.left -= 1
        return run.resigned(addition, content=content)


@example(honest=Role.COURT, course="eventful", seed=544666)  # a false anchor, and the court holds another chain
@settings(MANY, max_examples=23 * TIMES)
@given(honest=st.sampled_from([Role.ALICE, Role.BOB, Role.COURT]), course=st.sampled_from(COURSES), seed=seeds)
def test_an_honest_party_is_never_blamed_whatever_all_others_sign(
    corpus: Corpus, tmp_path_factory: pytest.TempPathFactory, honest: Role, course: str, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("mischief")
    played, kind = planned(corpus, course)
    try:
        with kind(corpus, played, folder / "matter", change=Mischief(honest, Random(seed))) as run:
            run.run()
    except (LedgerError, Ended, KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration):
        pass  # nobody can go on from there
    for audience in EVERYBODY:
        verdict = verify(cut(folder / "matter", played, audience, folder / f"{audience}.jsonl"))
        assert honest.value not in blamed(verdict), verdict.findings
    shutil.rmtree(folder)


def test_a_matter_forged_under_other_keys_blames_no_person(
    corpus: Corpus, tmp_path: Path, judge: Callable[..., Verdict]
) -> None:
    """Whatever a forger lets his own Alice, Bob, court and Trent do, the reader's are not blamed."""
    trusted = {checks.Role(role): (fingerprint(key.public),) for role, key in KEYS.items()}
    for name, cheat in list(ALL_CHEATS.items())[::5]:
        agreed = AGREED | dict(cheat.terms)
        played = plan(corpus, players=dict(cheat.players), protocol=cheat.protocol, **agreed)
        play(corpus, played, tmp_path / name, **cheat.bends)
        for audience in (Audience.BOB, Audience.COURT):
            copy = cut(tmp_path / name, played, audience, tmp_path / "copy.jsonl")
            verdict = verify(copy, trusted=trusted)
            assert verdict.answer is Answer.REJECTED
            assert blamed(verdict) == []


@settings(MANY, max_examples=25 * TIMES)
@given(seed=seeds)
def test_a_damaged_corpus_blames_nobody(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    folder = tmp_path_factory.mktemp("damaged")
    damaged = shutil.copytree(CORPUS, folder / "corpus")
    used = [path for path in damaged.rglob("*") if path.is_file() and path.stat().st_size]
    path = random.choice(sorted(used))
    data = bytearray(path.read_bytes())
    match random.randrange(4):
        case 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            data += random.randbytes(random.randrange(1, 40))
        case 3:
            start = random.randrange(len(data))
            data[start : start + 8] = random.randbytes(8)
    before = path.read_bytes()
    header = 128 if path.suffix == ".npy" else 0  # where some bytes mean nothing
    same = bytes(data[header : len(before)]) == before[header:]  # nobody reads what stands behind the end
    path.write_bytes(data)
    verdict = verify(FOLDER / "transcripts/valid-label-court.jsonl", corpus=damaged)
    assert blamed(verdict) == []
    unused = path.name in ("manifest.json", "tree.bin", "alike.npy")
    if not same and not unused and path.name != "labels.json":
        assert verdict.answer is Answer.UNDECIDED, path.name
    shutil.rmtree(folder)


@pytest.mark.parametrize("course", ["label", "renewed", "classed"])
@pytest.mark.parametrize("audience", EVERYBODY)
def test_a_truncated_copy_is_never_verified_and_blames_nobody(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], audience: Audience, course: str
) -> None:
    lines = copies[course].lines[audience]
    for length in range(len(lines)):
        verdict = judge(lines[:length])
        assert verdict.answer is Answer.UNDECIDED
        assert blamed(verdict) == []
