"""A copy verified from its first byte to its verdict.

the record   lines, chain, signatures, openings, checkpoints      V01 to V03, V06, V20   verifier.record
the replay   every decision, recomputed entry by entry            V05, V07 to V09, V12 to V19, V25 to V31
                                                                  verifier.replay
the corpus   ranking, models, features, with the sealed corpus    V10, V11, V21, V22, V24   verifier.corpus_replay
the reader   whose keys these are, and which files were handed    V04, V23   verifier.trust, verifier.delivery
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.checks import DEFINITIONS, Audience, Check, Role
from verifier.delivery import HandedDocuments
from verifier.findings import Damaged, Fault, UnknownVersion, Unreadable
from verifier.outside import Looking, Outsiders
from verifier.record.copy import CopyReader
from verifier.replay import account
from verifier.replay.condition import Candidate
from verifier.replay.matter import Replay
from verifier.rules import table
from verifier.tally import Progress, Tally
from verifier.trust import Identity, Trusted, identify, strangers
from verifier.verdict import Answer, CheckResult, Copy, Outcome, Verdict

if TYPE_CHECKING:
    from verifier.corpus.crew import Crew
    from verifier.corpus_replay import SealedReplay  # needs numpy, which most verifications do not

COSIGNERS = {Role.ALICE, Role.BOB, Role.COURT}

_RECORD = (Check.FORMAT, Check.CHAIN, Check.SIGNATURES, Check.OPENINGS, Check.COSIGNATURES)
_LABELS = (Check.REPORTS, Check.DISCLOSURES, Check.ANSWERS, Check.OUTCOMES, Check.CERTIFICATES)
_CORPUS = (Check.RANKING, Check.MODELS, Check.CORPUS, Check.FEATURES, Check.TRUTH)
_AT_THE_OPENING = {Check.CORPUS, Check.FEATURES, Check.ACCOUNT}  # whatever comes after it


def verify(
    path: Path,
    *,
    trusted: Trusted | None = None,
    corpus: Path | None = None,
    crew: "Crew | None" = None,
    documents: Path | None = None,
    outsiders: Outsiders | None = None,
    detailed: bool = False,
    witness: Callable[[Candidate[Any]], None] | None = None,
    progress: Progress = lambda *_: None,
) -> Verdict:
    """Verify a copy. Whatever is in the file, the answer is a verdict; if `detailed`, it has every position.

    `crew` does the work on the corpus. `outsiders` are those whom the reader trusts to have seen the record.

    `witness` is told each entry that the replay has taken.
    """
    given = _Given(corpus=corpus, crew=crew, documents=documents, outsiders=outsiders or Outsiders())
    return _Verification(path, trusted or {}, given, progress, detailed=detailed, witness=witness).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What the reader has besides the copy."""

    corpus: Path | None
    crew: "Crew | None"
    documents: Path | None
    outsiders: Outsiders


class _Verification:
    def __init__(
        self,
        path: Path,
        trusted: Trusted,
        given: _Given,
        progress: Progress,
        *,
        detailed: bool,
        witness: Callable[[Candidate[Any]], None] | None = None,
    ) -> None:
        self.tally = Tally()
        self.trouble = self.advice = ""
        self._ended = ""  # why the copy was not read to its end
        self._path, self._trusted, self._progress = path, trusted, progress
        self._handed = HandedDocuments(given.documents) if given.documents else None
        self._sealed = _sealed(given.corpus, self.tally, progress, given.crew) if given.corpus else None
        self._outside = Looking(self.tally, given.outsiders)
        self.replay = Replay(
            self.tally,
            corpus=self._sealed,
            outside=self._outside,
            disclosed=self._handed.disclose if self._handed else None,
            detailed=detailed,
            witness=witness,
        )
        self.reader = self._open()

    def _open(self) -> CopyReader:
        size = self._path.stat().st_size if self._path.is_file() else 0
        return CopyReader(
            self._path,
            keep_attachments=self._sealed is not None,
            progress=lambda done: self._progress("Reading the copy", done, size),
        )

    def run(self) -> Verdict:
        self._read()
        if self.reader.chain.keys:
            self._judge_identities()
        if self._sealed and not self._ended:
            self._sealed.finish()
        if self._sealed and self._sealed.trouble:
            self.advice = self.advice or (
                "Give the unchanged folder that the matter committed to. What the copy alone shows is judged below."
            )
            self.trouble = self.trouble or self._sealed.trouble
        if self._handed:
            self._judge_handed(self._handed)
        self._leave_what_was_not_given()
        self._leave_what_was_not_reached()
        self._leave_what_is_sealed()
        return self._verdict()

    def _read(self) -> None:
        """The record and the replay. If the reading ends early, what was found before stands: it is signed."""
        try:
            for told in self.reader:
                self.replay.tell(told)
        except Fault as fault:
            self.tally.fail(fault.finding)
            self._end_early(f"the reading ends with a fault of the record itself ({fault.finding.check})")
        except Damaged as error:
            self.trouble = f"{self._path} is damaged: {error}"
            self.advice = "Get the file again from where it came."
            self.tally.leave(error.check, f"damaged: {error}")
            self._end_early("the copy is damaged")
        except UnknownVersion as error:
            self.trouble, self.advice = str(error), "Install a newer version of this program."
            self._end_early("the copy is of a version that this verifier does not know")
        except Unreadable as error:
            self.trouble = str(error)
            self._end_early("the copy cannot be read by this verifier")

    def _end_early(self, reason: str) -> None:
        self._ended = reason
        for check in Check:
            if check not in (Check.IDENTITIES, Check.HANDED):
                self.tally.leave(check, reason)

    def _judge_identities(self) -> None:
        for finding in strangers(self.reader.chain.enrolments(), self._trusted, "copy"):
            self.tally.fail(finding)
        unknown = [role for role in Role if role not in self._trusted]
        if unknown:
            given = "no fingerprints were given" if not self._trusted else f"no fingerprint of {', '.join(unknown)}"
            self.tally.leave(Check.IDENTITIES, f"{given}: only the copy says whose the keys are")
        self.tally.passed(Check.IDENTITIES, list(self._identities().values()).count(Identity.CONFIRMED))

    def _identities(self) -> dict[tuple[Role, bytes], Identity]:
        held = self.reader.chain.enrolments()
        return {(role, key): identify(role, key, self._trusted) for role, key, _ in held}

    def _judge_handed(self, handed: HandedDocuments) -> None:
        reason = self._ended or self.replay.stopped
        if not reason and not self.tally.items[Check.DOCUMENTS]:
            reason = "this copy proves no disclosed documents"
        if reason:
            self.tally.leave(Check.HANDED, reason)
            return
        try:
            handed.judge(self.tally, lambda done: self._progress("Comparing files", done, 0))
        except Unreadable as error:
            self.trouble = str(error)
            self.tally.leave(Check.HANDED, str(error))

    def _leave_what_was_not_given(self) -> None:
        """Checks that need something besides the copy."""
        if not self.reader.chain.keys:
            self.tally.leave(Check.IDENTITIES, "the copy names no keys")
        if self._handed is None:
            self.tally.leave(Check.HANDED, f"needs {DEFINITIONS[Check.HANDED].needs}")
        if self._sealed is None:
            for check in _CORPUS:
                self.tally.leave(check, f"needs {DEFINITIONS[check].needs}")
            self.tally.leave(Check.ACCOUNT, account.without_corpus(self.replay.state))
        opened = self.replay.state.first
        if opened is not None and opened.simulation is None:
            self.tally.unchecked[Check.TRUTH] = "this is not a simulation: nobody knows the true labels"

    def _leave_what_was_not_reached(self) -> None:
        """Checks of entries that the replay did not reach, or that do not exist yet."""
        state, stopped = self.replay.state, self.replay.stopped
        if stopped is not None:
            for check in set(Check) - {*_RECORD, *_AT_THE_OPENING, Check.IDENTITIES, Check.HANDED}:
                self.tally.leave(check, stopped)
        if state.current is not None:
            reason = f"round {state.current.number} is open: what is said and shown in it can be judged when it closes"
            if state.current.waves:
                self.tally.leave(Check.DISCLOSURES, reason)
            if state.current.seen_in_camera or state.current.claims_privilege:
                self.tally.leave(Check.PRIVILEGE, reason)
            if not state.current.known and state.current.report_entry >= 0:
                self.tally.leave(Check.REPORTS, reason)
                self.tally.leave(Check.ANSWERS, reason)
        if self.tally.items[Check.TERMS] < len(Role):
            self.tally.leave(Check.TERMS, "not all have signed the terms yet")
        if state.claims is None:
            for check in (Check.CLAIMS, Check.CERTIFICATES, Check.STOPPING):
                self.tally.leave(check, "no claims are made yet")
        if missing := self._missing_cosigners() - state.excused.keys():
            reason = f"the end of the record is not signed by {', '.join(role.called for role in sorted(missing))}"
            self.tally.leave(Check.COSIGNATURES, reason)

    def _leave_what_is_sealed(self) -> None:
        """Checks of what this audience may not see, and of what has not happened yet: neither has passed."""
        public = self._audience is Audience.PUBLIC
        if public or self.replay.state.evidence is None:
            for check in (*_LABELS, Check.PRIVILEGE, *self._resting_on_labels()):
                self.tally.leave(check, "this copy does not show Alice's labels")
        if public:
            self.tally.leave(Check.DOCUMENTS, "this copy names no documents")
        if not self.replay.state.claims_shown:
            for check in (Check.REPORTS, Check.PRIVILEGE):
                self.tally.leave(check, "this copy shows only the claims that went to the court")
        for check in (Check.STAMPS, Check.LOG):
            if not self.tally.items[check]:
                self.tally.leave(check, "nothing of this kind is on record")
        for check in (*_LABELS, Check.BATCHES, Check.DOCUMENTS, Check.RANKING, Check.MODELS, Check.TRUTH):
            if not self.tally.items[check]:
                self.tally.leave(check, "nothing of this kind has happened so far")

    def _resting_on_labels(self) -> Iterator[Check]:
        """The checks of what these terms make due by what Alice has labelled."""
        terms = self.replay.state.first.terms if self.replay.state.first else None
        if terms is not None and table.spot_checks(terms) is not None:
            yield Check.ESCALATIONS
        if terms is not None and terms.validation is not None:
            yield from (Check.VALIDATIONS, Check.STOPPING)

    @property
    def _audience(self) -> Audience | None:
        return self.reader.manifest.audience if self.reader.manifest else None

    def _missing_cosigners(self) -> set[Role]:
        """Who has not signed the end, whether or not the court lets the matter end without them."""
        last = self.reader.checkpoints[-1:] if self.reader.chain.size else []
        signers = {role for each in last if each.size == self.reader.chain.size for role in each.signers}
        return COSIGNERS - signers

    def _results(self) -> tuple[CheckResult, ...]:
        chain, tally = self.reader.chain, self.tally
        tally.items |= {
            Check.FORMAT: self.reader.lines,
            Check.CHAIN: chain.size,
            Check.SIGNATURES: chain.signatures,
            Check.OPENINGS: self.reader.opened,
            Check.COSIGNATURES: len(COSIGNERS) - len(self._missing_cosigners()),
        }
        failed = {finding.check for finding in tally.findings}
        results = []
        for check in Check:
            if check in failed:
                outcome, reason = Outcome.FAIL, ""
            elif check in tally.unchecked:
                outcome, reason = Outcome.NOT_CHECKED, tally.unchecked[check]
            else:
                outcome, reason = Outcome.PASS, ""
            results.append(CheckResult(check=check, outcome=outcome, items=tally.items[check], reason=reason))
        return tuple(results)

    def _answer(self) -> Answer:
        if self.tally.findings:
            return Answer.REJECTED
        if self.trouble:
            return Answer.UNDECIDED
        state = self.replay.state
        closed = state.claims is not None and self._missing_cosigners() <= state.excused.keys()
        return Answer.VERIFIED if closed else Answer.NOT_CLOSED

    def _verdict(self) -> Verdict:
        reader, state = self.reader, self.replay.state
        keys = reader.chain.keys
        copy = None
        if keys and reader.manifest:
            copy = Copy(
                audience=reader.manifest.audience,
                matter=reader.chain.matter,
                entries=reader.chain.size,
                head=reader.chain.head,
                root=reader.chain.tree.root(),
                checkpoints=tuple(reader.checkpoints),
            )
        return Verdict(
            answer=self._answer(),
            checks=self._results(),
            findings=tuple(sorted(self.tally.findings, key=lambda each: (each.entry or 0, each.check))),
            trouble=self.trouble,
            advice=self.advice,
            copy=copy,
            keys=keys,
            key_changes=tuple(reader.chain.key_changes),
            identities=self._identities(),
            opened=state.first,
            rounds_agreed=state.rounds_agreed,
            orders=tuple(state.orders.listed),
            orders_unlisted=state.orders.unlisted,
            ended_without={
                role: state.excused[role] for role in sorted(state.excused.keys() & self._missing_cosigners())
            },
            shown_parts=state.shown_parts,
            skipped_draws=state.skipped,
            stamps=state.stamps,
            proofs=state.proofs,
            cosigned=tuple(self._outside.cosigned),
            dated=self._outside.dated,
            asked_again=state.asked_again,
            rounds=tuple(state.rounds),
            asked_back=tuple(state.reclaimed.values()),
            passes=tuple(state.passes) if state.labels_shown else (),
            reported_hits=dict(state.reported_hits),
            details=self.replay.details(),
            claims=self.replay.recomputed(),
            stated=state.claims,
            bound_known=state.evidence is not None,
            waits_for=self.replay.waits_for,
        )


def _sealed(path: Path, tally: Tally, progress: Progress, crew: "Crew | None") -> "SealedReplay":
    from verifier.corpus_replay import SealedReplay

    return SealedReplay(path, tally, progress, crew)
