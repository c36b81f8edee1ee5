"""Every spoiled copy is refused: as damage where nobody's key was needed, as a fault where Trent signed it."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from ledger import canonical, checkpoints, copylines, entries, notes, records
from ledger.copies import write_copy
from ledger.copylines import Manifest, ManifestLine
from ledger.entries import Opening
from ledger.errors import Damaged, Fault, LedgerError, UnknownFormat
from ledger.examining import NotALedger, examine, open_reader
from ledger.hashing import Digest
from ledger.log import Log
from ledger.merkle import Frontier
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.builders import KEYS, MATTER, OTHER_MATTER, add_round, build_matter, logical_clock
from tests.mutations import MUTATIONS, Lines, Mutation, Sources

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
        path = self.folder / "mutated"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        try:
            examine(open_reader(path))
        except LedgerError as error:
            return error
        return None


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
        verdict = copies.verdict(mutated)
        assert isinstance(verdict, Damaged | UnknownFormat | NotALedger), f"case {number}: {verdict!r}"
        if tried == CASES:
            return
    assert mutation.__name__ == "spoil_an_attachment", f"only {tried} cases"
    assert audience is Audience.BOB, "Bob's copy has no attachments"


class CheatingTrent:
    """Trent, who holds his own key and nobody else's, makes a copy that he should not."""

    def __init__(self, lines: Lines) -> None:
        values: list[Any] = [canonical.decode(line) for line in lines]
        self.manifest = records.from_value(ManifestLine, values[0]).manifest
        self.values = values[1:]

    def body(self, sequence: int) -> Any:
        return next(
            v["entry"]["body"] for v in self.values if "entry" in v and v["entry"]["body"]["sequence"] == sequence
        )

    def line(self, sequence: int) -> Any:
        return next(v for v in self.values if "entry" in v and v["entry"]["body"]["sequence"] == sequence)

    def sign(self, *, manifest: dict[str, Any] | None = None) -> Lines:
        """Sign all entries as they are now, and a manifest over what there is."""
        chain, openings, hashes = Frontier(), Frontier(), []
        head = None
        for value in self.values:
            if "entry" in value:
                body_bytes = canonical.encode(value["entry"]["body"])
                value["entry"]["signature"] = entries.sign_entry(KEYS[Role.TRENT], body_bytes).hex()
                head = entries.hash_entry(body_bytes)
                chain.add(head)
                for each in value["openings"]:
                    opening = records.from_value(Opening, each)
                    leaf = entries.opening_leaf(chain.size - 1, opening, entries.commitment_of(opening))
                    openings.add(leaf)
            elif "checkpoint" in value:
                hashes.append(copylines.hash_note(notes.parse(value["checkpoint"])))
        stated: dict[str, Any] = {
            "head": head,
            "root": chain.root(),
            "size": chain.size,
            "openings": openings.size,
            "openings_root": openings.root(),
            "checkpoints": tuple(hashes),
        }
        signed: Manifest = replace(self.manifest, **(stated | (manifest or {})))
        signature = KEYS[Role.TRENT].sign("manifest", records.encode(signed))
        first = records.encode(ManifestLine(manifest=signed, signature=signature))
        return [first, *map(canonical.encode, self.values)]

    def rechain(self, first: int) -> None:
        """Make the entries after `first` name the changed ones before them, checkpoints aside."""
        previous: Digest | None = None
        for value in self.values:
            if "entry" in value:
                body = value["entry"]["body"]
                if previous is not None and body["sequence"] > first:
                    body["previous"] = previous.hex()
                previous = entries.hash_entry(canonical.encode(body))
        self.values = [value for value in self.values if "checkpoint" not in value]


Cheat = Callable[[CheatingTrent, int, Copies], Lines]


def rewrite_one_entry(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    trent.body(at)["time"] += 1
    return trent.sign()


def rewrite_history(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    """The whole chain anew after one entry: what parties have answered no longer exists."""
    trent.body(at)["time"] += 1
    trent.rechain(at)
    return trent.sign()


def reword_a_statement(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    trent.body(at)["statement"]["round"] += 1
    trent.rechain(at)
    return trent.sign()


def log_another_matters_statement(trent: CheatingTrent, at: int, copies: Copies) -> Lines:
    foreign = CheatingTrent(copies.other).body(at)
    trent.body(at)["statement"], trent.body(at)["signature"] = foreign["statement"], foreign["signature"]
    trent.rechain(at)
    return trent.sign()


def sign_what_is_no_entry(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    trent.body(at)["extra"] = True
    trent.rechain(at)
    return trent.sign()


def open_falsely(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    openings = trent.line(at)["openings"]
    if not openings:
        trent.line(at)["openings"] = [dict(trent.line(1)["openings"][0])]
    elif isinstance(openings[0]["value"], bool):
        openings[0]["value"] = not openings[0]["value"]
    else:
        openings[-1]["value"] = "another"
    return trent.sign()


def leave_an_opening_out(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    (trent.line(at)["openings"] or trent.line(1)["openings"]).pop(0)
    return trent.sign()


def open_too_much(trent: CheatingTrent, at: int, copies: Copies) -> Lines:
    """Bob gets the court's opening of a name that was not released to him."""
    for place in (1, 5):
        trent.line(place)["openings"] = CheatingTrent(copies.lines[Audience.COURT]).line(place)["openings"]
    trent.values = [value for value in trent.values if "attachment" not in value]
    trent.line(at)  # the same for every entry
    attachments = [v for v in CheatingTrent(copies.lines[Audience.COURT]).values if "attachment" in v]
    for piece, place in zip(attachments, (1, 5), strict=True):
        trent.values.insert(trent.values.index(trent.line(place)) + 1, piece)
    return trent.sign()


def state_another_head(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    return trent.sign(manifest={"head": Digest(bytes([at] * 32))})


def state_another_root(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    return trent.sign(manifest={"root": Digest(bytes([at] * 32))})


def checkpoint_another_history(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    state = checkpoints.Checkpoint(matter=MATTER, size=9, root=Digest(bytes([at] * 32)), head=Digest(bytes(32)))
    trent.values[-1]["checkpoint"] = str(checkpoints.sign(state, KEYS[Role.TRENT]))
    return trent.sign()


def forge_a_cosignature(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    note = notes.parse(trent.values[-1]["checkpoint"])
    state = checkpoints.parse(note)
    role = checkpoints.COSIGNERS[at % 3]
    genuine = checkpoints.cosign(state, role, KEYS[role], 5)
    forged = checkpoints.cosign(state, role, KEYS[Role.TRENT], 5).signature
    lines = [line for line in note.signatures if line.name != genuine.name]
    lines.append(notes.NoteSignature(name=genuine.name, id=genuine.id, signature=forged))
    trent.values[-1]["checkpoint"] = str(notes.Note(text=note.text, signatures=tuple(lines)))
    return trent.sign()


def not_sign_the_checkpoint(trent: CheatingTrent, at: int, _: Copies) -> Lines:
    note = notes.parse(trent.values[-1]["checkpoint"])
    lines = tuple(line for line in note.signatures if line.name.endswith(("alice", "bob", "court")))
    trent.values[-1]["checkpoint"] = str(notes.Note(text=note.text, signatures=lines[at % 2 :]))
    return trent.sign()


CHEATS: list[tuple[Cheat, set[int], str]] = [
    (rewrite_one_entry, set(range(8)), "two histories|another history"),
    (rewrite_history, {1, 2, 5, 6}, "was not asked"),
    (reword_a_statement, {2, 3, 6, 7}, "not signed by"),
    (log_another_matters_statement, {1, 2, 3, 4, 5, 6, 7, 8}, "another matter"),
    (sign_what_is_no_entry, set(range(1, 9)), "what is no entry"),
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
    pytest.param(cheat, at, sentence, id=f"{cheat.__name__}-{at}")
    for cheat, places, sentence in CHEATS
    for at in sorted(places)
]


@pytest.mark.parametrize("audience", [Audience.ALICE, Audience.BOB, Audience.COURT])
@pytest.mark.parametrize(("cheat", "at", "sentence"), CHEAT_CASES)
def test_what_trent_signs_against_the_rules_is_his_fault(
    copies: Copies, cheat: Cheat, at: int, sentence: str, audience: Audience
) -> None:
    if cheat is open_too_much and audience is Audience.COURT:
        pytest.skip("the court may see everything")
    verdict = copies.verdict(cheat(CheatingTrent(copies.lines[audience]), at, copies))
    assert isinstance(verdict, Fault), repr(verdict)
    assert verdict.party is Role.TRENT
    assert re.search(sentence, str(verdict)), str(verdict)


def test_signing_again_what_was_signed_is_no_fault(copies: Copies) -> None:
    assert CheatingTrent(copies.lines[Audience.BOB]).sign() == copies.lines[Audience.BOB]


def test_a_later_copy_of_the_same_matter_agrees_with_the_earlier_one(copies: Copies) -> None:
    with Log.open(copies.folder / "early", KEYS[Role.TRENT], logical_clock()) as log:
        add_round(log, 2)
    later = copies.cut("early", Audience.COURT)
    assert copies.verdict(later) is None
    assert later[1:6] == copies.early[1:6]
