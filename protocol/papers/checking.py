"""The sections of the stipulated order on how the review is checked, validated, certified and ended.

Nothing here promises more than a certificate proves. See docs/certificates.md.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from protocol import fixedpoint
from protocol.matter.kinds.claims import ASSUMPTIONS
from protocol.matter.summary import COLLECTION_ONLY, REVIEWED_ONLY
from protocol.papers.ground import ALICE, BOB, TRENT, Ground, confidence, counted, percent
from protocol.papers.paper import Items, Piece, Section
from protocol.rules import table
from protocol.rules.terms import Terms, ValidationTerms

_ROLES = {
    **dict.fromkeys(("Alice", "she"), ALICE),
    **dict.fromkeys(("Bob", "he", "him"), BOB),
    "Trent": TRENT,
    "the court": "the Court",
    "She": "The Producing Party",
    "her": f"{ALICE}'s",
    "his": f"{BOB}'s",
}
_ROLE = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _ROLES), key=len, reverse=True))})\b")


def for_the_court(words: str) -> str:
    """A sentence of the program about Alice, Bob and Trent, as a paper for a court says it."""
    said = re.sub(r"(^|[.] )([a-z])", lambda found: found[1] + found[2].upper(), _renamed(words))
    return said if said.endswith(".") else f"{said}."


def _renamed(words: str) -> str:
    return _ROLE.sub(lambda found: _ROLES[found[1]], words)


def checks(ground: Ground) -> Section:
    """How the producing party's labels are checked."""
    terms = ground.terms
    rule = table.of(terms)
    values = table.values(terms)
    offered = rule.words.offered.removesuffix(" The usual choice.")
    pieces: list[Piece] = [
        f"The rule is the one called {rule.name}. {for_the_court(offered)}",
    ]
    if values:
        pieces.append(
            f"In each round {ALICE} first signs its labels, and seals them. Only then are the coins made that decide "
            f"which further documents {BOB} is shown. A coin is made of a secret share of each of {ALICE}, {BOB} and "
            f"{TRENT}, and of the words that {ALICE} has signed. Each of them fixed its shares before the first round. "
            "So as long as each keeps its own to itself, none of the three, and no two of them, can choose a coin. The "
            "Court keeps the shares of all under seal, in case a party does not answer, and gives them to nobody: "
            "whoever had them could foresee the coins."
        )
        pieces.append("The parameters of the rule are:")
        pieces.append(Items(tuple(f"{each.name} {value}: {_renamed(each.told)}" for each, value in values)))
    limit = terms.limit_in_force
    if limit is not None:
        pieces.append(
            f"Where too little is certain, an escalation draws again from all that is withheld. Before it, {ALICE} may "
            "look again and give documents up. Escalations show at most a share of "
            f"{percent(limit)} of what {ALICE} has called not responsive. When this limit is used up, they end, and "
            "the claims say that the target was not reached. The Court may set another limit."
        )
    return Section(heading="How labels are checked", pieces=tuple(pieces))


def validations(ground: Ground) -> Section:
    """Validations of the collection, and when the review stops."""
    terms = ground.terms
    most = min(terms.rounds * terms.batch, ground.corpus.documents)
    rounds = (
        f"At most {counted(terms.rounds, 'batch', 'batches')} of {counted(terms.batch, 'document')} each are put up: "
        f"at most {most:,} of the {counted(ground.corpus.documents, 'document')}. Another number of batches needs the "
        f"agreement of {ALICE}, {BOB} and the Court, on the record."
    )
    found = terms.validation
    if found is None:
        pieces: tuple[Piece, ...] = (
            "The terms ask for no validation of the collection. Nothing will be certified about documents that nobody "
            "has reviewed. [Counsel: courts have asked for a draw from the documents that were not reviewed. The "
            "terms can have one.]",
            f"{rounds} The review ends when all batches are closed or no document is left, and no escalation is due.",
        )
    else:
        pieces = (
            *_validation(found, terms),
            f"{rounds} A validation comes at the end in any case, unless one has "
            "reached its target before. Then the review ends, whether the target is reached or not.",
        )
    return Section(heading="Validation and stopping", pieces=pieces)


def _validation(found: ValidationTerms, terms: Terms) -> Iterator[Piece]:
    every = f"after every {counted(found.every, 'batch', 'batches')}"
    if found.least_yield is not None:
        every = (
            f"once the last {counted(found.window, 'batch', 'batches')} have brought no more than "
            f"{percent(found.least_yield)} of all responsive documents found so far, and from then on {every}"
        )
    yield (
        f"A validation draws by coin from the whole collection, apart from what {BOB} has been shown and what the "
        f"Court has kept from it, whether {ALICE} has reviewed it or not. It is held {every}."
    )
    if found.review is None:
        viewer = BOB
        if found.viewer == "court":
            viewer = f"the Court, in camera, in place of {BOB}, who gets what the Court finds responsive"
        rate = f"Every document has the same chance of {percent(found.show)} to be drawn."
        if found.hits is not None:
            rate = (
                "Every document has the same chance to be drawn: the least one with which the target is reached if "
                f"{counted(found.hits, 'responsive document')} turn{'s' if found.hits == 1 else ''} up, and never more "
                f"than {percent(found.show)}."
            )
        yield f"{rate} What is drawn is read by {viewer}."
    else:
        both = fixedpoint.parse_fraction(found.review) * fixedpoint.parse_fraction(found.show)
        yield (
            f"It has two stages. Coins call {percent(found.review)} of the documents that nobody has reviewed, and "
            f"{ALICE} labels these. The {BOB[4:]} is shown those that {ALICE} calls responsive, {percent(found.show)} "
            f"of the other called ones, and {percent(both)} of what {ALICE} had withheld before, both by coin."
        )
    yield (
        f"The review stops at the first validation that certifies, with the confidence stated below, that {BOB} has at "
        f"least {percent(found.target)} of the responsive documents of the whole collection. All validations share the "
        f"doubt of {terms.doubt}, so that further validations do not make a false certificate likelier than stated. "
        "All of them stay on the record, also those that did not reach the target."
    )
    yield (
        "Beside its certificate, each validation reports the estimates that courts are used to, with their intervals: "
        "elusion, richness and recall."
    )


_AIM = " The target for the reviewed documents is that {} has at least {} of the responsive ones."


def certificates(ground: Ground) -> Section:
    """What the certificates at the end will say, and what they will not."""
    terms = ground.terms
    sure = confidence(terms)
    reviewed = {each.name: value for each, value in table.values(terms)}.get("target")
    aim = "" if reviewed is None else _AIM.format(BOB, percent(str(reviewed)))
    pieces: list[Piece] = [
        f"At its end the record states how many responsive documents {BOB} can be missing at most: among the documents "
        "that were reviewed, and, if a validation was held or all documents were reviewed, in the whole collection. "
        f"Each number holds with a confidence of {sure}, whatever {ALICE} did.{aim}",
        f"A confidence of {sure} means that in at most {_share(terms.doubt)} a number may be too small because of how "
        "the coins fell. It is not a probability about particular documents.",
        "Nothing in this Order promises that a target is reached. If it is not reached, the record says so, and states "
        f"what was. Even where it is reached, {BOB} may lack the rest, and important documents may be among it.",
        f"Beside this, the record states what the rule guarantees: {for_the_court(table.of(terms).words.guaranteed())}",
        f"The certificates assume this: {for_the_court(ASSUMPTIONS)}",
        f"A certificate of the reviewed documents does not cover: {_lower(REVIEWED_ONLY)}",
        f"A certificate of the collection does not cover: {_lower(COLLECTION_ONLY)}",
    ]
    return Section(heading="What is certified, and what is not", pieces=tuple(pieces))


def _lower(words: str) -> str:
    return _renamed(words[0].lower() + words[1:])


def _share(decimal: str) -> str:
    share: Fraction = fixedpoint.parse_fraction(decimal)
    if share.numerator == 1:
        return f"one matter of {share.denominator:,}"
    return f"{share.numerator:,} matters of {share.denominator:,}"
