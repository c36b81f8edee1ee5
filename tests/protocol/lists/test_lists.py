"""Lists from the record: each audience gets what its copy opens, and the log adds only what a log states."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger.copies import write_copy
from ledger.openings import Openings
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.lists import lists, privilege, proofs, record, table
from protocol.lists.record import Recorded
from protocol.lists.table import Table
from protocol.matter import terms
from protocol.matter.books import Seat
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from protocol.sources.formats.xlsx import EXTRACTOR
from protocol.sources.parts import File
from tests.protocol.matter.test_privilege import play
from tests.support import answers, matters, small_corpus
from tests.support.matters import run_until
from tests.support.scripted import BASES

Row = dict[str, Any]


def rows(table_: Table) -> list[Row]:
    names = [name for name, _ in table_.columns]
    return [dict(zip(names, row, strict=True)) for row in table_.rows]


@pytest.fixture(scope="module")
def matter(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with claims, upheld and overruled, disputes, silence and a round without a report.

    The second document of round 1 is responsive, which Alice denies: so a dispute follows her overruled claim.
    """
    folder = tmp_path_factory.mktemp("lists")
    for seed in map(str, range(30)):
        review = matters.eventful(small_corpus, folder / seed, seed=seed).state.rounds[0]
        if review.report is not None and not review.report.labels[1] and review.bob.get(2):
            return folder / seed
    raise AssertionError("no seed brings such a dispute")


@pytest.fixture(scope="module")
def bobs(matter: Path) -> Recorded:
    return record.read(matter, Audience.BOB)


@pytest.fixture(scope="module")
def alices(matter: Path) -> Recorded:
    return record.read(matter, Audience.ALICE)


# What an audience can open


@pytest.mark.parametrize("audience", [Audience.ALICE, Audience.BOB, Audience.COURT])
def test_a_list_knows_just_the_values_that_the_copy_opens(matter: Path, audience: Audience, tmp_path: Path) -> None:
    found = record.read(matter, audience)
    played = Simulated.of(found.state.opening)
    assert played is not None
    with Store.open(matter) as store:
        write_copy(store, audience, played.key(Role.TRENT), tmp_path / "copy.jsonl")
    copied = {
        (line["entry"]["body"]["sequence"], each.field, each.index): each.value
        for line in map(json.loads, (tmp_path / "copy.jsonl").read_text().splitlines())
        for each in Openings.parse(line.get("openings", {}))
        if each.field in record.FIELDS
    }
    assert found.opened == copied
    assert len(copied) > 50


# The privilege log


def test_the_log_has_each_claim_that_went_to_the_court_with_its_ruling(bobs: Recorded, small_corpus: Corpus) -> None:
    log = rows(privilege.privilege_log(bobs, small_corpus))
    assert [(each["control number"], each["basis"], each["ruling"]) for each in log] == [
        ("R1-P1", BASES[1], "upheld"),
        ("R1-P2", BASES[2], "overruled, shown to Bob"),
        ("R2-P12", "Joint defence", "overruled, shown to Bob (claimed late)"),
    ]
    rulings = {each.entry for each in bobs.rulings if each.kind == "privilege"}
    assert {each["ruled in entry"] for each in log} == rulings


def test_bobs_log_has_no_name_and_alices_has(bobs: Recorded, alices: Recorded, small_corpus: Corpus) -> None:
    his = privilege.privilege_log(bobs, small_corpus)
    assert not {"document", "subject", "custodian", "path"} & {name for name, _ in his.columns}
    upheld = alices.state.rounds[0].places[0].name
    assert upheld not in str(his.rows)
    assert rows(privilege.privilege_log(alices, small_corpus))[0]["document"] == upheld


def test_another_corpus_is_refused(bobs: Recorded, built: Corpus) -> None:
    with pytest.raises(BadCorpus, match="is not the corpus that the matter was opened with"):
        privilege.privilege_log(bobs, built)


FAMILY = next(place for place, each in enumerate(small_corpus.DOCUMENTS) if each is small_corpus.FAMILY)


@pytest.fixture(scope="module")
def with_family(built: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter in which all of a batch is claimed, a family too, and some of it is not due to Bob."""
    path = tmp_path_factory.mktemp("family") / "matter"
    plan: dict[str, Any] = {"protocol": "spot-check", "rate": "0.2", "target": "0.5", "every": 1, "limit": "0"}
    agreed = matters.of_its_rule(plan | {"rounds": 1, "batch": 10, "query": "", "delta": "0.5", "k": 1})
    simulated = simulation.plan(built, agreed, label="energy", seed="3", **matters.PLAYERS)
    with Run(built, simulated, path) as run:
        run_until(run, Role.ALICE, "report")
        run.alice._uses.pop(run.alice.draws + 1, None)
        named = {place: each.name for place, each in enumerate(run.state.rounds[0].places, start=1)}
        labels = tuple(name == "offer.eml" for name in named.values())
        run.desk.accept(answers.report(run.alice, labels, None, dict.fromkeys(named, "Advice of counsel")))
        play(run, lambda _: True)
    return path


def test_a_family_has_a_row_for_each_part_with_its_own_log_fields(with_family: Path, built: Corpus) -> None:
    log = rows(privilege.privilege_log(record.read(with_family, Audience.BOB), built))
    family = [each for each in log if "." in each["control number"]]
    assert [each["type"] for each in family] == ["mail", "zip", "pdf", ""]
    first, archive, prices, _ = family
    number = first["control number"].removesuffix(".0")
    assert first["author"] == "Ann <ann@example.org>"
    assert first["recipients"] == "bob@example.org; Ölpreis <oil@example.org>"
    assert first["family"] == f"with 3 attached: {number}.1 to .3"
    assert archive["family"] == f"attached to {number}.0"
    assert prices["family"] == f"attached to {number}.1"
    assert "The offer" not in str(log)
    assert "offer.eml" not in str(log)


def test_what_is_claimed_and_not_due_is_in_alices_log_alone(with_family: Path, built: Corpus) -> None:
    his, hers = (
        rows(privilege.privilege_log(record.read(with_family, each), built)) for each in (Audience.BOB, Audience.COURT)
    )
    assert {each["ruling"] for each in his} == {"upheld"}
    left = {each["control number"] for each in hers if each["ruling"] == "not asked: not due to Bob"}
    assert left
    assert {each["control number"] for each in hers} - left == {each["control number"] for each in his}


# Labels


def test_every_reviewed_document_is_in_the_list_once(bobs: Recorded) -> None:
    found = rows(lists.labels(bobs))
    assert len({each["control number"] for each in found}) == len(found) == bobs.state.put_up


def test_bobs_list_names_what_he_was_shown_and_nothing_else(bobs: Recorded) -> None:
    for each in rows(lists.labels(bobs)):
        assert bool(each["document"]) == bool(each["shown to Bob"]), each


def test_labels_rulings_and_reasons_are_those_of_the_record(bobs: Recorded) -> None:
    found = {each["control number"]: each for each in rows(lists.labels(bobs))}
    upheld, overruled = found["R1-P1"], found["R1-P2"]
    assert (upheld["the court"], upheld["withheld"], upheld["settled label"]) == ("privileged", "as privileged", "")
    assert overruled["the court"] == "not privileged; responsive"
    assert (overruled["Alice"], overruled["Bob"]) == ("not responsive", "responsive")
    last = [each for each in found.values() if each["round"] == 4]
    assert {each["Alice"] for each in last} == {"no report"}
    assert {each["why it was due to Bob"] for each in last} == {"by order: Alice did not report"}
    unread = [each for each in found.values() if each["Bob"] == "unread"]
    assert {each["round"] for each in unread} == {3}


def test_settled_labels_are_the_responsive_positions_of_each_close(alices: Recorded) -> None:
    found = {each["control number"] for each in rows(lists.labels(alices)) if each["settled label"] == "responsive"}
    closed = {
        f"R{review.number}-P{position}"
        for review, outcome in alices.state.closed
        for position in set(outcome.responsive) - review.privilege.withheld
    }
    assert found == closed


def test_an_open_rounds_labels_and_reasons_stay_sealed_from_bob(small_corpus: Corpus, tmp_path: Path) -> None:
    with matters.start(small_corpus, tmp_path / "matter", rounds=1) as run:
        run_until(run, Role.BOB, "labels")
        his, hers = (lists.labels(record.read(tmp_path / "matter", each)) for each in (Audience.BOB, Audience.ALICE))
    assert {(each["Alice"], each["why it was due to Bob"], each["settled label"]) for each in rows(his)} == {
        ("", "", "")
    }
    assert {each["Alice"] for each in rows(hers)} == {"responsive", "not responsive"}
    assert any(each["shown to Bob"] for each in rows(his))


def test_what_is_drawn_again_keeps_the_place_where_it_was_put_up(small_corpus: Corpus, tmp_path: Path) -> None:
    validation = terms.validation(every=1, show="0.1", target="0.8", viewer="court", **{"yield": None})
    again: dict[str, Any] = {"rate": "0.05", "target": "0.8", "every": 1, "limit": "0.5", "rounds": 1, "batch": 40}
    with matters.start(small_corpus, tmp_path / "matter", protocol="spot-check", validation=validation, **again) as run:
        run.run()
    found = record.read(tmp_path / "matter", Audience.BOB)
    sorts = {str(each.sort) for each in found.state.rounds}
    assert sorts == {"batch", "escalation", "validation"}
    table_ = rows(lists.labels(found))
    assert len(table_) == found.state.put_up
    later = [each for each in table_ if each["round"] == 1 and each["shown to Bob"] not in ("", "in round 1")]
    whys = {each["why it was due to Bob"] for each in later}
    assert whys <= {
        "drawn by coin from all that was withheld", "drawn by coin from the whole collection", "given up by Alice"
    }  # fmt: skip
    assert whys
    kept = [each for each in table_ if each["withheld"] == "as not responsive, by the court in camera"]
    assert {each["the court"] for each in kept} == {"not responsive (in camera)"}
    assert not any(each["document"] for each in kept)


# Rulings


def test_every_ruling_is_listed_with_both_sides_labels_or_the_basis(bobs: Recorded, matter: Path) -> None:
    found = rows(lists.rulings(bobs))
    disputes = matters.contents(matter, "rulings")
    cameras = matters.contents(matter, "privilege")
    assert len(found) == sum(len(each["labels"]) for each in disputes) + sum(len(each["upheld"]) for each in cameras)
    for each in found:
        if each["question"].startswith("dispute"):
            assert {each["Alice"], each["Bob"]} == {"responsive", "not responsive"}
            assert each["ruling"] in ("responsive", "not responsive")
        else:
            assert each["basis or class"] in (*BASES.values(), "Joint defence")
            assert each["ruling"] in ("privileged", "not privileged")


def test_a_reason_is_shown_to_those_whose_copy_opens_it(bobs: Recorded) -> None:
    ruling = bobs.rulings[0]
    assert bobs.reason(ruling) == ""
    bobs.opened[ruling.entry, "reasons", ruling.index] = "Between counsel and client" + " " * 200
    try:
        assert rows(lists.rulings(bobs))[0]["reason"] == "Between counsel and client"
    finally:
        del bobs.opened[ruling.entry, "reasons", ruling.index]


# Parts, and what is asked back


def in_family(with_family: Path, built: Corpus) -> tuple[Recorded, int]:
    """A matter read for Bob, and the position of the family in its first round."""
    found = record.read(with_family, Audience.BOB)
    names = [each.name for each in found.state.rounds[0].places]
    return found, names.index("offer.eml") + 1


def test_a_claim_for_parts_has_a_row_for_each_of_them_with_its_own_ruling(with_family: Path, built: Corpus) -> None:
    found, position = in_family(with_family, built)
    entry, index = found.state.rounds[0].privilege.claimed[position]
    found.opened[entry, "privilege", index] = {"basis": "Advice on prices", "parts": [2, 3]}
    found.rulings = [
        replace(each, answer=False, parts=(2,)) if each.position == position else each for each in found.rulings
    ]
    log = [each for each in rows(privilege.privilege_log(found, built)) if each["basis"] == "Advice on prices"]
    number = f"R1-P{position}"
    assert [(each["control number"], each["ruling"]) for each in log] == [
        (f"{number}.2", "upheld"),
        (f"{number}.3", "overruled"),
    ]
    listed = {each["control number"]: each for each in rows(lists.labels(found))}
    assert listed[number]["the court"] == "part 2 privileged; responsive (in camera)"
    assert listed[number]["withheld"] == "part 2 as privileged"
    ruling = next(each for each in rows(lists.rulings(found)) if each["control number"] == number)
    assert (ruling["question"], ruling["basis or class"]) == ("in camera: are parts privileged?", "Advice on prices")
    proven = [json.loads(line)["position"] for line in proofs.proofs(found, built).splitlines()[1:]]
    assert proven
    assert position not in proven  # Bob's copy has the proof of the whole family


@pytest.mark.parametrize(
    ("answer", "ruling", "withheld"),
    [(1, "clawed back", "clawed back"), (0, "claw-back overruled", ""), (None, "not ruled yet", "")],
)
def test_what_is_asked_back_is_logged_and_listed(
    matter: Path, small_corpus: Corpus, answer: int | None, ruling: str, withheld: str
) -> None:
    found = record.read(matter, Audience.BOB)
    shown = Seat(1, min(found.state.rounds[0].disclosed))
    found.state.clawbacks.bases[shown] = (99, 0)
    found.opened[99, "privilege", 0] = "Sent to counsel"
    if answer is not None:
        ruled = replace(found.rulings[0], kind="returned", entry=100, index=0, answer=bool(answer))
        found.rulings.append(replace(ruled, round=shown.round, position=shown.position))
    log = [each for each in rows(privilege.privilege_log(found, small_corpus)) if each["basis"] == "Sent to counsel"]
    assert [each["ruling"] for each in log] == [ruling]
    listed = next(each for each in rows(lists.labels(found)) if each["control number"] == record.control_number(shown))
    assert (bool(listed["shown to Bob"]), listed["withheld"]) == (True, withheld)
    if answer is not None:
        last = rows(lists.rulings(found))[-1]
        assert (last["question"], last["ruling"]) == ("claw-back: is it privileged?", ruling)
        assert last["basis or class"] == "Sent to counsel"


# The commands


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["list", *map(str, words)])


def test_a_list_is_written_as_csv_and_as_xlsx_with_the_same_cells(
    matter: Path, small_corpus: Corpus, tmp_path: Path
) -> None:
    outs = [tmp_path / "log.csv", tmp_path / "log.xlsx"]
    done = run("privilege", matter, "--corpus", small_corpus.path, "--out", outs[0], "--out", outs[1])
    assert done.exit_code == 0, done.output
    assert f"{outs[0]}: privilege log for Bob, 3 rows" in done.output
    listed = list(csv.reader(io.StringIO(outs[0].read_bytes().decode("utf-8-sig"), newline="")))
    text = EXTRACTOR.extract(File(name="log.xlsx", content=outs[1].read_bytes())).text
    assert len(listed) == 4
    lines = text.split("\n")[1:]
    assert [list(filter(None, row)) for row in listed] == [list(filter(None, line.split("\t"))) for line in lines]


@pytest.mark.parametrize("name", ["labels", "rulings"])
def test_other_lists_need_no_documents(matter: Path, tmp_path: Path, name: str) -> None:
    done = run(name, matter, "--for", "court", "--out", tmp_path / "list.csv")
    assert done.exit_code == 0, done.output
    assert f"{name} for the court" in done.output


def test_a_cell_of_a_stranger_is_no_formula(tmp_path: Path) -> None:
    hostile = Table(title="x", columns=(("basis", 9),), rows=[("=cmd|'/c calc'!A1",), ("-2+3",), ("\u202egnp.exe",)])
    for name in ("a.csv", "a.xlsx"):
        table.write(hostile, tmp_path / name)
    written = (tmp_path / "a.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert written[1:] == ["'=cmd|'/c calc'!A1", "'-2+3", "\ufffdgnp.exe"]
    text = EXTRACTOR.extract(File(name="a.xlsx", content=(tmp_path / "a.xlsx").read_bytes())).text
    assert "'=cmd" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "list.pdf"], "ends in .csv or .xlsx"),
        (["--out", "there.csv"], "exists already"),
        (["--for", "public", "--out", "list.csv"], "'public' is not one of"),
        ([], "Missing option '--out'"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_read(
    matter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.csv").write_text("mine")
    done = run("labels", matter, *words)
    assert done.exit_code
    assert said in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]
    assert Path("there.csv").read_text() == "mine"


def test_a_file_that_is_no_matter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no matter")
    done = run("labels", tmp_path / "x", "--out", tmp_path / "list.csv")
    assert done.exit_code == 1
    assert "Traceback" not in done.output
