"""Whether a corpus folder is, to the last byte, what it was made as."""

from pathlib import Path

from protocol.corpus import account, images, manifest
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import READ_SINGLY, REMEDY
from protocol.errors import BadCorpus


def check_folder(path: Path) -> Corpus:
    """The corpus, or `BadCorpus` with what was changed. Opening checks all but the two largest files."""
    corpus = Corpus.open(path)
    listed = manifest.read(path)
    for name, found in manifest.hashes(path, READ_SINGLY).items():
        if found != listed.files[name]:
            raise BadCorpus(f"{path / name} was changed after the corpus was made; {REMEDY}")
    for document in range(corpus.size if (path / images.IMAGES).exists() else 0):
        for part in range(corpus.parts(document)):
            corpus.images(document, part)
    if fault := account.fault(corpus.account, corpus.size, corpus.unit):
        raise BadCorpus(f"the account of {path} does not add up: {fault}; {REMEDY}")
    return corpus
