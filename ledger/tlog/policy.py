"""A policy: which logs are known, and whose cosignatures a checkpoint needs, as c2sp.org/tlog-policy defines it.

    log trent.example/log+5c0f...            a log's key, and its address if one likes
    witness court court.example/w+91ab... https://court.example/witness
    witness bar bar.example/w+77d0...
    group outsiders any court bar            or `all`, or how many
    quorum outsiders                         or `none`

A policy is somebody's own choice of whom to believe: it is read from a file, never from a log.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from ledger import notes
from ledger.errors import LedgerError
from ledger.notes import BadNote, Note, NoteKey, SignatureType
from ledger.tlog import checkpoint

MAX_SIZE = 2**20
"""Largest policy in bytes."""
MAX_LINES = 2**10
"""Most logs, witnesses and groups together."""

NONE = "none"
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


class BadPolicy(LedgerError):
    """The text is not a policy; the message says which line."""


class NotWitnessed(LedgerError):
    """The checkpoint does not satisfy the policy. That blames nobody: a cosignature may just not be there yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLog:
    """A log that the policy accepts."""

    key: NoteKey
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A witness under its name in the policy; with its address if it can be asked."""

    name: str
    key: NoteKey
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Witnesses, as soon as `least` of the members are."""

    name: str
    least: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a checkpoint needs to be accepted."""

    logs: tuple[KnownLog, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]  # each after its members
    quorum: str

    @property
    def keys(self) -> tuple[NoteKey, ...]:
        """The keys of the logs."""
        return tuple(each.key for each in self.logs)

    def log_of(self, note: Note, log: NoteKey | None = None) -> NoteKey:
        """The known log that has signed a checkpoint; `log` is the one to expect if the policy lists none."""
        known = self.keys or (() if log is None else (log,))
        try:
            origin = checkpoint.parse(note.text).origin
            named = [key for key in known if key.name == origin]
            if not named:
                raise NotWitnessed(f"the policy does not list the log {origin}")
            signed = note.signed_by(named)
        except BadNote as error:
            raise NotWitnessed(str(error)) from None
        if not signed:
            raise NotWitnessed(f"the checkpoint is not signed by the key that the policy lists for the log {origin}")
        return signed[0]

    def cosigned(self, note: Note) -> tuple[str, ...]:
        """Which of the witnesses have cosigned a checkpoint, in the policy's order."""
        names = {each.key: each.name for each in self.witnesses}
        try:
            return tuple(names[key] for key in note.signed_by(names))
        except BadNote as error:
            raise NotWitnessed(str(error)) from None

    def check(self, note: Note, log: NoteKey | None = None) -> tuple[str, ...]:
        """Who has witnessed the checkpoint of a known log, if they are enough; else `NotWitnessed` says what lacks."""
        self.log_of(note, log)
        found = self.cosigned(note)
        if not self.suffices(found):
            raise NotWitnessed(f"the quorum {self.quorum} is not reached: {_listed(found)} cosigned the checkpoint")
        return found

    def suffices(self, cosigned: Collection[str]) -> bool:
        """Whether these witnesses reach the quorum."""
        reached = set(cosigned)
        for group in self.groups:
            if sum(member in reached for member in group.members) >= group.least:
                reached.add(group.name)
        return self.quorum == NONE or self.quorum in reached


def _listed(names: Collection[str]) -> str:
    return f"only {', '.join(names)}" if names else "no witness of the policy"


def decode(data: bytes) -> Policy:
    """A policy from a file's bytes. What is not ASCII is opaque, as the format wants it."""
    if len(data) > MAX_SIZE:
        raise BadPolicy(f"a policy has at most {MAX_SIZE} bytes")
    return parse(data.decode(errors="surrogateescape"))


def parse(text: str) -> Policy:
    """A policy from its text."""
    reader = _Reader()
    lines = text.split("\n")
    if lines.pop():
        raise BadPolicy("the last line of the policy does not end with a newline: the file may be cut")
    for number, line in enumerate(lines, start=1):
        try:
            reader.take(line)
        except (BadPolicy, BadNote) as error:
            raise BadPolicy(f"line {number} of the policy: {error}") from None
    return reader.policy()


@dataclass(slots=True)
class _Reader:
    """The lines of a policy so far."""

    logs: list[KnownLog] = field(default_factory=list)
    witnesses: list[Witness] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    quorum: str | None = None
    named: set[str] = field(default_factory=set)
    placed: set[str] = field(default_factory=set)  # what is a member of a group

    def take(self, line: str) -> None:
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", line):
            raise BadPolicy("it holds a control character; only tabs and newlines are allowed")
        words = re.findall(r"[^ \t]+", line)
        if not words or words[0].startswith("#"):
            return
        if len(self.logs) + len(self.named) >= MAX_LINES:
            raise BadPolicy(f"there are more than {MAX_LINES} logs, witnesses and groups")
        match words:
            case ["log", vkey, *url] if len(url) < 2:
                self._log(vkey, *url)
            case ["witness", name, vkey, *url] if len(url) < 2:
                self._witness(name, vkey, *url)
            case ["group", name, least, *members] if members:
                self._group(name, least, members)
            case ["quorum", name]:
                self._quorum(name)
            case _:
                raise BadPolicy(
                    "it is neither `log VKEY [URL]`, `witness NAME VKEY [URL]`, `group NAME any|all|NUMBER NAME...` "
                    "nor `quorum NAME`"
                )

    def policy(self) -> Policy:
        if self.quorum is None:
            raise BadPolicy("the policy has no quorum line; without witnesses it is `quorum none`")
        return Policy(
            logs=tuple(self.logs), witnesses=tuple(self.witnesses), groups=tuple(self.groups), quorum=self.quorum
        )

    def _log(self, vkey: str, url: str | None = None) -> None:
        key = _key(vkey, SignatureType.ED25519, "a log signs with type 1")
        if key.key in {each.key.key for each in self.logs}:
            raise BadPolicy("this log's key is listed twice")
        self.logs.append(KnownLog(key=key, url=url))

    def _witness(self, name: str, vkey: str, url: str | None = None) -> None:
        self._name(name)
        key = _key(vkey, SignatureType.COSIGNATURE, "a witness cosigns with type 4")
        if key.key in {each.key.key for each in self.witnesses}:
            raise BadPolicy("this witness's key is listed twice")
        self.witnesses.append(Witness(name=name, key=key, url=url))

    def _group(self, name: str, least: str, members: list[str]) -> None:
        for member in members:
            self._check_defined(member)
            if member in self.placed:
                raise BadPolicy(f"{member} is a member of a group twice")
            self.placed.add(member)
        self._name(name)
        number = {"any": 1, "all": len(members)}.get(least) or (int(least) if _NUMBER.fullmatch(least) else 0)
        if not 1 <= number <= len(members):
            raise BadPolicy(f"{least} is neither any, all, nor a number from 1 to {len(members)}")
        self.groups.append(Group(name=name, least=number, members=tuple(members)))

    def _quorum(self, name: str) -> None:
        if self.quorum is not None:
            raise BadPolicy("there is a second quorum line")
        if name != NONE:
            self._check_defined(name)
        self.quorum = name

    def _name(self, name: str) -> None:
        if name == NONE or name in self.named:
            raise BadPolicy(f"the name {name} is taken")
        self.named.add(name)

    def _check_defined(self, name: str) -> None:
        if name not in self.named:
            raise BadPolicy(f"no line before it defines {name}")


def _key(vkey: str, wanted: SignatureType, said: str) -> NoteKey:
    key = notes.parse_vkey(vkey)
    if key.type is not wanted:
        raise BadPolicy(f"the verifier key of {key.name} has type {int(key.type)}, but {said}")
    return key
