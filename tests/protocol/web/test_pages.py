"""Whatever a template is given is data."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from protocol.web import pages

STATE = {"csrf": "S", "root": "/r-1"}
WEB = Path(pages.__file__).parent


def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, **values: Any) -> str:
    package = tmp_path / f"app_{tmp_path.name}"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "templates" / "page.html").write_text(template)
    monkeypatch.syspath_prepend(tmp_path)
    request = Request({"type": "http", "path": "/", "headers": [], "query_string": b"", "state": STATE})
    return bytes(pages.Pages(package.name)(request, "page.html", **values).body).decode()


def test_a_text_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = rendered(tmp_path, monkeypatch, "<p title='{{ it }}'>{{ it }}</p>", it="<script>'\"&\x00")
    assert page == "<p title='&lt;script&gt;&#39;&#34;&amp;\ufffd'>&lt;script&gt;&#39;&#34;&amp;\ufffd</p>"


def test_a_name_that_turns_letters_around_is_shown_harmlessly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(tmp_path, monkeypatch, "{{ it | shown }}", it="a\u202eb\nc") == "a\ufffdb\ufffdc"


def test_a_value_that_a_template_is_not_given_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception, match="missing"):
        rendered(tmp_path, monkeypatch, "{{ missing }}")


def test_pages_build_on_the_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = "{% extends 'base.html' %}{% block main %}{{ it }}{% endblock %}"
    page = rendered(tmp_path, monkeypatch, template, it="<b>")
    assert "&lt;b&gt;" in page
    assert '<meta name="csrf" content="S">' in page


def test_paths_of_the_app_are_below_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = """<a href="/">{{ it }}</a><form action="/do"><img src="/a.png" data-to="/b"><a href="#c"><a href="d">"""
    page = rendered(tmp_path, monkeypatch, template, it='<a href="/x">')
    assert page == (
        '<a href="/r-1/">&lt;a href=&#34;/x&#34;&gt;</a><form action="/r-1/do">'
        '<img src="/r-1/a.png" data-to="/r-1/b"><a href="#c"><a href="d">'
    )


INLINE = re.compile(
    r"""<style|\sstyle\s*=|<[^>]*\son[a-z]+\s*=|<script(?![^>]*\ssrc="/static/)|javascript:|\|\s*safe"""
)


@pytest.mark.parametrize("package", ["web", "room"])
def test_no_template_has_a_script_or_a_style_of_its_own(package: str) -> None:
    """The policy would keep them from working, and nobody would notice before a browser."""
    for path in (WEB.parent / package / "templates").glob("*.html"):
        assert INLINE.search(path.read_text()) is None, path


@pytest.mark.parametrize("package", ["web", "room"])
def test_no_template_and_no_script_names_a_path_that_would_not_be_below_the_apps_own(package: str) -> None:
    for path in (WEB.parent / package / "templates").glob("*.html"):
        for name, value in re.findall(r"""\s([a-z-]+)=(["']/|[{]%[^%]*%[}]/)""", path.read_text()):
            assert (name in ("href", "src", "action", "data-to"), value) == (True, '"/'), path
    for path in (WEB.parent / package / "static").glob("*.js"):
        assert re.search(r"""["'`]/[a-z]""", path.read_text()) is None, path


@pytest.mark.parametrize("bad", ["<p style='a'>", "<style>", "<a onclick='x'>", "<script>", "{{ it | safe }}"])
def test_that_test_would_see_them(bad: str) -> None:
    assert INLINE.search(bad)
