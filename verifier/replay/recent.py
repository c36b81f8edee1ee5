"""The hashes of the last entries, 32 bytes each: one of them may be served on a party that does not answer.

While a question is open, Trent may ask the court again and again, so there can be very many of them.
"""

_HASH = 32


class RecentEntries:
    """Hashes of entries in a row, of which the oldest are forgotten."""

    def __init__(self) -> None:
        self._first = 0  # its number
        self._hashes = bytearray()

    def add(self, number: int, digest: bytes) -> None:
        """Remember the next entry. If entries between are not shown, as in an exhibit, those before count no longer."""
        if number != self._first + len(self._hashes) // _HASH:
            self._first = number
            self._hashes.clear()
        self._hashes += digest

    def forget_before(self, number: int) -> None:
        """Only this entry and later ones still count."""
        gone = number - self._first
        if gone > 0:
            del self._hashes[: gone * _HASH]
            self._first = number

    def holds(self, digest: bytes, since: int) -> bool:
        """Whether this is the hash of an entry with the number `since` or a later one."""
        start = max(0, since - self._first) * _HASH
        found = self._hashes.rfind(digest, start)
        while found > start and found % _HASH:  # in the middle of two
            found = self._hashes.rfind(digest, start, found + _HASH - 1)
        return found >= start and not found % _HASH
