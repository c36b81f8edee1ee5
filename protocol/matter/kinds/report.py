"""`report`: what Alice says of a batch, or of the documents that a validation calls, with her link.

Sealed for Alice and the court, until the round closes: `labels`, one array with a label for each position (true, false,
or null where none is asked for), and where the rule asks for it `threshold`, one rank. Where she claims privilege, for
each position the basis or null, which stays sealed: `privilege`. Labels are only ever opened together, so they have one
commitment.
"""

from collections.abc import Sequence
from typing import Any

from ledger import canonical, entries
from ledger.canonical import Value
from ledger.errors import Refused
from ledger.hashing import Digest, tagged_hash
from ledger.openings import hash_openings
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import privilege_log, requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.privilege_log import claims_of_classes
from protocol.matter.rounds import Sort
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS, Link
from protocol.rules import base
from protocol.rules.base import Report
from protocol.rules.terms import Positive


class Reported(Record, frozen=True, kw_only=True):
    """Alice's link, and the hash of her openings."""

    draw: Positive
    link: Digest
    openings: Digest  # the hash of the report's openings


def blind(matter: Matter, content: Reported, entry: Entry) -> None:
    """It gives the link that is due, and seals what the rule asks for."""
    requirements.link(matter, Role.ALICE, matter.draws + 1, Link(draw=content.draw, link=content.link))
    review = matter.rounds[-1]
    ranked, size = matter.rule.reports_threshold and review.sort is Sort.BATCH, review.to_label
    if ranked != ("threshold" in entry.statement.sealed):
        wanted = "the threshold" if ranked else "no threshold"
        raise Malformed(f"a report of this protocol seals labels and {wanted}")
    for name, due in (("labels", min(size, 1)), ("threshold", 1), ("privilege", size)):
        if name in entry.statement.sealed or name == "labels":
            requirements.sealed(entry, name, due)


def check(matter: Matter, content: Reported, entry: Entry) -> None:
    """It seals a report of the form that the rule asks for, and its openings have the hash that she signs."""
    if not all(isinstance(labels, list | tuple) for labels in entry.values("labels")):
        raise Malformed("the labels must be an array")
    for index, label in enumerate(_labels(entry)):
        if not (label is None or type(label) is bool):
            raise Malformed(f"label {index} must be true, false or null")
    if any(type(threshold) is not int for threshold in entry.values("threshold")):
        raise Malformed("the threshold must be a rank")
    review = matter.rounds[-1]
    problem = base.malformed(matter.rule, review.to_label, _report(entry), ranked=review.sort is Sort.BATCH)
    if problem:
        raise Malformed(problem)
    claims = entry.values("privilege")
    requirements.bases(matter, claims, classes=True)
    if claims and not any(claims):
        raise Malformed("a report that claims no privilege must not seal 'privilege'")
    if content.openings != hash_openings(entry.openings or ()):
        raise Malformed("its openings are not those whose hash it signs")


def take(matter: Matter, content: Reported, entry: Entry) -> None:
    """The report is in the record, and the round's draw begins."""
    review = matter.rounds[-1]
    review.report_entry = entry.sequence
    review.report_fields = tuple(name for name in ("labels", "threshold") if name in entry.statement.sealed)
    if entry.openings is not None:
        review.report = review.in_full(_report(entry))
        review.privilege.claim(entry.sequence, entry.values("privilege"))
        matter.classed += claims_of_classes(entry.values("privilege"))
    elif "privilege" in entry.statement.sealed:
        review.privilege.sealed_in, review.privilege.sealed_to = entry.sequence, review.to_label
    matter.begin_draw(content.draw, entries.hash_words(entry.statement), review.sort)
    matter.spend(Role.ALICE, content.link)


def _report(entry: Entry) -> Report:
    threshold = entry.values("threshold")
    return Report(labels=_labels(entry), threshold=threshold[0] if threshold else None)


def _labels(entry: Entry) -> tuple[Any, ...]:
    """The labels of a report; none if nothing is called."""
    return tuple(label for labels in entry.values("labels") for label in labels)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Bob is shown the whole batch. The draw of the report that did not come is left out."""
    matter.rounds[-1].go_without_report()
    matter.leave_out_draw()


def say(asked: Asked, decisions: Decisions) -> Said:
    """Her labels of the batch, down to the threshold if there is one, and her claims by position."""
    size, top = len(asked.documents), decisions.threshold
    labels = decided(decisions.labels, range(1, (size if top is None else top) + 1))
    fields: dict[str, Sequence[Value]] = {"labels": [[*labels, *[None] * (size - len(labels))]]} if size else {}
    if top is not None:
        fields["threshold"] = [top]
    if claims := privilege_log.values(decisions.claims, decisions.classes, decisions.claimed_parts):
        if not claims.keys() <= set(range(1, size + 1)):
            raise Refused(f"privilege is claimed by position, from 1 to {size}")
        fields["privilege"] = [claims.get(position) for position in range(1, size + 1)]
    # Of all that Trent writes, only the documents and the draw go into the salts. Asked again about the same documents
    # for the same draw, she gives the same words and gets the same coins; asked about others, or for another draw, she
    # gets coins that nobody can foresee. A report that replaces others gets new salts too, since Trent may have seen
    # the old ones.
    draw = asked.draws + 1
    documents = tagged_hash("places", canonical.encode(list(asked.documents)))
    place = f"report/{asked.statement.round}/{draw}/{documents.hex()}"
    withdrawn = f"/{len(asked.replaces)}" if asked.replaces else ""
    sealed, openings = asked.sealed(f"{place}{withdrawn}", KIND.seals, fields)
    content = Reported(draw=draw, link=asked.chain.link(draw), openings=hash_openings(openings))
    return Said(content=content, sealed=sealed, openings=openings, spends=draw)


KIND = Kind(
    name="report",
    record=Reported,
    authors=(Role.ALICE,),
    when=When.ASKED,
    asks={Role.BOB: "link"},
    seals={"labels": OWNERS, "privilege": OWNERS, "threshold": OWNERS},
    optional=("labels", "privilege", "threshold"),  # missing if nothing is called, or claimed, or asked for
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="label {size}",
        question="to say of each of the documents whether it is responsive",
        shown=Shown.BATCH,
        decision=Decision.REPORT,
        say=say,
        silence=Granted(
            words="all these documents are shown to Bob, and the matter does not wait for Alice's labels", take=silenced
        ),
    ),
    words=Words(called="report", event=None),
)
