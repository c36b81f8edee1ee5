"""Test vectors as data: JSON files that any implementation can read, and what reads and writes them here."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def text_of(data: object) -> str:
    """The one way in which a vector file is written, so that the same data gives the same bytes."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def stored_text(name: str) -> str:
    return (FOLDER / name).read_bytes().decode()


def load(name: str) -> Any:
    return json.loads(stored_text(name))
