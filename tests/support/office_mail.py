"""A few mails that read like mail, written by hand, for pages that people look at. All names are made up."""

from dataclasses import replace
from pathlib import Path

from protocol.corpus import build
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.source import Settings
from tests.support.exchange_cases import Table
from tests.support.small_corpus import SECRET

DANA, OMAR = "Dana Holt <dholt@acme.example>", "Omar Reyes <oreyes@acme.example>"
PRIYA, LENA = "Priya Nair <pnair@acme.example>", "Lena Voss <lvoss@acme.example>"
COUNSEL = "Martin Keller <keller@kellerroe.example>"

RESPONSIVE: tuple[tuple[str, str, str, str, str], ...] = (
    (
        DANA, OMAR, "12 Mar 2024 09:14", "Gas swaps for the second quarter",
        """Omar,

the fixed leg on the April and May swaps is now at 2.41. I would like to close both before Friday, since the desk in
Houston expects the storage report to move the curve.

Please send me the volumes that are still open, and the counterparties whose limits we have used up. If Northfield is
among them, talk to Lena before anybody calls them.

Dana""",
    ),
    (
        OMAR, DANA, "12 Mar 2024 11:02", "Re: Gas swaps for the second quarter",
        """Dana,

open are 120,000 a day for April and 80,000 for May. Northfield is at its limit, as is Carver. That leaves Bell Street,
who quote two cents more.

I have told nobody outside the desk that these swaps are meant to offset the storage position.

Omar

> Please send me the volumes that are still open, and the counterparties
> whose limits we have used up.""",
    ),
    (
        DANA, COUNSEL, "13 Mar 2024 16:40", "Question about the swap confirmations",
        """Martin,

before we answer Northfield I need your advice. Their confirmation of the March swap has a settlement clause that we did
not agree to on the telephone. Are we bound by it if we do not object within three days?

Please treat this as confidential between us.

Dana Holt""",
    ),
    (
        COUNSEL, DANA, "14 Mar 2024 08:55", "Re: Question about the swap confirmations",
        """Dana,

privileged and confidential. In my view the master agreement decides, not the confirmation. Object in writing today all
the same, and do not discuss the clause with the desk until we have spoken.

Martin Keller
Keller Roe LLP""",
    ),
    (
        LENA, DANA, "14 Mar 2024 15:20", "Limits with Northfield",
        """Dana,

credit will not raise the limit for Northfield before their annual report is out. Until then every new swap with them
has to be netted against the one from January.

Lena""",
    ),
)  # fmt: skip
OTHERS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        PRIYA, DANA, "12 Mar 2024 10:31", "Seating for the new floor",
        "Hello all,\n\nthe plan for the third floor is on the wall beside the kitchen. Please tell me by Thursday if "
        "you need a desk near a window.\n\nPriya",
    ),
    (
        OMAR, PRIYA, "13 Mar 2024 12:05", "Lunch on Friday",
        "Priya,\n\ntwelve people from the desk, two of them vegetarian. The place on Elm Street would be fine.\n\nOmar",
    ),
    (
        LENA, PRIYA, "14 Mar 2024 17:48", "Travel expenses for February",
        "Priya,\n\nthe receipts from the Calgary trip are in your tray. The taxi on the 9th was shared with Omar, so "
        "please take only half of it.\n\nThanks\nLena",
    ),
)  # fmt: skip


def table(folder: Path) -> Table:
    """A matter about these mails, signed by all. Alice is asked about all of them."""
    source = folder / "mail"
    source.mkdir()
    for number, (sender, to, date, subject, text) in enumerate((*RESPONSIVE, *OTHERS), start=1):
        head = f"From: {sender}\nTo: {to}\nDate: {date}:00 +0000\nSubject: {subject}\n"
        (source / f"{number:02}.eml").write_text(f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}\n")
    intake = Intake()
    found = intake.take(registry.find(source).read(received=intake.received, settings=Settings(workers=1)))
    labelled = (
        replace(each, labels=("responsive",) if int(each.name[:2]) <= len(RESPONSIVE) else ()) for each in found
    )
    made = build.build(labelled, folder / "corpus", secret=SECRET, received=intake.received)
    (folder / "table").mkdir()
    found_table = Table(folder=folder / "table", corpus=made)
    found_table.begin(rounds=1, batch=len(RESPONSIVE) + len(OTHERS), query="", protocol="spot-check", rate="0.2")
    return found_table
