"""The documents of a question: each is proven to be the one at its position, and so is the page that shows it.

People read the pages. So the pages are made again here from the proven texts, and must match byte for byte.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from itertools import count, takewhile

from ledger.hashing import Digest
from protocol.corpus import leaves
from protocol.corpus.leaves import DocumentProof, OpenPart, WithheldPart
from protocol.exchange import disclosed, filenames, pages, proofs
from protocol.exchange.disclosed import DisclosedDocument
from protocol.exchange.filenames import ListedDocument, ShownDocument, ShownPart
from protocol.exchange.question_file import QuestionFile, decode_proofs
from protocol.matter import kinds
from protocol.matter.asking import Shown
from protocol.matter.books import Seat
from protocol.matter.privilege_log import parts_of
from protocol.matter.values import Caption, Place
from protocol.parties.errors import Objectionable
from protocol.parties.view import Document, View
from protocol.parties.whereabouts import Proven, Whereabouts
from protocol.sources.pictures import PAGE_IMAGES, images_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The documents of a question by position, and all that is shown of them; nothing if they are only listed."""

    documents: dict[int, Document]
    shown: tuple[ShownDocument, ...] = ()


def proven(question: QuestionFile, view: View) -> dict[int, Document]:
    """The documents by position. Raises if one of them, or the page that shows it, is not what the matter has there."""
    return read(question, view).documents


def read(question: QuestionFile, view: View) -> Reading:
    """The same, with their texts."""
    known = _known(view)
    if kinds.shown(view.kind) is Shown.LISTED:
        return Reading(documents=_listed(question, view, known))
    if kinds.shown(view.kind) is Shown.DISCLOSED:
        return Reading(documents=_shown_to_bob(question, view, known))
    if filenames.PROOFS in question.small:
        known.proven.append(decode_proofs(question.small[filenames.PROOFS]))
    files = question.documents
    for position, parts in files.items():
        _check_place(question, position, parts, known.place(position))
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
    shown = _proven(question, known, view)
    case, sought = _case(view)
    _check_pages(question, pages.render(question.request, shown, case, sought) if shown else {}, shown)
    found = {
        each.position: Document(
            name=each.name,
            file=each.file(question.request.round),
            note=each.note,
            judged=each.judged,
            parts=tuple(part.called for part in each.parts),
            claimed=each.claimed,
        )
        for each in shown
    }
    return Reading(documents=found, shown=tuple(shown))


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
    _check_pages(
        question, pages.listing(question.request, listed, case, sought, view.opening.caption) if listed else {}, ()
    )
    return {each.position: Document(name=each.name, file=each.file) for each in listed}


def _shown_to_bob(question: QuestionFile, view: View, known: "_Known") -> dict[int, Document]:
    """All that Bob was shown and Alice has not asked back before, by its number in the list."""
    found = []
    for number, seat in enumerate(view.state.shown_to_bob(), start=1):
        place, labelled = known.where.place(*seat), known.where.labelled(*seat)
        if place is None or labelled is None:
            raise Objectionable(
                f"position {seat.position} of round {seat.round} is not a document that {view.role.called} has"
            )
        found.append(DisclosedDocument(number=number, name=place.name, seat=seat, labelled=labelled))
    _check_pages(question, disclosed.page(found, _case(view)[0], view.opening.caption) if found else {}, ())
    return {each.number: Document(name=each.name, file=each.file) for each in found}


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
        case Shown.ASKED_BACK:
            return known.asked_back.keys()
        case Shown.LISTED | Shown.DISCLOSED | Shown.NONE:
            return set()


@dataclass(frozen=True, slots=True)
class _Known:
    """What this party has seen of the round that it is asked about, by position."""

    where: Whereabouts
    number: int  # of the round; 0 if the question is of none
    proven: list[Proven]
    asked_back: Mapping[int, Seat]  # where Bob was shown what the court is asked about, by position in the question
    caption: Caption | None

    def place(self, position: int) -> Place | None:
        """The document at a position, if the party may see it."""
        number, position = self.asked_back.get(position, (self.number, position))
        return self.where.place(number, position)

    def claimed(self, kind: str, position: int) -> tuple[int, ...]:
        """The parts that the court is asked about, if Alice does not claim the whole document."""
        return parts_of(self.where.basis(self.number, position)) if kind == "privilege" else ()

    def note(self, kind: str, position: int) -> tuple[str, bool]:
        """What the court is told along with a document, and whether it is asked if that is responsive."""
        if kind == "privilege":
            return pages.in_camera(self.where.basis(self.number, position))
        if kind == "rulings":
            bob = self.where.rounds[self.number].bob.get(position) is True
            reason = self.where.rounds[self.number].reasons.get(position, "")
            alice = self.where.alice(self.number, position)
            return pages.disagreement(self.caption, alice=alice, bob=bob, reason=reason), False
        if kind == "returned":
            seat = self.asked_back[position]
            return pages.asked_back(self.caption, self.where.asked_back.get(seat), seat), False
        return "", False


def _known(view: View) -> _Known:
    number = view.question.request.round
    where = Whereabouts.of(view.history.entries)
    proven = list(where.rounds[number].proven) if number in where.rounds else []
    asked_back = view.state.clawbacks.asked if kinds.shown(view.kind) is Shown.ASKED_BACK else ()
    return _Known(where, number, proven, dict(enumerate(asked_back, start=1)), view.opening.caption)


def _case(view: View) -> tuple[str, str]:
    """What the case is called, and what is sought."""
    caption = view.opening.caption
    return (caption.case, caption.request) if caption else ("", "")


def _check_place(question: QuestionFile, position: int, parts: Mapping[int, str], place: Place | None) -> None:
    asked = question.request
    file = parts[min(parts)]
    if place is None:
        raise Objectionable(
            f"{file} is at a position that {asked.role.called} may not see; ask Trent to write the question again"
        )
    if 0 in parts and not _is_named(file, asked.round, position, 0, place.name, text_only=True):
        _check_name(file, asked.round, position, 0, place.name)


def _is_named(file: str, number: int, position: int, part: int, name: str, *, text_only: bool) -> bool:
    called = filenames.file_name(number, position, filenames.part_name(name, text_only=text_only), part)
    return file == f"{filenames.DOCUMENTS}/{called}"


def _check_name(file: str, number: int, position: int, part: int, name: str, *, text_only: bool = False) -> None:
    if not _is_named(file, number, position, part, name, text_only=text_only):
        raise Objectionable(
            f"{file} is not the file of the document at its position; ask Trent to write the question again"
        )


def _proven(question: QuestionFile, known: _Known, view: View) -> list[ShownDocument]:
    """The documents with their texts, once each is proven."""
    files = question.documents
    proven = proofs.of_positions(files.keys(), known.proven, view.opening.corpus, known.place)
    ruled = view.state.rounds[-1].privilege.upheld_parts if proven and view.kind == "labels" else {}
    for position, proof in proven.items():
        _check_withheld(position, proof, ruled.get(position, ()))
    shown = []
    with closing(question.contents(_texts(question, files, proven))) as texts:
        for position, proof in proven.items():
            around = _around(proof)
            parts = tuple(
                _shown(question, position, number, part, texts, text_only=number in around)
                for number, part in enumerate(proof.parts)
            )
            place = known.place(position)
            note, judged = known.note(question.request.kind, position)
            name = "" if place is None else place.name
            claimed = known.claimed(question.request.kind, position)
            shown.append(
                ShownDocument(position=position, name=name, parts=parts, note=note, judged=judged, claimed=claimed)
            )
    return shown


def _check_withheld(position: int, proof: DocumentProof, ruled: Sequence[int]) -> None:
    """Raise unless the parts that are withheld are those that the court withholds from this party."""
    found = {number for number, part in enumerate(proof.parts) if isinstance(part, WithheldPart)}
    due = {number for number in ruled if number < len(proof.parts)}
    if kept := sorted(found - due):
        raise Objectionable(
            f"Trent withholds part {kept[0]} of the document at position {position}, and the court has not ruled so. "
            "Do not answer; keep the question, and tell the court"
        )
    if let_out := sorted(due - found):
        raise Objectionable(
            f"part {let_out[0]} of the document at position {position} is in this question, though the court withholds "
            "it as privileged. Do not read it, and tell Trent and the court"
        )


def _around(proof: DocumentProof) -> frozenset[int]:
    """The parts of which only the text is handed over, since a part that is withheld lies inside."""
    withheld = (number for number, part in enumerate(proof.parts) if isinstance(part, WithheldPart))
    return leaves.around([part.log.parent for part in proof.parts], withheld)


def _shown(
    question: QuestionFile,
    position: int,
    number: int,
    part: OpenPart | WithheldPart,
    texts: Iterator[bytes],
    *,
    text_only: bool,
) -> ShownPart:
    if isinstance(part, WithheldPart):
        return ShownPart(log=part.log, rest=None)
    images = _images(question, position, number, part.rest.fields.get(PAGE_IMAGES))
    return ShownPart(log=part.log, rest=part.rest, text=_decoded(next(texts)), text_only=text_only, images=images)


def _images(question: QuestionFile, position: int, part: int, sealed: str | None) -> tuple[bytes, ...]:
    """The hashes of the pictures of a part's pages, which must be those that were sealed with it."""
    names = (filenames.image_file(position, part, page) for page in count(1))
    hashes = tuple(question.request.files[name] for name in takewhile(question.request.files.__contains__, names))
    if (images_digest(hashes) if hashes else None) != sealed:
        raise Objectionable(
            f"the pictures of pages of the document at position {position} are not those that were sealed with it. Do "
            "not rely on them; keep the question, and tell Trent and the court"
        )
    return hashes


def _texts(
    question: QuestionFile, files: Mapping[int, Mapping[int, str]], proven: Mapping[int, DocumentProof]
) -> Iterator[str]:
    """The file with the text of each open part, once its bytes and its text are known to be those that are proven."""
    hashes, number = question.request.files, question.request.round
    for position, proof in proven.items():
        opened = {part: each for part, each in enumerate(proof.parts) if isinstance(each, OpenPart)}
        around = _around(proof)
        if opened.keys() != files[position].keys():
            raise Objectionable(
                f"the question does not hold exactly the parts of the document at position {position} that are proven; "
                "ask Trent to write it again"
            )
        for part, each in opened.items():
            file, own = files[position][part], filenames.text_file(position, part)
            bare = part in around
            _check_name(file, number, position, part, each.rest.name, text_only=bare)
            text = own if own in hashes else file
            if (hashes[file], hashes[text]) != (each.text_hash if bare else each.content, each.text_hash):
                raise Objectionable(
                    f"{file}, or its text, is not the document that the matter has committed to at position "
                    f"{position}. Do not answer; keep the question, and tell Trent and the court"
                )
            yield text


def _decoded(data: bytes) -> str:
    """A proven text, which the corpus holds in UTF-8."""
    return data.decode(errors="replace")


def _check_pages(question: QuestionFile, made: Mapping[str, bytes], shown: Sequence[ShownDocument]) -> None:
    """Raise unless the pages that a person reads are those that were made here from what is proven."""
    hashes = {name: Digest(hashlib.sha256(page).digest()) for name, page in made.items()}
    readable = (filenames.INDEX, f"{filenames.PAGES}/", f"{filenames.TEXTS}/", f"{filenames.IMAGES}/")
    proven = [(each.position, number, part) for each in shown for number, part in each.open_parts()]
    texts = {filenames.text_file(position, number) for position, number, _ in proven}
    texts |= {
        filenames.image_file(position, number, page)
        for position, number, part in proven
        for page in range(1, len(part.images) + 1)
    }
    for name in sorted(name for name in question.request.files if name.startswith(readable)):
        if name not in texts and hashes.pop(name, None) != question.request.files[name]:
            raise Objectionable(
                f"{name} does not show what is proven. Do not rely on it: Trent has signed a text that is not the "
                "document's, or his program and this one have different versions. Ask him which version he runs; if it "
                "is the same, keep the question, and tell the court"
            )
    if hashes:
        raise Objectionable(f"{min(hashes)} is missing; ask Trent to write the question again")
