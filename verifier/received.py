"""What was received and what became of it, in words and as a value (specification, "The population account")."""

from dataclasses import asdict
from typing import Any

from verifier import words
from verifier.checks import Check
from verifier.findings import shortened
from verifier.naming import Telling
from verifier.plural import count
from verifier.replay.commitment import Account, CorpusCommitment, Unit
from verifier.verdict import Outcome, Verdict

NEVER_RECEIVED = "Nothing is proven about what was never received."
_MOST_REASONS = 5


def told(corpus: CorpusCommitment) -> list[str]:
    """What became of the items, and of what kind the documents are, a sentence each."""
    account = corpus.account
    became = [
        _were(account.containers, "container that was opened", "containers that were opened"),
        f"{account.exceptions} could not enter ({_reasons(account)})" if account.exceptions else "",
        _were(account.duplicates, "duplicate", "duplicates"),
        _entered(corpus),
    ]
    said = [f"Of {count(account.items, 'item')} received, {words.listing([each for each in became if each])}."]
    about = []
    if account.custodians:
        about.append(f"name {count(account.custodians, 'custodian')}")
    if account.first:
        about.append(f"are dated from {shortened(account.first)} to {shortened(account.last)}")
    if about:
        said.append(f"The parts {words.listing(about)}.")
    return said


def _were(number: int, one: str, many: str) -> str:
    return f"1 was a {one}" if number == 1 else f"{number} were {many}" if number else ""


def _entered(corpus: CorpusCommitment) -> str:
    account = corpus.account
    unread = f", {account.unread} of them without text" if account.unread else ""
    families = count(account.entered, "family")
    if corpus.unit is Unit.FAMILY:
        return (
            f"{families} entered as {count(corpus.documents, 'document')} with {count(account.parts, 'part')}{unread}"
        )
    return f"{families} entered, each part as a document of its own: {count(corpus.documents, 'document')}{unread}"


def _reasons(account: Account) -> str:
    ordered = sorted(account.reasons.items(), key=lambda each: (-each[1], each[0]))
    named = [f"{shortened(reason)}: {number}" for reason, number in ordered[:_MOST_REASONS]]
    more = sum(number for _, number in ordered[_MOST_REASONS:])
    return ", ".join([*named, f"other reasons: {more}"] if more else named)


def checked(verdict: Verdict) -> str:
    """How far the account was checked."""
    result = verdict.result(Check.ACCOUNT)
    match result.outcome:
        case Outcome.PASS:
            return "This was counted again from the list of items and the corpus."
        case Outcome.FAIL:
            return "This account is FALSE: see what is wrong."
    return f"Trent states this, and signed it. {Check.ACCOUNT} was not checked in full: {result.reason}."


def block(verdict: Verdict, telling: Telling) -> str:
    """The account for a terminal; nothing if the opening could not be read."""
    if verdict.opened is None or words.ended_early(verdict):
        return ""
    said = " ".join([*told(verdict.opened.corpus), telling.said(checked(verdict)), NEVER_RECEIVED])
    return words.filled(f"What was received: {said}")


def value(verdict: Verdict) -> dict[str, Any] | None:
    """The account for scripts."""
    if verdict.opened is None:
        return None
    corpus = verdict.opened.corpus
    found = asdict(corpus.account)
    found["list"] = corpus.account.list.hex()
    said = [*told(corpus), checked(verdict), NEVER_RECEIVED]
    return {**found, "documents": corpus.documents, "unit": corpus.unit, "said": " ".join(said)}
