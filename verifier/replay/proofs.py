"""That a document is one of the committed corpus, by the proof that comes with it (V14)."""

from typing import Any

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.record.hashing import document_leaf
from verifier.record.shapes import Malformed, read_all
from verifier.record.trees import root_from_path
from verifier.replay.contents import Kind, Place, Proof
from verifier.replay.rounds import Round
from verifier.replay.state import Disclosed, State
from verifier.replay.turns import broken


def check(state: State, told: Told, current: Round, positions: tuple[int, ...]) -> None:
    """Each position's document has its proof; it is followed where the copy opens it and names the document."""
    proofs = len(told.entry.said.sealed["proofs"].commitments)
    if proofs != len(positions):
        raise broken(told, Check.DOCUMENTS, Role.TRENT, "Each disclosed document has its proof", len(positions), proofs)
    opened = told.all_of("proofs")
    if opened is None or any(position not in current.places for position in positions):
        return
    for position, proof in zip(positions, _proofs(told, opened), strict=True):
        _check_one(state, told, position, current.places[position], proof)
    state.tally.passed(Check.DOCUMENTS, len(positions))


def _proofs(told: Told, values: list[Any]) -> list[Proof]:
    try:
        return read_all(Proof, values)
    except Malformed as error:
        raise broken(
            told, Check.DOCUMENTS, Role.TRENT, "Each disclosed document has its proof", "a proof", error
        ) from None


def _check_one(state: State, told: Told, position: int, place: Place, proof: Proof) -> None:
    corpus = state.opened.corpus
    leaf = document_leaf(proof.salt, place.document, place.name.encode(), proof.content, proof.text, proof.row)
    root = root_from_path(leaf, place.document, corpus.documents, proof.path)
    if root != corpus.root:
        raise broken(
            told,
            Check.DOCUMENTS,
            Role.TRENT,
            "A disclosed document is the one of its number in the committed corpus",
            f"a proof of document {place.document} at position {position} to the root {corpus.root.hex()}",
            "no such path" if root is None else root.hex(),
        )
    if state.disclosed and told.entry.said.kind == Kind.DISCLOSURE:
        state.disclosed(Disclosed(place.name, proof.content))
