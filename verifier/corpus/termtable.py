"""The term table: every token of at least two documents, sorted bytewise, with the number of its documents."""

from collections.abc import Iterable
from hashlib import sha256

from verifier.corpus.folder import SealedCorpus


def digest(terms: Iterable[bytes], frequencies: Iterable[int]) -> bytes:
    """SHA-256 over each term in order: its length, the term, its frequency, numbers in 4 bytes, big-endian."""
    found = sha256()
    for term, frequency in zip(terms, frequencies, strict=True):
        found.update(b"%b%b%b" % (len(term).to_bytes(4, "big"), term, frequency.to_bytes(4, "big")))
    return found.digest()


def stored_terms(corpus: SealedCorpus) -> list[bytes]:
    """The terms in the folder by column, whatever they are."""
    return corpus.terms.split(b"\n")[:-1]
