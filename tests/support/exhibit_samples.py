"""Sample exhibits of small matters: one for every fate that a document has in them, and of every cheat that one shows.

`python -m tests.support.exhibit_samples FOLDER` writes them, with what the verifier says of each.
"""

import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from ledger.errors import LedgerError
from ledger.matterreader import MatterReader
from protocol.matter import fold
from protocol.matter.books import Seat
from protocol.matter.kind import Entry
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from tests.support import exhibits
from tests.support.exhibit_matters import MATTERS, Corpora
from tests.support.forging import running
from tests.support.forging.allcheats import ALL_CHEATS
from tests.support.forging.catalogue import Cheat
from tests.support.forging.exhibits import Files
from tests.support.forging.partcheats import PARTS as PART_CHEATS
from tests.vectors.agreed import AGREED
from verifier import exhibit, values
from verifier.exhibit.story import courses

ORDINARY = {
    "open", "agreed", "deposited", "draw", "link", "batch", "report", "disclosure", "labels", "dispute", "rulings",
    "closed",
}  # fmt: skip
"""Kinds of entries of which an index need not speak."""

_SHOWN = frozenset(["V05", "V08", "V12", "V13", "V15", "V16", "V25", "V26", "V28", "V31"])
"""Checks that may rest on a round alone, so that an exhibit can show what they find."""

CHEATS: Mapping[str, Cheat] = {
    name: cheat for name, cheat in {**ALL_CHEATS, **PART_CHEATS}.items() if cheat.check in _SHOWN
}
_TRIED = 6  # documents of a matter: exhibits of others seldom show the cheat, if those do not
_TWICE = 2  # more waves are like two


def fates(path: Path) -> dict[Any, int]:
    """What happens to documents of a matter and beside them, and the first document of each such fate."""
    state, beside = Matter(), defaultdict[int, set[str]](set)
    for opened in MatterReader(path):
        told = Entry.stored(opened)
        fold.follow(state, told)
        said = told.statement
        beside[said.round].add(" ".join((said.kind, *(said.content.get(each) or "" for each in ("absent", "role")))))
    lives = defaultdict[int, list[Any]](list)
    for review in state.rounds:
        for position, place in enumerate(review.places, start=1):
            if _is_told(review, position):
                seat, back = Seat(review.number, position), state.clawbacks
                asked = seat in back.bases, back.upheld.get(seat)
                lives[place.document].append((_life(review, position), asked, frozenset(beside[review.number])))
    found: dict[Any, int] = {}
    for document in range(state.opening.corpus.documents):
        found.setdefault(tuple(lives[document]), document)
    return found


def _is_told(review: Round, position: int) -> bool:
    """Whether an exhibit of the document holds the round."""
    to_label = review.called or review.size
    listed = review.sort != "escalation" and position <= to_label
    return listed or position in review.looked_at | review.in_camera.keys()


def _life(review: Round, position: int) -> tuple[object, ...]:
    """What happened to one position, and not when or by which coin."""
    log, found = review.privilege, review.examination
    wave = next((number for number, wave in enumerate(review.waves, start=1) if position in wave), 0)
    return (
        review.sort,
        review.called > 0,
        review.report is not None and position <= review.to_label and review.reported(position),
        review.unreported,
        min(wave, _TWICE),
        review.bob.get(position),
        position in review.unread,
        review.rulings.get(position),
        review.in_camera.get(position),
        log.upheld.get(position),
        log.upheld_parts.get(position),
        position in log.claimed,
        position in log.late,
        position in log.parts,
        position in log.classes,
        found is not None and (position in found.drawn, position in found.chances, found.compelled_at is not None),
    )


def honest(folder: Path, corpora: Corpora, names: Iterable[str] = MATTERS) -> Iterator[Path]:
    """Exhibits out of honest matters: one for each fate, in a folder with the name of its matter and document."""
    for name in names:
        corpus, matter = corpora.under(name), folder / f"{name}.matter"
        MATTERS[name](corpus, matter)
        for document in fates(matter).values():
            yield exhibits.cut(matter, corpus, document, folder / f"{name}-{document}")


def cheated(folder: Path, corpora: Corpora, names: Iterable[str] = CHEATS) -> Iterator[Path]:
    """Exhibits out of matters in which one party cheats: for each, the first that shows it."""
    for name in names:
        cheat, corpus, matter = CHEATS[name], corpora.under(name, PART_CHEATS), folder / f"{name}.matter"
        agreed = AGREED | dict(cheat.terms)
        running.play(
            corpus,
            running.plan(corpus, players=dict(cheat.players), protocol=cheat.protocol, **agreed),
            matter,
            **cheat.bends,
        )
        for document in _latest(matter):
            made = folder / f"{name}-{document}"
            with suppress(LedgerError, ValueError, LookupError, TypeError):  # nothing that can be told of, or cut
                exhibits.cut(matter, corpus, document, made)
                if exhibit.judge(made).findings:
                    yield made
                    break


def _latest(matter: Path) -> list[int]:
    """Some documents of the matter's last rounds, the last round's first."""
    listed = [
        [each.value["document"] for each in opened.openings if each.field == "documents"]
        for opened in MatterReader(matter)
        if opened.entry.body.statement.kind in ("batch", "validation", "call")
    ]
    return list(dict.fromkeys(document for found in reversed(listed) for document in found))[:_TRIED]


def files(folder: Path) -> Files:
    """What an exhibit's folder holds."""
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def put(files: Files, folder: Path) -> None:
    """The same in a folder, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def described(folder: Path) -> str:
    """In one line what is in an exhibit, and what the verifier says of it."""
    judgement = exhibit.judge(folder)
    ways = [f"{each.sort} ({each.reason}{', shown' if each.wave else ''})" for each in courses(judgement)]
    kinds = {each["entry"]["body"]["statement"]["kind"] for each in exhibits.record(folder)["entries"]}
    found = [f"{each.check} {each.party}" for each in judgement.findings] or [judgement.trouble]
    inside = "; ".join(filter(None, [", ".join(ways), " ".join(sorted(kinds - ORDINARY))]))
    return f"{folder.name}: {inside}: {judgement.answer} {', '.join(found)}".strip()


def write(folder: Path) -> None:
    """All of them into a folder, each with the verifier's answer, and an index."""
    with tempfile.TemporaryDirectory() as scratch:
        corpora, lines = Corpora(Path(scratch)), []
        for made in chain(honest(Path(scratch), corpora), cheated(Path(scratch), corpora)):
            lines.append(described(made))
            (folder / f"{made.name}.json").write_text(values.written(exhibit.value(exhibit.judge(made))) + "\n")
            put(files(made), folder / made.name)
        (folder / "index.txt").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
