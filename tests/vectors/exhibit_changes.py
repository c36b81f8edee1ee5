"""How the exhibits among the vectors are changed."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ledger.keys import SigningKey
from ledger.roles import Role
from tests.support.forging.exhibits import ExhibitForger

Change = Callable[[ExhibitForger], object]

_PARTIES = (Role.ALICE, Role.BOB, Role.COURT)


def changed(number: int, **content: Any) -> Change:
    """An entry says something else."""
    return lambda forger: forger.body(number)["statement"]["content"].update(content)


def of_kind(number: int, kind: str) -> Change:
    """An entry is of another kind."""
    return lambda forger: forger.body(number)["statement"].update(kind=kind)


def no_link(number: int) -> Change:
    """A link of no chain."""
    return changed(number, link="11" * 32)


def both(one: Change, other: Change) -> Change:
    """Both changes, one after the other."""
    return lambda forger: (one(forger), other(forger))


def another_corpus(forger: ExhibitForger) -> None:
    """Another root of the corpus: another answer to the query, so other coins."""
    forger.document["proof"]["parts"][0]["salt"] = "11" * 32


def released(number: int, **release: Any) -> Change:
    """What an entry releases first is something else."""
    return lambda forger: forger.body(number)["releases"][0].update(release)


def drawn(number: int) -> Change:
    """All links and the close of the round are for the draw of this number."""

    def change(forger: ExhibitForger) -> None:
        for piece in forger.values:
            content = piece["entry"]["body"]["statement"]["content"]
            if content.get("draw") is not None:
                content["draw"] = number

    return change


def begins_as_round(number: int) -> Change:
    """The round's draw and the links for it state another round than the batch after them."""

    def change(forger: ExhibitForger) -> None:
        for each in (4, 5, 6):
            forger.body(each)["statement"]["round"] = number

    return change


def prefix_of_no_text(number: int) -> Change:
    """An entry has an empty list instead of the empty text."""
    return lambda forger: forger.piece(number).update(prefix=[])


def new_key_after_amendment(forger: ExhibitForger) -> None:
    """Between a draw and its call all agree on more rounds; then a new key is asked for Alice, and denied."""
    forger.move({34: 28, 35: 29, 36: 30, 37: 35})
    amend = forger.add(31, Role.TRENT, "amend", {"limit": "0.4", "rounds": 300}, asks=_PARTIES)
    for number, role in enumerate(_PARTIES, start=32):
        forger.add(number, role, "amended", {"accepted": True}, answers=amend)
    wanted = {"key": SigningKey(bytes([7]) * 32).public.hex(), "role": "alice"}
    rekey = forger.add(36, Role.TRENT, "rekey", wanted, asks=(Role.COURT,))
    forger.add(37, Role.COURT, "rekeyed", wanted | {"granted": False}, answers=rekey)


def asked_without_answer(forger: ExhibitForger) -> None:
    """Of a claw-back behind the round, only the question is left."""
    forger.remove(31, 32)


def asked_back_twice(forger: ExhibitForger) -> None:
    """Before the claw-back behind the round stands another one of the same document."""
    _ask_back(forger, 24, like=31)


def asked_back_before_its_round(forger: ExhibitForger) -> None:
    """Before the round in which the document is asked back stands another claw-back of it, whose basis is opened."""
    moved(4, 23, 3)(forger)
    _ask_back(forger, 4, like=18)
    forger.piece(18)["openings"] = []


def _ask_back(forger: ExhibitForger, number: int, like: int) -> None:
    """One more claw-back, with the `reclaim` and the ruling of another one."""
    asked, ruled = forger.piece(like), forger.body(like + 1)["statement"]["content"]
    said = deepcopy(asked["entry"]["body"]["statement"])
    claw_back(forger, number, said["content"], said["sealed"], deepcopy(asked["openings"]), deepcopy(ruled))


def claw_back(
    forger: ExhibitForger, number: int, content: Any, sealed: Any, openings: list[Any], ruled: dict[str, Any]
) -> None:
    """A claw-back at three numbers that the exhibit leaves out: the question, the `reclaim` and the ruling."""
    question = forger.add(number, Role.TRENT, "clawback", {}, asks=(Role.ALICE,))
    asked = forger.add(number + 1, Role.ALICE, "reclaim", content, asks=(Role.COURT,), answers=question)
    asked["openings"] = openings
    asked["entry"]["body"]["statement"]["sealed"] = sealed
    forger.add(number + 2, Role.COURT, "returned", ruled, answers=asked)


def asked_back_at(number: int, *places: tuple[int, int], opened: bool = True) -> Change:
    """At this number begins a claw-back of what stands at these places, each a round and a position.

    The court upholds the first one. Of the bases only the first may be opened.
    """
    content = {"documents": [{"position": position, "round": round_} for round_, position in places]}
    sealed = {"privilege": {"audiences": ["alice", "bob", "court"], "commitments": ["33" * 32] * len(places)}}
    opening = {"field": "privilege", "index": 0, "salt": "44" * 32, "value": "advice of counsel"}
    ruled = {"upheld": [index == 0 for index in range(len(places))]}
    openings = [opening] if opened else []
    return lambda forger: claw_back(forger, number, *deepcopy((content, sealed, openings, ruled)))


def moved(first: int, last: int, by: int) -> Change:
    """Entries get other numbers, so that there is room before or behind them."""
    return lambda forger: forger.move({number: number + by for number in range(first, last + 1)})
