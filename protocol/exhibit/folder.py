"""An exhibit as a folder: a part of the record, the document, a draft certification, and how to check it.

README.txt does not tell the document's story: the verifier does, from what it has checked.
"""

import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ledger import canonical, files
from protocol.corpus.corpus import Corpus
from protocol.exhibit import certification
from protocol.exhibit import exhibit as exhibits
from protocol.exhibit.exhibit import Exhibit
from protocol.exhibit.fates import Fate

RECORD, CERTIFICATION, README, TEXT = "exhibit.json", "certification.txt", "README.txt", "document/text.txt"
_MAIL = re.compile(rb"(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version): ?\S", re.IGNORECASE)

_SIMULATION = """\
THIS IS A SIMULATION. One program played all parties, and anyone can derive their keys. It is
evidence of nothing.

"""

_UNDISCLOSED = """\
NOT DISCLOSED. According to the record, Bob has {what}. Whoever gets
this folder gets the document. Give it only to those who may see it.

"""

_NOT_SHOWN = {
    Fate.NOT_SHOWN: "never been shown this document",
    Fate.WITHHELD: "been refused it: it is withheld as privileged",
    Fate.JUDGED: "been refused it: the court read it alone, and found it not responsive",
}

_COMMITMENT_ONLY = """\
COMMITMENT ONLY. According to the record, the document was in no round when this folder was made, so
the folder holds no round of the review. It proves that the document is part of the corpus that all
parties agreed on, and nothing about a review.

"""

_PAGE = """\
An exhibit about one document of a review that was run with Tallystick.

  exhibit.json        the part of the signed record that proves the document's story
  document/{file}
                      the document, byte for byte as it was committed to; it ends in .txt or .eml,
                      whatever it was called, so that nothing in it runs when it is opened
  document/text.txt   its text, as it was used for the ranking
  certification.txt   a draft certification for counsel to complete

To check it, install Tallystick's verifier and type, in the folder that holds this one,

  tallystick-verify exhibit THIS_FOLDER

and with fingerprints of the parties' keys that you got from them, in a file,

  tallystick-verify exhibit THIS_FOLDER --trust FILE

It needs nothing else: no network, no matter, no corpus. It tells the document's story in plain
words. It says what was checked, what an exhibit cannot show, and who is at fault if a rule was
broken. If a single byte of the record or the document was changed, it says so.

What else is in this folder. The entries of the document's rounds are here as they were signed: of the
one in which it was put up, and of those in which it was drawn again and shown. They name the other
documents of a batch by position only; a validation lists the numbers of what it drew, which tell
nothing else. They hold Alice's labels, which decide this document's chance of being drawn, and the
labels and rulings that were signed in one entry with this document's, because nothing can be taken
out of a signed entry. The names and contents of other documents are not in this folder.
"""


def write(exhibit: Exhibit, corpus: Corpus, out: Path) -> None:
    """Write the exhibit's folder, whole or not at all."""
    files.check_free(out, "name a new folder for the exhibit")
    files.write_folder(out, _contents(exhibit, corpus))


def _contents(exhibit: Exhibit, corpus: Corpus) -> dict[str, bytes]:
    """Every file of the folder by its name; the certification states the hashes of all others."""
    data = corpus.content(exhibit.document)
    file = content_file(exhibit.name, data)
    contents = {
        RECORD: canonical.encode(exhibits.value(exhibit, file)),
        README: _readme(exhibit, file).encode(),
        f"document/{file}": data,
        TEXT: corpus.text(exhibit.document).encode(),
    }
    hashes = {name: sha256(data).hexdigest() for name, data in contents.items()}
    return contents | {CERTIFICATION: certification.text(exhibit, hashes).encode()}


def _readme(exhibit: Exhibit, file: str) -> str:
    """README.txt; `file` is the name of the document's content."""
    page = _PAGE.format(file=file)
    if not exhibit.reviewed:
        page = _COMMITMENT_ONLY + page
    if exhibit.fate in _NOT_SHOWN:
        page = _UNDISCLOSED.format(what=_NOT_SHOWN[exhibit.fate]) + page
    return (_SIMULATION if exhibit.opening.simulation else "") + page


def content_file(name: str, data: bytes) -> str:
    """The name of the file with a document's content: with an ending by which no computer runs anything in it."""
    named = PurePosixPath(name).suffix.lower()
    return f"content{named if named in ('.txt', '.eml') else '.eml' if _MAIL.match(data) else '.txt'}"
