"""What a forecast assumes: the curve of CAL, ranges, what Alice does, and the refusal of what makes no sense."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import RandomState

from protocol.errors import BadTerms
from protocol.forecast.assumed import assumed, parse_alice
from protocol.forecast.gain import GAIN_AT, Curve
from protocol.forecast.pool import FoundBy, Pool


@given(st.floats(0.01, 0.99))
def test_the_gain_of_a_curve_is_its_recall_after_four_documents_for_each_responsive_one(gain: float) -> None:
    assert float(Curve.of(gain).recall(GAIN_AT)) == pytest.approx(gain, abs=2e-3)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_effort_and_recall_are_the_same_curve(gain: float, recall: float) -> None:
    curve = Curve.of(gain)
    assert float(curve.recall(curve.effort(recall))) == pytest.approx(recall, abs=2e-3)


@given(st.floats(0.01, 0.99))
def test_a_curve_never_finds_more_than_was_reviewed_and_its_density_falls(gain: float) -> None:
    efforts = [step / 10 for step in range(1, 100)]
    recalls, densities = Curve.of(gain).recall(efforts), Curve.of(gain).density(efforts)
    assert all(recall <= effort for recall, effort in zip(recalls, efforts, strict=True))
    assert list(recalls) == sorted(recalls)
    assert list(densities) == sorted(densities, reverse=True)
    assert 0 < min(densities) <= max(densities) <= 1


@given(st.integers(2, 5000), st.data())
def test_batches_take_every_document_once(documents: int, data: st.DataObject) -> None:
    responsive = data.draw(st.integers(1, documents))
    pool = Pool(documents=documents, responsive=responsive, curve=Curve.of(0.8), random=RandomState(1))
    taken = [0, 0]
    for found_by in (FoundBy.COINS, FoundBy.QUERY, *[FoundBy.MODEL] * 40):
        batch = pool.batch(documents // 20 + 1, found_by)
        assert min(batch) >= 0
        taken = [sum(both) for both in zip(taken, batch, strict=True)]
    assert taken == [responsive, documents - responsive]
    assert pool.left == 0


def test_every_assumption_is_stated_with_its_option() -> None:
    said = " ".join(assumed(alice="careless:0.05:0.9").words())
    for part in ("100,000", "0.005 to 0.02", "0.7 to 0.95", "5 %", "90 %", "--collection", "--gain", "--alice"):
        assert part in said
    assert "hides 20 %" in parse_alice("hides:0.2").words
    assert "truthfully" in parse_alice("truthful").words


@pytest.mark.parametrize("alice", ["truthful", "careless:0", "careless:0.05", "careless:0.05:1", "hides:1"])
def test_these_alices_are_known(alice: str) -> None:
    assert parse_alice(alice).words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alice": "lies"}, "--alice 'lies' is not known; write one of truthful"),
        ({"alice": "careless"}, "is not known"),
        ({"alice": "careless:often"}, "--alice careless:often: .*decimal"),
        ({"alice": "hides:2"}, "2 is not a share from 0 to 1"),
        ({"alice": "hides:-0.1"}, "--alice hides:-0.1"),
        ({"richness": "much"}, "--richness much: "),
        ({"richness": "0"}, "between 0 and 1"),
        ({"richness": "1"}, "between 0 and 1"),
        ({"richness": "0.02-0.01"}, "the smaller first"),
        ({"richness": "0.02-"}, "--richness 0.02-: "),
        ({"richness": "0.000001"}, "fewer than one would be responsive. Write at least 1e-05"),
        ({"gain": "0.999"}, "write a recall from 0.01 to 0.99"),
        ({"gain": "1.5"}, "1.5 is not a share"),
        ({"gain": ""}, "--gain : "),
        ({"documents": 1}, "write a number from 2"),
        ({"documents": 10**10}, "write a number from 2"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadTerms, match=message):
        assumed(**given)
