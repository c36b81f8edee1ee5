"""Appending in batches against bare SQLite inserts of the same rows in the same transactions, plus signing."""

import sqlite3
from itertools import count
from pathlib import Path

from bench.matters import trent_entry
from bench.timing import ratio
from ledger.entries import Addition
from ledger.hashing import type_tag
from ledger.log import Log
from ledger.roles import Role
from ledger.store import Store
from tests.support.builders import KEYS, logical_clock, opening_statement

BATCH = 100
"""Entries a transaction."""


def run(folder: Path, size: int) -> None:
    """Measure Trent's own entries with one sealed value each."""
    additions = [trent_entry(number) for number in range(size)]
    batches = [additions[start : start + BATCH] for start in range(0, size, BATCH)]
    names = count()

    def append() -> None:
        with Log.create(folder / f"appended-{next(names)}", KEYS[Role.TRENT], logical_clock()) as log:
            log.append([Addition(statement=opening_statement())])
            for batch in batches:
                log.append(batch)

    append()
    rows = _rows(folder / "appended-0")

    def bare() -> None:
        connection = sqlite3.connect(folder / f"bare-{next(names)}", isolation_level=None)
        connection.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body BLOB, signature BLOB);"
            "CREATE TABLE openings (entry INTEGER, field TEXT, position INTEGER, salt BLOB, value BLOB,"
            " PRIMARY KEY (entry, field, position));"
        )
        sign, tag = KEYS[Role.TRENT].sign_bare, type_tag("entry")
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            connection.execute("BEGIN IMMEDIATE")
            entries = [(sequence, body, sign(tag + body)) for sequence, body, _ in batch]
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", entries)
            connection.executemany("INSERT INTO openings VALUES (?, ?, ?, ?, ?)", [row[2] for row in batch if row[2]])
            connection.execute("COMMIT")
        connection.close()

    ratio(f"Append {size:,} entries, {BATCH} a transaction / bare inserts, signing", append, bare, aim=1.5, runs=5)


def _rows(path: Path) -> list[tuple[int, bytes, tuple[object, ...] | None]]:
    rows: list[tuple[int, bytes, tuple[object, ...] | None]] = []
    with Store.open(path) as store:
        for entry in store.entries(size=store.size()):
            opened = None
            for each in entry.openings:
                opened = (entry.sequence, each.field, each.index, each.salt, str(each.value).encode())
            rows.append((entry.sequence, entry.body, opened))
    return rows
