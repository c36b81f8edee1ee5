"""Where a party stands when a question comes: all that it knows of the matter, checked before anything is signed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger import records
from ledger.coins import LinkChain
from ledger.errors import Damaged, LedgerError, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey, fingerprint
from ledger.roles import Role
from protocol.exchange import continuing, proofs, request, secrets
from protocol.exchange import question as questions
from protocol.exchange.continuing import Told
from protocol.exchange.errors import BadPackage, NotAnswered
from protocol.exchange.forms import Listed
from protocol.exchange.memory import Given, Memory
from protocol.exchange.question import Question
from protocol.exchange.secrets import SealedRoot
from protocol.matter import statements, terms
from protocol.matter.sealing import Seal
from protocol.matter.statements import METHOD, SHAPES, Kind, Place
from protocol.parties.alice import Alice
from protocol.parties.bob import Bob
from protocol.parties.court import Court
from protocol.parties.notices import Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One party before one question."""

    question: Question
    key: SigningKey
    memory: Memory
    told: Told
    opening: statements.Opening
    asking: Notice  # the entry that asks; for a cosignature the last one
    party: Alice | Bob | Court
    deposits: Mapping[Role, SealedRoot]  # what it holds with this question
    listed: Mapping[int, Listed]  # the documents of the question, by position
    adopted: tuple[Given, ...]  # its own answers that it learnt from the history only

    @property
    def role(self) -> Role:
        """Who is asked."""
        return self.question.request.role

    @property
    def kind(self) -> str:
        """What for."""
        return self.question.request.kind

    @property
    def first(self) -> bool:
        """Whether nothing of the matter was known here before."""
        return not self.memory.history

    def anchor(self, role: Role) -> Digest | None:
        """The anchor that this drawer has named."""
        if role is Role.TRENT:
            return self.opening.anchor
        said = (each.statement for each in self.told.notices)
        named = (each.content["anchor"] for each in said if each.kind == Kind.AGREED and each.author is role)
        return next(map(Digest.parse, named), None)

    def chain(self, role: Role, root: Digest) -> LinkChain:
        """A drawer's chain from its root."""
        return LinkChain(matter=self.matter, role=role, length=self.opening.terms.draws, root=root)

    @property
    def matter(self) -> Digest:
        """The matter's number."""
        return self.question.request.matter


def stand(question: Question, key: SigningKey, memory: Memory, *, forgotten: bool) -> Standing:
    """Check the question against all that is known, or say why it is not answered."""
    told = continuing.continued(question, memory)
    asked = question.request
    opening = _opening(told)
    _check_key(told, asked.role, key)
    adopted = continuing.own_answers(told, asked.role, key.public, memory, forgotten=forgotten)
    brought = _brought(question)
    deposits = brought | dict(memory.deposits)  # what was checked and kept stays
    asking = _asking(question, told)
    standing = Standing(
        question=question,
        key=key,
        memory=memory,
        told=told,
        opening=opening,
        asking=asking,
        party=_party(question, told, opening, key, deposits),
        deposits=deposits,
        listed=_listed(question, told, asking, opening),
        adopted=tuple(adopted),
    )
    if asked.role is Role.COURT:
        for role in brought:
            deposited_root(standing, role)
    for notice in told.notices:
        standing.party.observe(notice)
    return standing


def _opening(told: Told) -> statements.Opening:
    content = told.notices[0].statement.content
    if content.get("method") != METHOD:
        raise NotAnswered(
            f"the matter follows version {content.get('method')} of the method; this program knows version {METHOD}: "
            "install the version that fits"
        )
    try:
        opening = records.from_value(statements.Opening, content)
        terms.check(opening.terms)
    except LedgerError as error:
        raise NotAnswered(
            f"the terms of the matter cannot be run ({error}); do not sign them, and tell Trent"
        ) from None
    return opening


def _check_key(told: Told, role: Role, key: SigningKey) -> None:
    enrolled = told.history.keys[role]
    if enrolled != key.public:
        raise WrongKey(
            f"this is not the key that the matter has for {role}: its fingerprint is {fingerprint(key.public)}, and "
            f"the matter's is {fingerprint(enrolled)}. Give the right key, or tell Trent that he has a wrong one"
        )


def _brought(question: Question) -> dict[Role, SealedRoot]:
    found: dict[Role, SealedRoot] = {}
    for name in (request.DEPOSITS, request.DEPOSIT):
        if name in question.small:
            found |= questions.decode_deposits(question.small[name], name)
    return found


def _asking(question: Question, told: Told) -> Notice:
    asked = question.request
    if asked.kind == request.COSIGN:
        if asked.entry != told.history.head or told.history.size != asked.size:
            raise NotAnswered(
                "the question asks to cosign another end than its history has; ask Trent to write it again"
            )
        return told.notices[-1]
    found = next((each for each in told.notices if each.hash == asked.entry), None)
    if found is None or (asked.role, asked.entry) not in told.history.questions:
        raise NotAnswered(f"the history does not ask {asked.role} for an answer to this entry, or has it already")
    wanted = SHAPES[Kind(found.statement.kind)].asks.get(asked.role)
    if wanted != asked.kind or found.statement.round != asked.round:
        raise NotAnswered(
            f"the question asks for '{asked.kind}' in round {asked.round}, and the entry for '{wanted}' in round "
            f"{found.statement.round}; ask Trent to write it again"
        )
    return found


def _party(
    question: Question, told: Told, opening: statements.Opening, key: SigningKey, deposits: Mapping[Role, SealedRoot]
) -> Alice | Bob | Court:
    asked = question.request
    if asked.role is Role.COURT:
        return Court(key)
    kept = deposits.get(asked.role)
    root = secrets.chain_root(key, told.opening) if kept is None else secrets.unsealed_root(key, kept)
    chain = LinkChain(matter=asked.matter, role=asked.role, length=opening.terms.draws, root=root)
    _check_anchor(told, chain, kept=kept is not None)
    if asked.role is Role.BOB:
        return Bob(key, chain)
    return Alice(key, chain, Seal(secret=secrets.seal(key, told.opening), matter=asked.matter))


def _check_anchor(told: Told, chain: LinkChain, *, kept: bool) -> None:
    """Whether the chain is the one that this role has named."""
    for notice in told.notices:
        said = notice.statement
        if said.kind == Kind.AGREED and said.author is chain.role and said.content["anchor"] != chain.anchor.hex():
            raise NotAnswered(
                f"the coin chain at hand is not the one that {chain.role} has named when the matter began. "
                + (
                    "The deposit that came with the question is wrong: ask the court to seal it again"
                    if kept
                    else "A new key needs the court's deposit: ask Trent to write the question again with it"
                )
            )


def _listed(question: Question, told: Told, asking: Notice, opening: statements.Opening) -> dict[int, Listed]:
    """The documents of the question, each the one that stands at its position, and proven where a proof was given."""
    places, proven = _known(told, question.request.round)
    files = question.documents
    expected = _expected(asking, question.request.kind, places)
    if expected is not None and set(files) != set(expected):
        raise BadPackage("the question does not bring the documents that it asks about; ask Trent to write it again")
    found = {}
    for position, (file, content) in files.items():
        place = places.get(position)
        if place is None:
            raise BadPackage(f"{file} stands at no position that {question.request.role} may see; ask for it again")
        if file != f"{request.DOCUMENTS}/{request.file_name(question.request.round, position, place.name)}":
            raise BadPackage(f"{file} is not the file of the document at its position; ask Trent to write it again")
        if position in proven and not proofs.proves(proven[position], opening.corpus, place, content):
            raise BadPackage(
                f"{file} is not the document that the matter has committed to at position {position}. Do not answer; "
                "keep the question, and tell Trent and the court"
            )
        found[position] = Listed(name=place.name, file=file)
    return found


def _expected(asking: Notice, kind: str, places: Mapping[int, Place]) -> list[int] | None:
    """Which positions the documents must be of; None where it is not fixed."""
    if kind == Kind.REPORT:
        return sorted(places)
    if kind in (Kind.LABELS, Kind.RULINGS, Kind.PRIVILEGE):
        return list(asking.statement.content["positions"])
    return None if kind == Kind.CLAIM else []


def _known(told: Told, number: int) -> tuple[dict[int, Place], dict[int, Any]]:
    """The places of a round's batch, and the proofs of its documents, as far as this party has them."""
    places: dict[int, Place] = {}
    proven: dict[int, Any] = {}
    for notice in told.notices:
        said = notice.statement
        if said.round != number or not number:
            continue
        if said.kind == Kind.BATCH:
            places, proven = {}, {}
        try:
            for opening in (*notice.openings, *notice.released):
                if opening.field == "documents":
                    places[opening.index + 1] = records.from_value(Place, opening.value)
                elif opening.field == "proofs":
                    proven[said.content["positions"][opening.index]] = opening.value
        except (LedgerError, LookupError) as error:
            raise Damaged(f"an opened value of round {number} is malformed ({error})") from None
    return places, proven


def deposited_root(standing: Standing, role: Role) -> Digest:
    """The root that the court holds of a drawer's chain, checked against the anchor that the drawer has named."""
    kept = standing.deposits.get(role)
    who = role.capitalize()
    if kept is None:
        raise NotAnswered(f"{who}'s deposit is neither in the question nor beside the key; ask Trent to send it again")
    root = secrets.unsealed_root(standing.key, kept)
    if standing.chain(role, root).anchor != standing.anchor(role):
        raise NotAnswered(
            f"what {who} has deposited is not the root of the coin chain that {who} has named: it does not hash down "
            f"to the anchor over {standing.opening.terms.draws} links. Do not sign; tell all parties"
        )
    return root
