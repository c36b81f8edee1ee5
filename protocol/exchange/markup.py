"""HTML that nobody can break out of: a record holds strangers' words, so all text is escaped unless made here."""

from collections.abc import Iterable
from html import escape

from ledger.plain import harmless

_LONGEST = 2000  # most characters of one text; none of ours is longer
_VOID = {"img", "meta"}


class Markup(str):
    """Text that is already HTML. Joined to plain text it becomes plain text again, and will be escaped."""

    __slots__ = ()


def text(value: object, longest: int = _LONGEST) -> Markup:
    """Anything as text: shortened, without characters that turn its direction, escaped."""
    plain = str(value)
    if len(plain) > longest:
        plain = f"{plain[:longest]}…"
    return Markup(escape(harmless(plain)))


def element(name: str, /, *children: str, **attributes: object) -> Markup:
    """An element. In an attribute's name, a trailing `_` is dropped and any other stands for `-`."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value, 100_000)}"' for key, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{shown}>")
    inside = "".join(each if isinstance(each, Markup) else text(each) for each in children)
    return Markup(f"<{name}{shown}>{inside}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Pieces one after the other."""
    return Markup("".join(each if isinstance(each, Markup) else text(each) for each in parts))


def paragraph(*children: str) -> Markup:
    """A paragraph."""
    return element("p", *children)


def bullets(items: Iterable[str]) -> Markup:
    """A list."""
    return element("ul", *(element("li", each) for each in items))


def stranger(value: object, longest: int = 120) -> Markup:
    """Words that somebody else chose, such as a file's name. Their direction of writing ends with them."""
    return element("bdi", text(value, longest))


def table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]], look: str = "") -> Markup:
    """A table whose first column names its rows; `look` says how it fits a narrow screen (see the style)."""
    heads = tuple(heads)
    head = element("tr", *(element("th", each, scope="col") for each in heads))
    body = []
    for first, *rest in rows:
        cells = [_cell("td", cell, name, look) for name, cell in zip(heads[1:], rest, strict=True)]
        body.append(element("tr", _cell("th", first, heads[0], look, scope="row"), *cells))
    whole = element("table", element("caption", caption), element("thead", head), element("tbody", *body), class_=look)
    return element(
        "div", whole, class_=f"scroll {look}".strip(), tabindex=0, role="region", aria_label=f"Table: {caption}"
    )


def _cell(name: str, inside: str, head: str, look: str, **attributes: object) -> Markup:
    """A cell; if its row becomes a card, it repeats the head of its column."""
    return element(name, inside, **attributes, **({"data_head": head} if look == "cards" else {}))
