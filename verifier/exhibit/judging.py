"""An exhibit checked from its first byte, in this order:

the form of exhibit.json · signatures, openings and paths of its entries, and the checkpoint · that it is whole · the
opening and the document's round, replayed · the document's leaf in the corpus commitment · the files and the
certification's values · whose keys these are
"""

from pathlib import Path

from verifier.checks import Check, Role
from verifier.exhibit import files, links, parts
from verifier.exhibit.form import Exhibit
from verifier.exhibit.judgement import Judgement
from verifier.exhibit.pieces import Pieces
from verifier.exhibit.replaying import RoundReplay
from verifier.findings import Damaged, Fault, UnknownVersion, Unreadable
from verifier.record.hashing import document_leaf
from verifier.record.notes import State
from verifier.record.trees import root_from_path
from verifier.replay.contents import Kind, Opened
from verifier.trust import Trusted, identify, strangers

_GET_AGAIN = "Get the exhibit again from where it came."
_NEWER = "A newer verifier may know it."


def judge(folder: Path, trusted: Trusted | None = None) -> Judgement:
    """Check an exhibit; whatever is in the folder, the answer is a judgement."""
    judgement = Judgement()
    try:
        _judge(folder, judgement)
    except Fault as fault:
        judgement.findings.append(fault.finding)
    except (Damaged, Unreadable) as error:
        judgement.trouble, judgement.advice = str(error), _GET_AGAIN
    except UnknownVersion as error:
        judgement.trouble, judgement.advice = str(error), _NEWER
    _judge_identities(judgement, trusted or {})
    return judgement


def _judge(folder: Path, judgement: Judgement) -> None:
    exhibit = files.read_record(folder)
    judgement.document = exhibit.document
    pieces = Pieces(exhibit)
    try:
        checkpoint = pieces.read()
    finally:
        judgement.keys, judgement.key_changes = pieces.chain.keys, tuple(pieces.chain.key_changes)
    state, judgement.signers = checkpoint.state, pieces.signers
    judgement.signatures = pieces.chain.signatures
    whole = parts.split(exhibit, pieces.told, state.size)
    replay = RoundReplay()
    judgement.findings = replay.tally.findings
    if not replay.open(whole.opening):
        return
    opening = judgement.opening = replay.state.opened
    _check_leaf(exhibit, opening)
    if whole.review:
        judgement.position = whole.position
        judgement.by_coin = whole.review[0].entry.said.kind == Kind.DRAW
        detail = replay.review(whole)
        if detail is None:
            return
        judgement.detail = detail
        _conclude(judgement, whole)
    _check_files(folder, exhibit, state, judgement)
    judgement.checkpoint = state


def _check_leaf(exhibit: Exhibit, opening: Opened) -> None:
    """The document is the one of its number in the committed corpus. The proof is signed by nobody."""
    document, proof, corpus = exhibit.document, exhibit.document.proof, opening.corpus
    leaf = document_leaf(proof.salt, document.number, document.name.encode(), proof.content, proof.text, proof.row)
    if root_from_path(leaf, document.number, corpus.documents, proof.path) != corpus.root:
        raise Damaged(Check.DOCUMENTS, "the document's proof does not lead to the corpus root that all parties signed")


def _conclude(judgement: Judgement, whole: parts.Parts) -> None:
    """What the round's entries say of the document beyond its replay."""
    drawn = [each for each in links.given(whole.review) if each.role is Role.ALICE]
    judgement.draw = drawn[-1].draw if drawn else None
    if whole.closed:
        responsive = whole.review[-1].entry.said.content["responsive"]
        judgement.responsive = whole.position in responsive


def _check_files(folder: Path, exhibit: Exhibit, state: State, judgement: Judgement) -> None:
    if judgement.opening is None:
        raise RuntimeError("the opening is replayed before the files are looked at")
    files.check_document(folder, exhibit)
    root = judgement.opening.corpus.root
    if not files.check_certification(folder, exhibit, state, root, judgement.keys, judgement.key_changes):
        judgement.remarks.append(f"There is no {files.CERTIFICATION} in the folder.")
    if others := files.strangers(folder, exhibit):
        shown = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        judgement.remarks.append(f"No part of the exhibit, and not looked at: {shown}.")


def _judge_identities(judgement: Judgement, trusted: Trusted) -> None:
    """Each key by itself; a party may have had several."""
    held = [(each.role, each.before) for each in judgement.key_changes] + list(judgement.keys.items())
    judgement.identities = {(role, key): identify(role, key, trusted) for role, key in held}
    judgement.findings += strangers(((role, key, None) for role, key in held), trusted, "exhibit")
