"""README.txt: what a question asks for and what to do, for somebody who has never seen one."""

import textwrap
from dataclasses import dataclass, field

from ledger.plain import shown
from ledger.roles import Role
from protocol.exchange import release
from protocol.exchange.release import Release
from protocol.matter import kinds
from protocol.matter.asking import Decision
from protocol.matter.naming import Telling
from protocol.matter.values import Caption
from protocol.parties.question import ASKED, COSIGN, Request

_READ = """1. Read the documents: open index.html with a double click. It needs no network. The documents
   themselves are in the folder "documents". They come from strangers. Whatever a document is called, its file
   ends in .txt or .eml, so that nothing in it runs when you open it. Do not give it another ending.
"""

_RESPONSIVE = f"""{_READ}\
2. Open labels.csv with a spreadsheet. Write yes or no into the column "responsive" of every row, and change
   nothing else. Save it as CSV (if you are asked, keep the format). It is best to save it under another name in
   another folder."""

_REASON = """
   The column "reason" may stay blank. What you write there goes on record sealed, for Alice, Bob and the court."""

_REASON_IN_CAMERA = """
   The column "reason" may stay blank. What you write there goes on record sealed, for Alice and the court alone:
   Bob does not see it."""

_CLAIMS = """
   If documents are privileged, write the basis of each claim into the column "basis" of privilege.csv, and leave
   the other rows blank. Save it in the same way, and add --privilege privilege.csv to the command below."""

_PARTS = """
   If privilege.csv has a column "parts", documents have several parts, such as the attachments of a mail. The page
   of a document lists them with their numbers; part 0 is the file itself. To claim only some, write the basis, and
   their numbers into the column "parts", such as 1;2. A claim for a part does not cover what is attached to it: name
   that, too. The court then decides on these parts, and whether the document is responsive. If so, Bob gets the
   other parts. To claim the whole document, leave "parts" blank."""

_CLASSES = """
   A document that is not responsive and belongs to one of the classes below can go to the court instead of Bob if
   a coin draws it: write the class into the column "class". The classes are: {0}.
   Leave "basis" blank then. Add --privilege privilege.csv here too."""

_ALIKE = """
   alike.csv has {0}: documents, or parts of them, that equal or nearly equal others of which you have
   said something, or that hold a name or term that you gave Trent. Where it asks whether something is privileged,
   write yes or no into the column "answer". What is privileged needs its basis in privilege.csv, too. Where it asks
   whether a label or claim is the same, leave the cell blank if it is. If it is not and you mean that, write no.
   Save it in the same way, and add --alike alike.csv to the command below. The program signs nothing before all of
   this is clear."""

_CANDIDATES = """
2. If you want to be asked about documents that may be privileged: write the names of counsel and other terms into
   a text file, one a line, and add --candidates FILE to the command below. Trent then marks in your questions what
   holds one of them, and you say yes or no. The list is sealed for you alone; it cannot be given later."""

_LOOK = """1. Open index.html with a double click. It lists all documents that you labelled not responsive and that
   Bob has not been shown. They are not in this package: you have them from the rounds in which you labelled
   them, and the list has the names of their files.
2. If you now find that some of them are responsive, you can give them up. Open withheld.csv with a spreadsheet,
   write yes into the column "give up" of those rows, and leave the other rows blank. Save it as CSV, best under
   another name in another folder. Bob is shown what you give up, as responsive by your own word.
   If you give up nothing, leave --give-up out of the command below.
3. Coins then draw from the others, and Bob is shown what they draw. A responsive document that you give up now
   does not count against you. One that a coin draws does: more must then be drawn."""

_RULED = """\
2. Open labels.csv with a spreadsheet. Write yes or no into every empty cell of the columns "upheld" (is the claim
   of privilege upheld?) and "responsive" (is the document responsive?), whichever the form has. Leave cells
   that say "not asked". Change nothing else. Save it as CSV (if you are asked, keep the format). It is best to save
   it under another name in another folder.
   Bob never gets what is upheld as privileged or not responsive. He gets the others.
   If there is a column "parts upheld", Alice claims only parts of some documents: write the numbers of those that are
   privileged, such as 1;2, or all, or none. If you uphold any, write also whether the document is responsive, the
   privileged parts included. If it is, Bob gets the other parts. If you uphold none, leave "responsive" empty: he
   gets the whole document.{0}
3. These documents are for the court alone. Show them to nobody. When the ruling is made, delete this folder and
   the zip file that it came in."""

_RETURNED = """\
2. Open labels.csv with a spreadsheet. Write yes or no into the column "upheld" of every row: may Alice claw the
   document back? Change nothing else. Save it as CSV (if you are asked, keep the format). It is best to save it under
   another name in another folder.
   Bob was shown these documents. He must return or destroy what is upheld. It still counts as shown.{0}
3. These documents are for the court. Show them to nobody. When the ruling is made, delete this folder and the zip
   file that it came in."""

_RECLAIM = """1. Open index.html with a double click. It lists all documents that Bob was shown. They are not in
   this package: you have them from the rounds in which you labelled them, and the list has the names of their files.
2. If some of them are privileged and should not have been shown, you can ask for them back. Open privilege.csv
   with a spreadsheet, write the basis into the column "basis" of those rows, and leave the other rows blank. Save it
   as CSV, best under another name in another folder. Bob is told which documents you ask back, and on what basis.
   If you ask nothing back, leave --privilege out of the command below.
3. The court then rules on each. Bob must return or destroy what it upholds. A document can be asked back once,
   and only as a whole: redaction is not offered."""

_DECIDE = """1. Decide whether {0}. In the command below, write {1} or {2} in place of DECISION."""

_VERIFIED = """1. Your copy of the record is in this folder: copy.jsonl.gz. The program has tallystick-verify verify it,
   and signs only if nothing is found. The verdict is NOT CLOSED, because the end is not signed yet.
2. Before you confirm, read what the program shows."""

_STEPS: dict[Decision, str] = {
    Decision.NOTHING: "1. Before you confirm, read what the program shows.",
    Decision.TERMS: "1. Before you confirm, read what the program shows.",
    Decision.REPORT: _RESPONSIVE,
    Decision.LABELS: f"{_RESPONSIVE}{_REASON}",
    Decision.UPHELD: f"{_READ}{_RULED.format(_REASON_IN_CAMERA)}",
    Decision.RECLAIM: _RECLAIM,
    Decision.LOOK: _LOOK,
    Decision.CLAIMS: """1. Read the documents if you need to: open index.html with a double click.
2. Write the basis of each claim into the column "basis" of privilege.csv, leave the other rows blank, and save it.
   If nothing is claimed, leave --privilege out of the command below."""
    + _PARTS,
    Decision.GRANT: _DECIDE.format("to grant it", "--grant", "--deny"),
    Decision.ACCEPT: _DECIDE.format("to accept the change", "--accept", "--reject"),
}

_OPTIONS: dict[Decision, str] = {
    Decision.NOTHING: "",
    Decision.TERMS: "",
    Decision.REPORT: " --labels labels.csv",
    Decision.LABELS: " --labels labels.csv",
    Decision.UPHELD: " --upheld labels.csv",
    Decision.CLAIMS: " --privilege privilege.csv",
    Decision.RECLAIM: " --privilege privilege.csv",
    Decision.LOOK: " --give-up withheld.csv",
    Decision.GRANT: " DECISION",  # so that nobody pastes the command without having decided
    Decision.ACCEPT: " DECISION",
}


_HERE = "\0"  # where the names of classes stand, which are not our words
_WIDTH = 115
_COMMAND = 4  # spaces before a line that is to be typed as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What README.txt says besides the request itself."""

    case: str
    caption: Caption | None = None  # the parties' names
    sought: str = ""  # the request for production, which says what is responsive
    about: tuple[str, ...] = ()  # what is to be decided, and what follows from it
    threshold: str | None = None  # how the report is to give a threshold, if the rule asks for one
    classes: tuple[str, ...] = ()  # the sensitive classes that Alice may name in this answer
    alike: int = 0  # how many rows ask about what is like something else
    new_key: str = ""  # the fingerprint, if the party has a new key
    release: Release = field(default_factory=release.installed)  # of the program that writes the question


def text(asked: Request, guide: Guide, documents: int) -> bytes:
    """The file, with line ends that every editor on Windows understands."""
    about = f", round {asked.round}" if asked.round else ""
    count = ""
    if documents:
        count = f"\nThere {'is 1 document' if documents == 1 else f'are {documents} documents'} to read."
    key = "KEY" if guide.new_key else f"{asked.role}.key"
    decision = _decision(asked, documents)
    command = f"tallystick answer QUESTION --key {key}{_OPTIONS[decision]} --out {_answer(asked)}"
    head = f"""{shown(guide.case)}
Matter {asked.matter.hex()}{about}
{_sought(guide.sought) if documents or decision is Decision.LOOK else ""}
"""
    ours = f"""This is a question from Trent, the neutral of the matter, to {asked.role.called}.
It asks {ASKED[asked.kind]}.{count}
{_about(guide.about)}
In the browser
QUESTION is this folder, or the zip file that it came in, and {_key(key, guide)}. Open a
terminal (on Windows: PowerShell) and type:

    tallystick room QUESTION --key {key}

Without a browser
{_steps(asked, guide, decision)}

Then type in a terminal:

    {command}

The program needs no network. It checks that the question comes from Trent and continues the history that you
saw before. It shows what you are about to sign, and asks before it signs. Send the file
{_answer(asked)} back to Trent.

{_installing(guide.release)}
Keep your key, and the folder beside it whose name ends in .memory: there the program remembers what you have
seen and signed. If you change to another computer, copy that folder together with the key.

If the program finds the question at fault, it signs an objection instead of an answer, and says where it is.
Give that file to the court yourself.

Change no file in this folder except the forms, whose names end in .csv: Trent has signed the hash of every file.
"""
    lines = head + _told(ours, guide).replace(_HERE, ", ".join(guide.classes))
    return lines.replace("\n", "\r\n").encode()


def _told(ours: str, guide: Guide) -> str:
    """Our own words with people's names. A line that grows too long by it is broken."""
    lines = []
    for line in Telling(guide.caption).said(ours).split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" ")))
        wrapped = textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        lines += wrapped if len(line) > _WIDTH and len(indent) < _COMMAND else [line]
    return "\n".join(lines)


def _decision(asked: Request, documents: int) -> Decision:
    """What is to be decided: nothing, if a validation drew no document."""
    decision = kinds.decision(asked.kind)
    drawn = documents or decision not in (Decision.REPORT, Decision.CLAIMS)
    return decision if drawn else Decision.NOTHING


def _steps(asked: Request, guide: Guide, decision: Decision) -> str:
    if asked.kind == COSIGN:
        return _VERIFIED
    steps = _STEPS[decision]
    if asked.kind == "returned":
        steps = f"{_READ}{_RETURNED.format(_REASON_IN_CAMERA)}"
    classes = _CLASSES.format(_HERE) if guide.classes and decision is not Decision.NOTHING else ""
    rows = "1 row" if guide.alike == 1 else f"{guide.alike} rows"
    alike = _ALIKE.format(rows) if guide.alike else ""
    if decision is Decision.TERMS and asked.role is Role.ALICE:
        return f"{steps}{_CANDIDATES}"
    if decision is not Decision.REPORT:
        return f"{steps}{classes}{alike}"
    threshold = f"\n{textwrap.indent(guide.threshold, '   ')}" if guide.threshold else ""
    return f"{steps}{threshold}{_CLAIMS}{_PARTS}{classes}{alike}"


def _sought(request_for_production: str) -> str:
    """The request for production, indented."""
    lines = request_for_production.strip().splitlines()
    wrapped = (part for line in lines for part in textwrap.wrap(shown(line), 100) or [""])
    return "".join(["\nWhat is responsive: the request for production\n", *(f"    {line}\n" for line in wrapped)])


def _about(sentences: tuple[str, ...]) -> str:
    lines = (part for sentence in sentences for part in textwrap.wrap(shown(sentence), 105))
    return "".join(["\n", *(f"{line}\n" for line in lines)]) if sentences else ""


def _key(key: str, guide: Guide) -> str:
    if guide.new_key:
        return f"{key} is the file of your new private key, with the fingerprint\n{guide.new_key}"
    return f"{key} is the file of your private key"


def _installing(told: Release) -> str:
    """How to get the program, for somebody who does not have it."""
    known = """It must print the hash that stands in SHA256SUMS, a file of the same release. Take that file from whoever
publishes the program."""
    if told.sha256:
        known = f"""It must print this hash. It comes from Trent, so compare it with one from another source, too:

    {told.sha256}"""
    return f"""If you do not have the program yet: version {told.version} of tallystick wrote this question.
Get the file {told.wheel}, and check its hash before you install it
(on Windows: Get-FileHash):

    sha256sum {told.wheel}

{known}

Then install it with one of these:

    pipx install './{told.wheel}[room]'
    uv tool install './{told.wheel}[room]'

Without [room] the commands work, but not the pages in the browser.

This package holds no program, and nothing in it is ever run. If a program comes with a question, do not run it.
"""


def _answer(asked: Request) -> str:
    return f"{asked.role}-{asked.size}-{asked.kind}.json"
