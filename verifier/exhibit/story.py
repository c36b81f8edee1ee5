"""A document's story in plain sentences, told only from what was checked."""

from dataclasses import dataclass

from verifier.checks import Role
from verifier.exhibit.judgement import Judgement
from verifier.replay.reason import Reason, reason
from verifier.rules.base import ALL_COINS
from verifier.words import listing

NOT_COVERED = (
    "whether the batch was ranked correctly, for which the whole record and the sealed corpus are needed",
    "the rest of the matter: its other rounds, its claims, whether anybody gave two answers to one question, and "
    "whether the court replaced a key, beyond the orders that are here",
    "whether the text was extracted correctly, and whether Bob and the court judged the document correctly",
)
"""What an exhibit cannot show, whatever is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A document's way through its round. None stands for what did not happen or is not shown."""

    round: int
    position: int
    size: int
    label: bool | None  # Alice's
    threshold: int | None  # a rank
    claimed: bool  # as privileged
    late: bool  # and only after the report
    basis: str | None
    upheld: bool | None  # by the court, in camera
    camera_entry: int | None
    reason: Reason
    certain: str | None  # why it was due whatever the coins
    coin: int | None
    chance: int | None
    compelled_at: int | None
    wave: int | None
    shown_entry: int | None
    bob: bool | None
    bob_entry: int | None
    unread: bool
    ruling: bool | None
    ruling_entry: int | None


def course(judgement: Judgement) -> Course | None:
    """The way of an exhibit's document, if it was reviewed and the round breaks no rule."""
    detail, position = judgement.detail, judgement.position
    if detail is None or position is None or judgement.opened is None:
        return None
    wave = next((number for number, each in enumerate(detail.waves) if position in each), None)
    answered = wave is not None and wave < len(detail.labelled_in) and position in detail.bob
    examined = detail.examined
    return Course(
        round=detail.number,
        position=position,
        size=detail.size,
        label=detail.report.labels[position - 1] if detail.report else None,
        threshold=examined.threshold if examined and detail.report else None,
        claimed=position in detail.claims or position in detail.late or position in detail.camera_in,
        late=position in detail.late,
        basis=detail.claims.get(position),
        upheld=position in detail.withheld if position in detail.camera_in else None,
        camera_entry=detail.camera_in.get(position),
        reason=reason(detail, position),
        certain=detail.certain.get(position),
        coin=detail.coins[position - 1] if detail.coins else None,
        chance=examined.chances.get(position) if examined else None,
        compelled_at=examined.compelled_at if examined else None,
        wave=None if wave is None else wave + 1,
        shown_entry=None if wave is None else detail.shown_in[wave],
        bob=detail.bob.get(position),
        bob_entry=detail.labelled_in[wave] if answered and wave is not None else None,
        unread=position in detail.unread,
        ruling=detail.rulings.get(position),
        ruling_entry=detail.ruled_in.get(position),
    )


def story(judgement: Judgement) -> list[str]:
    """The story, a sentence or two for each step; empty if nothing can be told."""
    document, opened, state = judgement.document, judgement.opened, judgement.checkpoint
    if document is None or opened is None or state is None:
        return []
    told = [
        f"Committed. The document is number {document.number} of the {opened.corpus.documents} to which the matter's "
        f"first entry commits, under the name {document.name!r}. Alice, Bob and the court signed that entry before "
        "anything was reviewed. The files here are that document and its text, byte for byte.",
    ]
    way = course(judgement)
    if way is None:
        told.append(
            "Reviewed. Nothing here shows that the document was ever reviewed, disclosed or withheld, nor that it was "
            "not: the exhibit proves the commitment alone. If there was a review, its round was left out."
        )
    else:
        chosen = "drawn by coin" if judgement.by_coin else "ranked by a model"
        entry = judgement.detail.batch_entry if judgement.detail else 0
        told.append(
            f"Ranked. In round {way.round} it stood at position {way.position} of a batch of {way.size}, {chosen} "
            f"(entry {entry})."
        )
        told += [_reported(judgement, way), *_privilege(way), _drawn(judgement, way), *_shown(judgement, way)]
        told.append(_output(judgement))
    cosigners = [role.called for role in sorted(judgement.signers) if role is not Role.TRENT]
    signed = f"cosigned by {listing(cosigners)}" if cosigners else "cosigned by nobody"
    told.append(
        f"Signed. The record of {state.size} entries, with the head {state.head.hex()}, is signed by Trent, {signed}."
    )
    return told


def _reported(judgement: Judgement, way: Course) -> str:
    detail = judgement.detail
    if detail is None or not detail.reported:
        return "Reported. Alice did not report on this batch; the court ordered the matter to go on without her report."
    if detail.report_entry < 0:
        return "Reported. Up to this checkpoint Alice has not reported on this batch."
    where = f"(entry {detail.report_entry})"
    if way.threshold is None:
        return f"Reported. Alice has reported {where}; what she says stays sealed until the round is closed."
    above = "at or above" if way.position <= way.threshold else "below"
    said = "gave no label for it" if way.label is None else f"reported it as {_label(responsive=way.label)}"
    return (
        f"Reported. Alice {said} {where}, and signed that before anyone could know the coins. The document stood "
        f"{above} the threshold of her report, at rank {way.threshold}."
    )


def _privilege(way: Course) -> list[str]:
    if not way.claimed:
        return []
    basis = f" on the basis {way.basis!r}" if way.basis is not None else ""
    when = "after her report" if way.late else "with her report"
    said = f"Privilege. Alice claimed it as privileged {when}{basis}."
    if way.upheld is None:
        return [f"{said} The court was not asked, since the document was not due to Bob so far."]
    ruled = "upheld the claim: it is withheld from Bob" if way.upheld else "overruled the claim"
    return [f"{said} The court {ruled} (entry {way.camera_entry})."]


def _drawn(judgement: Judgement, way: Course) -> str:
    match way.reason:
        case Reason.UNKNOWN:
            return "Drawn. The round is open at this checkpoint, and its coins are not shown."
        case Reason.ORDERED:
            return "Drawn. No coin decided: without a report the whole batch was due to Bob."
        case Reason.CERTAIN:
            return f"Drawn. No coin decided: {way.certain}."
    compelled = f"a responsive document that a coin drew, at position {way.compelled_at}, brought Bob the whole batch"
    if way.coin is None or way.chance is None:
        return f"Drawn. No coin decided: {compelled}."
    said = (
        f"Drawn. Its coin in draw {judgement.draw} was {way.coin}, which is {_share(way.coin)} of 2^64. It was to be "
        f"drawn if below {way.chance}, a probability of {_share(way.chance)}."
    )
    match way.reason:
        case Reason.COIN:
            return f"{said} So it was drawn."
        case Reason.LATE:
            return f"{said} It was not, but a late claim of Alice's counts as drawn."
        case Reason.COMPELLED:
            return f"{said} It was not, but {compelled}."
    return f"{said} So it was not drawn."


def _shown(judgement: Judgement, way: Course) -> list[str]:
    if way.wave is None:
        until = "In this round" if judgement.responsive is not None else "Up to this checkpoint"
        return [f"Shown. {until} Bob was not shown the document."]
    told = [f"Shown. Bob was shown it in wave {way.wave} (entry {way.shown_entry})."]
    if way.unread:
        told.append("Labelled. Bob did not answer, and by the court's order Alice's label stands.")
    elif way.bob is None:
        told.append("Labelled. Up to this checkpoint Bob has not labelled it.")
    else:
        told.append(f"Labelled. Bob labelled it as {_label(responsive=way.bob)} (entry {way.bob_entry}).")
    if way.ruling is not None:
        told.append(f"Ruled on. The court held it to be {_label(responsive=way.ruling)} (entry {way.ruling_entry}).")
    return told


def _output(judgement: Judgement) -> str:
    if judgement.responsive is None or judgement.detail is None:
        return "Output. At this checkpoint the round is open, and the document has no output label."
    label = _label(responsive=judgement.responsive)
    return f"Output. The round closed with the label {label} for it (entry {judgement.detail.closed_entry})."


def _label(*, responsive: bool) -> str:
    return "responsive" if responsive else "not responsive"


def _share(coins: int) -> str:
    """A number of coins as a share of all, never rounded to certain or to impossible."""
    if coins >= ALL_COINS:
        return "1, that is for certain"
    return f"{min(coins / ALL_COINS, 0.999999):.6f}" if coins * 10**6 >= ALL_COINS else f"{coins / ALL_COINS:.2g}"
