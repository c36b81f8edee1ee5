"""Text from the HTML of a mail or a page: what a reader would see, whatever the markup is, in linear time."""

import html
import re
from html.parser import HTMLParser

_UNSEEN = {"script", "style"}
_INLINE = {"a", "abbr", "b", "big", "em", "font", "i", "s", "small", "span", "strike", "strong", "sub", "sup", "u"}
"""Tags within words; around all others a word ends."""

_SAID = ("alt", "title", "placeholder", "aria-label")
"""Attributes that a page shows, or reads out, in place of a picture or on top of a word."""
_NOT_SHOWN = {"hidden", "password", "image", "checkbox", "radio"}
"""Fields of a form whose value nobody typed or nobody sees."""

_TAG = re.compile(r"<[^<>]*>")
_TITLE = re.compile(r"<title(?:\s[^<>]*)?>", re.IGNORECASE)
_MAX_TITLE = 2000


class _Stripper(HTMLParser):
    """Collects what a reader would see."""

    def __init__(self, *, with_attributes: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.unseen = ""
        self.with_attributes = with_attributes

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self.unseen = tag
        elif tag not in _INLINE:
            self.pieces.append("\n")
        if self.with_attributes and not self.unseen:
            self.attributes(tag, dict(reversed(attrs)))

    def attributes(self, tag: str, values: dict[str, str | None]) -> None:
        """What the attributes of a tag say to a reader."""
        said = [values.get(name) for name in _SAID]
        if tag in ("input", "button") and (values.get("type") or "").lower() not in _NOT_SHOWN:
            said.append(values.get("value"))
        self.pieces += [f"\n[{' '.join(text.split())}]\n" for text in dict.fromkeys(said) if text and text.strip()]

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unseen:
            self.unseen = ""
        if tag not in _INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.pieces.append(data)


def html_text(markup: str, *, with_attributes: bool = False) -> str:
    """What a reader would see of it, without empty lines; if asked for, also what its attributes say.

    The parser is fed once and never closed: what it waits for to the end, such as a comment that never ends, it
    would otherwise look for again at every later place. That rest is stripped more simply.
    """
    stripper = _Stripper(with_attributes=with_attributes)
    try:
        stripper.feed(markup)
        rest = "" if stripper.unseen else stripper.rawdata
    except AssertionError:  # how the parser refuses a declaration that it does not know
        stripper.pieces.clear()
        rest = markup
    stripper.pieces.append(html.unescape(_TAG.sub("\n", rest)))
    lines = (" ".join(line.split()) for line in "".join(stripper.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def page_title(markup: str) -> str:
    """The title that a page gives itself, in one line."""
    start = _TITLE.search(markup)
    if not start:
        return ""
    end = markup.find("<", start.end())
    return " ".join(html.unescape(markup[start.end() : end if end >= 0 else None][:_MAX_TITLE]).split())
