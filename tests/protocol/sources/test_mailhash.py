"""Two copies of one mail have one hash; two mails have two."""

import time
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.sources.formats.mail import extract
from protocol.sources.mailhash import RULE, body, mail_hash
from protocol.sources.parts import File

MAIL = """Received: from a
From: Ann Smith <Ann@X.com>
To: "Roe, Bob" <bob@x.com>, carol@y.com
Cc: Dave
Date: Mon, 6 Sep 2010 05:25:34 -0400
Message-ID: <1@x>
Subject: The contract

Please sign it.
It is urgent.
"""
DIGESTS = [sha256(b"one").digest(), sha256(b"two").digest()]


def hashed(raw: str, attachments: list[bytes] = DIGESTS) -> bytes:
    read = extract(File(name="a.eml", content=raw.encode()))
    return mail_hash(read.fields, read.text, attachments)


SAME = {
    "transport headers": MAIL.replace("Received: from a", "Received: from b\nX-Other: c"),
    "the order of headers": MAIL.replace("Cc: Dave\n", "").replace("Received", "Cc: Dave\nReceived"),
    "the order of recipients": MAIL.replace(
        '"Roe, Bob" <bob@x.com>, carol@y.com', 'carol@y.com, "Roe, Bob" <bob@x.com>'
    ),
    "names beside addresses": MAIL.replace("Ann Smith <", "ANN SMITH (Legal) <"),
    "a recipient who is listed twice": MAIL.replace("carol@y.com", "carol@y.com, carol@y.com"),
    "the case of addresses": MAIL.replace("Ann@X.com", "ann@x.com"),
    "the case of names": MAIL.replace("Dave", "DAVE"),
    "blind copies": MAIL.replace("Cc: Dave", "Cc: Dave\nBcc: eve@x.com"),
    "the message's own name": MAIL.replace("<1@x>", "<2@y>"),
    "the time zone of one moment": MAIL.replace("05:25:34 -0400", "11:25:34 +0200"),
    "line ends": MAIL.replace("\n", "\r\n"),
    "line breaks in the body": MAIL.replace("Please sign it.\nIt is", "Please sign it. It\n is"),
    "blanks in the subject": MAIL.replace("The contract", "The  contract "),
    "folded headers": MAIL.replace(">, carol", ">,\n\tcarol"),
    "encoded words": MAIL.replace("The contract", "=?utf-8?q?The_contract?="),
    "another form of the same letters": MAIL,
}
OTHER = {
    "the sender": MAIL.replace("Ann@X.com", "Ann@Z.com"),
    "a recipient": MAIL.replace("carol@y.com", "carol@z.com"),
    "one recipient fewer": MAIL.replace(", carol@y.com", ""),
    "a name without an address": MAIL.replace("Dave", "Eve"),
    "To instead of Cc": MAIL.replace("carol@y.com\nCc: ", "carol@y.com, "),
    "the date": MAIL.replace("05:25:34", "05:25:35"),
    "a date without an offset": MAIL.replace(" -0400", ""),
    "no date": MAIL.replace("Date:", "X-Date:"),
    "the subject": MAIL.replace("The contract", "Re: The contract"),
    "the case of the subject": MAIL.replace("The contract", "The Contract"),
    "a word of the body": MAIL.replace("urgent", "not urgent"),
    "the case of the body": MAIL.replace("urgent", "URGENT"),
    "a full stop": MAIL.replace("urgent.", "urgent"),
}


@pytest.mark.parametrize("what", SAME)
def test_copies_that_differ_only_in_this_are_one_mail(what: str) -> None:
    assert SAME[what] != MAIL or what == "another form of the same letters"
    assert hashed(SAME[what]) == hashed(MAIL)


@pytest.mark.parametrize("what", OTHER)
def test_mails_that_differ_in_this_are_two(what: str) -> None:
    assert OTHER[what] != MAIL
    assert hashed(OTHER[what]) != hashed(MAIL)


def test_letters_with_accents_are_the_same_in_both_forms_of_unicode() -> None:
    assert hashed(MAIL.replace("urgent", "caf\u00e9")) == hashed(MAIL.replace("urgent", "cafe\u0301"))


def test_attachments_count_by_their_content_in_any_order_and_each() -> None:
    assert hashed(MAIL, DIGESTS[::-1]) == hashed(MAIL)
    assert len({hashed(MAIL, each) for each in (DIGESTS, DIGESTS[:1], [], [*DIGESTS, DIGESTS[0]])}) == 4


def test_the_hash_is_what_its_description_says() -> None:
    values = (
        RULE,
        "ann@x.com",
        "bob@x.com\ncarol@y.com",
        "dave",
        "2010-09-06T09:25:34Z",
        "The contract",
        "Pleasesignit.Itisurgent.",
        "\n".join(sorted(each.hex() for each in DIGESTS)),
    )
    raw = b"".join(len(value.encode()).to_bytes(8) + value.encode() for value in values)
    assert hashed(MAIL) == sha256(raw).digest()


def test_nothing_moves_from_one_field_to_the_next() -> None:
    assert mail_hash({"from": "a@b", "to": ""}, "", []) != mail_hash({"from": "", "to": "a@b"}, "", [])
    assert mail_hash({"subject": "ab"}, "\nc", []) != mail_hash({"subject": "a"}, "\nbc", [])


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("From: f\nTo: t\n\nbody\n\nmore", "body\n\nmore"),
        ("\nFrom: quoted\n\nbody", "From: quoted\n\nbody"),
        ("\n", ""),
        ("", ""),
        ("From: f\n\n", ""),
    ],
)
def test_the_body_is_what_follows_the_shown_headers(text: str, rest: str) -> None:
    assert body(text) == rest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"a@b" <c@d>', "c@d"),
        ("c@d (a comment)", "c@d"),
        ("friends: a@b, c@d;", "c@d, a@b"),
        ("a@b; c@d", "a@b, c@d"),
        ("/O=ORG/CN=X", "/o=org/cn=x"),
    ],
)
def test_recipients_are_found_however_they_are_written(one: str, other: str) -> None:
    assert mail_hash({"to": one}, "", []) == mail_hash({"to": other}, "", [])


@pytest.mark.parametrize("header", ['"' * 1_000_000, "a" * 1_000_000, '"\\' * 500_000, "a@" * 500_000, ",a" * 100_000])
def test_a_header_that_was_made_to_take_long_does_not(header: str) -> None:
    start = time.process_time()
    mail_hash({"to": header, "from": header, "date": header}, "", [])
    assert time.process_time() - start < 5


@given(st.dictionaries(st.sampled_from(["from", "to", "cc", "date", "subject"]), st.text()), st.text())
def test_any_texts_have_a_hash(fields: dict[str, str], text: str) -> None:
    assert len(mail_hash(fields, text, [])) == 32
