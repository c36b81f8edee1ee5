"""What `tallystick serve` does not start with, and says so."""

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from protocol.cli import main
from tests.support import certificates


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--listen", "0.0.0.0:0"], "plain HTTP can be read and changed on the way"),
        (["--listen", "[::]:0"], "plain HTTP can be read and changed on the way"),
        (["--listen", "8470"], "is not an address to listen at"),
        (["--listen", "127.0.0.1:99999"], "is not an address to listen at"),
        (["--listen", "192.0.2.1:0", "--tls-cert", "good/server.pem", "--tls-key", "good/server.key"], "cannot listen"),
        (["--listen", "0.0.0.0:0", "--tls-cert", "good/server.pem", "--tls-key", "good/server.key"], "--name"),
        (["--name", "http://trent.example"], "is plain HTTP"),
        (["--name", "trent.example"], "does not name a server"),
        (["--tls-cert", "good/server.pem"], "are given together"),
        (["--listen", "127.0.0.1:0", "--tls-cert", "good/server.key", "--tls-key", "good/server.key"], "in PEM"),
        (["--log", "no/such/folder/log"], "cannot be written"),
    ],
)
def test_what_cannot_be_served_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    certificates.write(tmp_path / "good")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["serve", "box", *options])
    assert done.exit_code in (1, 2)
    assert said in " ".join(done.output.split())


def test_an_installation_without_a_server_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "protocol.box.running", raising=False)
    monkeypatch.delattr("protocol.box.running", raising=False)
    done = CliRunner().invoke(main, ["serve", str(tmp_path / "box")])
    assert done.exit_code == 1
    assert "pip install 'tallystick[serve]'" in done.output
    assert not (tmp_path / "box").exists()


def test_a_log_that_nobody_would_read_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = CliRunner().invoke(main, ["serve", str(tmp_path / "box"), "--log", str(tmp_path / "pipe")])
    assert done.exit_code == 1
    assert "cannot be written" in done.output
