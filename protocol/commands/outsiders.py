"""Files about outsiders that commands are given: roots of authorities, policies, proofs."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ledger import reading
from ledger.errors import LedgerError, Refused
from ledger.tlog import policy as policies
from ledger.tlog.policy import Policy
from protocol.errors import BadToken
from protocol.exchange.witnessing import Trusted

T = TypeVar("T")

_LARGEST_ROOTS = 2**20


def read(path: Path, most: int, what: str, decode: Callable[[bytes], T]) -> T:
    """What a file holds; an error names it."""
    try:
        return decode(reading.whole(path, most, what))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path} is not {what}: it is not UTF-8") from None
    except LedgerError as error:
        raise type(error)(f"{path}: {error}") from None


def policy(path: Path | None) -> Policy | None:
    """The policy in a file, if one is given."""
    return None if path is None else read(path, policies.MAX_SIZE, "a policy", policies.decode)


def trusted(roots: Path | None, policy_file: Path | None) -> Trusted:
    """With what stamps and proofs are checked before they go on record."""
    found = None if roots is None else read(roots, _LARGEST_ROOTS, "roots", _certificates)
    return Trusted(roots=found, policy=policy(policy_file))


def _certificates(data: bytes) -> bytes:
    """The bytes of a file with certificates, if it is one."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about strangers' certificates; nobody here can act on them
            load_pem_x509_certificates(data)
    except ValueError:
        raise BadToken("it holds no certificates in PEM; give the root of the authority") from None
    return data
