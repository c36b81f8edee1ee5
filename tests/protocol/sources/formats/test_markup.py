"""HTML of a mail becomes what a reader would see."""

import pytest

from protocol.sources.formats.markup import html_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
        ("<td>a</td><td>b</td>", "a\nb"),
        ("w<b>or</b>d <a href='x>y'>link</a>", "word link"),
        ("a&nbsp;&amp;&lt;b&gt; &#233;&#xe9; &unknown;", "a &<b> \u00e9\u00e9 &unknown;"),
        ("<style>p {}</style>a<script>if (a < b) {}</script>b", "a\nb"),
        ("<title>t</title><!-- no -->a", "t\na"),
        ("<!DOCTYPE html><html><body>a", "a"),
        ("<![if !mso]>a<![endif]>", "a"),
        ("a <!-- never ends", "a <!-- never ends"),
        ("a < b and b > c", "a < b and b > c"),
        ("a <b", "a <b"),
        ("<script>never ends", ""),
        ("", ""),
    ],
)
def test_tags_are_stripped(markup: str, text: str) -> None:
    assert html_text(markup) == text


def test_markup_that_the_parser_refuses_is_stripped_all_the_same() -> None:
    assert html_text("<p>one</p><![odd[x]]>two &amp; three").split()[-3:] == ["two", "&", "three"]
