"""Every spoiled copy is refused: as damage where nobody's key was needed, as a fault where Trent signed it."""

import re
from pathlib import Path
from random import Random

import pytest

from ledger.copies import write_copy
from ledger.errors import Damaged, Fault, LedgerError, UnknownFormat
from ledger.examining import NotALedger
from ledger.log import Log
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support.builders import KEYS, OTHER_MATTER, add_round, build_matter, logical_clock
from tests.support.forging.mutations import MUTATIONS, Lines, Mutation, Sources
from tests.support.forging.trent import (
    Cheat,
    CheatingTrent,
    checkpoint_another_history,
    forge_a_cosignature,
    leave_an_opening_out,
    log_another_matters_statement,
    not_sign_the_checkpoint,
    open_falsely,
    open_too_much,
    reword_a_statement,
    rewrite_history,
    rewrite_one_entry,
    sign_what_is_no_entry,
    state_another_head,
    state_another_root,
)
from tests.support.judging import verdict

pytestmark = pytest.mark.slow  # mutates copies at every place

CASES = 75
"""For each kind of mutation and each of two copies: 21 x 2 x 75 = 3,150 in all."""


class Copies:
    """Genuine copies of two matters that share all keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        build_matter(folder / "matter")
        build_matter(folder / "other", matter=OTHER_MATTER)
        build_matter(folder / "early", rounds=1)
        self.lines = {audience: self.cut("matter", audience) for audience in Audience}
        self.other = self.cut("other", Audience.COURT)
        self.early = self.cut("early", Audience.COURT)

    def cut(self, matter: str, audience: Audience) -> Lines:
        path = self.folder / "cut"
        with Store.open(self.folder / matter) as store:
            write_copy(store, audience, KEYS[Role.TRENT], path)
        return path.read_bytes().splitlines()

    def verdict(self, lines: Lines) -> LedgerError | None:
        return verdict(self.folder, lines)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return Copies(tmp_path_factory.mktemp("mutated"))


def test_the_genuine_copies_pass(copies: Copies) -> None:
    assert all(copies.verdict(lines) is None for lines in copies.lines.values())


@pytest.mark.parametrize("audience", [Audience.BOB, Audience.COURT])
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_what_needs_no_key_is_refused_as_damage_and_blames_nobody(
    copies: Copies, mutation: Mutation, audience: Audience
) -> None:
    lines = copies.lines[audience]
    other_audience = copies.lines[Audience.COURT if audience is Audience.BOB else Audience.BOB]
    sources = Sources(other_audience=other_audience, other_matter=copies.other, earlier=copies.early)
    tried = 0
    for number in range(40 * CASES):
        mutated = mutation(lines.copy(), Random(f"{mutation.__name__} {audience} {number}"), sources)
        if mutated is None or mutated == lines:
            continue
        tried += 1
        found = copies.verdict(mutated)
        assert isinstance(found, Damaged | UnknownFormat | NotALedger), f"case {number}: {found!r}"
        if tried == CASES:
            return
    assert mutation.__name__ == "spoil_an_attachment", f"only {tried} cases"
    assert audience is Audience.BOB, "Bob's copy has no attachments"


CHEATS: list[tuple[Cheat, set[int], str]] = [
    (rewrite_one_entry, set(range(8)), "two histories|another history"),
    (rewrite_history, {1, 2, 5, 6}, "was not asked"),
    (reword_a_statement, {2, 3, 6, 7}, "not signed by"),
    (log_another_matters_statement, {1, 2, 3, 4, 5, 6, 7, 8}, "another matter"),
    (sign_what_is_no_entry, set(range(1, 9)), "something that is not an entry"),
    (open_falsely, set(range(9)), "false openings"),
    (leave_an_opening_out, set(range(9)), "false openings"),
    (open_too_much, set(range(9)), "false openings.*may not see it"),
    (state_another_head, set(range(9)), "two histories"),
    (state_another_root, set(range(9)), "two histories"),
    (checkpoint_another_history, set(range(9)), "another history"),
    (forge_a_cosignature, set(range(9)), "is false"),
    (not_sign_the_checkpoint, set(range(9)), "does not carry Trent's signature"),
]


CHEAT_CASES = [
    pytest.param(cheat, at, audience, sentence, id=f"{cheat.__name__}-{at}-{audience}")
    for cheat, places, sentence in CHEATS
    for at in sorted(places)
    for audience in (Audience.ALICE, Audience.BOB, Audience.COURT)
    if cheat is not open_too_much or audience is not Audience.COURT  # the court may see everything
]


@pytest.mark.parametrize(("cheat", "at", "audience", "sentence"), CHEAT_CASES)
def test_what_trent_signs_against_the_rules_is_his_fault(
    copies: Copies, cheat: Cheat, at: int, audience: Audience, sentence: str
) -> None:
    trent = CheatingTrent(copies.lines[audience], court=copies.lines[Audience.COURT], other=copies.other)
    found = copies.verdict(cheat(trent, at))
    assert isinstance(found, Fault), repr(found)
    assert found.party is Role.TRENT
    assert re.search(sentence, str(found)), str(found)


def test_signing_again_what_was_signed_is_no_fault(copies: Copies) -> None:
    assert CheatingTrent(copies.lines[Audience.BOB]).sign() == copies.lines[Audience.BOB]


def test_a_later_copy_of_the_same_matter_agrees_with_the_earlier_one(copies: Copies) -> None:
    with Log.open(copies.folder / "early", KEYS[Role.TRENT], logical_clock()) as log:
        add_round(log, 2)
    later = copies.cut("early", Audience.COURT)
    assert copies.verdict(later) is None
    assert later[1:6] == copies.early[1:6]
