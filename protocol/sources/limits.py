"""How much a stranger's file may cost before it is given up. Each limit has a default; a build may choose others."""

from dataclasses import dataclass

MIB = 2**20
GIB = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Beyond one of these, a file becomes one exception, and nothing else is lost."""

    seconds: int = 60
    """Of wall-clock time for a file with everything in it."""
    memory: int = 2 * GIB
    """Bytes of memory of the process that reads it."""
    file: int = GIB
    """Bytes of a file."""
    output: int = GIB
    """Bytes that come out of a file: the files inside it and all texts."""
    text: int = 64 * MIB
    """Bytes of the text of one part, as UTF-8."""
    parts: int = 10_000
    """Files inside one file, on all levels."""
    depth: int = 10
    """Files inside each other, and containers inside each other."""
    ratio: int = 200
    """How many times larger than its packed form a file may be; small ones are exempt."""
    exempt: int = 16 * MIB
    """Bytes up to which a file may be packed as tightly as it likes."""
    page_images: int = 10
    """Pages of each PDF that pictures are made of."""
    members: int = 10_000_000
    """Files in one container of a source, those of containers inside it included."""
    containers: int = 10_000
    """Containers inside one container of a source."""
    program_seconds: int = 180
    """Of wall-clock time for an office program or a recogniser of scans."""
    program_memory: int = 8 * GIB
    """Bytes of memory of such a program; it reserves much more than it uses."""
