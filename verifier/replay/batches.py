"""V09: has each batch its due size, by coin or by model as it must, and no document twice that the copy names?"""

from verifier.checks import Check
from verifier.plural import count
from verifier.record.shapes import Malformed, listed, natural, read_all
from verifier.replay import coins, course
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Batch, Draw, Place
from verifier.replay.rounds import Round

_BY_COIN_OR_MODEL = "A batch is chosen by coin while all labels so far are equal, and by model afterwards"


@condition(Check.BATCHES, Blamed.TRENT, _BY_COIN_OR_MODEL)
def draw_is_due(entry: Candidate[Draw]) -> Broken | None:
    """No draw is under way; and all output labels so far are equal, unless the draw is for a validation or belongs to
    an open escalation.
    """
    state = entry.state
    for_batch = state.current is None and course.validation_due(state) is False
    return None if state.drawing is None and (state.one_class or not for_batch) else Broken("a batch", "a draw")


def _by_coin(entry: Candidate[Batch]) -> bool:
    """Whether the batch must be chosen by coin; if the copy does not show that, whether it was."""
    state = entry.state
    return entry.content.drawn is not None if state.one_class_unclear else state.one_class


@condition(Check.BATCHES, Blamed.TRENT, _BY_COIN_OR_MODEL)
def by_coin_or_model(entry: Candidate[Batch]) -> Broken | None:
    """While all output labels so far are equal: there was a draw, `drawn` is stated, no `model` is sealed, `near_cut`
    is null. Afterwards: there was no draw, `drawn` is null, a `model` is sealed, `near_cut` is stated.
    """
    by_coin, content = _by_coin(entry), entry.content
    signs = (
        entry.state.drawing is not None,
        content.drawn is not None,
        "model" not in entry.said.sealed,
        content.near_cut is None,
    )
    if set(signs) == {by_coin}:
        return None
    return Broken("a batch by coin" if by_coin else "a batch by model", "another one")


@condition(
    Check.BATCHES,
    Blamed.TRENT,
    "A batch has as many documents as the terms say, and fewer only if fewer are left or found",
)
def due_size(entry: Candidate[Batch]) -> Broken | None:
    """As many documents are sealed as `size` says, and that is min(N, documents left). If the batch is drawn and the
    query is not empty, it may be less.
    """
    opened, size, sealed = entry.state.opened, entry.content.size, entry.sealed("documents")
    left = min(opened.terms.batch, opened.corpus.documents - entry.state.put_up)
    may_be_less = _by_coin(entry) and bool(opened.terms.query)
    if sealed == size and (size == left or (may_be_less and size < left)):
        return None
    return Broken(left, f"{size}, but {sealed} are sealed")


@condition(Check.BATCHES, Blamed.TRENT, "A batch by model seals one model")
def one_model(entry: Candidate[Batch]) -> Broken | None:
    """A batch by model seals one `model`."""
    found = entry.sealed("model")
    return None if _by_coin(entry) or found == 1 else Broken(1, found)


def _places(entry: Candidate[Batch]) -> dict[int, Place]:
    """The documents of the batch by position, as far as the copy shows them."""
    shown = entry.told.values.get("documents", {})
    places = read_all(Place, list(shown.values()))
    return {index + 1: place for index, place in zip(shown, places, strict=True)}


@condition(Check.BATCHES, Blamed.TRENT, "Each value of a batch names a document", shown="documents of the batch")
def names_documents(entry: Candidate[Batch]) -> Broken | None:
    """Each value of `documents` that the copy opens has its shape."""
    try:
        entry.once(_places)
    except Malformed as error:
        return Broken("a document", error)
    return None


@condition(
    Check.BATCHES,
    Blamed.TRENT,
    "A batch names documents of the corpus, each of them once in the whole matter",
    shown="documents of the batch",
)
def each_document_once(entry: Candidate[Batch]) -> Broken | None:
    """Each document that the copy names is in the corpus, and was not put up before."""
    size, seen = entry.state.opened.corpus.documents, set[int]()
    for position, place in entry.once(_places).items():
        if place.document >= size or place.document in entry.state.documents or place.document in seen:
            return Broken(
                f"a number below {size} that was not put up before",
                f"document {place.document} at position {position}",
            )
        seen.add(place.document)
    return None


def _numbers(entry: Candidate[Batch]) -> tuple[int, ...] | None:
    """The documents' numbers in the order of positions, if the copy shows them."""
    shown = entry.told.all_of("numbers")
    return None if shown is None else listed(natural)(shown[0])


@condition(Check.BATCHES, Blamed.TRENT, "A batch seals one list of its documents' numbers")
def one_list_of_numbers(entry: Candidate[Batch]) -> Broken | None:
    """It seals one `numbers`."""
    found = entry.sealed("numbers")
    return None if found == 1 else Broken(1, found)


@condition(
    Check.BATCHES,
    Blamed.TRENT,
    "The sealed numbers of a batch are those of its documents, each of them once in the whole matter",
    shown="the numbers",
)
def numbers_agree(entry: Candidate[Batch]) -> Broken | None:
    """`numbers` is an array of `size` numbers of the corpus, none of them twice or put up before. Where the copy names
    the document at a position, it has this number.
    """
    state, places = entry.state, entry.once(_places)
    try:
        numbers = entry.once(_numbers)
    except Malformed as error:
        return Broken("an array of numbers", error)
    if numbers is None:
        return None
    if len(numbers) != entry.content.size or len(set(numbers)) != len(numbers):
        return Broken(count(entry.content.size, "number"), count(len(set(numbers)), "different one"))
    for position, number in enumerate(numbers, start=1):
        if number >= state.opened.corpus.documents or number in state.documents:
            return Broken("a document of the corpus that was not put up before", f"number {number}")
        if position in places and places[position].document != number:
            return Broken(f"document {places[position].document} at position {position}", f"number {number}")
    return None


def take_batch(entry: Candidate[Batch]) -> None:
    """A round begins with its batch."""
    state, content, places = entry.state, entry.content, entry.once(_places)
    coins.spend(entry)
    seed = state.seed() if content.drawn is not None else None
    numbers = entry.once(_numbers)
    state.documents.update(numbers or (place.document for place in places.values()))
    state.numbers_known = state.numbers_known and numbers is not None
    state.numbers_sealed_in.append(entry.sequence)
    state.current = Round(
        number=entry.said.round,
        size=content.size,
        batch_entry=entry.sequence,
        near_cut=content.near_cut,
        places=places,
        numbers=numbers if state.keeps_withheld else None,
        classes=state.opened.terms.classes is not None,
    )
    state.drawing = None
    state.tally.passed(Check.BATCHES)
    if state.corpus:
        state.corpus.batch(entry.told, content, places, seed)
