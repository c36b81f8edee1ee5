"""What is proven about recall: the block beside the verdict, and the same with its confidence and assumptions.

A verified record can prove nothing about recall. So the block stands on the first screen, looks different from the
verdict, and says in words and by its symbol, not by its colour alone, whether a target was reached.
"""

from fractions import Fraction

from verifier import proven, words
from verifier.checks import Check
from verifier.plural import be, were
from verifier.proven import Certified, Proof
from verifier.report.markup import Markup, element, paragraph, text
from verifier.rules import table
from verifier.verdict import Outcome, Verdict

_SYMBOLS = {
    Proof.REACHED: ("a tick", '<path d="M10 33l14 15 30-34"/>'),
    Proof.PROVEN: ("an arrow that ends at a line", '<path d="M12 12v40M22 32h32M44 22l10 10-10 10"/>'),
    Proof.SHORT: ("an exclamation mark in a triangle", '<path d="M32 5l28 53h-56zM32 24v16M32 47v4"/>'),
    Proof.NOTHING: ("an empty circle, crossed out", '<circle cx="32" cy="32" r="25"/><path d="M14 50l36-36"/>'),
    Proof.SEALED: ("a closed lock", '<path d="M12 29h40v29h-40zM20 29v-10a12 12 0 0 1 24 0v10"/>'),
}
_WORDS = {
    Proof.PROVEN: "proven, without a target",
    Proof.NOTHING: "nothing proven",
    Proof.SEALED: "not shown in this copy",
}
_LOOKS = {Proof.REACHED: "reached", Proof.PROVEN: "neutral", Proof.SEALED: "neutral"}
_FROM_WORST = (Proof.NOTHING, Proof.SHORT, Proof.SEALED, Proof.PROVEN, Proof.REACHED)


def block(verdict: Verdict) -> Markup:
    """The block beside the verdict; nothing if the record supports no conclusion."""
    both = proven.certified(verdict)
    if both is None:
        return text("")
    worst = min((each.proof for each in both), key=_FROM_WORST.index)
    parts = [element("h2", "What is proven about recall"), *map(_certified, both)]
    if proven.broken_assumptions(verdict):
        said = "In this simulation the assumptions are broken on purpose: no certificate need hold."
        parts.append(paragraph(element("strong", said)))
    return element("div", *parts, class_=f"proven {_LOOKS.get(worst, 'short')}")


def _certified(each: Certified) -> Markup:
    what, shape = _SYMBOLS[each.proof]
    symbol = element(
        "svg",
        element("title", what),
        Markup(shape),
        viewBox="0 0 64 64",
        role="img",
        fill="none",
        stroke="#111",
        stroke_width=7,
    )
    aimed = each.aimed.removesuffix(".").replace("The target of", "target of").replace(" is ", " ")
    head = element("h3", f"{each.name}: ", element("span", _WORDS.get(each.proof, aimed)))
    return element("div", symbol, element("div", head, paragraph(each.has)), class_="certificate")


def concluded(verdict: Verdict) -> list[str]:
    """Both certificates with their confidence and assumptions, if the copy shows what they rest on."""
    if verdict.claims is None:
        return []
    if not verdict.bound_known:
        return [
            "This copy does not show how many responsive documents can have been hidden, because Alice's labels are "
            "sealed in it. Bob's, Alice's or the court's copy shows it.",
            *_unchecked(verdict),
            f"{_guarantee(verdict)} This holds only if the rule was followed, which this copy does not show.",
        ]
    broken = proven.broken_assumptions(verdict)
    said = proven.certificates(verdict)
    said.append(_what_confidence_means(verdict))
    if broken:
        said.append(f"{broken}{_in_truth(verdict)}")
    return [*said, _guarantee(verdict)]


def _unchecked(verdict: Verdict) -> list[str]:
    """What Trent claims and this copy cannot check, a sentence for each certificate."""
    both = proven.certified(verdict) or ()
    return [f"{each.name}: {each.unchecked.said}" for each in both if each.unchecked]


def confidence(verdict: Verdict) -> str:
    """The confidence of a certificate, as per cent."""
    return proven.percent(1 - _doubt(verdict))


def _doubt(verdict: Verdict) -> Fraction:
    return proven.doubt_of(verdict.claims.certificates.reviewed) if verdict.claims else Fraction(0)


def _what_confidence_means(verdict: Verdict) -> str:
    doubt, claims = float(_doubt(verdict)), verdict.claims
    said = (
        "The confidence is about the coins: whatever Alice does, they make a certificate wrong with a probability of "
        f"at most {doubt:.4g}."
    )
    if claims is None or claims.certificates.collection.at_most is None:
        return said
    if all(each.at_most is None for each in claims.validations):
        return f"{said} Nothing was left to review, so both certificates are one, by the same coins."
    return (
        f"{said} Each of the two has its own doubt of {doubt:.4g}, so quote them separately: at least one is wrong "
        f"with a probability of at most {2 * doubt:.4g}."
    )


def _guarantee(verdict: Verdict) -> str:
    terms = verdict.opened.terms if verdict.opened else None
    numbers = table.of(terms).words.numbers(terms) if terms else ""
    here = f" Here {numbers}." if numbers else ""
    about = "" if proven.has_books(verdict) else ", proven for each round by itself"
    return f"The guarantee of the method{about}: {words.guarantee(verdict)}{here}"


def unread_rounds(verdict: Verdict) -> list[int]:
    """The closed rounds in which Bob left something unread."""
    return [each.number for each in verdict.rounds if each.unread]


def _in_truth(verdict: Verdict) -> str:
    """What the simulation knows to be true of the batches."""
    batches = [each for each in verdict.rounds if each.sort == "batch"]
    truths = [each.truth for each in verdict.rounds if each.truth is not None]
    in_batches = [each.truth.responsive for each in batches if each.truth is not None]
    if not batches or len(truths) != len(verdict.rounds) or len(in_batches) != len(verdict.rounds):
        return ""  # a later round may show again what stands in a batch
    kept = sum(in_batches) - sum(each.revealed for each in truths)
    checked = verdict.result(Check.TRUTH).outcome is Outcome.PASS
    by = "checked against the corpus" if checked else "according to Trent; not checked with this copy"
    said = f"{kept} of the reviewed {be(kept)} responsive and {were(kept)} not shown to Bob"
    return f" By the labels that it was given, {said} ({by})."
