"""P03: are just the files of the manifest in the folder, and each as Trent signed it?"""

from hashlib import sha256

from verifier.production import form
from verifier.production.checks import Check, Results
from verifier.production.folder import Folder
from verifier.production.form import File, Manifest
from verifier.tally import Progress

_RULE = "The folder holds the files that Trent signed, and no others"
_LISTED = "The manifest lists each file of a volume once: the load files, the list for return, natives and texts"
_NOTHING = sha256(b"").digest()


def check(results: Results, manifest: Manifest, volume: Folder, progress: Progress) -> frozenset[str]:
    """The paths of the files that are as Trent signed them."""
    _check_list(results, manifest)
    listed = {each.path: each for each in manifest.files}
    for path in volume.files.keys() - listed.keys() - {form.FILE}:
        results.fail(Check.FILES, _RULE, path, "no such file", "a file that Trent did not sign", signed=False)
    for path, what in volume.others.items():
        results.fail(Check.FILES, _RULE, path, "a plain file, or nothing", what, signed=False)
    intact, total = set[str](), sum(each.size for each in manifest.files)
    done = 0
    for path, file in listed.items():
        if _is_intact(results, volume, file):
            intact.add(path)
        done += file.size
        progress("Comparing files", done, total)
    results.items[Check.FILES] = len(intact)
    results.made(Check.FILES)
    return frozenset(intact)


def _is_intact(results: Results, volume: Folder, file: File) -> bool:
    if file.path not in volume.files:
        if file.path not in volume.others:
            results.fail(Check.FILES, _RULE, file.path, "a file", "no such file", signed=False)
        return False
    size = volume.files[file.path]
    found = volume.digest(file.path) if size == file.size else None
    if found == file.sha256:
        return True
    expected = f"{file.size} bytes with the SHA-256 {file.sha256.hex()}"
    said = f"{size} bytes" if found is None else f"the SHA-256 {found.hex()}"
    results.fail(Check.FILES, _RULE, file.path, expected, said, signed=False)
    return False


def _check_list(results: Results, manifest: Manifest) -> None:
    """The manifest lists what the records name, and nothing else."""
    named = {manifest.table, manifest.images, form.RETURN, *(each.text for each in manifest.records)}
    named |= {each.native for each in manifest.records if each.native is not None}
    paths = [each.path for each in manifest.files]
    if paths != sorted(named):
        missing, added = sorted(named - set(paths)), sorted(set(paths) - named)
        found = (
            f"without {missing[:3]}" if missing else f"with {added[:3]}" if added else "the same files, out of order"
        )
        results.fail(Check.FILES, _LISTED, form.FILE, f"{len(named)} files, ascending by path", found)
    for each in manifest.files:
        if each.path == manifest.images and (each.size, each.sha256) != (0, _NOTHING):
            results.fail(Check.FILES, "The list of images is empty", each.path, "0 bytes", f"{each.size} bytes")
