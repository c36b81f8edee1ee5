"""Time stamps (RFC 3161): an authority's signed word that these bytes existed at its time."""

from verifier.stamps.checking import BadRoots, NotChecked, Stamped, Untrusted, check, check_hash, told, value
from verifier.stamps.files import check_files, read_roots
from verifier.stamps.token import BadStamp

__all__ = [
    "BadRoots",
    "BadStamp",
    "NotChecked",
    "Stamped",
    "Untrusted",
    "check",
    "check_files",
    "check_hash",
    "read_roots",
    "told",
    "value",
]
