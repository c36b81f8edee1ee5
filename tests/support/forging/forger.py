"""Somebody who holds every key of a matter signs it anew after any change: what reaches the deepest checks."""

import json
import pickle
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256
from random import Random
from typing import Any, Self

from ledger import checkpoints
from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest, integer, tagged_hash
from ledger.keys import SigningKey
from ledger.merkle import Frontier
from ledger.roles import Role
from tests.support.flat import gathered, spread, together
from tests.support.forging.eventful import NEW_KEYS
from tests.support.forging.mutations import Lines, canonical

ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    2**31,
    2**53 - 1,
    2**53,
    10**30,
    "",
    "0",
    "alice",
    "open",
    "\ud800",
    "00" * 32,
    "ff" * 64,
    [],
    [None],
    [1, 1],
    list(range(50)),
    {},
    {"attachment": "00" * 32, "size": 0},
    {"attachment": 1},
    {"a": {"b": {"c": []}}},
]


SALT = "5a" * 32
"""Of evidence that a forger puts in."""


class Forger:
    """A copy in the hands of one who can sign as anybody."""

    def __init__(self, lines: Lines, keys: Mapping[Role, SigningKey]) -> None:
        values = [spread(json.loads(line)) for line in lines]
        hashes = [_hash(value["entry"]["body"]) for value in values if "entry" in value]
        self._begin(values, hashes, keys)

    @classmethod
    def of_kept(cls, kept: bytes, keys: Mapping[Role, SigningKey]) -> Self:
        """What `keep` gave, once more."""
        forger = cls.__new__(cls)
        values, hashes = pickle.loads(kept)
        forger._begin(values, hashes, keys)
        return forger

    def keep(self) -> bytes:
        """The copy before any change, for `of_kept`: that is faster than reading it again."""
        return pickle.dumps(([self.manifest, *self.values], list(self._hashes.values())))

    def _begin(self, values: list[Any], hashes: list[str], keys: Mapping[Role, SigningKey]) -> None:
        self.manifest, *self.values = values
        self.keys = keys
        self.renewed: Mapping[Role, SigningKey] = NEW_KEYS  # from the court's order on
        self.of_evidence: Mapping[Role, SigningKey] = {}  # instead of those in force, in conflicts
        self.of_notes: Mapping[Role, SigningKey] = {}  # likewise, on checkpoints
        self._keys = dict(keys)  # in force
        entries = [value for value in self.values if "entry" in value]
        self._hashes = {id(value): digest for value, digest in zip(entries, hashes, strict=True)}

    def hash_of(self, line: Any) -> str:
        """An entry's hash before anything was changed; answers that name it are carried over."""
        return self._hashes[id(line)]

    def commit_again(self) -> None:
        """Make every commitment and Alice's hash fit the openings that are there now."""
        for value in self.values:
            if not isinstance(value, dict) or "entry" not in value or not isinstance(value.get("openings"), list):
                continue
            try:
                said = value["entry"]["body"]["statement"]
                for opening in value["openings"]:
                    salt = bytes.fromhex(opening["salt"])
                    listed = said["sealed"][opening["field"]]["commitments"]
                    listed[opening["index"]] = tagged_hash("commitment", salt, canonical(opening["value"])).hex()
                if said["kind"] == "report" and value["openings"] and _whole(value):
                    said["content"]["openings"] = tagged_hash("openings", canonical(together(value["openings"]))).hex()
            except (KeyError, TypeError, ValueError, IndexError, UnicodeEncodeError):
                continue

    def sign(self) -> Lines:
        """Make all signatures, hashes and roots again, as far as the values can be signed."""
        self._keys = dict(self.keys)
        renamed: dict[Any, str] = {}
        previous, chain, openings, hashes, lines = bytes(32), Frontier(), Frontier(), [], list[bytes]()
        opened = 0
        for value in self.values:
            if "entry" in value:
                body = value["entry"]["body"]
                before = self._hashes.get(id(value))
                self._sign_statements(value, renamed)
                if isinstance(body, dict):
                    body["previous"] = previous.hex()
                signed = canonical(body)
                value["entry"]["signature"] = self.keys[Role.TRENT].sign("entry", signed).hex()
                previous = tagged_hash("entry", signed)
                renamed[before] = previous.hex()
                chain.add(previous)
                if value.get("openings"):
                    opened += len(value["openings"])
                    openings.add(_leaf(chain.size - 1, value))
                self._renew(body)
            elif "checkpoint" in value and isinstance(value["checkpoint"], str):
                value["checkpoint"] = self._checkpoint(previous, chain)
                hashes.append(tagged_hash("note", value["checkpoint"].encode()).hex())
            lines.append(canonical(gathered(value)))
        self.manifest["manifest"] |= {
            "head": previous.hex(),
            "root": chain.root().hex(),
            "size": chain.size,
            "openings": opened,
            "openings_root": openings.root().hex(),
            "checkpoints": hashes,
        }
        signature = self.keys[Role.TRENT].sign("manifest", canonical(self.manifest["manifest"]))
        return [canonical(self.manifest | {"signature": signature.hex()}), *lines]

    def committed(self, evidence: Any) -> str:
        """The commitment to a conflict's evidence."""
        return tagged_hash("commitment", bytes.fromhex(SALT), canonical(evidence)).hex()

    def _sign_evidence(self, line: Any, renamed: dict[Any, str]) -> None:
        """The other answer, if this copy shows it, answers the new hash under a new signature and is sealed again."""
        for opening in line["openings"]:
            evidence = opening["value"]
            evidence["statement"]["answers"] = renamed.get(evidence["statement"]["answers"])
            author = Role(evidence["statement"]["author"])
            key = self.of_evidence.get(author, self._keys[author])
            evidence["signature"] = key.sign("statement", canonical(evidence["statement"])).hex()
            salt = bytes.fromhex(opening["salt"])
            sealed = line["entry"]["body"]["statement"]["sealed"]["evidence"]["commitments"]
            sealed[opening["index"]] = tagged_hash("commitment", salt, canonical(evidence)).hex()

    def _sign_statements(self, line: Any, renamed: dict[Any, str]) -> None:
        """The entry's statement, and the evidence in a conflict, answer the new hashes under new signatures."""
        try:
            body = line["entry"]["body"]
            said = body["statement"]
            if said["kind"] == "conflict":
                self._sign_evidence(line, renamed)
            elif said["author"] != Role.TRENT:
                said["answers"] = renamed.get(said["answers"], said["answers"])
                self._serve(said, renamed)
                body["signature"] = self._keys[Role(said["author"])].sign("statement", canonical(said)).hex()
            else:
                self._serve(said, renamed)
        except (KeyError, TypeError, ValueError):
            return

    def _serve(self, said: Any, renamed: dict[Any, str]) -> None:
        """What was served, or is asked again, is named by its new hash as well."""
        if said["kind"] in ("default", "order"):
            said["content"]["served"] = renamed.get(said["content"]["served"], said["content"]["served"])
        if said["kind"] == "again":
            said["content"]["question"] = renamed.get(said["content"]["question"], said["content"]["question"])

    def _renew(self, body: Any) -> None:
        with suppress(KeyError, TypeError, ValueError):
            said = body["statement"]
            if said["kind"] == "rekeyed" and said["content"]["granted"] is True:
                self._keys |= {Role(said["content"]["role"]): self.renewed[Role(said["content"]["role"])]}

    def _checkpoint(self, head: bytes, chain: Frontier) -> str:
        matter = Digest(bytes.fromhex(self.manifest["manifest"]["matter"]))
        state = Checkpoint(matter=matter, size=chain.size, root=chain.root(), head=Digest(head))
        note = str(checkpoints.sign(state, self.keys[Role.TRENT]))
        keys = self._keys | dict(self.of_notes)
        lines = (checkpoints.cosign(state, role, keys[role], 5) for role in checkpoints.COSIGNERS)
        return note + "".join(map(str, lines))


def _whole(line: Any) -> bool:
    """Whether a line opens all that its statement seals, whose hash its author signs."""
    sealed = line["entry"]["body"]["statement"]["sealed"].values()
    return len(line["openings"]) == sum(len(each["commitments"]) for each in sealed)


def _hash(body: Any) -> str:
    return tagged_hash("entry", canonical(body)).hex()


def _leaf(entry: int, value: Any) -> Digest:
    return tagged_hash("opened", integer(entry), tagged_hash("openings", canonical(gathered(value)["openings"])))


def containers(value: Any) -> list[Any]:
    """Every object and array within a value."""
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in containers(item))]
    if isinstance(value, list):
        return [value, *(inner for item in value[:40] for inner in containers(item))]
    return []


def _odd(random: Random) -> Any:
    """An odd value of its own: a later change within it must not change the list."""
    return deepcopy(random.choice(ODD_VALUES))


def disturb(value: Any, random: Random) -> None:
    """One odd change anywhere within a value."""
    holder = random.choice(containers(value))
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys or random.random() < 0.1:
        if isinstance(holder, dict):
            holder[random.choice(["extra", "\u00e9", "draw", "labels"])] = _odd(random)
        else:
            holder.append(_odd(random))
        return
    key = random.choice(keys)
    old = holder[key]
    match random.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(old, bool):
            holder[key] = not old
        case 1 | 2 if isinstance(old, int) and not isinstance(old, bool):
            holder[key] = old + random.choice([1, -1, 2, 1000])
        case 1 | 2 if isinstance(old, str):
            holder[key] = random.choice([old[:-1], old + "0", old.upper(), sha256(repr(old).encode()).hexdigest()])
        case 1 | 2 if isinstance(old, list) and old:
            holder[key] = random.choice([old[:-1], old[::-1], [*old, old[-1]], old[1:]])
        case 3 if len(keys) > 1:
            other = random.choice(keys)
            holder[key], holder[other] = holder[other], old
        case _:
            holder[key] = _odd(random)
