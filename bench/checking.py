"""Checking a copy against the floor: the same bytes hashed and the same signatures verified, and nothing else."""

from hashlib import sha256
from pathlib import Path

from nacl.bindings import crypto_sign_open

from bench import matters
from bench.timing import ratio
from ledger import entries, records
from ledger.copies import write_copy
from ledger.copyreader import CopyReader
from ledger.examining import examine, open_reader
from ledger.hashing import type_tag
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support.builders import KEYS


def run(folder: Path, size: int) -> None:
    """Measure Bob's and the court's copies."""
    matter = folder / "checked"
    matters.build(matter, size)
    for audience in (Audience.BOB, Audience.COURT):
        copy = folder / f"{audience}.jsonl"
        with Store.open(matter) as store:
            write_copy(store, audience, KEYS[Role.TRENT], copy)
        lines = copy.read_bytes().splitlines()
        signed = _signatures(copy)

        def bare(lines: list[bytes] = lines, signed: list[tuple[bytes, bytes]] = signed) -> None:
            for line in lines:
                sha256(line).digest()
            for message, key in signed:
                crypto_sign_open(message, key)

        name = f"Check {audience}'s copy, {size:,} entries, {len(signed):,} signatures / bare"
        ratio(name, lambda copy=copy: examine(open_reader(copy)), bare, aim=1.3, runs=7)  # type: ignore[misc]


def _signatures(copy: Path) -> list[tuple[bytes, bytes]]:
    found = []
    for copied in CopyReader(copy):
        body = copied.entry.body
        trent = bytes(KEYS[Role.TRENT].public)
        found.append((copied.entry.signature + type_tag("entry") + records.encode(body), trent))
        if body.signature is not None:
            message = type_tag("statement") + entries.encode_statement(body.statement)
            found.append((body.signature + message, bytes(KEYS[body.statement.author].public)))
    return found
