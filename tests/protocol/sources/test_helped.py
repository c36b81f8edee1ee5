"""Programs that help where no reader can: their text counts, and what the file itself says stays as it is."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from protocol.sources import extractors, families
from protocol.sources.family import Family, Part
from protocol.sources.items import Received
from protocol.sources.limits import Limits
from protocol.sources.opener import Loose
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.programs import Converted, Program
from protocol.sources.source import Settings

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(50)
OLD = b"\xffWPC" + bytes(50)
LONG_AGO, LATER = datetime(2001, 2, 3, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1)


def program(cause: Cause, kind: str, made: datetime) -> Program:
    """Makes a mail of whatever it is given, with a date."""

    def convert(file: File, _: Limits) -> Converted:
        raw = f"From: program@x\nSubject: made\nDate: {format_datetime(made)}\n\nrecognised words\n"
        return Converted(file=File(name=file.name, content=raw.encode()), tool="program 1", options="as usual")

    return Program(name="program", remedies=cause, kinds=(kind,), convert=convert)


def helped(monkeypatch: pytest.MonkeyPatch, content: bytes, helper: Program) -> Part:
    monkeypatch.setattr(extractors, "programs", lambda: (helper,))
    loose = Loose(path="a", file=File(name="a", content=content))
    (found,) = families.families([loose], Settings(workers=1), Received())
    assert isinstance(found, Family), found
    return found.parts[0]


def test_what_a_recogniser_writes_about_itself_is_not_about_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    part = helped(monkeypatch, PICTURE, program(Cause.NO_TEXT_LAYER, "image", LONG_AGO))
    assert "recognised words" in part.text
    assert part.tool.startswith("program 1, ")
    assert (part.kind, dict(part.fields), part.content) == ("image", {}, PICTURE)


def test_a_file_that_only_a_program_reads_has_the_fields_that_come_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    part = helped(monkeypatch, OLD, program(Cause.NEEDS_TOOL, "old office", LONG_AGO))
    assert part.fields.items() >= {"from": "program@x", "date": "2001-02-03T00:00:00+00:00"}.items()


def test_a_date_at_which_the_program_ran_is_no_date_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    part = helped(monkeypatch, OLD, program(Cause.NEEDS_TOOL, "old office", LATER))
    assert "recognised words" in part.text
    assert "date" not in part.fields
    assert part.fields["subject"] == "made"


def test_where_the_program_fails_the_picture_stays_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(_: File, __: Limits) -> Converted:
        raise Unextractable(Cause.DAMAGED, "no picture")

    helper = Program(name="program", remedies=Cause.NO_TEXT_LAYER, kinds=("image",), convert=convert)
    part = helped(monkeypatch, PICTURE, helper)
    assert (part.text, part.notes) == ("", ((Cause.DAMAGED, "no picture"),))
