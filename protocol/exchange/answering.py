"""From a question, a key, and what the person decides, to an answer.

An answer is made once. The same words to the same question give the same file; other words need the person's explicit
will, and name the earlier answers that they replace. A link is never given for something else than before: whoever had
two could choose between the coins (decision 0025). A report that is withdrawn is harmless only if nobody has it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ledger import checkpoints, notes
from ledger.entries import Statement, hash_words
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.notes import BadNote
from ledger.roles import Role
from protocol.exchange import request, saying, secrets
from protocol.exchange.answerfile import FORMAT, AnswerFile
from protocol.exchange.errors import NotAnswered
from protocol.exchange.memory import Given, Memory
from protocol.exchange.saying import Said
from protocol.exchange.secrets import SealedRoot
from protocol.exchange.standing import Standing, deposited_root
from protocol.matter.decisions import Decisions
from protocol.matter.statements import Kind
from protocol.parties.base import Answer, Drawer

_ONCE = (Kind.REPORT, Kind.LINK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer that is about to be given, and what of it a person wants to know."""

    file: AnswerFile
    again: bool  # it was given before, and these are the same bytes
    memory: Memory  # what is kept once it is given
    labels: Mapping[int, bool]  # of labels, rulings and rulings on privilege
    claims: Mapping[int, str]
    threshold: int | None = None
    ignored: int = 0  # labels below the threshold, which are no part of it


def draft(standing: Standing, decisions: Decisions, *, replacing: bool, now: int) -> Draft:
    """The answer, not written anywhere yet."""
    if standing.kind == request.COSIGN:
        saying.check_fits(standing, decisions.given, decisions.threshold)
        return _cosigned(standing, now)
    said = saying.understood(standing, decisions)
    earlier = _earlier(standing)
    given = _same(said, earlier)
    if given is None:
        answer = _replacing(standing.kind, said, earlier, replacing=replacing)
        _check_link(standing, answer.signed.statement)
        given = _given(standing, answer)
    return Draft(
        file=given.file,
        again=given in earlier,
        memory=_remembering(standing, given),
        labels=said.labels,
        claims=said.claims,
        threshold=said.threshold,
        ignored=said.ignored,
    )


def _earlier(standing: Standing) -> list[Given]:
    """The answers to this question under the present key: what a key before it signed does not count any more."""
    given = standing.memory.about(standing.asking.hash, standing.kind)
    return [each for each in given if each.signed_by(standing.key.public)]


def _hashes(earlier: list[Given]) -> tuple[Digest, ...]:
    return tuple(each.statement_hash for each in earlier if each.statement_hash is not None)


def _same(said: Said, earlier: list[Given]) -> Given | None:
    """The last answer given, if it has the same words; those of a report depend on how many it withdraws."""
    last = earlier[-1].file.answer if earlier else None
    if last is None:
        return None
    now = said.sign(_hashes(earlier[:-1])).signed.statement
    return earlier[-1] if hash_words(last.statement) == hash_words(now) else None


def _replacing(kind: str, said: Said, earlier: list[Given], *, replacing: bool) -> Answer:
    if earlier and kind == Kind.REPORT and not replacing:
        raise NotAnswered(
            "a report was given to this question before, and not so. If its file has not left this computer, destroy "
            "it and give --replace. Once Trent has it, let it stand: who has two reports of yours can choose the one "
            "whose coins suit him"
        )
    if earlier and not replacing:
        raise NotAnswered(
            "this question was answered before, and not so. If the earlier answer is to be withdrawn, give --replace; "
            "that helps only while Trent has not accepted the earlier one"
        )
    return said.sign(_hashes(earlier))


def _check_link(standing: Standing, new: Statement) -> None:
    """Raise if the link in an answer was given before for something else, and the court has not gone on without it."""
    draw = new.content.get("draw")
    if standing.kind not in _ONCE or draw is None:
        return
    places = {notice.hash: number for number, notice in enumerate(standing.told.notices)}
    for given in standing.memory.answers:
        old = given.file.answer
        if old is None or given.kind not in _ONCE or old.statement.content.get("draw") != draw:
            continue
        if given.statement_hash in new.replaces or not given.signed_by(standing.key.public):
            continue
        since = standing.told.notices[places.get(given.entry, -1) + 1 :]
        if any(_gone_on_without(standing.role, each.statement) for each in since):
            continue
        if _use(standing, old.statement) != _use(standing, new):
            raise NotAnswered(
                f"the link of draw {draw} was given before, for something else. Whoever knows a link before what it is "
                "to decide can steer the coins: do not answer, and tell the court. Trent has signed both questions"
            )


def _gone_on_without(role: Role, said: Statement) -> bool:
    return said.kind == Kind.ORDER and said.content["absent"] == role and said.content["granted"]


def _use(standing: Standing, said: Statement) -> Digest:
    """What the link in an answer was given for: the words of the report, or that which the entry asks to draw."""
    if said.kind == Kind.REPORT:
        return hash_words(said)
    asked = next((each.statement for each in standing.told.notices if each.hash == said.answers), said)
    return hash_words(asked)


def _given(standing: Standing, answer: Answer) -> Given:
    asked = standing.question.request
    file = AnswerFile(
        answer=answer.signed,
        cosignature=None,
        deposit=_deposit(standing, answer.signed.statement),
        format=FORMAT,
        matter=asked.matter,
        openings=answer.openings,
        role=asked.role,
    )
    return Given(entry=standing.asking.hash, file=file, kind=standing.kind)


def _deposit(standing: Standing, said: Statement) -> SealedRoot | None:
    """With `agreed`, the chain's root for the court; with `rekeyed`, the party's root for its new key."""
    if isinstance(standing.party, Drawer) and said.kind == Kind.AGREED:
        return secrets.sealed_root(standing.opening.keys[Role.COURT], standing.party.chain.root)
    if said.kind == Kind.REKEYED and said.content["granted"]:
        root = deposited_root(standing, Role(said.content["role"]))
        return secrets.sealed_root(PublicKey.parse(said.content["key"]), root)
    return None


def _remembering(standing: Standing, given: Given) -> Memory:
    known = (*standing.memory.answers, *standing.adopted)
    return replace(
        standing.memory,
        history=standing.told.entries,
        answers=known if given in known else (*known, given),
        deposits=standing.deposits,
    )


def _cosigned(standing: Standing, now: int) -> Draft:
    asked, history = standing.question.request, standing.told.history
    earlier = standing.memory.about(asked.entry, request.COSIGN)
    if earlier:
        given = earlier[-1]
    else:
        try:
            note = notes.parse(standing.question.small[request.CHECKPOINT].decode())
            checkpoints.verify(note, history.state(), history.keys)
        except (KeyError, UnicodeDecodeError, BadNote) as error:
            raise NotAnswered(
                f"the checkpoint in the question is not that of its history ({error}); do not sign, and tell Trent"
            ) from None
        line = checkpoints.cosign(history.state(), standing.role, standing.key, now)
        file = AnswerFile(
            answer=None,
            cosignature=str(line),
            deposit=None,
            format=FORMAT,
            matter=asked.matter,
            openings=(),
            role=asked.role,
        )
        given = Given(entry=asked.entry, file=file, kind=request.COSIGN)
    return Draft(file=given.file, again=bool(earlier), memory=_remembering(standing, given), labels={}, claims={})
