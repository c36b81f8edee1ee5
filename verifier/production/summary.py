"""What was found about a volume, for people and for scripts."""

from textwrap import fill
from typing import Any

from verifier.checks import Role
from verifier.naming import Telling, telling
from verifier.plural import count, counted
from verifier.production.checks import DEFINITIONS, Check, Finding, Result
from verifier.production.judgement import Answer, Judgement
from verifier.record.hashing import fingerprint
from verifier.verdict import Answer as CopyAnswer
from verifier.verdict import Outcome
from verifier.words import SIMULATION, WIDTH, filled, is_simulation, laid_out

NOT_SHOWN = (
    "whether the text of a part is what a person reads in its native; whether Bob got this folder; and what the record "
    "itself does not prove"
)


def text(judgement: Judgement) -> str:
    """The whole answer."""
    about = telling(judgement.copy.opened)
    said = _headline(judgement)
    parts = [filled(said) if judgement.answer is Answer.UNDECIDED else laid_out(said, about)]  # which names files
    parts += [_finding(each, about) for each in judgement.results.findings]
    parts += [
        f"{check}: {count(number, 'further finding')} of this kind."
        for check, number in judgement.results.untold.items()
    ]
    if judgement.answer is Answer.REJECTED and judgement.trouble:
        parts.append(filled(f"Besides: {judgement.trouble}. {judgement.advice}"))
    parts += ["\n".join(map(_check, judgement.checks)), _particulars(judgement)]
    parts += [filled(f"{each}.") for each in judgement.remarks]
    parts.append(laid_out(f"A volume does not show: {NOT_SHOWN}.", about))
    return "\n\n".join(filter(None, parts))


def _headline(judgement: Judgement) -> str:
    manifest, copy = judgement.manifest, judgement.copy
    what = "the volume" if manifest is None else f"volume {manifest.volume}"
    if is_simulation(copy):
        what += f", of {SIMULATION}"
    match judgement.answer:
        case Answer.UNDECIDED:
            return f"UNDECIDED: {judgement.trouble}. Nobody is blamed for this. {judgement.advice}"
        case Answer.REJECTED if copy.answer is CopyAnswer.REJECTED:
            return f"REJECTED: the copy, by which {what} should be judged. Verify the copy by itself: it says why."
        case Answer.REJECTED if any(each.party for each in judgement.results.findings):
            return f"REJECTED: {what}. It is not what the record says, and Trent's signature under it proves that."
        case Answer.REJECTED:
            return (
                f"REJECTED: {what}. It is not what Trent signed. Nobody is blamed for this: anybody can change files."
            )
    documents = count(judgement.results.items[Check.DOCUMENTS], "document")
    said = f"VERIFIED: {what}. It is what the record says: {documents}, nothing missing, nothing added, each file the "
    said += "committed one."
    unmade = [each.check for each in judgement.checks if each.outcome is Outcome.NOT_CHECKED]
    if unmade:
        said += f" Not checked: {', '.join(unmade)}; see below."
    if copy.answer is CopyAnswer.NOT_CLOSED:
        said += " The record is not closed: further volumes may follow."
    return said


def _finding(finding: Finding, telling: Telling) -> str:
    """A finding; where it is and what was expected and found may quote files, and stay."""
    signed = "by Trent" if finding.party is not None else "by nobody: nobody is blamed"
    lines = [
        f"  Rule      {telling.said(finding.rule)}.",
        f"  Where     {finding.where}",
        f"  Expected  {finding.expected}",
        f"  Found     {finding.found}",
        f"  Signed    {telling.said(signed)}",
    ]
    title = f"{finding.check} {DEFINITIONS[finding.check].name}"
    return "\n".join([title, *(fill(line, WIDTH, subsequent_indent=" " * 12) for line in lines)])


def _check(each: Result) -> str:
    items = counted(each.items, DEFINITIONS[each.check].counts)
    detail = {Outcome.PASS: items, Outcome.FAIL: f"see above; {items} passed"}.get(each.outcome, each.reason)
    line = f"{each.check} {DEFINITIONS[each.check].name:<15} {each.outcome:<12} {detail}"
    return fill(line, WIDTH, subsequent_indent=" " * 33)


def _particulars(judgement: Judgement) -> str:
    manifest = judgement.manifest
    if manifest is None:
        return ""
    last = manifest.named(max(manifest.begin, manifest.next - 1))
    numbers = f"{manifest.named(manifest.begin)} to {last}" if manifest.next > manifest.begin else "none"
    lines = [
        f"Matter    {manifest.matter.hex()}",
        f"Head      {manifest.head.hex()}, of {count(manifest.size, 'entry')}",
        f"Numbers   {numbers}",
        f"Manifest  {judgement.digest.hex()}",
    ]
    if Role.TRENT in judgement.copy.keys:
        identity = judgement.copy.identity(Role.TRENT)
        lines.append(f"Trent     {fingerprint(judgement.copy.keys[Role.TRENT])}  ({identity})")
    return "\n".join(lines)


def value(judgement: Judgement) -> dict[str, Any]:
    """What `--json` prints."""
    manifest = judgement.manifest
    return {
        "verdict": judgement.answer,
        "exit_code": judgement.exit_code,
        "trouble": judgement.trouble or None,
        "advice": judgement.advice or None,
        "simulation": is_simulation(judgement.copy),
        "volume": None
        if manifest is None
        else {
            "volume": manifest.volume,
            "matter": manifest.matter.hex(),
            "entries": manifest.size,
            "head": manifest.head.hex(),
            "manifest": judgement.digest.hex(),
            "prefix": manifest.prefix,
            "begin": manifest.begin,
            "next": manifest.next,
            "records": len(manifest.records),
        },
        "copy": judgement.copy.answer,
        "checks": [
            {
                "check": each.check,
                "name": DEFINITIONS[each.check].name,
                "outcome": each.outcome,
                "items": each.items,
                "reason": each.reason or None,
            }
            for each in judgement.checks
        ],
        "findings": [
            {
                "check": each.check,
                "rule": each.rule,
                "where": each.where,
                "expected": each.expected,
                "found": each.found,
                "party": each.party,
            }
            for each in judgement.results.findings
        ],
        "further_findings": dict(judgement.results.untold),
        "remarks": judgement.remarks,
        "not_covered": NOT_SHOWN,
    }
