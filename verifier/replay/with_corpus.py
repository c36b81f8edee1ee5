"""The conditions that only the sealed corpus can show to be broken (specification, "With the corpus")."""

from verifier.checks import Check
from verifier.replay import account
from verifier.replay.condition import Blamed, Condition
from verifier.replay.forms import Kind


def _by_trent(check: Check, sentence: str) -> Condition:
    return Condition(check=check, blames=Blamed.TRENT, sentence=sentence, stops=False)


TRUE_COUNT = _by_trent(Check.TRUTH, "A simulation states how many documents carry the label that it was given")
COMMITTED_NAMES = _by_trent(Check.RANKING, "Alice is told the committed name of each document")
ATTACHED = _by_trent(Check.MODELS, "A model is an attachment: a new one, or that of the batch before")
DUAL = _by_trent(Check.MODELS, "A model has a dual value for each labelled document")
RANKED = _by_trent(Check.RANKING, "A batch holds the documents that its model or its coins choose, in this order")
OPTIMAL = _by_trent(Check.MODELS, "A model's duality gap is at most 10^-12 of its primal value")
NEAR_CUT = _by_trent(
    Check.MODELS, "Trent states how many documents the optimum could put on the other side of the batch's end"
)
TRUE_ROUND = _by_trent(Check.TRUTH, "A simulation states the truth by the labels that it was given")
ROWS = _by_trent(Check.FEATURES, "Feature rows and term table are those of the committed texts, by the specification")

CONDITIONS: dict[str, tuple[Condition, ...]] = {
    Kind.OPEN: (account.LISTED, account.COUNTED, TRUE_COUNT, ROWS),
    Kind.BATCH: (COMMITTED_NAMES, ATTACHED, DUAL, RANKED, OPTIMAL, NEAR_CUT),
    Kind.VALIDATION: (COMMITTED_NAMES,),
    Kind.CALL: (COMMITTED_NAMES,),
    Kind.CLOSED: (TRUE_ROUND,),
}
"""The conditions that the sealed corpus adds to the catalogue, by kind of entry, in the order of trial."""
