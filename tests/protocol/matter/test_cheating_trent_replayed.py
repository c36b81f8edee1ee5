"""A matter in which Trent's own entries break the rules is not gone on with: each is checked before it counts."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from ledger import entries
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import fold
from protocol.matter.asking import Answer
from protocol.matter.kind import Entry
from protocol.matter.state import Matter
from tests.support.forging.bent import Change, around, of, opened, saying
from tests.support.matters import run_until, start


@pytest.fixture(scope="module")
def told(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """A whole matter with disputes, a second wave and models."""
    path = tmp_path_factory.mktemp("matter") / "matter"
    players = {"alice": "hiding:0.5:far", "bob": "truthful"}
    with start(small_corpus, path, players=players, batch=40, rounds=3, seed="2") as run:
        run.run()
    return [Entry.stored(opened) for opened in MatterReader(path)]


def sealed_for_bob(name: str) -> Change:
    def change(state: Matter, entry: Entry) -> Entry:
        sealed = entry.statement.sealed
        everyone = (Audience.ALICE, Audience.BOB, Audience.COURT)
        wider = sealed | {name: msgspec.structs.replace(sealed[name], audiences=everyone)}
        return replace(entry, statement=msgspec.structs.replace(entry.statement, sealed=wider))

    return change


def with_place(document: Callable[[Matter, list[int]], int]) -> Change:
    """The batch with another document at its first position."""

    def change(state: Matter, entry: Entry) -> Entry:
        known = [each.value["document"] for each in opened(entry) if each.field == "documents"]
        known[0], (first, *rest) = document(state, known), opened(entry)
        place = msgspec.structs.replace(first, value=first.value | {"document": known[0]})
        others = [msgspec.structs.replace(each, value=known) if each.field == "numbers" else each for each in rest]
        return replace(entry, openings=(place, *others))

    return change


def wrong_link(state: Matter, entry: Entry) -> Entry:
    return saying(link=bytes(32).hex())(state, entry)


def with_one_they_agree_on(state: Matter, entry: Entry) -> Entry:
    agreed = next(place for place in state.rounds[-1].waves[-1] if place not in entry.statement.content["positions"])
    return saying(positions=lambda found: sorted([*found, agreed]))(state, entry)


def with_one_not_shown(state: Matter, entry: Entry) -> Entry:
    review = state.rounds[-1]
    hidden = next(place for place in range(1, review.size + 1) if place not in review.disclosed)
    return saying(positions=lambda found: sorted([*found, hidden]))(state, entry)


def counting(**more: int) -> Change:
    """An account with other numbers."""
    return saying(
        corpus=lambda found: (
            found | {"account": found["account"] | {name: found["account"][name] + each for name, each in more.items()}}
        )
    )


def another_list(state: Matter, entry: Entry) -> Entry:
    """The sealed list of what was received is another one."""
    first, *others = opened(entry)
    other = msgspec.structs.replace(first, value=first.value | {"attachment": "00" * 32})
    return replace(entry, openings=(other, *others))


def two_paths(state: Matter, entry: Entry) -> Entry:
    path = entry.statement.sealed["path"]
    twice = msgspec.structs.replace(path, commitments=path.commitments * 2)
    first, *others = opened(entry)
    changed = replace(entry, openings=(first, msgspec.structs.replace(first, index=1), *others))
    return of(sealed=entry.statement.sealed | {"path": twice})(state, changed)


def sealed_for(name: str, *audiences: Audience) -> Change:
    def change(state: Matter, entry: Entry) -> Entry:
        field = msgspec.structs.replace(entry.statement.sealed[name], audiences=audiences)
        return of(sealed=entry.statement.sealed | {name: field})(state, entry)

    return change


BROKEN: list[tuple[str, str, Change]] = [
    ("others must answer first", "labels", of(author=Role.TRENT, answers=None)),
    ("may not come here", "batch", of(kind="note")),
    ("may not come here", "batch", of(kind="open")),
    ("it is of round 9", "batch", of(round=9)),
    ("it asks Alice and Bob", "batch", around(asks=(Role.ALICE, Role.BOB))),
    ("it asks nobody", "disclosure", around(asks=())),
    ("'model' must be sealed for the court", "batch", sealed_for_bob("model")),
    ("'documents' must be sealed for Alice and the court", "batch", sealed_for_bob("documents")),
    ("for the second time", "batch", with_place(lambda state, known: state.labelled()[0][0])),
    ("for the second time", "batch", with_place(lambda state, known: known[1])),
    ("is not in the corpus", "batch", with_place(lambda state, known: 10**6)),
    ("'numbers' are not the numbers of its documents", "batch", around(openings=lambda found: tuple(
        msgspec.structs.replace(each, value=each.value[::-1]) if each.field == "numbers" else each for each in found))),
    ("'numbers' must be sealed for Alice and the court", "batch", sealed_for_bob("numbers")),
    ("values as 'documents', but 41 are due", "batch", saying(size=41)),
    ("drawn by coin while nothing can be learnt", "batch", saying(drawn={"draw": 1, "link": bytes(32).hex()})),
    ("but draw 1 is due", "draw", saying(draw=20)),
    ("positions of the batch, in order", "disclosure", saying(positions=lambda found: found[::-1])),
    ("positions of the batch, in order", "disclosure", saying(positions=lambda found: [*found, 41])),
    ("positions of the batch, in order", "disclosure", saying(positions=[])),
    ("values as 'proofs', but", "disclosure", saying(positions=lambda found: found[:-1])),
    ("must release to Bob the places", "disclosure", around(releases=())),
    ("with the openings of all that it seals", "disclosure", around(openings=lambda found: found[:-1])),
    ("positions on which Alice and Bob disagree", "dispute", with_one_they_agree_on),
    ("that Bob has labelled", "dispute", with_one_not_shown),
    ("positions of the batch, in order", "dispute", saying(positions=[])),
    ("is not number", "closed", wrong_link),
    ("draw 99, but", "closed", saying(draw=99)),
    ("does not end with the label that was agreed or ruled", "closed", saying(responsive=[1])),
    ("the round does not end as the rule says: threshold is", "closed", saying(threshold=0)),
    ("the round does not end as the rule says: error is", "closed", saying(error=39)),
    ("the round does not end as the rule says: compelled is", "closed", saying(compelled=lambda found: not found)),
    ("the round does not end as the rule says: sampled is", "closed", saying(sampled=0)),
    ("must release Alice's report", "closed", around(releases=())),
    ("a simulation states the truth", "closed", saying(truth=None)),
    ("the claims do not follow from the entries: found is", "claims", saying(found=999)),
    ("the claims do not follow from the entries: nrd is", "claims", saying(nrd=0)),
    ("the claims do not follow from the entries: certificates is", "claims", saying(
        certificates=lambda found: found | {"reviewed": found["reviewed"] | {"at_most": 10**6}})),
    ("it releases values that it may not release", "claims", around(releases=lambda _: (object(),))),
    ("of the method", "open", saying(method=3)),
    ("does not add up: the items are", "open", counting(items=1)),
    ("does not add up: the families are", "open", counting(items=1, families=1)),
    ("does not add up: the exceptions are", "open", counting(items=1, exceptions=1)),
    ("does not add up: the documents are", "open", counting(items=1, families=1, entered=1)),
    ("is not the one that the account names", "open", another_list),
    ("'account' must be sealed for Alice and the court", "open", sealed_for_bob("account")),
    ("values as 'path', but 1 are due", "disclosure", two_paths),
    ("'path' must be sealed for Alice and Bob and the court", "disclosure", sealed_for("path", Audience.ALICE)),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "kind", "change"), BROKEN)
def test_a_broken_rule_is_told_and_changes_nothing(told: list[Entry], reason: str, kind: str, change: Change) -> None:
    state = Matter()
    pending = [entry for entry in told if entry.statement.kind == kind]
    chosen = pending[-1] if kind in ("batch", "closed") else pending[0]
    for entry in told:
        if entry is chosen:
            break
        fold.follow(state, entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=reason):
        fold.follow(state, change(state, chosen))
    assert vars(state) == before
    fold.follow(state, chosen)


@pytest.mark.parametrize("kind", ["labels", "rulings", "link", "report", "agreed"])
def test_an_entry_left_out_is_missed(told: list[Entry], kind: str) -> None:
    state = Matter()
    chosen = next(entry for entry in told if entry.statement.kind == kind)
    with pytest.raises((OutOfTurn, LedgerError)):  # noqa: PT012 (where it is missed depends on the kind)
        for entry in told:
            if entry is not chosen:
                fold.follow(state, replace(entry, sequence=state.size))


def test_disputes_that_never_reach_the_court_are_missed(told: list[Entry]) -> None:
    state = Matter()
    with pytest.raises(LedgerError, match="the court has not ruled on the positions"):  # noqa: PT012
        for entry in told:
            if entry.statement.kind not in ("dispute", "rulings"):
                fold.follow(state, replace(entry, sequence=state.size))


def test_a_wave_that_the_coins_did_not_draw_is_found_when_the_round_closes(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    truthful = {"alice": "truthful", "bob": "truthful"}
    with start(small_corpus, tmp_path / "matter", players=truthful, rounds=1, batch=40) as run:
        run.run()
    state = Matter()
    with pytest.raises(LedgerError, match="the rule discloses the positions"):  # noqa: PT012
        for stored in MatterReader(tmp_path / "matter"):
            entry = Entry.stored(stored)
            if entry.statement.kind == "disclosure":
                wave = entry.statement.content["positions"][:-1]
                sealed = entry.statement.sealed
                proofs = sealed["proofs"]
                cut = sealed | {"proofs": msgspec.structs.replace(proofs, commitments=proofs.commitments[:-1])}
                entry = saying(positions=wave)(state, of(sealed=cut)(state, entry))
                releases = state.rounds[-1].shown_to_bob(wave) or ()
                entry = replace(entry, openings=opened(entry)[:-1], releases=releases)
            if entry.statement.kind == "labels":
                entry = saying(labels=lambda found: found[:-1])(state, entry)
            fold.follow(state, entry)


def test_claims_may_not_come_before_the_rounds_are_held(told: list[Entry]) -> None:
    state = Matter()
    closes = [entry for entry in told if entry.statement.kind == "closed"]
    for entry in told:
        fold.follow(state, entry)
        if entry is closes[0]:
            break
    with pytest.raises(LedgerError, match="1 of 3 rounds were held"):
        fold.follow(state, replace(told[-1], sequence=state.size))


def test_a_second_answer_is_kept_as_a_conflict_and_the_matter_goes_on(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with start(small_corpus, path) as run:
        first = run_until(run, Role.BOB, "labels").signed
        run.step()
        content = {"labels": [not label for label in first.statement.content["labels"]]}
        second = entries.sign_statement(
            run.plan.key(Role.BOB), msgspec.structs.replace(first.statement, content=content)
        )
        with pytest.raises(OutOfTurn, match="has answered this question already"):
            run.desk.accept(Answer(signed=second))
        run.desk.keep_as_evidence(second, run.trent.seal)
        stranger = msgspec.structs.replace(second, statement=first.statement)
        with pytest.raises(OutOfTurn, match="not signed by the key"):
            run.desk.keep_as_evidence(stranger, run.trent.seal)
        with pytest.raises(OutOfTurn, match="there is no conflict"):
            run.desk.keep_as_evidence(
                entries.sign_statement(
                    run.plan.key(Role.BOB), msgspec.structs.replace(first.statement, answers=Digest(bytes(32)))
                ),
                run.trent.seal,
            )
    with start(small_corpus, path) as run:
        assert run.run().concluded
    kinds = [each.entry.body.statement.kind for each in MatterReader(path)]
    assert kinds.count(entries.CONFLICT) == 1


def test_no_party_gives_a_link_ahead_of_its_time_or_for_another_use(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, "link")
        for role in (Role.ALICE, Role.BOB):
            party = run.parties[role]
            asked = party.question
            assert asked is not None
            later = msgspec.structs.replace(asked.statement, content={"draw": 20})
            party.question = replace(asked, statement=later)
            with pytest.raises(Refused, match=f"{role.called} keeps the link of draw 20"):
                party.answer()
            party.question = asked
        run_until(run, Role.BOB, "link")
        run.step()
        run_until(run, Role.BOB, "link")
        bob = run.parties[Role.BOB]
        bob.answer()
        assert bob.question is not None
        other = msgspec.structs.replace(
            bob.question.statement, sealed={}
        )  # another report for the same draw: with it, Trent and Alice could try words until the coins please them
        bob.question = replace(bob.question, statement=other)
        with pytest.raises(Refused, match="for another use"):
            bob.answer()


def test_asked_again_about_the_same_batch_alice_says_the_same_words_and_about_another_she_keeps_her_link(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter", players={"alice": "truthful"}) as run:
        first = run_until(run, Role.ALICE, "report")
        alice = run.parties[Role.ALICE]
        asked = alice.question
        assert asked is not None
        alice.question = replace(asked, hash=Digest(bytes(32)))
        again = alice.answer()
        assert entries.hash_words(again.signed.statement) == entries.hash_words(first.signed.statement)
        swapped = (asked.openings[1], asked.openings[0], *asked.openings[2:])
        alice.question = replace(asked, openings=swapped)
        with pytest.raises(Refused, match="for another use"):
            alice.answer()
