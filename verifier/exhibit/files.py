"""The files of an exhibit's folder: the document against its hashes, and the values that the certification states.

Nobody signs these files, so whatever is wrong with them is damage.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from verifier.checks import Check, Role
from verifier.exhibit.form import Document, Exhibit, numbered, parse
from verifier.findings import Damaged, Unreadable
from verifier.reading import at_most, plain_file
from verifier.record.chain import KeyChange
from verifier.record.hashing import fingerprint
from verifier.record.notes import TreeHead

RECORD, CERTIFICATION, README = "exhibit.json", "certification.txt", "README.txt"
_LARGEST = 2**30  # bytes of a record, or of a certification
_ROW = re.compile(rb" {4}([A-Za-z0-9 /._-]+) = (.*)", re.DOTALL)
_LEFT_BY_SYSTEMS = {".DS_Store", "Thumbs.db", "desktop.ini"}


def read_record(folder: Path) -> Exhibit:
    """The exhibit in a folder."""
    path = folder / RECORD
    if not path.is_file():
        raise Unreadable(f"{folder} is not an exhibit: it holds no {RECORD}")
    try:
        return parse(at_most(path, _LARGEST))
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None


def check_document(folder: Path, exhibit: Exhibit) -> None:
    """The document's files are those that the corpus commits to, byte for byte."""
    for name, committed in _committed(exhibit.document).items():
        found = _digest(folder, name)
        if found is None:
            raise Damaged(Check.HANDED, f"{name} is missing from the exhibit")
        if found != committed.hex():
            raise Damaged(Check.HANDED, f"{name} is not the file that was committed to: its bytes were changed")


def _committed(document: Document) -> dict[str, bytes]:
    """The files of the open parts, with the hashes that the corpus commits to."""
    found = {}
    for number, (file, part) in enumerate(zip(document.files, document.parts, strict=True)):
        if file is not None:
            found[f"document/{file}"] = part.content
        if not part.withheld:
            found[f"document/{numbered('text', number)}.txt"] = part.text
    return found


def check_certification(
    folder: Path,
    exhibit: Exhibit,
    state: TreeHead,
    root: bytes,
    keys: Mapping[Role, bytes],
    key_changes: Sequence[KeyChange],
) -> bool:
    """Check the values in the certification, and say whether there is one. Counsel may change its words.

    Every line in the form of a row must be one: another would pass for a value of the exhibit.
    """
    path = folder / CERTIFICATION
    try:
        lines = at_most(path, _LARGEST).splitlines() if path.is_file() else None  # at LF, CR and CR LF
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    if lines is None:
        return False
    due = _rows(folder, exhibit, state, root) | _fingerprints(keys, key_changes)
    stated: dict[str, str] = {}
    for row in filter(None, map(_ROW.fullmatch, lines)):
        name, value = row[1].decode(), row[2].rstrip(b" ").decode(errors="replace")
        if name in stated or due.get(name) != value:
            raise Damaged(Check.HANDED, f"{CERTIFICATION} states a value of {name!r} that differs from the exhibit's")
        stated[name] = value
    if lacking := sorted(due.keys() - stated.keys()):
        raise Damaged(Check.HANDED, f"{CERTIFICATION} no longer states {lacking[0]!r}")
    return True


def _rows(folder: Path, exhibit: Exhibit, state: TreeHead, root: bytes) -> dict[str, str | None]:
    """What a certification of this exhibit states, except the keys."""
    files = (README, *_committed(exhibit.document), RECORD)
    return {
        "matter": state.matter.hex(),
        "document number": str(exhibit.document.number),
        "document name": json.dumps(exhibit.document.name),
        "corpus root": root.hex(),
        "entries at the checkpoint": str(state.size),
        "root of the checkpoint": state.root.hex(),
        "head of the checkpoint": state.head.hex(),
        **{f"SHA-256 of {name}": _digest(folder, name) for name in files},
    }


def _fingerprints(keys: Mapping[Role, bytes], key_changes: Sequence[KeyChange]) -> dict[str, str | None]:
    """Every key that a party has had, with the entry that ended it."""
    former: dict[str, str | None] = {
        f"fingerprint of the key of {each.role.called} until entry {each.entry}": fingerprint(each.before)
        for each in key_changes
    }
    return former | {f"fingerprint of the key of {role.called}": fingerprint(key) for role, key in keys.items()}


def strangers(folder: Path, exhibit: Exhibit, outside: Collection[str]) -> list[str]:
    """Files in the folder that are not part of the exhibit; `outside` are those of outsiders."""
    known = {RECORD, CERTIFICATION, README, *_committed(exhibit.document), *outside}
    try:
        found = [path for path in sorted(folder.rglob("*")) if not path.is_dir() and path.name not in _LEFT_BY_SYSTEMS]
    except OSError as error:
        raise Unreadable(f"{folder} cannot be read: {error.strerror or error}") from None
    return [name for path in found if (name := path.relative_to(folder).as_posix()) not in known]


def _digest(folder: Path, name: str) -> str | None:
    path = folder / name
    if not path.is_file():
        return None
    try:
        with plain_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
