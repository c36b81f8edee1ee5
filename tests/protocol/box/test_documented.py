"""The mailbox's page and map cannot drift: every tag, address and module is in them."""

import re
from pathlib import Path

from protocol import box

ROOT = Path(__file__).parents[3]
SOURCES = {path.stem: path.read_text() for path in (ROOT / "protocol/box").glob("*.py")}
PAGE = (ROOT / "docs/mailbox.md").read_text()


def test_the_map_of_the_mailbox_names_each_of_its_modules() -> None:
    told = set(re.findall("[a-z_]+", box.__doc__ or ""))
    assert SOURCES.keys() - {"__init__"} <= told


def test_every_tag_of_the_mailbox_is_on_its_page() -> None:
    tags = {tag for text in SOURCES.values() for tag in re.findall(r'(?:sign|type_tag)\("([\w-]+)"', text)}
    assert tags == {"box", "box-parties", "box-receipt", "sealed"}
    for tag in tags:
        assert f"`{tag}`" in PAGE or f"tallystick/v1/{tag}" in PAGE


def test_every_address_of_the_server_is_on_its_page() -> None:
    addresses = re.findall(r'\("(?:GET|POST)", f?"([^"]+)"', SOURCES["server"])
    assert len(addresses) == 10
    for address in addresses:
        assert f"/{address.removeprefix('{place}').split('/')[1]}" in PAGE, address


def test_every_field_of_the_log_is_on_its_page() -> None:
    noted = SOURCES["guard"].partition("self._log.note(")[2].partition("        )\n")[0]
    fields = re.findall(r"^ +(\w+)=", noted, re.MULTILINE)
    assert len(fields) == 12
    for field in (*fields, "lost_lines", "time"):
        assert f"`{field}`" in PAGE, field
