"""One honest party, with its own program, against everybody else.

Trent writes any history that he and his helpers can sign, and asks the honest party anything. What its program signs
goes on record in any history that he likes, beside whatever else it has signed, also with another key.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from random import Random

import msgspec

from ledger import checkpoints, entries
from ledger.entries import Addition
from ledger.hashing import Digest
from ledger.notes import Note
from ledger.roles import Audience, Role
from protocol.matter import kinds
from tests.support.builders import KEYS
from tests.support.forging import mischief
from tests.support.forging.colluders import IN_VAIN, Colluders, Stuck, Table
from tests.support.forging.courses import World
from tests.support.forging.eventful import NEW_KEYS
from tests.support.forging.histories import Node, Pen, Unsignable, checkpoint
from tests.support.forging.honest import Honest, Signed, Tally
from verifier.values import blamed, finding_value
from verifier.verdict import Verdict

WORDS = ("report", "look")
"""The answers that begin a draw, whose coins answer their words."""


class Framed(AssertionError):
    """An honest party is blamed, or somebody else can choose its coins."""


class Game:
    """One course of events, which its seed fixes. `play` raises `Framed` if Trent succeeds."""

    def __init__(self, world: World, tally: Tally, seed: str) -> None:
        self.world, self.tally, self.seed = world, tally, seed
        self.random = random = Random(seed)
        kind = random.choice(world.kinds)
        role = random.choice([each for each, asked in sorted(world.places) if asked == kind])
        course, last = random.choice(world.places[role, kind])
        own = [each.body.sequence for each in course.nodes[: last + 1] if each.body.statement.author is role]
        start = last if random.random() < 0.5 else random.randint(max(own, default=0), last)
        keys = [*KEYS.items(), *NEW_KEYS.items()]
        self.pen = Pen(
            honest=role,
            keys={key.public: key for whose, key in keys if whose is not role},
            trent=KEYS[Role.TRENT],
        )
        self.us = Colluders(
            honest=role,
            random=random,
            corpus=world.corpus,
            model=course.model,
            roots=course.roots,
            opening=course.nodes[0].hash,
            pen=self.pen,
            own_keys={key.public: key for whose, key in keys if whose is role},
            signed=[],
        )
        self.party = Honest(world=world, us=self.us, course=course, start=start, tally=tally)
        self.role = role
        self.story = [f"{course.name} up to entry {start}; {role} is honest"]
        self._wrongs: set[Digest] = set()  # entries that an honest Trent would not have added
        self._words: dict[tuple[Digest, int], dict[Digest, tuple[Digest, ...]]] = {}
        """By question and draw: the words that could stand, and the new keys that came between."""

    def play(self) -> None:
        """Ask some questions, and then put the answers before the public."""
        table = self._begin()
        left = self.random.randint(1, 3)
        while left > 0:
            left -= 1
            base = table.head
            self._stretch(table, hostile=self.random.choice((0.2, 0.35, 0.5)))
            try:
                signed = self._put(table)
            except Stuck:
                break
            if signed is None:
                table = Table.at(self.pen, base) if self.random.random() < 0.7 else table
                continue
            if self.random.random() < 0.6:
                self._log(table, signed)
            if signed.answer is not None and self.random.random() < (0.8 if signed.kind in WORDS else 0.4):
                table, left = self._rekeyed(table, signed), max(left, 1)
        self._publish()

    # histories

    def _begin(self) -> Table:
        """The genuine matter up to some entry, or only an opening that is like its own."""
        course, start = self.party.course, self.party.start
        table = Table.at(self.pen, course.nodes[start])
        if start or self.random.random() < 0.5:
            return table
        with suppress(*IN_VAIN):
            opening = mischief.spoiled(self.us, table, mischief.added(course.nodes[0]))
            table = Table.at(self.pen, self.pen.write(None, opening))
            self._wrongs.add(table.head.hash)
            self.story.append("  trent opens another matter")
        return table

    def _stretch(self, table: Table, *, hostile: float) -> None:
        """Some entries more, until the honest party is asked something, or nobody can go on."""
        for _ in range(8):
            awaits = {} if table.state is None else table.state.awaits
            early = self.role in awaits and awaits[self.role].kind == "deposited" and len(awaits) > 1
            if self.role in awaits and not early and self.random.random() < 0.7:
                return
            self._add(table, hostile=hostile)

    def _add(self, table: Table, *, hostile: float) -> None:
        """One more entry, if anybody can sign it: by the rules, beside them, or against them."""
        with suppress(*IN_VAIN):
            by_rules = self.random.random() > hostile
            spoiled = self.random.random() < hostile / 4
            if by_rules:
                addition = self.us.next(table)
            else:
                move = mischief.plausible if self.random.random() < 0.7 else mischief.event
                addition = move(self.us, table)
            if spoiled:
                addition = mischief.spoiled(self.us, table, addition)
            self._write(table, addition)
            if spoiled or not by_rules:
                self._wrongs.add(table.head.hash)

    def _write(self, table: Table, addition: Addition, how: str = "") -> None:
        table.add(addition)
        self.story.append(f"  {addition.statement.author} says '{addition.statement.kind}'{how}")

    def _put(self, table: Table) -> Signed | None:
        wrong = any(node.hash in self._wrongs for node in table.head.path)
        signed = self.party.put(table, wrong=wrong)
        came = f"signs '{signed.kind}'" if signed is not None else f"refuses: {self.party.refusal}"
        self.story.append(f"{self.role} is asked, and {came}")
        return signed

    def _log(self, table: Table, signed: Signed) -> None:
        if signed.answer is not None:
            self._write(table, kinds.by_party(signed.answer))

    def _rekeyed(self, table: Table, signed: Signed) -> Table:
        """The honest party gets a new key: in this history, or in one that goes on from the question or from earlier.

        Its new program does not know what the old one has seen and signed.
        """
        if self.role is Role.COURT:
            return table
        path = table.head.path
        asked = next((node for node in path if node.hash == signed.asked), table.head)
        chance = self.random.random()
        other = Table.at(self.pen, asked if chance < 0.6 else table.head if chance < 0.9 else self.random.choice(path))
        try:
            self._write(other, mischief.rekey(self.us, other, self.role))
            self._write(other, self.us.answer(other, Role.COURT))
            self._wrongs.add(other.head.hash)
            with suppress(Stuck):
                self._write(other, self.us.next(other))
        except IN_VAIN:
            return table
        return other

    # what comes to light

    def _publish(self) -> None:
        """Histories in which something that was signed appears, alone or beside what another key has signed."""
        found = self.party.signed
        for signed in found:
            self._publish_one(signed)
            for node in self._on_record(signed) if signed.kind in WORDS else ():
                self._judge(node, Audience.COURT, signed)
        whose = [signed.at.keys[self.role] for signed in found]
        pairs = [
            (one, other)
            for one, key in zip(found, whose, strict=True)
            for other, another in zip(found, whose, strict=True)
            if key != another
        ]
        for _ in range(2 if pairs else 0):
            self._publish_mixed(*self.random.choice(pairs))

    def _publish_one(self, signed: Signed) -> None:
        path = signed.at.path
        asked = next((node for node in path if node.hash == signed.asked), self.random.choice(path[-3:]))
        table = Table.at(self.pen, signed.at if self.random.random() < 0.6 else asked)
        for _ in range(self.random.choice((0, 0, 0, 1, 2, 3))):
            self._add(table, hostile=0.7)
        if self.random.random() < 0.9:
            self._log(table, signed)
        for _ in range(self.random.choice((0, 0, 1, 2, 3))):
            if self.random.random() < 0.4:
                self._accuse(table)
            else:
                self._add(table, hostile=0.4)
        self._judge(table.head, Audience.COURT, signed)
        if self.random.random() < 0.5:
            self._judge(table.head, self.random.choice((Audience.ALICE, Audience.BOB, Audience.PUBLIC)), signed)

    def _publish_mixed(self, one: Signed, other: Signed) -> None:
        """A history with entries of two, in any order that keeps each one's, some left out; and then evidence."""
        first, second = ([*each.at.path, *self._on_record(each)] for each in (one, other))
        shared = next(
            (place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] is not pair[1]),
            min(len(first), len(second)),
        )
        table = Table.at(self.pen, first[max(shared - 1, 0)])
        left, renamed = [first[shared:], second[shared:]], dict[str, str]()
        while any(left):
            node = self.random.choice([each for each in left if each]).pop(0)
            if self.random.random() < (0.5 if node.body.statement.author is self.role else 0.9):
                self._transplant(table, node, renamed)
        self._accuse(table)
        self._judge(table.head, Audience.COURT, one)
        self._judge(table.head, self.random.choice((Audience.ALICE, Audience.BOB)), other)

    def _on_record(self, signed: Signed) -> list[Node]:
        """What was signed, as the entry after what was shown."""
        with suppress(Unsignable):
            return [] if signed.answer is None else [self.pen.write(signed.at, kinds.by_party(signed.answer))]
        return []

    def _transplant(self, table: Table, node: Node, renamed: dict[str, str]) -> None:
        """An entry of another history in this one: what it names is named by its new hash, and signed again."""
        addition, said = mischief.added(node), node.body.statement
        if said.author is not self.role:
            content = {
                name: renamed.get(value, value) if isinstance(value, str) else value
                for name, value in said.content.items()
            }
            asked = None if said.answers is None else said.answers.hex()
            answers = None if asked is None else Digest.parse(renamed.get(asked, asked))
            said = msgspec.structs.replace(said, content=content, answers=answers)
            addition = replace(addition, statement=said, signature=None)
        with suppress(*IN_VAIN):
            self._write(table, addition, ", as elsewhere")
            renamed[node.hash.hex()] = table.head.hash.hex()

    def _accuse(self, table: Table) -> None:
        with suppress(*IN_VAIN):
            self._write(table, mischief.accusation(self.us, table))

    def _judge(self, node: Node, audience: Audience, signed: Signed) -> None:
        """Raise if the verifier blames the honest party for this history, or if it gives a choice of coins."""
        note = None
        if signed.line is not None:
            note = checkpoints.sign(checkpoint(signed.at.path), self.pen.trent)
            note = Note(text=note.text, signatures=(*note.signatures, signed.line))
        verdict = self.world.judged(self.world.copies.cut(node.path, audience, note))
        self.tally.judged += 1
        if self.role.value in blamed(verdict):
            raise Framed(self._described(node.path, audience, verdict))
        if self.role is Role.ALICE and audience is Audience.COURT and not (verdict.findings or verdict.trouble):
            self._see_coins(node.path)

    def _see_coins(self, path: Sequence[Node]) -> None:
        """Raise if Trent could publish two reports or looks on one question with the same links, and so choose the
        coins. What he shows to two new keys in two histories is another matter: see the threat model.
        """
        places = {node.hash: node for node in path}
        for node in path:
            said = node.body.statement
            if said.kind not in WORDS or said.answers is None:
                continue
            asked, draw = places[said.answers], said.content["draw"]
            while asked.body.statement.kind == "again":
                asked = places[Digest.parse(asked.body.statement.content["question"])]
            renewed = tuple(
                each.hash
                for each in path[asked.body.sequence : node.body.sequence]
                if each.body.statement.kind == "rekeyed" and each.body.statement.content.get("role") == self.role
            )
            found = self._words.setdefault((asked.hash, draw), {})
            found[entries.hash_words(said)] = renewed
            for one, other in combinations(found.values(), 2):
                if one[: len(other)] == other or other[: len(one)] == one:
                    raise Framed("\n".join([f"seed {self.seed}: two sets of coins for draw {draw}", *self.story]))

    def _described(self, path: Sequence[Node], audience: Audience, verdict: Verdict) -> str:
        """The shortest part of the history that blames the honest party, in words."""
        for length in range(1, len(path)):
            shorter = self.world.judged(self.world.copies.cut(path[:length], audience))
            if self.role.value in blamed(shorter):
                path, verdict = path[:length], shorter
                break
        said = [(each.body.sequence, each.body.statement) for each in path[self.party.start + 1 :]]
        return "\n".join(
            [
                f"seed {self.seed}: {self.role} is blamed in the copy for {audience}",
                *self.story,
                *(f"{number}: {each.author} '{each.kind}' {each.content}" for number, each in said),
                *(str(finding_value(each, verdict)) for each in verdict.findings if each.party == self.role.value),
            ]
        )
