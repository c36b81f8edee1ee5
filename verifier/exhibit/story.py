"""A document's story in plain sentences, told only from what was checked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verifier.checks import Role
from verifier.exhibit import reclaims
from verifier.exhibit.form import Document
from verifier.exhibit.judgement import Followed, Judgement
from verifier.exhibit.thrown import Decided, called, decided
from verifier.replay.basis import class_of, parts_named, parts_of, text_of
from verifier.replay.forms import Kind
from verifier.replay.reason import Reason, reason
from verifier.replay.rounds import Sort
from verifier.rules import table
from verifier.rules.base import ALL_COINS
from verifier.rules.terms import Terms, Validation
from verifier.words import listing

NOT_COVERED = (
    "whether the batch was ranked correctly, for which the whole record and the sealed corpus are needed",
    "the rest of the matter: its other rounds, in which the document may have been put up or shown, its claims, "
    "whether anybody gave two answers to one question, and whether the court replaced a key, beyond the orders that "
    "are here",
    "whether an escalation or a validation was due, with which chance an escalation draws, and what else was drawn in "
    "them, for which the whole record is needed",
    "whether the text was extracted correctly, and whether Bob and the court judged the document correctly",
)
"""What an exhibit cannot show, whatever is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A document's way through one of its rounds. None stands for what did not happen or is not shown."""

    round: int
    sort: Sort
    position: int
    size: int
    label: bool | None  # Alice's
    threshold: int | None  # a rank
    given_up: bool  # by Alice, in her second look
    claimed: bool  # as privileged, or as of a class
    late: bool  # and only after the report
    basis: str | dict[str, Any] | None
    withheld_parts: tuple[int, ...]  # as privileged, by the court
    upheld: bool | None  # by the court, in camera
    court: bool | None  # the court's label in camera
    camera_entry: int | None
    reason: Reason
    certain: str | None  # why it was due whatever the coins
    listed_coin: int | None  # by which a validation drew it, or by which it was called
    coin: int | None
    chance: int | None  # if it is known
    chance_at_least: int | None
    chance_at_most: int | None
    compelled_at: int | None
    wave: int | None
    shown_entry: int | None
    bob: bool | None
    bob_entry: int | None
    unread: bool
    ruling: bool | None
    ruling_entry: int | None
    draw: int | None
    responsive: bool | None


def courses(judgement: Judgement) -> list[Course]:
    """The document's way through each of its rounds that breaks no rule."""
    terms = judgement.opened.terms if judgement.opened else None
    return [_course(each, terms) for each in judgement.followed] if terms else []


def course(judgement: Judgement) -> Course | None:
    """The way through the first of the document's rounds."""
    return next(iter(courses(judgement)), None)


def _course(followed: Followed, agreed: Terms) -> Course:
    detail, position, review = followed.detail, followed.review.position, followed.review
    wave = next((number for number, each in enumerate(detail.waves) if position in each), None)
    answered = wave is not None and wave < len(detail.labelled_in) and position in detail.bob
    terms = agreed.validation
    examined, found = detail.examined, _coin(followed, terms)
    listed = called(review, followed.coins, terms)
    ranked = detail.sort is Sort.BATCH and table.spot_checks(agreed) is None  # spot checks know no threshold
    return Course(
        round=detail.number,
        sort=detail.sort,
        position=position,
        size=detail.size,
        label=_label_of(followed),
        threshold=examined.threshold if examined and detail.report and ranked else None,
        given_up=position in detail.given_up,
        claimed=position in detail.claims or position in detail.late or _went_to_court(followed),
        late=position in detail.late,
        basis=detail.claims.get(position),
        withheld_parts=detail.upheld_parts.get(position, ()),
        upheld=position in detail.privileged if _went_to_court(followed) else None,
        court=detail.court.get(position),
        camera_entry=detail.camera_in.get(position),
        reason=_reason(followed, found),
        certain=detail.certain.get(position),
        listed_coin=listed.coin if listed else None,
        coin=found.coin if found else detail.coins[position - 1] if detail.coins else None,
        chance=found.above if found and found.exact else None,
        chance_at_least=found.above if found else None,
        chance_at_most=found.below if found else None,
        compelled_at=examined.compelled_at if examined else None,
        wave=None if wave is None else wave + 1,
        shown_entry=None if wave is None else detail.shown_in[wave],
        bob=detail.bob.get(position),
        bob_entry=detail.labelled_in[wave] if answered and wave is not None else None,
        unread=position in detail.unread,
        ruling=detail.rulings.get(position),
        ruling_entry=detail.ruled_in.get(position),
        draw=followed.draw,
        responsive=followed.responsive,
    )


def _label_of(followed: Followed) -> bool | None:
    detail, position = followed.detail, followed.review.position
    if detail.report is None or position > len(detail.report.labels):
        return None
    return detail.report.labels[position - 1]


def _went_to_court(followed: Followed) -> bool:
    """Whether the court ruled on privilege; what it labels in camera is no such ruling."""
    return followed.review.position in followed.detail.camera_in.keys() - followed.detail.court.keys()


def _coin(followed: Followed, terms: Validation | None) -> Decided | None:
    """The coin that decided about the document, and its chance as far as it is known."""
    detail, position, review = followed.detail, followed.review.position, followed.review
    if detail.sort is Sort.BATCH:
        chance = detail.examined.chances.get(position) if detail.examined else None
        return None if chance is None else Decided(coin=detail.coins[position - 1], above=chance, below=chance)
    if review.kind is Kind.VALIDATION:
        return called(review, followed.coins, terms)
    return decided(review, detail, followed.coins, terms)


def _reason(followed: Followed, found: Decided | None) -> Reason:
    """Why the document was due; in an escalation and after a call, by what the exhibit alone shows."""
    detail, position, review = followed.detail, followed.review.position, followed.review
    if detail.examined is not None or not review.closed or position in detail.given_up:
        return reason(detail, position)
    if not detail.reported and detail.sort is Sort.VALIDATION:
        return Reason.ORDERED
    if position in detail.certain:
        return Reason.CERTAIN
    shown = any(position in wave for wave in detail.waves) or position in detail.camera_in
    if not shown:
        return Reason.NOT_DRAWN
    return Reason.LATE if position in detail.late and (found is None or found.coin >= found.above) else Reason.COIN


def story(judgement: Judgement) -> list[str]:
    """The story, a sentence or two for each step; empty if nothing can be told."""
    document, opened, state = judgement.document, judgement.opened, judgement.checkpoint
    if document is None or opened is None or state is None:
        return []
    told = [
        f"Commitment. The document is number {document.number} of the {opened.corpus.documents} to which the matter's "
        f"first entry commits, under the name {document.name!r}. Alice, Bob and the court signed that entry before "
        f"anything was reviewed. {_files(document)}",
    ]
    ways = courses(judgement)
    if not ways:
        told.append(
            "Review. Nothing here shows that the document was ever reviewed, disclosed or withheld, nor that it was "
            "not: the exhibit proves the commitment alone. If there was a review, its round was left out."
        )
    for followed, way in zip(judgement.followed, ways, strict=True):
        told += _in_round(followed, way)
    told += reclaims.story(judgement.asked_back)
    told += [f"Seen from outside. {each.said}" for each in judgement.seen]
    cosigners = [role.called for role in sorted(judgement.signers) if role is not Role.TRENT]
    signed = f"cosigned by {listing(cosigners)}" if cosigners else "cosigned by nobody"
    told.append(
        f"Signatures. The record of {state.size} entries, with the head {state.head.hex()}, is signed by Trent, "
        f"{signed}."
    )
    return told


def _files(document: Document) -> str:
    """What the folder holds of the document."""
    parts = len(document.parts)
    withheld = sum(part.withheld for part in document.parts)
    if parts == 1 and not withheld:
        return "The files here are that document and its text, byte for byte."
    kept = f" The content of {withheld} is withheld; only what a privilege log states is shown." if withheld else ""
    return f"It has {parts} parts. The files here are {parts - withheld} of them and their texts, byte for byte.{kept}"


def _in_round(followed: Followed, way: Course) -> Iterator[str]:
    begins = {
        Kind.BATCH: _ranked,
        Kind.ESCALATION: _escalated,
        Kind.VALIDATION: _validated,
        Kind.CALL: _called,
    }
    yield begins[followed.review.kind](followed, way)
    if followed.review.kind in (Kind.BATCH, Kind.CALL):
        yield _reported(followed, way)
    yield from _privilege(way)
    if followed.review.kind is not Kind.VALIDATION:
        yield _drawn(followed, way)
    yield from _shown(followed, way)
    yield _output(followed)


def _ranked(followed: Followed, way: Course) -> str:
    chosen = "drawn by coin" if followed.by_coin else "ranked by a model"
    return (
        f"Batch. In round {way.round} it stood at position {way.position} of a batch of {way.size}, {chosen} "
        f"(entry {followed.detail.batch_entry})."
    )


def _escalated(followed: Followed, way: Course) -> str:
    return (
        f"Escalation. Round {way.round} was an escalation of all {way.size} documents that were withheld; the "
        f"document stood at position {way.position} (entry {followed.detail.batch_entry})."
    )


def _validated(followed: Followed, way: Course) -> str:
    chance = "sealed" if way.chance_at_most is None else _chance(way)
    return (
        f"Validation. In round {way.round} coins drew it from the whole collection (entry "
        f"{followed.detail.batch_entry}): the coin of its number was {way.coin}, which is {_share(way.coin or 0)} of "
        f"2^64. {chance} All that was drawn was due."
    )


def _called(followed: Followed, way: Course) -> str:
    entry = followed.detail.batch_entry
    if way.listed_coin is None:
        return (
            f"Validation. Round {way.round} was a validation in two stages (entry {entry}). The document had been "
            f"withheld before, and stood at position {way.position}."
        )
    return (
        f"Validation. In round {way.round} coins called it for Alice to label, with the coin {way.listed_coin} of its "
        f"number (entry {entry}). It stood at position {way.position}."
    )


def _reported(followed: Followed, way: Course) -> str:
    detail = followed.detail
    if not detail.reported:
        return "Report. Alice did not report on it; the court ordered the matter to go on without her report."
    if detail.report_entry < 0:
        return "Report. Up to this checkpoint Alice has not reported on it."
    where = f"(entry {detail.report_entry})"
    if detail.report is None:
        return f"Report. Alice has reported {where}; what she says stays sealed until the round is closed."
    if not followed.review.listed:
        return f"Report. Alice reported on what was called {where}; she had withheld this document before."
    said = "gave no label for it" if way.label is None else f"reported it as {_label(responsive=way.label)}"
    stood = ""
    if way.threshold is not None:
        above = "at or above" if way.position <= way.threshold else "below"
        stood = f" The document stood {above} the threshold of her report, at rank {way.threshold}."
    return f"Report. Alice {said} {where}, and signed that before anyone could know the coins.{stood}"


def _privilege(way: Course) -> list[str]:
    if way.court is not None:
        held = _label(responsive=way.court)
        withheld = f", withheld {parts_named(way.withheld_parts)} as privileged" if way.withheld_parts else ""
        kept = "" if way.court else ", so Bob does not get it"
        said = f"The court read it alone{withheld} and held it to be {held} (entry {way.camera_entry}){kept}."
        return [f"In camera. {said}"]
    if not way.claimed:
        return []
    if (named := class_of(way.basis)) is not None:
        return [f"Class. Alice put it into the sensitive class {named!r}."]
    basis = f" on the basis {text_of(way.basis)!r}" if way.basis is not None else ""
    when = "after her report" if way.late else "with her report"
    parts = parts_of(way.basis)
    said = f"Privilege. Alice claimed {parts_named(parts) if parts else 'it'} as privileged {when}{basis}."
    if way.upheld is None:
        return [f"{said} The court was not asked, since the document was not due to Bob so far."]
    ruled = "upheld the claim: it is withheld from Bob as privileged" if way.upheld else "overruled the claim"
    return [f"{said} The court {ruled} (entry {way.camera_entry})."]


def _drawn(followed: Followed, way: Course) -> str:
    match way.reason:
        case Reason.UNKNOWN:
            return "Coin. The round is open at this checkpoint, and its coins are not shown."
        case Reason.ORDERED:
            return "Coin. No coin decided: without a report, all that she was to label was due to Bob."
        case Reason.GIVEN_UP:
            return f"Given up. Alice named it in her second look (entry {followed.detail.report_entry})."
        case Reason.CERTAIN:
            return f"Coin. No coin decided: {way.certain}."
    compelled = f"a responsive document that a coin drew, at position {way.compelled_at}, made the whole batch due"
    if way.coin is None or way.chance_at_most is None:
        if way.compelled_at:
            return f"Coin. No coin decided: {compelled}."
        return (
            f"Coin. {'Only the whole record tells its chance' if _untold(followed) else 'No coin was thrown for it'}."
        )
    said = f"Coin. Its coin in draw {followed.draw} was {way.coin}, which is {_share(way.coin)} of 2^64. {_chance(way)}"
    match way.reason:
        case Reason.COIN:
            return f"{said} So it was drawn."
        case Reason.LATE:
            return f"{said} It was not, but a late claim of Alice's counts as drawn."
        case Reason.COMPELLED:
            return f"{said} It was not, but {compelled}."
    return f"{said} So it was not drawn."


def _untold(followed: Followed) -> bool:
    """Whether coins were thrown in a batch, but the exhibit does not show all that its chances rest on."""
    detail = followed.detail
    return detail.sort is Sort.BATCH and detail.examined is None and detail.reported and followed.draw is not None


def _chance(way: Course) -> str:
    """With what chance the coin decided, as far as the exhibit tells."""
    if way.chance is not None:
        return f"It was to be drawn if below {way.chance}, a probability of {_share(way.chance)}."
    least, most = way.chance_at_least or 0, way.chance_at_most or 0
    if way.sort is Sort.ESCALATION:
        return (
            f"All had the same chance: what else was drawn puts it between {_share(least)} and {_share(most)}. The "
            "whole record tells which."
        )
    return (
        f"By the terms it was to be drawn with a probability of at most {_share(most)}; the whole record tells which."
    )


def _shown(followed: Followed, way: Course) -> list[str]:
    if way.wave is None:
        until = "In this round" if followed.review.closed else "Up to this checkpoint"
        return [f"Disclosure. {until} Bob was not shown the document."]
    told = [f"Disclosure. Bob was shown it in wave {way.wave} (entry {way.shown_entry})."]
    if way.unread:
        told.append("Label. Bob did not answer, and by the court's order Alice's label stands.")
    elif way.bob is None:
        told.append("Label. Up to this checkpoint Bob has not labelled it.")
    else:
        told.append(f"Label. Bob labelled it as {_label(responsive=way.bob)} (entry {way.bob_entry}).")
    if way.ruling is not None:
        told.append(f"Ruling. The court held it to be {_label(responsive=way.ruling)} (entry {way.ruling_entry}).")
    return told


def _output(followed: Followed) -> str:
    if not followed.review.closed:
        return "Outcome. At this checkpoint the round is open, and the document has no output label."
    if followed.responsive is None:
        return f"Outcome. The round closed without a new label for it (entry {followed.detail.closed_entry})."
    label = _label(responsive=followed.responsive)
    return f"Outcome. The round closed with the label {label} for it (entry {followed.detail.closed_entry})."


def _label(*, responsive: bool) -> str:
    return "responsive" if responsive else "not responsive"


def _share(coins: int) -> str:
    """A number of coins as a share of all, never rounded to certain or to impossible."""
    if coins >= ALL_COINS:
        return "1, that is for certain"
    return f"{min(coins / ALL_COINS, 0.999999):.6f}" if coins * 10**6 >= ALL_COINS else f"{coins / ALL_COINS:.2g}"
