"""A verdict in words: for a terminal, and with `--explain` for a judge."""

from textwrap import fill, indent

from verifier.checks import DEFINITIONS, Audience, Check, Role
from verifier.comparing import Compared, Comparison
from verifier.findings import Finding
from verifier.record.hashing import fingerprint
from verifier.rules.terms import Protocol, probability
from verifier.verdict import Answer, Identity, Outcome, Verdict

WIDTH = 100

_OUTSIDE_EVERY_RECORD = (
    "No record can show a document that never entered the corpus, whether text was extracted rightly, whether Bob "
    "recognised what he was shown, or what was disclosed outside of it."
)

_WHOSE = {
    Identity.CONFIRMED: ", and the one that you trust",
    Identity.ANOTHER: ", which is NOT the one that you trust, so that it blames nobody you know",
    Identity.NOT_CHECKED: "; whose it is, nobody has checked (--trust)",
}

_RULES = {
    Protocol.REVEAL_ALL: "Bob was to see every document that Alice reviewed.",
    Protocol.LABEL: (
        "Alice reported a label for every document. Bob was to see all that she reported as responsive, all above the "
        "cut-off that fits her labels best, and others drawn by coin; a confirmed error among the latter was to bring "
        "him the whole batch."
    ),
    Protocol.CLASSIFIER: (
        "Alice reported a cut-off and labels above it. Bob was to see all above it, and others drawn by coin below; if "
        "more of those were found responsive than not at any point, he was to get the whole batch."
    ),
}


def summary(verdict: Verdict) -> str:
    """The verdict as a table of checks, with what was found and what it covers."""
    parts = [headline(verdict), *(_finding(each, verdict) for each in verdict.findings)]
    if verdict.trouble and verdict.answer is Answer.REJECTED:
        parts.append(_filled(f"Besides, not everything could be read: {verdict.trouble}."))
    if verdict.copy is not None:
        parts.append(_particulars(verdict))
    if verdict.copy is not None and not _ended_early(verdict):
        parts.append(_checks(verdict))
        if verdict.rounds:
            parts.append(_claims(verdict))
        parts.append(_covers(verdict))
    return "\n\n".join(parts)


def _ended_early(verdict: Verdict) -> bool:
    """Whether the copy itself could not be read to its end, so that nothing can be said about the whole."""
    return verdict.answer is Answer.UNDECIDED and verdict.result(Check.FORMAT).outcome is not Outcome.PASS


def headline(verdict: Verdict) -> str:
    """The answer in a sentence."""
    copy = verdict.copy
    what = f"the copy for {_audience(copy.audience)}, {copy.entries} entries" if copy else "this file"
    match verdict.answer:
        case Answer.VERIFIED:
            unknown = [role for role, each in verdict.identities.items() if each is not Identity.CONFIRMED]
            names = ", ".join(role.capitalize() for role in unknown)
            keys = f" Who holds the keys of {names} was not checked." if unknown else ""
            return _filled(
                f"VERIFIED: {what}. Everything that this copy can show has passed, and the keys of Alice, Bob and the "
                f"court have signed its end.{keys}"
            )
        case Answer.NOT_CLOSED:
            waiting = f" The matter waits for {verdict.waits_for}." if verdict.waits_for != "nobody" else ""
            return _filled(
                f"NOT CLOSED: {what}. Everything that it can show so far has passed, but {_open_end(verdict)}: there "
                f"may be more, or a later version.{waiting}"
            )
        case Answer.REJECTED:
            return _filled(f"REJECTED: {what}. It breaks the rules; {_whose(verdict)}.")
    return _filled(f"UNDECIDED: {verdict.trouble}. Nobody is blamed for this; get the file again from where it came.")


def _open_end(verdict: Verdict) -> str:
    return verdict.result(Check.COSIGNATURES).reason or "no claims are made yet"


def _whose(verdict: Verdict) -> str:
    parties = list(dict.fromkeys(each.party for each in verdict.findings if each.party))
    if not parties:
        return "nobody's signature proves whose fault that is"
    return "this is signed " + " and ".join(signer(role, verdict) for role in parties)


def signer(role: Role, verdict: Verdict) -> str:
    """Whose signature it is, as far as the reader can know."""
    key = fingerprint(verdict.keys[role])
    match verdict.identities.get(role):
        case Identity.CONFIRMED:
            return f"by {role.capitalize()}, with the key that you trust, {key}"
        case Identity.ANOTHER:
            name = role.capitalize()
            return f"with the key {key}, which is NOT {name}'s as you know it: {name} is not blamed"
    return f"with the key {key}, which the copy names as {role.capitalize()}'s"


def _finding(finding: Finding, verdict: Verdict) -> str:
    where = "" if finding.entry is None else f", entry {finding.entry}"
    lines = [
        f"{finding.check} {DEFINITIONS[finding.check].name}{where}",
        f"Rule      {finding.rule}.",
        f"Expected  {finding.expected}",
        f"Found     {finding.found}",
        f"Signed    {signer(finding.party, verdict)}" if finding.party else "Signed    by nobody: this blames no one",
    ]
    return "\n".join(
        fill(line, WIDTH, initial_indent="" if first else "  ", subsequent_indent=" " * 12)
        for first, line in zip([True, *[False] * 4], lines, strict=True)
    )


def _particulars(verdict: Verdict) -> str:
    copy = verdict.copy
    if copy is None:
        return ""
    lines = [f"Matter  {copy.matter.hex()}", f"Head    {copy.head.hex()}"]
    if verdict.opening is not None and verdict.opening.simulation is not None:
        lines.append("        a SIMULATION: one program played all parties; it is evidence of nothing")
    for role, key in verdict.keys.items():
        lines.append(f"{role.capitalize():<7} {fingerprint(key)}  ({verdict.identities[role]})")
    return "\n".join(lines)


def _checks(verdict: Verdict) -> str:
    lines = []
    for each in verdict.checks:
        what = DEFINITIONS[each.check]
        items = f"{each.items} {what.counts}"
        detail = items
        if each.outcome is Outcome.NOT_CHECKED:
            detail = f"{each.reason}{f' ({items} passed)' if each.items else ''}"
        lines.append(f"{each.check} {what.name:<17} {each.outcome:<12} {detail}")
    return "\n".join(fill(line, WIDTH, subsequent_indent=" " * 35) for line in lines)


def _claims(verdict: Verdict) -> str:
    """What the replay itself counts: numbers of the closed rounds, not what Trent says."""
    claims, rounds = verdict.claims, verdict.rounds
    if claims is None:
        return ""
    lines = [
        f"Recomputed from {_count(len(rounds), 'closed round')}:",
        f"  Reviewed {claims.reviewed}, shown to Bob {claims.revealed}: responsive {claims.found}, not responsive "
        f"{claims.nrd} (the non-responsive disclosure)",
        f"  Disputes {claims.disputes}, decided against Alice {claims.alice_errors}; rounds disclosed as a whole "
        f"{claims.compelled_rounds}",
    ]
    if verdict.bound_known:
        lines.append(f"  {bound_sentence(verdict)}")
    return "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines)


def bound_sentence(verdict: Verdict) -> str:
    """What can be said about hidden documents."""
    claims = verdict.claims
    if claims is None:
        return ""
    confidence = float(1 - probability("doubt", claims.hidden.doubt))
    whole = claims.found + claims.hidden.at_most
    recall = f": at least {claims.found / whole:.1%} of the responsive ones reviewed were shown" if whole else ""
    return (
        f"Hidden among the reviewed: at most {claims.hidden.at_most}, with confidence {confidence:.4g}, whatever Alice "
        f"did{recall}. Assumes: {claims.hidden.assumes}"
    )


def _covers(verdict: Verdict) -> str:
    left = [each for each in verdict.checks if each.outcome is Outcome.NOT_CHECKED]
    names = ", ".join(f"{each.check} {DEFINITIONS[each.check].name}" for each in left)
    covered = f"This verdict does not cover: {names}. " if left else ""
    return _filled(covered + _OUTSIDE_EVERY_RECORD)


def explain(verdict: Verdict) -> str:
    """The verdict told in plain words, check by check."""
    parts = [headline(verdict)]
    if verdict.opening is not None and verdict.copy is not None:
        parts.append(_filled(_story(verdict)))
    parts += [_filled(_told(finding, verdict)) for finding in verdict.findings]
    if _ended_early(verdict):
        return "\n\n".join(parts)
    if verdict.rounds and verdict.claims is not None:
        parts.append(_filled(_counts(verdict)))
    answers = {Outcome.PASS: "Yes", Outcome.FAIL: "NO", Outcome.NOT_CHECKED: "Not checked"}
    lines = []
    for each in verdict.checks:
        what = DEFINITIONS[each.check]
        detail = f"{each.items} {what.counts}" if each.outcome is Outcome.PASS else each.reason
        answer = answers[each.outcome] + (f" ({detail})" if detail else "")
        lines.append(fill(f"{each.check}  {what.question} {answer}.", WIDTH, subsequent_indent="     "))
    parts.append("What was asked of this record, and the answers:\n\n" + indent("\n".join(lines), "  "))
    parts.append(_filled(_keys_paragraph(verdict)))
    parts.append(_covers(verdict))
    return "\n\n".join(part for part in parts if part)


def _story(verdict: Verdict) -> str:
    opening, copy = verdict.opening, verdict.copy
    if opening is None or copy is None:
        return ""
    agreed = opening.terms
    played = (
        " It is a simulation, in which one program played all parties, and is evidence of nothing."
        if opening.simulation
        else ""
    )
    return (
        f"The record is of a review of {opening.corpus.documents} documents of Alice's for Bob by a neutral, Trent. "
        f"The parties agreed on up to {_count(agreed.rounds, 'round')} of {_count(agreed.batch, 'document')} each, "
        f"chosen by a program that learns from the labels so far. {_RULES[agreed.protocol]} Alice's reports were fixed "
        "before anyone could know the coins. This copy is the one for "
        f"{_audience(copy.audience)}; what others may not see stands in it sealed, under the same signatures.{played}"
    )


def _told(finding: Finding, verdict: Verdict) -> str:
    where = "" if finding.entry is None else f"Entry {finding.entry} breaks it. "
    who = (
        f"It is signed {signer(finding.party, verdict)}; nobody without that key could have made it."
        if finding.party
        else "No signature proves who is responsible, so nobody is blamed."
    )
    return (
        f"What is wrong ({finding.check}). The rule: {finding.rule}. {where}Expected: {finding.expected}. "
        f"Found: {finding.found}. {who}"
    )


def _counts(verdict: Verdict) -> str:
    claims = verdict.claims
    if claims is None:
        return ""
    bound = f" {bound_sentence(verdict)}" if verdict.bound_known else ""
    return (
        f"Counted again from the entries: of {_count(claims.reviewed, 'document')} reviewed, Bob was shown "
        f"{claims.revealed}, of which {claims.found} count as responsive and {claims.nrd} do not. The court settled "
        f"{_count(claims.disputes, 'disagreement')}, {claims.alice_errors} of them against Alice's report.{bound} "
        f"The method's guarantee: {claims.guarantee}"
    )


def _keys_paragraph(verdict: Verdict) -> str:
    if not verdict.keys:
        return ""
    confirmed = [role for role in verdict.keys if verdict.identities[role] is Identity.CONFIRMED]
    if len(confirmed) == len(verdict.keys):
        return "The keys are those of the people you know, by the fingerprints that you gave."
    return (
        "A record names its own keys, so that anyone could make one with keys of their own. Compare the fingerprints "
        "with those that each party gave you, and give them with --trust."
    )


def comparison(compared: Compared) -> str:
    """A comparison in words."""
    head = {
        Comparison.SAME: "SAME HISTORY",
        Comparison.PREFIX: "SAME HISTORY",
        Comparison.EQUIVOCATION: "TWO HISTORIES",
        Comparison.UNDECIDED: "UNDECIDED",
    }[compared.result]
    lines = [_filled(f"{head}: {compared.message}.")]
    if compared.proof:
        lines.append(
            _filled(
                f"Both entries carry the valid signature of the key {compared.trent}, in both copies Trent's"
                f"{_WHOSE[compared.identity]}: only its holder could have made them. Keep both files; they are the "
                "evidence."
            )
        )
        if compared.simulation:
            lines.append("This is a SIMULATION: anyone can derive its keys, and it is evidence of nothing.")
        lines += [
            f"{each.copy}\n  entry      {each.hash.hex()}\n  signature  {each.signature.hex()}"
            for each in compared.proof
        ]
    return "\n\n".join(lines)


def harmless(text: str) -> str:
    """The text without what could move a terminal's cursor or turn its direction: a record holds strangers' words."""
    return "".join(each if each == "\n" or each.isprintable() else ascii(each)[1:-1] for each in text)


def _audience(audience: Audience) -> str:
    return {"alice": "Alice", "bob": "Bob", "court": "the court", "public": "the public"}[audience]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _filled(paragraph: str) -> str:
    return fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)
