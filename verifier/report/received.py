"""What was received: a bar of all items, the numbers, and why items could not enter."""

from collections.abc import Iterator

from verifier import received
from verifier.plural import count
from verifier.replay.commitment import Account
from verifier.report.markup import Markup, bullets, element, joined, paragraph, stranger, table, text
from verifier.verdict import Verdict

_WIDTH, _HIGH, _LEFT = 480, 46, 4
_ROW_WIDTH, _ROW_HIGH = 200, 14  # of a bar beside a reason
_LEAST = 3  # how narrow the part of an outcome is at least, so that it can be seen
_MOST_REASONS = 200  # most rows, so that a browser can show the page

_LOOKS = {  # from the left; patterns that differ in black and white too
    "entered": "#333",
    "duplicates": "url(#items-duplicates)",
    "exceptions": "url(#items-exceptions)",
    "containers": "#fff",
}
_MEANINGS = {
    "entered": ("entered: a family that is in the corpus", "entered: families that are in the corpus"),
    "duplicates": (
        "duplicate: a family that equals one that entered as a whole",
        "duplicates: families that equal one that entered as a whole",
    ),
    "exceptions": ("exception: could not enter", "exceptions: could not enter"),
    "containers": (
        "container: opened, and no document itself",
        "containers: opened, and no documents themselves",
    ),
}
_PATTERNS = {
    "items-duplicates": ("M-1 1L1 -1M0 6L6 0M5 7L7 5", "#111", 1.4),
    "items-exceptions": ("M0 0L6 6M6 0L0 6", "#111", 0.9),
}


def what_was_received(verdict: Verdict) -> Markup:
    """The section on the account."""
    heading = element("h2", "What was received")
    if verdict.opened is None:
        said = paragraph("The part of the record that states it could not be read.")
        return element("section", heading, said, id="received", class_="flows")
    corpus = verdict.opened.corpus
    account = corpus.account
    parts: list[str] = [heading, paragraph(text(" ".join(received.told(corpus))))]
    if account.items:
        parts.append(_figure(account))
    parts.append(paragraph(received.checked(verdict), " ", element("strong", received.NEVER_RECEIVED)))
    if account.reasons:
        parts.append(_reasons(account))
    if account.protections:
        parts.append(paragraph("What kept files from harming the machine that read them, according to Trent:"))
        parts.append(bullets(stranger(each, 300) for each in account.protections[:_MOST_REASONS]))
    return element("section", *parts, id="received", class_="flows")


def _numbers(account: Account) -> dict[str, int]:
    return {name: getattr(account, name) for name in _LOOKS}


def _meaning(name: str, number: int) -> str:
    """What an outcome is, as it is said of so many items."""
    one, many = _MEANINGS[name]
    return one if number == 1 else many


def _figure(account: Account) -> Markup:
    numbers = _numbers(account)
    told = "; ".join(f"{number} {_meaning(name, number).partition(':')[0]}" for name, number in numbers.items())
    drawing = element(
        "svg",
        element("title", f"{count(account.items, 'item')} received: {told}"),
        element("defs", *map(_pattern, _PATTERNS)),
        *_bars(numbers),
        viewBox=f"0 0 {_WIDTH} {_HIGH + 8}",
        role="img",
    )
    legend = [
        joined((_sample(name), f"{number} {_meaning(name, number)}")) for name, number in numbers.items() if number
    ]
    caption = element("figcaption", f"What became of {count(account.items, 'item')}")
    listed = element("ul", *(element("li", each) for each in legend), class_="legend")
    return joined((element("figure", caption, drawing), listed))


def _bars(numbers: dict[str, int]) -> Iterator[Markup]:
    """A piece of the bar for each outcome, as wide as its share, but never too narrow to be seen."""
    shown = {name: number for name, number in numbers.items() if number}
    total = sum(shown.values())
    room = _WIDTH - 2 * _LEFT - _LEAST * len(shown)
    x = float(_LEFT)
    for name, number in shown.items():
        width = _LEAST + room * number / total
        yield _rectangle(x, 4, width, _HIGH, name)
        x += width


def _rectangle(x: float, y: float, width: float, height: float, name: str) -> Markup:
    return element(
        "rect", x=f"{x:.1f}", y=y, width=f"{width:.1f}", height=height, fill=_LOOKS[name], stroke="#111", stroke_width=1
    )


def _sample(name: str) -> Markup:
    return element("svg", _rectangle(1, 1, 30, 16, name), viewBox="0 0 32 18", aria_hidden="true")


def _pattern(name: str) -> Markup:
    path, colour, width = _PATTERNS[name]
    drawn = element("path", d=path, stroke=colour, stroke_width=width, fill="none")
    white = element("rect", width=6, height=6, fill="#fff")
    return element("pattern", white, drawn, id=name, width=6, height=6, patternUnits="userSpaceOnUse")


def _reasons(account: Account) -> Markup:
    ordered = sorted(account.reasons.items(), key=lambda each: (-each[1], each[0]))
    most = ordered[0][1]
    rows = [(stranger(reason, 300), str(number), _share(number, most)) for reason, number in ordered[:_MOST_REASONS]]
    caption = f"Why {count(account.exceptions, 'item')} could not enter"
    return table(caption, ("Reason", "Items", "Compared"), rows, look="cards")


def _share(number: int, most: int) -> Markup:
    """A bar beside a number: the commonest reason has the longest."""
    width = _LEAST + (_ROW_WIDTH - _LEAST) * number / most
    bar = _rectangle(1, 1, width, _ROW_HIGH, "exceptions")
    size = (_ROW_WIDTH + 2, _ROW_HIGH + 2)
    return element("svg", bar, viewBox=f"0 0 {size[0]} {size[1]}", width=size[0], height=size[1], aria_hidden="true")
