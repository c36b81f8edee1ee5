"""What identifies a simulated matter. All its secrets derive from what its first entry says.

So the same simulation has the same bytes, and anyone can cut copies of a simulated matter. Nobody should mistake it for
evidence, so its first entry says that it is a simulation.
"""

from dataclasses import dataclass
from typing import Self

from ledger import records
from ledger.coins import LinkChain
from ledger.commitments import Secret
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.seal import Seal
from protocol.matter.values import Opened, Simulation
from protocol.rules.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """The terms, the roles that are played, and the corpus: it fixes every byte of the matter."""

    terms: Terms
    simulation: Simulation
    root: Digest

    @classmethod
    def of(cls, opening: Opened) -> Self | None:
        """The identity of a matter that was opened, if it is a simulation."""
        if opening.simulation is None:
            return None
        return cls(terms=opening.terms, simulation=opening.simulation, root=opening.corpus.root)

    @property
    def matter(self) -> Digest:
        """The matter's number. Simulations that differ only in how they review share it, and so their coin chains:
        their first batches are the same, and what they find can be compared document by document.
        """
        return tagged_hash("simulated-matter", self.simulation.seed.encode(), self.simulation.label.encode(), self.root)

    def secret(self, role: Role, purpose: str) -> Digest:
        """What a real party takes from its system's randomness. No two simulations share a secret, and so no key:
        whoever compares them sees two Trents, not one with two histories.
        """
        course = (self.terms.encoded(), records.encode(self.simulation))
        return tagged_hash("simulated-secret", self.matter, *course, role.encode(), purpose.encode())

    def key(self, role: Role) -> SigningKey:
        """A party's key."""
        return SigningKey(self.secret(role, "key"))

    def chain(self, role: Role) -> LinkChain:
        """A party's coin chain."""
        root = tagged_hash("simulated-chain", self.matter, role.encode())
        return LinkChain(matter=self.matter, role=role, length=self.terms.draws, root=root)

    def seal(self, role: Role) -> Seal:
        """A party's secret for what it seals."""
        return Seal(secret=Secret(self.secret(role, "seal")), matter=self.matter)
