"""Every command that may take long shows how far it is, and takes `--quiet`; short ones and servers do not."""

from collections.abc import Iterator

import click
import pytest

from protocol.cli import main
from tests.support.pages import within
from verifier.cli import main as verify

SHORT = {
    "tallystick key new",
    "tallystick key show",
    "tallystick log init",
    "tallystick matter terms",
    "tallystick-verify page",
    "tallystick-verify stamp",
}
SERVERS = {"tallystick room", "tallystick serve"}


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    inner = within(command)
    if not inner:
        yield name, command
    for word, each in inner.items():
        yield from commands(each, f"{name} {word}")


ALL = dict([*commands(main, "tallystick"), *commands(verify, "tallystick-verify")])


def has_quiet(command: click.Command) -> bool:
    return any("--quiet" in each.opts for each in command.get_params(click.Context(command)))


@pytest.mark.parametrize("name", ALL)
def test_a_command_takes_quiet_unless_it_is_short_or_a_server(name: str) -> None:
    assert has_quiet(ALL[name]) == (name not in SHORT | SERVERS)


def test_the_exceptions_exist() -> None:
    assert ALL.keys() >= SHORT | SERVERS
