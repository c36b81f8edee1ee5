"""What Bob will see of a report, and with which chance, before Alice signs it.

It is what the rule of the terms makes of her labels if no coin draws anything, and the chance that it gives to each of
the others. Nobody can know more before she signs: her report fixes the coins.
"""

from collections.abc import Iterator
from fractions import Fraction

from protocol.exchange.answering import Ready
from protocol.matter.decisions import Decisions
from protocol.matter.naming import Telling
from protocol.parties.facts import Fact
from protocol.rules.base import COINS, Report


def seen(ready: Ready, decisions: Decisions, telling: Telling) -> list[Fact]:
    """What Bob will see, in words; nothing if the question asks for no report, or something is missing."""
    labels, top = decisions.labels or {}, decisions.threshold
    size = len(ready.documents)
    due = range(1, (size if top is None else top) + 1)
    if ready.view.kind != "report" or not size or any(position not in labels for position in due):
        return []
    called = "numbers" in ready.view.entry.statement.content
    found = _of_a_call(ready, decisions) if called else _of_a_batch(ready, decisions)
    return [Fact(telling.said(each.name), telling.said(each.words)) for each in found]


def _of_a_batch(ready: Ready, decisions: Decisions) -> Iterator[Fact]:
    labels, top, size = decisions.labels or {}, decisions.threshold, len(ready.documents)
    report = Report(
        labels=tuple(labels.get(place) if top is None or place <= top else None for place in range(1, size + 1)),
        threshold=top,
    )
    rule = ready.view.party.rule
    found = rule.examine(report, [COINS - 1] * size, {})
    held = {*(decisions.claims or {})}
    yield from _certain(len(found.due), len(found.due & held), size)
    left = {place: count for place, count in found.chances.items() if place not in found.due}
    if left:
        yield _drawn(list(left.values()))
        if classed := len(left.keys() & {*(decisions.classes or {})}):
            yield Fact("Of a class", f"{classed} of these go to the court instead of Bob if a coin draws them")
        if claimed := len(left.keys() & held):
            yield Fact("Claimed", f"{claimed} of these are claimed as privileged: the court reads what is drawn first")
    if rule.ends_at_a_find and left:
        yield Fact("A find", "if one that is drawn turns out to be responsive, Bob is shown the whole batch")


def _of_a_call(ready: Ready, decisions: Decisions) -> Iterator[Fact]:
    """Of documents that a validation calls, by the share in the terms."""
    agreed, labels = ready.view.opening.terms.validation, decisions.labels or {}
    responsive = [place for place, label in labels.items() if label]
    yield from _certain(len(responsive), len({*responsive} & {*(decisions.claims or {})}), len(labels))
    if agreed is not None and len(responsive) < len(labels):
        viewer = "Bob" if agreed.viewer == "bob" else "the court"
        yield Fact(
            "By chance",
            f"each of the {len(labels) - len(responsive)} others is shown to {viewer} with a chance of {agreed.show}",
        )


def _certain(shown: int, claimed: int, size: int) -> Iterator[Fact]:
    yield Fact("Bob is shown", f"{shown} of {size} for certain")
    if claimed:
        yield Fact("But first", f"the court rules on {claimed} of them, which you claim as privileged")


def _drawn(counts: list[int]) -> Fact:
    """The chance of those that coins decide about."""
    least, most = _percent(min(counts)), _percent(max(counts))
    chance = f"a chance of {most}" if least == most else f"a chance between {least} and {most}, higher ranks first"
    expected = round(float(Fraction(sum(counts), COINS)), 1)
    each = "the other one" if len(counts) == 1 else f"each of the {len(counts)} others"
    return Fact("By chance", f"coins draw {each} with {chance}: about {expected:g} are to be expected")


def _percent(count: int) -> str:
    return f"{float(Fraction(100 * count, COINS)):.3g} %"
