"""Verdicts made by hand that have everything in them: privilege, silence, a new key, an amendment; and, under spot
checks, escalations and validations.
"""

import re
from html import escape
from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.record.chain import KeyChange
from verifier.replay.commitment import Account, CorpusCommitment, Unit
from verifier.replay.contents import (
    METHOD,
    Caption,
    Certificates,
    Claims,
    CollectionCertificate,
    Opened,
    ReviewedCertificate,
    Simulation,
    Stratum,
    ValidationClaim,
)
from verifier.replay.detail import RoundDetail
from verifier.replay.forms import Kind
from verifier.replay.ordered import OrderDetail
from verifier.replay.passed import Passed
from verifier.replay.rounds import ClosedRound, Sort
from verifier.rules import label, spot_check
from verifier.rules.base import ALL_COINS, Examined, Report
from verifier.rules.label import LabelTerms
from verifier.rules.spot_check import Penalty, SpotCheckTerms
from verifier.rules.terms import ASSUMPTIONS, Terms, Validation, Viewer
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


def in_roles(text: str) -> str:
    """A text about this matter with the paper's names again, for tests of what is said and not of whom."""
    for role, name in CAPTION.names.items():
        short = escape(name.partition(", by ")[0])
        mention = rf"{re.escape(short)}( ?(?:'s|&#x27;s))?(?: \({role.called}(?:'s|&#x27;s)?\))?(?!, by )"
        if role is not Role.COURT:
            text = re.sub(mention, rf"{role.called}\g<1>", text).replace(f"{role.called} 's", f"{role.called}'s")
    return text


def page_in_roles(html: str) -> str:
    """A page about this matter with the paper's names, which are no elements of their own."""

    def bare(found: re.Match[str]) -> str:
        return found[1] if in_roles(found[1]) in ("Alice", "Bob", "Trent") else found[0]

    return in_roles(re.sub(r"<bdi>([^<]*)</bdi>", bare, html))


SIMULATION = Simulation(
    alice="truthful", bob="truthful", court="right", label="responsive", responsive=9, seed="1", truth=b"\5" * 32
)
TERMS = LabelTerms(
    batch=10,
    classes=None,
    delta="0.1",
    doubt="0.05",
    draws=40,
    k=1,
    protocol="label",
    query="prepay swap",
    rounds=5,
    validation=None,
    witnesses=None,
)
VALIDATION = Validation(
    every=10, hits=None, review=None, show="0.05", target="0.8", viewer=Viewer.BOB, window=5, yield_="0.02"
)
SPOT_CHECK = SpotCheckTerms(
    batch=100,
    classes=None,
    doubt="0.05",
    draws=512,
    every=2,
    limit="0.25",
    penalty=Penalty.NONE,
    protocol="spot-check",
    query="prepay swap",
    rate="0.05",
    rounds=4,
    target="0.9",
    validation=VALIDATION,
    witnesses=None,
)


def round_of(number: int, **changed: Any) -> RoundDetail:
    """Ten documents: 1 to 3 above the threshold, 5 reported, 6 drawn, the rest compelled but for 10."""
    chances = dict.fromkeys((4, 6, 7, 8, 9, 10), ALL_COINS // 4)
    examined = Examined(
        threshold=3, error=2, due=frozenset(range(1, 10)), chances=chances, drawn=frozenset({6}), compelled_at=6
    )
    values: dict[str, Any] = {
        "number": number,
        "sort": Sort.BATCH,
        "size": 10,
        "given_up": frozenset(),
        "origins": {},
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
        "privileged": (),
        "unread": frozenset(),
        "claims": {},
        "late": frozenset(),
        "camera_in": {},
        "examined": examined,
        "coins": (ALL_COINS // 8,) * 10,
    }
    values |= changed
    seen = values["report"] and values["examined"]
    values["certain"] = label.certain(TERMS, values["report"], values["examined"].threshold) if seen else {}
    return RoundDetail(**values)


def _details() -> tuple[RoundDetail, ...]:
    """Withheld, overruled and never due in round 1; the second wave unread in round 2; no report in round 3."""
    first = round_of(
        1,
        waves=((1, 2, 3, 6), (4, 7, 8, 9)),
        privileged=(5,),
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
        sort=Sort.BATCH,
        size=detail.size,
        near_cut=None,
        revealed=shown,
        found=shown - len(detail.unread),
        confirmed=shown - len(detail.unread),
        disputes=len(detail.rulings),
        alice_errors=len(detail.rulings),
        privileged=len(detail.privileged),
        in_camera=0,
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


def account(documents: int) -> Account:
    """What was received: a container with the documents, one of them twice, and a file that nobody could read."""
    return Account(
        containers=1,
        custodians=2,
        duplicates=1,
        entered=documents,
        exceptions=1,
        families=documents + 1,
        first="2001-01-31",
        items=documents + 3,
        last="2001-12-31",
        list=b"\3" * 32,
        parts=documents + 2,
        protections=("no network",),
        reasons={"encrypted": 1},
        unread=1,
    )


def opened(terms: Terms, documents: int) -> Opened:
    """The opening of a real matter."""
    return Opened(
        anchor=b"\1" * 32,
        caption=CAPTION,
        corpus=CorpusCommitment(account=account(documents), documents=documents, root=b"\2" * 32, unit=Unit.FAMILY),
        format=1,
        keys=KEYS,
        method=METHOD,
        simulation=None,
        terms=terms,
    )


def certificates(
    found: int, reviewed: dict[str, Any] | None = None, collection: dict[str, Any] | None = None
) -> Certificates:
    """Two certificates: 7 can be hidden among the reviewed, and nothing is proven of the collection."""
    common: dict[str, Any] = {"assumes": ASSUMPTIONS, "doubt": "0.05", "found": found, "reached": None, "target": None}
    return Certificates(
        reviewed=ReviewedCertificate(**(common | {"at_most": 7} | (reviewed or {}))),
        collection=CollectionCertificate(**(common | {"at_most": None, "unreviewed": 70} | (collection or {}))),
    )


def claims(rounds: tuple[ClosedRound, ...], found: int, **changed: Any) -> Claims:
    """What is claimed of these rounds."""
    values: dict[str, Any] = {
        "alice_errors": 2,
        "certificates": certificates(found),
        "clawed_back": 0,
        "compelled_rounds": 2,
        "defaults": 1,
        "disputes": 2,
        "ended": "amendment",
        "found": found,
        "guarantee": label.RULE.words.guarantee,
        "in_camera": 0,
        "nrd": 4,
        "revealed": sum(each.revealed for each in rounds),
        "reviewed": 30,
        "rounds": (),
        "truth": None,
        "validations": (),
        "privileged": 1,
    }
    return Claims(**(values | changed))


def busy(**changed: Any) -> Verdict:
    """The verdict on a real matter, of three rounds."""
    details = _details()
    rounds = tuple(map(_closed, details))
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
        "opened": opened(TERMS, documents=100),
        "rounds_agreed": 3,
        "orders": ORDERS,
        "rounds": rounds,
        "details": details,
        "claims": claims(rounds, found=sum(each.found for each in rounds)),
        "bound_known": True,
        "waits_for": "nobody",
    }
    return Verdict(**(values | changed))


def _numbers(number: int, sort: Sort, **changed: Any) -> ClosedRound:
    values: dict[str, Any] = {
        "number": number,
        "sort": sort,
        "size": 100,
        "near_cut": None,
        "revealed": 25,
        "found": 20,
        "disputes": 0,
        "alice_errors": 0,
        "privileged": 0,
        "in_camera": 0,
        "unread": 0,
        "reported": True,
        "compelled": False,
        "error": 0,
        "sampled": 5,
        "threshold": 0,
        "truth": None,
    }
    values |= changed
    return ClosedRound(**({"confirmed": values["found"]} | values))


VALIDATED = ValidationClaim(
    at_most=40,
    called=0,
    never=Stratum(documents=600, shown=31, hits=1),
    number=1,
    reached=False,
    round=6,
    total=151,
    unread=0,
    withheld=Stratum(documents=270, shown=14, hits=0),
)
PASSES = (
    Passed(round=3, given_up=2, chance=ALL_COINS // 20, drawn=7, hits=1, at_most=9, reached=False, limited=False),
    Passed(round=5, given_up=0, chance=ALL_COINS // 10, drawn=27, hits=0, at_most=6, reached=True, limited=False),
)


def checked(**changed: Any) -> Verdict:
    """The verdict on a real matter under spot checks: four batches, two escalations, a validation that fell short."""
    rounds = (
        _numbers(1, Sort.BATCH),
        _numbers(2, Sort.BATCH),
        _numbers(3, Sort.ESCALATION, size=150, revealed=9, found=3, sampled=7, alice_errors=1, disputes=1),
        _numbers(4, Sort.BATCH),
        _numbers(5, Sort.ESCALATION, size=216, revealed=27, found=0, sampled=27),
        _numbers(6, Sort.VALIDATION, size=45, revealed=45, found=1, sampled=45, disputes=1),
        _numbers(7, Sort.BATCH, found=30, revealed=35),
    )
    found = sum(each.found for each in rounds)
    values: dict[str, Any] = {
        "opened": opened(SPOT_CHECK, documents=1000),
        "rounds_agreed": 4,
        "orders": (),
        "rounds": rounds,
        "details": (),
        "passes": PASSES,
        "claims": claims(
            rounds,
            found,
            certificates=certificates(
                found,
                reviewed={"at_most": 6, "target": "0.9", "reached": True},
                collection={"at_most": 57, "target": "0.8", "reached": False, "unreviewed": 569},
            ),
            ended="rounds",
            guarantee=spot_check.RULE.words.guarantee,
            reviewed=431,
            validations=(VALIDATED,),
            privileged=0,
        ),
    }
    return busy(**(values | changed))
