"""What a person is shown before anything is signed: the terms at first contact, and what is about to be said."""

import textwrap
from collections.abc import Iterator

from ledger import records
from ledger.keys import fingerprint
from ledger.plain import shown
from ledger.roles import Role
from protocol.matter import statements, terms
from protocol.matter.naming import guaranteed
from protocol.matter.statements import Kind
from protocol.parties import listing, question
from protocol.parties.answer import Draft
from protocol.parties.declaration import owed
from protocol.parties.view import View
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll

_INDENT = "\n" + 17 * " "
_CHOSEN = {
    RevealAll.name: "Bob is shown every document of each batch",
    LabelReport.name: "Alice labels every document; of those that she calls not responsive, Bob sees what coins draw",
    ClassifierReport.name: "Alice names a threshold and labels what is above it; below, Bob sees what coins draw",
}


def called(view: View, role: Role) -> str:
    """A party by its role and its name."""
    caption = view.opening.caption
    return f"{role.called} ({shown(caption.names.get(role, ''))})" if caption else role.called


def case(opening: statements.Opening) -> str:
    """What the matter is called."""
    return shown(opening.caption.case) if opening.caption else "a simulated matter"


def whole_terms(view: View) -> list[str]:
    """Everything that the opening binds, in plain words."""
    opening, agreed = view.opening, view.opening.terms
    lines = [
        "You have not dealt with this matter on this computer before. These are its terms:",
        "",
        f"  Case           {case(opening)}",
    ]
    if opening.caption:
        lines += [
            f"  Court          {shown(opening.caption.court)}",
            f"  Request        {_over_lines(opening.caption.request)}",
        ]
    lines += [
        f"  Matter         {view.matter.hex()}",
        f"  Documents      {opening.corpus.documents}, committed to by {opening.corpus.root.hex()}",
        f"  Their text     {shown(opening.corpus.extraction) or 'as it stands'}",
        f"  Protocol       {agreed.protocol}: {_CHOSEN[agreed.protocol]}",
        f"  Guarantee      {_wrapped(guaranteed(agreed.protocol, terms.rule_of(agreed).guarantee))}",
        f"  N              {agreed.batch} documents a batch at most",
        f"  T              {agreed.rounds} rounds at most",
        f"  delta          {agreed.delta}, the probability with which a round's check may fail",
        f"  k              {agreed.k}, the tolerance for errors",
        f"  doubt          {agreed.doubt}, the probability with which the bound on hidden documents may fail",
        f"  Seed query     {shown(agreed.query) or 'none: the first batch is drawn from all documents'}",
        f"  Coin chains    {agreed.draws} links each",
        "",
        "The parties and the fingerprints of their keys:",
        "",
        *(
            f"  {called(view, role)}\n      {fingerprint(key)}{'   (your key)' if role is view.role else ''}"
            for role, key in view.history.record.keys.items()
        ),
        "",
        f"The key that you gave is the one that the matter has for {called(view, view.role)}.",
        "Confirm the other fingerprints by telephone before you sign: a file can name any key.",
    ]
    if opening.simulation is not None:
        lines.append("This is a simulation: its first entry says so, and it is no evidence of anything.")
    return lines


def about_to_sign(view: View, draft: Draft) -> list[str]:
    """What is said, as whom, with which key, after which history."""
    asked = view.question.request
    history = view.history
    number = next(place for place, each in enumerate(history.notices) if each.hash == view.entry.hash)
    again = "This answer was given before; the same file is written again:" if draft.again else None
    return [
        again or "You are about to sign:",
        "",
        f"  As             {called(view, view.role)}",
        f"  Case           {case(view.opening)}",
        f"  Matter         {asked.matter.hex()}",
        *([f"  Round          {asked.round}"] if asked.round else []),
        f"  Asked          {question.ASKED[asked.kind]}",
        *(f"  {line}" for line in _words(view, draft)),
        f"  In answer to   entry {number}, {view.entry.hash.hex()}",
        f"  After          {_count(history.record.size, 'entry', 'entries')}, the last one {history.record.head.hex()}",
        f"  With the key   {fingerprint(view.key.public)}",
    ]


def _words(view: View, draft: Draft) -> Iterator[str]:
    content = view.entry.statement.content
    said = {} if draft.reply.answer is None else draft.reply.answer.statement.content
    if draft.reply.answer is not None and draft.reply.answer.statement.replaces:
        yield f"Withdrawn      {_count(len(draft.reply.answer.statement.replaces), 'earlier answer')}"
        if view.kind == Kind.REPORT:
            yield "               no file of an earlier report may be sent any more: destroy it. Who has two reports"
            yield "               of yours can choose the one whose coins suit him"
    match view.kind:
        case Kind.REPORT:
            yield from _report(draft)
        case Kind.LABELS:
            yield from listing.labels(draft.labels, draft.documents)
        case Kind.RULINGS:
            yield from listing.rulings(draft.labels, draft.documents, listing.RESPONSIVE)
        case Kind.PRIVILEGE:
            yield from listing.rulings(draft.labels, draft.documents, listing.UPHELD)
        case Kind.CLAIM:
            yield from listing.claims(draft.claims, draft.documents)
            if not draft.claims:
                yield "You say        nothing further is claimed"
        case Kind.LINK:
            yield f"You give       your share in the next coins: the link of draw {said['draw']}"
        case Kind.AGREED:
            yield f"You say        that you agree to the terms; your coin chain begins at {said['anchor']}"
            yield "With it goes   the root of your coin chain, which is your share in all coins, sealed for the court"
        case Kind.DEPOSITED:
            yield "You say        that the court agrees to the terms, and keeps everyone's share in the coins sealed:"
            yield "               the roots of the three coin chains"
        case Kind.ORDER:
            yield from _order(view, granted=said["granted"])
        case Kind.REKEYED:
            yield f"About          a new key for {called(view, Role(content['role']))}"
            yield f"Its key        {fingerprint(records.from_value(statements.Rekey, content).key)}"
            yield f"You say        {_granted(granted=said['granted'])}"
            yield f"Then           {_rekeyed(Role(content['role']), granted=said['granted'])}"
        case Kind.AMENDED:
            yield f"About          {content['rounds']} rounds in all, instead of {view.course.terms.rounds}"
            yield f"You say        {'that you accept it' if said['accepted'] else 'that you do not accept it'}"
        case question.COSIGN:
            yield from _checkpoint(view)


def _report(draft: Draft) -> Iterator[str]:
    yield from listing.labels(draft.labels, draft.documents)
    if draft.threshold is not None:
        yield f"Threshold      the top {draft.threshold}; nothing is said of the documents below"
    if draft.ignored:
        yield f"Left out       {_count(draft.ignored, 'label')} below the threshold, which a report does not hold"
    yield from listing.claims(draft.claims, draft.documents)
    if not draft.claims:
        yield "Privileged     none claimed"


def _order(view: View, *, granted: bool) -> Iterator[str]:
    content = view.entry.statement.content
    absent = Role(content["absent"])
    wanted = owed(view)
    yield f"About          {called(view, absent)}, who does not answer; Trent asked {question.ASKED[wanted]}"
    yield f"Served         the entry {content['served']}, by Trent's word"
    yield f"You say        {_granted(granted=granted)}"
    follows = question.GRANTED[wanted] if granted else f"{absent.called} must answer as before"
    yield f"Then           {_wrapped(follows)}"
    if granted and wanted is Kind.LINK:
        yield f"You give       the link of draw {view.course.draws} that is owed, from the deposit:"
        yield f"               {absent.called}'s share in the next coins"


def _rekeyed(role: Role, *, granted: bool) -> str:
    if not granted:
        return "the former key stays"
    return f"this key speaks for {role.called} and the former one no more; its holder gets what {role.called} may see"


def _granted(*, granted: bool) -> str:
    return "granted" if granted else "not granted"


def _checkpoint(view: View) -> Iterator[str]:
    state = view.history.record.state()
    yield f"You say        that the record you were shown has {state.size} entries with the root {state.root.hex()}"
    if view.entry.statement.kind != Kind.CLAIMS:
        yield "Note           the matter goes on: nothing is claimed yet"
        return
    stated = records.from_value(statements.Claims, view.entry.statement.content)
    yield "Trent claims   (whether that follows from the record, tallystick-verify checks with your copy)"
    yield f"               {stated.reviewed} documents were reviewed, {stated.revealed} shown to Bob, {stated.found} of"
    yield f"               them responsive; {stated.withheld} withheld as privileged; {stated.disputes} disputes;"
    yield f"               {stated.alice_errors} errors of Alice's; {stated.compelled_rounds} rounds compelled;"
    yield f"               {stated.defaults} orders because a party kept silent"
    yield f"               at most {stated.hidden.at_most} responsive documents are hidden among those reviewed, except"
    yield f"               with probability {shown(stated.hidden.doubt)}. Assumed: {shown(stated.hidden.assumes)}"


def _over_lines(text: str) -> str:
    """A text of several lines, set in under its heading."""
    return _INDENT.join(_wrapped(shown(line)) for line in text.strip().splitlines())


def _wrapped(line: str) -> str:
    return _INDENT.join(textwrap.wrap(line, 95))


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"
