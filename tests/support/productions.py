"""Production volumes for tests: made of small matters, checked by the verifier, and signed again by a Trent who cheats.

`Office.produce` makes the next volume of a matter, and `Office.judge` has it verified.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ledger import canonical
from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.books import Seat
from protocol.matter.decisions import Decisions
from protocol.production.produce import Produced, produce
from protocol.production.register import Wanted
from protocol.simulation.run import Run
from tests.support import answers, matters, small_corpus
from tests.support.exhibits import trents_key
from verifier import production
from verifier.production import Judgement

MANIFEST = "MANIFEST.json"
ODD = "It's \xfea\xfe\xae: a\x0bb\r\nand\x14more; þ"
"""A text with everything in it that a load file cannot hold, or holds in its own way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Trent's folder: a corpus, and a matter between two of its steps."""

    folder: Path
    corpus: Corpus
    seed: str = "1"

    @property
    def matter(self) -> Path:
        return self.folder / "case.matter"

    @property
    def numbers(self) -> Path:
        return self.folder / "case.matter.numbers"

    def play(self, rounds: int | None = None, withheld: tuple[int, ...] = ()) -> None:
        """Go on until so many rounds are closed, or to the end of the matter. Alice claims, and the court upholds,
        these parts of every document that has several.
        """
        with self.run() as run:
            while rounds is None or len(run.state.closed) < rounds:
                if withheld and self._withhold(run, withheld):
                    continue
                if not run.step():
                    break

    def run(self) -> Run:
        """The matter, new or continued."""
        agreed: dict[str, Any] = {"rounds": 3, "batch": 4, "protocol": "reveal-all", "query": ""}
        return matters.start(self.corpus, self.matter, seed=self.seed, players=PLAYERS, **agreed)

    def ask_back(self, upheld: Mapping[Seat, bool | None]) -> None:
        """Alice asks these documents back, and the court rules on them; None if it has not ruled."""
        with self.run() as run:
            run.desk.clawback()
            places = {seat: place for place, seat in enumerate(run.state.shown_to_bob(), start=1)}
            claims = {places[seat]: "sent by mistake" for seat in sorted(upheld)}
            run.desk.accept(run.alice.say(Decisions(claims=claims)))
        rulings = [ruling for _, ruling in sorted(upheld.items()) if ruling is not None]
        if rulings:
            self.rule(rulings)

    def rule(self, upheld: Sequence[bool]) -> None:
        """The court rules on what was asked back last."""
        with self.run() as run:
            run.desk.accept(run.court.say(Decisions(upheld=dict(enumerate(upheld, start=1)))))

    def _withhold(self, run: Run, withheld: tuple[int, ...]) -> bool:
        """Let Alice claim parts, or the court uphold them, if that is asked now."""
        awaited = {role: each.kind for role, each in run.state.awaits.items()}
        if awaited.get(Role.ALICE) == "report":
            places = run.state.rounds[-1].places
            several = [place for place, each in enumerate(places, 1) if self.corpus.parts(each.document) > 1]
            if several:
                parts = dict.fromkeys(several, withheld)
                bases = dict.fromkeys(several, "Advice of counsel")
                run.desk.accept(answers.report(run.alice, run.alice.truth, None, bases, parts=parts))
            return bool(several)
        if awaited.get(Role.COURT) == "privilege":
            asked = run.state.rounds[-1].privilege.asked
            run.desk.accept(answers.uphold(run.court, [False] * len(asked), dict.fromkeys(asked, withheld)))
            return True
        return False

    def produce(self, name: str, **wanted: Any) -> Produced:
        """Make the next volume."""
        names = wanted.pop("names", {})
        return produce(
            self.matter,
            self.corpus,
            self.folder / name,
            signer=trents_key,
            wanted=Wanted(**({"prefix": "ACME"} | wanted)),
            names=names,
        )

    def copy(self, audience: Audience = Audience.BOB) -> Path:
        """The newest copy."""
        path = self.folder / f"{audience}.jsonl"
        with Store.open(self.matter) as store:
            write_copy(store, audience, trents_key(summary.read(self.matter).opening), path)
        return path

    def judge(self, name: str, earlier: Sequence[str] = (), **given: Any) -> Judgement:
        """What the verifier says of a volume."""
        copy = given.pop("copy", None) or self.copy()
        return production.judge(self.folder / name, copy, before=[self.folder / each for each in earlier], **given)


PLAYERS = {"alice": "truthful", "bob": "truthful", "court": "right"}


def documents() -> list[Any]:
    """The documents of the small corpus, of which some are responsive, and one with odd fields."""
    found = [
        replace(each, labels=("responsive",)) if each.text and "lunch?" not in each.text else each
        for each in small_corpus.DOCUMENTS
    ]
    first = found[0]
    part = replace(
        first.parts[0],
        author=ODD,
        custodians=("Ann; Bob", "", "Zoë"),
        paths=(f"C:\\a/{ODD}",),
        fields={"from": "ann", "subject": ODD, "message_id": "<1>"},
        date="2001",
    )
    return [replace(first, parts=(part,)), *found[1:]]


def office(folder: Path) -> Office:
    """A new office, in which nothing has happened yet.

    Its first round will have three or four responsive documents, and the family and the odd document come later.
    """
    folder.mkdir(parents=True, exist_ok=True)
    corpus = small_corpus.make(folder / "corpus", documents())
    return Office(folder=folder, corpus=corpus, seed=_seed(corpus))


_SEEDS: dict[bytes, str] = {}
"""By the root of a corpus, the first seed that serves."""


def _seed(corpus: Corpus) -> str:
    root = bytes(corpus.root)
    if root not in _SEEDS:
        seeds = map(str, range(100))
        _SEEDS[root] = next(seed for seed in seeds if _serves(corpus, seed))
    return _SEEDS[root]


def _serves(corpus: Corpus, seed: str) -> bool:
    with TemporaryDirectory() as folder, Office(folder=Path(folder), corpus=corpus, seed=seed).run() as run:
        while not run.state.rounds:
            run.step()
        first = {each.name for each in run.state.rounds[0].places}
    odd, *others = documents()
    later = {each.parts[0].name for each in (odd, *others) if each is odd or len(each.parts) > 1}
    responsive = {each.parts[0].name for each in others if "responsive" in each.labels}
    return first.isdisjoint(later) and len(first & responsive) >= 3


def resign(office: Office, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest of a volume; Trent lists the files as they are now, and signs it again."""
    folder = office.folder / name
    value = json.loads((folder / MANIFEST).read_bytes())["manifest"]
    value["files"] = [
        {"path": path, "sha256": sha256(data).hexdigest(), "size": len(data)}
        for path, data in sorted(contents(folder).items())
        if path != MANIFEST
    ]
    change(value)
    key = trents_key(summary.read(office.matter).opening)
    signature = key.sign("production", canonical.encode(value)).hex()
    (folder / MANIFEST).write_bytes(canonical.encode({"manifest": value, "signature": signature}))


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a volume."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def failed(judgement: Judgement) -> list[tuple[str, str | None]]:
    """The checks that failed, each once with who is blamed."""
    return sorted({(each.check.value, each.party) for each in judgement.results.findings}, key=str)
