"""An exhibit as a folder: the record's part, the document, a draft certification, and how to check it."""

import os
import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ledger import canonical, files
from ledger.errors import Refused
from protocol.corpus.corpus import Corpus
from protocol.exhibit import certification, readme
from protocol.exhibit.gathering import Gathered, exhibit_value

RECORD, CERTIFICATION, README, TEXT = "exhibit.json", "certification.txt", "README.txt", "document/text.txt"
_ENDING = re.compile(r"\.[a-z0-9]{1,10}")
_MAIL = re.compile(rb"(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version): ?\S", re.IGNORECASE)
_BEGINNINGS = {
    ".pdf": b"%PDF-",
    ".zip": b"PK\x03\x04",
    ".doc": b"\xd0\xcf\x11\xe0",
    ".rtf": b"{\\rtf",
    ".png": b"\x89PNG",
    ".jpg": b"\xff\xd8\xff",
    ".gif": b"GIF8",
    ".tif": b"II*\0",
}


def write(gathered: Gathered, corpus: Corpus, out: Path) -> None:
    """Write the exhibit's folder, whole or not at all."""
    if os.path.lexists(out):
        raise Refused(f"{out} exists already; name a new folder for the exhibit")
    files.write_folder(out, _contents(gathered, corpus))


def _contents(gathered: Gathered, corpus: Corpus) -> dict[str, bytes]:
    """Every file of the folder by its name; the certification states the hashes of all others."""
    data = corpus.content(gathered.document)
    file = content_file(gathered.name, data)
    contents = {
        RECORD: canonical.encode(exhibit_value(gathered, file)),
        README: readme.text(gathered, file).encode(),
        f"document/{file}": data,
        TEXT: corpus.text(gathered.document).encode(),
    }
    hashes = {name: sha256(data).hexdigest() for name, data in contents.items()}
    return contents | {CERTIFICATION: certification.text(gathered, hashes).encode()}


def content_file(name: str, data: bytes) -> str:
    """What the file of a document's content is called."""
    return f"content{_ending(name, data)}"


def _ending(name: str, data: bytes) -> str:
    """What a document's name ends in, else what its first bytes tell, so that a computer knows how to open it."""
    ending = PurePosixPath(name).suffix.lower()
    if _ENDING.fullmatch(ending):
        return ending
    for known, begins in _BEGINNINGS.items():
        if data.startswith(begins):
            return known
    if b"\0" in data:
        return ".bin"
    return ".eml" if _MAIL.match(data) else ".txt"
