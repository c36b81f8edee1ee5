"""A whole matter by spot checks, with escalations, validations and sensitive classes, played through the commands."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support import corpora
from tests.support.real_matter import ROLES, Asked, Behaviour, Play, run_here
from tests.support.running import honest

SPOT_CHECKS: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.2", "target": "0.9", "every": 1, "limit": "1.0", "batch": 8, "rounds": 2,
}  # fmt: skip
ONE_STAGE = {"show": "0.4", "hits": None, "target": "0.9", "yield": None, "every": 1}
CLASSES = {"names": ["medical", "personnel"], "share": "0.9"}
BASIS = "Advice of counsel"


class Course:
    """A matter that is played to its end, and all that was asked in it.

    Alice misses every fourth responsive document, and finds half of these when she looks again.
    """

    def __init__(
        self, root: Path, runs: Callable[..., Any] = run_here, *, silent_look: bool = False, **terms: Any
    ) -> None:
        self.play = Play(root, runs)
        self.asked: list[Asked] = []
        self.silent = not silent_look
        self._begin(**SPOT_CHECKS | {"query": corpora.QUERY} | terms)
        self.behaviour = self._people(classes="classes" in terms)
        self._sign()
        while not (value := self.play.next())["held"]:
            for each in map(self.play.send, value["questions"]):
                self._answer(each)
        self.status = self.play.status()
        self.play.matter("close")
        self.play.exchange(self.behaviour)

    def _begin(self, **terms: Any) -> None:
        self.play.make_keys()
        corpora.make(self.play.folder("trent") / "corpus", documents=60, responsive=20)
        self.play.write_terms(**terms)
        self.play.open()

    def _sign(self) -> None:
        for _ in range(2):
            self.play.exchange(self.behaviour)

    def _people(self, *, classes: bool) -> Behaviour:
        people = honest(self.play)
        truth = people.truth
        missed = set(sorted(name for name in truth if truth[name])[::4])
        people.alice = lambda _, names: {name: truth[name] and name not in missed for name in names}
        people.gives_up = lambda _, names: {name for name in names if truth[name] and int(name[-2:]) % 2}
        if classes:
            people.classes = lambda name: "medical" if not truth[name] and int(name[-1]) % 3 == 0 else ""
            people.claims = lambda _, names: {name: BASIS for name in names if name.endswith("5")}
            people.upholds = lambda name: int(name[-2]) % 2 == 0
        return people

    def _answer(self, asked: Asked) -> None:
        """Let a party answer; or let the court go on without Alice's second look, once."""
        self.asked.append(asked)
        if asked.kind == "look" and not self.silent:
            self.silent = True
            self.play.matter("default", "--absent", "alice")
            (order,) = self.play.exchange(self.behaviour)
            assert (order.role, order.kind) == ("court", "order")
            return
        options = self.behaviour.decisions(asked, self.play.folder(asked.role))
        self.play.accept(self.play.answer(asked, *options))

    def verdict(self, audience: str, *options: object) -> dict[str, Any]:
        """What the verifier says of a copy, with fingerprints that the parties have told."""
        trent = self.play.folder("trent")
        copy = f"{audience}.jsonl"
        if not (trent / copy).exists():
            words = ("--for", audience, "--key", "trent.key", "--out", copy)
            self.play.tallystick("trent", "copy", "case.matter", *words)
        self._trust()
        given = ("--trust", "trust.txt", *map(str, options), "--json")
        found: dict[str, Any] = json.loads(self.play.runs(trent, "tallystick-verify", copy, *given).stdout)
        return found

    def _trust(self) -> None:
        lines = []
        for role in ROLES:
            shown = self.play.tallystick(role, "key", "show", f"{role}.key.pub", "--json").stdout
            lines.append(f"{role} {json.loads(shown)['fingerprint']}\n")
        (self.play.folder("trent") / "trust.txt").write_text("".join(lines))

    def handed_to_bob(self) -> Path:
        """A folder with all files that Bob was handed."""
        out = self.play.folder("trent") / "handed"
        out.mkdir(exist_ok=True)
        for number, path in enumerate(sorted(self.play.folder("bob").rglob("documents/*"))):
            shutil.copy(path, out / f"{number}-{path.name}")
        return out

    def exhibit(self, name: str, code: int = 0) -> dict[str, Any]:
        """What the verifier says of a document's exhibit."""
        out = self.play.folder("trent") / f"exhibit-{name}"
        words = ("case.matter", "--document", name, "--corpus", "corpus", "--undisclosed", "--out", out.name)
        self.play.tallystick("trent", "exhibit", *words)
        checked = ("exhibit", out.name, "--trust", "trust.txt", "--json")
        found: dict[str, Any] = json.loads(self.play.runs(out.parent, "tallystick-verify", *checked, code=code).stdout)
        return found

    def kinds(self, number: int) -> list[tuple[str, str]]:
        """What was asked in a round, of whom."""
        return [(each.role, each.kind) for each in self.asked if each.round == number]

    def shown_in(self, sort: str) -> list[str]:
        """The documents that Bob was shown in rounds of this sort."""
        rounds = {row["round"] for row in self.status["rounds"] if row["sort"] == sort}
        waves = (each for each in self.asked if (each.role, each.kind) == ("bob", "labels") and each.round in rounds)
        return [row["document"] for each in waves for row in each.form("labels.csv")]
