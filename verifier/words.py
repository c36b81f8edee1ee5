"""Phrases that all presentations of a verdict share: the answer in a sentence, and whose signature it is."""

from collections import Counter
from textwrap import fill

from verifier import kept, policy, stamps
from verifier.checks import DEFINITIONS, Check, Role
from verifier.findings import Finding, shortened
from verifier.kept import Kept
from verifier.naming import Telling
from verifier.plural import be, count, were
from verifier.record.hashing import fingerprint
from verifier.rules import table
from verifier.trust import Identity
from verifier.verdict import Answer, CheckResult, Outcome, Verdict

WIDTH = 100

OUTSIDE_EVERY_RECORD = (
    "No record can show a document that never entered the corpus, whether text was extracted correctly, whether Bob "
    "recognised what he was shown, or what was disclosed outside the review."
)

SIMULATION = (
    "a SIMULATION, in which one program played all parties and whose keys anyone can derive: evidence of nothing"
)

ABOUT_THE_RECORD = "All this is about the record; what is proven about recall is said below."

_COSIGNERS = (Role.ALICE, Role.BOB, Role.COURT)
_SORTS = ("batch", "escalation", "validation")


def headline(verdict: Verdict, telling: Telling | None = None) -> str:
    """The answer in a few sentences; that nothing is decided names files, and nobody."""
    copy = verdict.copy
    what = f"the copy for {copy.audience.called}, {count(copy.entries, 'entry')}" if copy else "this file"
    if is_simulation(verdict):
        what += f", of {SIMULATION}"
    match verdict.answer:
        case Answer.VERIFIED:
            alone = len(verdict.ended_without) == len(_COSIGNERS) - 1
            signed = (
                f"The {'key' if alone else 'keys'} of {signers(verdict)} {'has' if alone else 'have'} signed its end."
            )
            said = f"{verified(verdict)}: {what}. {_made(verdict)} {signed}"
            said += f"{_unknown_keys(verdict)} {ABOUT_THE_RECORD}"
        case Answer.NOT_CLOSED:
            waiting = f" The matter waits for {verdict.waits_for}." if verdict.waits_for != "nobody" else ""
            reason = verdict.result(Check.COSIGNATURES).reason or "no claims are made yet"
            said = f"NOT CLOSED: {what}. {_made(verdict)} But {reason}: there may be more, or a later version.{waiting}"
        case Answer.REJECTED:
            said = f"REJECTED: {what}. {_why_rejected(verdict)}"
        case Answer.UNDECIDED:
            return filled(f"UNDECIDED: {verdict.trouble}. Nobody is blamed for this. {verdict.advice}")
    return laid_out(said, telling)


def verified(verdict: Verdict) -> str:
    """The word for a copy that is verified, and whose signatures its end lacks."""
    without = ended_without(verdict)
    return f"VERIFIED {without}" if without else "VERIFIED"


def ended_without(verdict: Verdict) -> str:
    """Without whose signatures the court lets the matter end; empty if all have signed."""
    lacking = listing([f"{role.called}'s" for role in verdict.ended_without])
    if not lacking:
        return ""
    signatures = "signature" if len(verdict.ended_without) == 1 else "signatures"
    entries = listing([str(entry) for entry in verdict.ended_without.values()])
    where = f"{'entry' if len(verdict.ended_without) == 1 else 'entries'} {entries}"
    return f"without {lacking} {signatures}, by order of the court ({where})"


def signers(verdict: Verdict) -> str:
    """Who has signed the end of a copy that is verified."""
    signed = [role for role in _COSIGNERS if role not in verdict.ended_without]
    return listing([role.called for role in signed])


def _made(verdict: Verdict) -> str:
    checks = applying(verdict)
    left = sum(each.outcome is Outcome.NOT_CHECKED for each in checks)
    passed = f"{len(checks) - left} of {count(len(checks), 'check')} passed"
    return f"{passed}, {left} could not be made and {be(left)} listed below."


def _unknown_keys(verdict: Verdict) -> str:
    unknown = [role.called for role in verdict.keys if verdict.identity(role) is not Identity.CONFIRMED]
    return f" Who holds the keys of {listing(unknown)} was not checked." if unknown else ""


def _why_rejected(verdict: Verdict) -> str:
    signed = list(dict.fromkeys(signer(each, verdict, each.party) for each in verdict.findings if each.party))
    if signed:
        return f"It breaks the rules; this is signed {listing(signed)}."
    names = listing([f"{each.check} {DEFINITIONS[each.check].name}" for each in verdict.findings])
    return f"It does not fit what you gave with it ({names}). The record itself breaks no rule that this copy shows."


def is_simulation(verdict: Verdict) -> bool:
    """Whether the record says that it is one."""
    return verdict.opened is not None and verdict.opened.simulation is not None


def applying(verdict: Verdict) -> list[CheckResult]:
    """The checks that apply to this matter: what was never asked for, or cannot be, is no gap."""
    idle = not_asked(verdict)
    return [each for each in verdict.checks if each.check not in idle]


def seen(verdict: Verdict) -> list[str]:
    """What outsiders have seen of the record, by those whom the reader trusts, in sentences."""
    told = []
    if verdict.dated is not None:
        first = f"The first {count(verdict.dated.entries, 'entry')}"
        told.append(f"{stamps.told(verdict.dated.stamp, first)}.")
    if verdict.proofs and verdict.result(Check.LOG).outcome is Outcome.PASS:
        times = "once" if verdict.proofs == 1 else f"{verdict.proofs} times"
        witnesses = policy.cosigned(verdict.cosigned)
        told.append(f"The record entered the operator's log {times}, the last time {witnesses}.")
    if verdict.stamps and verdict.dated is None:
        told.append(f"{count(verdict.stamps, 'time stamp')} on record: not checked. Trent's own times prove nothing.")
    return told


def not_asked(verdict: Verdict) -> dict[Check, str]:
    """The checks that do not apply, each with where it is asked."""
    agreed = verdict.opened is not None and verdict.opened.terms.witnesses is not None
    idle = {
        Check.TRUTH: not is_simulation(verdict),
        Check.WITNESSES: not (agreed or verdict.stamps or verdict.proofs),
        Check.STAMPS: not verdict.stamps,
        Check.LOG: not verdict.proofs,
    }
    failed = {each.check for each in verdict.checks if each.outcome is Outcome.FAIL}
    return {check: _WHERE[check] for check, left in idle.items() if left and check not in failed}


_WHERE = {
    Check.TRUTH: "of a simulation",
    Check.WITNESSES: "where the record was fixed outside",
    Check.STAMPS: "where a time stamp is on record",
    Check.LOG: "where a proof of a log is on record",
}


def outcome(each: CheckResult, verdict: Verdict) -> str:
    """How a check ended, in a word; one that does not apply was not asked."""
    return str(each.outcome) if each in applying(verdict) else "not asked"


def rounds(verdict: Verdict) -> str:
    """How many rounds are closed, and of which sorts if there are several."""
    told = count(len(verdict.rounds), "closed round")
    sorts = Counter(str(each.sort) for each in verdict.rounds)
    if len(sorts) <= 1:
        return told
    return f"{told} ({listing([count(sorts[sort], sort) for sort in _SORTS if sorts[sort]])})"


def ended_early(verdict: Verdict) -> bool:
    """Whether the copy could not be read to its end, so nothing can be said about the whole."""
    return verdict.answer is Answer.UNDECIDED and verdict.result(Check.FORMAT).outcome is not Outcome.PASS


def signer(finding: Finding, verdict: Verdict, party: Role) -> str:
    """Whose signature proves a finding against a party, as far as the reader can know."""
    key = verdict.signed_with(finding, party)
    return holder(party, key, verdict.identities[party, key], "copy")


def holder(role: Role, key: bytes, identity: Identity | None, what: str) -> str:
    """Whose key it is, as far as the reader knows; `what` is what names it: a copy or an exhibit."""
    digits, name = fingerprint(key), role.called
    match identity:
        case Identity.CONFIRMED:
            return f"by {name}, with the key that you trust, {digits}"
        case Identity.ANOTHER:
            return f"with the key {digits}, which is NOT that of {name} as you know it: {name} is not blamed"
    return f"with the key {digits}, which the {what} names as that of {name}"


def unchecked(each: CheckResult, telling: Telling) -> str:
    """Why a check was not made."""
    return each.reason if each.check is Check.HANDED else telling.said(each.reason)  # that one names files


def particulars(verdict: Verdict) -> str:
    """Which matter, how far, and whose keys."""
    copy = verdict.copy
    if copy is None:
        return ""
    head = f"Head    {copy.head.hex()}"
    if ended_early(verdict):
        head = f"Read    up to entry {copy.entries - 1}, whose hash is {copy.head.hex()}"
    lines = [*_caption(verdict), f"Matter  {copy.matter.hex()}", head]
    for role, key in verdict.keys.items():
        lines += [
            f"{role.capitalize():<7} {fingerprint(each.before)}  (until entry {each.entry}, "
            f"{verdict.identities[role, each.before]})"
            for each in verdict.key_changes
            if each.role is role
        ]
        lines.append(f"{role.capitalize():<7} {fingerprint(key)}  ({verdict.identity(role)})")
    return "\n".join(lines)


def _caption(verdict: Verdict) -> list[str]:
    """What the matter is about, and who claims to be whom, in the words of those who signed its opening."""
    caption = verdict.opened.caption if verdict.opened else None
    if caption is None:
        return []
    parties = "; ".join(f"{role.called} is {shortened(name)}" for role, name in sorted(caption.names.items()))
    told = {"Case": f"{caption.case} ({caption.court})", "Request": caption.request, "Parties": f"{parties}."}
    return [fill(f"{head:<7} {shortened(said)}", WIDTH, subsequent_indent=" " * 8) for head, said in told.items()]


def special(verdict: Verdict) -> list[str]:
    """What the usual numbers leave out, a sentence each: privilege, and answers that never came."""
    claims, told = verdict.claims, []
    if claims is None:
        return []
    court = kept.in_all(verdict)
    if unclear := not_told_apart(court):
        told.append(f"{unclear[0].upper()}{unclear[1:]}.")
    elif court.privileged:
        told.append(f"Withheld from Bob as privileged, by rulings of the court in camera: {court.privileged}.")
    if claims.clawed_back:
        told.append(
            f"Clawed back after Bob was shown it, by rulings of the court, and still counted as shown: "
            f"{claims.clawed_back}."
        )
    if court.in_camera and not unclear:
        told.append(f"Read by the court in camera, found not responsive, and not shown to Bob: {court.in_camera}.")
    unread = sum(each.unread for each in verdict.rounds)
    if unread:
        told.append(f"Shown to Bob, who did not answer, so Alice's labels stand: {unread}.")
    if claims.defaults:
        told.append(f"Answers that the court ordered the matter to go on without: {claims.defaults}.")
    return told


def not_told_apart(court: Kept) -> str:
    """What the court kept from Bob, where the copy does not show why; otherwise nothing."""
    said = f"the court kept {count(court.together, 'document')} from Bob in camera"
    if court.stated:
        return (
            f"{said}: {court.privileged} as privileged and {court.in_camera} as not responsive, as Trent states; this "
            "copy shows only how many there are together"
        )
    if not court.unknown:
        return ""
    if court.privileged or court.in_camera:
        said += (
            f": {court.privileged} as privileged, {court.in_camera} as not responsive, and {court.unknown} as one or "
            "the other"
        )
    else:
        said += ", as privileged or as not responsive"
    return f"{said}; this copy does not show which"


def orders(verdict: Verdict) -> list[str]:
    """The orders on silence, the new keys and the amendments, a line each, and what the new keys cost."""
    told = [f"Entry {each.entry}: {each.words}" for each in verdict.orders]
    return [*told, *unlisted_orders(verdict), *cost_of_keys(verdict)]


def unlisted_orders(verdict: Verdict) -> list[str]:
    """How many orders and amendments are not listed, in a sentence, if there are any."""
    more = verdict.orders_unlisted
    return [f"{more} more {were(more)} asked for and not granted."] if more else []


def cost_of_keys(verdict: Verdict) -> list[str]:
    """What followed from new keys, a sentence each: draws that were skipped, and questions that were asked again."""
    told = []
    if skipped := verdict.skipped_draws:
        told.append(
            f"{count(skipped, 'draw')} {were(skipped)} skipped, because Alice's key changed while she owed a report."
        )
    if again := verdict.asked_again:
        told.append(
            f"{count(again, 'question')} {were(again)} asked again, because a new key never answers a question from "
            "before it."
        )
    return told


def guarantee(verdict: Verdict) -> str:
    """The method's guarantee: first in plain words, if its own wording is mathematical."""
    if verdict.claims is None:
        return ""
    plain = table.of(verdict.opened.terms).words.plain if verdict.opened else None
    return verdict.claims.guarantee if plain is None else f"{plain} Exactly: {verdict.claims.guarantee}"


def covers(verdict: Verdict, telling: Telling) -> str:
    """What the verdict leaves open."""
    left = [each for each in applying(verdict) if each.outcome is Outcome.NOT_CHECKED]
    names = ", ".join(f"{each.check} {DEFINITIONS[each.check].name}" for each in left)
    return laid_out((f"This verdict does not cover: {names}. " if left else "") + OUTSIDE_EVERY_RECORD, telling)


def besides(verdict: Verdict) -> str:
    """What could not be read, if something worse was found."""
    if verdict.trouble and verdict.answer is Answer.REJECTED:
        return filled(f"Besides, not everything could be read: {verdict.trouble}. {verdict.advice}")
    return ""


def listing(names: list[str]) -> str:
    """Names in a row."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def laid_out(paragraph: str, telling: Telling | None) -> str:
    """A paragraph of ours for a terminal, with people's names."""
    return filled(telling.said(paragraph) if telling else paragraph)


def filled(paragraph: str) -> str:
    """A paragraph for a terminal."""
    return wrapped(paragraph)


def wrapped(line: str, indent: str = "") -> str:
    """A line for a terminal, whose further lines are indented; a number stays with its per cent sign."""
    kept = fill(
        line.replace(" %", "\0%"), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return kept.replace("\0%", " %")
