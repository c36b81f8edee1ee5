"""A matter about a PDF of which pictures were drawn, and a text."""

from dataclasses import replace
from pathlib import Path

from protocol.corpus import build
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.limits import Limits
from protocol.sources.source import Settings
from tests.support.exchange_cases import Table
from tests.support.pdf_files import pages, shown
from tests.support.small_corpus import SECRET


def pictured(folder: Path) -> Table:
    """The matter, signed by all, with pictures of two of the PDF's three pages."""
    source = folder / "in"
    source.mkdir()
    (source / "a.pdf").write_bytes(pages(shown("first page"), shown("second page"), shown("third page")))
    (source / "b.txt").write_text("some other words")
    intake = Intake()
    limits = Settings(limits=Limits(page_images=2), workers=1)
    found = registry.find(source).read(received=intake.received, settings=limits)
    labelled = (replace(each, labels=("responsive",)) for each in intake.take(found))
    made = build.build(labelled, folder / "corpus", secret=SECRET, received=intake.received)
    (folder / "table").mkdir()
    table = Table(folder=folder / "table", corpus=made)
    table.begin(rounds=1, batch=2, protocol="reveal-all", query="")
    return table
