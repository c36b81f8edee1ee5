"""The file that proves a privilege log: openings of the log nodes, and the path to the corpus root
(docs/privilege-log.md).
"""

from collections.abc import Iterator

from ledger import canonical, records
from ledger.canonical import Value
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import DocumentProof, OpenPart, Parts, withheld
from protocol.lists.privilege import Claim, claims
from protocol.lists.record import Recorded
from protocol.matter.rounds import Sort

FORMAT = 1
"""The version of the file's form."""


def proofs(found: Recorded, corpus: Corpus) -> bytes:
    """The file, for what the court has upheld."""
    upheld = sorted((each for each in claims(found) if each.upheld), key=_ruled)
    return b"".join(canonical.encode(line) + b"\n" for line in _lines(found, corpus, upheld))


def _lines(found: Recorded, corpus: Corpus, upheld: list[Claim]) -> Iterator[Value]:
    rounds = sorted({each.seat.round for each in upheld if not _stated(found, each)} & found.numbers.keys())
    documents = [each.document for each in upheld]
    yield {
        "format": FORMAT,
        "matter": found.state.number.hex(),
        "numbers": [
            {"round": number, "salt": found.numbers[number].salt.hex(), "value": found.numbers[number].value}
            for number in rounds
        ],
        "path": corpus.paths(documents).hex() if documents else "",
    }
    for each in upheld:
        number, position = _ruled(each)
        yield {"position": position, "proof": records.to_value(_log_only(corpus, each.document)), "round": number}


def _ruled(claim: Claim) -> tuple[int, int]:
    """Where the court has ruled on a claim."""
    return (0, 0) if claim.ruling is None else (claim.ruling.round, claim.ruling.position)


def _stated(found: Recorded, claim: Claim) -> bool:
    """Whether the round in which the court ruled states the document's number for everybody."""
    number, position = _ruled(claim)
    review = found.state.rounds[number - 1]
    return review.sort is Sort.VALIDATION and position <= (review.called or review.size)


def _log_only(corpus: Corpus, document: int) -> DocumentProof:
    """The proof of a document that opens nothing but what a log states."""
    whole = corpus.proof(document)
    return DocumentProof(
        parts=Parts(withheld(part) if isinstance(part, OpenPart) else part for part in whole.parts), row=whole.row
    )
