"""The manifest of a corpus folder: what it holds, and the SHA-256 of every file, by shard.

`manifest.json` is the canonical JSON of {"check": H("corpus-manifest", manifest), "manifest": manifest}, where the
hash is over the manifest's own canonical JSON. The check finds an edited manifest. Whose corpus this is follows from
the root, which a matter's opening states under signatures.

A corpus may be too large to read all of it whenever it is opened. So a file is compared with the manifest when it is
first used (`Watched`), and before anything is done with it.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ledger import canonical, reading
from ledger.commitments import Secret
from ledger.errors import LedgerError, UnknownFormat
from ledger.hashing import Digest, tagged_hash
from ledger.records import Natural, Record, encode, from_value
from protocol.corpus import features
from protocol.corpus.account import Account, Unit
from protocol.errors import BadCorpus
from protocol.workers import pool

FORMAT = 3

NAME = "manifest.json"
SECRET = "secret"  # noqa: S105 (a file's name)
TERMS = "terms.bin"
FREQUENCIES = "frequencies.npy"
TREE = "tree.bin"
LABELS = "labels.json"
ACCOUNT = "account.jsonl"
ALIKE = "alike.npy"

SHARDS = "shards"
"""The folder of all shards."""

NUMBERS = "numbers.npy"
PARTS = "parts.npy"
PLACES = "places.npy"
CONTENTS = "contents.bin"
TEXTS = "texts.bin"
FIELDS = "fields.bin"
DIGESTS = "digests.npy"
STARTS = "starts.npy"
COLUMNS = "columns.npy"
VALUES = "values.npy"
IMAGES, IMAGE_PLACES = "images.bin", "images.npy"

FILES = (ACCOUNT, ALIKE, FREQUENCIES, SECRET, TERMS, TREE)
"""The files beside the shards. The labels are not committed to, and may be changed."""

READ_SINGLY = (CONTENTS, TEXTS)
"""Files of a shard that are never read as a whole; each document is checked when it is read."""
LISTED = (PARTS, PLACES, DIGESTS, FIELDS)
ROWS = (STARTS, COLUMNS, VALUES)
PICTURES = (IMAGES, IMAGE_PLACES)

OF_A_SHARD = (NUMBERS, *LISTED, *ROWS, *READ_SINGLY)
"""The files of every shard. Those with pictures are there if there are any."""

MAX_SIZE = 2**26
"""Largest manifest in bytes."""

REMEDY = "restore the folder from a copy, or build the corpus again"


class ShardFiles(Record, frozen=True, kw_only=True):
    """What a shard holds."""

    documents: Natural
    files: dict[str, Digest]
    nnz: Natural
    """Entries of its rows."""
    parts: Natural


class Manifest(Record, frozen=True, kw_only=True):
    """What a corpus folder holds."""

    account: Account
    """What was received, and what became of it."""
    documents: Natural
    features: Natural
    """The version of the features' definition."""
    files: dict[str, Digest]
    format: Natural
    oversized: tuple[Natural, ...]
    """Documents with so many different terms that their rows are empty."""
    root: Digest
    shards: tuple[ShardFiles, ...]
    terms: Natural
    unit: Unit


class _Checked(Record, frozen=True, kw_only=True):
    check: Digest
    manifest: Manifest


class Watched:
    """Files of one folder, each compared with the manifest when it is first asked for."""

    def __init__(self, folder: Path, files: Mapping[str, Digest]) -> None:
        self.folder = folder
        self.files = files
        self._left = dict(files)

    def check(self, *names: str) -> None:
        """Raise `BadCorpus` if one of these was changed. What was compared before is not read again."""
        left = [name for name in names if name in self._left]
        for name, found in hashes(self.folder, left).items():
            if found != self._left[name]:
                raise BadCorpus(f"{self.folder / name} was changed after the corpus was made; {REMEDY}")
        for name in left:
            self._left.pop(name, None)


def shard_name(number: int) -> str:
    """The folder of a shard, below that of all shards."""
    return f"{number:05}"


def write(folder: Path, manifest: Manifest) -> None:
    """Store the manifest in its folder."""
    checked = _Checked(check=_check(manifest), manifest=manifest)
    (folder / NAME).write_bytes(encode(checked))


def hashes(folder: Path, names: Iterable[str]) -> dict[str, Digest]:
    """The SHA-256 of files in the folder, the largest first, on all cores."""
    try:
        by_size = sorted(names, key=lambda name: -(folder / name).stat().st_size)
        if len(by_size) < 2:
            return {name: _hash(folder / name) for name in by_size}
        with pool.threads(pool.cores()) as threads:
            return dict(zip(by_size, threads.map(lambda name: _hash(folder / name), by_size), strict=True))
    except OSError as error:
        raise BadCorpus(f"{error.filename} cannot be read: {error.strerror}; {REMEDY}") from None


def _hash(path: Path) -> Digest:
    with reading.opened(path) as file:
        return Digest(hashlib.file_digest(file, "sha256").digest())


def read(folder: Path) -> Manifest:
    """The manifest of a folder, as it was written. It says nothing yet of the files."""
    path = folder / NAME
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
    if _check(checked.manifest) != checked.check or not _is_whole(checked.manifest):
        raise BadCorpus(f"{path} was changed after the corpus was made; {REMEDY}")
    return checked.manifest


def _is_whole(manifest: Manifest) -> bool:
    """Whether it names every file, and its shards hold all documents."""
    shards = manifest.shards
    return (
        set(manifest.files) == set(FILES)
        and all({*OF_A_SHARD} <= set(shard.files) <= {*OF_A_SHARD, *PICTURES} for shard in shards)
        and all(0 < shard.documents <= shard.parts for shard in shards)
        and 0 < sum(shard.documents for shard in shards) == manifest.documents
    )


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
