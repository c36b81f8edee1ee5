"""Several matters of one Trent: each finds its documents, goes on by itself, and has its own page."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ledger.errors import LedgerError
from ledger.roles import Role
from protocol.box.layout import Mailbox
from protocol.cli import main
from protocol.exchange import at_work
from protocol.operating import loop, several
from protocol.operating.page import MAX_BODY, Front
from protocol.web.loopback import Guard
from tests.support import corpora
from tests.support.asgi import Browser
from tests.support.exchange_cases import Table
from tests.support.operated import Operated

PORT = 8472


@pytest.fixture
def other(tmp_path: Path) -> Table:
    """A matter with other documents, which nobody has signed yet."""
    folder = tmp_path / "other"
    folder.mkdir()
    table = Table(folder=folder, corpus=corpora.make(tmp_path / "other-corpus", documents=40, responsive=9))
    table.open()
    return table


def _run(box: Path, tables: list[Table], given: list[Path]) -> Result:
    words: list[object] = ["run", *(each.matter for each in tables)]
    for folder in given:
        words += ["--corpus", folder]
    words += ["--key", tables[0].key_file(Role.TRENT), "--box", box, "--hold", "0", "--once"]
    return CliRunner().invoke(main, [str(word) for word in words])


def test_each_matter_finds_its_own_documents(drawing: Table, other: Table, tmp_path: Path) -> None:
    found = _run(tmp_path / "box", [drawing, other], [other.corpus.path, drawing.corpus.path])
    assert found.exit_code == 0, found.output
    box = Mailbox.made(tmp_path / "box")
    for each in (drawing, other):
        assert box.questions(Operated(each).matter, Role.BOB)


def test_a_matter_whose_documents_were_not_given_says_so(drawing: Table, other: Table, tmp_path: Path) -> None:
    third = corpora.make(tmp_path / "third", documents=20, responsive=5)
    found = _run(tmp_path / "box", [drawing, other], [third.path, drawing.corpus.path])
    assert found.exit_code == 1
    assert f"{other.matter} was opened with none of the corpora that were given" in found.output
    assert "Traceback" not in found.output


def test_if_one_matter_fails_the_others_are_done_and_the_reason_is_told(
    drawing: Table, other: Table, tmp_path: Path
) -> None:
    with at_work.held(other.matter):
        found = _run(tmp_path / "box", [other, drawing], [other.corpus.path, drawing.corpus.path])
    assert found.exit_code == 1
    assert f"{other.matter.name}: Trouble: " in found.output
    assert "Traceback" not in found.output
    assert Mailbox.made(tmp_path / "box").questions(Operated(drawing).matter, Role.BOB)


@pytest.fixture
def both(drawing: Table, other: Table, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Browser, list[Operated]]]:
    """Both at work, and a browser on Trent's page."""
    monkeypatch.setattr(loop, "PAUSE", 0.05)
    operated = [Operated(drawing), Operated(other)]
    runs = [each.run() for each in operated]
    guard = Guard(PORT, max_body=MAX_BODY)
    browser = Browser(guard.around(Front(runs).app()), guard, PORT)
    working = threading.Thread(target=several.forever, args=(runs,))
    working.start()
    for each in runs:
        each.order(lambda at: at.go())
    yield browser, operated
    for each in runs:
        each.stop()
    working.join(20)
    assert not working.is_alive()


def test_the_first_page_lists_the_matters_and_leads_to_each(both: tuple[Browser, list[Operated]]) -> None:
    browser, operated = both
    listed = browser.get("/").text
    assert re.findall(r'href="/r-[^/]+(/matter/\d/)"', listed) == ["/matter/1/", "/matter/2/"]
    for number, each in enumerate(operated, 1):
        page = browser.get(f"/matter/{number}/").text
        assert each.matter.hex()[:16] in page
        assert 'href="../../">All matters' in page
        assert f'/matter/{number}/ask/late"' in page
        assert browser.get(f"/matter/{number}/static/run.js").status == 200
    assert browser.get("/matter/3/").status == 404
    assert "  " not in browser.get("/version").json["version"]


def test_a_button_acts_in_its_own_matter_and_leads_back_to_it(both: tuple[Browser, list[Operated]]) -> None:
    browser, (first, second) = both
    before = first.record()
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)">', browser.get("/matter/2/ask/whole?role=bob").text))
    fields.pop("csrf")
    found = browser.post("/matter/2/do/whole", **fields)
    assert found.status == 303
    assert (found.header("location") or "").endswith("/matter/2/")
    assert first.record() == before
    assert "whole record" in browser.get("/matter/2/").text
    assert second.names(Role.BOB)


def test_a_matter_that_cannot_be_read_is_told_in_the_list_of_all(drawing: Table, other: Table) -> None:
    guard = Guard(PORT, max_body=MAX_BODY)
    runs = [Operated(each).run() for each in (other, drawing)]
    drawing_number = Operated(drawing).matter.hex()
    other.matter.write_bytes(b"no matter")
    found = Browser(guard.around(Front(runs).app()), guard, PORT).get("/")
    assert found.status == 200
    assert "This matter cannot be read: " in found.text
    assert other.matter.name in found.text
    assert "Smith v. Acme Corp." in found.text or drawing_number[:16] in found.text


def test_a_single_matter_needs_no_list(drawing: Table) -> None:
    guard = Guard(PORT, max_body=MAX_BODY)
    browser = Browser(guard.around(Front([Operated(drawing).run()]).app()), guard, PORT)
    assert (browser.get("/").header("location") or "").endswith("/matter/1/")
    assert "All matters" not in browser.get("/matter/1/").text


def test_if_one_matter_cannot_begin_all_end_and_the_reason_is_told(drawing: Table, other: Table) -> None:
    runs = [Operated(drawing).run(), Operated(other).run()]
    other.matter.write_bytes(b"no matter")
    with pytest.raises(LedgerError, match="matter"):
        several.forever(runs)
