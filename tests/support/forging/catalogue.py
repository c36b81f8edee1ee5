"""Every cheat: who does it, how, what must catch it, and in whose copy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.roles import Audience, Role
from protocol.learning.cal import Cal
from protocol.matter.state import Matter
from protocol.rules.base import Examiner
from tests.support.forging.bending import (
    INSIDERS,
    a_shorter_list,
    a_threshold_beyond,
    add_one_not_drawn,
    another_delta_from_round_2,
    another_list,
    bent,
    counting,
    drawn,
    flip_a_coin,
    forget_what_compels,
    hides_how_near,
    in_another_order,
    labels_of,
    misnamed_last,
    no_model,
    not_optimal,
    of_kind,
    one_below_the_top,
    other_documents_model,
    other_drawn_link,
    other_link,
    ranked,
    renamed_place,
    repeated_place,
    same_answer,
    saying,
    sealed_for_bob,
    second_answer,
    shorter_batch,
    skip_a_drawn_one,
    swapped_content,
    ties_the_wrong_way,
    wrong_path,
)
from tests.support.forging.mutations import reviewed
from tests.support.forging.running import Change, CheatingRun

EVERYBODY = (*INSIDERS, Audience.PUBLIC)
COURT_WITH_CORPUS = (Audience.COURT,)


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
    bend: Callable[[Examiner, Matter], Examiner] = lambda rule, _: rule
    choose: Callable[[Cal], None] = lambda _: None
    course: type[CheatingRun] = CheatingRun
    terms: Mapping[str, Any] = field(default_factory=dict)  # that it needs
    base: str = ""  # the honest course from which it departs, if it has a name

    @property
    def bends(self) -> dict[str, Any]:
        """What a run of it is given."""
        return {
            "change": self.change,
            "last": self.last,
            "bend": self.bend,
            "choose": self.choose,
            "course": self.course,
        }

    @property
    def needs_corpus(self) -> bool:
        """Whether only the sealed corpus shows it."""
        return self.check in ("V10", "V11", "V22", "V24", "V30") and self.caught_in == COURT_WITH_CORPUS


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
        terms={"seed": "1"},
    ),
    "trent-mislabels-the-output": _trent(
        "a responsive document is not in the round's output",
        "V16",
        caught_in=EVERYBODY,
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
        terms={"seed": "1"},
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
    "trent-misstates-how-many-are-responsive": _trent(
        "the opening of a simulation says that a document more is responsive than its labels say",
        "V24",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("open", saying(simulation=lambda found: found | {"responsive": found["responsive"] + 1})),
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
        change=of_kind("claims", saying(certificates=reviewed(lambda found: {"at_most": found["at_most"] - 1}))),
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
    "trent-miscounts-what-was-received": _trent(
        "the account has an item more than containers, exceptions and families",
        "V30",
        caught_in=EVERYBODY,
        change=of_kind("open", counting(items=1)),
        last=True,
    ),
    "trent-miscounts-the-parts": _trent(
        "the account has a part without text more than the corpus",
        "V30",
        caught_in=COURT_WITH_CORPUS,
        change=of_kind("open", counting(unread=1)),
    ),
    "trent-seals-another-list": _trent(
        "the sealed list of what was received is not the one that the account names",
        "V30",
        caught_in=(Audience.ALICE, Audience.COURT),
        change=of_kind("open", another_list),
        last=True,
    ),
    "trent-leaves-an-item-out-of-the-list": _trent(
        "the sealed list of what was received has an item less than the account counts",
        "V30",
        caught_in=(Audience.ALICE, Audience.COURT),
        change=of_kind("open", a_shorter_list),
        last=True,
    ),
    "trent-leads-a-wave-elsewhere": _trent(
        "the path of a wave does not lead to the root of the corpus", "V14", change=of_kind("disclosure", wrong_path)
    ),
    "trent-gives-a-path-of-no-hashes": _trent(
        "the path of a wave is no sequence of hashes",
        "V14",
        change=of_kind("disclosure", lambda run, addition: run.sealing(addition, "path", ["path"])),
        last=True,
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
        caught_in=(Audience.ALICE, Audience.COURT),
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
        caught_in=(Audience.ALICE, Audience.COURT),
        change=second_answer("report", Role.ALICE, openings="00" * 32),
    ),
    "alice-leaves-a-label-out": Cheat(
        who=Role.ALICE,
        comment="her report has a label less than the batch has documents",
        check="V12",
        caught_in=(Audience.ALICE, Audience.COURT),
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
        change=second_answer("rulings", Role.COURT, labels=lambda found: [not found[0], *found[1:]]),
        players=DISPUTED,
    ),
}
