"""The list of what Bob was shown, for Alice, who may ask some of it back: a page to read, and a form to fill in."""

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.exchange import filenames, pages, spreadsheet
from protocol.exchange.formrows import BASIS, DOCUMENT, FILE, POSITION, ROUND
from protocol.matter.books import Seat
from protocol.matter.naming import Telling
from protocol.matter.values import Caption


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedDocument:
    """A document that Bob was shown."""

    number: int  # in the list
    name: str
    seat: Seat  # where Bob was shown it
    labelled: Seat  # where Alice got it: in the round in which she labelled it

    @property
    def file(self) -> str:
        """Its file in the question of that round."""
        return f"{filenames.DOCUMENTS}/{filenames.file_name(self.labelled.round, self.labelled.position, self.name)}"


_ABOUT = (
    "These are the documents that Bob was shown and that you have not asked back before. They are not in this package: "
    "you have them from the rounds in which you labelled them, under the names in the last column."
)
_HEADS = ("Position in this list", "Document", "Shown to Bob in round", "Position there", "Your file")


def page(documents: Sequence[DisclosedDocument], case: str, caption: Caption | None) -> dict[str, bytes]:
    """The page that lists them."""
    telling = Telling(caption)
    what = telling.said(f"{len(documents)} document{'' if len(documents) == 1 else 's'} that Bob was shown")
    rows = [
        (str(each.number), pages.named(each.name), str(each.seat.round), str(each.seat.position), each.file)
        for each in documents
    ]
    return {
        filenames.INDEX: pages.listed(
            f"{case}: {what}", telling.said(_ABOUT), [telling.said(each) for each in _HEADS], rows
        )
    }


def form(documents: Sequence[DisclosedDocument]) -> dict[str, bytes]:
    """The form, with a row for each."""
    rows = ((str(each.number), each.name, each.file, str(each.seat.round), "") for each in documents)
    return {filenames.CLAIMS: spreadsheet.write((POSITION, DOCUMENT, FILE, ROUND, BASIS), rows)}
