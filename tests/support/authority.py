"""A time-stamping authority on this machine, run by `openssl ts`: a root, a certificate, and replies to queries.

It stamps with this machine's clock, as real ones do with theirs.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="the program openssl is not installed, and is the authority of these tests"
)

_CONFIG = """
[req]
distinguished_name = names
prompt = no
[names]
CN = unused
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[authority]
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256, sha512, sha1
accuracy = secs:1, millisecs:500
ordering = no
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = {bound_by}
signer_digest = sha256
serial = {folder}/serial
[ca]
default_ca = dated
[dated]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/certificates
default_md = sha256
policy = any
[any]
commonName = supplied
organizationName = optional
"""

_EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
_RSA = ("-newkey", "rsa:2048", "-nodes")


def openssl(*words: object, folder: Path, code: int = 0) -> str:
    """What the program says; it must end with this code."""
    command = ["openssl", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@dataclass(frozen=True, slots=True)
class Authority:
    """A folder with an authority's keys and certificates."""

    folder: Path

    @property
    def root(self) -> Path:
        """Its root, in PEM."""
        return self.folder / "root.pem"

    @property
    def roots(self) -> bytes:
        """The same as bytes."""
        return self.root.read_bytes()

    def reply(self, query: bytes, *more: object) -> bytes:
        """The response to a query, as it would come over a network."""
        (self.folder / "query.tsq").write_bytes(query)
        words = ("-config", "config", "-section", "authority", "-signer", "signer.pem", "-inkey", "signer.key")
        openssl("ts", "-reply", *words, "-queryfile", "query.tsq", *more, "-out", "reply.tsr", folder=self.folder)
        return (self.folder / "reply.tsr").read_bytes()

    def stamp(self, content: bytes, *more: object) -> bytes:
        """The response to a query of openssl's own; more words say how the query is made."""
        (self.folder / "content").write_bytes(content)
        openssl("ts", "-query", "-data", "content", *(more or ("-sha256", "-cert")), "-out", "own", folder=self.folder)
        return self.reply((self.folder / "own").read_bytes())

    def verify(self, content: bytes, response: bytes, *, code: int = 0) -> str:
        """What openssl says of a stamp."""
        (self.folder / "content").write_bytes(content)
        (self.folder / "judged.tsr").write_bytes(response)
        words = ("-data", "content", "-in", "judged.tsr", "-CAfile", "root.pem")
        return openssl("ts", "-verify", *words, folder=self.folder, code=code)

    def bare(self, response: bytes) -> bytes:
        """The token alone, as openssl takes it out of a response."""
        (self.folder / "whole.tsr").write_bytes(response)
        openssl("ts", "-reply", "-in", "whole.tsr", "-token_out", "-out", "bare", folder=self.folder)
        return (self.folder / "bare").read_bytes()


def authority(
    folder: Path,
    *,
    name: str = "Stamps of Springfield",
    rsa: bool = False,
    bound_by: str = "sha256",
    root_valid: tuple[str, str] | None = None,
) -> Authority:
    """A new authority; its root is valid for ten years from now, or between two given times."""
    folder.mkdir()
    (folder / "config").write_text(_CONFIG.format(folder=folder, bound_by=bound_by))
    (folder / "serial").write_text("01\n")
    key = _RSA if rsa else _EC
    told = ("-config", "config", "-subj")
    if root_valid is None:
        made = ("-keyout", "root.key", "-out", "root.pem", "-days", 3650, "-extensions", "root")
        openssl("req", "-x509", *key, *made, *told, f"/O=Example/CN=Root of {name}", folder=folder)
    else:
        openssl(
            "req", "-new", *key, "-keyout", "root.key", "-out", "r", *told, f"/O=Example/CN=Root {name}", folder=folder
        )
        (folder / "index").touch()
        (folder / "certificates").write_text("01\n")
        dates = ("-startdate", root_valid[0], "-enddate", root_valid[1], "-extensions", "root")
        words = ("-batch", "-selfsign", "-notext", "-config", "config", "-keyfile", "root.key", "-in", "r")
        openssl("ca", *words, *dates, "-out", "root.pem", folder=folder)
    openssl("req", "-new", *key, "-keyout", "signer.key", "-out", "s", *told, f"/O=Example/CN={name}", folder=folder)
    signed = ("-CA", "root.pem", "-CAkey", "root.key", "-set_serial", 7, "-days", 3000)
    extended = ("-extfile", "config", "-extensions", "signer")
    openssl("x509", "-req", "-in", "s", *signed, *extended, "-out", "signer.pem", folder=folder)
    return Authority(folder)
