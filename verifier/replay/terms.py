"""V07: can the agreed terms be run, and did all sign them?"""

from verifier.checks import Check, Role
from verifier.findings import UnknownVersion
from verifier.plural import count
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, digest
from verifier.replay import account
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import METHOD, Agreed, Deposited, Opened
from verifier.replay.state import LastLink
from verifier.rules import table

_CANDIDATES = "candidates"
_MOST_CANDIDATES = 1000
_LONGEST_CANDIDATE = 200  # characters


def check_version(told: Told) -> None:
    """Another version of the method, or another rule, may have other forms, so this is checked before the forms."""
    content = told.entry.said.content
    method, agreed = content.get("method"), content.get("terms")
    if type(method) is int and method != METHOD:
        raise UnknownVersion(f"the matter follows version {method} of the method; this verifier knows version {METHOD}")
    protocol = agreed.get("protocol") if type(agreed) is dict else None
    if type(protocol) is str:
        table.named(protocol)


@condition(
    Check.ORDER, Blamed.TRENT, "A matter either has a caption that says who is who, or says that it is a simulation"
)
def caption_or_simulation(entry: Candidate[Opened]) -> Broken | None:
    """There is either a caption or a simulation."""
    opened = entry.content
    if (opened.caption is None) == (opened.simulation is not None):
        return None
    return Broken("a caption, or a simulation", "both" if opened.caption else "neither")


@condition(Check.TERMS, Blamed.TRENT, "A matter can be run under its terms")
def can_be_run(entry: Candidate[Opened]) -> Broken | None:
    """The terms can be run."""
    try:
        table.check(entry.content.terms)
    except Malformed as error:
        return Broken("such terms", error)
    return None


@condition(Check.TERMS, Blamed.TRENT, "The opening seals one hash of the term table")
def one_vocabulary(entry: Candidate[Opened]) -> Broken | None:
    """One `vocabulary` is sealed."""
    found = entry.sealed("vocabulary")
    return None if found == 1 else Broken("one value", count(found, "value"))


@condition(Check.TERMS, Blamed.TRENT, "The sealed vocabulary is a hash", shown="the vocabulary")
def vocabulary_is_hash(entry: Candidate[Opened]) -> Broken | None:
    """The vocabulary is a hash."""
    try:
        for value in entry.told.all_of("vocabulary") or ():
            digest(value)
    except Malformed as error:
        return Broken("a hash", error)
    return None


def take_open(entry: Candidate[Opened]) -> None:
    """The first entry: keys, terms, Trent's anchor."""
    state, content = entry.state, entry.content
    state.first, state.matter = content, entry.said.matter
    state.keys, state.rounds_agreed = dict(content.keys), content.terms.rounds
    kept = state.spot_checks
    state.limit = None if kept is None else kept.limit
    state.links[Role.TRENT] = LastLink(0, content.anchor)
    state.tally.passed(Check.TERMS)
    account.take_account(entry)
    if state.corpus:
        vocabulary = entry.told.all_of("vocabulary")
        state.corpus.open(entry.told, content, vocabulary[0] if vocabulary else None)


@condition(Check.ORDER, Blamed.AUTHOR, "Only Alice names candidates for privilege")
def candidates_of_alice(entry: Candidate[Agreed]) -> Broken | None:
    """Only Alice seals `candidates`."""
    author = entry.said.author
    return None if author is Role.ALICE or not entry.sealed(_CANDIDATES) else Broken("nothing sealed", _CANDIDATES)


@condition(Check.TERMS, Blamed.ALICE, "Alice seals her candidates for privilege as one value")
def one_list_of_candidates(entry: Candidate[Agreed]) -> Broken | None:
    """`candidates` has one value, if it is sealed."""
    found = entry.sealed(_CANDIDATES)
    return None if found <= 1 else Broken("one value", count(found, "value"))


@condition(Check.TERMS, Blamed.ALICE, "Candidates for privilege are a list of short texts", shown="the candidates")
def candidates_are_texts(entry: Candidate[Agreed]) -> Broken | None:
    """`candidates` is an array of 1 to 1000 texts, each of 1 to 200 Unicode code points."""
    for value in entry.told.all_of(_CANDIDATES) or ():
        if type(value) is not list or not 1 <= len(value) <= _MOST_CANDIDATES:
            return Broken(f"1 to {_MOST_CANDIDATES} texts", repr(value)[:80])
        for each in value:
            if type(each) is not str or not 1 <= len(each) <= _LONGEST_CANDIDATE:
                return Broken(f"texts of 1 to {_LONGEST_CANDIDATE} characters", repr(each)[:80])
    return None


def take_agreed(entry: Candidate[Agreed]) -> None:
    """Alice or Bob signs the terms, and names the anchor of a coin chain."""
    entry.state.links[entry.said.author] = LastLink(0, entry.content.anchor)
    entry.state.tally.passed(Check.TERMS)


def take_deposited(entry: Candidate[Deposited]) -> None:
    """The court signs the terms, and holds the chains."""
    entry.state.tally.passed(Check.TERMS)
