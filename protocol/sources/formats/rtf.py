"""Rich text files (.rtf): text, notes, comments, headers, text boxes, and the files embedded in it.

Deleted and inserted text is marked as such. What is ignorable and unknown is ignored, as the format prescribes.
"""

from protocol.sources.formats.ooxml import TOOL
from protocol.sources.formats.rtfobjects import read_object
from protocol.sources.formats.rtfreader import RtfReader
from protocol.sources.formats.rtftokens import tokens
from protocol.sources.formats.story import section, tidied
from protocol.sources.parts import Extracted, Extractor, File, Note, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.text import replace_surrogates

KIND = "rtf"
START = b"{\\rtf"
_SPACE = b"\xef\xbb\xbf \t\r\n\0"
_MAX_OBJECTS = 10_000


def _extract(file: File) -> Extracted:
    reader = RtfReader()
    for token in tokens(file.content.lstrip(_SPACE)):
        reader.take(token)
    reader.finish()
    if not reader.has_begun:
        raise Unextractable(Cause.DAMAGED, "it begins like RTF, and holds no group; ask for a whole copy")
    sections = "".join(section(heading, "\n".join(dict.fromkeys(texts))) for heading, texts in reader.asides.items())
    said = tidied(f"{reader.main.text()}\n{sections}")
    text, repaired = replace_surrogates(said)  # RTF writes pairs of them, too, which this joins
    repaired = repaired if text.count("\ufffd") > said.count("\ufffd") else ""
    objects = enumerate(reader.objects[:_MAX_OBJECTS], 1)
    children = [read_object(data, name or f"object{number}") for number, (name, data) in objects]
    return Extracted(
        kind=KIND,
        text=text,
        tool=TOOL,
        options=f"code page {reader.codec}",
        fields=reader.fields(),
        children=tuple(child for child in children if child is not None),
        notes=_notes(reader, repaired),
    )


def _notes(reader: RtfReader, repaired: str) -> tuple[Note, ...]:
    notes: list[Note] = []
    if reader.undecodable:
        detail = f"not all of it is {', '.join(sorted(reader.undecodable))}; what does not fit became U+FFFD"
        notes.append((Cause.UNDECODABLE, detail))
    elif repaired:
        notes.append((Cause.UNDECODABLE, repaired))
    if reader.pictures:
        many = "1 picture" if reader.pictures == 1 else f"{reader.pictures} pictures"
        notes.append((Cause.UNREAD_PART, f"{many}: words in pictures were not read"))
    if reader.is_cut:
        notes.append((Cause.UNREAD_PART, "it ends before its last group is closed; it may have been cut short"))
    return tuple(notes)


EXTRACTOR = Extractor(
    name=KIND,
    described="rich text (.rtf)",
    recognises=lambda file: file.content[:1024].lstrip(_SPACE).startswith(START),
    extract=_extract,
)
