"""What can be wrong with a sealed corpus, or with what was made from it."""

from pathlib import Path

from verifier.findings import VerifierError


class CorpusError(VerifierError):
    """The base of what this package raises."""


class CorpusDamaged(CorpusError):
    """The folder cannot be read as a corpus. Anybody may have done that, so it blames nobody."""


class NotSound(CorpusDamaged):
    """A feature row's columns do not ascend, or are not terms, so that nothing may be scored."""


class WorkerDied(CorpusError):
    """A process that did a part of the work ended early, again and again; or a cluster did not do its part."""


class BadCluster(CorpusError):
    """A cluster cannot be used: it has no TLS, is not there, or the packages for it are not installed."""


class NotReviewable(CorpusError):
    """Documents that cannot be labelled: they are not in the corpus, or labelled already."""


class BadModel(CorpusError):
    """The bytes are not a model of the labelled documents."""


class TooLarge(BadModel):
    """A model's numbers leave the range in which 64-bit integers are known to be exact."""


def shown(path: Path) -> str:
    """A path for a message, with question marks for characters that no terminal can show."""
    return str(path).encode(errors="replace").decode()
