"""What a person is shown before anything is signed, as rows of data: a terminal or a page lays them out.

The texts come from the record. Whoever shows them must make strangers' characters harmless.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger import records
from ledger.canonical import Value
from ledger.keys import fingerprint
from ledger.roles import Role
from protocol.matter import kinds
from protocol.matter.asking import Decision
from protocol.matter.kinds.claims import Claims
from protocol.matter.kinds.rekey import Rekey
from protocol.matter.naming import Telling
from protocol.matter.sentences import count
from protocol.parties import alike, news, parts
from protocol.parties.answer import Draft
from protocol.parties.certified import certified
from protocol.parties.declaration import owed
from protocol.parties.facts import Fact, case, of_terms
from protocol.parties.objection import SignedObjection, is_owed
from protocol.parties.question import ASKED, COSIGN, GRANTED, proposed
from protocol.parties.view import View
from protocol.parties.whereabouts import Whereabouts

RESPONSIVE = {True: "responsive", False: "not responsive"}
_DENIED = 20  # rows that are shown one by one
UPHELD = {True: "upheld", False: "overruled"}


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
    sensitive: str = ""  # the class that it is put into
    note: str = ""  # what others have said of it
    reason: str = ""  # why it is labelled or ruled on so


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

    @property
    def total(self) -> str:
        """How many documents there are."""
        return count(len(self.documents), "document")


def whole_terms(view: View) -> Preview:
    """Everything that the opening entry binds, for somebody who sees the matter for the first time."""
    keys = view.history.record.keys
    telling = Telling(view.opening.caption)
    remarks = [
        f"The key that you gave is the one that the matter has for {telling.introduced(view.role)}.",
        "Confirm the other fingerprints by telephone before you sign: a file can name any key.",
    ]
    if view.opening.simulation is not None:
        remarks.append("This is a simulation, as its first entry says. It is evidence of nothing.")
    return Preview(
        heading="You have not dealt with this matter on this computer before. These are its terms:",
        facts=_told(of_terms(view.opening, view.matter), Telling(view.opening.caption)),
        parties=tuple(
            PartyRow(called=telling.introduced(role), fingerprint=fingerprint(key), own=role is view.role)
            for role, key in keys.items()
        ),
        remarks=tuple(remarks),
    )


def about_to_sign(view: View, draft: Draft, objections: Sequence[SignedObjection] = ()) -> Preview:
    """What the party says, in which role, with which key, and after which history.

    The court gets the objections of the party that it is asked about, which were checked.
    """
    asked, record, telling = view.question.request, view.history.record, Telling(view.opening.caption)
    number = next(place for place, each in enumerate(view.history.notices) if each.hash == view.entry.hash)
    facts = [
        Fact("As", telling.introduced(view.role), quoted=True),
        Fact("Case", case(view.opening), quoted=True),
        Fact("Matter", asked.matter.hex()),
        *([Fact("Round", str(asked.round))] if asked.round else []),
        *news.since(view, telling),
        Fact("Asked", ASKED[asked.kind]),
        *(_objections(view, objections, telling) if view.kind == "order" else ()),
        *_withdrawn(view, draft),
        *_WORDS[view.kind](view, draft),
    ]
    again = "You gave this answer before; the same file is written again:" if draft.again else ""
    return Preview(
        heading=again or "You are about to sign:",
        facts=_told(facts, telling),
        documents=tuple(_documents(view, draft)),
        in_full=view.role is Role.COURT or view.kind == "look",
        signature=(
            Fact("In answer to", f"entry {number}, {view.entry.hash.hex()}"),
            Fact("After", f"{_count(record.size, 'entry', 'entries')}, the last one {record.head.hex()}"),
            Fact("With the key", fingerprint(view.key.public)),
        ),
    )


def _told(facts: Iterable[Fact], telling: Telling) -> tuple[Fact, ...]:
    """The facts with people's names in our own words."""
    return tuple(
        each
        if each.quoted
        else replace(each, words=telling.said(each.words), more=tuple(telling.said(line) for line in each.more))
        for each in facts
    )


def _documents(view: View, draft: Draft) -> Iterator[DocumentRow]:
    """A row for each document that the answer is about."""
    for position in sorted({*draft.labels, *draft.claims, *draft.classes, *draft.given_up}):
        document = draft.documents[position]
        yield DocumentRow(
            position=position,
            name=document.name,
            label=_label(view, draft, position),
            claim=parts.with_basis(document, draft.claims.get(position, ""), draft.parts.get(position, ())),
            sensitive=draft.classes.get(position, ""),
            note=document.note,
            reason=draft.reasons.get(position, ""),
        )


def _label(view: View, draft: Draft, position: int) -> str:
    """What the answer says of a document."""
    if position in draft.given_up:
        return "given up"
    if position not in draft.labels:
        return ""
    label, document = draft.labels[position], draft.documents[position]
    if kinds.decision(view.kind) is not Decision.UPHELD:
        return RESPONSIVE[label]
    if position in draft.parts:
        return f"{parts.named(document, draft.parts[position])} withheld as privileged, and {RESPONSIVE[not label]}"
    return RESPONSIVE[not label] if document.judged else UPHELD[label]


def _withdrawn(view: View, draft: Draft) -> Iterator[Fact]:
    replaced = () if draft.reply.answer is None else draft.reply.answer.statement.replaces
    if not replaced:
        return
    called = kinds.called(view.kind)
    warning = (
        f"Do not send an earlier {called} any more: destroy its file. Whoever has two of them can choose the one whose "
        "coins suit them"
    )
    more = (warning,) if view.kind in ("report", "look") else ()
    yield Fact("Withdrawn", _count(len(replaced), "earlier answer"), more)


def _said(draft: Draft) -> Mapping[str, Value]:
    """The content of the statement that is about to be signed."""
    return {} if draft.reply.answer is None else draft.reply.answer.statement.content


def _agreed(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You say", f"that you agree to the terms; your coin chain begins at {_said(draft)['anchor']}")
    if draft.candidates:
        named = f"{_count(draft.candidates, 'name or term', 'names and terms')}, sealed for you alone"
        yield Fact("Candidates", f"{named}: Trent marks in your questions what holds one of them")
    yield Fact("With it goes", "the root of your coin chain, which is your share in all coins, sealed for the court")


def _deposited(_: View, __: Draft) -> Iterator[Fact]:
    words = "that the court agrees to the terms, and keeps everyone's share in the coins sealed"
    yield Fact("You say", f"{words}: the roots of the three coin chains")


def _link(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You give", f"your share in the next coins: the link of draw {_said(draft)['draw']}")


def _labels(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You say", _counted(draft.labels, RESPONSIVE))
    yield from _reasons(draft, "Alice, Bob and the court")


def _reasons(draft: Draft, readers: str) -> Iterator[Fact]:
    if draft.reasons:
        yield Fact("Reasons", f"you give them for {_count(len(draft.reasons), 'document')}, sealed for {readers}")


def _report(view: View, draft: Draft) -> Iterator[Fact]:
    yield from _labels(view, draft)
    if draft.threshold is not None:
        yield Fact("Threshold", f"the top {draft.threshold}; nothing is said of the documents below")
    if draft.ignored:
        yield Fact("Left out", f"{_count(draft.ignored, 'label')} below the threshold, which a report does not hold")
    yield Fact("Privileged", _claimed(draft) if draft.claims else "none claimed")
    yield from _alike(draft)
    yield from _classes(draft)


def _alike(draft: Draft) -> Iterator[Fact]:
    """What she was asked about besides, and each thing that she says no to."""
    if draft.alike:
        denied = [each for each in draft.alike if each.said is False]
        more = [f"no: {each.row.position}, {each.row.name}: {alike.described(each.row)}" for each in denied[:_DENIED]]
        more += [f"and {len(denied) - _DENIED} more"] if len(denied) > _DENIED else []
        yield Fact("Alike", "; ".join(alike.counted(draft.alike)), tuple(more), quoted=True)


def _classes(draft: Draft) -> Iterator[Fact]:
    if draft.classes:
        counted = Counter(draft.classes.values())
        words = ", ".join(f"{_count(number, 'document')} as {name}" for name, number in sorted(counted.items()))
        then = "if a coin draws one that you label not responsive, the court reads it first"
        yield Fact("Classes", f"{words}; {then}", quoted=True)


def _claim(view: View, draft: Draft) -> Iterator[Fact]:
    before = Whereabouts.of(view.history.entries).claimed_of(view.question.request.round)
    if before:
        yield Fact("Claimed before", f"{_count(before, 'document')} of this round, in earlier reports; this stands")
    if draft.claims:
        yield Fact("Privileged", _claimed(draft))
    yield from _alike(draft)
    yield from _classes(draft)
    if not (draft.claims or draft.classes):
        yield Fact("You say", "that nothing further is claimed")


def _claimed(draft: Draft) -> str:
    claims = len(draft.claims)
    return f"you claim it for {_count(claims, 'document')}{parts.counted(claims, len(draft.parts))}"


def _look(_: View, draft: Draft) -> Iterator[Fact]:
    given_up, listed = len(draft.given_up), len(draft.documents)
    if given_up:
        yield Fact(
            "You say", f"that you give up {given_up} of {_count(listed, 'withheld document')}: Bob is shown them"
        )
    else:
        yield Fact("You say", f"that you give up none of {_count(listed, 'withheld document')}")
    yield Fact("Then", "coins draw from the others, and Bob is shown what they draw, until the target is certified")
    yield from _link(_, draft)


def _rulings(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You rule", _counted(draft.labels, RESPONSIVE))
    yield from _reasons(draft, "Alice, Bob and the court")


def _privilege(_: View, draft: Draft) -> Iterator[Fact]:
    labelled = {position for position in draft.labels if draft.documents[position].judged or position in draft.parts}
    judged = {position: not label for position, label in draft.labels.items() if position in labelled}
    claimed = {position: label for position, label in draft.labels.items() if position not in judged}
    both = [_counted(claimed, UPHELD)] * bool(claimed) + [_counted(judged, RESPONSIVE)] * bool(judged)
    yield Fact("You rule", "; ".join(both))
    if draft.parts:
        yield Fact(
            "Parts",
            f"of {_count(len(draft.parts), 'document')} you withhold parts as privileged: Bob gets the other parts of "
            "those that you find responsive",
        )
    yield from _reasons(draft, "Alice and the court")


def _returned(_: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("You rule", _counted(draft.labels, UPHELD))
    yield Fact("Then", "Bob must return or destroy what is upheld; it still counts as shown")
    yield from _reasons(draft, "Alice and the court")


def _reclaim(_: View, draft: Draft) -> Iterator[Fact]:
    listed = _count(len(draft.documents), "document")
    if not draft.claims:
        yield Fact("You say", f"that you ask back none of {listed} that Bob was shown")
        return
    yield Fact("You say", f"that you ask back {len(draft.claims)} of {listed} that Bob was shown")
    yield Fact("Then", "Bob is told which and on what basis, and the court rules on each; you cannot ask for it again")


def _order(view: View, draft: Draft) -> Iterator[Fact]:
    content, granted = view.entry.statement.content, bool(_said(draft)["granted"])
    absent, wanted = Role(content["absent"]), owed(view)
    yield Fact("About", f"{absent.called}, who does not answer; Trent asked {ASKED[wanted]}")
    yield Fact("Served", f"the entry {content['served']}, according to Trent")
    yield Fact("You say", _granted(granted=granted))
    yield Fact("Then", GRANTED[wanted] if granted else f"{absent.called} must answer as before")
    if granted and wanted == "link":
        words = f"the link of draw {view.state.draws} that is owed, from the deposit"
        yield Fact("You give", f"{words}: {absent.called}'s share in the next coins")


def _objections(view: View, objections: Sequence[SignedObjection], telling: Telling) -> Iterator[Fact]:
    """What the silent party objects. A party that refuses a question is not silent, and Trent may keep that back."""
    absent = Role(view.entry.statement.content["absent"])
    for each in objections:
        asked = each.asked
        where = f", round {asked.round}" if asked.round else ""
        other = "" if is_owed(view, asked) else " It quotes another question than the one that is owed."
        words = telling.said(
            f"by {absent.called}, who signed it, to Trent's question {ASKED.get(asked.kind, asked.kind)} "
            f"(entry {view.state.sequences[asked.entry]}{where}), which Trent signed.{other} The reason:"
        )
        yield Fact("OBJECTION", words, (each.objection.reason,), quoted=True)
    if not objections:
        yield Fact(
            "Objections",
            f"none was given to you. Before you grant this, ask {absent.called} by another way than "
            f"through Trent whether {absent.called} has refused the question: Trent could keep an objection back",
        )


def _rekeyed(view: View, draft: Draft) -> Iterator[Fact]:
    asked = records.from_value(Rekey, view.entry.statement.content)
    granted, who = bool(_said(draft)["granted"]), asked.role.called
    then = f"this key speaks for {who} and the former one no longer does; its holder gets what {who} may see"
    yield Fact("About", f"a new key for {asked.role.called}")
    yield Fact("Its key", fingerprint(asked.key))
    yield Fact("You say", _granted(granted=granted))
    yield Fact("Then", then if granted else "the former key stays")


def _amended(view: View, draft: Draft) -> Iterator[Fact]:
    yield Fact("About", proposed(view.entry.statement.content, view.state.terms))
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
        f"responsive; {stated.privileged} withheld as privileged; {stated.clawed_back} clawed back; "
        f"{stated.disputes} disputes; {stated.alice_errors} errors of Alice's; {stated.compelled_rounds} rounds "
        f"compelled; {stated.defaults} orders because a party was silent",
        tuple(certified(stated)),
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
    "reclaim": _reclaim,
    "returned": _returned,
    "look": _look,
    "rulings": _rulings,
    "privilege": _privilege,
    "order": _order,
    "rekeyed": _rekeyed,
    "amended": _amended,
    COSIGN: _cosigned,
}
"""What each kind of answer says."""


def _counted(said: Mapping[int, bool], words: Mapping[bool, str]) -> str:
    return ", ".join(f"{sum(label is value for label in said.values())} {word}" for value, word in words.items())


def _granted(*, granted: bool) -> str:
    return "granted" if granted else "not granted"


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"
