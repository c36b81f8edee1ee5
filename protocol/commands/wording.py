"""What the commands of a real matter say to Trent's operator."""

from pathlib import Path
from typing import Any

from ledger import records
from ledger.checkpoints import COSIGNERS
from ledger.keys import fingerprint
from ledger.plain import shown
from ledger.roles import Role, listed
from protocol.corpus import account
from protocol.exchange import tasks
from protocol.exchange.office import Office, Receipt
from protocol.exchange.outbox import Sent
from protocol.matter.kinds import called
from protocol.matter.naming import Telling
from protocol.matter.sentences import count
from protocol.matter.state import Matter
from protocol.parties import objection
from protocol.parties.errors import BadObjection
from protocol.parties.objection import SignedObjection
from protocol.parties.question import ASKED, COSIGN
from protocol.rules import table


def opened(state: Matter) -> str:
    """What the opening says, and what follows from it."""
    opening, terms = state.opening, state.terms
    lines = [f"Matter      {state.number.hex()}"]
    if opening.caption is not None:
        lines += [
            f"Case        {shown(opening.caption.case)}",
            f"Court       {shown(opening.caption.court)}",
            *(
                f"{'Request' if not number else '':<12}{shown(line)}"
                for number, line in _numbered(opening.caption.request)
            ),
        ]
    parameters = "".join(f"{each.name} {value}, " for each, value in table.values(terms))
    most = min(terms.rounds * terms.batch, opening.corpus.documents)
    lines += [
        f"Protocol    {terms.protocol}, {parameters}doubt {terms.doubt}",
        f"Query       {shown(terms.query) or 'none: the first batch is drawn from all documents'}",
        f"Corpus      {count(opening.corpus.documents, 'document')}, root {opening.corpus.root.hex()}",
        *(
            f"{'Received' if not number else '':<12}{shown(line)}"
            for number, line in enumerate(
                account.sentences(opening.corpus.account, opening.corpus.documents, opening.corpus.unit)
            )
        ),
        f"Rounds      at most {terms.rounds}, of {count(terms.batch, 'document')} each: at most {most} "
        f"of {opening.corpus.documents} are reviewed",
        "Parties     with the fingerprints of their keys",
    ]
    names = {} if opening.caption is None else {role: shown(name) for role, name in opening.caption.names.items()}
    width = max(map(len, names.values()), default=0)
    return "\n".join(
        [
            *lines,
            *(
                f"  {role.capitalize():<10}{names.get(role, ''):<{width}}  {fingerprint(state.keys[role])}"
                for role in Role
            ),
        ]
    )


def opened_value(state: Matter) -> dict[str, Any]:
    """What the opening says, for a script."""
    return {
        "matter": state.number.hex(),
        "documents": state.opening.corpus.documents,
        "account": records.to_value(state.opening.corpus.account),
        "root": state.opening.corpus.root.hex(),
        "rounds": state.terms.rounds,
        "batch": state.terms.batch,
        "fingerprints": {role: fingerprint(key) for role, key in sorted(state.keys.items())},
    }


def received(path: Path, receipt: Receipt, state: Matter) -> str:
    """What became of an answer."""
    what = "cosignature" if receipt.what == COSIGN else called(receipt.what)
    where = "" if receipt.entry is None else f", entry {receipt.entry}"
    of_round = f" of round {receipt.round}" if receipt.round else ""
    verb = "Accepted" if receipt.new else "On record already"
    whose = Telling(state.opening.caption).said(f"{receipt.role.called}'s")
    note = f"\n  Note: {receipt.warning}" if receipt.warning else ""
    return f"{verb}: {whose} {what}{of_round}{where} ({shown(path.name)}){note}"


def received_value(path: Path, receipt: Receipt) -> dict[str, Any]:
    """The same for a script."""
    names = ("role", "what", "round", "entry", "new", "warning")
    return {"file": str(path)} | {name: getattr(receipt, name) for name in names}


def sent(found: Sent) -> str:
    """Who must do what, and where the question package is."""
    return f"{shown(found.sentence)}\n  {found.path}{'' if found.new else '  (already there)'}"


def sent_value(found: Sent) -> dict[str, Any]:
    """The same for a script."""
    return {name: getattr(found, name) for name in ("role", "kind", "round", "new")} | {"path": str(found.path)}


def all_signed(state: Matter) -> str:
    """The matter is closed, and nobody is asked to sign it any more."""
    telling = Telling(state.opening.caption)
    signers = listed(tuple(role for role in COSIGNERS if role not in state.excused))
    without = "".join(
        f" By the court's order in entry {entry} it ends without {role.called}'s signature."
        for role, entry in state.excused.items()
    )
    verb = "has" if len(state.excused) == len(COSIGNERS) - 1 else "have"
    who = f"{signers[0].upper()}{signers[1:]}"
    told = telling.said(f"{who} {verb} signed the closed matter.{without}")
    return f"{told} Cut the copies with: tallystick copy"


def now(office: Office) -> str:
    """Whom the matter waits for, and which command comes next."""
    waiting = [shown(tasks.sentence(task, office.state)) for task in office.tasks()]
    if office.state.concluded and not waiting:
        return all_signed(office.state)
    return "\n".join([*waiting, "Continue with: tallystick matter next"])


def closed_value(office: Office) -> dict[str, Any]:
    """How a closed matter stands, for a script: who has yet to sign the end, and without whom it ends."""
    cosigned, excused = office.cosigned(), office.state.excused
    return {
        "entries": office.state.size,
        "head": office.log.history.head.hex(),
        "not_cosigned": [role for role in COSIGNERS if role not in cosigned and role not in excused],
        "ended_without": [{"role": role, "entry": entry} for role, entry in excused.items()],
    }


def objected(found: SignedObjection, state: Matter) -> str:
    """What a party objects to, and what Trent can do. Nothing of it goes on record."""
    said, asked = found.objection, found.asked
    telling, where = Telling(state.opening.caption), f" in round {asked.round}" if asked.round else ""
    if said.matter != state.number:
        return f"this is an objection in another matter, {said.matter.hex()}; nothing was changed"
    try:
        objection.check_signatures(found, state.keys[said.role], state.keys[Role.TRENT])
    except BadObjection as error:
        again = f"ask {telling.called(said.role)} to send it again"
        return f"this is an objection, but {error}. Nothing was changed; {again}"
    who, later = telling.called(said.role), telling.called(said.role)
    return (
        f"{who} does not answer your question {ASKED.get(asked.kind, asked.kind)}{where}, but objects to it. The "
        f"reason:\n  {shown(said.reason)}\nNothing was changed: an objection does not go on record. If the question is "
        "wrong, take it out of the outbox, correct what made it wrong, and run `tallystick matter next --all`, which "
        f"writes it again with the whole record. If it is right, tell {later} and the court why. After a `tallystick "
        "matter default`, the court sees the objection before it decides"
    )


def _numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines() or [""]))
