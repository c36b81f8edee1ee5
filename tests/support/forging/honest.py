"""One honest party before hostile questions: it fills in whatever the form asks, and its program signs or refuses."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ledger import checkpoints, notes
from ledger.coins import DRAWERS
from ledger.entries import SignedStatement
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.openings import Openings
from ledger.roles import Audience, Role
from protocol.matter import kinds
from protocol.matter.asking import Answer, Decision
from protocol.matter.decisions import Decisions
from protocol.matter.kinds import KINDS
from protocol.parties import answer as answers
from protocol.parties import history_lines, question, secrets, view
from protocol.parties.memory import Given, Memory
from protocol.parties.question import COSIGN, Question, Request
from protocol.parties.reply import FORMAT, Reply
from protocol.parties.verdict import Verdict
from protocol.parties.view import Document, View
from tests.support.builders import KEYS
from tests.support.forging.colluders import Colluders, Stuck, Table
from tests.support.forging.courses import Course, World
from tests.support.forging.histories import Node, checkpoint, served
from verifier.values import finding_value


@dataclass(slots=True, kw_only=True)
class Tally:
    """How many hostile questions were put, and how many of them were answered, by kind."""

    put: Counter[str] = field(default_factory=Counter)
    signed: Counter[str] = field(default_factory=Counter)
    fair: int = 0  # questions that an honest Trent could have put
    judged: int = 0  # copies of what was published

    def count(self, kind: str, *, hostile: bool, signed: bool) -> None:
        if not hostile:
            self.fair += 1
            return
        self.put[kind] += 1
        self.signed[kind] += signed


@dataclass(slots=True)
class Client:
    """The party's program with one of its keys."""

    key: SigningKey
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What the honest party has signed, and after which entry of which history."""

    kind: str
    at: Node
    answer: Answer | None
    line: notes.NoteSignature | None  # of a checkpoint

    @property
    def asked(self) -> Digest | None:
        """The entry that it answers."""
        return None if self.answer is None else self.answer.signed.statement.answers


@dataclass(slots=True, kw_only=True)
class Honest:
    """The party, after some entries of a genuine matter. `wrong` is whether Trent asks otherwise than he should."""

    world: World
    us: Colluders
    course: Course
    start: int
    tally: Tally
    signed: list[Signed] = field(default_factory=list)
    refusal: str = ""
    wrong: bool = False
    _clients: dict[PublicKey, Client] = field(default_factory=dict)

    @property
    def role(self) -> Role:
        return self.us.honest

    def put(self, table: Table, *, wrong: bool) -> Signed | None:
        """Ask the party what it must answer, or something else. None if its program refuses."""
        client = self._client(table)
        self.wrong = wrong
        asked = self._question(table, client)
        kind = asked.request.kind
        try:
            seen = view.checked(asked, client.key, client.memory, forgotten=False)
            documents = self._documents(seen)
            draft = answers.draft(
                seen,
                documents,
                self._decisions(seen, documents),
                replacing=kind not in ("report", "look") and self.us.random.random() < 0.5,
                now=1_700_000_000,
                verdict=self._verdict(table) if kind == COSIGN else None,
            )
        except LedgerError as error:
            self.refusal = str(error)
            self.tally.count(kind, hostile=self.wrong, signed=False)
            return None
        client.memory = draft.memory
        self.tally.count(kind, hostile=self.wrong, signed=True)
        return self._keep(table, kind, draft.reply)

    def _keep(self, table: Table, kind: str, reply: Reply) -> Signed:
        answer, line = None, None
        if reply.answer is not None:
            answer = Answer(signed=reply.answer, openings=tuple(reply.openings))
            self.us.signed.append(answer)
        if reply.cosignature is not None:
            (line,) = notes.parse(f"{checkpoint(table.head.path).text}\n{reply.cosignature}").signatures
        found = Signed(kind=kind, at=table.head, answer=answer, line=line)
        self.signed.append(found)
        return found

    def _astray(self, chance: float) -> bool:
        found = self.us.random.random() < chance
        self.wrong |= found
        return found

    # its program

    def inherit(self, table: Table) -> None:
        """What was kept beside the first key is copied beside the key that is in force."""
        self._client(table).memory = self._clients[KEYS[self.role].public].memory

    def _client(self, table: Table) -> Client:
        """The program with the key that is in force."""
        public = table.head.keys[self.role]
        if public not in self.us.own_keys:
            raise Stuck("this key is not one of the honest party's")
        if public not in self._clients:
            self._clients[public] = Client(self.us.own_keys[public], self._remembered(public))
        return self._clients[public]

    def _remembered(self, public: PublicKey) -> Memory:
        """What it was shown of the genuine matter when it last answered with this key, and what it said with it."""
        nodes = self.course.nodes[: self.start + 1]
        own = [
            (before, node)
            for before, node in pairwise(nodes)
            if node.body.statement.author is self.role and before.keys[self.role] == public
        ]
        return Memory(
            folder=self.world.folder / "memory" / self.role,
            history=served(own[-1][0].path, Audience(self.role)) if own else (),
            answers=tuple(_given(node) for _, node in own),
            deposits={},
        )

    # what Trent asks

    def _question(self, table: Table, client: Client) -> Question:
        path, random = table.head.path, self.us.random
        kind, entry, number = self._asked(table)
        if self._astray(0.04):
            kind = random.choice(sorted(question.ASKED))
        if self._astray(0.04):
            entry = random.choice(path).hash
        if self._astray(0.04):
            number += 1
        state, trent = checkpoint(path), self.us.pen.trent
        request = Request(
            entry=entry,
            files={},
            format=question.FORMAT,
            head=state.head,
            kind=kind,
            matter=state.matter,
            role=self.role,
            round=number,
            size=len(path),
            start=0,
        )
        return Question(
            signed=question.sign(trent, request),
            lines=history_lines.HistoryLines(entries=served(path, Audience(self.role))),
            deposits=self._deposits(table, client),
            checkpoint=str(checkpoints.sign(state, trent)).encode() if kind == COSIGN else None,
        )

    def _asked(self, table: Table) -> tuple[str, Digest, int]:
        """What the history asks the party: the kind of the answer, the entry and the round."""
        state, path = table.state, table.head.path
        awaited = None if state is None else state.awaits.get(self.role)
        if awaited is not None:
            return awaited.kind, awaited.question, awaited.round
        asking = [node for node in path if self.role in node.body.asks]
        if not asking or (state is not None and state.concluded):
            return COSIGN, path[-1].hash, 0
        said = asking[-1].body.statement
        asks = KINDS[said.kind].asks if said.kind in KINDS else None
        return (asks or {}).get(self.role, COSIGN), asking[-1].hash, said.round

    def _deposits(self, table: Table, client: Client) -> dict[Role, secrets.SealedRoot]:
        """What the court keeps, or what a new key needs."""
        drawers = DRAWERS if self.role is Role.COURT else (self.role,)
        if self.role is not Role.COURT and client.key.public == KEYS[self.role].public:
            return {}
        try:
            roots = {role: self.us.chain(table, role).root for role in drawers}
        except Stuck:
            roots = dict(self.course.roots)
        if self._astray(0.02):
            roots[drawers[0]] = Digest(bytes(32))
        return {role: secrets.sealed_root(client.key.public, roots[role]) for role in drawers}

    # what the party does about it

    def _documents(self, seen: View) -> dict[int, Document]:
        """Trent chooses which documents go with a question, and so what the form asks about."""
        random = self.us.random
        size = seen.state.rounds[-1].size if seen.state.rounds else 0
        positions = list(seen.entry.statement.content.get("positions", ()))
        if seen.kind in ("report", "look"):
            positions = list(range(1, (size if seen.kind == "look" else seen.state.rounds[-1].to_label) + 1))
        if seen.kind == "claim":
            among = range(1, size + 1) if self._astray(0.4) else sorted(seen.state.rounds[-1].claimable)
            positions = random.sample(among, random.randint(0, min(len(among), 4)))
        if self._astray(0.1):
            positions = random.sample(range(1, size + 3), random.randint(0, size + 2))
        return {each: Document(name=f"{each}.txt", file=f"documents/{each}.txt") for each in sorted(positions)}

    def _decisions(self, seen: View, documents: Mapping[int, Document]) -> Decisions:
        """A person who fills in whatever the form asks."""
        random = self.us.random
        flips = dict(zip(documents, self.us.flips(len(documents)), strict=True))
        match kinds.decision(seen.kind):
            case Decision.TERMS if seen.role is Role.ALICE and random.random() < 0.5:
                return Decisions(candidates=("Smith & Co", "counsel")[: random.randint(1, 2)])
            case Decision.REPORT:
                size = seen.entry.statement.content.get("size", 0)
                ranked = seen.party.rule.reports_threshold and seen.entry.statement.kind != "call"
                top = random.randint(0, size) if ranked else None
                claims = self._claims(seen, [each for each in documents if random.random() < 0.2])
                return Decisions(labels=flips, threshold=top, **(claims if random.random() < 0.5 else {}))
            case Decision.LOOK:
                return Decisions(given_up=frozenset(each for each in documents if random.random() < 0.3))
            case Decision.LABELS:
                return Decisions(labels=flips)
            case Decision.CLAIMS:
                return Decisions(**self._claims(seen, documents))
            case Decision.UPHELD:
                return Decisions(upheld=flips)
            case Decision.GRANT:
                return Decisions(granted=random.random() < 0.7)
            case Decision.ACCEPT:
                return Decisions(accepted=random.random() < 0.7)
        return Decisions()

    def _claims(self, seen: View, positions: Iterable[int]) -> dict[str, Any]:
        """Claims of privilege for these positions, or for a class where one may stand."""
        found: dict[str, dict[int, str]] = {"claims": {}, "classes": {}}
        for position in positions:
            name = self.us.random.choice(seen.classes) if seen.classes and self.us.random.random() < 0.5 else None
            found["claims" if name is None else "classes"][position] = name or "privileged"
        return found if found["classes"] else {"claims": found["claims"]}

    def _verdict(self, table: Table) -> Verdict:
        """What the verifier says of the party's own copy."""
        found = self.world.judged(self.world.copies.cut(table.head.path, Audience(self.role)))
        copy = found.copy
        return Verdict(
            answer=found.answer,
            exit_code=found.exit_code,
            audience="nobody" if copy is None else copy.audience,
            matter="" if copy is None else copy.matter.hex(),
            head="" if copy is None else copy.head.hex(),
            root="" if copy is None else copy.root.hex(),
            entries=0 if copy is None else copy.entries,
            passed=0,
            left=0,
            fault=found.trouble or "".join(str(finding_value(each, found)) for each in found.findings[:1]),
        )


def _given(node: Node) -> Given:
    """An answer in the genuine matter, as the party's program remembers it."""
    said, signature = node.body.statement, node.body.signature
    if said.answers is None or signature is None:
        raise ValueError(f"entry {node.body.sequence} is not a party's answer")
    file = Reply(
        answer=SignedStatement(signature=signature, statement=said),
        cosignature=None,
        deposit=None,
        format=FORMAT,
        matter=said.matter,
        openings=Openings(node.openings),
        role=said.author,
    )
    return Given(entry=said.answers, file=file, kind=said.kind)
