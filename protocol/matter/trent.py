"""Trent's own moves: what he adds whenever nobody else must speak first.

Each move follows from the state, the corpus and his link chain alone, so that a move that was computed but not stored
before a crash is made again in the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from ledger import records
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import FORMAT, Release
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.log import Addition
from ledger.records import Record
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.learning.cal import Cal, Selection
from protocol.matter import additions, claims, statements
from protocol.matter.rounds import OVER, Round, Step
from protocol.matter.sealing import Seal
from protocol.matter.state import MatterState
from protocol.matter.statements import METHOD, SHAPES, Kind
from protocol.rules.terms import Terms


def opening(
    *,
    matter: Digest,
    corpus: Corpus,
    agreed: Terms,
    keys: dict[Role, PublicKey],
    chain: LinkChain,
    seal: Seal,
    caption: statements.Caption | None,
    simulation: statements.Simulation | None,
) -> Addition:
    """The matter's first entry: the terms, the corpus commitment and the keys, for all parties to sign."""
    content = statements.Opening(
        anchor=chain.anchor,
        caption=caption,
        corpus=statements.CorpusCommitment(documents=corpus.size, extraction=corpus.extraction, root=corpus.root),
        format=FORMAT,
        keys=keys,
        method=METHOD,
        simulation=simulation,
        terms=agreed,
    )
    vocabulary: list[Value] = [corpus.term_table_digest.hex()]
    sealed, openings = seal.close("0", {"vocabulary": (SHAPES[Kind.OPEN].sealed["vocabulary"], vocabulary)})
    return additions.by_trent(matter, Kind.OPEN, content, 0, sealed=sealed, openings=openings)


def _nothing_stored(digest: Digest) -> bytes:
    raise RuntimeError(f"no matter is at hand that could hold the attachment {digest.hex()}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trent:
    """The neutral of one matter, with the documents, his secret and his chain."""

    corpus: Corpus
    cal: Cal
    seal: Seal
    chain: LinkChain
    truth: frozenset[int] | None  # a simulation's responsive documents; a real matter knows none
    stored: Callable[[Digest], bytes] = _nothing_stored  # an attachment of the matter

    def check(self, state: MatterState) -> None:
        """Raise unless this is the corpus that the matter committed to."""
        committed = state.opening.corpus
        here = (self.corpus.root, self.corpus.size, self.corpus.term_table_digest.hex())
        if here != (committed.root, committed.documents, state.vocabulary):
            raise BadCorpus(
                f"{self.corpus.path} is not the corpus that the matter was opened with: its root is "
                f"{self.corpus.root.hex()}, the matter's is {committed.root.hex()}. Go on with the corpus of then"
            )

    def move(self, state: MatterState) -> Addition | None:
        """The next entry, when nobody is awaited; None once the claims are made."""
        if state.claims is not None:
            return None
        if state.current is not None:
            return self._go_on(state, state.current)
        number = len(state.rounds) + 1
        if state.drawing is not None:
            return self._drawn_batch(state, number)
        if number > state.terms.rounds or state.exhausted:
            return self.says(state, Kind.CLAIMS, claims.claims(state), 0)
        if state.one_class:
            return self.says(state, Kind.DRAW, statements.Draw(draw=state.draws + 1), number)
        return self._batch(state, number, self._by_model(state), drawn=None)

    def _by_model(self, state: MatterState) -> Selection:
        model = state.rounds[-1].model
        previous = None if model is None else self.stored(model.attachment)
        reviewed, labels = state.labelled()
        return self.cal.by_model(reviewed, labels, state.terms.batch, previous)

    def _drawn_batch(self, state: MatterState, number: int) -> Addition:
        links = self._links(state)
        drawn = statements.Link(draw=state.draws, link=links[Role.TRENT])
        reviewed, _ = state.labelled()
        selection = self.cal.by_coin(state.terms.query, reviewed, state.terms.batch, state.seed(links))
        return self._batch(state, number, selection, drawn=drawn)

    def _links(self, state: MatterState) -> dict[Role, Digest]:
        """All links of the draw that is under way."""
        return state.links_of_draw() | {Role.TRENT: self.chain.link(state.draws)}

    def _batch(self, state: MatterState, number: int, selection: Selection, drawn: statements.Link | None) -> Addition:
        fields: dict[str, Sequence[Value]] = {
            "documents": [
                {"document": document, "name": self.corpus.name(document)} for document in selection.documents
            ]
        }
        attachments: tuple[bytes, ...] = ()
        if selection.model is not None:
            attachments = (selection.model,)
            fields["model"] = [{"attachment": sha256(selection.model).hexdigest(), "size": len(selection.model)}]
        content = statements.Batch(drawn=drawn, near_cut=selection.near_cut, size=len(selection.documents))
        return self.says(state, Kind.BATCH, content, number, fields=fields, attachments=attachments)

    def _go_on(self, state: MatterState, current: Round) -> Addition:
        """The round's disputes, its next wave or what of it the court must see first, or its close."""
        if disputed := current.open_disputes():
            return self.says(state, Kind.DISPUTE, statements.Dispute(positions=disputed), current.number)
        draw, link, flips = None, None, list[int]()
        if not current.unreported:
            links = self._links(state)
            draw, link, flips = state.draws, links[Role.TRENT], state.coins(links, current.size)
        step = current.next_step(state.rule, flips)
        if step != OVER:
            return self._show(state, current, step)
        truth = None if self.truth is None else current.truth(self.truth)
        closed = current.outcome(state.rule, flips, draw=draw, link=link, truth=truth)
        return self.says(state, Kind.CLOSED, closed, current.number, releases=current.opened_to_bob())

    def _show(self, state: MatterState, current: Round, step: Step) -> Addition:
        """A wave for Bob, or what the court is to see before it, each document with its proof."""
        documents = [current.places[position - 1].document for position in step.positions]
        fields = {"proofs": [records.to_value(self.corpus.opening(document)) for document in documents]}
        if step.in_camera:
            camera = statements.Camera(positions=step.positions)
            bases = current.privilege.opened_to_bob(step.positions)
            return self.says(state, Kind.CAMERA, camera, current.number, fields=fields, releases=bases)
        wave = statements.Disclosure(positions=step.positions)
        places = current.shown_to_bob(step.positions)
        return self.says(state, Kind.DISCLOSURE, wave, current.number, fields=fields, releases=places)

    def says(
        self,
        state: MatterState,
        kind: Kind,
        content: Record,
        number: int,
        *,
        fields: Mapping[str, Sequence[Value]] | None = None,
        attachments: tuple[bytes, ...] = (),
        releases: tuple[Release, ...] = (),
    ) -> Addition:
        """An entry of Trent's own; whom it asks and for whom it seals follows from its kind."""
        shape = SHAPES[kind]
        sealed, openings = self.seal.close(
            str(state.size), {name: (shape.sealed[name], values) for name, values in (fields or {}).items()}
        )
        return additions.by_trent(
            state.matter,
            kind,
            content,
            number,
            sealed=sealed,
            openings=openings,
            attachments=attachments,
            releases=releases,
        )
