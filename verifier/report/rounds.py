"""Round by round: what was found and what was disclosed, against revealing all."""

from itertools import accumulate

from verifier import words
from verifier.checks import Check
from verifier.report.charts import Series, chart
from verifier.report.hidden import confidence
from verifier.report.markup import Markup, element, paragraph, table
from verifier.verdict import Answer, Outcome, Verdict


def by_round(verdict: Verdict) -> Markup:
    """The section with the charts by round."""
    parts: list[str] = [element("h2", "Round by round, against revealing all")]
    if not verdict.rounds:
        parts.append(paragraph("No closed round was read, so there is nothing to draw."))
        return element("section", *parts, id="rounds")
    if verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        parts.append(
            paragraph(
                element("strong", "No result, since the record is not verified"),
                ": these are counts from before the reading or the replay ended.",
            )
        )
    parts.append(
        paragraph(
            "Numbers add up from round to round. “Revealing all” is what Bob would have seen if every document of the "
            "same batches had been shown to him: all that was reviewed, less what was found. If documents were hidden, "
            "a few of these would be responsive, at most as many as the bound says."
        )
    )
    parts.append(element("div", _found(verdict), _disclosed(verdict), _recall(verdict), class_="two"))
    parts.append(_numbers(verdict))
    return element("section", *parts, id="rounds")


def _found(verdict: Verdict) -> Markup:
    found = _sums([each.found for each in verdict.rounds])
    told = f"Up to round {len(verdict.rounds)}, {found[-1]} responsive documents were shown to Bob."
    lines = [Series(name="responsive documents shown to Bob", values=found, look=0)]
    return _figure("Documents found", told, chart("Documents found by round", told, lines, _whole))


def _disclosed(verdict: Verdict) -> Markup:
    nrd = _sums([each.revealed - each.found for each in verdict.rounds])
    everything = _sums([each.size - each.found for each in verdict.rounds])
    told = f"{nrd[-1]} documents that are not responsive were shown; revealing all would have shown {everything[-1]}."
    lines = [
        Series(name="revealing all", values=everything, look=2),
        Series(name="shown in this matter", values=nrd, look=1),
    ]
    name = "Non-responsive disclosure"
    return _figure(name, told, chart(f"{name} by round", told, lines, _whole))


def _recall(verdict: Verdict) -> Markup:
    """Only a simulation knows the truth."""
    shares = _recalls(verdict)
    if shares is None:
        told = "In a real matter nobody knows how many responsive documents there are in all, so recall is not drawn."
        return element("figure", element("figcaption", element("strong", "Recall"), f" — {told}{_at_least(verdict)}"))
    shown, reviewed = shares
    checked = verdict.result(Check.TRUTH).outcome is Outcome.PASS
    word = "checked against the corpus" if checked else "according to Trent; not checked with this copy"
    told = (
        f"Of all responsive documents of the simulated corpus, {shown[-1]:.1%} were shown to Bob; revealing all would "
        f"have shown {reviewed[-1]:.1%} ({word})."
    )
    lines = [
        Series(name="revealing all", values=reviewed, look=2),
        Series(name="shown in this matter", values=shown, look=0),
    ]
    return _figure("Recall", told, chart("Recall by round", told, lines, lambda share: f"{share:.0%}", 1))


def _at_least(verdict: Verdict) -> str:
    """What the coins show about recall, if they show anything."""
    claims, stands = verdict.claims, verdict.answer in (Answer.VERIFIED, Answer.NOT_CLOSED)
    if claims is None or not verdict.bound_known or not stands or not claims.found:
        return ""
    share = claims.found / (claims.found + claims.hidden.at_most)
    return (
        f" Among {words.concerned(claims)}, the coins show a recall of at least {share:.1%}, with a confidence of "
        f"{confidence(verdict)}; “What may be concluded” says what that assumes."
    )


def _recalls(verdict: Verdict) -> tuple[list[float], list[float]] | None:
    """By round, the shares of all responsive documents that were shown, and that were in a batch."""
    simulation = verdict.opened.simulation if verdict.opened else None
    truths = [each.truth for each in verdict.rounds if each.truth is not None]
    if simulation is None or len(truths) != len(verdict.rounds):
        return None
    of = simulation.responsive
    shown, reviewed = _sums([each.revealed for each in truths]), _sums([each.responsive for each in truths])
    return [min(each / of, 1) for each in shown], [min(each / of, 1) for each in reviewed]


def _numbers(verdict: Verdict) -> Markup:
    shares = _recalls(verdict)
    heads = ["Round", "Reviewed", "Shown", "Found", "Not responsive", "Revealing all", "Disputes", "Against Alice"]
    columns = [
        [str(each.number) for each in verdict.rounds],
        *(
            [f"{now} ({total})" for now, total in zip(values, accumulate(values), strict=True)]
            for values in (
                [each.size for each in verdict.rounds],
                [each.revealed for each in verdict.rounds],
                [each.found for each in verdict.rounds],
                [each.revealed - each.found for each in verdict.rounds],
                [each.size - each.found for each in verdict.rounds],
            )
        ),
        [str(each.disputes) for each in verdict.rounds],
        [str(each.alice_errors) for each in verdict.rounds],
    ]
    rare = {
        "Withheld": [each.withheld for each in verdict.rounds],
        "Left unread": [each.unread for each in verdict.rounds],
    }
    for head, values in rare.items():
        if any(values):
            heads.append(head)
            columns.append([str(value) for value in values])
    if shares is not None:
        heads += ["Recall so far", "Recall, revealing all"]
        columns += [[f"{share:.1%}" for share in each[1:]] for each in shares]
    caption = "The same in numbers: each round, and in brackets all rounds so far"
    return table(caption, heads, zip(*columns, strict=True), look="numbers")


def _figure(name: str, told: str, drawing: Markup) -> Markup:
    return element("figure", element("figcaption", element("strong", name), f" — {told}"), drawing)


def _sums(values: list[int]) -> list[int]:
    return [0, *accumulate(values)]


def _whole(value: float) -> str:
    return f"{value:g}"
