"""Plain words for people: what a party says, instead of the name of its kind."""

from protocol.matter.statements import Kind

_CALLED: dict[str, str] = {
    Kind.AGREED: "signature of the terms",
    Kind.DEPOSITED: "signature of the terms",
    Kind.LINK: "link of the coin chain",
    Kind.PRIVILEGE: "rulings on privilege",
    Kind.CLAIM: "late claims of privilege",
    Kind.ORDER: "order on the missing answer",
    Kind.REKEYED: "order on the new key",
    Kind.AMENDED: "answer on the number of rounds",
}


def called(kind: str) -> str:
    """An answer by its name; the other kinds are words that people use themselves."""
    return _CALLED.get(kind, kind)
