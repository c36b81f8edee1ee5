"""Two answers to one question (V19)."""

from dataclasses import dataclass

from verifier.checks import Check, Role
from verifier.findings import Finding
from verifier.record.copy import Told
from verifier.record.entries import hash_statement, read_evidence
from verifier.replay.turns import broken


@dataclass(frozen=True, slots=True)
class _Answer:
    entry: int
    statement: bytes  # its hash
    replaces: tuple[bytes, ...]


class Conflicts:
    """The answers on record, by which a second one is judged."""

    def __init__(self) -> None:
        self._answers: dict[tuple[Role, bytes], _Answer] = {}

    def note(self, told: Told) -> None:
        """Remember what a party answered."""
        said = told.entry.said
        if said.answers is not None:
            hashed = hash_statement(told.entry.statement_bytes)
            self._answers[said.author, said.answers] = _Answer(told.entry.body.sequence, hashed, said.replaces)

    def judge(self, told: Told) -> Finding | None:
        """What a conflict's evidence, which the chain has found genuine, proves against its author.

        Which of two answers came first, only Trent's clock could say, so a withdrawal excuses in both directions.
        """
        evidence, signed = read_evidence(told.entry.said.content)
        other = evidence.statement
        body, said = told.entry.body, told.entry.said
        if body.asks or body.releases or said.sealed or said.round != other.round:
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "A conflict holds evidence, and neither asks, releases nor seals anything",
                f"an entry of round {other.round} with nothing else",
                "another one",
            )
        first = self._answers.get((other.author, other.answers or b""))
        if first is None:
            raise broken(
                told,
                Check.CONFLICTS,
                Role.TRENT,
                "A conflict is about a question of this matter that its author has answered",
                "such a question",
                "another one",
            )
        second = hash_statement(signed)
        if second == first.statement:
            raise broken(
                told,
                Check.CONFLICTS,
                Role.TRENT,
                "A conflict holds another answer than the one on record",
                "another answer",
                f"that of entry {first.entry}",
            )
        if second in first.replaces or first.statement in other.replaces:
            return None
        return Finding(
            check=Check.CONFLICTS,
            rule="Nobody gives two answers to one question, unless one withdraws the other",
            expected=f"only the answer of entry {first.entry}, {first.statement.hex()}",
            found=f"another one, signed by {other.author.called}'s key, {second.hex()}",
            entry=told.entry.body.sequence,
            party=other.author,
            rests_on=(first.entry,),
        )
