"""A set of numbers, a bit each: documents that were put up, or that Bob was shown; a matter may have very many."""

from collections.abc import Iterable, Iterator

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
            number_of_page, bit = divmod(number, _PAGE)
            page = self._pages.get(number_of_page)
            if page is None:
                page = self._pages[number_of_page] = bytearray(_PAGE // 8)
            page[bit >> 3] |= 1 << (bit & 7)

    def lacking(self, end: int) -> Iterator[int]:
        """The numbers below `end` that are not in the set, ascending."""
        for start in range(0, end, _PAGE):
            numbers = range(start, min(start + _PAGE, end))
            page = self._pages.get(start // _PAGE)
            if page is None:
                yield from numbers
            else:
                yield from (each for each in numbers if not page[each % _PAGE >> 3] >> (each & 7) & 1)
