"""Sealed fields with salts that derive from their author's secret, so only the secret has to be kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.canonical import Value
from ledger.commitments import Secret, derived_salt
from ledger.entries import Commitments, Opening, Sealed, commitment_of
from ledger.hashing import Digest
from ledger.roles import Audience

PROOFS = "proofs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """An author's secret for one matter."""

    secret: Secret
    matter: Digest

    def close(
        self, place: str, fields: Mapping[str, tuple[Sequence[Audience], Sequence[Value]]]
    ) -> tuple[dict[str, Sealed], tuple[Opening, ...]]:
        """Sealed fields and their openings, in order. `place` names the statement, and is used once in a matter.

        Proofs have one salt in common, which takes less room: each holds a salt of its own, so whoever is shown one of
        them cannot guess another.
        """
        sealed: dict[str, Sealed] = {}
        openings: list[Opening] = []
        for name in sorted(fields):
            audiences, values = fields[name]
            purpose = f"{self.matter.hex()}/{place}/{name}"
            commitments = []
            for index, value in enumerate(values):
                salt = derived_salt(self.secret, purpose, 0 if name == PROOFS else index)
                opening = Opening(field=name, index=index, salt=salt, value=value)
                commitments.append(commitment_of(opening))
                openings.append(opening)
            sealed[name] = Sealed(audiences=tuple(audiences), commitments=Commitments(commitments))
        return sealed, tuple(openings)
