"""The head of the page and its first screen: the case, the answer, what is wrong and who signed it, what it covers."""

from verifier import kept, proven, received, words
from verifier.checks import DEFINITIONS, Role
from verifier.findings import Finding
from verifier.plural import be, count
from verifier.report.checks import covered, not_covered
from verifier.report.markup import Markup, bullets, element, joined, paragraph, stranger, text
from verifier.report.orders import possibly_hidden
from verifier.report.recall import block, confidence, unread_rounds
from verifier.verdict import Answer, Verdict

_MOST_FINDINGS = 50

_MEANS = {
    Answer.VERIFIED: "Everything that this copy can show was replayed, and follows the rules. This is about the "
    "record, not about how much was found.",
    Answer.NOT_CLOSED: "Everything that this copy can show so far follows the rules, but the record is not at its end.",
    Answer.REJECTED: "Do not rely on this copy. What is wrong is explained below.",
    Answer.UNDECIDED: "Nothing can be said for or against anybody.",
}

_SYMBOLS = {  # each differs by its shape alone
    Answer.VERIFIED: ("a tick in a circle", '<circle cx="32" cy="32" r="28"/><path d="M18 33l10 11 19-23"/>'),
    Answer.NOT_CLOSED: ("a clock", '<circle cx="32" cy="32" r="28"/><path d="M32 14v19l13 8"/>'),
    Answer.REJECTED: (
        "a cross in an octagon",
        '<path d="M21 4h22l17 17v22l-17 17h-22l-17-17v-22zM22 22l20 20M42 22l-20 20"/>',
    ),
    Answer.UNDECIDED: (
        "a question mark in a triangle",
        '<path d="M32 5l28 53h-56zM25 31c0-10 15-9 14 0c0 5-7 5-7 11"/><path d="M32 48v4"/>',
    ),
}


def first_screen(verdict: Verdict) -> Markup:
    """The section that comes first."""
    parts: list[str] = [element("div", _answer(verdict), block(verdict), class_="beside")]
    if words.is_simulation(verdict):
        parts.append(element("p", f"This is {words.SIMULATION}.", class_="simulation"))
    parts.append(paragraph(text(_sentence(verdict))))
    parts += [_finding(each, verdict) for each in verdict.findings[:_MOST_FINDINGS]]
    if len(verdict.findings) > _MOST_FINDINGS:
        parts.append(paragraph(f"And {len(verdict.findings) - _MOST_FINDINGS} more findings like these."))
    if verdict.answer is Answer.UNDECIDED:
        parts.append(_undecided(verdict))
    if besides := words.besides(verdict):
        parts.append(paragraph(besides))
    parts += [key_facts(verdict), the_matter(verdict)]
    if not words.ended_early(verdict):
        parts.append(element("div", covered(verdict), not_covered(verdict), class_="two"))
    return element("section", *parts, class_="first", id="verdict")


def _answer(verdict: Verdict) -> Markup:
    what, shape = _SYMBOLS[verdict.answer]
    symbol = element(
        "svg",
        element("title", what),
        Markup(shape),
        viewBox="0 0 64 64",
        role="img",
        fill="none",
        stroke="#111",
        stroke_width=6,
    )
    word = element("h2", str(verdict.answer).upper(), class_="word")
    kind = str(verdict.answer).replace(" ", "-")
    without = words.ended_without(verdict) if verdict.answer is Answer.VERIFIED else ""
    told = [paragraph(element("strong", f"{without[0].upper()}{without[1:]}.")) if without else ""]
    told.append(paragraph(_MEANS[verdict.answer]))
    return element("div", symbol, element("div", word, *told), class_=f"answer {kind}")


def _sentence(verdict: Verdict) -> str:
    """The headline without its first word, which stands above, and without what the box about a simulation says."""
    said = " ".join(words.headline(verdict).split())
    said = said.removeprefix(f"{words.verified(verdict)}: ").removeprefix(f"{str(verdict.answer).upper()}: ")
    said = said.replace(f", of {words.SIMULATION}", "").removesuffix(f" {words.ABOUT_THE_RECORD}")
    return f"This is {said}" if verdict.copy and verdict.answer is not Answer.UNDECIDED else said


def _finding(finding: Finding, verdict: Verdict) -> Markup:
    definition = DEFINITIONS[finding.check]
    where = "" if finding.entry is None else f", entry {finding.entry}"
    facts = {
        "Asked": f"{definition.question} No.",
        "Rule": f"{finding.rule}.",
        "Expected": stranger(finding.expected, 500),
        "Found": stranger(finding.found, 500),
        "Signed": _signed(finding, verdict),
    }
    rows = [joined((element("dt", name), element("dd", value))) for name, value in facts.items()]
    return element(
        "div",
        element("h3", f"What is wrong: {finding.check} {definition.name}{where}"),
        element("dl", *rows, class_="facts"),
        class_="finding",
    )


def _signed(finding: Finding, verdict: Verdict) -> Markup:
    party = finding.party
    if party is None:
        return text("by nobody: no signature proves who is responsible, and nobody is blamed")
    signer = joined((element("bdi", words.signer(finding, verdict, party)), named(party, verdict)))
    if not verdict.blames(finding):
        return element("strong", signer)
    proof = "; nobody without that key could have made it. Keep the file as it is: it is the evidence."
    if words.is_simulation(verdict):
        proof = "; in a simulation, anyone can derive that key. In a real matter, this would be the evidence."
    return joined((element("strong", signer), proof))


def _undecided(verdict: Verdict) -> Markup:
    advice = verdict.advice or "Look at the message above, and try another copy of the record."
    return joined(
        (
            element("h3", "What to do"),
            bullets(
                (
                    advice,
                    "Then verify the new file. Damage can come from anyone, or from a machine: it proves nothing "
                    "against anybody, and does not mean that the record was in order.",
                )
            ),
        )
    )


def key_facts(verdict: Verdict) -> Markup:
    """The numbers; none if nothing is concluded."""
    claims = verdict.claims
    if claims is None or not verdict.rounds or verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return text("")
    documents = verdict.opened.corpus.documents if verdict.opened else 0
    court = kept.in_all(verdict)
    unclear = words.not_told_apart(court)
    facts = {"Received": received.told(verdict.opened.corpus)[0]} if verdict.opened else {}
    facts |= {
        "Reviewed": f"{claims.reviewed} of {count(documents, 'document')}, in {words.rounds(verdict)}",
        "Shown to Bob": f"{claims.revealed}: {claims.found} responsive, {claims.nrd} not responsive",
        "Disputes": f"{claims.disputes}, of which {claims.alice_errors} decided against Alice's report"
        if claims.disputes
        else "none",
        "Privilege": unclear
        or (
            f"{count(court.privileged, 'document')} withheld as privileged"
            if court.privileged
            else "nothing withheld as privileged"
        ),
    }
    if claims.clawed_back:
        facts["Clawed back"] = f"{count(claims.clawed_back, 'document')}, which still count as shown"
    if court.in_camera and not unclear:
        facts["In camera"] = f"{count(court.in_camera, 'document')} that the court found not responsive, not shown"
    if claims.defaults:
        facts["Silence"] = f"{count(claims.defaults, 'order')} of the court to go on without an answer"
    if verdict.skipped_draws:
        facts["Skipped draws"] = f"{verdict.skipped_draws}, because Alice's key changed while she owed a report"
    unread = sum(each.unread for each in verdict.rounds)
    if unread:
        facts["Left unread by Bob"] = _unread(verdict, unread)
    if verdict.bound_known:
        facts["Hidden among the reviewed"] = _hidden(verdict)
    if ended := proven.ended(verdict):
        facts["Why the review ended"] = ended
    return element(
        "dl", *(joined((element("dt", name), element("dd", value))) for name, value in facts.items()), class_="facts"
    )


def _hidden(verdict: Verdict) -> str:
    """The limit, and why it can be larger than what was not shown."""
    at_most = verdict.claims.certificates.reviewed.at_most if verdict.claims else 0
    but = "; its assumptions are broken here, see below" if proven.broken_assumptions(verdict) else ""
    said = f"at most {at_most}, with a confidence of {confidence(verdict)}{but}"
    if not at_most:
        return said
    unread = possibly_hidden(verdict) or 0
    shown = f" It counts {count(unread, 'document')} that only Alice has labelled, where Bob left documents unread."
    tighter = f" {proven.tighter(verdict)}" if proven.tighter(verdict) else ""
    return f"{said}. A limit, not an estimate: the coins cannot rule out that many.{shown if unread else ''}{tighter}"


def _unread(verdict: Verdict, unread: int) -> str:
    where = f"{count(unread, 'document')}, in {len(unread_rounds(verdict))} of {count(len(verdict.rounds), 'round')}"
    if proven.has_books(verdict):
        return f"{where}; what a coin drew of it counts as a hit"
    possibly = possibly_hidden(verdict)
    if possibly is None:
        return f"{where}, whose coins prove nothing"
    return f"{where}; {count(possibly, 'document')} {be(possibly)} counted as possibly hidden there"


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
    caption = verdict.opened.caption if verdict.opened else None
    if caption is None:
        return element("header", element("h1", "Tallystick: report of the verification of ", stranger(file)))
    return element(
        "header",
        element("h1", stranger(caption.case, _HEAD), class_="case"),
        element("p", stranger(caption.court, _HEAD)),
        element("p", "Tallystick: report of the verification of ", stranger(file), class_="note"),
    )


def the_matter(verdict: Verdict) -> Markup:
    """Who is who and what was asked for, according to the record: nobody checks a name."""
    caption = verdict.opened.caption if verdict.opened else None
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
    """The request for production, if the first screen has only its beginning."""
    caption = verdict.opened.caption if verdict.opened else None
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
    caption = verdict.opened.caption if verdict.opened else None
    return text("") if caption is None else joined((" (named in the record: ", stranger(caption.names[role], 300), ")"))
