"""The text of one part of a Word file, from its XML events."""

from collections.abc import Callable, Mapping

from protocol.sources.formats.cellformats import whole
from protocol.sources.formats.story import Story, field_target, in_one_line
from protocol.sources.formats.xmlevents import Event

_TEXT = {"w:t", "w:delText", "m:t", "a:t"}
_CODE = {"w:instrText", "w:delInstrText"}
_MARKED = {"w:ins": "inserted", "w:del": "deleted", "w:moveFrom": "moved away", "w:moveTo": "moved here"}
_SAID = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "a:br": "\n"}
_NOTES = {"w:footnote", "w:endnote", "w:comment"}
_REFERENCES = {"w:footnoteReference", "w:endnoteReference", "w:commentReference"}
_WORDINGS = {"mc:Choice", "mc:Fallback"}
_BOXES = {"w:txbxContent", "a:txBody"}
_DESCRIBED = {"wp:docPr": ("title", "descr"), "v:shape": ("alt",), "v:rect": ("alt",), "v:textpath": ("string",)}


class WordReader:
    """Walks through the events of a part.

    `links` are the addresses by id, `chunk` reads an altChunk by its id, and `label` is what Word writes before a
    paragraph of a list, by the list, the depth and the style.
    """

    def __init__(
        self, *, links: Mapping[str, str], chunk: Callable[[str], str], label: Callable[[str, int, str], str]
    ) -> None:
        self.story = Story()
        self.label = label
        self.number, self.level, self.style = "", 0, ""
        self.links = links
        self.chunk = chunk
        self.open: list[str] = []
        self.pending: list[str] = []
        """For each open tag that needs it, what is to be said when it closes."""
        self.codes: list[list[str]] = []
        """For each open field, its instruction."""
        self.choices: list[str] = []
        self.chosen = 0

    def take(self, event: Event) -> None:
        """The next event of the part."""
        if not event.tag:
            self.text(event.text)
        elif event.attributes is not None:
            self.open.append(event.tag)
            self.start(event.tag, event.attributes)
        else:
            self.end(event.tag)
            if self.open:
                self.open.pop()

    def text(self, text: str) -> None:
        """Characters, if they stand where people write."""
        tag = self.open[-1] if self.open else ""
        if tag in _TEXT:
            self.story.say(text)
        elif tag in _CODE and self.codes:
            self.codes[-1].append(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An opening tag."""
        if tag in _SAID and self.is_in_run():
            self.story.say(_SAID[tag])
        elif tag == "w:sym":
            self.story.say(_symbol(attributes.get("w:char", "")))
        elif tag in _REFERENCES:
            self.story.say(f"[{attributes.get('w:id', '')}]")
        elif tag in _MARKED:
            self.begin(f"{_MARKED[tag]}{_by(attributes)}")
        elif tag in _NOTES:
            by = _by(attributes)
            self.begin(f"[{attributes.get('w:id', '')}]{by}{':' if by else ''}")
        elif tag in ("w:hyperlink", "w:fldSimple"):
            self.begin(self.links.get(attributes.get("r:id", ""), "") or field_target(attributes.get("w:instr", "")))
        elif tag in _WORDINGS or tag in _BOXES or tag in ("w:tc", "w:rt"):
            self.story.push()
        elif tag == "mc:AlternateContent":
            self.story.begin_choice()
        elif tag == "w:altChunk":
            self.story.say(self.chunk(attributes.get("r:id", "")) + "\n")
        else:
            self.start_field(tag, attributes)

    def start_field(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Fields, form fields, and what describes pictures."""
        if tag in ("w:pStyle", "w:numId", "w:ilvl"):
            self.start_number(tag, attributes.get("w:val", ""))
        elif tag == "w:fldChar":
            self.field(attributes.get("w:fldCharType", ""))
        elif tag == "w:ddList":
            self.choices, self.chosen = [], 0
        elif tag == "w:listEntry" and "w:ddList" in self.open[-2:]:
            self.choices.append(attributes.get("w:val", ""))
        elif tag == "w:result" and "w:ddList" in self.open[-2:]:
            value = attributes.get("w:val", "")
            self.chosen = int(value) if value.isdecimal() and len(value) < 6 else 0
        else:
            for name in _DESCRIBED.get(tag, ()):
                if attributes.get(name, "").strip():
                    self.story.label(attributes[name] if name == "string" else f"alt text: {attributes[name]}")

    def start_number(self, tag: str, value: str) -> None:
        """To which list a paragraph belongs; not to which it belonged before a tracked change."""
        if tag == "w:pStyle" and self.open[-3:-1] == ["w:p", "w:pPr"]:
            self.style = value
        elif self.open[-4:-1] == ["w:p", "w:pPr", "w:numPr"]:
            if tag == "w:numId":
                self.number = value
            else:
                self.level = whole(value)

    def end_properties(self) -> None:
        """After the properties of a paragraph, its text begins, with its number."""
        if self.open[-2:] == ["w:p", "w:pPr"]:
            label = self.label(self.number, self.level, self.style)
            self.story.say(f"{label} " if label.strip() else "")
            self.number, self.level, self.style = "", 0, ""

    def end(self, tag: str) -> None:
        """A closing tag."""
        if tag == "w:p":
            self.story.end_paragraph()
        elif tag == "w:pPr":
            self.end_properties()
        elif tag in _MARKED:
            self.end_marked()
        elif tag in _NOTES:
            heading, text = self.ended(), in_one_line(self.story.pop())
            self.story.say(f"{heading} {text}\n" if text else "")
        elif tag in ("w:hyperlink", "w:fldSimple"):
            target, text = self.ended(), self.story.pop_inline()
            self.story.say(f"{text} <{target}>" if target and target not in text else text)
        elif tag in _WORDINGS:
            self.story.pop_wording()
        elif tag == "mc:AlternateContent":
            self.story.end_choice()
        elif tag in _BOXES:
            self.story.pop_aside()
        elif tag == "w:tc":
            self.story.say(in_one_line(self.story.pop()) + "\t")
        elif tag == "w:tr":
            self.story.say("\n")
        elif tag == "w:rt":  # how the word that follows is pronounced
            text = self.story.pop_inline()
            self.story.say(f"({text})" if text.strip() else "")
        elif tag == "w:ddList" and self.chosen < len(self.choices):
            self.story.say(self.choices[self.chosen])

    def begin(self, pending: str) -> None:
        """Begin a stretch that something is said about when it ends."""
        self.pending.append(pending)
        self.story.push()

    def ended(self) -> str:
        """What is to be said about the stretch that ends."""
        return self.pending.pop() if self.pending else ""

    def end_marked(self) -> None:
        """Inserted or deleted text; the marks are also used without any text, for properties."""
        mark, text = self.ended(), self.story.pop_inline()
        if text.strip():
            self.story.say(f"[{mark}: {text}]")
        else:
            self.story.say(text)

    def field(self, kind: str) -> None:
        """A field begins, turns from its instruction to its result, or ends; where it leads to is said at its end."""
        if kind == "begin":
            self.codes.append([])
        elif kind == "end" and self.codes:
            target = field_target("".join(self.codes.pop()))
            if target:
                self.story.say(f" <{target}>")

    def is_in_run(self) -> bool:
        """Whether a tab or break is one, and not the description of one in a paragraph's style."""
        return len(self.open) < 2 or self.open[-2] in ("w:r", "a:p", "m:r")


def _by(attributes: Mapping[str, str]) -> str:
    """Who wrote it, and when, as far as that is known."""
    author = in_one_line(attributes.get("w:author", ""))
    date = attributes.get("w:date", "")[:10] if author else ""
    return " by " + ", ".join(filter(None, (author, date))) if author else ""


def _symbol(code: str) -> str:
    """A character of a symbol font, by its number."""
    try:
        return chr(int(code[:6], 16))
    except (ValueError, OverflowError):
        return ""
