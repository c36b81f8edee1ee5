"""A volume judged by a copy of the record: is it what the record says, no more and no less?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from verifier.checks import Role
from verifier.production import documents, earlier, files, returns
from verifier.production.checks import Check, Result, Results, Undecided
from verifier.production.folder import Folder
from verifier.production.form import Earlier, Manifest, Signed
from verifier.production.record import Witness
from verifier.record import keys
from verifier.tally import Progress
from verifier.trust import Identity, Trusted
from verifier.verdict import Answer as CopyAnswer
from verifier.verdict import Verdict
from verifier.verification import verify


class Answer(StrEnum):
    """How the check of a volume ends."""

    VERIFIED = "verified"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


EXIT_CODES = {Answer.VERIFIED: 0, Answer.REJECTED: 1, Answer.UNDECIDED: 3}


@dataclass(slots=True, kw_only=True)
class Judgement:
    """The whole answer, as far as the judging has come."""

    copy: Verdict
    results: Results = field(default_factory=Results)
    manifest: Manifest | None = None
    digest: bytes = b""  # SHA-256 of MANIFEST.json
    trouble: str = ""  # why it is undecided
    advice: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        """How it ends."""
        if self.results.findings or self.copy.answer is CopyAnswer.REJECTED:
            return Answer.REJECTED
        return Answer.UNDECIDED if self.trouble else Answer.VERIFIED

    @property
    def checks(self) -> list[Result]:
        """How each check ended."""
        return self.results.results()

    @property
    def exit_code(self) -> int:
        """For the shell."""
        return EXIT_CODES[self.answer]


def judge(
    folder: Path,
    copy: Path,
    *,
    before: Sequence[Path] = (),
    trusted: Trusted | None = None,
    progress: Progress = lambda *_: None,
) -> Judgement:
    """Check a volume. Whatever is in the folder and the copy, the answer is a judgement."""
    witness = Witness()
    judgement = Judgement(copy=verify(copy, trusted=trusted, witness=witness.see, progress=progress))
    try:
        _check_copy(judgement.copy, witness)
        _judge(judgement, folder, before, witness, progress)
    except Undecided as error:
        judgement.trouble, judgement.advice = str(error), error.advice
    return judgement


def _check_copy(verdict: Verdict, witness: Witness) -> None:
    """The copy must hold, and show what Bob was shown."""
    if verdict.answer is CopyAnswer.REJECTED:
        raise Undecided("the copy is rejected, so nothing can be proven with it", "Verify the copy by itself.")
    if verdict.answer is CopyAnswer.UNDECIDED:
        raise Undecided(f"the copy could not be verified: {verdict.trouble}", verdict.advice)
    if witness.hidden:
        raise Undecided(
            "the copy does not show which documents Bob was shown", "Give Bob's copy, Alice's or the court's."
        )


def _judge(judgement: Judgement, folder: Path, before: Iterable[Path], witness: Witness, progress: Progress) -> None:
    results, verdict = judgement.results, judgement.copy
    volume = Folder(folder)
    signed, judgement.digest = volume.manifest()
    manifest = judgement.manifest = signed.manifest
    judgement.remarks += [f"Left there by a computer's system, and not checked: {each}" for each in volume.ignored]
    if verdict.copy is None or manifest.matter != verdict.copy.matter:
        raise Undecided(
            f"the volume is of the matter {manifest.matter.hex()}, and the copy of another one",
            "Give a copy of the volume's matter.",
        )
    if not _signature(results, verdict, signed):
        return
    if manifest.size > len(witness.hashes):
        raise Undecided(
            f"the volume was made of {manifest.size} entries, and the copy has only {len(witness.hashes)} of them",
            "Ask Trent for a newer copy.",
        )
    if not _head(results, manifest, witness.hashes):
        return
    intact = files.check(results, manifest, volume, progress)
    expected = documents.check(results, manifest, witness)
    documents.check_files(results, manifest, expected)
    documents.check_table(results, manifest, expected, volume, intact)
    known = earlier.check(results, manifest, witness, before, verdict.keys[Role.TRENT])
    returns.check(results, manifest, witness, volume, intact, known)


def _signature(results: Results, verdict: Verdict, signed: Signed) -> bool:
    """P01."""
    key = verdict.keys[Role.TRENT]
    results.made(Check.SIGNATURE)
    if not keys.signed(key, "production", signed.signed, signed.signature):
        results.fail(
            Check.SIGNATURE,
            "Trent signs the manifest of a volume",
            "MANIFEST.json",
            "a valid signature by Trent's key in the copy",
            "another one: the manifest was changed, or somebody else made it",
            signed=False,
        )
        return False
    results.items[Check.SIGNATURE] = 1
    if verdict.identities[Role.TRENT, key] is not Identity.ANOTHER:
        results.blamed = Role.TRENT
    return True


def _head(results: Results, manifest: Manifest, hashes: Sequence[bytes]) -> bool:
    """P02: the heads are entries of this record, none before that of an earlier volume."""
    results.made(Check.HEAD)
    volumes: list[Earlier | Manifest] = [*manifest.earlier, manifest]
    size = 1
    for each in volumes:
        at = f"MANIFEST.json, volume {each.volume}"
        if each.size < size or each.size > manifest.size:
            rule = "A volume is made of as many entries as those before it, or more"
            results.fail(Check.HEAD, rule, at, f"{size} to {manifest.size} entries", each.size)
        elif each.head != hashes[each.size - 1]:
            rule = "The head of a volume is the entry of the record at its size"
            results.fail(Check.HEAD, rule, at, hashes[each.size - 1].hex(), each.head.hex())
        size = max(size, each.size)
        results.items[Check.HEAD] += 1
    return not any(each.check is Check.HEAD for each in results.findings)
