"""Numbers with their nouns, and the verb that goes with a number."""

_SINGULAR = {
    "answers and disputes": "answer or dispute",
    "batches": "batch",
    "claimed documents": "claimed document",
    "entries": "entry",
    "escalations and second looks": "escalation or second look",
    "requests and answers": "request or answer",
    "second answers on record": "second answer on record",
    "stamps and proofs on record": "stamp or proof on record",
}


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith(('ch', 's')) else 's'}"


def counted(number: int, nouns: str) -> str:
    """A number with a noun that is given in the plural."""
    return f"1 {_SINGULAR.get(nouns, nouns.removesuffix('s'))}" if number == 1 else f"{number} {nouns}"


def be(number: int) -> str:
    """What so many of them do now."""
    return "is" if number == 1 else "are"


def were(number: int) -> str:
    """What so many of them did."""
    return "was" if number == 1 else "were"


def have(number: int) -> str:
    """What so many of them do with their parts."""
    return "has" if number == 1 else "have"


def more(number: int) -> str:
    """So many that a table leaves out."""
    return f"{number} more {be(number)} in the record"
