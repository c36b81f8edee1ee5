"""V14: is each document that was disclosed, or shown to the court alone, one of the committed corpus?"""

from verifier.checks import Check
from verifier.record.hashing import document_leaf
from verifier.record.shapes import Malformed, read_all
from verifier.record.trees import root_from_path
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Positions, Proof
from verifier.replay.forms import Kind
from verifier.replay.state import Disclosed

_SHOWN = "the proofs and the documents' places"


@condition(Check.DOCUMENTS, Blamed.TRENT, "Each disclosed document has its proof")
def one_proof_each(entry: Candidate[Positions]) -> Broken | None:
    """It seals a proof for each position."""
    due, found = len(entry.content.positions), entry.sealed("proofs")
    return None if found == due else Broken(due, found)


def _proofs(entry: Candidate[Positions]) -> dict[int, Proof] | None:
    """The proofs by position, if the copy opens them and names the documents."""
    opened, positions = entry.told.all_of("proofs"), entry.content.positions
    if opened is None or any(position not in entry.current.places for position in positions):
        return None
    return dict(zip(positions, read_all(Proof, opened), strict=True))


@condition(Check.DOCUMENTS, Blamed.TRENT, "Each value of `proofs` is a proof", shown=_SHOWN)
def proofs_are_proofs(entry: Candidate[Positions]) -> Broken | None:
    """Each proof has its shape."""
    try:
        entry.once(_proofs)
    except Malformed as error:
        return Broken("a proof", error)
    return None


@condition(
    Check.DOCUMENTS,
    Blamed.TRENT,
    "A disclosed document is the document with its number in the committed corpus",
    shown=_SHOWN,
)
def of_the_corpus(entry: Candidate[Positions]) -> Broken | None:
    """Each proof leads from the named document to the root of the corpus."""
    corpus, places = entry.state.opened.corpus, entry.current.places
    for position, proof in (entry.once(_proofs) or {}).items():
        place = places[position]
        leaf = document_leaf(proof.salt, place.document, place.name.encode(), proof.content, proof.text, proof.row)
        root = root_from_path(leaf, place.document, corpus.documents, proof.path)
        if root != corpus.root:
            return Broken(
                f"a proof of document {place.document} at position {position} to the root {corpus.root.hex()}",
                "no such path" if root is None else root.hex(),
            )
    return None


def take_documents(entry: Candidate[Positions]) -> None:
    """The documents are proven to be of the corpus; those that Bob was shown can be compared with files."""
    state, proofs = entry.state, entry.once(_proofs)
    if proofs is None:
        return
    state.tally.passed(Check.DOCUMENTS, len(proofs))
    if state.disclosed and entry.kind is Kind.DISCLOSURE:
        for position, proof in proofs.items():
            state.disclosed(Disclosed(entry.current.places[position].name, proof.content))
