"""The ways in which simulated parties bend escalations, validations and classes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from ledger.entries import Addition
from ledger.hashing import Digest
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.matter import privilege_log
from protocol.matter.escalations import Escalation
from protocol.matter.kinds import call, claims, closed, draw, escalation, validation
from protocol.matter.kinds.closed import Closed
from protocol.matter.kinds.draw import Draw
from protocol.matter.kinds.escalation import Escalated
from protocol.matter.rounds import Known, Procedure, Round, Sort, Step
from protocol.matter.validating import Drawn, Validation
from protocol.matter.values import Link
from protocol.rules.base import Examination
from tests.support.forging.running import Change, CheatingRun

Bend = Callable[[CheatingRun, Addition], Addition | None]
Due = Callable[[Round, Examination], Examination]


def at(
    kind: str,
    bend: Bend,
    *,
    author: Role = Role.TRENT,
    sort: Sort | None = None,
    when: Callable[[CheatingRun], bool] = lambda _: True,
) -> Change:
    """Change the first entry of this kind, perhaps only in rounds of this sort, and when something holds."""

    def changed(run: CheatingRun, addition: Addition) -> Addition | None:
        said, current = addition.statement, run.state.current
        if run.cheated or (said.kind, said.author) != (kind, author):
            return None
        if sort is not None and (current is None or current.sort is not sort):
            return None
        return bend(run, addition) if when(run) else None

    return changed


def until_its_close(change: Change) -> Change:
    """The change, and the record ends with the close of its round: what follows would rest on what nobody knows."""
    rounds: dict[int, int] = {}

    def changed(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if found := change(run, addition):
            rounds[id(run)] = said.round
        if said.kind == "closed" and rounds.get(id(run)) == said.round:
            run.last = True
            return found or addition
        return found

    return changed


def values_of(addition: Addition, field: str) -> list[Any]:
    """The values that an addition seals in a field."""
    return [each.value for each in addition.openings if each.field == field]


def resealed(field: str, change: Callable[[list[Any]], list[Any]]) -> Bend:
    """Other sealed values, with the hash of the openings that a report signs."""

    def bend(run: CheatingRun, addition: Addition) -> Addition:
        sealed = run.sealing(addition, field, change(values_of(addition, field)))
        if "openings" not in sealed.statement.content:
            return sealed
        return run.saying(sealed, openings=hash_openings(sealed.openings).hex())

    return bend


def also_sealing(field: str, audiences: tuple[Audience, ...], values: Sequence[Any]) -> Bend:
    """One more sealed field, with the hash of the openings that a report signs."""

    def bend(run: CheatingRun, addition: Addition) -> Addition:
        said = addition.statement
        sealed, openings = run.plan.seal(said.author).close(
            f"more/{said.round}/{said.kind}", {field: (audiences, list(values))}
        )
        every = tuple(sorted((*addition.openings, *openings), key=lambda each: (each.field, each.index)))
        changed = replace(run.resigned(addition, sealed=said.sealed | sealed), openings=every)
        return run.saying(changed, openings=hash_openings(every).hex())

    return bend


# what is due


@dataclass(frozen=True, slots=True, kw_only=True)
class BentEscalation(Escalation):
    """An escalation that shows what a cheating Trent wishes."""

    due: Due

    def examine(self, review: Round, coins: Sequence[int], known: Known) -> Examination:
        found = super(BentEscalation, self).examine(review, coins, known)
        return self.due(review, found)


@dataclass(frozen=True, slots=True, kw_only=True)
class BentValidation(Validation):
    """A validation that shows what a cheating Trent wishes."""

    due: Due

    def examine(self, review: Round, coins: Sequence[int], known: Known) -> Examination:
        found = super(BentValidation, self).examine(review, coins, known)
        return self.due(review, found)


def _fields(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def _bent(procedure: Procedure | None, due: Due) -> Procedure:
    if isinstance(procedure, Escalation):
        return BentEscalation(**_fields(procedure), due=due)
    if isinstance(procedure, Validation):
        return BentValidation(**_fields(procedure), due=due)
    raise RuntimeError("only escalations and validations have a procedure")


def showing(kind: str, due: Due, *, author: Role = Role.ALICE, number: int = 0) -> Change:
    """From the first such answer on, in this round or in any, Trent shows something else than what is due."""

    def bend(run: CheatingRun, addition: Addition) -> Addition | None:
        if number and addition.statement.round != number:
            return None
        current = run.state.rounds[-1]
        current.procedure = _bent(current.procedure, due)
        return addition

    is_bent = at(kind, bend, author=author, when=lambda run: run.state.rounds[-1].procedure is not None)
    return until_its_close(is_bent)


def one_too_few(_: Round, found: Examination) -> Examination:
    """The last that a coin drew is not shown."""
    return replace(found, due=found.due - {max(found.drawn, default=0)})


def one_too_many(review: Round, found: Examination) -> Examination:
    """The last position is shown that no coin drew."""
    rest = sorted(set(range(1, review.size + 1)) - found.due)
    return replace(found, due=found.due | set(rest[-1:]))


def nothing_given_up(review: Round, found: Examination) -> Examination:
    """What Alice gives up is not shown."""
    return replace(found, due=found.due - review.given_up)


def all_at_once(review: Round, found: Examination) -> Examination:
    """Everything is shown."""
    return replace(found, due=frozenset(range(1, review.size + 1)))


def with_another_target(run: CheatingRun, addition: Addition) -> Addition:
    """Trent computes the chance of the draw for another target."""
    current = run.state.rounds[-1]
    if isinstance(current.procedure, Escalation):
        current.procedure = replace(current.procedure, target=current.procedure.target / 2)
    return addition


def waving(change: Callable[[Round, tuple[int, ...]], Iterable[int]]) -> Bend:
    """A wave of other positions, released and proven as it must be."""

    def bend(run: CheatingRun, addition: Addition) -> Addition | None:
        current, before = run.state.rounds[-1], tuple(addition.statement.content["positions"])
        positions = tuple(sorted(change(current, before)))
        return run.trent._show(run.state, current, Step(positions=positions)) if positions not in ((), before) else None

    return bend


def in_camera(run: CheatingRun, addition: Addition) -> Addition:
    """What should go to Bob goes to the court, as far as it is of a class."""
    classes = run.state.rounds[-1].privilege.classes
    positions = tuple(each for each in addition.statement.content["positions"] if each in classes)
    return run.trent._show(run.state, run.state.rounds[-1], Step(positions=positions, in_camera=True))


def to_bob_at_once(run: CheatingRun, addition: Addition) -> Addition:
    """What should go to the court goes to Bob, and to nobody else."""
    positions = tuple(addition.statement.content["positions"])
    return run.trent._show(run.state, run.state.rounds[-1], Step(positions=positions))


def forgetting_claims(run: CheatingRun, addition: Addition) -> Addition | None:
    """Trent goes on as if Alice had claimed nothing of what should go to the court now."""
    log = run.state.rounds[-1].privilege
    for position in addition.statement.content["positions"]:
        log.claimed.pop(position)
        log.classes.pop(position, None)
    return run.move()


def forgetting_reports(run: CheatingRun, addition: Addition) -> Addition | None:
    """Trent goes on as if what Alice claimed in the reports that labelled documents were claimed no more."""
    log = run.state.rounds[-1].privilege
    for position in set(addition.statement.content["positions"]) - log.late:
        log.claimed.pop(position)
        log.classes.pop(position, None)
    return run.move()


def claiming(chosen: Callable[[Round], Iterable[int]]) -> Bend:
    """A late claim names the first of these positions in place of its own first one."""

    def bend(run: CheatingRun, addition: Addition) -> Addition:
        _, *others = addition.statement.content["positions"]
        return run.saying(addition, positions=sorted({min(chosen(run.state.rounds[-1])), *others}))

    return bend


# what comes next


def claims_now(run: CheatingRun, _: Addition) -> Addition:
    """Trent makes the claims, whatever else is due."""
    return run.trent.says(run.state, claims.KIND, claims.claims(run.state), 0)


def escalation_now(run: CheatingRun, _: Addition) -> Addition:
    """An escalation begins here."""
    size = max(1, len(run.state.books.exposures))
    return run.trent.says(run.state, escalation.KIND, Escalated(size=size), len(run.state.rounds) + 1)


def batch_now(run: CheatingRun, _: Addition) -> Addition:
    """A batch by model is put up here."""
    state = run.state
    return run.trent._batch(state, len(state.rounds) + 1, run.trent._by_model(state, run.desk.attachment), drawn=None)


def draw_now(run: CheatingRun, _: Addition) -> Addition:
    """A draw begins here: in the open round, or for the next one."""
    state = run.state
    number = len(state.rounds) + (state.current is None)
    return run.trent.says(state, draw.KIND, Draw(draw=state.draws + 1), number)


def validation_now(run: CheatingRun, _: Addition) -> Addition:
    """A validation begins with the draw that is under way, of whatever it was for."""
    state, trent = run.state, run.trent
    link = Link(draw=state.draws, link=trent.chain.link(state.draws))
    content = Drawn(drawn=link, number=1, numbers=(), reviewed=())
    return trent.says(state, validation.KIND, content, len(state.rounds) + 1)


def close_now(run: CheatingRun, _: Addition) -> Addition:
    """The round closes without a draw."""
    state = run.state
    current = state.rounds[-1]
    truth = None if run.trent.truth is None else current.truth(run.trent.truth)
    content: Closed = closed.content_of(current.ending(state.rule, (), truth), None, None)
    return run.trent.says(state, closed.KIND, content, current.number, releases=current.opened_to_bob())


# what a validation and a batch name


def numbered(change: Callable[[CheatingRun, list[int]], list[int]], *, reviewed: bool = True) -> Bend:
    """A validation or call of other documents, sealed as it must be. `reviewed` is whether it says what was put up."""

    def bend(run: CheatingRun, addition: Addition) -> Addition | None:
        said, put_up = addition.statement.content, _put_up(run)
        numbers = sorted(change(run, list(said["numbers"])))
        if numbers == list(said["numbers"]):
            return None
        before = [place for place, each in enumerate(numbers, start=1) if each in put_up] if reviewed else []
        drawn = _link(said["drawn"])
        content = Drawn(drawn=drawn, number=said["number"], numbers=tuple(numbers), reviewed=tuple(before))
        kind = call.KIND if addition.statement.kind == "call" else validation.KIND
        fields = {"documents": [run.trent._place(each) for each in numbers]} if numbers else {}
        return run.trent.says(
            run.state, kind, content, addition.statement.round, fields=fields, releases=addition.releases
        )

    return bend


def _put_up(run: CheatingRun) -> set[int]:
    """The documents that stood in a batch, or were drawn or called."""
    return {each.places[position - 1].document for each in run.state.rounds for position in each.fresh}


def _link(value: Any) -> Link:
    """A link as it stands in a record."""
    return Link(draw=value["draw"], link=Digest.parse(value["link"]))


def undrawn(run: CheatingRun, numbers: list[int]) -> int:
    """A document that was neither drawn nor put up."""
    taken = {*numbers, *_put_up(run)}
    return next(each for each in range(run.corpus.size) if each not in taken)


def of_documents(change: Callable[[CheatingRun, list[int]], list[int]]) -> Bend:
    """A batch of other documents, whose numbers agree with them."""

    def bend(run: CheatingRun, addition: Addition) -> Addition:
        documents = change(run, [each["document"] for each in values_of(addition, "documents")])
        changed = run.sealing(addition, "documents", [run.trent._place(each) for each in documents])
        return run.sealing(changed, "numbers", [list(documents)])

    return bend


def place_too_many(run: CheatingRun, addition: Addition) -> Addition:
    """The entry also releases to Bob a document that he was not shown."""
    current = run.state.rounds[-1]
    shown_now = {*current.disclosed, *addition.statement.content.get("positions", ())}
    hidden = next(each for each in range(1, current.size + 1) if each not in shown_now)
    if current.sources is None:
        raise RuntimeError("Trent knows where everything is sealed")
    shown = [(each.entry, index) for each in addition.releases for index in each.indices or ()]
    releases = privilege_log.releases("documents", [*shown, current.sources[hidden - 1]])
    return replace(addition, releases=releases)


def without_releases(_: CheatingRun, addition: Addition) -> Addition:
    return replace(addition, releases=())


def of_another_kind(kind: str) -> Bend:
    """The addition as one of another kind."""
    return lambda _, addition: replace(addition, statement=msgspec.structs.replace(addition.statement, kind=kind))
