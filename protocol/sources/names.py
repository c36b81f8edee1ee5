"""Names that are taken, by their hashes: some fifty bytes a name, where a dict of texts would take several hundred.

A hash of 128 bits stands for a name. Nobody can find two names with the same one.
"""

from array import array
from hashlib import blake2b

_HASH = 16  # bytes of a hash
_PLACE = 4  # bytes of a document's place
_VALUE = _HASH + _PLACE
_FIRST = 2**10  # slots in the beginning; a power of two


def name_hash(name: str) -> bytes:
    """What stands for a name."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_HASH).digest()


def content_hash(content: bytes) -> bytes:
    """What stands for the content of a line."""
    return blake2b(content, digest_size=_HASH).digest()


class TakenNames:
    """Names, each with the hash and the place of the line that has it, if it is that of a line.

    It is a hash table with open addressing: `_slots` has one more than the entry of the name, or 0.
    """

    def __init__(self) -> None:
        self._slots = array("I", bytes(4 * _FIRST))
        self._hashes, self._values = bytearray(), bytearray()

    def __len__(self) -> int:
        return len(self._hashes) // _HASH

    def __contains__(self, name: str) -> bool:
        return self._slots[self._slot(name_hash(name))] != 0

    def line(self, name: str) -> tuple[bytes, int]:
        """The content's hash and the place of the line with this name, which is taken."""
        entry = self._slots[self._slot(name_hash(name))] - 1
        value = self._values[entry * _VALUE : (entry + 1) * _VALUE]
        return bytes(value[:_HASH]), int.from_bytes(value[_HASH:], "big")

    def add(self, name: str, content: bytes = bytes(_HASH), place: int = 0) -> None:
        """Take a name that is free."""
        if 2 * (len(self) + 1) > len(self._slots):
            self._grow()
        key = name_hash(name)
        slot = self._slot(key)
        self._hashes += key
        self._values += content + place.to_bytes(_PLACE, "big")
        self._slots[slot] = len(self)

    def _slot(self, key: bytes) -> int:
        """The slot of a name, or the empty one where it belongs."""
        slots, hashes = self._slots, self._hashes
        last = len(slots) - 1
        slot = int.from_bytes(key[:8], "big") & last
        while entry := slots[slot]:
            if hashes[(entry - 1) * _HASH : entry * _HASH] == key:
                break
            slot = slot + 1 & last
        return slot

    def _grow(self) -> None:
        slots = array("I", bytes(8 * len(self._slots)))
        last = len(slots) - 1
        for entry in range(len(self)):
            slot = int.from_bytes(self._hashes[entry * _HASH : entry * _HASH + 8], "big") & last
            while slots[slot]:
                slot = slot + 1 & last
            slots[slot] = entry + 1
        self._slots = slots
