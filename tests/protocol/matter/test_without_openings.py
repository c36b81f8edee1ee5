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
from protocol.matter import fold
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS
from protocol.matter.state import Matter
from tests.support.matters import eventful, start

PROTOCOLS = ["label", "classifier", "reveal-all", "spot-check"]

ZEROS = "00" * 32


def public(path: Path) -> list[Entry]:
    """The entries of a matter, without an opening."""
    return [replace(Entry.stored(opened), openings=None) for opened in MatterReader(path)]


def follow(entries: list[Entry]) -> Matter:
    course = Matter()
    for told in entries:
        fold.follow(course, told)
    return course


@pytest.fixture(scope="module", params=PROTOCOLS)
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> Path:
    """A whole matter with privilege, silence, a new key and an amendment."""
    path: Path = tmp_path_factory.mktemp("course") / "matter"
    eventful(small_corpus, path, protocol=request.param)
    return path


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> list[Entry]:
    path: Path = tmp_path_factory.mktemp("course") / "matter"
    eventful(small_corpus, path)
    return public(path)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_plain_matter_is_followed_to_its_end(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    with start(small_corpus, tmp_path / "matter", protocol=protocol) as run:
        run.run()
    assert follow(public(tmp_path / "matter")).concluded


def test_an_eventful_matter_stands_at_every_entry_where_trents_own_state_does(record: Path) -> None:
    course, state = Matter(), Matter()
    for opened in MatterReader(record):
        told = Entry.stored(opened)
        fold.follow(state, told)
        fold.follow(course, replace(told, openings=None))
        for name in ("awaits", "answered", "overtaken", "keys", "terms", "draws", "links", "defaults", "silence"):
            assert getattr(course, name) == getattr(state, name), (told.sequence, name)
        assert [each.size for each in course.rounds] == [each.size for each in state.rounds]
    assert course.concluded == state.concluded


def said(**changed: Any) -> Callable[[Entry], Entry]:
    return lambda told: replace(told, statement=msgspec.structs.replace(told.statement, **changed))


def content(**changed: Any) -> Callable[[Entry], Entry]:
    return lambda told: said(content=told.statement.content | changed)(told)


def by_trent(told: Entry) -> Entry:
    return said(author=Role.TRENT, answers=None)(told)


def fewer(name: str) -> Callable[[Entry], Entry]:
    """The entry with one value less under seal."""

    def changed(told: Entry) -> Entry:
        field = told.statement.sealed[name]
        shorter = Sealed(audiences=field.audiences, commitments=type(field.commitments)(field.commitments[:-1]))
        return said(sealed=told.statement.sealed | {name: shorter})(told)

    return changed


def released_to_bob(told: Entry) -> Entry:
    more = Release(audience=Audience.BOB, entry=0, field="vocabulary", indices=None)
    return replace(told, releases=(more, *told.releases))


def positions(change: Callable[[list[int]], list[int]]) -> Callable[[Entry], Entry]:
    return lambda told: content(positions=change(told.statement.content["positions"]))(told)


BROKEN: list[tuple[str, Callable[[Entry], Entry], str]] = [
    ("agreed", by_trent, "others must answer first"),
    ("deposited", content(anchors=dict.fromkeys(("alice", "bob", "trent"), ZEROS)), "are not those whose anchors"),
    ("draw", content(draw=200), "the link is for draw 200, but draw 1 is due"),
    ("draw", said(round=2), "it is of round 2"),
    ("draw", lambda told: replace(told, asks=(Role.BOB,)), "it asks Bob"),
    ("draw", content(draw="x"), "Expected `int`"),
    ("draw", said(kind="foo"), "'foo', which may not come here"),
    ("draw", said(kind="open"), "'open', which may not come here"),
    ("link", content(link=ZEROS), "the link is not number 1 of the chain that Alice has committed to"),
    ("link", content(draw=2), "the link is for draw 2, but draw 1 is due"),
    ("link", by_trent, "others must answer first"),
    ("batch", said(round=2), "it is of round 2"),
    ("batch", content(size=11), "seals 12 values as 'documents', but 11 are due"),
    ("batch", fewer("documents"), "seals 11 values as 'documents', but 12 are due"),
    ("batch", content(drawn={"draw": 1, "link": ZEROS}), "is not number 1 of the chain that Trent"),
    ("batch", content(drawn=None), "a batch must be drawn by coin while nothing can be learnt"),
    ("batch", released_to_bob, "it releases values that it may not release"),
    ("report", by_trent, "others must answer first"),
    ("report", content(link=ZEROS), "is not number 2 of the chain that Alice"),
    ("report", content(draw=3), "the link is for draw 3, but draw 2 is due"),
    ("report", fewer("labels"), "seals 0 values as 'labels', but 1 are due"),
    ("report", fewer("privilege"), "seals 11 values as 'privilege', but 12 are due"),
    ("report", said(sealed={}), "it seals 0 values as 'labels'"),
    ("camera", fewer("proofs"), "seals 1 values as 'proofs', but 2 are due"),
    ("camera", positions(lambda found: found[::-1]), "positions of the batch, in order"),
    ("camera", positions(lambda found: [found[0] + 3, found[1] + 3]), "the bases of these claims, and nothing else"),
    ("camera", released_to_bob, "the bases of these claims, and nothing else"),
    ("privilege", content(upheld=[True]), "1 rulings, but 2 documents were asked about"),
    ("disclosure", fewer("proofs"), "values as 'proofs'"),
    ("disclosure", positions(lambda found: [found[0], *found]), "positions of the batch, in order"),
    ("disclosure", positions(lambda found: [*found[:-1], 13]), "positions of the batch, in order"),
    ("disclosure", released_to_bob, "the places of its positions, and nothing else"),
    ("disclosure", lambda told: replace(told, asks=()), "it asks nobody"),
    ("labels", content(labels=[]), "0 labels, but"),
    ("labels", by_trent, "others must answer first"),
    ("dispute", positions(lambda found: [*found, 13]), "positions of the batch, in order"),
    ("dispute", said(round=9), "it is of round 9"),
    ("rulings", content(labels=[]), "0 labels, but"),
    ("closed", content(link=ZEROS), "is not number 2 of the chain that Trent"),
    ("closed", content(draw=None, link=None), "a round closes with Trent's link"),
    ("closed", content(responsive=[]), "does not end with the label that was agreed or ruled"),
    ("closed", content(truth=None), "a simulation states the truth"),
    ("closed", lambda told: replace(told, releases=()), "it must release Alice's report to Bob"),
    ("closed", said(kind="claims", content={}, round=0), "it releases values that it may not release"),
    ("default", content(absent="alice"), "Alice is not in default"),
    ("default", content(served=ZEROS), "what was served must be the entry that asks Bob"),
    ("order", by_trent, "others must answer first"),
    ("order", content(absent="alice"), "about another party, or another service"),
    ("order", content(link=ZEROS), "the link is not number"),
    ("order", content(link=None), "an order must give a link if it is granted"),
    ("rekey", content(role="court"), "the court's key is never replaced"),
    ("rekeyed", content(role="alice"), "about another party, or another key"),
    ("amend", content(rounds=3), "3 rounds are agreed on already"),
    ("amended", by_trent, "others must answer first"),
    ("claim", content(positions=[1]), "seals 0 values as 'privilege', but 1 are due"),
]


@pytest.mark.parametrize(("kind", "change", "reason"), BROKEN)
def test_what_breaks_a_rule_is_refused_by_its_entry_and_the_rule(
    labelled: list[Entry], kind: str, change: Callable[[Entry], Entry], reason: str
) -> None:
    place = next(told.sequence for told in labelled if told.statement.kind == kind)
    course = follow(labelled[:place])
    with pytest.raises(LedgerError, match=f"entry {place}.*{reason}"):
        fold.follow(course, change(labelled[place]))
    fold.follow(course, labelled[place])  # it changed nothing


def last(labelled: list[Entry], kind: str, number: int) -> Entry:
    return [told for told in labelled if (told.statement.kind, told.statement.round) == (kind, number)][-1]


def test_a_document_is_not_disclosed_twice_nor_one_that_is_withheld(labelled: list[Entry]) -> None:
    close = last(labelled, "closed", 1)
    course = follow(labelled[: close.sequence])
    current = course.rounds[-1]
    for position in (min(current.disclosed), min(current.privilege.withheld)):
        again = replace(last(labelled, "disclosure", 1), sequence=close.sequence)
        sealed = again.statement.sealed["proofs"]
        one = Sealed(audiences=sealed.audiences, commitments=type(sealed.commitments)(sealed.commitments[:1]))
        both = {"path": again.statement.sealed["path"], "proofs": one}
        with pytest.raises(LedgerError, match="was disclosed before, is withheld"):
            fold.follow(course, said(content={"positions": [position]}, sealed=both)(again))


def test_nothing_goes_to_the_court_that_alice_did_not_claim(labelled: list[Entry]) -> None:
    """Her second report claims nothing; a late claim is hers all the same."""
    camera = last(labelled, "camera", 2)
    course = follow(labelled[: camera.sequence])
    fold.follow(course, camera)
    course = follow(labelled[: camera.sequence])
    (claimed,) = camera.statement.content["positions"]
    other = next(place for place in range(1, 13) if place not in course.rounds[-1].disclosed | {claimed})
    with pytest.raises(LedgerError, match="only positions that Alice has claimed"):
        fold.follow(course, content(positions=[other])(camera))


def test_claims_come_after_all_rounds(labelled: list[Entry]) -> None:
    close = last(labelled, "closed", 2)
    course = follow(labelled[: close.sequence + 1])
    claims = replace(labelled[-1], sequence=close.sequence + 1)
    assert claims.statement.kind == "claims"
    with pytest.raises(LedgerError, match="2 of 3 rounds were held"):
        fold.follow(course, claims)
    with pytest.raises(LedgerError, match="may not come here"):
        fold.follow(follow(labelled), replace(claims, sequence=len(labelled)))


NAMES = [*KINDS, "foo"]


@given(st.data())
def test_whatever_trent_signs_is_taken_or_refused_with_a_sentence(labelled: list[Entry], data: st.DataObject) -> None:
    told = data.draw(st.sampled_from(labelled))
    other = data.draw(st.sampled_from(labelled)).statement
    changes: dict[str, Any] = {
        "kind": data.draw(st.sampled_from([told.statement.kind, *NAMES])),
        "author": data.draw(st.sampled_from([told.statement.author, *Role])),
        "content": data.draw(st.sampled_from([told.statement.content, other.content, {}])),
        "sealed": data.draw(st.sampled_from([told.statement.sealed, other.sealed, {}])),
        "round": data.draw(st.sampled_from([told.statement.round, 0, 1, 99])),
        "answers": data.draw(st.sampled_from([told.statement.answers, other.answers, None])),
    }
    asks = data.draw(st.sampled_from([told.asks, (), tuple(sorted(Role))[:3]]))
    course = follow(labelled[: told.sequence])
    try:
        fold.follow(course, replace(said(**changes)(told), asks=asks))
    except LedgerError as error:
        assert str(error).startswith(f"entry {told.sequence}")
    else:
        assert course.size == told.sequence + 1
