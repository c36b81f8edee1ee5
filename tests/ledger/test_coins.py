"""Coins: chains that cannot be bent, seeds that hang on every input, draws that anyone can repeat."""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import coins
from ledger.coins import ChainSpent, LinkChain
from ledger.hashing import Digest
from ledger.roles import Role
from tests.support.builders import MATTER, OTHER_MATTER

ROOT = Digest(sha256(b"test root").digest())
CHAIN = LinkChain(matter=MATTER, role=Role.ALICE, length=12, root=ROOT)
SEED = Digest(sha256(b"test seed").digest())
ANSWERED = Digest(sha256(b"what the draw answers").digest())
LINKS = {role: Digest(sha256(f"link of {role}".encode()).digest()) for role in coins.DRAWERS}

digests = st.binary(min_size=32, max_size=32).map(Digest)
items = st.integers(0, 2**64 - 1)


# The formulas of the docstrings, written out with nothing but hashlib.


def spelled_hash(tag: bytes, *parts: bytes) -> bytes:
    prefixed = [len(part).to_bytes(8, "big") + part for part in parts]
    return sha256(b"tallystick/v1/" + tag + b"\x00" + b"".join(prefixed)).digest()


def spelled_coin(seed: bytes, item: int) -> int:
    return int.from_bytes(spelled_hash(b"coin", seed, item.to_bytes(8, "big"))[:8], "big")


def spelled_links(chain: LinkChain) -> list[bytes]:
    """Links 0 to `length`."""
    links = [bytes(chain.root)]
    for index in range(chain.length, 0, -1):
        step = spelled_hash(b"link", chain.matter, chain.role.value.encode(), index.to_bytes(8, "big"), links[0])
        links.insert(0, step)
    return links


# Chains


@settings(deadline=None)
@given(digests, st.sampled_from(coins.DRAWERS), st.integers(0, 20), digests)
def test_links_are_those_of_the_docstring(matter: Digest, role: Role, length: int, root: Digest) -> None:
    chain = LinkChain(matter=matter, role=role, length=length, root=root)
    spelled = spelled_links(chain)
    assert chain.anchor == spelled[0]
    assert [chain.link(draw) for draw in range(1, length + 1)] == spelled[1:]
    assert chain.links() == spelled


def test_the_last_draw_spends_the_root_itself() -> None:
    assert CHAIN.link(CHAIN.length) == ROOT


def test_each_link_follows_the_one_before_it_and_the_first_the_anchor() -> None:
    before = CHAIN.anchor
    for draw in range(1, CHAIN.length + 1):
        assert coins.follows(
            matter=MATTER, role=Role.ALICE, draw=draw, link=CHAIN.link(draw), last=draw - 1, before=before
        )
        before = CHAIN.link(draw)


@pytest.mark.parametrize("draw", range(1, CHAIN.length + 1))
def test_a_link_follows_in_its_own_matter_role_and_draw_only(draw: int) -> None:
    before, link = CHAIN.links()[draw - 1 : draw + 1]

    last = draw - 1

    def follows(
        matter: Digest = MATTER, role: Role = Role.ALICE, draw: int = draw, link: Digest = link, before: Digest = before
    ) -> bool:
        return coins.follows(matter=matter, role=role, draw=draw, link=link, last=last, before=before)

    assert follows()
    assert not follows(matter=OTHER_MATTER)
    assert not any(follows(role=role) for role in Role if role is not Role.ALICE)
    assert not any(follows(draw=other) for other in range(20) if other != draw)
    assert not follows(link=before)
    assert not follows(before=link)
    assert not follows(link=before, before=link)
    for byte in range(32):
        assert not follows(link=Digest(link[:byte] + bytes([link[byte] ^ 1]) + link[byte + 1 :]))
        assert not follows(before=Digest(before[:byte] + bytes([before[byte] ^ 1]) + before[byte + 1 :]))


def test_a_link_follows_an_earlier_one_over_skipped_draws_and_never_a_later_one() -> None:
    for last in range(CHAIN.length + 1):
        for draw in range(1, CHAIN.length + 1):
            link, before = CHAIN.link(draw), CHAIN.links()[last]
            found = coins.follows(matter=MATTER, role=Role.ALICE, draw=draw, link=link, last=last, before=before)
            assert found == (last < draw)


def test_no_link_follows_in_place_of_another() -> None:
    links = CHAIN.links()
    for draw in range(1, CHAIN.length + 1):
        follow = [
            place
            for place, link in enumerate(links)
            if coins.follows(
                matter=MATTER, role=Role.ALICE, draw=draw, link=link, last=draw - 1, before=links[draw - 1]
            )
        ]
        assert follow == [draw]


@pytest.mark.parametrize(
    "other",
    [
        replace(CHAIN, matter=OTHER_MATTER),
        replace(CHAIN, role=Role.BOB),
        replace(CHAIN, root=Digest(bytes(32))),
        replace(CHAIN, length=13),
        replace(CHAIN, length=11),
    ],
    ids=["matter", "role", "root", "longer", "shorter"],
)
def test_chains_that_differ_in_anything_share_no_link_that_a_root_does_not_give(other: LinkChain) -> None:
    ours, theirs = CHAIN.links(), other.links()
    assert set(ours) & set(theirs) <= {ROOT}
    assert CHAIN.anchor != other.anchor


@settings(deadline=None)
@given(digests, st.sampled_from(coins.DRAWERS), st.integers(1, 30), digests)
def test_the_court_derives_every_link_from_the_deposit(matter: Digest, role: Role, length: int, root: Digest) -> None:
    partys = LinkChain(matter=matter, role=role, length=length, root=root)
    deposit = bytes(partys.root)
    courts = LinkChain(matter=matter, role=role, length=length, root=Digest(deposit))
    known = partys.anchor
    for draw in range(1, length + 1):
        assert courts.link(draw) == partys.link(draw)
        assert coins.follows(matter=matter, role=role, draw=draw, link=courts.link(draw), last=draw - 1, before=known)
        known = courts.link(draw)


@pytest.mark.parametrize("draw", [-1, 0, 13, 14, 2**64])
def test_a_draw_outside_the_chain_is_refused(draw: int) -> None:
    with pytest.raises(ChainSpent, match=f"draw {draw} is not among the 12 that Alice's chain was made for"):
        CHAIN.link(draw)


def test_a_chain_of_no_links_has_an_anchor_and_no_draw() -> None:
    empty = replace(CHAIN, length=0)
    assert empty.anchor == ROOT
    with pytest.raises(ChainSpent):
        empty.link(1)


def test_fresh_chains_have_roots_of_their_own() -> None:
    chains = [LinkChain.fresh(MATTER, Role.BOB, 5) for _ in range(20)]
    assert len({chain.root for chain in chains}) == 20
    assert {(chain.matter, chain.role, chain.length) for chain in chains} == {(MATTER, Role.BOB, 5)}


# Seeds


def seed(
    matter: Digest = MATTER, draw: int = 1, links: dict[Role, Digest] = LINKS, answered: Digest = ANSWERED
) -> Digest:
    return coins.seed(matter=matter, draw=draw, links=links, answered=answered)


def test_the_seed_is_the_hash_of_matter_draw_links_in_order_and_answer() -> None:
    links = [LINKS[role] for role in (Role.ALICE, Role.BOB, Role.TRENT)]
    assert seed(draw=7) == spelled_hash(b"draw", MATTER, (7).to_bytes(8, "big"), *links, ANSWERED)


def test_the_seed_changes_with_every_input() -> None:
    other = Digest(bytes(32))
    exchanged = [LINKS | {one: LINKS[two], two: LINKS[one]} for one, two in combinations(coins.DRAWERS, 2)]
    seeds = [
        seed(),
        seed(matter=OTHER_MATTER),
        seed(draw=2),
        seed(answered=other),
        *(seed(links=LINKS | {role: other}) for role in coins.DRAWERS),
        *(seed(links=links) for links in exchanged),
        seed(links=LINKS | {Role.ALICE: ANSWERED}, answered=LINKS[Role.ALICE]),
    ]
    assert len(set(seeds)) == len(seeds)


@settings(deadline=None)
@given(st.sampled_from(coins.DRAWERS), st.integers(0, 255))
def test_one_bit_of_one_link_gives_another_seed(role: Role, bit: int) -> None:
    flipped = int.from_bytes(LINKS[role], "big") ^ 1 << bit
    assert seed(links=LINKS | {role: Digest(flipped.to_bytes(32, "big"))}) != seed()


def test_the_order_in_which_links_arrive_does_not_matter() -> None:
    assert seed(links=dict(reversed(LINKS.items()))) == seed()


@pytest.mark.parametrize("role", coins.DRAWERS)
def test_no_seed_is_made_while_a_link_is_missing(role: Role) -> None:
    with pytest.raises(KeyError):
        seed(links={other: link for other, link in LINKS.items() if other is not role})


def test_the_court_has_no_part_in_a_seed() -> None:
    assert seed(links=LINKS | {Role.COURT: Digest(bytes(32))}) == seed()


# Coins


@settings(deadline=None)
@given(digests, st.lists(items, max_size=30))
def test_each_coin_is_the_docstrings_formula_computed_alone(seed: Digest, chosen: list[int]) -> None:
    found = coins.coins(seed, chosen)
    assert found == [spelled_coin(seed, item) for item in chosen]
    assert all(type(coin) is int and 0 <= coin < 2**64 for coin in found)


def test_known_coins_keep_their_values() -> None:
    assert coins.coins(SEED, [0, 1, 2**64 - 1]) == [17625286158322826431, 11962109524887107756, 4097457089956522249]


def test_coins_reach_into_both_ends_of_their_range() -> None:
    found = coins.coins(SEED, range(4096))
    assert min(found) < 2**64 // 256
    assert max(found) > 2**64 - 2**64 // 256


@settings(deadline=None)
@given(st.lists(items, min_size=1, max_size=30), st.data())
def test_an_items_coin_does_not_depend_on_its_company(chosen: list[int], data: st.DataObject) -> None:
    together = coins.coins(SEED, chosen)
    cut = data.draw(st.integers(0, len(chosen)), label="cut")
    assert coins.coins(SEED, chosen[:cut]) + coins.coins(SEED, chosen[cut:]) == together
    assert coins.coins(SEED, iter(chosen)) == together
    shuffled = data.draw(st.permutations(range(len(chosen))), label="order")
    assert coins.coins(SEED, [chosen[place] for place in shuffled]) == [together[place] for place in shuffled]


def test_another_seed_gives_other_coins() -> None:
    others = coins.coins(Digest(bytes(32)), range(100))
    assert not set(coins.coins(SEED, range(100))) & set(others)


@pytest.mark.parametrize("item", [-1, 2**64])
def test_an_item_outside_64_bits_has_no_coin(item: int) -> None:
    with pytest.raises(OverflowError):
        coins.coins(SEED, [item])


# Draws

populations = st.lists(items, max_size=40, unique=True)


@settings(deadline=None)
@given(digests, populations, st.data())
def test_a_draw_is_the_first_of_all_tickets_in_order(seed: Digest, population: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(population)), label="count")
    tickets = sorted((spelled_coin(seed, item), item) for item in population)
    assert coins.draw(seed, count, population) == [item for _, item in tickets[:count]]


@settings(deadline=None)
@given(populations, st.data())
def test_a_draw_is_without_replacement_and_from_the_items_alone(population: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(population)), label="count")
    drawn = coins.draw(SEED, count, population)
    assert len(drawn) == len(set(drawn)) == count
    assert set(drawn) <= set(population)


@settings(deadline=None)
@given(populations)
def test_a_larger_draw_begins_with_the_smaller_one(population: list[int]) -> None:
    whole = coins.draw(SEED, len(population), population)
    assert sorted(whole) == sorted(population)
    for count in range(len(population)):
        assert coins.draw(SEED, count, population) == whole[:count]


@settings(deadline=None)
@given(populations, st.data())
def test_a_draw_does_not_depend_on_the_order_of_the_items(population: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(population)), label="count")
    shuffled = data.draw(st.permutations(population), label="order")
    assert coins.draw(SEED, count, shuffled) == coins.draw(SEED, count, population)


@settings(deadline=None)
@given(populations, items)
def test_an_item_that_is_not_drawn_leaves_the_draw_as_it_was(population: list[int], other: int) -> None:
    drawn = coins.draw(SEED, len(population) // 2, population)
    with_other = coins.draw(SEED, len(population) // 2, [*(item for item in population if item != other), other])
    if other not in population and other not in with_other:
        assert with_other == drawn


@settings(deadline=None)
@given(st.lists(items, min_size=1, max_size=12, unique=True), st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_equal_coins_go_by_the_smaller_item(population: list[int], faces: list[int]) -> None:
    coin = dict(zip(population, faces, strict=False))

    def rigged(seed: Digest, items: Iterable[int]) -> list[int]:
        return [coin[item] for item in items]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "coins", rigged)
        by_coin_then_item = sorted(population, key=lambda item: (coin[item], item))
        for count in range(len(population) + 1):
            assert coins.draw(SEED, count, population) == by_coin_then_item[:count]
            assert coins.draw(SEED, count, population[::-1]) == by_coin_then_item[:count]


def test_all_coins_equal_gives_the_smallest_items_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins, "coins", lambda seed, items: [5 for _ in items])
    assert coins.draw(SEED, 3, [40, 7, 2**63, 0, 9]) == [0, 7, 9]


def test_drawing_nothing_gives_nothing() -> None:
    assert coins.draw(SEED, 0, [1, 2, 3]) == []
    assert coins.draw(SEED, 0, []) == []


@pytest.mark.parametrize(("count", "population"), [(1, []), (4, [1, 2, 3]), (2**40, [1])])
def test_more_than_there_are_cannot_be_drawn(count: int, population: list[int]) -> None:
    with pytest.raises(ValueError, match=f"{count} of {len(population)} items cannot be drawn without replacement"):
        coins.draw(SEED, count, population)


def test_a_draw_needs_different_items_and_a_possible_count() -> None:
    for count, items in ((-1, [1, 2]), (3, [1, 2]), (2, [1, 1])):
        with pytest.raises(ValueError, match="cannot be drawn"):
            coins.draw(ANSWERED, count, items)


@given(st.lists(st.integers(0, 2**40), unique=True, max_size=60), st.integers(0, 70), st.integers(1, 20))
def test_a_draw_from_items_that_come_one_by_one_is_the_same(items: list[int], count: int, piece: int) -> None:
    seed = Digest(bytes(32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "_PIECE", piece)
        assert coins.smallest(seed, count, iter(items)) == coins.draw(seed, min(count, len(items)), items)
        flips = coins.coins(seed, items)
        bound = flips[0] if flips else 0
        below = [item for item, coin in zip(items, flips, strict=True) if coin < bound]
        assert coins.below(seed, bound, iter(items)) == below
        assert coins.below(seed, 2**64, iter(items)) == items
