"""Made-up mail that people read: the same bytes from the same arguments, families, and a matter that can be learnt."""

import csv
import re
from collections import Counter
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import Refused
from protocol.errors import BadSource
from protocol.sources import labelling, registry
from protocol.sources.intake import Intake
from protocol.sources.items import Item, Outcome
from protocol.sources.madeup import business, people, recipe, speech, topic
from protocol.sources.madeup.draws import Draws
from protocol.sources.madeup.recipe import Letter
from protocol.sources.source import Settings, SourceDocument

PINNED = "6cf40e8a9d7d74ccf0c31aa4481d9c6d2e60b07a1e5bd861f98730004e8db48e"


def make(documents: int = 300, responsive: int = 40, seed: str = "a", *, pdf: bool = False) -> list[Letter]:
    return list(recipe.letters(documents=documents, responsive=responsive, seed=seed, pdf=pdf))


@pytest.fixture(scope="module")
def letters() -> list[Letter]:
    return make()


@pytest.fixture(scope="module")
def mails(letters: list[Letter]) -> list[Message]:
    return [message_from_bytes(letter.content) for letter in letters]


def body(mail: Message) -> str:
    part = mail.get_payload(0) if mail.is_multipart() else mail
    assert isinstance(part, Message)
    text = part.get_payload()
    assert isinstance(text, str)
    return text


def everybody(mail: Message) -> set[str]:
    return {name for name, _ in getaddresses([mail["From"], mail["To"], mail.get("Cc", "")]) if name}


def test_the_files_are_these_on_every_machine() -> None:
    digest = sha256()
    for letter in make(documents=500, responsive=50, seed="pinned", pdf=True):
        digest.update(repr((letter.paths, letter.labels)).encode() + letter.content)
    assert digest.hexdigest() == PINNED


def test_another_seed_makes_other_mail(letters: list[Letter]) -> None:
    assert not {each.content for each in letters} & {each.content for each in make(seed="b")}


@settings(deadline=None, max_examples=30)
@given(st.data(), st.integers(10, 40), st.sampled_from(["0", "0.05", "1"]), st.text(max_size=3))
def test_exactly_as_many_as_asked_for_are_responsive(data: st.DataObject, size: int, noise: str, seed: str) -> None:
    responsive = data.draw(st.integers(1, size - 1))
    seed = seed.encode(errors="replace").decode()
    made = list(recipe.letters(documents=size, responsive=responsive, seed=seed, noise=Fraction(noise)))
    assert len(made) == len({path for letter in made for path in letter.paths[:1]}) == size
    assert sum("responsive" in letter.labels for letter in made) == responsive


@pytest.mark.parametrize(("documents", "responsive"), [(9, 3), (10, 0), (10, 10)])
def test_what_cannot_be_made_is_refused_at_once(documents: int, responsive: int) -> None:
    with pytest.raises(BadSource):
        recipe.letters(documents=documents, responsive=responsive, seed="a")


def test_every_mail_has_the_fields_of_mail_and_people_of_the_firm(mails: list[Message]) -> None:
    for mail in mails:
        assert {"From", "To", "Date", "Subject", "Message-ID"} <= set(mail.keys())
        sent = parsedate_to_datetime(mail["Date"])
        assert 1999 <= sent.year <= 2001
        assert sent.weekday() < 5
        assert mail["Date"].startswith(["Mon", "Tue", "Wed", "Thu", "Fri"][sent.weekday()])
        assert everybody(mail) & set(people.CUSTODIANS)
        writer, *readers = getaddresses([mail["From"], mail["To"], mail.get("Cc", "")])
        assert writer not in readers
    assert len({mail["Message-ID"] for mail in mails}) == len(mails)
    assert any(mail["Cc"] for mail in mails)


def test_threads_hold_together(mails: list[Message]) -> None:
    known = {mail["Message-ID"]: mail for mail in mails}
    answers = [mail for mail in mails if mail["In-Reply-To"]]
    assert len(answers) > 60
    for mail in answers:
        before = known[mail["In-Reply-To"]]
        assert re.sub("^(Re|Fwd): ", "", mail["Subject"]) == re.sub("^(Re|Fwd): ", "", before["Subject"])
        assert parsedate_to_datetime(mail["Date"]) > parsedate_to_datetime(before["Date"])
        assert everybody(mail) == everybody(before)
        assert mail["From"] != before["From"]
    quoting = [mail for mail in answers if "\n> " in body(mail).replace("\r\n", "\n")]
    assert len(quoting) > len(answers) / 2
    first = body(known[quoting[0]["In-Reply-To"]]).splitlines()[0]
    assert f"> {first}" in body(quoting[0])


def test_the_text_is_made_of_sentences_and_no_choice_is_left_open(mails: list[Message]) -> None:
    for mail in mails:
        text = f"{mail['Subject']}\n{body(mail)}".replace("> [...]", "")
        assert not re.search(r"[\[\]{}|]", text), text
        assert max(len(line) for line in text.splitlines()) <= 100


def test_every_word_list_that_a_sentence_names_exists_and_brackets_are_paired() -> None:
    said = [line for each in (*topic.SIDES, *topic.NEAR_MISSES, *business.SUBJECTS) for line in
            (*each.subjects, *each.sentences, *each.files, each.columns)]  # fmt: skip
    said += [*topic.OBLIQUE, *business.ANYWHERE, *business.SHORT, *business.ATTACHED]
    assert len(said) > 250
    for line in said:
        assert set(re.findall(r"\{(\w+)\}", line)) <= speech.names(), line
        assert line.count("[") == line.count("]"), line
        assert "|" not in re.sub(r"\[[^\[\]]*\]", "", line), line
        speech.Speech(Draws(b"", 0)).spoken(line)


def test_a_thread_keeps_to_the_deal_that_it_is_about() -> None:
    speaking = speech.Speech(Draws(b"", 1))
    assert len({speaking.spoken("{deal}") for _ in range(20)}) == 1
    assert len({speaking.spoken("{day}") for _ in range(20)}) > 1


def entered(**options: int | str) -> list[SourceDocument | Item]:
    given = {"documents": 120, "responsive": 20, "seed": "a"} | options
    return [each for each in recipe.entered(**given) if isinstance(each, SourceDocument | Item)]  # type: ignore[arg-type]


def test_families_have_attachments_and_the_fields_that_a_room_shows() -> None:
    documents = [each for each in entered() if isinstance(each, SourceDocument)]
    kinds = Counter(part.type for each in documents for part in each.parts[1:])
    assert set(kinds) == {"docx", "text"}
    for each in documents:
        first = each.parts[0]
        assert all((first.author, first.recipients, first.date, first.custodians, first.fields["subject"]))
        assert all(part.text.strip() and part.parent == 0 for part in each.parts[1:])


def test_a_copy_in_another_custodians_folder_is_a_duplicate() -> None:
    items = Counter(each.outcome for each in entered() if isinstance(each, Item))
    assert items[Outcome.ENTERED] == 120
    assert items[Outcome.DUPLICATE] > 3


def test_the_folder_reads_back_as_the_same_documents(tmp_path: Path) -> None:
    recipe.write(tmp_path / "mail", documents=40, responsive=8, seed="a")
    intake = Intake()
    found = registry.find(tmp_path / "mail" / recipe.FILES)
    given = found.read(settings=Settings(custodian_folders=True, workers=1))
    table = labelling.read(tmp_path / "mail" / recipe.LABELS)
    read = {each.name: each for each in intake.take(labelling.labelled(given, table))}
    direct = [each for each in entered(documents=40, responsive=8) if isinstance(each, SourceDocument)]
    assert intake.listed == []
    assert {each.name: each for each in direct} == read


def test_pdf_attachments_are_made_only_where_asked_for() -> None:
    def suffixes(*, pdf: bool) -> Counter[str]:
        names = [part.get_filename("") for each in make(pdf=pdf) for part in message_from_bytes(each.content).walk()]
        return Counter(name.rpartition(".")[2] for name in names if name)

    assert "pdf" not in suffixes(pdf=False)
    assert suffixes(pdf=True)["pdf"] > 3


def test_a_pdf_attachment_can_be_read() -> None:
    pdf = pytest.importorskip("protocol.sources.formats.pdf")
    from protocol.sources.parts import File

    made = next(
        (part.get_payload(decode=True), part.get_filename(""))
        for each in make(pdf=True)
        for part in message_from_bytes(each.content).walk()
        if part.get_filename("").endswith(".pdf")
    )
    content, name = made
    assert isinstance(content, bytes)
    found = pdf.EXTRACTOR.extract(File(name=name, content=content))
    assert found.text.startswith(name.removesuffix(".pdf"))
    assert (found.pages, found.notes) == (1, ())


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    with pytest.raises(Refused, match="exists already"):
        recipe.write(tmp_path / "mail", documents=10, responsive=2, seed="a")
    assert not list((tmp_path / "mail").iterdir())


def query_hits(letters: list[Letter]) -> list[Letter]:
    query = set(recipe.QUERY.split())
    return [each for each in letters if query & set(re.findall("[a-z]+", each.content.decode().lower()))]


def test_the_query_finds_many_responsive_mails_and_near_misses_too() -> None:
    made = make(documents=2000, responsive=100)
    hits = query_hits(made)
    found = sum(bool(each.labels) for each in hits)
    assert 50 < found < 100
    assert len(hits) > 2 * found


# Labels for a source that has none


def table(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["name,labels", "a,x"], 'must begin with the line "id,labels"'),
        (["id,labels", "a,x", "a,y"], "row 3: 'a' occurs twice"),
        (["id,labels", "a"], "row 2: 1 cells instead of 2"),
        (["id,labels", '"a,x'], "no CSV file"),
    ],
)
def test_a_table_of_labels_that_is_not_one_is_refused(tmp_path: Path, rows: list[str], reason: str) -> None:
    with pytest.raises(BadSource, match=reason):
        labelling.read(table(tmp_path / "labels.csv", *rows))


def test_a_missing_table_of_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="cannot be read: No such file"):
        labelling.read(tmp_path / "none.csv")


def test_labels_are_added_by_name_and_a_name_that_the_source_does_not_hold_is_refused(tmp_path: Path) -> None:
    documents = [SourceDocument.of_one(name=name, content=b"", text="", labels=("old",)) for name in "ab"]
    labels = labelling.read(table(tmp_path / "labels.csv", "id,labels", "b,x; y", "c,x"))
    given = labelling.labelled(documents, labels)
    assert [each.labels for _ in "ab" if isinstance(each := next(given), SourceDocument)] == [
        ("old",),
        ("old", "x", "y"),
    ]
    with pytest.raises(BadSource, match="1 documents that the source does not hold, the first of them 'c'"):
        next(given)


def test_the_written_table_has_a_row_for_every_document(tmp_path: Path) -> None:
    recipe.write(tmp_path / "mail", documents=20, responsive=4, seed="a")
    with (tmp_path / "mail" / recipe.LABELS).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["labels"] for row in rows) == {"": 16, "responsive": 4}
    assert all((tmp_path / "mail" / recipe.FILES / row["id"]).is_file() for row in rows)


@pytest.mark.slow
def test_a_learner_finds_most_of_the_matter_and_not_all_of_it() -> None:
    text, svm = pytest.importorskip("sklearn.feature_extraction.text"), pytest.importorskip("sklearn.svm")
    made = make(documents=5000, responsive=250)
    true = [bool(each.labels) for each in made]
    rows = text.TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(each.content.decode() for each in made)
    reviewed = [made.index(each) for each in query_hits(made)][:100]
    for _ in range(9):
        model = svm.LinearSVC(C=1).fit(rows[reviewed], [true[number] for number in reviewed])
        known = set(reviewed)
        order = (-model.decision_function(rows)).argsort(kind="stable").tolist()
        reviewed += [number for number in order if number not in known][:100]
    assert 0.8 < sum(true[number] for number in reviewed) / 250 < 0.99
