"""What a page shows of a document: its text in pieces, pictures of its pages, and what it is like."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.roles import Role
from protocol.room import reading
from protocol.sources.source import SourceDocument, SourcePart
from tests.support import small_corpus
from tests.support.exchange_cases import Table
from tests.support.pictured import pictured
from tests.support.rooms import Sitting, sitting

BASIS = "Advice of counsel"
WORDS = " ".join(f"word{each * 7919 % 1009}" for each in range(120))


@given(st.text(alphabet="ab \n", max_size=200), st.integers(0, 40))
def test_the_pieces_of_a_text_are_the_text(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_PIECE", size)
        found = list(reading.pieces(text))
    assert "\n".join(found) == (text if text.strip() else "")
    assert all(len(piece.partition("\n")[0]) <= len(piece) for piece in found)


def test_a_long_text_is_cut_and_a_short_one_is_not() -> None:
    assert len(list(reading.pieces("a line\n" * 100))) == 1
    assert len(list(reading.pieces("a line\n" * 10_000))) > 10


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Sitting:
    """Alice before a question with a PDF, of which pictures were drawn."""
    folder = tmp_path_factory.mktemp("pictures")
    table = pictured(folder)
    return sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))


def test_pictures_of_pages_are_pictures_and_nothing_else(pictures: Sitting) -> None:
    position = next(place for place, name in pictures.documents.items() if name == "a.pdf")
    page = pictures.get(f"/document/{position}").text
    assert "Pictures of 2 pages" in page
    assert f"/q/{pictures.id}/image/{position}/0/2" in page
    for number in (1, 2):
        picture = pictures.get(f"/image/{position}/0/{number}")
        assert (picture.status, picture.header("content-type")) == (200, "image/png")
        assert picture.body.startswith(b"\x89PNG\r\n\x1a\n")
    for wrong in (f"{position}/0/3", f"{position}/0/0", f"{position}/1/1", "99/0/1"):
        assert pictures.get(f"/image/{wrong}").status == 404


def test_a_picture_that_was_changed_is_not_shown(tmp_path: Path) -> None:
    table = pictured(tmp_path)
    question = table.until(Role.ALICE, "report")
    alice = sitting(table, Role.ALICE, question)
    position = next(place for place, name in alice.documents.items() if name == "a.pdf")
    for picture in (question / "images").iterdir():
        picture.write_bytes(b"\x89PNG\r\n\x1a\nsomething else")
    refused = alice.get(f"/image/{position}/0/1")
    assert refused.status == 409
    assert b"something else" not in refused.body


@pytest.fixture
def copies(tmp_path: Path) -> Sitting:
    """Alice before two copies of one text, and something else."""
    texts = {"one.txt": WORDS, "two.txt": WORDS, "other.txt": "something else entirely"}
    documents = [
        SourceDocument(parts=(SourcePart(name=name, content=text.encode(), text=text),), labels=("responsive",))
        for name, text in texts.items()
    ]
    documents = [replace(each, labels=("responsive",)) for each in documents]
    table = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    table.begin(rounds=1, batch=3, protocol="reveal-all", query="")
    return sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))


def test_what_is_alike_is_asked_beside_the_document_and_in_the_list(copies: Sitting) -> None:
    lines = copies.get("/state").json["lines"]
    alike = [line["position"] for line in lines if line["alike"]]
    assert len(alike) == 1
    page = copies.get(f"/document/{alike[0]}").text
    assert 'data-cell="alike/1" data-value="true"' in page
    assert "The same label and claim?" in page
    assert "Like others here" in page


def test_a_claim_for_one_of_two_copies_must_be_meant(copies: Sitting) -> None:
    """The row is open until the person says no; and yes is refused, since it is not what the cells say."""
    copies.decide({f"label/{place}": True for place in copies.documents})
    place = next(place for place, name in copies.documents.items() if name == "one.txt")
    assert copies.missing == []
    copies.decide({f"basis/{place}": BASIS})
    assert len(copies.missing) == 1
    assert "What is alike" in copies.missing[0]
    assert "Something is missing" in copies.get("/sign").text
    copies.decide({"alike/1": True})
    assert len(copies.missing) == 1
    copies.decide({"alike/1": False})
    assert copies.missing == []
    copies.accepted()


def test_a_claim_for_both_copies_needs_no_word(copies: Sitting) -> None:
    copies.decide({f"label/{place}": True for place in copies.documents})
    copies.decide({f"basis/{place}": BASIS for place, name in copies.documents.items() if name != "other.txt"})
    assert copies.missing == []
    copies.accepted()
