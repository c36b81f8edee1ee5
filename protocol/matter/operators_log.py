"""The operator's log: the openings and states of all matters of one operator, in one log that only grows.

A matter is added with what its file says now, and its file must continue what the log says already: an older copy of a
matter, or one with another history, is refused. Before anything is signed, witnesses are asked whether the log still is
where they have seen it, so a log that was restored from a backup signs nothing a second time. If none of them answers,
nothing new is signed, unless the operator says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.notes import Note
from ledger.tlog import log as logs
from ledger.tlog import witnessing
from ledger.tlog.log import Log
from ledger.tlog.policy import NotWitnessed, Policy, Witness
from ledger.tlog.proofs import Proof
from ledger.tlog.witnessing import Ahead, Asked, BadAnswer, OtherHistory, Rejected, Unreachable
from protocol.matter import logged
from protocol.matter.leaf import Leaf
from protocol.matter.logged import Account, Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A leaf about a matter, and where it stands in the log."""

    path: Path
    leaf: Leaf
    index: int
    new: bool  # or it was there before


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What came of adding to a log."""

    log: Log
    added: tuple[Added, ...]
    asked: tuple[Asked, ...]

    @property
    def contradicted(self) -> bool:
        """Whether a witness has seen another log than this one."""
        return any(isinstance(each.error, Ahead | OtherHistory) for each in self.asked)


def add(
    folder: Path,
    matters: Sequence[Path],
    key: SigningKey,
    policy: Policy | None = None,
    *,
    unwitnessed: bool = False,
    timeout: float = witnessing.TIMEOUT,
) -> Addition:
    """Add the opening and the present state of each matter, as far as they are not there, under one new checkpoint.

    All or none are added. With a policy, its witnesses are asked to cosign what is the newest checkpoint then. If all
    that have an address are away, nothing new is signed, unless `unwitnessed` says so.
    """
    witnesses = () if policy is None else policy.witnesses
    with logs.writing(folder, key) as writer:  # which may first finish what a killed process has begun to sign
        before = writer.log
    if policy is not None:
        policy.log_of(before.note, before.key)
    asked = witnessing.ask_all(before, witnesses, again=bool(matters), timeout=timeout)
    _keep(folder, before, asked)
    _check_in_step(before, asked)
    with logs.writing(folder, key) as writer:
        added = _added(writer.log, matters)
        if not unwitnessed and any(each.new for each in added):
            _check_reached(asked)
        writer.append([bytes(each.leaf) for each in added if each.new])
        now = writer.log
    if now.size > before.size:
        away = {each.witness: each for each in asked if isinstance(each.error, Unreachable)}
        again = witnessing.ask_all(now, [each for each in witnesses if each not in away], timeout=timeout)
        _keep(folder, now, again)
        asked = [*again, *away.values()]
    return Addition(log=Log.open(folder), added=tuple(added), asked=tuple(_in_order(asked, witnesses)))


def _keep(folder: Path, log: Log, asked: Sequence[Asked]) -> None:
    lines = [each.line for each in asked if each.line is not None]
    if lines:
        logs.keep_cosignatures(folder, log.size, lines)


def _check_in_step(log: Log, asked: Sequence[Asked]) -> None:
    """Raise before anything is signed if a witness has seen more of the log than is here, or something else."""
    for each in asked:
        # An empty log has no history: what a witness may have against it is only that it knows a larger one.
        if isinstance(each.error, Ahead) or (isinstance(each.error, OtherHistory) and log.size):
            raise each.error


def _check_reached(asked: Sequence[Asked]) -> None:
    """Raise if witnesses were asked, and none could say whether the log still is where it has seen it."""
    if asked and all(isinstance(each.error, Unreachable | Rejected | BadAnswer) for each in asked):
        raise Refused(
            f"nothing was added: no witness of the policy could tell whether this is the newest copy of the log "
            f"({'; '.join(str(each.error) for each in asked)}). Try again when one of them answers. If you are sure "
            "that this is the newest copy, add --unwitnessed"
        )


def _in_order(asked: Sequence[Asked], witnesses: Sequence[Witness]) -> list[Asked]:
    return sorted(asked, key=lambda each: witnesses.index(each.witness))


def _added(log: Log, matters: Sequence[Path]) -> list[Added]:
    accounts, _ = logged.accounts(log.leaves)
    sizes = {size for account in accounts.values() for size in account.sizes()}
    size, found = log.size, list[Added]()
    for path in matters:
        known = logged.read(path, sizes)
        account = accounts.setdefault(known.matter, Account(matter=known.matter))
        check_continues(path, known, account)
        for leaf in dict.fromkeys((known.opened, known.present)):
            index = account.index(leaf)
            found.append(Added(path=path, leaf=leaf, index=size if index is None else index, new=index is None))
            if index is None:
                account.leaves[size] = leaf
                size += 1
    return found


def check_continues(path: Path, known: Known, account: Account) -> None:
    """Raise unless a matter's file holds everything that the log says of it."""
    for index, leaf in account.leaves.items():
        if leaf.size > known.size:
            raise Refused(
                f"{path} has {known.size} entries, but leaf {index} of the log states {leaf.size} of this matter: the "
                "file is an older copy. Find the newest one; nothing was added"
            )
        if known.states.get(leaf.size, leaf) != leaf:
            raise Refused(
                f"{path} does not continue what leaf {index} of the log states of this matter: there are two "
                f"histories of {leaf.size} entries. Keep this file, and find out which one the parties have; nothing "
                "was added"
            )


def prove(log: Log, path: Path, size: int | None = None, policy: Policy | None = None) -> tuple[Leaf, Proof]:
    """That a state of a matter is in the log: the last one there, or the one of `size` entries.

    The proof is under the newest checkpoint, or the newest one that the policy accepts.
    """
    accounts, _ = logged.accounts(log.leaves)
    known = logged.read(path, {each for account in accounts.values() for each in account.sizes()})
    account = accounts.get(known.matter)
    if account is None:
        raise Refused(f"the matter in {path} is not in the log; add it with `tallystick log add`")
    check_continues(path, known, account)
    states = {leaf.size: (index, leaf) for index, leaf in account.leaves.items()}
    chosen = states.get(max(states) if size is None else size)
    if chosen is None:
        there = ", ".join(map(str, sorted(states)))
        raise Refused(f"the log has no state of {size} entries of this matter; it has those of {there}")
    index, leaf = chosen
    return leaf, log.prove(index, _chosen(log, index, policy), bytes(leaf))


def _chosen(log: Log, index: int, policy: Policy | None) -> Note:
    """The newest checkpoint over a leaf, of those that the policy accepts."""
    if policy is None:
        return log.note
    missing = None
    for size, note in sorted(log.kept().items(), reverse=True):
        if size <= index:
            break
        try:
            policy.check(note, log.key)
        except NotWitnessed as error:
            missing = missing or error
            continue
        return note
    raise NotWitnessed(
        f"no checkpoint of the log over leaf {index} satisfies the policy ({missing}); `tallystick log add` with the "
        "policy asks its witnesses again"
    )
