"""Trent's desk: what is added is on disk first, what is refused leaves no trace, and a real matter is no simulation."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from ledger.coins import LinkChain
from ledger.commitments import Secret
from ledger.entries import Addition
from ledger.errors import Damaged, LedgerError, Refused, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus, OutOfTurn
from protocol.learning.cal import Cal
from protocol.matter import summary, terms, trent
from protocol.matter.asking import Answer
from protocol.matter.desk import Desk
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.seal import Seal
from protocol.matter.trent import Trent
from protocol.matter.values import Caption
from protocol.parties.notices import Deliveries
from protocol.parties.party import Party
from tests.support import answers, corpora
from tests.support.builders import KEYS, MATTER
from tests.support.corpora import QUERY

TERMS = terms.terms(protocol="label", rounds=2, batch=10, delta="0.5", k=1, query=QUERY)
CAPTION = Caption(
    case="Roe v. Example Inc.",
    court="Superior Court",
    names={Role.ALICE: "Example Inc.", Role.BOB: "Roe", Role.COURT: "Judge Doe", Role.TRENT: "A Neutral"},
    request="All documents about the prepaid swaps.",
)


def clock(entries: int) -> int:
    return 1_700_000_000 + entries


def chain(role: Role) -> LinkChain:
    return LinkChain(matter=MATTER, role=role, length=TERMS.draws, root=Digest(bytes([len(role)] * 32)))


def seal(role: Role) -> Seal:
    return Seal(secret=Secret(bytes([len(role)] * 32)), matter=MATTER)


def neutral(corpus: Corpus) -> Trent:
    return Trent(corpus=corpus, cal=Cal(corpus), seal=seal(Role.TRENT), chain=chain(Role.TRENT), truth=None)


def opening(corpus: Corpus, caption: Caption | None = CAPTION) -> Addition:
    return trent.opening(
        matter=MATTER,
        corpus=corpus,
        agreed=TERMS,
        keys={role: key.public for role, key in KEYS.items()},
        chain=chain(Role.TRENT),
        seal=seal(Role.TRENT),
        caption=caption,
        simulation=None,
    )


class Room:
    """The three parties, each told its part of every entry."""

    def __init__(self) -> None:
        self.alice = Party(Role.ALICE, KEYS[Role.ALICE], chain=chain(Role.ALICE), seal=seal(Role.ALICE))
        self.bob = Party(Role.BOB, KEYS[Role.BOB], chain=chain(Role.BOB))
        self.court = Party(Role.COURT, KEYS[Role.COURT])
        self.deliveries = Deliveries()
        self.told = 0

    def listen(self, told: Entry) -> None:
        self.told += 1
        parties: dict[str, Party] = {"alice": self.alice, "bob": self.bob, "court": self.court}
        for audience, notice in self.deliveries.notices(told).items():
            parties[audience].observe(notice)

    def answer(self, desk: Desk) -> None:
        """Whoever is asked answers: Alice reports every third position, and Bob sees it otherwise."""
        role = min(desk.state.awaits)
        kind = desk.state.awaits[role].kind
        size = desk.state.rounds[-1].size if desk.state.rounds else 0
        drawer = self.alice if role is Role.ALICE else self.bob
        given: dict[str, Callable[[], Answer]] = {
            "agreed": drawer.say,
            "deposited": self.court.say,
            "link": drawer.say,
            "report": lambda: answers.report(self.alice, [place % 3 == 0 for place in range(size)]),
            "labels": lambda: answers.label(self.bob, [place % 2 == 0 for place in desk.state.rounds[-1].waves[-1]]),
            "rulings": lambda: answers.label(self.court, [True] * len(desk.state.rounds[-1].disputed)),
        }
        desk.accept(given[kind]())


def play(desk: Desk, room: Room, trent: Trent) -> None:
    while desk.state.awaits or not desk.state.concluded:
        if desk.state.awaits:
            assert not desk.advance(trent)
            room.answer(desk)
        else:
            assert desk.advance(trent)
    assert not desk.advance(trent)


def test_a_real_matter_states_no_truth_and_may_be_interrupted_anywhere(small_corpus: Corpus, tmp_path: Path) -> None:
    room = Room()
    with Desk.create(tmp_path / "whole", KEYS[Role.TRENT], clock, opening(small_corpus), room.listen) as desk:
        play(desk, room, neutral(small_corpus))
        assert desk.state.concluded
        assert claims.claims(desk.state).truth is None
        assert all(closed.truth is None for _, closed in desk.state.closed)
        assert room.told == desk.state.size
        whole = desk.log.history.head
    Desk.create(tmp_path / "parts", KEYS[Role.TRENT], clock, opening(small_corpus)).log.close()
    while True:
        room = Room()
        with Desk.open(tmp_path / "parts", KEYS[Role.TRENT], clock, room.listen) as desk:
            assert room.told == desk.state.size
            if desk.state.concluded:
                assert desk.log.history.head == whole
                break
            if desk.state.awaits:
                room.answer(desk)
            else:
                desk.advance(neutral(small_corpus))
    assert summary.read(tmp_path / "parts").opening.caption == CAPTION


def unnamed(caption: Caption) -> Caption:
    return msgspec.structs.replace(caption, names={Role.ALICE: "Example Inc."})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _: None, "every other matter has one"),
        (unnamed, "must name all of alice, bob, court and trent"),
    ],
)
def test_an_opening_that_cannot_stand_leaves_no_file(
    small_corpus: Corpus, tmp_path: Path, change: Callable[[Caption], Caption | None], reason: str
) -> None:
    with pytest.raises(LedgerError, match=reason):
        Desk.create(
            tmp_path / "matter",
            KEYS[Role.TRENT],
            clock,
            opening(small_corpus, change(CAPTION)),
        )
    assert list(tmp_path.iterdir()) == []


def test_a_matter_is_not_created_over_another_and_goes_on_with_its_own_key_and_corpus(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / "matter"
    Desk.create(path, KEYS[Role.TRENT], clock, opening(small_corpus)).log.close()
    with pytest.raises(Refused):
        Desk.create(path, KEYS[Role.TRENT], clock, opening(small_corpus))
    with pytest.raises(WrongKey):
        Desk.open(path, SigningKey(bytes(32)), clock)
    other = corpora.make(tmp_path / "other", seed="another")
    with (
        Desk.open(path, KEYS[Role.TRENT], clock) as desk,
        pytest.raises(BadCorpus, match="not the corpus that the matter was opened with"),
    ):
        neutral(other).check(desk.state.opening, desk.state.vocabulary)
    assert len(list(MatterReader(path))) == 1


def test_what_the_log_refuses_is_told_to_nobody_and_nothing_of_it_is_kept(small_corpus: Corpus, tmp_path: Path) -> None:
    room = Room()
    with Desk.create(tmp_path / "matter", KEYS[Role.TRENT], clock, opening(small_corpus), room.listen) as desk:
        answer = room.alice.say()
        forged = msgspec.structs.replace(answer.signed, signature=room.bob.say().signed.signature)
        kept: list[int] = []
        with pytest.raises(OutOfTurn, match="not signed by the key that Alice has"):
            desk.accept(replace(answer, signed=forged), keep=lambda: kept.append(desk.log.store.size()))
        assert not kept
        assert (room.told, desk.state.size, desk.log.store.size()) == (1, 1, 1)
        desk.accept(answer, keep=lambda: kept.append(desk.log.store.size()))
        assert kept == [1]  # before the entry is stored
        assert (room.told, desk.state.size, desk.log.store.size()) == (2, 2, 2)


def test_an_empty_file_is_a_matter_that_was_never_opened(small_corpus: Corpus, tmp_path: Path) -> None:
    Log.create(tmp_path / "matter", KEYS[Role.TRENT], lambda: 0).close()
    with pytest.raises(Damaged, match="the matter was never opened"):
        summary.read(tmp_path / "matter")
    with Desk.open(tmp_path / "matter", KEYS[Role.TRENT], clock) as desk:
        assert desk.state.size == 0
        desk.add(opening(small_corpus))
        assert desk.state.size == 1
