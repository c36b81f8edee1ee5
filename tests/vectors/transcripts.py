"""Whole small transcripts as vectors: every protocol and audience, and mostly what must not pass.

`transcripts.json` lists the cases; the copies and corpora that they name lie beside it. Everything derives from fixed
seeds. A case's expected verdict is stated by whoever wrote the case. How each check ends stands in `outcomes.txt`,
which says where its lines come from. Generating runs no verifier.
"""

import gzip
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ledger import canonical, entries
from ledger.entries import Addition, SignedStatement, hash_statement
from ledger.keys import SigningKey, fingerprint
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.identity import Simulated
from tests.support import answers, corpora, genuine
from tests.support.builders import KEYS
from tests.support.forging import eventful
from tests.support.forging.bending import of_kind, saying
from tests.support.forging.catalogue import CHEATS, DISPUTED, EVERYBODY, Cheat
from tests.support.forging.copies import COPY_CHEATS, made
from tests.support.forging.eventforged import EVENTFUL
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.events import EVENTS
from tests.support.forging.forged import FORGERIES, Forgery, forge
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun, cut, plan, play
from tests.vectors import clawbacks, edges, settled, spotchecks, text_of, withheldparts, witnessed
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case, stated_outcomes

VARIED: list[tuple[str, str, dict[str, Any], dict[str, str]]] = [
    (
        "classifier-by-chance",
        "a batch so large that the classifier's coins decide, with finds that start W again",
        AGREED | {"protocol": "classifier", "batch": 20, "rounds": 2, "delta": "0.99", "query": "", "doubt": "0.6"},
        {},
    ),
    (
        "classifier-compelled",
        "more of what lies below Alice's threshold is found responsive than not, so everything is disclosed",
        AGREED | {"protocol": "classifier", "batch": 14},
        {"alice": "hiding:1:near"},
    ),
    (
        "label-compelled-and-tolerant",
        "k = 3, delta = 0.05, two compelled rounds, and a last batch that is smaller",
        AGREED | {"protocol": "label", "batch": 15, "rounds": 3, "k": 3, "delta": "0.05"},
        {"alice": "hiding:0.7:near"},
    ),
    (
        "label-without-a-query",
        "the first batch is drawn from all documents, and the bound is tighter than what was missed",
        AGREED | {"protocol": "label", "batch": 20, "query": "", "delta": "0.4", "doubt": "0.9"},
        {},
    ),
    (
        "label-few-results",
        "the query has fewer results than a batch has documents",
        AGREED | {"protocol": "label", "batch": 30, "query": corpora.QUERY.split()[0]},
        {},
    ),
]

EVENTFUL_CHEATS = (
    "trent-shows-bob-what-alice-claims",
    "trent-shows-the-court-what-is-not-due",
    "trent-shows-the-court-what-is-not-claimed",
    "trent-shows-the-court-nothing",
    "trent-keeps-the-privilege-log-from-bob",
    "trent-discloses-what-the-court-withheld",
    "alice-claims-without-a-basis",
    "alice-seals-claims-and-makes-none",
    "alice-claims-late-what-bob-has-seen",
    "court-rules-on-fewer-claims",
    "trent-calls-silent-who-need-not-answer",
    "trent-calls-silent-who-was-served-before",
    "trent-logs-an-answer-that-came-too-late",
    "trent-closes-a-round-without-a-report-by-coin",
    "trent-bounds-what-nobody-has-read",
    "court-orders-about-another-party",
    "court-gives-no-link",
    "court-gives-a-false-link",
    "trent-asks-for-a-key-that-bob-has",
    "trent-asks-for-the-key-that-alice-gave-up",
    "court-grants-another-key",
    "trent-amends-below-what-has-begun",
    "trent-amends-before-all-have-signed",
)
EVENTFUL_FORGERIES = (
    "a-new-key-that-is-taken",
    "a-new-key-that-was-given-up",
    "an-answer-under-the-old-key",
    "a-cosignature-under-the-old-key",
    "evidence-under-the-old-key",
    "two-answers-under-two-keys",
    "framed-across-a-change-of-keys",
    "the-new-key-answers-the-old-question",
    "an-again-about-another-question",
    "an-again-of-another-round",
    "an-again-for-another-party",
    "a-skipped-draw-that-is-used",
    "an-amendment-that-not-all-accepted",
    "no-caption",
)
"""Some of each: enough to find a verifier that forgets one of the rules."""

ABOUT = (
    "Copies of small matters with the verdict that each must get. `copy` and `corpus` are paths from this file's "
    "folder; `trust` holds the fingerprints that the reader knows, by role. `verdict` is verified, not closed, "
    "rejected or undecided; `checks` are those that must fail and no others, `outcomes` says how each of the 33 must "
    "end; `blamed` are the parties that must be named and no others. A case with `other` compares two copies instead: "
    "`result` is what must come out."
)
ORIGIN = "Generated by `python -m tests.vectors.generate` from simulated matters; nothing is taken from elsewhere."
FLAGS = {
    "Valid": "nothing is wrong with it",
    "NotClosed": "nothing is wrong with it, and its end is not signed by all",
    "Cheat": "somebody broke a rule with their own key, and is proven to have done so",
    "Damage": "somebody without any key changed it; nobody is blamed",
    "Forged": "made as a whole under other keys than those that the reader trusts",
    "Corpus": "needs the sealed corpus",
    "Edge": "at a place where a reader of the specification could guess wrongly",
    "Comparison": "two copies of one matter, or of what pretends to be one",
}


def write(folder: Path) -> None:
    """Write all files again, and take away what no case names any more."""
    for name in ("transcripts", "corpora"):
        shutil.rmtree(folder / name, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        made = list(Maker(folder, Path(scratch)).cases())
    outcomes = stated_outcomes()
    if list(outcomes) != [case.id for case in made if case.other is None]:
        raise ValueError("outcomes.txt must have a line for each case that has a verdict, in the order of the cases")
    cases = [case.data(outcomes.get(case.id, {})) for case in made]
    listed = {"about": ABOUT, "origin": ORIGIN, "flags": FLAGS, "cases": cases}
    (folder / "transcripts.json").write_bytes(text_of(listed).encode())


class Maker:
    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder, self.scratch = folder, scratch
        self.seeds: dict[str, str] = {}  # tried in place of those that the courses state
        self.genuine: dict[str, dict[Audience, Lines]] = {}
        for name in ("transcripts", "corpora"):
            (folder / name).mkdir()
        self.corpus = self.corpus_named("plain")
        self.wrong = corpora.with_a_wrong_row(self.corpus_named("wrong-row"), document=7)
        self.count = 0

    def cases(self) -> Iterator[Case]:
        yield from self.valid()
        yield from self.cheats(CHEATS)
        yield from self.cheats({name: EVENTS[name] for name in EVENTFUL_CHEATS})
        yield self._wrong_features()
        yield from self.copy_cheats()
        yield from self.forgeries()
        yield from self.eventful_forgeries()
        yield from self.damaged()
        yield from self.forged()
        yield from edges.cases(self)
        yield from spotchecks.cases(self)
        yield from clawbacks.cases(self)
        yield from witnessed.cases(self)
        yield from withheldparts.cases(self, self.folder)
        yield from settled.cases(self)
        yield from self.compared()

    def seeds_of(self, course: str) -> dict[str, str]:
        return {"seed": self.seeds[course]} if course in self.seeds else {}

    def corpus_named(self, name: str) -> Corpus:
        return corpora.doubled(self.folder / "corpora" / name, documents=20, responsive=8)

    def play(self, corpus: Corpus, played: Simulated, **cheat: Any) -> Path:
        self.count += 1
        path = self.scratch / f"{self.count}.matter"
        play(corpus, played, path, **cheat)
        return path

    def lines(self, path: Path, played: Simulated, audience: Audience) -> Lines:
        return cut(path, played, audience, self.scratch / "copy.jsonl").read_bytes().splitlines()

    def store(self, name: str, lines: Lines, end: bytes = b"\n") -> str:
        place = f"transcripts/{name}.jsonl"
        (self.folder / place).write_bytes(b"".join(line + end for line in lines))
        return place

    def store_compressed(self, name: str, lines: Lines) -> str:
        return self.store_bytes(name, gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0))

    def store_bytes(self, name: str, data: bytes) -> str:
        """A compressed copy, or what looks like one."""
        place = f"transcripts/{name}.jsonl.gz"
        (self.folder / place).write_bytes(data)
        return place

    def valid(self) -> Iterator[Case]:
        for protocol in ("reveal-all", "label", "classifier"):
            played = plan(self.corpus, players=DISPUTED, protocol=protocol, **AGREED)
            path = self.play(self.corpus, played)
            for audience in EVERYBODY:
                name = f"valid-{protocol}-{audience}"
                is_court = audience is Audience.COURT
                yield Case(
                    id=name,
                    comment=f"a whole matter by {protocol!r} with disputes, in the copy for {audience}",
                    flags=("Valid", "Corpus") if is_court else ("Valid",),
                    copy=self.store(name, self.lines(path, played, audience)),
                    corpus="corpora/plain" if is_court else None,
                    verdict="verified",
                )
        for name, comment, agreed, players in VARIED:
            played = plan(self.corpus, players=players, **agreed)
            yield Case(
                id=f"valid-{name}",
                comment=comment,
                flags=("Valid", "Corpus"),
                copy=self.store(f"valid-{name}", self.lines(self.play(self.corpus, played), played, Audience.COURT)),
                corpus="corpora/plain",
                verdict="verified",
            )
        yield from self._eventful()
        yield from self._unfinished()
        yield from self._ended_without_bob()
        yield self._withdrawn()

    def _eventful(self) -> Iterator[Case]:
        """Privilege, silence, a new key and amendments, all in one matter."""
        for protocol in ("label", "classifier", "reveal-all"):
            played = plan(self.corpus, players=DISPUTED, protocol=protocol, **(AGREED | eventful.AGREED))
            path = self.play(self.corpus, played, course=EventfulRun)
            for audience in EVERYBODY if protocol == "label" else (Audience.BOB,):
                name = f"valid-eventful-{protocol}-{audience}"
                is_court = audience is Audience.COURT
                yield Case(
                    id=name,
                    comment=f"privilege, silence, a new key and amendments under {protocol!r}, for {audience}",
                    flags=("Valid", "Corpus") if is_court else ("Valid",),
                    copy=self.store(name, self.lines(path, played, audience)),
                    corpus="corpora/plain" if is_court else None,
                    verdict="verified",
                )

    def _unfinished(self) -> Iterator[Case]:
        played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        path = self.scratch / "open.matter"
        with CheatingRun(self.corpus, played, path) as run:
            while len(run.state.rounds) < 2 or not run.state.rounds[-1].waves:
                run.step()
        for audience in (Audience.BOB, Audience.COURT):
            name = f"valid-not-closed-{audience}"
            yield Case(
                id=name,
                comment="a matter in the midst of its second round, whose labels Bob may not see yet",
                flags=("NotClosed",),
                copy=self.store(name, self.lines(path, played, audience)),
                verdict="not closed",
            )

    def _ended_without_bob(self) -> Iterator[Case]:
        """Bob does not sign the end, and the court lets the matter end without his signature, or waits."""
        for granted in (True, False):
            played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
            path = self.scratch / f"unsigned-{granted}.matter"
            with CheatingRun(self.corpus, played, path) as run:
                while run.step():
                    pass
                run.desk.default(Role.BOB, run.desk.log.history.head)
                run.desk.accept(answers.order(run.court, granted))
                run.cosign(without=(Role.BOB,))
            name = f"valid-{'ended' if granted else 'waits'}-without-bob-public"
            then = "lets the matter end without him" if granted else "waits for him"
            yield Case(
                id=name,
                comment=f"Bob does not sign the end, and the court {then}",
                flags=("Valid",) if granted else ("NotClosed",),
                copy=self.store(name, self.lines(path, played, Audience.PUBLIC)),
                verdict="verified" if granted else "not closed",
            )

    def _withdrawn(self) -> Case:
        """Bob sends other labels and says which ones they replace; Trent files both."""
        played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        first: list[Addition] = []

        def change(run: CheatingRun, addition: Addition) -> Addition | None:
            if addition.statement.kind == "labels" and not first:
                first.append(addition)
            elif first and not run.cheated and addition.statement.author is Role.TRENT:
                replaced = hash_statement(entries.encode_statement(first[0].statement))
                later = run.resigned(first[0], replaces=(replaced,), content={"labels": []})
                if later.signature is None:
                    raise RuntimeError("a party's answer is signed")
                run.cheated += 1
                run.desk.keep_as_evidence(
                    SignedStatement(signature=later.signature, statement=later.statement), run.trent.seal
                )
            return None

        path = self.scratch / "withdrawn.matter"
        play(self.corpus, played, path, change=change)
        name = "valid-withdrawn-answer-bob"
        return Case(
            id=name,
            comment="a second answer of Bob's is on record, which says that it replaces the first: no fault",
            flags=("Valid",),
            copy=self.store(name, self.lines(path, played, Audience.BOB)),
            verdict="verified",
        )

    def cheats(self, cheats: Mapping[str, Cheat]) -> Iterator[Case]:
        for name, cheat in cheats.items():
            agreed = AGREED | dict(cheat.terms)
            played = plan(self.corpus, players=dict(cheat.players), protocol=cheat.protocol, **agreed)
            path = self.play(self.corpus, played, **cheat.bends)
            audience = Audience.BOB if Audience.BOB in cheat.caught_in else Audience.COURT
            yield Case(
                id=name,
                comment=cheat.comment,
                flags=("Cheat", "Corpus") if cheat.needs_corpus else ("Cheat",),
                copy=self.store(name, self.lines(path, played, audience)),
                corpus="corpora/plain" if cheat.needs_corpus else None,
                verdict="rejected",
                checks=(cheat.check,),
                blamed=(cheat.who,),
            )

    def _wrong_features(self) -> Case:
        played = plan(self.wrong, protocol="label", **AGREED)
        name = "trent-uses-features-that-are-not-the-documents"
        return Case(
            id=name,
            comment="the committed row of one document is not that of its text",
            flags=("Cheat", "Corpus"),
            copy=self.store(name, self.lines(self.play(self.wrong, played), played, Audience.COURT)),
            corpus="corpora/wrong-row",
            verdict="rejected",
            checks=("V22",),
            blamed=("trent",),
        )

    def copy_cheats(self) -> Iterator[Case]:
        played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        for name, cheat in COPY_CHEATS.items():
            path = self.play(self.corpus, played, **cheat.matter)
            copies = {audience: self.lines(path, played, audience) for audience in EVERYBODY}
            yield Case(
                id=name,
                comment=cheat.comment,
                flags=("Cheat",),
                copy=self.store(name, made(cheat, copies, played)),
                verdict="rejected",
                checks=(cheat.check,),
                blamed=(cheat.who,),
            )

    def forgeries(self) -> Iterator[Case]:
        played = genuine.with_same_keys(plan(self.corpus, players=DISPUTED, protocol="label", **AGREED))
        lines = self.lines(self.play(self.corpus, played), played, Audience.BOB)
        for name, forgery in FORGERIES.items():
            yield self._forgery(name, forgery, lines)

    def eventful_forgeries(self) -> Iterator[Case]:
        terms = AGREED | eventful.AGREED
        played = genuine.with_same_keys(plan(self.corpus, players=DISPUTED, protocol="label", **terms))
        lines = self.lines(self.play(self.corpus, played, course=EventfulRun), played, Audience.BOB)
        for name in EVENTFUL_FORGERIES:
            yield self._forgery(name, EVENTFUL[name], lines)

    def _forgery(self, name: str, forgery: Forgery, lines: Lines) -> Case:
        return Case(
            id=f"forgery-{name}",
            comment=forgery.comment,
            flags=("Cheat",) if forgery.who else ("Damage",),
            copy=self.store(f"forgery-{name}", forge(lines, dict(KEYS), forgery)),
            verdict=forgery.verdict,
            checks=(forgery.check,) if forgery.check else (),
            blamed=(forgery.who,) if forgery.who else (),
        )

    def damaged(self) -> Iterator[Case]:
        played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        path = self.play(self.corpus, played)
        bob, court = (self.lines(path, played, audience) for audience in (Audience.BOB, Audience.COURT))
        label = next(place for place, line in enumerate(bob) if b'"labels":{"indices":[0]' in line)
        changes: dict[str, tuple[str, Lines]] = {
            "a-changed-byte": ("a digit of an entry is another", [*bob[:9], _other_digit(bob[9]), *bob[10:]]),
            "a-changed-label": (
                "an opened label is another, and the manifest does not cover it",
                [*bob[:label], _other_label(bob[label]), *bob[label + 1 :]],
            ),
            "a-dropped-line": ("an entry is missing", [*bob[:12], *bob[13:]]),
            "a-repeated-line": ("an entry stands there twice", [*bob[:12], bob[11], *bob[12:]]),
            "swapped-lines": ("two entries are exchanged", [*bob[:8], bob[9], bob[8], *bob[10:]]),
            "cut-short": ("the last ten lines are missing", bob[:-10]),
            "without-its-checkpoint": ("the checkpoint is missing", bob[:-1]),
            "openings-of-the-court": ("the lines are the court's, the manifest is Bob's", [bob[0], *court[1:]]),
            "a-blank": ("a blank stands behind a comma", [*bob[:5], bob[5].replace(b",", b", ", 1), *bob[6:]]),
            "a-repeated-key": ("a key stands twice", [*bob[:5], bob[5].replace(b"{", b'{"a":1,"a":1,', 1), *bob[6:]]),
            "another-format": ("the manifest names a format of the future", [_other_format(bob[0]), *bob[1:]]),
            "no-attachment": (
                "a model is missing in the court's copy",
                [line for line in court if not line.startswith(b'{"attachment"')],
            ),
            "empty": ("the file is empty", []),
        }
        for name, (comment, lines) in changes.items():
            yield Case(
                id=f"damage-{name}",
                comment=comment,
                flags=("Damage",),
                copy=self.store(f"damage-{name}", lines),
                verdict="undecided",
            )
        yield Case(
            id="damage-windows-line-ends",
            comment="an editor has changed the line ends",
            flags=("Damage",),
            copy=self.store("damage-windows-line-ends", bob, end=b"\r\n"),
            verdict="undecided",
        )
        yield Case(
            id="damage-another-corpus",
            comment="a good copy, with a corpus of which one row was changed",
            flags=("Damage", "Corpus"),
            copy="transcripts/valid-label-court.jsonl",
            corpus="corpora/wrong-row",
            verdict="undecided",
        )

    def forged(self) -> Iterator[Case]:
        """Somebody makes a whole matter in which "Alice" reports twice, under keys of his own."""
        cheat = CHEATS["alice-reports-twice"]
        played = plan(self.corpus, protocol=cheat.protocol, **AGREED)
        known = {role.value: [fingerprint(SigningKey(bytes([place] * 32)).public)] for place, role in enumerate(Role)}
        path = self.play(self.corpus, played, **cheat.bends)
        yield Case(
            id="forged-under-other-keys",
            comment="whole and signed, and its Alice reports twice, but none of its keys is one that the reader trusts",
            flags=("Forged",),
            copy=self.store("forged-under-other-keys", self.lines(path, played, Audience.ALICE)),
            trust=known,
            verdict="rejected",
            checks=("V04", "V19"),
        )
        genuine = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        yield Case(
            id="valid-trusted",
            comment="a good copy under the keys that the reader trusts",
            flags=("Valid",),
            copy="transcripts/valid-label-bob.jsonl",
            trust={role.value: [fingerprint(genuine.key(role).public)] for role in Role},
            verdict="verified",
        )

    def compared(self) -> Iterator[Case]:
        played = plan(self.corpus, players=DISPUTED, protocol="label", **AGREED)
        other = self.play(self.corpus, played, change=of_kind("claims", saying(found=lambda number: number + 1)))
        name = "two-histories-alice"
        self.store(name, self.lines(other, played, Audience.ALICE))
        label = "transcripts/valid-label-bob.jsonl"
        for ident, comment, second, result, blamed in (
            ("compare-same", "one history in two copies", "valid-label-court", "same history", ()),
            ("compare-earlier", "a copy and an earlier one", "valid-not-closed-bob", "one continues the other", ()),
            ("compare-two-histories", "Trent showed Alice other claims", name, "two histories", ("trent",)),
            ("compare-two-matters", "two simulations with two Trents", "valid-classifier-bob", "undecided", ()),
            ("compare-damaged", "one of the copies is damaged", "damage-a-changed-byte", "undecided", ()),
        ):
            yield Case(
                id=ident,
                comment=comment,
                flags=("Comparison",),
                copy=label,
                other=f"transcripts/{second}.jsonl",
                result=result,
                blamed=blamed,
            )
        for ident, comment, second in (
            ("compare-broken-chain", "an entry that breaks the chain", "edge-trent-countersigns-himself"),
            ("compare-wrong-shape", "an entry of a wrong shape", "edge-a-signed-integer-too-large"),
        ):
            yield Case(
                id=ident,
                comment=f"Trent signed two entries of one number, of which one is {comment}",
                flags=("Comparison", "Edge"),
                copy="transcripts/edge-two-checkpoints.jsonl",
                other=f"transcripts/{second}.jsonl",
                result="two histories",
                blamed=("trent",),
            )


def _other_digit(line: bytes) -> bytes:
    """The line with another time."""
    value: Any = canonical.decode(line)
    value["entry"]["body"]["time"] += 1
    return canonical.encode(value)


def _other_label(line: bytes) -> bytes:
    value: Any = canonical.decode(line)
    labels = value["openings"]["labels"]["values"][0]
    labels[0] = not labels[0]
    return canonical.encode(value)


def _other_format(line: bytes) -> bytes:
    value: Any = canonical.decode(line)
    value["manifest"]["format"] = 2
    return canonical.encode(value)
