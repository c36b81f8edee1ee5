"""The parties and their keys."""

from verifier import words
from verifier.checks import Role
from verifier.plural import count
from verifier.record.hashing import fingerprint
from verifier.report.front import named
from verifier.report.markup import Markup, element, joined, paragraph, table
from verifier.trust import Identity
from verifier.verdict import Verdict

_PARTS = {
    Role.ALICE: "reports which documents are responsive",
    Role.BOB: "asked for the responsive documents and labels what he is shown",
    Role.COURT: "rules on disputes and privilege, gives orders if somebody is silent, holds the secrets of the coins",
    Role.TRENT: "the neutral who holds the documents, runs the review and keeps the record",
}
_IDENTITIES = {
    Identity.CONFIRMED: "confirmed by a fingerprint that you trust (--trust)",
    Identity.ANOTHER: "NOT A KEY that you trust for this party: nothing signed with it counts as this party's",
    Identity.NOT_CHECKED: "not checked: only the copy says whose it is",
}


def parties(verdict: Verdict) -> Markup:
    """The section on the parties and what they signed."""
    parts: list[str] = [element("h2", "The parties and their keys")]
    if not verdict.keys:
        parts.append(paragraph("The copy could not be read far enough to know any key."))
        return element("section", *parts, id="parties", class_="flows")
    rows = [
        (
            joined((_part(role), named(role, verdict))),
            _PARTS[role],
            joined((element("span", fingerprint(key), class_="key"), period)),
            _IDENTITIES[verdict.identities[role, key]],
        )
        for role in verdict.keys
        for key, period in _held(role, verdict)
    ]
    heads = ("Party", "Part", "Fingerprint of the key", "Whose it is")
    parts.append(table("Keys by their fingerprints", heads, rows, look="cards"))
    if verdict.key_changes:
        parts.append(
            paragraph(
                "A key was replaced by the court's order. What came before was signed with the old one. Compare both "
                "with the fingerprints that the party gave you."
            )
        )
    copy = verdict.copy
    if copy is not None:
        parts.append(
            table(
                "The record, by its codes",
                ("What", "Code"),
                (
                    ("Matter", element("code", copy.matter.hex())),
                    ("Head, read so far" if words.ended_early(verdict) else "Head", element("code", copy.head.hex())),
                    ("Root", element("code", copy.root.hex())),
                    *(
                        (
                            f"Signed at {count(each.size, 'entry')}",
                            words.listing([role.called for role in sorted(each.signers)]),
                        )
                        for each in copy.checkpoints[-20:]
                    ),
                ),
            )
        )
    return element("section", *parts, id="parties", class_="flows")


def _part(role: Role) -> Markup:
    """The role itself, which the name beside it explains."""
    return element("bdi", "The court" if role is Role.COURT else role.called)


def _held(role: Role, verdict: Verdict) -> list[tuple[bytes, str]]:
    """Each key that a party has had, and until when; the present one comes last."""
    before = [(each.before, f", until entry {each.entry}") for each in verdict.key_changes if each.role is role]
    return [*before, (verdict.keys[role], f", from entry {_last(role, verdict) + 1} on" if before else "")]


def _last(role: Role, verdict: Verdict) -> int:
    return max(each.entry for each in verdict.key_changes if each.role is role)
