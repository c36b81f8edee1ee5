"""A strict reader of the load file of a volume: one line a record, and each in the one way in which it is written."""

from collections.abc import Iterator
from io import BufferedReader

from verifier.findings import VerifierError

LONGEST = 2**26
"""Bytes of a line; the proof of a document, with all its fields, has at most 2^24."""

_MARK = b"\xef\xbb\xbf"
_SEPARATOR, _QUALIFIER, _NEWLINE = "\x14", "\xfe", "\xae"


class BadLine(VerifierError):
    """A line that is not one of a load file; `number` counts from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number


def lines(file: BufferedReader) -> Iterator[list[str]]:
    """The values of each line, in order; raises `BadLine` at the first that has another form."""
    if file.read(len(_MARK)) != _MARK:
        raise BadLine(1, "the file does not begin with the byte order mark of UTF-8")
    number = 0
    while raw := file.readline(LONGEST + 1):
        number += 1
        if len(raw) > LONGEST:
            raise BadLine(number, f"it has more than {LONGEST} bytes")
        if not raw.endswith(b"\r\n"):
            raise BadLine(number, "it does not end with CRLF")
        try:
            yield [_value(each) for each in raw[:-2].decode().split(_SEPARATOR)]
        except UnicodeDecodeError as error:
            raise BadLine(number, f"byte {error.start + 1} is not UTF-8") from None
        except ValueError as error:
            raise BadLine(number, str(error)) from None


def _value(field: str) -> str:
    """A value without its qualifiers."""
    if len(field) < 2 or field[0] != _QUALIFIER or field[-1] != _QUALIFIER:
        raise ValueError("a field does not stand between two qualifiers")
    inner = field[1:-1]
    if _QUALIFIER in inner.replace(_QUALIFIER * 2, ""):
        raise ValueError("a qualifier within a field is not written twice")
    if "\r" in inner or "\n" in inner:
        raise ValueError("a newline within a field is not written as it must be")
    return inner.replace(_QUALIFIER * 2, _QUALIFIER).replace(_NEWLINE, "\n")
