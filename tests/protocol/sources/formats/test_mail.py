"""A mail: what people wrote and attached, whatever a mail program made of it, and never an error."""

import base64
import binascii
import quopri
import time
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.mail import EXTRACTOR, MAX_DEPTH, extract
from protocol.sources.formats.mime import MAX_PARTS
from protocol.sources.parts import FIELDS, Extracted, File
from protocol.sources.problems import Cause

TYPED = b"MIME-Version: 1.0\nContent-Type: "
MIXED = TYPED + b"multipart/mixed; boundary=b\n\n"


def read(raw: bytes, name: str = "a.eml") -> Extracted:
    return extract(File(name=name, content=raw))


def body(raw: bytes) -> str:
    """The text of a mail that has nothing wrong, no header that is shown and no attachment."""
    mail = read(raw)
    assert not mail.notes
    assert not mail.children
    return mail.text.strip()


def causes(mail: Extracted) -> list[Cause]:
    return [cause for cause, _ in mail.notes]


# Headers and fields


def test_the_headers_that_matter_come_first_and_no_others() -> None:
    raw = b"X-A: no\nSUBJECT: s\nDate: d\nCc: c\nBcc: b\nTo: t1,\n\tt2\nTo: t3\nFrom: f\nMessage-ID: <1@x>\n\nbody\n"
    mail = read(raw)
    assert mail.text == "From: f\nTo: t1, t2, t3\nCc: c\nBcc: b\nDate: d\nSubject: s\n\nbody\n"
    assert mail.fields == {
        "from": "f",
        "to": "t1, t2, t3",
        "cc": "c",
        "bcc": "b",
        "subject": "s",
        "message_id": "<1@x>",
    }
    assert not mail.notes


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ("Mon, 6 Sep 2010 05:25:34 -0400 (EDT)", "2010-09-06T05:25:34-04:00"),
        ("15 Apr 92 16:46:49 GMT", "1992-04-15T16:46:49+00:00"),
        ("Mon, 6 Sep 2010 05:25:34", "2010-09-06T05:25:34"),
        ("Mon, 6 Sep 2010 05:25:34 +0530", "2010-09-06T05:25:34+05:30"),
        ("Mon, 6 Sep 2010 05:25:34 -0000", "2010-09-06T05:25:34+00:00"),
        ("yesterday", None),
        ("Mon, 99 Sep 2010 05:25:34 +0000", None),
        ("Mon, 6 Sep 99999999999999999999 05:25:34 +0000", None),
        ("Mon, 6 Sep 2010 05:25:34 +9999999999999999", None),
        ("", None),
    ],
)
def test_the_date_is_iso_8601_with_its_offset_or_it_is_not_there(date: str, iso: str | None) -> None:
    assert read(f"From: f\nDate: {date}\n\n".encode()).fields.get("date") == iso


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
        (b"=?utf-8?q?a=0A=0AFrom:_b?=", "a From: b"),  # no value can end the headers
        ("raw \u00e9".encode(), "raw \u00e9"),
    ],
)
def test_encoded_words_are_decoded(header: bytes, text: str) -> None:
    assert body(b"Subject: " + header + b"\n\n") == f"Subject: {text}"


@pytest.mark.parametrize("charset", [b"x-unknown", b"idna", b"unicode_escape", b"hex", b"undefined", b"\xff"])
def test_an_unknown_charset_is_read_as_well_as_can_be_and_noted(charset: bytes) -> None:
    mail = read(b"Subject: =?" + charset + b"?q?touch=E9?=\n\n")
    assert "touch\u00e9" in mail.text
    assert mail.notes[-1][0] == Cause.UNDECODABLE


def test_a_header_of_the_envelope_is_passed_over() -> None:
    assert body(b"From a@x Mon\nSubject: s\n\nb") == "Subject: s\n\nb"


def test_text_right_after_the_headers_is_not_lost() -> None:
    assert body(b"Subject: s\nthis is no header\nnor: this") == "Subject: s\n\nthis is no header\nnor: this"


def test_a_mail_of_apple_is_read_without_its_length_and_its_property_list() -> None:
    mail = b"Subject: s\n\nbody"
    assert read(b"%d  \n" % len(mail) + mail + b"<?xml plist", "1.emlx").text == "Subject: s\n\nbody"


# Bodies


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "utf-16", "koi8-r"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "8bit"])
def test_text_is_decoded_as_the_part_says(charset: str, encoding: str) -> None:
    text = "\u041f\u0440\u0438\u0432\u0435\u0442" if charset == "koi8-r" else "Gr\u00fc\u00dfe und gute W\u00fcnsche"
    raw = text.encode(charset)
    sent = {"base64": base64.encodebytes(raw), "quoted-printable": quopri.encodestring(raw), "8bit": raw}[encoding]
    head = f"text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    assert body(TYPED + head.encode() + sent) == text


def test_plain_text_is_taken_and_html_that_says_the_same_is_not() -> None:
    message = EmailMessage(policy=policy.SMTP)
    message["Subject"] = "both"
    message.set_content("plain words and more")
    message.add_alternative("<p>plain <b>words</b> and more</p>", subtype="html")
    mail = read(message.as_bytes())
    assert mail.text == "Subject: both\n\nplain words and more\n"


def test_html_that_says_more_than_the_plain_text_beside_it_is_taken_too() -> None:
    message = EmailMessage(policy=policy.SMTP)
    message.set_content("Your program cannot show this mail.")
    message.add_alternative("<p>The contract is signed. Nobody must know.</p>", subtype="html")
    mail = read(message.as_bytes())
    assert "cannot show" in mail.text
    assert "Nobody must know." in mail.text


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


def test_a_calendar_beside_plain_text_and_html_is_taken_since_it_differs_in_kind() -> None:
    message = EmailMessage()
    message.set_content("come to the meeting")
    message.add_alternative("<p>come to the meeting</p>", subtype="html")
    message.add_alternative("BEGIN:VCALENDAR\nLOCATION:cellar\n", subtype="calendar")
    text = body(message.as_bytes())
    assert text.count("come to the meeting") == 1
    assert "LOCATION:cellar" in text


def test_a_body_in_rtf_is_read() -> None:
    assert body(TYPED + b"text/rtf\n\n{\\rtf1 words in RTF}") == "words in RTF"


def test_a_part_that_begins_as_an_envelope_does_is_whole() -> None:
    assert body(MIXED + b"--b\n\nFrom here\non\n--b--") == "From here\non"


def test_the_report_of_a_mail_that_was_not_delivered_is_text_of_it() -> None:
    raw = TYPED + b"multipart/report; boundary=b\n\n--b\n\nsorry\n--b\nContent-Type: message/delivery-status\n\n"
    assert body(raw + b"Action: failed\n--b--") == "sorry\nAction: failed"


# Attachments


def test_each_attachment_is_a_file_with_its_name_its_bytes_and_its_declared_type() -> None:
    message = EmailMessage(policy=policy.SMTP)
    message.set_content("words")
    message.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment("attached words", filename="\u00e4.txt")
    mail = read(message.as_bytes())
    assert mail.text == "\nwords\n"
    first, second = mail.children
    assert (first.name, first.content, first.declared) == ("a.pdf", b"\0\1", "application/pdf")
    assert (second.name, second.content.strip()) == ("\u00e4.txt", b"attached words")
    assert second.declared.startswith("text/plain")
    assert not mail.notes


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        (b"Content-Type: image/png", "part 1.png"),
        (b"Content-Type: application/x-odd", "part 1"),
        (b"Content-Type: image/png; name=a.png", "a.png"),
        (b"Content-Type: text/plain; name=a.txt", "a.txt"),
        (b"Content-Type: text/plain\nContent-Disposition: attachment", "part 1.txt"),
        (b'Content-Type: text/html; name="=?utf-8?q?=C3=A4.html?="', "\u00e4.html"),
        (b"Content-Type: image/png\nContent-Disposition: inline; filename*=utf-8''%C3%A4.png", "\u00e4.png"),
        (b"Content-Type: image/png\nContent-Disposition: ;;=*0*=;filename*=x''%", "%"),
        (b'Content-Type: image/png; name="../../etc/passwd"', "../../etc/passwd"),  # what a name means others decide
        (b"Content-Type: application/ms-tnef; name=winmail.dat", "winmail.dat"),
    ],
)
def test_a_part_with_a_name_or_of_another_kind_than_text_is_a_file(headers: bytes, name: str) -> None:
    mail = read(MIXED + b"--b\n" + headers + b"\n\nx\n--b--\n")
    assert [child.name for child in mail.children] == [name]
    assert mail.children[0].content == b"x"


def test_a_mail_that_is_only_an_attachment_has_no_text() -> None:
    mail = read(b"Subject: s\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nwords")
    assert mail.text == "Subject: s\n\n"
    assert mail.children[0].content == b"words"


def test_a_forwarded_message_is_a_file() -> None:
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("inner words")
    outer = EmailMessage()
    outer.set_content("outer words")
    outer.add_attachment(inner)
    mail = read(outer.as_bytes())
    assert "inner words" not in mail.text
    (child,) = mail.children
    assert (child.name, child.declared) == ("part 1.eml", "message/rfc822")
    assert EXTRACTOR.recognises(child)
    assert extract(child).text == "Subject: inner\n\ninner words\n"


def test_the_messages_of_a_digest_are_files() -> None:
    parts = b"--b\n\nSubject: =?utf-8?q?one?=\n\nfirst\n--b\n\nSubject: two\n\nsecond\n--b--\n"
    mail = read(TYPED + b"multipart/digest; boundary=b\n\n" + parts)
    assert [extract(child).text for child in mail.children] == ["Subject: one\n\nfirst", "Subject: two\n\nsecond"]


def picture(html: bytes, cid: bytes, kind: bytes = b"image/png") -> Extracted:
    parts = b"--b\nContent-Type: text/html\n\n" + html + b"\n--b\nContent-Type: " + kind + b"\nContent-ID: " + cid
    return read(TYPED + b"multipart/related; boundary=b\n\n" + parts + b"\n\nx\n--b--")


def test_a_picture_that_the_html_shows_is_counted_and_no_file() -> None:
    mail = picture(b'<p>see <img src="cid:1%402">', b"<1@2>")
    assert not mail.children
    assert mail.notes == ((Cause.UNREAD_PART, "pictures in the text that are not read: 1"),)


@pytest.mark.parametrize(
    ("html", "cid", "kind"),
    [
        (b"<p>see", b"<1@2>", b"image/png"),
        (b'<img src="cid:other">', b"<1@2>", b"image/png"),
        (b'<img src="cid:">', b"", b"image/png"),
        (b'<img src="cid:1@2">', b"<1@2>", b"application/pdf"),
    ],
)
def test_a_picture_that_the_html_does_not_show_and_no_picture_at_all_are_files(
    html: bytes, cid: bytes, kind: bytes
) -> None:
    assert len(picture(html, cid, kind).children) == 1


def test_a_uuencoded_part_is_decoded_and_a_damaged_line_of_it_noted() -> None:
    head = b"--b\nContent-Type: image/png\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n"
    mail = read(MIXED + head + b"%:&5L;&\\\nend\n--b--")
    assert mail.children[0].content == b"hello"
    assert causes(read(MIXED + head + b"\xff\xff\nend\n--b--")) == [Cause.BROKEN_MAIL]


def uuencoded(content: bytes, name: str = "a b.bin") -> bytes:
    lines = [binascii.b2a_uu(content[at : at + 45]) for at in range(0, len(content), 45)]
    return f"begin 644 {name}\n".encode() + b"".join(lines) + b"`\nend\n"


@pytest.mark.parametrize("size", [0, 1, 44, 45, 46, 90, 5000])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_a_file_in_the_middle_of_the_text_is_a_file(size: int, ends: bytes) -> None:
    content = bytes(number % 251 for number in range(size))
    mail = read(
        (b"Subject: s\n\nbefore\n" + uuencoded(content) + b"after\n" + uuencoded(b"two", "c")).replace(b"\n", ends)
    )
    assert [(child.name, child.content) for child in mail.children] == [("a b.bin", content), ("c", b"two")]
    assert mail.text.split() == ["Subject:", "s", "before", "after"]


@pytest.mark.parametrize(
    "text", ["begin 644 and\nso on\nend", "begin 9 a\n`\nend", "begin 644 a\n`\nnever ends", " begin 644 a\n`\nend"]
)
def test_a_text_about_beginnings_is_text(text: str) -> None:
    mail = read(b"Subject: s\n\n" + text.encode())
    assert not mail.children
    assert mail.text.endswith(text)


# Signed and encrypted


def der(tag: int, *parts: bytes) -> bytes:
    inside = b"".join(parts)
    length = len(inside)
    return bytes([tag]) + (bytes([length]) if length < 128 else b"\x84" + length.to_bytes(4)) + inside


PKCS7 = "2a864886f70d0107"


def cms(kind: str, *parts: bytes) -> bytes:
    return der(0x30, der(6, bytes.fromhex(PKCS7 + kind)), der(0xA0, der(0x30, *parts)))


def smime(raw: bytes) -> bytes:
    head = b"Subject: s\nContent-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\n"
    return head + base64.encodebytes(raw)


SIGNED = b"Content-Type: text/plain\n\nsigned words"


@pytest.mark.parametrize(
    "octets",
    [
        der(4, SIGNED),
        der(0x24, der(4, SIGNED[:9]), der(4, SIGNED[9:])),
        b"\x24\x80" + der(4, SIGNED[:9]) + der(4, SIGNED[9:]) + b"\0\0",
    ],
)
def test_a_mail_that_is_signed_in_one_piece_is_opened(octets: bytes) -> None:
    inside = der(0x30, der(6, bytes.fromhex(PKCS7 + "01")), der(0xA0, octets))
    mail = read(smime(cms("02", der(2, b"\1"), der(0x31), inside, der(0x31))))
    assert mail.text == "Subject: s\n\nsigned words"
    assert causes(mail) == [Cause.UNREAD_PART]
    assert not mail.children


@pytest.mark.parametrize("kind", ["pkcs7-signature", "pgp-signature"])
def test_a_signed_mail_is_opened_and_its_signature_is_no_file(kind: str) -> None:
    parts = f"--b\n\nwords\n--b\nContent-Type: application/{kind}; name=s\n\nx\n--b--".encode()
    mail = read(TYPED + b"multipart/signed; boundary=b\n\n" + parts)
    assert mail.text.strip() == "words"
    assert not mail.children
    assert mail.notes == ((Cause.UNREAD_PART, f"the signature (application/{kind}) is not read and not checked"),)


@pytest.mark.parametrize(
    "raw",
    [
        smime(cms("03", der(2, b"\0"))),
        smime(cms("06", der(2, b"\0"))),
        b"Subject: s\n" + TYPED + b"multipart/encrypted; boundary=b\n\n--b\n\nVersion: 1\n--b\n\nx\n--b--",
        b"Subject: s\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n",
    ],
)
def test_of_an_encrypted_mail_the_headers_count_and_the_rest_is_told(raw: bytes) -> None:
    mail = read(raw)
    assert mail.text.startswith("Subject: s\n\n")
    assert mail.fields == {"subject": "s"}
    assert causes(mail) == [Cause.ENCRYPTED]
    assert "decrypt it" in mail.notes[0][1]


@pytest.mark.parametrize("cut", [0, 1, 5, 12, 20, 40])
def test_a_damaged_signed_mail_stays_a_file(cut: int) -> None:
    inside = der(0x30, der(6, bytes.fromhex(PKCS7 + "01")), der(0xA0, der(4, SIGNED)))
    mail = read(smime(cms("02", der(2, b"\1"), der(0x31), inside)[:cut]))
    assert [child.name for child in mail.children] == ["smime.p7m"]


# Broken mail


@pytest.mark.parametrize("raw", [b"", b"no header", b"\n\nbody", b": x\n\nbody", b"touch\xe9"])
def test_what_is_no_mail_is_taken_as_text_and_noted(raw: bytes) -> None:
    mail = read(raw)
    assert mail.text.encode("cp1252") == b"\n" + raw
    assert causes(mail) == [Cause.BROKEN_MAIL]


@pytest.mark.parametrize("parameters", [b"", b"; boundary=", b"; boundary=other", b'; boundary="'])
def test_a_multipart_without_parts_is_taken_as_text_and_noted(parameters: bytes) -> None:
    mail = read(TYPED + b"multipart/mixed" + parameters + b"\n\n--b\n\nwords\n--b--\n")
    assert "words" in mail.text
    assert causes(mail) == [Cause.BROKEN_MAIL]


def test_the_last_part_may_lack_its_end_and_that_is_noted() -> None:
    mail = read(TYPED + b'multipart/mixed; boundary="b b"\n\n--b b\n\none\n--b b\n\ntwo')
    assert mail.text.strip() == "one\ntwo"
    assert mail.notes == (
        (Cause.BROKEN_MAIL, "multipart/mixed ends before the line that closes it; it may have been cut short"),
    )


@pytest.mark.parametrize("cut", range(9))
def test_base64_that_was_cut_or_soiled_gives_what_is_left(cut: int) -> None:
    sent = base64.b64encode(b"one two three four")[: 24 - cut]
    mail = read(TYPED + b"text/plain\nContent-Transfer-Encoding: base64\n\n" + sent[:4] + b" !\n" + sent[4:])
    assert mail.text.strip().startswith("one two thr")
    assert "one two three four".startswith(mail.text.strip())
    assert causes(mail) == ([Cause.BROKEN_MAIL] if cut % 4 else [])


def test_text_in_another_charset_than_declared_is_read_and_noted() -> None:
    mail = read(TYPED + b"text/plain; charset=us-ascii\n\ntouch\xe9")
    assert mail.text.strip() == "touch\u00e9"
    assert causes(mail) == [Cause.UNDECODABLE]
    mail = read(TYPED + b"text/plain; charset=gb2312\n\nwords \xff words")
    assert mail.text.strip() == "words \ufffd words"
    assert causes(mail) == [Cause.UNDECODABLE]


def nested(depth: int, inner: bytes) -> bytes:
    for level in range(depth):
        inner = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n" % (level, level, inner, level)
    return inner


def test_parts_in_parts_are_followed_to_a_depth_and_beyond_it_nothing_is_lost() -> None:
    assert body(nested(MAX_DEPTH, b"\nwords")) == "words"
    for depth in (MAX_DEPTH + 1, 400):
        mail = read(nested(depth, b"\nwords"))
        assert "words" in mail.text
        assert causes(mail) == [Cause.BROKEN_MAIL]


def test_of_too_many_parts_none_is_lost() -> None:
    parts = b"".join(b"--b\nX: y\n\nword%d\n" % number for number in range(3 * MAX_PARTS))
    parts = parts.replace(
        b"X: y\n\nword%d\n" % (MAX_PARTS - 1), b"Content-Type: image/png\n\nword%d\n" % (MAX_PARTS - 1)
    )
    mail = read(MIXED + parts)
    assert all(f"word{number}\n" in mail.text for number in range(3 * MAX_PARTS))
    assert causes(mail) == [Cause.BROKEN_MAIL]


def test_of_too_many_parts_in_parts_none_is_lost() -> None:
    inner = b"Content-Type: multipart/mixed; boundary=i\n\n" + b"--i\n\nword\n" * 100
    mail = read(TYPED + b"multipart/mixed; boundary=o\n\n" + (b"--o\n" + inner) * 100)
    assert mail.text.count("word") == 10_000
    assert mail.text.count("--i") > 1000  # these parts were not taken apart
    assert set(causes(mail)) == {Cause.BROKEN_MAIL}


def test_half_characters_become_u_fffd() -> None:
    assert body(TYPED + b"text/plain; charset=utf-7\n\na +2AA- b") == "a \ufffd b"


HOSTILE = {
    "headers": b"a: b\n" * 100_000,
    "parts": MIXED + b"--b\n" * 200_000,
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
    "pictures": TYPED + b"text/html\n\n" + b"cid:" * 300_000,
    "lengths": smime(b"\x30\x80" * 100_000),
    "files in the text": b"a: b\n\n" + b"begin 644 a\n" * 100_000,
    "an endless file in the text": b"a: b\n\nbegin 644 a\n" + (b"M" + b"!" * 60 + b"\n") * 20_000,
    "many endless files in the text": b"a: b\n\n" + (b"begin 644 a\n" + (b"M" + b"!" * 60 + b"\n") * 30) * 500,
    "dates": b"Date: " + b"1 " * 500_000 + b"\n\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_mail_that_was_made_to_take_long_does_not(kind: str) -> None:
    start = time.process_time()
    read(HOSTILE[kind])
    assert time.process_time() - start < 5


PIECES = st.sampled_from(
    [
        *(b"Content-Type: ", b"multipart/alternative", b"multipart/mixed", b"multipart/signed", b"message/rfc822"),
        *(b"text/html", b"text/plain", b"text/rtf\n\n{\\rtf", b"application/pkcs7-mime", b"image/png", b"; name=x"),
        *(b"; boundary=b", b"; charset=", b"utf-7", b"utf-16", b"; charset*=x'y'%ff", b"; boundary*0=", b'"', b"\n"),
        *(b"\n\n", b"--b\n", b"--b--", b"Content-Transfer-Encoding: base64\n", b"Subject: ", b"=?utf-8?b?", b"?="),
        *(b"=?hz?q?~{?=", b"Date: ", b"Content-ID: <c>\n", b"cid:c", b"Content-Disposition: attachment\n"),
        *(b"<p", b"<!--", b"<![if", b"<script>", b"&#x110000;", b"&#xd800;", b"</", b">", b"\r", b"\0", b"From x\n"),
    ]
)


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=100) | st.lists(PIECES | st.binary(max_size=8), max_size=40).map(b"".join))
def test_any_bytes_give_a_text_that_can_be_stored_and_the_same_again(raw: bytes) -> None:
    mail = read(raw)
    mail.text.encode()
    assert all(value.encode() for value in mail.fields.values())
    assert set(mail.fields) <= set(FIELDS)
    assert all(child.name.encode() for child in mail.children)
    assert all(child.declared.encode() is not None for child in mail.children)  # it may be empty
    assert read(raw) == mail


# What is recognised


@pytest.mark.parametrize(
    ("name", "declared", "raw"),
    [
        ("a.eml", "", b"anything"),
        ("a", "message/rfc822; x=y", b""),
        ("1.", "", b"Message-ID: <1@x>\nDate: d\nFrom: f\n\nx"),
        ("a.txt", "", b"From a@x Mon\nReceived: x\n\ty\nTo: t\nSubject: s\n\n"),
    ],
)
def test_a_mail_is_recognised_by_its_headers_or_by_what_is_said_of_it(name: str, declared: str, raw: bytes) -> None:
    assert EXTRACTOR.recognises(File(name=name, content=raw, declared=declared))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"words",
        b"From: the desk of the director\n\nDear all",
        b"Subject: s\nDate: d\nTo: t\n\nno sender",
        b"User-Agent: *\nDisallow: /\nAllow: /x\n",
        b"\nFrom: f\nTo: t\nDate: d\n",
        b"From: f\n" + b"x" * 70_000 + b"\nTo: t\nDate: d",
    ],
)
def test_a_text_with_fewer_headers_is_no_mail(raw: bytes) -> None:
    assert not EXTRACTOR.recognises(File(name="a.txt", content=raw))
