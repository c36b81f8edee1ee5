"""Whether a question continues the history that the party saw before, by the rules of the chain.

A party that sees two different entries with one number under Trent's signature can prove that he shows two histories.
It answers neither, and keeps both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ledger import entries, keys, records
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import SignedStatement, released_indices
from ledger.errors import Damaged, Fault
from ledger.hashing import Digest
from ledger.history import History, enrolled
from ledger.keys import PublicKey
from ledger.openings import Openings
from ledger.roles import Audience, Role
from protocol.parties import history_lines
from protocol.parties import memory as memories
from protocol.parties.errors import Forgotten, NotAnswered, Objectionable, TwoHistories
from protocol.parties.history_lines import ServedEntry
from protocol.parties.memory import Given, Memory
from protocol.parties.notices import Notice
from protocol.parties.question import Question
from protocol.parties.reply import FORMAT, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyHistory:
    """The history as far as one party knows it, after all checks."""

    entries: tuple[ServedEntry, ...]
    notices: tuple[Notice, ...]
    record: History
    signers: tuple[PublicKey | None, ...]  # by entry, the key under which a party signed its statement

    @property
    def opening(self) -> Digest:
        """The hash of the first entry."""
        return self.entries[0].hash


def continued(question: Question, memory: Memory) -> PartyHistory:
    """What the party knows once it has this question. Raises with the reason if it must not answer."""
    asked, known = question.request, memory.history
    trent = enrolled(_first(question, memory).wire.entry.body.statement)[Role.TRENT]
    question.check_signature(trent)
    if asked.start > len(known):
        raise NotAnswered(
            f"the question carries the history from entry {asked.start} on, but this computer knows only "
            f"{len(known)} entries. {_copy_memory(memory)}"
        )
    _check_forks(question, memory, trent)
    if asked.size < len(known):
        raise NotAnswered(
            f"the question is older than one that was answered here before: it ends with entry {asked.size - 1}, but "
            f"this computer knows {len(known)} entries. Answer the newest question; if this is it, ask Trent why"
        )
    history = _followed(question, memory)
    if history.record.head != asked.head:
        raise Objectionable(
            "the head that the question names is not the head of its history; ask Trent to write the question again"
        )
    return history


def _followed(question: Question, memory: Memory) -> PartyHistory:
    """What the party knew, and what the question adds. Trent has signed every byte of what it adds."""
    role = question.request.role
    try:
        return _checked(_merged(question, memory), role)
    except (Damaged, Fault) as error:
        if memory.history:
            _checked(memory.history, role)  # raises if the fault is in what was kept here
        raise Objectionable(
            f"the history in the question, which Trent has signed, breaks the rules of a record: {error}. Nothing was "
            "signed here. Do not answer; keep the question, and tell the court"
        ) from None


def _first(question: Question, memory: Memory) -> ServedEntry:
    first = next(iter(memory.history or question.lines.entries), None)
    if first is None or first.wire.entry.body.sequence != 0:
        raise NotAnswered(
            "the question does not carry the history from its beginning, and this computer knows nothing of the "
            f"matter. {_copy_memory(memory)}"
        )
    return first


def _copy_memory(memory: Memory) -> str:
    """What to do on a new computer."""
    return (
        f"If you answered on another computer before, copy the folder {memory.folder.parent.name} from there to the "
        "folder of your key. If it is lost, ask Trent to write the question again with the whole history (matter next "
        "--all)"
    )


def _check_forks(question: Question, memory: Memory, trent: PublicKey) -> None:
    known = memory.history
    for entry in question.lines.entries:
        number = entry.wire.entry.body.sequence
        if entry.wire.entry.body.matter != question.request.matter:
            raise Objectionable(
                f"entry {number} in the question belongs to another matter; ask Trent to write it again"
            )
        if not keys.holds(entries.entry_signed(trent, entry.wire.body_bytes, entry.wire.entry.signature)):
            raise Objectionable(
                f"entry {number} in the question does not carry Trent's signature; ask Trent to write it again"
            )
        if number < len(known) and known[number].hash != entry.hash:
            raise _two_histories(
                memory,
                question,
                known[number],
                entry,
                f"Trent has signed two different entries with number {number}",
            )
        if number == len(known) and known and entry.wire.entry.body.previous != known[-1].hash:
            raise _two_histories(
                memory,
                question,
                known[-1],
                entry,
                f"Trent's entry {number} does not follow the entry that he showed before",
            )


def _two_histories(
    memory: Memory, question: Question, before: ServedEntry, now: ServedEntry, what: str
) -> TwoHistories:
    """The refusal to answer, made after both entries were kept side by side."""
    number = now.wire.entry.body.sequence
    sentence = (
        f"{what}: he shows different histories of one matter. Both entries carry his signature, which proves it to "
        "anyone. Nothing was signed. Do not answer; tell the court and the other party, and show them both entries"
    )
    contents = {
        "seen-before.jsonl": before.line + b"\n",
        "in-the-question.jsonl": now.line + b"\n",
        "question.json": records.encode(question.signed) + b"\n",
        "README.txt": f"{sentence}.\r\n".encode(),
    }
    place = memories.save_evidence(memory.folder, f"two-histories-{number}-{now.hash.hex()[:16]}", contents)
    return TwoHistories(f"{sentence}: they are kept in {place}", reason=sentence)


def _merged(question: Question, memory: Memory) -> tuple[ServedEntry, ...]:
    """Every entry once, with all of its openings that the party knows."""
    found = list(memory.history)
    for entry in question.lines.entries:
        number = entry.wire.entry.body.sequence
        if number < len(found):
            found[number] = history_lines.merged(found[number], entry.openings)
        else:
            found.append(entry)
    for released in question.lines.released:
        if released.entry >= len(found):
            raise Damaged(f"the question opens values of entry {released.entry}, which is not in the history")
        found[released.entry] = history_lines.merged(found[released.entry], released.openings)
    return tuple(found)


def _checked(found: Sequence[ServedEntry], role: Role) -> PartyHistory:
    """The history, checked: the rules of the chain hold, and the audience has just what it may see."""
    record, entitlement = History(), Entitlement(Audience(role))
    notices: list[Notice] = []
    signers: list[PublicKey | None] = []
    for each in found:
        body = each.wire.entry.body
        signers.append(record.keys.get(body.statement.author) if body.signature else None)
        digest = record.admit(each.wire)
        try:
            entitlement.pass_entry(body, each.openings)
        except NotDue as error:
            raise Damaged(f"the question does not hold exactly what {role.called} may see ({error})") from None
        notices.append(_notice(digest, each, found, Audience(role)))
    try:
        entitlement.finish()
    except NotDue as error:
        raise Damaged(f"the question does not hold exactly what {role.called} may see ({error})") from None
    return PartyHistory(entries=tuple(found), notices=tuple(notices), record=record, signers=tuple(signers))


def _notice(digest: Digest, each: ServedEntry, found: Sequence[ServedEntry], audience: Audience) -> Notice:
    """The entry as it came to the party, with the openings of earlier entries that it released."""
    body = each.wire.entry.body
    sealed = body.statement.sealed
    released = []
    for release in body.releases:
        if release.audience is audience:
            earlier = found[release.entry]
            values = {each.index: each for each in earlier.openings if each.field == release.field}
            field = earlier.wire.entry.body.statement.sealed[release.field]
            released += [values[index] for index in released_indices(release, field)]
    return Notice(
        hash=digest,
        statement=body.statement,
        asks=body.asks,
        openings=tuple(opening for opening in each.openings if audience in sealed[opening.field].audiences),
        released=tuple(released),
    )


def own_answers(history: PartyHistory, role: Role, key: PublicKey, memory: Memory, *, forgotten: bool) -> list[Given]:
    """Statements that this key signed according to the history, but that the memory does not know.

    Unless the party says that it lost its memory, that is a reason not to sign: somebody else may have the key, or the
    new answer may contradict one that was given and is not in the history yet.
    """
    known = {each.statement_hash for each in memory.answers}
    found: list[Given] = []
    for entry, signer in zip(history.entries, history.signers, strict=True):
        body = entry.wire.entry.body
        said, signature = body.statement, body.signature
        if said.author is not role or signer != key or signature is None or said.answers is None:
            continue
        if entries.hash_statement(entry.wire.statement_bytes) not in known:
            openings = tuple(each for each in entry.openings if each.field in said.sealed)
            file = Reply(
                answer=SignedStatement(signature=signature, statement=said),
                cosignature=None,
                deposit=None,
                format=FORMAT,
                matter=said.matter,
                openings=Openings(openings),
                role=role,
            )
            found.append(Given(entry=said.answers, file=file, kind=said.kind))
    if found and not forgotten:
        count = f"{len(found)} statement{'' if len(found) == 1 else 's'}"
        raise Forgotten(
            f"the history holds {count} signed with this key that the memory beside it ({memory.folder}) does not "
            "know. If you moved or renamed the key file, move its memory folder with it. If the memory is lost, add "
            "--forgotten: what the history holds then counts as yours. But this answer may contradict one that you "
            "gave and that is not in the history yet, which would count against you. If you never signed this, "
            "somebody else has your key: do not answer, and tell the court"
        )
    return found
