"""The parts of the specification that are made from the code: each function prints one, for cog.

Pages hold at most 120 characters a line, and text tables 100, since they are shown as they are written.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields as fields_of
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

from docs.steps import CHAIN, COUNTS, OUTCOMES, READING
from protocol.box import challenge, sessions
from protocol.box.layout import MAX_ANSWER
from protocol.box.limits import Limits
from verifier import corpus_replay
from verifier.checks import DEFINITIONS
from verifier.replay import catalogue
from verifier.replay.contents import METHOD
from verifier.replay.forms import FORMS
from verifier.rules import table
from verifier.rules.terms import ASSUMPTIONS

WIDTH = 120
_COPY = Path(__file__).parent.parent / "tests/vectors/transcripts/valid-label-bob.jsonl"
_SHOWN = ("manifest", "open", "agreed", "batch", "report", "disclosure", "labels", "checkpoint")


def example() -> None:
    """Some lines of a copy, shortened."""
    print("```")
    left = list(_SHOWN)
    for line in _COPY.read_text().splitlines():
        value = json.loads(line)
        kind = value["entry"]["body"]["statement"]["kind"] if "entry" in value else next(iter(value))
        if left and kind == left[0]:
            left.pop(0)
            print(*wrap(_shorter_text(value), WIDTH, break_on_hyphens=False, subsequent_indent="    "), sep="\n")
    print("```")


def _shorter_text(value: Any) -> str:
    text = json.dumps(_shorter(value), separators=(", ", ": "), ensure_ascii=False)
    text = re.sub(r"\b([0-9a-f]{4})[0-9a-f]{28,}\b", r"\1…", text)
    return re.sub(r"([A-Za-z0-9+/]{4})[A-Za-z0-9+/]{30,}={0,2}", r"\1…", text)


def _shorter(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shorter(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shorter(item) for item in value[:2]] + (["…"] if len(value) > 2 else [])
    return value


def kinds() -> None:
    """Each kind of entry: its author, whom it asks, what it seals and what it says."""
    for kind, form in FORMS.items():
        asks = ", ".join(f"{_called(role)} for `{asked}`" for role, asked in form.asks.items())
        asks = "one party for what its void question asked for" if form.repeats else asks
        asks += f", if `{form.asks_about}` is not empty" if form.asks_about else ""
        seals = "; ".join(
            f"`{name}`{' (not always)' if name in form.optional else ''} for {_and(map(_called, audiences))}"
            f"{', or for some of them' if form.narrows else ''}"
            for name, audiences in form.sealed.items()
        )
        says = ", ".join(f"`{each.name}`" for each in fields_of(form.content))
        parts = [f"by {_or(map(_called, form.authors))}", f"content {says or 'empty'}"]
        parts += [f"asks {asks}"] if asks else []
        parts += [f"seals {seals}"] if seals else []
        _item(f"`{kind}`: {'; '.join(parts)}.")


def _called(role: str) -> str:
    return "the court" if role == "court" else role.capitalize()


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _or(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


MEANING = {
    "absent": "a role. The rules ask for `alice` or `bob`",
    "accepted": "boolean",
    "alice_errors": "natural",
    "answer": "natural: the number of the entry whose answer the conflict is about",
    "anchor": "hash: link 0 of the author's coin chain",
    "anchors": "object: a hash for each of `alice`, `bob` and `trent`, and nothing else",
    "certificates": "object: `collection`, an object with `assumes` and `doubt` (texts), `at_most` (null or natural), "
    "`found` and `unreviewed` (naturals), `reached` (null or boolean) and `target` (null or text); and `reviewed`, an "
    "object with the same fields except `unreviewed`, whose `at_most` is not null",
    "caption": "null in a simulation; else an object with the texts `case`, `court` and `request`, and `names`, an "
    "object with a text for each of the four roles",
    "clawed_back": "natural",
    "compelled": "boolean",
    "compelled_rounds": "natural",
    "corpus": "object: `account`: see [the population account](#the-population-account), `documents` (positive), "
    "`root` (hash), `unit` (`family` or `document`)",
    "defaults": "natural",
    "disputes": "natural",
    "documents": "array of objects with the positives `position` and `round`: where a `disclosure` showed each",
    "draw": "positive: the number of the draw that the link is for. In a `closed` without a draw it is null",
    "drawn": "an object with Trent's `draw` (positive) and `link` (hash); in a `batch`, or null",
    "ended": "`amendment`, `documents`, `rounds` or `validation`: why the review has ended",
    "error": "natural",
    "format": "natural: 1",
    "found": "natural",
    "granted": "boolean",
    "guarantee": "text",
    "in_camera": "natural",
    "key": "a key of 32 bytes",
    "keys": "object: a key of 32 bytes for each of the four roles",
    "labels": "array of booleans, one for each position that the question lists",
    "limit": "null, or a text: the limit that shall be in force",
    "link": "hash: the author's link; in an `order` the link of `absent`, or null. In a `closed` without a draw it is "
    "null",
    "method": f"natural: {METHOD}",
    "near_cut": "null, or natural",
    "nrd": "natural",
    "number": "positive: the number of the validation",
    "numbers": "array of naturals: documents by their numbers, ascending",
    "openings": "hash of the openings of this report",
    "parts": "array of arrays of naturals, one for each position that the question lists",
    "positions": "array of positives",
    "privileged": "natural",
    "proof": "text: see [the operator's log](#the-operators-log)",
    "question": "hash of the entry whose question is asked again",
    "responsive": "array of positives: positions",
    "revealed": "natural",
    "reviewed": "in `claims` natural; in a `validation` or `call` an array of positives, positions",
    "root": "hash: the root over the hashes of all entries before this one",
    "role": "a role. The rules ask for `alice` or `bob`",
    "rounds": "in `amend` positive, the T that shall be in force; in `claims` an array of objects with `compelled` "
    "(boolean), `error` (natural), `near_cut` (null or natural), `privileged` (natural), `round` (positive), `sampled` "
    "and `size` (naturals), `sort` (text), `threshold` and `unread` (naturals)",
    "sampled": "natural",
    "served": "hash of an entry: the last one that was served on `absent`",
    "simulation": "null, or an object with the texts `alice`, `bob`, `court`, `label` and `seed`, with `responsive` "
    "(positive) and `truth` (hash)",
    "size": "positive: how many documents the batch or the escalation has",
    "terms": "object: see [Terms](#terms)",
    "threshold": "natural: a rank",
    "token": "hash: the SHA-256 of a token",
    "truth": "null, or an object with the naturals `responsive` and `revealed`",
    "upheld": "array of booleans, one for each position or document that the question lists",
    "validations": "array of objects with `at_most` and `total` (null or naturals), `called` and `unread` (naturals), "
    "`number` and `round` (positives), `reached` (boolean), and `never` and `withheld`, each an object with the "
    "naturals `documents`, `hits` and `shown`",
}


def fields() -> None:
    """Each field of a content, with its type."""
    for name in sorted({each.name for form in FORMS.values() for each in fields_of(form.content)}):
        _item(f"`{name}`: {MEANING[name]}.")


def guarantees() -> None:
    """The texts of the claims, to the letter."""
    for rule in table.rules():
        _item(f"`{rule.protocol}`: {rule.words.guarantee}")
    _item(f"`assumes` of both certificates, under every rule: {ASSUMPTIONS}")


def checks() -> None:
    """The numbered checks."""
    grid(
        ("", "name", "question", "needs"),
        [(check, what.name, what.question, what.needs or "any copy") for check, what in DEFINITIONS.items()],
        (3, 16, 48, 24),
    )


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int]) -> None:
    """A table as text, whose cells are broken into lines."""
    rule = "  ".join("-" * width for width in widths)
    print("```text")
    _row(heads, widths)
    print(rule)
    for row in rows:
        _row(row, widths)
    print("```")


def mailbox_limits() -> None:
    """What the mailbox's server takes on."""
    at = Limits()
    for text in (
        f"{at.connections} connections at a time (fewer where the system allows fewer open files). One more ends one "
        "that is idle, or the one that has been silent longest.",
        f"{at.requests} requests at work at a time, {at.requests_of_party} of one party.",
        f"{at.address_rate:g} requests a second from one address (an IPv6 network of 64 bits counts as one), after "
        f"{at.address_burst} at once. This machine's own address has no limit, since a proxy's requests come from it.",
        f"{at.party_rate:g} requests a second of one party, after {at.party_burst} at once.",
        f"An answer of {MAX_ANSWER:,} sealed bytes, and {at.answers} answers of one party that wait for Trent. "
        f"{at.spare_disk // 2**20} MiB of the disk stay free.",
        f"A request's line and headers of {at.head_bytes:,} bytes, complete within {at.head_seconds:g} seconds; as "
        "long for beginning TLS.",
        f"A body that arrives with {at.bytes_a_second:,} bytes a second at least, and {at.stall_seconds:g} seconds on "
        "top. An answer of which nothing is taken for as long is given up.",
        f"A token holds for {sessions.SECONDS // 60} minutes, a challenge for {challenge.SECONDS // 60}.",
    ):
        _item(text)


def _row(cells: Sequence[str], widths: Sequence[int]) -> None:
    columns = [wrap(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
    for line in range(max(map(len, columns))):
        parts = [
            (column[line] if line < len(column) else "").ljust(width)
            for column, width in zip(columns, widths, strict=True)
        ]
        print("  ".join(parts).rstrip())


def _item(text: str) -> None:
    print(
        fill(text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    )


def chain() -> None:
    """The conditions of the chain, in order."""
    rows = [(str(number), sentence, broken) for number, (sentence, broken) in enumerate(CHAIN, start=1)]
    grid(("", "condition", "broken"), rows, (2, 84, 6))


def reading() -> None:
    """The steps of reading a copy; steps 5 to 14 are for each line by its kind."""
    rows = [(str(number), sentence, broken) for number, (sentence, broken) in enumerate(READING, start=1)]
    grid(("", "step", "broken"), rows, (2, 82, 9))


def outcomes() -> None:
    """When each check is not checked."""
    grid(("", "is not checked if"), OUTCOMES, (15, 82))


def counts() -> None:
    """What is counted for each check."""
    grid(("", "counts"), COUNTS, (7, 90))


def conditions(kind: str) -> None:
    """The conditions of one kind of entry, or those of every entry."""
    rows = [(each.id.rpartition(".")[2], _required(each), each.check, each.blames) for each in catalogue.tables()[kind]]
    grid(("", "condition", "check", "blames"), rows, (2, 70, 5, 17))


def corpus_conditions() -> None:
    """What the sealed corpus adds: it stops no replay, and blames Trent."""
    rows = [
        (f"`{kind}`", each.sentence + ".", each.check, each.blames)
        for kind, conditions in corpus_replay.CONDITIONS.items()
        for each in conditions
    ]
    grid(("at", "condition", "check", "blames"), rows, (8, 66, 5, 6))


def _required(row: catalogue.Row) -> str:
    """What a condition requires, and what a copy must show for it to be tried."""
    return f"{row.exactly} (Where the copy shows {row.shown}.)" if row.shown else row.exactly
