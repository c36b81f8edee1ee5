"""A whole matter with all that can happen in one, played through the installed commands with real coins. A command
that a party types again is run within this process.

What must happen is staged only where it is certain: a hidden document where even the worst coin draws it, claims of
privilege on what is due whatever the coins say. Rounds go on until all has happened, then the parties stop early.
"""

import json
import os
import shutil
import signal
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from ledger import entries, records
from ledger.entries import SignedStatement
from ledger.keys import SigningKey
from protocol.rules.base import COINS, Report
from tests.support import case_folder, forked, paper_rules
from tests.support.real_matter import ROLES, Asked, Behaviour, FirstInItsProcess, Play, Saved

BATCH, ROUNDS, DELTA = 16, 12, "0.1"
WITHHELD_BASIS = "Attorney-client privilege: advice of outside counsel"
OVERRULED_BASIS = "Work product"


class Story:
    """The play, and what has happened in it so far."""

    def __init__(self, root: Path) -> None:
        self.play = Play(root, FirstInItsProcess())
        self.truth: dict[str, bool] = {}
        self.behaviour: Behaviour
        self.hidden: dict[int, str] = {}  # by round, what Alice hid
        self.disputed = ""
        self.upheld = self.overruled = ""
        self.defaulted = self.rekeyed = self.amended = 0  # the rounds
        self.refusals: dict[str, str] = {}  # what Trent or a party's program said to a wrong answer
        self.killed = 0

    def begin(self) -> None:
        """Keys, documents, terms, opening, and everybody's signature."""
        play = self.play
        play.make_keys()
        self.truth = case_folder.write(play.folder("trent") / "received", documents=200, responsive=70)
        play.tallystick("trent", "corpus", "build", "received", "--custodian-folders", "--out", "corpus")
        self.behaviour = Behaviour(
            truth=self.truth,
            alice=self.alice_labels,
            claims=self.alice_claims,
            bob=self.bob_labels,
            upholds=lambda name: name == self.upheld,
            saved={"alice": Saved(separator=";", encoding="cp1252"), "bob": Saved(separator="\t", encoding="utf-16")},
        )
        play.write_terms(batch=BATCH, rounds=ROUNDS, delta=DELTA, query=case_folder.QUERY)
        play.open()
        play.exchange(self.behaviour)
        play.exchange(self.behaviour)

    @property
    def complete(self) -> bool:
        """Whether everything has happened that should happen."""
        return bool(self.disputed and self.hidden and self.upheld and self.defaulted and self.rekeyed and self.killed)

    def review(self) -> None:
        """Rounds until all has happened, then the one in which the parties agree to stop."""
        while True:
            value = self.play.next()
            if value["held"]:
                return
            asked = [self.play.send(question) for question in value["questions"]]
            for each in asked:
                self.answer(each)
                if each.kind == "rulings" and not self.killed:
                    self.kill_trent()
            if self.complete and not self.amended and [each.kind for each in asked] == ["link"] and asked[0].round > 1:
                self.stop_early(asked[0].round)

    def answer(self, asked: Asked) -> None:
        """Let a party answer, or let happen what was to happen here."""
        play, folder = self.play, self.play.folder(asked.role)
        if (asked.role, asked.kind) == ("bob", "link") and asked.round > 1 and not self.defaulted:
            self.default_of_bob(asked)
            return
        if asked.kind == "report" and self.defaulted and not self.rekeyed:
            asked = self.new_counsel(asked)
            folder = play.folder(asked.role)
        decisions = self.behaviour.decisions(asked, folder)
        if asked.kind == "report" and "blank" not in self.refusals:
            self.forget_a_label(asked, Path(str(decisions[1])))
        answer = play.answer(asked, *decisions)
        if asked.kind == "labels" and "stranger" not in self.refusals:
            self.let_a_stranger_sign(answer)
        play.accept(answer)

    def forget_a_label(self, asked: Asked, filled: Path) -> None:
        """The party's own program refuses a table with a blank."""
        blank = filled.with_name("blank.csv")
        text = filled.read_bytes().decode("cp1252").replace(";yes\r\n", ";\r\n", 1).replace(";no\r\n", ";\r\n", 1)
        blank.write_bytes(text.encode("cp1252"))
        words = (asked.path, "--key", self.play.keys["alice"], "--labels", blank, "--yes", "--out", "blank.json")
        self.refusals["blank"] = self.play.tallystick("alice", "answer", *words, code=1).stderr

    def let_a_stranger_sign(self, answer: Path) -> None:
        """Trent refuses an answer that Bob's key did not sign, a damaged file, and a second, different answer."""
        before = self.play.status()
        said = json.loads(answer.read_bytes())
        statement = records.from_value(SignedStatement, said["answer"]).statement
        forged = said | {"answer": records.to_value(entries.sign_statement(SigningKey.generate(), statement))}
        wrong = answer.with_name("wrong.json")
        wrong.write_text(json.dumps(forged, sort_keys=True, separators=(",", ":")) + "\n")
        self.refusals["stranger"] = self.play.accept(wrong, code=1).stderr
        wrong.write_bytes(answer.read_bytes()[:-100])
        self.refusals["damaged"] = self.play.accept(wrong, code=1).stderr
        assert self.play.status() == before

    def kill_trent(self) -> None:
        """Trent's program is killed while it closes a round and chooses the next batch, at no chosen moment."""
        words = ("matter", "next", "case.matter", "--key", "trent.key", "--corpus", "corpus", "--outbox", "outbox")
        for delay in (0.02, 0.05, 0.1, 0.2, 0.3):
            process = forked.start("tallystick", words, cwd=self.play.folder("trent"), env=os.environ)
            time.sleep(delay)
            process.kill()
            process.join()
            self.killed += process.exitcode == -signal.SIGKILL
        assert self.killed

    def default_of_bob(self, asked: Asked) -> None:
        """Bob is silent; the court's order brings his link from the deposit. His answer then comes too late."""
        play = self.play
        self.defaulted = asked.round
        late = play.answer(asked)
        play.matter("default", "--absent", "bob")
        (order,) = play.exchange(self.behaviour)
        assert (order.role, order.kind) == ("court", "order")
        self.refusals["late"] = play.accept(late, code=1).stderr

    def new_counsel(self, asked: Asked) -> Asked:
        """Alice's counsel is replaced while she must report; the old key's answer is refused."""
        play = self.play
        self.rekeyed = asked.round
        quiet = Behaviour(truth=self.truth, saved=self.behaviour.saved)
        old = play.answer(asked, *quiet.decisions(asked, play.folder("alice")))
        new = play.root / "alice-new-counsel"
        (new / "inbox").mkdir(parents=True)
        play.folders["alice"], play.keys["alice"] = new, "new.key"
        play.tallystick("alice", "key", "new", "--role", "alice", "--out", "new.key", "--no-passphrase")
        shutil.copy(new / "new.key.pub", play.folder("trent"))
        play.matter("rekey", "--role", "alice", "--new-key", "new.key.pub")
        (order,) = [play.send(each) for each in play.next()["questions"] if each["kind"] == "rekeyed"]
        play.accept(play.answer(order, "--grant"))
        self.refusals["old counsel"] = play.accept(old, code=1).stderr
        (question,) = play.next()["questions"]
        return play.send(question)

    def stop_early(self, number: int) -> None:
        """All agree that no further round begins."""
        self.amended = number
        self.play.matter("amend", "--stop")
        asked = self.play.exchange(self.behaviour)
        assert sorted(each.role for each in asked) == ["alice", "bob", "court"]

    def finish(self) -> None:
        """Close, cosign, and hand copies, fingerprints and the corpus to the expert."""
        play, expert = self.play, self.play.folder("expert")
        play.matter("close")
        assert sorted(each.role for each in play.exchange(self.behaviour)) == ["alice", "bob", "court"]
        for audience in ("alice", "bob", "court", "public"):
            play.tallystick(
                "trent", "copy", "case.matter", "--for", audience, "--key", "trent.key", "--out", f"{audience}.jsonl"
            )
            shutil.copy(play.folder("trent") / f"{audience}.jsonl", expert)
        shutil.copytree(play.folder("trent") / "corpus", expert / "corpus")
        keys = [(role, play.root / role / f"{role}.key.pub") for role in ROLES]
        keys.append(("alice", play.folder("alice") / "new.key.pub"))
        (expert / "trust.txt").write_text("".join(f"{role} {self.fingerprint(path)}\n" for role, path in keys))

    def fingerprint(self, path: Path) -> str:
        shown = json.loads(self.play.tallystick("expert", "key", "show", path, "--json").stdout)
        return str(shown["fingerprint"])

    def alice_labels(self, asked: Asked, names: list[str]) -> dict[str, bool]:
        """The truth; in one round she hides a document where its coin is sure to draw it."""
        labels = {name: self.truth[name] for name in names}
        if asked.round > 1 and not self.hidden and asked.round != self.rekeyed:  # claims are kept apart
            for name in names:
                lie = labels | {name: False}
                if self.truth[name] and name in surely_drawn(lie):
                    self.hidden[asked.round] = name
                    return lie
        return labels

    def alice_claims(self, asked: Asked, names: list[str]) -> dict[str, str]:
        """Two claims in one round, on documents that she holds responsive: these are due whatever the coins say."""
        due = [name for name in names if self.truth[name]]
        if not self.rekeyed or self.upheld or asked.round in self.hidden or len(due) < 2:
            return {}
        self.upheld, self.overruled = due[:2]
        return {self.upheld: WITHHELD_BASIS, self.overruled: OVERRULED_BASIS}

    def bob_labels(self, asked: Asked, names: list[str]) -> dict[str, bool]:
        """The truth, but for one responsive document that he does not recognise in the first round."""
        seen = [name for name in names if self.truth[name] and name != self.hidden.get(asked.round)]
        if self.disputed or not seen:
            return {}
        self.disputed = seen[0]
        return {self.disputed: False}


def surely_drawn(labels: dict[str, bool]) -> set[str]:
    """The documents that even the worst coins draw, given Alice's labels in the order of the batch."""
    rule = paper_rules.rule("label", delta=Fraction(DELTA), k=1)
    worst = [COINS - 1] * len(labels)
    names = list(labels)
    found = rule.examine(Report(labels=tuple(labels.values())), worst, {}, frozenset())
    return {names[position - 1] for position in found.drawn}


def play(root: Path) -> Story:
    """The whole story."""
    story = Story(root)
    story.begin()
    story.review()
    story.finish()
    return story


def verify(story: Story, audience: str, *options: object, code: int = 0) -> Any:
    """The expert's verdict on a copy."""
    words = (f"{audience}.jsonl", "--trust", "trust.txt", *options, "--json")
    return json.loads(story.play.runs(story.play.folder("expert"), "tallystick-verify", *words, code=code).stdout)
