"""What an exhibit proves, for people and for scripts."""

from dataclasses import asdict
from textwrap import fill
from typing import Any

from verifier import described, received
from verifier.checks import DEFINITIONS, Role
from verifier.exhibit import reclaims
from verifier.exhibit.form import Document
from verifier.exhibit.judgement import Answer, Judgement
from verifier.exhibit.story import NOT_COVERED, courses, story
from verifier.findings import Finding
from verifier.naming import Telling, telling
from verifier.plural import count
from verifier.record.hashing import fingerprint
from verifier.trust import Identity
from verifier.words import SIMULATION, WIDTH, filled, holder, laid_out, listing


def text(judgement: Judgement) -> str:
    """The answer, the story, and what they rest on."""
    about = telling(judgement.opened)
    parts = [_headline(judgement, about)]
    parts += [filled(_finding(each, judgement, about)) for each in judgement.findings]
    if judgement.answer is Answer.REJECTED and judgement.trouble:
        parts.append(filled(f"Besides, not everything could be checked: {judgement.trouble}. {judgement.advice}"))
    if judgement.answer.holds:
        steps = [about.said(each) for each in story(judgement)]
        parts.append("\n".join(fill(each, WIDTH, subsequent_indent="  ", break_long_words=False) for each in steps))
        parts += [_document(judgement), _received(judgement, about)]
    parts.append(_particulars(judgement))
    parts += [filled(each) for each in judgement.remarks]
    if judgement.opened is not None:
        parts.append(laid_out(f"An exhibit does not show: {'; '.join(NOT_COVERED)}.", about))
    return "\n\n".join(filter(None, parts))


def _headline(judgement: Judgement, telling: Telling) -> str:
    """The answer in a few sentences; that nothing is decided names files, and nobody."""
    what = "the exhibit"
    if judgement.document is not None:
        what = f"the exhibit of document {judgement.document.number}, {judgement.document.name!r}"
    if is_simulation(judgement):
        what += f", of {SIMULATION}"
    match judgement.answer:
        case Answer.REJECTED:
            return laid_out(f"REJECTED: {what}. {_why(judgement)}", telling)
        case Answer.UNDECIDED:
            return filled(f"UNDECIDED: {judgement.trouble}. Nobody is blamed for this. {judgement.advice}")
    said = f"{judgement.answer.upper()}: {what}. {_proven(judgement)} {_signed(judgement)}"
    unknown = [role.called for role in judgement.keys if judgement.identity(role) is not Identity.CONFIRMED]
    said += f" Who holds the keys of {listing(unknown)} was not checked." if unknown else ""
    return laid_out(said, telling)


def _proven(judgement: Judgement) -> str:
    """What the exhibit shows, and how much of a review that is."""
    signatures = count(judgement.signatures, "signature")
    if not judgement.followed:
        return (
            f"{signatures} and every proof hold. They show that the document is in the corpus that Alice, Bob and the "
            "court agreed on, and NOTHING about its review: not that it was reviewed or shown to Bob, and not that it "
            "was not."
        )
    holds = f"{signatures} and every proof, opening, link and coin hold."
    if not judgement.closed:
        return f"{holds} At this checkpoint a round of the document is OPEN: what came after it is not shown."
    return holds


def _signed(judgement: Judgement) -> str:
    """Who vouches that there is no other record."""
    if judgement.cosigned:
        return "The keys of Alice, Bob and the court have signed the record that it is a part of."
    lacking = [role.called for role in Role if role not in judgement.signers]
    return f"It holds NO signature of {listing(lacking)} on the record that it is a part of: another version may exist."


def _why(judgement: Judgement) -> str:
    if any(each.party for each in judgement.findings):
        return "It breaks the rules, and the signatures named below prove it."
    return "It does not fit what you gave with it. The exhibit itself breaks no rule."


def _finding(finding: Finding, judgement: Judgement, telling: Telling) -> str:
    """A finding; what was expected and found may quote the record, and stays."""
    where = f"entry {finding.entry}: " if finding.entry is not None else ""
    said = (
        f"{finding.check} {DEFINITIONS[finding.check].name}: {where}{telling.said(finding.rule)}. "
        f"Expected: {finding.expected}. Found: {finding.found}."
    )
    if finding.party is None:
        return said
    key = judgement.key_of(finding.party, finding.entry)
    signed = holder(finding.party, key, judgement.identities[finding.party, key], "exhibit")
    return f"{said} It is signed {telling.said(signed)}."


def _document(judgement: Judgement) -> str:
    """What the document is, part by part."""
    told = ["The document, as the corpus states it:"]
    told += [f"  {line}" for line in described.lines(judgement.document.parts if judgement.document else ())]
    return "\n".join(fill(each, WIDTH, subsequent_indent="      ", break_long_words=False) for each in told)


def _received(judgement: Judgement, telling: Telling) -> str:
    """Of what the corpus was made, as the opening states it: an exhibit does not check it."""
    if judgement.opened is None:
        return ""
    head = telling.said("What was received, as Trent states it in the opening:")
    return filled(f"{head} {' '.join(received.told(judgement.opened.corpus))} {received.NEVER_RECEIVED}")


def _particulars(judgement: Judgement) -> str:
    lines = []
    if judgement.opened is not None and judgement.opened.caption is not None:
        lines = [f"Case    {' '.join(judgement.opened.caption.case.split())}"]
    if (state := judgement.checkpoint) is not None:
        lines += [f"Matter  {state.matter.hex()}", f"Head    {state.head.hex()}, of {count(state.size, 'entry')}"]
    lines += [
        f"{each.role.capitalize():<7} {fingerprint(each.before)}  (until entry {each.entry}, "
        f"{judgement.identities[each.role, each.before]})"
        for each in judgement.key_changes
    ]
    lines += [
        f"{role.capitalize():<7} {fingerprint(key)}  ({judgement.identity(role)})"
        for role, key in judgement.keys.items()
    ]
    return "\n".join(lines)


def is_simulation(judgement: Judgement) -> bool:
    """Whether the exhibit is of a simulated matter."""
    return judgement.opened is not None and judgement.opened.simulation is not None


def value(judgement: Judgement) -> dict[str, Any]:
    """What `--json` prints."""
    document, state = judgement.document, judgement.checkpoint
    proven = judgement.answer.holds
    return {
        "verdict": judgement.answer,
        "exit_code": judgement.exit_code,
        "trouble": judgement.trouble or None,
        "advice": judgement.advice or None,
        "simulation": is_simulation(judgement),
        "document": None if document is None else _document_value(document),
        "checkpoint": None
        if state is None
        else {
            "matter": state.matter.hex(),
            "entries": state.size,
            "root": state.root.hex(),
            "head": state.head.hex(),
            "signers": list(judgement.signers),
            "cosigned": judgement.cosigned,
        },
        "keys": judgement.keys_value(),
        "courses": [asdict(way) for way in courses(judgement)] if proven else [],
        "asked_back": reclaims.value(judgement.asked_back) if proven else None,
        "seen": [asdict(each) for each in judgement.seen] if proven else [],
        "story": story(judgement) if proven else [],
        "remarks": judgement.remarks,
        "not_covered": list(NOT_COVERED),
        "findings": [_finding_value(each, judgement) for each in judgement.findings],
    }


def _document_value(document: Document) -> dict[str, Any]:
    return {
        "number": document.number,
        "name": document.name,
        "parts": [
            {
                "withheld": part.withheld,
                "log": asdict(part.log),
                "rest": None if part.rest is None else asdict(part.rest),
                "content": part.content.hex() or None,
                "text": part.text.hex() or None,
            }
            for part in document.parts
        ],
    }


def _finding_value(finding: Finding, judgement: Judgement) -> dict[str, Any]:
    return {
        "check": finding.check,
        "entry": finding.entry,
        "rule": finding.rule,
        "expected": finding.expected,
        "found": finding.found,
        "party": finding.party if judgement.blames(finding) else None,
    }
