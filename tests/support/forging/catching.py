"""What the verdicts on a cheat must say: whoever cheats is caught where it shows, and nobody else is blamed."""

from collections.abc import Mapping

from ledger.roles import Audience
from tests.support.forging.catalogue import Cheat
from verifier.checks import Check
from verifier.values import blamed
from verifier.verdict import Answer, Outcome, Verdict


def assert_caught(cheat: Cheat, verdicts: Mapping[Audience, Verdict]) -> None:
    """The expected check fails in the copies that show the cheat, and blames the cheater alone."""
    for audience, verdict in verdicts.items():
        result = verdict.result(Check(cheat.check))
        if audience in cheat.caught_in:
            assert verdict.answer is Answer.REJECTED, (audience, verdict.trouble)
            assert result.outcome is Outcome.FAIL, (audience, verdict.findings)
            assert blamed(verdict) == [cheat.who.value], (audience, verdict.findings)
        else:
            assert result.outcome is not Outcome.FAIL, (audience, verdict.findings)
            assert set(blamed(verdict)) <= {cheat.who.value}, (audience, verdict.findings)
            assert not verdict.trouble
