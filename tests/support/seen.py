"""A real matter whose terms name outside witnesses: an authority (openssl), a log, and a witness of it if one runs."""

from pathlib import Path

from click.testing import CliRunner, Result

from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from ledger.tlog import checkpoint
from protocol.cli import main
from protocol.matter import course, terms
from protocol.rules.terms import WitnessTerms
from tests.support.authority import Authority, openssl
from tests.support.exchange_cases import Table
from tests.support.witness import TestWitness
from verifier.cli import main as verifier_main

ORIGIN = "trent.example/log"
LOG_KEY = SigningKey(b"the log's own key".ljust(32, b"."))


def fingerprint(found: Authority, name: str = "root.pem") -> str:
    """As openssl prints it."""
    told = openssl("x509", "-in", name, "-noout", "-fingerprint", "-sha256", folder=found.folder)
    return told.strip().partition("=")[2].replace(":", "").lower()


def tallystick(*words: object, code: int = 0) -> str:
    done: Result = CliRunner().invoke(main, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def verified(*words: object, code: int = 0) -> str:
    done: Result = CliRunner().invoke(verifier_main, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout


class Seen:
    """A table whose terms name an authority and a log, and how Trent gets both to see the record."""

    def __init__(self, table: Table, stamps: Authority, witness: TestWitness | None = None) -> None:
        self.table, self.stamps, self.witness = table, stamps, witness
        self.trent = table.folder / "trent"
        self.log, self.log_key = self.trent / "log", self.trent / "log.key"
        write_keys(self.log_key, LOG_KEY, Role.TRENT, None)
        tallystick("log", "init", self.log, "--origin", ORIGIN, "--key", self.log_key)
        self.policy = self.trent / "policy"
        lines = [f"log {checkpoint.note_key(ORIGIN, LOG_KEY).vkey}"]
        if witness is not None:
            lines += [f"witness court {witness.key.vkey} {witness.url}", "quorum court"]
        else:
            lines += ["quorum none"]
        self.policy.write_text("".join(f"{line}\n" for line in lines))

    def terms(self) -> WitnessTerms:
        return terms.witnesses([fingerprint(self.stamps)], checkpoint.note_key(ORIGIN, LOG_KEY).vkey)

    def token(self) -> Path:
        """Have the record stamped as it stands; the authority's answer."""
        tallystick("stamp", "request", self.table.matter)
        query = max(self.trent.glob("*.tsq"), key=lambda path: int(path.name.split("-")[1].split(".")[0]))
        answer = query.with_suffix(".tsr")
        answer.write_bytes(self.stamps.reply(query.read_bytes()))
        return answer

    def stamp(self, *more: object, code: int = 0) -> str:
        return self.add(self.token(), *more, code=code)

    def add(self, token: Path, *more: object, code: int = 0) -> str:
        words = ("--key", self.table.key_file(Role.TRENT), *(more or ("--tsa-roots", self.stamps.root)))
        return tallystick("stamp", "add", self.table.matter, token, *words, code=code)

    def prove(self) -> Path:
        """Put the record into the log as it stands; the proof."""
        tallystick("log", "add", self.log, self.table.matter, "--key", self.log_key, "--policy", self.policy)
        out = self.trent / f"{len(list(self.trent.glob('*.tlog-proof')))}.tlog-proof"
        tallystick("log", "prove", self.log, self.table.matter, "--policy", self.policy, "--out", out)
        return out

    def record(self, proof: Path, *, code: int = 0) -> str:
        return tallystick(
            *("log", "record", self.table.matter, proof, "--key", self.table.key_file(Role.TRENT)),
            *("--policy", self.policy),
            code=code,
        )

    def see(self) -> None:
        """All that the terms ask for."""
        self.stamp()
        self.record(self.prove())

    def play(self, rounds: int) -> None:
        """Everybody answers truthfully until this many rounds are closed."""
        while True:
            with self.table.office() as office:
                if len(office.state.rounds) == rounds and office.state.between:
                    return
                due = course.unseen(office.state)
            if due:
                self.see()
            for role, question in self.table.questions().items():
                self.table.accept(self.table.truthful(role, question))

    def copy(self, audience: Audience = Audience.BOB) -> Path:
        out = self.table.folder / f"{audience}.jsonl"
        out.unlink(missing_ok=True)
        key = self.table.key_file(Role.TRENT)
        tallystick("copy", self.table.matter, "--for", audience, "--key", key, "--out", out)
        return out
