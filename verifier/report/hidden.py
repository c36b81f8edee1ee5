"""How many documents can have been hidden, how surely, on what assumptions, and how a simulation breaks them."""

from verifier import words
from verifier.checks import Check
from verifier.rules import table
from verifier.rules.terms import probability
from verifier.verdict import Outcome, Verdict
from verifier.words import count

_FAITHFUL = {"bob": "truthful", "court": "right"}  # the players of a simulation that keep the assumptions


def hidden(verdict: Verdict) -> list[str]:
    """The bound with its confidence and assumptions, if the copy shows what it rests on."""
    claims = verdict.claims
    if claims is None:
        return []
    if not verdict.bound_known:
        return [
            "This copy does not show how many responsive documents can have been hidden, because Alice's labels are "
            "sealed in it. Bob's, Alice's or the court's copy shows it.",
            f"{_guarantee(verdict)} This holds only if the rule was followed, which this copy does not show.",
        ]
    return [
        _bound(verdict),
        f"That rests on these assumptions: {claims.hidden.assumes} Alice could not know the coins when she reported, "
        "since the court disclosed none of the secrets that it holds.",
        *broken_assumptions(verdict),
        _guarantee(verdict),
    ]


def confidence(verdict: Verdict) -> str:
    """The confidence of the bound, as per cent."""
    doubt = probability("doubt", verdict.claims.hidden.doubt) if verdict.claims else 0
    return f"{float(1 - doubt):.4%}".replace(".0000", "").replace("%", " %")


def _bound(verdict: Verdict) -> str:
    claims = verdict.claims
    if claims is None:
        return ""
    doubt = probability("doubt", claims.hidden.doubt)
    whole, unread = claims.found + claims.hidden.at_most, unread_rounds(verdict)
    were = "were found" if unread else "were shown to Bob"
    share = f" So at least {claims.found / whole:.1%} of {words.concerned(claims)} {were}." if whole else ""
    apart = " or lay among what he left unread" if unread else ""
    apart += ", what the court withheld as privileged apart" if claims.withheld else ""
    return (
        f"With a confidence of {confidence(verdict)}, at most {count(claims.hidden.at_most, 'responsive document')} "
        f"among the {claims.reviewed} reviewed {'was' if claims.hidden.at_most == 1 else 'were'} not shown to Bob"
        f"{apart}, whatever Alice reported.{share} The confidence is about the coins: whatever Alice does, they make "
        f"such a sentence wrong with a probability of at most {float(doubt):.4g}."
    )


def _guarantee(verdict: Verdict) -> str:
    terms = verdict.opened.terms if verdict.opened else None
    numbers = table.of(terms).words.numbers(terms) if terms else ""
    here = f" Here {numbers}." if numbers else ""
    return f"The guarantee of the method, proven for each round by itself: {words.guarantee(verdict)}{here}"


def unread_rounds(verdict: Verdict) -> list[int]:
    """The closed rounds in which Bob left something unread."""
    return [each.number for each in verdict.rounds if each.unread]


def broken_assumptions(verdict: Verdict) -> list[str]:
    """For a simulation whose players break the assumptions: that the bound may not hold, and what is true."""
    simulation = verdict.opened.simulation if verdict.opened else None
    if simulation is None:
        return []
    players = {"bob": simulation.bob, "court": simulation.court}
    broken = [role for role, played in players.items() if played != _FAITHFUL[role]]
    if not broken:
        return []
    told = {
        "bob": f"Bob is played as “{simulation.bob}”, so he does not recognise every responsive document",
        "court": f"the court is played as “{simulation.court}”, so it does not always rule correctly",
    }
    said = words.listing([told[role] for role in broken])
    return [
        f"In this simulation these assumptions are broken on purpose: {said}. The number above need not hold here, and "
        f"neither need the guarantee.{_in_truth(verdict)}"
    ]


def _in_truth(verdict: Verdict) -> str:
    """What the simulation knows to be true."""
    truths = [each.truth for each in verdict.rounds if each.truth is not None]
    if not truths or len(truths) != len(verdict.rounds):
        return ""
    kept = sum(each.responsive - each.revealed for each in truths)
    checked = verdict.result(Check.TRUTH).outcome is Outcome.PASS
    by = "checked against the corpus" if checked else "according to Trent; not checked with this copy"
    return f" By the labels that it was given, {kept} of the reviewed are responsive and were not shown to Bob ({by})."
