"""What a person keeps of an answer: what was signed, in words, when, and the hash of the file."""

import hashlib
import time
from dataclasses import replace
from pathlib import Path

from ledger.hashing import Digest
from protocol.parties import memory, screen
from protocol.parties.preview import Preview

FOLDER = "receipts"


def path_of(key_file: Path, matter: Digest, entry: Digest, kind: str) -> Path:
    """Where the receipt of an answer is."""
    return memory.folder_of(key_file, matter) / FOLDER / f"{entry.hex()}-{kind}.txt"


def text(shown: Preview, answer: bytes, sent: str) -> bytes:
    """The receipt of an answer that has just been signed."""
    head = [
        "Receipt",
        "",
        f"Signed on this computer: {time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}",
        f"SHA-256 of the answer:   {hashlib.sha256(answer).hexdigest()}",
        sent,
        "",
        "This is for your own files. What counts is the answer itself, and the record.",
        "",
    ]
    signed = replace(shown, heading="You signed:")
    return ("\n".join([*head, *screen.lines(signed)]) + "\n").encode()


def keep(path: Path, receipt: bytes) -> None:
    """Write it; a later answer to the same question replaces it."""
    memory.write(path, receipt, so="")


def kept(path: Path) -> bytes:
    """The receipt; empty if there is none."""
    return memory.read(path)
