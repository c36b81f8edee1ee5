"""Scans: pictures of documents, whose text `ocrmypdf` recognises where it is installed.

It makes a PDF with a text layer of a picture, or adds one to the pages of a PDF that have none, and the reader of PDF
reads the result. Only the text is taken: the original stays what it was.
"""

import subprocess
from functools import cache

from protocol.sources.formats import images
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.programs import Converted, Program, installed, run_program

_READABLE = ("png", "jpg", "tif")
"""What ocrmypdf takes besides PDF."""


def convert(file: File, limits: Limits) -> Converted:
    """A PDF with a text layer."""
    kind = "pdf" if b"%PDF-" in file.content[:1024] else images.suffix(file.content)
    if not installed("ocrmypdf"):
        raise Unextractable(Cause.NEEDS_TOOL, f"a scan ({kind}); {images.REMEDY}")
    if kind not in ("pdf", *_READABLE):
        raise Unextractable(Cause.NEEDS_TOOL, f"ocrmypdf does not take pictures of this kind ({kind}); convert it")
    how = ["--skip-text"] if kind == "pdf" else ["--image-dpi", "300"]
    how += ["--output-type", "pdf", "--optimize", "0", "--jobs", "1", "--quiet"]
    made = run_program(["ocrmypdf", *how, f"input.{kind}", "output.pdf"], f"input.{kind}", file.content, limits)
    content = made.get("output.pdf")
    if not content:
        raise Unextractable(Cause.DAMAGED, "ocrmypdf made nothing of it; get another copy")
    return Converted(file=File(name=f"{file.name}.pdf", content=content), tool=_version(), options=" ".join(how))


@cache
def _version() -> str:
    """Both programs: the one that is run, and the recogniser that it runs."""
    return ", ".join(_told(name) for name in ("ocrmypdf", "tesseract"))


def _told(name: str) -> str:
    try:
        told = subprocess.run(  # noqa: S603 - a fixed command, without a stranger's file
            [installed(name) or name, "--version"], capture_output=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return name
    first = (told.stdout or told.stderr).decode(errors="replace").strip().partition("\n")[0]
    return first if name in first else f"{name} {first}".strip()


PROGRAM = Program(name="ocrmypdf", remedies=Cause.NO_TEXT_LAYER, kinds=(images.NAME, "pdf"), convert=convert)
