"""The text of HTML: tags stripped, references resolved, scripts and styles left out."""

import html
import re
from html.parser import HTMLParser

_UNSEEN = {"script", "style"}
_INLINE = {"a", "abbr", "b", "big", "em", "font", "i", "s", "small", "span", "strike", "strong", "sub", "sup", "u"}
"""Tags within words; around all others a word ends."""

_TAG = re.compile(r"<[^<>]*>")


class _Stripper(HTMLParser):
    """Collects what a reader would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the base's name
        if tag in _UNSEEN:
            self.unseen = tag
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unseen:
            self.unseen = ""
        if tag not in _INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.pieces.append(data)


def html_text(markup: str) -> str:
    """What a reader would see of it, without empty lines.

    The parser is fed once and never closed: what it waits for to the end, such as a comment that never ends, it
    would otherwise look for again at every later place. That rest is stripped more simply.
    """
    stripper = _Stripper()
    try:
        stripper.feed(markup)
        rest = "" if stripper.unseen else stripper.rawdata
    except AssertionError:  # how the parser refuses a declaration that it does not know
        stripper.pieces.clear()
        rest = markup
    stripper.pieces.append(html.unescape(_TAG.sub("\n", rest)))
    lines = (" ".join(line.split()) for line in "".join(stripper.pieces).split("\n"))
    return "\n".join(line for line in lines if line)
