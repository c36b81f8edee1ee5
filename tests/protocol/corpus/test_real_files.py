"""Real files of all formats: nearly all enter with text, the others are told with the reason, and none is lost."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from protocol.corpus import account, build
from protocol.sources import registry
from protocol.sources.intake import Intake
from protocol.sources.items import Outcome
from tests.support.officefiles import real_files
from tests.support.small_corpus import SECRET

MODERN = (".pdf", ".docx", ".rtf", ".xlsx", ".pptx", ".html", ".txt", ".zip", ".eml", ".msg", ".mbox", ".pst")
OLD = (".doc", ".xls", ".ppt")
LOOKED_AT = 2
"""Old Office files of each kind that are read: each takes LibreOffice three seconds."""


def chosen(folder: Path) -> Path:
    """A folder with all files that are quick to read, and some of the others."""
    files = real_files(*MODERN)
    if shutil.which("soffice"):
        for suffix in OLD:
            files += real_files(suffix)[:LOOKED_AT]
    folder.mkdir()
    for path in files:
        shutil.copy(path, folder / path.name)
    return folder


@pytest.mark.slow
def test_of_the_families_in_real_files_85_percent_enter_with_text(tmp_path: Path) -> None:
    source = chosen(tmp_path / "in")
    intake = Intake()
    read = intake.take(registry.find(source).read(received=intake.received))
    made = build.build(read, tmp_path / "corpus", secret=SECRET, received=intake.received)
    assert not account.fault(made.account, made.size, made.unit)
    items = [json.loads(line) for line in b"".join(made.items().pieces()).splitlines()]
    outcomes = {name: Counter[str]() for name in (".eml", *MODERN, *OLD)}
    for item in items:
        outcomes[Path(item["where"].split("/")[0]).suffix][item["outcome"]] += 1
    assert {path.name for path in source.iterdir()} == {item["where"].split("/")[0].split(": ")[0] for item in items}
    empty = sum(problem.cause.value == "empty_text" for problem in intake.listed)
    entered = made.account.entered - empty
    left_out = made.account.exceptions + empty
    assert entered >= 0.85 * (entered + left_out), (outcomes, intake.counts())
    assert all(each["reason"] for each in items if each["outcome"] == Outcome.EXCEPTION)
