"""A round replayed alone: the conditions of `verifier.replay`, with the earlier state inferred from its own entries.

What an exhibit does not hold (the rounds before, agreed changes of T) is not judged: the batch's place in the matter,
whether coins or a model were due, and how many documents were left. Links need no other round: each hashes down to the
anchor that its owner named.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from verifier.checks import Check, Role
from verifier.exhibit.pieces import Parts, is_evidence, is_granted_key
from verifier.findings import Damaged, Fault, Finding
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, read
from verifier.replay.forms import FORMS, Kind
from verifier.replay.matter import Replay
from verifier.replay.rounds import RoundDetail
from verifier.replay.state import LastLink, State
from verifier.rules import coins
from verifier.tally import Tally

_NOT_JUDGED = (Kind.REKEY, Kind.REKEYED, Kind.AMEND, Kind.AMENDED)  # they rest on what came before the round


@dataclass(slots=True, kw_only=True)
class _Within(State):
    """A matter of which the exhibit holds only one round."""

    by_coin: bool = False
    number: int = 0  # of the round

    @property
    def one_class(self) -> bool:
        return self.by_coin

    @property
    def complete(self) -> bool:
        return False

    @property
    def next_round(self) -> int:
        """There is one round. Whether its number is the next one is not judged."""
        return self.number


class RoundReplay:
    """The opening of a matter and one of its rounds, replayed."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._replay = Replay(self.tally, detailed=True)
        self._replay.state = _Within(tally=self.tally, turns=self._replay.state.turns, details=[])

    @property
    def state(self) -> State:
        """Where the replay stands."""
        return self._replay.state

    def open(self, opening: Sequence[Told]) -> bool:
        """Replay the opening and its answers, and say whether they follow the rules."""
        self._tell(opening)
        return self._replay.stopped is None

    def review(self, parts: Parts) -> RoundDetail | None:
        """Replay the round: each position as far as the exhibit shows it, or None if a rule is broken."""
        self._take_up(parts.review)
        self._tell(parts.review)
        return self._replay.details()[-1] if self._replay.stopped is None else None

    def _take_up(self, review: Sequence[Told]) -> None:
        """The state in which the round must have begun, by what its own entries say."""
        state = self._replay.state
        if not isinstance(state, _Within):
            raise RuntimeError("an exhibit is replayed from within")
        terms, corpus = state.opened.terms, state.opened.corpus
        first = review[0].entry
        state.by_coin, state.number = first.said.kind == Kind.DRAW, first.said.round
        draw = first_draw(review)
        state.draws = draw - 1 if draw is not None else 0
        state.draws -= 0 if state.by_coin else skipped_draws(review)  # a first report comes after what it skipped
        state.links = before(state.matter, given(review), state.links, terms.draws)
        batch = next(each.entry.said for each in review if each.entry.said.kind == Kind.BATCH)
        size = batch.content.get("size")
        if type(size) is int and 0 < size < min(terms.batch, corpus.documents):
            state.reviewed = corpus.documents - size  # the last batch is smaller
        state.keys, state.rounds_agreed = {}, 0  # other keys and another T may have been agreed on

    def _tell(self, entries: Sequence[Told]) -> None:
        for told in entries:
            if is_evidence(told):
                self._replay.state.turns.note(told)
                continue
            self._replay.tell(told)
            if self._replay.stopped is not None:
                if told.entry.said.kind in _NOT_JUDGED:
                    self.tally.findings.clear()
                    raise Damaged(
                        Check.ORDER,
                        f"entry {told.entry.body.sequence} rests on what came before the round; only the whole record "
                        "tells whether it may come there",
                    )
                return


class Given(NamedTuple):
    """A link in an entry: whose chain it belongs to, who signed it, and for which draw it is."""

    entry: int
    role: Role
    author: Role
    draw: int
    link: bytes


def given(review: Iterable[Told]) -> list[Given]:
    """The links of a round, in order. A link in an order states no number: it is for the draw under way."""
    found: list[Given] = []
    draw = 0
    for told in review:
        said, entry = told.entry.said, told.entry.body.sequence
        content = _content(told)
        match said.kind:
            case Kind.DRAW if content:
                draw = content.draw
            case Kind.REPORT | Kind.LINK if content:
                draw = content.draw if said.kind == Kind.REPORT else draw
                found.append(Given(entry, said.author, said.author, content.draw, content.link))
            case Kind.BATCH if content and content.drawn:
                found.append(Given(entry, Role.TRENT, Role.TRENT, content.drawn.draw, content.drawn.link))
            case Kind.CLOSED if content and content.link is not None and content.draw is not None:
                found.append(Given(entry, Role.TRENT, Role.TRENT, content.draw, content.link))
            case Kind.ORDER if content and content.link is not None:
                found.append(Given(entry, content.absent, Role.COURT, draw, content.link))
    return found


def _content(told: Told) -> Any:
    """What an entry says, if it has the right form; the replay judges whether it must."""
    try:
        return read(FORMS[Kind(told.entry.said.kind)].content, told.entry.said.content)
    except (Malformed, ValueError):
        return None


def first_draw(review: Sequence[Told]) -> int | None:
    """The number of the round's first draw, on which all who gave links agree; None if nothing was drawn."""
    numbers = [number for number in map(_number, review) if number is not None]
    if not numbers:
        return None
    last = numbers[0]
    if review[0].entry.said.kind == Kind.DRAW:  # a batch by coin has a draw of its own before that of the report
        last += 1 + skipped_draws(review)
    if numbers != sorted(numbers) or numbers[-1] > last:
        raise Damaged(
            Check.COINS,
            "those who gave links do not agree on the draws' numbers; only the whole record tells which number was due",
        )
    return numbers[0]


def skipped_draws(review: Iterable[Told]) -> int:
    """How many draws were skipped between the batch and its report, since Alice got new keys."""
    found, owed = 0, False
    for told in review:
        said = told.entry.said
        owed = (owed or said.kind == Kind.BATCH) and said.kind != Kind.REPORT
        found += owed and is_granted_key(told) and said.content.get("role") == Role.ALICE
    return found


def _number(told: Told) -> int | None:
    """The number of a draw that an entry states."""
    content = _content(told)
    match told.entry.said.kind:
        case Kind.DRAW | Kind.LINK | Kind.REPORT | Kind.CLOSED if content:
            return None if content.draw is None else int(content.draw)
        case Kind.BATCH if content and content.drawn:
            return int(content.drawn.draw)
    return None


def before(matter: bytes, links: Iterable[Given], anchors: dict[Role, LastLink], longest: int) -> dict[Role, LastLink]:
    """Each drawer's link before its first one here, after hashing that one down to the anchor.

    A party that signs a link for a draw has signed both. The court's order states no number, so a false number from
    somebody else could make its link look wrong: that is damage.
    """
    found = dict(anchors)
    seen: set[Role] = set()
    for each in links:
        if each.role in seen or each.role not in anchors:
            continue
        seen.add(each.role)
        if not 0 < each.draw <= longest:
            raise Damaged(
                Check.COINS, f"entry {each.entry} has a link for draw {each.draw}, but there are only {longest}"
            )
        link = coins.link_before(matter, each.role, each.draw, each.link)
        found[each.role] = LastLink(each.draw - 1, link)
        for number in range(each.draw - 1, 0, -1):
            link = coins.link_before(matter, each.role, number, link)
        if link != anchors[each.role].link:
            raise _false(each, anchors[each.role].link, link)
    return found


def _false(given_: Given, anchor: bytes, found: bytes) -> Exception:
    if given_.author is Role.COURT:
        return Damaged(Check.COINS, f"the link in entry {given_.entry} is not for the draw under way")
    return Fault(
        Finding(
            check=Check.COINS,
            rule=f"A link of {given_.role.called}'s hashes down to the anchor that {given_.role.called} named",
            expected=anchor.hex(),
            found=found.hex(),
            entry=given_.entry,
            party=given_.author,
        )
    )
