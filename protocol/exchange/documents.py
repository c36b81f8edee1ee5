"""The documents of a question: each is proven to be the one at its position, and so is the page that shows it.

People read the pages. So the pages are made again here from the proven texts, and must match byte for byte.
"""

import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ledger import records
from ledger.canonical import Value
from ledger.hashing import Digest
from ledger.records import Malformed
from protocol.corpus import leaves
from protocol.corpus.leaves import DocumentOpening
from protocol.exchange import filenames, pages
from protocol.exchange.filenames import ListedDocument, ShownDocument
from protocol.exchange.question_file import QuestionFile, decode_proofs
from protocol.matter import kinds
from protocol.matter.asking import Shown
from protocol.matter.values import CorpusCommitment, Place
from protocol.parties.errors import Objectionable
from protocol.parties.view import Document, View
from protocol.parties.whereabouts import Whereabouts


def proven(question: QuestionFile, view: View) -> dict[int, Document]:
    """The documents by position. Raises if one of them, or the page that shows it, is not what the matter has there."""
    known = _known(view)
    if kinds.shown(view.kind) is Shown.LISTED:
        return _listed(question, view, known)
    if filenames.PROOFS in question.small:
        known.proofs.update(decode_proofs(question.small[filenames.PROOFS]))
    files = question.documents
    for position, (file, _) in files.items():
        _check_place(question, position, file, known.place(position))
    expected = _expected(view, known)
    if not set(files) <= expected and kinds.shown(view.kind) is Shown.CLAIMABLE:
        odd = ", ".join(map(str, sorted(set(files) - expected)[:5]))
        raise Objectionable(
            f"the question asks for claims of documents that cannot be claimed any more, at position {odd}: Bob was "
            "shown them, or you have claimed them or given them up. A claim of them would be held against you. Nothing "
            "was signed"
        )
    if set(files) != expected:
        raise Objectionable(
            "the question does not hold exactly the documents that it asks about; ask Trent to write it again"
        )
    shown = _proven(question, known, view.opening.corpus)
    case, sought = _case(view)
    _check_pages(question, pages.render(question.request, shown, case, sought) if shown else {}, shown)
    return {
        each.position: Document(name=each.name, file=files[each.position][0], note=each.note, judged=each.judged)
        for each in shown
    }


def _listed(question: QuestionFile, view: View, known: "_Known") -> dict[int, Document]:
    """All that is withheld, by its position in the list of a second look."""
    listed = []
    for position, seat in enumerate(known.where.rounds[known.number].seats, start=1):
        place = known.place(position)
        if place is None:
            raise Objectionable(f"position {position} of the list is not a document that {view.role.called} has seen")
        listed.append(ListedDocument(position=position, name=place.name, round=seat.round, place=seat.position))
    if len(listed) != view.entry.statement.content["size"]:
        raise Objectionable(
            f"Trent says that {view.entry.statement.content['size']} documents are withheld, but by your reports and "
            f"what Bob was shown there are {len(listed)}. Do not answer; keep the question, and tell the court"
        )
    case, sought = _case(view)
    _check_pages(question, pages.listing(question.request, listed, case, sought) if listed else {}, ())
    return {each.position: Document(name=each.name, file=each.file) for each in listed}


def _expected(view: View, known: "_Known") -> Set[int]:
    """The positions that the documents must have."""
    match kinds.shown(view.kind):
        case Shown.BATCH:
            return known.where.rounds[known.number].places.keys()
        case Shown.NAMED:
            return set(view.entry.statement.content["positions"])
        case Shown.CLAIMABLE:
            claimable = view.state.rounds[-1].claimable
            return {position for position in claimable if not known.where.claimed_before(known.number, position)}
        case Shown.LISTED | Shown.NONE:
            return set()


@dataclass(frozen=True, slots=True)
class _Known:
    """What this party has seen of the round that it is asked about, by position."""

    where: Whereabouts
    number: int  # of the round; 0 if the question is of none
    proofs: dict[int, Value]

    def place(self, position: int) -> Place | None:
        """The document at a position, if the party may see it."""
        return self.where.place(self.number, position)

    def note(self, kind: str, position: int) -> tuple[str, bool]:
        """What the court is told along with a document, and whether it is asked if that is responsive."""
        if kind == "privilege":
            return pages.in_camera(self.where.basis(self.number, position))
        if kind == "rulings":
            bob = self.where.rounds[self.number].bob.get(position) is True
            return pages.disagreement(alice=self.where.alice(self.number, position), bob=bob), False
        return "", False


def _known(view: View) -> _Known:
    number = view.question.request.round
    where = Whereabouts.of(view.history.entries)
    return _Known(where, number, where.rounds[number].proofs if number in where.rounds else {})


def _case(view: View) -> tuple[str, str]:
    """What the case is called, and what is sought."""
    caption = view.opening.caption
    return (caption.case, caption.request) if caption else ("", "")


def _check_place(question: QuestionFile, position: int, file: str, place: Place | None) -> None:
    asked = question.request
    if place is None:
        raise Objectionable(
            f"{file} is at a position that {asked.role.called} may not see; ask Trent to write the question again"
        )
    if file != f"{filenames.DOCUMENTS}/{filenames.file_name(asked.round, position, place.name)}":
        raise Objectionable(
            f"{file} is not the file of the document at its position; ask Trent to write the question again"
        )


def _proven(question: QuestionFile, known: _Known, corpus: CorpusCommitment) -> list[ShownDocument]:
    """The documents with their texts, once each is proven."""
    files, hashes = question.documents, question.request.files
    texts = {
        position: own if (own := filenames.text_file(position)) in hashes else file
        for position, (file, _) in files.items()
    }
    shown = []
    for (position, (file, content)), data in zip(files.items(), question.contents(texts.values()), strict=True):
        place = known.place(position)
        text = hashes[texts[position]]
        if place is None or not proves(known.proofs.get(position), corpus, place, content, text):
            raise Objectionable(
                f"{file}, or its text, is not the document that the matter has committed to at position {position}. Do "
                "not answer; keep the question, and tell Trent and the court"
            )
        note, judged = known.note(question.request.kind, position)
        shown.append(
            ShownDocument(
                position=position, name=place.name, content=b"", text=_decoded(data), note=note, judged=judged
            )
        )
    return shown


def proves(value: Value, corpus: CorpusCommitment, place: Place, content: Digest, text: Digest) -> bool:
    """Whether the proof shows that the document at this place has this content and text, by their SHA-256."""
    try:
        opening = records.from_value(DocumentOpening, value)
    except Malformed:
        return False
    same = (opening.content, opening.text) == (content, text)
    return same and leaves.opens(corpus.root, corpus.documents, place.document, place.name, opening)


def _decoded(data: bytes) -> str:
    """A proven text, which the corpus holds in UTF-8."""
    return data.decode(errors="replace")


def _check_pages(question: QuestionFile, made: Mapping[str, bytes], shown: Sequence[ShownDocument]) -> None:
    """Raise unless the pages that a person reads are those that were made here from what is proven."""
    hashes = {name: Digest(hashlib.sha256(page).digest()) for name, page in made.items()}
    readable = (filenames.INDEX, f"{filenames.PAGES}/", f"{filenames.TEXTS}/")
    texts = {filenames.text_file(each.position) for each in shown}
    for name in sorted(name for name in question.request.files if name.startswith(readable)):
        if name not in texts and hashes.pop(name, None) != question.request.files[name]:
            raise Objectionable(
                f"{name} does not show what is proven. Do not rely on it: Trent has signed a text that is not the "
                "document's, or his program and this one have different versions. Ask him which version he runs; if it "
                "is the same, keep the question, and tell the court"
            )
    if hashes:
        raise Objectionable(f"{min(hashes)} is missing; ask Trent to write the question again")
