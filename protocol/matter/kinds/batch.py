"""`batch`: the documents of the round, those with the highest score first.

Sealed: `documents`, a `Place` each, for Alice and the court, and `numbers`, the documents' numbers as one value, which
a validation opens to Bob; if a model ranked them, also `model`, an attachment for the court.
"""

from ledger import entries, records
from ledger.entries import Attachment
from ledger.records import Malformed, Natural, Record
from ledger.roles import Audience, Role
from protocol.matter import requirements
from protocol.matter.course import Next
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS, Link, Place
from protocol.rules.terms import Positive


class Batch(Record, frozen=True, kw_only=True):
    """How the batch was chosen, and how large it is."""

    drawn: Link | None  # if coins chose the batch: the draw, and Trent's link
    near_cut: Natural | None  # how many documents the optimal model could put on the other side of the batch's end
    size: Positive


def blind(matter: Matter, content: Batch, entry: Entry) -> None:
    """A batch is due, and was chosen by coin or by a model as it must be."""
    requirements.next_batch(matter, entry)
    by_model = "model" in entry.statement.sealed
    if (content.drawn is None) != by_model or by_model == (matter.drawing is not None) or by_model == matter.one_class:
        raise Malformed("a batch must be drawn by coin while nothing can be learnt, and chosen by a model afterwards")
    if content.drawn is not None:
        requirements.link(matter, Role.TRENT, matter.draws, content.drawn)
    requirements.sealed(entry, "documents", content.size)
    requirements.sealed(entry, "numbers", 1)
    most = min(matter.terms.batch, matter.opening.corpus.documents - matter.put_up)
    if content.size > most:
        raise Malformed(f"the batch has {content.size} documents, but can hold at most {most}")


def check(matter: Matter, content: Batch, entry: Entry) -> None:
    """A batch is due. Its documents are in the corpus, and none was put up before."""
    if matter.drawing is None:
        requirements.comes_next(matter, Next.BATCH)
    elif matter.drawing.sort is not Sort.BATCH:
        raise Malformed("the draw was for a validation")
    documents = [place.document for place in _places(entry)]
    if len(set(documents)) != len(documents) or not matter.put_up_documents.isdisjoint(documents):
        raise Malformed("a document is put up for the second time")
    if entry.values("numbers") != [documents]:
        raise Malformed("'numbers' are not the numbers of its documents")
    if max(documents) >= matter.opening.corpus.documents:
        raise Malformed(f"document {max(documents)} is not in the corpus")


def take(matter: Matter, content: Batch, entry: Entry) -> None:
    """A round begins."""
    if content.drawn is not None:
        matter.spend(Role.TRENT, content.drawn.link)
    matter.drawing = None
    matter.begin_round(
        Round(
            number=entry.statement.round,
            size=content.size,
            documents=None if entry.openings is None else _places(entry),
            sources=tuple((entry.sequence, index) for index in range(content.size)),
            seats=(None,) * content.size,
            items=range(1, content.size + 1),
            fresh=frozenset(range(1, content.size + 1)),
            near_cut=content.near_cut,
            model=_model(entry),
        )
    )


def _places(entry: Entry) -> tuple[Place, ...]:
    return tuple(records.from_values(Place, entry.values("documents")))


def _model(entry: Entry) -> Attachment | None:
    return next((entries.attachment_in(each) for each in entry.openings or () if each.field == "model"), None)


KIND = Kind(
    name="batch",
    record=Batch,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "report"},
    seals={"documents": OWNERS, "model": (Audience.COURT,), "numbers": OWNERS},
    optional=("model",),  # missing if coins chose the batch
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="batch", event=None),
)
