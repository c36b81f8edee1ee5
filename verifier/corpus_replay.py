"""V10, V11, V21, V22, V24: is the corpus the committed one, and did CAL choose what Trent says it chose?

The replay tells the sealed corpus each batch and each close. The rows count only if every leaf matches the root that
the matter committed to; then a wrong batch or model is the fault of Trent, who signed it. A folder that does not match
is damaged or another corpus, and nobody is blamed. A broken condition is only a finding: the batch stands, and what
follows from it can be judged.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np

from verifier import received_list
from verifier.checks import Check
from verifier.corpus import features, leaves
from verifier.corpus.counting import Counting
from verifier.corpus.crew import Crew
from verifier.corpus.folder import CorpusDamaged, SealedCorpus
from verifier.corpus.model import BadModel, LabelledSet, Model
from verifier.corpus.ranking import NotSound, Ranker
from verifier.findings import Finding
from verifier.plural import count
from verifier.record.copy import Told
from verifier.record.hashing import integer, tagged_hash
from verifier.replay import account, with_corpus
from verifier.replay.condition import Broken, Condition
from verifier.replay.contents import Batch, Closed, Opened, Place, Validated
from verifier.replay.training import Lesson
from verifier.rules import coins
from verifier.tally import Progress, Tally

CONDITIONS = with_corpus.CONDITIONS
P = ParamSpec("P")

_NO_CORPUS = "the corpus at hand is not the one that the matter committed to"
_BY_ROWS = (Check.RANKING, Check.MODELS, Check.TRUTH)


class _Broken(Exception):
    """An entry breaks a condition, and is not checked any further."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.rule)
        self.finding = finding


@dataclass(slots=True)
class _Judged:
    """What exists only once the corpus is known to be the committed one."""

    corpus: SealedCorpus
    ranker: Ranker
    labelled: LabelledSet
    put_up: Any  # a mask of document numbers
    batch: list[int] = field(default_factory=list)  # the last one's documents
    truth: frozenset[int] | None = None  # a simulation's responsive documents


class SealedReplay:
    """The corpus of one matter, as the replay uses it."""

    def __init__(self, path: Path, tally: Tally, progress: Progress, crew: Crew | None = None) -> None:
        self.trouble: str | None = None  # why nothing can be judged by this corpus
        self._path, self._tally, self._progress, self._crew = path, tally, progress, crew or Crew()
        self._judged: _Judged | None = None
        self._told: Told | None = None  # the first entry
        self._opened: Opened | None = None
        self._vocabulary: str | None = None
        self._table_is_committed = False  # the folder's term table
        self._other_list = ""  # what is wrong with the folder's list of what was received

    def open(self, told: Told, content: Opened, vocabulary: str | None) -> None:
        """Recompute the commitment before anything is judged by the corpus."""
        self._told, self._opened, self._vocabulary = told, content, vocabulary
        try:
            corpus = SealedCorpus.open(self._path)
            if corpus.size != content.corpus.documents:
                raise CorpusDamaged(f"it has {count(corpus.size, 'document')}, the matter {content.corpus.documents}")
            counting = Counting()
            root = leaves.root(corpus, self._showing("Checking the commitment", corpus), counting, self._crew)
            if root != content.corpus.root:
                raise CorpusDamaged(f"its root is {root.hex()}, the matter's is {content.corpus.root.hex()}")
        except CorpusDamaged as error:
            self.trouble = f"{self._path} is damaged, or is not the corpus of this matter: {error}"
            for check in (Check.CORPUS, Check.RANKING, Check.MODELS, Check.FEATURES, Check.TRUTH, Check.ACCOUNT):
                self._tally.leave(check, _NO_CORPUS)
            return
        self._tally.passed(Check.CORPUS, corpus.size)
        self._judge_account(told, corpus, content, counting)
        with self._unless_changed():
            self._begin(told, corpus, content)

    def _judge_account(self, told: Told, corpus: SealedCorpus, content: Opened, counting: Counting) -> None:
        """V30: whether the account is that of the list and of the parts in the corpus."""
        if broken := account.judge_counts(content.corpus.account, counting):
            self._tally.fail(account.COUNTED.finding(told, broken))
        if sha256(corpus.account).digest() != content.corpus.account.list:
            self._other_list = f"{self._path} is damaged: account.jsonl is not the list that the opening names"
            self._tally.leave(Check.ACCOUNT, "the list of what was received in the corpus at hand is damaged")
        elif "account" not in told.attachments and not received_list.fits(corpus.account, content.corpus):
            broken = account.judge_list(bytes(corpus.account), content.corpus)
            if broken is not None:
                self._tally.fail(account.LISTED.finding(told, broken))

    def _begin(self, told: Told, corpus: SealedCorpus, content: Opened) -> None:
        self._table_is_committed = features.stored_table_digest(corpus).hex() == self._vocabulary
        try:
            ranker = Ranker(corpus, self._crew, self._showing("Measuring the rows", corpus))
        except NotSound:
            for check in _BY_ROWS:
                self._tally.leave(check, "the rows and the term table at hand do not fit together")
            return
        self._judged = _Judged(
            corpus=corpus,
            ranker=ranker,
            labelled=LabelledSet(corpus),
            put_up=np.zeros(corpus.size, dtype=bool),
            truth=self._truth(told, corpus, content),
        )

    def _showing(self, stage: str, corpus: SealedCorpus) -> Callable[[int], None]:
        """Tells how many documents are done in this stage."""
        return lambda done: self._progress(stage, done, corpus.size)

    @contextmanager
    def _unless_changed(self) -> Iterator[None]:
        """Give up if the folder can no longer be read: it could when the commitment was checked."""
        try:
            yield
        except CorpusDamaged as error:
            self.trouble, self._judged = f"{self._path} was changed while it was read: {error}", None
            for check in (*_BY_ROWS, Check.FEATURES):
                self._tally.leave(check, "the corpus at hand was changed while it was read")

    def _truth(self, told: Told, corpus: SealedCorpus, content: Opened) -> frozenset[int] | None:
        played = content.simulation
        if played is None:
            return None
        found = corpus.labels(played.label)
        if found is None or tagged_hash("truth", *map(integer, sorted(found))) != played.truth:
            self._tally.leave(Check.TRUTH, "the corpus at hand does not hold the labels that the simulation was given")
            return None
        if len(found) != played.responsive:
            self._tally.fail(with_corpus.TRUE_COUNT.finding(told, Broken(len(found), played.responsive)))
        return found

    def batch(self, told: Told, content: Batch, places: dict[int, Place], seed: bytes | None) -> None:
        """Whether the batch is the one that its model or its coins choose (V10), and the model optimal (V11)."""
        judged = self._judged_if(shown=len(places) == content.size)
        if judged is None:
            return
        judged.batch = [places[position].document for position in range(1, content.size + 1)]
        with self._unless_changed():
            self._finding_only(self._check_names, judged, told, places)
            if seed is not None:
                self._finding_only(self._by_coin, judged, told, seed)
            else:
                self._finding_only(self._by_model, judged, told, content)
        judged.put_up[judged.batch] = True

    def validation(self, told: Told, content: Validated, places: dict[int, Place]) -> None:
        """Documents that a validation draws or calls, which enter no later batch."""
        judged = self._judged_if(shown=len(places) == len(content.numbers))
        if judged is None:
            return
        with self._unless_changed():
            self._finding_only(self._check_names, judged, told, places)
        judged.put_up[[each.document for each in places.values()]] = True

    def _judged_if(self, *, shown: bool) -> _Judged | None:
        """What can be judged, if the copy shows all documents that were put up so far."""
        if self._judged is not None and not shown:
            reason = "this copy does not show which documents were put up for review"
            for check in _BY_ROWS:
                self._tally.leave(check, reason)
            self._judged = None
        return self._judged

    def _finding_only(self, judge: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            judge(*args, **kwargs)
        except _Broken as broken:
            self._tally.fail(broken.finding)

    def _check_names(self, judged: _Judged, told: Told, places: dict[int, Place]) -> None:
        names = judged.corpus.names([place.document for place in places.values()])
        for due, (position, place) in zip(names, places.items(), strict=True):
            if due != place.name:
                raise _broken(with_corpus.COMMITTED_NAMES, told, repr(due), f"{place.name!r} at position {position}")

    def _by_coin(self, judged: _Judged, told: Told, seed: bytes) -> None:
        agreed = self._opened.terms if self._opened else None
        if agreed is None or (agreed.query and not self._table_is_committed):
            self._tally.leave(Check.RANKING, "the term table at hand is not known to be the committed one")
            return
        drawing = self._showing("Drawing a batch again", judged.corpus)
        due = judged.ranker.by_coin(agreed.query, judged.put_up, agreed.batch, partial(coins.coins, seed), drawing)
        self._compare(judged, told, due)

    def _by_model(self, judged: _Judged, told: Told, content: Batch) -> None:
        if "model" not in told.values:
            for check in (Check.RANKING, Check.MODELS):
                self._tally.leave(check, "this copy does not show the models")
            return
        data = told.attachments.get("model")
        if data is None:
            raise _broken(with_corpus.ATTACHED, told, "such an attachment", str(told.values["model"].get(0))[:200])
        try:
            model = judged.labelled.certify(data)
            ranking, size = (
                self._showing("Ranking again", judged.corpus),
                self._opened.terms.batch if self._opened else 0,
            )
            due, near_cut = judged.ranker.by_model(model, judged.put_up, size, ranking)
        except BadModel as error:
            raise _broken(with_corpus.DUAL, told, "such a model", error) from None
        self._compare(judged, told, due)
        self._judge_model(told, content, model, near_cut)

    def _judge_model(self, told: Told, content: Batch, model: Model, near_cut: int) -> None:
        if not model.accepted:
            raise _broken(with_corpus.OPTIMAL, told, f"at most {model.primal // 10**12} units of 2^-91", model.gap)
        if near_cut != content.near_cut:
            raise _broken(with_corpus.NEAR_CUT, told, near_cut, content.near_cut)
        self._tally.passed(Check.MODELS)

    def _compare(self, judged: _Judged, told: Told, due: list[int]) -> None:
        found = judged.batch
        if due == found:
            self._tally.passed(Check.RANKING)
            return
        rank = next(
            (rank for rank, (one, other) in enumerate(zip(due, found, strict=False), start=1) if one != other),
            min(len(due), len(found)) + 1,
        )
        expected = f"document {due[rank - 1]} at rank {rank}" if rank <= len(due) else count(len(due), "document")
        instead = f"document {found[rank - 1]}" if rank <= len(found) else count(len(found), "document")
        self._tally.fail(with_corpus.RANKED.finding(told, Broken(expected, instead)))

    def close(self, told: Told, content: Closed, lesson: Lesson, shown: set[int]) -> None:
        """What is learnt from the round, and whether its truth is that of the labels at hand."""
        judged = self._judged_if(shown=lesson.known)
        if judged is None:
            return
        numbers = lesson.documents
        judged.labelled.relabel([numbers[each] for each in lesson.replaced], list(lesson.replaced.values()))
        with self._unless_changed():
            judged.labelled.add([numbers[each] for each in lesson.appended], list(lesson.appended.values()))
        if judged.truth is not None and content.truth is not None:
            places = [place for place, document in numbers.items() if document in judged.truth]
            due = (len(places), sum(place in shown for place in places))
            stated = (content.truth.responsive, content.truth.revealed)
            if due != stated:
                self._tally.fail(with_corpus.TRUE_ROUND.finding(told, Broken(_in_words(*due), _in_words(*stated))))
            else:
                self._tally.passed(Check.TRUTH)

    def finish(self) -> None:
        """Recompute every feature row from its document's text (V22). This is the longest step."""
        if self._opened is None:
            for check in (Check.CORPUS, Check.FEATURES, Check.ACCOUNT):
                self._tally.leave(check, "the matter's commitment could not be read")
        elif self.trouble is None:
            self._check_features(self._opened)
            self.trouble = self.trouble or self._other_list or None

    def _check_features(self, opened: Opened) -> None:
        try:
            corpus = SealedCorpus.open(self._path)
            found = features.recompute(corpus, self._showing("Recomputing features", corpus), self._crew)
        except CorpusDamaged as error:
            self.trouble = f"{self._path} is damaged: {error}"
            self._tally.leave(Check.FEATURES, "the corpus at hand is damaged")
            return
        if found.damaged:
            self.trouble = (
                f"{self._path} is damaged: document {found.damaged[0]} does not have the content and text that were "
                "committed to"
            )
            self._tally.leave(Check.FEATURES, "a document of the corpus at hand is damaged, and affects every row")
            self._tally.leave(Check.CORPUS, "a document of the corpus at hand is damaged")
            return
        if found.wrong_count and leaves.root(corpus, crew=self._crew) != opened.corpus.root:
            self.trouble = f"{self._path} was changed while it was read"
            self._tally.leave(Check.FEATURES, "the corpus at hand was changed while it was read")
            return
        self._judge_features(found)

    def _judge_features(self, found: features.Recomputed) -> None:
        if found.wrong_count:
            expected = f"the row of its text for document {found.wrong[0]}"
            self._fail_features(expected, f"another row, here and for {count(found.wrong_count - 1, 'more document')}")
        elif self._vocabulary is not None and found.table.hex() != self._vocabulary:
            self._fail_features(f"a term table with the hash {found.table.hex()}", self._vocabulary)
        else:
            self._tally.passed(Check.FEATURES, self._opened.corpus.documents if self._opened else 0)
            if self._vocabulary is None:
                self._tally.leave(
                    Check.FEATURES, "the term table's hash is sealed for the court; the rows alone are right"
                )
            elif not self._table_is_committed:
                self.trouble = f"{self._path} is damaged: its term table is not that of its texts"
                self._tally.leave(Check.FEATURES, "the term table at hand is damaged; the rows alone are right")

    def _fail_features(self, expected: str, found: str) -> None:
        if self._told is not None:
            self._tally.fail(with_corpus.ROWS.finding(self._told, Broken(expected, found)))


def _broken(condition: Condition, told: Told, expected: object, found: object) -> _Broken:
    return _Broken(condition.finding(told, Broken(expected, found)))


def _in_words(responsive: int, revealed: int) -> str:
    return f"{responsive} responsive, {revealed} revealed"
