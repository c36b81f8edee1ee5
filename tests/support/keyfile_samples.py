"""Alice's key, key files taken apart and put together, and the openssl command: what the tests of key files share."""

import base64
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ledger.roles import Role
from tests.support.builders import KEYS

KEY = KEYS[Role.ALICE]
PASSPHRASE = b"correct horse battery staple"

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command here")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="file modes and users are POSIX's")


def openssl(*arguments: str | Path, passphrase: bytes | None = None) -> bytes:
    """What the openssl command prints; it reads a passphrase as bytes, where the arguments say `file:/dev/stdin`."""
    command = ["openssl", *map(str, arguments)]
    given = None if passphrase is None else passphrase + b"\n"
    return subprocess.run(command, input=given, check=True, capture_output=True, timeout=60).stdout


def pem(label: str, der: bytes) -> bytes:
    return f"-----BEGIN {label}-----\n{base64.encodebytes(der).decode()}-----END {label}-----\n".encode()


def der_in(data: bytes) -> bytes:
    """What the PEM part of a key file holds."""
    found = re.search(rb"-----BEGIN ([A-Z ]+)-----\n(.*)\n-----END \1-----\n", data, re.DOTALL)
    assert found
    return base64.b64decode(found[2])
