"""A changed exhibit is never taken for a true one, and blames nobody who did not sign what is wrong."""

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.state import Matter
from tests.support import corpora, matters
from tests.support.exhibits import cut, record, rewrite
from verifier import exhibit
from verifier.checks import Role
from verifier.exhibit import Answer
from verifier.exhibit.story import course
from verifier.record.hashing import fingerprint

AGREED: dict[str, Any] = {"rounds": 2, "batch": 10, "delta": "0.6", "query": corpora.QUERY, "seed": "3"}
FILES = ("exhibit.json", "document/content.eml", "document/text.txt")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small", documents=40, responsive=15)


@pytest.fixture(scope="module")
def matter(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matters") / "matter"
    with matters.start(corpus, path, **AGREED) as run:
        run.run(lambda _: None)
    return path


def disputed(state: Matter) -> int:
    """A document of the second round on which the court has ruled."""
    review = state.rounds[1]
    return review.places[min(review.rulings) - 1].document


@pytest.fixture(scope="module")
def genuine(matter: Path, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = cut(matter, corpus, disputed(summary.read(matter)), tmp_path_factory.mktemp("exhibits") / "genuine")
    assert exhibit.judge(folder).answer is Answer.VERIFIED
    return folder


@pytest.fixture
def folder(genuine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(genuine, tmp_path / "exhibit"))


Change = Callable[[Any], object]


def entry_of(value: Any, kind: str) -> Any:
    return next(each for each in value["entries"] if each["entry"]["body"]["statement"]["kind"] == kind)


def flip_hex(text: str) -> str:
    return ("1" if text[0] == "0" else "0") + text[1:]


def swap(holder: Any, key: Any, changed: Callable[[Any], Any]) -> None:
    holder[key] = changed(holder[key])


def without_line(note: str, role: str) -> str:
    return "".join(line for line in note.splitlines(keepends=True) if f"/{role} " not in line)


def drop(kind: str) -> Change:
    return lambda value: value["entries"].remove(entry_of(value, kind))


def cut_from(kind: str) -> Change:
    return lambda value: value["entries"].__delitem__(
        slice(value["entries"].index(entry_of(value, kind)), len(value["entries"]))
    )


def said(value: Any, kind: str) -> Any:
    return entry_of(value, kind)["entry"]["body"]["statement"]["content"]


def opened(value: Any, kind: str, field: str) -> Any:
    return entry_of(value, kind)["openings"][field]


CHANGES: dict[str, Change] = {
    "bob's label": lambda value: swap(said(value, "labels")["labels"], 0, lambda label: not label),
    "the ruling": lambda value: swap(said(value, "rulings")["labels"], 0, lambda label: not label),
    "the wave": lambda value: said(value, "disclosure")["positions"].pop(),
    "the outcome": lambda value: said(value, "closed")["responsive"].pop(),
    "the terms": lambda value: said(value, "open")["terms"].update(delta="0.9"),
    "the simulation made real": lambda value: said(value, "open").update(simulation=None),
    "an entry's signature": lambda value: swap(entry_of(value, "batch")["entry"], "signature", flip_hex),
    "a party's signature": lambda value: swap(entry_of(value, "labels")["entry"]["body"], "signature", flip_hex),
    "an entry's time": lambda value: swap(entry_of(value, "batch")["entry"]["body"], "time", lambda time: time + 1),
    "a path": lambda value: swap(entry_of(value, "closed"), "path", flip_hex),
    "a path that is shorter": lambda value: swap(entry_of(value, "closed"), "path", lambda path: path[64:]),
    "alice's label": lambda value: swap(opened(value, "report", "labels")["values"][0], 0, lambda label: not label),
    "the labels' salt": lambda value: swap(opened(value, "report", "labels"), "salts", flip_hex),
    "a label left out": lambda value: opened(value, "report", "labels")["values"][0].pop(),
    "the labels left out": lambda value: entry_of(value, "report")["openings"].pop("labels"),
    "the place": lambda value: opened(value, "batch", "documents")["values"][0].update(document=1),
    "the place at another position": lambda value: swap(
        opened(value, "batch", "documents")["indices"], 0, lambda index: (index + 1) % 10
    ),
    "the place twice": lambda value: opened(value, "batch", "documents").update(
        {name: 2 * items for name, items in opened(value, "batch", "documents").items() if name != "salts"}
    ),
    "no place": lambda value: entry_of(value, "batch").update(openings={}),
    "openings one by one": lambda value: entry_of(value, "batch").update(openings=[]),
    "another name": lambda value: value["document"].update(name="mail-9999999"),
    "another number": lambda value: swap(value["document"], "number", lambda number: (number + 1) % 40),
    "the document's salt": lambda value: swap(value["document"]["proof"]["parts"][0], "salt", flip_hex),
    "the document's path": lambda value: swap(value["document"]["proof"], "path", flip_hex),
    "the document's hash": lambda value: swap(value["document"]["proof"]["parts"][0], "content", flip_hex),
    "what is known of the document": lambda value: value["document"]["proof"]["parts"][0].update(log={"author": "x"}),
    "the document's row": lambda value: swap(value["document"]["proof"], "row", flip_hex),
    "a part too many": lambda value: value["document"]["proof"]["parts"].append(value["document"]["proof"]["parts"][0]),
    "a file elsewhere": lambda value: value["document"].update(files=["../exhibit.json"]),
    "the checkpoint's head": lambda value: swap(value, "checkpoint", lambda note: note.replace("head ", "head 0", 1)),
    "the checkpoint's size": lambda value: swap(value, "checkpoint", lambda note: note.replace("\n", "\n1", 1)),
    "trent's line": lambda value: swap(
        value,
        "checkpoint",
        lambda note: "".join(note.splitlines(keepends=True)[:5] + note.splitlines(keepends=True)[6:]),
    ),
    "no checkpoint": lambda value: value.update(checkpoint=""),
    "the batch left out": drop("batch"),
    "the report left out": drop("report"),
    "bob's labels left out": drop("labels"),
    "the rulings left out": drop("rulings"),
    "the close left out": drop("closed"),
    "all from the disclosure on left out": cut_from("disclosure"),
    "an answer to the opening left out": drop("deposited"),
    "the opening left out": drop("open"),
    "no entries": lambda value: value.update(entries=[]),
    "entries in another order": lambda value: value["entries"].reverse(),
    "an entry twice": lambda value: value["entries"].append(value["entries"][-1]),
    "an unknown field": lambda value: value.update(more=1),
    "another format": lambda value: value.update(format=4),
}


@pytest.mark.parametrize("ending", ["html", "xhtml", "hta", "js", "url", "lnk", "svg", "exe", "docm", "pdf"])
def test_an_exhibit_whose_document_would_run_when_it_is_opened_is_not_verified(folder: Path, ending: str) -> None:
    """Attack: the proven bytes under a name by which a computer runs them."""
    (folder / "document/content.eml").rename(folder / f"document/content.{ending}")
    value = record(folder)
    value["document"]["files"] = [f"content.{ending}"]
    rewrite(folder, value)
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.UNDECIDED
    assert "content.txt or content.eml was expected" in judgement.trouble
    assert not judgement.findings


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_record_is_damage_and_blames_nobody(folder: Path, name: str) -> None:
    value = record(folder)
    CHANGES[name](value)
    assert value != record(folder)
    rewrite(folder, value)
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.UNDECIDED, judgement.findings
    assert judgement.exit_code == 3
    assert judgement.trouble
    assert exhibit.value(judgement)["story"] == []


@pytest.mark.parametrize("role", ["alice", "bob", "court"])
def test_without_a_cosignature_the_story_is_no_longer_verified(folder: Path, role: str) -> None:
    value = record(folder)
    value["checkpoint"] = without_line(value["checkpoint"], role)
    rewrite(folder, value)
    assert exhibit.judge(folder).answer is Answer.NOT_CLOSED


@pytest.mark.parametrize("role", ["alice", "bob", "court"])
def test_a_false_cosignature_is_damage(folder: Path, role: str) -> None:
    value = record(folder)
    note = value["checkpoint"]
    value["checkpoint"] = note.replace(f"/{role} ", f"/{role} AAAA", 1)
    rewrite(folder, value)
    assert exhibit.judge(folder).answer is Answer.UNDECIDED


def test_any_change_of_the_record_is_betrayed_by_the_certification(folder: Path) -> None:
    value = record(folder)
    value["checkpoint"] = without_line(value["checkpoint"], "bob")
    rewrite(folder, value, certified=True)
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.UNDECIDED
    assert "certification.txt states a value of 'SHA-256 of exhibit.json' that differs" in judgement.trouble


def test_every_value_of_the_certification_is_compared(folder: Path) -> None:
    path = folder / "certification.txt"
    draft = path.read_text()
    rows = [line for line in draft.splitlines() if line.startswith("    ") and " = " in line]
    assert len(rows) == 15
    for row in rows:
        changed = row[:-2] + ("00" if row[-2:] != "00" else "11")
        path.write_text(draft.replace(row, changed))
        assert exhibit.judge(folder).answer is Answer.UNDECIDED, row
        path.write_text(draft.replace(row + "\n", ""))
        assert exhibit.judge(folder).answer is Answer.UNDECIDED, row


def test_counsel_may_complete_the_certification_or_take_it_out(folder: Path) -> None:
    path = folder / "certification.txt"
    path.write_text(path.read_text().replace("_" * 38, "Jane Roe", 1), newline="\r\n")
    assert exhibit.judge(folder).answer is Answer.VERIFIED
    path.unlink()
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED
    assert judgement.remarks == ["There is no certification.txt in the folder."]


LINES_OF_COUNSEL = (
    b"Dr. Jos\xe9 R\xfcegg, Z\xfcrich",  # not UTF-8
    b"    Place: New York",
    b"   matter = three blanks",
    b"    caf\xe9 = closed",
    b"    matter= no blank",
)
NO_ROWS = (
    b"    Date = today",
    b"    SHA-256 of document/other.txt = 00",
    b"     matter = 00",
    b"x\r    matter = 00",
    b"    matter = \xe9",
)


def test_a_line_of_counsels_may_hold_any_bytes(folder: Path) -> None:
    path = folder / "certification.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"  \r") + b"\n".join(LINES_OF_COUNSEL))
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED, judgement.trouble


@pytest.mark.parametrize("line", NO_ROWS)
def test_a_line_that_would_pass_for_a_row_is_damage(folder: Path, line: bytes) -> None:
    path = folder / "certification.txt"
    path.write_bytes(path.read_bytes() + line + b"\n")
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.UNDECIDED
    assert not judgement.findings


@pytest.mark.parametrize("name", [*FILES, "README.txt"])
def test_a_missing_or_longer_file_is_damage(folder: Path, name: str) -> None:
    path = folder / name
    kept = path.read_bytes()
    path.write_bytes(kept + b"\n")
    assert exhibit.judge(folder).answer is Answer.UNDECIDED
    path.unlink()
    assert exhibit.judge(folder).answer is Answer.UNDECIDED
    assert not exhibit.judge(folder).findings


def test_what_else_lies_in_the_folder_is_named(folder: Path) -> None:
    (folder / "document" / "other.txt").write_text("?")
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED
    assert judgement.remarks == ["Not part of the exhibit, and not checked: document/other.txt."]


@pytest.mark.slow
@settings(max_examples=100)
@given(name=st.sampled_from(FILES), place=st.integers(0, 2**30), mask=st.integers(1, 255), certified=st.booleans())
@example(name="exhibit.json", place=0, mask=1, certified=False)
def test_no_flipped_byte_is_ever_verified_or_blamed_on_anybody(
    genuine: Path, tmp_path_factory: pytest.TempPathFactory, name: str, place: int, mask: int, *, certified: bool
) -> None:
    folder = Path(shutil.copytree(genuine, tmp_path_factory.mktemp("flipped") / "exhibit"))
    data = bytearray((folder / name).read_bytes())
    data[place % len(data)] ^= mask
    (folder / name).write_bytes(data)
    if not certified:
        (folder / "certification.txt").unlink()
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.UNDECIDED
    assert not judgement.findings


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all that a JSON value holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in inner for found in ((*before, key), *paths(item, (*before, key)))]


@pytest.mark.slow
@settings(max_examples=100)
@given(data=st.data())
def test_whatever_is_taken_out_or_put_elsewhere_no_other_story_is_verified(
    genuine: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    original = record(genuine)
    value, places = copy.deepcopy(original), paths(original)
    *outer, key = data.draw(st.sampled_from(places))
    holder = value
    for step in outer:
        holder = holder[step]
    if data.draw(st.booleans()):
        del holder[key]
    else:
        other: Any = original
        for step in data.draw(st.sampled_from(places)):
            other = other[step]
        holder[key] = copy.deepcopy(other)
    folder = Path(shutil.copytree(genuine, tmp_path_factory.mktemp("other") / "exhibit"))
    rewrite(folder, value)
    judgement = exhibit.judge(folder)
    assert not judgement.findings
    if judgement.answer is not Answer.UNDECIDED:
        assert course(judgement) == course(exhibit.judge(genuine))
        assert judgement.document == exhibit.judge(genuine).document


def test_who_is_not_trusted_is_not_blamed(folder: Path) -> None:
    keys = exhibit.judge(folder).keys
    trusted = {role: (fingerprint(key),) for role, key in keys.items()}
    judgement = exhibit.judge(folder, trusted)
    assert judgement.answer is Answer.VERIFIED
    assert "was not checked" not in exhibit.text(judgement)
    judgement = exhibit.judge(folder, trusted | {Role.BOB: (fingerprint(keys[Role.ALICE]),)})
    assert judgement.answer is Answer.REJECTED
    assert [(each.check, each.party) for each in judgement.findings] == [("V04", None)]
