"""The files of a volume: natives, texts and slip sheets of the documents, the load files, and the list for return."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import around
from protocol.errors import BadCorpus
from protocol.loadfile import volume as loadfile
from protocol.loadfile.volume import Document, Layout, Numbers, Part, SlipSheet, Written
from protocol.production import fields
from protocol.production.manifest import Row
from protocol.production.record import Shown
from protocol.production.register import Numbered


def layout(volume: int, names: dict[str, str]) -> Layout:
    """What the volume with this number looks like."""
    return Layout(name=f"VOL{volume:03}", names=names)


def write(
    folder: Path,
    documents: Sequence[Shown],
    corpus: Corpus,
    *,
    numbers: Numbers,
    looks: Layout,
    progress: Callable[[int], None],
) -> Written:
    """Write the documents into an empty folder."""
    return loadfile.write_volume(folder, _families(documents, corpus, progress), numbers=numbers, layout=looks)


def numbered(documents: Sequence[Shown], corpus: Corpus, begin: int, volume: int) -> list[Numbered]:
    """The numbers of the documents in this volume, in their order."""
    found = []
    for each in documents:
        parts = corpus.parts(each.document)
        found.append(Numbered(document=each.document, begin=begin, parts=parts, volume=volume))
        begin += parts
    return found


def rows(folder: Path, documents: Sequence[Shown], given: Sequence[Numbered], numbers: Numbers) -> list[Row]:
    """The records of a volume that was written, with the files of each."""
    paths = {path.stem: path.relative_to(folder).as_posix() for path in (folder / "NATIVES").rglob("*.*")}
    texts = {path.stem: path.relative_to(folder).as_posix() for path in (folder / "TEXT").rglob("*.*")}
    found = []
    for each, place in zip(documents, given, strict=True):
        for part in range(place.parts):
            number = numbers.named(place.begin + part)
            found.append(
                Row(
                    document=each.document,
                    native=paths.get(number),
                    number=number,
                    part=part,
                    position=each.position,
                    round=each.round,
                    text=texts[number],
                    withheld=part in each.withheld,
                )
            )
    return found


def _families(documents: Sequence[Shown], corpus: Corpus, progress: Callable[[int], None]) -> Iterator[list[Part]]:
    for done, each in enumerate(documents):
        progress(done)
        yield _family(each, corpus)
    progress(len(documents))


def _family(shown: Shown, corpus: Corpus) -> list[Part]:
    """A document with its parts, each open or a slip sheet as the proof of its disclosure has it."""
    number = shown.document
    known = [corpus.fields(number, part) for part in range(corpus.parts(number))]
    if not shown.withheld <= set(range(len(known))):
        raise BadCorpus(f"document {number} in {corpus.path} has fewer parts than the record withholds")
    first = None if 0 in shown.withheld else known[0]
    holding = around([part.log.parent for part in known], shown.withheld)
    return [
        SlipSheet(fields=fields.of_withheld(part), parent=part.log.parent)
        if place in shown.withheld
        else Document(
            fields=fields.of_open(part, first, native=place not in holding),
            text=corpus.part_text(number, place),
            native=None if place in holding else corpus.content(number, place),
            extension=fields.extension(part),
            parent=part.log.parent,
        )
        for place, part in enumerate(known)
    ]
