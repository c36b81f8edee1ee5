"""Changes to a genuine copy that lead to an edge of the specification; the copy is then signed anew under all keys."""

import base64
import json
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from typing import Any

from ledger.hashing import tagged_hash
from ledger.roles import Role
from tests.support.builders import KEYS
from tests.support.forging.eventforged import CAPTION
from tests.support.forging.forged import (
    Spoil,
    conflict_before,
    content,
    line_of,
    renumber,
    said_in,
    statement,
)
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines, canonical

PIECE = 2**20
After = Callable[[Lines], Lines]
"""What is done to the lines once everything is signed."""


def nested(depth: int) -> Any:
    """An object nested this deep."""
    return {} if depth == 1 else {"a": nested(depth - 1)}


def deep(kind: str, depth: int) -> Spoil:
    """A statement's content, nested this deep."""
    return statement(kind, content=nested(depth))


def terms(**fields: Any) -> Spoil:
    return content("open", terms=lambda found: found | fields)


def without_sealed(kind: str, field: str, number: int = 0) -> Spoil:
    """A statement does not seal a field, and nothing of it is opened."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, kind, number)
        del said_in(line)["sealed"][field]
        line["openings"] = [each for each in line["openings"] if each["field"] != field]
        for other in forger.values:
            if "entry" in other:
                made = other["entry"]["body"]
                made["releases"] = [
                    each
                    for each in made["releases"]
                    if (each["entry"], each["field"]) != (line["entry"]["body"]["sequence"], field)
                ]

    return spoil


def one_more(kind: str, field: str, number: int = 0) -> Spoil:
    """A statement seals one more value in a field, which nobody opens."""

    def spoil(forger: Forger) -> None:
        said_in(line_of(forger, kind, number))["sealed"][field]["commitments"].append("66" * 32)

    return spoil


def one_more_opened(kind: str, field: str) -> Spoil:
    """The same, where the copy opens the field, and so the second value."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, kind)
        said_in(line)["sealed"][field]["commitments"].append("66" * 32)
        place = next(place for place, each in enumerate(line["openings"]) if each["field"] == field)
        again = deepcopy(line["openings"][place]) | {"index": 1, "salt": "6b" * 32}
        line["openings"].insert(place + 1, again)
        forger.commit_again()

    return spoil


def named_candidates(*values: Any, number: int = 0, audiences: tuple[str, ...] = ("alice",)) -> Spoil:
    """Who signs the terms (Alice: 0, Bob: 1) seals these values as candidates; Alice's copy opens them."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, "agreed", number)
        said_in(line)["sealed"]["candidates"] = {
            "audiences": list(audiences),
            "commitments": [f"{index + 6}a" * 32 for index in range(len(values))],
        }
        if forger.manifest["manifest"]["audience"] in audiences:
            line["openings"] = [
                {"field": "candidates", "index": index, "salt": f"{index + 6}b" * 32, "value": value}
                for index, value in enumerate(values)
            ]
            forger.commit_again()

    return spoil


def not_opened(forger: Forger) -> None:
    """A released name of the first batch is not opened."""
    line_of(forger, "batch")["openings"].pop()


def damaged_end(lines: Lines) -> Lines:
    """Somebody without any key changes the last entry's time."""
    place = next(at for at, line in reversed(list(enumerate(lines))) if line.startswith(b'{"entry"'))
    value = json.loads(lines[place])
    value["entry"]["body"]["time"] += 1
    return [*lines[:place], canonical(value), *lines[place + 1 :]]


def dropped(*kinds_and_numbers: tuple[str, int]) -> Spoil:
    """Entries are left out, and those behind them move up."""

    def spoil(forger: Forger) -> None:
        for line in [line_of(forger, kind, number) for kind, number in kinds_and_numbers]:
            forger.values.remove(line)
        renumber(forger)

    return spoil


def repeated(kind: str) -> Spoil:
    """An entry of Trent's comes twice, one directly after the other."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, kind)
        forger.values.insert(forger.values.index(line) + 1, deepcopy(line))
        renumber(forger)

    return spoil


def raw(kind: str, change: Callable[[bytes], bytes]) -> After:
    """Other bytes in an entry's body, signed by Trent as they are."""

    def after(lines: Lines) -> Lines:
        place = next(at for at, line in enumerate(lines) if b'"kind":"%b"' % kind.encode() in line)
        start, end = len(b'{"entry":{"body":'), lines[place].rindex(b',"signature":"')
        changed = change(lines[place][start:end])
        signature = KEYS[Role.TRENT].sign("entry", changed).hex().encode()
        lines[place] = b'{"entry":{"body":%b,"signature":"%b"},"openings":{}}' % (changed, signature)
        return lines

    return after


def stated_size(change: int, and_last: Callable[[Any], None] = lambda line: None) -> After:
    """Trent's manifest states another number of entries, and the last entry is changed once it is signed."""

    def after(lines: Lines) -> Lines:
        first, *rest = [json.loads(line) for line in lines]
        first["manifest"]["size"] += change
        first["signature"] = KEYS[Role.TRENT].sign("manifest", canonical(first["manifest"])).hex()
        last = next(value for value in reversed(rest) if "entry" in value)
        and_last(last["entry"]["body"])
        last["entry"]["signature"] = KEYS[Role.TRENT].sign("entry", canonical(last["entry"]["body"])).hex()
        return [canonical(value) for value in (first, *rest)]

    return after


def no_previous(made: Any) -> None:
    made["previous"] = "55" * 32


def one_more_field(made: Any) -> None:
    made["note"] = "by the way"


def attached(data: bytes, *, size: int | None = None, spoiled: Callable[[list[Any]], None] = lambda _: None) -> Spoil:
    """The first model is these bytes, in pieces."""

    def spoil(forger: Forger) -> None:
        line = next(each for each in forger.values if "entry" in each and "model" in said_in(each)["sealed"])
        opening = next(each for each in line["openings"] if each["field"] == "model")
        before, hashed = opening["value"]["attachment"], sha256(data).hexdigest()
        pieces = [
            {"attachment": hashed, "chunk": at, "data": base64.b64encode(data[at * PIECE : (at + 1) * PIECE]).decode()}
            for at in range(-(-len(data) // PIECE))
        ]
        spoiled(pieces)
        opening["value"] = {"attachment": hashed, "size": len(data) if size is None else size}
        kept = [each for each in forger.values if each.get("attachment") != before]
        place = kept.index(line) + 1
        forger.values[:] = [*kept[:place], *pieces, *kept[place:]]
        forger.commit_again()

    return spoil


def model_value(value: Any) -> Spoil:
    """The first model's sealed value is another one."""

    def spoil(forger: Forger) -> None:
        line = next(each for each in forger.values if "entry" in each and "model" in said_in(each)["sealed"])
        opening = next(each for each in line["openings"] if each["field"] == "model")
        opening["value"] = value
        items = said_in(forger.values[0])["content"]["corpus"]["account"]["list"]
        forger.values[:] = [each for each in forger.values if each.get("attachment", items) == items]
        forger.commit_again()

    return spoil


def first_opening(kind: str, value: Any) -> Spoil:
    """The first opened value of an entry is another one, and committed to."""

    def spoil(forger: Forger) -> None:
        line_of(forger, kind)["openings"][0]["value"] = value
        forger.commit_again()

    return spoil


def released(kind: str, change: Callable[[Any], Any]) -> Spoil:
    """The first release of an entry lists other indices."""

    def spoil(forger: Forger) -> None:
        release = line_of(forger, kind)["entry"]["body"]["releases"][0]
        release["indices"] = change(release["indices"])

    return spoil


def all_of_it(forger: Forger) -> None:
    """A close that lists every index of what it releases, instead of saying null."""
    for release in line_of(forger, "closed")["entry"]["body"]["releases"]:
        line = next(
            each for each in forger.values if "entry" in each and each["entry"]["body"]["sequence"] == release["entry"]
        )
        release["indices"] = list(range(len(said_in(line)["sealed"][release["field"]]["commitments"])))


def another_answer(kind: str, **fields: Any) -> Callable[[Forger], Any]:
    """Evidence: the author of an answer says something else to the same question."""

    def evidence(forger: Forger) -> Any:
        return {"signature": "", "statement": deepcopy(said_in(line_of(forger, kind))) | fields}

    return evidence


def the_same_answer(forger: Forger) -> Any:
    return {"signature": "", "statement": deepcopy(said_in(line_of(forger, "labels")))}


def deposited_too_early(forger: Forger) -> None:
    """The court's deposit stands before Bob's agreement."""
    deposit = line_of(forger, "deposited")
    forger.values.remove(deposit)
    forger.values.insert(forger.values.index(line_of(forger, "agreed", 1)), deposit)
    renumber(forger)


def about_an_open_question(forger: Forger) -> None:
    """A conflict about the first wave comes before Bob's labels of it."""
    conflict_before("labels", another_answer("labels", content={"labels": []}))(forger)


def about_no_question(forger: Forger) -> None:
    """A conflict whose evidence answers an entry that asked its author nothing."""
    asked = forger.hash_of(line_of(forger, "closed"))
    conflict_before("claims", another_answer("labels", content={"labels": []}, answers=asked))(forger)


def names_the_entry(forger: Forger) -> None:
    """Bob's second answer names the hash of the entry with the first one, where the statement's belongs."""
    entry = forger.hash_of(line_of(forger, "labels"))
    conflict_before("closed", another_answer("labels", content={"labels": []}, replaces=[entry]))(forger)


def answered_in_between(forger: Forger) -> None:
    """Bob's labels come after Trent has called him silent, and before the court has ordered anything."""
    orders = [each for each in forger.values if "entry" in each and said_in(each)["kind"] in ("default", "order")]
    default = next(each for each in orders if said_in(each)["content"]["absent"] == "bob")
    place = forger.values.index(default)
    asked = next(
        each for each in reversed(forger.values[:place]) if "entry" in each and said_in(each)["kind"] == "disclosure"
    )
    positions = said_in(asked)["content"]["positions"]
    answer = deepcopy(line_of(forger, "labels"))
    said_in(answer).update(
        answers=forger.hash_of(asked), round=said_in(asked)["round"], content={"labels": [True] * len(positions)}
    )
    forger.values.insert(place + 1, answer)
    renumber(forger)


def with_checkpoint_after(kind: str, number: int = 0) -> Spoil:
    """All sign the history so far in the middle of the matter, too."""

    def spoil(forger: Forger) -> None:
        place = forger.values.index(line_of(forger, kind, number))
        forger.values.insert(place + 1, {"checkpoint": ""})

    return spoil


def no_note(lines: Lines) -> Lines:
    """The checkpoint that the manifest names is not a note."""
    first, *rest = [json.loads(line) for line in lines]
    rest[-1]["checkpoint"] = "signed by all\n"
    first["manifest"]["checkpoints"] = [tagged_hash("note", b"signed by all\n").hex()]
    first["signature"] = KEYS[Role.TRENT].sign("manifest", canonical(first["manifest"])).hex()
    return [canonical(value) for value in (first, *rest)]


def a_real_matter(forger: Forger) -> None:
    """The same entries with a caption in place of the simulation."""
    content("open", simulation=None, caption=CAPTION)(forger)
    for line in forger.values:
        if "entry" in line and said_in(line)["kind"] in ("closed", "claims"):
            said_in(line)["content"]["truth"] = None


def straight_to_bob(forger: Forger) -> None:
    """What Alice claims never goes to the court, and the wave shows Bob some of it."""
    dropped(("camera", 0), ("privilege", 0))(forger)
