"""In plain words: what was done, what may be concluded and how surely, and what may not."""

from verifier.report.caption import request_in_full
from verifier.report.conclusions import concluded, not_concluded
from verifier.report.markup import Markup, bullets, element, joined, paragraph, stranger
from verifier.rules import table
from verifier.verdict import Verdict
from verifier.words import count


def story(verdict: Verdict) -> Markup:
    """The section in plain words."""
    return element(
        "section",
        element("h2", "In plain words"),
        *_done(verdict),
        element("h3", "What may be concluded"),
        bullets(concluded(verdict)),
        element("h3", "What may not be concluded"),
        bullets(not_concluded(verdict)),
        id="words",
        class_="flows",
    )


def _done(verdict: Verdict) -> list[Markup]:
    parts = [element("h3", "What was done")]
    opening = verdict.opening
    if opening is None:
        return [*parts, paragraph("What the record is about could not be read.")]
    agreed, reviewed = opening.terms, sum(each.size for each in verdict.rounds)
    parts.append(
        paragraph(
            f"Alice holds {count(opening.corpus.documents, 'document')}, some of which she must hand to Bob: the "
            "responsive ones. A neutral, Trent, committed to all of them at the start, chose which were to be "
            "reviewed, and kept the record. Each party signed what it said. The court ruled where Alice and Bob "
            "disagreed and where Alice claimed privilege, and held in deposit the secrets from which the coins are "
            "made."
        )
    )
    parts.append(request_in_full(verdict))
    query = (
        joined(("The first batch was looked for with the words “", stranger(agreed.query, 300), "”. "))
        if agreed.query
        else ""
    )
    parts.append(
        paragraph(
            f"The review goes in rounds. The parties agreed on up to {count(agreed.rounds, 'round')} of up to "
            f"{count(agreed.batch, 'document')} each{_amended(verdict)}. ",
            query,
            "Until there are both responsive and other labels to learn from, a batch is drawn by coin; from then on a "
            "program that learns from the labels so far puts the likeliest documents first. "
            f"{count(len(verdict.rounds), 'round')} {'is' if len(verdict.rounds) == 1 else 'are'} closed in this "
            f"record, in which {count(reviewed, 'document')} of {opening.corpus.documents} stood for review.",
        )
    )
    parts.append(paragraph(table.of(agreed).words.story))
    parts.append(
        paragraph(
            "The program that made this report is not the one that ran the review, and shares no code with it. It did "
            "not take Trent's word: it read every entry, checked the signatures, and counted and decided again "
            "whatever this copy shows. Numbers on this page are its own unless they say otherwise."
        )
    )
    return parts


def _amended(verdict: Verdict) -> str:
    """Another number of rounds, if all agreed on one."""
    agreed = verdict.opening.terms.rounds if verdict.opening else 0
    if verdict.rounds_agreed in (0, agreed):
        return ""
    return f", and later, with the signatures of all, on {count(verdict.rounds_agreed, 'round')}"
