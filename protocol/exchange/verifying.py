"""The copy that comes with a question to sign the end, given to the installed verifier.

The verifier runs as a process of its own: no code of this program has a part in its verdict.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ledger import files, progress
from protocol.exchange import filenames
from protocol.exchange.question_file import QuestionFile
from protocol.parties.errors import NotAnswered
from protocol.parties.verdict import Verdict

_MODULE = "verifier"


def verify(question: QuestionFile, out: Path) -> Verdict | None:
    """What the installed verifier says of the copy in a question; None if there is no copy in it.

    The copy is unpacked beside `out`, where the answer is to be, and removed again.
    """
    if filenames.COPY not in question.request.files:
        return None
    with files.unfinished(out) as folder:
        copy = folder / filenames.COPY
        with files.writing(copy):
            folder.mkdir(mode=0o700)
            with copy.open("xb") as stream:
                for piece in question.pieces(filenames.COPY):
                    stream.write(piece)
        return _verdict(_run(copy))


def _run(copy: Path) -> subprocess.CompletedProcess[str]:
    """Run the verifier of this installation, never one from the folder that a person stands in."""
    shows_progress = sys.stderr is not None and sys.stderr.isatty() and not progress.is_quiet()
    try:
        with progress.held():  # it shows its own
            return subprocess.run(  # noqa: S603 - this installation's own program, with a file's name
                [sys.executable, "-P", "-m", _MODULE, "copy", str(copy), "--json"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if shows_progress else subprocess.DEVNULL,
                encoding="utf-8",
                check=False,
            )
    except (OSError, UnicodeDecodeError) as error:
        raise _not_installed(str(error)) from None


def _verdict(ended: subprocess.CompletedProcess[str]) -> Verdict:
    try:
        return _read(json.loads(ended.stdout), ended.returncode)
    except (ValueError, TypeError, LookupError, AttributeError):
        raise _not_installed(f"it ended with code {ended.returncode}, and gave no verdict") from None


def _read(value: Any, exit_code: int) -> Verdict:
    copy, outcomes = value["copy"] or {}, [each["outcome"] for each in value["checks"]]
    return Verdict(
        answer=value["verdict"],
        exit_code=exit_code,
        audience=copy.get("audience", "nobody"),
        matter=copy.get("matter", ""),
        head=copy.get("head", ""),
        root=copy.get("root", ""),
        entries=copy.get("entries", 0),
        passed=outcomes.count("pass"),
        left=outcomes.count("not checked"),
        fault=value["trouble"] or next(map(_finding, value["findings"]), ""),
    )


def _finding(found: Any) -> str:
    where = "" if found["entry"] is None else f", entry {found['entry']}"
    signed = f", signed by {found['party']}" if found["party"] else ""
    return f"{found['check']}{where}{signed}: {found['rule']}. Expected {found['expected']}, found {found['found']}"


def _not_installed(reason: str) -> NotAnswered:
    return NotAnswered(
        f"tallystick-verify, which must verify your copy before you sign the end, could not be run ({reason}). Nothing "
        "was signed. Install tallystick again, with all of its programs, check that `tallystick-verify --version` "
        "works, and run this command again"
    )
