"""Trent, who holds his own key and nobody else's, makes copies that he should not."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ledger import canonical, checkpoints, copylines, entries, notes, records
from ledger.copylines import Manifest, ManifestLine
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.merkle import Frontier
from ledger.openings import Openings, leaf
from ledger.roles import Role
from tests.support.builders import KEYS, MATTER
from tests.support.flat import gathered, spread, together
from tests.support.forging.mutations import Lines


class CheatingTrent:
    """A copy in the hands of Trent, who can sign it anew."""

    def __init__(
        self,
        lines: Lines,
        *,
        court: Lines | None = None,
        other: Lines | None = None,
        key: SigningKey = KEYS[Role.TRENT],
    ) -> None:
        self.key = key
        self.court = court or []  # the court's copy of the same matter
        self.other = other or []  # a copy of another matter
        values: list[Any] = [spread(canonical.decode(line)) for line in lines]
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
        chain, openings, opened, hashes = Frontier(), Frontier(), 0, []
        head = None
        for value in self.values:
            if "entry" in value:
                body_bytes = canonical.encode(value["entry"]["body"])
                value["entry"]["signature"] = entries.sign_entry(self.key, body_bytes).hex()
                head = entries.hash_entry(body_bytes)
                chain.add(head)
                if value["openings"]:
                    opened += len(value["openings"])
                    openings.add(leaf(chain.size - 1, Openings.parse(together(value["openings"]))))
            elif "checkpoint" in value:
                hashes.append(copylines.hash_note(notes.parse(value["checkpoint"])))
        stated: dict[str, Any] = {
            "head": head,
            "root": chain.root(),
            "size": chain.size,
            "openings": opened,
            "openings_root": openings.root(),
            "checkpoints": tuple(hashes),
        }
        signed: Manifest = replace(self.manifest, **(stated | (manifest or {})))
        signature = self.key.sign("manifest", records.encode(signed))
        first = records.encode(ManifestLine(manifest=signed, signature=signature))
        return [first, *(canonical.encode(gathered(value)) for value in self.values)]

    def rechain(self, first: int) -> None:
        """Make the entries after `first` name the changed ones before them; checkpoints stay as they are."""
        previous: Digest | None = None
        for value in self.values:
            if "entry" in value:
                body = value["entry"]["body"]
                if previous is not None and body["sequence"] > first:
                    body["previous"] = previous.hex()
                previous = entries.hash_entry(canonical.encode(body))
        self.values = [value for value in self.values if "checkpoint" not in value]


Cheat = Callable[[CheatingTrent, int], Lines]


def rewrite_one_entry(trent: CheatingTrent, at: int) -> Lines:
    trent.body(at)["time"] += 1
    return trent.sign()


def rewrite_history(trent: CheatingTrent, at: int) -> Lines:
    """The whole chain anew after one entry: what parties have answered no longer exists."""
    trent.body(at)["time"] += 1
    trent.rechain(at)
    return trent.sign()


def reword_a_statement(trent: CheatingTrent, at: int) -> Lines:
    trent.body(at)["statement"]["round"] += 1
    trent.rechain(at)
    return trent.sign()


def log_another_matters_statement(trent: CheatingTrent, at: int) -> Lines:
    foreign = CheatingTrent(trent.other).body(at)
    trent.body(at)["statement"], trent.body(at)["signature"] = foreign["statement"], foreign["signature"]
    trent.rechain(at)
    return trent.sign()


def sign_what_is_no_entry(trent: CheatingTrent, at: int) -> Lines:
    trent.body(at)["extra"] = True
    trent.rechain(at)
    return trent.sign()


def open_falsely(trent: CheatingTrent, at: int) -> Lines:
    openings = trent.line(at)["openings"]
    if not openings:
        trent.line(at)["openings"] = [dict(trent.line(1)["openings"][0])]
    elif isinstance(openings[0]["value"], bool):
        openings[0]["value"] = not openings[0]["value"]
    else:
        openings[-1]["value"] = "another"
    return trent.sign()


def leave_an_opening_out(trent: CheatingTrent, at: int) -> Lines:
    (trent.line(at)["openings"] or trent.line(1)["openings"]).pop(0)
    return trent.sign()


def open_too_much(trent: CheatingTrent, at: int) -> Lines:
    """Bob gets the court's opening of a name that was not released to him."""
    for place in (1, 5):
        trent.line(place)["openings"] = CheatingTrent(trent.court).line(place)["openings"]
    trent.values = [value for value in trent.values if "attachment" not in value]
    trent.line(at)  # the same for every entry
    attachments = [v for v in CheatingTrent(trent.court).values if "attachment" in v]
    for piece, place in zip(attachments, (1, 5), strict=True):
        trent.values.insert(trent.values.index(trent.line(place)) + 1, piece)
    return trent.sign()


def state_another_head(trent: CheatingTrent, at: int) -> Lines:
    return trent.sign(manifest={"head": Digest(bytes([at] * 32))})


def state_another_root(trent: CheatingTrent, at: int) -> Lines:
    return trent.sign(manifest={"root": Digest(bytes([at] * 32))})


def checkpoint_another_history(trent: CheatingTrent, at: int) -> Lines:
    state = checkpoints.Checkpoint(matter=MATTER, size=9, root=Digest(bytes([at] * 32)), head=Digest(bytes(32)))
    trent.values[-1]["checkpoint"] = str(checkpoints.sign(state, KEYS[Role.TRENT]))
    return trent.sign()


def forge_a_cosignature(trent: CheatingTrent, at: int) -> Lines:
    note = notes.parse(trent.values[-1]["checkpoint"])
    state = checkpoints.parse(note)
    role = checkpoints.COSIGNERS[at % 3]
    genuine = checkpoints.cosign(state, role, KEYS[role], 5)
    forged = checkpoints.cosign(state, role, KEYS[Role.TRENT], 5).signature
    lines = [line for line in note.signatures if line.name != genuine.name]
    lines.append(notes.NoteSignature(name=genuine.name, id=genuine.id, signature=forged))
    trent.values[-1]["checkpoint"] = str(notes.Note(text=note.text, signatures=tuple(lines)))
    return trent.sign()


def not_sign_the_checkpoint(trent: CheatingTrent, at: int) -> Lines:
    note = notes.parse(trent.values[-1]["checkpoint"])
    lines = tuple(line for line in note.signatures if line.name.endswith(("alice", "bob", "court")))
    trent.values[-1]["checkpoint"] = str(notes.Note(text=note.text, signatures=lines[at % 2 :]))
    return trent.sign()
