"""Production volumes and privilege logs that were changed: by somebody without a key, or by Trent, who signs again."""

import json
from contextlib import suppress
from hashlib import sha256
from random import Random
from typing import Any

from ledger.keys import SigningKey
from tests.support.forging.disturbed import displace, nudge, spoiled
from tests.support.forging.exhibits import Files
from tests.support.forging.forger import disturb
from tests.support.forging.mutations import canonical

MANIFEST = "MANIFEST.json"
_LOAD_FILES = (".dat", ".csv")
_MARKS = ["þ", "\x14", "®", "\r\n", "\n", '"', ";", "; ", "\ufeff", "'=", "\x0b", "é", "ACME00000001", ""]


def cheated(files: Files, key: SigningKey, random: Random) -> Files | None:
    """A volume in which Trent changed files, the manifest or both. None: it cannot be signed."""
    changed = dict(files)
    signed = json.loads(files[MANIFEST])["manifest"]
    for _ in range(random.randrange(1, 3)):
        if random.random() < 0.5:
            _change_a_file(changed, random)
        else:
            random.choice([nudge, nudge, disturb])(random.choice([signed, *signed["records"]]), random)
    if random.random() < 0.9:
        with suppress(TypeError, KeyError):
            signed["files"] = listed(changed)
    return _signed(changed, signed, key)


def cheated_before(files: Files, before: Files, key: SigningKey, random: Random) -> tuple[Files, Files] | None:
    """A second volume that names a first one in which Trent changed the manifest, and that one. None: as above."""
    first, second = (json.loads(each[MANIFEST])["manifest"] for each in (before, files))
    own = {each: first[each] for each in ("begin", "digits", "head", "next", "prefix", "size")}
    random.choice([nudge, disturb])(random.choice([own, first, *first["records"]]), random)
    first |= own
    changed = _signed(before, first, key)
    if changed is None:
        return None
    named = second["earlier"][0]
    named["manifest"] = sha256(changed[MANIFEST]).hexdigest()
    if random.random() < 0.5:  # and states of it what it states of itself
        named |= {each: first[each] for each in ("begin", "head", "next", "size") if each in first}
    again = _signed(files, second, key)
    return None if again is None else (again, changed)


def _signed(files: Files, manifest: dict[str, Any], key: SigningKey) -> Files | None:
    """The files with this manifest, signed. None: it cannot be written."""
    try:
        signature = key.sign("production", canonical(manifest)).hex()
        return {**files, MANIFEST: canonical({"manifest": manifest, "signature": signature})}
    except (LookupError, TypeError, ValueError, OverflowError):
        return None


def listed(files: Files) -> list[dict[str, Any]]:
    """What a manifest states of the files beside it."""
    return [
        {"path": path, "sha256": sha256(data).hexdigest(), "size": len(data)}
        for path, data in sorted(files.items())
        if path != MANIFEST
    ]


def _change_a_file(files: dict[str, bytes], random: Random) -> None:
    """One file, and a load file more often than its number: most rules are about those."""
    tables = [path for path in sorted(files) if path.endswith(_LOAD_FILES)]
    path = random.choice([*tables, random.choice([each for each in sorted(files) if each != MANIFEST])])
    match random.randrange(6):
        case 0:
            del files[path]
        case 1:
            files[random.choice(["TEXT/0001/EXTRA.txt", "DATA/VOL009.dat", "é.txt", path + "x"])] = files[path]
        case 2:
            files[path] = spoiled(files[path], random)
        case _:
            text = files[path].decode(errors="replace")
            cells = random.choice(["þ\x14þ", "\r\n", '","'])
            pieces = text.split(cells)
            _change_a_piece(pieces, random)
            files[path] = cells.join(pieces).encode(errors="replace")


def _change_a_piece(pieces: list[str], random: Random) -> None:
    at = random.randrange(len(pieces))
    match random.randrange(4):
        case 0 if len(pieces) > 1:
            del pieces[at]
        case 1:
            pieces.insert(at, pieces[random.randrange(len(pieces))])
        case 2 if len(pieces) > 1:
            other = random.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        case _:
            cut = random.randrange(len(pieces[at]) + 1)
            pieces[at] = pieces[at][:cut] + random.choice(_MARKS) + pieces[at][cut:]


def changed_log(data: bytes, random: Random) -> bytes:
    """The proofs of a privilege log with odd or other values, or with lines lost, doubled or swapped."""
    if random.random() < 0.1:
        return spoiled(data, random)
    lines = [json.loads(line) for line in data.splitlines()]
    if random.random() < 0.2 and len(lines) > 1:
        displace(lines, random)
    else:
        random.choice([nudge, disturb])(random.choice(lines), random)
    with suppress(UnicodeEncodeError, ValueError):
        return b"".join(canonical(line) + b"\n" for line in lines)
    return data
