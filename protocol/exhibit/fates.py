"""What became of a document, as far as Bob goes: whoever cuts an exhibit must know what he has not seen, and why."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from ledger import records
from ledger.canonical import Value
from ledger.entries import Body, Statement
from ledger.store import StoredEntry
from protocol.exhibit.story import Chapter, Story
from protocol.matter.kinds.disclosure import Disclosure
from protocol.matter.kinds.privilege import Privilege


class Fate(Enum):
    """What became of the document."""

    SHOWN = auto()
    CLAWED_BACK = auto()  # after Bob was shown it
    WITHHELD = auto()  # as privileged
    JUDGED = auto()  # by the court alone, as not responsive
    NOT_SHOWN = auto()


def fate(stored: Sequence[StoredEntry], story: Story) -> Fate:
    """What became of the document. A later round can show what an earlier one did not."""
    found = Fate.NOT_SHOWN
    asked: tuple[int, ...] = ()
    claims: dict[int, Value] = {}  # what Alice claims for it, by round
    for each in stored:
        said = records.decode(Body, each.body).statement
        chapter = story.chapters.get(said.round)
        if chapter is None:
            continue
        match said.kind:
            case "report" | "claim":
                claim = _claim(each, said, chapter)
                claims |= {} if claim is None else {said.round: claim}
            case "disclosure" if chapter.position in positions(said.content):
                return Fate.CLAWED_BACK if story.clawed_back else Fate.SHOWN
            case "camera":
                asked = positions(said.content)
            case "privilege":
                ruled = dict(zip(asked, records.from_value(Privilege, said.content).upheld, strict=True))
                if ruled.get(chapter.position):
                    found = Fate.WITHHELD if isinstance(_claimed(claims, story, said.round), str) else Fate.JUDGED
    return found


def withheld_parts(stored: Sequence[StoredEntry], story: Story) -> tuple[int, ...]:
    """The parts that the court has withheld from Bob, who was shown the others."""
    asked: tuple[int, ...] = ()
    for each in stored:
        said = records.decode(Body, each.body).statement
        chapter = story.chapters.get(said.round)
        if said.kind == "camera":
            asked = positions(said.content)
        elif said.kind == "privilege" and chapter is not None and chapter.position in asked:
            parts = records.from_value(Privilege, said.content).parts[asked.index(chapter.position)]
            if parts:
                return parts
    return ()


def _claim(stored: StoredEntry, said: Statement, chapter: Chapter) -> Value:
    """What a report or a claim says of the document: a basis, a class, or nothing."""
    own = {"privilege": chapter.position - 1} if said.kind == "report" else index("privilege", said.content, chapter)
    if said.kind == "report" and not chapter.listed:
        return None
    return next((each.value for each in stored.openings if own.get(each.field) == each.index), None)


def _claimed(claims: Mapping[int, Value], story: Story, number: int) -> Value:
    """What Alice claims in a round. One that comes back to a document finds what the report claims that labelled it."""
    if number in claims:
        return claims[number]
    return next((claim for each, claim in claims.items() if story.chapters[each].listed), None)


def index(field: str, content: Mapping[str, Value], chapter: Chapter) -> dict[str, int]:
    """Which value of a field is about the document, in an entry that names positions."""
    named = positions(content)
    return {field: named.index(chapter.position)} if chapter.position in named else {}


def positions(content: Mapping[str, Value]) -> tuple[int, ...]:
    """The positions that an entry names."""
    return records.from_value(Disclosure, dict(content)).positions
