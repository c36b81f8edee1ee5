"""An exhibit as a folder: the record's part, the document, a draft certification, and how to check it."""

import os
import re
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ledger import canonical, files
from ledger.errors import Refused
from protocol.corpus.corpus import Corpus
from protocol.exhibit import certification, readme
from protocol.exhibit.gathering import Gathered, exhibit_value

RECORD, CERTIFICATION, README, TEXT = "exhibit.json", "certification.txt", "README.txt", "document/text.txt"
_ENDING = re.compile(r"\.[a-z0-9]{1,10}")


def write(gathered: Gathered, corpus: Corpus, out: Path) -> None:
    """Write the exhibit's folder, whole or not at all."""
    if os.path.lexists(out):
        raise Refused(f"{out} exists already; name a new folder for the exhibit")
    contents = _contents(gathered, corpus)
    try:
        unfinished = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}") from None
    try:
        for name, data in contents.items():
            _write(unfinished / name, data)
        unfinished.chmod(0o755)  # a temporary folder is for its owner only, and this one is to be handed on
        unfinished.rename(out)
        files.sync_folder(out)
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _contents(gathered: Gathered, corpus: Corpus) -> dict[str, bytes]:
    """Every file of the folder by its name; the certification states the hashes of all others."""
    file = f"content{_ending(gathered.name)}"
    contents = {
        RECORD: canonical.encode(exhibit_value(gathered, file)),
        README: readme.text(gathered, file).encode(),
        f"document/{file}": corpus.content(gathered.document),
        TEXT: corpus.text(gathered.document).encode(),
    }
    hashes = {name: sha256(data).hexdigest() for name, data in contents.items()}
    return contents | {CERTIFICATION: certification.text(gathered, hashes).encode()}


def _ending(name: str) -> str:
    """What a document's name ends in, so that a computer knows how to open it."""
    ending = PurePosixPath(name).suffix.lower()
    return ending if _ENDING.fullmatch(ending) else ".bin"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
