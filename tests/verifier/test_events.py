"""Privilege, silence, new keys and amendments as the verifier sees them: blame, words, and what stays open."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from ledger import keys
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter.kinds import claims
from protocol.rules import base
from tests.support import answers, corpora, genuine, matters
from tests.support.builders import KEYS
from tests.support.forging.eventforged import CAPTION, EVENTFUL, SECOND_ANSWER
from tests.support.forging.eventful import NEW_KEY, EventfulRun
from tests.support.forging.forged import Forgery, Spoil, both, content, forge, said_in, until
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.support.forging.running import cut
from tests.support.genuine import Genuine
from tests.vectors import FOLDER
from verifier import checks, trust
from verifier.checks import Check
from verifier.explain import explain
from verifier.record.hashing import fingerprint
from verifier.summary import summary
from verifier.trust import Identity
from verifier.values import blamed, verdict_value
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

pytestmark = pytest.mark.slow

AUDIENCES = (Audience.ALICE, Audience.BOB, Audience.COURT, Audience.PUBLIC)
OLD = {role: keys.fingerprint(key.public) for role, key in KEYS.items()}
NEW = keys.fingerprint(NEW_KEY.public)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Genuine]:
    folder = tmp_path_factory.mktemp("eventful")
    corpus = Corpus.open(FOLDER / "corpora" / "plain")
    return {name: genuine.make(corpus, folder, name, EventfulRun) for name in ("label", "classifier")}


def spoiled(lines: Lines, spoil: Spoil) -> Lines:
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=spoil))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("protocol", ["label", "classifier"])
def test_the_eventful_copies_are_verified_for_everybody(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], protocol: str
) -> None:
    for audience in AUDIENCES:
        verdict = judge(copies[protocol].lines[audience])
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        assert judge(copies[protocol].earlier[audience]).answer is Answer.NOT_CLOSED


def test_a_forger_who_changes_nothing_gets_a_verified_copy(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    """Else the forgeries below would fail for other reasons than their own."""
    for audience in AUDIENCES:
        lines = spoiled(copies["label"].lines[audience], lambda _: None)
        assert judge(lines).answer is Answer.VERIFIED, audience


@pytest.mark.parametrize("name", EVENTFUL)
def test_a_forgery_is_found_by_its_check_and_blames_who_signed_it(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], name: str
) -> None:
    forgery = EVENTFUL[name]
    for audience in (Audience.BOB, Audience.COURT, Audience.PUBLIC):
        verdict = judge(forge(copies["label"].lines[audience], dict(KEYS), forgery))
        assert verdict.answer is Answer.REJECTED, verdict.trouble
        assert [(each.check, each.party) for each in verdict.findings] == [(forgery.check, forgery.who)]


def test_an_old_key_need_not_be_named_where_it_signed_nothing_wrong(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    """A finding names the key in force at its entry."""
    lines = copies["label"].lines[Audience.COURT]
    early = judge(spoiled(lines, content("report", draw=9)))
    late = judge(spoiled(lines, content("report", 1, draw=9)))
    assert [each["key"] for each in verdict_value(early)["blamed"]] == [OLD[Role.ALICE]]
    assert [each["key"] for each in verdict_value(late)["blamed"]] == [NEW]
    assert OLD[Role.ALICE] in summary(early).partition("Matter")[0]
    assert NEW in summary(late).partition("Matter")[0]


def test_every_key_that_a_role_has_had_must_be_trusted(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    lines = copies["label"].lines[Audience.BOB]
    known = {checks.Role(role): (digits,) for role, digits in OLD.items()}
    whole = known | {checks.Role.ALICE: (NEW, OLD[Role.ALICE])}
    verdict = judge(lines, trusted=whole)
    assert (verdict.answer, verdict.result(Check.IDENTITIES).outcome) == (Answer.VERIFIED, Outcome.PASS)
    for alice in ((NEW,), (OLD[Role.ALICE],)):
        verdict = judge(lines, trusted=known | {checks.Role.ALICE: alice})
        (finding,) = verdict.findings
        assert (finding.check, finding.party) == (Check.IDENTITIES, None)
        assert finding.found in {NEW, OLD[Role.ALICE]} - set(alice)
        assert finding.entry == (0 if alice == (NEW,) else verdict.key_changes[0].entry)
        confirmed = {
            digits
            for (_, key), each in verdict.identities.items()
            if each is Identity.CONFIRMED
            for digits in [fingerprint(key)]
        }
        assert confirmed == {*alice, *(OLD[role] for role in Role if role is not Role.ALICE)}


def test_a_finding_under_a_key_that_the_court_put_in_alices_place_blames_nobody_who_knows_hers(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    """The court and Trent can give Alice a key of their own; with it they sign what she never said."""
    lines = spoiled(copies["label"].lines[Audience.BOB], content("report", 1, draw=9))
    assert blamed(judge(lines)) == ["alice"]
    known = {checks.Role(role): (digits,) for role, digits in OLD.items()}
    verdict = judge(lines, trusted=known)
    assert verdict.answer is Answer.REJECTED
    assert blamed(verdict) == []
    assert f"{NEW}, which is NOT that of Alice as you know it: Alice is not blamed" in words(summary(verdict))


@pytest.mark.parametrize(("report", "trusted"), [(0, (OLD[Role.ALICE],)), (1, (NEW,))], ids=["old key", "new key"])
def test_a_finding_under_a_trusted_key_blames_its_party_whatever_other_keys_it_has_had(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], report: int, trusted: tuple[str, ...]
) -> None:
    lines = spoiled(copies["label"].lines[Audience.COURT], content("report", report, draw=9))
    known = {checks.Role(role): (digits,) for role, digits in OLD.items()} | {checks.Role.ALICE: trusted}
    verdict = judge(lines, trusted=known)
    value = verdict_value(verdict)
    assert value["blamed"] == [{"role": "alice", "key": trusted[0], "identity": "confirmed"}]
    for shown in (words(summary(verdict)), words(explain(verdict))):
        assert f"by Alice, with the key that you trust, {trusted[0]}" in shown
        assert "as you know it" not in shown
    if report:  # the key of the opening is not trusted, and V04 says so as well
        assert [each.check for each in verdict.findings] == [Check.IDENTITIES, Check.COINS]
        (before,) = value["keys"]["alice"]["before"]
        assert before == {"fingerprint": OLD[Role.ALICE], "identity": "another key"}
        assert value["keys"]["alice"]["identity"] == "confirmed"


@pytest.mark.parametrize("trusted", [(OLD[Role.ALICE],), (NEW,), (OLD[Role.ALICE], NEW)], ids=["old", "new", "both"])
def test_two_answers_under_one_key_blame_only_whom_that_key_is_trusted_for(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], trusted: tuple[str, ...]
) -> None:
    """The key may be of somebody who was given it in that name."""
    lines = forge(copies["label"].lines[Audience.BOB], dict(KEYS), SECOND_ANSWER)
    known = {checks.Role(role): (digits,) for role, digits in OLD.items()} | {checks.Role.ALICE: trusted}
    verdict = judge(lines, trusted=known)
    assert blamed(verdict) == (["alice"] if NEW in trusted else [])
    assert {each.check for each in verdict.findings} == {Check.CONFLICTS} | (
        {Check.IDENTITIES} if len(trusted) < 2 else set()
    )


@pytest.mark.parametrize("trusted", [(OLD[Role.ALICE],), (NEW,), (OLD[Role.ALICE], NEW)], ids=["old", "new", "both"])
def test_evidence_across_two_keys_blames_trent_whatever_keys_are_trusted(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], trusted: tuple[str, ...]
) -> None:
    """Two answers are signed by one key. Somebody else may have been given the other one in that name."""
    lines = forge(copies["label"].lines[Audience.BOB], dict(KEYS), EVENTFUL["two-answers-under-two-keys"])
    known = {checks.Role(role): (digits,) for role, digits in OLD.items()} | {checks.Role.ALICE: trusted}
    verdict = judge(lines, trusted=known)
    assert blamed(verdict) == ["trent"]
    assert {each.check for each in verdict.findings} == {Check.CONFLICTS} | (
        {Check.IDENTITIES} if len(trusted) < 2 else set()
    )


def test_a_trust_file_has_a_line_for_each_key_of_a_role(tmp_path: Path) -> None:
    path = tmp_path / "trust"
    path.write_text(f"alice {OLD[Role.ALICE]}  (until entry 26)\nAlice: {NEW}\nbob {OLD[Role.BOB]}\n")
    found = trust.read(path)
    assert found == {checks.Role.ALICE: (OLD[Role.ALICE], NEW), checks.Role.BOB: (OLD[Role.BOB],)}
    path.write_text(f"alice {NEW}\nalice {NEW}\n")
    with pytest.raises(trust.BadTrustFile, match="the file has this key of Alice twice"):
        trust.read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_trust_file_may_come_from_a_windows_terminal(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "trust"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + f"alice {NEW}\r\n".encode(encoding))
    assert trust.read(path) == {checks.Role.ALICE: (NEW,)}


def test_the_keys_of_a_verdict_can_be_given_back_as_those_to_trust(
    copies: dict[str, Genuine], judge: Callable[..., Verdict], tmp_path: Path
) -> None:
    lines = copies["label"].lines[Audience.BOB]
    printed = [
        line for line in summary(judge(lines)).splitlines() if line.startswith(("Alice ", "Bob ", "Court ", "Trent "))
    ]
    path = tmp_path / "trust"
    path.write_text("\n".join(printed))
    assert judge(lines, trusted=trust.read(path)).result(Check.IDENTITIES).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("end", "audience", "left"),
    [
        (("camera", 0), Audience.BOB, {Check.PRIVILEGE, Check.REPORTS, Check.ANSWERS}),
        (("privilege", 0), Audience.COURT, {Check.PRIVILEGE}),
        (("privilege", 0), Audience.ALICE, {Check.PRIVILEGE}),
        (("disclosure", 0), Audience.COURT, {Check.PRIVILEGE, Check.DISCLOSURES}),
        (("claim", 0), Audience.BOB, {Check.PRIVILEGE, Check.DISCLOSURES, Check.REPORTS}),
        (("order", 3), Audience.COURT, set()),
        (("rekey", 0), Audience.PUBLIC, {Check.PRIVILEGE}),
    ],
    ids=lambda each: " ".join(sorted(each)) if isinstance(each, set) else str(each),  # a set has no order
)
def test_what_an_open_round_does_not_show_yet_is_not_checked(
    copies: dict[str, Genuine],
    judge: Callable[..., Verdict],
    end: tuple[str, int],
    audience: Audience,
    left: set[Check],
) -> None:
    """Bob's copy is cut as Trent would have cut it then: nothing that is released later stands open in it."""

    def cut_off(forger: Forger) -> None:
        until(*end)(forger)
        if audience is not Audience.BOB:
            return
        for line in (each for each in forger.values if "entry" in each):
            sequence, said = line["entry"]["body"]["sequence"], said_in(line)
            released = {
                (release["field"], index)
                for each in forger.values
                if "entry" in each
                for release in each["entry"]["body"]["releases"]
                if release["entry"] == sequence
                for index in release["indices"] or range(99)
            }
            line["openings"] = [
                each
                for each in line["openings"]
                if "bob" in said["sealed"][each["field"]]["audiences"] or (each["field"], each["index"]) in released
            ]

    verdict = judge(spoiled(copies["label"].lines[audience], cut_off))
    assert verdict.answer is Answer.NOT_CLOSED, (verdict.findings, verdict.trouble)
    for check in left:
        assert verdict.result(check).outcome is Outcome.NOT_CHECKED, check
    if Check.PRIVILEGE not in left:
        assert verdict.result(Check.PRIVILEGE).outcome is Outcome.PASS
    assert verdict.result(Check.ORDERS).outcome is Outcome.PASS


def test_where_nothing_was_claimed_or_ordered_both_checks_pass_with_nothing(judge: Callable[..., Verdict]) -> None:
    for audience in AUDIENCES:
        verdict = verify(FOLDER / "transcripts" / f"valid-label-{audience}.jsonl")
        claims, orders = verdict.result(Check.PRIVILEGE), verdict.result(Check.ORDERS)
        assert (orders.outcome, orders.items) == (Outcome.PASS, 0)
        expected = Outcome.NOT_CHECKED if audience is Audience.PUBLIC else Outcome.PASS
        assert (claims.outcome, claims.items) == (expected, 0)
        told = summary(verdict) + explain(verdict)
        assert not any(word in told for word in ("Withheld", "did not answer", "Orders of the court", "until entry"))


def test_the_verdict_tells_of_all_that_happened(copies: dict[str, Genuine], judge: Callable[..., Verdict]) -> None:
    verdict = judge(copies["label"].lines[Audience.BOB], detailed=True)
    for told in (" ".join(summary(verdict).split()), " ".join(explain(verdict).split())):
        for words in (
            "Withheld from Bob as privileged, by rulings of the court in camera: ",
            "Shown to Bob, who did not answer, so Alice's labels stand: ",
            "Answers that the court ordered the matter to go on without: 4.",
            "of the responsive documents ",
            "and the court rules rightly, on privilege too.",
            "Alice gave no link in round 1: the court gave the link from the deposit.",
            "Bob gave no labels in round 2: the court ordered the matter to wait.",
            "Alice gave no report in round 3: all that she was to label was due to Bob, and no coin decided.",
            "The court granted Alice a new key",
            "4 rounds were proposed instead of 3, and all accepted.",
            "5 rounds were proposed instead of 4, and not all accepted.",
            f"{OLD[Role.ALICE]} (until entry",
        ):
            assert words in told, words
    assert "was to go to the court instead of to Bob" in " ".join(explain(verdict).split())
    assert "up to 4 rounds" in " ".join(explain(verdict).split())
    value = json.loads(json.dumps(verdict_value(verdict)))
    assert [each["kind"] for each in value["orders"]] == [
        "order", "amended", "rekeyed", "order", "order", "order", "amended", "order",
    ]  # fmt: skip
    assert value["keys"]["alice"]["before"] == [{"fingerprint": OLD[Role.ALICE], "identity": "not checked"}]
    assert value["rounds_agreed"] == 4
    assert [each["reported"] for each in value["rounds"]] == [True, True, False, True]
    assert value["claims"]["privileged"] == sum(each["privileged"] for each in value["rounds"]) > 0


def test_the_details_say_what_was_claimed_withheld_and_left_unread(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    found = {
        audience: judge(copies["label"].lines[audience], detailed=True).details
        for audience in (Audience.ALICE, Audience.BOB, Audience.PUBLIC)
    }
    alice, bob, public = found.values()
    assert [each.reported for each in bob] == [True, True, False, True]
    assert all(one.privileged == other.privileged for one, other in zip(alice, public, strict=True))
    assert bob[1].unread == {position for wave in bob[1].waves for position in wave}
    assert not any(each.unread for each in (bob[0], bob[2], bob[3]))
    for one in bob:
        assert one.claims.keys() == one.camera_in.keys(), "Bob is told the grounds of what the court has seen"
        assert set(one.privileged) <= one.camera_in.keys()
        assert one.labelled_in == tuple(sorted(one.labelled_in))
        assert len(one.labelled_in) == len(one.waves)
    assert alice[0].claims.keys() >= bob[0].claims.keys()
    assert bob[0].claims[1] == "advice of counsel"
    assert public[0].claims == {}


def test_a_matter_says_who_is_who_and_what_it_is_about(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    def real(forger: Forger) -> None:
        both(content("open", simulation=None, caption=CAPTION), content("claims", truth=None))(forger)
        for number in range(4):
            content("closed", number, truth=None)(forger)

    verdict = judge(spoiled(copies["label"].lines[Audience.BOB], real))
    assert verdict.answer is Answer.VERIFIED, verdict.findings
    told = summary(verdict)
    assert "Case    Doe v. Roe, No. 26-1 (Court of First Instance)" in told
    assert "Request All documents about the prepay swaps." in told
    assert "Parties Alice is Roe; Bob is Doe; the court is Judge Poe; Trent is Neutral & Partners." in told
    assert verdict_value(verdict)["caption"] == CAPTION
    assert verdict.result(Check.TRUTH).reason == "this is not a simulation: nobody knows the true labels"
    assert "V24" not in told.partition("This verdict does not cover")[2]  # which is no gap of a real matter
    assert "V31" not in told.partition("This verdict does not cover")[2]  # nor is what the terms do not ask for
    assert f" of {len(Check) - 4} checks passed" in told


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_another_eventful_matter_is_verified_for_everybody(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    """One in which Bob gets a new key, and late claims are overruled: the scripts were written apart."""
    run = matters.eventful(small_corpus, tmp_path / "matter", protocol=protocol)
    for audience in AUDIENCES:
        copy = cut(tmp_path / "matter", run.plan, audience, tmp_path / f"{audience}.jsonl")
        verdict = verify(copy, corpus=small_corpus.path if audience is Audience.COURT else None)
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        assert len(verdict.keys_before[checks.Role.BOB]) == 1
        assert verdict.result(Check.ORDERS).items > 0
        stated = claims.claims(run.state)
        assert verdict.claims is not None
        assert (verdict.claims.privileged, verdict.claims.defaults) == (stated.privileged, stated.defaults)


def test_a_late_claim_above_a_find_does_not_make_the_bound_smaller(tmp_path: Path) -> None:
    """Alice has seen the find, gives up what she hides above it, and the bound is by the coins alone all the same."""
    corpus = corpora.make(tmp_path / "corpus", documents=160, responsive=10)
    agreed = {"protocol": "classifier", "rounds": 1, "batch": 140, "delta": "0.9", "query": ""}
    players = {"alice": "truthful", "bob": "truthful", "court": "right"}
    for seed in range(29, 60):
        matter = tmp_path / f"matter-{seed}"
        with matters.start(corpus, matter, seed=str(seed), players=players, **agreed) as run:
            while Role.ALICE not in run.state.awaits or run.state.awaits[Role.ALICE].kind != "report":
                run.step()
            run.desk.accept(answers.report(run.alice, (None,) * 140, 0))
            current = run.state.rounds[0]
            while run.state.awaits or not (current.rulings or run.state.concluded):
                run.step()
            last = max((position for position, label in current.settled.items() if label), default=0)
            hidden = [each for each in range(1, last) if run.alice.truth[each - 1] and each not in current.settled]
            if len(hidden) < 3:
                continue  # the coins leave too little above the find to give up
            run.desk.late()
            run.desk.accept(answers.claim(run.alice, dict.fromkeys(hidden, "noticed late")))
            while run.state.awaits or not run.state.concluded:
                asked = run.state.awaits.get(Role.COURT)
                if asked is not None and asked.kind == "privilege":
                    run.desk.accept(answers.uphold(run.court, [False] * len(current.privilege.asked)))
                else:
                    run.step()
            run.cosign()
        examined, alone = current.examination, current.by_coin
        assert examined is not None
        assert alone is not None
        ways = (base.evidence(examined, current.settled, by_coin=each) for each in (alone, None))
        right, naive = (run.state.rule.hidden_at_most([each], Fraction(1, 20)) for each in ways)
        if right > naive and examined.chances[last] > alone.chances[last]:
            break
    else:
        pytest.fail("no seed leaves Alice enough to give up")
    for audience in (Audience.ALICE, Audience.BOB, Audience.COURT):
        verdict = verify(cut(matter, run.plan, audience, tmp_path / f"{audience}.jsonl"))
        assert verdict.answer is Answer.VERIFIED, verdict.findings
        assert verdict.claims is not None
        assert verdict.claims.certificates.reviewed.at_most == right


def test_bobs_copy_does_not_show_all_that_alice_claims_and_says_so(
    copies: dict[str, Genuine], judge: Callable[..., Verdict]
) -> None:
    """Trent could show Bob a claimed document without the court: the other copies tell, Bob's cannot."""
    for audience in AUDIENCES:
        verdict = judge(copies["label"].lines[audience])
        for check in (Check.REPORTS, Check.PRIVILEGE):
            found = verdict.result(check)
            if audience is Audience.BOB:
                assert found.outcome is Outcome.NOT_CHECKED
                assert found.reason == "this copy shows only the claims that went to the court"
                assert found.items > 0
            elif audience is Audience.PUBLIC:
                assert found.reason == "this copy does not show Alice's labels"
            else:
                assert found.outcome is Outcome.PASS
