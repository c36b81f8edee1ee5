"""Bob, the requesting party: he labels what he is shown, without Alice's label."""

from collections.abc import Sequence

from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter.kinds.labels import Labels
from protocol.parties.base import Answer, Drawer


class Bob(Drawer):
    """He gives his links, and answers each wave."""

    role = Role.BOB

    def label(self, labels: Sequence[bool], replaces: tuple[Digest, ...] = ()) -> Answer:
        """Whether each document of the wave is responsive, in its order."""
        self._asked("disclosure")
        return self._says("labels", Labels(labels=tuple(labels)), replaces)
