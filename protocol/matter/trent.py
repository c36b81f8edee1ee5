"""Trent's own moves: what he adds whenever nobody else must speak first.

Each move follows from the state, the corpus and his link chain alone, so that a move that was computed but not stored
before a crash is made again in the same way.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from hashlib import sha256

from ledger import coins, records
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import FORMAT, OPEN, Release, Statement
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.log import Addition
from ledger.records import Record
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.learning.cal import Cal, Selection
from protocol.matter import claims, statements
from protocol.matter.sealing import Seal
from protocol.matter.state import MatterState, Round
from protocol.matter.statements import Kind
from protocol.rules import base

_OWNERS = (Audience.ALICE, Audience.COURT)
_PARTIES = (Audience.ALICE, Audience.BOB, Audience.COURT)


def opening(
    *,
    matter: Digest,
    corpus: Corpus,
    agreed: statements.Terms,
    keys: dict[Role, PublicKey],
    chain: LinkChain,
    seal: Seal,
    simulation: statements.Simulation | None,
) -> Addition:
    """The matter's first entry: the terms, the corpus commitment and the keys, for all parties to sign."""
    content = statements.Opening(
        anchor=chain.anchor,
        corpus=statements.CorpusCommitment(documents=corpus.size, root=corpus.root),
        format=FORMAT,
        keys=keys,
        simulation=simulation,
        terms=agreed,
    )
    vocabulary: list[Value] = [corpus.term_table_digest.hex()]
    sealed, openings = seal.close("0", {"vocabulary": ((Audience.COURT,), vocabulary)})
    statement = Statement(
        answers=None,
        author=Role.TRENT,
        content=records.to_value(content),
        kind=OPEN,
        matter=matter,
        replaces=(),
        round=0,
        sealed=sealed,
    )
    return Addition(statement=statement, openings=openings, asks=(Role.ALICE, Role.BOB, Role.COURT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trent:
    """The neutral of one matter, with the documents, his secret and his chain."""

    corpus: Corpus
    cal: Cal
    seal: Seal
    chain: LinkChain
    stored: Callable[[Digest], bytes]  # an attachment of the matter
    truth: frozenset[int] | None  # a simulation's responsive documents; a real matter knows none

    def check(self, state: MatterState) -> None:
        """Raise unless this is the corpus that the matter committed to."""
        committed = state.opening.corpus
        if (self.corpus.root, self.corpus.size) != (committed.root, committed.documents):
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
            return self._says(state, Kind.CLAIMS, claims.claims(state), number=0)
        if state.one_class:
            return self._says(
                state, Kind.DRAW, statements.Draw(draw=state.draws + 1), number=number, asks=(Role.ALICE, Role.BOB)
            )
        return self._batch(state, number, self._by_model(state), drawn=None)

    def _by_model(self, state: MatterState) -> Selection:
        model = state.rounds[-1].model
        previous = None if model is None else self.stored(model.attachment)
        reviewed, labels = state.labelled()
        return self.cal.by_model(reviewed, labels, state.terms.batch, previous)

    def _drawn_batch(self, state: MatterState, number: int) -> Addition:
        draw, links = self._links(state)
        seed = coins.seed(matter=state.matter, draw=draw, links=links, answered=state.query_hash())
        drawn = statements.Link(draw=draw, link=links[Role.TRENT])
        reviewed, _ = state.labelled()
        selection = self.cal.by_coin(state.terms.query, reviewed, state.terms.batch, seed)
        return self._batch(state, number, selection, drawn=drawn)

    def _links(self, state: MatterState) -> tuple[int, dict[Role, Digest]]:
        """The draw that is under way, with Trent's own link."""
        drawing = state.drawing
        if drawing is None:
            raise RuntimeError("no draw is under way")
        return drawing.number, drawing.links | {Role.TRENT: self.chain.link(drawing.number)}

    def _batch(self, state: MatterState, number: int, selection: Selection, drawn: statements.Link | None) -> Addition:
        places: list[Value] = [
            {"document": document, "name": self.corpus.name(document)} for document in selection.documents
        ]
        fields: dict[str, tuple[Sequence[Audience], Sequence[Value]]] = {"documents": (_OWNERS, places)}
        attachments: tuple[bytes, ...] = ()
        if selection.model is not None:
            attachments = (selection.model,)
            reference: Value = {"attachment": sha256(selection.model).hexdigest(), "size": len(selection.model)}
            fields["model"] = ((Audience.COURT,), [reference])
        content = statements.Batch(drawn=drawn, near_cut=selection.near_cut, size=len(places))
        return self._says(
            state, Kind.BATCH, content, number=number, fields=fields, attachments=attachments, asks=(Role.ALICE,)
        )

    def _go_on(self, state: MatterState, current: Round) -> Addition:
        """The round's next wave, its disputes, or its close."""
        if current.disclosed and not current.disputed and (disputed := current.disagreements()):
            content = statements.Dispute(positions=disputed)
            return self._says(state, Kind.DISPUTE, content, number=current.number, asks=(Role.COURT,))
        draw, links = self._links(state)
        flips = state.coins(links, current.size)
        found = state.rule.examine(current.report, flips, current.settled)
        wave = tuple(sorted(found.due - current.settled.keys()))
        return self._disclosure(state, current, wave) if wave else self._close(state, current, found, draw, links)

    def _disclosure(self, state: MatterState, current: Round, wave: tuple[int, ...]) -> Addition:
        documents = [current.places[position - 1].document for position in wave]
        proofs: list[Value] = [records.to_value(self.corpus.opening(document)) for document in documents]
        release = Release(
            audience=Audience.BOB,
            entry=current.batch_entry,
            field="documents",
            indices=tuple(position - 1 for position in wave),
        )
        return self._says(
            state,
            Kind.DISCLOSURE,
            statements.Disclosure(positions=wave),
            number=current.number,
            fields={"proofs": (_PARTIES, proofs)},
            asks=(Role.BOB,),
            releases=(release,),
        )

    def _close(
        self, state: MatterState, current: Round, found: base.Examination, draw: int, links: dict[Role, Digest]
    ) -> Addition:
        settled = current.settled
        labels = base.output(current.report, settled)
        content = statements.Closed(
            compelled=found.compelled_at is not None,
            draw=draw,
            error=found.error,
            link=links[Role.TRENT],
            responsive=tuple(position for position, label in enumerate(labels, start=1) if label),
            sampled=len(found.drawn),
            threshold=found.threshold,
            truth=self._truth(current, settled.keys()),
        )
        fields = ("labels", "threshold") if state.rule.reports_threshold else ("labels",)
        releases = tuple(
            Release(audience=Audience.BOB, entry=current.report_entry, field=name, indices=None) for name in fields
        )
        return self._says(state, Kind.CLOSED, content, number=current.number, releases=releases)

    def _truth(self, current: Round, disclosed: Container[int]) -> statements.Truth | None:
        if self.truth is None:
            return None
        responsive = [place for place, each in enumerate(current.places, start=1) if each.document in self.truth]
        return statements.Truth(responsive=len(responsive), revealed=sum(place in disclosed for place in responsive))

    def _says(
        self,
        state: MatterState,
        kind: Kind,
        content: Record,
        *,
        number: int,
        fields: dict[str, tuple[Sequence[Audience], Sequence[Value]]] | None = None,
        attachments: tuple[bytes, ...] = (),
        asks: tuple[Role, ...] = (),
        releases: tuple[Release, ...] = (),
    ) -> Addition:
        sealed, openings = self.seal.close(str(state.size), fields or {})
        statement = Statement(
            answers=None,
            author=Role.TRENT,
            content=records.to_value(content),
            kind=kind,
            matter=state.matter,
            replaces=(),
            round=number,
            sealed=sealed,
        )
        return Addition(statement=statement, openings=openings, attachments=attachments, asks=asks, releases=releases)
