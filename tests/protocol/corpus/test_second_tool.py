"""The texts of real files, compared with those of other programs: few of their words are missing in ours.

Each floor is a share of the other program's different words, over all files that both can read. Most of what is missing
is no word of the document: other programs write codes of fields, signs for pictures and today's date, number the axes
of charts, and take damaged bytes for letters. Two things are lost: old charts (Microsoft Graph) have no text, and
LibreOffice computes the fields of a .doc again instead of showing what they said.
"""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from protocol.sources.families import families
from protocol.sources.family import Family
from protocol.sources.items import Received
from protocol.sources.opener import Loose
from protocol.sources.parts import File
from protocol.sources.source import Settings
from tests.support.officefiles import real_files

WORD = re.compile(r"[^\W_]{2,}")
SECONDS = 300
OLD = 5
"""Old Office files that are compared: each takes LibreOffice three seconds."""


def needed(*programs: str) -> None:
    absent = [name for name in programs if not shutil.which(name)]
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")


def plain(text: str) -> str:
    """Small letters, without the ligatures and optional hyphens that programs treat differently."""
    return unicodedata.normalize("NFKC", text).lower().replace("\xad", "")


def said(program: Sequence[str | Path]) -> str:
    done = subprocess.run(program, capture_output=True, timeout=SECONDS, check=False)
    return done.stdout.decode(errors="replace")


def ours(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The text of each file that can be read, with what is in it."""
    given = [Loose(path=str(path), file=File(name=path.name, content=path.read_bytes())) for path in paths]
    for found in families(given, Settings(), Received()):
        if isinstance(found, Family):
            yield Path(found.path), "\n".join(part.text for part in found.parts)


def converted(paths: Sequence[Path], target: str, folder: Path) -> dict[Path, Path]:
    """What LibreOffice makes of files, all in one run, with a home folder of its own."""
    home = f"-env:UserInstallation={(folder / 'home').as_uri()}"
    said(["soffice", home, "--headless", "--convert-to", target, "--outdir", folder, *paths])
    ending = target.partition(":")[0]
    return {path: made for path in paths if (made := folder / f"{path.stem}.{ending}").exists()}


def share(pairs: Iterator[tuple[Path, str, str]]) -> float:
    """How many of the other program's words are in our texts; those that we split or join are."""
    found = total = 0
    for _, mine, theirs in pairs:
        known, letters = set(WORD.findall(plain(mine))), re.sub(r"[\W_]+", "", plain(mine))
        words = set(WORD.findall(plain(theirs)))
        found += sum(word in known or word in letters for word in words)
        total += len(words)
    assert total > 100, "nothing was compared"
    return found / total


@pytest.mark.slow
def test_no_more_than_one_word_of_a_hundred_that_poppler_reads_in_a_pdf_is_missing() -> None:
    needed("pdftotext")
    read = ours(real_files(".pdf"))
    assert share((path, text, said(["pdftotext", "-enc", "UTF-8", path, "-"])) for path, text in read) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "floor"), [(("antiword", "-m", "UTF-8.txt"), 0.95), (("catdoc", "-d", "utf-8"), 0.93)]
)
def test_few_words_that_others_read_in_a_doc_are_missing(program: tuple[str, ...], floor: float) -> None:
    needed("soffice", program[0])
    read = ours(real_files(".doc")[:OLD])
    assert share((path, text, said([*program, path])) for path, text in read) >= floor


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "target", "floor"),
    [(".docx", "txt:Text (encoded):UTF8", 0.99), (".rtf", "txt:Text (encoded):UTF8", 0.99), (".xlsx", "csv", 0.99)],
)
def test_few_words_that_libreoffice_reads_are_missing(suffix: str, target: str, floor: float, tmp_path: Path) -> None:
    needed("soffice")
    paths = real_files(suffix)
    made = converted(paths, target, tmp_path)
    read = ((path, text, made[path].read_text(errors="replace")) for path, text in ours(paths) if path in made)
    assert share(read) >= floor


@pytest.mark.slow
def test_few_words_that_libreoffice_draws_on_slides_are_missing(tmp_path: Path) -> None:
    needed("soffice", "pdftotext")
    paths = real_files(".pptx")
    made = converted(paths, "pdf", tmp_path)
    read = (
        (path, text, said(["pdftotext", "-enc", "UTF-8", made[path], "-"]))
        for path, text in ours(paths)
        if path in made
    )
    assert share(read) >= 0.9
