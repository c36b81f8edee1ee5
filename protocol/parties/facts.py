"""The terms of a matter in words, for somebody who is about to sign them."""

from collections.abc import Iterator
from dataclasses import dataclass

from ledger.hashing import Digest
from protocol.corpus import account
from protocol.matter.values import Opened
from protocol.rules import table
from protocol.rules.terms import Terms


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a person should know, under its name."""

    name: str
    words: str
    more: tuple[str, ...] = ()  # further paragraphs
    quoted: bool = False  # whether it holds words that somebody else chose, which are shown as they are


def case(opening: Opened) -> str:
    """What the case is called."""
    return opening.caption.case if opening.caption else "a simulated matter"


def of_terms(opening: Opened, matter: Digest) -> Iterator[Fact]:
    """Everything that the opening entry binds, apart from the parties and their keys."""
    agreed = opening.terms
    yield Fact("Case", case(opening), quoted=True)
    if opening.caption:
        yield Fact("Court", opening.caption.court, quoted=True)
        first, *more = opening.caption.request.strip().splitlines() or [""]
        yield Fact("Request", first, tuple(more), quoted=True)
    yield Fact("Matter", matter.hex())
    corpus = opening.corpus
    yield Fact("Documents", f"{corpus.documents}, committed to by {corpus.root.hex()}")
    received, *parts = account.sentences(corpus.account, corpus.documents, corpus.unit)
    yield Fact("Received", received, (*parts, f"the list of all items has the SHA-256 {corpus.account.list.hex()}"))
    words = table.of(agreed).words
    yield Fact("Rule", f"{agreed.protocol}: {words.chosen}")
    yield Fact("Guarantee", words.guaranteed())
    yield Fact("N", f"at most {agreed.batch} documents in a batch")
    yield Fact("T", f"at most {agreed.rounds} batches")
    yield from (Fact(each.name, f"{value}, {each.told}") for each, value in table.values(agreed))
    yield Fact("doubt", f"{agreed.doubt}, the probability with which a certificate of what Bob has may fail")
    yield from _validation(agreed)
    yield from _sensitive(agreed)
    query = agreed.query or "none: the first batch is drawn from all documents"
    yield Fact("Seed query", query, quoted=True)
    yield Fact("Coin chains", f"{agreed.draws} links each")
    yield from _forecast(agreed, opening.corpus.documents)


def _validation(agreed: Terms) -> Iterator[Fact]:
    """How the whole collection is validated, if it is."""
    found = agreed.validation
    if found is None:
        yield Fact("Validation", "none: nothing will be certified about documents that nobody has reviewed")
        return
    viewer = "Bob" if found.viewer == "bob" else "the court, in camera,"
    when = f"after every {found.every} batches"
    if found.least_yield is not None:
        when = f"once {found.window} batches bring at most {found.least_yield} of all that was found, then {when}"
    if found.review is None:
        hits = "" if found.hits is None else f", or less if {found.hits} responsive ones would be enough"
        how = f"each shows {viewer} a share of {found.show} of what Bob has not seen{hits}"
    else:
        how = f"in each, Alice labels a share of {found.review} of what nobody has reviewed, and Bob is shown what she "
        how += f"calls responsive, and a share of {found.show} of the rest"
    stop = f"the review stops when it is certain enough that Bob has {found.target} of all responsive documents"
    yield Fact("Validation", f"of the whole collection, {when}, and at the end", (how, stop))


def _sensitive(agreed: Terms) -> Iterator[Fact]:
    """The sensitive classes, if there are any."""
    if agreed.classes is not None:
        names = ", ".join(agreed.classes.names)
        words = f"up to a share of {agreed.classes.share} of all documents; what coins draw of them goes to the court"
        yield Fact("Classes", f"{names}: {words}, and to Bob only if it is responsive")


def _witnesses(agreed: Terms) -> Iterator[Fact]:
    """The outsiders, if there are any."""
    asked = agreed.witnesses
    if asked is None:
        return
    named = [f"SHA-256 {each.hex()}" for each in asked.authorities]
    stamps = [f"a time stamp by the holder of one of these certificates: {', '.join(named)}"] if named else []
    logged = [f"an entry in the operator's log {asked.log}"] if asked.log is not None else []
    yield Fact("Witnesses", "before each round begins, the record needs", (*stamps, *logged))


def _forecast(agreed: Terms, documents: int) -> Iterator[Fact]:
    """What the terms will probably cost, where that is quickly said."""
    from protocol.forecast.brief import brief

    if said := brief(agreed, documents):
        origin = "This comes from trials with made-up numbers, and binds nobody: see tallystick forecast"
        yield Fact("Forecast", said[0], (*said[1:], origin))
