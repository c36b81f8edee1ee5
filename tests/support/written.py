"""A matter written down entry by entry by whoever holds all keys, and told to the verifier as it is written.

Whatever a party could sign, and whatever Trent could log, can be written here in a line. Sealed values are made up, and
shown only where a test says so.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from ledger import canonical, checkpoints
from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.roles import Role as Signer
from tests.support.builders import KEYS
from verifier.checks import Role
from verifier.findings import Fault, Finding
from verifier.record.chain import Chain
from verifier.record.copy import Told
from verifier.record.entries import Entry, read_body
from verifier.record.openings import Openings
from verifier.replay import claims
from verifier.replay.contents import METHOD
from verifier.replay.matter import Replay
from verifier.replay.turns import Turns
from verifier.rules import coins
from verifier.tally import Tally
from verifier.verdict import Verdict
from verifier.verification import verify

MATTER = sha256(b"a written matter").digest()
SIZE = 3  # documents in a batch
OWNERS = ["alice", "court"]
PARTIES = ["alice", "bob", "court"]
NEW_KEYS = [SigningKey(sha256(f"new key {number}".encode()).digest()) for number in range(9)]


def sealed(audiences: Sequence[str], *names: str) -> dict[str, Any]:
    """A sealed field with a commitment for each name."""
    return {"audiences": list(audiences), "commitments": [sha256(name.encode()).hexdigest() for name in names]}


def account(documents: int) -> dict[str, Any]:
    """What was received where every item is a document."""
    nothing = dict.fromkeys(("containers", "custodians", "duplicates", "exceptions", "unread"), 0)
    all_of_them = dict.fromkeys(("entered", "families", "items", "parts"), documents)
    return nothing | all_of_them | {"first": "", "last": "", "list": "33" * 32, "protections": [], "reasons": {}}


class Written:
    """A matter so far, as a public copy shows it."""

    def __init__(self, *, rounds: int = 2, draws: int = 8) -> None:
        self.chain, self.tally = Chain(), Tally()
        self.replay = Replay(self.tally)
        self.keys: dict[Role, SigningKey] = {Role(role): key for role, key in KEYS.items()}
        self.hashes: list[bytes] = []
        self.lines: list[dict[str, Any]] = []
        self.told: list[Told] = []
        self.links = {role: _links(role, draws) for role in coins.DRAWERS}
        self._open(rounds, draws)

    @property
    def turns(self) -> Turns:
        return self.replay.state.turns

    @property
    def findings(self) -> list[tuple[str, str | None]]:
        """Checks and blamed parties."""
        return [(each.check, each.party) for each in self.tally.findings]

    def trent(
        self,
        kind: str,
        content: Mapping[str, Any],
        *,
        asks: Sequence[str] = (),
        shown: Mapping[str, Sequence[Any]] | None = None,
        releases: Sequence[Any] = (),
        **fields: Any,
    ) -> int:
        """An entry of Trent's own; `shown` are sealed values that the copy opens. Returns its number."""
        said = self.statement("trent", kind, content, answers=None, **fields)
        return self._log(said, None, asks=asks, releases=releases, shown=shown or {})

    def answer(
        self, role: str, kind: str, content: Mapping[str, Any], *, asks: Sequence[str] = (), **fields: Any
    ) -> int:
        """A party answers what it must answer now, or the entry that is given, with its key in force."""
        said = self.statement(role, kind, content, **fields)
        return self.log_signed(said, self.signature(said), asks=asks)

    def log_signed(self, said: Mapping[str, Any], signature: str, *, asks: Sequence[str] = ()) -> int:
        """Trent logs what a party has signed."""
        return self._log(said, signature, asks=asks, releases=(), shown={})

    def statement(self, role: str, kind: str, content: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
        awaited = self.turns.awaited.get(Role(role))
        question = (
            {"answers": awaited.question.hex(), "round": awaited.round} if awaited else {"answers": None, "round": 0}
        )
        rest: dict[str, Any] = {"replaces": [], "sealed": {}} | question | fields
        return {"author": role, "kind": kind, "content": dict(content), "matter": MATTER.hex()} | rest

    def signature(self, said: Mapping[str, Any], key: SigningKey | None = None) -> str:
        return (key or self.keys[Role(said["author"])]).sign("statement", canonical.encode(dict(said))).hex()

    def _log(
        self,
        said: Mapping[str, Any],
        signature: str | None,
        *,
        asks: Sequence[str],
        releases: Sequence[Any],
        shown: Mapping[str, Sequence[Any]],
    ) -> int:
        number = len(self.hashes)
        body: dict[str, Any] = {
            "asks": list(asks),
            "matter": MATTER.hex(),
            "previous": (self.hashes[-1] if self.hashes else bytes(32)).hex(),
            "releases": list(releases),
            "sequence": number,
            "signature": signature,
            "statement": dict(said),
            "time": 0,
        }
        signed = canonical.encode(body)
        trent = self.keys[Role.TRENT].sign("entry", signed)
        statement = canonical.encode(body["statement"])
        entry = Entry(body=read_body(body), body_bytes=signed, statement_bytes=statement, signature=trent)
        digest = self.chain.admit(entry)
        values = {field: dict(enumerate(opened)) for field, opened in shown.items()}
        told = Told(entry=entry, hash=digest, values=values, openings=Openings([], b"{}"), sound=True, attachments={})
        self.replay.tell(told)
        self.hashes.append(digest)
        self.told.append(told)
        self.lines.append({"entry": {"body": body, "signature": trent.hex()}, "openings": {}})
        return number

    # The usual course

    def _open(self, rounds: int, draws: int) -> None:
        terms = {"batch": SIZE, "delta": "0.5", "doubt": "0.05", "draws": draws, "k": 1, "protocol": "label"}
        texts = dict.fromkeys(("alice", "bob", "court", "label", "seed"), "x")
        self.trent(
            "open",
            {
                "anchor": self.links[Role.TRENT][0].hex(),
                "caption": None,
                "corpus": {"account": account(40), "documents": 40, "root": "11" * 32, "unit": "family"},
                "format": 1,
                "keys": {role.value: key.public.hex() for role, key in self.keys.items()},
                "method": METHOD,
                "simulation": texts | {"responsive": 1, "truth": "22" * 32},
                "terms": terms
                | {"classes": None, "query": "", "rounds": rounds, "validation": None, "witnesses": None},
            },
            asks=PARTIES,
            sealed={"account": sealed(["alice", "court"], "account"), "vocabulary": sealed(["court"], "vocabulary")},
        )
        for role in ("alice", "bob"):
            self.answer(role, "agreed", {"anchor": self.links[Role(role)][0].hex()})
        self.answer(
            "court", "deposited", {"anchors": {role.value: self.links[role][0].hex() for role in coins.DRAWERS}}
        )

    def link(self, role: str, draw: int) -> dict[str, Any]:
        """The content of a link."""
        return {"draw": draw, "link": self.links[Role(role)][draw].hex()}

    def batch(self) -> None:
        """A round begins with a batch, by coin or by model as it must, and Alice must report."""
        draw, number = self.replay.state.draws + 1, self.replay.state.next_round
        documents = sealed(OWNERS, *(f"{number} {place}" for place in range(SIZE)))
        numbers = sealed(OWNERS, f"numbers {number}")
        if not self.replay.state.one_class:
            content: dict[str, Any] = {"drawn": None, "near_cut": 0, "size": SIZE}
            hidden = {"documents": documents, "model": sealed(["court"], f"model {number}"), "numbers": numbers}
            self.trent("batch", content, asks=["alice"], round=number, sealed=hidden)
            return
        self.trent("draw", {"draw": draw}, asks=["alice", "bob"], round=number)
        for role in ("alice", "bob"):
            self.answer(role, "link", self.link(role, draw))
        content = {"drawn": self.link("trent", draw), "near_cut": None, "size": SIZE}
        hidden = {"documents": documents, "numbers": numbers}
        self.trent("batch", content, asks=["alice"], round=number, sealed=hidden)

    def report(self, draw: int | None = None, seal: str = "") -> int:
        """Alice reports, for this draw or the next one."""
        return self.answer("alice", "report", **self.reported(draw, seal), asks=["bob"])

    def reported(self, draw: int | None = None, seal: str = "") -> dict[str, Any]:
        """What a report says and seals."""
        content = self.link("alice", draw or self.replay.state.draws + 1) | {"openings": "33" * 32}
        return {"content": content, "sealed": {"labels": sealed(OWNERS, seal)}}

    def close(self, *responsive: int) -> None:
        """The round ends with these output labels. Nothing was shown, as far as a public copy can tell."""
        current, draw = self.replay.state.current, self.replay.state.draws
        if current is None:
            raise RuntimeError("no round is open")
        releases = [
            {"audience": "bob", "entry": current.report_entry, "field": name, "indices": None}
            for name in sorted(current.report_fields)
        ]
        numbers = dict.fromkeys(("error", "sampled", "threshold"), 0)
        content = {
            "compelled": False,
            "responsive": list(responsive),
            "truth": {"responsive": 0, "revealed": 0},
        } | numbers
        self.trent("closed", content | self.link("trent", draw), round=current.number, releases=releases)

    def hold_round(self) -> None:
        self.batch()
        self.report()
        self.answer("bob", "link", self.link("bob", self.replay.state.draws))
        self.close()

    def end(self) -> None:
        """The claims."""
        due = claims.recomputed(self.replay.state)
        self.trent("claims", json.loads(json.dumps(asdict(due))))

    # What comes at any time

    def rekey(self, role: str, *, granted: bool = True) -> None:
        """The court is asked for a new key, and grants it or not."""
        new = NEW_KEYS[len(self.chain.enrolments()) - len(Role)]
        content = {"key": new.public.hex(), "role": role}
        self.trent("rekey", content, asks=["court"])
        self.answer("court", "rekeyed", content | {"granted": granted})
        if granted:
            self.keys[Role(role)] = new

    def again(self, role: str, **fields: Any) -> int:
        """Trent asks again."""
        void = self.turns.void[Role(role)]
        content = {"question": void.question.hex()}
        return self.trent("again", fields.pop("content", content), asks=[role], **({"round": void.round} | fields))

    def silent(self, role: str, *, granted: bool = True, served: int = -1) -> None:
        """A party does not answer, or does not sign the end, and the court decides."""
        content = {"absent": role, "served": self.hashes[served].hex()}
        self.trent("default", content, asks=["court"])
        self.answer("court", "order", content | {"granted": granted, "link": None})

    def conflict(self, answer: int, evidence: Any, *, shown: bool = True, audiences: Sequence[str] = PARTIES) -> int:
        """Trent files another answer than that of an entry; `evidence` is the statement, or a whole value."""
        value = {"signature": self.signature(evidence), "statement": evidence} if "author" in evidence else evidence
        round_ = self.lines[answer]["entry"]["body"]["statement"]["round"]
        return self.trent(
            "conflict",
            {"answer": answer},
            round=round_,
            sealed={"evidence": sealed(audiences, f"evidence {len(self.hashes)}")},
            shown={"evidence": [value]} if shown else {},
        )

    def hash_of(self, said: Mapping[str, Any]) -> str:
        """A statement's hash, by which another withdraws it."""
        return tagged_hash("statement", canonical.encode(dict(said))).hex()

    def said_in(self, number: int) -> dict[str, Any]:
        """The statement of an entry."""
        return dict(self.lines[number]["entry"]["body"]["statement"])

    # The copy

    def verdict(self, folder: Path, *signers: str, **options: Any) -> Verdict:
        """The verdict on the public copy, whose end these parties have signed."""
        state = Checkpoint(
            matter=Digest(MATTER),
            size=self.chain.size,
            root=Digest(self.chain.tree.root()),
            head=Digest(self.chain.head),
        )
        note = str(checkpoints.sign(state, self.keys[Role.TRENT]))
        note += "".join(str(checkpoints.cosign(state, Signer(role), self.keys[Role(role)], 5)) for role in signers)
        manifest: dict[str, Any] = {
            "audience": "public",
            "checkpoints": [tagged_hash("note", note.encode()).hex()],
            "format": 1,
            "head": state.head.hex(),
            "matter": MATTER.hex(),
            "openings": 0,
            "openings_root": sha256(b"").hexdigest(),
            "root": state.root.hex(),
            "size": state.size,
        }
        signature = self.keys[Role.TRENT].sign("manifest", canonical.encode(manifest)).hex()
        lines: list[dict[str, Any]] = [
            {"manifest": manifest, "signature": signature},
            *self.lines,
            {"checkpoint": note},
        ]
        path = folder / "copy.jsonl"
        path.write_bytes(b"".join(canonical.encode(line) + b"\n" for line in lines))
        return verify(path, **options)


def _links(role: Role, draws: int) -> list[bytes]:
    """A whole coin chain: link 0 is the anchor."""
    links = [sha256(f"root of {role}".encode()).digest()]
    for number in range(draws, 0, -1):
        links.insert(0, coins.link_before(MATTER, role, number, links[0]))
    return links


def refused(fault: Fault) -> tuple[str, str | None]:
    """What a fault of the record is, and whose."""
    finding: Finding = fault.finding
    return finding.check, finding.party
