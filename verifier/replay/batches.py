"""Which documents a round is about: drawn by coin, or chosen by a model (V08, V09)."""

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, read_all
from verifier.replay import contents
from verifier.replay.contents import Link, Place
from verifier.replay.rounds import Round
from verifier.replay.state import Drawing, State
from verifier.replay.turns import broken
from verifier.rules import coins


def draw(state: State, content: contents.Draw, told: Told) -> None:
    """Trent asks for the links of a draw."""
    state.check_next_round(told)
    if state.drawing is not None or not state.one_class:
        raise broken(
            told,
            Check.BATCHES,
            Role.TRENT,
            "A batch is drawn by coin while all labels so far are equal, and by model afterwards",
            "a batch",
            "a draw",
        )
    if not content.draw == state.draws + 1 <= state.opened.terms.draws:
        raise broken(
            told, Check.COINS, Role.TRENT, "Draws are counted through the matter", state.draws + 1, content.draw
        )
    opened = state.opened
    state.draws += 1
    state.drawing = Drawing(answered=coins.query_answered(opened.corpus.root, opened.terms.query))


def link(state: State, content: Link, told: Told) -> None:
    """Alice or Bob gives the link of the draw under way."""
    state.take_link(told, told.entry.said.author, content.draw, content.link)


def batch(state: State, content: contents.Batch, told: Told) -> None:
    """The round's batch."""
    state.check_next_round(told)
    sealed, opened = told.entry.said.sealed, state.opened
    seed = None
    by_coin = state.one_class
    if (state.drawing is not None, content.drawn is not None, "model" not in sealed, content.near_cut is None) != (
        (by_coin,) * 4
    ):
        raise broken(
            told,
            Check.BATCHES,
            Role.TRENT,
            "A batch is drawn by coin while all labels so far are equal, and by model afterwards",
            "a batch by coin" if by_coin else "a batch by model",
            "another one",
        )
    if content.drawn is not None:
        state.take_link(told, Role.TRENT, content.drawn.draw, content.drawn.link)
        seed = state.seed
    left = min(opened.terms.batch, opened.corpus.documents - state.reviewed)
    may_be_less = by_coin and opened.terms.query
    if len(sealed["documents"].commitments) != content.size or not (
        content.size == left or (may_be_less and content.size < left)
    ):
        raise broken(
            told,
            Check.BATCHES,
            Role.TRENT,
            "A batch has as many documents as the terms say, and fewer only where fewer are left or found",
            left,
            f"{content.size}, of which {len(sealed['documents'].commitments)} are sealed",
        )
    if not by_coin and len(sealed["model"].commitments) != 1:
        raise broken(told, Check.BATCHES, Role.TRENT, "A batch has one model", 1, len(sealed["model"].commitments))
    state.current = Round(
        number=told.entry.said.round,
        size=content.size,
        batch_entry=told.entry.body.sequence,
        near_cut=content.near_cut,
        places=_places(state, told),
    )
    state.drawing = None
    state.tally.passed(Check.BATCHES)
    if state.corpus:
        state.corpus.batch(told, content, state.current.places, seed)


def _places(state: State, told: Told) -> dict[int, Place]:
    """The documents of a batch that the copy shows, each of the corpus and in no batch before."""
    found: dict[int, Place] = {}
    shown = told.opened.get("documents", {})
    try:
        places = read_all(Place, list(shown.values()))
    except Malformed as error:
        raise broken(
            told, Check.BATCHES, Role.TRENT, "A batch names documents of the corpus", "a document", error
        ) from None
    for index, place in zip(shown, places, strict=True):
        if place.document >= state.opened.corpus.documents or place.document in state.documents:
            raise broken(
                told,
                Check.BATCHES,
                Role.TRENT,
                "A batch names documents of the corpus, each of them once in the whole matter",
                f"a number below {state.opened.corpus.documents} that has not stood in a batch",
                f"document {place.document} at position {index + 1}",
            )
        state.documents.add(place.document)
        found[index + 1] = place
    return found
