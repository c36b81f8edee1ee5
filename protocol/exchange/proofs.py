"""Proofs that a document, with its text, is the one that the corpus commitment has at a number.

The corpus' own module checks proofs too; it needs numpy, and a party's machine should not.
"""

from ledger import canonical, merkle, records
from ledger.canonical import Value
from ledger.commitments import Salt
from ledger.errors import LedgerError
from ledger.hashing import Digest, integer, tagged_hash
from ledger.records import Malformed, Record
from protocol.exchange.errors import BadPackage
from protocol.matter.statements import CorpusCommitment, Place


class Proof(Record, frozen=True, kw_only=True):
    """A sealed value of `proofs`, and what `proofs.json` holds for a position."""

    content: Digest
    path: str  # hashes in hex, one after the other
    row: Digest
    salt: Salt
    text: Digest


def encode(proofs: dict[int, dict[str, Value]]) -> bytes:
    """`proofs.json`: proofs by position."""
    return canonical.encode({str(position): value for position, value in proofs.items()}) + b"\n"


def decode(data: bytes, where: str) -> dict[int, Value]:
    """The proofs in such a file, of which nothing is checked yet."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, dict):
            raise Malformed("an object was expected")
        return {int(position[:12]): proof for position, proof in value.items()}
    except (LedgerError, ValueError) as error:
        raise BadPackage(f"{where} holds no proofs ({error}); ask for the question again") from None


def proves(value: Value, corpus: CorpusCommitment, place: Place, content: Digest, text: Digest) -> bool:
    """Whether the proof shows that the document at this place has this content and text, by their SHA-256."""
    try:
        proof = records.from_value(Proof, value)
        path = bytes.fromhex(proof.path)
        name = place.name.encode()
    except (Malformed, ValueError):
        return False
    if (proof.content, proof.text) != (content, text) or place.document >= corpus.documents or len(path) % Digest.size:
        return False
    first = tagged_hash("document", proof.salt, integer(place.document), name, proof.content, proof.text)
    hashes = [path[start : start + Digest.size] for start in range(0, len(path), Digest.size)]
    leaf = tagged_hash("leaf", first, proof.row)
    return merkle.verify_inclusion(
        data=leaf, index=place.document, size=corpus.documents, proof=hashes, root=corpus.root
    )
