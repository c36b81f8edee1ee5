"""Documents of several parts on their way to the parties: each part is there, is proven, and is shown in its family."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger import canonical, records
from ledger.roles import Role
from protocol.corpus.leaves import OpenPart, Parts, withheld
from protocol.exchange import details, filenames, pages
from protocol.exchange.filenames import ShownDocument, ShownPart
from protocol.parties.question import FORMAT, Request
from tests.support import shown, small_corpus
from tests.support.builders import MATTER
from tests.support.exchange_cases import Table
from tests.support.forging.questions import given, refused, signed_again

FILES = ("r1-offer.eml", "1-r1-offer-zip.txt", "2-r1-prices-pdf.txt", "3-r1-Prufung.txt")


def seated(tmp_path: Path) -> Table:
    """A matter about a family and two other documents, which all have signed."""
    documents = [replace(each, labels=("responsive",)) for each in small_corpus.DOCUMENTS[-3:]]
    made = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    made.begin(rounds=1, batch=len(documents), protocol="reveal-all", query="")
    return made


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return seated(tmp_path)


def position(table: Table, asked: Path) -> int:
    """Where the family stands."""
    rows = csv.DictReader((asked / "labels.csv").read_text("utf-8-sig").splitlines())
    return next(int(row["position"]) for row in rows if row["document"] == "offer.eml")


def test_every_part_has_its_file_its_text_and_its_place_on_the_page(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    place = f"{position(table, asked):04d}"
    for number, name in enumerate(FILES):
        part = small_corpus.FAMILY.parts[number]
        assert (asked / "documents" / f"{place}-{name}").read_bytes() == part.content
        own = asked / "texts" / (f"{place}-{number}.txt" if number else f"{place}.txt")
        assert own.exists() is (part.content != part.text.encode())
    page = (asked / "pages" / f"{place}.html").read_text()
    assert "This document has 4 parts" in page
    for words in ("Ann &lt;ann@example.org&gt;", "2001-05-04T10:00:00+02:00", "The offer", "Ann; Bob", "ann/sent/1"):
        assert words in page
    assert 'class="deep-2"><a href="#part-2">Part 2: <bdi>prices.pdf</bdi></a>' in page
    assert page.index('id="part-1"') < page.index('id="part-2"') < page.index("prices of gas")
    for name in FILES:
        assert f'href="../documents/{place}-{name}"' in page


def test_the_forms_state_what_is_known_of_each_document(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    for form in ("labels.csv", "privilege.csv"):
        rows = list(csv.DictReader((asked / form).read_text("utf-8-sig").splitlines()))
        family = next(row for row in rows if row["document"] == "offer.eml")
        assert family["from"] == "Ann <ann@example.org>"
        assert (family["date"], family["subject"], family["type"]) == ("2001-05-04T10:00:00+02:00", "The offer", "mail")
        assert family["family"] == "with 3: 1 offer.zip; 2 prices.pdf; 3 Prüfung.txt"
        assert all(not row["from"] for row in rows if row is not family)


def test_all_can_read_prove_and_label_a_family(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    claims = table.filled(
        asked, lambda name: "advice" if name == "offer.eml" else "", column="basis", form="privilege.csv"
    )
    labels = str(table.filled(asked, lambda _: "yes"))
    table.accept(table.said(Role.ALICE, asked, "--labels", labels, "--privilege", str(claims)))
    camera = table.until(Role.COURT, "privilege")
    assert len(list((camera / "documents").iterdir())) == 4
    table.accept(table.said(Role.COURT, camera, "--upheld", str(table.filled(camera, lambda _: "no", column="upheld"))))
    wave = table.until(Role.BOB, "labels")
    assert len(list((wave / "documents").iterdir())) == 6
    table.accept(table.said(Role.BOB, wave, "--labels", str(table.filled(wave, lambda _: "no"))))
    dispute = table.until(Role.COURT, "rulings")
    table.accept(table.said(Role.COURT, dispute, "--labels", str(table.filled(dispute, lambda _: "yes"))))
    assert table.questions() == {}


def test_a_part_that_is_changed_missing_or_too_many_is_refused(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    number = position(table, asked)
    place = f"{number:04d}"
    pdf, zipped = (f"documents/{place}-{FILES[each]}" for each in (2, 1))
    other_parts = f"does not hold exactly the parts of the document at position {number}"
    cases: list[tuple[dict[str, bytes | None], str]] = [
        ({pdf: b"another"}, f"{pdf}, or its text, is not the document"),
        ({f"texts/{place}-2.txt": b"another"}, f"{pdf}, or its text, is not the document"),
        ({pdf: None}, other_parts),
        (
            {f"documents/{place}-4-r1-more.txt": b"x"},
            f"does not hold exactly the parts of the document at position {number}",
        ),
        ({f"documents/{place}-2-r1-again.txt": b"x"}, "does not have a position of its own"),
        (
            {f"documents/{place}-{FILES[0]}": None},
            f"does not hold exactly the parts of the document at position {number}",
        ),
        ({zipped: None, f"documents/{place}-1-r1-other.txt": b"PK\3\4"}, "is not the file of the document"),
        ({f"texts/{place}-4.txt": b"x"}, "does not show what is proven"),
    ]
    for changed, reason in cases:
        forged = signed_again(table, asked, changed)
        assert reason in refused(table, Role.ALICE, forged, *given(table, asked)), changed


def test_a_page_with_other_words_about_a_part_is_refused(table: Table) -> None:
    asked = table.until(Role.ALICE, "report")
    name = f"pages/{position(table, asked):04d}.html"
    page = (asked / name).read_bytes()
    for true, false in ((b"Ann; Bob", b"Carol"), (b"prices.pdf", b"prices.doc"), (b"2001-05-03", b"2001-05-30")):
        assert true in page
        forged = signed_again(table, asked, {name: page.replace(true, false)})
        assert f"{name} does not show what is proven" in refused(table, Role.ALICE, forged, *given(table, asked))


def test_a_part_that_is_withheld_has_no_file_and_the_page_says_so(table: Table) -> None:
    """Here Trent withholds a part from Alice, which he must not: only the court can, from Bob."""
    asked = table.until(Role.ALICE, "report")
    place = f"{position(table, asked):04d}"
    value = json.loads((asked / filenames.PROOFS).read_bytes())
    whole = next(table.corpus.proof(each) for each in range(table.corpus.size) if table.corpus.parts(each) > 1)
    parts = [each for each in whole.parts if isinstance(each, OpenPart)]
    hidden = Parts((*parts[:2], withheld(parts[2]), parts[3]))
    value["proofs"][str(int(place))]["parts"] = [records.to_value(each) for each in hidden]
    changed: dict[str, Any] = {filenames.PROOFS: canonical.encode(value), f"documents/{place}-{FILES[2]}": None}
    forged = signed_again(table, asked, changed | {f"texts/{place}-2.txt": None})
    said = refused(table, Role.ALICE, forged, *given(table, asked))
    assert f"Trent withholds part 2 of the document at position {int(place)}" in said
    document = ShownDocument(
        position=1,
        name="offer.eml",
        parts=(shown.part("offer.eml", "see"), ShownPart(log=shown.log(parent=0, type="pdf", author="Ann"), rest=None)),
    )
    page = pages.render(_asked(), [document], "case")["pages/0001.html"].decode()
    assert "Part 1: <bdi>withheld as privileged</bdi>" in page
    assert "Withheld as privileged, by ruling of the court. Nothing of it is shown but what its log states." in page
    assert "<td><bdi>pdf</bdi></td>" in page
    assert page.count("Original file of this part") == 1


def _asked() -> Request:
    common: dict[str, Any] = {"entry": MATTER, "head": MATTER, "matter": MATTER}
    return Request(files={}, format=FORMAT, kind="labels", role=Role.BOB, round=1, size=1, start=0, **common)


def test_parts_that_lie_a_thousand_deep_are_shown() -> None:
    parts = tuple(shown.part(f"p{number}", parent=number - 1 if number else None) for number in range(3000))
    document = ShownDocument(position=1, name="p0", parts=parts)
    assert list(details.tree(parts)) == [(number, number) for number in range(3000)]
    assert b"part-2999" in pages.render(_asked(), [document], "case")["pages/0001.html"]


def test_a_tree_has_each_part_behind_the_one_that_it_is_attached_to() -> None:
    parents = (None, 0, 0, 1, 2, 1)
    parts = [shown.part(str(number), parent=parent) for number, parent in enumerate(parents)]
    assert list(details.tree(parts)) == [(0, 0), (1, 1), (3, 2), (5, 2), (2, 1), (4, 2)]
