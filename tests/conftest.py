"""Fixtures that several test modules ask for."""

import gc
import os
import re
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import settings
from nacl import bindings

from ledger.keyfiles import write_keys
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.exchange import verifying
from tests.support import corpora, exchange_cases, forked
from tests.support import small_corpus as few_documents
from tests.support.exchange_cases import Table
from tests.support.keyfile_samples import KEY, PASSPHRASE
from tests.support.verifier_corpora import copied
from verifier.record import keys
from verifier.verdict import Verdict
from verifier.verification import verify

# How fast this machine is now proves nothing. Tests that need more examples than most ask for them.
settings.register_profile("tallystick", deadline=None, max_examples=40)
settings.load_profile("tallystick")

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30


def _files_in_memory() -> bool:
    """Whether there is room for the tests' files in memory, and programs can be run from there."""
    try:
        disk = os.statvfs(MEMORY)
        free = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        return False
    free_memory = int(free[1]) * 1024 if free else 0
    return min(disk.f_bavail * disk.f_frsize, free_memory) >= ROOM and not disk.f_flag & os.ST_NOEXEC


# Whatever goes on record is synced to the disk, and a quarter of the tests' time was spent waiting for that.
if "TMPDIR" not in os.environ and _files_in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Started in a shell's background or by nohup, they are ignored, and so would all programs ignore them that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _everything(config: pytest.Config) -> bool:
    """Whether no folder, module or test was named."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What the collection makes stays to the end: the garbage collector need not look through it, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules in which nothing was asked for are not imported: those without a slow test, or with slow ones only."""
    if not _everything(config) or not collection_path.match("test_*.py"):
        return None
    return _has_none(collection_path, config.option.markexpr) or None


def _has_none(path: Path, asked: str) -> bool:
    text = path.read_text()
    match asked:
        case "slow":
            return "mark.slow" not in text
        case "not slow":
            return re.search(r"^pytestmark = \[?pytest\.mark\.slow\b", text, re.MULTILINE) is not None
    return False


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Where nothing is compiled yet, two workers would both rewrite the assertions of all modules at the same time.
    One begins at the other end, so that each finds half of the work done.
    """
    config = collector.config
    if isinstance(collector, pytest.Session) and _everything(config) and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        here = Path(__file__).parent
        for path in sorted(here.rglob("test_*.py"), reverse=True):
            if not _has_none(path, config.option.markexpr):
                with suppress(Exception, pytest.skip.Exception):  # which the collection meets again, and reports
                    import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


_LONGEST = (
    "tests/verifier/test_transcript_vectors.py",
    "tests/system/test_rooms.py",
    "tests/verifier/test_hostile_questions.py",
    "tests/system/test_installation.py",
    "tests/paper/test_arxiv.py",
    "tests/protocol/rules/test_bound_coverage.py",
    "tests/system/test_end_to_end.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow tests that take longest come first, or a worker would be left alone with one of them at the end."""
    items.sort(key=lambda item: not (item.nodeid.startswith(_LONGEST) and item.get_closest_marker("slow")))


@pytest.fixture(scope="session", autouse=True)
def _each_key_and_signature_is_verified_once() -> Iterator[None]:
    """Most copies that tests judge share their keys and entries. The verifier's exact arithmetic on one key takes
    as long as the rest of a short copy.
    """
    verified = keys.signed_bare
    remembered: dict[bytes, bool] = {}

    def signed_bare(key: bytes, message: bytes, signature: bytes) -> bool:
        asked = sha256(b"".join((len(key).to_bytes(8), key, len(signature).to_bytes(8), signature, message))).digest()
        if asked not in remembered:
            remembered[asked] = verified(key, message, signature)
        return remembered[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "is_acceptable", lru_cache(None)(keys.is_acceptable))
        patch.setattr(keys, "signed_bare", signed_bare)
        yield


@pytest.fixture(scope="session", autouse=True)
def _libsodium_looks_at_each_key_and_signature_once() -> Iterator[None]:
    """So it is with the ledger's own: a matter that tests go on from has the same entries each time."""
    opened = bindings.crypto_sign_open
    remembered: set[bytes] = set()

    def crypto_sign_open(signed: bytes, key: bytes) -> bytes:
        asked = sha256(len(key).to_bytes(8) + key + signed).digest()
        if asked in remembered:
            return signed[bindings.crypto_sign_BYTES :]
        found = opened(signed, key)  # raises if it is false
        remembered.add(asked)
        return found

    with pytest.MonkeyPatch.context() as patch:
        is_valid_point = lru_cache(None)(bindings.crypto_core_ed25519_is_valid_point)
        patch.setattr(bindings, "crypto_core_ed25519_is_valid_point", is_valid_point)
        patch.setattr(bindings, "crypto_sign_open", crypto_sign_open)
        yield


@pytest.fixture(scope="session", autouse=True)
def _who_signs_the_end_has_it_verified_in_a_forked_process() -> Iterator[None]:
    """Whoever signs the end starts the verifier, which takes longer to start than to judge a short copy. The programs
    that tests start, and the tests of signing the end, start it as for a person.
    """
    started = verifying._run

    def run(copy: Path) -> CompletedProcess[str]:
        if verifying._MODULE != "verifier":  # a test has put another in its place
            return started(copy)
        return forked.run("tallystick-verify", "copy", copy.absolute(), "--json", cwd=copy.parent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifying, "_run", run)
        yield


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Alice's key, encrypted and plain, made once: each encryption costs 600,000 rounds."""
    folder = tmp_path_factory.mktemp("keys")
    write_keys(folder / "encrypted", KEY, Role.ALICE, PASSPHRASE)
    write_keys(folder / "plain", KEY, Role.ALICE, None)
    return folder


@pytest.fixture(scope="session")
def small_corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of 300 mails, built once."""
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small")


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Verdict]:
    """The verifier's verdict on some lines as a copy."""

    def verdict(lines: list[bytes], **options: Any) -> Verdict:
        path = tmp_path / "copy.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return verify(path, **options)

    return verdict


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The smallest corpus that has everything in it, as the protocol builds it."""
    return few_documents.make(tmp_path_factory.mktemp("whole") / "corpus")


@pytest.fixture
def folder(built: Corpus, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return copied(built.path, tmp_path / "corpus")


# Matters between real parties, each played once up to where tests begin


@pytest.fixture(scope="session")
def _table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    corpus = exchange_cases.corpus(tmp_path_factory.mktemp("corpus") / "corpus")
    return Table(folder=tmp_path_factory.mktemp("table"), corpus=corpus)


@pytest.fixture(scope="session")
def _drawing(tmp_path_factory: pytest.TempPathFactory, _table: Table) -> Table:
    table = _table.copied(tmp_path_factory.mktemp("drawing"))
    table.begin()
    table.questions()
    return table


@pytest.fixture(scope="session")
def _reporting(tmp_path_factory: pytest.TempPathFactory, _drawing: Table) -> Table:
    table = _drawing.copied(tmp_path_factory.mktemp("reporting"))
    table.until(Role.ALICE, "report")
    return table


@pytest.fixture(scope="session")
def _labelling(tmp_path_factory: pytest.TempPathFactory, _reporting: Table) -> Table:
    table = _reporting.copied(tmp_path_factory.mktemp("labelling"))
    table.until(Role.BOB, "labels")
    return table


@pytest.fixture
def table(tmp_path: Path, _table: Table) -> Table:
    """A matter that nobody has opened yet."""
    return _table.copied(tmp_path / "table")


@pytest.fixture
def drawing(tmp_path: Path, _drawing: Table) -> Table:
    """A matter in which Alice and Bob are asked for their first links."""
    return _drawing.copied(tmp_path / "table")


@pytest.fixture
def reporting(tmp_path: Path, _reporting: Table) -> Table:
    """A matter in which Alice is asked for her first report."""
    return _reporting.copied(tmp_path / "table")


@pytest.fixture
def labelling(tmp_path: Path, _labelling: Table) -> Table:
    """A matter in which Bob is asked for his first labels."""
    return _labelling.copied(tmp_path / "table")
