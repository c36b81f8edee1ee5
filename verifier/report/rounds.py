"""Round by round: what was found and what was disclosed, against revealing all."""

from itertools import accumulate

from verifier import kept, proven
from verifier.checks import Check
from verifier.plural import be, count, were
from verifier.replay.rounds import Sort
from verifier.report.charts import Series, chart
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
            "Numbers add up from round to round. “Found” is what Bob was shown and counts as responsive. “Revealing "
            "all” is what Bob would have seen if every document of the same batches had been shown to him: all of "
            "them, less what was found. If documents are hidden, a few of these are responsive, at most as many as the "
            "certificate of the reviewed says."
        )
    )
    if any(each.sort is not Sort.BATCH for each in verdict.rounds):
        parts.append(
            paragraph(
                "Escalations draw again from what earlier batches held, and validations from the whole collection: "
                "they add to what was shown and found, and put nothing into a batch."
            )
        )
    parts.append(element("div", _found(verdict), _disclosed(verdict), _recall(verdict), class_="two"))
    parts.append(_numbers(verdict))
    return element("section", *parts, id="rounds")


def _found(verdict: Verdict) -> Markup:
    found = _sums([each.found for each in verdict.rounds])
    told = f"Up to round {len(verdict.rounds)}, {count(found[-1], 'responsive document')} {were(found[-1])} found."
    lines = [Series(name="responsive documents found", values=found, look=0)]
    return _figure("Documents found", told, chart("Documents found by round", told, lines, _whole))


def _disclosed(verdict: Verdict) -> Markup:
    nrd = _sums([each.revealed - each.found for each in verdict.rounds])
    everything = _sums(_revealing_all(verdict))
    told = (
        f"{count(nrd[-1], 'document')} that {be(nrd[-1])} not responsive {were(nrd[-1])} shown; revealing all would "
        f"have shown {everything[-1]}."
    )
    if any(each.sort is Sort.VALIDATION for each in verdict.rounds):
        told += " Revealing all is counted for the batches alone; validations also show documents of no batch."
    lines = [
        Series(name="revealing all", values=everything, look=2),
        Series(name="shown in this matter", values=nrd, look=1),
    ]
    name = "Non-responsive disclosure"
    return _figure(name, told, chart(f"{name} by round", told, lines, _whole))


def _revealing_all(verdict: Verdict) -> list[int]:
    """For each round, what it adds to the non-responsive disclosure of a review that shows all of every batch."""
    validated = {each.round: each.withheld.hits for each in verdict.claims.validations} if verdict.claims else {}
    added = []
    for each in verdict.rounds:
        of_batches = validated.get(each.number, 0) if each.sort is Sort.VALIDATION else each.found
        added.append((each.size if each.sort is Sort.BATCH else 0) - of_batches)
    return added


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
        f"Of all responsive documents of the simulated corpus, {shown[-1]:.1%} were shown to Bob; showing him every "
        f"document of the batches would have shown {reviewed[-1]:.1%} ({word})."
    )
    lines = [
        Series(name="all documents of the batches", values=reviewed, look=2),
        Series(name="shown in this matter", values=shown, look=0),
    ]
    return _figure("Recall", told, chart("Recall by round", told, lines, lambda share: f"{share:.0%}", 1))


def _at_least(verdict: Verdict) -> str:
    """What the coins show about recall, if they show anything."""
    both = proven.certified(verdict)
    if both is None or not verdict.bound_known:
        return ""
    said = " ".join(f"{each.name}: {each.sentence}" for each in both)
    return f" What is proven: {said} “What may be concluded” says what that assumes."


def _recalls(verdict: Verdict) -> tuple[list[float], list[float]] | None:
    """By round, the shares of all responsive documents that were shown, and that were in a batch."""
    simulation = verdict.opened.simulation if verdict.opened else None
    truths = [each.truth for each in verdict.rounds if each.truth is not None]
    if simulation is None or len(truths) != len(verdict.rounds):
        return None
    of = simulation.responsive
    of_batches = [each.truth.responsive if each.truth and each.sort is Sort.BATCH else 0 for each in verdict.rounds]
    shown, reviewed = _sums([each.revealed for each in truths]), _sums(of_batches)
    return [min(each / of, 1) for each in shown], [min(each / of, 1) for each in reviewed]


def _numbers(verdict: Verdict) -> Markup:
    shares = _recalls(verdict)
    several = len({each.sort for each in verdict.rounds}) > 1
    heads = ["Round", "Documents", "Shown", "Found", "Not responsive", "Revealing all", "Disputes", "Against Alice"]
    every = [True] * len(verdict.rounds)
    columns = [
        [f"{each.number}, {each.sort}" if several else str(each.number) for each in verdict.rounds],
        [str(each.size) for each in verdict.rounds],
        *(
            [
                f"{now} ({total})" if of_it else f"({total})"
                for now, total, of_it in zip(values, accumulate(values), counts, strict=True)
            ]
            for values, counts in (
                ([each.revealed for each in verdict.rounds], every),
                ([each.found for each in verdict.rounds], every),
                ([each.revealed - each.found for each in verdict.rounds], every),
                (_revealing_all(verdict), [each.sort is Sort.BATCH for each in verdict.rounds]),
            )
        ),
        [str(each.disputes) for each in verdict.rounds],
        [str(each.alice_errors) for each in verdict.rounds],
    ]
    court = [kept.in_round(verdict, each) for each in verdict.rounds]
    rare = {
        "Privileged": [each.privileged for each in court],
        "In camera": [each.in_camera for each in court],
        "Privileged or in camera": [each.unknown for each in court],
        "Left unread": [each.unread for each in verdict.rounds],
    }
    for head, values in rare.items():
        if any(values):
            heads.append(head)
            columns.append([str(value) for value in values])
    if shares is not None:
        heads += ["Recall so far", "Recall, all batches"]
        columns += [[f"{share:.1%}" for share in each[1:]] for each in shares]
    caption = "The same in numbers: each round, and in brackets all rounds so far"
    if any(each.stated for each in court):
        caption += "; “Privileged” and “In camera” as Trent states them, since this copy shows only both together"
    return table(caption, heads, zip(*columns, strict=True), look="numbers")


def _figure(name: str, told: str, drawing: Markup) -> Markup:
    return element("figure", element("figcaption", element("strong", name), f" — {told}"), drawing)


def _sums(values: list[int]) -> list[int]:
    return [0, *accumulate(values)]


def _whole(value: float) -> str:
    return f"{value:g}"
