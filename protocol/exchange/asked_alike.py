"""The list of what is alike, as Alice's client takes it from a question: checked as far as she can tell.

Trent makes the list, and it is no part of the record. What her own history proves, her client checks: she has the proof
of each document that the court upheld as privileged, with the hash of every part. What has that hash must be named.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from ledger.hashing import Digest
from protocol.corpus.leaves import OpenPart, read_proof
from protocol.exchange import filenames
from protocol.exchange.question_file import QuestionFile, decode_proofs
from protocol.parties import alike
from protocol.parties.alike import Alike, Reason, covers
from protocol.parties.errors import Objectionable
from protocol.parties.view import Document, View
from protocol.parties.whereabouts import Whereabouts

_NO_TEXT = sha256(b"").digest()


def listed(question: QuestionFile, view: View, documents: Mapping[int, Document]) -> tuple[Alike, ...]:
    """What Alice is asked about besides. The documents of the question are proven."""
    small = question.small
    rows = alike.decode(small[filenames.LIKENESSES], filenames.LIKENESSES) if filenames.LIKENESSES in small else ()
    for number, row in enumerate(rows, start=1):
        other = row.other if row.reason is Reason.TOGETHER else None
        if row.position not in documents or (other is not None and other.position not in documents):
            raise Objectionable(
                f"row {number} of {filenames.LIKENESSES} is about a position that the question does not ask about; ask "
                "Trent to write it again"
            )
    if filenames.PROOFS in small and view.kind in ("report", "claim"):
        _check_upheld(question, view, rows)
    return rows


def _check_upheld(question: QuestionFile, view: View, rows: tuple[Alike, ...]) -> None:
    """Raise if something that equals what the court upheld is not named."""
    where = Whereabouts.of(view.history.entries)
    upheld = {content for number in where.rounds for content in _upheld(where, number)}
    late = view.kind == "claim" and "numbers" not in view.entry.statement.content
    if late or not upheld:
        return
    named = {(row.position, row.part) for row in rows}
    for position, value in decode_proofs(question.small[filenames.PROOFS]).proofs.items():
        for part, each in enumerate(read_proof(value).parts):
            if (
                isinstance(each, OpenPart)
                and each.content in upheld
                and not {(position, part), (position, None)} & named
            ):
                raise Objectionable(
                    f"part {part} of the document at position {position} equals a document that the court has upheld "
                    "as privileged, and the question does not say so. Nothing was signed; ask Trent to write it again"
                )


def _upheld(where: Whereabouts, number: int) -> Iterator[Digest]:
    """The content of each part that the court upheld in a round, without those that have no text."""
    sitting = where.rounds[number]
    for position in sitting.upheld:
        basis = where.basis(number, position)
        proofs = [each.proofs[position] for each in sitting.proven if position in each.proofs]
        if basis is None or not proofs or (isinstance(basis, dict) and "class" in basis):
            continue
        for part, each in enumerate(read_proof(proofs[0]).parts):
            if isinstance(each, OpenPart) and each.text != _NO_TEXT and covers(basis, part):
                yield each.content
