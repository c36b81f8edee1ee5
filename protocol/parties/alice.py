"""Alice, the responding party: she reports on each batch, and holds the privilege."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger import canonical, entries
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import Opening, Sealed, hash_words
from ledger.errors import Refused
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.kinds import claim, report
from protocol.matter.kinds.claim import LateClaim
from protocol.matter.kinds.report import Reported
from protocol.matter.seal import Seal
from protocol.parties.base import Answer, Drawer

_NOTHING: Mapping[int, str] = {}


class Alice(Drawer):
    """She seals what she says of a batch with salts that derive from her secret."""

    role = Role.ALICE

    def __init__(self, key: SigningKey, chain: LinkChain, seal: Seal) -> None:
        super().__init__(key, chain)
        self.seal = seal

    def report(
        self,
        labels: Sequence[bool | None],
        threshold: int | None = None,
        privilege: Mapping[int, str] = _NOTHING,
        replaces: tuple[Digest, ...] = (),
    ) -> Answer:
        """Her labels of the batch, perhaps a threshold, and the bases of the claims that she makes by position."""
        asked = self._asked("batch")
        if not privilege.keys() <= set(range(1, len(labels) + 1)):
            raise Refused(f"privilege is claimed by position, from 1 to {len(labels)}")
        audiences = report.KIND.seals
        fields: dict[str, tuple[Any, Sequence[Value]]] = {"labels": (audiences["labels"], list(labels))}
        if threshold is not None:
            fields["threshold"] = (audiences["threshold"], [threshold])
        if privilege:
            bases = [privilege.get(position) for position in range(1, len(labels) + 1)]
            fields["privilege"] = (audiences["privilege"], bases)
        # the batch names the salts, and nothing else that Trent writes: asked again about the same documents she says
        # the same words and has the same coins; about others, coins that nobody can foresee. So are those of a report
        # that replaces others, whose salts Trent may have seen
        batch = tagged_hash("places", canonical.encode(asked.values("documents")))
        withdrawn = f"/{len(replaces)}" if replaces else ""
        sealed, openings = self.seal.close(f"report/{asked.statement.round}/{batch.hex()}{withdrawn}", fields)
        draw = self.draws + 1
        content = Reported(draw=draw, link=self.chain.link(draw), openings=entries.hash_openings(openings))
        answer = self._says("report", content, replaces, sealed, openings)
        self._spend(draw, hash_words(answer.signed.statement), instead=bool(replaces))
        return answer

    def claim(self, privilege: Mapping[int, str], replaces: tuple[Digest, ...] = ()) -> Answer:
        """What she claims after her report, by position; perhaps nothing."""
        asked = self._asked("late")
        positions = tuple(sorted(privilege))
        sealed: dict[str, Sealed] = {}
        openings: tuple[Opening, ...] = ()
        if positions:
            bases = [privilege[position] for position in positions]
            fields: dict[str, tuple[Any, Sequence[Value]]] = {"privilege": (claim.KIND.seals["privilege"], bases)}
            sealed, openings = self.seal.close(f"claim/{asked.hash.hex()}", fields)
        return self._says("claim", LateClaim(positions=positions), replaces, sealed, openings)
