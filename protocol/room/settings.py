"""What a person chooses once, kept beside the key: shortcuts, bases of privilege, and what is answered by itself."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ledger import files, reading
from ledger.errors import Refused
from protocol.matter.values import LONGEST_BASIS

SUFFIX = ".room.json"
MAX_SIZE = 2**20

ACTIONS: Mapping[str, tuple[str, str]] = {
    "responsive": ("r", "Responsive"),
    "not": ("n", "Not responsive"),
    "privileged": ("p", "Privileged"),
    "upheld": ("h", "Upheld"),
    "overruled": ("o", "Overruled"),
    "give": ("g", "Give up"),
    "class": ("c", "Next class"),
    "later": ("l", "Later"),
    "next": ("j", "Next"),
    "back": ("b", "Back"),
    "open": ("e", "Next that is missing"),
    "mark": ("m", "Mark"),
    "undo": ("u", "Undo"),
    "redo": ("d", "Redo"),
    "reason": ("w", "Write a reason"),
    "threshold": ("t", "Threshold here"),
    "search": ("/", "Search"),
    "sign": ("s", "To the signature"),
}
"""What a key does: its usual key, and what stands on the button."""

BASES = ("Attorney-client privilege", "Work product", "Attorney-client privilege and work product")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The choices."""

    keys: Mapping[str, str] = field(default_factory=lambda: {name: key for name, (key, _) in ACTIONS.items()})
    bases: tuple[str, ...] = BASES
    links: bool = False  # whether coin links are given without asking
    terms: tuple[str, ...] | None = None  # to be highlighted; None: those of the request


def path_of(key_file: Path) -> Path:
    """Where they are."""
    return key_file.with_name(key_file.name + SUFFIX)


def load(key_file: Path) -> Settings:
    """The choices; the usual ones if there is no file."""
    path = path_of(key_file)
    try:
        value = json.loads(reading.whole(path, MAX_SIZE, "a room's settings"))
        return checked(value)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, LookupError, AttributeError):
        raise Refused(f"{path} does not hold a room's settings; move it away, and choose them again") from None


def save(key_file: Path, settings: Settings) -> None:
    """Keep the choices."""
    with files.replaced_file(path_of(key_file)) as stream:
        stream.write(json.dumps(asdict(settings), indent=2).encode() + b"\n")


def checked(value: Mapping[str, Any]) -> Settings:
    """Choices from elsewhere. Raises `Refused` in words if they cannot be used."""
    usual = Settings()
    keys = {**usual.keys, **{name: str(key) for name, key in value["keys"].items() if name in ACTIONS}}
    for name, key in keys.items():
        if len(key) != 1 or not key.isprintable() or key == " ":
            raise Refused(f"{ACTIONS[name][1]} needs one key without Ctrl, Alt or Shift; {key[:20]!r} is none")
        other = next(each for each, taken in keys.items() if taken == key)
        if other != name:
            raise Refused(f"the key {key!r} is given to {ACTIONS[other][1]} and to {ACTIONS[name][1]}; choose another")
    bases = tuple(dict.fromkeys(str(each).strip() for each in value["bases"] if str(each).strip()))
    if long := next((each for each in bases if len(each) > LONGEST_BASIS), None):
        raise Refused(f"a basis has at most {LONGEST_BASIS} characters; this one has {len(long)}: {long[:60]!r}")
    terms = value.get("terms")
    found = None if terms is None else tuple(dict.fromkeys(str(each).strip() for each in terms if str(each).strip()))
    return replace(usual, keys=keys, bases=bases or BASES, links=value["links"] is True, terms=found)
