"""Matters in which chance decides what happens: silence, new keys, late claims, claw-backs, classes, amendments, in any
order.

Each is played by the protocol from one number. What comes of it is the same in every run.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import terms
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry
from protocol.rules.terms import ClassTerms, Terms, ValidationTerms
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from tests.support import answers

ALICES = ("truthful", "careless:0.3:0.7", "careless:0.2", "hiding:0.4:random", "adaptive:0.4")
BOBS = ("truthful", "careless:0.2", "vexatious")
COURTS = ("right", "wrong:0.3")
RULES = ("spot-check", "spot-check", "spot-check", "label", "classifier", "reveal-all")
OFTEN = (0, 0.02, 0.1)
"""How often each thing happens that need not happen."""


def plan(corpus: Corpus, seed: int, classes: tuple[str, ...] = ()) -> tuple[Simulated, Random]:
    """The terms and the players that a number stands for, and what further decides."""
    chance = Random(seed)
    players = {"alice": chance.choice(ALICES), "bob": chance.choice(BOBS), "court": chance.choice(COURTS)}
    agreed = _agreed(chance, classes)
    if chance.random() < 0.2:  # chains that may come to their end
        agreed = msgspec.structs.replace(agreed, draws=2 * agreed.rounds + chance.randint(0, 6))  # type: ignore[type-var]
    return simulation.plan(corpus, agreed, label="responsive", seed=str(seed), **players), chance


def _agreed(chance: Random, classes: tuple[str, ...]) -> Terms:
    rule = chance.choice(RULES)
    own: dict[str, Any] = {}
    if rule == "spot-check":
        own = {
            "rate": chance.choice(["0.05", "0.2", "0.4"]),
            "every": chance.choice([1, 2, 3]),
            "target": chance.choice(["0.5", "0.8", "0.95"]),
            "limit": chance.choice(["0", "0.1", "0.5", "1"]),
            "penalty": chance.choice(["none", "batch"]),
        }
    elif rule != "reveal-all":
        own = {"delta": chance.choice(["0.9", "0.5", "0.1"]), "k": chance.choice([1, 3])}
    return terms.terms(
        protocol=rule,
        rounds=chance.randint(2, 6),
        batch=chance.choice([10, 20, 40]),
        doubt=chance.choice(["0.05", "0.5"]),
        validation=_validation(chance) if chance.random() < 0.6 else None,
        classes=ClassTerms(names=classes, share="0.9") if classes and chance.random() < 0.4 else None,
        **own,
    )


def _validation(chance: Random) -> ValidationTerms:
    review = chance.choice([None, None, "0.3", "0.9"])
    return ValidationTerms(
        every=chance.choice([1, 2, 3]),
        hits=chance.choice([None, 0, 3]) if review is None else None,
        review=review,
        show=chance.choice(["0.1", "0.4", "0.9"]),
        target=chance.choice(["0.3", "0.5", "0.8"]),
        viewer=chance.choice(["bob", "court"]) if review is None else "bob",
        window=chance.choice([1, 2, 3]),
        least_yield=chance.choice([None, "0.3", "0.9"]),
    )


class ChaoticRun(Run):
    """Plays the matter, and lets chance add what need not happen."""

    head: Digest

    def __init__(self, corpus: Corpus, played: Simulated, path: Path, chance: Random) -> None:
        self.chance = chance
        self.often: Mapping[str, float] = {
            each: chance.choice(OFTEN)
            for each in ("silent", "new key", "amendment", "late claim", "claw-back", "reasons")
        }
        self.claims = chance.choice([0.0, 0.5])  # how often a report makes claims
        self.new_keys: dict[Role, SigningKey] = {}
        super().__init__(corpus, played, path)
        for role in (Role.BOB, Role.COURT):
            self.parties[role].seal = played.seal(role)

    def _deliver(self, told: Entry) -> None:
        super()._deliver(told)
        self.head = told.hash

    def _happens(self, what: str) -> bool:
        return self.chance.random() < self.often[what]

    def step(self) -> bool:
        if self.state.awaits:
            self._answer_or_not()
            return True
        return self._propose() or self.advance()

    def _answer_or_not(self) -> None:
        asks = self.state.awaits
        urgent = [role for role in sorted(asks) if asks[role].kind in ("order", "rekeyed", "agreed")]
        role = urgent[0] if urgent else self.chance.choice(sorted(asks))
        kind = asks[role].kind
        may_be_silent = role is not Role.COURT and Role.COURT not in asks and kind != "agreed"
        if may_be_silent and self._happens("silent"):
            self.desk.default(role, self.head)
        elif may_be_silent and kind != "amended" and self._happens("new key") and self._renews(role):
            return
        else:
            self._accept(role, kind)

    def _accept(self, role: Role, kind: str) -> None:
        try:
            self.desk.accept(self._answer(role, kind))
        except OutOfTurn:
            if kind != "claim":
                raise
            self.desk.accept(answers.claim(self.alice, {}))  # something of it was claimed already

    def _renews(self, role: Role) -> bool:
        """Trent asks for a new key, unless no draw is free for it."""
        key = SigningKey(sha256(f"{role} {self.head.hex()}".encode()).digest())
        try:
            self.desk.rekey(role, key.public)
        except OutOfTurn:
            return False
        self.new_keys[role] = key
        return True

    def _propose(self) -> bool:
        """What Trent asks although he need not."""
        state, chance = self.state, self.chance
        try:
            if state.terms.rounds and self._happens("amendment"):
                limit = chance.choice(["0.2", "0.5", "1", None]) if state.terms.protocol == "spot-check" else None
                self.desk.amend(chance.choice([None, *range(2, 8)]) if limit else chance.randint(2, 8), limit)
                return True
            if state.current is not None and self._happens("late claim"):
                self.desk.late()
                return True
            if self._happens("claw-back"):
                self.desk.clawback()
                return True
        except OutOfTurn:
            return False
        return False

    def _answer(self, role: Role, kind: str) -> Answer:
        party, chance = self.parties[role], self.chance
        match kind:
            case "report" if chance.random() < self.claims:
                return self._report()
            case "claim":
                return self._claim()
            case "privilege":
                return self._ruled()
            case "reclaim":
                return self._reclaim()
            case "returned":
                about = range(1, len(self.state.clawbacks.asked) + 1)
                return self._explained({each: chance.random() < 0.5 for each in about})
            case "order":
                return self._order()
            case "rekeyed":
                return self._rekeyed()
            case "amended":
                return answers.amended(party, chance.random() < 0.85)
        return party.answer()

    def _explained(self, upheld: dict[int, bool], parts: dict[int, tuple[int, ...]] | None = None) -> Answer:
        """The court's rulings, perhaps with reasons for some."""
        some = {each: f"reason {each}" for each in upheld if self._happens("reasons")}
        return self.court.say(Decisions(upheld=upheld, upheld_parts=parts, reasons=some or None))

    def _reclaim(self) -> Answer:
        """A few documents that Bob was shown, perhaps none."""
        listed = range(1, len(self.state.shown_to_bob()) + 1)
        asked = sorted(self.chance.sample(listed, min(len(listed), self.chance.randint(0, 3))))
        return self.alice.say(Decisions(claims={each: f"basis {each}" for each in asked}))

    def _asked(self) -> list[int]:
        question = self.court.question
        assert question is not None
        found: list[int] = question.statement.content["positions"]
        return found

    def _report(self) -> Answer:
        """Alice's report, with claims."""
        alice, chance, current = self.alice, self.chance, self.state.rounds[-1]
        if current.sort == "validation":
            assert alice.question is not None
            called = len(alice.question.statement.content["numbers"])
            labels: list[bool | None] = [chance.random() < 0.3 for _ in range(called)]
            threshold = None
        else:
            report = alice.strategy.report(alice.rule, alice.truth, current.number)
            labels, threshold = list(report.labels), report.threshold
        claimed = [each for each in range(1, len(labels) + 1) if chance.random() < 0.2]
        return alice.say(
            Decisions(
                labels={at: label for at, label in enumerate(labels, start=1) if label is not None},
                threshold=threshold,
                **self._bases(claimed, classes=True),
            )
        )

    def _bases(self, claimed: list[int], *, classes: bool) -> dict[str, Any]:
        """Each claim is one of privilege, or of a class where the terms have some."""
        agreed = self.state.terms.classes
        names = agreed.names if agreed is not None and classes else ()
        drawn = {each: self.chance.choice([None, *names]) for each in claimed}
        claims = {each: f"basis {each}" for each, name in drawn.items() if name is None}
        return {
            "claims": claims,
            "claimed_parts": {each: parts for each in claims if (parts := self._parts(each))} or None,
            "classes": {each: name for each, name in drawn.items() if name is not None} or None,
        }

    def _parts(self, position: int) -> tuple[int, ...]:
        """Some parts of a document, if it has several; mostly none, which claims all of it."""
        count = self.trent.corpus.parts(self.state.rounds[-1].places[position - 1].document)
        if count == 1 or self.chance.random() < 0.4:
            return ()
        return tuple(sorted(self.chance.sample(range(count), self.chance.randint(1, count - 1))))

    def _ruled(self) -> Answer:
        """The court's rulings; of a claim for parts it upholds some of them, or none."""
        chance, log = self.chance, self.state.rounds[-1].privilege
        upheld = {position: chance.random() < 0.4 for position in self._asked()}
        parts: dict[int, tuple[int, ...]] = {}
        for position in upheld:
            claimed = log.parts.get(position, ())
            if claimed:
                parts[position] = tuple(sorted(chance.sample(claimed, chance.randint(0, len(claimed)))))
                upheld[position] &= bool(parts[position])
        return self._explained(upheld, parts)

    def _claim(self) -> Answer:
        """A few positions that Bob has not been shown, as far as they may still be claimed."""
        current, chance, question = self.state.rounds[-1], self.chance, self.alice.question
        assert question is not None
        shown = {position for wave in current.waves for position in wave}
        left = [each for each in range(1, current.size + 1) if each not in shown]
        claimed = sorted(chance.sample(left, min(len(left), chance.randint(0, 3))))
        return self.alice.say(Decisions(**self._bases(claimed, classes=question.statement.kind == "validation")))

    def _order(self) -> Answer:
        silence, granted = self.state.silence, self.chance.random() < 0.8
        assert silence is not None
        is_link = granted and silence.awaited is not None and silence.awaited.kind == "link"
        link = self.plan.chain(silence.absent).link(self.state.draws) if is_link else None
        return answers.order(self.court, granted, link)

    def _rekeyed(self) -> Answer:
        asked, granted = self.state.rekeying, self.chance.random() < 0.8
        assert asked is not None
        if granted:
            self.parties[asked.role].key = self.new_keys[asked.role]
        return answers.rekeyed(self.court, granted)
