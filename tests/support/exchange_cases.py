"""A real matter between real parties for tests: key files in separate folders, question packages, answers as files."""

import csv
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner, Result

from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.exchange import answer_file, run
from protocol.exchange.office import Office
from protocol.exchange.run import open_matter
from protocol.exchange.termsfile import TermsFile
from protocol.matter import terms
from protocol.matter.values import Caption
from protocol.parties import memory
from protocol.parties.reply import Reply
from tests.support import alike_answers, corpora
from tests.support.builders import KEYS

CAPTION = Caption(
    case="Smith v. Acme Corp., No. 3:24-cv-00123",
    court="District Court",
    names={Role.ALICE: "Acme Corp.", Role.BOB: "Jo Smith", Role.COURT: "Judge Roe", Role.TRENT: "T. Neutral"},
    request="All documents about swaps,\nand their attachments.",
)


def corpus(path: Path) -> Corpus:
    return corpora.make(path, documents=60, responsive=20)


@dataclass
class Table:
    """The folders: each party has one with its key, and Trent's also holds the matter."""

    folder: Path
    corpus: Corpus
    keys: dict[Role, SigningKey] = field(default_factory=lambda: dict(KEYS))
    count: int = 0

    def __post_init__(self) -> None:
        responsive = self.corpus.labels("responsive")
        self.responsive = {self.corpus.name(document) for document in responsive}
        for role, key in self.keys.items():
            if not self.key_file(role).exists():
                (self.folder / role).mkdir()
                write_keys(self.key_file(role), key, role, None)

    def copied(self, folder: Path) -> "Table":
        """The same table at the same point, in another folder."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Table(folder=folder, corpus=self.corpus, keys=self.keys, count=self.count)

    def key_file(self, role: Role) -> Path:
        return self.folder / role / f"{role}.key"

    @property
    def matter(self) -> Path:
        return self.folder / "trent" / "matter"

    def open(self, **changed: object) -> None:
        settings: dict[str, object] = {"protocol": "label", "rounds": 2, "batch": 8, "query": corpora.QUERY}
        if changed.get("protocol", "label") in ("label", "classifier"):
            settings |= {"delta": "0.2", "k": 1}
        agreed = TermsFile(
            terms=terms.terms(**(settings | changed)),  # type: ignore[arg-type]
            caption=CAPTION,
            keys={role: key.public for role, key in self.keys.items()},
        )
        open_matter(self.matter, agreed, self.corpus, self.keys[Role.TRENT])

    def questions(self, *, everything: bool = False, packed: bool = False) -> dict[Role, Path]:
        """What Trent asks now, after his moves."""
        with self.office() as office:
            run.advance(office, self.corpus)
            sent = run.questions(office, self.corpus, self.folder / "outbox", packed=packed, everything=everything)
        return {each.role: each.path for each in sent}

    def office(self) -> Office:
        return Office(self.matter, self.keys[Role.TRENT], self.key_file(Role.TRENT))

    def answer(self, role: Role, question: Path, *options: str, key: Path | None = None, yes: bool = True) -> Result:
        """Give the command; the answer's path is `out`."""
        self.count += 1
        self.out = self.folder / role / f"answer-{self.count}.json"
        given = ["answer", str(question), "--key", str(key or self.key_file(role)), "--out", str(self.out), *options]
        return CliRunner().invoke(main, [*given, *(["--yes"] if yes else [])])

    def said(self, role: Role, question: Path, *options: str, key: Path | None = None) -> Reply:
        """An answer that must be given. What is alike is answered by what the other forms say."""
        if "--alike" not in options:
            options = (*options, *alike_answers.options(question, self.folder / f"alike-{self.count}.csv", options))
        result = self.answer(role, question, *options, key=key)
        assert result.exit_code == 0, result.output
        return answer_file.read(self.out)

    def accept(self, answer: Reply) -> None:
        with self.office() as office:
            office.accept(answer)

    def begin(self, **changed: object) -> None:
        """Open the matter, and have it signed by all."""
        self.open(**changed)
        for role, question in self.questions().items():
            self.accept(self.said(role, question))
        (question,) = self.questions().values()
        self.accept(self.said(Role.COURT, question))

    def until(self, role: Role, kind: str, *, at_most: int = 40) -> Path:
        """Answer everything truthfully until this party is asked this, and return the question."""
        for _ in range(at_most):
            for asked, question in self.questions().items():
                if asked is role and f"-{kind}-" in question.name:
                    return question
                self.accept(self.truthful(asked, question))
        raise AssertionError(f"nobody asks {role} for {kind}")

    def truthful(self, role: Role, question: Path) -> Reply:
        if not (question / "labels.csv").exists():
            return self.said(role, question)
        return self.said(role, question, "--labels", str(self.filled(question)))

    def filled(
        self,
        question: Path,
        says: Callable[[str], str] | None = None,
        column: str = "responsive",
        form: str = "labels.csv",
    ) -> Path:
        """A copy of the form with its last column filled in, by the documents' names."""
        self.count += 1
        out = self.folder / f"filled-{self.count}.csv"
        rows = list(csv.DictReader(io.StringIO((question / form).read_text("utf-8-sig"), newline="")))
        with out.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
            writer.writeheader()
            for row in rows:
                row[column] = says(row["document"]) if says else "yes" if row["document"] in self.responsive else "no"
                writer.writerow(row)
        return out

    def memory_of(self, role: Role) -> memory.Memory:
        (folder,) = (self.folder / role / f"{role}.key.memory").iterdir()
        with self.office() as office:
            matter = office.state.number
        found = memory.recall(self.key_file(role), matter)
        assert found.folder == folder
        return found
