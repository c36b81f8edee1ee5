"""The court: it holds the deposits, settles disputes, rules on privilege, and orders how to go on."""

from collections.abc import Sequence

from ledger import coins
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.roles import Role
from protocol.matter.kinds.deposited import Deposited
from protocol.matter.kinds.order import Order
from protocol.matter.kinds.privilege import Privilege
from protocol.matter.kinds.rekeyed import Rekeyed
from protocol.matter.kinds.rulings import Rulings
from protocol.parties.base import Answer, Party
from protocol.parties.notices import Notice


class Court(Party):
    """It says what it was asked about in its own words: an order repeats what it orders."""

    role = Role.COURT

    def __init__(self, key: SigningKey) -> None:
        super().__init__(key)
        self.anchors: dict[Role, Digest] = {}
        self.draws = 0  # the number of the last draw that began

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        if said.kind in ("open", "agreed"):
            self.anchors[said.author] = Digest.parse(said.content["anchor"])
        if said.kind in ("draw", "report"):
            self.draws = said.content["draw"]

    def deposit(self, replaces: tuple[Digest, ...] = ()) -> Answer:
        """Sign the terms, and that the roots of the three chains are held."""
        self._asked("open")
        return self._says("deposited", Deposited(anchors=self.anchors), replaces)

    def rule(self, labels: Sequence[bool], replaces: tuple[Digest, ...] = ()) -> Answer:
        """Whether each disputed document is responsive."""
        self._asked("dispute")
        return self._says("rulings", Rulings(labels=tuple(labels)), replaces)

    def rule_on_privilege(self, upheld: Sequence[bool], replaces: tuple[Digest, ...] = ()) -> Answer:
        """Whether each claim of privilege is upheld."""
        self._asked("camera")
        return self._says("privilege", Privilege(upheld=tuple(upheld)), replaces)

    def order(
        self,
        granted: bool,  # noqa: FBT001 (yes or no)
        link: Digest | None = None,
        replaces: tuple[Digest, ...] = (),
    ) -> Answer:
        """Whether the matter goes on without the absent party; with its link from the deposit, where that is due."""
        asked = self._asked("default").statement
        absent, served = Role(asked.content["absent"]), Digest.parse(asked.content["served"])
        if link is not None:
            self._check_link(asked.matter, absent, link)
        content = Order(absent=absent, granted=granted, link=link, served=served)
        return self._says("order", content, replaces)

    def rekeyed(self, granted: bool, replaces: tuple[Digest, ...] = ()) -> Answer:  # noqa: FBT001 (yes or no)
        """Whether a party gets the new key."""
        asked = self._asked("rekey").statement.content
        content = Rekeyed(granted=granted, key=PublicKey.parse(asked["key"]), role=Role(asked["role"]))
        return self._says("rekeyed", content, replaces)

    def _check_link(self, matter: Digest, absent: Role, link: Digest) -> None:
        """What the court signs must be a link of the chain that the party named, or the court would be at fault."""
        if not 0 < self.draws <= self.opening.terms.draws:
            raise Refused(f"draw {self.draws} is beyond the {self.opening.terms.draws} that the terms provide for")
        for index in range(self.draws, 0, -1):
            link = coins.step(matter, absent, index, link)
        if link != self.anchors[absent]:
            raise Refused(f"the deposit does not belong to the chain that {absent.called} named: do not order with it")
