"""An exhibit out of a matter in which somebody cheats blames the cheater, if its round shows it, and nobody else."""

from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Refused
from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.exhibits import cut
from tests.support.forging.catalogue import CHEATS
from tests.support.forging.running import plan, play
from verifier import exhibit
from verifier.checks import Role
from verifier.exhibit import Answer

AGREED: dict[str, Any] = {"rounds": 3, "batch": 20, "delta": "0.7", "k": 1, "query": corpora.QUERY}

QUICK = (
    "trent-skips-a-sampled-document",
    "trent-gives-a-false-link",
    "alice-gives-a-false-link-with-her-report",
    "bob-leaves-some-out",
    "court-leaves-a-dispute-open",
)
IN_EVERY_EXHIBIT_OF_ITS_ROUND = {"V13", "V15", "V16"}
"""Checks that rest on the round alone, so that exhibits find what they find."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.doubled(tmp_path_factory.mktemp("corpus") / "doubled")


def answers(name: str, corpus: Corpus, folder: Path, step: int, until: Answer | None = None) -> set[Answer]:
    """How exhibits of every so many documents end, up to one that ends so; whoever they blame has cheated."""
    cheat = CHEATS[name]
    played = plan(corpus, players=dict(cheat.players), protocol=cheat.protocol, **AGREED)
    play(corpus, played, folder / "matter", **cheat.bends)
    found = set()
    for document in range(0, corpus.size, step):
        judgement = exhibit.judge(cut(folder / "matter", corpus, document, folder / str(document)))
        blamed = {each.party for each in judgement.findings}
        assert blamed <= {Role(cheat.who)}, judgement.findings
        found.add(judgement.answer)
        if judgement.answer is until:
            break
    return found


@pytest.mark.parametrize("name", QUICK)
def test_a_cheat_in_the_documents_round_is_found_and_its_author_named(
    name: str, corpus: Corpus, tmp_path: Path
) -> None:
    assert Answer.REJECTED in answers(name, corpus, tmp_path, 7, until=Answer.REJECTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in CHEATS if each not in QUICK])
def test_no_cheat_makes_an_exhibit_blame_anybody_else(name: str, corpus: Corpus, tmp_path: Path) -> None:
    try:
        found = answers(name, corpus, tmp_path, 19)
    except Refused as error:
        assert "not everybody has signed" in str(error)
        return
    assert found
    if CHEATS[name].check in IN_EVERY_EXHIBIT_OF_ITS_ROUND:
        assert Answer.REJECTED in found
