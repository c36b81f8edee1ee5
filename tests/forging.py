"""Somebody who holds every key of a matter signs it anew after any change: what reaches the deepest checks."""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from random import Random
from typing import Any

from ledger import checkpoints
from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest, integer, tagged_hash
from ledger.keys import SigningKey
from ledger.merkle import Frontier
from ledger.roles import Role
from tests.mutations import Lines, canonical

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


class Forger:
    """A copy in the hands of one who can sign as anybody."""

    def __init__(self, lines: Lines, keys: Mapping[Role, SigningKey]) -> None:
        self.manifest, *self.values = [json.loads(line) for line in lines]
        self.keys = keys
        self._hashes = {id(value): _hash(value["entry"]["body"]) for value in self.values if "entry" in value}

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
                if said["kind"] == "report" and value["openings"]:
                    said["content"]["openings"] = tagged_hash("openings", canonical(value["openings"])).hex()
            except (KeyError, TypeError, ValueError, IndexError, UnicodeEncodeError):
                continue

    def sign(self) -> Lines:
        """All signatures, hashes and roots, as far as the values are such that they can be signed."""
        renamed: dict[Any, str] = {}
        previous, chain, openings, hashes, lines = bytes(32), Frontier(), Frontier(), [], list[bytes]()
        for value in self.values:
            if "entry" in value:
                body = value["entry"]["body"]
                before = self._hashes.get(id(value))
                self._sign_statements(body, renamed)
                if isinstance(body, dict):
                    body["previous"] = previous.hex()
                signed = canonical(body)
                value["entry"]["signature"] = self.keys[Role.TRENT].sign("entry", signed).hex()
                previous = tagged_hash("entry", signed)
                renamed[before] = previous.hex()
                chain.add(previous)
                for leaf in _leaves(chain.size - 1, value):
                    openings.add(leaf)
            elif "checkpoint" in value and isinstance(value["checkpoint"], str):
                value["checkpoint"] = self._checkpoint(previous, chain)
                hashes.append(tagged_hash("note", value["checkpoint"].encode()).hex())
            lines.append(canonical(value))
        self.manifest["manifest"] |= {
            "head": previous.hex(),
            "root": chain.root().hex(),
            "size": chain.size,
            "openings": openings.size,
            "openings_root": openings.root().hex(),
            "checkpoints": hashes,
        }
        signature = self.keys[Role.TRENT].sign("manifest", canonical(self.manifest["manifest"]))
        return [canonical(self.manifest | {"signature": signature.hex()}), *lines]

    def _sign_statements(self, body: Any, renamed: dict[Any, str]) -> None:
        """The entry's statement, and the evidence in a conflict, answer the new hashes under new signatures."""
        try:
            said = body["statement"]
            if said["kind"] == "conflict":
                evidence = said["content"]
                evidence["statement"]["answers"] = renamed.get(evidence["statement"]["answers"])
                author = Role(evidence["statement"]["author"])
                evidence["signature"] = self.keys[author].sign("statement", canonical(evidence["statement"])).hex()
            elif said["author"] != Role.TRENT:
                said["answers"] = renamed.get(said["answers"], said["answers"])
                body["signature"] = self.keys[Role(said["author"])].sign("statement", canonical(said)).hex()
        except (KeyError, TypeError, ValueError):
            return

    def _checkpoint(self, head: bytes, chain: Frontier) -> str:
        matter = Digest(bytes.fromhex(self.manifest["manifest"]["matter"]))
        state = Checkpoint(matter=matter, size=chain.size, root=chain.root(), head=Digest(head))
        note = str(checkpoints.sign(state, self.keys[Role.TRENT]))
        lines = (checkpoints.cosign(state, role, self.keys[role], 5) for role in checkpoints.COSIGNERS)
        return note + "".join(map(str, lines))


def _hash(body: Any) -> str:
    return tagged_hash("entry", canonical(body)).hex()


def _leaves(entry: int, value: Any) -> list[Digest]:
    found = []
    with suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
        for each in value["openings"]:
            committed = tagged_hash("commitment", bytes.fromhex(each["salt"]), canonical(each["value"]))
            field, index = each["field"].encode(), integer(each["index"])
            found.append(tagged_hash("opening", integer(entry), field, index, committed))
    return found


def containers(value: Any) -> list[Any]:
    """Every object and array within a value."""
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in containers(item))]
    if isinstance(value, list):
        return [value, *(inner for item in value[:40] for inner in containers(item))]
    return []


def disturb(value: Any, random: Random) -> None:
    """One odd change anywhere within a value."""
    holder = random.choice(containers(value))
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys or random.random() < 0.1:
        if isinstance(holder, dict):
            holder[random.choice(["extra", "\u00e9", "draw", "labels"])] = random.choice(ODD_VALUES)
        else:
            holder.append(random.choice(ODD_VALUES))
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
            holder[key] = random.choice([old[:-1], old + "0", old.upper(), sha256(old.encode()).hexdigest()])
        case 1 | 2 if isinstance(old, list) and old:
            holder[key] = random.choice([old[:-1], old[::-1], [*old, old[-1]], old[1:]])
        case 3 if len(keys) > 1:
            other = random.choice(keys)
            holder[key], holder[other] = holder[other], old
        case _:
            holder[key] = random.choice(ODD_VALUES)
