"""In plain words: what was done, what may be concluded and how surely, and what may not."""

from verifier import phrases
from verifier.checks import Check
from verifier.phrases import count
from verifier.report.markup import Markup, bullets, element, joined, paragraph, stranger, text
from verifier.rules.terms import Protocol, probability
from verifier.verdict import Answer, Identity, Outcome, Verdict

_RULES = {
    Protocol.REVEAL_ALL: (
        "The rule was to reveal all: Bob sees every document of every batch. Nothing that was reviewed can be hidden "
        "from him, and he sees the most that is not his concern."
    ),
    Protocol.LABEL: (
        "The rule was the label report. Alice says of every document in the batch whether it is responsive, before "
        "anybody knows the coins. Bob sees all that she reports as responsive, all down to the cut-off that fits her "
        "labels best, and others drawn by coin, with a chance that falls with every position below the cut-off. If a "
        "drawn document that she reported as not responsive turns out to be responsive, he gets the whole batch."
    ),
    Protocol.CLASSIFIER: (
        "The rule was the classifier report. Alice names a cut-off and labels what is above it, before anybody knows "
        "the coins. Bob sees all above it, and below it documents drawn by coin, with a chance that falls from one "
        "position to the next and rises again after each responsive one that is found. If, going down, the drawn ones "
        "found responsive ever outnumber all others passed, he gets the whole batch."
    ),
}


def story(verdict: Verdict) -> Markup:
    """The section in plain words."""
    return element(
        "section",
        element("h2", "In plain words"),
        *_done(verdict),
        element("h3", "What may be concluded"),
        bullets(_concluded(verdict)),
        element("h3", "What may not be concluded"),
        bullets(_not_concluded(verdict)),
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
            "disagreed, and held in deposit the secrets from which the coins are made."
        )
    )
    query = (
        joined(("The first batch was looked for with the words “", stranger(agreed.query, 300), "”. "))
        if agreed.query
        else ""
    )
    parts.append(
        paragraph(
            f"The review goes in rounds. The parties agreed on up to {count(agreed.rounds, 'round')} of up to "
            f"{count(agreed.batch, 'document')} each. ",
            query,
            "Until there are both responsive and other labels to learn from, a batch is drawn by coin; from then on a "
            "program that learns from the labels so far puts the likeliest documents first. "
            f"{count(len(verdict.rounds), 'round')} {'is' if len(verdict.rounds) == 1 else 'are'} closed in this "
            f"record, in which {count(reviewed, 'document')} of {opening.corpus.documents} stood for review.",
        )
    )
    parts.append(paragraph(_RULES[agreed.protocol]))
    parts.append(
        paragraph(
            "The program that made this report is not the one that ran the review, and shares no code with it. It did "
            "not take Trent's word: it read every entry, checked the signatures, and counted and decided again "
            "whatever this copy shows. Numbers on this page are its own unless they say otherwise."
        )
    )
    return parts


def _concluded(verdict: Verdict) -> list[str]:
    match verdict.answer:
        case Answer.REJECTED:
            return _of_a_rejected(verdict)
        case Answer.UNDECIDED:
            return ["Nothing, for or against anybody: the verification could not be brought to its end."]
    if verdict.opening is None:
        return ["Nothing yet: the matter has not been opened."]
    said = [_whole(verdict), _shown(verdict)]
    claims = verdict.claims
    if claims is not None and verdict.rounds:
        known = verdict.result(Check.ANSWERS).outcome is Outcome.PASS
        said.append(
            f"The court ruled on {count(claims.disputes, 'document')} on which Alice and Bob disagreed; "
            f"{claims.alice_errors} of these rulings agree with Bob, and show an error of Alice's report"
            + ("." if known else ", if Trent asked the court about disputes only: this copy does not show her labels.")
            if claims.disputes
            else "Alice and Bob disagreed on nothing that Bob was shown, so the court had nothing to rule on."
        )
        said += _hidden(verdict)
    return said


def _of_a_rejected(verdict: Verdict) -> list[str]:
    if not any(each.party for each in verdict.findings):
        return [
            "This copy does not fit what was given beside it (fingerprints, files or a corpus). The record itself "
            "breaks no rule that this copy shows. Nobody is blamed.",
            "Until the difference is explained, nothing may be concluded from it about these people or files.",
        ]
    if phrases.is_simulation(verdict):
        return ["Nothing about anybody: it is a simulation, made to show what a rejected record looks like."]
    return [
        "That whoever holds the key named above signed what the rule forbids. A signature cannot be made without the "
        "key, so this can be shown to anyone, who can repeat the check with the same file.",
        "Nothing else: no number of this record is a result. Counts here are of what was read before the fault.",
    ]


def _whole(verdict: Verdict) -> str:
    if verdict.answer is Answer.VERIFIED:
        return (
            "The record is whole: nothing was changed, added or left out since Alice, Bob and the court signed its end "
            "with the keys below."
        )
    return (
        "As far as it goes, nothing in the record was changed, added or left out since its entries were signed. It is "
        "not at its end, or not all have signed its end, so all that follows is so far."
    )


def _shown(verdict: Verdict) -> str:
    claims = verdict.claims
    if claims is None or not verdict.rounds:
        return "No round is closed yet, so there are no numbers."
    numbers = (
        f"Of {count(claims.reviewed, 'document')} reviewed, Bob was shown {claims.revealed}: {claims.found} "
        f"responsive, and {claims.nrd} not responsive (the non-responsive disclosure)."
    )
    if verdict.result(Check.DISCLOSURES).outcome is Outcome.PASS:
        return (
            f"{numbers} It is just what the agreed rule and the coins say, document by document, no more and no less."
        )
    return f"{numbers} Whether it is just what the rule says, this copy does not show in full."


def _hidden(verdict: Verdict) -> list[str]:
    """The bound with its confidence and assumptions, where the copy shows what it rests on."""
    claims = verdict.claims
    if claims is None:
        return []
    terms = verdict.opening.terms if verdict.opening else None
    where = ""
    if terms is not None and terms.protocol is not Protocol.REVEAL_ALL:
        where = f" Here delta is {terms.delta}{f' and k is {terms.k}' if terms.protocol is Protocol.LABEL else ''}."
    guarantee = f"The guarantee of the method, proven for each round by itself: {claims.guarantee}{where}"
    if not verdict.bound_known:
        return [
            "How many responsive documents can have been hidden, this copy does not show: Alice's labels are sealed in "
            "it. Bob's, Alice's or the court's copy can tell.",
            f"{guarantee} That the rule was followed, on which this rests, this copy does not show.",
        ]
    doubt = probability("doubt", claims.hidden.doubt)
    whole = claims.found + claims.hidden.at_most
    share = (
        f" So at least {claims.found / whole:.1%} of the responsive ones reviewed were shown to Bob." if whole else ""
    )
    return [
        f"With a confidence of {float(1 - doubt):.4%}".replace(".0000", "").replace("%", " %")
        + f", at most {claims.hidden.at_most} responsive documents among the {claims.reviewed} reviewed were not shown "
        f"to Bob, whatever Alice reported.{share} The confidence is about the coins: whatever Alice does, they "
        f"make such a sentence wrong with a probability of at most {float(doubt):.4g}.",
        f"That rests on these assumptions: {claims.hidden.assumes} Alice could not know the coins when she reported, "
        "since the court gave away none of the secrets it holds.",
        guarantee,
    ]


def _not_concluded(verdict: Verdict) -> list[str]:
    said = []
    if phrases.is_simulation(verdict):
        said.append("Anything about real people or documents: this is a simulation, and anyone can derive its keys.")
    if verdict.answer is Answer.REJECTED:
        said.append("That there is only this fault: the replay ends at the first entry that breaks a rule. Nor why it "
                    "was done: a signature shows what was signed, not what was meant.")  # fmt: skip
    if verdict.answer is Answer.UNDECIDED:
        said.append("That anybody did something wrong; nor that nobody did.")
    if verdict.keys and any(each is not Identity.CONFIRMED for each in verdict.identities.values()):
        said.append(
            "Who the people are: a record names its own keys. Compare the fingerprints below with those that each "
            "party gave you (--trust)."
        )
    if not phrases.ended_early(verdict) and verdict.result(Check.RANKING).outcome is not Outcome.PASS:
        said.append(
            "That the right documents were put up for review: how they were ranked was not checked in full, and rests "
            "on Trent's word. The court's copy with the sealed corpus can show it."
        )
    said += _unreviewed(verdict)
    said.append("That Alice meant to mislead, where she erred: an error and a lie look alike in a record.")
    said.append(phrases.OUTSIDE_EVERY_RECORD)
    return said


def _unreviewed(verdict: Verdict) -> list[str]:
    if verdict.opening is None:
        return []
    left = verdict.opening.corpus.documents - sum(each.size for each in verdict.rounds)
    return [f"Anything about the {count(left, 'document')} not reviewed."] if left > 0 else []


def key_facts(verdict: Verdict) -> Markup:
    """A few numbers, for who reads nothing else; none where nothing is concluded."""
    claims = verdict.claims
    if claims is None or not verdict.rounds or verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return text("")
    facts = {
        "Reviewed": f"{claims.reviewed} of {verdict.opening.corpus.documents if verdict.opening else 0} documents, in "
        f"{count(len(verdict.rounds), 'round')}",
        "Shown to Bob": f"{claims.revealed}: {claims.found} responsive, {claims.nrd} not responsive",
        "Disputes": f"{claims.disputes}, of which {claims.alice_errors} decided against Alice's report"
        if claims.disputes
        else "none",
    }
    if verdict.bound_known:
        confidence = float(1 - probability("doubt", claims.hidden.doubt))
        facts["Hidden among the reviewed"] = f"at most {claims.hidden.at_most}, with confidence {confidence:.4g}"
    return element(
        "dl", *(joined((element("dt", name), element("dd", value))) for name, value in facts.items()), class_="facts"
    )
