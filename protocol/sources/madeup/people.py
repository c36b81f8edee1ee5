"""Who writes the mail: people of a made-up energy trader, and some outside of it."""

from dataclasses import dataclass
from functools import cache

FIRM, DOMAIN = "Halden Energy", "halden.example"

_DEPARTMENTS = {
    "treasury": "Dana Whitfield, Marcus Oyelaran, Ruth Calloway, Peter Lindqvist, Joan Beckett, Samir Haddad",
    "accounting": "Helen Marsh, Victor Amaya, Priya Nair, Thomas Grady, Louise Fenn, Omar Siddiqui",
    "trading": "Carl Jessup, Nina Petrov, Drew Halloran, Amy Tran, Ben Okafor, Stacy Munro, Luis Ferrer",
    "operations": "Frank Dorsey, Maria Solis, Glenn Yates, Tess Holloway, Ray Kimball, Anita Rao",
    "legal": "Eleanor Voss, David Stern, Grace Liu, Martin Pryce, Sylvia Burke",
    "regulatory": "Howard Keane, Janet Ames, Colin Webb, Teresa Dunn, Paul Navarro",
    "people": "Wendy Sharpe, Kevin Doyle, Monica Reyes, Ian Prescott, Laura Beale",
    "computing": "Arjun Mehta, Chloe Barnes, Steve Novak, Hana Sato, Todd Fleming",
    "facilities": "Rosa Delgado, Bill Hutchins, Gwen Parry, Earl Simmons, Pam Tilley",
    "marketing": "Jill Carver, Andre Fontaine, Becky Lowe, Neil Ashworth, Sonia Marek",
}
_OUTSIDE = {
    "northgate.example": "Philip Rourke, Karen Ellery, Joshua Tan",  # the bank
    "pellmarsh.example": "Diane Colby, Robert Haas, Mei Huang",  # the auditors
    "ostrowlane.example": "Nathan Ostrow, Claire Lane, Michael Adeyemi",  # outside counsel
    "cayuse.example": "Walter Brandt, Ines Moreau",  # the vehicle
}

CUSTODIANS = (
    *("Dana Whitfield", "Marcus Oyelaran", "Helen Marsh", "Victor Amaya", "Carl Jessup", "Nina Petrov"),
    *("Frank Dorsey", "Eleanor Voss", "Howard Keane", "Wendy Sharpe", "Arjun Mehta", "Jill Carver"),
)
"""Whose mail was collected. Every mail has one of them among its senders and readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who writes and gets mail."""

    name: str
    domain: str

    @property
    def first(self) -> str:
        """What colleagues say."""
        return self.name.split()[0]

    @property
    def address(self) -> str:
        """As a header shows it."""
        return f"{self.name} <{self.name.lower().replace(' ', '.')}@{self.domain}>"

    @property
    def folder(self) -> str:
        """As a custodian's folder is named: surname first."""
        first, last = self.name.lower().split()
        return f"{last}-{first}"

    @property
    def is_custodian(self) -> bool:
        """Whether this person's mail was collected."""
        return self.name in CUSTODIANS


@cache
def department(name: str) -> tuple[Person, ...]:
    """The people of a department, or of a firm outside by its domain."""
    listed, domain = (_DEPARTMENTS[name], DOMAIN) if name in _DEPARTMENTS else (_OUTSIDE[name], name)
    return tuple(Person(name=each, domain=domain) for each in listed.split(", "))


@cache
def custodians() -> tuple[Person, ...]:
    """Those whose mail was collected."""
    return tuple(Person(name=each, domain=DOMAIN) for each in CUSTODIANS)


def departments() -> tuple[str, ...]:
    """Their names."""
    return tuple(_DEPARTMENTS)
