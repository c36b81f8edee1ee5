"""The manifest of a corpus folder: what it holds, and the SHA-256 of every file.

`manifest.json` is the canonical JSON of {"check": H("corpus-manifest", manifest), "manifest": manifest}, where the
hash is over the manifest's own canonical JSON. The check finds an edited manifest. Whose corpus this is follows from
the root, which a matter's opening states under signatures.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ledger import canonical, reading
from ledger.commitments import Secret
from ledger.errors import LedgerError, UnknownFormat
from ledger.hashing import Digest, tagged_hash
from ledger.records import Natural, Record, encode, from_value
from protocol.corpus import features, pool
from protocol.corpus.account import Account, Unit
from protocol.errors import BadCorpus

FORMAT = 2

NAME = "manifest.json"
SECRET = "secret"  # noqa: S105 (a file's name)
CONTENTS = "contents.bin"
TEXTS = "texts.bin"
FIELDS = "fields.bin"
PARTS = "parts.npy"
PLACES = "places.npy"
DIGESTS = "digests.npy"
FEATURES = "features"
TREE = "tree.bin"
LABELS = "labels.json"
ACCOUNT = "account.jsonl"
ALIKE = "alike.npy"

READ_SINGLY = (CONTENTS, TEXTS)
"""Files that are too large to check whenever a corpus is opened; each document is checked when it is read."""

READ_AT_ONCE = (
    *(f"{FEATURES}/{name}" for name in ("columns.npy", "frequencies.npy", "starts.npy", "terms.bin", "values.npy")),
    *(ACCOUNT, ALIKE, DIGESTS, FIELDS, PARTS, PLACES, SECRET, TREE),
)

MAX_SIZE = 2**26
"""Largest manifest in bytes."""

REMEDY = "restore the folder from a copy, or build the corpus again"


class Manifest(Record, frozen=True, kw_only=True):
    """What a corpus folder holds."""

    account: Account
    """What was received, and what became of it."""
    documents: Natural
    features: Natural
    """The version of the features' definition."""
    files: dict[str, Digest]
    format: Natural
    nnz: Natural
    """Entries of all rows."""
    oversized: tuple[Natural, ...]
    """Documents with so many different terms that their rows are empty."""
    root: Digest
    terms: Natural
    unit: Unit


class _Checked(Record, frozen=True, kw_only=True):
    check: Digest
    manifest: Manifest


def write(folder: Path, manifest: Manifest) -> None:
    """Store the manifest in its folder."""
    checked = _Checked(check=_check(manifest), manifest=manifest)
    (folder / NAME).write_bytes(encode(checked))


def read(folder: Path) -> Manifest:
    """The manifest of a folder, after a check of every file that is not too large for it."""
    manifest = _read(folder / NAME)
    for name, found in hashes(folder, READ_AT_ONCE).items():
        if found != manifest.files[name]:
            raise BadCorpus(f"{folder / name} was changed after the corpus was made; {REMEDY}")
    return manifest


def hashes(folder: Path, names: Iterable[str]) -> dict[str, Digest]:
    """The SHA-256 of files in the folder, the largest first, on all cores."""
    try:
        by_size = sorted(names, key=lambda name: -(folder / name).stat().st_size)
        with pool.threads(pool.cores()) as threads:
            return dict(zip(by_size, threads.map(lambda name: _hash(folder / name), by_size), strict=True))
    except OSError as error:
        raise BadCorpus(f"{error.filename} cannot be read: {error.strerror}; {REMEDY}") from None


def _hash(path: Path) -> Digest:
    with reading.opened(path) as file:
        return Digest(hashlib.file_digest(file, "sha256").digest())


def _read(path: Path) -> Manifest:
    try:
        value = canonical.decode_for_record(reading.whole(path, MAX_SIZE, "a manifest"))
        _refuse_other_versions(value)
        checked = from_value(_Checked, value)
    except OSError as error:
        raise BadCorpus(f"{path.parent} is not a corpus: its {NAME} cannot be read ({error.strerror})") from None
    except UnknownFormat:
        raise
    except LedgerError as error:
        raise BadCorpus(f"{path} is damaged ({error}); {REMEDY}") from None
    if _check(checked.manifest) != checked.check or set(checked.manifest.files) != {*READ_AT_ONCE, *READ_SINGLY}:
        raise BadCorpus(f"{path} was changed after the corpus was made; {REMEDY}")
    return checked.manifest


def _refuse_other_versions(value: canonical.Value) -> None:
    """Later formats may have other fields, so the version is read before them."""
    match value:
        case {"manifest": {"format": int(version)}} if version != FORMAT:
            raise UnknownFormat("corpus", version, FORMAT)
        case {"manifest": {"features": int(version)}} if version != features.VERSION:
            raise UnknownFormat("corpus's feature definition", version, features.VERSION)


def _check(manifest: Manifest) -> Digest:
    return tagged_hash("corpus-manifest", encode(manifest))


def write_secret(folder: Path, secret: Secret) -> None:
    """Store the secret where only the owner may read it."""
    path = folder / SECRET
    path.touch(mode=0o600)
    path.write_text(secret.hex() + "\n", "ascii")


def read_secret(folder: Path) -> Secret:
    """The secret of a folder."""
    return Secret.parse((folder / SECRET).read_text("ascii").removesuffix("\n"))
