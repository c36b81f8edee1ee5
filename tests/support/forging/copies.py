"""Cheats in copies: what Trent, or Alice with him, can hand out under signatures of their own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ledger import checkpoints, entries, notes, records
from ledger.hashing import Digest, tagged_hash
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.simulation.identity import Simulated
from tests.support.forging.bending import of_kind, saying
from tests.support.forging.forged import ending
from tests.support.forging.forger import SALT
from tests.support.forging.mutations import Lines, canonical
from tests.support.forging.running import Change
from tests.support.forging.trent import CheatingTrent


class Copyist(CheatingTrent):
    """A copy of a simulated matter in the hands of its Trent, with the court's copy beside it."""

    def __init__(self, lines: Lines, played: Simulated, court: Lines) -> None:
        super().__init__(lines, court=court, key=played.key(Role.TRENT))
        self.played = played

    def lines_of(self, kind: str) -> list[Any]:
        """The lines whose entry is of this kind."""
        return [each for each in self.values if "entry" in each and self._kind(each) == kind]

    @staticmethod
    def _kind(line: Any) -> str:
        found: str = line["entry"]["body"]["statement"]["kind"]
        return found

    def sequence(self, line: Any) -> int:
        found: int = line["entry"]["body"]["sequence"]
        return found


def leave_an_opening_out(copy: Copyist) -> Lines:
    copy.lines_of("report")[0]["openings"].pop()
    return copy.sign()


def leave_a_name_out(copy: Copyist) -> Lines:
    copy.lines_of("batch")[0]["openings"].pop(0)
    return copy.sign()


def open_what_was_not_released(copy: Copyist) -> Lines:
    """Bob gets the names of a whole batch, from the court's copy: of the last one of which he lacks some."""
    batches = Copyist(copy.court, copy.played, copy.court).lines_of("batch")
    for own, whole in reversed(list(zip(copy.lines_of("batch"), batches, strict=True))):
        names = [each for each in whole["openings"] if each["field"] == "documents"]
        if len(names) > len(own["openings"]):
            own["openings"] = names
            break
    return copy.sign()


def open_a_label_falsely(copy: Copyist) -> Lines:
    labels = copy.lines_of("report")[0]["openings"][0]["value"]
    labels[0] = not labels[0]
    return copy.sign()


def rewrite_one_entry(copy: Copyist) -> Lines:
    copy.lines_of("labels")[0]["entry"]["body"]["time"] += 1
    return copy.sign()


def reword_an_answer(copy: Copyist) -> Lines:
    """Bob's labels as Trent would like them, without Bob's signature."""
    line = copy.lines_of("labels")[0]
    labels = line["entry"]["body"]["statement"]["content"]["labels"]
    labels[0] = not labels[0]
    copy.rechain(copy.sequence(line))
    return copy.sign()


def replay_an_answer(copy: Copyist) -> Lines:
    """Bob's labels of the first wave stand in a later round again."""
    first, *_, last = copy.lines_of("labels")
    for name in ("statement", "signature"):
        last["entry"]["body"][name] = first["entry"]["body"][name]
    copy.rechain(copy.sequence(last))
    return copy.sign()


def sign_what_is_no_entry(copy: Copyist) -> Lines:
    line = copy.lines_of("closed")[0]
    line["entry"]["body"]["note"] = "by the way"
    copy.rechain(copy.sequence(line))
    return copy.sign()


def forge_evidence(copy: Copyist) -> Lines:
    """A conflict whose evidence its author never signed."""
    line = copy.lines_of("closed")[0]
    body = line["entry"]["body"]
    answer = copy.lines_of("labels")[0]["entry"]["body"]
    evidence = {"signature": answer["signature"], "statement": answer["statement"] | {"content": {"labels": []}}}
    committed = tagged_hash("commitment", bytes.fromhex(SALT), canonical(evidence)).hex()
    sealed = {"evidence": {"audiences": ["alice", "bob", "court"], "commitments": [committed]}}
    body["statement"] |= {"kind": "conflict", "content": {"answer": answer["sequence"]}, "sealed": sealed}
    line["openings"] = [{"field": "evidence", "index": 0, "salt": SALT, "value": evidence}]
    body["releases"] = []
    copy.values = ending(copy.values, line, copy.manifest.audience)
    return copy.sign()


def state_another_head(copy: Copyist) -> Lines:
    return copy.sign(manifest={"head": Digest(bytes(32))})


def checkpoint_another_history(copy: Copyist) -> Lines:
    state = checkpoints.parse(notes.parse(copy.values[-1]["checkpoint"]))
    other = checkpoints.Checkpoint(matter=state.matter, size=state.size, root=state.root, head=Digest(bytes(32)))
    copy.values[-1]["checkpoint"] = str(checkpoints.sign(other, copy.key))
    return copy.sign()


def forge_a_cosignature(copy: Copyist) -> Lines:
    """A line in Bob's name that Trent's key made."""
    note = notes.parse(copy.values[-1]["checkpoint"])
    state = checkpoints.parse(note)
    genuine = checkpoints.cosign(state, Role.BOB, copy.played.key(Role.BOB), 5)
    forged = checkpoints.cosign(state, Role.BOB, copy.key, 5).signature
    kept = [line for line in note.signatures if line.name != genuine.name]
    kept.append(notes.NoteSignature(name=genuine.name, id=genuine.id, signature=forged))
    copy.values[-1]["checkpoint"] = str(notes.Note(text=note.text, signatures=tuple(kept)))
    return copy.sign()


def open_as_alice_signed(copy: Copyist) -> Lines:
    """Alice committed to one label and handed over the opening of another, signing the hash of what she handed over."""
    line = copy.lines_of("report")[-1]
    line["openings"] = [records.to_value(each) for each in _other_openings(line["openings"])]
    return copy.sign()


def _other_openings(openings: Any) -> list[entries.Opening]:
    found = [records.from_value(entries.Opening, each) for each in openings]
    first = found[0]
    value = [not first.value[0], *first.value[1:]]
    return [entries.Opening(field=first.field, index=first.index, salt=first.salt, value=value), *found[1:]]


SIGNS_OTHER_OPENINGS: Change = of_kind(
    "report",
    lambda run, addition: saying(
        openings=hash_openings(_other_openings([records.to_value(each) for each in addition.openings])).hex()
    )(run, addition),
    author=Role.ALICE,
    round_=2,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyCheat:
    """A copy that should never have been handed out."""

    make: Callable[[Copyist], Lines]
    comment: str
    check: str
    who: Role = Role.TRENT
    audience: Audience = Audience.BOB
    matter: dict[str, Any] = field(default_factory=dict)  # how the matter itself is bent


COPY_CHEATS: dict[str, CopyCheat] = {
    "trent-leaves-out-what-bob-must-have": CopyCheat(
        make=leave_an_opening_out, comment="a released label is not opened, under a manifest that says so", check="V06"
    ),
    "trent-leaves-out-a-name": CopyCheat(
        make=leave_a_name_out, comment="a released name is not opened, under a manifest that says so", check="V06"
    ),
    "trent-leaves-out-what-the-court-must-have": CopyCheat(
        make=leave_a_name_out,
        comment="a name of a batch is not opened to the court",
        check="V06",
        audience=Audience.COURT,
    ),
    "trent-opens-what-was-not-released": CopyCheat(
        make=open_what_was_not_released, comment="Bob gets the names of a whole batch", check="V06"
    ),
    "trent-opens-a-label-falsely": CopyCheat(
        make=open_a_label_falsely, comment="an opening does not match its commitment", check="V06"
    ),
    "trent-rewrites-one-entry": CopyCheat(
        make=rewrite_one_entry, comment="an entry is signed anew, and the next one names the old one", check="V02"
    ),
    "trent-rewords-an-answer": CopyCheat(
        make=reword_an_answer, comment="Bob's labels are changed, and Bob's signature does not fit", check="V03"
    ),
    "trent-replays-an-answer": CopyCheat(
        make=replay_an_answer, comment="Bob's genuine labels of one round stand in another one", check="V05"
    ),
    "trent-signs-what-is-no-entry": CopyCheat(
        make=sign_what_is_no_entry, comment="an entry has a field that no entry has", check="V01"
    ),
    "trent-forges-evidence": CopyCheat(
        make=forge_evidence, comment="a conflict holds an answer that its author did not sign", check="V19"
    ),
    "trent-states-another-head": CopyCheat(
        make=state_another_head, comment="the manifest states another head than the entries have", check="V02"
    ),
    "trent-checkpoints-another-history": CopyCheat(
        make=checkpoint_another_history, comment="the checkpoint states another head than the entries have", check="V20"
    ),
    "trent-forges-a-cosignature": CopyCheat(
        make=forge_a_cosignature, comment="the line in Bob's name is not by Bob's key", check="V20"
    ),
    "alice-opens-another-label-than-committed": CopyCheat(
        make=open_as_alice_signed,
        comment="her report commits to one label, and the openings whose hash it signs hold another",
        check="V12",
        who=Role.ALICE,
        audience=Audience.COURT,
        matter={"change": SIGNS_OTHER_OPENINGS, "last": True},
    ),
}


def made(cheat: CopyCheat, copies: dict[Audience, Lines], played: Simulated) -> Lines:
    """The lines of the bad copy, from the good copies of the matter."""
    return cheat.make(Copyist(copies[cheat.audience], played, copies[Audience.COURT]))
