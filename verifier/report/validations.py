"""Validations: what was drawn from the whole collection, by stratum; the estimates, and apart the certificate."""

from fractions import Fraction

from verifier import passes, proven
from verifier.estimates import Count, Share
from verifier.passes import Validated
from verifier.plural import more, were
from verifier.replay.contents import Stratum
from verifier.report.markup import Markup, bullets, element, joined, paragraph, table
from verifier.verdict import Answer, Verdict

MOST = 100
_ABOUT = (
    "A validation is about the whole collection. Coins draw from everything that Bob has not seen, whether Alice had "
    "reviewed and withheld it or nobody had ever reviewed it, and what is drawn is looked at."
)
_WHICH = (
    "Elusion is the responsive share of what was never reviewed. Richness is the responsive share of the whole "
    "collection. Recall is the share of all responsive documents that Bob has after the validation.",
    "These three are estimates: a point, and an interval around it. They need no trust in Alice, but each stands for "
    "itself and may miss the truth as often as its confidence allows.",
    "The certificate is something else: one number on the safe side, which holds for all validations of the matter "
    "together. Only the certificate decides whether the target is reached.",
)


def validations(verdict: Verdict) -> Markup:
    """The section of all validations."""
    found = passes.validations(verdict)
    parts: list[str] = [element("h2", "Validations of the whole collection")]
    if not found:
        parts.append(paragraph(_none(verdict)))
        return element("section", *parts, id="validations", class_="flows")
    if verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        parts.append(paragraph(element("strong", "No result, since the record is not verified.")))
        return element("section", *parts, id="validations", class_="flows")
    parts += [paragraph(_ABOUT), bullets(_WHICH)]
    for each in found[:MOST]:
        parts += _one(each)
    if len(found) > MOST:
        parts.append(paragraph(f"These are the first {MOST}; {more(len(found) - MOST)}."))
    return element("section", *parts, id="validations", class_="flows")


def _none(verdict: Verdict) -> str:
    terms = verdict.opened.terms if verdict.opened else None
    if terms is None or terms.validation is None:
        return "The terms of this matter ask for no validation."
    if verdict.claims is not None and verdict.claims.validations:
        return "This copy does not show what the validations prove, because Alice's labels are sealed in it."
    return "No validation is closed in the part of the record that was read."


def _one(each: Validated) -> list[Markup]:
    claim = each.claim
    reached = "target reached" if claim.reached else "target NOT reached"
    head = element("h3", f"Validation {claim.number}, round {claim.round}: {reached}")
    looked = claim.never.shown + claim.withheld.shown
    unread = [paragraph(f"{looked} {were(looked)} looked at. {passes.unread_told(claim)}")] if claim.unread else []
    return [head, _strata(each), *unread, _results(each)]


def _strata(each: Validated) -> Markup:
    """A row for each part of the collection."""
    claim, made = each.claim, each.estimates
    heads = (
        "Part of the collection",
        "Documents",
        "Looked at",
        "Found responsive",
        "Estimated responsive",
        "Interval",
    )
    rows = [
        ("Found before it", str(each.found), "all", str(each.found), str(each.found), "none: counted"),
        _stratum("Reviewed and withheld", claim.withheld, made.withheld if made else None),
        _stratum("Never reviewed", claim.never, made.never if made else None),
    ]
    called = (
        f"; {claim.called} of the never reviewed {were(claim.called)} called for Alice to label" if claim.called else ""
    )
    caption = f"By stratum. {passes.chance_told(each)}{called}"
    return table(caption, heads, rows, look="cards")


def _stratum(name: str, stratum: Stratum, responsive: Count | None) -> tuple[str, ...]:
    point, interval = ("none", "none")
    if responsive is not None:
        point, interval = str(responsive.point), f"{responsive.least} to {responsive.most}"
    return name, str(stratum.documents), str(stratum.shown), str(stratum.hits), point, interval


def _results(each: Validated) -> Markup:
    made = each.estimates
    shares = {
        "Elusion (estimate)": made.elusion if made else None,
        "Richness (estimate)": made.richness if made else None,
        "Recall (estimate)": made.recall if made else None,
    }
    facts = [(name, _share(share, each.interval)) for name, share in shares.items() if share is not None]
    facts.append(("Certificate", element("strong", _sentence(passes.certificate(each)))))
    rows = [joined((element("dt", name), element("dd", said))) for name, said in facts]
    return element("dl", *rows, class_="facts")


def _share(share: Share, confidence: Fraction) -> str:
    return (
        f"{proven.about(share.point)}, {proven.percent(confidence)} interval from {proven.about(share.least)} to "
        f"{proven.about(share.most)}"
    )


def _sentence(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}"
