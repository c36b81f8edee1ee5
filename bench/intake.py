"""Reading files in the sandbox against the same readers without one, on all cores; and what a mailbox takes in memory.

The floor is a pool of processes that calls the readers in a loop: no limits, no other process for the next file, and
results as pickles. For PDF there are two more floors: PDFium alone, which reads the text of the pages and nothing else,
and PDFium with the pictures of pages, which a build draws by default.

A PDF is read in a process of its own, so what a fork costs on this machine is the least that each PDF costs on top. It
is measured beside the others.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from email.message import EmailMessage
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import pypdfium2

from bench.timing import Runs
from protocol.sources.extractors import Beyond, extract_family, load, programs
from protocol.sources.families import families
from protocol.sources.formats import page_images
from protocol.sources.items import Received
from protocol.sources.limits import Limits
from protocol.sources.opener import Loose
from protocol.sources.parts import File, Unextractable
from protocol.sources.source import Settings
from protocol.workers import pool
from tests.support import officefiles, pdf_files

AIM = 0.8
"""Of the floor's files in the same time."""
RUNS = 3
WORDS = 400  # of one file
_SOME = 8  # files that a process of the floor takes at a time, and that are read before time is taken
_HELPED = {program.remedies for program in programs()}

_BUILD = """
import re, sys
from pathlib import Path
from protocol.cli import main
try:
    main(["corpus", "build", sys.argv[1], "--out", sys.argv[2], "--json"], standalone_mode=False)
finally:
    sys.stdout.flush()
    print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


def run(files: int, messages: int = 0) -> None:
    """Measure on made-up files, on the real ones where they are, and a mailbox at one and at ten times its size."""
    made = {name: [make(number) for number in range(files)] for name, make in KINDS.items()}
    load(())
    for name, given in made.items():
        _compare(f"{files:,} files ({name}) / readers alone", given, extracted)
    _compare(f"{files:,} files (pdf) / PDFium alone", made["pdf"], pdfium_text)
    pictured = made["pdf"][: max(1, files // 10)]
    _compare(f"{len(pictured):,} files (pdf with pictures) / PDFium alone", pictured, pdfium_pictures, pictures=True)
    print(f"{'A process for one file (fork and end)':<58} {1000 * _fork():8.2f} ms")
    if real := _real(every=1 if messages else 8):
        _compare(f"{len(real):,} real files / readers alone", real, extracted)
    if messages:
        small, large = (_peak(size) for size in (messages, 10 * messages))
        name = f"Build a mailbox, {messages:,} and {10 * messages:,} messages"
        each = (large - small) * 1024 / (9 * messages)
        print(f"{name:<58} {small / 1024:6.1f} MiB and {large / 1024:6.1f} MiB  {each:,.0f} bytes a message")


def _compare(name: str, given: Sequence[File], floor: Callable[[File], object], *, pictures: bool = False) -> None:
    """Both sides once their processes have started, since a long build starts them once. Best of several runs."""
    best_work = best_floor = float("inf")
    with ProcessPoolExecutor(pool.cores(), mp_context=get_context("spawn")) as bare:
        list(bare.map(floor, list(given[:_SOME]) * pool.cores()))
        for _ in Runs.of(RUNS):
            start = perf_counter()
            list(bare.map(floor, given, chunksize=_SOME))
            best_floor = min(best_floor, perf_counter() - start)
            best_work = min(best_work, sandboxed(given, pictures=pictures))
    print(
        f"{name:<58} {len(given) / best_work:8,.0f} files/s  floor {len(given) / best_floor:8,.0f} files/s  "
        f"ratio {best_floor / best_work:5.2f}  (aim: {AIM})",
        flush=True,
    )


def sandboxed(given: Sequence[File], *, pictures: bool = False) -> float:
    """The seconds that a build takes to read files up to their parts, once it has begun."""
    settings = Settings(limits=Limits() if pictures else Limits(page_images=0))
    first = list(given[:_SOME]) * pool.cores()
    start = perf_counter()
    read = families((Loose(path=file.name, file=file) for file in (*first, *given)), settings, Received())
    for number, _ in enumerate(read, 1):
        if number == len(first):
            start = perf_counter()
    return perf_counter() - start


def extracted(file: File) -> object:
    """The same without a sandbox."""
    try:
        return extract_family(file, Limits())
    except Exception as error:  # as the sandbox has it: one exception, and the next file
        return str(error)


def pdfium_text(file: File) -> str:
    """The text of a PDF's pages by the library alone."""
    document = pypdfium2.PdfDocument(file.content)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def pdfium_pictures(file: File) -> tuple[str, list[bytes]]:
    """The same with a picture of each page."""
    return pdfium_text(file), list(page_images.render(file.content))


def _fork() -> float:
    """The seconds that a process takes which does nothing, made by one that has all readers loaded."""
    times = []
    for _ in range(50):
        start = perf_counter()
        if not (pid := os.fork()):
            os._exit(0)
        os.waitpid(pid, 0)
        times.append(perf_counter() - start)
    return median(times)


def _words(number: int, count: int = WORDS) -> list[str]:
    random = Random(number)
    return [f"{random.randrange(26**3):x}" for _ in range(count)]


def _mail(number: int) -> File:
    message = EmailMessage()
    message["From"], message["To"] = f"p{number % 50}@a.example", "q@b.example"
    message["Date"], message["Subject"] = "Mon, 01 Jan 2024 10:00:00 +0000", f"number {number}"
    message.set_content(" ".join(_words(number)))
    message.add_attachment(" ".join(_words(-number)), filename="notes.txt")
    return File(name=f"{number}.eml", content=message.as_bytes())


def _docx(number: int) -> File:
    words = _words(number)
    body = "".join(f"<w:p><w:r><w:t>{' '.join(words[at : at + 10])}</w:t></w:r></w:p>" for at in range(0, WORDS, 10))
    return File(name=f"{number}.docx", content=officefiles.docx(body))


def _pdf(number: int) -> File:
    words = _words(number)
    lines = (pdf_files.shown(" ".join(words[at : at + 10]), y=750 - at) for at in range(0, WORDS, 10))
    return File(name=f"{number}.pdf", content=pdf_files.pages(*[b"".join(lines)] * 3))


KINDS: dict[str, Callable[[int], File]] = {"mail": _mail, "docx": _docx, "pdf": _pdf}


def _real(every: int) -> list[File]:
    """One in so many of the real files that need no other program, which would take most of the time."""
    folder = Path(os.environ.get("TALLYSTICK_DATA", "")) / officefiles.DATA
    paths = sorted(folder.iterdir()) if "TALLYSTICK_DATA" in os.environ and folder.is_dir() else []
    given = [File(name=path.name, content=path.read_bytes()) for path in paths[::every]]
    return [file for file in given if not _needs_program(file)]


def _needs_program(file: File) -> bool:
    try:
        found = [cause for part in extract_family(file, Limits()) for cause, _ in part.notes]
    except (Unextractable, Beyond) as error:
        found = [error.cause]
    return not _HELPED.isdisjoint(found)


def _peak(messages: int) -> int:
    """KiB of memory that building a mailbox takes at most in the process that puts the corpus together."""
    with tempfile.TemporaryDirectory() as folder:
        box = Path(folder) / "box.mbox"
        with box.open("wb") as file:
            for number in range(messages):
                file.write(b"From a@x Mon Jan  1 00:00:00 2001\n" + _mail(number).content + b"\n")
        command = [sys.executable, "-c", _BUILD, str(box), str(Path(folder) / "corpus")]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return int(re.findall(r"(\d+)\s*$", said)[-1])
