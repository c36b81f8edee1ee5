"""Whether a corpus folder is, to the last byte, what it was made as."""

from collections.abc import Callable
from pathlib import Path

from protocol.corpus import account, manifest
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import REMEDY
from protocol.errors import BadCorpus


def check_folder(path: Path, progress: Callable[[int, int], None] = lambda *_: None) -> Corpus:
    """The corpus, or `BadCorpus` with what was changed. Opening checks only the small files.

    `progress` is told how many documents are in the shards that were compared, and how many there are.
    """
    corpus = Corpus.open(path)
    progress(0, corpus.size)
    listed = manifest.read(path)
    manifest.Watched(path, listed.files).check(*listed.files)
    for shard, files in zip(corpus.shards, listed.shards, strict=True):
        shard.check(*files.files)
        shard.fits()
        if shard.pictures:
            for number in shard.numbers.tolist():
                for part in range(corpus.parts(number)):
                    corpus.images(number, part)
        progress(shard.first + shard.size, corpus.size)
    if fault := account.fault(corpus.account, corpus.size, corpus.unit):
        raise BadCorpus(f"the account of {path} does not add up: {fault}; {REMEDY}")
    return corpus
