"""Documents with parts, their proofs and their folders, by the letter of the specification and by hand."""

import hmac
import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.support import literal_corpus, rfc9162
from tests.support.literal_corpus import tagged

SECRET = bytes(range(32))
Document = Sequence[dict[str, Any]]


def integer(number: int) -> bytes:
    return number.to_bytes(8, "big")


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def salt(secret: bytes, purpose: str, index: int) -> bytes:
    return hmac.new(secret, tagged("salt", purpose.encode(), integer(index)), sha256).digest()


def known(said: dict[str, Any]) -> dict[str, Any]:
    """Without what is not known."""
    return {name: value for name, value in said.items() if value not in ("", None, [], {})}


def log(parent: int | None = None, **changed: Any) -> dict[str, Any]:
    said = {"author": "ann", "date": "2001-05-14", "parent": parent, "recipients": "bob, cy", "type": "mail"} | changed
    return known(said)


def rest(name: str, **changed: Any) -> dict[str, Any]:
    said = {
        "custodians": ["Ann"],
        "extraction": {"tool": "hand"},
        "fields": {"subject": "gas"},
        "name": name,
        "pages": None,
        "paths": [f"box/{name}"],
    } | changed
    return known(said)


def part(
    name: str, text: str = "", content: bytes | None = None, parent: int | None = None, **more: Any
) -> dict[str, Any]:
    """A part: content and text, and what is stated of it."""
    return {
        "content": text.encode() if content is None else content,
        "text": text,
        "log": log(parent, **more.get("log", {})),
        "rest": rest(name, **more.get("rest", {})),
    }


DOCUMENTS: list[Document] = [
    [part("mail-0", "gas prices and storage", b"From: ann\n\ngas"), part("a.txt", "gas storage", parent=0)],
    [part("naïve/Ä", "Prüfung der Ölpreise", log={"date": "1999-12-31T23:59:59"})],
    [part("scan.pdf", "", b"%PDF", log={"date": "14 May 2001"}, rest={"custodians": ["Ann", "Bo"], "pages": 3})],
    [
        part("mail-3", "prices"),
        part("box.zip", "", b"PK", parent=0, log={"date": ""}),
        part("b.txt", "and gas", parent=1, rest={"custodians": [], "fields": {}}),
        part("c.txt", "der Prüfung", parent=0, log={"date": "2001-05-15"}),
    ],
    [part("last", "lunch and gas")],
]
"""Five documents with nine parts, two of them without text, of two custodians, from 1999-12-31 to 2001-05-15."""


def joined(document: Document) -> str:
    return "\n".join(each["text"] for each in document)


def part_salt(number: int, place: int, secret: bytes = SECRET) -> bytes:
    return salt(secret, "part", 2**16 * number + place)


def nodes(each: dict[str, Any], own: bytes) -> tuple[bytes, bytes, bytes]:
    """The log, rest and body nodes of a part with this salt."""
    hashes = sha256(each["content"]).digest(), sha256(each["text"].encode()).digest()
    return (
        tagged("log", tagged("log-salt", own), canonical(each["log"])),
        tagged("rest", tagged("rest-salt", own), canonical(each["rest"])),
        tagged("body", tagged("body-salt", own), *hashes),
    )


def rows(documents: Sequence[Document]) -> list[literal_corpus.Row]:
    return list(_rows(tuple(joined(each) for each in documents)))


@lru_cache(100)
def _rows(texts: tuple[str, ...]) -> list[literal_corpus.Row]:
    """Each leaf needs a row, and each row the texts of all documents."""
    table = literal_corpus.table(texts)
    return [literal_corpus.row(text, table, len(texts)) for text in texts]


def row_half(documents: Sequence[Document], number: int, secret: bytes = SECRET) -> bytes:
    return tagged("row", salt(secret, "row", number), literal_corpus.row_bytes(rows(documents)[number]))


def leaf(documents: Sequence[Document], number: int, secret: bytes = SECRET) -> bytes:
    found = [
        tagged("part", *nodes(each, part_salt(number, place, secret))) for place, each in enumerate(documents[number])
    ]
    return tagged("leaf", tagged("document", integer(number), *found), row_half(documents, number, secret))


def leaves(documents: Sequence[Document], secret: bytes = SECRET) -> list[bytes]:
    return [leaf(documents, number, secret) for number in range(len(documents))]


def root(documents: Sequence[Document], secret: bytes = SECRET) -> bytes:
    return rfc9162.mth(leaves(documents, secret))


def proof(documents: Sequence[Document], number: int, *withheld: int) -> dict[str, Any]:
    """The proof of a document, of which some parts may be withheld."""
    found = []
    for place, each in enumerate(documents[number]):
        own = part_salt(number, place)
        _, of_rest, of_body = nodes(each, own)
        if place in withheld:
            hidden = {"body": of_body.hex(), "rest": of_rest.hex(), "salt": tagged("log-salt", own).hex()}
            found.append(known({"log": each["log"], **hidden}))
            continue
        content, text = sha256(each["content"]).hexdigest(), sha256(each["text"].encode()).hexdigest()
        shown = {"log": each["log"], "content": content, "text": None if text == content else text}
        found.append(known(shown) | {"rest": each["rest"], "salt": own.hex()})
    return {"parts": found, "row": row_half(documents, number).hex()}


def items(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """A list of what was received, with everything that can become of an item."""
    entered = [
        {"documents": [number], "outcome": "entered", "reason": "", "where": f"box.mbox/{number}"}
        for number in range(len(documents))
    ]
    first = {"documents": [], "outcome": "container", "reason": "", "where": "box.mbox"}
    again = {"documents": [0], "outcome": "duplicate", "reason": "", "where": "copy/0"}
    broken = {"documents": [], "outcome": "exception", "reason": "encrypted", "where": "x.zip"}
    return [first, *entered, again, broken]


def listed(found: Sequence[Any]) -> bytes:
    return b"".join(canonical(each) + b"\n" for each in found)


def account(documents: Sequence[Document], data: bytes, **changed: Any) -> dict[str, Any]:
    """The account of these documents, with the list above."""
    parts = [each for document in documents for each in document]
    dates = sorted(date[:10] for each in parts if (date := each["log"].get("date", ""))[:4].isdigit())
    return {
        "containers": 1,
        "custodians": len({name for each in parts for name in each["rest"].get("custodians", ())}),
        "duplicates": 1,
        "entered": len(documents),
        "exceptions": 1,
        "families": len(documents) + 1,
        "first": dates[0] if dates else "",
        "items": len(documents) + 3,
        "last": dates[-1] if dates else "",
        "list": sha256(data).hexdigest(),
        "parts": len(parts),
        "protections": ["a process of its own"],
        "reasons": {"encrypted": 1},
        "unread": sum(not each["text"] for each in parts),
    } | changed


def commitment(found: Sequence[Document], data: bytes, **changed: Any) -> dict[str, Any]:
    return {
        "account": account(found, data),
        "documents": len(found),
        "root": root(found).hex(),
        "unit": "family",
    } | changed


def write(
    folder: Path,
    documents: Sequence[Document],
    secret: bytes = SECRET,
    order: Sequence[int] | None = None,
    cuts: Sequence[int] = (),
) -> Path:
    """The corpus folder of these documents, by number: in this order of the source, which is cut into shards here."""
    folder.mkdir(parents=True)
    (folder / "secret").write_text(secret.hex() + "\n")
    (folder / "account.jsonl").write_bytes(listed(items(documents)))
    table = literal_corpus.table([joined(each) for each in documents])
    (folder / "terms.bin").write_bytes(b"".join(term + b"\n" for term, _ in table))
    np.save(folder / "frequencies.npy", np.array([frequency for _, frequency in table], np.int32))
    numbers, made = list(range(len(documents)) if order is None else order), rows(documents)
    for shard, (first, last) in enumerate(pairwise((0, *cuts, len(numbers)))):
        of_shard = folder / f"shards/{shard:05d}"
        of_shard.mkdir(parents=True)
        np.save(of_shard / "numbers.npy", np.array(numbers[first:last], np.int32))
        _write_documents(of_shard, [documents[number] for number in numbers[first:last]])
        _write_rows(of_shard, [made[number] for number in numbers[first:last]])
    return folder


def _write_documents(folder: Path, documents: Sequence[Document]) -> None:
    contents, texts, fields = bytearray(), bytearray(), bytearray()
    places, digests, starts = list[list[int]](), list[bytes](), [0]
    for document in documents:
        for place, each in enumerate(document):
            texts += b"\n" if place else b""
            text, stated = each["text"].encode(), canonical({"log": each["log"], "rest": each["rest"]})
            as_text = each["content"] == text
            content = [-1, -1] if as_text else [len(contents), len(contents) + len(each["content"])]
            places.append([*content, len(texts), len(texts) + len(text), len(fields), len(fields) + len(stated)])
            contents += b"" if as_text else each["content"]
            texts += text
            fields += stated
            digests += [sha256(each["content"]).digest(), sha256(text).digest()]
        starts.append(len(places))
    for name, data in (("contents", contents), ("texts", texts), ("fields", fields)):
        (folder / f"{name}.bin").write_bytes(data)
    np.save(folder / "parts.npy", np.array(starts, np.int64))
    np.save(folder / "places.npy", np.array(places, np.int64))
    np.save(folder / "digests.npy", np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 2, 32))


def _write_rows(folder: Path, found: Sequence[literal_corpus.Row]) -> None:
    np.save(folder / "starts.npy", np.cumsum([0, *map(len, found)], dtype=np.int64))
    np.save(folder / "columns.npy", np.array([column for row in found for column, _ in row], np.int32))
    np.save(folder / "values.npy", np.array([value for row in found for _, value in row], np.uint16))
