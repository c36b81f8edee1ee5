"""What Trent's buttons do. Each says in words what will be signed, then asks, then does it.

What is shown carries a mark of the matter as it stood. If the matter has changed when Trent confirms, nothing is done:
he would sign something else than what he has read.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger import keyfiles
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey, fingerprint
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import course, naming, sentences, summary
from protocol.matter.kinds import amend
from protocol.matter.kinds.amend import Amend
from protocol.matter.kinds.rekey import REPLACEABLE
from protocol.matter.naming import Telling
from protocol.operating import moments
from protocol.operating.loop import At
from protocol.operating.wishes import CALLED, Wanted, What
from protocol.parties.question import ASKED, COSIGN, GRANTED, proposed

Fields = Mapping[str, str]
_MOST_DIGITS = 6  # of a number of rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is about to happen, and the mark of the matter for which that is true."""

    title: str
    words: tuple[str, ...]
    button: str
    mark: str


class Changed(Refused):
    """The matter is no longer as it was shown."""

    def __init__(self) -> None:
        super().__init__(
            "the matter has changed since this was shown, and nothing was done. Look at it again, then decide again"
        )


def asked(at: At, name: str, fields: Fields) -> Asking:
    """What a button is about to do, or a refusal with the reason."""
    caption = at.office.state.opening.caption
    with naming.errors_told(caption, OutOfTurn):
        title, button, words = ACTIONS[name].about(at, fields)
    said = Telling(caption).said
    return Asking(title=said(title), words=tuple(map(said, words)), button=said(button), mark=at.mark)


def done(at: At, name: str, fields: Fields, mark: str) -> str:
    """Do it, if the matter is still as it was shown. Returns what was done, in words."""
    if at.mark != mark:
        raise Changed
    caption = at.office.state.opening.caption
    with naming.errors_told(caption, OutOfTurn):
        said = Telling(caption).said(ACTIONS[name].do(at, fields))
    at.run.tell(said)
    return said


@dataclass(frozen=True, slots=True)
class Action:
    """A button: its words, and what it does."""

    about: Callable[[At, Fields], tuple[str, str, list[str]]]  # a title, a button, and what will be signed
    do: Callable[[At, Fields], str]


def _about_release(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    current = _held(at)
    return (
        "Show Bob the next documents now",
        "Show them now",
        [
            f"Round {current}: Bob will be shown the documents that are due now, and not only at "
            f"{moments.moment(at.held or 0)}.",
            "Signed with your key: the same wave that would go out at that time. The record does not say that it went "
            "out earlier.",
            "Alice can no longer claim these documents as privileged beforehand. Do this only if she does not want the "
            "time.",
        ],
    )


def _release(at: At, fields: Fields) -> str:
    number = _held(at)
    at.hold.release(at.office.state)
    return f"Released: the next wave of round {number} goes out now."


def _held(at: At) -> int:
    current = at.office.state.current
    if at.held is None or current is None:
        raise OutOfTurn("no documents wait to be shown to Bob now")
    return current.number


def _wish(what: What, title: str, words: list[str]) -> Action:
    def about(at: At, fields: Fields) -> tuple[str, str, list[str]]:
        _check_open(at, what)
        when = (
            "It is asked now."
            if not at.office.state.awaits
            else "Others must answer first. It is asked as soon as they have, before anything else happens."
        )
        return title, "Ask Alice", [*words, when]

    def do(at: At, fields: Fields) -> str:
        _check_open(at, what)
        return _wanted(at, what)

    return Action(about, do)


def _check_open(at: At, what: What) -> None:
    state = at.office.state
    if state.concluded:
        raise OutOfTurn("the matter is closed")
    if what == "late" and state.current is None:
        raise OutOfTurn("no round is open: late claims can be made only in an open round")
    if what == "clawback" and not state.shown_to_bob():
        raise OutOfTurn("Bob was shown nothing that Alice could ask back")


def _wanted(at: At, what: What, *, rounds: int | None = None, stop: bool = False, limit: str | None = None) -> str:
    current = at.office.state.current
    wanted = Wanted(
        by=Role.TRENT,
        limit=limit,
        number=Digest(os.urandom(Digest.size)),
        round=0 if current is None else current.number,
        rounds=rounds,
        since=at.run.settings.clock(),
        stop=stop,
        what=what,
    )
    if not at.wishes.add(wanted):
        raise OutOfTurn(f"{CALLED[what]} waits to be put already")
    return f"Noted: {CALLED[what]} is put as soon as nobody must answer."


def _about_default(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    office, absent = at.office, _role(fields, "absent")
    state = office.state
    awaited = state.awaits.get(absent)
    kind = COSIGN if state.concluded else "" if awaited is None else awaited.kind
    if not kind:
        raise OutOfTurn(f"{absent.called} is not in default: nothing is asked of {absent.called} now")
    if Role.COURT in state.awaits:
        raise OutOfTurn("the court must answer first")
    served = state.size if awaited is None else office.register.served(absent, awaited.question)
    return (
        f"Say that {absent.called} does not answer",
        "Sign this, and ask the court",
        [
            f"Signed with your key: {absent.called} was asked {ASKED.get(kind, kind)}, was served everything up to "
            f"entry {served - 1}, and has not answered.",
            f"The court is asked for an order. If it grants one: {GRANTED.get(kind, 'the matter goes on')}. What "
            f"{absent.called} sends after that comes too late.",
            "That a question lay in the mailbox does not prove that anybody has read it. Keep your own proof of what "
            "you served, and when: the court will ask for it.",
        ],
    )


def _default(at: At, fields: Fields) -> str:
    absent = _role(fields, "absent")
    at.office.default(absent)
    return f"On record, entry {at.office.state.size - 1}: {absent.called} has not answered. The court is asked."


def _about_rekey(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    role, key, state = _role(fields, "role"), _key(fields), at.office.state
    if Role.COURT in state.awaits:
        raise OutOfTurn("the court must answer first")
    words = [
        f"Signed with your key: the court is asked to grant {role.called} a new key.",
        f"The new key has the fingerprint {fingerprint(key)}.",
        f"The present key has the fingerprint {fingerprint(state.keys[role])}. It stays in force until the court has "
        "granted the new one.",
        "Have the owner confirm the new fingerprint by telephone before you sign.",
    ]
    if state.skips_draw(role):
        words.append("Alice owes a report or a second look now, so one draw of the coins is skipped.")
    return f"A new key for {role.called}", "Sign this, and ask the court", words


def _rekey(at: At, fields: Fields) -> str:
    role, key = _role(fields, "role"), _key(fields)
    at.office.desk.rekey(role, key)
    return (
        f"On record, entry {at.office.state.size - 1}: the court is asked to grant {role.called} a new key, "
        f"{fingerprint(key)}."
    )


def _about_amend(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    state = at.office.state
    rounds, stop, limit = _amendment(fields)
    if state.concluded:
        raise OutOfTurn("the matter is closed")
    number = max(1, state.begun) if stop else state.terms.rounds if rounds is None else rounds
    content = Amend(limit=limit or state.terms.limit_in_force, rounds=number)
    amend.check_possible(state, content)
    change = proposed({"rounds": content.rounds, "limit": content.limit}, state.terms)
    voters = "Alice, Bob and the court all accept" if number != state.terms.rounds else "the court accepts"
    return (
        "Propose other terms",
        "Sign this, and ask all",
        [
            f"Signed with your key: all are asked for {change}. It is in force if {voters}.",
            "It is asked now."
            if not state.awaits
            else "Others must answer first. It is asked as soon as they have, before another round begins.",
        ],
    )


def _amend(at: At, fields: Fields) -> str:
    _about_amend(at, fields)
    rounds, stop, limit = _amendment(fields)
    return _wanted(at, "amend", rounds=rounds, stop=stop, limit=limit)


def _amendment(fields: Fields) -> tuple[int | None, bool, str | None]:
    text, limit, stop = fields.get("rounds", "").strip(), fields.get("limit", "").strip(), "stop" in fields
    if len(text) > _MOST_DIGITS:
        raise Refused(f"a number of rounds has at most {_MOST_DIGITS} digits")
    if text and not (text.isascii() and text.isdigit() and int(text)):
        raise Refused(f"{text!r} is not a number of rounds")
    if (text and stop) or not (text or stop or limit):
        raise Refused("give a number of rounds, or stop, or a limit, or a limit together with one of the others")
    return int(text) if text else None, stop, limit or None


def _about_close(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    state = at.office.state
    if state.concluded:
        raise OutOfTurn("the matter is closed already")
    if not course.held(state):
        raise OutOfTurn("the review is not over yet, so the matter cannot be closed")
    return (
        "Close the matter",
        "Sign this, and close",
        [
            "Signed with your key: what the matter can claim, and a checkpoint of the whole record, which Alice, Bob "
            "and the court are then asked to sign. Nothing can be reviewed in this matter any more.",
            *sentences.claims(summary.summary(state)),
        ],
    )


def _close(at: At, fields: Fields) -> str:
    at.office.close()
    return f"The matter is closed: {at.office.state.size} entries. All are asked to sign the end."


def _about_whole(at: At, fields: Fields) -> tuple[str, str, list[str]]:
    role = _role(fields, "role", (Role.ALICE, Role.BOB, Role.COURT))
    return (
        f"Send {role.called} the whole record again",
        "Put it into the mailbox",
        [
            f"The question that {role.called} must answer is put into the mailbox once more, "
            "with the record from its first entry.",
            "Nothing new goes on record. Do this only if the party has lost the folder beside its key, or objects that "
            "its question is not whole.",
        ],
    )


def _whole(at: At, fields: Fields) -> str:
    role = _role(fields, "role", (Role.ALICE, Role.BOB, Role.COURT))
    at.asker.send_whole(at.office, role)
    return f"{role.called[0].upper()}{role.called[1:]}'s question is in the mailbox once more, with the whole record."


def _role(fields: Fields, name: str, allowed: tuple[Role, ...] = REPLACEABLE) -> Role:
    try:
        found = Role(fields.get(name, ""))
    except ValueError:
        raise Refused("choose a party") from None
    if found not in allowed:
        raise Refused(f"this is not for {found.called}")
    return found


def _key(fields: Fields) -> PublicKey:
    text = fields.get("key", "").replace("\r\n", "\n")
    if "PRIVATE KEY" in text:
        raise Refused(
            "this is a private key, which nobody must have but its owner. Its owner must make another one, and send "
            "only the file that ends in .pub"
        )
    return keyfiles.decode_key(text.encode(), Path("the text"), role=_role(fields, "role")).public


ACTIONS = {
    "release": Action(_about_release, _release),
    "late": _wish(
        "late",
        "Ask Alice for late claims of privilege",
        [
            "Signed with your key: Alice is asked which documents of this round she claims as privileged now.",
            "She can claim what Bob has not been shown. What she claims counts as drawn by a coin.",
        ],
    ),
    "clawback": _wish(
        "clawback",
        "Ask Alice what she claws back",
        [
            "Signed with your key: Alice is asked which of the documents that Bob was shown she asks back.",
            "The court then rules on each. What it upholds Bob must return or destroy; it still counts as shown.",
        ],
    ),
    "default": Action(_about_default, _default),
    "rekey": Action(_about_rekey, _rekey),
    "amend": Action(_about_amend, _amend),
    "close": Action(_about_close, _close),
    "whole": Action(_about_whole, _whole),
}
