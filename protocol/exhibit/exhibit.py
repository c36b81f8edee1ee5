"""What an exhibit of one document holds (docs/exhibits.md)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from ledger import canonical, checkpoints, merkle, records
from ledger.canonical import Value
from ledger.checkpoints import COSIGNERS, Checkpoint
from ledger.entries import Body, Opening
from ledger.errors import WrongKey
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.matterreader import MatterReader
from ledger.notes import Note
from ledger.openings import Openings
from ledger.roles import Role
from ledger.store import Store, StoredEntry
from ledger.tlog import proofs
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import Parts, WithheldPart, leaf_of
from protocol.errors import ProtocolError
from protocol.exhibit import fates
from protocol.exhibit.fates import Fate
from protocol.exhibit.story import OUTSIDE, FormerKey, Story
from protocol.matter.leaf import Leaf, State
from protocol.matter.values import Opened
from protocol.stamps import kept

FORMAT = 3
"""The version of an exhibit's form."""

_SUGGESTED = 5
_COMPARED = 50_000  # most names that are compared letter by letter, which takes time

SignerOf = Callable[[Opened], SigningKey]
"""Gives Trent's key. It is called only if no checkpoint covers the exhibit."""


class WhichDocument(ProtocolError):
    """No document has the name, or the number belongs to another document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An exhibit before it is written."""

    opening: Opened
    document: int
    name: str
    parts: Parts  # of the document; those that the court withheld from Bob are withheld here, too, if he has the others
    proof: dict[str, Value]  # of the document, with its path to the root of the corpus commitment
    entries: list[Value]
    outside: dict[str, bytes]  # files for standard tools, by their names: what outsiders signed, and of which bytes
    note: Note
    checkpoint: Checkpoint
    cosigned: bool  # by Alice, Bob and the court
    keys: dict[Role, PublicKey]  # as they were at the checkpoint
    former_keys: list[FormerKey]  # which were replaced before it
    reviewed: bool  # whether the document stands in a round; otherwise the exhibit proves the commitment only
    fate: Fate

    @property
    def withheld(self) -> tuple[int, ...]:
        """The parts that the court withheld, if Bob has the others."""
        return tuple(number for number, part in enumerate(self.parts) if isinstance(part, WithheldPart))


def find(corpus: Corpus, name: str | None, number: int | None) -> int:
    """The number of the document with this name or number; if both are given, both must fit."""
    if number is not None:
        called = corpus.name(number)
        if name is not None and called != name:
            raise WhichDocument(f"document {number} in {corpus.path} is called {called!r}, not {name!r}")
        return number
    if name is None:
        raise WhichDocument("say which document: its name with --document, or its number with --number")
    names = [corpus.name(each) for each in range(corpus.size)]
    if name not in names:  # no two documents of a corpus have the same name
        near = _near(name, names)
        hint = f"; similar names are {', '.join(map(repr, near))}" if near else ""
        raise WhichDocument(f"no document in {corpus.path} is called {name!r}{hint}")
    return names.index(name)


def _near(name: str, names: list[str]) -> list[str]:
    """Names that may be meant: they differ only in capitals, contain the name, or are spelt alike."""
    sought = name.casefold()
    alike = [each for each in names if sought == each.casefold()]
    within = [each for each in names if sought and sought in each.casefold()]
    spelt = get_close_matches(name, names, n=_SUGGESTED) if len(names) <= _COMPARED else []
    return list(dict.fromkeys([*alike, *within[:_SUGGESTED], *spelt]))[:_SUGGESTED]


def gather(matter: Path, corpus: Corpus, document: int, signer: SignerOf) -> Exhibit:
    """Read a matter, check all of it, and take out what tells the story of one document."""
    proof = corpus.proof(document)
    with Store.open(matter) as store, store.snapshot():
        story, reader = Story(document, leaf_of(document, proof)), MatterReader(matter)
        keys_at: dict[int, dict[Role, PublicKey]] = {}
        signers: dict[int, list[Role]] = {}
        for opened in reader.read(store):
            story.see(opened)
            for size, found in reader.checkpoints[len(signers) :]:
                signers[size], keys_at[size] = found, dict(reader.history.keys)
        story.check(corpus)
        covering = [size for size in signers if size > story.last]
        cosigned = [size for size in covering if set(COSIGNERS) <= set(signers[size])]
        if covering:
            size = (cosigned or covering)[-1]
            note, keys = store.notes()[size], keys_at[size]
        else:
            size, keys = reader.history.size, dict(reader.history.keys)
            note = _signed(reader, signer(story.opening), matter)
        chosen = story.chosen(size)
        stored = [each for each in store.entries(size=size) if each.sequence in chosen]
        outside = dict(chain.from_iterable(_outside(each, kept.at_hand(matter)) for each in stored))
    tree = merkle.levels(story.hashes[:size])
    fate = fates.fate(stored, story)
    if fate is Fate.SHOWN:
        proof = corpus.proof(document, fates.withheld_parts(stored, story))
    return Exhibit(
        opening=story.opening,
        document=document,
        name=corpus.name(document),
        parts=proof.parts,
        proof=records.to_value(proof) | {"path": corpus.paths([document]).hex()},
        entries=[_piece(each, story, size, tree) for each in stored],
        outside=outside,
        note=note,
        checkpoint=checkpoints.parse(note),
        cosigned=bool(cosigned),
        keys=keys,
        former_keys=[each for each in story.former_keys if each.until < size],
        reviewed=bool(story.chapters),
        fate=fate,
    )


def _signed(reader: MatterReader, key: SigningKey, matter: Path) -> Note:
    """A checkpoint of the matter as it is now; it goes into the exhibit, not into the matter."""
    if key.public != reader.history.keys[Role.TRENT]:
        raise WrongKey(f"{matter}: this is not Trent's key in this matter")
    return checkpoints.sign(reader.history.state(), key)


def _piece(stored: StoredEntry, story: Story, size: int, tree: list[list[bytes]]) -> Value:
    """One entry with what the exhibit opens of it, and its place in the checkpoint's tree.

    If it is a stamp or a proof of the log, it also proves that what was seen is the beginning of the checkpoint's tree.
    """
    said = records.decode(Body, stored.body).statement
    entry: dict[str, Value] = {"body": canonical.decode(stored.body), "signature": stored.signature.hex()}
    path = b"".join(merkle.inclusion_proof(tree, stored.sequence)).hex()
    seen = merkle.consistency_proof(story.hashes[:size], stored.sequence) if said.kind in OUTSIDE else []
    opened = Openings(_opened(stored, story)).to_value()
    return {"entry": entry, "openings": opened, "path": path, "prefix": b"".join(seen).hex()}


def _outside(stored: StoredEntry, token: Callable[[Digest], bytes | None]) -> Iterator[tuple[str, bytes]]:
    """What an outsider signed, and the bytes that it is about, each as a file."""
    body = records.decode(Body, stored.body)
    said, number = body.statement, body.sequence
    if said.kind not in OUTSIDE:
        return
    root = Digest.parse(said.content["root"])
    here = Checkpoint(matter=body.matter, size=number, root=root, head=body.previous)
    if said.kind == "stamped":
        found = token(Digest.parse(said.content["token"]))
        if found is not None:
            yield f"stamps/{number}.tsr", found
            yield f"stamps/{number}.txt", here.text.encode()
    else:
        yield f"log/{number}{proofs.SUFFIX}", said.content["proof"].encode()
        yield f"log/{number}.leaf", bytes(Leaf(checkpoint=here, state=State.OPEN))


def _opened(stored: StoredEntry, story: Story) -> list[Opening]:
    """The openings of an entry that an exhibit may hold: the document's own, and once the round is closed the labels
    and the threshold, on which its chance of being drawn rests.
    """
    said = records.decode(Body, stored.body).statement
    chapter = story.chapters.get(said.round)
    if said.kind == "reclaim" and stored.sequence in story.asked_back:
        return [each for each in stored.openings if each.index == story.asked_at]
    if chapter is None:
        return []
    own: dict[str, int] = {}
    match said.kind:
        case "batch" | "validation" | "call" if chapter.listed:
            own["documents"] = chapter.position - 1
        case "disclosure" | "camera" if not chapter.listed and (said.kind == "disclosure" or not chapter.shown):
            own |= fates.index("proofs", said.content, chapter)  # a camera opens parts that a disclosure may withhold
        case "report" if chapter.closed is not None and chapter.listed:
            own["privilege"] = chapter.position - 1
        case "claim" if chapter.closed is not None:
            own |= fates.index("privilege", said.content, chapter)
    rests_on = ("labels", "threshold") if said.kind == "report" and chapter.closed is not None else ()
    return [each for each in stored.openings if each.field in rests_on or own.get(each.field) == each.index]


def value(exhibit: Exhibit, files: Sequence[str | None]) -> dict[str, Value]:
    """The exhibit as it is written; `files` are the names of the contents of its parts, None for what is not here."""
    return {
        "checkpoint": str(exhibit.note),
        "document": {
            "files": list[Value](files),
            "name": exhibit.name,
            "number": exhibit.document,
            "proof": exhibit.proof,
        },
        "entries": exhibit.entries,
        "format": FORMAT,
    }
