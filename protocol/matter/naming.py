"""Plain words for people: what a party says, instead of the name of its kind, and what a rule guarantees."""

from protocol.matter.statements import Kind
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport

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

_GUARANTEED: dict[str, str] = {
    LabelReport.name: (
        "Of each batch, Bob almost surely gets all responsive documents but for about as many as even the best "
        "threshold through the ranking would get wrong. If Alice leaves out more, a coin finds one, and he gets the "
        "whole batch."
    ),
    ClassifierReport.name: (
        "Of each batch, Bob almost surely gets all responsive documents but for a few: at most three times as many as "
        "the best threshold through the ranking would get wrong."
    ),
}


def guaranteed(protocol: str, exactly: str) -> str:
    """The guarantee of a rule: in plain words first, where its own are those of a paper."""
    plain = _GUARANTEED.get(protocol)
    return exactly if plain is None else f"{plain} Exactly: {exactly}"


def called(kind: str) -> str:
    """An answer by its name; the other kinds are words that people use themselves."""
    return _CALLED.get(kind, kind)
