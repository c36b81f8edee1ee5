"""Shutting a process in: no network, no files, limits on memory and time, as far as the system allows.

On Linux this is done with namespaces, which an ordinary user may make on most machines. Every protection is tried out
before it is reported as one that holds.
"""

import ctypes
import errno
import importlib.util
import os
import socket
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

has_limits = importlib.util.find_spec("resource") is not None  # not on Windows
if has_limits:
    import resource

NO_NETWORK = "no network"
NO_FILES = "no other files"
MEMORY = "limited memory"
TIME = "limited time"
PROTECTIONS = (NO_NETWORK, NO_FILES, MEMORY, TIME)
"""All that can hold: no way to another machine or service, nothing readable but the input, and the two limits."""

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, NEWPID, _NEWNET = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, BIND, REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2
_PDEATHSIG, _DUMPABLE, _NO_NEW_PRIVS, _SIGKILL = 1, 4, 38, 9
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_CAPABILITY_VERSION = 0x20080522

is_linux = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if is_linux else None


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library; `OSError` if it fails."""
    if _libc is None:
        raise OSError(errno.ENOSYS, "only Linux has this")
    result: int = getattr(_libc, name)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def leave_network(*, more: int = 0) -> None:
    """Go into new namespaces without a network, with mounts of our own; `OSError` if the system does not let us.

    A process with threads cannot do this.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        call("unshare", _NEWUSER | _NEWNS | _NEWNET | _NEWIPC | _NEWUTS | more)
    except OSError:
        call("unshare", _NEWNS | _NEWNET | _NEWIPC | _NEWUTS | more)  # what only an administrator may do
    else:
        with suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    call("mount", None, b"/", None, ctypes.c_ulong(REC | _PRIVATE), None)


def bind(source: str, target: Path, *, read_only: bool) -> None:
    """Show a file or folder at another place, with what is mounted below it."""
    call("mount", source.encode(), bytes(target), None, ctypes.c_ulong(BIND | REC), None)
    if read_only:
        attributes = (ctypes.c_uint64 * 4)(_RDONLY, 0, 0, 0)
        call("syscall", _MOUNT_SETATTR, _AT_FDCWD, bytes(target), _AT_RECURSIVE, attributes, ctypes.sizeof(attributes))


def empty_root(size: str = "4k,nr_inodes=4") -> Path:
    """An empty file system in memory, over the folder of temporary files."""
    place = Path(tempfile.gettempdir())
    flags = ctypes.c_ulong(_NOSUID | _NODEV)
    call("mount", b"tmpfs", bytes(place), b"tmpfs", flags, f"size={size},mode=755".encode())
    return place


def mount_proc(place: Path) -> None:
    """The processes of this namespace, for programs that look at themselves."""
    call("mount", b"proc", bytes(place), b"proc", ctypes.c_ulong(_NOSUID | _NODEV | _NOEXEC), None)


def enter_root(place: Path, *, read_only: bool = True) -> None:
    """Make this the only file system that there is."""
    os.chdir(place)
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        os.chroot(".")
    else:
        call("syscall", number, b".", b".")
        call("umount2", b".", _DETACH)
    os.chdir("/")
    if read_only:
        flags = ctypes.c_ulong(_REMOUNT | _RDONLY | _NOSUID | _NODEV | _NOEXEC)
        call("mount", None, b"/", None, flags, None)


def give_up_rights() -> None:
    """No capability is left, and no program can bring one back."""
    if not is_linux:
        return
    with suppress(OSError):
        call("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
    with suppress(OSError):
        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
        call("capset", header, (ctypes.c_uint32 * 6)())


def end_with_parent() -> None:
    """Be killed when the process that started this one ends."""
    if is_linux:
        with suppress(OSError):
            call("prctl", _PDEATHSIG, _SIGKILL, 0, 0, 0)


def limit(*, memory: int, written: int, processes: int | None = None) -> frozenset[str]:
    """Limit memory and the size of written files; what could be limited."""
    if not has_limits:
        return frozenset()
    held = set()
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        held.add(MEMORY)
    for what, most in (
        (resource.RLIMIT_FSIZE, written),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, processes),
    ):
        if most is not None:
            with suppress(ValueError, OSError):
                resource.setrlimit(what, (most, most))
    return frozenset(held)


def limit_time(seconds: int) -> None:
    """Be killed after so much more computing. It backs up the parent, which looks at the clock."""
    if not has_limits:
        return
    with suppress(ValueError, OSError):
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def shut_in(*, memory: int) -> frozenset[str]:
    """Leave the network and all files behind, for good. Returns the protections that hold, each tried out.

    The next child of this process is the first of a new namespace: when it ends, so do all that it has started.
    """
    if is_linux:
        with suppress(OSError):
            leave_network(more=NEWPID)
            enter_root(empty_root())
        give_up_rights()
    held = set(limit(memory=memory, written=0))
    if _is_offline():
        held.add(NO_NETWORK)
    if _sees_nothing():
        held.add(NO_FILES)
    return frozenset(held)


def _is_offline() -> bool:
    """Whether not even this machine can be reached. Where there is a network, the answer would be a refusal."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", 9)) in (errno.ENETUNREACH, errno.EPERM, errno.EACCES)
    except OSError:
        return True


def _sees_nothing() -> bool:
    try:
        return not os.listdir("/")  # noqa: PTH208 - a Path would be as good
    except OSError:
        return True
