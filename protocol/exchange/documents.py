"""The documents of a question: each is proven to be the one at its position, and so is the page that shows it.

People read the pages. So the pages are made again here from the proven texts, and must match byte for byte.
"""

import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from ledger import records
from ledger.canonical import Value
from ledger.entries import Opening, Statement
from ledger.errors import Damaged, LedgerError
from ledger.hashing import Digest
from ledger.records import Malformed
from protocol.corpus import leaves
from protocol.corpus.leaves import DocumentOpening
from protocol.exchange import filenames, pages
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.question_file import QuestionFile, decode_proofs
from protocol.matter import kinds
from protocol.matter.asking import Shown
from protocol.matter.values import Caption, CorpusCommitment, Place
from protocol.parties.errors import Objectionable
from protocol.parties.notices import Notice
from protocol.parties.view import Document, View


def proven(question: QuestionFile, view: View) -> dict[int, Document]:
    """The documents by position. Raises if one of them, or the page that shows it, is not what the matter has there."""
    known = _known(view.history.notices, question.request.round)
    if filenames.PROOFS in question.small:
        known.proofs |= decode_proofs(question.small[filenames.PROOFS])
    files = question.documents
    for position, (file, _) in files.items():
        _check_place(question, position, file, known.places.get(position))
    expected = _expected(view, known.places)
    if not set(files) <= expected and kinds.shown(view.kind) is Shown.CLAIMABLE:
        odd = ", ".join(map(str, sorted(set(files) - expected)[:5]))
        raise Objectionable(
            f"the question asks for late claims of documents that cannot be claimed any more, at position {odd}: Bob "
            "was shown them, or you have claimed them. A claim of them would be held against you. Nothing was signed"
        )
    if set(files) != expected:
        raise Objectionable(
            "the question does not hold exactly the documents that it asks about; ask Trent to write it again"
        )
    shown = _proven(question, known, view.opening.corpus)
    _check_pages(question, shown, view.opening.caption)
    return {each.position: Document(name=each.name, file=files[each.position][0], note=each.note) for each in shown}


def _expected(view: View, places: Mapping[int, Place]) -> Set[int]:
    """The positions that the documents must have."""
    match kinds.shown(view.kind):
        case Shown.BATCH:
            return places.keys()
        case Shown.NAMED:
            return set(view.entry.statement.content["positions"])
        case Shown.CLAIMABLE:
            return view.state.rounds[-1].claimable
        case Shown.NONE:
            return set()


@dataclass(slots=True)
class _Known:
    """What this party has seen of a round's batch, by position."""

    places: dict[int, Place] = field(default_factory=dict)
    proofs: dict[int, Value] = field(default_factory=dict)
    alice: dict[int, Value] = field(default_factory=dict)  # her labels
    bob: dict[int, bool] = field(default_factory=dict)  # his
    bases: dict[int, Value] = field(default_factory=dict)  # of claims of privilege

    def note(self, kind: str, position: int) -> str:
        """What the court is told along with a document."""
        if kind == "privilege":
            return str(self.bases.get(position, ""))
        if kind == "rulings":
            return pages.disagreement(alice=self.alice.get(position) is True, bob=self.bob.get(position) is True)
        return ""


def _known(notices: Sequence[Notice], number: int) -> _Known:
    """What the entries of a round show this party."""
    known, wave = _Known(), list[int]()
    for notice in notices:
        said = notice.statement
        if said.round != number or not number:
            continue
        if said.kind == "disclosure":
            wave = said.content["positions"]
        elif said.kind == "labels":
            known.bob |= dict(zip(wave, said.content["labels"], strict=False))
        try:
            for opening in (*notice.openings, *notice.released):
                _learn(known, said, opening)
        except (LedgerError, LookupError) as error:
            raise Damaged(f"an opened value of round {number} is malformed ({error})") from None
    return known


def _learn(known: _Known, said: Statement, opening: Opening) -> None:
    index, value = opening.index, opening.value
    match opening.field, said.kind:
        case "documents", _:
            known.places[index + 1] = records.from_value(Place, value)
        case "proofs", _:
            known.proofs[said.content["positions"][index]] = value
        case "labels", "report":
            known.alice[index + 1] = value
        case "privilege", "report":
            known.bases[index + 1] = value
        case "privilege", "claim":
            known.bases[said.content["positions"][index]] = value


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
        place = known.places[position]
        text = hashes[texts[position]]
        if not proves(known.proofs.get(position), corpus, place, content, text):
            raise Objectionable(
                f"{file}, or its text, is not the document that the matter has committed to at position {position}. Do "
                "not answer; keep the question, and tell Trent and the court"
            )
        note = known.note(question.request.kind, position)
        shown.append(ShownDocument(position=position, name=place.name, content=b"", text=_decoded(data), note=note))
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


def _check_pages(question: QuestionFile, shown: Sequence[ShownDocument], caption: Caption | None) -> None:
    """Raise unless the pages that a person reads show what is proven."""
    case, sought = (caption.case, caption.request) if caption else ("", "")
    made = pages.render(question.request, shown, case, sought) if shown else {}
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
