"""From a question, a key, and what the person decides, to an answer.

An answer is made once. The same words to the same question give the same file. Other words must be wanted explicitly,
and name the earlier answers that they replace. A link is never given a second time for something else: whoever had two
uses of one link could choose between the coins (decision 0025). A withdrawn report, or look, is harmless only if nobody
has it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ledger import checkpoints, notes
from ledger.entries import Statement, hash_words
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.notes import BadNote
from ledger.openings import Openings
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import fold, kinds, privilege_log
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.fold import BrokenRule
from protocol.matter.kind import Entry
from protocol.parties import alike as likenesses_of
from protocol.parties import declaration, secrets
from protocol.parties import verdict as verdicts
from protocol.parties.alike import Alike, Answered
from protocol.parties.declaration import Declaration
from protocol.parties.errors import Objectionable, Withdrawable
from protocol.parties.memory import Given, Memory
from protocol.parties.party import Unsigned
from protocol.parties.question import COSIGN
from protocol.parties.reply import FORMAT, Reply
from protocol.parties.secrets import SealedRoot
from protocol.parties.verdict import Verdict
from protocol.parties.view import Document, View, deposited_root, repeated
from protocol.parties.whereabouts import Whereabouts

WORDS = ("report", "look")
"""Answers whose draw answers their own words: whoever has two of them can choose between two sets of coins."""
_ONCE = (*WORDS, "link")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer that is about to be given, and what a person wants to know about it."""

    reply: Reply
    again: bool  # it was given before, and these are the same bytes
    memory: Memory  # what is kept once it is given
    documents: Mapping[int, Document]  # of the question, by position
    labels: Mapping[int, bool]  # of labels, rulings and rulings on privilege
    claims: Mapping[int, str]
    parts: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # claimed or upheld, where that is not for all
    classes: Mapping[int, str] = field(default_factory=dict)
    given_up: frozenset[int] = frozenset()
    reasons: Mapping[int, str] = field(default_factory=dict)
    threshold: int | None = None
    alike: Sequence[Answered] = ()  # what she was asked about besides, and what she says
    candidates: int = 0  # names and terms that she wants to be asked about
    ignored: int = 0  # labels below the threshold, which are not part of it
    verdict: Verdict | None = None  # on the party's copy, if it signs the end


def draft(
    view: View,
    documents: Mapping[int, Document],
    decisions: Decisions,
    *,
    replacing: bool,
    now: int,
    alike: Sequence[Alike] = (),
    verdict: Verdict | None = None,
) -> Draft:
    """The answer, which is not written anywhere yet. `documents` are those of the question, proven, `alike` is what it
    asks about besides, and `verdict` is that on the copy which comes with a question to sign the end.
    """
    if view.kind == COSIGN:
        declaration.check_fits(view, decisions.given, decisions.threshold)
        return _cosigned(view, now, verdict)
    said = declaration.declared(view, documents, decisions)
    claims = privilege_log.values(decisions.claims, None, decisions.claimed_parts)
    likenesses = likenesses_of.answered(alike, said.labels, claims, decisions.alike or {})
    earlier = _earlier(view)
    given = _same(said, earlier)
    if given is None:
        unsigned = _replacing(view.kind, said, earlier, replacing=replacing)
        _check_link(view, unsigned.statement)
        _check_stands(view, unsigned)
        given = _given(view, view.party.sign(unsigned))
    return Draft(
        reply=given.file,
        again=given in earlier,
        memory=_remembering(view, given),
        documents=documents,
        labels=said.labels,
        claims=said.claims,
        parts=said.parts,
        classes=said.classes,
        given_up=said.given_up,
        reasons=said.reasons,
        threshold=said.threshold,
        alike=likenesses,
        candidates=len(decisions.candidates or ()),
        ignored=said.ignored,
    )


def _earlier(view: View) -> list[Given]:
    """The answers to this question under the present key; what a former key signed no longer counts."""
    given = view.memory.about(view.entry.hash, view.kind)
    return [each for each in given if each.signed_by(view.key.public)]


def _hashes(earlier: list[Given]) -> tuple[Digest, ...]:
    return tuple(each.statement_hash for each in earlier if each.statement_hash is not None)


def _same(said: Declaration, earlier: list[Given]) -> Given | None:
    """The last answer given, if it has the same words. A report's words depend on how many reports it withdraws."""
    last = earlier[-1].file.answer if earlier else None
    if last is None:
        return None
    now = said.word(_hashes(earlier[:-1])).statement
    return earlier[-1] if hash_words(last.statement) == hash_words(now) else None


def _replacing(kind: str, said: Declaration, earlier: list[Given], *, replacing: bool) -> Unsigned:
    if earlier and kind in WORDS and not replacing:
        called = kinds.called(kind)
        raise Withdrawable(
            f"you gave a different {called} to this question before. If its file has not left this computer, destroy "
            "the file and {how}. If Trent has it, let it stand: whoever has two of them can choose the one "
            "whose coins suit them"
        )
    if earlier and not replacing:
        raise Withdrawable(
            "you gave a different answer to this question before. To withdraw it, {how}; that works only "
            "while Trent has not accepted it"
        )
    return said.word(_hashes(earlier))


def _check_link(view: View, new: Statement) -> None:
    """Raise if the link was given before for something else, also by a former key whose memory was taken over."""
    draw = new.content.get("draw")
    if view.kind not in _ONCE or draw is None:
        return
    for given in view.memory.answers:
        old = given.file.answer
        if old is None or given.kind not in _ONCE or old.statement.content.get("draw") != draw:
            continue
        if given.statement_hash in new.replaces:
            continue
        if _use(view, old.statement) != _use(view, new):
            raise Objectionable(
                f"the link of draw {draw} was given before for something else. Whoever knows a link too early can "
                "steer the coins. Do not answer, and tell the court: Trent has signed both questions"
            )


def _check_stands(view: View, unsigned: Unsigned) -> None:
    """Raise if the answer would be held against the party: it passes the check that Trent's desk makes, and is signed
    afterwards. So whatever a question asks for, an answer to it breaks no rule.
    """
    addition = kinds.added(unsigned.statement, unsigned.openings)
    try:
        fold.check(view.state, Entry.added(addition, view.state.size))
    except (OutOfTurn, BrokenRule) as error:
        raise _held_against(str(error)) from None
    if view.kind == "claim":
        _check_new_claims(view, unsigned.statement)


def _check_new_claims(view: View, said: Statement) -> None:
    """Raise if a claim names what a report of the party's claims already. Only who sees those reports can tell."""
    where = Whereabouts.of(view.history.entries)
    again = [position for position in said.content["positions"] if where.claimed_before(said.round, position)]
    if again:
        raise _held_against(f"it claims position {again[0]}, which you have claimed in the report that labelled it")


def _held_against(why: str) -> Objectionable:
    return Objectionable(
        f"your answer to this question would break a rule of the review, and would be held against you: {why}. Nothing "
        "was signed"
    )


def _use(view: View, said: Statement) -> Digest:
    """What the link in an answer was given for: the words of the report or look, or what the entry's draw answers."""
    if said.kind in WORDS:
        return hash_words(said)
    asked = next((each for each in view.history.notices if each.hash == said.answers), None)
    return hash_words(said if asked is None else repeated(view.history, asked).statement)


def _given(view: View, answer: Answer) -> Given:
    asked = view.question.request
    file = Reply(
        answer=answer.signed,
        cosignature=None,
        deposit=_deposit(view, answer.signed.statement),
        format=FORMAT,
        matter=asked.matter,
        openings=Openings(answer.openings),
        role=asked.role,
    )
    return Given(entry=view.entry.hash, file=file, kind=view.kind)


def _deposit(view: View, said: Statement) -> SealedRoot | None:
    """With `agreed`, the chain's root for the court; with `rekeyed`, the party's root for its new key."""
    if view.party.chain is not None and said.kind == "agreed":
        return secrets.sealed_root(view.opening.keys[Role.COURT], view.party.chain.root)
    if said.kind == "rekeyed" and said.content["granted"]:
        root = deposited_root(view, Role(said.content["role"]))
        return secrets.sealed_root(PublicKey.parse(said.content["key"]), root)
    return None


def _remembering(view: View, given: Given) -> Memory:
    known = (*view.memory.answers, *view.adopted)
    return replace(
        view.memory,
        history=view.history.entries,
        answers=known if given in known else (*known, given),
        deposits=view.deposits,
    )


def _cosigned(view: View, now: int, verdict: Verdict | None) -> Draft:
    """The party's signature of the end. It is given only on a copy that was verified; once given, it stays the same."""
    asked, history = view.question.request, view.history.record
    earlier = view.memory.about(asked.entry, COSIGN)
    if earlier:
        given = earlier[-1]
    else:
        try:
            note = notes.parse((view.question.checkpoint or b"").decode())
            checkpoints.verify(note, history.state(), history.keys)
        except (UnicodeDecodeError, BadNote) as error:
            raise Objectionable(
                f"the checkpoint in the question does not fit its history ({error}); do not sign, and tell Trent"
            ) from None
        verdicts.check(view, verdict)
        line = checkpoints.cosign(history.state(), view.role, view.key, now)
        file = Reply(
            answer=None,
            cosignature=str(line),
            deposit=None,
            format=FORMAT,
            matter=asked.matter,
            openings=Openings(),
            role=asked.role,
        )
        given = Given(entry=asked.entry, file=file, kind=COSIGN)
    return Draft(
        reply=given.file,
        again=bool(earlier),
        memory=_remembering(view, given),
        documents={},
        labels={},
        claims={},
        verdict=verdict,
    )
