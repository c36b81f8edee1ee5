"""The links of an exhibit's coins: each hashes down to the anchor that its owner named, so no other round is needed."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from verifier.checks import Check, Role
from verifier.findings import Damaged, Fault, Finding
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import FORMS, Kind
from verifier.rules import coins


class Given(NamedTuple):
    """A link in an entry: whose chain it is of, by whose signature, and for which draw."""

    entry: int
    role: Role
    author: Role
    draw: int
    link: bytes


def given(review: Iterable[Told]) -> list[Given]:
    """The links of a round, in order. A link that the court orders states no number: it is of the draw under way."""
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
    """What an entry says, if it is of its form; whether it must be, the replay tells."""
    try:
        return read(FORMS[Kind(told.entry.said.kind)].content, told.entry.said.content)
    except (Malformed, ValueError):
        return None


def first_draw(review: Sequence[Told]) -> int | None:
    """The number of the round's first draw, on which all who gave links agree; None where nothing was drawn."""
    numbers = [number for number in map(_number, review) if number is not None]
    if not numbers:
        return None
    last = numbers[0] + (review[0].entry.said.kind == Kind.DRAW)  # a batch by coin has a draw of its own before it
    if numbers != sorted(numbers) or numbers[-1] > last:
        raise Damaged(
            Check.COINS,
            "those who gave links do not agree on the draws' numbers; only the whole record tells which number was due",
        )
    return numbers[0]


def _number(told: Told) -> int | None:
    """The number of a draw that an entry states."""
    content = _content(told)
    match told.entry.said.kind:
        case Kind.DRAW | Kind.LINK | Kind.REPORT | Kind.CLOSED if content:
            return None if content.draw is None else int(content.draw)
        case Kind.BATCH if content and content.drawn:
            return int(content.drawn.draw)
    return None


def before(matter: bytes, links: Iterable[Given], anchors: dict[Role, bytes], longest: int) -> dict[Role, bytes]:
    """Each drawer's link before its first one here, after hashing that one down to the anchor.

    A party that signs a link for a draw has signed both. The court's order states no number, so that a false one of
    somebody else's could lie behind its link: that is damage.
    """
    found = dict(anchors)
    seen: set[Role] = set()
    for each in links:
        if each.role in seen or each.role not in anchors:
            continue
        seen.add(each.role)
        if not 0 < each.draw <= longest:
            raise Damaged(Check.COINS, f"entry {each.entry} has a link for draw {each.draw}, and there are {longest}")
        found[each.role] = link = coins.link_before(matter, each.role, each.draw, each.link)
        for number in range(each.draw - 1, 0, -1):
            link = coins.link_before(matter, each.role, number, link)
        if link != anchors[each.role]:
            raise _false(each, anchors[each.role], link)
    return found


def _false(given_: Given, anchor: bytes, found: bytes) -> Exception:
    if given_.author is Role.COURT:
        return Damaged(Check.COINS, f"the link in entry {given_.entry} is not of the draw under way")
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
