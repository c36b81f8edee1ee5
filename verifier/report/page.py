"""The page: sections in the order in which a judge asks."""

import base64
import hashlib
from dataclasses import dataclass

from verifier import words
from verifier.report.caption import heading
from verifier.report.checktable import checks
from verifier.report.disputes import disputes, errors
from verifier.report.first import first_screen
from verifier.report.glossary import glossary
from verifier.report.markup import Markup, element, joined, paragraph, stranger
from verifier.report.parties import parties
from verifier.report.privilege import privilege
from verifier.report.rounds import by_round
from verifier.report.silence import orders
from verifier.report.story import story
from verifier.report.strips import drawing
from verifier.report.style import STYLE
from verifier.verdict import Verdict

_CONTENTS = {
    "words": "In plain words",
    "rounds": "Round by round",
    "why": "What was drawn, and why",
    "checks": "Checks",
    "disputes": "Disputes",
    "errors": "Alice's errors",
    "privilege": "Privilege",
    "orders": "Orders and changes",
    "parties": "Parties and keys",
    "words-explained": "Words",
    "repeat": "About this report",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was verified and with what, to be told on the page."""

    file: str
    sha256: str = ""  # of the file, where it could be read
    version: str = ""  # of this program
    given: tuple[str, ...] = ()  # options beside the copy


def page(verdict: Verdict, examination: Examination) -> str:
    """The whole page; the same verdict gives the same bytes."""
    title = f"{str(verdict.answer).upper()} — report of a verification"
    policy = f"default-src 'none'; style-src 'sha256-{_digest(STYLE)}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    header = heading(verdict, examination.file)
    body = element("body", header, _main(verdict, examination), _footer(examination))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _main(verdict: Verdict, examination: Examination) -> Markup:
    links = [element("li", element("a", name, href=f"#{place}")) for place, name in _CONTENTS.items()]
    return element(
        "main",
        first_screen(verdict),
        element("nav", element("ul", *links), aria_label="Contents"),
        story(verdict),
        by_round(verdict),
        _why(verdict),
        checks(verdict),
        disputes(verdict),
        errors(verdict),
        privilege(verdict),
        orders(verdict),
        parties(verdict),
        glossary(),
        _about(examination),
    )


def _why(verdict: Verdict) -> Markup:
    closed = [each for each in verdict.details if each.closed_entry is not None]
    told = (
        "Each strip is a batch, the likeliest responsive document on the left. A bar says how many of the documents "
        "there Bob was shown, and its pattern why, or that the court withheld them. What is white he was not shown."
    )
    return element(
        "section",
        element("h2", "Where in each batch documents were drawn, and why"),
        paragraph(told if closed else "No closed round was read, so there is nothing to draw."),
        drawing(closed) if closed else "",
        id="why",
    )


def _about(examination: Examination) -> Markup:
    with_what = (
        f"Given beside it: {', '.join(examination.given)}." if examination.given else "Nothing was given beside it."
    )
    code = (
        joined(("The file's SHA-256 is ", element("code", examination.sha256), ". "))
        if examination.sha256
        else "The file could not be read to name its hash. "
    )
    return element(
        "section",
        element("h2", "About this report"),
        paragraph(
            "This page speaks of the file ",
            stranger(examination.file),
            ". ",
            code,
            with_what,
            " This page is signed "
            "by nobody, and proves nothing by itself: the file does. Anyone can repeat the verification with ",
            element("code", "tallystick-verify"),
            f", version {examination.version}." if examination.version else ".",
        ),
        paragraph(words.OUTSIDE_EVERY_RECORD),
        id="repeat",
        class_="flows",
    )


def _footer(examination: Examination) -> Markup:
    return element("footer", "Tallystick: report of the verification of ", stranger(examination.file))


def _digest(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
