"""The disclosure statement: what was received, opened and left out, and how the texts were read."""

from ledger.roles import Role
from protocol.papers import caption
from protocol.papers.ground import ALICE, Ground, counted
from protocol.papers.paper import Blank, Items, Paper, Piece, Rows, Section

_MOST_TOOLS = 100


def statement(ground: Ground) -> Paper:
    """The draft, for the neutral to sign."""
    return Paper(
        name="disclosure-statement",
        title="STATEMENT OF WHAT WAS RECEIVED FOR THE REVIEW",
        front=(
            *caption.front(ground),
            "The Neutral states what was received, what became of it, and how the texts of the documents were made. "
            "The counts are those to which the record commits in its first entry.",
        ),
        sections=(
            _received(ground),
            _left_out(ground),
            _entered(ground),
            _read(ground),
            _fixed(ground),
            _not_said(),
            Section(heading="Signature", pieces=(Blank(caption.sign_here(ground.name(Role.TRENT))),)),
        ),
    )


def _received(ground: Ground) -> Section:
    account = ground.account
    rows = (
        ("What became of the items", "Number"),
        ("Items received, also inside containers", f"{account.items:,}"),
        ("Containers (mailboxes, archives, load files), which were opened", f"{account.containers:,}"),
        ("Exceptions, which could not enter", f"{account.exceptions:,}"),
        ("Families", f"{account.families:,}"),
        ("of these, duplicates of a family that entered", f"{account.duplicates:,}"),
        ("of these, entered", f"{account.entered:,}"),
    )
    return Section(
        heading="What was received",
        pieces=(
            "An item is a file that was received, or that was found in a container. A family is a file with what is "
            "attached to it or inside it.",
            Rows(rows),
            f"The sums add up: {account.items:,} items are {account.containers:,} containers, {account.exceptions:,} "
            f"exceptions and {account.families:,} families; of the families {account.duplicates:,} are duplicates and "
            f"{account.entered:,} entered.",
        ),
    )


def _left_out(ground: Ground) -> Section:
    account = ground.account
    if not account.exceptions:
        return Section(heading="What was left out, and why", pieces=("No item was left out.",))
    ordered = sorted(account.reasons.items(), key=lambda each: (-each[1], each[0]))
    rows = (("Reason", "Items"), *((reason, f"{number:,}") for reason, number in ordered))
    return Section(
        heading="What was left out, and why",
        pieces=(
            f"{counted(account.exceptions, 'item')} could not enter the review:",
            Rows(rows),
            f"Each of them is named in the list of all items, which is sealed for {ALICE} and the Court. [The Neutral: "
            "what was tried, and what would be needed to read them.]",
        ),
    )


def _entered(ground: Ground) -> Section:
    account, corpus = ground.account, ground.corpus
    unit = (
        "A family is reviewed as one document."
        if corpus.unit == "family"
        else "Each file of a family is a document of its own."
    )
    facts = [
        f"{counted(corpus.documents, 'document')} with {counted(account.parts, 'part')} entered the review. {unit}",
        f"{counted(account.unread, 'part')} {'has' if account.unread == 1 else 'have'} no text.",
        f"{counted(account.custodians, 'custodian')} {'is' if account.custodians == 1 else 'are'} named. [The Neutral "
        "or counsel: their names, if they are to be disclosed.]",
    ]
    if account.first:
        facts.append(f"The dates of the parts that have one run from {account.first} to {account.last}.")
    facts.append(
        "Duplicates were found by comparing whole families: files by their content, mails by sender, recipients, date, "
        "subject, body and attachments. What is equal entered once, with the custodians and paths of all copies."
    )
    return Section(heading="What entered", pieces=tuple(facts))


def _read(ground: Ground) -> Section:
    pieces: list[Piece] = [
        "The text by which documents are ranked was extracted from the files. Which tool made the text of a part, with "
        "which options, is committed together with that part, and can be repeated with the sealed documents."
    ]
    if ground.tools is not None:
        named = list(ground.tools.items())
        rows = [("Tool", "Options", "Parts")]
        rows += [(tool or "not stated", options, f"{number:,}") for (tool, options), number in named[:_MOST_TOOLS]]
        rest = sum(number for _, number in named[_MOST_TOOLS:])
        pieces.append(Rows((*rows, *([("others", "", f"{rest:,}")] if rest else []))))
    else:
        pieces.append("[The Neutral: draft this statement with the corpus to have the tools listed here.]")
    protections = ground.account.protections
    if protections:
        pieces.append("While files were read, this kept them from harming the machine, or from reaching anything else:")
        pieces.append(Items(protections))
    else:
        pieces.append("The account states no protection of the machine that read the files.")
    return Section(heading="How the texts were read", pieces=tuple(pieces))


def _fixed(ground: Ground) -> Section:
    return Section(
        heading="How this is fixed",
        pieces=(
            f"The list of all items has the SHA-256 {ground.account.list.hex()}.",
            f"The documents are fixed by the corpus root {ground.corpus.root.hex()}.",
            "Both stand in the first entry of the record, which all parties sign. With the sealed documents, "
            "tallystick-verify counts everything again (check V30).",
        ),
    )


def _not_said() -> Section:
    return Section(
        heading="What this statement does not say",
        pieces=(
            "It says nothing about documents that the Neutral never received, and nothing about how they were "
            "collected. [Counsel for the party that handed them over: a statement of its own on custodians, sources "
            "and searches.]",
            "It does not say that every text was extracted correctly.",
        ),
    )
