"""The ways in which simulated parties bend a matter: rules, rankings, and entries on their way into the log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import msgspec

from ledger import canonical, entries, records
from ledger.entries import Addition, Attached
from ledger.hashing import Digest
from ledger.keys import Signature
from ledger.openings import hash_openings
from ledger.roles import Audience, Role
from protocol.learning.cal import Cal, Selection
from protocol.matter.kinds.conflict import audiences
from protocol.matter.state import Matter
from protocol.rules.base import Evidence, Examination, Examiner, Report
from protocol.rules.spot_check import SpotCheck
from tests.support import paper_rules
from tests.support.forging.running import Change, CheatingRun

INSIDERS = (Audience.ALICE, Audience.BOB, Audience.COURT)

Look = Callable[[Examiner, Matter, Report, Sequence[int], Mapping[int, bool]], Examination]


class _Counting:
    """A rule that is told which positions count as drawn."""

    def __init__(self, rule: Examiner, counted: frozenset[int]) -> None:
        self.name, self.reports_threshold, self.ends_at_a_find = rule.name, rule.reports_threshold, rule.ends_at_a_find
        self.rule, self.counted = rule, counted

    def examine(
        self, report: Report, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int] = frozenset()
    ) -> Examination:
        return self.rule.examine(report, coins, settled, counted | self.counted)

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return self.rule.hidden_at_most(rounds, doubt)


class BentRule:
    """A rule that examines as a cheating Trent wishes."""

    def __init__(self, rule: Examiner, state: Matter, look: Look) -> None:
        self.name, self.reports_threshold, self.ends_at_a_find = rule.name, rule.reports_threshold, rule.ends_at_a_find
        self.rule, self.state, self.look = rule, state, look

    def examine(
        self, report: Report, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int] = frozenset()
    ) -> Examination:
        rule = _Counting(self.rule, counted) if counted else self.rule
        return self.look(rule, self.state, report, coins, settled)

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return self.rule.hidden_at_most(rounds, doubt)


@dataclass(frozen=True, slots=True, kw_only=True)
class BentSpotCheck(SpotCheck):
    """The same of spot checks, of which the matter keeps books."""

    rule: SpotCheck
    state: Matter
    look: Look

    def examine(
        self, report: Report, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int] = frozenset()
    ) -> Examination:
        rule = _Counting(self.rule, counted) if counted else self.rule
        return self.look(rule, self.state, report, coins, settled)


def bent(look: Look) -> Callable[[Examiner, Matter], Examiner]:
    def bend(rule: Examiner, state: Matter) -> Examiner:
        if not isinstance(rule, SpotCheck):
            return BentRule(rule, state, look)
        own = {name: getattr(rule, name) for name in SpotCheck.__dataclass_fields__}
        return BentSpotCheck(**own, rule=rule, state=state, look=look)

    return bend


def skip_a_drawn_one(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    found = rule.examine(report, coins, settled)
    return replace(found, due=found.due - {max(found.drawn, default=0)})


def add_one_not_drawn(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    found = rule.examine(report, coins, settled)
    rest = sorted(set(range(1, len(report.labels) + 1)) - found.due)
    return replace(found, due=found.due | set(rest[-1:]))


def flip_a_coin(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    """The last position's coin falls as he wants."""
    found = rule.examine(report, coins, settled)
    coin = 2**64 - 1 if len(report.labels) in found.drawn else 0
    return rule.examine(report, [*coins[:-1], coin], settled)


def forget_what_compels(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    """Nothing that was found below the threshold counts."""
    above = rule.examine(report, coins, {}).due
    kept = {place: label and (place not in above or report.labels[place - 1]) for place, label in settled.items()}
    return rule.examine(report, coins, kept)


def another_delta_from_round_2(rule: Examiner, state: Matter, report: Report, coins: Any, settled: Any) -> Examination:
    later = paper_rules.rule(rule.name, delta=Fraction(99, 100), k=1)
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


def with_content(proof: Any, content: str) -> Any:
    """The proof of a document whose part 0 has another content."""
    first, *others = proof["parts"]
    return proof | {"parts": [first | {"content": content}, *others]}


def swapped_content(run: CheatingRun, addition: Addition) -> Addition:
    """Another document's content under the same number."""
    values = [each.value for each in addition.openings if each.field == "proofs"]
    return run.sealing(addition, "proofs", [with_content(values[0], bytes(32).hex()), *values[1:]])


def wrong_path(run: CheatingRun, addition: Addition) -> Addition:
    """The last hash of a wave's path is another one, or there is one too many."""
    (path,) = (each.value for each in addition.openings if each.field == "path")
    return run.sealing(addition, "path", [path[:-64] + bytes(32).hex()])


def counting(**more: int) -> Callable[[CheatingRun, Addition], Addition]:
    """An account with other numbers."""

    def change(run: CheatingRun, addition: Addition) -> Addition:
        corpus = addition.statement.content["corpus"]
        account = corpus["account"]
        changed = account | {name: account[name] + each for name, each in more.items()}
        return run.saying(addition, corpus=corpus | {"account": changed})

    return change


def another_list(run: CheatingRun, addition: Addition) -> Addition:
    """A list of other items, for Alice and the court."""
    return _listing(run, addition, _listed(addition).replace(b"mail-", b"male-"))


def a_shorter_list(run: CheatingRun, addition: Addition) -> Addition:
    """The last item is missing from the list, and the account names that list."""
    data = b"".join(_listed(addition).splitlines(keepends=True)[:-1])
    corpus = addition.statement.content["corpus"]
    named = corpus["account"] | {"list": sha256(data).hexdigest()}
    return _listing(run, run.saying(addition, corpus=corpus | {"account": named}), data)


def _listing(run: CheatingRun, addition: Addition, data: bytes) -> Addition:
    value = {"attachment": sha256(data).hexdigest(), "size": len(data)}
    return replace(run.sealing(addition, "account", [value]), attachments=(Attached.of(data),))


def _listed(addition: Addition) -> bytes:
    return b"".join(addition.attachments[0].pieces())


def renamed_place(run: CheatingRun, addition: Addition) -> Addition:
    """The first document of the batch under another name."""
    values = [each.value for each in addition.openings if each.field == "documents"]
    return run.sealing(addition, "documents", [values[0] | {"name": "another"}, *values[1:]])


def repeated_place(run: CheatingRun, addition: Addition) -> Addition | None:
    """A document of the first batch is in the second batch again."""
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
        (labels,) = [each.value for each in addition.openings if each.field == "labels"]
        sealed = run.sealing(addition, "labels", [change(labels)])
        return run.saying(sealed, openings=hash_openings(sealed.openings).hex())

    return changed


def a_threshold_beyond(run: CheatingRun, addition: Addition) -> Addition:
    sealed = run.sealing(addition, "threshold", [10**6])
    return run.saying(sealed, openings=hash_openings(sealed.openings).hex())


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
            answer = first[id(run)].statement
            evidence: Any = {"signature": _signature(first[id(run)]).hex(), "statement": records.to_value(answer)}
            known = next(each for each in run.state.answered.values() if each.statement == answer)
            sealed, openings = run.trent.seal.close("same", {"evidence": (audiences(answer), [evidence])})
            conflict = msgspec.structs.replace(said, kind="conflict", content={"answer": known.entry}, sealed=sealed)
            releases = (replace_indices(addition.releases[0], rest[-1:]),) if release else ()
            run.cheated += 1
            run.desk.add(Addition(statement=conflict, openings=openings, releases=releases))
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
            run.desk.keep_as_evidence(signed, run.trent.seal)
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

        def by_model(reviewed: Any, labels: Any, count: int, previous: bytes | None, unlabelled: Any = ()) -> Selection:
            return change(cal, honest(reviewed, labels, count, previous, unlabelled), [*reviewed, *unlabelled])

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
