"""Where questions come from and answers go."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol

from ledger import files, reading
from ledger.errors import LedgerError, Refused
from ledger.roles import Role
from protocol.exchange import answer_file, question_file
from protocol.exchange.filenames import REQUEST
from protocol.parties.question import Request

ANSWERS = "answers"
SUFFIX = ".answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A question that was sent to the party, answered or not."""

    id: str  # the same as long as the question is the same
    title: str
    came: float  # when, in seconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """What became of an answer, as far as that is known."""

    words: str = ""
    refused: bool = False  # Trent says so in a receipt


class Source(Protocol):
    """What a room needs of the way that questions and answers take."""

    def waiting(self) -> list[Waiting]:
        """All questions that are there."""
        ...

    def fetch(self, id: str) -> Path:  # noqa: A002 (it is the question's)
        """A question on this machine, as a folder or a zip file."""
        ...

    def send(self, id: str, answer: bytes) -> str:  # noqa: A002
        """Hand over an answer; says where it went, for the person. Sending it again changes nothing."""
        ...

    def became(self, id: str, answer: bytes) -> Became:  # noqa: A002
        """What became of this answer."""
        ...

    def signed_receipt(self, id: str) -> bytes:  # noqa: A002
        """Trent's receipt as he signed it; empty if there is none."""
        ...

    def object(self, id: str, objection: bytes) -> str:  # noqa: A002
        """Hand over an objection, if there is a way; says what became of it, for the person."""
        ...

    def out(self, id: str) -> Path:  # noqa: A002
        """Where the answer's file is on this machine, or will be: objections are written beside it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A question's package, and what it says of itself. Nothing of it is checked."""

    path: Path
    request: Request
    changed: float


class FolderSource:
    """Questions that arrive in a folder, by mail or because it is synced. Answers go into its folder `answers`."""

    def __init__(self, folder: Path, role: Role | None = None) -> None:
        if not folder.is_dir():
            raise Refused(f"{folder} is not a folder; give the one into which you put the questions")
        self.folder = folder
        self._role = role
        self._requests: dict[tuple[Path, int, int], Request | None] = {}  # by path, time and size

    def waiting(self) -> list[Waiting]:
        """The questions for this role; of several packages of one question, the newest."""
        return [
            Waiting(id=name, title=title(found.request), came=found.changed) for name, found in self._found().items()
        ]

    def fetch(self, id: str) -> Path:  # noqa: A002
        """The package itself."""
        return self._one(id).path

    def send(self, id: str, answer: bytes) -> str:  # noqa: A002
        """Write the answer's file."""
        return _written(self.out(id), answer)

    def became(self, id: str, answer: bytes) -> Became:  # noqa: A002
        """Nothing is known of what happens to a file."""
        found = next((path for path in _answers(self.out(id)) if _holds(path, answer)), None)
        if found is None:
            return Became()
        place = f"{found.name} from the folder {found.parent.name}"
        return Became(words=f"Send {place} to Trent, if that folder is not synced with his.")

    def signed_receipt(self, id: str) -> bytes:  # noqa: A002, ARG002
        """None comes this way."""
        return b""

    def object(self, id: str, objection: bytes) -> str:  # noqa: A002, ARG002
        """The file that was written beside the answers is sent by hand."""
        return "Send it to Trent too, who can correct the question."

    def out(self, id: str) -> Path:  # noqa: A002
        """In the folder `answers`, by the name of the question."""
        return self._answers() / f"{self._one(id).path.stem}{SUFFIX}"

    def _answers(self) -> Path:
        folder = self.folder / ANSWERS
        with files.writing(folder):
            folder.mkdir(exist_ok=True)
        return folder

    def _one(self, name: str) -> _Found:
        found = self._found().get(name)
        if found is None:
            raise Refused(f"this question is not in {self.folder} any more; put it back, or load the page again")
        return found

    def _paths(self) -> Iterator[Path]:
        return (
            path
            for path in sorted(self.folder.iterdir())
            if (path.is_dir() and (path / REQUEST).is_file()) or (path.is_file() and path.suffix.lower() == ".zip")
        )

    def _found(self) -> dict[str, _Found]:
        found: dict[str, _Found] = {}
        for path in self._paths():
            request = self._request(path)
            if request is None or (self._role is not None and request.role is not self._role):
                continue
            changed = stamp(path)[1] / 1e9
            name = id_of(request)
            if name not in found or found[name].changed < changed:
                found[name] = _Found(path=path, request=request, changed=changed)
        return found

    def _request(self, path: Path) -> Request | None:
        """What a package asks; None if it is no question. It is not read again while it stays as it is."""
        try:
            place = stamp(path)
            if place not in self._requests:
                self._requests[place] = _requested(path)
            return self._requests[place]
        except OSError:  # it went away in this moment
            return None


class SingleSource(FolderSource):
    """One question. Its answer is written beside it."""

    def __init__(self, question: Path) -> None:
        question_file.read_request(question)  # says what is wrong with it
        super().__init__(question.absolute().parent)
        self._question = question.absolute()

    def _paths(self) -> Iterator[Path]:
        yield self._question

    def _answers(self) -> Path:
        return self._question.parent


def id_of(request: Request) -> str:
    """A name for a question that stays the same if Trent sends it again."""
    words = f"{request.matter.hex()}/{request.role}/{request.entry.hex()}/{request.kind}"
    return hashlib.sha256(words.encode()).hexdigest()[:24]


_TITLES = {
    "agreed": "Sign the terms of the matter",
    "deposited": "Sign the terms, and keep the sealed deposits",
    "link": "Give your share in the next coins",
    "report": "Label the documents",
    "look": "Look again at what is withheld",
    "privilege": "In camera: rule on privilege",
    "claim": "Claim what is privileged",
    "reclaim": "Ask back what Bob should not have been shown",
    "returned": "Rule on what Alice asks back",
    "labels": "Label what was disclosed",
    "rulings": "Rule where the parties disagree",
    "order": "Order on a missing answer",
    "rekeyed": "Order on a new key",
    "amended": "Accept or reject an amendment",
    "cosign": "Verify and sign the end",
}


def title(request: Request) -> str:
    """What a question asks, in a few words."""
    words = _TITLES.get(request.kind, request.kind)
    return f"Round {request.round}: {words}" if request.round else words


def stamp(path: Path) -> tuple[Path, int, int]:
    """What a package is known by; another one if it has changed."""
    state = (path / REQUEST if path.is_dir() else path).stat()
    return path, state.st_mtime_ns, state.st_size


def _requested(path: Path) -> Request | None:
    try:
        return question_file.read_request(path)
    except LedgerError:
        return None


def _written(out: Path, answer: bytes) -> str:
    """Write an answer. An earlier one that was withdrawn keeps its file, and the new one gets another name."""
    number = 0
    for path in _answers(out):
        if _holds(path, answer):
            return f"The answer is in {path}."
        number += 1
    path = _numbered(out, number + 1)
    with files.new_file(path) as stream:
        stream.write(answer)
    return f"The answer is in {path}."


def _answers(out: Path) -> Iterator[Path]:
    """The files with answers to one question, in the order in which they were written."""
    for number in count(1):
        path = _numbered(out, number)
        if not path.exists():
            return
        yield path


def _numbered(out: Path, number: int) -> Path:
    return out if number == 1 else out.with_name(f"{out.stem}-{number}{out.suffix}")


def _holds(path: Path, answer: bytes) -> bool:
    return reading.whole(path, answer_file.MAX_SIZE, "an answer") == answer
