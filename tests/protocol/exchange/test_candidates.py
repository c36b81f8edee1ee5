"""Names and terms of Alice's: how a file of them is read, and which documents hold one."""

from dataclasses import replace
from pathlib import Path

import pytest

from protocol.corpus.corpus import Corpus
from protocol.exchange import candidates
from protocol.exchange.candidates import Searched
from protocol.exchange.errors import BadForm
from tests.support import small_corpus
from tests.support.small_corpus import FAMILY


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_file_has_one_name_or_term_a_line(tmp_path: Path) -> None:
    text = "\ufeff# counsel\r\nSmith & Co\r\n\r\n  J. Dœ \nSmith & Co\n#none\nattorney-client\n"
    assert candidates.load(written(tmp_path / "c", text.encode())) == ("Smith & Co", "J. Dœ", "attorney-client")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "names nothing"),
        (b"\n  \n# only a comment\n", "names nothing.*leave out --candidates"),
        (b"Smith\n" + b"n" * 201, "line 2 has 201 characters"),
        ("Smith\n—\n".encode("cp1252"), "not a text in UTF-8"),
        (b"Smith\n & \n", "line 2 has neither a letter nor a digit"),
        (b"".join(b"name %d\n" % each for each in range(1001)), "has 1001 names and terms; at most 1000"),
    ],
)
def test_a_file_that_is_not_clear_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(BadForm, match=reason):
        candidates.load(written(tmp_path / "c", data))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadForm, match="cannot be read"):
        candidates.load(tmp_path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pdf = replace(FAMILY.parts[2], text="Advice of SMITH,\n  Jones & Cie: prices of gas")
    family = replace(FAMILY, parts=(*FAMILY.parts[:2], pdf, FAMILY.parts[3]))
    return small_corpus.make(tmp_path_factory.mktemp("c") / "corpus", [family])


@pytest.mark.parametrize(
    "term",
    ["smith", "Smith Jones", "smith-jones", "GAS", "Ann", "bob@example.org", "the OFFER", "carol", "lunch", "Prüfung"],
)
def test_a_term_is_found_in_the_text_or_the_fields_of_any_part(corpus: Corpus, term: str) -> None:
    assert Searched([term]).found(corpus, 0) == [term]


@pytest.mark.parametrize("term", ["smit", "jones smith", "prices gas", "gas lunch", "PRÜFUNG", "offer see"])
def test_a_term_is_found_as_whole_tokens_in_their_order_and_within_one_text(corpus: Corpus, term: str) -> None:
    assert Searched([term, "gas"]).found(corpus, 0) == ["gas"]


def test_nothing_is_looked_for_without_terms(corpus: Corpus) -> None:
    assert Searched([]).found(corpus, 0) == []


def test_a_row_names_some_terms_and_counts_the_others() -> None:
    assert candidates.quoted(["a", "b"]) == "“a”, “b”"
    assert candidates.quoted(list("abcdefg")) == "“a”, “b”, “c”, “d”, “e” and 2 more"
