"""Every cheat: who does it, how, what must catch it, and in whose copy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import msgspec

from ledger import canonical, entries, records
from ledger.hashing import Digest
from ledger.keys import Signature
from ledger.log import Addition
from ledger.roles import Audience, Role
from protocol import rules
from protocol.learning.cal import Cal, Selection
from protocol.matter.state import MatterState
from protocol.rules.base import Evidence, Examination, Report, Rule
from tests.cheats.running import Change, CheatingRun

INSIDERS = (Audience.ALICE, Audience.BOB, Audience.COURT)
EVERYBODY = (*INSIDERS, Audience.PUBLIC)
COURT_WITH_CORPUS = (Audience.COURT,)

Look = Callable[[Rule, MatterState, Report, Sequence[int], Mapping[int, bool]], Examination]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheat:
    """One way to cheat in a simulated matter."""

    who: Role
    comment: str
    check: str
    caught_in: tuple[Audience, ...] = INSIDERS
    protocol: str = "label"
    players: Mapping[str, str] = field(default_factory=dict)
    change: Change = lambda _, addition: None
    last: bool = False  # whether anyone can go on afterwards
    bend: Callable[[Rule, MatterState], Rule] = lambda rule, _: rule
    choose: Callable[[Cal], None] = lambda _: None

    @property
    def bends(self) -> dict[str, Any]:
        """What a run of it is given."""
        return {"change": self.change, "last": self.last, "bend": self.bend, "choose": self.choose}

    @property
    def needs_corpus(self) -> bool:
        """Whether only the sealed corpus shows it."""
        return self.check in ("V10", "V11", "V22", "V24")


class BentRule:
    """A rule that examines as a cheating Trent wishes."""

    def __init__(self, rule: Rule, state: MatterState, look: Look) -> None:
        self.name, self.reports_threshold, self.guarantee = rule.name, rule.reports_threshold, rule.guarantee
        self.rule, self.state, self.look = rule, state, look

    def examine(self, report: Report, coins: Sequence[int], settled: Mapping[int, bool]) -> Examination:
        return self.look(self.rule, self.state, report, coins, settled)

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return self.rule.hidden_at_most(rounds, doubt)


def bent(look: Look) -> Callable[[Rule, MatterState], Rule]:
    return lambda rule, state: BentRule(rule, state, look)


def skip_a_drawn_one(rule: Rule, state: MatterState, report: Report, coins: Any, settled: Any) -> Examination:
    found = rule.examine(report, coins, settled)
    return replace(found, due=found.due - {max(found.drawn, default=0)})


def add_one_not_drawn(rule: Rule, state: MatterState, report: Report, coins: Any, settled: Any) -> Examination:
    found = rule.examine(report, coins, settled)
    rest = sorted(set(range(1, len(report.labels) + 1)) - found.due)
    return replace(found, due=found.due | set(rest[-1:]))


def flip_a_coin(rule: Rule, state: MatterState, report: Report, coins: Any, settled: Any) -> Examination:
    """The last position's coin falls as he wants."""
    found = rule.examine(report, coins, settled)
    coin = 2**64 - 1 if len(report.labels) in found.drawn else 0
    return rule.examine(report, [*coins[:-1], coin], settled)


def forget_what_compels(rule: Rule, state: MatterState, report: Report, coins: Any, settled: Any) -> Examination:
    """Nothing that was found below the threshold counts."""
    above = rule.examine(report, coins, {}).due
    kept = {place: label and (place not in above or report.labels[place - 1]) for place, label in settled.items()}
    return rule.examine(report, coins, kept)


def another_delta_from_round_2(rule: Rule, state: MatterState, report: Report, coins: Any, settled: Any) -> Examination:
    later = rules.rule(rule.name, delta=Fraction(99, 100), k=1)
    return (later if len(state.rounds) >= 2 else rule).examine(report, coins, settled)


def of_kind(
    kind: str, change: Callable[[CheatingRun, Addition], Addition | None], *, author: Role = Role.TRENT, round_: int = 0
) -> Change:
    """Change the first entry of this kind by this author, in this round or in any."""

    def changed(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if run.cheated or (said.kind, said.author) != (kind, author) or (round_ and said.round != round_):
            return None
        return change(run, addition)

    return changed


def saying(**content: Any) -> Callable[[CheatingRun, Addition], Addition]:
    """Other content; functions are applied to what stands there."""

    def change(run: CheatingRun, addition: Addition) -> Addition:
        said = addition.statement.content
        return run.saying(addition, **{k: v(said[k]) if callable(v) else v for k, v in content.items()})

    return change


def other_link(run: CheatingRun, addition: Addition) -> Addition:
    """A hash that is nowhere in the author's chain."""
    return run.saying(addition, link=Digest(bytes(32)).hex())


def other_drawn_link(run: CheatingRun, addition: Addition) -> Addition:
    drawn = addition.statement.content["drawn"]
    return run.saying(addition, drawn=drawn | {"link": bytes(32).hex()})


def swapped_content(run: CheatingRun, addition: Addition) -> Addition:
    """Another document's content under the same number."""
    values = [each.value for each in addition.openings if each.field == "proofs"]
    return run.sealing(addition, "proofs", [values[0] | {"content": bytes(32).hex()}, *values[1:]])


def renamed_place(run: CheatingRun, addition: Addition) -> Addition:
    """The first document of the batch under another name."""
    values = [each.value for each in addition.openings if each.field == "documents"]
    return run.sealing(addition, "documents", [values[0] | {"name": "another"}, *values[1:]])


def repeated_place(run: CheatingRun, addition: Addition) -> Addition | None:
    """A document that stood in the first batch stands in the second again."""
    first = run.state.rounds[0].places[0]
    values = [each.value for each in addition.openings if each.field == "documents"]
    again = {"document": first.document, "name": first.name}
    return run.sealing(addition, "documents", [again, *values[1:]])


def shorter_batch(run: CheatingRun, addition: Addition) -> Addition:
    values = [each.value for each in addition.openings if each.field == "documents"]
    return run.saying(run.sealing(addition, "documents", values[:-1]), size=len(values) - 1)


def sealed_for_bob(run: CheatingRun, addition: Addition) -> Addition:
    """Bob is to see what Alice reports before he has labelled anything."""
    sealed = addition.statement.sealed
    wider = msgspec.structs.replace(sealed["labels"], audiences=INSIDERS)
    return run.resigned(addition, sealed=sealed | {"labels": wider})


def labels_of(change: Callable[[list[Any]], list[Any]]) -> Callable[[CheatingRun, Addition], Addition]:
    """A report of other labels, sealed, opened and signed as it must be."""

    def changed(run: CheatingRun, addition: Addition) -> Addition:
        values = [each.value for each in addition.openings if each.field == "labels"]
        sealed = run.sealing(addition, "labels", change(values))
        return run.saying(sealed, openings=entries.hash_openings(sealed.openings).hex())

    return changed


def a_threshold_beyond(run: CheatingRun, addition: Addition) -> Addition:
    sealed = run.sealing(addition, "threshold", [10**6])
    return run.saying(sealed, openings=entries.hash_openings(sealed.openings).hex())


def misnamed_last(run: CheatingRun, addition: Addition) -> Addition:
    """Alice is told another name for the last document, which Bob may never see."""
    values = [each.value for each in addition.openings if each.field == "documents"]
    return run.sealing(addition, "documents", [*values[:-1], values[-1] | {"name": "another"}])


def no_model(run: CheatingRun, addition: Addition) -> Addition | None:
    """Where the model should be there is a number, so that nothing can be replayed."""
    if "model" not in addition.statement.sealed:
        return None
    return replace(run.sealing(addition, "model", [0]), attachments=())


def same_answer(*, release: bool) -> Change:
    """Trent files an answer that is on record as a conflict, and perhaps releases something on the way."""
    first: dict[int, Addition] = {}

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if said.kind == "report":
            first[id(run)] = addition
        elif said.kind == "disclosure" and not run.cheated:
            shown = {*run.state.rounds[-1].bob, *said.content["positions"]}
            rest = tuple(index for index in range(run.state.rounds[-1].size) if index + 1 not in shown)
            if not rest:
                return None
            answer = first[id(run)]
            content = {"signature": _signature(answer).hex(), "statement": records.to_value(answer.statement)}
            conflict = msgspec.structs.replace(said, kind="conflict", content=content, sealed={})
            releases = (replace_indices(addition.releases[0], rest[-1:]),) if release else ()
            run.cheated += 1
            run.append(Addition(statement=conflict, releases=releases))
        return None

    return change


def replace_indices(release: entries.Release, indices: tuple[int, ...]) -> entries.Release:
    return msgspec.structs.replace(release, indices=indices)


def second_answer(kind: str, author: Role, **content: Any) -> Change:
    """Once the author has answered, Trent files another answer to the same question, which the author signed too."""
    first: dict[int, Addition] = {}

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if (said.kind, said.author) == (kind, author):
            first.setdefault(id(run), addition)
        elif not run.cheated and id(run) in first and said.author is Role.TRENT:
            other = saying(**content)(run, first[id(run)])
            signed = entries.SignedStatement(signature=_signature(other), statement=other.statement)
            run.cheated += 1
            run.append(run.engine.conflict(signed))
            run.cheated -= 1
            return addition
        return None

    return change


def _signature(addition: Addition) -> Signature:
    if addition.signature is None:
        raise ValueError("a party's answer is signed")
    return addition.signature


def ranked(change: Callable[[Cal, Selection, list[int]], Selection]) -> Callable[[Cal], None]:
    """CAL's choices, changed on their way to Trent."""

    def choose(cal: Cal) -> None:
        honest = cal.by_model

        def by_model(reviewed: Any, labels: Any, count: int, previous: bytes | None) -> Selection:
            return change(cal, honest(reviewed, labels, count, previous), reviewed)

        cal.by_model = by_model  # type: ignore[method-assign]

    return choose


def one_below_the_top(cal: Cal, selection: Selection, reviewed: Sequence[int]) -> Selection:
    """The last of the batch gives way to a document that nobody would have looked at."""
    taken = {*selection.documents, *reviewed}
    other = next(each for each in range(cal.corpus.size) if each not in taken)
    return replace(selection, documents=[*selection.documents[:-1], other])


def ties_the_wrong_way(cal: Cal, selection: Selection, reviewed: Sequence[int]) -> Selection:
    """Of two documents with the same score, the larger number first."""
    found = list(selection.documents)
    for place in range(len(found) - 1):
        one, other = found[place : place + 2]
        rows = [cal.corpus.features.row_bytes(each) for each in (one, other)]
        if rows[0] == rows[1] and one < other:
            found[place : place + 2] = [other, one]
            break
    return replace(selection, documents=found)


def not_optimal(cal: Cal, selection: Selection, reviewed: Sequence[int]) -> Selection:
    """A model that is a little off: one dual value in a million."""
    model: Any = canonical.decode(selection.model or b"{}")
    model["alphas"][0] += max(1, model["alphas"][0] // 1000)
    return replace(selection, model=canonical.encode(model))


def other_documents_model(cal: Cal, selection: Selection, reviewed: Sequence[int]) -> Selection:
    """A model of documents that nobody has labelled."""
    other = next(each for each in range(cal.corpus.size) if each not in set(reviewed))
    return replace(selection, model=canonical.encode({"alphas": [1], "documents": [other]}))


def hides_how_near(cal: Cal, selection: Selection, reviewed: Sequence[int]) -> Selection:
    return replace(selection, near_cut=(selection.near_cut or 0) + 1)


def drawn(change: Callable[[Selection], Selection]) -> Callable[[Cal], None]:
    """The batches that coins choose, changed."""

    def choose(cal: Cal) -> None:
        honest = cal.by_coin
        cal.by_coin = lambda *args: change(honest(*args))  # type: ignore[method-assign]

    return choose


def in_another_order(selection: Selection) -> Selection:
    return replace(selection, documents=selection.documents[::-1])


HIDING = {"alice": "hiding:0.6:near"}
DISPUTED = {"alice": "careless:0.2", "bob": "careless:0.2"}


def _trent(comment: str, check: str, **fields: Any) -> Cheat:
    return Cheat(who=Role.TRENT, comment=comment, check=check, **fields)


CHEATS: dict[str, Cheat] = {
    # Trent
    "trent-skips-a-sampled-document": _trent(
        "a document that a coin drew is not shown to Bob", "V13", bend=bent(skip_a_drawn_one)
    ),
    "trent-skips-a-sampled-document-classifier": _trent(
        "the same under a classifier report", "V13", bend=bent(skip_a_drawn_one), protocol="classifier"
    ),
    "trent-discloses-an-unsampled-document": _trent(
        "a document that no coin drew is shown to Bob", "V13", bend=bent(add_one_not_drawn)
    ),
    "trent-flips-a-coin": _trent("one coin falls as Trent wants", "V13", bend=bent(flip_a_coin)),
    "trent-gives-a-false-link": _trent(
        "the link with which Trent closes a round is not of his chain",
        "V08",
        caught_in=EVERYBODY,
        change=of_kind("closed", other_link),
        last=True,
    ),
    "trent-draws-a-batch-with-a-false-link": _trent(
        "the link with which Trent draws the first batch is not of his chain",
        "V08",
        caught_in=EVERYBODY,
        change=of_kind("batch", other_drawn_link),
        last=True,
    ),
    "trent-picks-a-batch-that-is-not-the-top": _trent(
        "the last document of a batch is not among the N highest",
        "V10",
        caught_in=COURT_WITH_CORPUS,
        choose=ranked(one_below_the_top),
    ),
    "trent-breaks-a-tie-the-wrong-way": _trent(
        "of two documents with one score, the larger number comes first",
        "V10",
        caught_in=COURT_WITH_CORPUS,
        choose=ranked(ties_the_wrong_way),
    ),
    "trent-orders-a-drawn-batch-otherwise": _trent(
        "a batch drawn by coin stands in another order than its scores",
        "V10",
        caught_in=COURT_WITH_CORPUS,
        choose=drawn(in_another_order),
    ),
    "trent-signs-a-model-that-is-not-optimal": _trent(
        "one dual value is a thousandth too large", "V11", caught_in=COURT_WITH_CORPUS, choose=ranked(not_optimal)
    ),
    "trent-signs-a-model-of-unlabelled-documents": _trent(
        "the model rests on a document that has no label",
        "V11",
        caught_in=COURT_WITH_CORPUS,
        choose=ranked(other_documents_model),
    ),
    "trent-misstates-how-many-are-near-the-cut": _trent(
        "near_cut is one too many", "V11", caught_in=COURT_WITH_CORPUS, choose=ranked(hides_how_near)
    ),
    "trent-changes-delta-midway": _trent(
        "from round 2 on, coins draw as if delta were another", "V13", bend=bent(another_delta_from_round_2)
    ),
    "trent-changes-the-batch-size-midway": _trent(
        "the second batch is smaller than the terms say",
        "V09",
        caught_in=EVERYBODY,
        change=of_kind("batch", shorter_batch, round_=2),
        last=True,
    ),
    "trent-reviews-a-document-twice": _trent(
        "a document of the first batch stands in the second again",
        "V09",
        caught_in=(Audience.ALICE, Audience.COURT),
        change=of_kind("batch", repeated_place, round_=2),
        last=True,
    ),
    "trent-ignores-a-compelled-disclosure": _trent(
        "a drawn document is confirmed as responsive, and the rest of the batch is not shown",
        "V13",
        bend=bent(forget_what_compels),
        players=HIDING,
    ),
    "trent-mislabels-the-output": _trent(
        "a responsive document is not in the round's output",
        "V16",
        change=of_kind("closed", saying(responsive=lambda found: found[:-1]), round_=1),
        last=True,
    ),
    "trent-claims-a-round-was-not-compelled": _trent(
        "the close of a compelled round says that it was not",
        "V16",
        change=lambda run, addition: (
            saying(compelled=False)(run, addition)
            if not run.cheated and addition.statement.content.get("compelled") is True
            else None
        ),
        last=True,
        players=HIDING,
    ),
    "trent-inflates-recall": _trent(
        "the claims count one more found than there are",
        "V17",
        caught_in=EVERYBODY,
        change=of_kind("claims", saying(found=lambda n: n + 1, nrd=lambda n: n - 1)),
    ),
    "trent-inflates-the-true-recall": _trent(
        "a round's close says that Bob saw a truly responsive document more than he did",
        "V24",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("closed", saying(truth=lambda found: found | {"revealed": found["revealed"] - 1}), round_=2),
    ),
    "trent-understates-nrd": _trent(
        "the claims count two fewer irrelevant disclosures than there are",
        "V17",
        caught_in=EVERYBODY,
        change=of_kind("claims", saying(nrd=lambda n: n - 2, revealed=lambda n: n - 2)),
    ),
    "trent-understates-the-bound": _trent(
        "the claims bound the hidden documents by one too few",
        "V18",
        change=of_kind("claims", saying(hidden=lambda found: found | {"at_most": found["at_most"] - 1})),
    ),
    "trent-promises-another-guarantee": _trent(
        "the claims promise more than the paper proves",
        "V17",
        caught_in=EVERYBODY,
        change=of_kind("claims", saying(guarantee="Nothing is hidden.")),
    ),
    "trent-swaps-a-document-after-the-commitment": _trent(
        "the disclosed content is not the committed one",
        "V14",
        change=of_kind("disclosure", swapped_content),
        last=True,
    ),
    "trent-renames-a-document-after-the-commitment": _trent(
        "the document at a position has another name than the committed one",
        "V14",
        change=of_kind("batch", renamed_place),
        players={"alice": "careless:0.9"},
    ),
    "trent-keeps-a-dispute-from-the-court": _trent(
        "Alice and Bob disagree about two documents, and the court is asked about one",
        "V15",
        change=lambda run, addition: (
            saying(positions=lambda found: found[:-1])(run, addition)
            if not run.cheated
            and addition.statement.kind == "dispute"
            and len(addition.statement.content["positions"]) > 1
            else None
        ),
        players=DISPUTED,
    ),
    "trent-asks-the-court-about-what-is-agreed": _trent(
        "the court is asked about a document on which Alice and Bob agree",
        "V15",
        change=of_kind(
            "dispute", lambda run, addition: run.saying(addition, positions=sorted(run.state.rounds[-1].bob))
        ),
        players=DISPUTED,
    ),
    "trent-opens-terms-that-cannot-be-run": _trent(
        "more rounds than there are coins for",
        "V07",
        caught_in=EVERYBODY,
        change=of_kind("open", saying(terms=lambda found: found | {"draws": 1})),
        last=True,
    ),
    "trent-skips-a-draw": _trent(
        "the first draw is said to be the second",
        "V08",
        caught_in=EVERYBODY,
        change=of_kind("draw", saying(draw=2)),
        last=True,
    ),
    "trent-commits-to-another-vocabulary": _trent(
        "the sealed hash of the term table is not that of the texts' terms",
        "V22",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("open", lambda run, addition: run.sealing(addition, "vocabulary", [bytes(32).hex()])),
    ),
    "trent-releases-names-in-a-conflict": _trent(
        "a conflict entry opens to Bob the name of a document that no rule discloses",
        "V05",
        caught_in=EVERYBODY,
        change=same_answer(release=True),
    ),
    "trent-files-the-same-answer-as-a-conflict": _trent(
        "a conflict entry holds the answer that is on record, to make its author look bad",
        "V19",
        caught_in=EVERYBODY,
        change=same_answer(release=False),
    ),
    "trent-seals-no-model": _trent(
        "where the model should be there is a number, and the batch is of Trent's choice",
        "V11",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("batch", no_model),
    ),
    "trent-tells-alice-another-name": _trent(
        "Alice labels a document under a name that is not the committed one",
        "V10",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("batch", misnamed_last),
    ),
    # Alice
    "alice-gives-a-false-link-with-her-report": Cheat(
        who=Role.ALICE,
        comment="the link in her report is not of her chain",
        check="V08",
        caught_in=EVERYBODY,
        change=of_kind("report", other_link, author=Role.ALICE),
        last=True,
    ),
    "alice-gives-a-false-link-for-the-first-batch": Cheat(
        who=Role.ALICE,
        comment="the link for the first draw is not of her chain",
        check="V08",
        caught_in=EVERYBODY,
        change=of_kind("link", other_link, author=Role.ALICE),
        last=True,
    ),
    "alice-reports-twice": Cheat(
        who=Role.ALICE,
        comment="she signs two reports for one question",
        check="V19",
        caught_in=EVERYBODY,
        change=second_answer("report", Role.ALICE, openings="00" * 32),
    ),
    "alice-leaves-a-label-out": Cheat(
        who=Role.ALICE,
        comment="her report has a label less than the batch has documents",
        check="V12",
        caught_in=EVERYBODY,
        change=of_kind("report", labels_of(lambda found: found[:-1]), author=Role.ALICE),
        last=True,
    ),
    "alice-reports-no-label": Cheat(
        who=Role.ALICE,
        comment="where a label is asked for she commits to null",
        check="V12",
        caught_in=(Audience.ALICE, Audience.COURT),
        change=of_kind("report", labels_of(lambda found: [None, *found[1:]]), author=Role.ALICE),
        last=True,
    ),
    "alice-reports-a-rank-beyond-the-batch": Cheat(
        who=Role.ALICE,
        comment="her threshold is no rank of the batch",
        check="V12",
        caught_in=(Audience.ALICE, Audience.COURT),
        protocol="classifier",
        change=of_kind("report", a_threshold_beyond, author=Role.ALICE),
        last=True,
    ),
    "alice-signs-a-false-hash-of-her-openings": Cheat(
        who=Role.ALICE,
        comment="the hash in her report is not that of its openings",
        check="V12",
        caught_in=(Audience.ALICE, Audience.COURT),
        change=of_kind("report", saying(openings="00" * 32), author=Role.ALICE),
        last=True,
    ),
    "alice-seals-her-report-for-bob": Cheat(
        who=Role.ALICE,
        comment="her report names Bob among those who may open it at once",
        check="V05",
        caught_in=EVERYBODY,
        change=of_kind("report", sealed_for_bob, author=Role.ALICE),
        last=True,
    ),
    # Bob
    "bob-labels-what-he-was-not-shown": Cheat(
        who=Role.BOB,
        comment="he gives a label more than documents were shown",
        check="V15",
        caught_in=EVERYBODY,
        change=of_kind("labels", saying(labels=lambda found: [*found, True]), author=Role.BOB),
        last=True,
    ),
    "bob-leaves-some-out": Cheat(
        who=Role.BOB,
        comment="he gives a label less than documents were shown",
        check="V15",
        caught_in=EVERYBODY,
        change=of_kind("labels", saying(labels=lambda found: found[:-1]), author=Role.BOB),
        last=True,
    ),
    "bob-gives-a-false-link": Cheat(
        who=Role.BOB,
        comment="the link that fixes a round's coins is not of his chain",
        check="V08",
        caught_in=EVERYBODY,
        change=of_kind("link", other_link, author=Role.BOB, round_=1),
        last=True,
    ),
    "bob-answers-twice": Cheat(
        who=Role.BOB,
        comment="he signs two sets of labels for one wave",
        check="V19",
        caught_in=EVERYBODY,
        change=second_answer("labels", Role.BOB, labels=lambda found: [not found[0], *found[1:]]),
    ),
    "bob-says-something-else": Cheat(
        who=Role.BOB,
        comment="asked for labels he signs rulings, which are the court's to make",
        check="V05",
        caught_in=EVERYBODY,
        change=of_kind("labels", lambda run, addition: run.resigned(addition, kind="rulings"), author=Role.BOB),
        last=True,
    ),
    # the court
    "court-rules-on-what-is-not-disputed": Cheat(
        who=Role.COURT,
        comment="it gives a ruling more than documents are disputed",
        check="V15",
        caught_in=EVERYBODY,
        change=of_kind("rulings", saying(labels=lambda found: [*found, True]), author=Role.COURT),
        last=True,
        players=DISPUTED,
    ),
    "court-leaves-a-dispute-open": Cheat(
        who=Role.COURT,
        comment="it gives no ruling at all",
        check="V15",
        caught_in=EVERYBODY,
        change=of_kind("rulings", saying(labels=[]), author=Role.COURT),
        last=True,
        players=DISPUTED,
    ),
    "court-rules-twice": Cheat(
        who=Role.COURT,
        comment="it signs two rulings for one dispute",
        check="V19",
        caught_in=EVERYBODY,
        change=second_answer("rulings", Role.COURT, labels=lambda found: [not found[0], *found[1:]]),
        players=DISPUTED,
    ),
}
