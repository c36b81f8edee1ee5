"""What everybody can check of a history without an opening: every honest matter passes, and little else does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.entries import Release, Sealed
from ledger.errors import LedgerError
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import Kind
from protocol.parties.course import Course
from tests.support.matters import eventful, start

PROTOCOLS = ["label", "classifier", "reveal-all"]

ZEROS = "00" * 32


def public(path: Path) -> list[Told]:
    """The entries of a matter, without an opening."""
    return [replace(summary.told(opened), openings=()) for opened in MatterReader(path)]


def follow(entries: list[Told]) -> Course:
    course = Course()
    for told in entries:
        course.tell(told)
    return course


@pytest.fixture(scope="module", params=PROTOCOLS)
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> Path:
    """A whole matter with privilege, silence, a new key and an amendment."""
    path: Path = tmp_path_factory.mktemp("course") / "matter"
    eventful(small_corpus, path, protocol=request.param)
    return path


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> list[Told]:
    path: Path = tmp_path_factory.mktemp("course") / "matter"
    eventful(small_corpus, path)
    return public(path)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_plain_matter_is_followed_to_its_end(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol) as run:
        run.run()
    assert follow(public(tmp_path / "matter")).claims is not None


def test_an_eventful_matter_stands_at_every_entry_where_trents_own_state_does(record: Path) -> None:
    course, state = Course(), MatterState()
    for opened in MatterReader(record):
        told = summary.told(opened)
        state.tell(told)
        course.tell(replace(told, openings=()))
        for name in ("awaits", "answered", "overtaken", "keys", "terms", "draws", "links", "defaults", "silence"):
            assert getattr(course, name) == getattr(state, name), (told.sequence, name)
        assert [each.size for each in course.rounds] == [each.size for each in state.rounds]
    assert course.claims == state.claims


def said(**changed: Any) -> Callable[[Told], Told]:
    return lambda told: replace(told, statement=msgspec.structs.replace(told.statement, **changed))


def content(**changed: Any) -> Callable[[Told], Told]:
    return lambda told: said(content=told.statement.content | changed)(told)


def by_trent(told: Told) -> Told:
    return said(author=Role.TRENT, answers=None)(told)


def fewer(name: str) -> Callable[[Told], Told]:
    """The entry with one value less under seal."""

    def changed(told: Told) -> Told:
        field = told.statement.sealed[name]
        shorter = Sealed(audiences=field.audiences, commitments=type(field.commitments)(field.commitments[:-1]))
        return said(sealed=told.statement.sealed | {name: shorter})(told)

    return changed


def released_to_bob(told: Told) -> Told:
    more = Release(audience=Audience.BOB, entry=0, field="vocabulary", indices=None)
    return replace(told, releases=(more, *told.releases))


def positions(change: Callable[[list[int]], list[int]]) -> Callable[[Told], Told]:
    return lambda told: content(positions=change(told.statement.content["positions"]))(told)


BROKEN: list[tuple[Kind, Callable[[Told], Told], str]] = [
    (Kind.AGREED, by_trent, "comes while others must answer"),
    (Kind.DEPOSITED, content(anchors=dict.fromkeys(("alice", "bob", "trent"), ZEROS)), "are not those whose anchors"),
    (Kind.DRAW, content(draw=200), "the link is for draw 200, where draw 1 is due"),
    (Kind.DRAW, said(round=2), "it is of round 2"),
    (Kind.DRAW, lambda told: replace(told, asks=(Role.BOB,)), "it asks Bob"),
    (Kind.DRAW, content(draw="x"), "Expected `int`"),
    (Kind.DRAW, said(kind="foo"), "'foo', which has no place here"),
    (Kind.DRAW, said(kind="open"), "'open', which has no place here"),
    (Kind.LINK, content(link=ZEROS), "the link is not number 1 of the chain that Alice has committed to"),
    (Kind.LINK, content(draw=2), "the link is for draw 2, where draw 1 is due"),
    (Kind.LINK, by_trent, "comes while others must answer"),
    (Kind.BATCH, said(round=2), "it is of round 2"),
    (Kind.BATCH, content(size=11), "seals 12 values as 'documents', where 11 are due"),
    (Kind.BATCH, fewer("documents"), "seals 11 values as 'documents', where 12 are due"),
    (Kind.BATCH, content(drawn={"draw": 1, "link": ZEROS}), "is not number 1 of the chain that Trent"),
    (Kind.BATCH, content(drawn=None), "a batch is drawn by coin while nothing can be learnt"),
    (Kind.BATCH, released_to_bob, "it releases what it has no right to"),
    (Kind.REPORT, by_trent, "comes while others must answer"),
    (Kind.REPORT, content(link=ZEROS), "is not number 2 of the chain that Alice"),
    (Kind.REPORT, content(draw=3), "the link is for draw 3, where draw 2 is due"),
    (Kind.REPORT, fewer("labels"), "seals 11 values as 'labels', where 12 are due"),
    (Kind.REPORT, fewer("privilege"), "seals 11 values as 'privilege', where 12 are due"),
    (Kind.REPORT, said(sealed={}), "it does not seal 'labels'"),
    (Kind.CAMERA, fewer("proofs"), "seals 1 values as 'proofs', where 2 are due"),
    (Kind.CAMERA, positions(lambda found: found[::-1]), "positions of the batch, in order"),
    (Kind.CAMERA, positions(lambda found: [found[0] + 3, found[1] + 3]), "the bases of these claims, and nothing else"),
    (Kind.CAMERA, released_to_bob, "the bases of these claims, and nothing else"),
    (Kind.PRIVILEGE, content(upheld=[True]), "1 rulings, where 2 documents were asked about"),
    (Kind.DISCLOSURE, fewer("proofs"), "values as 'proofs'"),
    (Kind.DISCLOSURE, positions(lambda found: [found[0], *found]), "positions of the batch, in order"),
    (Kind.DISCLOSURE, positions(lambda found: [*found[:-1], 13]), "positions of the batch, in order"),
    (Kind.DISCLOSURE, released_to_bob, "the places of its positions, and nothing else"),
    (Kind.DISCLOSURE, lambda told: replace(told, asks=()), "it asks nobody"),
    (Kind.LABELS, content(labels=[]), "0 labels, where"),
    (Kind.LABELS, by_trent, "comes while others must answer"),
    (Kind.DISPUTE, positions(lambda found: [*found, 13]), "positions of the batch, in order"),
    (Kind.DISPUTE, said(round=2), "it is of round 2"),
    (Kind.RULINGS, content(labels=[]), "0 labels, where"),
    (Kind.CLOSED, content(link=ZEROS), "is not number 2 of the chain that Trent"),
    (Kind.CLOSED, content(draw=None, link=None), "a round is closed with Trent's link"),
    (Kind.CLOSED, content(responsive=[]), "does not end with the label that was agreed or ruled"),
    (Kind.CLOSED, content(truth=None), "a simulation states the truth"),
    (Kind.CLOSED, lambda told: replace(told, releases=()), "it must release Alice's report to Bob"),
    (Kind.CLOSED, said(kind="claims", content={}, round=0), "it releases what it has no right to"),
    (Kind.DEFAULT, content(absent="alice"), "Alice is not in default"),
    (Kind.DEFAULT, content(served=ZEROS), "what was served must be the entry that asks Bob"),
    (Kind.ORDER, by_trent, "comes while others must answer"),
    (Kind.ORDER, content(absent="alice"), "about another party, or another service"),
    (Kind.ORDER, content(link=ZEROS), "the link is not number"),
    (Kind.ORDER, content(link=None), "an order gives a link if it is granted"),
    (Kind.REKEY, content(role="court"), "the court's key is never replaced"),
    (Kind.REKEYED, content(role="alice"), "about another party, or another key"),
    (Kind.AMEND, content(rounds=3), "3 rounds are agreed already"),
    (Kind.AMENDED, by_trent, "comes while others must answer"),
    (Kind.CLAIM, content(positions=[1]), "seals 0 values as 'privilege', where 1 are due"),
]


@pytest.mark.parametrize(("kind", "change", "reason"), BROKEN)
def test_what_breaks_a_rule_is_refused_by_its_entry_and_the_rule(
    labelled: list[Told], kind: Kind, change: Callable[[Told], Told], reason: str
) -> None:
    place = next(told.sequence for told in labelled if told.statement.kind == kind)
    course = follow(labelled[:place])
    with pytest.raises(LedgerError, match=f"entry {place}.*{reason}"):
        course.tell(change(labelled[place]))
    course.tell(labelled[place])  # it changed nothing


def last(labelled: list[Told], kind: Kind, number: int) -> Told:
    return [told for told in labelled if (told.statement.kind, told.statement.round) == (kind, number)][-1]


def test_a_document_is_not_disclosed_twice_nor_one_that_is_withheld(labelled: list[Told]) -> None:
    close = last(labelled, Kind.CLOSED, 1)
    course = follow(labelled[: close.sequence])
    current = course.rounds[-1]
    for position in (min(current.disclosed), min(current.privilege.withheld)):
        again = replace(last(labelled, Kind.DISCLOSURE, 1), sequence=close.sequence)
        sealed = again.statement.sealed["proofs"]
        one = Sealed(audiences=sealed.audiences, commitments=type(sealed.commitments)(sealed.commitments[:1]))
        with pytest.raises(LedgerError, match="disclosed for the second time, or is withheld"):
            course.tell(said(content={"positions": [position]}, sealed={"proofs": one})(again))


def test_nothing_goes_to_the_court_that_alice_did_not_claim(labelled: list[Told]) -> None:
    """Her second report claims nothing; a late claim is hers all the same."""
    camera = last(labelled, Kind.CAMERA, 2)
    course = follow(labelled[: camera.sequence])
    course.tell(camera)
    course = follow(labelled[: camera.sequence])
    (claimed,) = camera.statement.content["positions"]
    other = next(place for place in range(1, 13) if place not in course.rounds[-1].disclosed | {claimed})
    with pytest.raises(LedgerError, match="positions that Alice has not claimed"):
        course.tell(content(positions=[other])(camera))


def test_claims_come_after_all_rounds(labelled: list[Told]) -> None:
    close = last(labelled, Kind.CLOSED, 2)
    course = follow(labelled[: close.sequence + 1])
    claims = replace(labelled[-1], sequence=close.sequence + 1)
    assert claims.statement.kind == Kind.CLAIMS
    with pytest.raises(LedgerError, match="2 of 3 rounds were held"):
        course.tell(claims)
    with pytest.raises(LedgerError, match="no place here"):
        follow(labelled).tell(replace(claims, sequence=len(labelled)))


KINDS = [*Kind, "conflict", "foo"]


@given(st.data())
def test_whatever_trent_signs_is_taken_or_refused_with_a_sentence(labelled: list[Told], data: st.DataObject) -> None:
    told = data.draw(st.sampled_from(labelled))
    other = data.draw(st.sampled_from(labelled)).statement
    changes: dict[str, Any] = {
        "kind": data.draw(st.sampled_from([told.statement.kind, *KINDS])),
        "author": data.draw(st.sampled_from([told.statement.author, *Role])),
        "content": data.draw(st.sampled_from([told.statement.content, other.content, {}])),
        "sealed": data.draw(st.sampled_from([told.statement.sealed, other.sealed, {}])),
        "round": data.draw(st.sampled_from([told.statement.round, 0, 1, 99])),
        "answers": data.draw(st.sampled_from([told.statement.answers, other.answers, None])),
    }
    asks = data.draw(st.sampled_from([told.asks, (), tuple(sorted(Role))[:3]]))
    course = follow(labelled[: told.sequence])
    try:
        course.tell(replace(said(**changes)(told), asks=asks))
    except LedgerError as error:
        assert str(error).startswith(f"entry {told.sequence}")
    else:
        assert course.size == told.sequence + 1
