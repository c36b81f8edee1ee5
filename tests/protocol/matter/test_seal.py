"""Salts of sealed values: one each where a value can be guessed, one in common for proofs, which hold their own."""

from typing import Any

from ledger.commitments import Secret
from ledger.hashing import Digest
from ledger.openings import Openings
from ledger.roles import Audience
from protocol.matter.seal import Seal

SEAL = Seal(secret=Secret(bytes(32)), matter=Digest(b"m" * 32))
OWNERS = (Audience.ALICE, Audience.COURT)


def salts(name: str, place: str = "1", count: int = 3) -> list[bytes]:
    _, openings = SEAL.close(place, {name: (OWNERS, [{"number": number} for number in range(count)])})
    return [each.salt for each in openings]


def test_each_value_has_a_salt_of_its_own() -> None:
    assert len({*salts("documents"), *salts("documents", "2"), *salts("privilege")}) == 9


def test_the_proofs_of_one_entry_have_one_salt_and_those_of_another_entry_another() -> None:
    assert len(set(salts("proofs"))) == len(set(salts("proofs", "2"))) == 1
    assert salts("proofs")[0] != salts("proofs", "2")[0]


def test_only_a_salt_in_common_is_written_once() -> None:
    for name, written in (("documents", 3), ("proofs", 1)):
        _, openings = SEAL.close("1", {name: (OWNERS, ["a", "b", "c"])})
        value: Any = Openings(openings).to_value()
        assert len(value[name]["salts"]) == 64 * written
        assert tuple(Openings.parse(value)) == openings
