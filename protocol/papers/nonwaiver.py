"""The order on non-waiver under Fed. R. Evid. 502(d), made to fit this kind of review."""

from protocol.papers import caption
from protocol.papers.ground import ALICE, BOB, TRENT, Ground
from protocol.papers.paper import Items, Paper, Section


def nonwaiver(ground: Ground) -> Paper:
    """The draft."""
    return Paper(
        name="502d-order",
        title="[PROPOSED] ORDER UNDER FED. R. EVID. 502(d)",
        front=caption.front(ground),
        sections=(
            _no_waiver(),
            _what_counts(),
            _procedure(),
            _limits(),
            caption.signatures(ground, ordered=True),
        ),
    )


def _no_waiver() -> Section:
    return Section(
        heading="No waiver",
        pieces=(
            "Under Fed. R. Evid. 502(d), the attorney-client privilege and work-product protection are not waived by a "
            "disclosure connected with the litigation pending before this Court. Such a disclosure is also not a "
            "waiver in any other federal or state proceeding.",
            "This holds whether the disclosure was inadvertent or not, and whatever care was taken to prevent it. This "
            "Order shall be read to give the greatest protection that Fed. R. Evid. 502(d) allows, and Fed. R. Evid. "
            "502(b) does not apply to such disclosures.",
            "The parties' agreement alone would bind only them (Fed. R. Evid. 502(e)). Therefore it is made an order "
            "of the Court.",
        ),
    )


def _what_counts() -> Section:
    return Section(
        heading="Disclosures in the review",
        pieces=(
            "Disclosures connected with this litigation include, in the review under the stipulated order:",
            Items(
                (
                    f"handing documents to {TRENT}, who holds them for the review;",
                    f"showing documents to {BOB}, whether they were reported as responsive, drawn by coin, given up in "
                    "a second look, drawn in a validation, or shown because the rule makes a whole batch due;",
                    "showing documents to the Court in camera;",
                    "the bases of claims, the entries of the privilege log, and everything else in the record;",
                    "the production.",
                )
            ),
        ),
    )


def _procedure() -> Section:
    return Section(
        heading="Claw-back",
        pieces=(
            f"If {ALICE} finds that {BOB} was shown privileged or protected material, it gives notice of the claim and "
            f"its basis (Fed. R. Civ. P. 26(b)(5)(B)), and asks {TRENT} for a claw-back on the record.",
            f"After notice, {BOB} must promptly return, sequester or destroy the material and any copies; must not use "
            "or disclose it until the claim is resolved; must take reasonable steps to retrieve it if it was disclosed "
            f"before the notice; and may promptly present it to the Court under seal for a determination of the claim. "
            f"{ALICE[0].upper()}{ALICE[1:]} must preserve it until the claim is resolved.",
            "The Court reads the document in camera and upholds or overrules the claim, on the record. If it is "
            "upheld, the document is not produced and stands in the privilege log. The claim shall not be contested on "
            "the ground that the document was disclosed in this litigation.",
            "A document that is clawed back still counts as shown in the review. The certificates and the labels that "
            "rest on it stay as they are, since what the coins have shown cannot be undone. That a document was "
            "returned or destroyed is not something the record can show. [Counsel: a declaration that it was.]",
            f"[Counsel: {BOB} shall stop reading and tell {ALICE} if it receives what is privileged on its face. See "
            "also the rules of professional conduct.]",
        ),
    )


def _limits() -> Section:
    return Section(
        heading="What this Order leaves open",
        pieces=(
            "Nothing in this Order limits the right of a party to review documents for responsiveness and privilege "
            "before it discloses them.",
            "This Order does not decide whether a document is privileged, and it does not let a party use its own "
            "privileged material as evidence while withholding the rest of it.",
            "Fed. R. Evid. 502 speaks of the attorney-client privilege and of work-product protection (Fed. R. Evid. "
            "502(g)). [Counsel: other privileges and protections, if the parties want an agreement on them.]",
        ),
    )
