"""Attachments in a copy: cut into pieces, put together again, and checked by their hash."""

import base64
import binascii
from hashlib import sha256

from ledger.copylines import AttachmentLine
from ledger.entries import Attachment
from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.records import Malformed

CHUNK = 2**20
"""Attachments travel in pieces of this many bytes, the last one shorter."""


def cut(digest: Digest, number: int, piece: bytes) -> AttachmentLine:
    """The line for one piece."""
    return AttachmentLine(attachment=digest, chunk=number, data=base64.b64encode(piece).decode())


class Assembly:
    """The attachments that openings have promised, checked as they arrive, and not kept."""

    def __init__(self) -> None:
        self.known: dict[Digest, int] = {}  # sizes
        self._due: list[Attachment] = []
        self._restart()

    def _restart(self) -> None:
        self._hash, self._size, self._chunks = sha256(), 0, 0

    def expect(self, reference: Attachment) -> None:
        """An opening refers to this attachment: unless it was there before, it follows next."""
        if reference.attachment not in self.known:
            self.known[reference.attachment] = reference.size
            self._due.append(reference)
            self._complete()
        elif self.known[reference.attachment] != reference.size:
            raise Malformed(f"the attachment {reference.attachment.hex()} is referred to with two sizes")

    def add(self, line: AttachmentLine) -> None:
        """Take the next piece."""
        due = self._due[0] if self._due else None
        if due is None or (line.attachment, line.chunk) != (due.attachment, self._chunks):
            raise Damaged(f"a piece of the attachment {line.attachment.hex()} is in the wrong place")
        piece = _decoded(line)
        if len(piece) != min(CHUNK, due.size - self._size) or not piece:
            raise Damaged(f"piece {line.chunk} of the attachment {line.attachment.hex()} has a wrong length")
        self._hash.update(piece)
        self._size += len(piece)
        self._chunks += 1
        self._complete()

    def finish(self) -> None:
        """No attachment may be missing now."""
        if self._due:
            raise Damaged(f"the attachment {self._due[0].attachment.hex()} is missing or cut short")

    def _complete(self) -> None:
        while self._due and self._size == self._due[0].size:
            due = self._due.pop(0)
            if self._hash.digest() != due.attachment:
                raise Damaged(f"the attachment {due.attachment.hex()} does not have its hash")
            self._restart()


def _decoded(line: AttachmentLine) -> bytes:
    try:
        piece = base64.b64decode(line.data, validate=True)
    except (binascii.Error, ValueError):
        piece = b""
    if base64.b64encode(piece).decode() != line.data:
        raise Damaged(f"piece {line.chunk} of the attachment {line.attachment.hex()} is not base64")
    return piece
