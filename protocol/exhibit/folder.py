"""An exhibit as a folder: a part of the record, the document, a draft certification, and how to check it.

README.txt does not tell the document's story: the verifier does, from what it has checked.
"""

import re
import textwrap
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ledger import canonical, files
from protocol.corpus import leaves
from protocol.corpus.corpus import Corpus
from protocol.exhibit import certification
from protocol.exhibit import exhibit as exhibits
from protocol.exhibit.exhibit import Exhibit
from protocol.exhibit.fates import Fate
from protocol.matter.naming import Telling

RECORD, CERTIFICATION, README = "exhibit.json", "certification.txt", "README.txt"
_MAIL = re.compile(rb"(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version): ?\S", re.IGNORECASE)

_WIDTH = 115  # of a line that names make longer

_SIMULATION = """\
THIS IS A SIMULATION. One program played all parties, and anyone can derive their keys. It is
evidence of nothing.

"""

_UNDISCLOSED = """\
NOT DISCLOSED. According to the record, Bob has {what}. Whoever gets
this folder gets the document. Give it only to those who may see it.

"""

_CLAWED_BACK = """\
CLAWED BACK. According to the record, Bob was shown this document, and the court has let Alice claw it
back since. Whoever gets this folder gets the document. Give it only to those who may see it.

"""

_NOT_SHOWN = {
    Fate.NOT_SHOWN: "never been shown this document",
    Fate.WITHHELD: "been refused it: it is withheld as privileged",
    Fate.JUDGED: "been refused it: the court read it alone, and found it not responsive",
}

_PARTS_WITHHELD = """\
PARTS WITHHELD. The court has withheld parts of this document as privileged: {numbers}. Only what a
privilege log states of them is here. A part in which such a part lies, as an attachment lies in a
mail, is here as text alone.

"""

_COMMITMENT_ONLY = """\
COMMITMENT ONLY. According to the record, the document was in no round when this folder was made, so
the folder holds no round of the review. It proves that the document is part of the corpus that all
parties agreed on, and nothing about a review.

"""

_PAGE = """\
An exhibit about one document of a review that was run with Tallystick.

  exhibit.json        the part of the signed record that proves the document's story
{files}                      the document, byte for byte as it was committed to; {it} in .txt or .eml,
                      whatever it was called, so that nothing in it runs when it is opened
  document/text.txt   its text, as it was used for the ranking{texts}
  certification.txt   a draft certification for counsel to complete
{outside}
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


_OUTSIDE = {
    "stamps/": """\
  stamps/             time stamps of the record (RFC 3161), each with the bytes that it is about; `openssl ts
                      -verify -data N.txt -in N.tsr -CAfile ROOTS` reads them
""",
    "log/": """\
  log/                proofs that the operator's log has the record (C2SP tlog-proof), each with its leaf
""",
}


def write(exhibit: Exhibit, corpus: Corpus, out: Path) -> None:
    """Write the exhibit's folder, whole or not at all."""
    files.check_free(out, "name a new folder for the exhibit")
    files.write_folder(out, _contents(exhibit, corpus))


def _contents(exhibit: Exhibit, corpus: Corpus) -> dict[str, bytes]:
    """Every file of the folder by its name; the certification states the hashes of all others."""
    document, withheld = exhibit.document, exhibit.withheld
    parts = [part for part in range(len(exhibit.parts)) if part not in withheld]
    around = leaves.around([part.log.parent for part in exhibit.parts], withheld)
    data = {part: corpus.content(document, part) for part in parts if part not in around}
    files = {part: content_file(corpus.fields(document, part).rest.name, data[part], part) for part in data}
    contents = {
        RECORD: canonical.encode(exhibits.value(exhibit, [files.get(part) for part in range(len(exhibit.parts))])),
        README: _readme(exhibit, list(files.values())).encode(),
        **{f"document/{file}": data[part] for part, file in files.items()},
        **{f"document/text{_of(part)}.txt": corpus.part_text(document, part).encode() for part in parts},
    }
    hashes = {name: sha256(data).hexdigest() for name, data in contents.items()}
    return contents | {CERTIFICATION: certification.text(exhibit, hashes).encode()} | exhibit.outside


def _readme(exhibit: Exhibit, files: Sequence[str]) -> str:
    """README.txt; `files` are the names of the contents of the document's parts that are here."""
    several = len(exhibit.parts) > 1
    page = _PAGE.format(
        files="".join(f"  document/{file}\n" for file in files[:1])
        + ("  document/content-1 and so on\n" if several else ""),
        it="all parts end" if several else "it ends",
        outside="".join(
            told for start, told in _OUTSIDE.items() if any(name.startswith(start) for name in exhibit.outside)
        ),
        texts=",\n  and so on           and that of each further part" if several else "",
    )
    if exhibit.withheld:
        numbers = ", ".join(map(str, exhibit.withheld))
        page = _PARTS_WITHHELD.format(numbers=numbers) + page
    if not exhibit.reviewed:
        page = _COMMITMENT_ONLY + page
    if exhibit.fate is Fate.CLAWED_BACK:
        page = _CLAWED_BACK + page
    if exhibit.fate in _NOT_SHOWN:
        page = _UNDISCLOSED.format(what=_NOT_SHOWN[exhibit.fate]) + page
    return _told((_SIMULATION if exhibit.opening.simulation else "") + page, exhibit)


def _told(page: str, exhibit: Exhibit) -> str:
    """The page with people's names. A line that grows too long by it is broken."""
    lines = []
    for line in Telling(exhibit.opening.caption).said(page).split("\n"):
        wrapped = textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += wrapped if len(line) > _WIDTH else [line]
    return "\n".join(lines)


def content_file(name: str, data: bytes, part: int = 0) -> str:
    """The name of the file with a part's content: with an ending by which no computer runs anything in it."""
    named = PurePosixPath(name).suffix.lower()
    return f"content{_of(part)}{named if named in ('.txt', '.eml') else '.eml' if _MAIL.match(data) else '.txt'}"


def _of(part: int) -> str:
    return f"-{part}" if part else ""
