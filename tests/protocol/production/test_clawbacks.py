"""What the court lets Alice claw back is in no volume that comes after, and is listed for return."""

import pytest

from ledger.roles import Audience
from protocol.matter import summary
from protocol.production import record
from tests.support import corpora
from tests.support.forging import clawedback
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.clawedback import ClawbackRun
from tests.support.forging.running import plan, play
from tests.support.productions import Office
from tests.vectors.agreed import AGREED
from verifier.production import Answer


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    folder = tmp_path_factory.mktemp("matter")
    corpus = corpora.doubled(folder / "corpus", documents=20, responsive=8)
    found = Office(folder=folder, corpus=corpus)
    play(
        corpus,
        plan(corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED)),
        found.matter,
        course=ClawbackRun,
    )
    return found


def test_what_is_clawed_back_is_listed_for_return_and_not_produced(office: Office) -> None:
    state = summary.read(office.matter)
    back = {(seat.round, seat.position) for seat in state.clawbacks.returned}
    fates = {(each.round, each.position): each.fate for each in record.read(office.matter).shown}
    assert back == {seat for seat, fate in fates.items() if fate is record.Fate.CLAWED_BACK}
    assert len(back) == 2
    done = office.produce("V1")
    rows = (office.folder / "V1/RETURN.csv").read_text("utf-8-sig").splitlines()
    assert sum('"clawed back"' in row for row in rows) == 2
    assert done.documents == sum(fate is record.Fate.PRODUCED for fate in fates.values()) > 0
    for audience in (Audience.BOB, Audience.ALICE, Audience.COURT):
        assert office.judge("V1", copy=office.copy(audience)).answer is Answer.VERIFIED
