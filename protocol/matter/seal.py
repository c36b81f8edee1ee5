"""Sealed fields with salts that derive from their author's secret, so only the secret has to be kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.canonical import Value
from ledger.commitments import Secret, derived_salt, derived_salts
from ledger.entries import Commitments, Opening, Sealed
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
            if name == PROOFS:
                salts = [derived_salt(self.secret, purpose, 0)] * len(values)
            else:
                salts = derived_salts(self.secret, purpose, range(len(values)))
            opened = [
                Opening(field=name, index=index, salt=salt, value=value)
                for index, (salt, value) in enumerate(zip(salts, values, strict=True))
            ]
            commitments = Commitments([opening.commitment for opening in opened])
            sealed[name] = Sealed(audiences=tuple(audiences), commitments=commitments)
            openings += opened
        return sealed, tuple(openings)
