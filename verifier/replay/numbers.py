"""A set of numbers, a bit each: the documents that were in a batch, of which a matter may have very many."""

from collections.abc import Iterable

_PAGE = 2**12  # numbers


class Numbers:
    """Natural numbers, kept in pages of bits; a page exists once one of its numbers does."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def __contains__(self, number: int) -> bool:
        page, bit = divmod(number, _PAGE)
        return page in self._pages and bool(self._pages[page][bit >> 3] >> (bit & 7) & 1)

    def update(self, numbers: Iterable[int]) -> None:
        """Add numbers."""
        for number in numbers:
            page, bit = divmod(number, _PAGE)
            self._pages.setdefault(page, bytearray(_PAGE // 8))[bit >> 3] |= 1 << (bit & 7)
