"""Features and commitments as their definitions are written: plain integers, one document at a time, and slow."""

import hmac
import json
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from functools import cache
from hashlib import sha256
from math import isqrt
from typing import Any

from protocol.sources.source import SourceDocument, SourcePart

Row = list[tuple[int, int]]
TF_BITS = 14


def tokens(text: str) -> list[bytes]:
    """Byte by byte."""
    found, run = [], b""
    for byte in text.encode() + b" ":
        if 0x41 <= byte <= 0x5A:
            byte += 0x20
        if 0x30 <= byte <= 0x39 or 0x61 <= byte <= 0x7A or byte >= 0x80:
            run += bytes([byte])
        elif run:
            found.append(run)
            run = b""
    return found


@cache
def one_plus_ln(numerator: int, denominator: int) -> int:
    """round(2^14 * (1 + ln(numerator / denominator))), half up."""
    with localcontext() as context:
        context.prec = 120
        exact = 2**TF_BITS * (1 + (Decimal(numerator) / Decimal(denominator)).ln())
        return int((exact + Decimal("0.5")).to_integral_value(ROUND_FLOOR))


def table(texts: Sequence[str]) -> list[tuple[bytes, int]]:
    """Every term and its document frequency."""
    frequencies = Counter(token for text in texts for token in set(tokens(text)))
    return sorted((token, frequency) for token, frequency in frequencies.items() if frequency >= 2)


def row(text: str, terms: list[tuple[bytes, int]], documents: int) -> Row:
    """The columns and values of one document."""
    counts = Counter(tokens(text))
    weights = {}
    for column, (term, frequency) in enumerate(terms):
        if term in counts:
            tf = one_plus_ln(min(counts[term], 65535), 1)
            weights[column] = tf * one_plus_ln(1 + documents, 1 + frequency) // 2**TF_BITS
    if len(weights) > 2**17:
        return []
    norm = isqrt(sum(weight**2 for weight in weights.values()))
    values = [(column, (weight * 2**16 + norm) // (2 * norm)) for column, weight in weights.items()]
    return [(column, value) for column, value in values if value]


def row_bytes(entries: Row) -> bytes:
    return b"".join(column.to_bytes(4, "big") + value.to_bytes(2, "big") for column, value in entries)


def tagged(tag: str, *parts: bytes) -> bytes:
    message = b"tallystick/v1/" + tag.encode() + b"\x00"
    return sha256(message + b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def salt(secret: bytes, purpose: str, index: int) -> bytes:
    return hmac.new(secret, tagged("salt", purpose.encode(), index.to_bytes(8, "big")), sha256).digest()


def numbered(documents: Sequence[SourceDocument], secret: bytes) -> list[SourceDocument]:
    """The documents in the order of their numbers."""
    places = sorted(range(len(documents)), key=lambda place: salt(secret, "order", place))
    return [documents[place] for place in places]


def log(part: SourcePart) -> bytes:
    """What a privilege log states of a part."""
    return _json(author=part.author, date=part.date, parent=part.parent, recipients=part.recipients, type=part.type)


def rest(part: SourcePart) -> bytes:
    """What else is known about a part."""
    return _json(
        custodians=list(part.custodians),
        extraction=_known(options=part.options, tool=part.tool),
        fields=dict(part.fields),
        name=part.name,
        pages=part.pages,
        paths=list(part.paths),
    )


def fields(part: SourcePart) -> bytes:
    """Both, as a folder holds them."""
    return b'{"log":' + log(part) + b',"rest":' + rest(part) + b"}"


def _json(**value: Any) -> bytes:
    return json.dumps(_known(**value), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _known(**value: Any) -> dict[str, Any]:
    """Without what is not known."""
    return {name: each for name, each in value.items() if each not in ("", None, [], {})}


def part(part: SourcePart, own: bytes) -> bytes:
    """The hash of a part with its own salt."""
    log_node = tagged("log", tagged("log-salt", own), log(part))
    rest_node = tagged("rest", tagged("rest-salt", own), rest(part))
    hashes = sha256(part.content).digest(), sha256(part.text.encode()).digest()
    return tagged("part", log_node, rest_node, tagged("body", tagged("body-salt", own), *hashes))


def path(leaves: Sequence[bytes], known: set[int]) -> list[bytes]:
    """The path of some leaves, by the definition's own words."""
    level = [sha256(b"\0" + each).digest() for each in leaves]
    found = []
    while len(level) > 1:
        for place in range(len(level)):
            sibling = place + 1 if place % 2 == 0 else place - 1
            if sibling in known and place not in known and sibling < len(level):
                found.append(level[place])
        level = [
            sha256(b"\1" + level[place] + level[place + 1]).digest() if place + 1 < len(level) else level[place]
            for place in range(0, len(level), 2)
        ]
        known = {place // 2 for place in known}
    return found


def leaves(documents: Sequence[SourceDocument], secret: bytes) -> list[bytes]:
    """The data of every leaf, from documents in the order of their numbers."""
    terms = table([document.text for document in documents])
    found = []
    for number, document in enumerate(documents):
        parts = [part(each, salt(secret, "part", 2**16 * number + place)) for place, each in enumerate(document.parts)]
        first = tagged("document", number.to_bytes(8, "big"), *parts)
        entries = row(document.text, terms, len(documents))
        second = tagged("row", salt(secret, "row", number), row_bytes(entries))
        found.append(tagged("leaf", first, second))
    return found
