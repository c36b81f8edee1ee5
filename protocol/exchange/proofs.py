"""Whether a file is a document of the committed corpus, for whoever was given the proof.

The corpus' own module does this too; it needs numpy, and a party's machine should not.
"""

from ledger import merkle, records
from ledger.canonical import Value
from ledger.commitments import Salt
from ledger.hashing import Digest, integer, tagged_hash
from ledger.records import Malformed, Record
from protocol.matter.statements import CorpusCommitment, Place


class Proof(Record, frozen=True, kw_only=True):
    """A sealed value of `proofs`."""

    content: Digest
    path: str  # hashes in hex, one after the other
    row: Digest
    salt: Salt
    text: Digest


def proves(value: Value, corpus: CorpusCommitment, place: Place, content: Digest) -> bool:
    """Whether the proof shows that the document at this place has this content, by its SHA-256."""
    try:
        proof = records.from_value(Proof, value)
        path = bytes.fromhex(proof.path)
    except (Malformed, ValueError):
        return False
    if proof.content != content or place.document >= corpus.documents or len(path) % Digest.size:
        return False
    try:
        name = place.name.encode()
    except UnicodeEncodeError:
        return False
    first = tagged_hash("document", proof.salt, integer(place.document), name, proof.content, proof.text)
    hashes = [path[start : start + Digest.size] for start in range(0, len(path), Digest.size)]
    leaf = tagged_hash("leaf", first, proof.row)
    return merkle.verify_inclusion(
        data=leaf, index=place.document, size=corpus.documents, proof=hashes, root=corpus.root
    )
