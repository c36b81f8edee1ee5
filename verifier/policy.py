"""A policy (C2SP tlog-policy): which logs a reader knows, and whose cosignatures suffice for a checkpoint of one.

It is the reader's own choice, read from a file, never from a copy.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.findings import Unreadable
from verifier.plain import harmless
from verifier.reading import plain_file
from verifier.record import logs
from verifier.record.logs import BadProof, LogKey, LogNote

MAX_SIZE = 2**20
_MOST_LINES = 2**10
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NONE = "none"


@dataclass(slots=True)
class Policy:
    """Logs, witnesses by name, groups with how many members they need, and the name that must be reached."""

    logs: list[LogKey] = field(default_factory=list)
    witnesses: dict[str, LogKey] = field(default_factory=dict)
    groups: dict[str, tuple[int, list[str]]] = field(default_factory=dict)  # each after its members
    quorum: str | None = None

    def check(self, note: LogNote) -> list[str]:
        """Who has witnessed a log's checkpoint, if they suffice; raises `BadProof` otherwise."""
        known = [key for key in self.logs if key.name == note.origin]
        if not any(note.is_signed_by(key) for key in known):
            raise BadProof(f"the log {note.origin[:80]} is none that the policy lists")
        found = [name for name, key in self.witnesses.items() if note.is_signed_by(key)]
        if not self._reached(found):
            raise BadProof(f"the policy's quorum is not reached: {', '.join(found) or 'no witness'} cosigned")
        return found

    def _reached(self, cosigned: Collection[str]) -> bool:
        reached = set(cosigned)
        for name, (least, members) in self.groups.items():
            if sum(member in reached for member in members) >= least:
                reached.add(name)
        return self.quorum == _NONE or self.quorum in reached


def cosigned(names: Sequence[str]) -> str:
    """Who has witnessed a log, in words."""
    if not names:
        return "and your policy asks for no witness, so that its operator could show another log to others"
    return f"cosigned by {', '.join(map(harmless, names))}, whom your policy names"


def read(path: Path) -> Policy:
    """The policy in a file; `Unreadable` says what is wrong with it."""
    try:
        with plain_file(path) as file:
            data = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_SIZE or not data.endswith(b"\n"):
        raise Unreadable(f"{path} is not a policy: it is too long, or does not end with a newline")
    found, used = Policy(), set[str]()
    for number, line in enumerate(data.decode(errors="surrogateescape").split("\n"), start=1):
        if _CONTROL.search(line):
            raise Unreadable(f"{path}, line {number}: it holds a control character")
        words = re.findall(r"[^ \t]+", line)
        if words and not words[0].startswith("#"):
            try:
                _take(found, used, words)
            except (BadProof, ValueError) as error:
                raise Unreadable(f"{path}, line {number}: {error}") from None
    if found.quorum is None:
        raise Unreadable(f"{path} has no line with the quorum; without witnesses it is: quorum none")
    return found


def _take(found: Policy, used: set[str], words: list[str]) -> None:
    if len(found.logs) + len(_names(found)) >= _MOST_LINES:
        raise ValueError(f"there are more than {_MOST_LINES} logs, witnesses and groups")
    match words:
        case ["log", vkey] | ["log", vkey, _]:
            found.logs.append(_new(vkey, logs.PLAIN, found.logs))
        case ["witness", name, vkey] | ["witness", name, vkey, _]:
            _check_free(found, name)
            found.witnesses[name] = _new(vkey, logs.COSIGNATURE, found.witnesses.values())
        case ["group", name, least, *members] if members:
            _check_free(found, name)
            if any(each not in _names(found) or each in used for each in members) or len(set(members)) < len(members):
                raise ValueError("a member of the group is not defined before it, or is in a group already")
            used.update(members)
            number = {"any": "1", "all": str(len(members))}.get(least, least)
            if not re.fullmatch("[1-9][0-9]{0,5}", number) or int(number) > len(members):
                raise ValueError(f"{least} is neither any, all, nor a number of members")
            found.groups[name] = int(number), members
        case ["quorum", name] if found.quorum is None:
            if name != _NONE and name not in _names(found):
                raise ValueError(f"no line before it defines {name}")
            found.quorum = name
        case _:
            raise ValueError("this is no line of a policy")


def _new(vkey: str, kind: int, known: Collection[LogKey]) -> LogKey:
    key = logs.read_vkey(vkey)
    if key.type != kind:
        raise ValueError(f"the verifier key has type {key.type}, and {kind} is needed here")
    if key.key in {each.key for each in known}:
        raise ValueError("this key is listed twice")
    return key


def _names(found: Policy) -> set[str]:
    return {*found.witnesses, *found.groups}


def _check_free(found: Policy, name: str) -> None:
    if name == _NONE or name in _names(found):
        raise ValueError(f"the name {name} is taken")
