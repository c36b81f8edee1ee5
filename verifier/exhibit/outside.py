"""What outsiders have seen of the record that an exhibit is part of: time stamps, and proofs of the operator's log.

An entry about them states the root of all entries before it. The exhibit proves that this is the root of the
checkpoint's own beginning, so whatever dates the root dates every piece of the exhibit that stands before the entry.
Files that do not fit what Trent signed are damage.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from verifier import policy, stamps
from verifier.checks import Check, Role
from verifier.exhibit.form import Piece
from verifier.findings import Damaged, Finding, Unreadable
from verifier.outside import Looking, Outsiders
from verifier.reading import at_most
from verifier.record import logs, tokens
from verifier.record.copy import Told
from verifier.record.logs import BadProof
from verifier.record.notes import TreeHead, text_of
from verifier.record.shapes import Malformed, digest, read
from verifier.record.trees import is_prefix
from verifier.replay.contents import Logged, Stamped
from verifier.rules.terms import Terms
from verifier.tally import Tally

KINDS = tokens.NAMING


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one entry shows about outsiders, in words."""

    entry: int
    said: str


def check_prefix(piece: Piece, told: Told, state: TreeHead) -> None:
    """What was stamped or logged is the beginning of the checkpoint's tree; of other pieces nothing is proven.

    A content that is not of its form is Trent's fault, and found with those of the other pieces.
    """
    if piece.kind not in KINDS:
        if piece.prefix:
            raise Damaged(Check.FORMAT, f"entry {piece.sequence} of the exhibit has a proof that is for nothing")
        return
    root = _root(told)
    if root is not None and not is_prefix(piece.sequence, root, state.size, state.root, piece.prefix):
        raise Damaged(
            Check.CHAIN,
            f"what entry {piece.sequence} is about is not shown to be the beginning of the checkpoint's record",
        )


def files_of(told: Told) -> dict[str, bytes | None]:
    """The files that belong to an entry, by their names; None if their bytes are not known from the record alone."""
    number = told.entry.body.sequence
    if told.entry.said.kind == "stamped":
        return {f"stamps/{number}.tsr": None, f"stamps/{number}.txt": text_of(_state(told)).encode()}
    if told.entry.said.kind == "logged":
        proof = read(Logged, told.entry.said.content).proof
        return {f"log/{number}.tlog-proof": proof.encode(), f"log/{number}.leaf": logs.leaf(_state(told))}
    return {}


def judged(folder: Path, pieces: list[Told], terms: Terms, trusted: Outsiders) -> Iterator[Seen]:
    """What the exhibit's stamps and proofs show, with whom the reader trusts."""
    authorities = () if terms.witnesses is None else terms.witnesses.authorities
    for told in pieces:
        if told.entry.said.kind not in KINDS:
            continue
        tally, number, data = Tally(), told.entry.body.sequence, _read_files(folder, told)
        looking = Looking(tally, trusted)
        if told.entry.said.kind == "stamped":
            looking.stamped(number, _state(told), data.get(f"stamps/{number}.tsr"), authorities)
            yield Seen(entry=number, said=_said(looking, tally.unchecked.get(Check.STAMPS), number, "a time stamp"))
        else:
            looking.logged(number, read(Logged, told.entry.said.content).proof)
            yield Seen(entry=number, said=_said(looking, tally.unchecked.get(Check.LOG), number, "a proof of the log"))


def false_proof(pieces: list[Told], terms: Terms) -> Finding | None:
    """The first proof that does not hold. Trent has signed both the terms and each proof."""
    found = (_false_proof(told, terms) for told in pieces if told.entry.said.kind == "logged")
    return next(filter(None, found), None)


def _said(looking: Looking, unchecked: str | None, number: int, what: str) -> str:
    seen = f"The record up to entry {number - 1}"
    if unchecked is not None:
        return f"{seen}: entry {number} names {what}. It was not checked who vouches for it: {unchecked}."
    if looking.dated is not None:
        return f"{stamps.told(looking.dated.stamp, seen)}."
    return f"{seen} is in the operator's log, {policy.cosigned(looking.cosigned)}."


def _content(told: Told) -> Stamped | Logged:
    said = told.entry.said
    return read(Stamped, said.content) if said.kind == "stamped" else read(Logged, said.content)


def _root(told: Told) -> bytes | None:
    try:
        return digest(told.entry.said.content.get("root"))
    except Malformed:
        return None


def _state(told: Told) -> TreeHead:
    body = told.entry.body
    return TreeHead(matter=body.matter, size=body.sequence, root=_content(told).root, head=body.previous)


def _read_files(folder: Path, told: Told) -> dict[str, bytes]:
    """The files of an entry that are there; damage if they are not those that it names."""
    found = {}
    for name, due in files_of(told).items():
        path = folder / name
        try:
            if not os.path.lexists(path):
                continue
            found[name] = at_most(path, logs.MAX_PROOF)
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
        if due is None:
            tokens.check_named(found[name], told.entry, name)
        elif found[name] != due:
            raise Damaged(Check.HANDED, f"{name} is not what entry {told.entry.body.sequence} is about")
    return found


def _false_proof(told: Told, terms: Terms) -> Finding | None:
    """Trent has signed both the terms and the proof."""
    asked = terms.witnesses
    try:
        if asked is None or asked.log is None:
            raise BadProof("the terms name no log")
        proof = read(Logged, told.entry.said.content).proof
        logs.check(logs.parse(proof), logs.leaf(_state(told)), logs.read_vkey(asked.log))
    except BadProof as error:
        return Finding(
            check=Check.WITNESSES,
            rule="A proof shows that the log of the terms has the record up to it",
            expected="a proof that holds",
            found=str(error),
            entry=told.entry.body.sequence,
            party=Role.TRENT,
        )
    return None
