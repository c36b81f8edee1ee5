"""A few numbers for who reads nothing else."""

from verifier.report.hidden import broken_assumptions, confidence, unread_rounds
from verifier.report.markup import Markup, element, joined, text
from verifier.report.silence import possibly_hidden
from verifier.verdict import Answer, Verdict
from verifier.words import count


def key_facts(verdict: Verdict) -> Markup:
    """The numbers; none where nothing is concluded."""
    claims = verdict.claims
    if claims is None or not verdict.rounds or verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return text("")
    documents = verdict.opening.corpus.documents if verdict.opening else 0
    facts = {
        "Reviewed": f"{claims.reviewed} of {count(documents, 'document')}, in {count(len(verdict.rounds), 'round')}",
        "Shown to Bob": f"{claims.revealed}: {claims.found} responsive, {claims.nrd} not responsive",
        "Disputes": f"{claims.disputes}, of which {claims.alice_errors} decided against Alice's report"
        if claims.disputes
        else "none",
        "Privilege": f"{count(claims.withheld, 'document')} withheld" if claims.withheld else "nothing withheld",
    }
    if claims.defaults:
        facts["Silence"] = f"{count(claims.defaults, 'order')} of the court to go on without an answer"
    unread = sum(each.unread for each in verdict.rounds)
    if unread:
        facts["Left unread by Bob"] = _unread(verdict, unread)
    if verdict.bound_known:
        but = "; what that assumes is broken here, see below" if broken_assumptions(verdict) else ""
        facts["Hidden among the reviewed"] = (
            f"at most {claims.hidden.at_most}, with a confidence of {confidence(verdict)}{but}"
        )
    return element(
        "dl", *(joined((element("dt", name), element("dd", value))) for name, value in facts.items()), class_="facts"
    )


def _unread(verdict: Verdict, unread: int) -> str:
    where = f"{count(unread, 'document')}, in {len(unread_rounds(verdict))} of {count(len(verdict.rounds), 'round')}"
    possibly = possibly_hidden(verdict)
    if possibly is None:
        return f"{where}, whose coins prove nothing"
    return f"{where}; {count(possibly, 'document')} {'is' if possibly == 1 else 'are'} counted as possibly hidden there"
