"""Volumes as Trent makes them: what is in them, and numbers that go on and never change, whatever stops the command."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.errors import Damaged, LedgerError, Refused, WrongKey
from ledger.keys import SigningKey
from protocol.cli import main
from protocol.errors import BadCorpus, BadSource, Unwritable
from protocol.loadfile import fieldfile
from protocol.loadfile.lines import Flaw
from protocol.loadfile.loadfile import Family, open_loadfile, read_text
from protocol.matter import summary
from protocol.matter.books import Seat
from protocol.production import fields, record, register
from protocol.production.produce import Produced, produce
from protocol.production.register import Wanted
from tests.support import productions, small_corpus
from tests.support.productions import MANIFEST, Office, contents


@pytest.fixture(scope="module")
def _begun(tmp_path_factory: pytest.TempPathFactory) -> Office:
    office = productions.office(tmp_path_factory.mktemp("begun"))
    office.play(1)
    return office


@pytest.fixture
def begun(_begun: Office, tmp_path: Path) -> Office:
    """An office whose matter has one closed round."""
    shutil.copy(_begun.matter, tmp_path / "case.matter")
    return replace(_begun, folder=tmp_path)


def read(folder: Path) -> list[Family]:
    """The families of a volume, as a vendor's program reads them."""
    (table,) = (folder / "DATA").glob("*.dat")
    items = list(open_loadfile(table).families())
    assert not [each for each in items if isinstance(each, Flaw)]
    return [each for each in items if not isinstance(each, Flaw)]


def manifest(office: Office, name: str) -> Any:
    return json.loads((office.folder / name / MANIFEST).read_bytes())["manifest"]


def produced(office: Office, *names: str) -> dict[int, list[str]]:
    """By document, its numbers in these volumes."""
    found: dict[int, list[str]] = {}
    for name in names:
        for each in manifest(office, name)["records"]:
            found.setdefault(each["document"], []).append(each["number"])
    return found


def due(office: Office) -> list[int]:
    """What the matter says: shown in closed rounds, and responsive by their output."""
    state = summary.read(office.matter)
    return [
        review.places[position - 1].document
        for review, outcome in state.closed
        for position in sorted(review.disclosed & set(outcome.responsive))
    ]


def parts(office: Office) -> int:
    """How many numbers all that is due takes."""
    return sum(office.corpus.parts(document) for document in due(office))


def test_a_volume_read_back_as_a_load_file_has_the_same_documents_families_and_fields(begun: Office) -> None:
    begun.play()
    begun.produce("V1")
    corpus, families = begun.corpus, read(begun.folder / "V1")
    assert len(families) == len(due(begun)) == 7
    for family, document in zip(families, due(begun), strict=True):
        assert len(family) == corpus.parts(document)
        for part, each in enumerate(family):
            known = corpus.fields(document, part)
            assert each.native is not None
            assert each.text_path is not None
            assert each.native.read_bytes() == corpus.content(document, part)
            assert each.text_path.read_bytes() == corpus.part_text(document, part).encode()
            assert each.fields.get("file_name", "") == known.rest.name.rpartition("/")[2]
            assert each.fields.get("type", "") == known.log.type
    (largest,) = (family for family in families if len(family) > 1)
    mail, archive, table, _ = (each.fields for each in largest)
    assert mail["all_custodians"] == archive["all_custodians"] == "Ann; Bob"
    assert (mail["custodian"], mail["subject"], mail["cc"]) == ("Ann", "The offer", "carol")
    assert mail["all_paths"] == "ann/sent/1; bob/inbox/7"
    assert archive["parent"] == mail["begin"] == mail["begin_family"] == table["begin_family"]
    assert table["parent"] == archive["begin"]
    assert table["pages"] == "3"


def test_odd_fields_are_written_as_far_as_a_load_file_can_hold_them(begun: Office) -> None:
    begun.play()
    done = begun.produce("V1")
    (odd,) = (each.fields for (each, *_) in read(begun.folder / "V1") if each.fields.get("message_id") == "<1>")
    fitted = "It's þaþ(R): a\ufffdb\nand\ufffdmore; þ"
    assert odd["subject"] == odd["author"] == fitted
    assert odd["all_custodians"] == "Ann, Bob; Zoë"
    assert odd["date_sent"] == odd["date"] == "2001"  # a mail, since somebody sent it
    assert done.changed == 4


def test_what_is_not_responsive_is_listed_for_return_and_is_nowhere_else(begun: Office) -> None:
    begun.play()
    done = begun.produce("V1")
    listed = (begun.folder / "V1/RETURN.csv").read_text("utf-8-sig").splitlines()
    assert listed[0] == '"round","position","document","name","reason","numbers"'
    assert done.to_return == len(listed) - 1 == 3
    assert all(row.endswith('"not responsive",""') for row in listed[1:])
    assert any('"mail/2"' in row for row in listed)
    assert b"lunch?" not in b"".join(contents(begun.folder / "V1").values())


def test_numbers_go_on_and_a_further_volume_holds_only_what_is_new(begun: Office) -> None:
    first = begun.produce("V1", digits=5, start=41)
    with pytest.raises(Refused, match="nothing to produce: .* since volume 1"):
        begun.produce("V2")
    before, taken = produced(begun, "V1"), parts(begun)
    begun.play()
    second = begun.produce("V2", prefix=None)
    assert (first.first, first.last) == ("ACME00041", f"ACME{40 + taken:05}")
    assert (second.first, second.last) == (f"ACME{41 + taken:05}", "ACME00050")
    assert (begun.folder / "V2/DATA/VOL002.dat").exists()
    after = produced(begun, "V1", "V2")
    assert before.items() <= after.items()
    assert list(after) == due(begun)
    numbers = [number for each in after.values() for number in each]
    assert numbers == [f"ACME{number:05}" for number in range(41, 51)]
    assert manifest(begun, "V2")["earlier"][0]["next"] == 41 + taken


def test_made_again_a_volume_has_the_same_bytes(begun: Office, tmp_path: Path) -> None:
    begun.produce("V1")
    begun.numbers.unlink()
    begun.produce("again")
    assert contents(begun.folder / "V1") == contents(begun.folder / "again")


class Killed(BaseException):
    """The end of a process, as far as code can tell."""


@contextmanager
def killed_around_the_name(monkeypatch: pytest.MonkeyPatch, moment: str) -> Iterator[None]:
    """The process ends between the two times at which it writes the register: before or after the folder's name."""
    write, written = register.write, list[register.Register]()

    def dying(path: Path, found: register.Register) -> None:
        if written:
            raise Killed
        write(path, found)
        written.append(found)
        if moment == "before":
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(register, "write", dying)
        with pytest.raises(Killed):
            yield


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_volume_that_was_begun_is_written_again_as_it_was_though_the_matter_went_on(
    begun: Office, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    before = due(begun)
    with killed_around_the_name(monkeypatch, moment):
        begun.produce("V1", names={"begin": "FIRST"})
    assert (begun.folder / "V1").exists() == (moment == "after")
    begun.play()
    assert begun.produce("again", names={"begin": "SECOND"}).resumed
    assert list(produced(begun, "again")) == before == due(begun)[: len(before)] != due(begun)
    assert manifest(begun, "again")["fields"][0]["called"] == "FIRST"
    if moment == "after":
        assert contents(begun.folder / "V1") == contents(begun.folder / "again")
    assert not begun.produce("V2").resumed
    assert begun.judge("again").answer == "verified"
    assert begun.judge("V2", ["again"]).answer == "verified"
    assert list(produced(begun, "again", "V2")) == due(begun)


def test_a_command_that_ends_while_it_writes_has_given_no_numbers(
    begun: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("protocol.production.manifest.signed", dying)
        with pytest.raises(Killed):
            begun.produce("V1")
    assert not begun.numbers.exists()
    assert sorted(each.name for each in begun.folder.iterdir()) == ["case.matter"]
    assert begun.produce("V1").first == "ACME00000001"


def test_a_withheld_part_is_a_slip_sheet_and_nothing_of_it_is_in_the_volume(tmp_path: Path) -> None:
    office = productions.office(tmp_path)
    office.play(withheld=(2,))
    done = office.produce("V1")
    assert done.slip_sheets == 1
    (family,) = (each for each in read(tmp_path / "V1") if len(each) > 1)
    sheet = family[2]
    assert sheet.native is None
    assert sheet.text_path is not None
    assert read_text(sheet.text_path)[0] == f"{sheet.number}\n\nThis document is withheld as privileged.\n"
    assert "file_name" not in sheet.fields
    assert "custodian" not in sheet.fields
    assert sheet.fields["type"] == "pdf"
    everything = b"".join(contents(tmp_path / "V1").values())
    for secret in (b"%PDF", b"prices of gas", b"prices.pdf"):
        assert secret not in everything
    mail, archive, _, text = family
    assert mail.native is archive.native is None, "their bytes hold the withheld part"
    assert not {"hash", "extension", "native_link"} & {*mail.fields, *archive.fields}
    assert text.native is not None
    assert office.judge("V1").answer == "verified"


def test_of_a_withheld_part_zero_others_do_not_tell_the_custodians(tmp_path: Path) -> None:
    office = productions.office(tmp_path)
    office.play(withheld=(0,))
    office.produce("V1")
    (family,) = (each for each in read(tmp_path / "V1") if len(each) > 1)
    assert family[0].fields["author"] == "Ann <ann@example.org>"
    assert family[0].fields["to"].startswith("bob@example.org")
    assert not any("custodian" in each.fields for each in family)
    assert office.judge("V1").answer == "verified"


def test_fields_can_have_other_names_in_each_volume(begun: Office, tmp_path: Path) -> None:
    file = tmp_path / "names.toml"
    file.write_text(fields.template().replace('"BEGBATES"', '"PRODBEG"').replace('"CC"', '"Copy to"'))
    names = fields.renamed(fieldfile.read_names(file), file)
    begun.produce("V1", names=names)
    header = (begun.folder / "V1/DATA/VOL001.dat").read_bytes().decode("utf-8-sig").splitlines()[0]
    assert "þPRODBEGþ" in header
    assert "þCopy toþ" in header
    assert begun.judge("V1").answer == "verified"
    begun.play()
    begun.produce("V2")
    assert begun.judge("V2", ["V1"]).answer == "verified"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('redacted = "X"', "a volume has no field redacted"),
        ('nonsense = "X"', "nonsense is not one of our names"),
        ('begin = ""', "fields.begin is empty"),
        ('begin = "A"\nend = "A"', "are both 'A'"),
    ],
)
def test_a_field_file_that_cannot_be_used_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "names.toml"
    file.write_text(f"[fields]\n{line}\n")
    with pytest.raises(BadSource, match=reason):
        fields.renamed(fieldfile.read_names(file), file)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"prefix": "OTHER"}, "never change: leave --prefix"),
        ({"digits": 9}, "never change: leave --prefix"),
        ({"start": 7}, "--start is for the first volume"),
    ],
)
def test_numbers_that_would_change_are_refused(begun: Office, wanted: dict[str, Any], reason: str) -> None:
    begun.produce("V1")
    begun.play()
    before = begun.numbers.read_bytes()
    with pytest.raises(Refused, match=reason):
        begun.produce("V2", **wanted)
    assert begun.numbers.read_bytes() == before
    assert not (begun.folder / "V2").exists()


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({"prefix": None}, Refused),
        ({"prefix": "../x"}, Unwritable),
        ({"prefix": "ACME1"}, Unwritable),
        ({"digits": 1, "start": 8}, Unwritable),
    ],
)
def test_a_first_volume_whose_numbers_cannot_be_written_leaves_nothing(
    begun: Office, wanted: dict[str, Any], error: type[LedgerError]
) -> None:
    with pytest.raises(error):
        begun.produce("V1", **wanted)
    assert sorted(each.name for each in begun.folder.iterdir()) == ["case.matter"]


def test_an_existing_folder_another_corpus_and_another_key_are_refused(begun: Office, tmp_path: Path) -> None:
    (begun.folder / "taken").mkdir()
    with pytest.raises(Refused, match="exists already; name a new folder"):
        begun.produce("taken")
    corpus = small_corpus.make(tmp_path / "other", productions.documents()[:3])
    other = replace(begun, corpus=corpus)
    with pytest.raises(BadCorpus, match="is not the corpus that the matter was opened with"):
        other.produce("V1")
    with pytest.raises(WrongKey):
        _with_key(begun, SigningKey(bytes(32)))
    assert not begun.numbers.exists()


def _with_key(office: Office, key: SigningKey) -> Produced:
    wanted = Wanted(prefix="ACME")
    return produce(office.matter, office.corpus, office.folder / "V1", signer=lambda _: key, wanted=wanted, names={})


def test_before_a_round_is_closed_there_is_nothing_to_produce(tmp_path: Path) -> None:
    office = productions.office(tmp_path)
    office.play(0)
    with pytest.raises(Refused, match="nothing to produce"):
        office.produce("V1")


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1", b'{"format":2}'])
def test_a_damaged_register_is_told_and_kept(begun: Office, damage: bytes) -> None:
    begun.produce("V1")
    begun.numbers.write_bytes(damage)
    with pytest.raises(Damaged, match="is not a register of numbers"):
        begun.produce("V2")
    assert begun.numbers.read_bytes() == damage


def test_a_register_of_a_later_or_another_matter_is_refused(begun: Office, tmp_path: Path) -> None:
    old = begun.matter.read_bytes()
    begun.play()
    begun.produce("V1")
    whole = begun.numbers.read_bytes()
    begun.matter.write_bytes(old)
    with pytest.raises(Refused, match="may be an older backup"):
        begun.produce("V2")
    value = json.loads(whole)
    value["matter"] = "00" * 32
    begun.numbers.write_text(json.dumps(value, separators=(",", ":"), sort_keys=True))
    with pytest.raises(Refused, match="belongs to another matter"):
        begun.produce("V2")


def test_two_commands_at_once_take_turns(begun: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    inner: list[str] = []
    read_record = record.read

    def meanwhile(*args: Any) -> Any:
        if not inner:
            inner.append("")
            with pytest.raises(Refused, match="another process is producing") as refusal:
                begun.produce("V2")
            inner.append(str(refusal.value))
        return read_record(*args)

    monkeypatch.setattr(record, "read", meanwhile)
    begun.produce("V1")
    assert len(inner) == 2


def test_the_command_makes_a_volume_and_tells_how_to_check_it(begun: Office) -> None:
    words = ["produce", str(begun.matter), "--corpus", str(begun.corpus.path), "--out"]
    refused = CliRunner().invoke(main, [*words, str(begun.folder / "V1")])
    assert (refused.exit_code, "say with --prefix" in refused.output) == (1, True)
    made = CliRunner().invoke(main, [*words, str(begun.folder / "V1"), "--prefix", "ACME", "--json"])
    assert made.exit_code == 0, made.output
    value = json.loads(made.stdout)
    assert (value["volume"], value["first"], value["last"]) == (1, "ACME00000001", f"ACME{parts(begun):08}")
    documents, taken = len(due(begun)), parts(begun)
    begun.play()
    told = CliRunner().invoke(main, [*words, str(begun.folder / "V2")]).output
    numbers = f"ACME{taken + 1:08} to ACME00000010"
    assert f"volume 2, {numbers}; {7 - documents} documents with {10 - taken} parts" in told
    assert "RETURN.csv lists 3 documents" in told
    assert "tallystick-verify production" in told
    nowhere = CliRunner().invoke(main, [*words, str(begun.folder / "no/where")])
    assert (nowhere.exit_code, "there is no folder" in nowhere.output) == (2, True)
    names = CliRunner().invoke(main, ["produce", "--field-names"])
    assert (names.exit_code, names.output) == (0, f"{fields.template()}\n")


def seats(office: Office) -> list[Seat]:
    return [Seat(each.round, each.position) for each in record.produced(record.read(office.matter))]


def test_what_is_asked_back_is_not_produced_and_is_listed_with_the_numbers_that_it_had(begun: Office) -> None:
    begun.produce("V1")
    before = produced(begun, "V1")
    begun.play(3)
    first, second, *_, third, fourth = due(begun)
    places = seats(begun)
    begun.ask_back({places[0]: True, places[1]: False, places[-1]: True})
    begun.ask_back({places[-2]: None})
    begun.produce("V2")
    assert produced(begun, "V1", "V2").keys() == set(due(begun)) - {third, fourth}
    listed = (begun.folder / "V2/RETURN.csv").read_text("utf-8-sig").splitlines()
    rows = {int(each.split('","')[2]): each.split('","')[4:] for each in listed[1:]}
    (number,) = before[first]
    assert rows[first] == ["clawed back", f'{number}-{number}"']
    assert rows[third] == ["asked back", '"']
    assert rows[fourth] == ["clawed back", '"']
    assert second not in rows
    assert begun.judge("V2", ["V1"]).answer == begun.judge("V2").answer == begun.judge("V1").answer == "verified"


def test_what_was_asked_back_in_vain_comes_in_the_next_volume(begun: Office) -> None:
    begun.ask_back({seats(begun)[0]: None})
    begun.produce("V1")
    assert due(begun)[0] not in produced(begun, "V1")
    begun.rule([False])
    begun.produce("V2")
    assert list(produced(begun, "V2")) == due(begun)[:1]
    assert begun.judge("V2", ["V1"]).answer == begun.judge("V1").answer == "verified"


def test_a_volume_may_hold_nothing_but_a_longer_list_for_return(begun: Office) -> None:
    begun.play(3)
    begun.produce("V1")
    with pytest.raises(Refused, match="nothing to produce"):
        begun.produce("V2")
    begun.ask_back({seats(begun)[0]: True})
    done = begun.produce("V2")
    assert (done.documents, done.first, done.to_return) == (0, "", 4)
    assert begun.judge("V2", ["V1"]).answer == begun.judge("V1").answer == "verified"
