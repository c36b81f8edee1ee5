"""No answer that an honest party gives to any question, however hostile, is ever blamed; nor does it give a choice of
coins. Trent, the court and the other party are in league, and sign whatever they like.

`TALLYSTICK_FUZZ` multiplies the number of cases (`make fuzz`).
"""

import os
from dataclasses import replace
from itertools import count

import msgspec
import pytest

from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from tests.support.builders import KEYS
from tests.support.forging import mischief
from tests.support.forging.colluders import Table
from tests.support.forging.courses import World
from tests.support.forging.histories import Node
from tests.support.forging.honest import Signed, Tally
from tests.support.forging.hostile import Game
from tests.vectors import FOLDER

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
QUESTIONS = 400 * TIMES
"""Hostile ones."""
HALVES = ("one", "other") if TIMES > 1 else ("one",)
"""Where there are many questions, two processes put them."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.made(Corpus.open(FOLDER / "corpora" / "plain"), tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("half", HALVES)
def test_no_answer_of_an_honest_party_to_a_hostile_question_is_ever_blamed(world: World, half: str) -> None:
    tally, number, questions = Tally(), 0, QUESTIONS // len(HALVES)
    while tally.put.total() < questions:
        Game(world, tally, f"{half}-{number}").play()
        number += 1
    assert min(tally.put[kind] for kind in world.kinds) >= questions * 3 // 100, tally
    assert min(tally.signed[kind] for kind in world.kinds) >= max(1, questions // 400), tally


def test_a_new_key_that_is_dated_back_is_noticed_by_whoever_kept_the_former_keys_memory(world: World) -> None:
    """Trent holds a report, and shows Alice's new key a history in which the change came before the batch. No draw is
    skipped there, so a second report would use the same links.
    """
    game = next(filter(_is_about_a_first_report, (Game(world, Tally(), f"back-{number}") for number in count())))
    batch = game.party.course.nodes[game.party.start]
    first = game.party.put(Table.at(game.pen, batch), wrong=True)
    assert batch.before is not None
    back = _with_new_key(game, batch.before)
    back.add(mischief.added(batch))
    assert _draw(game.party.put(back, wrong=True)) == _draw(first)  # if nothing was kept: see the threat model
    game.party.inherit(back)
    assert game.party.put(back, wrong=True) is None
    assert "he shows different histories of one matter" in game.party.refusal
    fair = _with_new_key(game, batch)
    fair.add(game.us.next(fair))  # which asks again
    game.party.inherit(fair)
    assert _draw(game.party.put(fair, wrong=False)) == _draw(first) + 1


def _is_about_a_first_report(game: Game) -> bool:
    node = game.party.course.nodes[game.party.start]
    first = node.keys[Role.ALICE] == KEYS[Role.ALICE].public
    return game.role is Role.ALICE and node.body.statement.kind == "batch" and first


def _with_new_key(game: Game, node: Node) -> Table:
    """After this entry, the court grants Alice a new key."""
    table = Table.at(game.pen, node)
    table.add(mischief.rekey(game.us, table, Role.ALICE))
    ordered = game.us.answer(table, Role.COURT)
    content = ordered.statement.content | {"granted": True}
    table.add(replace(ordered, statement=msgspec.structs.replace(ordered.statement, content=content)))
    return table


def _draw(signed: Signed | None) -> int:
    assert signed is not None
    assert signed.answer is not None
    found: int = signed.answer.signed.statement.content["draw"]
    return found


@pytest.mark.parametrize("seed", ["one-0"])
def test_a_game_is_the_same_whenever_it_is_played(world: World, seed: str) -> None:
    stories = []
    for _ in range(2):
        game = Game(world, Tally(), seed)
        game.play()
        stories.append(game.story)
    assert stories[0] == stories[1]
