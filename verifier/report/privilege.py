"""Claims of privilege and sensitive classes: which, on what basis if the copy shows it, and how the court ruled."""

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.plural import count, more
from verifier.replay.basis import class_of, parts_named, parts_of, text_of
from verifier.replay.detail import RoundDetail
from verifier.report import clawbacks
from verifier.report.documents import document
from verifier.report.markup import Markup, element, joined, paragraph, stranger, table
from verifier.verdict import Verdict

MOST = 2000  # most rows, so that a browser can show the page
_LONGEST_BASIS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A document for which Alice claimed privilege, as far as the copy shows it."""

    detail: RoundDetail
    position: int

    @property
    def ruled(self) -> bool:
        """Whether the court ruled on it."""
        return self.position in self.detail.camera_in

    @property
    def named_class(self) -> str | None:
        """The sensitive class that Alice put it into, if she did."""
        return class_of(self.detail.claims.get(self.position))

    @property
    def withheld_parts(self) -> tuple[int, ...]:
        """The parts that the court withheld as privileged, if it withheld parts."""
        return self.detail.upheld_parts.get(self.position, ())

    @property
    def unclear(self) -> bool:
        """Whether the copy does not show if the court ruled on privilege, or on whether the document is responsive."""
        return self.position in self.detail.unclear

    @property
    def upheld(self) -> bool:
        """Whether it was withheld from Bob, as privileged unless that is unclear."""
        return self.position in self.detail.privileged


def privilege(verdict: Verdict) -> Markup:
    """The section of all claims that the copy shows."""
    found = list(_all(verdict))
    parts: list[str] = [element("h2", "Privilege")]
    if not found:
        parts.append(
            paragraph("In the part of the record that was read, the court was asked about no claim of privilege.")
        )
        parts += clawbacks.told(verdict)
        return element("section", *parts, id="privilege", class_="flows")
    parts.append(
        paragraph(
            "If Alice claims privilege for a document that is due to Bob, the court reads it instead of him, and Bob "
            "gets the basis of the claim. If the court upholds the claim, the document is withheld as privileged: it "
            "counts as neither found nor hidden. If not, the document goes to Bob with the others. A claim made with "
            "the report is fixed before the coins; one made later counts as if a coin had drawn the document."
        )
    )
    reasons = any(each.detail.camera_because for each in found)
    if any(each.withheld_parts or parts_of(each.detail.claims.get(each.position)) for each in found):
        parts.append(
            paragraph(
                "A claim can be for parts of a document, such as an attachment. If the court upholds it, the court "
                "also says whether the document is responsive, and that counts. If it is, Bob gets the other parts."
            )
        )
    rows = [
        (
            f"{each.detail.number} / {each.position}",
            document(each.detail, each.position, "not named here"),
            _basis(each),
            "later" if each.position in each.detail.late else "with the report",
            _ruling(each),
            str(each.detail.camera_in[each.position]) if each.ruled else "none",
            *([_reason(each)] if reasons else []),
        )
        for each in found[:MOST]
    ]
    heads = ["Round / position", "Document", "Basis", "Claimed", "The court", "Ruling in entry"]
    parts.append(table(_caption(found), [*heads, *(["The court's reason"] if reasons else [])], rows, look="cards"))
    if len(found) > MOST:
        parts.append(paragraph(f"The table has the first {MOST}; {more(len(found) - MOST)}."))
    parts += clawbacks.told(verdict)
    return element("section", *parts, id="privilege", class_="flows")


def concluded(verdict: Verdict) -> list[str]:
    """What the court did about privilege, in a sentence."""
    claimed = [each for each in _all(verdict) if each.ruled]
    unclear = [each for each in claimed if each.unclear]
    found = [each for each in claimed if each.position not in each.detail.court and not each.unclear]
    partly = [each for each in claimed if each.withheld_parts]
    told = []
    if partly:
        parts = sum(len(each.withheld_parts) for each in partly)
        told.append(
            f"Of {count(len(partly), 'document')} the court withheld {count(parts, 'part')} as privileged, and said "
            "itself whether the document is responsive."
        )
    if unclear:
        kept = sum(each.upheld for each in unclear)
        told.append(
            f"Of {count(len(unclear), 'document')} that {_were(unclear)} due to Bob and that the court read in camera, "
            f"it kept {kept} from him, and {len(unclear) - kept} went to him. This copy does not show which it was "
            "asked about as privileged, and which as responsive or not."
        )
    if not found:
        return [*told, *clawbacks.concluded(verdict)]
    upheld = sum(each.upheld for each in found)
    return [
        *told,
        *clawbacks.concluded(verdict),
        f"For {count(len(found), 'document')} that {_were(found)} due to Bob, Alice claimed "
        f"privilege and the court ruled: {upheld} withheld as privileged, {len(found) - upheld} overruled. What is "
        "withheld as privileged counts as neither found nor hidden; only Alice has said whether it is responsive.",
    ]


def _were(found: list[Claimed]) -> str:
    return "was" if len(found) == 1 else "were"


def _all(verdict: Verdict) -> Iterator[Claimed]:
    for detail in verdict.details:
        every = (
            detail.validating is not None and detail.validating.court_looks
        )  # the court sees what is not claimed too
        seen = frozenset() if every else detail.camera_in.keys()
        for position in sorted(detail.claims.keys() | seen | detail.late | detail.unclear):
            yield Claimed(detail=detail, position=position)


def _caption(found: list[Claimed]) -> str:
    partly = [each for each in found if each.withheld_parts]
    unclear = [each for each in found if each.unclear]
    classed = [each for each in found if each.position in each.detail.court and each not in partly + unclear]
    privileged = [each for each in found if each not in classed + partly + unclear]
    ruled, upheld = sum(each.ruled for each in privileged), sum(each.upheld for each in privileged)
    told = []
    if privileged or not unclear:
        told.append(
            f"{count(len(privileged), 'claim')}: {upheld} upheld, {ruled - upheld} overruled, "
            f"{len(privileged) - ruled} not ruled on"
        )
    if partly:
        parts = sum(len(each.withheld_parts) for each in partly)
        told.append(f"{count(parts, 'part')} of {count(len(partly), 'document')} withheld")
    if classed:
        told.append(f"{count(len(classed), 'document')} of a class read by the court")
    if unclear:
        told.append(f"{count(len(unclear), 'document')} read by the court, as privileged or of a class")
    return "; ".join(told)


def _basis(each: Claimed) -> Markup:
    basis = each.detail.claims.get(each.position)
    if each.named_class is not None:
        return joined(("class ", stranger(each.named_class)))
    if basis is None:
        return element("em", "sealed in this copy")
    said = stranger(text_of(basis), _LONGEST_BASIS)
    return joined((f"{parts_named(parts)}: ", said)) if (parts := parts_of(basis)) else said


def _reason(each: Claimed) -> Markup:
    return stranger(each.detail.camera_because.get(each.position, ""), _LONGEST_BASIS)


def _ruling(each: Claimed) -> str:
    if each.unclear:
        went = (
            "kept from Bob, as privileged or as not responsive"
            if each.upheld
            else "goes to Bob, as not privileged or as responsive"
        )
        return f"{went}: this copy does not show which"
    if each.position in each.detail.court:
        responsive = each.detail.court[each.position]
        if each.withheld_parts:
            kept = f"{parts_named(each.withheld_parts)} withheld as privileged; "
            return f"{kept}responsive: goes to Bob without" if responsive else f"{kept}not responsive: not shown to Bob"
        return "responsive: goes to Bob" if responsive else "not responsive: not shown to Bob"
    if each.ruled:
        return "upheld: withheld as privileged" if each.upheld else "overruled: goes to Bob"
    return "not asked: it was not due" if each.detail.closed_entry is not None else "not ruled on so far"
