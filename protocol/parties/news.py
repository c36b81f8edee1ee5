"""What a party is told before it answers, of what others have said since its last question: claw-backs and reasons."""

from collections.abc import Iterator, Mapping, Sequence

from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter import reasons
from protocol.matter.books import Seat
from protocol.matter.naming import Telling
from protocol.parties.facts import Fact
from protocol.parties.notices import Notice
from protocol.parties.view import View
from protocol.parties.whereabouts import Whereabouts

_MOST = 50  # documents that are named one by one


def since(view: View, telling: Telling) -> list[Fact]:
    """The news of what was not known here before."""
    new = _new(view, _TOLD)
    return [*clawbacks(view, telling), *_reasons(view, new, telling)] if new else []


def clawbacks(view: View, telling: Telling) -> list[Fact]:
    """Of the news, what somebody must act on."""
    new = _new(view, _ASKED_BACK)
    return list(_clawbacks(view, Whereabouts.of(view.history.entries), new, telling)) if new else []


def _new(view: View, kinds: tuple[str, ...]) -> Sequence[Notice]:
    """What was not known here before, if anything of these kinds is among it. The court is told in its questions."""
    if view.role is Role.COURT:
        return ()
    new = view.history.notices[len(view.memory.history) :]
    return new if any(each.statement.kind in kinds for each in new) else ()


_ASKED_BACK = ("reclaim", "returned")
_TOLD = (*_ASKED_BACK, "labels", "rulings", "privilege")


def _clawbacks(view: View, where: Whereabouts, new: Sequence[Notice], telling: Telling) -> Iterator[Fact]:
    """What Alice asked back, which Bob must keep apart, and what the court upheld, which he must return or destroy."""
    state, bob = view.state.clawbacks, view.role is Role.BOB
    hashes = {each.hash: place for place, each in enumerate(view.history.notices)}
    numbers = {hashes[each.hash] for each in new}
    open_ = [seat for seat, (entry, _) in state.bases.items() if entry in numbers and seat not in state.upheld]
    ruled = [seat for seat, (entry, _) in state.ruled_in.items() if entry in numbers]
    upheld, overruled = ([seat for seat in ruled if state.upheld[seat] is value] for value in (True, False))
    if open_ and bob:
        words = "Alice asks for documents back that you were shown. Keep them apart, and use none until the court rules"
        yield Fact("ASKED BACK", f"{telling.said(words)}:", tuple(_named(where, open_)), quoted=True)
    if upheld and bob:
        words = "the court lets Alice claw back documents that you were shown. Return or destroy every copy; use none"
        yield Fact("CLAWED BACK", f"{telling.said(words)}:", tuple(_named(where, upheld)), quoted=True)
    if upheld and not bob:
        yield Fact("Clawed back", "the court upheld that you ask back:", tuple(_named(where, upheld)), quoted=True)
    if overruled:
        words = "the court overruled that Alice asks back, so that Bob keeps them"
        yield Fact("Not clawed back", f"{telling.said(words)}:", tuple(_named(where, overruled)), quoted=True)


def _named(where: Whereabouts, seats: Sequence[Seat]) -> Iterator[str]:
    for seat in seats[:_MOST]:
        place, basis = where.place(*seat), where.asked_back.get(seat)
        name = "" if place is None else f", {place.name}"
        yield f"round {seat.round}, position {seat.position}{name}: {basis}"
    if len(seats) > _MOST:
        yield f"and {len(seats) - _MOST} more"


def _reasons(view: View, new: Sequence[Notice], telling: Telling) -> Iterator[Fact]:
    """The reasons that others gave, as far as this party may see them."""
    questions = {each.hash: each for each in view.history.notices}
    for each in new:
        said = each.statement
        if said.author is view.role or said.answers not in questions or reasons.FIELD not in said.sealed:
            continue
        values = {opening.index: opening.value for opening in each.openings if opening.field == reasons.FIELD}
        given = [
            f"{_about(questions[said.answers], questions, index)}: {reason}"
            for index, reason in reasons.by_place(values).items()
        ]
        if given:
            more = (f"and {len(given) - _MOST} more",) if len(given) > _MOST else ()
            by = telling.called(said.author)
            yield Fact("Reasons", f"given by {by}:", (*given[:_MOST], *more), quoted=True)


def _about(question: Notice, questions: Mapping[Digest, Notice], index: int) -> str:
    """Which document an answer's reason is about."""
    while question.statement.kind == "again":
        question = questions[Digest.parse(question.statement.content["question"])]
    content = question.statement.content
    if "documents" in content:
        seat = content["documents"][index]
        return f"round {seat['round']}, position {seat['position']}"
    return f"round {question.statement.round}, position {content['positions'][index]}"
