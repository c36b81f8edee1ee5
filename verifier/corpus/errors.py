"""What can be wrong with a sealed corpus, or with what was made from it."""

from verifier.findings import VerifierError


class CorpusError(VerifierError):
    """The base of what this package raises."""


class CorpusDamaged(CorpusError):
    """The folder cannot be read as a corpus. Anybody may have done that, so it blames nobody."""


class NotReviewable(CorpusError):
    """Documents that cannot be labelled: they are not in the corpus, or labelled already."""


class BadModel(CorpusError):
    """The bytes are not a model of the labelled documents."""


class TooLarge(BadModel):
    """A model's numbers leave the range in which 64-bit integers are known to be exact."""
