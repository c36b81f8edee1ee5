"""What an exhibit of one document holds (specification, section "Exhibits")."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger import canonical, checkpoints, merkle, records
from ledger.canonical import Value
from ledger.checkpoints import COSIGNERS, Checkpoint
from ledger.entries import Body, Opening
from ledger.errors import WrongKey
from ledger.keys import PublicKey, SigningKey
from ledger.matterreader import MatterReader
from ledger.notes import Note
from ledger.roles import Role
from ledger.store import Store, StoredEntry
from protocol.corpus.corpus import Corpus
from protocol.exhibit.index import FormerKey, Index
from protocol.matter import statements
from protocol.matter.statements import Kind

FORMAT = 1
"""The version of an exhibit's form."""

SignerOf = Callable[[statements.Opening], SigningKey]
"""Trent's key, asked for only where no checkpoint at hand covers the exhibit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """An exhibit before it is written."""

    opening: statements.Opening
    document: int
    name: str
    proof: Value  # of the document's leaf in the corpus commitment
    entries: list[Value]
    note: Note
    checkpoint: Checkpoint
    cosigned: bool  # by Alice, Bob and the court
    keys: dict[Role, PublicKey]  # as they were at the checkpoint
    former_keys: list[FormerKey]  # which were replaced before it
    shown: bool  # to Bob
    withheld: bool  # as privileged


def gather(matter: Path, corpus: Corpus, document: int, signer: SignerOf) -> Gathered:
    """Read a matter, check all of it, and take out what tells the story of one document."""
    with Store.open(matter) as store, store.snapshot():
        index, reader = Index(document), MatterReader(matter)
        keys_at: dict[int, dict[Role, PublicKey]] = {}
        signers: dict[int, list[Role]] = {}
        for opened in reader.read(store):
            index.see(opened)
            for size, found in reader.checkpoints[len(signers) :]:
                signers[size], keys_at[size] = found, dict(reader.history.keys)
        index.check(corpus)
        covering = [size for size in signers if size > index.last]
        cosigned = [size for size in covering if set(COSIGNERS) <= set(signers[size])]
        if covering:
            size = (cosigned or covering)[-1]
            note, keys = store.notes()[size], keys_at[size]
        else:
            size, keys = reader.history.size, dict(reader.history.keys)
            note = _signed(reader, signer(index.opening), matter)
        chosen = index.chosen(size)
        stored = [each for each in store.entries(size=size) if each.sequence in chosen]
    tree = merkle.levels(index.hashes[:size])
    shown, withheld = _fate(stored, index.position)
    return Gathered(
        opening=index.opening,
        document=document,
        name=corpus.name(document),
        proof=records.to_value(corpus.opening(document)),
        entries=[_piece(each, index, tree) for each in stored],
        note=note,
        checkpoint=checkpoints.parse(note),
        cosigned=bool(cosigned),
        keys=keys,
        former_keys=[each for each in index.former_keys if each.until < size],
        shown=shown,
        withheld=withheld,
    )


def _signed(reader: MatterReader, key: SigningKey, matter: Path) -> Note:
    """A checkpoint of the matter as it stands; it goes into the exhibit, and not into the matter."""
    if key.public != reader.history.keys[Role.TRENT]:
        raise WrongKey(f"{matter}: this is not the key that the matter enrolled for Trent")
    return checkpoints.sign(reader.history.state(), key)


def _piece(stored: StoredEntry, index: Index, tree: list[list[bytes]]) -> Value:
    """One entry with what the exhibit opens of it, and its place in the checkpoint's tree."""
    entry: dict[str, Value] = {"body": canonical.decode(stored.body), "signature": stored.signature.hex()}
    path = b"".join(merkle.inclusion_proof(tree, stored.sequence)).hex()
    openings: list[Value] = [records.to_value(each) for each in _opened(stored, index)]
    return {"entry": entry, "openings": openings, "path": path}


def _opened(stored: StoredEntry, index: Index) -> list[Opening]:
    """The openings of an entry that an exhibit may hold: the document's own, and once the round is closed the labels
    and the threshold, on which its chance of being drawn rests.
    """
    said = records.decode(Body, stored.body).statement
    if index.position is None or said.round != index.round:
        return []
    own: dict[str, int] = {}
    match said.kind:
        case Kind.BATCH:
            own["documents"] = index.position - 1
        case Kind.REPORT if index.closed is not None:
            own["privilege"] = index.position - 1
        case Kind.CLAIM if index.closed is not None:
            positions = _positions(said.content)
            if index.position in positions:
                own["privilege"] = positions.index(index.position)
    rests_on = ("labels", "threshold") if said.kind == Kind.REPORT and index.closed is not None else ()
    return [each for each in stored.openings if each.field in rests_on or own.get(each.field) == each.index]


def _positions(content: Mapping[str, Value]) -> tuple[int, ...]:
    return records.from_value(statements.Disclosure, dict(content)).positions


def _fate(stored: list[StoredEntry], position: int | None) -> tuple[bool, bool]:
    """Whether Bob was shown the document, and whether it is withheld from him."""
    shown = withheld = False
    asked: tuple[int, ...] = ()
    for each in stored if position is not None else ():
        said = records.decode(Body, each.body).statement
        match said.kind:
            case Kind.DISCLOSURE:
                shown |= position in _positions(said.content)
            case Kind.CAMERA:
                asked = _positions(said.content)
            case Kind.PRIVILEGE:
                ruled = records.from_value(statements.Privilege, said.content).upheld
                withheld |= any(here == position and upheld for here, upheld in zip(asked, ruled, strict=True))
    return shown, withheld


def exhibit_value(gathered: Gathered, file: str) -> dict[str, Value]:
    """The exhibit as it is written; `file` is the name of the document's content."""
    return {
        "checkpoint": str(gathered.note),
        "document": {"file": file, "name": gathered.name, "number": gathered.document, "proof": gathered.proof},
        "entries": gathered.entries,
        "format": FORMAT,
    }
