"""Openings whose hash their author signed: if they do not fit the author's own commitments, it signed both."""

from verifier.checks import Check, Role
from verifier.findings import Fault, Finding
from verifier.record.entries import Body
from verifier.record.openings import Openings


def check_vouched(body: Body, openings: Openings) -> None:
    """Raise a `Fault` of the author's if it signed the hash of openings that do not fit its commitments."""
    said = body.statement
    if said.author is Role.TRENT or said.content.get("openings") != openings.hash.hex():
        return
    for opened in openings.fields:
        sealed = said.sealed.get(opened.field)
        committed = sealed.commitments if sealed else ()
        for index, value, commitment in zip(opened.indices, opened.values, opened.commitments, strict=True):
            due = committed[index] if index < len(committed) else None
            if due != commitment:
                with_it = f"with the commitment {due.hex()}" if due else "only if it is sealed"
                raise Fault(
                    Finding(
                        check=Check.REPORTS,
                        rule="A party that commits to a value opens that value",
                        expected=f"an opening of {opened.field!r} {index} {with_it}",
                        found=f"the value {value!r:.200}, under the hash of openings in the same statement",
                        entry=body.sequence,
                        party=said.author,
                    )
                )
