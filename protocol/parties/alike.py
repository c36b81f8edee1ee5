"""What Alice is asked before the coins: documents and parts that are like others of which she has said something.

Trent lists them in the question, and the list is no part of the record. Her client signs no report that leaves one of
them open: she must say yes or no where something is like what was claimed or upheld, or holds a name or term that she
gave Trent; and where it is like something that she labels or claims otherwise, now or in an earlier round, she must say
that she means it. Only her claim sends anything to the court.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from ledger import canonical, records
from ledger.errors import LedgerError
from ledger.records import Natural, Record
from protocol.corpus.likeness import Likeness
from protocol.parties.errors import NotAnswered, Objectionable
from protocol.rules.terms import Positive

_SAID = 10  # problems that a message lists


class Reason(StrEnum):
    """Why a row is asked."""

    UPHELD = "upheld"  # it is like something that the court upheld as privileged
    CLAIMED = "claimed"  # it is like something that she claims
    CANDIDATE = "candidate"  # it holds a name or a term that she gave
    LABELLED = "labelled"  # it is like something that she labelled in an earlier round
    TOGETHER = "together"  # it is like something in this same question

    @property
    def about_privilege(self) -> bool:
        """Whether she must say if it is privileged."""
        return self in (Reason.UPHELD, Reason.CLAIMED, Reason.CANDIDATE)


class Other(Record, frozen=True, kw_only=True):
    """What something is like: a document, or a part of one, and where she was asked about it."""

    name: str
    part: Natural | None  # None: the whole document
    position: Positive
    round: Positive


class Alike(Record, frozen=True, kw_only=True):
    """One row of the list."""

    label: bool | None  # what the other was labelled, if that is why it is asked
    labels: bool  # of something in the same question: whether the labels are compared, and not only the claims
    likeness: Likeness | None  # None for a candidate
    name: str
    other: Other | None  # None for a candidate
    part: Natural | None  # None: the whole document
    position: Positive
    reason: Reason
    said: str  # what was said of the other, or which terms were found, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A row with what she says to it; None where there was nothing to say."""

    number: int
    row: Alike
    said: bool | None


def encode(rows: Sequence[Alike]) -> bytes:
    """The list as a file."""
    return canonical.encode([records.to_value(each) for each in rows]) + b"\n"


def decode(data: bytes, name: str) -> tuple[Alike, ...]:
    """The list in a file of a question."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, list):
            raise Objectionable(f"{name} does not hold a list; ask Trent to write the question again")
        return tuple(records.from_value(Alike, each) for each in value)
    except (LedgerError, msgspec.MsgspecError) as error:
        raise Objectionable(f"{name} is malformed ({error}); ask Trent to write the question again") from None


def answered(
    rows: Sequence[Alike], labels: Mapping[int, bool], claims: Mapping[int, Any], said: Mapping[int, bool]
) -> list[Answered]:
    """The rows with what she says, or `NotAnswered` with each row that is open or that her other words contradict.

    `said` has her yes or no by the number of the row, from 1.
    """
    found = [
        f"row {number} of the list (position {rows[number - 1].position}{_part(rows[number - 1].part)}): {problem}"
        for number, problem in problems(rows, labels, claims, said).items()
    ]
    if found:
        raise NotAnswered(_told(found, given=bool(said)))
    return [Answered(number=number, row=row, said=said.get(number)) for number, row in enumerate(rows, start=1)]


def problems(
    rows: Sequence[Alike], labels: Mapping[int, bool], claims: Mapping[int, Any], said: Mapping[int, bool]
) -> dict[int, str]:
    """What is open or contradictory, by the number of the row."""
    words = _Words(labels=labels, claims=claims, said=said)
    found = {number: words.problem(number, row) for number, row in enumerate(rows, start=1)}
    return {number: problem for number, problem in found.items() if problem}


def _told(problems: Sequence[str], *, given: bool) -> str:
    more = [f"and {len(problems) - _SAID} other rows"] if len(problems) > _SAID else []
    missing = "" if given else " Fill in alike.csv, and add --alike FILE."
    head = "the question names what is like other documents, and your answer leaves that open. Nothing was signed."
    return "\n  - ".join([f"{head}{missing}", *problems[:_SAID], *more])


def _part(part: int | None) -> str:
    return "" if part is None else f", part {part}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """All that she says in one answer."""

    labels: Mapping[int, bool]
    claims: Mapping[int, Any]
    said: Mapping[int, bool]

    def problem(self, number: int, row: Alike) -> str:
        """What is open or contradictory in a row; empty if nothing is."""
        said = self.said.get(number)
        if row.reason.about_privilege:
            return self._about_privilege(number, row)
        differs = self._difference(row)
        if differs and said is None:
            return f"{differs}. Write no if you mean this; otherwise change one of the two"
        if differs and said:
            return f"you say yes, the same, but {differs}. Change one of the two, or write no"
        if not differs and said is False:
            return f"you say no, but you treat it like {_other(row)}. Change its label or claim, or write yes"
        return ""

    def _about_privilege(self, number: int, row: Alike) -> str:
        said, where = self.said.get(number), f"position {row.position}"
        claimed = self._claims(row.position, row.part, row.reason)
        if said is None:
            return f"say whether it is privileged: {described(row)}"
        if said and not claimed:
            return (
                f"you say that it is privileged, but privilege.csv has no claim for {where}. Write the basis there, or "
                "write no here"
            )
        if not said and claimed and (row.part is None or not self._claims(row.position, None)):
            return f"you say that it is not privileged, but privilege.csv claims {where}. Change one of the two"
        return ""

    def _claims(self, position: int, part: int | None, reason: Reason | None = None) -> bool:
        """Whether she claims a part, or the whole; a candidate is answered by a claim of any part."""
        claim = self.claims.get(position)
        return claim is not None if reason is Reason.CANDIDATE else covers(claim, part)

    def _difference(self, row: Alike) -> str:
        """How she treats two documents differently that are alike; empty if she does not, or says nothing of one."""
        if row.other is None:
            return ""
        label, other = self.labels.get(row.position), row.label
        if row.reason is Reason.TOGETHER and row.labels:
            other = self.labels.get(row.other.position)
        if label is not None and other is not None and label != other:
            return f"you label it {_WORDS[label]}, and {_other(row)} {_WORDS[other]}"
        if row.reason is not Reason.TOGETHER:
            return ""
        claimed = self._claims(row.position, row.part)
        if claimed == self._claims(row.other.position, row.other.part):
            return ""
        return f"you claim {'it, and not' if claimed else 'not it, but'} {_other(row)}"


_WORDS = {True: "responsive", False: "not responsive"}
_LIKENESS = {Likeness.EQUAL: "equals", Likeness.NEAR: "is nearly the same as"}


def _other(row: Alike) -> str:
    """The other in words."""
    other = row.other
    if other is None:
        return ""
    here = (
        f"position {other.position}"
        if row.reason is Reason.TOGETHER
        else f"round {other.round}, position {other.position}"
    )
    return f"{other.name!r} ({here}{_part(other.part)})"


def described(row: Alike) -> str:
    """Why something is asked, in words."""
    if row.other is None:
        return f"it holds {row.said}"
    said = f", {row.said}" if row.said else ""
    return f"it {'is like' if row.likeness is None else _LIKENESS[row.likeness]} {_other(row)}{said}"


def covers(claim: Any, part: int | None) -> bool:
    """Whether a claim is for a part (None: for the whole document). A claim for the whole is for each of its parts."""
    if claim is None:
        return False
    parts = claim.get("parts") if isinstance(claim, Mapping) else getattr(claim, "parts", None)
    return not parts or (part is not None and part in parts)


def counted(rows: Sequence[Answered]) -> Iterator[str]:
    """What she has said, for a person who is about to sign."""
    asked = [each for each in rows if each.row.reason.about_privilege]
    if asked:
        yes = sum(each.said is True for each in asked)
        yield f"asked of {len(asked)} whether privileged: {yes} yes, {len(asked) - yes} no"
    others = sum(each.said is False for each in rows if not each.row.reason.about_privilege)
    if others:
        yield f"{others} treated otherwise than what {'it is' if others == 1 else 'they are'} like, as you say"
    if not asked and not others:
        yield f"{len(rows)} like others, all treated the same"
