"""The population account: nothing is lost in it, and its sums add up."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import canonical
from protocol.corpus import account, build
from protocol.corpus.account import Tally
from protocol.corpus.corpus import Corpus
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.source import SourceDocument
from tests.support.small_corpus import SECRET, make

LINES = [
    {"id": "a", "text": "gas"},
    {"id": "b", "text": "oil"},
    {"id": "a", "text": "gas"},
    {"id": "a", "text": "other"},
    {"id": "a", "text": "other"},
    {"text": "no id"},
]


def built(source: Path, out: Path) -> Corpus:
    intake = Intake()
    read = intake.take(registry.find(source).read())
    return build.build(read, out, secret=SECRET, received=intake.received)


def lines(corpus: Corpus) -> list[dict[str, Any]]:
    data = b"".join(corpus.items().pieces())
    assert sha256(data).digest() == corpus.account.list
    found = [json.loads(line) for line in data.splitlines()]
    assert data == b"".join(canonical.encode(each) + b"\n" for each in found)
    return found


def test_json_lines_are_a_container_with_an_item_a_line(tmp_path: Path) -> None:
    source = tmp_path / "mail.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    corpus = built(source, tmp_path / "corpus")
    numbers = {corpus.name(number): number for number in range(corpus.size)}
    listed = [(each["where"], each["outcome"], each["reason"], each["documents"]) for each in lines(corpus)]
    assert listed == [
        ("mail.jsonl", "container", "", []),
        ("mail.jsonl/line 1", "entered", "", [numbers["a"]]),
        ("mail.jsonl/line 2", "entered", "", [numbers["b"]]),
        ("mail.jsonl/line 3", "duplicate", "", [numbers["a"]]),
        ("mail.jsonl/line 4", "entered", "", [numbers["a (2)"]]),
        ("mail.jsonl/line 5", "duplicate", "", [numbers["a (2)"]]),
        ("mail.jsonl/line 6", "exception", "bad line", []),
    ]
    assert list(account.sentences(corpus.account, corpus.size, corpus.unit)) == [
        "7 items were received: 1 container, 1 exception (1 bad line), 5 families, of which 2 are duplicates; "
        "3 documents entered",
        "a family is reviewed as one document",
    ]


def test_a_folder_is_no_item_and_each_file_in_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("gas")
    (folder / "sub/b.txt").write_text("")
    (folder / "sub/c.exe").write_bytes(b"MZ\x90\0\3\0\0\0" * 9)
    corpus = built(folder, tmp_path / "corpus")
    assert [(each["where"], each["outcome"]) for each in lines(corpus)] == [
        ("a.txt", "entered"),
        ("sub/b.txt", "entered"),
        ("sub/c.exe", "exception"),
    ]
    assert (corpus.account.unread, corpus.account.reasons) == (1, {"other file": 1})


def test_parts_custodians_and_dates_are_counted(tmp_path: Path) -> None:
    found = make(tmp_path / "corpus").account
    assert (found.items, found.entered, found.parts, found.unread, found.custodians) == (10, 10, 13, 3, 2)
    assert (found.first, found.last) == ("2001-05-03", "2001-05-04")


def test_dates_in_other_forms_do_not_count() -> None:
    tally = Tally()
    arabic = "\u0662\u0660\u0660\u0661-\u0660\u0665-\u0660\u0664"
    for date in ("yesterday", "2001-5-4", arabic, "x2001-05-04", "2003-01-02T10:00Z", "1999-12-31 and more"):
        tally.count(b"x", date, ())
    assert (tally.first, tally.last, tally.parts) == ("1999-12-31", "2003-01-02", 6)


def test_a_family_becomes_several_documents_where_files_are_the_unit(tmp_path: Path) -> None:
    documents = [SourceDocument.of_one(name=str(number), content=b"", text="x") for number in range(5)]
    received = Received(("no network",))
    received.add(Item(where="a.zip", outcome=Outcome.CONTAINER))
    received.add(Item(where="a.zip/1", outcome=Outcome.ENTERED, documents=range(2)))
    received.add(Item(where="a.zip/2", outcome=Outcome.ENTERED, documents=range(2, 5)))
    received.add(Item(where="b", outcome=Outcome.DUPLICATE, documents=range(2)))
    corpus = build.build(documents, tmp_path / "corpus", secret=SECRET, unit="document", received=received)
    assert (corpus.account.entered, corpus.account.families, corpus.account.parts) == (2, 3, 5)
    assert corpus.account.protections == ("no network",)
    assert not account.fault(corpus.account, corpus.size, corpus.unit)
    assert account.fault(corpus.account, corpus.size, "family") == "the documents are 5, not 2"
    first, second, third = (each["documents"] for each in lines(corpus)[1:])
    assert first == third == sorted(first)
    assert sorted(first + second) == list(range(5))


@pytest.mark.parametrize("places", [(), (range(1),), (range(3),), (range(1, 2), range(1)), (range(0), range(2))])
def test_a_source_that_does_not_account_for_its_documents_makes_no_corpus(
    tmp_path: Path, places: tuple[range, ...]
) -> None:
    documents = [SourceDocument.of_one(name=str(number), content=b"", text="x") for number in range(2)]
    received = Received()
    for each in places:
        received.add(Item(where="x", outcome=Outcome.ENTERED, documents=each))
    with pytest.raises((RuntimeError, IndexError)):
        build.build(documents, tmp_path / "corpus", secret=SECRET, received=received)
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("field", ["items", "containers", "exceptions", "families", "duplicates", "entered"])
def test_every_sum_is_looked_at(tmp_path: Path, field: str) -> None:
    corpus = make(tmp_path / "corpus")
    assert not account.fault(corpus.account, corpus.size, "family")
    wrong = msgspec.structs.replace(corpus.account, **{field: getattr(corpus.account, field) + 1})
    assert "are" in account.fault(wrong, corpus.size, "family")


def test_all_that_is_known_is_told_in_words(tmp_path: Path) -> None:
    counted = msgspec.structs.replace(
        make(tmp_path / "corpus").account,
        containers=1,
        duplicates=1,
        entered=8,
        exceptions=2,
        families=9,
        items=12,
        reasons={"damaged": 1, "encrypted": 1},
        protections=("no network",),
    )
    assert list(account.sentences(counted, 8, "family")) == [
        "12 items were received: 1 container, 2 exceptions (1 damaged, 1 encrypted), 9 families, of which 1 is a "
        "duplicate; 8 documents entered",
        "they have 13 parts, 3 of which have no text",
        "a family is reviewed as one document",
        "2 custodians are named",
        "dates run from 2001-05-03 to 2001-05-04",
        "files were read with no network",
    ]


def test_items_come_back_as_they_were_given() -> None:
    received = Received()
    given = [
        Item(where="ä/\U0001f4e7", outcome=Outcome.EXCEPTION, reason="encrypted"),
        Item(where="", outcome=Outcome.CONTAINER),
        Item(where="x", outcome=Outcome.ENTERED, documents=range(3, 7), custodians=("Ann",)),
        Item(where="y", outcome=Outcome.DUPLICATE, documents=range(3, 7), custodians=("Ben",), paths=("a", "b")),
        Item(where="z", outcome=Outcome.EXCEPTION, reason="Ann", custodians=("encrypted",)),
    ]
    for each in given:
        received.add(each)
    assert (list(received), len(received)) == (given, 5)


def test_only_the_protections_that_always_held_are_told() -> None:
    received = Received()
    told = [received.protections]
    for held in (
        {"no network", "limited time", "limited memory"},
        {"limited time", "no network"},
        set(),
        {"no network"},
    ):
        received.protect(frozenset(held))
        told.append(received.protections)
    assert told == [(), ("limited memory", "limited time", "no network"), ("limited time", "no network"), (), ()]
