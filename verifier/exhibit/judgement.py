"""What an exhibit proves: the answer, the document's round, and what it rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.checks import Role
from verifier.exhibit.form import Document
from verifier.findings import Finding
from verifier.record.chain import KeyChange
from verifier.record.notes import State
from verifier.replay.contents import Opened
from verifier.replay.rounds import RoundDetail
from verifier.trust import Identity
from verifier.verdict import EXIT_CODES, Answer, KeyHistory


@dataclass(slots=True, kw_only=True)
class Judgement(KeyHistory):
    """The whole answer, as far as the judging has come."""

    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""  # why it is undecided
    advice: str = ""  # and what to do about it
    remarks: list[str] = field(default_factory=list)  # on the folder
    document: Document | None = None
    opening: Opened | None = None
    keys: Mapping[Role, bytes] = field(default_factory=dict)  # those in force at the checkpoint
    key_changes: tuple[KeyChange, ...] = ()  # in order
    identities: Mapping[tuple[Role, bytes], Identity] = field(
        default_factory=dict
    )  # of each key that anybody has or had
    checkpoint: State | None = None
    signers: tuple[Role, ...] = ()
    signatures: int = 0
    position: int | None = None
    detail: RoundDetail | None = None  # of the document's round
    draw: int | None = None  # whose coins decided in it
    by_coin: bool = False  # whether coins chose the batch
    responsive: bool | None = None  # the output label, once the round is closed

    @property
    def cosigned(self) -> bool:
        """Whether Alice, Bob and the court have signed the checkpoint."""
        return {Role.ALICE, Role.BOB, Role.COURT} <= set(self.signers)

    @property
    def answer(self) -> Answer:
        """How it ends. What nobody signed as the end of a story may still go on."""
        if self.findings:
            return Answer.REJECTED
        if self.trouble or self.checkpoint is None:
            return Answer.UNDECIDED
        is_open = self.detail is not None and self.detail.closed_entry is None
        return Answer.VERIFIED if self.cosigned and not is_open else Answer.NOT_CLOSED

    @property
    def exit_code(self) -> int:
        """For the shell."""
        return EXIT_CODES[self.answer]
