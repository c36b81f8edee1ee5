"""Vectors for the parts of documents: what proofs lead to, and where paths of several leaves lead."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from ledger import merkle, records
from ledger.commitments import Salt, derived_once
from ledger.hashing import Digest
from protocol.corpus import paths
from protocol.corpus.leaves import NOT_LOGGED, DocumentProof, Extraction, Log, OpenPart, Parts, Rest, leaf_of, withheld

_SALTS = [Salt(sha256(b"salt of part %d" % number).digest()) for number in range(3)]
_ROW = Digest(sha256(b"row").digest())


def _log(parent: int | None, **known: str) -> Log:
    return Log(**known, parent=parent) if known or parent is not None else NOT_LOGGED


def _rest(name: str, **known: Any) -> Rest:
    return Rest(name=name, extraction=Extraction(options="as it is", tool="reader 1"), **known)


def _part(number: int, log: Log, rest: Rest) -> OpenPart:
    hashes = (Digest(sha256(b"%s of part %d" % (what, number)).digest()) for what in (b"content", b"text"))
    return OpenPart(log=log, rest=rest, salt=_SALTS[number], content=next(hashes), text=next(hashes))


MAIL = _part(
    0,
    _log(None, author="Ann <ann@example.org>", date="2001-05-04T10:00:00+02:00", recipients="bob", type="mail"),
    _rest("offer.eml", custodians=("Ann", "Bob"), paths=("a/1", "b/2"), fields={"cc": "\u00d6l", "subject": "offer"}),
)
ARCHIVE = _part(1, _log(0, type="zip"), _rest("offer.zip"))
TABLE = _part(2, _log(1, type="pdf"), _rest("prices.pdf", pages=3))
ALONE = _part(0, _log(None), _rest("mail/5"))


def hashes() -> Iterator[tuple[str, Any, bytes]]:
    """The nodes of a part."""
    salts = {name: derived_once(MAIL.salt, name) for name in ("log", "rest", "body")}
    for name, salt in salts.items():
        yield f"{name} salt of a part with this salt", MAIL.salt.hex(), salt
    hidden = withheld(MAIL)
    yield "rest node of this `rest` with this rest salt", [_value(MAIL.rest), salts["rest"].hex()], hidden.rest
    yield (
        "body node of these hashes of content and text with this body salt",
        [MAIL.content.hex(), MAIL.text_hash.hex(), salts["body"].hex()],
        hidden.body,
    )


def proofs() -> Iterator[dict[str, object]]:
    """Proofs of documents, and the leaf that each leads to; null for what is no proof."""
    whole = (MAIL, ARCHIVE, TABLE)
    good: list[tuple[str, int, tuple[Any, ...]]] = [
        ("one part of which nothing is known but its name", 5, (ALONE,)),
        ("its text is its content", 5, (msgspec.structs.replace(ALONE, text=None),)),
        ("the same part as another document", 6, (ALONE,)),
        ("three parts, all open", 7, whole),
        ("the same with the last part withheld: the same leaf", 7, (MAIL, ARCHIVE, withheld(TABLE))),
        ("the same with part 0 withheld: the same leaf", 7, (withheld(MAIL), ARCHIVE, TABLE)),
        ("all three withheld: the same leaf", 7, tuple(map(withheld, whole))),
        ("without the last part: another leaf", 7, whole[:2]),
    ]
    for comment, document, parts in good:
        proof = DocumentProof(parts=Parts(parts), row=_ROW)
        yield _case(comment, document, records.to_value(proof), leaf_of(document, proof))
    value: Any = records.to_value(DocumentProof(parts=Parts((MAIL, withheld(ARCHIVE))), row=_ROW))
    mail, hidden = value["parts"]
    bad: list[tuple[str, Any]] = [
        ("no parts", value | {"parts": []}),
        ("a field too many", value | {"path": ""}),
        ("no row", {"parts": value["parts"]}),
        ("part 0 has a parent", value | {"parts": [hidden]}),
        ("part 1 has no parent", value | {"parts": [mail, mail]}),
        ("part 1 is its own parent", value | {"parts": [mail, hidden | {"log": hidden["log"] | {"parent": 1}}]}),
        ("an open part with a body", value | {"parts": [mail | {"body": hidden["body"]}]}),
        ("a withheld part with a content", value | {"parts": [mail, hidden | {"content": mail["content"]}]}),
        ("a date that is empty", value | {"parts": [mail | {"log": mail["log"] | {"date": ""}}]}),
        ("a log with nothing in it", value | {"parts": [mail | {"log": {}}]}),
        ("no paths, as an array", value | {"parts": [mail | {"rest": mail["rest"] | {"paths": []}}]}),
        ("pages that are null", value | {"parts": [mail | {"rest": mail["rest"] | {"pages": None}}]}),
        ("an empty extraction", value | {"parts": [mail | {"rest": mail["rest"] | {"extraction": {}}}]}),
        ("a text with the content's hash", value | {"parts": [mail | {"text": mail["content"]}]}),
        ("a field that is a number", value | {"parts": [mail | {"rest": mail["rest"] | {"fields": {"cc": 1}}}]}),
        ("pages that are a text", value | {"parts": [mail | {"rest": mail["rest"] | {"pages": "3"}}]}),
        ("a salt that is too short", value | {"parts": [mail | {"salt": mail["salt"][:-2]}]}),
        ("not an object", [value]),
    ]
    for comment, wrong in bad:
        yield _case(comment, 7, wrong, None)


def _case(comment: str, document: int, value: Any, leaf: bytes | None) -> dict[str, object]:
    return {"comment": comment, "document": document, "proof": value, "leaf": None if leaf is None else leaf.hex()}


def shared_paths() -> Iterator[dict[str, object]]:
    """Paths of several leaves, and the root that they lead to; null for what is no path of these leaves."""
    for size, known in ((1, [0]), (2, [1]), (5, [4]), (7, [0, 3, 6]), (8, [2, 3]), (11, [0, 10]), (6, range(6))):
        data = [sha256(b"leaf %d" % number).digest() for number in range(size)]
        levels = merkle.levels(data)
        right = [levels[level][place] for level, place in paths.siblings(known, size)]
        root = levels[-1][0]
        found = {place: data[place] for place in known}
        yield _path(f"leaves {list(known)} of {size}", size, found, right, root)
        yield _path("a hash too many", size, found, [*right, root], None)
        if right:
            yield _path("a hash too few", size, found, right[:-1], None)
        if len(right) > 1:
            swapped = [right[1], right[0], *right[2:]]
            yield _path(
                "two hashes exchanged: another root", size, found, swapped, paths.root(found, size, b"".join(swapped))
            )
    yield _path("no leaves", 4, {}, [], None)
    yield _path("a leaf beyond the tree", 2, {2: bytes(32)}, [bytes(32)], None)


def _path(comment: str, size: int, known: dict[int, bytes], path: list[bytes], root: bytes | None) -> dict[str, object]:
    return {
        "comment": comment,
        "size": size,
        "leaves": {str(place): data.hex() for place, data in known.items()},
        "path": b"".join(path).hex(),
        "root": None if root is None else root.hex(),
    }


def _value(record: records.Record) -> Any:
    return records.to_value(record)
