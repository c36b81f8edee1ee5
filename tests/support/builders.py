"""Small matters with every feature of a ledger in them, and fixed keys, so that their bytes never change."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from ledger import canonical, checkpoints, entries
from ledger.canonical import Value
from ledger.commitments import Secret, commit, derived_salt
from ledger.entries import Addition, Attached, Commitments, Opening, Release, Sealed, SignedStatement, Statement
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.roles import Audience, Role

KEYS = {role: SigningKey(sha256(f"test key of {role}".encode()).digest()) for role in Role}
MATTER = tagged_hash("test", b"matter")
OTHER_MATTER = tagged_hash("test", b"another matter")
SECRET = Secret(sha256(b"test secret").digest())
MODEL = bytes(range(256)) * 8


def logical_clock() -> Callable[[], int]:
    """A clock that ticks once for each call, so the same entries give the same bytes."""
    ticks = count(1_700_000_000)
    return lambda: next(ticks)


def seal(
    fields: dict[str, tuple[Sequence[Audience], Sequence[Value]]], purpose: str = "test"
) -> tuple[dict[str, Sealed], tuple[Opening, ...]]:
    """Sealed fields of the given values, with their openings."""
    sealed, openings = {}, []
    for name, (audiences, values) in fields.items():
        salts = [derived_salt(SECRET, f"{purpose}/{name}", index) for index in range(len(values))]
        openings += [
            Opening(field=name, index=index, salt=salt, value=value)
            for index, (salt, value) in enumerate(zip(salts, values, strict=True))
        ]
        commitments = Commitments(
            commit(salt, canonical.encode(value)) for salt, value in zip(salts, values, strict=True)
        )
        sealed[name] = Sealed(audiences=tuple(audiences), commitments=commitments)
    return sealed, tuple(openings)


def says(
    author: Role, kind: str, *, answers: Digest | None = None, matter: Digest = MATTER, **fields: Any
) -> Statement:
    """A statement with defaults for what a test does not care about."""
    defaults: dict[str, Any] = {"content": {}, "replaces": (), "round": 0, "sealed": {}}
    return Statement(author=author, kind=kind, answers=answers, matter=matter, **(defaults | fields))


def opening_statement(matter: Digest = MATTER, keys: dict[Role, SigningKey] = KEYS) -> Statement:
    enrolled = {role.value: key.public.hex() for role, key in keys.items()}
    return says(Role.TRENT, entries.OPEN, matter=matter, content={"format": entries.FORMAT, "keys": enrolled})


def answer(statement: Statement, key: SigningKey | None = None, **around: Any) -> Addition:
    """A party's signed answer as it is handed to the log."""
    signed: SignedStatement = entries.sign_statement(key or KEYS[statement.author], statement)
    return Addition(statement=statement, signature=signed.signature, **around)


def question(number: int, matter: Digest = MATTER) -> Addition:
    """Trent asks Alice: names for her and the court, a model for the court alone, as an attachment."""
    model = bytes([number % 256]) + MODEL
    reference: Value = {"attachment": sha256(model).hexdigest(), "size": len(model)}
    names: list[Value] = [f"document {number}-{place}" for place in range(3)]
    sealed, openings = seal(
        {"names": ((Audience.ALICE, Audience.COURT), names), "model": ((Audience.COURT,), [reference])},
        f"question {number}",
    )
    statement = says(Role.TRENT, "question", matter=matter, round=number, content={"batch": 3}, sealed=sealed)
    return Addition(statement=statement, openings=openings, attachments=(Attached.of(model),), asks=(Role.ALICE,))


def report(number: int, asked: Digest, matter: Digest = MATTER) -> Addition:
    """Alice answers with sealed labels."""
    sealed, openings = seal({"labels": ((Audience.ALICE, Audience.COURT), [True, False, False])}, f"report {number}")
    statement = says(Role.ALICE, "report", answers=asked, matter=matter, round=number, sealed=sealed)
    return answer(statement, openings=openings, asks=(Role.BOB,))


def add_round(log: Log, number: int, matter: Digest = MATTER) -> None:
    """A question, Alice's report, Bob's answer; then Bob gets one name and all labels."""
    asked = log.history.size
    (head,) = log.append([question(number, matter)])
    (head,) = log.append([report(number, head, matter)])
    log.append(
        [answer(says(Role.BOB, "labels", answers=head, matter=matter, round=number, content={"responsive": [0]}))]
    )
    releases = (
        Release(audience=Audience.BOB, entry=asked, field="names", indices=(0,)),
        Release(audience=Audience.BOB, entry=asked + 1, field="labels", indices=None),
    )
    close = says(Role.TRENT, "closed", matter=matter, round=number)
    log.append([Addition(statement=close, releases=releases)])


def build_matter(path: Path, rounds: int = 2, matter: Digest = MATTER, *, cosigned: bool = True) -> None:
    """A whole matter: opening, rounds, and a checkpoint that all have signed."""
    with Log.create(path, KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=opening_statement(matter))])
        for number in range(1, rounds + 1):
            add_round(log, number, matter)
        log.checkpoint()
        if cosigned:
            for role in checkpoints.COSIGNERS:
                log.cosign(
                    log.history.size, role, checkpoints.cosign(log.history.state(), role, KEYS[role], 1_800_000_000)
                )
