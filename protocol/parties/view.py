"""A party's view of a matter when a question comes: all that the party knows, checked before it signs anything."""

from collections.abc import Mapping
from dataclasses import dataclass

from ledger import records
from ledger.coins import LinkChain
from ledger.errors import LedgerError, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey, fingerprint
from ledger.roles import Role
from protocol.matter import fold, terms
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS
from protocol.matter.seal import Seal
from protocol.matter.state import Matter
from protocol.matter.values import METHOD, Opened
from protocol.parties import chains, secrets
from protocol.parties.errors import NotAnswered, Objectionable
from protocol.parties.history import PartyHistory, continued, own_answers
from protocol.parties.memory import Given, Memory
from protocol.parties.notices import Notice, repeating
from protocol.parties.party import Party
from protocol.parties.question import COSIGN, Question, classes_for
from protocol.parties.secrets import NotSealedForThis, SealedRoot


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the question, which was proven."""

    name: str
    file: str  # in the question; of a second look, in the question of its round
    note: str = ""  # what was said of it, for the court
    judged: bool = False  # the court is asked whether it is responsive, and not whether it is privileged
    parts: tuple[str, ...] = ("",)  # the names of its parts, by number
    claimed: tuple[int, ...] = ()  # for the court: the parts that Alice claims as privileged, if she does not claim all


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One party before one question."""

    question: Question
    key: SigningKey
    memory: Memory
    history: PartyHistory
    state: Matter  # where the matter stands, as far as all can follow it
    opening: Opened
    entry: Notice  # the entry that asks; for a cosignature the last one
    party: Party
    deposits: Mapping[Role, SealedRoot]  # what it holds with this question
    adopted: tuple[Given, ...]  # its own answers that only the history knows

    @property
    def role(self) -> Role:
        """Who is asked."""
        return self.question.request.role

    @property
    def kind(self) -> str:
        """Which kind of answer is asked for."""
        return self.question.request.kind

    @property
    def classes(self) -> tuple[str, ...]:
        """The sensitive classes that this answer may name."""
        return classes_for(self.opening.terms, self.kind, self.entry.statement.content)

    @property
    def first(self) -> bool:
        """Whether nothing of the matter was known here before."""
        return not self.memory.history

    def anchor(self, role: Role) -> Digest | None:
        """The anchor that this drawer has named."""
        return self.opening.anchor if role is Role.TRENT else chains.named(self.history, role)

    def chain(self, role: Role, root: Digest) -> LinkChain:
        """A drawer's chain from its root."""
        return LinkChain(matter=self.matter, role=role, length=self.opening.terms.draws, root=root)

    @property
    def matter(self) -> Digest:
        """The matter's number."""
        return self.question.request.matter


def checked(question: Question, key: SigningKey, memory: Memory, *, forgotten: bool) -> View:
    """Check the question against all that is known. Raises with the reason if it must not be answered."""
    history = continued(question, memory)
    asked = question.request
    opening = _opening(history)
    _check_key(history, asked.role, key)
    state = _followed(history, asked.role)
    adopted = own_answers(history, asked.role, key.public, memory, forgotten=forgotten)
    brought = question.deposits
    party, deposits = _party(question, history, opening, key, memory, brought)
    entry = _asking(question, history)
    for notice in history.notices:
        party.observe(notice)
    _check_open(question, party.question)
    view = View(
        question=question,
        key=key,
        memory=memory,
        history=history,
        state=state,
        opening=opening,
        entry=entry,
        party=party,
        deposits=deposits,
        adopted=tuple(adopted),
    )
    if asked.role is Role.COURT:
        for role in brought:
            deposited_root(view, role)
    return view


def _followed(history: PartyHistory, role: Role) -> Matter:
    """Where the matter stands. The whole history is checked by all rules that need no opening.

    Of its own statements the party has every opening, so its state knows what it has claimed.
    """
    state = Matter()
    for notice, entry in zip(history.notices, history.entries, strict=True):
        body = entry.wire.entry.body
        try:
            fold.follow(
                state,
                Entry(
                    sequence=body.sequence,
                    hash=notice.hash,
                    statement=body.statement,
                    openings=entry.openings if body.statement.author is role else None,
                    asks=body.asks,
                    releases=body.releases,
                ),
            )
        except LedgerError as error:
            raise Objectionable(
                f"Trent has signed something that breaks the rules of the review: {error}. Nothing was signed here. Do "
                "not answer; keep the question, and tell the court"
            ) from None
    return state


def _opening(history: PartyHistory) -> Opened:
    content = history.notices[0].statement.content
    if content.get("method") != METHOD:
        raise NotAnswered(
            f"the matter follows version {content.get('method')} of the method, but this program knows version "
            f"{METHOD}: install the matching version"
        )
    try:
        opening = records.from_value(Opened, content)
        terms.check(opening.terms)
    except LedgerError as error:
        raise NotAnswered(
            f"the terms of the matter cannot be run ({error}); do not sign them, and tell Trent"
        ) from None
    return opening


def _check_key(history: PartyHistory, role: Role, key: SigningKey) -> None:
    enrolled = history.record.keys[role]
    replaced = [size for size, before in history.record.former if before[role] == key.public]
    if enrolled != key.public and replaced:
        raise WrongKey(
            f"this key, {fingerprint(key.public)}, was {role.called}'s until the court replaced it in entry "
            f"{replaced[-1]}. Answer with the new one, {fingerprint(enrolled)}"
        )
    if enrolled != key.public:
        raise WrongKey(
            f"this is not the key that the matter has for {role.called}: its fingerprint is {fingerprint(key.public)}, "
            f"and the matter's is {fingerprint(enrolled)}. Give the right key, or tell Trent that his is wrong"
        )


def _asking(question: Question, history: PartyHistory) -> Notice:
    asked = question.request
    if asked.kind == COSIGN:
        if asked.entry != history.record.head or history.record.size != asked.size:
            raise Objectionable(
                "the question asks to cosign an end that is not the end of its history; ask Trent to write it again"
            )
        return history.notices[-1]
    put = next((each for each in history.notices if each.hash == asked.entry), None)
    if put is None or (asked.role, asked.entry) not in history.record.questions:
        raise NotAnswered(
            f"the history does not ask {asked.role.called} to answer this entry, or has the answer already, or grants "
            f"{asked.role.called} a new key since, which must be asked again"
        )
    found = repeated(history, put)
    wanted = KINDS[found.statement.kind].asked(found.statement.content).get(asked.role)
    if wanted != asked.kind or found.statement.round != asked.round:
        raise Objectionable(
            f"the question asks for '{asked.kind}' in round {asked.round}, but its entry asks for '{wanted}' in round "
            f"{found.statement.round}; ask Trent to write it again"
        )
    return found


def repeated(history: PartyHistory, put: Notice) -> Notice:
    """The question itself, if the entry that asks only repeats it."""
    notices, found = {each.hash: each for each in history.notices}, put
    while found.statement.kind == "again":
        found = notices[Digest.parse(found.statement.content["question"])]
    return repeating(put, found)


def _check_open(question: Question, put: Notice | None) -> None:
    """Raise unless the answer that will be signed belongs to the entry that was shown."""
    asked = question.request
    if asked.kind != COSIGN and (put is None or put.hash != asked.entry):
        raise NotAnswered(
            f"this is not the question that {asked.role.called} must answer now: the court ordered the matter to go "
            "on without an answer, or has yet to decide. Answer the newest question"
        )


def _party(
    question: Question,
    history: PartyHistory,
    opening: Opened,
    key: SigningKey,
    memory: Memory,
    brought: Mapping[Role, SealedRoot],
) -> tuple[Party, dict[Role, SealedRoot]]:
    """The party that is asked, with its coin chain, and the deposits that it keeps."""
    asked = question.request
    seal = Seal(secret=secrets.seal(key, history.opening), matter=asked.matter)
    if asked.role is Role.COURT:
        return Party(asked.role, key, seal=seal), dict(brought) | dict(
            memory.deposits
        )  # deposits that were checked and kept stay
    sealed = (brought.get(asked.role), memory.deposits.get(asked.role))
    chain, kept = chains.own(history, opening, asked.role, key, sealed)
    deposits: dict[Role, SealedRoot] = {} if kept is None else {asked.role: kept}
    return Party(asked.role, key, chain=chain, seal=seal), deposits


def deposited_root(view: View, role: Role) -> Digest:
    """The root of a drawer's chain that the court holds, checked against the anchor that the drawer has named."""
    kept = view.deposits.get(role)
    who = role.called
    if kept is None:
        raise NotAnswered(f"{who}'s deposit is neither in the question nor beside the key; ask Trent to send it again")
    try:
        root = secrets.unsealed_root(view.key, kept)
    except NotSealedForThis:
        raise NotAnswered(
            f"{who}'s deposit was not sealed for the court's key, or was damaged on the way. Do not sign; ask Trent to "
            f"accept {who}'s answer to the opening entry again, as {who} sent it, and to write the question again"
        ) from None
    if view.chain(role, root).anchor != view.anchor(role):
        raise NotAnswered(
            f"what {who} has deposited is not the root of the coin chain that {who} has named: it does not lead to the "
            f"anchor over {view.opening.terms.draws} links. Do not sign; tell all parties"
        )
    return root
