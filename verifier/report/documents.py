"""A document where the page shows one: its name, its fields, and its parts as a tree."""

from verifier import described
from verifier.described import Shown
from verifier.replay.detail import RoundDetail
from verifier.report.markup import Markup, element, joined, stranger


def document(detail: RoundDetail, position: int, without: str) -> Markup:
    """The document at a position, as far as the copy shows it; `without` says what stands for a name not shown."""
    name = detail.names.get(position)
    said = element("em", without) if name is None else stranger(name)
    parts = detail.documents.get(position)
    if parts is None:
        return said
    shown = described.parts(parts)
    fields = _fields(shown[0])
    if len(parts) == 1 and not shown[0].withheld:
        return joined((said, fields))
    more = len(parts) - len(shown)
    tree = [element("li", _part(each)) for each in shown]
    if more:
        tree.append(element("li", f"and {more} more"))
    return joined((said, element("ul", *tree, class_="parts")))


def _part(each: Shown) -> Markup:
    """A part; the dashes before it are its depth in the tree."""
    name = element("em", "withheld") if each.withheld else stranger(each.name)
    return joined((f"{'– ' * each.depth}part {each.number}: ", name, _fields(each)))  # noqa: RUF001


def _fields(each: Shown) -> Markup:
    said = [joined((f"{name}: ", stranger(value, 200))) for name, value in each.fields.items()]
    lines = [joined((" · ", field)) if place else field for place, field in enumerate(said)]
    return element("span", *lines, class_="fields") if lines else Markup("")
