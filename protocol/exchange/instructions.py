"""README.txt: what a question asks for, in plain words, for somebody who has never seen one."""

from ledger.roles import Role
from protocol.exchange import request
from protocol.exchange.request import Request
from protocol.matter.statements import Kind

ASKED: dict[str, str] = {
    Kind.AGREED: "to sign the terms of the matter",
    Kind.DEPOSITED: "to sign the terms of the matter, and to keep the deposited roots of the three coin chains",
    Kind.LINK: "for the next link of the coin chain",
    Kind.REPORT: "to say of each document of a batch whether it is responsive",
    Kind.PRIVILEGE: "to rule on claims of privilege",
    Kind.CLAIM: "which documents are claimed as privileged after the report",
    Kind.LABELS: "to say of each document that was disclosed whether it is responsive",
    Kind.RULINGS: "to rule on the documents on which the parties disagree",
    Kind.ORDER: "for an order, because a party does not answer",
    Kind.REKEYED: "for an order on a new key of a party",
    Kind.AMENDED: "to accept or reject another number of rounds",
    request.COSIGN: "to cosign the record as it stands",
}
"""What each kind of answer is for."""

_RESPONSIVE = """1. Read the documents: open index.html with a double click. It needs no network. The documents
   themselves are in the folder "documents"; they come from strangers, so open them with the usual care.
2. Open labels.csv with a spreadsheet. Write yes or no into the column "responsive" of every row, and change
   nothing else. Save it as CSV (if you are asked: keep the format), best under a name of its own in another
   folder."""

_THRESHOLD = """
   Where the terms ask for a threshold, fill in the rows from the first down to the threshold R only, and add
   --threshold R below."""

_CLAIMS = """
   If documents are privileged, write the basis of the claim into the column "basis" of privilege.csv, leave
   the other rows blank, save it likewise, and add --privilege privilege.csv below."""

_STEPS: dict[str, str] = {
    Kind.REPORT: f"{_RESPONSIVE}{_THRESHOLD}{_CLAIMS}",
    Kind.LABELS: _RESPONSIVE,
    Kind.RULINGS: _RESPONSIVE,
    Kind.PRIVILEGE: _RESPONSIVE.replace('"responsive"', '"upheld"'),
    Kind.CLAIM: """1. Read the documents if you need to: open index.html with a double click.
2. Write the basis of each claim into the column "basis" of privilege.csv, leave the other rows blank, and save it. If
   nothing is claimed, leave --privilege out below.""",
    Kind.ORDER: "1. Decide whether the order is granted: give --grant or --deny below.",
    Kind.REKEYED: "1. Decide whether the new key is granted: give --grant or --deny below.",
    Kind.AMENDED: "1. Decide whether you accept the change: give --accept or --reject below.",
}

_OPTIONS: dict[str, str] = {
    Kind.REPORT: " --labels labels.csv",
    Kind.LABELS: " --labels labels.csv",
    Kind.RULINGS: " --labels labels.csv",
    Kind.PRIVILEGE: " --upheld labels.csv",
    Kind.CLAIM: " --privilege privilege.csv",
    Kind.ORDER: " --grant",
    Kind.REKEYED: " --grant",
    Kind.AMENDED: " --accept",
}


def text(asked: Request, case: str, documents: int) -> bytes:
    """The file, with line ends that every editor on Windows shows."""
    about = f", round {asked.round}" if asked.round else ""
    count = f"\nThere are {documents} documents to read." if documents else ""
    who = "the court" if asked.role is Role.COURT else asked.role.value.capitalize()
    steps = _STEPS.get(asked.kind, "1. Nothing has to be read or filled in.")
    command = f"tallystick answer QUESTION --key {asked.role}.key{_OPTIONS.get(asked.kind, '')} --out {_answer(asked)}"
    lines = f"""{case}
Matter {asked.matter.hex()}{about}

This is a question by Trent, the neutral of the matter, to {who}.
It asks {ASKED[asked.kind]}.{count}

What to do
{steps}
Then, in a terminal (on Windows: PowerShell), where QUESTION is this folder, or the zip file it came in:

    {command}

The program needs no network. It checks that the question is Trent's and continues the history that you saw
before, shows what is about to be signed, and asks before it signs. Send the file {_answer(asked)}
back to Trent. Keep your key, and the folder beside it whose name ends in .memory: the program remembers there
what it has seen and signed.

Change no file in this folder but labels.csv and privilege.csv: the signed request names the hash of each.
"""
    return lines.replace("\n", "\r\n").encode()


def _answer(asked: Request) -> str:
    return f"{asked.role}-{asked.size}-{asked.kind}.json"
