"""Pages to read documents: nothing in a document or its name becomes part of the page, and large batches open fast."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import filenames, pages, readme
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.readme import Guide
from protocol.matter.kinds import KINDS
from protocol.parties.question import COSIGN, FORMAT, Request
from tests.support import shown

NOTHING = Digest(bytes(32))


def asked(kind: str = "labels", role: Role = Role.BOB) -> Request:
    common = {"entry": NOTHING, "head": NOTHING, "matter": NOTHING}
    return Request(files={}, format=FORMAT, kind=kind, role=role, round=1, size=1, start=0, **common)


def documents(*texts: str, name: str = "mail.eml") -> list[ShownDocument]:
    return [
        shown.document(position=place, name=name, content=b"", text=text, note=text[:50])
        for place, text in enumerate(texts, 1)
    ]


class Page(HTMLParser):
    """What a browser makes of a page: its elements, where its links lead, and the document's text."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.policy = ""
        self.text: list[str] | None = None
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        if tag == "a":
            self.links.append(found["href"] or "")
            assert "target" not in found
            if "documents/" in (found["href"] or ""):
                assert found["rel"] == "noopener noreferrer"
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag == "pre":
            self.text = []
        assert not {"onload", "onclick", "onerror", "src", "style"} & found.keys()

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self.shown = "".join(self.text or [])
            self.text = None

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "p", "a", "h1", "div", "nav", "ol", "li", "main", "pre",
    "bdi", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


@given(st.lists(st.text(), min_size=1, max_size=4), st.text())
def test_a_text_is_shown_and_never_run(texts: list[str], name: str) -> None:
    made = documents(*texts, name=name)
    found = pages.render(asked(), made, name)
    assert found.keys() == {filenames.INDEX, *(f"pages/{place:04d}.html" for place in range(1, len(texts) + 1))}
    for data in found.values():
        assert set(Page(data).tags) <= ALLOWED
    for document in made:
        page = Page(found[f"pages/{document.position:04d}.html"])
        expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "\ufffd", document.parts[0].text)
        assert page.shown == "\n" + expected


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", "</pre><img src=x>", '"><a href="http://x">', "&lt;", "]]>"]
)
def test_markup_in_a_document_or_name_is_text(evil: str) -> None:
    found = pages.render(asked(), documents(evil, name=evil), evil)
    for data in found.values():
        assert b"<script" not in data
        assert b"<img" not in data
        assert not any(link.startswith("http") for link in Page(data).links)


def test_the_policy_forbids_everything_but_the_pages_own_style() -> None:
    for data in pages.render(asked(), documents("x"), "case").values():
        policy = Page(data).policy
        style = re.search(r"<style>(.*)</style>", data.decode(), re.DOTALL)
        assert style
        digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        assert b"http:" not in data.replace(b"http-equiv", b"")
        assert b"https:" not in data


def test_every_link_leads_to_a_file_of_the_question() -> None:
    made = documents("a", "b", "c")
    found = pages.render(asked(), made, "case")
    there = {*found, *(each.file(1) for each in made)}
    for name, data in found.items():
        links = Page(data).links
        assert links
        for link in links:
            assert (link.removeprefix("../") if name.startswith("pages/") else link) in there
    assert "../pages/0001.html" in Page(found["pages/0002.html"]).links
    assert "../pages/0003.html" in Page(found["pages/0002.html"]).links


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_no_link_leads_to_a_file_that_runs_when_it_is_opened(names: list[str]) -> None:
    """Attack: a document called `memo.html`, linked from its page."""
    made = [
        shown.document(position=place, name=f"{name}.html", content=b"", text="<script>alert(1)</script>")
        for place, name in enumerate(names, 1)
    ]
    for data in pages.render(asked(), made, "case").values():
        for link in Page(data).links:
            page = re.fullmatch(r"(\.\./)?(index\.html|pages/[0-9]{4}\.html)", link)
            assert page or re.fullmatch(r"(\.\./)?documents/[0-9]{4}-r1-[A-Za-z0-9-]+\.txt", link)


def test_a_large_batch_stays_small_page_by_page() -> None:
    made = documents(*["word " * 10_000] * 1000)
    started = perf_counter()
    found = pages.render(asked(), made, "case")
    assert perf_counter() - started < 20
    assert len(found[filenames.INDEX]) < 500_000
    assert max(map(len, found.values())) < 500_000


@pytest.mark.parametrize(
    "kind", [*sorted({kind for shape in KINDS.values() for kind in (shape.asks or {}).values()}), COSIGN]
)
def test_every_question_says_what_to_do(kind: str) -> None:
    text = readme.text(asked(kind, Role.COURT), Guide(case="Smith v. Acme"), 3).decode()
    assert "tallystick answer QUESTION --key court.key" in text
    assert "Smith v. Acme" in text
    assert "the court" in text
    assert "\r\n" in text
    assert "\n" not in text.replace("\r\n", "")


def test_the_markup_of_pages_is_a_copy_of_the_report_s() -> None:
    """Neither package may import the other. They differ in which texts they hold harmless."""
    root = Path(protocol.__file__).parents[1]
    ours, reports = (root / "protocol/exchange/markup.py", root / "verifier/report/markup.py")
    lines = [path.read_text().splitlines() for path in (ours, reports)]
    kept = [[line for line in each if not line.endswith(" import harmless")] for each in lines]
    assert kept[0] == kept[1]
    assert [len(each) - len(rest) for each, rest in zip(lines, kept, strict=True)] == [1, 1]
