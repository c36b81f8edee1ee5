"""A verdict made by hand that has everything in it: a caption, privilege, silence, a new key, an amendment."""

from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.record.chain import KeyChange
from verifier.replay.contents import Caption, Claims, CorpusCommitment, HiddenBound, Opened, Simulation
from verifier.replay.forms import Kind
from verifier.replay.ordered import OrderDetail
from verifier.replay.rounds import ClosedRound, RoundDetail
from verifier.rules import label
from verifier.rules.base import ALL_COINS, Examined, Report
from verifier.rules.label import LabelTerms
from verifier.rules.terms import ASSUMPTIONS
from verifier.trust import Identity
from verifier.verdict import Answer, CheckResult, Copy, Outcome, Verdict

KEYS = {role: bytes([number]) * 32 for number, role in enumerate(Role, start=1)}
OLD_KEY = bytes([99]) * 32
CAPTION = Caption(
    case="Doe v. Example Industries, No. 7:31-cv-00042",
    court="United States District Court, District of Nowhere",
    names={
        Role.ALICE: "Example Industries, by Able & Baker",
        Role.BOB: "J. Doe, by Charlie Dog",
        Role.COURT: "Hon. E. Easy",
        Role.TRENT: "Fox Neutrals",
    },
    request="All mail about the prepay swap,\nand all drafts of the collateral agreement.",
)
SIMULATION = Simulation(
    alice="truthful", bob="truthful", court="right", label="responsive", responsive=9, seed="1", truth=b"\5" * 32
)
TERMS = LabelTerms(batch=10, delta="0.1", doubt="0.05", draws=40, k=1, protocol="label", query="prepay swap", rounds=5)


def round_of(number: int, **changed: Any) -> RoundDetail:
    """Ten documents: 1 to 3 above the threshold, 5 reported, 6 drawn, the rest compelled but for 10."""
    chances = dict.fromkeys((4, 6, 7, 8, 9, 10), ALL_COINS // 4)
    examined = Examined(
        threshold=3, error=2, due=frozenset(range(1, 10)), chances=chances, drawn=frozenset({6}), compelled_at=6
    )
    values: dict[str, Any] = {
        "number": number,
        "size": 10,
        "batch_entry": 4,
        "report_entry": 5,
        "closed_entry": 12,
        "waves": ((1, 2, 3, 5, 6), (4, 7, 8, 9)),
        "shown_in": (7, 10),
        "labelled_in": (8, 11),
        "names": {6: "mail-6"},
        "report": Report(labels=(True, True, False, False, True, *[False] * 5), threshold=None),
        "bob": dict.fromkeys((1, 2, 3, 5, 6, 4, 7, 8, 9), True),
        "rulings": {6: True},
        "ruled_in": {6: 9},
        "reported": True,
        "withheld": (),
        "unread": frozenset(),
        "claims": {},
        "late": frozenset(),
        "camera_in": {},
        "examined": examined,
        "coins": (ALL_COINS // 8,) * 10,
    }
    values |= changed
    seen = values["report"] and values["examined"]
    values["certain"] = label.certain(TERMS, values["report"], values["examined"]) if seen else {}
    return RoundDetail(**values)


def _details() -> tuple[RoundDetail, ...]:
    """Withheld, overruled and never due in round 1; the second wave unread in round 2; no report in round 3."""
    first = round_of(
        1,
        waves=((1, 2, 3, 6), (4, 7, 8, 9)),
        withheld=(5,),
        claims={5: "advice of counsel", 3: "work product", 10: "joint defence"},
        late=frozenset({3}),
        camera_in={5: 6, 3: 6},
        bob=dict.fromkeys((1, 2, 3, 6, 4, 7, 8, 9), True),
    )
    second = round_of(2, unread=frozenset({4, 7, 8, 9}), labelled_in=(8,), bob=dict.fromkeys((1, 2, 3, 5, 6), True))
    third = round_of(
        3,
        report=None,
        report_entry=-1,
        reported=False,
        waves=(tuple(range(1, 11)),),
        shown_in=(30,),
        labelled_in=(31,),
        bob=dict.fromkeys(range(1, 11), True),
        rulings={},
        ruled_in={},
        examined=None,
        coins=(),
    )
    return first, second, third


def _closed(detail: RoundDetail) -> ClosedRound:
    shown = sum(map(len, detail.waves))
    return ClosedRound(
        number=detail.number,
        size=detail.size,
        near_cut=None,
        revealed=shown,
        found=shown - len(detail.unread),
        disputes=len(detail.rulings),
        alice_errors=len(detail.rulings),
        withheld=len(detail.withheld),
        unread=len(detail.unread),
        reported=True,
        compelled=False,
        error=0,
        sampled=1,
        threshold=3,
        truth=None,
    )


ORDERS = (
    OrderDetail(kind=Kind.ORDER, entry=20, role=Role.BOB, granted=True, words="Bob gave no labels; Alice's stand."),
    OrderDetail(kind=Kind.ORDER, entry=24, role=Role.ALICE, granted=False, words="Alice still has to report."),
    OrderDetail(kind=Kind.REKEYED, entry=26, role=Role.ALICE, granted=True, words="Alice has a new key."),
    OrderDetail(kind=Kind.AMENDED, entry=29, role=None, granted=True, words="All agree on 3 rounds."),
)


def busy(**changed: Any) -> Verdict:
    """The verdict on a real matter, of three rounds."""
    details = _details()
    rounds = tuple(map(_closed, details))
    opened = Opened(
        anchor=b"\1" * 32,
        caption=CAPTION,
        corpus=CorpusCommitment(documents=100, extraction="as it is", root=b"\2" * 32),
        format=1,
        keys=KEYS,
        method=2,
        simulation=None,
        terms=TERMS,
    )
    values: dict[str, Any] = {
        "answer": Answer.VERIFIED,
        "checks": tuple(CheckResult(check=each, outcome=Outcome.PASS, items=1) for each in Check),
        "findings": (),
        "copy": Copy(
            audience=Audience.BOB, matter=b"\3" * 32, entries=40, head=b"\4" * 32, root=b"\5" * 32, checkpoints=()
        ),
        "keys": KEYS,
        "key_changes": (KeyChange(entry=26, role=Role.ALICE, before=OLD_KEY),),
        "identities": dict.fromkeys([(Role.ALICE, OLD_KEY), *KEYS.items()], Identity.NOT_CHECKED),
        "opened": opened,
        "rounds_agreed": 3,
        "orders": ORDERS,
        "rounds": rounds,
        "details": details,
        "claims": Claims(
            alice_errors=2,
            compelled_rounds=2,
            defaults=1,
            disputes=2,
            found=sum(each.found for each in rounds),
            guarantee=label.RULE.words.guarantee,
            hidden=HiddenBound(assumes=ASSUMPTIONS, at_most=7, doubt="0.05"),
            nrd=4,
            revealed=sum(each.revealed for each in rounds),
            reviewed=30,
            rounds=(),
            truth=None,
            withheld=1,
        ),
        "bound_known": True,
        "waits_for": "nobody",
    }
    return Verdict(**(values | changed))
