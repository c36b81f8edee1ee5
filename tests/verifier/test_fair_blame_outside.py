"""Stamps, proofs and policies, mutated: nobody is blamed for what others signed, and both programs judge alike.

`TALLYSTICK_FUZZ` multiplies the number of cases (`make fuzz`).
"""

import base64
import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ledger import canonical, notes
from ledger.errors import LedgerError
from ledger.notes import NoteKey
from ledger.roles import Audience
from ledger.tlog import checkpoint
from ledger.tlog import policy as ledger_policy
from ledger.tlog import proofs as ledger_proofs
from protocol.corpus.corpus import Corpus
from tests.support import genuine
from tests.support.forging import witnessed
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.mutations import Lines
from tests.support.forging.running import plan
from tests.support.forging.stamps import Rogue, der, response
from tests.support.forging.witnessed import KEY, ORIGIN, MemoryLog, WitnessedRun
from tests.support.witness import TIME, TestWitness
from tests.vectors import FOLDER
from tests.vectors.agreed import AGREED
from verifier import policy as verifier_policy
from verifier import stamps
from verifier.checks import Check
from verifier.findings import VerifierError
from verifier.outside import Looking, Outsiders
from verifier.record import logs
from verifier.record.logs import LogKey
from verifier.tally import Tally
from verifier.values import blamed
from verifier.verdict import Answer, Outcome
from verifier.verification import verify

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
LOG = checkpoint.note_key(ORIGIN, KEY).vkey
LEAF = b"tallystick/00\n3\nroot\nhead 00\nstate open\n"
ODD = ["", " ", "+", "\n", "\r", "\t", "\x00", "\x85", "\u2028", "\u00a0", "\u2014", "\ud800", "=", "/", "A", "0", "é"]
WITNESSES = [TestWitness("court.example/w"), TestWitness("bar.example/w"), TestWitness("firm.example/w")]


def changed(text: str, random: Random) -> str:
    """A text with one to three small changes, or lines at other places."""
    for _ in range(random.randint(1, 3)):
        at, lines = random.randrange(len(text) + 1), text.split("\n")
        match random.randrange(6):
            case 0:
                text = text[:at] + random.choice(ODD) + text[at:]
            case 1:
                text = text[:at] + random.choice(ODD) + text[at + 1 :]
            case 2:
                text = text[:at] + text[at + random.randint(1, 40) :]
            case 3:
                line = random.choice(lines)
                lines.insert(random.randrange(len(lines) + 1), line)
                text = "\n".join(lines)
            case 4:
                random.shuffle(lines)
                text = "\n".join(lines)
            case 5:
                other = random.choice(text) if text else "x"
                text = text[:at] + other + text[at + 1 :]
    return text


def taken(read: Callable[..., object], *given: object) -> bool:
    """Whether a reader takes something."""
    try:
        read(*given)
    except (LedgerError, VerifierError):
        return False
    return True


def holds_by_the_ledger(text: str, log: NoteKey) -> None:
    ledger_proofs.check(ledger_proofs.parse(text), LEAF, log)


def holds_by_the_verifier(text: str, log: LogKey) -> None:
    logs.check(logs.parse(text), LEAF, log)


@pytest.mark.parametrize("part", range(2))
def test_a_proof_that_one_program_takes_the_other_takes_too(part: int) -> None:
    """Otherwise an honest Trent's entry could be held against him, or a client could be led on."""
    random, good, text = Random(part), 0, MemoryLog().prove(LEAF)
    own, other = notes.parse_vkey(LOG), logs.read_vkey(LOG)
    for _ in range(2000 * TIMES):
        found = changed(text, random)
        holds = taken(holds_by_the_ledger, found, own)
        assert taken(holds_by_the_verifier, found, other) is holds, found
        good += holds
    assert good  # some changes change nothing


def test_a_verifier_key_that_one_program_takes_the_other_takes_too() -> None:
    random, keys = Random(3), [LOG, *(each.key.vkey for each in WITNESSES)]
    raw = [
        bytes(32),
        bytes([1, *bytes(31)]),
        b"\xff" * 32,
        bytes([0xEC, *([0xFF] * 30), 0x7F]),
    ]  # no keys, small orders
    for point in raw:
        made = logs.LogKey(name="a.example", type=1, key=point)
        keys.append(f"a.example+{made.id.hex()}+{base64.b64encode(bytes([1]) + point).decode()}")
    for number in range(2000 * TIMES):
        found = keys[number] if number < len(keys) else changed(random.choice(keys), random)
        assert taken(notes.parse_vkey, found) is taken(logs.read_vkey, found), found


POLICY = "".join(
    f"{line}\n"
    for line in (
        f"log {LOG}",
        *(f"witness w{number} {each.key.vkey} https://w{number}.example/" for number, each in enumerate(WITNESSES)),
        "# who suffices",
        "group two 2 w0 w1 w2",
        "group all any two",
        "quorum all",
    )
)


def cosigned(which: list[int]) -> str:
    """A proof whose checkpoint some of the witnesses have cosigned."""
    text = MemoryLog().prove(LEAF)
    note = ledger_proofs.parse(text).note
    lines = (notes.cosign(note.text, each.signer, each.key.name, TIME) for each in (WITNESSES[at] for at in which))
    return text + "".join(map(str, lines))


def test_a_policy_that_one_program_takes_the_other_takes_too_with_the_same_answer(tmp_path: Path) -> None:
    random, path, good = Random(4), tmp_path / "policy", 0
    shown = [cosigned(which) for which in ([], [0], [0, 2], [0, 1, 2])]
    for number in range(1000 * TIMES):
        found = changed(POLICY, random) if number else POLICY
        data = found.encode(errors="surrogatepass")
        path.write_bytes(data)
        assert taken(ledger_policy.decode, data) is taken(verifier_policy.read, path), found
        if taken(ledger_policy.decode, data):
            good += 1
            ours, other = ledger_policy.decode(data), verifier_policy.read(path)
            for text in shown:
                suffices = taken(ours.check, ledger_proofs.parse(text).note)
                assert taken(other.check, logs.parse(text).note) is suffices, found
    assert good > 40


@pytest.fixture(scope="module")
def rogue() -> Rogue:
    return Rogue.make()


def spoiled(data: bytes, random: Random) -> bytes:
    """Bytes with some changed, cut or added."""
    made = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(made)) if made else 0
        match random.randrange(4):
            case 0 if made:
                made[at] ^= 1 << random.randrange(8)
            case 1:
                del made[at : at + random.randint(1, 9)]
            case 2:
                made[at:at] = random.randbytes(random.randint(1, 9))
            case 3:
                made[at : at + 4] = random.randbytes(4)
    return bytes(made)


def test_a_spoiled_token_is_judged_without_an_error_and_dates_nothing_else(rogue: Rogue, tmp_path: Path) -> None:
    """Bytes that no signature covers may be others; what the token shows is then the same."""
    random, content = Random(5), b"the text of a checkpoint\n"
    whole = response(rogue.token(content))
    true = stamps.check(whole, content, rogue.roots)
    for _ in range(3000 * TIMES):
        with suppress(stamps.BadStamp, stamps.NotChecked):
            assert stamps.check(spoiled(whole, random), content, rogue.roots) == true


class Dated(WitnessedRun):
    """A matter whose tokens are those of an authority, some spoiled before Trent puts them on record."""

    rogue: Rogue
    spoil: Callable[[bytes], bytes] = staticmethod(lambda data: data)

    def stamp(self, data: bytes) -> None:
        text = self.desk.log.history.state().text.encode()
        super().stamp(self.spoil(response(self.rogue.token(text))))


def played(corpus: Corpus, folder: Path, rogue: Rogue, spoil: Callable[[bytes], bytes]) -> dict[Audience, Lines]:
    agreed = AGREED | {"witnesses": witnessed.agreed(authorities=(sha256(der(rogue.root)).hexdigest(),))}
    course: Any = type("Course", (Dated,), {"rogue": rogue, "spoil": staticmethod(spoil)})
    matter = genuine.with_same_keys(plan(corpus, players=DISPUTED, protocol="label", **agreed))
    path = folder / "matter"
    path.unlink(missing_ok=True)
    with course(corpus, matter, path) as run:
        run.run()
    return {audience: witnessed.lines(run, path, audience) for audience in EVERYBODY}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.open(FOLDER / "corpora" / "plain")


@pytest.fixture(scope="module")
def trusted(rogue: Rogue, tmp_path_factory: pytest.TempPathFactory) -> Outsiders:
    folder = tmp_path_factory.mktemp("trusted")
    (folder / "roots").write_bytes(rogue.roots)
    (folder / "policy").write_text(f"log {LOG}\nquorum none\n")
    return Outsiders(roots=folder / "roots", policy=folder / "policy")


def tokens_of(lines: Lines) -> list[int]:
    return [place for place, line in enumerate(lines) if line.startswith(b'{"token"')]


def respelt(lines: Lines, random: Random) -> Lines:
    """The copy with its token lines changed, moved, added or left out: nothing of it needs a key."""
    lines = lines.copy()
    for _ in range(random.randint(1, 3)):
        places = tokens_of(lines)
        if not places:
            break
        at = random.choice(places)
        match random.randrange(6):
            case 0:
                del lines[at]
            case 1:
                with suppress(ValueError):  # spoiled already
                    data = base64.b64decode(lines[at].removeprefix(b'{"token":"').removesuffix(b'"}'), validate=True)
                    lines[at] = canonical.encode({"token": base64.b64encode(spoiled(data, random)).decode()})
            case 2:
                lines.insert(random.randrange(len(lines) + 1), lines[at])
            case 3:
                lines.insert(random.randrange(len(lines)), lines.pop(at))
            case 4:
                other = random.choice(places)
                lines[at], lines[other] = lines[other], lines[at]
            case 5:
                lines[at] = spoiled(lines[at], random).replace(b"\n", b"")
    return lines


def test_whatever_becomes_of_token_lines_blames_nobody(
    corpus: Corpus, rogue: Rogue, trusted: Outsiders, tmp_path: Path
) -> None:
    copies, random = played(corpus, tmp_path, rogue, lambda data: data), Random(6)
    for audience, lines in copies.items():
        (tmp_path / "copy").write_bytes(b"".join(line + b"\n" for line in lines))
        verdict = verify(tmp_path / "copy", outsiders=trusted)
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        assert {verdict.result(check).outcome for check in (Check.STAMPS, Check.LOG)} == {Outcome.PASS}
    for _ in range(250 * TIMES):
        lines = copies[random.choice(EVERYBODY)]
        found = respelt(lines, random)
        if found == lines:
            continue
        (tmp_path / "copy").write_bytes(b"".join(line + b"\n" for line in found))
        verdict = verify(tmp_path / "copy", outsiders=trusted)
        assert blamed(verdict) == []
        only_fewer = [line for line in lines if line in found] == found
        assert verdict.answer is (Answer.VERIFIED if only_fewer else Answer.UNDECIDED)
        assert verdict.result(Check.STAMPS).outcome is Outcome.NOT_CHECKED


def test_tokens_that_were_bad_when_they_came_blame_nobody(
    corpus: Corpus, rogue: Rogue, trusted: Outsiders, tmp_path: Path
) -> None:
    """Trent puts on record what the authority sent him; he may be unable to judge it."""
    for number in range(25 * TIMES):
        random = Random(1000 + number)
        copies = played(corpus, tmp_path, rogue, lambda data, random=random: spoiled(data, random))  # type: ignore[misc]
        (tmp_path / "copy").write_bytes(b"".join(line + b"\n" for line in copies[Audience.BOB]))
        verdict = verify(tmp_path / "copy", outsiders=trusted)
        assert blamed(verdict) == []
        assert verdict.answer is Answer.VERIFIED


def test_a_log_that_forks_is_told_by_whoever_sees_both(tmp_path: Path) -> None:
    """Both proofs hold under the log's key, so neither record blames anybody; the log's two checkpoints do."""
    one, other = MemoryLog(), MemoryLog()
    other.leaves[0] = b"another history\n"
    shown = [logs.parse(each.prove(LEAF)) for each in (one, other)]
    key = logs.read_vkey(LOG)
    for proof in shown:
        logs.check(proof, LEAF, key)
    assert shown[0].note.size == shown[1].note.size
    assert shown[0].note.root != shown[1].note.root
    tally = Tally()
    Looking(tally, Outsiders()).logged(7, one.prove(LEAF))
    assert tally.findings == []
