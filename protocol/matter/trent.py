"""Trent's own moves: what he adds whenever nobody else must speak first.

Each move follows from the state, the corpus and his coin chain alone, so a move that was computed but not stored before
a crash comes out the same the next time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ledger import records
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import FORMAT, Addition, Attached, Release
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.matter import course, turn, validating
from protocol.matter.course import Next
from protocol.matter.kind import C, Kind
from protocol.matter.kinds import (
    again,
    batch,
    call,
    camera,
    claims,
    closed,
    disclosure,
    dispute,
    draw,
    escalation,
    validation,
)
from protocol.matter.kinds import open as opening_kind
from protocol.matter.kinds.again import Again
from protocol.matter.kinds.batch import Batch
from protocol.matter.kinds.camera import Camera
from protocol.matter.kinds.disclosure import Disclosure
from protocol.matter.kinds.dispute import Dispute
from protocol.matter.kinds.draw import Draw
from protocol.matter.kinds.escalation import Escalated
from protocol.matter.rounds import OVER, Round, Sort, Step
from protocol.matter.seal import Seal
from protocol.matter.state import Matter
from protocol.matter.validating import Drawn
from protocol.matter.values import METHOD, Caption, CorpusCommitment, Link, Opened, Simulation
from protocol.rules.terms import Terms


def opening(
    *,
    matter: Digest,
    corpus: Corpus,
    agreed: Terms,
    keys: dict[Role, PublicKey],
    chain: LinkChain,
    seal: Seal,
    caption: Caption | None,
    simulation: Simulation | None,
) -> Addition:
    """The matter's first entry: the terms, the corpus commitment and the keys, for all parties to sign."""
    content = Opened(
        anchor=chain.anchor,
        caption=caption,
        corpus=CorpusCommitment(account=corpus.account, documents=corpus.size, root=corpus.root, unit=corpus.unit),
        format=FORMAT,
        keys=keys,
        method=METHOD,
        simulation=simulation,
        terms=agreed,
    )
    items, kind = corpus.items(), opening_kind.KIND
    fields: dict[str, Value] = {"account": _reference(items), "vocabulary": corpus.term_table_digest.hex()}
    sealed, openings = seal.close("0", {name: (kind.seals[name], [value]) for name, value in fields.items()})
    return kind.by_trent(matter, content, 0, sealed=sealed, openings=openings, attachments=(items,))


def _reference(attached: Attached) -> Value:
    """A sealed value that stands for an attachment."""
    return records.to_value(attached.reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trent:
    """The neutral of one matter, with the documents, his secret and his coin chain."""

    corpus: Corpus
    cal: Cal
    seal: Seal
    chain: LinkChain
    truth: frozenset[int] | None  # a simulation's responsive documents; a real matter knows none

    def check(self, opening: Opened, vocabulary: str | None) -> None:
        """Raise unless this is the corpus that the matter committed to."""
        self.corpus.check_committed(opening.corpus.root, opening.corpus.documents, vocabulary)

    def move(self, state: Matter, stored: Callable[[Digest], bytes]) -> Addition | None:
        """The next entry, if nobody must answer first; None once the claims are made. `stored` reads attachments."""
        if state.to_repeat is not None:
            return self._ask_again(state, state.to_repeat)
        if state.awaits:
            raise RuntimeError(f"it is not Trent's turn: {turn.waiting(state)}")
        if state.concluded:
            return None
        if state.current is not None:
            return self._go_on(state, state.current)
        number = len(state.rounds) + 1
        if state.drawing is not None and state.drawing.sort is Sort.VALIDATION:
            return self._validation(state, number)
        if state.drawing is not None:
            return self._drawn_batch(state, number)
        match course.following(state):
            case Next.CLAIMS:
                return self.says(state, claims.KIND, claims.claims(state), 0)
            case Next.ESCALATION:
                return self.says(state, escalation.KIND, Escalated(size=len(state.books.exposures)), number)
            case Next.VALIDATION:
                return self._draw(state, number)
            case Next.BATCH if state.one_class:
                return self._draw(state, number)
        return self._batch(state, number, self._by_model(state, stored), drawn=None)

    def _draw(self, state: Matter, number: int) -> Addition:
        return self.says(state, draw.KIND, Draw(draw=state.draws + 1), number)

    def _ask_again(self, state: Matter, role: Role) -> Addition:
        """The void question of a party that has a new key."""
        void = state.void[role]
        return again.KIND.by_trent(state.number, Again(question=void.question), void.round, repeats=role)

    def _by_model(self, state: Matter, stored: Callable[[Digest], bytes]) -> Selection:
        model = state.batches[-1].model
        previous = None if model is None else stored(model.attachment)
        reviewed, labels = state.labelled()
        unlabelled = sorted(state.put_up_documents.difference(reviewed))
        return self.cal.by_model(reviewed, labels, state.terms.batch, previous, unlabelled)

    def _drawn_batch(self, state: Matter, number: int) -> Addition:
        links = self._links(state)
        drawn = Link(draw=state.draws, link=links[Role.TRENT])
        put_up = sorted(state.put_up_documents)
        selection = self.cal.by_coin(state.terms.query, put_up, state.terms.batch, state.seed(links))
        return self._batch(state, number, selection, drawn=drawn)

    def _validation(self, state: Matter, number: int) -> Addition:
        """What the draw takes of all that Bob has not seen, or in two stages of all that was never put up."""
        links, put_up = self._links(state), state.put_up_documents
        begun = validating.begin(state)
        in_one = begun.chances.second is None
        candidates = validating.population(state) if in_one else validating.never(state)
        numbers = validating.drawn(state, links, candidates)
        content = Drawn(
            drawn=Link(draw=state.draws, link=links[Role.TRENT]),
            number=begun.number,
            numbers=numbers,
            reviewed=tuple(place for place, each in enumerate(numbers, start=1) if each in put_up),
        )
        fields = {"documents": [self._place(document) for document in numbers]} if numbers else {}
        kind = validation.KIND if in_one else call.KIND
        return self.says(state, kind, content, number, fields=fields, releases=validating.to_bob(state))

    def _place(self, document: int) -> Value:
        return {"document": document, "name": self.corpus.name(document)}

    def _links(self, state: Matter) -> dict[Role, Digest]:
        """All links of the draw that is under way."""
        return state.links_of_draw() | {Role.TRENT: self.chain.link(state.draws)}

    def _batch(self, state: Matter, number: int, selection: Selection, drawn: Link | None) -> Addition:
        fields: dict[str, Sequence[Value]] = {
            "documents": [self._place(document) for document in selection.documents],
            "numbers": [list[Value](selection.documents)],
        }
        attachments: tuple[Attached, ...] = ()
        if selection.model is not None:
            attachments = (Attached.of(selection.model),)
            fields["model"] = [_reference(attachments[0])]
        content = Batch(drawn=drawn, near_cut=selection.near_cut, size=len(selection.documents))
        return self.says(state, batch.KIND, content, number, fields=fields, attachments=attachments)

    def _go_on(self, state: Matter, current: Round) -> Addition:
        """The round's disputes, its next wave or the part of it that the court must see first, or its close."""
        if disputed := current.open_disputes():
            return self.says(state, dispute.KIND, Dispute(positions=disputed), current.number)
        if course.draw_missing(state, current):
            return self._draw(state, current.number)
        number, link, flips = None, None, list(current.flips or ())
        if state.drawing is not None and current.items is not None:
            links = self._links(state)
            number, link, flips = state.draws, links[Role.TRENT], state.coins(links, current.items)
        step = current.next_step(state.rule, flips)
        if step != OVER:
            return self._show(state, current, step)
        truth = None if self.truth is None else current.truth(self.truth)
        content = closed.content_of(current.ending(state.rule, flips, truth), number, link)
        releases = current.opened_to_bob()
        return self.says(state, closed.KIND, content, current.number, releases=releases)

    def _show(self, state: Matter, current: Round, step: Step) -> Addition:
        """A wave for Bob, or what the court must see before it, each document with its proof, and one path for all."""
        documents = [current.places[position - 1].document for position in step.positions]
        withheld = {} if step.in_camera else current.privilege.upheld_parts
        proofs = (
            self.corpus.proof(document, withheld.get(position, ()))
            for position, document in zip(step.positions, documents, strict=True)
        )
        fields: dict[str, Sequence[Value]] = {
            "path": [self.corpus.paths(documents).hex()],
            "proofs": list(map(records.to_value, proofs)),
        }
        if step.in_camera:
            claimed = Camera(positions=step.positions)
            bases = current.privilege.opened_to_bob(current.claimed_among(step.positions)) or ()
            return self.says(state, camera.KIND, claimed, current.number, fields=fields, releases=bases)
        wave = Disclosure(positions=step.positions)
        places = current.shown_to_bob(step.positions) or ()
        return self.says(state, disclosure.KIND, wave, current.number, fields=fields, releases=places)

    def says(
        self,
        state: Matter,
        kind: Kind[C],
        content: C,
        number: int,
        *,
        fields: Mapping[str, Sequence[Value]] | None = None,
        attachments: tuple[Attached, ...] = (),
        releases: tuple[Release, ...] = (),
    ) -> Addition:
        """An entry of Trent's own. Its kind determines whom it asks and for whom it seals."""
        sealed, openings = self.seal.close(
            str(state.size), {name: (kind.seals[name], values) for name, values in (fields or {}).items()}
        )
        return kind.by_trent(
            state.number,
            content,
            number,
            sealed=sealed,
            openings=openings,
            attachments=attachments,
            releases=releases,
        )
