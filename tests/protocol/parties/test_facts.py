"""The page on which parties sign tells in words what was received."""

from pathlib import Path

from ledger.coins import LinkChain
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter.values import Caption, CorpusCommitment, Opened
from protocol.parties import facts
from tests.support import small_corpus
from tests.support.builders import KEYS, MATTER
from tests.support.matters import small_terms


def test_the_terms_tell_what_was_received(tmp_path: Path) -> None:
    corpus = small_corpus.make(tmp_path / "corpus")
    chain = LinkChain(matter=MATTER, role=Role.TRENT, length=4, root=Digest(bytes(32)))
    opening = Opened(
        anchor=chain.anchor,
        caption=Caption(case="A v. B", court="C", names=dict.fromkeys(Role, "x"), request="all"),
        corpus=CorpusCommitment(account=corpus.account, documents=corpus.size, root=corpus.root, unit=corpus.unit),
        format=1,
        keys={role: key.public for role, key in KEYS.items()},
        method=5,
        simulation=None,
        terms=small_terms(),
    )
    told = {each.name: each for each in facts.of_terms(opening, MATTER)}
    assert told["Received"].words == (
        "10 items were received: 0 containers, 0 exceptions, 10 families; 10 documents entered"
    )
    assert told["Received"].more == (
        "they have 13 parts, 3 of which have no text",
        "a family is reviewed as one document",
        "2 custodians are named",
        "dates run from 2001-05-03 to 2001-05-04",
        f"the list of all items has the SHA-256 {corpus.account.list.hex()}",
    )
