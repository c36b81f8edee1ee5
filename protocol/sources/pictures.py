"""What is sealed about the pictures of a PDF's pages: a field of the part, which leads to every picture."""

from collections.abc import Iterable
from hashlib import sha256

PAGE_IMAGES = "page_images"
"""The field's name."""


def images_digest(digests: Iterable[bytes]) -> str:
    """The field's value: the SHA-256 of the pictures' own SHA-256 hashes, one after the other, in hex."""
    return sha256(b"".join(digests)).hexdigest()
