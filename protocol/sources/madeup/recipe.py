"""The recipe: a firm's mail with a hidden matter in it, as documents or as a folder that a firm would hand over."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from ledger import files
from ledger.hashing import integer, tagged_hash
from protocol.sources.entering import Entered, Entering
from protocol.sources.extractors import extract_family, extractors
from protocol.sources.family import Family
from protocol.sources.limits import Limits
from protocol.sources.madeup import topic
from protocol.sources.madeup.draws import Draws
from protocol.sources.madeup.letters import written
from protocol.sources.madeup.threads import Mail, thread
from protocol.sources.mixture import LABEL, NOISE, counts, kind_at
from protocol.sources.parts import File
from protocol.sources.source import Settings, SourceDocument

__all__ = ["FILES", "LABEL", "LABELS", "QUERY", "REQUEST", "Letter", "entered", "letters", "write"]

QUERY, REQUEST = topic.QUERY, topic.REQUEST
FILES, LABELS = "received", "labels.csv"
"""In the folder that is written: the folders of the custodians, and which documents are responsive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail as a file, and where it lies: once in the folder of each custodian who has it."""

    paths: tuple[str, ...]
    """In order, so that the first gives the document its name."""
    content: bytes
    labels: tuple[str, ...]


def letters(
    *, documents: int, responsive: int, seed: str, noise: Fraction = NOISE, pdf: bool = False
) -> Iterator[Letter]:
    """The mails; exactly `responsive` of them carry the label. Raises at once if they cannot be made.

    With `pdf`, some of the attachments are PDF. Their text, and pictures of their pages, come from a library, so that
    the corpus that is built of them may differ from machine to machine.
    """
    left = counts(documents, responsive, noise)
    root = tagged_hash("made-up-mail", seed.encode(), integer(documents), integer(responsive), str(noise).encode())
    return (_letter(number, mail) for number, mail in enumerate(_mails(root, left, pdf=pdf), 1))


def _mails(root: bytes, left: list[int], *, pdf: bool) -> Iterator[Mail]:
    number = 0
    while any(left):
        number += 1
        draws = Draws(root, number)
        kind = kind_at(left, draws.below(sum(left)))
        for mail in thread(kind, left[kind], f"{root[:3].hex()}.{number:05}", draws, pdf=pdf):
            left[kind] -= 1
            yield mail


def _letter(number: int, mail: Mail) -> Letter:
    name = f"{mail.sent:%Y-%m-%d}-{number:05}.eml"
    paths = sorted(f"{each.folder}/{name}" for each in mail.kept_by)
    return Letter(paths=tuple(paths), content=written(mail), labels=mail.kind.labels)


def entered(*, documents: int, responsive: int, seed: str, noise: Fraction = NOISE) -> Iterator[Entered]:
    """The corpus as if it had been read from a folder, without the detour: documents, and items for the account.

    Our own mail needs no sandbox.
    """
    made = letters(documents=documents, responsive=responsive, seed=seed, noise=noise)
    table, limits, entering = extractors(), Limits(), Entering("", Settings())
    for letter in made:
        parts = extract_family(File(name=letter.paths[0].rpartition("/")[2], content=letter.content), limits, table)
        copies = [Family(path=each, parts=parts, custodian=each.partition("/")[0]) for each in letter.paths]
        for each in entering.take(copies):
            yield replace(each, labels=letter.labels) if isinstance(each, SourceDocument) else each


def write(
    out: Path,
    *,
    documents: int,
    responsive: int,
    seed: str,
    noise: Fraction = NOISE,
    pdf: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """The folder, whole or not at all: a folder for each custodian, and a table of the labels beside them."""
    made = letters(documents=documents, responsive=responsive, seed=seed, noise=noise, pdf=pdf)
    labels = io.StringIO()
    table = csv.writer(labels)
    table.writerow(["id", "labels"])
    with files.writing(out), files.new_folder(out) as folder:
        for number, letter in enumerate(made, 1):
            for path in letter.paths:
                (folder / FILES / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / FILES / path).write_bytes(letter.content)
            table.writerow([letter.paths[0], ";".join(letter.labels)])
            if number % 100 == 0:
                progress(number)
        (folder / LABELS).write_text(labels.getvalue(), "ascii", newline="")
