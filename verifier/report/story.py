"""In plain words: what was done, what may be concluded and how surely, and what may not."""

from fractions import Fraction

from verifier import proven, words
from verifier.checks import Check
from verifier.plural import be, count, were
from verifier.replay.contents import Claims
from verifier.replay.rounds import Sort
from verifier.report.front import request_in_full
from verifier.report.markup import Markup, bullets, element, joined, paragraph, stranger
from verifier.report.orders import concluded as silence
from verifier.report.orders import not_concluded as not_of_silence
from verifier.report.privilege import concluded as privilege
from verifier.report.recall import concluded as recall
from verifier.rules import table
from verifier.rules.terms import Terms
from verifier.trust import Identity
from verifier.verdict import Answer, Outcome, Verdict


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
    opened = verdict.opened
    if opened is None:
        return [*parts, paragraph("The part of the record that says what it is about could not be read.")]
    agreed, reviewed = opened.terms, verdict.claims.reviewed if verdict.claims else 0
    parts.append(
        paragraph(
            f"Of {count(opened.corpus.documents, 'document')}, Alice must hand the responsive ones to Bob. A neutral, "
            "Trent, holds all of them, committed to them at the start, chose which were to be reviewed, and kept the "
            "record. Each party signed what it said. The court ruled where Alice and Bob "
            "disagreed and where Alice claimed privilege, and held in deposit the secrets from which the coins are "
            "made."
        )
    )
    parts.append(request_in_full(verdict))
    query = (
        joined(("The first batch was found by searching for the words “", stranger(agreed.query, 300), "”. "))
        if agreed.query
        else ""
    )
    parts.append(
        paragraph(
            f"The review is held in rounds. The parties agreed on up to {count(agreed.rounds, 'round')} of up to "
            f"{count(agreed.batch, 'document')} each{_amended(verdict)}. ",
            query,
            "Until there are both responsive and other labels to learn from, a batch is drawn by coin; from then on a "
            "program that learns from the labels so far puts the likeliest documents first. "
            f"There {be(len(verdict.rounds))} {words.rounds(verdict)} in this record; "
            f"{count(reviewed, 'document')} of {opened.corpus.documents} {were(reviewed)} reviewed in "
            f"{'it' if len(verdict.rounds) == 1 else 'them'}.",
        )
    )
    parts.append(paragraph(table.of(agreed).words.story))
    parts += [paragraph(each) for each in (_validated(agreed), _classes(agreed), _witnesses(agreed)) if each]
    parts.append(
        paragraph(
            "The program that made this report is not the one that ran the review, and shares no code with it. It did "
            "not take Trent's word: it read every entry, checked the signatures, and recounted and decided again "
            "whatever this copy shows. Unless stated otherwise, the numbers on this page are its own."
        )
    )
    return parts


def _validated(agreed: Terms) -> str:
    """What the terms say about the whole collection."""
    terms = agreed.validation
    if terms is None:
        return (
            "The terms ask for no validation of the whole collection, so nothing can be proven about documents that "
            "nobody reviewed."
        )
    share, target = (proven.percent(Fraction(each)) for each in (terms.show, terms.target))
    looks = "the court in camera, and Bob gets what is responsive" if terms.viewer == "court" else "Bob"
    if terms.review is not None:
        drawn = (
            f"of the documents never reviewed, coins call {proven.percent(Fraction(terms.review))}; Alice labels them, "
            f"and Bob sees what she labels as responsive and, by fresh coins, {share} of the rest. What she withheld "
            "before is drawn with the same chance in all"
        )
    else:
        at_most = "at most " if terms.hits is not None else ""
        drawn = (
            f"every document that Bob has not seen is drawn with the same chance, {at_most}{share}, and shown to "
            f"{looks}"
        )
    return (
        f"The terms also ask for validations, which are about the whole collection, reviewed or not: {drawn}. The "
        f"review ends at the first validation that proves that Bob has at least {target} of all responsive documents."
    )


def _witnesses(agreed: Terms) -> str:
    """How the terms ask that the record be fixed outside."""
    asked = agreed.witnesses
    if asked is None:
        return ""
    ways = ["stamped with the time by an authority"] if asked.authorities else []
    ways += ["entered into a public log"] if asked.log is not None else []
    return (
        f"The terms also ask that the record be fixed outside: before each round and before the claims it is "
        f"{words.listing(ways)}. That rests on whoever stamps it, and on whoever follows the log."
    )


def _classes(agreed: Terms) -> str:
    if agreed.classes is None:
        return ""
    return (
        f"Alice may put up to {proven.percent(Fraction(agreed.classes.share))} of the documents into sensitive "
        "classes. The coins are the same for them. But if one is drawn that she labelled as not responsive, the court "
        "reads it in camera, and Bob gets it only if it is responsive."
    )


def _amended(verdict: Verdict) -> str:
    """Another number of rounds, if all agreed on one."""
    agreed = verdict.opened.terms.rounds if verdict.opened else 0
    if verdict.rounds_agreed in (0, agreed):
        return ""
    return f", and later, with the signatures of all, on {count(verdict.rounds_agreed, 'round')}"


def concluded(verdict: Verdict) -> list[str]:
    """What the verdict shows, a sentence or two each."""
    match verdict.answer:
        case Answer.REJECTED:
            return _of_a_rejected(verdict)
        case Answer.UNDECIDED:
            return ["Nothing, for or against anybody: the verification could not be completed."]
    if verdict.opened is None:
        return ["Nothing yet: the matter has not been opened."]
    said = [_whole(verdict), _shown(verdict)]
    claims = verdict.claims
    if claims is not None and verdict.rounds:
        known = verdict.result(Check.ANSWERS).outcome is Outcome.PASS
        said.append(
            f"The court ruled on {count(claims.disputes, 'document')}{_disputed(verdict)}; "
            f"{_against_alice(claims)} in Alice's report"
            + ("." if known else ", if Trent asked the court about disputes only: this copy does not show her labels.")
            if claims.disputes
            else "Alice and Bob disagreed on nothing that Bob was shown, so the court had nothing to rule on."
        )
        said += [*privilege(verdict), *silence(verdict), *recall(verdict)]
    return said + words.seen(verdict)


def _disputed(verdict: Verdict) -> str:
    """Which documents: in a validation Bob also disagrees with what counts where Alice has given no label."""
    unlabelled = any(each.sort is Sort.VALIDATION for each in verdict.rounds)
    return ", some of which Alice may not have labelled" if unlabelled else " on which Alice and Bob disagreed"


def _against_alice(claims: Claims) -> str:
    """How many rulings show an error."""
    if claims.disputes == 1:
        return (
            "this ruling agrees with Bob, and shows an error" if claims.alice_errors else "this ruling shows no error"
        )
    verbs = "agrees with Bob, and shows" if claims.alice_errors == 1 else "agree with Bob, and show"
    return f"{claims.alice_errors} of these rulings {verbs} an error"


def _of_a_rejected(verdict: Verdict) -> list[str]:
    if not any(each.party for each in verdict.findings):
        return [
            "This copy does not fit what was given with it (fingerprints, files or a corpus). The record itself "
            "breaks no rule that this copy shows. Nobody is blamed.",
            "Until the difference is explained, nothing may be concluded from it about these people or files.",
        ]
    if words.is_simulation(verdict):
        return ["Nothing about anybody: it is a simulation, made to show what a rejected record looks like."]
    return [
        "That the holder of the key named above signed what the rule forbids. Nobody can make a signature without the "
        "key, so this can be proven to anyone: they can repeat the check with the same file.",
        "Nothing else: no number in this record is a result. Counts here are of what was read before the fault.",
    ]


def _whole(verdict: Verdict) -> str:
    if verdict.answer is Answer.VERIFIED:
        without = words.ended_without(verdict)
        return (
            f"The record is whole: nothing was changed, added or left out since {words.signers(verdict)} signed its "
            f"end with the keys below{f', {without}' if without else ''}."
        )
    return (
        "As far as it goes, nothing in the record was changed, added or left out since its entries were signed. It is "
        "not at its end, or not all have signed its end, so all that follows may still change."
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
        return f"{numbers} He was shown exactly what the agreed rule and the coins say, document by document."
    return f"{numbers} This copy does not fully show whether that is exactly what the rule says."


def not_concluded(verdict: Verdict) -> list[str]:
    """What a reader might conclude, but must not."""
    said = []
    if words.is_simulation(verdict):
        said.append("Anything about real people or documents: this is a simulation, and anyone can derive its keys.")
    if verdict.answer is Answer.REJECTED:
        said.append(
            "That there is only this fault, since the replay ends at the first entry that breaks a rule; or why "
            "it was done, since a signature shows what was signed, not what was meant."
        )
    if verdict.answer is Answer.UNDECIDED:
        said.append("That somebody did something wrong, or that nobody did.")
    if verdict.keys and any(each is not Identity.CONFIRMED for each in verdict.identities.values()):
        said.append(
            "Who the people are: a record names its own keys. Compare the fingerprints below with those that each "
            "party gave you (--trust)."
        )
    if not words.ended_early(verdict) and verdict.result(Check.RANKING).outcome is not Outcome.PASS:
        said.append(
            "That the right documents were put up for review: their ranking was not fully checked, and rests on "
            "Trent's word. The court's copy with the sealed corpus can show it."
        )
    said += not_of_silence(verdict)
    said += _unreviewed(verdict)
    said.append("That Alice meant to mislead, where she erred: an error and a lie look alike in a record.")
    said.append(words.OUTSIDE_EVERY_RECORD)
    return said


def _unreviewed(verdict: Verdict) -> list[str]:
    if verdict.opened is None:
        return []
    claims = verdict.claims
    left = verdict.opened.corpus.documents - (claims.reviewed if claims else 0)
    certified = verdict.bound_known and claims is not None and claims.certificates.collection.at_most is not None
    if left <= 0 or (certified and verdict.answer in (Answer.VERIFIED, Answer.NOT_CLOSED)):
        return []
    return [f"Anything about the {count(left, 'document')} that nobody has read."]
