"""Documents that a question only lists: their texts, from the question of the round in which they were labelled."""

from collections.abc import Iterator, Mapping

from ledger.errors import LedgerError
from ledger.hashing import Digest
from protocol.exchange import filenames, question_file
from protocol.parties.view import Document
from protocol.room.desk import Desk
from protocol.room.room import Room

LONGEST = 60_000
"""Characters of a text that are shown."""


def texts(room: Room, desk: Desk, document: Document) -> list[tuple[str, str]]:
    """The file and the text of each part, if that question is still at hand: Trent has signed its hashes."""
    matter, trent = desk.ready.asked.request.matter, desk.ready.known.trent
    for item in room.items():
        asked = item.request
        if trent is None or asked is None or asked.matter != matter or document.file not in asked.files:
            continue
        wanted = dict(_parts(asked.files, document.file))
        try:
            found = question_file.signed_files(room.source.fetch(item.waiting.id), trent, wanted.values())
        except (LedgerError, OSError):
            continue
        return [(name, found[file].decode(errors="replace")[:LONGEST]) for name, file in wanted.items()]
    return []


def _parts(files: Mapping[str, Digest], document: str) -> Iterator[tuple[str, str]]:
    """The files of all parts of a document, each with the file that has its text."""
    place = filenames.place_of(document)
    for name in sorted(files):
        found = filenames.place_of(name) if name.startswith(f"{filenames.DOCUMENTS}/") else None
        if place is not None and found is not None and found[0] == place[0]:
            text = filenames.text_file(*found)
            yield name.removeprefix(f"{filenames.DOCUMENTS}/"), text if text in files else name
