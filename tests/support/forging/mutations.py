"""Ways to spoil a copy without anyone's key. Each takes the lines of a copy and gives others, or None if it cannot."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.support.flat import spread, together

Lines = list[bytes]
Mutation = Callable[[Lines, Random, "Sources"], Lines | None]

ORDER = 2**252 + 27742317777372353535851937790883648493  # L, the order of Ed25519's base point


class Sources:
    """Other genuine copies, from which a forger may take parts."""

    def __init__(self, *, other_audience: Lines, other_matter: Lines, earlier: Lines) -> None:
        self.other_audience = other_audience
        self.other_matter = other_matter
        self.earlier = earlier


def canonical(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


def reviewed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The certificates of the claims, of which that of the reviewed says something else."""
    return lambda found: found | {"reviewed": found["reviewed"] | change(found["reviewed"])}


def pick(lines: Lines, random: Random, start: bytes = b"") -> int | None:
    places = [place for place, line in enumerate(lines) if line.startswith(start)]
    return random.choice(places) if places else None


def flip_a_bit(lines: Lines, random: Random, _: Sources) -> Lines:
    data = bytearray(b"\n".join(lines))
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data).split(b"\n")


def overwrite_bytes(lines: Lines, random: Random, _: Sources) -> Lines:
    data = b"\n".join(lines)
    start = random.randrange(len(data))
    return (data[:start] + random.randbytes(4) + data[start + random.randrange(8) :]).split(b"\n")


def cut_the_end(lines: Lines, random: Random, _: Sources) -> Lines:
    return lines[: random.randrange(1, len(lines))]


def drop_a_line(lines: Lines, random: Random, _: Sources) -> Lines:
    place = random.randrange(len(lines))
    return lines[:place] + lines[place + 1 :]


def repeat_a_line(lines: Lines, random: Random, _: Sources) -> Lines:
    place, to = random.randrange(len(lines)), random.randrange(len(lines) + 1)
    return [*lines[:to], lines[place], *lines[to:]]


def swap_two_lines(lines: Lines, random: Random, _: Sources) -> Lines:
    one, other = random.sample(range(len(lines)), 2)
    changed = lines.copy()
    changed[one], changed[other] = changed[other], changed[one]
    return changed


def reorder_a_stretch(lines: Lines, random: Random, _: Sources) -> Lines:
    start, end = sorted(random.sample(range(len(lines) + 1), 2))
    stretch = lines[start:end]
    random.shuffle(stretch)
    return lines[:start] + stretch + lines[end:]


def take_a_line_from_elsewhere(lines: Lines, random: Random, sources: Sources) -> Lines:
    source = random.choice([sources.other_audience, sources.other_matter, sources.earlier])
    changed = lines.copy()
    place = random.randrange(min(len(lines), len(source)))
    changed[place] = source[place]
    return changed


def append_lines_from_elsewhere(lines: Lines, random: Random, sources: Sources) -> Lines:
    source = random.choice([sources.other_audience, sources.other_matter, sources.earlier])
    return lines + source[random.randrange(len(source)) :]


def change_json(
    lines: Lines, random: Random, change: Callable[[Any, Random], bool], start: bytes = b""
) -> Lines | None:
    place = pick(lines, random, start)
    if place is None:
        return None
    value = json.loads(lines[place])
    if not change(value, random):
        return None
    return [*lines[:place], canonical(value), *lines[place + 1 :]]


def change_a_value(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        places = list(scalars(value))
        container, key = random.choice(places)
        old = container[key]
        new: Any = random.choice([0, "x", []])
        if isinstance(old, bool):
            new = not old
        elif isinstance(old, int):
            new = old + random.choice([1, -1, 1000])
        elif isinstance(old, str):
            new = random.choice([old[::-1], old + "0"])
        container[key] = new
        return bool(new != old)

    return change_json(lines, random, change)


def scalars(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from scalars(item)
        else:
            yield value, key


def add_or_drop_a_key(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        target = value
        while random.random() < 0.7 and any(isinstance(item, dict) for item in target.values()):
            target = random.choice([item for item in target.values() if isinstance(item, dict)])
        if random.random() < 0.5 or not target:
            target["extra"] = 1
        else:
            del target[random.choice(list(target))]
        return True

    return change_json(lines, random, change)


def spoil_the_encoding(lines: Lines, random: Random, _: Sources) -> Lines:
    place = random.randrange(len(lines))
    line = lines[place]
    spoiled = random.choice(
        [
            b" " + line,
            line + b" ",
            line.replace(b",", b", ", 1),
            b"\xef\xbb\xbf" + line,
            line.replace(b"{", b'{"a":1,"a":1,', 1),
            line + b"\r",
            line + b"1",
            b"",
        ]
    )
    return [*lines[:place], spoiled, *lines[place + 1 :]]


def change_openings(lines: Lines, random: Random, change: Callable[[Any, Random], bool]) -> Lines | None:
    """Change the openings of an entry, which `change` gets one by one."""

    def changed(value: Any, random: Random) -> bool:
        before = value["openings"]
        if not change(spread(value), random):
            return False
        value["openings"] = together(value["openings"])
        return bool(value["openings"] != before)

    return change_json(lines, random, changed, b'{"entry"')


def openings_of(value: Any) -> list[Any]:
    found: list[Any] = value.get("openings", [])
    return found


def drop_an_opening(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        openings = openings_of(value)
        if openings:
            openings.pop(random.randrange(len(openings)))
            return True
        return False

    return change_openings(lines, random, change)


def repeat_an_opening(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        openings = openings_of(value)
        if openings:
            openings.insert(random.randrange(len(openings) + 1), dict(random.choice(openings)))
            return True
        return False

    return change_openings(lines, random, change)


def exchange_parts_of_openings(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        openings = openings_of(value)
        if len(openings) < 2:
            return False
        one, other = random.sample(openings, 2)
        part = random.choice(["salt", "value", "index"])
        before = one[part]
        one[part], other[part] = other[part], one[part]
        return bool(one[part] != before)

    return change_openings(lines, random, change)


def reorder_openings(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        openings = openings_of(value)
        before = openings.copy()
        random.shuffle(openings)
        return openings != before

    return change_openings(lines, random, change)


def take_openings_from_elsewhere(lines: Lines, random: Random, sources: Sources) -> Lines | None:
    """Openings of the same or another entry in a copy for somebody else, or in another matter."""
    source = random.choice([sources.other_audience, sources.other_matter, lines])
    place = pick(source, random, b'{"entry"')
    foreign = openings_of(spread(json.loads(source[place or 0])))

    def change(value: Any, random: Random) -> bool:
        before = value["openings"]
        value["openings"] = foreign if random.random() < 0.5 else before + foreign
        return bool(value["openings"] != before)

    return change_openings(lines, random, change)


def take_a_statement_from_elsewhere(lines: Lines, random: Random, sources: Sources) -> Lines | None:
    """Another matter's or another entry's statement, with its author's genuine signature."""
    source = random.choice([sources.other_matter, lines])
    place = pick(source, random, b'{"entry"')
    foreign = json.loads(source[place or 0])["entry"]["body"]

    def change(value: Any, random: Random) -> bool:
        body = value["entry"]["body"]
        before = body["statement"]
        body["statement"], body["signature"] = foreign["statement"], foreign["signature"]
        return bool(body["statement"] != before)

    return change_json(lines, random, change, b'{"entry"')


def bend_a_signature(lines: Lines, random: Random, _: Sources) -> Lines | None:
    """S + L satisfies the same equation, and a lenient verifier takes it."""

    def change(value: Any, random: Random) -> bool:
        holders = [each for each in (value, value.get("entry"), (value.get("entry") or {}).get("body")) if each]
        holders = [each for each in holders if each.get("signature")]
        if not holders:
            return False
        holder = random.choice(holders)
        raw = bytes.fromhex(holder["signature"])
        s = int.from_bytes(raw[32:], "little") + ORDER
        if s >= 2**256:
            return False
        holder["signature"] = (raw[:32] + s.to_bytes(32, "little")).hex()
        return True

    return change_json(lines, random, change)


def thin_out_a_checkpoint(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        head, *signatures = value["checkpoint"].split("\n\u2014 ")
        signatures.pop(random.randrange(len(signatures)))
        value["checkpoint"] = "\n\u2014 ".join([head, *signatures])
        return True

    return change_json(lines, random, change, b'{"checkpoint"')


def spoil_an_attachment(lines: Lines, random: Random, _: Sources) -> Lines | None:
    def change(value: Any, random: Random) -> bool:
        data = value["data"]
        place = random.randrange(len(data))
        value["data"] = random.choice(
            [data[:place] + "A" + data[place + 1 :], data[:-4], data + "AAAA", data + "\n", ""]
        )
        return bool(value["data"] != data)

    return change_json(lines, random, change, b'{"attachment"')


MUTATIONS: list[Mutation] = [
    flip_a_bit,
    overwrite_bytes,
    cut_the_end,
    drop_a_line,
    repeat_a_line,
    swap_two_lines,
    reorder_a_stretch,
    take_a_line_from_elsewhere,
    append_lines_from_elsewhere,
    change_a_value,
    add_or_drop_a_key,
    spoil_the_encoding,
    drop_an_opening,
    repeat_an_opening,
    exchange_parts_of_openings,
    reorder_openings,
    take_openings_from_elsewhere,
    take_a_statement_from_elsewhere,
    bend_a_signature,
    thin_out_a_checkpoint,
    spoil_an_attachment,
]
