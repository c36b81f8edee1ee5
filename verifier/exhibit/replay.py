"""A round replayed alone: the conditions of `verifier.replay`, with the earlier state inferred from its own entries.

What an exhibit does not hold (the rounds before, agreed changes of T) is not judged: the round's place in the matter,
whether coins or a model were due, how many documents were left or withheld. So an escalation and a validation are
replayed as in a copy that does not show Alice's labels of earlier rounds. Links need no other round: each drawer's
first one hashes down to the anchor, as if all draws before had been skipped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from verifier.checks import Check, Role
from verifier.exhibit.parts import Review
from verifier.exhibit.pieces import is_evidence, is_granted_key
from verifier.exhibit.thrown import Coins, not_drawn
from verifier.findings import Damaged
from verifier.record.copy import Told
from verifier.record.shapes import read
from verifier.replay.asked_back import ShownAt
from verifier.replay.condition import Candidate
from verifier.replay.contents import Stratum, ValidationClaim
from verifier.replay.detail import RoundDetail
from verifier.replay.forms import FORMS, Kind
from verifier.replay.matter import Replay
from verifier.replay.order import has_shape
from verifier.replay.rounds import Round, Sort
from verifier.replay.state import State
from verifier.replay.withheld import Origin
from verifier.rules import coins
from verifier.tally import Tally

_NOT_JUDGED = (Kind.REKEY, Kind.REKEYED, Kind.AMEND, Kind.AMENDED)  # they rest on what came before the round


@dataclass(slots=True, kw_only=True)
class _Within(State):
    """A matter of which the exhibit holds only one round."""

    by_coin: bool = False
    number: int = 0  # of the round
    begins_batch: bool = True
    stamped: bool = True  # what outsiders saw before the round is not judged
    logged: bool = True

    @property
    def one_class(self) -> bool:
        return self.by_coin

    @property
    def batches_closed(self) -> int:
        """With T = 0 the review goes on until its one batch is open, and no other round ever lacks a draw."""
        begun = self.current is not None or self.drawing is not None
        return 0 if begun or not self.begins_batch else -1

    def was_shown(self, place: ShownAt) -> bool:
        """What Alice asks back of other rounds is not judged."""
        return place.round != self.number or State.was_shown(self, place)

    def was_asked_back(self, place: ShownAt) -> bool:
        """Nor is it judged whether she asked for that before."""
        return place.round == self.number and State.was_asked_back(self, place)

    @property
    def rounds_known(self) -> bool:
        """The rounds before are left out. If they counted as still to come, each would be owed two draws again."""
        return False

    @property
    def next_round(self) -> int:
        """There is one round. Whether its number is the next one is not judged."""
        return self.number


class Labelled(NamedTuple):
    """The report that first labelled the document, as far as it goes on to count."""

    origin: Origin
    claim: Any  # a basis, or a class; None if the report claims nothing for the document


class RoundReplay:
    """The opening of a matter and one of its rounds, replayed."""

    def __init__(self, document: int = 0) -> None:
        self.tally = Tally()
        self.coins = Coins()
        self._document = document
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

    def contents(self, entries: Iterable[Told]) -> bool:
        """Say whether what each entry of a known kind says has the fields of its kind, each of its type."""
        known = (each for each in (Candidate[Any](self.state, told) for told in entries) if each.kind is not None)
        broken = next(filter(None, map(has_shape.broken_by, known)), None)
        if broken is not None:
            self.tally.fail(broken)
        return broken is None

    def review(self, review: Review, labelled: Labelled | None = None) -> RoundDetail | None:
        """Replay a round: each position as far as the exhibit shows it, or None if a rule is broken."""
        self._take_up(review)
        begun = review.entries.index(review.first) + 1
        self._tell(review.entries[:begun])
        if self._replay.stopped is not None:
            return None
        if undrawn := not_drawn(review, self.coins, self.state.opened.terms.validation):
            self.tally.fail(undrawn)
            return None
        if labelled is not None and self.state.current is not None:
            _carry_over(self.state.current, review.position, labelled)
        self._tell(review.entries[begun:], one_stage=review.kind is Kind.VALIDATION)
        return self._replay.details()[-1] if self._replay.stopped is None else None

    def _take_up(self, review: Review) -> None:
        """The state in which the round must have begun, by what its own entries say."""
        state, entries = self._replay.state, review.entries
        if not isinstance(state, _Within):
            raise RuntimeError("an exhibit is replayed from within")
        state.begins_batch, state.number = review.kind is Kind.BATCH, review.round
        state.by_coin = state.begins_batch and entries[0] is not review.first
        draw, draws = first_draw(review), state.opened.terms.draws
        if draw is not None and draw > draws:
            raise Damaged(Check.COINS, f"a round of the exhibit begins with draw {draw}, but there are only {draws}")
        state.draws = draw - 1 - left_out_before(entries) if draw is not None else 0
        state.keys, state.rounds_agreed = {}, 0  # other keys and another T may have been agreed on
        state.evidence, state.numbers_known = None, False
        _infer(state, review)

    def _tell(self, entries: Sequence[Told], *, one_stage: bool = False) -> None:
        for told in entries:
            if is_evidence(told):
                self._replay.state.turns.note(told)
                continue
            self._throw(told)
            if one_stage and told.entry.said.kind == Kind.CLOSED:
                self._replay.state.evidence = []  # all that was drawn is due, whatever the labels before
            self._replay.tell(_without_proofs(told))
            if self._replay.stopped is not None:
                self._check_judged(told)
                return

    def _check_judged(self, told: Told) -> None:
        """An entry that breaks a rule may rest on what the exhibit leaves out: that is damage, and no fault."""
        kind, number = told.entry.said.kind, told.entry.body.sequence
        if kind in _NOT_JUDGED:
            reason = "rests on what came before the round; only the whole record tells whether it may come there"
        elif kind == Kind.ORDER and self.tally.findings[-1].check is Check.COINS:
            reason = "has a link that is not for the draw under way, whose number others state"
        else:
            return
        self.tally.findings.clear()
        raise Damaged(Check.ORDER, f"entry {number} {reason}")

    def _throw(self, told: Told) -> None:
        """The coins that an entry makes known, before it is replayed: its own link completes the draw."""
        state, kind = self._replay.state, told.entry.said.kind
        if state.drawing is None or not {Role.ALICE, Role.BOB} <= state.drawing.links.keys():
            return
        content = _content(told)
        if kind in (Kind.VALIDATION, Kind.CALL):
            seed = state.seed({Role.TRENT: content.drawn.link})
            self.coins = replace(self.coins, first=coins.coins(seed, [self._document])[0])
        elif kind == Kind.CLOSED and content.link is not None and state.current is not None:
            seed = state.seed({Role.TRENT: content.link})
            if state.current.sort is Sort.ESCALATION:
                last = coins.coins(seed, range(1, state.current.size + 1))
                self.coins = replace(self.coins, last=last)
            elif state.current.sort is Sort.VALIDATION:
                self.coins = replace(self.coins, second=coins.coins(seed, [self._document])[0])


def _carry_over(current: Round, position: int, labelled: Labelled) -> None:
    """The report that first labelled the document, and what Alice claimed with it, if the document was withheld."""
    held = current.validating
    if current.sort is Sort.BATCH or (held is not None and not held.was_put_up(position)):
        return
    current.labelled[position] = labelled.origin
    if labelled.claim is None:
        current.unclaimed.add(position)
    else:
        current.claimed[position] = labelled.claim


def _without_proofs(told: Told) -> Told:
    """An entry as the replay sees it: the proof of the document is compared with the document itself."""
    return replace(told, values={field: values for field, values in told.values.items() if field != "proofs"})


def _infer(state: State, review: Review) -> None:
    """What the first entry says of the rounds before it, which is not judged."""
    said, documents = review.first.entry.said, state.opened.corpus.documents
    match review.kind:
        case Kind.BATCH:
            size = said.content.get("size")
            if type(size) is int and 0 < size < min(state.opened.terms.batch, documents):
                state.put_up = documents - size  # the last batch is smaller
        case Kind.ESCALATION:
            size = said.content.get("size")
            state.put_up = min(size, documents) if type(size) is int else 0  # no more can be withheld
        case _:
            number, numbers = said.content.get("number"), said.content.get("numbers")
            before = min(number - 1, _MOST_HELD) if type(number) is int else 0
            state.validations = [_HELD] * before
            listed = len(numbers) if type(numbers) is list else 0
            state.put_up = max(0, documents - listed)  # as many as possible may be withheld
            state.numbers_sealed_in = [each.entry for each in review.first.entry.body.releases]


_MOST_HELD = 2**14  # there are no more validations than draws
_NOBODY = Stratum(documents=0, hits=0, shown=0)
_HELD = ValidationClaim(
    at_most=None,
    called=0,
    never=_NOBODY,
    number=1,
    reached=False,
    round=1,
    total=None,
    unread=0,
    withheld=_NOBODY,
)
"""A validation before the exhibit's, of which nothing is known."""


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
            case Kind.REPORT | Kind.LOOK | Kind.LINK if content:
                draw = draw if said.kind == Kind.LINK else content.draw
                found.append(Given(entry, said.author, said.author, content.draw, content.link))
            case Kind.BATCH | Kind.VALIDATION | Kind.CALL if content and content.drawn:
                found.append(Given(entry, Role.TRENT, Role.TRENT, content.drawn.draw, content.drawn.link))
            case Kind.CLOSED if content and content.link is not None and content.draw is not None:
                found.append(Given(entry, Role.TRENT, Role.TRENT, content.draw, content.link))
            case Kind.ORDER if content and content.link is not None:
                found.append(Given(entry, content.absent, Role.COURT, draw, content.link))
    return found


def _content(told: Told) -> Any:
    """What an entry says; None if its kind is unknown, on which the replay stops."""
    kind = told.entry.said.kind
    return read(FORMS[Kind(kind)].content, told.entry.said.content) if kind in list(Kind) else None


def first_draw(review: Review) -> int | None:
    """The number of the round's first draw, on which all who gave links agree; None if nothing was drawn.

    Where a draw chose what the round begins with, the next one is that of the report.
    """
    entries, after = review.entries, review.entries.index(review.first) + 1
    stated = (map(_number, part) for part in (entries[:after], entries[after:]))
    chose, decided = ({number for number in each if number is not None} for each in stated)
    due = {number + 1 + skipped_draws(entries) for number in chose} or decided
    if len(chose) > 1 or len(decided) > 1 or not decided <= due:
        raise Damaged(
            Check.COINS,
            "those who gave links do not agree on the draws' numbers; only the whole record tells which number was due",
        )
    return next(iter(chose or decided), None)


def skipped_draws(review: Iterable[Told]) -> int:
    """How many draws were skipped between a batch and its report, or likewise, since Alice got new keys."""
    found, owed = 0, False
    for told in review:
        said = told.entry.said
        asks = said.kind in (Kind.BATCH, Kind.CALL, Kind.ESCALATION)
        owed = (owed or asks) and said.kind not in (Kind.REPORT, Kind.LOOK) and not _is_ordered_away(told)
        found += owed and is_granted_key(told) and said.content.get("role") == Role.ALICE
    return found


def left_out_before(review: Sequence[Told]) -> int:
    """How many draws the round left out before its first one: skipped, or since the court ordered a look away."""
    until = next((at for at, told in enumerate(review) if _number(told) is not None), len(review))
    return skipped_draws(review[:until]) + _ordered_away(review[:until])


def _ordered_away(review: Iterable[Told]) -> int:
    """How many reports and looks that Alice owed the court ordered away; other answers of hers cost no draw."""
    found, owed = 0, False
    for told in review:
        owed = owed or told.entry.said.kind in (Kind.BATCH, Kind.CALL, Kind.ESCALATION)
        if owed and _is_ordered_away(told):
            found, owed = found + 1, False
    return found


def _is_ordered_away(told: Told) -> bool:
    """Whether the court lets the round go on without Alice's report or look."""
    said, content = told.entry.said, _content(told)
    is_order = said.kind == Kind.ORDER and content is not None and content.granted
    return bool(is_order and content.absent is Role.ALICE and content.link is None)


def _number(told: Told) -> int | None:
    """The number of a draw that an entry states."""
    content = _content(told)
    match told.entry.said.kind:
        case Kind.DRAW | Kind.LINK | Kind.REPORT | Kind.LOOK | Kind.CLOSED if content:
            return None if content.draw is None else int(content.draw)
        case Kind.BATCH | Kind.VALIDATION | Kind.CALL if content and content.drawn:
            return int(content.drawn.draw)
    return None
