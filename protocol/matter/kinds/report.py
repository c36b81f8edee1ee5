"""`report`: what Alice says of a batch, with her link.

Sealed for Alice and the court, until the round closes: `labels`, one for each position (true, false, or null where none
is asked for), and where the rule asks for it `threshold`, one rank. Where she claims privilege, for each position the
basis or null, which stays sealed: `privilege`.
"""

from collections.abc import Sequence

from ledger import canonical, entries
from ledger.canonical import Value
from ledger.errors import Refused
from ledger.hashing import Digest, tagged_hash
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
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
    if matter.rule.reports_threshold != ("threshold" in entry.statement.sealed):
        wanted = "the threshold" if matter.rule.reports_threshold else "no threshold"
        raise Malformed(f"a report of this protocol seals labels and {wanted}")
    size = matter.rounds[-1].size
    for name, due in (("labels", size), ("threshold", 1), ("privilege", size)):
        if name in entry.statement.sealed:
            requirements.sealed(entry, name, due)


def check(matter: Matter, content: Reported, entry: Entry) -> None:
    """It seals a report of the form that the rule asks for, and its openings have the hash that she signs."""
    for index, label in enumerate(entry.values("labels")):
        if not (label is None or type(label) is bool):
            raise Malformed(f"label {index} must be true, false or null")
    if any(type(threshold) is not int for threshold in entry.values("threshold")):
        raise Malformed("the threshold must be a rank")
    problem = base.malformed(matter.rule, matter.rounds[-1].size, _report(entry))
    if problem:
        raise Malformed(problem)
    _check_claims(entry)
    if content.openings != entries.hash_openings(entry.openings or ()):
        raise Malformed("its openings are not those whose hash it signs")


def _check_claims(entry: Entry) -> None:
    """Each position has a basis or null, and at least one has a basis."""
    bases = entry.values("privilege")
    for basis in bases:
        if basis is not None:
            requirements.basis(basis)
    if bases and not any(bases):
        raise Malformed("a report that claims no privilege must not seal 'privilege'")


def take(matter: Matter, content: Reported, entry: Entry) -> None:
    """The report is in the record, and the round's draw begins."""
    review = matter.rounds[-1]
    review.report_entry = entry.sequence
    if entry.openings is not None:
        review.report = _report(entry)
        review.privilege.claim(entry.sequence, entry.values("privilege"))
    elif "privilege" in entry.statement.sealed:
        review.privilege.sealed_in = entry.sequence
    matter.begin_draw(content.draw, entries.hash_words(entry.statement))
    matter.spend(Role.ALICE, content.link)


def _report(entry: Entry) -> Report:
    threshold = entry.values("threshold")
    return Report(labels=tuple(entry.values("labels")), threshold=threshold[0] if threshold else None)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Bob is shown the whole batch. The draw of the report that did not come is left out."""
    matter.rounds[-1].go_without_report()
    matter.leave_out_draw()


def say(asked: Asked, decisions: Decisions) -> Said:
    """Her labels of the batch, down to the threshold if there is one, and her claims by position."""
    size, top = len(asked.documents), decisions.threshold
    labels = decided(decisions.labels, range(1, (size if top is None else top) + 1))
    fields: dict[str, Sequence[Value]] = {"labels": [*labels, *[None] * (size - len(labels))]}
    if top is not None:
        fields["threshold"] = [top]
    if decisions.claims:
        if not decisions.claims.keys() <= set(range(1, size + 1)):
            raise Refused(f"privilege is claimed by position, from 1 to {size}")
        fields["privilege"] = [decisions.claims.get(position) for position in range(1, size + 1)]
    # Of all that Trent writes, only the batch goes into the salts. Asked again about the same documents, she gives the
    # same words and gets the same coins; asked about others, she gets coins that nobody can foresee. A report that
    # replaces others gets new salts too, since Trent may have seen the old ones.
    batch = tagged_hash("places", canonical.encode(list(asked.documents)))
    withdrawn = f"/{len(asked.replaces)}" if asked.replaces else ""
    sealed, openings = asked.sealed(f"report/{asked.statement.round}/{batch.hex()}{withdrawn}", KIND.seals, fields)
    draw = asked.draws + 1
    content = Reported(draw=draw, link=asked.chain.link(draw), openings=entries.hash_openings(openings))
    return Said(content=content, sealed=sealed, openings=openings, spends=draw)


KIND = Kind(
    name="report",
    record=Reported,
    authors=(Role.ALICE,),
    when=When.ASKED,
    asks={Role.BOB: "link"},
    seals={"labels": OWNERS, "privilege": OWNERS, "threshold": OWNERS},
    optional=("privilege", "threshold"),  # missing if nothing is claimed; missing if the rule asks for none
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="label the {size} documents of the batch",
        question="to say of each document of a batch whether it is responsive",
        shown=Shown.BATCH,
        decision=Decision.REPORT,
        say=say,
        silence=Granted(
            words="the whole batch is shown to Bob, and the matter does not wait for Alice's labels", take=silenced
        ),
    ),
    words=Words(called="report", event=None),
)
