"""No answer that an honest party gives to any question, however hostile, is ever blamed; nor does it give a choice of
coins. Trent, the court and the other party are in league, and sign whatever they like.

`TALLYSTICK_FUZZ` multiplies the number of cases (`make fuzz`).
"""

import os
from functools import lru_cache

import pytest

from protocol.corpus.corpus import Corpus
from tests.support.forging.courses import World
from tests.support.forging.honest import Tally
from tests.support.forging.hostile import Game
from tests.vectors import FOLDER
from verifier.record import keys

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
QUESTIONS = 1_020
"""Hostile ones, in each half."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.made(Corpus.open(FOLDER / "corpora" / "plain"), tmp_path_factory.mktemp("hostile"))


@pytest.fixture(autouse=True)
def _each_signature_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All games share their beginnings."""
    monkeypatch.setattr(keys, "is_acceptable", lru_cache(None)(keys.is_acceptable))
    monkeypatch.setattr(keys, "signed_bare", lru_cache(100_000)(keys.signed_bare))


@pytest.mark.parametrize("half", ["one", "other"])
def test_no_answer_of_an_honest_party_to_a_hostile_question_is_ever_blamed(world: World, half: str) -> None:
    tally, number = Tally(), 0
    while tally.put.total() < QUESTIONS * TIMES:
        Game(world, tally, f"{half}-{number}").play()
        number += 1
    assert min(tally.put[kind] for kind in world.kinds) >= 40 * TIMES, tally
    assert min(tally.signed[kind] for kind in world.kinds) >= 5 * TIMES, tally


@pytest.mark.parametrize("seed", ["one-0"])
def test_a_game_is_the_same_whenever_it_is_played(world: World, seed: str) -> None:
    stories = []
    for _ in range(2):
        game = Game(world, Tally(), seed)
        game.play()
        stories.append(game.story)
    assert stories[0] == stories[1]
