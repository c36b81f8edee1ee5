"""Pictures of pages on their way to the parties: they are those that were drawn when the corpus was made."""

from dataclasses import replace
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import IMAGES
from protocol.errors import BadCorpus
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.limits import Limits
from protocol.sources.pictures import PAGE_IMAGES
from protocol.sources.problems import Cause
from protocol.sources.source import Settings
from tests.support.exchange_cases import Table
from tests.support.forging.questions import given, refused, signed_again
from tests.support.pdf_files import pages, shown
from tests.support.small_corpus import SECRET

PDF = pages(shown("first page"), shown("second page"), shown("third page"))
PNG = b"\x89PNG\r\n\x1a\n"


def built(folder: Path, most: int = 2) -> tuple[Corpus, Intake]:
    """A corpus of a PDF, a mail with the same PDF, and a text."""
    source = folder / "in"
    source.mkdir(parents=True)
    (source / "a.pdf").write_bytes(PDF)
    (source / "b.txt").write_text("some other words")
    mail = b"From: a@x\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nContent-Type: multipart/mixed; boundary=b\n\n"
    (source / "c.eml").write_bytes(mail + b"--b\n\nwords\n--b\nContent-Type: application/pdf\n\n" + PDF + b"\n--b--\n")
    intake = Intake()
    found = registry.find(source).read(
        received=intake.received, settings=Settings(limits=Limits(page_images=most), workers=1)
    )
    labelled = (replace(each, labels=("responsive",)) for each in intake.take(found))
    return build.build(labelled, folder / "corpus", secret=SECRET, received=intake.received), intake


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return built(tmp_path_factory.mktemp("pictures"))[0]


def by_name(corpus: Corpus) -> dict[str, int]:
    return {corpus.name(document): document for document in range(corpus.size)}


def test_each_pdf_has_as_many_pictures_as_were_asked_for_and_nothing_else_has_any(corpus: Corpus) -> None:
    numbers = by_name(corpus)
    pictures = corpus.images(numbers["a.pdf"])
    assert [each[:8] for each in pictures] == [PNG, PNG]
    assert pictures[0] != pictures[1]
    assert corpus.images(numbers["c.eml"], 1) == pictures
    assert corpus.images(numbers["c.eml"]) == corpus.images(numbers["b.txt"]) == ()
    assert PAGE_IMAGES not in corpus.fields(numbers["b.txt"]).rest.fields


def test_without_pictures_a_corpus_has_neither_their_files_nor_their_field(tmp_path: Path) -> None:
    made, _ = built(tmp_path, most=0)
    assert not list(made.path.rglob("images*"))
    assert all(PAGE_IMAGES not in made.fields(each).rest.fields for each in range(made.size))


def test_pictures_that_were_changed_exchanged_or_removed_are_found(tmp_path: Path) -> None:
    made, _ = built(tmp_path)
    number = by_name(made)["a.pdf"]
    path = made.shards[0].path / IMAGES
    whole = path.read_bytes()
    for changed in (b"\0" + whole[1:], whole[:-1], b""):
        path.write_bytes(changed)
        with pytest.raises(BadCorpus, match="not those that were sealed"):
            made.images(number), made.images(by_name(made)["c.eml"], 1)
    path.unlink()
    with pytest.raises(BadCorpus, match="cannot be read"):
        made.images(number)


def test_a_pdf_that_cannot_be_drawn_keeps_its_text_and_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("protocol.sources.families.encode_drawing", lambda _: b"Dnot a PDF")
    made, intake = built(tmp_path)
    assert "first page" in made.text(by_name(made)["a.pdf"])
    noted = [each for each in intake.listed if "pictures of only 0 pages" in each.detail]
    assert [each.cause for each in noted] == [Cause.UNREAD_PART] * 2
    assert not list(made.path.rglob("images*"))


@pytest.fixture
def table(tmp_path: Path, corpus: Corpus) -> Table:
    made = Table(folder=tmp_path, corpus=corpus)
    made.begin(rounds=1, batch=3, protocol="reveal-all", query="")
    return made


def test_the_page_of_a_pdf_shows_its_pictures_and_a_changed_missing_or_added_one_is_refused(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    names = sorted(path.name for path in (asked / "images").iterdir())
    assert len(names) == 4
    loose = next(name for name in names if len(name) == len("0001-p001.png"))
    place = loose.partition("-")[0]
    page = (asked / "pages" / f"{place}.html").read_text()
    assert "Pictures of its pages: 2 of 3" in page
    assert "img-src 'self' file:" in page.replace("&#x27;", "'")
    assert "img-src" not in (asked / "index.html").read_text()
    assert f'<img src="../images/{loose}" alt="Page 1" loading="lazy">' in page
    assert PAGE_IMAGES.replace("_", " ").capitalize() not in page
    second = f"images/{place}-p002.png"
    cases: list[dict[str, bytes | None]] = [
        {f"images/{loose}": PNG + b"another"},
        {second: None},
        {f"images/{place}-p003.png": PNG},
    ]
    for changed in cases:
        forged = signed_again(table, asked, changed)
        assert "are not those that were sealed with it" in refused(table, Role.ALICE, forged, *given(table, asked))
    forged = signed_again(table, asked, {"images/0009-p001.png": PNG})
    assert "does not show what is proven" in refused(table, Role.ALICE, forged, *given(table, asked))
    table.accept(table.truthful(Role.ALICE, asked))
    wave = table.until(Role.BOB, "labels")
    assert len(list((wave / "images").iterdir())) == 4
    table.accept(table.truthful(Role.BOB, wave))
