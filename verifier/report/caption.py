"""What the matter is about: case, court, who is who, and the request for production, as the parties signed it."""

from verifier.checks import Role
from verifier.report.markup import Markup, element, joined, paragraph, stranger, text
from verifier.verdict import Verdict

_SHORT, _LONGEST = 600, 50_000  # characters of the request for production
_HEAD = 160  # characters of a line above the verdict, which must stay on the first screen of a phone
_PARTS = {
    Role.ALICE: "Alice, who produces the documents",
    Role.BOB: "Bob, who asked for them",
    Role.TRENT: "Trent, the neutral",
    Role.COURT: "The court",
}


def heading(verdict: Verdict, file: str) -> Markup:
    """The head of the page."""
    caption = verdict.opening.caption if verdict.opening else None
    if caption is None:
        return element("header", element("h1", "Tallystick: report of the verification of ", stranger(file)))
    return element(
        "header",
        element("h1", stranger(caption.case, _HEAD), class_="case"),
        element("p", stranger(caption.court, _HEAD)),
        element("p", "Tallystick: report of the verification of ", stranger(file), class_="note"),
    )


def the_matter(verdict: Verdict) -> Markup:
    """Who is who and what was asked for, as the record says: nobody checks a name."""
    caption = verdict.opening.caption if verdict.opening else None
    if caption is None:
        return text("")
    facts = {
        name: stranger(said, 2000)
        for name, said in (("Case", caption.case), ("Before", caption.court))
        if len(said) > _HEAD
    }
    facts |= {_PARTS[role]: stranger(caption.names[role], 300) for role in _PARTS}
    short = len(caption.request) <= _SHORT
    request = [stranger(caption.request, _SHORT), "" if short else " (the whole of it is below, in plain words)"]
    facts["Request for production"] = joined(request)
    rows = [joined((element("dt", name), element("dd", value))) for name, value in facts.items()]
    return joined((element("h3", "The matter, as its opening states it"), element("dl", *rows, class_="facts said")))


def request_in_full(verdict: Verdict) -> Markup:
    """The request for production, where the first screen has only its beginning."""
    caption = verdict.opening.caption if verdict.opening else None
    if caption is None or len(caption.request) <= _SHORT:
        return text("")
    return joined(
        (
            paragraph("The request for production, which says what is responsive, reads:"),
            element("blockquote", stranger(caption.request, _LONGEST), class_="said"),
        )
    )


def named(role: Role, verdict: Verdict) -> Markup:
    """The name that the record gives a party, in brackets."""
    caption = verdict.opening.caption if verdict.opening else None
    return text("") if caption is None else joined((" (named in the record: ", stranger(caption.names[role], 300), ")"))
