"""What a person is shown before anything is signed, as rows of data: a terminal or a page lays them out.

The texts come from the record. Whoever shows them must make strangers' characters harmless.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ledger import records
from ledger.canonical import Value
from ledger.keys import fingerprint
from ledger.roles import Role
from protocol.matter import kinds
from protocol.matter.asking import Decision
from protocol.matter.kinds.claims import Claims
from protocol.matter.kinds.rekey import Rekey
from protocol.matter.values import Opened
from protocol.parties.answer import Draft
from protocol.parties.declaration import owed
from protocol.parties.objection import SignedObjection, is_owed
from protocol.parties.question import ASKED, COSIGN, GRANTED
from protocol.parties.view import View
from protocol.rules import table

RESPONSIVE = {True: "responsive", False: "not responsive"}
UPHELD = {True: "upheld", False: "overruled"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a person should know, under its name."""

    name: str
    words: str
    more: tuple[str, ...] = ()  # further paragraphs


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRow:
    """A party of the matter, and the key that it signs with."""

    called: str
    fingerprint: str
    own: bool  # the party that reads this


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document, and what the party is about to say of it."""

    position: int
    name: str
    label: str = ""  # empty if nothing is said
    claim: str = ""  # the basis of a claim of privilege
    note: str = ""  # what others have said of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """All that is shown at one time, in this order."""

    heading: str
    facts: tuple[Fact, ...]
    parties: tuple[PartyRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    in_full: bool = False  # whether every row must be shown; if not, those with the rarer label are enough
    signature: tuple[Fact, ...] = ()  # which key signs the answer, and after which entries
    remarks: tuple[str, ...] = ()


def whole_terms(view: View) -> Preview:
    """Everything that the opening entry binds, for somebody who sees the matter for the first time."""
    keys = view.history.record.keys
    remarks = [
        f"The key that you gave is the one that the matter has for {_called(view, view.role)}.",
        "Confirm the other fingerprints by telephone before you sign: a file can name any key.",
    ]
    if view.opening.simulation is not None:
        remarks.append("This is a simulation, as its first entry says. It is evidence of nothing.")
    return Preview(
        heading="You have not dealt with this matter on this computer before. These are its terms:",
        facts=tuple(_terms(view)),
        parties=tuple(
            PartyRow(called=_called(view, role), fingerprint=fingerprint(key), own=role is view.role)
            for role, key in keys.items()
        ),
        remarks=tuple(remarks),
    )


def _terms(view: View) -> Iterator[Fact]:
    opening, agreed = view.opening, view.opening.terms
    yield Fact("Case", _case(opening))
    if opening.caption:
        yield Fact("Court", opening.caption.court)
        first, *more = opening.caption.request.strip().splitlines() or [""]
        yield Fact("Request", first, tuple(more))
    yield Fact("Matter", view.matter.hex())
    yield Fact("Documents", f"{opening.corpus.documents}, committed to by {opening.corpus.root.hex()}")
    yield Fact("Their text", opening.corpus.extraction or "as it stands")
    words = table.of(agreed).words
    yield Fact("Rule", f"{agreed.protocol}: {words.chosen}")
    yield Fact("Guarantee", words.guaranteed())
    yield Fact("N", f"at most {agreed.batch} documents in a batch")
    yield Fact("T", f"at most {agreed.rounds} rounds")
    yield from (Fact(each.name, f"{value}, {each.told}") for each, value in table.values(agreed))
    yield Fact("doubt", f"{agreed.doubt}, the probability with which the bound on hidden documents may fail")
    yield Fact("Seed query", agreed.query or "none: the first batch is drawn from all documents")
    yield Fact("Coin chains", f"{agreed.draws} links each")


def about_to_sign(view: View, draft: Draft, objections: Sequence[SignedObjection] = ()) -> Preview:
    """What the party says, in which role, with which key, and after which history.

    The court gets the objections of the party that it is asked about, which were checked.
    """
    asked, record = view.question.request, view.history.record
    number = next(place for place, each in enumerate(view.history.notices) if each.hash == view.entry.hash)
    facts = [
        Fact("As", _called(view, view.role)),
        Fact("Case", _case(view.opening)),
        Fact("Matter", asked.matter.hex()),
        *([Fact("Round", str(asked.round))] if asked.round else []),
        Fact("Asked", ASKED[asked.kind]),
        *(_objections(view, objections) if view.kind == "order" else ()),
        *_withdrawn(view, draft),
        *_WORDS[view.kind](view, draft),
    ]
    again = "You gave this answer before; the same file is written again:" if draft.again else ""
    return Preview(
        heading=again or "You are about to sign:",
        facts=tuple(facts),
        documents=tuple(_documents(view, draft)),
        in_full=view.role is Role.COURT,
        signature=(
            Fact("In answer to", f"entry {number}, {view.entry.hash.hex()}"),
            Fact("After", f"{_count(record.size, 'entry', 'entries')}, the last one {record.head.hex()}"),
            Fact("With the key", fingerprint(view.key.public)),
        ),
    )


def _documents(view: View, draft: Draft) -> Iterator[DocumentRow]:
    """A row for each document that the answer is about."""
    words = UPHELD if kinds.decision(view.kind) is Decision.UPHELD else RESPONSIVE
    for position in sorted({*draft.labels, *draft.claims}):
        document = draft.documents[position]
        yield DocumentRow(
            position=position,
            name=document.name,
            label=words[draft.labels[position]] if position in draft.labels else "",
            claim=draft.claims.get(position, ""),
            note=document.note,
        )


def _withdrawn(view: View, draft: Draft) -> Iterator[Fact]:
    replaced = () if draft.reply.answer is None else draft.reply.answer.statement.replaces
    if not replaced:
        return
    warning = (
        "Do not send an earlier report any more: destroy its file. Whoever has two of your reports can choose the one "
        "whose coins suit them"
    )
    more = (warning,) if view.kind == "report" else ()
    yield Fact("Withdrawn", _count(len(replaced), "earlier answer"), more)


def _said(draft: Draft) -> Mapping[str, Value]:
    """The content of the statement that is about to be signed."""
    return {} if draft.reply.answer is None else draft.reply.answer.statement.content


def _agreed(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You say", f"that you agree to the terms; your coin chain begins at {_said(draft)['anchor']}")
    yield Fact("With it goes", "the root of your coin chain, which is your share in all coins, sealed for the court")


def _deposited(_: View, __: Draft) -> Iterator[Fact]:
    words = "that the court agrees to the terms, and keeps everyone's share in the coins sealed"
    yield Fact("You say", f"{words}: the roots of the three coin chains")


def _link(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You give", f"your share in the next coins: the link of draw {_said(draft)['draw']}")


def _labels(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You say", _counted(draft.labels, RESPONSIVE))


def _report(view: View, draft: Draft) -> Iterator[Fact]:
    yield from _labels(view, draft)
    if draft.threshold is not None:
        yield Fact("Threshold", f"the top {draft.threshold}; nothing is said of the documents below")
    if draft.ignored:
        yield Fact("Left out", f"{_count(draft.ignored, 'label')} below the threshold, which a report does not hold")
    yield Fact("Privileged", _claimed(draft) if draft.claims else "none claimed")


def _claim(_: View, draft: Draft) -> Iterator[Fact]:
    if draft.claims:
        yield Fact("Privileged", _claimed(draft))
    else:
        yield Fact("You say", "that nothing further is claimed")


def _claimed(draft: Draft) -> str:
    return f"you claim it for {_count(len(draft.claims), 'document')}"


def _rulings(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You rule", _counted(draft.labels, RESPONSIVE))


def _privilege(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You rule", _counted(draft.labels, UPHELD))


def _order(view: View, draft: Draft) -> Iterator[Fact]:
    content, granted = view.entry.statement.content, bool(_said(draft)["granted"])
    absent, wanted = Role(content["absent"]), owed(view)
    yield Fact("About", f"{_called(view, absent)}, who does not answer; Trent asked {ASKED[wanted]}")
    yield Fact("Served", f"the entry {content['served']}, according to Trent")
    yield Fact("You say", _granted(granted=granted))
    yield Fact("Then", GRANTED[wanted] if granted else f"{absent.called} must answer as before")
    if granted and wanted == "link":
        words = f"the link of draw {view.state.draws} that is owed, from the deposit"
        yield Fact("You give", f"{words}: {absent.called}'s share in the next coins")


def _objections(view: View, objections: Sequence[SignedObjection]) -> Iterator[Fact]:
    """What the silent party objects. A party that refuses a question is not silent, and Trent may keep that back."""
    absent = Role(view.entry.statement.content["absent"])
    for each in objections:
        asked = each.asked
        where = f", round {asked.round}" if asked.round else ""
        other = "" if is_owed(view, asked) else " It quotes another question than the one that is owed."
        yield Fact(
            "OBJECTION",
            f"by {_called(view, absent)}, who signed it, to Trent's question {ASKED.get(asked.kind, asked.kind)} "
            f"(entry {view.state.sequences[asked.entry]}{where}), which Trent signed.{other} The reason:",
            (each.objection.reason,),
        )
    if not objections:
        yield Fact(
            "Objections",
            f"none was given to you (--objection). Before you grant this, ask {absent.called} by another way than "
            f"through Trent whether {absent.called} has refused the question: Trent could keep an objection back",
        )


def _rekeyed(view: View, draft: Draft) -> Iterator[Fact]:
    asked = records.from_value(Rekey, view.entry.statement.content)
    granted, who = bool(_said(draft)["granted"]), asked.role.called
    then = f"this key speaks for {who} and the former one no longer does; its holder gets what {who} may see"
    yield Fact("About", f"a new key for {_called(view, asked.role)}")
    yield Fact("Its key", fingerprint(asked.key))
    yield Fact("You say", _granted(granted=granted))
    yield Fact("Then", then if granted else "the former key stays")


def _amended(view: View, draft: Draft) -> Iterator[Fact]:
    rounds = view.entry.statement.content["rounds"]
    yield Fact("About", f"{rounds} rounds in all, instead of {view.state.terms.rounds}")
    yield Fact("You say", "that you accept it" if _said(draft)["accepted"] else "that you do not accept it")


def _cosigned(view: View, draft: Draft) -> Iterator[Fact]:
    state = view.history.record.state()
    yield Fact("You say", f"that the record you were shown has {state.size} entries with the root {state.root.hex()}")
    yield from _verified(draft)
    yield from (
        Fact("Without", f"{role.called}'s signature the matter ends, by the court's order in entry {entry}")
        for role, entry in view.state.excused.items()
    )
    claimed = (each.statement for each in view.history.notices if each.hash == view.state.claimed_in)
    said = next(claimed, None)
    if said is None:
        yield Fact("Note", "the matter is still open: nothing is claimed yet")
        return
    stated = records.from_value(Claims, said.content)
    yield Fact(
        "Trent claims",
        f"{stated.reviewed} documents were reviewed, {stated.revealed} shown to Bob, {stated.found} of them "
        f"responsive; {stated.withheld} withheld as privileged; {stated.disputes} disputes; {stated.alice_errors} "
        f"errors of Alice's; {stated.compelled_rounds} rounds compelled; {stated.defaults} orders because a party was "
        "silent",
        (
            f"at most {stated.hidden.at_most} responsive documents are hidden among those reviewed, except with "
            f"probability {stated.hidden.doubt}. Assumed: {stated.hidden.assumes}",
        ),
    )


def _verified(draft: Draft) -> Iterator[Fact]:
    """The verdict on the party's copy, if it was verified now and not when the same file was written first."""
    found = draft.verdict
    if found is not None:
        yield Fact(
            "Your copy",
            f"{found.answer.upper()}, since the end is not signed yet: {_count(found.passed, 'check')} passed, "
            f"{found.left} could not be made with this copy, and nothing was found",
            ("To see all of it, run tallystick-verify on the file copy.jsonl.gz in the question",),
        )


_WORDS: dict[str, Callable[[View, Draft], Iterator[Fact]]] = {
    "agreed": _agreed,
    "deposited": _deposited,
    "link": _link,
    "report": _report,
    "labels": _labels,
    "claim": _claim,
    "rulings": _rulings,
    "privilege": _privilege,
    "order": _order,
    "rekeyed": _rekeyed,
    "amended": _amended,
    COSIGN: _cosigned,
}
"""What each kind of answer says."""


def _called(view: View, role: Role) -> str:
    """A party by its role and its name."""
    caption = view.opening.caption
    return f"{role.called} ({caption.names.get(role, '')})" if caption else role.called


def _case(opening: Opened) -> str:
    return opening.caption.case if opening.caption else "a simulated matter"


def _counted(said: Mapping[int, bool], words: Mapping[bool, str]) -> str:
    return ", ".join(f"{sum(label is value for label in said.values())} {word}" for value, word in words.items())


def _granted(*, granted: bool) -> str:
    return "granted" if granted else "not granted"


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"
