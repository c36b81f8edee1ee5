"""Trent's log: what it adds is on disk and by the rules; what it refuses leaves no trace."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ledger import checkpoints, records
from ledger.entries import Addition, Attached, Opening, Release
from ledger.errors import LedgerError, Refused, WrongKey
from ledger.examining import examine, open_reader
from ledger.keys import SigningKey
from ledger.lines import MAX_LINE
from ledger.log import Log
from ledger.records import Malformed
from ledger.roles import Audience, Role
from tests.support.builders import (
    KEYS,
    MATTER,
    OTHER_MATTER,
    add_round,
    answer,
    build_matter,
    logical_clock,
    opening_statement,
    question,
    report,
    says,
    seal,
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.create(tmp_path / "matter", KEYS[Role.TRENT], logical_clock()) as found:
        found.append([Addition(statement=opening_statement())])
        yield found


def stored_bytes(log: Log) -> list[tuple[bytes, Any]]:
    return [(entry.body, entry.openings) for entry in log.store.entries(size=log.store.size())]


def refused(log: Log, *additions: Addition, match: str, error: type[LedgerError] = Refused) -> None:
    """The additions are refused for this reason, and nothing has changed, in memory or on disk."""
    before, head = stored_bytes(log), log.history.head
    with pytest.raises(error, match=match):
        log.append(list(additions))
    assert (stored_bytes(log), log.history.head) == (before, head)
    log.append([Addition(statement=says(Role.TRENT, "note"))])  # and it goes on


def test_what_was_appended_is_there_after_reopening_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    build_matter(path)
    with Log.open(path, KEYS[Role.TRENT], logical_clock()) as log:
        size = log.history.size
        add_round(log, 3)
    summary = examine(open_reader(path))
    assert summary.size == size + 4


def test_the_same_additions_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_matter(tmp_path / name)
    one, two = (examine(open_reader(tmp_path / name)) for name in ("one", "two"))
    assert one == two


def test_a_batch_is_appended_as_a_whole_or_not_at_all(log: Log) -> None:
    good = Addition(statement=says(Role.TRENT, "note"))
    bad = Addition(statement=says(Role.TRENT, "note", matter=OTHER_MATTER))
    refused(log, good, good, bad, match="another matter")


def test_an_answer_without_its_openings_is_refused(log: Log) -> None:
    (asked,) = log.append([question(1)])
    whole = report(1, asked)
    for openings in ((), whole.openings[:-1], whole.openings[1:]):
        incomplete = Addition(statement=whole.statement, signature=whole.signature, openings=openings)
        with pytest.raises(Refused, match="is missing"):
            log.append([incomplete])
    log.append([whole])


def test_openings_that_open_nothing_or_something_else_are_refused(log: Log) -> None:
    sealed, openings = seal({"labels": ((Audience.COURT,), [True, False])})
    statement = says(Role.TRENT, "note", sealed=sealed)

    def with_openings(*changed: Opening) -> Addition:
        return Addition(statement=statement, openings=changed)

    one, two = openings
    refused(log, with_openings(one, two, two), match="repeated")
    refused(log, with_openings(one, two, replace(two, index=2)), match="opens nothing")
    refused(log, with_openings(one, two, replace(two, field="other")), match="opens nothing")
    refused(log, with_openings(one, replace(two, value=True)), match="does not match")
    refused(log, with_openings(one, replace(two, salt=one.salt)), match="does not match")
    refused(log, with_openings(replace(one, index=1), replace(two, index=0)), match="does not match")
    log.append([with_openings(two, one)])


def test_attachments_come_with_the_openings_that_refer_to_them(log: Log) -> None:
    whole = question(1)
    without = Addition(statement=whole.statement, openings=whole.openings)
    refused(log, without, match="attachments are not those")
    more = Addition(
        statement=whole.statement, openings=whole.openings, attachments=(*whole.attachments, Attached.of(b"more"))
    )
    refused(log, more, match="attachments are not those")
    sealed, openings = seal({"model": ((Audience.COURT,), [{"attachment": "not a hash", "size": 3}])})
    broken = Addition(statement=says(Role.TRENT, "note", sealed=sealed), openings=openings)
    refused(log, broken, match="attachment")


def test_an_attachment_is_kept_once_however_often_it_is_referred_to(log: Log) -> None:
    log.append([question(1)])
    log.append([question(257), question(513)])  # the same model
    assert log.store._connection.execute("SELECT count(*) FROM attachments").fetchone() == (1,)


def test_one_attachment_has_one_size(log: Log) -> None:
    digest = sha256(b"model").hexdigest()
    references: list[Any] = [{"attachment": digest, "size": size} for size in (5, 6)]
    sealed, openings = seal({"models": ((Audience.ALICE, Audience.COURT), references)})
    statement = says(Role.TRENT, "note", sealed=sealed)
    refused(
        log,
        Addition(statement=statement, openings=openings, attachments=(Attached.of(b"model"),)),
        match="attachments are not",
    )


def test_an_entry_too_long_for_a_line_of_a_copy_is_refused(log: Log) -> None:
    sealed, openings = seal({"text": ((Audience.COURT,), ["x" * MAX_LINE])})
    refused(
        log, Addition(statement=says(Role.TRENT, "note", sealed=sealed), openings=openings), match="too long for a line"
    )
    refused(
        log, Addition(statement=says(Role.TRENT, "note", content={"x": "x" * MAX_LINE})), match="too long for a line"
    )


def test_a_matter_without_entries_has_no_checkpoint(tmp_path: Path) -> None:
    with (
        Log.create(tmp_path / "empty", KEYS[Role.TRENT], logical_clock()) as log,
        pytest.raises(Refused, match="cannot have a checkpoint"),
    ):
        log.checkpoint()
    with pytest.raises(Refused, match="no entries"):
        examine(open_reader(tmp_path / "empty"))


def test_an_opening_that_readers_would_refuse_cannot_be_made() -> None:
    (good,) = seal({"x": ((Audience.COURT,), [1])})[1]
    for changes in ({"index": -1}, {"salt": b"short"}, {"value": 1.5}):
        with pytest.raises(LedgerError):
            replace(good, **changes)


def release(audience: Audience, entry: int, field: str, indices: tuple[int, ...] | None) -> Addition:
    given = Release(audience=audience, entry=entry, field=field, indices=indices)
    return Addition(statement=says(Role.TRENT, "note"), releases=(given,))


def test_a_release_gives_what_is_there_and_was_not_given_before(log: Log) -> None:
    log.append([question(1)])
    refused(log, release(Audience.BOB, 1, "nothing", None), match="no such field")
    refused(log, release(Audience.ALICE, 1, "names", None), match="have it already")
    refused(log, release(Audience.BOB, 1, "names", (0, 3)), match="is missing")
    log.append([release(Audience.BOB, 1, "names", (0, 2))])
    refused(log, release(Audience.BOB, 1, "names", (2,)), match="released before")
    refused(log, release(Audience.BOB, 1, "names", None), match="released before")
    log.append([release(Audience.BOB, 1, "names", (1,))])


def test_a_release_may_name_an_entry_of_its_own_batch_but_give_nothing_twice(log: Log) -> None:
    log.append([question(1), release(Audience.BOB, 1, "names", (0,))])
    refused(
        log,
        question(2),
        release(Audience.BOB, 3, "names", (0,)),
        release(Audience.BOB, 3, "names", (0, 1)),
        match="released before",
    )


def test_trents_log_opens_with_trents_key_only(tmp_path: Path) -> None:
    path = tmp_path / "matter"
    build_matter(path)
    with pytest.raises(WrongKey, match="not Trent's key in this matter"):
        Log.open(path, KEYS[Role.ALICE], logical_clock())
    with Log.create(tmp_path / "new", SigningKey(bytes(32)), logical_clock()) as log, pytest.raises(WrongKey):
        log.append([Addition(statement=opening_statement())])


def test_content_that_has_no_encoding_cannot_even_be_said() -> None:
    for content in ({"x": 1.5}, {"x": 2**53}, {"\u00e9": 1}, {"x": "\ud800"}):
        with pytest.raises(LedgerError):
            says(Role.TRENT, "note", content=content)


@pytest.mark.parametrize(
    "fields",
    [
        {"round": -1},
        {"round": 2**53},
        {"kind": "UPPER"},
        {"kind": ""},
        {"kind": "a\n"},
        {"content": []},
        {"sealed": None},
    ],
)
def test_a_statement_of_a_wrong_shape_is_refused(log: Log, fields: dict[str, Any]) -> None:
    statement = says(Role.TRENT, **({"kind": "note"} | fields))
    refused(log, Addition(statement=statement), match="Expected|encoding|2\\^53", error=LedgerError)


def test_a_checkpoint_is_kept_with_the_cosignatures_of_the_present_state(log: Log) -> None:
    note = log.checkpoint()
    line = checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 5)
    log.cosign(log.history.size, Role.BOB, line)
    kept = log.store.notes()[log.history.size]
    assert kept.text == note.text
    assert checkpoints.signers(kept, log.history.keys) == [Role.BOB, Role.TRENT]


def test_cosignatures_by_the_wrong_key_or_of_another_state_are_refused(log: Log) -> None:
    old = checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 5)
    log.append([Addition(statement=says(Role.TRENT, "note"))])
    log.checkpoint()
    stranger = checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.ALICE], 5)
    for line in (old, stranger):
        with pytest.raises(Refused):
            log.cosign(log.history.size, Role.BOB, line)
    with pytest.raises(Refused):
        log.cosign(log.history.size, Role.ALICE, checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 5))


def test_an_earlier_checkpoint_can_be_cosigned_after_the_matter_has_gone_on(log: Log) -> None:
    log.checkpoint()
    size, line = log.history.size, checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 5)
    add_round(log, 1)
    log.cosign(size, Role.BOB, line)
    with pytest.raises(Refused, match="no checkpoint of 2 entries"):
        log.cosign(2, Role.BOB, line)
    path = log.store.path
    assert examine(open_reader(path)).checkpoints == [(size, [Role.BOB, Role.TRENT])]


def test_cosigning_twice_or_checkpointing_twice_changes_nothing(log: Log) -> None:
    assert log.checkpoint() == log.checkpoint()
    line = checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 5)
    log.cosign(log.history.size, Role.BOB, line)
    with pytest.raises(Refused, match="signed this checkpoint already"):
        log.cosign(log.history.size, Role.BOB, checkpoints.cosign(log.history.state(), Role.BOB, KEYS[Role.BOB], 6))
    assert len(log.store.notes()[log.history.size].signatures) == 2


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["note", "round", "refuse", "reopen", "checkpoint"]), max_size=12))
def test_whatever_happens_the_file_checks_and_counts_what_was_acknowledged(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    path = tmp_path_factory.mktemp("any") / "matter"
    log = Log.create(path, KEYS[Role.TRENT], logical_clock())
    log.append([Addition(statement=opening_statement())])
    acknowledged = 1
    for number, step in enumerate(steps, 1):
        if step == "note":
            log.append([Addition(statement=says(Role.TRENT, "note"))] * 2)
            acknowledged += 2
        elif step == "round":
            add_round(log, number)
            acknowledged += 4
        elif step == "refuse":
            with pytest.raises(Refused):
                log.append([answer(says(Role.ALICE, "report", answers=MATTER))])
        elif step == "checkpoint":
            log.checkpoint()
        else:
            log.close()
            log = Log.open(path, KEYS[Role.TRENT], logical_clock())
    head = log.history.head
    log.close()
    summary = examine(open_reader(path))
    assert (summary.size, summary.head) == (acknowledged, head)


def test_records_never_swallow_an_unknown_field() -> None:
    value: Any = records.to_value(Release(audience=Audience.BOB, entry=0, field="x", indices=None))
    with pytest.raises(Malformed, match="unknown field"):
        records.from_value(Release, value | {"extra": 1})
