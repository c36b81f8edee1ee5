"""The proofs of a question's documents: which leaves of the corpus they lead to, and whether the path leads on.

One path leads from all documents of a wave, or of Alice's question, to the root. So all of them are looked at, also
where only some are asked about.
"""

from collections.abc import Callable, Collection, Sequence

from ledger.records import Malformed
from protocol.corpus import leaves
from protocol.corpus.leaves import DocumentProof
from protocol.corpus.paths import ProofPath
from protocol.matter.values import CorpusCommitment, Place
from protocol.parties.errors import Objectionable
from protocol.parties.whereabouts import Proven

PlaceOf = Callable[[int], Place | None]


def of_positions(
    positions: Collection[int], known: Sequence[Proven], corpus: CorpusCommitment, place_of: PlaceOf
) -> dict[int, DocumentProof]:
    """The proofs of the documents at these positions, once they are checked; the last ones that are known count."""
    found: dict[int, DocumentProof] = {}
    for proven in reversed(known):
        if any(position in proven.proofs and position not in found for position in positions):
            found = _checked(proven, corpus, place_of) | found
    missing = sorted(set(positions) - found.keys())
    if missing:
        raise Objectionable(
            f"the document at position {missing[0]} comes without a proof; ask Trent to write the question again"
        )
    return {position: found[position] for position in positions}


def _checked(proven: Proven, corpus: CorpusCommitment, place_of: PlaceOf) -> dict[int, DocumentProof]:
    proofs = opened(proven, corpus, place_of)
    if proofs is None:
        raise Objectionable(
            "the proofs of these documents do not lead to what the matter has committed to. Do not answer; keep the "
            "question, and tell Trent and the court"
        )
    return proofs


def opened(proven: Proven, corpus: CorpusCommitment, place_of: PlaceOf) -> dict[int, DocumentProof] | None:
    """The proofs by position; None unless they and their path show that these documents stand there."""
    named: dict[int, tuple[str, DocumentProof]] = {}
    found: dict[int, DocumentProof] = {}
    try:
        for position, value in proven.proofs.items():
            place, proof = place_of(position), leaves.read_proof(value)
            if place is None or place.document in named:
                return None
            named[place.document] = place.name, proof
            found[position] = proof
        path = ProofPath.parse(proven.path) if isinstance(proven.path, str) else None
    except (Malformed, ValueError):
        return None
    if path is None or not leaves.opens(corpus.root, corpus.documents, corpus.unit, named, path):
        return None
    return found
