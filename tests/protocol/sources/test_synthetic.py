"""The synthetic corpus: the same bytes from the same arguments, as many responsive documents as asked for, and a
topic that can be learnt, but never wholly.
"""

import gzip
import json
from collections import Counter
from email import message_from_string
from email.utils import parsedate_to_datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import Refused
from protocol.errors import BadSource
from protocol.sources import registry, synthetic, synthetic_words
from protocol.sources.source import SourceDocument

PINNED = "9bb8e334b8480e286e52a0500f0eb49809ed448eb728d98224948be2eb45fc6a"


def make(
    documents: int = 300, responsive: int = 40, seed: str = "a", noise: Fraction = synthetic.NOISE
) -> list[SourceDocument]:
    return list(synthetic.documents(documents=documents, responsive=responsive, seed=seed, noise=noise))


def test_the_documents_are_these_on_every_machine() -> None:
    digest = sha256()
    for document in make(documents=2000, responsive=100, seed="pinned"):
        digest.update(repr((document.name, document.text, document.labels)).encode())
    assert digest.hexdigest() == PINNED


def test_other_arguments_make_other_documents() -> None:
    made = [make(), make(seed="b"), make(responsive=41), make(documents=301), make(noise=Fraction(1, 10))]
    texts = [document.text for documents in made for document in documents]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_the_file_reads_back_as_the_documents_and_is_written_alike_each_time(tmp_path: Path, name: str) -> None:
    files = [tmp_path / "one" / name, tmp_path / "two" / name]
    for path in files:
        path.parent.mkdir()
        synthetic.write(path, documents=300, responsive=40, seed="a")
        assert [entry.name for entry in path.parent.iterdir()] == [name]
    assert files[0].read_bytes() == files[1].read_bytes()
    if name.endswith(".gz"):
        assert files[0].read_bytes()[3:8] == bytes(5), "neither a name nor a time"
    read = [each for each in registry.find(files[0]).read() if isinstance(each, SourceDocument)]
    assert [(each.name, each.content, each.text, each.labels) for each in read] == [
        (each.name, each.content, each.text, each.labels) for each in make()
    ]


def test_each_line_holds_id_text_and_labels(tmp_path: Path) -> None:
    synthetic.write(tmp_path / "s.jsonl.gz", documents=50, responsive=5, seed="a")
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "s.jsonl.gz").read_bytes()).splitlines()]
    assert [line["id"] for line in lines] == [f"mail-{number:07}" for number in range(50)]
    assert all(sorted(line) == ["id", "labels", "text"] for line in lines)
    assert Counter(map(tuple, (line["labels"] for line in lines))) == {(): 45, ("responsive",): 5}


def test_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("mine")
    with pytest.raises(Refused, match="exists already"):
        synthetic.write(path, documents=50, responsive=5, seed="a")
    assert path.read_text() == "mine"


def test_an_interrupted_writer_leaves_nothing(tmp_path: Path) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthetic.write(tmp_path / "s.jsonl", documents=2000, responsive=5, seed="a", progress=stop)
    assert not list(tmp_path.iterdir())


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(10, 60), st.sampled_from(["0", "0.05", "0.5", "1"]), st.text(max_size=5))
def test_exactly_as_many_as_asked_for_are_responsive(data: st.DataObject, size: int, noise: str, seed: str) -> None:
    responsive = data.draw(st.integers(1, size - 1))
    seed = seed.encode(errors="replace").decode()
    made = make(size, responsive, seed, Fraction(noise))
    assert len(made) == len({document.name for document in made}) == size
    assert sum("responsive" in document.labels for document in made) == responsive


@pytest.mark.parametrize(
    ("documents", "responsive", "noise", "reason"),
    [
        (9, 3, "0", "the smallest has 10"),
        (10, 0, "0", "0 of 10 documents cannot be responsive; from 1 to 9 can"),
        (10, 10, "0", "10 of 10 documents cannot be responsive"),
        (10, 11, "0", "11 of 10 documents cannot be responsive"),
        (10, -1, "0", "-1 of 10 documents cannot be responsive"),
        (10, 3, "1.1", "the noise is 11/10"),
        (10, 3, "-0.1", "the noise is -1/10"),
    ],
)
def test_what_cannot_be_made_is_refused_at_once(documents: int, responsive: int, noise: str, reason: str) -> None:
    with pytest.raises(BadSource, match=reason):
        synthetic.documents(documents=documents, responsive=responsive, seed="a", noise=Fraction(noise))


def test_a_document_looks_like_mail() -> None:
    for document in make():
        assert document.content == document.text.encode("ascii")
        mail = message_from_string(document.text)
        assert set(mail.keys()) == {"From", "To", "Date", "Subject"}
        date = parsedate_to_datetime(mail["Date"])
        assert 1999 <= date.year <= 2001
        assert mail["Date"].startswith(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][date.weekday()])
        assert "@tally.example" in mail["From"]
        assert 20 <= len(str(mail.get_payload()).split()) <= 130


def topic_words(document: SourceDocument) -> int:
    telling = set(synthetic_words.TOPICS.split())
    return sum(word.strip(".").lower() in telling for word in document.text.split("\n\n", 1)[1].split())


def test_the_topic_shows_in_most_responsive_documents_and_in_some_others() -> None:
    made = make(documents=4000, responsive=400)
    counts = {
        label: [topic_words(document) for document in made if bool(document.labels) is label] for label in (True, False)
    }
    often = {label: sum(count >= 3 for count in found) for label, found in counts.items()}
    assert 0.75 * 400 < often[True] < 0.95 * 400
    assert 0.02 * 3600 < often[False] < 0.15 * 3600


def test_noise_is_the_share_of_labels_that_the_text_does_not_bear_out() -> None:
    def speak_of_it(noise: str, *, labelled: bool) -> int:
        made = make(documents=4000, responsive=400, noise=Fraction(noise))
        return sum(topic_words(document) >= 4 for document in made if bool(document.labels) is labelled)

    assert speak_of_it("0.5", labelled=True) < 0.7 * speak_of_it("0", labelled=True)
    assert speak_of_it("0.5", labelled=False) > speak_of_it("0", labelled=False) + 50


def test_the_query_finds_a_good_part_of_the_responsive_documents_and_others_too() -> None:
    assert set(synthetic.QUERY.split()) <= set(synthetic_words.TOPICS.split())
    query = set(synthetic.QUERY.split())
    made = make(documents=4000, responsive=80)
    hits = [document for document in made if query & set(document.text.lower().replace(".", " ").split())]
    found = sum(bool(document.labels) for document in hits)
    assert 0.3 * 80 < found < 0.8 * 80
    assert found < len(hits) < 4000 / 5


def test_every_department_has_a_table_of_all_slots_and_words_of_its_own() -> None:
    tables = [synthetic_words.table(number) for number in range(synthetic_words.DEPARTMENTS)]
    assert {len(table) for table in tables} == {synthetic_words.SLOTS}
    words = set().union(*tables)
    assert 50_000 < len(words) < 100_000
    assert set(synthetic_words.TOPICS.split()) | set(synthetic_words.COMMON.split()) <= set(tables[0])
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert Counter(tables[0]).most_common(1)[0][0] == "the"


def test_made_up_words_are_all_different() -> None:
    for syllables in (1, 2):
        assert len({synthetic_words.made_up(number, syllables) for number in range(75**syllables)}) == 75**syllables
    assert len({synthetic_words.made_up(number) for number in range(0, 75**3, 7)}) == len(range(0, 75**3, 7))


@pytest.mark.slow
def test_a_learner_finds_most_of_the_topic_and_never_all_of_it() -> None:
    text, svm = pytest.importorskip("sklearn.feature_extraction.text"), pytest.importorskip("sklearn.svm")
    made = make(documents=20_000, responsive=400)
    true = [bool(document.labels) for document in made]
    rows = text.TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(document.text for document in made)
    query = set(synthetic.QUERY.split())
    hits = [n for n, document in enumerate(made) if query & set(document.text.lower().replace(".", " ").split())]
    reviewed = hits[:200]
    for _ in range(11):
        model = svm.LinearSVC(C=1).fit(rows[reviewed], [true[n] for n in reviewed])
        known = set(reviewed)
        order = (-model.decision_function(rows)).argsort(kind="stable").tolist()
        reviewed += [n for n in order if n not in known][:200]
    assert 0.7 < sum(true[n] for n in reviewed) / 400 < 0.97
