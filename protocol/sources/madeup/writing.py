"""How a mail looks on the screen: greeting, paragraphs, signature, and the mail below that it answers."""

import textwrap
from collections.abc import Sequence
from datetime import datetime

from protocol.sources.madeup import business
from protocol.sources.madeup.draws import Draws
from protocol.sources.madeup.people import DOMAIN, FIRM, Person
from protocol.sources.madeup.speech import MONTHS, WEEKDAYS

_WIDTH = 72
_QUOTED = 14  # lines of the mail below that a reply shows


def body(said: Sequence[str], sender: Person, reader: Person, below: str, draws: Draws) -> str:
    """The whole text of a mail."""
    pieces = []
    if draws.below(4):
        pieces.append(draws.among(business.GREETINGS).format(reader.first))
    half = len(said) if len(said) < 4 else 2 + draws.below(len(said) - 3)
    pieces += [textwrap.fill(" ".join(each), _WIDTH) for each in (said[:half], said[half:]) if each]
    pieces.append(_signature(sender, draws))
    if below:
        pieces.append(below)
    return "\n\n".join(pieces) + "\n"


def _signature(sender: Person, draws: Draws) -> str:
    closing = draws.among(business.CLOSINGS)
    name = sender.first
    if draws.one_in(4):
        name = f"{sender.name}\n{FIRM}" if sender.domain == DOMAIN else sender.name
    return f"{closing}\n{name}" if closing else name


def quoted(sender: Person, sent: datetime, text: str) -> str:
    """The start of the mail that is answered, as a reply shows it."""
    lines = text.rstrip("\n").split("\n")
    shown = [f"> {line}".rstrip() for line in lines[:_QUOTED]]
    if len(lines) > _QUOTED:
        shown.append("> [...]")
    return "\n".join([f"On {day(sent)}, {sender.name} wrote:", *shown])


def forwarded(sender: Person, sent: datetime, subject: str, text: str) -> str:
    """The mail that is passed on, whole."""
    head = f"---------- Forwarded message ----------\nFrom: {sender.address}\nDate: {day(sent)}\nSubject: {subject}"
    return f"{head}\n\n{text.rstrip()}"


def day(sent: datetime) -> str:
    """A date as people write it, in every country the same."""
    return f"{WEEKDAYS[sent.weekday()][:3]}, {sent.day} {MONTHS[sent.month - 1][:3]} {sent.year}"
