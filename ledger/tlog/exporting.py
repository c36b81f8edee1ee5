"""A log as static files for a web server: `checkpoint`, `tile/...`, `tile/entries/...`, and the log's key.

Tiles are written before the checkpoint that needs them, and a tile never goes, so a reader finds whatever the
checkpoint demands that it has fetched, at any moment and after a kill at any moment.
"""

from dataclasses import dataclass
from pathlib import Path

from ledger import files, notes, reading
from ledger.errors import Damaged, LedgerError, Refused
from ledger.notes import BadNote
from ledger.tlog import tiles
from ledger.tlog.log import CHECKPOINT, CHECKPOINTS, MAX_NOTE, VKEY, Log

_SHARED = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export has written."""

    size: int
    written: int  # files that were not there before, or were damaged
    kept: int  # files that were there already


def export(log: Log, out: Path) -> Exported:
    """Write what is new; refused, with nothing written, where another log or another history is."""
    _check_same(log, out)
    written = kept = 0
    contents = [(tile.path, content) for tile, content in tiles.contents(log.leaves, lambda _: True)]
    for name, content in (*contents, (VKEY, _vkey(log)), (CHECKPOINT, str(log.note).encode())):
        path = out / name
        if _there(path, content):
            files.sweep(path)
            kept += 1
            continue
        files.made_folder(path.parent)
        with files.replaced_file(path, mode=_SHARED) as stream:
            stream.write(content)
        written += 1
    return Exported(size=log.size, written=written, kept=kept)


def _check_same(log: Log, out: Path) -> None:
    """Raise unless the folder is empty, or has an earlier state of this log."""
    if (out / CHECKPOINTS).is_dir():
        raise Refused(f"{out} is the folder in which a log is kept, not an export of one; choose another folder")
    path = out / CHECKPOINT
    if path.exists():
        try:
            log.compare(notes.parse(reading.whole(path, MAX_NOTE, "a checkpoint").decode()), str(path))
        except (OSError, BadNote, Damaged, UnicodeDecodeError) as error:
            why = error if isinstance(error, LedgerError) else "it cannot be read as a checkpoint"
            raise Refused(
                f"{path} is not a checkpoint of the log {log.key.name}; choose another folder ({why})"
            ) from None
    elif out.exists() and not (out / VKEY).exists() and not (out / "tile").exists() and any(out.iterdir()):
        raise Refused(f"{out} holds other things than a log; choose another folder")
    if (out / VKEY).exists() and not _there(out / VKEY, _vkey(log)):
        raise Refused(f"{out / VKEY} is not the key of the log {log.key.name}; choose another folder")


def _vkey(log: Log) -> bytes:
    return f"{log.key.vkey}\n".encode()


def _there(path: Path, content: bytes) -> bool:
    """Whether a file has this content; a cut or changed one is written again."""
    try:
        return reading.whole(path, len(content), "a part of a log") == content
    except OSError:
        return False
