"""What an exhibit proves, checked from its first byte in this order:

the form of exhibit.json · signatures, openings and paths of its entries, and the checkpoint · the opening, replayed ·
what the other entries say, by its form · that it is whole · the document's leaf in the corpus commitment · each of its
rounds, replayed · the files and the certification's values · whose keys these are
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from verifier.checks import Check, Role
from verifier.exhibit import files, outside
from verifier.exhibit.form import Document, Exhibit
from verifier.exhibit.outside import Seen
from verifier.exhibit.parts import Parts, Review, opening, split
from verifier.exhibit.pieces import Pieces
from verifier.exhibit.reclaims import Reclaimed
from verifier.exhibit.replay import Labelled, RoundReplay, given
from verifier.exhibit.thrown import Coins, broken
from verifier.findings import Damaged, Fault, Finding, UnknownVersion, Unreadable
from verifier.outside import Outsiders
from verifier.record.chain import KeyChange
from verifier.record.notes import TreeHead
from verifier.record.trees import root_from_shared_path
from verifier.replay.contents import Opened
from verifier.replay.detail import RoundDetail
from verifier.replay.withheld import Origin
from verifier.trust import Identity, Trusted, identify, strangers
from verifier.verdict import KeyHistory


class Answer(StrEnum):
    """How the check of an exhibit ends."""

    VERIFIED = "verified"  # the document's rounds are closed, and all have signed the record that it is part of
    NOT_CLOSED = "not closed"  # all that is here holds, but its end is not here or not signed by all
    COMMITMENT_ONLY = "commitment only"  # no round is here: nothing is shown about a review
    REJECTED = "rejected"
    UNDECIDED = "undecided"  # damaged, unreadable, or of an unknown version

    @property
    def holds(self) -> bool:
        """Whether everything in the exhibit holds, so that its story can be told."""
        return self in (Answer.VERIFIED, Answer.NOT_CLOSED, Answer.COMMITMENT_ONLY)


EXIT_CODES = {
    Answer.VERIFIED: 0,
    Answer.NOT_CLOSED: 0,
    Answer.REJECTED: 1,
    Answer.UNDECIDED: 3,
    Answer.COMMITMENT_ONLY: 4,  # a script must not take it for a proof of disclosure
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """One round of the document, replayed."""

    review: Review
    detail: RoundDetail
    draw: int | None  # whose coins decided in it
    coins: Coins  # as far as they are not in the detail
    responsive: bool | None  # the output label, once the round is closed; None also where it has none

    @property
    def by_coin(self) -> bool:
        """Whether coins chose what the round is about."""
        return self.review.entries[0] is not self.review.first


@dataclass(slots=True, kw_only=True)
class Judgement(KeyHistory):
    """The whole answer, as far as the judging has come."""

    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""  # why it is undecided
    advice: str = ""  # and what to do about it
    remarks: list[str] = field(default_factory=list)  # on the folder
    document: Document | None = None
    opened: Opened | None = None  # what the first entry says
    keys: Mapping[Role, bytes] = field(default_factory=dict)  # those in force at the checkpoint
    key_changes: tuple[KeyChange, ...] = ()  # in order
    identities: Mapping[tuple[Role, bytes], Identity] = field(
        default_factory=dict
    )  # of each key that anybody has or had
    checkpoint: TreeHead | None = None
    signers: tuple[Role, ...] = ()
    signatures: int = 0
    followed: list[Followed] = field(default_factory=list)  # the document's rounds
    asked_back: Reclaimed | None = None  # by Alice, after Bob was shown the document
    seen: list[Seen] = field(default_factory=list)  # by outsiders

    @property
    def cosigned(self) -> bool:
        """Whether Alice, Bob and the court have signed the checkpoint."""
        return {Role.ALICE, Role.BOB, Role.COURT} <= set(self.signers)

    @property
    def answer(self) -> Answer:
        """How it ends. Without its round an exhibit shows no review; a story whose end is not signed may go on."""
        if self.findings:
            return Answer.REJECTED
        if self.trouble or self.checkpoint is None:
            return Answer.UNDECIDED
        if not self.followed:
            return Answer.COMMITMENT_ONLY
        return Answer.VERIFIED if self.cosigned and self.closed else Answer.NOT_CLOSED

    @property
    def closed(self) -> bool:
        """Whether all rounds that are here are closed."""
        return all(each.review.closed for each in self.followed)

    @property
    def exit_code(self) -> int:
        """For the shell."""
        return EXIT_CODES[self.answer]


_GET_AGAIN = "Get the exhibit again from where it came."
_NEWER = "A newer verifier may know it."


def judge(folder: Path, trusted: Trusted | None = None, outsiders: Outsiders | None = None) -> Judgement:
    """Check an exhibit. Whatever is in the folder, the answer is a judgement.

    `outsiders` are those whom the reader trusts to have seen the record.
    """
    judgement = Judgement()
    try:
        _judge(folder, judgement, outsiders or Outsiders())
    except Fault as fault:
        judgement.findings.append(fault.finding)
    except (Damaged, Unreadable) as error:
        judgement.trouble, judgement.advice = str(error), _GET_AGAIN
    except UnknownVersion as error:
        judgement.trouble, judgement.advice = str(error), _NEWER
    _judge_identities(judgement, trusted or {})
    return judgement


def _judge(folder: Path, judgement: Judgement, trust: Outsiders) -> None:
    exhibit = files.read_record(folder)
    judgement.document = exhibit.document
    pieces = Pieces(exhibit)
    try:
        checkpoint = pieces.read()
    finally:
        judgement.keys, judgement.key_changes = pieces.chain.keys, tuple(pieces.chain.key_changes)
    state, judgement.signers = checkpoint.state, pieces.signers
    judgement.signatures = pieces.chain.signatures
    replay, first = RoundReplay(), opening(pieces.told)
    judgement.findings = replay.tally.findings
    if not replay.open(first) or not replay.contents(pieces.told[len(first) :]):
        return
    opened = judgement.opened = replay.state.opened
    whole = split(exhibit, first, pieces.told[len(first) :], state.size)
    _check_leaf(exhibit, opened)
    for review in whole.reviews:
        if not _follow(judgement, whole, review):
            return
    judgement.asked_back = whole.asked_back
    if false := outside.false_proof(pieces.told, opened.terms):
        judgement.findings.append(false)
        return
    judgement.seen = list(outside.judged(folder, pieces.told, opened.terms, trust))
    _check_files(folder, exhibit, state, judgement, {name for each in pieces.told for name in outside.files_of(each)})
    judgement.checkpoint = state


def _check_leaf(exhibit: Exhibit, opened: Opened) -> None:
    """The document is the one with its number in the committed corpus. Nobody signs the proof."""
    document, proved, corpus = exhibit.document, exhibit.document.proof, opened.corpus
    leaf = {document.number: proved.proof.leaf(document.number)}
    if root_from_shared_path(leaf, corpus.documents, proved.path) != corpus.root:
        raise Damaged(Check.DOCUMENTS, "the document's proof does not lead to the corpus root that all parties signed")
    if proved.proof.name not in (None, document.name):
        raise Damaged(Check.DOCUMENTS, "the document has another name in the corpus than in the exhibit")


def _follow(judgement: Judgement, whole: Parts, review: Review) -> bool:
    """Replay one round of the document from the opening on, and say whether it breaks no rule."""
    replay = RoundReplay(judgement.document.number if judgement.document else 0)
    judgement.findings = replay.tally.findings
    replay.open(whole.opening)
    detail = replay.review(review, _labelled(judgement.followed))
    if detail is None:
        return False
    opened = replay.state.opened
    if found := broken(review, detail, replay.coins, opened.terms.validation):
        judgement.findings.append(found)
        return False
    drawn = [each for each in given(review.entries) if each.role is Role.ALICE]
    judgement.followed.append(
        Followed(
            review=review,
            detail=detail,
            draw=drawn[-1].draw if drawn else None,
            coins=replay.coins,
            responsive=_output(review, detail),
        )
    )
    return True


def _labelled(followed: list[Followed]) -> Labelled | None:
    """The report that first labelled the document, if it is in a closed round before."""
    for each in followed:
        if each.review.listed and each.detail.report is not None:
            position, found = each.review.position, each.detail
            return Labelled(
                Origin(found.number, position, found.batch_entry, found.report_entry),
                None if position in found.late else found.claims.get(position),
            )
    return None


def _output(review: Review, detail: RoundDetail) -> bool | None:
    """The label with which the round closed; what was withheld before gets one only if it was looked at."""
    if not review.closed:
        return None
    position = review.position
    if not review.listed and position not in detail.bob and position not in detail.court:
        return None
    return position in review.entries[-1].entry.said.content["responsive"]


def _check_files(
    folder: Path, exhibit: Exhibit, state: TreeHead, judgement: Judgement, outsiders: Collection[str]
) -> None:
    if judgement.opened is None:
        raise RuntimeError("the opening is replayed before the files are checked")
    files.check_document(folder, exhibit)
    root = judgement.opened.corpus.root
    if not files.check_certification(folder, exhibit, state, root, judgement.keys, judgement.key_changes):
        judgement.remarks.append(f"There is no {files.CERTIFICATION} in the folder.")
    if others := files.strangers(folder, exhibit, outsiders):
        shown = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        judgement.remarks.append(f"Not part of the exhibit, and not checked: {shown}.")


def _judge_identities(judgement: Judgement, trusted: Trusted) -> None:
    """Each key by itself; a party may have had several."""
    held = [(each.role, each.before) for each in judgement.key_changes] + list(judgement.keys.items())
    judgement.identities = {(role, key): identify(role, key, trusted) for role, key in held}
    judgement.findings += strangers(((role, key, None) for role, key in held), trusted, "exhibit")
