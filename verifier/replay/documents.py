"""V14: is each document that was disclosed, or shown to the court alone, one of the committed corpus?"""

from verifier.checks import Check
from verifier.record.parts import Proof, holding, read_path, read_proofs
from verifier.record.shapes import Malformed
from verifier.record.trees import root_from_shared_path
from verifier.replay.basis import parts_named
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Place, Positions
from verifier.replay.forms import Kind
from verifier.replay.state import Disclosed

_SHOWN = "the proofs and the documents' places"


@condition(Check.DOCUMENTS, Blamed.TRENT, "Each disclosed document has its proof")
def one_proof_each(entry: Candidate[Positions]) -> Broken | None:
    """It seals a proof for each position."""
    due, found = len(entry.content.positions), entry.sealed("proofs")
    return None if found == due else Broken(due, found)


@condition(Check.DOCUMENTS, Blamed.TRENT, "All disclosed documents of an entry have one path")
def one_path(entry: Candidate[Positions]) -> Broken | None:
    """It seals one `path`."""
    found = entry.sealed("path")
    return None if found == 1 else Broken(1, found)


def _places(entry: Candidate[Positions]) -> dict[int, Place]:
    """Which documents stand at these positions, as far as the copy names them."""
    found = ((position, entry.current.places.get(position)) for position in entry.content.positions)
    return {position: place for position, place in found if place is not None}


def _proofs(entry: Candidate[Positions]) -> dict[int, Proof] | None:
    """The proofs by position, if the copy opens them and names the documents."""
    opened, positions = entry.told.all_of("proofs"), entry.content.positions
    if opened is None or len(entry.once(_places)) < len(positions):
        return None
    return dict(zip(positions, read_proofs(opened), strict=True))


@condition(Check.DOCUMENTS, Blamed.TRENT, "Each value of `proofs` is a proof", shown=_SHOWN)
def proofs_are_proofs(entry: Candidate[Positions]) -> Broken | None:
    """Each proof has its shape."""
    try:
        entry.once(_proofs)
    except Malformed as error:
        return Broken("a proof", error)
    return None


@condition(
    Check.DOCUMENTS, Blamed.TRENT, "A disclosed document is committed to under the name that it has here", shown=_SHOWN
)
def has_its_name(entry: Candidate[Positions]) -> Broken | None:
    """Part 0 of each proof has the document's name as `rest.name`, unless that part is withheld."""
    places = entry.once(_places)
    for position, proof in (entry.once(_proofs) or {}).items():
        if proof.name is not None and proof.name != places[position].name:
            return Broken(f"{places[position].name!r} at position {position}", repr(proof.name))
    return None


def _path(entry: Candidate[Positions]) -> bytes | None:
    """The path of all documents, if the copy opens it."""
    opened = entry.told.all_of("path")
    return None if opened is None else read_path(opened[0])


@condition(Check.DOCUMENTS, Blamed.TRENT, "The value of `path` is a path", shown="the path")
def path_is_path(entry: Candidate[Positions]) -> Broken | None:
    """The path is hashes in hex, one after the other."""
    try:
        entry.once(_path)
    except Malformed as error:
        return Broken("a path", error)
    return None


@condition(
    Check.DOCUMENTS,
    Blamed.TRENT,
    "Disclosed documents are those with their numbers in the committed corpus",
    shown=f"{_SHOWN}, and the path",
)
def of_the_corpus(entry: Candidate[Positions]) -> Broken | None:
    """All proofs with the path lead from the named documents to the root of the corpus, and nothing of the path is left
    over.
    """
    corpus, places = entry.state.opened.corpus, entry.once(_places)
    proofs, path = entry.once(_proofs), entry.once(_path)
    if proofs is None or path is None:
        return None
    numbers = [places[position].document for position in proofs]
    leaves = {number: proof.leaf(number) for number, proof in zip(numbers, proofs.values(), strict=True)}
    found = root_from_shared_path(leaves, corpus.documents, path)
    if found == corpus.root and len(leaves) == len(proofs):
        return None
    return Broken(
        f"proofs and a path of the documents at {some(list(proofs))} to the root {corpus.root.hex()}",
        "no such path" if found is None or len(leaves) < len(proofs) else found.hex(),
    )


def proven(entry: Candidate[Positions]) -> dict[int, Proof] | None:
    """The proofs by position, if the copy shows them and their path, of an entry that passes the conditions above."""
    return None if entry.once(_path) is None else entry.once(_proofs)


@condition(
    Check.DOCUMENTS, Blamed.TRENT, "The court gets all parts of each document that it reads alone", shown="the proofs"
)
def court_gets_all(entry: Candidate[Positions]) -> Broken | None:
    """Each proof opens all parts."""
    for position, proof in (proven(entry) or {}).items():
        if withheld := _withheld(proof):
            return Broken(f"all parts at position {position}", f"without {parts_named(withheld)}")
    return None


@condition(
    Check.DOCUMENTS,
    Blamed.TRENT,
    "Bob gets all parts of a disclosed document except those that the court withheld, and none of those",
    shown="the proofs",
)
def bob_gets_the_others(entry: Candidate[Positions]) -> Broken | None:
    """Each proof withholds the parts that the court upheld, as far as the document has them, and opens all others."""
    for position, proof in (proven(entry) or {}).items():
        ruled = entry.current.upheld_parts.get(position, ())
        due, found = [part for part in ruled if part < len(proof.parts)], _withheld(proof)
        if due != found:
            return Broken(f"{parts_named(due)} withheld at position {position}", f"{parts_named(found)} withheld")
    return None


def _withheld(proof: Proof) -> list[int]:
    return [number for number, part in enumerate(proof.parts) if part.withheld]


def take_documents(entry: Candidate[Positions]) -> None:
    """The documents are proven to be of the corpus; those that Bob was shown can be compared with files."""
    state, proofs = entry.state, proven(entry)
    if proofs is None:
        return
    entry.current.compared.update(proofs)
    state.tally.passed(Check.DOCUMENTS, len(proofs))
    if state.details is not None:
        entry.current.proven |= {position: proof.parts for position, proof in proofs.items()}
    if entry.kind is Kind.DISCLOSURE:
        state.shown_parts += sum(len(proof.parts) for proof in proofs.values())
    if state.disclosed and entry.kind is Kind.DISCLOSURE:
        for position, proof in proofs.items():
            as_text = holding(proof.parts)
            for number, part in enumerate(proof.parts):
                if part.rest is not None:
                    name = entry.once(_places)[position].name
                    named = name if number == 0 else f"{name}, part {number} ({part.rest.name})"
                    state.disclosed(Disclosed(named, part.text if number in as_text else part.content))
