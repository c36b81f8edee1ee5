"""P09: are the earlier volumes those that the manifest names, and do they hold what was to be produced in them?"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from verifier.production import documents
from verifier.production.checks import Check, Results, Undecided
from verifier.production.folder import Folder
from verifier.production.form import Earlier, Manifest, Signed
from verifier.production.record import Witness
from verifier.record import keys

Numbers = Mapping[int, str]
"""By document, its numbers in an earlier volume, the first and the last."""


def check(
    results: Results, manifest: Manifest, witness: Witness, folders: Iterable[Path], key: bytes
) -> Numbers | None:
    """The numbers of all documents in earlier volumes; None if not all of them were given."""
    given = _read(manifest, folders)
    missing = [str(each.volume) for each in manifest.earlier if each.volume not in given]
    if missing:
        results.leave(Check.EARLIER, f"needs all earlier volumes with --earlier; not given: {', '.join(missing)}")
    else:
        results.made(Check.EARLIER)
    numbers = dict[int, str]()
    for place, each in enumerate(manifest.earlier):
        if each.volume not in given:
            continue
        signed, digest = given[each.volume]
        if digest != each.manifest or not keys.signed(key, "production", signed.signed, signed.signature):
            rule = "An earlier volume is the one that the manifest names"
            where = f"MANIFEST.json of volume {each.volume}"
            results.fail(Check.EARLIER, rule, where, f"the SHA-256 {each.manifest.hex()}", digest.hex(), signed=False)
            continue
        _check(results, manifest, signed.manifest, each, witness, [one.size for one in manifest.earlier[:place]])
        numbers |= _numbers(signed.manifest)
        results.items[Check.EARLIER] += 1
    return None if missing else numbers


def _read(manifest: Manifest, folders: Iterable[Path]) -> dict[int, tuple[Signed, bytes]]:
    given = dict[int, tuple[Signed, bytes]]()
    for path in folders:
        signed, digest = Folder(path).manifest()
        number = signed.manifest.volume
        if signed.manifest.matter != manifest.matter or number >= manifest.volume or number in given:
            raise Undecided(
                f"{path} is volume {number} of the matter {signed.manifest.matter.hex()}, which is none of the volumes "
                f"before volume {manifest.volume}, or was given twice",
                "Give each earlier volume once with --earlier.",
            )
        given[number] = signed, digest
    return given


def _check(results: Results, now: Manifest, then: Manifest, named: Earlier, witness: Witness, sizes: list[int]) -> None:
    where = f"MANIFEST.json of volume {then.volume}"
    stated = (then.size, then.head, then.begin, then.next, then.prefix, then.digits)
    if stated != (named.size, named.head, named.begin, named.next, now.prefix, now.digits):
        rule = "The manifest names earlier volumes with their sizes, heads and numbers"
        results.fail(Check.EARLIER, rule, where, f"numbers {named.begin} to {named.next - 1}", "another statement")
        return
    if then.next != then.begin + len(then.records):
        rule = "Each record has one number, and they are in a row"
        results.fail(Check.EARLIER, rule, where, f"next = {then.begin + len(then.records)}", then.next)
    _, wrong = documents.compared(then, witness.due_in(then.size, sizes))
    if wrong:
        results.fail(Check.EARLIER, documents.IN_ORDER, where, *map(documents.told, wrong))


def _numbers(manifest: Manifest) -> dict[int, str]:
    ranges = dict[int, list[str]]()
    for each in manifest.records:
        ranges.setdefault(each.document, []).append(each.number)
    return {document: f"{numbers[0]}-{numbers[-1]}" for document, numbers in ranges.items()}
