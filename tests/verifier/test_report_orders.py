"""What the page says of a real matter: caption, privilege, silence, new keys, changes; and of broken assumptions."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.simulation.identity import Simulated
from tests.support.busy_verdict import CAPTION, KEYS, OLD_KEY, ORDERS, SIMULATION, busy, page_in_roles, round_of
from tests.support.matters import eventful, start_eventful
from tests.verifier.test_report import check_outline, words
from verifier import checks
from verifier.checks import Check
from verifier.findings import Finding
from verifier.plural import count
from verifier.record.hashing import fingerprint
from verifier.replay.reason import because
from verifier.report import About, page
from verifier.report import checks as report_checks
from verifier.report.orders import possibly_hidden
from verifier.report.strips import Mark, drawing, marks
from verifier.rules.base import Examined
from verifier.summary import summary as as_text
from verifier.trust import Identity
from verifier.verdict import Answer, CheckResult, Outcome, Verdict
from verifier.verification import verify


def html_of(verdict: Verdict) -> str:
    return page(verdict, About(file="bob.jsonl"))


def told(verdict: Verdict) -> str:
    return words(page_in_roles(html_of(verdict))).replace("&#x27;", "'").replace("&amp;", "&")


def section(verdict: Verdict, name: str) -> str:
    found = re.search(rf'<section[^>]*id="{name}".*?</section>', page_in_roles(html_of(verdict)))
    assert found is not None
    return words(found[0]).replace("&#x27;", "'")


def with_caption(**changed: Any) -> Verdict:
    verdict = busy()
    assert verdict.opened is not None
    return replace(verdict, opened=replace(verdict.opened, caption=replace(CAPTION, **changed)))


def simulated(**players: Any) -> Verdict:
    verdict = busy()
    assert verdict.opened is not None
    opened = replace(verdict.opened, caption=None, simulation=replace(SIMULATION, **players))
    return replace(verdict, opened=opened)


def test_the_page_calls_people_by_their_names_and_introduces_each() -> None:
    html = page(busy(), About(file="bob.jsonl"))
    shown = words(html[: html.index("<nav")])
    assert "J. Doe (Bob) has at least" in shown
    assert "Alice, who produces the documents" in shown, "where the names are stated, the roles stay"
    told = words(html)
    assert told.count("J. Doe (Bob)") == 1
    assert len(re.findall(r"\bBob\b", told)) < 10


def test_the_page_of_a_busy_matter_is_sound() -> None:
    check_outline(html_of(busy()))


def test_the_case_and_the_court_stand_at_the_head() -> None:
    head = words(html_of(busy()).partition("<main>")[0])
    assert CAPTION.case in head
    assert CAPTION.court in head


def test_the_parties_and_the_request_for_production_are_on_the_first_screen() -> None:
    html = html_of(busy())
    first = words(html[: html.index("<nav")]).replace("&amp;", "&")
    for name in CAPTION.names.values():
        assert name in first
    assert "All mail about the prepay swap, and all drafts of the collateral agreement." in first


def test_a_long_request_is_cut_at_first_and_stands_in_full_below() -> None:
    request = "All mail about the swap. " * 200 + "And nothing else."
    html = html_of(with_caption(request=request))
    first, _, rest = html.partition("<nav")
    assert "And nothing else." not in first
    assert "the whole of it is below" in first
    assert "And nothing else." in rest


def test_a_long_caption_is_cut_at_the_head_and_stands_in_full_with_the_parties() -> None:
    case = "In re " + "Example Industries and others, " * 10 + "No. 7"
    head, _, rest = html_of(with_caption(case=case)).partition("<main>")
    assert "No. 7" not in head
    assert "No. 7" in words(rest)


def test_a_simulation_has_no_caption_on_the_page() -> None:
    shown = told(simulated())
    assert CAPTION.case not in shown
    assert "Request for production" not in shown


def test_a_rejected_matter_says_what_is_wrong_before_who_the_parties_are() -> None:
    finding = Finding(
        check=Check.ORDERS, rule="It is so", expected="this", found="that", entry=20, party=checks.Role.TRENT
    )
    html = html_of(busy(answer=Answer.REJECTED, findings=(finding,)))
    first = words(html[: html.index("<nav")])
    assert first.index("REJECTED") < first.index("What is wrong: V26") < first.index("The matter, as its opening")
    assert "(named in the record: Fox Neutrals )" in first


def test_privilege_is_counted_and_listed_with_basis_ruling_and_entry() -> None:
    shown = section(busy(), "privilege")
    assert "3 claims: 1 upheld, 1 overruled, 1 not ruled on" in shown
    assert "1 / 5 not named here advice of counsel with the report upheld: withheld as privileged 6" in shown
    assert "1 / 3 not named here work product later overruled: goes to Bob 6" in shown
    assert "1 / 10 not named here joint defence with the report not asked: it was not due none" in shown
    assert "Privilege 1 document withheld as privileged" in told(busy())
    assert "Alice claimed privilege and the court ruled: 1 withheld as privileged, 1 overruled" in told(busy())


def test_a_basis_that_the_copy_seals_is_said_to_be_sealed() -> None:
    first, *rest = busy().details
    shown = section(busy(details=(replace(first, claims={}), *rest)), "privilege")
    assert "advice of counsel" not in shown
    assert shown.count("sealed in this copy") == 2


def test_a_claim_in_an_open_round_is_not_ruled_on_so_far() -> None:
    open_round = round_of(1, claims={10: "advice"}, closed_entry=None)
    assert "not ruled on so far" in section(busy(details=(open_round,)), "privilege")


def test_orders_and_changes_are_listed_with_their_entries() -> None:
    shown = section(busy(), "orders")
    for each in ORDERS:
        assert f"{each.entry} " in shown
        assert each.words in shown
    assert shown.count("not granted") == 1
    assert "everyone answered" in section(busy(orders=()), "orders")


def test_an_unread_round_is_said_to_prove_nothing_by_its_coins() -> None:
    shown = told(busy())
    assert "Bob left 4 documents unread, in round 2." in shown
    assert "may be hidden: 5 in all, which the number below includes" in shown
    assert (
        "Round 2: Bob left 4 documents unread. Alice's labels stand, and the round proves nothing by its coins: 5 of"
        in (section(busy(), "orders"))
    )
    assert "4 documents, in 1 of 3 rounds; 5 documents are counted as possibly hidden there" in shown
    assert "rounds in which Bob left documents unread" in shown


def test_what_the_court_withheld_is_not_said_to_be_unproven() -> None:
    privileged = replace(busy().details[1], privileged=(10,))
    assert "coins: 4 of its 10 documents" in section(busy(details=(privileged,)), "orders")


def test_where_everyone_answered_nothing_is_said_of_silence() -> None:
    first = busy().details[0]
    shown = told(busy(details=(first,), rounds=busy().rounds[:1], orders=()))
    assert "documents unread, in" not in shown
    assert "Alice did not report" not in shown
    assert "That a party was silent" not in shown


def test_a_round_without_a_report_is_told_as_ordered() -> None:
    third = busy().details[2]
    assert set(marks(third).values()) == {Mark.ORDERED}
    assert "Alice did not report" in because(third, 1)
    assert "Alice did not report in round 3." in told(busy())
    assert "threshold" not in words(drawing([third]))
    due = Examined(threshold=0, error=0, due=frozenset(range(1, 11)), chances={}, drawn=frozenset(), compelled_at=None)
    assert "threshold" not in words(drawing([replace(third, examined=due)]))


def test_withheld_and_unread_positions_have_a_pattern_and_a_column_of_their_own() -> None:
    html = drawing(busy().details)
    for pattern in ("privileged", "unread", "ordered"):
        assert f'fill="url(#{pattern})"' in html
        assert f'<pattern id="{pattern}"' in html
    shown = words(html)
    assert "Unread Privileged Not shown" in shown
    assert "1 withheld as privileged 5" in shown
    assert "more can be hidden than the column “Not shown” has" in shown
    assert "than the column" not in words(drawing([round_of(1)]))
    assert "2 shown, unread 4, 7–9" in shown  # noqa: RUF001
    assert "Privileged" not in words(drawing([round_of(1)]))
    by_round = section(busy(), "rounds")
    assert "Against Alice Privileged Left unread 1 10 8 (8) 8 (8) 0 (0) 2 (2) 1 1 1 0 2 10 9 (17)" in by_round


def test_a_late_claim_that_no_coin_drew_is_told_as_counted() -> None:
    late = round_of(1, late=frozenset({6}), coins=(2**63,) * 10)
    assert "counts as drawn" in because(late, 6)


def test_keys_that_were_replaced_are_listed_with_the_entry() -> None:
    shown = section(busy(), "parties")
    alice = shown[shown.index("Alice ") : shown.index("Bob (")]
    assert f"{fingerprint(OLD_KEY)} , until entry 26 not checked" in alice
    assert f"{fingerprint(KEYS[checks.Role.ALICE])} , from entry 27 on not checked" in alice
    assert (shown.count("until entry"), shown.count("from entry")) == (1, 1)
    of_old = {(checks.Role.ALICE, OLD_KEY): Identity.ANOTHER}
    known = dict.fromkeys(KEYS.items(), Identity.CONFIRMED) | of_old
    whose = section(busy(identities=known), "parties")
    assert f"{fingerprint(OLD_KEY)} , until entry 26 NOT A KEY" in whose
    assert f"{fingerprint(KEYS[checks.Role.ALICE])} , from entry 27 on confirmed" in whose
    assert "A key was replaced by the court's order" in shown
    assert "That a new key is in the hands of the right party" in told(busy())
    assert "That a new key" not in told(busy(key_changes=()))


def test_a_real_matter_draws_no_recall_and_says_what_the_coins_show_of_it() -> None:
    shown = section(busy(), "rounds")
    assert "so recall is not drawn." in shown
    assert "The reviewed documents: Bob has at least 76.6 % of the responsive documents among the 30 reviewed" in shown
    for changed in ({"answer": Answer.REJECTED}, {"bound_known": False}):
        assert "Bob has at least" not in section(busy(**changed), "rounds")


def test_an_amended_number_of_rounds_is_told() -> None:
    assert "up to 5 rounds of up to 10 documents each, and later, with the signatures of all, on 3 rounds" in told(
        busy()
    )
    assert "and later" not in told(busy(rounds_agreed=5))


@pytest.mark.parametrize(
    ("players", "said"),
    [
        ({"bob": "careless:0.1"}, "Bob is played as “careless:0.1”, so he does not recognise every"),
        ({"bob": "vexatious"}, "Bob is played as “vexatious”"),
        ({"court": "wrong:0.2"}, "the court is played as “wrong:0.2”, so it does not always rule correctly"),
    ],
)
def test_players_that_break_the_assumptions_are_named_where_the_bound_is(players: dict[str, str], said: str) -> None:
    shown = told(simulated(**players))
    assert "the assumptions are broken on purpose" in shown
    assert said in shown
    assert "its assumptions are broken here" in shown


def test_players_that_keep_the_assumptions_and_real_matters_have_no_such_warning() -> None:
    for verdict in (simulated(), simulated(alice="hiding:0.5:random"), busy()):
        assert "broken" not in told(verdict)


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_the_page_of_a_played_matter_tells_what_happened_in_it(
    small_corpus: Corpus, tmp_path: Path, protocol: str
) -> None:
    path = tmp_path / "a.matter"
    eventful(small_corpus, path, protocol=protocol)
    for audience in Audience:
        verdict = verify(cut(path, audience), detailed=True)
        html = html_of(verdict)
        check_outline(html)
        shown, claims = told(verdict), verdict.claims
        assert verdict.answer is Answer.VERIFIED
        assert claims is not None
        assert claims.privileged > 0 < claims.defaults
        assert f"Privilege {count(claims.privileged, 'document')} withheld as privileged" in shown
        assert f"{claims.defaults} orders of the court to go on without an answer" in shown
        assert f"{len(verdict.orders)} in all" in shown
        for order in verdict.orders:
            assert order.words in shown
        assert ("may be hidden: " in shown) is (audience is not Audience.PUBLIC)
        assert ("sealed in this copy upheld" in shown.replace("with the report ", "")) is (audience is Audience.PUBLIC)


def test_what_the_page_counts_as_unproven_is_what_the_bound_adds(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "a.matter"
    eventful(small_corpus, path, protocol="reveal-all")  # where the bound is nothing else
    verdict = verify(cut(path, Audience.BOB), detailed=True)
    assert verdict.claims is not None
    at_most = verdict.claims.certificates.reviewed.at_most
    assert at_most > 0
    assert f"may be hidden: {at_most} in all" in told(verdict)
    assert f"It counts {count(at_most, 'document')} that only Alice has labelled" in told(verdict)


def test_a_matter_that_goes_on_says_that_its_record_is_not_at_its_end(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "a.matter"
    with start_eventful(small_corpus, path) as run:
        while Role.COURT not in run.state.awaits or run.state.awaits[Role.COURT].kind != "privilege":
            assert run.step()
    verdict = verify(cut(path, Audience.COURT), detailed=True)
    html = html_of(verdict)
    check_outline(html)
    first = words(html[: html.index("<nav")])
    assert "NOT CLOSED" in first
    assert "The matter waits for the court" in first
    assert "not ruled on so far" in section(verdict, "privilege")


def cut(path: Path, audience: Audience) -> Path:
    """A copy of a played matter."""
    played = Simulated.of(summary.read(path).opening)
    assert played is not None
    copy = path.with_suffix(f".{audience}.jsonl")
    with Store.open(path) as store:
        write_copy(store, audience, played.key(Role.TRENT), copy)
    return copy


def test_what_is_covered_is_said_by_what_it_is_about() -> None:
    left = (Check.RANKING, Check.TRUTH, Check.HANDED)
    results = tuple(
        CheckResult(check=check, outcome=Outcome.NOT_CHECKED if check in left else Outcome.PASS, items=2, reason="no")
        for check in Check
    )
    shown = told(busy(checks=results))
    assert "27 of 29 checks passed:" in shown
    assert "29 checks: 27 passed, 0 failed, 2 not checked; V24 is only asked of a simulation; V31 is only" in shown
    assert "27 of 29 checks passed, 2 could not be made" in " ".join(as_text(busy(checks=results)).split())
    assert "That the right documents were put up for review: in part: corpus (2 documents), features" in shown
    assert "what is certified: claims (2 numbers), certificates (2 rounds)" in shown
    assert "Privilege, silence, new keys and changes: privilege (2 claimed documents), orders (2 requests" in shown
    assert "The files that were handed over" not in shown
    first = shown[: shown.index("No record can show")]
    assert "V24" not in first


def test_every_check_is_about_something() -> None:
    about = [check for checks in report_checks._SUBJECTS.values() for check in checks]
    assert sorted(about) == sorted(Check)


def test_what_the_court_labelled_in_camera_is_not_called_possibly_hidden() -> None:
    left = round_of(2, unread=frozenset({4, 7, 8, 9}), labelled_in=(8,), bob=dict.fromkeys((1, 2, 3, 5, 6), True))
    told = possibly_hidden(busy(details=(left,)))
    assert told == 5  # 4 and 7 to 10: only Alice has labelled them, as not responsive
    assert possibly_hidden(busy(details=(replace(left, court={10: False}),))) == told - 1
