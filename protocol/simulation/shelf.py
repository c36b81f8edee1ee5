"""Which document stands at each position of a round, as Alice and the court can tell from their own notices.

A batch shows them its documents. An escalation lists nothing: its positions are all that is withheld, and both know
what that is, since they see every report.
"""

from collections.abc import Sequence
from typing import Any

from ledger import records
from protocol.matter.privilege_log import claims_of_classes
from protocol.matter.values import Place
from protocol.parties.notices import Notice


class Shelf:
    """A fold over the notices of Alice or the court."""

    def __init__(self) -> None:
        self.documents: list[int] = []  # of the open round, by position
        self._negatives: list[int] = []  # all that Alice labelled not responsive, in the order of review
        self._gone: set[int] = set()  # what Bob was shown, and what the court kept from him
        self._in_camera: list[int] = []
        self._beforehand: dict[int, Any] = {}  # by document, what Alice claimed in the report that labelled it
        self._claims: dict[int, Any] = {}  # by position, what she claimed in the open round

    @property
    def withheld(self) -> list[int]:
        """All that is withheld between two rounds, in the order of review."""
        return [document for document in self._negatives if document not in self._gone]

    def at(self, positions: Sequence[int]) -> list[int]:
        """The documents at these positions."""
        return [self.documents[position - 1] for position in positions]

    def claimed(self, position: int) -> bool:
        """Whether Alice claims anything for a position of the open round: privilege, or a class."""
        return self._claims.get(position) is not None

    def claimed_as_privileged(self, position: int) -> bool:
        """Whether Alice claims privilege for a position of the open round or for parts of it, and names no class."""
        claim = self._claims.get(position)
        return claim is not None and not claims_of_classes([claim])

    def observe(self, notice: Notice) -> None:
        """Take note of an entry."""
        content = notice.statement.content
        self._begin(notice)
        match notice.statement.kind:
            case "report":
                for labels in notice.values("labels"):  # of a call, only those of the called
                    self._negatives += [each for each, label in zip(self.documents, labels, strict=False) if not label]
                bases = dict(enumerate(notice.values("privilege"), start=1))
                self._claims |= bases
                self._beforehand |= {self.documents[position - 1]: basis for position, basis in bases.items()}
            case "claim":
                self._claims |= dict(zip(content["positions"], notice.values("privilege"), strict=True))
            case "disclosure":
                self._gone.update(self.at(content["positions"]))
            case "camera":
                self._in_camera = self.at(content["positions"])
            case "privilege":
                ruled = zip(self._in_camera, content["upheld"], strict=True)
                self._gone.update(document for document, upheld in ruled if upheld)

    def _begin(self, notice: Notice) -> None:
        """A round begins. What Alice claimed in the report that labelled a document is still claimed."""
        content = notice.statement.content
        match notice.statement.kind:
            case "batch":
                self.documents = [each.document for each in records.from_values(Place, notice.values("documents"))]
            case "escalation":
                self.documents = self.withheld
            case "validation":
                self.documents = list(content["numbers"])
            case "call":
                self.documents = [*content["numbers"], *self.withheld]
            case _:
                return
        known, places = self._beforehand, enumerate(self.documents, start=1)
        self._claims = {position: known[document] for position, document in places if document in known}
