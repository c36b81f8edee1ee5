"""The verifier for the browser and this one were written apart, and agree on all that is opened beside a copy.

`TALLYSTICK_FUZZ` multiplies the number of changed volumes, logs and folders (`make fuzz`).
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ledger.roles import Audience
from tests.support import beside, node
from tests.support.beside import Sample
from tests.support.exhibit_samples import files, put
from tests.support.forging import exhibits, volumes
from tests.support.node import Judge, needs_node
from verifier import privilege_log, production
from verifier.checks import Check
from verifier.verdict import Outcome
from verifier.verification import verify

pytestmark = [pytest.mark.slow, needs_node]

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
CHEATED, BEFORE, DAMAGED, LOGS, HANDED = 1_000 * TIMES, 300 * TIMES, 150 * TIMES, 1_000 * TIMES, 150 * TIMES
SEEING = (Audience.BOB, Audience.ALICE, Audience.COURT)


@pytest.fixture(scope="module")
def judge(page_built: Path) -> Iterator[Judge]:
    with node.judging(page_built) as found:
        yield found


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return list(beside.samples(tmp_path_factory.mktemp("samples")))


def volume_alike(judge: Judge, volume: Path, copy: Path, earlier: Sequence[Path], about: object) -> str:
    """Check a volume by both, and say how it ends."""
    judge.send({"production": str(volume), "earlier": [str(each) for each in earlier], "against": str(copy)})
    found = production.judge(volume, copy, before=earlier)
    answer = judge.receive()
    theirs = {key: answer[key] for key in ("verdict", "outcomes", "counts")}
    assert (theirs, {tuple(each) for each in answer["findings"]}) == (
        {
            "verdict": str(found.answer),
            "outcomes": {str(each.check): str(each.outcome) for each in found.checks},
            "counts": {str(each.check): each.items for each in found.checks if each.outcome is Outcome.PASS},
        },
        {(str(each.check), str(each.party or "")) for each in found.results.findings},  # not how many of each
    ), (about, answer["error"], found.trouble)
    return str(found.answer)


def log_alike(judge: Judge, log: Path, copy: Path, about: object) -> str:
    """Check the proofs of a privilege log by both, and say how it ends."""
    judge.send({"privilege_log": str(log), "against": str(copy)})
    own: tuple[str, int | None]
    try:
        own, why = ("verified", len(privilege_log.check(log, copy))), ""
    except privilege_log.Disproved as error:
        own, why = ("rejected", None), str(error)
    except privilege_log.Undecided as error:
        own, why = ("undecided", None), str(error)
    answer = judge.receive()
    assert (answer["verdict"], answer["documents"]) == own, (about, answer["error"], why)
    return own[0]


def handed_alike(judge: Judge, folder: Path, copy: Path, about: object) -> str:
    """Compare a folder with what a copy discloses by both, and say how V23 ends."""
    judge.send({"file": str(copy), "handed": str(folder)})
    found = verify(copy, documents=folder)
    answer = judge.receive()
    own = {str(each.check): str(each.outcome) for each in found.checks}
    assert (answer["verdict"], answer["outcomes"]) == (str(found.answer), own), (about, answer["error"])
    return own[Check.HANDED]


def test_every_genuine_volume_is_judged_alike_against_every_copy(judge: Judge, samples: list[Sample]) -> None:
    ends = set()
    for sample in samples:
        folders = [sample.office.folder / each for each in sample.volumes]
        for place, volume in enumerate(folders):
            for audience, copy in sample.copies.items():
                for earlier in ([], folders[:place], folders[place:]):
                    ends.add((audience in SEEING, volume_alike(judge, volume, copy, earlier, (volume, audience))))
    assert (True, "verified") in ends
    assert (False, "verified") not in ends


def test_every_genuine_log_is_judged_alike_against_every_copy(judge: Judge, samples: list[Sample]) -> None:
    ends = {
        (copy is sample.copies[Audience.PUBLIC], log_alike(judge, sample.log, copy, (sample.log, copy.name)))
        for sample in samples
        for copy in sample.copies.values()
    }
    assert ends == {(False, "verified"), (True, "undecided")}


def test_volumes_that_trent_changed_and_signed_anew_are_judged_alike(
    judge: Judge, samples: list[Sample], tmp_path: Path
) -> None:
    among = [sample for sample in samples if sample.volumes]
    ends = set()
    for seed in range(CHEATED):
        random, changed = Random(seed), None
        sample = random.choice([among[0], *among])
        name = random.choice(sample.volumes)
        while changed is None:
            changed = volumes.cheated(files(sample.office.folder / name), sample.key, random)
        put(changed, tmp_path / "volume")
        earlier = [sample.office.folder / each for each in sample.volumes if each < name or random.random() < 0.1]
        copy = sample.copies[random.choice(SEEING)]
        ends.add(volume_alike(judge, tmp_path / "volume", copy, earlier, (seed, sample.office.folder.name, name)))
    assert ends == {"verified", "rejected", "undecided"}


def test_volumes_after_one_that_trent_changed_are_judged_alike(
    judge: Judge, samples: list[Sample], tmp_path: Path
) -> None:
    sample = next(each for each in samples if len(each.volumes) > 1)
    first, second = (files(sample.office.folder / name) for name in sample.volumes)
    ends = set()
    for seed in range(BEFORE):
        random, changed = Random(seed), None
        while changed is None:
            changed = volumes.cheated_before(second, first, sample.key, random)
        for each, name in zip(changed, ("volume", "before"), strict=True):
            put(each, tmp_path / name)
        ends.add(volume_alike(judge, tmp_path / "volume", sample.copies[Audience.BOB], [tmp_path / "before"], seed))
    assert ends >= {"rejected", "undecided"}


def test_volumes_that_were_damaged_are_judged_alike(judge: Judge, samples: list[Sample], tmp_path: Path) -> None:
    among = [sample for sample in samples if sample.volumes]
    ends = set()
    for seed in range(DAMAGED):
        random = Random(seed)
        sample = random.choice([among[0], *among])
        name = random.choice(sample.volumes)
        put(exhibits.damaged(files(sample.office.folder / name), random), tmp_path / "volume")
        copy = sample.copies[random.choice(SEEING)]
        ends.add(volume_alike(judge, tmp_path / "volume", copy, [], (seed, sample.office.folder.name, name)))
    assert ends >= {"rejected", "undecided"}


def test_privilege_logs_that_were_changed_are_judged_alike(judge: Judge, samples: list[Sample], tmp_path: Path) -> None:
    among = [sample for sample in samples if sample.log.read_bytes().count(b"\n") > 1]
    ends = set()
    for seed in range(LOGS):
        random = Random(seed)
        sample = random.choice(among)
        (tmp_path / "log").write_bytes(volumes.changed_log(sample.log.read_bytes(), random))
        copy = sample.copies[random.choice(SEEING)]
        ends.add(log_alike(judge, tmp_path / "log", copy, (seed, sample.office.folder.name)))
    assert ends == {"verified", "rejected", "undecided"}


def test_folders_of_handed_documents_are_judged_alike(judge: Judge, samples: list[Sample], tmp_path: Path) -> None:
    ends = set()
    for seed in range(HANDED):
        random = Random(seed)
        sample = random.choice([each for each in samples if each.volumes])
        folder = tmp_path / "handed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sample.handed, folder)
        _change_a_folder(folder, random)
        copy = sample.copies[random.choice(list(Audience))]
        ends.add(handed_alike(judge, folder, copy, (seed, sample.office.folder.name, copy.name)))
    assert ends >= {"fail", "not checked"}


def _change_a_folder(folder: Path, random: Random) -> None:
    held: list[Any] = sorted(each for each in folder.iterdir() if each.is_file())
    for _ in range(random.randrange(3)):
        path = random.choice(held)
        match random.randrange(6):
            case 0:
                path.unlink(missing_ok=True)
            case 1:
                path.write_bytes(random.choice([b"", b"something else", path.name.encode()]))
            case 2:
                (folder / random.choice([".DS_Store", "Thumbs.db", "question.json", "x.txt"])).write_bytes(b"{}")
            case 3:
                (folder / "documents").mkdir(exist_ok=True)
                (folder / "documents" / path.name).write_bytes(b"{}")
            case _:
                (folder / "below").mkdir(exist_ok=True)
                shutil.copy(
                    folder / random.choice(sorted(x.name for x in folder.iterdir() if x.is_file())), folder / "below"
                )
