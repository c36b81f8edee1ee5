"""Fixtures that several test modules ask for."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from ledger.keyfiles import write_keys
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from tests import corpora
from tests.keyfile_samples import KEY, PASSPHRASE

settings.register_profile("tallystick", deadline=None)  # how fast this machine is now proves nothing
settings.load_profile("tallystick")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in a shell's background, and so would all programs be
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
