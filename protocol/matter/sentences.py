"""A matter's numbers in sentences, for people: what a summary claims, and what is certified so far."""

from math import floor
from typing import Any

from protocol.rules import table as rules
from protocol.rules.base import Words


def claims(summary: dict[str, Any]) -> list[str]:
    """What the closed rounds have brought, and what is proven by them."""
    played, said = summary["simulation"], words(summary)
    lines = [
        f"Reviewed {count(summary['reviewed'], 'document')} of {summary['documents']} in "
        f"{count(len(summary['rounds']), 'round')} by the protocol {summary['protocol']!r}.",
        f"Shown to Bob: {summary['revealed']}; {summary['found']} of them are responsive and {summary['nrd']} are not "
        "(the non-responsive disclosure).",
        f"Disputes: {summary['disputes']}; in {summary['alice_errors']} {said.against}",
        *_exceptions(summary),
        *certificates(summary),
    ]
    if played and (played["bob"], played["court"]) != ("truthful", "right"):
        lines.append("  In this simulation that does not hold, so the certificates prove nothing here.")
    return [*lines, *map(validation, summary["validations"]), f"Guarantee of the method: {said.guaranteed()}"]


def certificates(summary: dict[str, Any]) -> list[str]:
    """What is proven so far: about the reviewed documents, and about the whole collection."""
    reviewed, collection = summary["certificates"]["reviewed"], summary["certificates"]["collection"]
    lines = [
        f"Of the reviewed documents, Bob is missing at most {reviewed['at_most']} responsive ones, with confidence "
        f"{reviewed['confidence']:.0%}, whatever Alice reported{_at_least(reviewed, summary)}.{_target(reviewed)}"
    ]
    unreviewed = count(collection["unreviewed"], "document")
    if collection["at_most"] is not None:
        lines.append(
            f"Of the whole collection, he is missing at most {collection['at_most']}, with confidence "
            f"{collection['confidence']:.0%}{_at_least(collection, summary)}.{_target(collection)}"
        )
    elif collection["unreviewed"]:
        lines.append(f"Nothing is proven about the {unreviewed} that nobody has reviewed.{_target(collection)}")
    return [*lines, f"  This assumes: {reviewed['assumes']}"]


def _at_least(certificate: dict[str, Any], summary: dict[str, Any]) -> str:
    recall, apart = certificate["recall_at_least"], " not withheld as privileged" if summary["privileged"] else ""
    return "" if recall is None else f"; so he has at least {_rounded_down(recall)} of those{apart}"


def _rounded_down(share: float) -> str:
    """A share that is proven: a certificate never says more than was proven."""
    return f"{floor(1000 * share + 1e-9) / 10:.1f}%"


def _target(certificate: dict[str, Any]) -> str:
    if certificate["target"] is None:
        return ""
    return (
        f" The target of {100 * certificate['target']:g}% is {'reached' if certificate['reached'] else 'NOT reached'}."
    )


def validation(row: dict[str, Any]) -> str:
    """What one validation has brought."""
    strata, found, proven = row["strata"], row["estimates"], row["certificate"]
    seen = [strata[name] for name in ("withheld", "never")]
    lines = [
        f"Validation {row['number']} (round {row['round']}): "
        f"{count(sum(each['shown'] for each in seen), 'document')} looked at, {sum(each['hits'] for each in seen)} "
        "responsive"
    ]
    if found is None:
        return f"{lines[0]}; it proves nothing, because a party did not answer."
    for name in ("recall", "elusion", "richness"):
        if found[name] is not None:
            point, low, high = (f"{found[name][each]:.1%}" for each in ("point", "low", "high"))
            lines.append(f"{name} about {point} ({low} to {high})")
    share = proven["recall_at_least"]
    recall = "nothing" if share is None else f"a recall of at least {_rounded_down(share)}"
    return f"{'; '.join(lines)}. It certifies {recall}.{_target(proven)}"


def _exceptions(summary: dict[str, Any]) -> list[str]:
    """What the court withheld or ordered, if anything."""
    unread = sum(row["unread"] for row in summary["rounds"])
    lines = []
    if summary["privileged"]:
        lines.append(f"Withheld as privileged: {summary['privileged']}.")
    if summary["clawed_back"]:
        lines.append(f"Clawed back after Bob was shown it, and still counted as shown: {summary['clawed_back']}.")
    if summary["in_camera"]:
        lines.append(f"Read by the court alone, and not responsive: {summary['in_camera']}.")
    if summary["defaults"]:
        lines.append(
            f"Orders to go on without an answer: {summary['defaults']}; shown to Bob, who did not label them: {unread}."
        )
    return lines


def words(summary: dict[str, Any]) -> Words:
    """The rule in words."""
    return rules.named(summary["protocol"]).words


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
