"""What a load file states of a part: the fields that the corpus commits to, by our names of the fields.

Of an open part it is what `log` and `rest` hold. Of a withheld part it is what `log` holds, and nothing else.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from protocol.corpus.listing import PartFields
from protocol.errors import BadSource
from protocol.loadfile import fieldnames
from protocol.loadfile.dat import MULTIPLE
from protocol.loadfile.fieldnames import BY_NAME
from protocol.loadfile.volume import Layout

AS_STATED = (
    "from",
    "to",
    "cc",
    "bcc",
    "date_received",
    "date_modified",
    "subject",
    "title",
    "message_id",
    "confidentiality",
)
"""Fields that a part has under the same name, if it has them."""

_BY_TYPE = {"mail": "eml", "text": "txt", "": "txt"}
_LONGEST = 10
_COLUMNS = Layout(name="VOL001").columns


def of_open(part: PartFields, first: PartFields | None, *, native: bool = True) -> dict[str, str]:
    """The fields of an open part, with or without a native; `first` is part 0, unless that is withheld."""
    log, rest = part.log, part.rest
    custodians = rest.custodians or (() if first is None else first.rest.custodians)
    values = {
        fieldnames.CUSTODIAN: custodians[0] if custodians else "",
        fieldnames.ALL_CUSTODIANS: several(custodians),
        "author": log.author,
        "date": log.date,
        "date_sent": rest.fields.get("date_sent") or (log.date if rest.fields.get("from") else ""),
        "file_name": rest.fields.get("file_name") or rest.name.rpartition("/")[2],
        "path": rest.paths[0] if rest.paths else "",
        "all_paths": several(rest.paths),
        "extension": extension(part) if native else "",
        "type": log.type,
        fieldnames.PAGES: "" if rest.pages is None else str(rest.pages),
    }
    return values | {name: rest.fields.get(name, "") for name in AS_STATED}


def of_withheld(part: PartFields) -> dict[str, str]:
    """The fields of a withheld part."""
    log = part.log
    return {"author": log.author, "date": log.date, "to": log.recipients, "type": log.type}


def several(values: Sequence[str]) -> str:
    """Several values in one field. A semicolon within one of them becomes a comma, since it would part it."""
    plain = (each.replace(MULTIPLE, ",").strip() for each in values)
    return f"{MULTIPLE} ".join(each for each in plain if each)


def extension(part: PartFields) -> str:
    """The ending of the native's name: that of the part's own name, or what is usual for its type."""
    named = PurePosixPath(part.rest.name.rpartition("/")[2]).suffix.removeprefix(".").lower()
    for each in (named, _BY_TYPE.get(part.log.type, part.log.type).lower()):
        if each.isascii() and each.isalnum() and len(each) <= _LONGEST and not each.isdigit():
            return each
    return "bin"


def renamed(names: Mapping[str, str], where: object) -> dict[str, str]:
    """The names that somebody gave to fields, all of which a volume must have."""
    if unknown := [name for name in names if name not in _COLUMNS]:
        raise BadSource(f"{where}: a volume has no field {', '.join(unknown)}; its fields are {', '.join(_COLUMNS)}")
    return dict(names)


def template() -> str:
    """A file that names the fields of a volume, to be changed by hand."""
    out = [
        "# What the fields of a production volume are called. Change what you want, and give the file to",
        "# `tallystick produce` with --fields. Each line gives our name of a field, then its name in the volume.",
        "",
        "[fields]",
    ]
    out += [f'{name} = "{BY_NAME[name].usual}"  # {BY_NAME[name].described}' for name in _COLUMNS]
    return "\n".join(out)
