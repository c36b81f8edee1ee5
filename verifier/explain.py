"""A verdict in words that need no knowledge of the method, for a judge; and a comparison in words."""

from textwrap import fill, indent

from verifier import passes, proven, received, words
from verifier.checks import DEFINITIONS, Check
from verifier.comparison import Compared, Comparison
from verifier.findings import Finding
from verifier.naming import Telling, telling
from verifier.plural import count, counted
from verifier.rules import table
from verifier.trust import Identity
from verifier.verdict import Answer, CheckResult, Outcome, Verdict
from verifier.words import WIDTH, filled, laid_out

_ANSWERS = {Outcome.PASS: "Yes", Outcome.FAIL: "NO", Outcome.NOT_CHECKED: "Not checked"}

_WHOSE = {
    Identity.CONFIRMED: "which is the key that you trust",
    Identity.ANOTHER: "which is NOT the key that you trust, so nobody you know is blamed",
    Identity.NOT_CHECKED: "and nobody has checked whose it is (--trust)",
}


def explain(verdict: Verdict) -> str:
    """The verdict explained, check by check."""
    about = telling(verdict.opened)
    parts = [words.headline(verdict, about), proven.block(verdict, about)]
    if not words.ended_early(verdict):
        parts += [laid_out(_story(verdict), about), received.block(verdict, about)]
    parts += [filled(_finding(finding, verdict, about)) for finding in verdict.findings]
    parts.append(words.besides(verdict))
    if not words.ended_early(verdict):
        parts += [
            laid_out(each, about)
            for each in (_counts(verdict), *_certified(verdict), _orders(verdict), " ".join(words.seen(verdict)))
        ]
        parts.append(_questions(verdict, about))
    parts += [words.particulars(verdict), filled(_keys(verdict))]
    if not words.ended_early(verdict):
        parts.append(words.covers(verdict, about))
    return "\n\n".join(filter(None, parts))


def _story(verdict: Verdict) -> str:
    opened = verdict.opened
    if opened is None:
        return ""
    agreed = opened.terms
    fixed = (
        " Alice's reports were fixed before the coins could be known to anyone but the court, which holds the deposits."
        if verdict.result(Check.COINS).outcome is Outcome.PASS
        else ""
    )
    return (
        f"This is the record of a review: a neutral, Trent, had {opened.corpus.documents} documents of Alice's "
        "reviewed for Bob. "
        f"The parties agreed on up to {count(verdict.rounds_agreed, 'round')} of "
        f"{count(agreed.batch, 'document')} each, chosen by a program that learns from the labels so far. "
        f"{table.of(agreed).words.explained}{_privilege(verdict)}{fixed} Whatever this copy may not show is sealed "
        "in it, under the same signatures."
    )


def _privilege(verdict: Verdict) -> str:
    """How privilege was handled, if the copy shows that anything was claimed."""
    if verdict.claims is None or not (verdict.claims.privileged or verdict.result(Check.PRIVILEGE).items):
        return ""
    return (
        " A document that Alice claimed as privileged was to go to the court instead of to Bob. Bob was to be told the "
        "basis of the claim, and to get the document only if the court overruled it."
    )


def _finding(finding: Finding, verdict: Verdict, telling: Telling) -> str:
    """A finding; what was expected and found may quote the record, and stays."""
    rule = telling.said(finding.rule)
    where = "" if finding.entry is None else f"Entry {finding.entry} breaks it. "
    who = (
        f"It is signed {words.signer(finding, verdict, finding.party)}; nobody without that key could have made it."
        if finding.party
        else "No signature proves who is responsible, so nobody is blamed."
    )
    return (
        f"What is wrong ({finding.check}). The rule: {rule}. {where}Expected: {finding.expected}. "
        f"Found: {finding.found}. {telling.said(who)}"
    )


def _counts(verdict: Verdict) -> str:
    claims = verdict.claims
    if claims is None or not verdict.rounds or verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return ""
    special = "".join(f" {each}" for each in words.special(verdict))
    return (
        f"Counted again from the entries: of {count(claims.reviewed, 'document')} reviewed, Bob was shown "
        f"{claims.revealed}, of which {claims.found} count as responsive and {claims.nrd} do not. The court settled "
        f"{count(claims.disputes, 'dispute')}, {claims.alice_errors} of them against Alice's report."
        f"{special} The method's guarantee: {words.guarantee(verdict)}"
    )


def _certified(verdict: Verdict) -> list[str]:
    """What the later draws brought, and both certificates."""
    if verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return []
    return [*passes.told(verdict), *proven.certificates(verdict)]


def _orders(verdict: Verdict) -> str:
    """What the court ordered about other things than documents. That a party was silent is no finding."""
    orders = words.orders(verdict)
    if not orders:
        return ""
    return (
        f"Orders of the court, and amendments by all. {' '.join(orders)} Trent and the court say that a party was "
        "silent; that is not a finding against the party."
    )


def _questions(verdict: Verdict, telling: Telling) -> str:
    lines = [
        fill(
            f"{each.check}  {telling.said(DEFINITIONS[each.check].question)} {_answer(each, verdict, telling)}.",
            WIDTH - 2,
            subsequent_indent="     ",
        )
        for each in verdict.checks
    ]
    return "What was asked of this record, and the answers:\n\n" + indent("\n".join(lines), "  ")


def _answer(each: CheckResult, verdict: Verdict, telling: Telling) -> str:
    items = counted(each.items, DEFINITIONS[each.check].counts)
    detail = {Outcome.PASS: items, Outcome.FAIL: "", Outcome.NOT_CHECKED: words.unchecked(each, telling)}[each.outcome]
    said = _ANSWERS[each.outcome] if each in words.applying(verdict) else "Not asked"
    return said + (f" ({detail})" if detail else "")


def _keys(verdict: Verdict) -> str:
    if not verdict.keys:
        return ""
    if all(each is Identity.CONFIRMED for each in verdict.identities.values()):
        return "The keys are those of the people you know, by the fingerprints that you gave."
    return (
        "A record names its own keys, so anyone could make one with keys of their own. Compare the fingerprints "
        "with those that each party gave you, and give them with --trust."
    )


def comparison(compared: Compared) -> str:
    """What two copies prove."""
    head = {
        Comparison.SAME: "SAME HISTORY",
        Comparison.PREFIX: "SAME HISTORY",
        Comparison.EQUIVOCATION: "TWO HISTORIES",
        Comparison.UNDECIDED: "UNDECIDED",
    }[compared.result]
    about = Telling(compared.names)
    said = f"{head}: {compared.message}."
    parts = [filled(said) if compared.result is Comparison.UNDECIDED else laid_out(said, about)]  # which may name files
    if compared.trent:
        parts.append(laid_out(f"Trent's key in both copies is {compared.trent}, {_WHOSE[compared.identity]}.", about))
    if compared.proof:
        parts.append(
            filled(
                "Both entries carry the valid signature of that key: only its holder could have made them. Keep both "
                "files; they are the evidence."
            )
        )
        parts += [
            f"{filled(str(each.copy))}\n  entry      {each.hash.hex()}\n  signature  {each.signature.hex()}"
            for each in compared.proof
        ]
    elif compared.result is not Comparison.UNDECIDED:
        parts.append(filled("To see whether that history follows the rules, run `tallystick-verify COPY`."))
    if compared.simulation:
        parts.append(filled(f"It is {words.SIMULATION}."))
    return "\n\n".join(parts)
