"""The page: its sections, in the order in which a judge asks, and its glossary."""

import base64
import hashlib
from dataclasses import dataclass

from verifier import words
from verifier.naming import telling
from verifier.report.checks import checks
from verifier.report.disputes import disputes, errors
from verifier.report.escalations import escalations
from verifier.report.front import first_screen, heading
from verifier.report.markup import Markup, element, joined, paragraph, stranger
from verifier.report.orders import orders
from verifier.report.parties import parties
from verifier.report.privilege import privilege
from verifier.report.received import what_was_received
from verifier.report.rounds import by_round
from verifier.report.story import story
from verifier.report.strips import drawing
from verifier.report.style import STYLE
from verifier.report.validations import validations
from verifier.verdict import Answer, Verdict

_CONTENTS = {
    "received": "What was received",
    "words": "In plain words",
    "rounds": "Round by round",
    "why": "What was drawn, and why",
    "escalations": "Escalations",
    "validations": "Validations",
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
class About:
    """What was verified and with what, as the page states it."""

    file: str
    sha256: str = ""  # of the file, where it could be read
    version: str = ""  # of this program
    given: tuple[str, ...] = ()  # options beside the copy


def page(verdict: Verdict, about: About) -> str:
    """The whole page; the same verdict gives the same bytes."""
    word = words.verified(verdict) if verdict.answer is Answer.VERIFIED else str(verdict.answer).upper()
    title = f"{word} — report of a verification"
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
    header = heading(verdict, about.file)
    told = telling(verdict.opened).page(_main(verdict, about))
    body = element("body", header, Markup(told), _footer(about))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _main(verdict: Verdict, about: About) -> Markup:
    links = [element("li", element("a", name, href=f"#{place}")) for place, name in _CONTENTS.items()]
    return element(
        "main",
        first_screen(verdict),
        element("nav", element("ul", *links), aria_label="Contents"),
        what_was_received(verdict),
        story(verdict),
        by_round(verdict),
        _why(verdict),
        escalations(verdict),
        validations(verdict),
        checks(verdict),
        disputes(verdict),
        errors(verdict),
        privilege(verdict),
        orders(verdict),
        parties(verdict),
        glossary(),
        _about(about),
    )


def _why(verdict: Verdict) -> Markup:
    closed = [each for each in verdict.details if each.closed_entry is not None and each.sort == "batch"]
    told = (
        "Each strip is a batch, with the likeliest responsive document on the left. The height of a bar says how many "
        "of the documents there Bob was shown in this round. Its pattern says why, or that the court kept it from "
        "him. White means not shown in this round: escalations and validations, which draw from all batches, "
        "have sections of their own."
    )
    return element(
        "section",
        element("h2", "Where in each batch documents were drawn, and why"),
        paragraph(told if closed else "No closed batch was read, so there is nothing to draw."),
        drawing(closed) if closed else "",
        id="why",
    )


def _about(about: About) -> Markup:
    with_what = f"Given with it: {', '.join(about.given)}." if about.given else "Nothing was given with it."
    code = (
        joined(("The file's SHA-256 is ", element("code", about.sha256), ". "))
        if about.sha256
        else "The file could not be read, so its hash is not known. "
    )
    return element(
        "section",
        element("h2", "About this report"),
        paragraph(
            "This page is about the file ",
            stranger(about.file),
            ". ",
            code,
            with_what,
            " This page is signed "
            "by nobody, and proves nothing by itself: the file does. Anyone can repeat the verification with ",
            element("code", "tallystick-verify"),
            f", version {about.version}." if about.version else ".",
        ),
        paragraph(words.OUTSIDE_EVERY_RECORD),
        id="repeat",
        class_="flows",
    )


def _footer(about: About) -> Markup:
    return element("footer", "Tallystick: report of the verification of ", stranger(about.file))


def _digest(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


_GLOSSARY = {
    "Batch, position": "The documents of one round, the likeliest responsive first; position 1 is the first.",
    "Bound": "The most responsive documents that can have been hidden among the reviewed ones, as the coins show.",
    "Certificate": "A number that holds with the stated confidence whatever Alice did: how many responsive documents "
    "can be missing at most. There is one of the reviewed documents, and one of the whole collection.",
    "Checkpoint": "The state of the record at one point, signed by those who are named with it.",
    "Coin": "A number that nobody could choose or foresee alone, made of secrets of Alice, Bob and Trent after Alice's "
    "report is fixed. It decides whether a document is drawn.",
    "Compelled": "Shown to Bob as part of the whole batch, because Alice's errors were confirmed.",
    "Confidence": "How surely a sentence about hidden documents holds, over all the ways in which coins can fall.",
    "Copy": "The record as one audience may see it. What is not for that audience is sealed in it.",
    "Corpus": "All documents that may be reviewed, fixed at the start by one code to which Trent committed.",
    "Default, order": "Trent says that a party is silent, and the court may order the matter to go on without it. "
    "What follows from such an order was agreed on at the start.",
    "Disclosure, wave": "The entry that shows documents to Bob; the documents that he is shown at one time.",
    "Document, part, family": "What is labelled, drawn and shown as one thing is a document. It has parts: the file "
    "itself, and what is attached to it or inside it. A file with all of that is a family.",
    "Elusion": "The responsive share of the documents that nobody had reviewed, as a validation estimates it.",
    "Entry": "One numbered, signed step of the record. Each names the one before, so none can be added or dropped.",
    "Escalation": "A round that draws again from all that is withheld, since too much could still be hidden.",
    "Fingerprint": "Forty digits by which people compare a key. Compare them with those that its owner gave you.",
    "Head": "One code for the whole record: two copies with the same head hold the same record.",
    "Hit": "A document that a coin drew, and that is responsive though Alice had not reported it as such. In the "
    "certificates, a drawn document that Bob left unread counts as one too, since it can be one; and in that of the "
    "reviewed, one that Alice claimed late and the court withheld as privileged.",
    "In camera": "Read by the court alone.",
    "Item, container, exception, duplicate": "A file that was received, or found in another one. A container, such "
    "as a mailbox, was opened; an exception could not enter the corpus; a duplicate equals one that entered.",
    "Key, signature": "Only the holder of a key can make its signatures; anyone can check them.",
    "Non-responsive disclosure (NRD)": "What Bob was shown and is not responsive: the price of checking.",
    "Claim of privilege, withheld as privileged": "Alice says that she need not show a document. If the court agrees, "
    "it is withheld as privileged: Bob does not get it, and it counts as neither found nor hidden.",
    "Recall": "The share of all responsive documents that Bob has. Only a simulation knows it; a certificate says how "
    "large it is at least, and a validation estimates it.",
    "Responsive": "What Bob is entitled to: a document that answers his request.",
    "Richness": "The responsive share of the whole collection, as a validation estimates it.",
    "Ruling": "The court's label for a document on which Alice and Bob disagree. It counts.",
    "Sealed": "In the record as a code only. It can be opened later, and then only as what it was.",
    "Second look": "Alice is asked, at the start of an escalation, which of the withheld documents she gives up.",
    "Target": "The share of the responsive documents that Bob must have, by the terms, for a certificate to suffice.",
    "Threshold": "A rank in the batch: responsive documents are expected down to it, and not below.",
    "Unread": "Shown to Bob, who did not label it. Alice's label stands, and the coins prove less.",
    "Validation": "A round that draws from the whole collection, reviewed or not, to tell how much is missing from "
    "what Bob has.",
    "Withheld": "Reviewed, labelled not responsive by Alice, and not shown to Bob.",
}


def glossary() -> Markup:
    """The section that explains words."""
    entries = [element("div", element("dt", term), element("dd", told)) for term, told in _GLOSSARY.items()]
    explained = element("dl", *entries, class_="glossary")
    return element("section", element("h2", "Words"), explained, id="words-explained", class_="flows")
