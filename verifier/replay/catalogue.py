"""The conditions that the replay enforces, for each kind of entry in the order in which they are tried.

The order decides which condition a faulty entry breaks, and so who is blamed. Once all hold, `take` changes the matter.
The specification's tables are made from this catalogue.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.checks import Check
from verifier.findings import Finding
from verifier.replay import (
    account,
    again,
    answers,
    batches,
    claims,
    coins,
    conflicts,
    disclosures,
    documents,
    escalations,
    order,
    orders,
    outcomes,
    privilege,
    reports,
    terms,
    validations,
    witnesses,
)
from verifier.replay.condition import Candidate, ReplayCondition
from verifier.replay.forms import Kind

ENTRY = (
    order.known_kind,
    order.has_place,
    order.answers_open_question,
    order.says_what_was_asked,
    orders.all_have_signed,
    order.waits,
    order.by_its_author,
    order.asks,
    order.releases,
    order.seals,
    order.has_shape,
)
"""The conditions of every entry, which come before those of its kind."""

_SEEN = (witnesses.stamped_before, witnesses.logged_before)
_NEW_ROUND = (order.round_may_begin, order.of_next_round, *_SEEN)
_NEW_BATCH = (claims.review_goes_on, escalations.none_is_due)
_VALIDATION = (
    *_NEW_ROUND,
    validations.is_due,
    coins.one_link_a_draw,
    coins.link_fits,
    validations.has_its_number,
    validations.releases_numbers,
    validations.lists_in_order,
    validations.lists_the_drawn,
    validations.tells_the_reviewed,
    validations.seals_its_documents,
)
_IN_ROUND = (order.round_has_coins, order.of_open_round, escalations.has_its_draw)
_LINK = (coins.one_link_a_draw, coins.link_fits)
_REASONS = (answers.one_reason_each, answers.reasons_have_form)
_IN_CAMERA = (privilege.one_reason_each, privilege.reasons_have_form)
_PROOFS = (
    documents.one_proof_each,
    documents.one_path,
    documents.proofs_are_proofs,
    documents.has_its_name,
    documents.path_is_path,
    documents.of_the_corpus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """One kind of entry: its conditions in order, and what it changes."""

    conditions: tuple[ReplayCondition, ...] = ()
    take: Callable[[Candidate[Any]], None]


KINDS: dict[str, Procedure] = {
    Kind.OPEN: Procedure(
        conditions=(
            order.of_no_round,
            terms.caption_or_simulation,
            terms.can_be_run,
            terms.one_vocabulary,
            terms.vocabulary_is_hash,
            account.adds_up,
            account.one_list,
            account.list_is_named,
            account.list_follows,
        ),
        take=terms.take_open,
    ),
    Kind.AGREED: Procedure(
        conditions=(terms.candidates_of_alice, terms.one_list_of_candidates, terms.candidates_are_texts),
        take=terms.take_agreed,
    ),
    Kind.DEPOSITED: Procedure(conditions=(coins.anchors_as_named,), take=terms.take_deposited),
    Kind.DRAW: Procedure(
        conditions=(
            order.draw_may_begin,
            order.of_its_round,
            *_SEEN,
            escalations.may_draw_something,
            *_NEW_BATCH,
            batches.draw_is_due,
            coins.next_draw,
        ),
        take=coins.take_draw,
    ),
    Kind.LINK: Procedure(conditions=_LINK, take=coins.take_link),
    Kind.BATCH: Procedure(
        conditions=(
            *_NEW_ROUND,
            validations.none_is_due,
            *_NEW_BATCH,
            batches.by_coin_or_model,
            *_LINK,
            batches.due_size,
            batches.one_model,
            batches.one_list_of_numbers,
            batches.names_documents,
            batches.each_document_once,
            batches.numbers_agree,
        ),
        take=batches.take_batch,
    ),
    Kind.ESCALATION: Procedure(
        conditions=(
            *_NEW_ROUND,
            order.no_draw_under_way,
            escalations.rule_has_escalations,
            validations.none_is_due,
            escalations.is_due,
            escalations.of_all_withheld,
        ),
        take=escalations.take_escalation,
    ),
    Kind.VALIDATION: Procedure(conditions=_VALIDATION, take=validations.take_validation),
    Kind.CALL: Procedure(conditions=_VALIDATION, take=validations.take_validation),
    Kind.LOOK: Procedure(conditions=(*_LINK, escalations.looks_at_the_list), take=escalations.take_look),
    Kind.REPORT: Procedure(
        conditions=(
            reports.complete,
            *_LINK,
            reports.one_label_each,
            reports.threshold_is_rank,
            reports.labels_where_asked,
            reports.claims_have_basis,
            reports.some_claim,
            privilege.classes_within_share,
            reports.signs_openings,
        ),
        take=reports.take_report,
    ),
    Kind.CAMERA: Procedure(
        conditions=(
            *_IN_ROUND,
            answers.nothing_disputed,
            privilege.camera_is_new,
            privilege.camera_is_claimed,
            privilege.releases_bases,
            *_PROOFS,
            documents.court_gets_all,
            privilege.claims_parts_that_are_there,
        ),
        take=privilege.take_camera,
    ),
    Kind.PRIVILEGE: Procedure(
        conditions=(
            *_IN_ROUND,
            privilege.rules_on_claims,
            privilege.parts_for_each,
            privilege.parts_as_claimed,
            *_IN_CAMERA,
        ),
        take=privilege.take_privilege,
    ),
    Kind.LATE: Procedure(conditions=_IN_ROUND, take=privilege.take_late),
    Kind.CLAIM: Procedure(
        conditions=(
            *_IN_ROUND,
            privilege.late_claim_is_new,
            privilege.late_claim_counts,
            privilege.late_claim_has_basis,
            privilege.classes_within_share,
        ),
        take=privilege.take_claim,
    ),
    Kind.CLAWBACK: Procedure(conditions=(order.of_no_round,), take=privilege.take_clawback),
    Kind.RECLAIM: Procedure(
        conditions=(privilege.was_shown, privilege.one_basis_each, privilege.has_basis), take=privilege.take_reclaim
    ),
    Kind.RETURNED: Procedure(conditions=(privilege.rules_on_each, *_IN_CAMERA), take=privilege.take_returned),
    Kind.DISCLOSURE: Procedure(
        conditions=(
            *_IN_ROUND,
            answers.nothing_disputed,
            disclosures.wave_is_new,
            disclosures.releases_places,
            *_PROOFS,
            documents.bob_gets_the_others,
            privilege.claims_parts_that_are_there,
        ),
        take=disclosures.take_disclosure,
    ),
    Kind.LABELS: Procedure(conditions=(*_IN_ROUND, answers.labels_the_wave, *_REASONS), take=answers.take_labels),
    Kind.DISPUTE: Procedure(
        conditions=(*_IN_ROUND, answers.disputes_labelled, answers.disputes_disagreements), take=answers.take_dispute
    ),
    Kind.RULINGS: Procedure(conditions=(*_IN_ROUND, answers.rules_on_disputed, *_REASONS), take=answers.take_rulings),
    Kind.CLOSED: Procedure(
        conditions=(
            *_IN_ROUND,
            answers.nothing_disputed,
            *_LINK,
            coins.no_link_without_draw,
            outcomes.releases_report,
            outcomes.truth_of_simulation,
            outcomes.plausible,
            privilege.cameras_as_due,
            disclosures.waves_as_due,
            outcomes.as_it_follows,
        ),
        take=outcomes.take_closed,
    ),
    Kind.DEFAULT: Procedure(
        conditions=(order.of_no_round, orders.must_answer, orders.was_served), take=orders.take_default
    ),
    Kind.ORDER: Procedure(conditions=(orders.about_the_silence, orders.link_where_due, *_LINK), take=orders.take_order),
    Kind.REKEY: Procedure(
        conditions=(order.of_no_round, orders.key_is_new, orders.draws_suffice), take=orders.take_rekey
    ),
    Kind.REKEYED: Procedure(conditions=(orders.about_the_key,), take=orders.take_rekeyed),
    Kind.AGAIN: Procedure(conditions=(again.names_void_question, again.of_its_round), take=again.take_again),
    Kind.AMEND: Procedure(
        conditions=(order.of_no_round, orders.states_limit, orders.another_number), take=orders.take_amend
    ),
    Kind.AMENDED: Procedure(take=orders.take_amended),
    Kind.CONFLICT: Procedure(
        conditions=(
            conflicts.about_an_answer,
            conflicts.of_its_round,
            conflicts.sealed_for_its_kind,
            conflicts.under_one_key,
            conflicts.one_evidence,
            conflicts.has_form_of_its_kind,
            conflicts.signed_by_its_author,
            conflicts.another_answer,
            conflicts.one_answer,
        ),
        take=conflicts.take_conflict,
    ),
    Kind.STAMPED: Procedure(
        conditions=(order.of_no_round, witnesses.between_rounds, witnesses.root_of_the_entries_before),
        take=witnesses.take_stamped,
    ),
    Kind.LOGGED: Procedure(
        conditions=(
            order.of_no_round,
            witnesses.between_rounds,
            witnesses.root_of_the_entries_before,
            witnesses.log_is_named,
            witnesses.proof_holds,
        ),
        take=witnesses.take_logged,
    ),
    Kind.CLAIMS: Procedure(
        conditions=(
            order.of_no_round,
            claims.between_rounds,
            *_SEEN,
            claims.review_is_over,
            validations.none_is_due,
            escalations.none_is_due,
            claims.ended_as_stated,
            claims.numbers_follow,
            claims.certificates_follow,
        ),
        take=claims.take_claims,
    ),
}


def first_broken(entry: Candidate[Any]) -> tuple[ReplayCondition, Finding] | None:
    """The first condition that an entry breaks, with the finding."""
    for each in ENTRY:
        if finding := each.broken_by(entry):
            return each, finding
    for each in KINDS[entry.said.kind].conditions:
        if finding := each.broken_by(entry):
            return each, finding
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A condition at its place, as the specification's table shows it."""

    id: str  # such as `report.3`
    kind: str  # of entry, or `entry` for the conditions of every kind
    check: Check
    exactly: str  # what is required, to the letter
    sentence: str  # as a finding quotes it
    blames: str  # such as "the author", "Trent", "Alice"
    shown: str  # what the copy must show for it to be tried; empty if every copy does
    stops: bool  # whether the replay ends if it is broken


def tables() -> dict[str, tuple[Row, ...]]:
    """A table for every entry, and one for each kind of entry, in the order in which conditions are tried."""
    return {"entry": _rows("entry", ENTRY)} | {kind: _rows(kind, each.conditions) for kind, each in KINDS.items()}


def _rows(kind: str, conditions: Sequence[ReplayCondition]) -> tuple[Row, ...]:
    return tuple(
        Row(
            id=f"{kind}.{number}",
            kind=str(kind),
            check=each.check,
            exactly=each.exactly,
            sentence=each.sentence,
            blames=str(each.blames),
            shown=each.shown,
            stops=each.stops,
        )
        for number, each in enumerate(conditions, start=1)
    )
