"""What commands print for scripts."""

import json
from typing import Any

import pytest

from ledger.canonical import MAX_INTEGER
from ledger.roles import Role
from ledger.terminal import print_json


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (2**64, "18446744073709551616"),
        (-(2**53), "-9007199254740992"),
        (MAX_INTEGER, MAX_INTEGER),
        (-MAX_INTEGER, -MAX_INTEGER),
        ({"coins": [2**63, 7, (2**53,)]}, {"coins": [str(2**63), 7, [str(2**53)]]}),
        ([True, None, 0.5, "text", Role.ALICE], [True, None, 0.5, "text", "alice"]),
    ],
)
def test_integers_that_json_readers_round_are_printed_as_texts(
    value: Any, printed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    print_json(value)
    assert json.loads(capsys.readouterr().out) == printed


def test_json_is_printed_in_printable_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    said = {"name": "d\u00e9j\u00e0 vu \u202e \x1b[2J \x7f \x9b", "\x7f": "\n"}
    print_json(said, indent=None)
    printed = capsys.readouterr().out.removesuffix("\n")
    assert printed.isascii()
    assert printed.isprintable()
    assert json.loads(printed) == said
