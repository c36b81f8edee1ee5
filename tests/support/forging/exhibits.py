"""Exhibits that were changed: in their values and then signed again with every key, or by somebody without any key."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256
from random import Random
from typing import Any

from ledger import checkpoints, merkle, notes
from ledger.checkpoints import Checkpoint
from ledger.errors import LedgerError
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.corpus import leaves, paths
from protocol.matter.leaf import Leaf, State
from tests.support.builders import KEYS
from tests.support.flat import gathered, spread
from tests.support.forging.disturbed import displace, nudge, spoiled
from tests.support.forging.forger import Forger, disturb
from tests.support.forging.mutations import canonical
from tests.support.forging.witnessed import MemoryLog

Files = Mapping[str, bytes]
"""What an exhibit's folder holds, by path."""

RECORD = "exhibit.json"
_TIME = 5  # of a cosignature
_SIGNED_ANEW = (RECORD, "document/")  # of the files, what stays true when all is signed anew


class ExhibitForger(Forger):
    """What exhibit.json says, in the hands of one who can sign as anybody.

    The entries that the exhibit leaves out are whatever the forger likes: only their places under the root count.
    """

    def __init__(self, value: Any) -> None:
        value = deepcopy(value)
        pieces = [spread(piece) for piece in value.pop("entries")]
        self._made = dict[str, SigningKey]()  # the forger's instead of each new key
        self._own, self._proofs = dict[str, int](), set[str]()
        hashes = [tagged_hash("entry", canonical(piece["entry"]["body"])).hex() for piece in pieces]
        for piece in pieces:
            self._take(piece["entry"]["body"])
        self._begin([value, *pieces], hashes, KEYS)
        note = notes.parse(value["checkpoint"])
        self._stated = checkpoints.parse(note)
        self._cosigners = [role for role in checkpoints.COSIGNERS if f"/{role} " in value["checkpoint"]]
        self._new = {key.public.hex(): key for key in self._made.values()}

    def _take(self, body: Any) -> None:
        """The forger's own keys instead of the parties', and what stamps and proofs of the log state."""
        said = body["statement"]
        match said["kind"]:
            case "open":
                said["content"]["keys"] = {role: key.public.hex() for role, key in KEYS.items()}
            case "rekey" | "rekeyed":
                key = _new_key(body["sequence"])
                said["content"]["key"] = self._made.setdefault(said["content"]["key"], key).public.hex()
            case "stamped" | "logged":
                self._own[said["content"]["root"]] = body["sequence"]
                self._proofs.add(said["content"].get("proof"))

    def piece(self, number: int) -> Any:
        """The entry of this number, with its openings and proofs."""
        return next(piece for piece in self.values if _number(piece) == number)

    def body(self, number: int) -> Any:
        """What Trent signs in the entry of this number."""
        return self.piece(number)["entry"]["body"]

    def add(
        self, number: int, author: Role, kind: str, content: Any, *, asks: Iterable[Role] = (), answers: Any = None
    ) -> Any:
        """One more entry, of no round, at a number that the exhibit leaves out; it may answer another piece."""
        before = max((piece for piece in self.values if _number(piece) < number), key=_number)["entry"]["body"]
        said = {
            "answers": None if answers is None else self.hash_of(answers),
            "author": author,
            "content": content,
            "kind": kind,
            "matter": before["matter"],
            "replaces": [],
            "round": 0,
            "sealed": {},
        }
        body = before | {"asks": list(asks), "releases": [], "sequence": number, "signature": None, "statement": said}
        piece: dict[str, Any] = {
            "entry": {"body": body, "signature": ""},
            "openings": [],
            "path": "",
            "prefix": "",
        }
        self._hashes[id(piece)] = tagged_hash("entry", b"added %d" % number).hex()
        self._put([*self.values, piece])
        return piece

    def move(self, numbers: Mapping[int, int]) -> None:
        """Give entries other numbers, and name them so where their values are released."""
        for piece in self.values:
            body = piece["entry"]["body"]
            body["sequence"] = numbers.get(body["sequence"], body["sequence"])
            for release in body["releases"]:
                release["entry"] = numbers.get(release["entry"], release["entry"])
        self._put(self.values)

    def remove(self, *numbers: int) -> None:
        """Leave entries out."""
        self._put([piece for piece in self.values if _number(piece) not in numbers])

    def _put(self, pieces: list[Any]) -> None:
        self.values = sorted(pieces, key=_number)

    @property
    def document(self) -> Any:
        """What the exhibit says of its document."""
        return self.manifest["document"]

    def commit_again(self) -> None:
        """Make the commitments, and the root of the corpus, fit what is open now."""
        super().commit_again()
        with suppress(LedgerError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
            corpus, number = self.values[0]["entry"]["body"]["statement"]["content"]["corpus"], self.document["number"]
            proof = {name: item for name, item in self.document["proof"].items() if name != "path"}
            leaf = leaves.leaf_of(number, leaves.read_proof(proof))
            path = bytes.fromhex(self.document["proof"]["path"])
            root = paths.root({number: leaf}, corpus["documents"], path)
            corpus["root"] = corpus["root"] if root is None else root.hex()

    def signed(self) -> Any:
        """The exhibit with all signatures, hashes and paths made again, as far as the values can be signed."""
        self._keys = dict(self.keys)
        renamed: dict[Any, str] = {}
        tree = [sha256(b"entry %d" % number).digest() for number in range(self._stated.size)]
        for piece in self.values:
            body, number = piece["entry"]["body"], _number(piece)
            body["previous"] = (tree[number - 1] if number else bytes(32)).hex()
            self._see(body, tree[:number], renamed)
            self._sign_statements(piece, renamed)
            written = canonical(body)
            piece["entry"]["signature"] = self.keys[Role.TRENT].sign("entry", written).hex()
            tree[number] = tagged_hash("entry", written)
            renamed[self._hashes.get(id(piece))] = tree[number].hex()
            self._renew(body)
        levels = merkle.levels(tree)
        for piece in self.values:
            piece["path"] = b"".join(merkle.inclusion_proof(levels, _number(piece))).hex()
            if piece["prefix"]:
                piece["prefix"] = b"".join(merkle.consistency_proof(tree, _number(piece))).hex()
        note = self._noted(Digest(levels[-1][0]), Digest(tree[-1]))
        return self.manifest | {"checkpoint": note, "entries": [gathered(piece) for piece in self.values]}

    def _see(self, body: Any, before: list[bytes], renamed: dict[Any, str]) -> None:
        """Stamps state the new root, and the log has it; what was changed in them stays as it is."""
        said = body["statement"]
        if said["kind"] not in ("stamped", "logged") or self._own.get(said["content"].get("root")) != len(before):
            return
        root, content = merkle.root(before), said["content"]
        content["root"] = root.hex()
        if said["kind"] == "logged" and content["proof"] in self._proofs:
            here = Checkpoint(
                matter=self._stated.matter, size=len(before), root=root, head=Digest.parse(body["previous"])
            )
            content["proof"] = MemoryLog().prove(bytes(Leaf(checkpoint=here, state=State.OPEN)))

    def _renew(self, body: Any) -> None:
        said = body["statement"]
        if said["kind"] == "rekeyed" and said["content"].get("granted") is True:
            with suppress(KeyError, TypeError, ValueError):
                self._keys[Role(said["content"]["role"])] = self._new[said["content"]["key"]]

    def _noted(self, root: Digest, head: Digest) -> str:
        """The checkpoint, signed by whoever has signed it before."""
        state = Checkpoint(matter=self._stated.matter, size=self._stated.size, root=root, head=head)
        lines = (checkpoints.cosign(state, role, self._keys[role], _TIME) for role in self._cosigners)
        return str(checkpoints.sign(state, self.keys[Role.TRENT])) + "".join(map(str, lines))


def _number(piece: Any) -> int:
    number: int = piece["entry"]["body"]["sequence"]
    return number


def _new_key(number: int) -> SigningKey:
    """The key for which an entry asks."""
    return SigningKey(sha256(b"new key of entry %d" % number).digest())


def signed_anew(files: Files) -> Files:
    """The same exhibit under the forger's keys, and without the files that state hashes of it."""
    return _with(files, ExhibitForger(json.loads(files[RECORD])).signed())


def changed_by(change: Callable[[ExhibitForger], object], files: Files) -> Files:
    """An exhibit after one change, with all that it commits to and all signatures made again."""
    forger = ExhibitForger(json.loads(files[RECORD]))
    change(forger)
    forger.commit_again()
    return _with(files, forger.signed())


def forged(files: Files, random: Random) -> Files | None:
    """An exhibit with one or two odd values anywhere, signed anew. None: it cannot be signed."""
    return _changed(files, random, 0.8, disturb)


def nudged(files: Files, random: Random) -> Files | None:
    """An exhibit with one or two values changed to others of the same kind, or entries lost, doubled or swapped.

    Most of it keeps its form, so that the rules behind the form are reached.
    """
    return _changed(files, random, 0.9, nudge)


def _changed(files: Files, random: Random, share: float, change: Callable[[Any, Random], object]) -> Files | None:
    forger = ExhibitForger(json.loads(files[RECORD]))
    for _ in range(random.randrange(1, 3)):
        if change is nudge and random.random() < 0.1:
            displace(forger.values, random)
        else:
            change(random.choice([*forger.values, forger.document]), random)
    if random.random() < share:
        forger.commit_again()
    try:
        return _with(files, forger.signed())
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def _with(files: Files, value: Any) -> Files:
    kept = {name: data for name, data in files.items() if name.startswith(_SIGNED_ANEW)}
    return kept | {RECORD: canonical(value)}


def altered(files: Files, random: Random) -> Files:
    """An exhibit in which somebody without a key changed a value, or took an entry out."""
    value = json.loads(files[RECORD])
    match random.randrange(3):
        case 0:
            disturb(value, random)
        case 1:
            nudge(random.choice([*value["entries"], value["document"]]), random)
        case _:
            displace(value["entries"], random)
    with suppress(UnicodeEncodeError):
        return {name: data for name, data in files.items() if name != "certification.txt"} | {RECORD: canonical(value)}
    return files


def damaged(files: Files, random: Random) -> Files:
    """An exhibit's folder in which one file is lost, changed, or another."""
    name, other = random.choices(sorted(files), k=2)
    match random.randrange(4):
        case 0:
            return {each: data for each, data in files.items() if each != name}
        case 1:
            return {**files, name: files[other]}
        case _:
            return {**files, name: spoiled(files[name], random)}
