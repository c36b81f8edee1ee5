"""A verdict for a terminal: the answer, what is proven about recall, what is wrong, a line for each check, the numbers,
and what is left open.
"""

from textwrap import fill

from verifier import passes, proven, received, words
from verifier.checks import DEFINITIONS
from verifier.findings import Finding
from verifier.naming import Telling, telling
from verifier.plural import counted
from verifier.verdict import Answer, CheckResult, Outcome, Verdict
from verifier.words import WIDTH, laid_out, wrapped


def summary(verdict: Verdict) -> str:
    """The whole verdict, with a table of checks in the middle."""
    about = telling(verdict.opened)
    parts = [words.headline(verdict, about), proven.block(verdict, about)]
    parts += [_finding(each, verdict, about) for each in verdict.findings]
    parts += [words.besides(verdict), received.block(verdict, about), words.particulars(verdict)]
    if verdict.copy is not None and not words.ended_early(verdict):
        parts += [_checks(verdict, about), _numbers(verdict, about), _orders(verdict, about)]
        parts.append(laid_out(" ".join(words.seen(verdict)), about))
        parts.append(words.covers(verdict, about))
    return "\n\n".join(filter(None, parts))


def _finding(finding: Finding, verdict: Verdict, telling: Telling) -> str:
    """A finding; what was expected and found may quote the record, and stays."""
    where = "" if finding.entry is None else f", entry {finding.entry}"
    signed = words.signer(finding, verdict, finding.party) if finding.party else "by nobody: nobody is blamed"
    lines = [
        f"  Rule      {telling.said(finding.rule)}.",
        f"  Expected  {finding.expected}",
        f"  Found     {finding.found}",
        f"  Signed    {telling.said(signed)}",
    ]
    title = f"{finding.check} {DEFINITIONS[finding.check].name}{where}"
    return "\n".join([title, *(fill(line, WIDTH, subsequent_indent=" " * 12) for line in lines)])


def _checks(verdict: Verdict, telling: Telling) -> str:
    lines = (
        f"{each.check} {DEFINITIONS[each.check].name:<17} {words.outcome(each, verdict):<12} {_detail(each, telling)}"
        for each in verdict.checks
    )
    return "\n".join(fill(line, WIDTH, subsequent_indent=" " * 35) for line in lines)


def _detail(each: CheckResult, telling: Telling) -> str:
    items = counted(each.items, DEFINITIONS[each.check].counts)
    match each.outcome:
        case Outcome.PASS:
            return items
        case Outcome.NOT_CHECKED:
            return f"{words.unchecked(each, telling)}{f' ({items} passed)' if each.items else ''}"
    return f"see above{f'; {items} passed' if each.items else ''}"


def _orders(verdict: Verdict, telling: Telling) -> str:
    told = [telling.said(each) for each in words.orders(verdict)]
    lines = ["Orders of the court, and amendments:", *(f"  {each}" for each in told)] if told else []
    return "\n".join(fill(line, WIDTH, subsequent_indent="    ") for line in lines)


def _numbers(verdict: Verdict, telling: Telling) -> str:
    """What the replay itself counted, not what Trent says."""
    claims = verdict.claims
    if claims is None or not verdict.rounds:
        return ""
    stands = verdict.answer in (Answer.VERIFIED, Answer.NOT_CLOSED)
    what = words.rounds(verdict)
    lines = [
        f"Recomputed from {what}:" if stands else f"Counted in {what} (no result, since the record is not verified):",
        f"  Reviewed {claims.reviewed}, shown to Bob {claims.revealed}: responsive {claims.found}, not responsive "
        f"{claims.nrd} (the non-responsive disclosure)",
        f"  Disputes {claims.disputes}, decided against Alice {claims.alice_errors}; rounds disclosed as a whole "
        f"{claims.compelled_rounds}",
    ]
    lines += [f"  {each}" for each in words.special(verdict)]
    if stands:
        lines += [f"  {each}" for each in passes.told(verdict)]
        lines += [f"  {each}" for each in proven.certificates(verdict)]
    return "\n".join(wrapped(telling.said(line), "  ") for line in lines)
