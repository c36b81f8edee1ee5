"""The page for a judge: what it says of every kind of copy, that strangers' words do no harm, and how it is written."""

import json
import re
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.support.busy_verdict import busy, round_of
from tests.vectors import FOLDER, load
from verifier.checks import Check, Role
from verifier.cli import main
from verifier.findings import Finding
from verifier.plain import harmless
from verifier.replay.asked_back import AskedBack, ShownAt
from verifier.replay.contents import Caption
from verifier.replay.reason import because, percent
from verifier.report import About, page
from verifier.report.disputes import disputes, errors
from verifier.report.markup import Markup, element, stranger, text
from verifier.report.strips import Mark, drawing, marks, ranges
from verifier.rules.base import ALL_COINS, Examined, Report
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify

COMMAND = str(Path(sys.executable).parent / "tallystick-verify")
TRANSCRIPTS = FOLDER / "transcripts"
BOB = TRANSCRIPTS / "valid-label-bob.jsonl"
FAULT = TRANSCRIPTS / "trent-inflates-recall.jsonl"
DAMAGED = TRANSCRIPTS / "damage-a-changed-byte.jsonl"
HOSTILE = "<script>alert(1)</script>\u202egnp.exe\"'&" + "x" * 4000


def made(path: Path, **options: object) -> str:
    return page(verify(path, detailed=True, **options), About(file=path.name))  # type: ignore[arg-type]


def words(html: str) -> str:
    """What a reader sees."""
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)).split())


class Outline(HTMLParser):
    """Tags that open and close, headings, and what a browser would fetch or run."""

    VOID = frozenset({"meta"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids = Counter[str]()
        self.tags = Counter[str]()
        self.attributes = set[str]()
        self.targets = list[str]()
        self.heads_without_scope = 0
        self.unnamed_drawings = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags[tag] += 1
        self.attributes |= found.keys()
        self.targets += [str(found[name]) for name in ("href", "src") if name in found]
        self.heads_without_scope += tag == "th" and "scope" not in found
        self.unnamed_drawings += tag == "svg" and "role" not in found and "aria-hidden" not in found
        if "id" in found:
            self.ids[str(found["id"])] += 1
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_outline(html: str) -> Outline:
    found = Outline(html)
    assert not found.open
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(found.headings, found.headings[1:], strict=False))
    assert max(found.ids.values()) == 1
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & found.tags.keys()
    assert not [name for name in found.attributes if name.startswith("on") or name == "style"]
    assert all(target.startswith("#") and target[1:] in found.ids for target in found.targets)
    assert found.heads_without_scope == 0
    assert found.unnamed_drawings == 0
    return found


def _kinds_of_copies() -> list[Path]:
    """The stored copies, without cheats that end in every check as one before does, with the same flags."""
    found: dict[object, Path] = {}
    for case in load("transcripts.json")["cases"]:
        path = FOLDER / case["copy"]
        if "other" not in case and path.suffix == ".jsonl":
            kind = (case["verdict"], *case["outcomes"].values(), *case["blamed"], *case["flags"])
            found.setdefault(path if {"Valid", "Damage"} & set(case["flags"]) else kind, path)
    return sorted(set(found.values()))


@pytest.mark.parametrize("path", _kinds_of_copies(), ids=lambda path: path.stem)
def test_every_kind_of_copy_gives_a_sound_page(path: Path) -> None:
    verdict = verify(path, detailed=True)
    html = page(verdict, About(file=path.name))
    check_outline(html)
    shown = words(html)
    assert str(verdict.answer).upper() in shown
    for finding in verdict.findings:
        assert f"What is wrong: {finding.check}" in shown
    for check in Check:
        assert check in shown
    if verdict.answer in (Answer.REJECTED, Answer.UNDECIDED):
        assert "% confidence" not in shown
        assert "proven about recall" not in shown
        assert "The record is whole" not in shown


def test_a_verified_copy_is_told_with_its_confidence_and_assumptions() -> None:
    shown, claims = words(made(BOB)), verify(BOB).claims
    assert claims is not None
    assert re.search(
        f"Certificate of the reviewed: (no|at most [0-9]+) responsive documents? among the {claims.reviewed} reviewed "
        "(is|are) missing from what Bob has, with 95 % confidence.",
        shown,
    )
    assert "Bob recognises every responsive document that he is shown" in shown
    assert "Nothing is proven about the 26 documents that nobody has read." in shown
    assert "Anything about the 26 documents that nobody has read." in shown
    assert "evidence of nothing" in shown
    assert (
        f"Of {claims.reviewed} documents reviewed, Bob was shown {claims.revealed}: {claims.found} responsive, and "
        f"{claims.nrd} not responsive" in shown
    )
    assert "rests on Trent's word" in shown.replace("&#x27;", "'")


def test_a_rejected_copy_says_first_what_is_wrong_and_who_signed_it() -> None:
    html = made(FAULT)
    first = words(html[: html.index("<nav")]).replace("&#x27;", "'")
    verdict = verify(FAULT)
    finding = verdict.findings[0]
    for part in ("REJECTED", f"entry {finding.entry}", finding.rule, finding.expected, finding.found, "that of Trent"):
        assert part in first
    assert "No result, since the record is not verified" in words(html)


def test_what_nobody_signed_blames_nobody() -> None:
    wrong = {Role.ALICE: "00000 " * 7 + "00000"}
    html = made(BOB, trusted=wrong)
    first = words(html[: html.index("<nav")])
    assert "REJECTED" in first
    assert "nobody is blamed" in first
    assert "NOT A KEY" in words(html)


def test_a_damaged_copy_says_what_to_do() -> None:
    first = words(made(DAMAGED)[: made(DAMAGED).index("<nav")])
    assert "UNDECIDED" in first
    assert "What to do" in first
    assert "Get the file again" in first
    assert "Nobody is blamed" in first


def test_a_public_copy_says_that_reasons_and_names_are_sealed() -> None:
    html = made(TRANSCRIPTS / "valid-label-public.jsonl")
    shown = words(html)
    assert "the reason is sealed in this copy" in shown
    assert "Alice&#x27;s labels are sealed" in html
    assert "% confidence" not in shown
    assert "mail-00" not in html
    assert "such a ruling shows an error of hers only if Trent asked correctly" in shown
    assert "if Trent asked the court about disputes only" in shown
    assert "This holds only if the rule was followed, which this copy does not show" in shown


def test_trusted_keys_are_told_as_confirmed() -> None:
    case = next(case for case in load("transcripts.json")["cases"] if case["id"] == "valid-trusted")
    html = made(BOB, trusted={Role(role): digits for role, digits in case["trust"].items()})
    assert words(html).count("confirmed by a fingerprint that you trust") == 4


def test_the_same_copy_gives_the_same_bytes() -> None:
    assert made(BOB) == made(BOB)


def test_errors_come_with_round_position_coin_and_entries() -> None:
    verdict = verify(BOB, detailed=True)
    told = words(errors(verdict))
    assert verdict.claims is not None
    assert f"{verdict.claims.alice_errors} confirmed errors" in told
    assert told.count("ruling ") >= verdict.claims.alice_errors
    for detail in verdict.details:
        for position, entry in detail.ruled_in.items():
            if detail.rulings[position] is detail.bob[position]:
                assert f"{detail.number} / {position} " in told
                assert f"ruling {entry}" in told
                assert because(detail, position) in told
    assert f"{verdict.claims.disputes} rulings" in words(disputes(verdict))


def test_entries_that_are_named_as_evidence_are_of_their_kind() -> None:
    verdict = verify(BOB, detailed=True)
    kinds = [json.loads(line)["entry"]["body"]["statement"]["kind"]
             for line in BOB.read_text().splitlines() if line.startswith('{"entry"')]  # fmt: skip
    assert len(verdict.details) == 2
    for detail in verdict.details:
        assert kinds[detail.batch_entry] == "batch"
        assert kinds[detail.report_entry] == "report"
        assert kinds[detail.closed_entry or 0] == "closed"
        assert {kinds[entry] for entry in detail.shown_in} == {"disclosure"}
        assert {kinds[entry] for entry in detail.labelled_in} == {"labels"}
        assert {kinds[entry] for entry in detail.ruled_in.values()} <= {"rulings"}


def test_details_are_kept_only_if_somebody_asks() -> None:
    assert verify(BOB).details == ()
    assert replace(verify(BOB, detailed=True), details=()) == verify(BOB)


def test_every_position_has_its_reason() -> None:
    found = marks(round_of(1))
    assert [position for position, why in found.items() if why is Mark.CERTAIN] == [1, 2, 3, 5]
    assert [position for position, why in found.items() if why is Mark.COIN] == [6]
    assert [position for position, why in found.items() if why is Mark.COMPELLED] == [4, 7, 8, 9]
    assert found[10] is Mark.NOT_SHOWN
    assert "coin 0.125000, drawn if below 0.250000 (a chance of 25.0 %)" in because(round_of(1), 6)
    assert "after position 6" in because(round_of(1), 7)
    assert "reported it responsive" in because(round_of(1), 5)
    assert "threshold (position 3)" in because(round_of(1), 3)


def test_without_the_report_no_reason_is_told() -> None:
    sealed = round_of(1, report=None, examined=None, coins=())
    assert set(marks(sealed).values()) == {Mark.SEALED, Mark.NOT_SHOWN}
    shown = words(drawing([sealed]))
    assert "drawn by coin" not in shown
    assert "the reason is sealed" in shown


def test_the_reasons_of_a_real_round_add_up_to_what_was_replayed() -> None:
    for path in TRANSCRIPTS.glob("valid-*.jsonl"):
        verdict = verify(path, detailed=True)
        for detail, closed in zip(verdict.details, verdict.rounds, strict=False):
            told = Counter(marks(detail).values())
            kept = told[Mark.PRIVILEGED] + told[Mark.IN_CAMERA]
            assert detail.size - told[Mark.NOT_SHOWN] - kept == closed.revealed
            assert (told[Mark.PRIVILEGED], told[Mark.IN_CAMERA]) == (closed.privileged, closed.in_camera)
            assert told[Mark.UNREAD] == closed.unread
            if detail.examined is not None:
                shown = {position for wave in detail.waves for position in wave}
                assert len(detail.examined.drawn) == closed.sampled
                assert told[Mark.COIN] == len(detail.examined.drawn.intersection(shown) - detail.unread)
                assert told[Mark.SEALED] == 0
                assert not told[Mark.COMPELLED] or closed.compelled


@given(st.sets(st.integers(1, 60)))
def test_ranges_name_each_position_once(positions: set[int]) -> None:
    named = [part.split("–") for part in ranges(sorted(positions)).split(", ") if part]  # noqa: RUF001
    assert [each for part in named for each in range(int(part[0]), int(part[-1]) + 1)] == sorted(positions)


@pytest.mark.parametrize(
    ("coins", "said"),
    [(ALL_COINS, "100 %"), (ALL_COINS - 1, "99.9 %"), (ALL_COINS // 2, "50.0 %"), (ALL_COINS // 10**6, "0.0001 %")],
)
def test_a_chance_is_never_rounded_to_certain(coins: int, said: str) -> None:
    assert percent(coins) == said


def hostile_verdict() -> Verdict:
    """A verdict in which every word that a stranger chooses is an attack."""
    honest = busy()
    assert honest.opened is not None
    finding = Finding(check=Check.ORDER, rule=HOSTILE, expected=HOSTILE, found=HOSTILE, entry=3, party=Role.BOB)
    caption = Caption(case=HOSTILE, court=HOSTILE, names=dict.fromkeys(Role, HOSTILE), request=HOSTILE)
    opened = replace(honest.opened, caption=caption, terms=replace(honest.opened.terms, query=HOSTILE))
    return replace(
        honest,
        answer=Answer.REJECTED,
        findings=(finding,),
        opened=opened,
        checks=tuple(replace(each, outcome=Outcome.NOT_CHECKED, reason=HOSTILE) for each in honest.checks),
        trouble=HOSTILE,
        advice=HOSTILE,
        orders=tuple(replace(each, words=HOSTILE) for each in honest.orders),
        details=(
            *honest.details,
            round_of(
                4,
                names={6: HOSTILE},
                claims={10: HOSTILE},
                camera_in={10: 3},
                labels_because={6: HOSTILE},
                ruled_because={6: HOSTILE},
                camera_because={10: HOSTILE},
            ),
        ),
        asked_back=(AskedBack(place=ShownAt(4, 6), asked_in=13, basis=HOSTILE, upheld=True, reason=HOSTILE),),
    )


@pytest.mark.parametrize("answer", list(Answer))
def test_strangers_words_stay_words(answer: Answer) -> None:
    html = page(replace(hostile_verdict(), answer=answer), About(file=HOSTILE, given=(HOSTILE,)))
    check_outline(html)
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html
    assert "\ufffdgnp" in html
    assert not re.search("x{2100}", html[: html.index("<nav")])


@given(st.text(), st.text())
def test_no_text_leaves_its_place(inside: str, attribute: str) -> None:
    html = element("p", inside, stranger(inside), title=attribute)
    assert html.count("<") == 4
    assert html.count('"') == 2
    assert html == harmless(html)


def test_markup_joined_to_text_is_text_again() -> None:
    assert element("p", Markup("<b>") + "<i>") == "<p>&lt;b&gt;&lt;i&gt;</p>"
    assert text("a" * 30, 10) == "a" * 10 + "…"


def test_scripts_and_the_network_are_forbidden_by_the_page_itself() -> None:
    html = made(BOB)
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src &#x27;none&#x27;; style-src &#x27;sha256-")
    assert "http" not in html.replace("http-equiv", "")


def test_a_large_matter_stays_a_page_that_can_be_shown() -> None:
    shown = tuple(range(1, 1001))
    many = [
        round_of(
            number,
            size=1000,
            waves=(shown,),
            names=dict.fromkeys(shown, "folder/" * 20),
            report=Report(labels=(False,) * 1000, threshold=None),
            bob=dict.fromkeys(shown, True),
            rulings=dict.fromkeys(shown, True),
            ruled_in=dict.fromkeys(shown, 9),
            examined=Examined(
                threshold=0,
                error=0,
                due=frozenset(shown),
                chances=dict.fromkeys(shown, ALL_COINS // 2),
                drawn=frozenset(range(1, 1001, 2)),
                compelled_at=1,
            ),
            coins=(5,) * 1000,
        )
        for number in range(1, 31)
    ]
    html = page(replace(verify(BOB), details=tuple(many)), About(file="large.jsonl"))
    check_outline(html)
    assert len(html.encode()) < 3_000_000
    assert "27000 more are in the record" in words(html)


def run(*arguments: object, code: int) -> Result:
    done = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize(("path", "code"), [(BOB, 0), (FAULT, 1), (DAMAGED, 3)])
def test_the_command_writes_a_page_and_keeps_the_verdicts_exit_code(tmp_path: Path, path: Path, code: int) -> None:
    report = tmp_path / "report.html"
    done = run(path, "--report", report, code=code)
    assert str(report) in done.stderr
    assert done.stdout == run(path, code=code).stdout
    html = report.read_text()
    check_outline(html)
    assert re.search("[0-9a-f]{64}", html[html.index("SHA-256 is") :])
    other = tmp_path / "other.html"
    assert json.loads(run(path, "--report", other, "--json", code=code).stdout)["exit_code"] == code
    assert other.read_bytes() == report.read_bytes()


def test_an_existing_file_is_left_as_it_is(tmp_path: Path) -> None:
    taken = tmp_path / "taken.html"
    taken.write_text("mine")
    assert "is left as it is" in run(BOB, "--report", taken, code=2).stderr
    assert taken.read_text() == "mine"
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "nowhere")
    assert "is left as it is" in run(BOB, "--report", link, code=2).stderr
    assert "there is no folder" in run(BOB, "--report", tmp_path / "no" / "report.html", code=2).stderr


@pytest.mark.parametrize("name", ["r" * 300, "report.html"], ids=["no such name", "no room"])
def test_a_page_that_cannot_be_written_is_said_and_the_answer_stands(tmp_path: Path, name: str) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = subprocess.run(
        [COMMAND, str(FAULT), "--report", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files_only,
    )
    assert done.returncode == 1
    assert "the report cannot be written" in done.stderr
    assert done.stdout.startswith("REJECTED")
    assert not list(tmp_path.iterdir())
