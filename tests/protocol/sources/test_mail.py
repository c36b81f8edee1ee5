"""The text of an e-mail: what people wrote, whatever a mail program made of it, and never an error."""

import base64
import quopri
import time
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.mail import MAX_DEPTH, MAX_PARTS, html_text, mail_text
from protocol.sources.problems import Cause

TYPED = b"MIME-Version: 1.0\nContent-Type: "


def body(raw: bytes) -> str:
    """The text of a mail that has nothing wrong and no header that is shown."""
    mail = mail_text(raw)
    assert not mail.notes
    return mail.text.strip()


# Headers


def test_the_headers_that_matter_come_first_and_no_others() -> None:
    raw = b"X-A: no\nSUBJECT: s\nDate: d\nCc: c\nBcc: no\nTo: t1,\n\tt2\nTo: t3\nFrom: f\nMessage-ID: <1@x>\n\nbody\n"
    mail = mail_text(raw)
    assert mail.text == "From: f\nTo: t1,\tt2, t3\nCc: c\nDate: d\nSubject: s\n\nbody\n"
    assert mail.message_id == "<1@x>"
    assert not mail.notes


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (b"=?utf-8?q?Gr=C3=BC=C3=9Fe_an?= euch", "Gr\u00fc\u00dfe an euch"),
        (b"=?ISO-8859-1?B?R3L832U=?=", "Gr\u00fc\u00dfe"),
        (b"=?utf-8?b?R3LD?= =?utf-8?b?vA==?=", "Gr\u00fc"),  # one letter cut in two words
        (b"=?utf-8?q?a?=\r\n =?utf-8?q?b?= c", "ab c"),
        (b"=?utf-8*en?q?a?=", "a"),
        (b"a =?utf-8?q?b?= c", "a b c"),
        (b"=?utf-8?q?unfinished", "=?utf-8?q?unfinished"),
        (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
        ("raw \u00e9".encode(), "raw \u00e9"),
    ],
)
def test_encoded_words_are_decoded(header: bytes, text: str) -> None:
    assert body(b"Subject: " + header + b"\n\n") == f"Subject: {text}"


@pytest.mark.parametrize("charset", [b"x-unknown", b"idna", b"unicode_escape", b"hex", b"undefined", b"\xff"])
def test_an_unknown_charset_is_read_as_well_as_can_be_and_noted(charset: bytes) -> None:
    mail = mail_text(b"Subject: =?" + charset + b"?q?touch=E9?=\n\n")
    assert "touch\u00e9" in mail.text
    assert mail.notes[-1][0] == Cause.UNDECODABLE


def test_a_header_of_the_envelope_is_passed_over() -> None:
    assert body(b"From a@x Mon\nSubject: s\n\nb") == "Subject: s\n\nb"


def test_text_right_after_the_headers_is_not_lost() -> None:
    assert body(b"Subject: s\nthis is no header\nnor: this") == "Subject: s\n\nthis is no header\nnor: this"


# Bodies


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "utf-16", "koi8-r"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "8bit"])
def test_text_is_decoded_as_the_part_says(charset: str, encoding: str) -> None:
    text = "\u041f\u0440\u0438\u0432\u0435\u0442" if charset == "koi8-r" else "Gr\u00fc\u00dfe und gute W\u00fcnsche"
    raw = text.encode(charset)
    sent = {"base64": base64.encodebytes(raw), "quoted-printable": quopri.encodestring(raw), "8bit": raw}[encoding]
    head = f"text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    assert body(TYPED + head.encode() + sent) == text


def test_plain_text_is_taken_and_html_beside_it_is_not() -> None:
    message = EmailMessage(policy=policy.SMTP)
    message["Subject"] = "both"
    message.set_content("plain words")
    message.add_alternative("<p>marked words</p>", subtype="html")
    message.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment("attached words", filename="a.txt")
    mail = mail_text(message.as_bytes())
    assert "plain words" in mail.text
    assert "attached words" in mail.text
    assert "marked" not in mail.text
    assert "Attachment: a.pdf (application/pdf)" in mail.text
    assert mail.notes == ((Cause.UNREAD_PART, "a.pdf (application/pdf)"),)


@pytest.mark.parametrize(
    ("headers", "described"),
    [
        (b"Content-Type: image/png", "(image/png)"),
        (b"Content-Type: image/png; name=a.png", "a.png (image/png)"),
        (
            b"Content-Type: image/png\nContent-Disposition: inline; filename*=utf-8''%C3%A4.png",
            "\u00e4.png (image/png)",
        ),
        (b"Content-Type: image/png\nContent-Disposition: ;;=*0*=;filename*=x''%", "% (image/png)"),
    ],
)
def test_an_attachment_that_is_not_read_is_named(headers: bytes, described: str) -> None:
    mail = mail_text(TYPED + b"multipart/mixed; boundary=b\n\n--b\n" + headers + b"\n\nx\n--b--\n")
    assert [cause for cause, _ in mail.notes] == [Cause.UNREAD_PART]
    assert "Attachment: " in mail.text
    assert mail.notes[0][1] == described


@pytest.mark.parametrize("plain", [None, "", " \n--\n"])
def test_html_is_taken_where_nothing_is_plain(plain: str | None) -> None:
    message = EmailMessage()
    if plain is not None:
        message.set_content(plain)
        message.add_alternative("<p>Gr&uuml;&szlig;e <b>a</b>n</p>", subtype="html")
    else:
        message.set_content("<p>Gr&uuml;&szlig;e <b>a</b>n</p>", subtype="html")
    assert body(message.as_bytes()).endswith("Gr\u00fc\u00dfe an")


def test_html_in_another_part_than_the_plain_text_is_taken_too() -> None:
    parts = b"--b\n\nfooter\n--b\nContent-Type: text/html\n\n<p>letter\n--b--\nafter the end"
    assert body(TYPED + b"multipart/mixed; boundary=b\n\nbefore\n" + parts) == "footer\nletter"


def test_a_forwarded_message_brings_its_headers_and_text() -> None:
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("inner words")
    outer = EmailMessage()
    outer.set_content("outer words")
    outer.add_attachment(inner)
    text = body(outer.as_bytes())
    assert text.index("outer words") < text.index("Subject: inner") < text.index("inner words")


def test_the_messages_of_a_digest_are_messages() -> None:
    parts = b"--b\n\nSubject: =?utf-8?q?one?=\n\nfirst\n--b\n\nSubject: two\n\nsecond\n--b--\n"
    assert body(TYPED + b"multipart/digest; boundary=b\n\n" + parts) == "Subject: one\n\nfirst\nSubject: two\n\nsecond"


def test_a_part_that_begins_as_an_envelope_does_is_whole() -> None:
    assert body(TYPED + b"multipart/mixed; boundary=b\n\n--b\n\nFrom here\non\n--b--") == "From here\non"


def test_the_last_part_may_lack_its_end_and_that_is_noted() -> None:
    mail = mail_text(TYPED + b'multipart/mixed; boundary="b b"\n\n--b b\n\none\n--b b\n\ntwo')
    assert mail.text.strip() == "one\ntwo"
    assert mail.notes == (
        (Cause.BROKEN_MAIL, "multipart/mixed ends before the line that closes it; it may have been cut short"),
    )


# Broken mail


@pytest.mark.parametrize("raw", [b"", b"no header", b"\n\nbody", b": x\n\nbody", b"touch\xe9"])
def test_what_is_no_mail_is_taken_as_text_and_noted(raw: bytes) -> None:
    mail = mail_text(raw)
    assert mail.text.encode("cp1252") == raw
    assert [cause for cause, _ in mail.notes] == [Cause.BROKEN_MAIL]


@pytest.mark.parametrize("parameters", [b"", b"; boundary=", b"; boundary=other", b'; boundary="'])
def test_a_multipart_without_parts_is_taken_as_text_and_noted(parameters: bytes) -> None:
    mail = mail_text(TYPED + b"multipart/mixed" + parameters + b"\n\n--b\n\nwords\n--b--\n")
    assert "words" in mail.text
    assert [cause for cause, _ in mail.notes] == [Cause.BROKEN_MAIL]


@pytest.mark.parametrize("cut", range(9))
def test_base64_that_was_cut_or_soiled_gives_what_is_left(cut: int) -> None:
    sent = base64.b64encode(b"one two three four")[: 24 - cut]
    mail = mail_text(TYPED + b"text/plain\nContent-Transfer-Encoding: base64\n\n" + sent[:4] + b" !\n" + sent[4:])
    assert mail.text.strip().startswith("one two thr")
    assert "one two three four".startswith(mail.text.strip())
    assert [cause for cause, _ in mail.notes] == ([Cause.BROKEN_MAIL] if cut % 4 else [])


def test_text_in_another_charset_than_declared_is_read_and_noted() -> None:
    mail = mail_text(TYPED + b"text/plain; charset=us-ascii\n\ntouch\xe9")
    assert mail.text.strip() == "touch\u00e9"
    assert [cause for cause, _ in mail.notes] == [Cause.UNDECODABLE]
    mail = mail_text(TYPED + b"text/plain; charset=gb2312\n\nwords \xff words")
    assert mail.text.strip() == "words \ufffd words"
    assert [cause for cause, _ in mail.notes] == [Cause.UNDECODABLE]


def nested(depth: int, inner: bytes) -> bytes:
    for level in range(depth):
        inner = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n" % (level, level, inner, level)
    return inner


def test_parts_in_parts_are_followed_to_a_depth_and_beyond_it_nothing_is_lost() -> None:
    assert body(nested(MAX_DEPTH, b"\nwords")) == "words"
    for depth in (MAX_DEPTH + 1, 400):
        mail = mail_text(nested(depth, b"\nwords"))
        assert "words" in mail.text
        assert [cause for cause, _ in mail.notes] == [Cause.BROKEN_MAIL]


def test_of_too_many_parts_none_is_lost() -> None:
    parts = b"".join(b"--b\nX: y\n\nword%d\n" % number for number in range(3 * MAX_PARTS))
    parts = parts.replace(
        b"X: y\n\nword%d\n" % (MAX_PARTS - 1), b"Content-Type: image/png\n\nword%d\n" % (MAX_PARTS - 1)
    )
    mail = mail_text(TYPED + b"multipart/mixed; boundary=b\n\n" + parts)
    assert all(f"word{number}\n" in mail.text for number in range(3 * MAX_PARTS))
    assert [cause for cause, _ in mail.notes] == [Cause.BROKEN_MAIL]


def test_of_too_many_parts_in_parts_none_is_lost() -> None:
    inner = b"Content-Type: multipart/mixed; boundary=i\n\n" + b"--i\n\nword\n" * 100
    mail = mail_text(TYPED + b"multipart/mixed; boundary=o\n\n" + (b"--o\n" + inner) * 100)
    assert mail.text.count("word") == 10_000
    assert mail.text.count("--i") > 1000  # these parts were not taken apart
    assert {cause for cause, _ in mail.notes} == {Cause.BROKEN_MAIL}


def test_half_characters_become_u_fffd() -> None:
    assert body(TYPED + b"text/plain; charset=utf-7\n\na +2AA- b") == "a \ufffd b"


HOSTILE = {
    "headers": b"a: b\n" * 100_000,
    "parts": TYPED + b"multipart/mixed; boundary=b\n\n" + b"--b\n" * 200_000,
    "depth": nested(300, b"\nx" * 200_000),
    "encoded words": b"Subject: " + b"=?utf-8?q?a?= " * 30_000,
    "unfinished words": b"Subject: " + b"=?a?q?" * 100_000,
    "parameters": TYPED + b"text/plain" + b';a="' * 500_000 + b"\n\nx",
    "comments": TYPED + b"text/html\n\n" + b"<!--x>" * 50_000,
    "declarations": TYPED + b"text/html\n\n" + b"<!" * 200_000,
    "sections": TYPED + b"text/html\n\n" + b"<![x[" * 100_000,
    "tags": TYPED + b"text/html\n\n" + b"<a " * 100_000,
    "references": TYPED + b"text/html\n\n" + b"&" * 300_000,
    "blanks": TYPED + b"text/html; charset=utf-8\n\n" + "\u3000".encode() * 300_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_mail_that_was_made_to_take_long_does_not(kind: str) -> None:
    start = time.process_time()
    mail_text(HOSTILE[kind])
    assert time.process_time() - start < 5


PIECES = st.sampled_from(
    [
        *(
            b"Content-Type: ",
            b"multipart/alternative",
            b"multipart/mixed",
            b"message/rfc822",
            b"text/html",
            b"text/plain",
        ),
        *(
            b"; boundary=b",
            b"; charset=",
            b"utf-7",
            b"utf-16",
            b"; charset*=x'y'%ff",
            b"; boundary*0=",
            b'"',
            b"\n",
            b"\n\n",
        ),
        *(
            b"--b\n",
            b"--b--",
            b"Content-Transfer-Encoding: base64\n",
            b"Subject: ",
            b"=?utf-8?b?",
            b"=?hz?q?~{?=",
            b"?=",
        ),
        *(b"<p", b"<!--", b"<![if", b"<script>", b"&#x110000;", b"&#xd800;", b"</", b">", b"\r", b"\0", b"From x\n"),
    ]
)


@settings(deadline=None, max_examples=500)
@given(st.binary(max_size=100) | st.lists(PIECES | st.binary(max_size=8), max_size=40).map(b"".join))
def test_any_bytes_give_a_text_that_can_be_stored(raw: bytes) -> None:
    mail = mail_text(raw)
    mail.text.encode()
    mail.message_id.encode()


# HTML


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
