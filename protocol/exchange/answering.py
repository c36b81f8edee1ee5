"""One question through every check, up to an answer that waits for the person's yes: the steps that the command and
the room share.

    received   the question, read against what is remembered beside the key
    checked    who asks, after which history, about which documents: all of it proven
    drafted    the answer that the decisions give, which breaks no rule

The caller holds `memory.locked` from `received` on, shows `preview.about_to_sign`, asks, and then calls
`memory.keep(ready.known, draft.memory)` before the answer leaves. `Objectionable` means that Trent's question is at
fault, and that the party can sign an objection instead: `objected`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.tlog.policy import Policy
from protocol.exchange import asked_alike, documents, objection_file, question_file, verifying, witnesses
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.question_file import QuestionFile
from protocol.matter.decisions import Decisions
from protocol.parties import answer as answers
from protocol.parties import memory, objection
from protocol.parties import view as views
from protocol.parties.alike import Alike
from protocol.parties.answer import Draft
from protocol.parties.errors import Objectionable
from protocol.parties.memory import Memory
from protocol.parties.objection import SignedObjection
from protocol.parties.question import COSIGN
from protocol.parties.verdict import Verdict
from protocol.parties.view import Document, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A question that Trent signed, and what is remembered of its matter. Nothing else is checked yet."""

    asked: QuestionFile
    known: Memory
    policy: Policy | None  # which witnesses of the operator's log the party asks for, if it does


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A question that passed all checks, ready to be decided."""

    asked: QuestionFile
    known: Memory
    view: View
    documents: Mapping[int, Document]
    shown: Sequence[ShownDocument]  # the same with their texts; none if they are only listed
    alike: tuple[Alike, ...]
    objections: Sequence[SignedObjection]  # those of the silent party, which the court was given
    forgotten: bool  # the memory beside the key is lost, as its owner says


def received(path: Path, key_file: Path, matter: Digest) -> Received:
    """Read a question of this matter."""
    known, policy = memory.recall(key_file, matter), witnesses.own_policy(key_file)
    return Received(asked=question_file.read(path, known.trent), known=known, policy=policy)


def checked(
    received: Received, key: SigningKey, *, forgotten: bool = False, objections: Sequence[SignedObjection] = ()
) -> Ready:
    """Check everything that can be checked before anybody decides."""
    asked = received.asked
    view = views.checked(asked.question, key, received.known, forgotten=forgotten)
    witnesses.check(view.state, received.policy)
    reading = documents.read(asked, view)
    for each in objections:
        objection.check_about(view, each)
    return Ready(
        asked=asked,
        known=received.known,
        view=view,
        documents=reading.documents,
        shown=reading.shown,
        alike=asked_alike.listed(asked, view, reading.documents),
        objections=objections,
        forgotten=forgotten,
    )


def afresh(ready: Ready) -> Ready:
    """The same question before a party that has drafted nothing yet: one that has keeps its link for those words."""
    question = ready.asked.question
    return replace(ready, view=views.checked(question, ready.view.key, ready.known, forgotten=ready.forgotten))


def drafted(ready: Ready, decisions: Decisions, *, replacing: bool = False, verdict: Verdict | None = None) -> Draft:
    """The answer. Nothing is kept or written yet. For another draft, take the question `afresh`."""
    return answers.draft(
        ready.view,
        ready.documents,
        decisions,
        alike=ready.alike,
        replacing=replacing,
        now=int(time.time()),
        verdict=verdict,
    )


def needs_verdict(view: View) -> bool:
    """Whether the party is asked to sign the end, and has not signed it before: its copy must be verified first."""
    return view.kind == COSIGN and not view.memory.about(view.entry.hash, COSIGN)


def verdict(ready: Ready, out: Path) -> Verdict | None:
    """What the installed verifier says of the copy that comes with a question to sign the end, if that is needed."""
    return verifying.verify(ready.asked, out) if needs_verdict(ready.view) else None


def objected(key: SigningKey, asked: QuestionFile, fault: Objectionable, out: Path) -> Path:
    """Sign an objection to a question that is at fault, and write it beside `out`, where the answer would be."""
    return objection_file.write(out, objection.sign(key, asked.question.signed, fault.reason))
