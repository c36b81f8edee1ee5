"""Edges of the specification: copies signed anew under all keys, each at a place where a reader could guess wrongly.

Each is made of a genuine copy (`base`) and states the verdict that it must get. Most break one rule; some break none.
"""

from dataclasses import dataclass

from ledger.roles import Role
from tests.support.forging.eventforged import two_answers_under_one_key
from tests.support.forging.forged import (
    Forgery,
    Spoil,
    body,
    both,
    conflict_before,
    content,
    line_of,
    said_in,
    statement,
)
from tests.support.forging.mutations import Lines
from tests.support.forging.narrowing import never_shown
from tests.support.forging.reshaping import (
    PIECE,
    After,
    a_real_matter,
    about_an_open_question,
    about_no_question,
    all_of_it,
    another_answer,
    answered_in_between,
    attached,
    damaged_end,
    deep,
    deposited_too_early,
    dropped,
    first_opening,
    model_value,
    named_candidates,
    names_the_entry,
    nested,
    no_note,
    no_previous,
    not_opened,
    one_more,
    one_more_field,
    one_more_opened,
    raw,
    released,
    repeated,
    stated_size,
    straight_to_bob,
    terms,
    the_same_answer,
    with_checkpoint_after,
    without_sealed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A forgery of a named copy: `label-bob`, `label-court`, `eventful-bob`, `eventful-court`, and so on."""

    base: str
    forgery: Forgery


def _as_it_is(lines: Lines) -> Lines:
    return lines


def rejected(base: str, check: str, who: Role | None, comment: str, *spoils: Spoil, after: After = _as_it_is) -> Edge:
    """A rule is broken, and this party's signature proves it."""
    return Edge(base=base, forgery=Forgery(comment=comment, check=check, who=who, spoil=both(*spoils), after=after))


def undecided(base: str, comment: str, *spoils: Spoil, after: After = _as_it_is) -> Edge:
    """Damage, or an unknown version: nobody is blamed."""
    return _blameless(base, "undecided", comment, both(*spoils), after)


def verified(base: str, comment: str, *spoils: Spoil) -> Edge:
    """Nothing is wrong."""
    return _blameless(base, "verified", comment, both(*spoils), _as_it_is)


def _blameless(base: str, verdict: str, comment: str, spoil: Spoil, after: After) -> Edge:
    forgery = Forgery(comment=comment, check="", who=None, verdict=verdict, spoil=spoil, after=after)
    return Edge(base=base, forgery=forgery)


TRENT, ALICE, BOB, COURT = Role.TRENT, Role.ALICE, Role.BOB, Role.COURT

EDGES: dict[str, Edge] = {
    # canonical JSON, and lines of a wrong shape that Trent signed
    "a-signed-float": undecided("label-bob", "a time is 1.5, and Trent signed it", body("labels", time=1.5)),
    "a-signed-key-twice": undecided(
        "label-bob",
        "a key stands twice in a body, and Trent signed these bytes",
        after=raw("labels", lambda data: data.replace(b"{", b'{"asks":[],', 1)),
    ),
    "a-signed-blank": undecided(
        "label-bob",
        "a blank stands in a body, and Trent signed these bytes",
        after=raw("labels", lambda data: data.replace(b",", b", ", 1)),
    ),
    "a-signed-integer-too-large": rejected(
        "label-bob", "V01", TRENT, "a time is 2^53, and Trent signed it", body("labels", time=2**53)
    ),
    "a-signed-key-outside-ascii": rejected(
        "label-bob",
        "V01",
        TRENT,
        "a key of a content is not ASCII",
        statement("draw", content={"draw": 1, "\u00e9": 1}),
    ),
    "a-name-outside-ascii": rejected(
        "label-bob",
        "V01",
        TRENT,
        "a kind is no name, since it is not ASCII",
        statement("draw", kind="tir\u00e9"),
    ),
    "a-line-33-deep": rejected("label-bob", "V01", TRENT, "a line of Trent's is 33 deep", deep("draw", 29)),
    "trents-content-24-deep": rejected(
        "label-bob", "V05", TRENT, "Trent's content is as deep as it may be, and of a wrong shape", deep("draw", 24)
    ),
    "trents-content-25-deep": rejected(
        "label-bob", "V01", TRENT, "Trent's content is deeper than it may be", deep("draw", 25)
    ),
    "bobs-content-22-deep": rejected(
        "label-bob", "V05", BOB, "Bob's content is as deep as it may be, and of a wrong shape", deep("labels", 22)
    ),
    "bobs-content-23-deep": rejected(
        "label-bob", "V01", TRENT, "Bob's content is deeper than it may be, and Trent logged it", deep("labels", 23)
    ),
    "an-opening-24-deep": rejected(
        "label-bob", "V09", TRENT, "an opened value is as deep as it may be", first_opening("batch", nested(24))
    ),
    "an-opening-25-deep": undecided(
        "label-bob", "an opened value is deeper than it may be", first_opening("batch", nested(25))
    ),
    # the opening, before anybody is enrolled
    "a-null-key": undecided(
        "label-bob", "the opening's key of Bob is null", content("open", keys=lambda found: found | {"bob": None})
    ),
    "a-key-of-zeros": undecided(
        "label-bob",
        "the opening's key of Bob is 32 zero bytes",
        content("open", keys=lambda found: found | {"bob": "00" * 32}),
    ),
    "a-field-too-many-in-the-openings-seal": undecided(
        "label-bob",
        "`sealed.vocabulary` has a field too many in the opening, so that nobody is enrolled",
        lambda forger: said_in(forger.values[0])["sealed"]["vocabulary"].update(more=1),
    ),
    "an-opening-33-deep": undecided(
        "label-bob", "the opening's caption is 33 deep", content("open", caption=nested(28))
    ),
    "a-method-that-is-a-text": rejected("label-bob", "V05", TRENT, "the method is a text", content("open", method="2")),
    "a-method-below-zero": undecided("label-bob", "the method is -1, which is no version", content("open", method=-1)),
    "a-format-that-is-a-text": undecided("label-bob", "the opening's format is a text", content("open", format="1")),
    "a-manifest-format-that-is-a-text": undecided(
        "label-bob", "the manifest's format is a text", lambda forger: forger.manifest["manifest"].update(format="1")
    ),
    # the chain
    "a-suspicion-and-then-damage": undecided(
        "label-bob",
        "a released value is not opened, and a later line is damaged: nobody can say who did the first",
        not_opened,
        after=damaged_end,
    ),
    "a-fault-and-then-damage": rejected(
        "label-bob",
        "V08",
        BOB,
        "Bob's link is for another draw, and a later line is damaged: the fault stands",
        content("link", 1, draw=5),
        after=damaged_end,
    ),
    "trent-countersigns-himself": rejected(
        "label-bob",
        "V05",
        TRENT,
        "an entry of Trent's has a signature of its statement",
        body("draw", signature="00" * 64),
    ),
    "trent-withdraws-an-answer": rejected(
        "label-bob", "V05", TRENT, "an entry of Trent's replaces an answer", statement("draw", replaces=["00" * 32])
    ),
    "beyond-the-size-with-a-false-previous": undecided(
        "label-bob",
        "the manifest states an entry less, and the last one names another entry before it",
        after=stated_size(-1, no_previous),
    ),
    "beyond-the-size-of-a-wrong-shape": rejected(
        "label-bob",
        "V01",
        TRENT,
        "the manifest states an entry less, and the last one has a field that no entry has: shapes come first",
        after=stated_size(-1, one_more_field),
    ),
    "an-entry-that-comes-twice": rejected(
        "label-bob",
        "V06",
        TRENT,
        "a disclosure comes twice, so that its values are released twice: the record is judged first",
        repeated("disclosure"),
    ),
    # the deposit
    "a-deposit-without-an-anchor": rejected(
        "label-bob",
        "V05",
        COURT,
        "the court's deposit lacks Bob's anchor",
        content("deposited", anchors=lambda found: {role: found[role] for role in ("alice", "trent")}),
    ),
    "a-deposit-with-an-anchor-too-many": rejected(
        "label-bob",
        "V05",
        COURT,
        "the court's deposit has an anchor of its own, too",
        content("deposited", anchors=lambda found: found | {"court": "44" * 32}),
    ),
    "a-deposit-too-early": rejected(
        "label-bob", "V08", TRENT, "the court's deposit is logged before Bob has named his anchor", deposited_too_early
    ),
    # conflicts
    "a-conflict-about-an-open-question": rejected(
        "label-bob", "V19", TRENT, "a conflict is about a question that is still open", about_an_open_question
    ),
    "a-conflict-about-no-question": rejected(
        "label-bob", "V19", TRENT, "a conflict is about an entry that asked its author nothing", about_no_question
    ),
    "a-conflict-that-asks-and-repeats": rejected(
        "label-bob",
        "V05",
        TRENT,
        "a conflict asks somebody, and repeats the answer on record: V05 comes first",
        conflict_before("closed", the_same_answer),
        lambda forger: line_of(forger, "conflict")["entry"]["body"].update(asks=["alice"]),
    ),
    "a-withdrawal-by-the-entrys-hash": rejected(
        "label-bob",
        "V19",
        BOB,
        "Bob's second answer names the first one's entry in `replaces`, and not its statement",
        names_the_entry,
    ),
    "two-answers-under-one-key": rejected(
        "eventful-bob", "V19", ALICE, "Alice answers an amendment twice with her second key", two_answers_under_one_key
    ),
    "a-conflict-after-the-replay": rejected(
        "label-bob",
        "V08",
        BOB,
        "after Bob's link for another draw the replay has ended, and a conflict of his is not judged",
        content("link", 1, draw=5),
        conflict_before("claims", another_answer("labels", content={"labels": []})),
    ),
    # checkpoints and attachments
    "two-checkpoints": verified(
        "label-bob", "all sign in the middle of the matter, too", with_checkpoint_after("closed")
    ),
    "a-checkpoint-that-is-no-note": undecided(
        "label-bob", "the manifest names the hash of a checkpoint that is no note", after=no_note
    ),
    "an-attachment-of-two-pieces": verified(
        "label-court", "a model of 2^20 + 1 bytes comes in two pieces", attached(b"a" * (PIECE + 1))
    ),
    "an-attachment-of-two-full-pieces": verified(
        "label-court", "a model of 2^21 bytes comes in two pieces, and no third one", attached(b"a" * (2 * PIECE))
    ),
    "an-attachment-with-an-empty-piece": undecided(
        "label-court",
        "after a model of 2^20 bytes comes a second piece without any",
        attached(b"a" * PIECE, spoiled=lambda pieces: pieces.append(pieces[0] | {"chunk": 1, "data": ""})),
    ),
    "an-empty-attachment": verified("label-court", "a model of no bytes has no pieces", attached(b"")),
    "an-attachment-of-another-size": undecided(
        "label-court",
        "Trent states a byte more than the model's pieces have",
        attached(b"a model", size=len(b"a model") + 1),
    ),
    "a-reference-with-another-field": rejected(
        "label-court",
        "V06",
        TRENT,
        "a reference to an attachment has a field too many",
        model_value({"attachment": "00" * 32, "size": 1, "name": "model"}),
    ),
    # releases
    "a-close-that-lists-all-indices": rejected(
        "label-bob", "V16", TRENT, "a close lists all indices, where null belongs", all_of_it
    ),
    "a-disclosure-of-null": rejected(
        "reveal-all-bob",
        "V13",
        TRENT,
        "a disclosure of the whole batch says null, where it must list the indices",
        released("disclosure", lambda _: None),
    ),
    # terms and sealed fields
    "a-k-of-zero": rejected("label-bob", "V05", TRENT, "k is 0, which is not positive", terms(k=0)),
    "rounds-that-are-a-text": rejected("label-bob", "V05", TRENT, "the rounds are a text", terms(rounds="2")),
    "an-unknown-protocol": undecided(
        "label-bob", "the terms name a protocol that nobody knows", terms(protocol="oracle")
    ),
    "too-few-draws": rejected(
        "label-bob", "V07", TRENT, "there are fewer draws than two for each round", terms(draws=3)
    ),
    "no-vocabulary": rejected(
        "label-bob", "V05", TRENT, "the opening seals no vocabulary", without_sealed("open", "vocabulary")
    ),
    "two-vocabularies": rejected(
        "label-bob", "V07", TRENT, "the opening seals two vocabularies", one_more("open", "vocabulary")
    ),
    "no-account": rejected(
        "label-bob", "V05", TRENT, "the opening seals no list of what was received", without_sealed("open", "account")
    ),
    "two-accounts": rejected(
        "label-bob", "V30", TRENT, "the opening seals two lists of what was received", one_more("open", "account")
    ),
    "no-path": rejected("label-bob", "V05", TRENT, "a disclosure seals no path", without_sealed("disclosure", "path")),
    "two-paths": rejected(
        "label-bob", "V14", TRENT, "a disclosure seals two paths", one_more_opened("disclosure", "path")
    ),
    "candidates": verified(
        "label-alice", "Alice names candidates for privilege", named_candidates(["Smith & Co", "n" * 200] * 500)
    ),
    "candidates-that-bob-cannot-see": verified(
        "label-bob", "the same, as Bob sees it", named_candidates(["Smith & Co"])
    ),
    "candidates-of-bob": rejected(
        "label-bob", "V05", BOB, "Bob names candidates for privilege", named_candidates(["Smith"], number=1)
    ),
    "candidates-for-the-court": rejected(
        "label-bob",
        "V05",
        ALICE,
        "Alice seals her candidates for the court, too",
        named_candidates(["Smith"], audiences=("alice", "court")),
    ),
    "two-lists-of-candidates": rejected(
        "label-bob", "V07", ALICE, "Alice seals two lists of candidates", named_candidates(["Smith"], ["Jones"])
    ),
    "no-candidate": rejected("label-alice", "V07", ALICE, "the list of candidates is empty", named_candidates([])),
    "too-many-candidates": rejected(
        "label-alice", "V07", ALICE, "there are 1001 candidates", named_candidates(["Smith"] * 1001)
    ),
    "an-empty-candidate": rejected(
        "label-alice", "V07", ALICE, "a candidate is empty", named_candidates(["Smith", ""])
    ),
    "a-long-candidate": rejected(
        "label-alice", "V07", ALICE, "a candidate has 201 characters", named_candidates(["n" * 201])
    ),
    "a-candidate-that-is-no-text": rejected(
        "label-alice", "V07", ALICE, "a candidate is a number", named_candidates([7])
    ),
    "candidates-that-are-no-list": rejected(
        "label-alice", "V07", ALICE, "the candidates are one text", named_candidates("Smith")
    ),
    "two-models": rejected("label-bob", "V09", TRENT, "a batch seals two models", one_more("batch", "model", 1)),
    "no-bases": rejected(
        "eventful-bob",
        "V25",
        ALICE,
        "a late claim seals no bases for its positions",
        without_sealed("claim", "privilege"),
    ),
    "no-labels": rejected("label-bob", "V12", ALICE, "a report seals no labels", without_sealed("report", "labels")),
    "no-threshold": rejected(
        "classifier-bob",
        "V12",
        ALICE,
        "a report seals no threshold, where one is due",
        without_sealed("report", "threshold"),
    ),
    "no-proofs": rejected(
        "label-bob", "V05", TRENT, "a disclosure seals no proofs", without_sealed("disclosure", "proofs")
    ),
    "no-model": rejected(
        "label-bob", "V09", TRENT, "a batch seals no model, where one is due", without_sealed("batch", "model", 1)
    ),
    # batches and closes
    "drawn-without-a-draw": rejected(
        "label-bob",
        "V09",
        TRENT,
        "a batch is drawn, and there was no draw",
        dropped(("draw", 0), ("link", 0), ("link", 1)),
    ),
    "not-drawn-after-a-draw": rejected(
        "label-bob", "V09", TRENT, "a batch is not drawn, and there was a draw", content("batch", drawn=None)
    ),
    "a-truth-beyond-the-batch": verified(
        "label-bob",
        "a simulated round states more responsive documents than its batch has, which only the corpus can show",
        content("closed", truth=lambda found: found | {"responsive": 1000}),
    ),
    "a-claim-that-only-bob-saw": rejected(
        "eventful-court", "V25", TRENT, "what Alice claims is due, and goes to Bob without a ruling", straight_to_bob
    ),
    "a-claim-that-nobody-saw": rejected(
        "eventful-court",
        "V13",
        TRENT,
        "what Alice claims is due, and goes neither to the court nor to Bob",
        never_shown,
    ),
    # orders
    "a-silent-court": rejected(
        "eventful-bob", "V26", TRENT, "the court is called silent", content("default", absent="court")
    ),
    "a-silent-stranger": rejected(
        "eventful-bob", "V05", TRENT, "somebody is called silent who is no party", content("default", absent="dave")
    ),
    "an-order-about-a-stranger": rejected(
        "eventful-bob", "V05", COURT, "an order is about somebody who is no party", content("order", absent="dave")
    ),
    "a-new-key-asked-for-trent": rejected(
        "eventful-bob", "V26", TRENT, "Trent asks for a new key of his own", content("rekey", role="trent")
    ),
    "a-new-key-granted-to-trent": rejected(
        "eventful-bob", "V03", TRENT, "the court grants a new key of Trent's", content("rekeyed", role="trent")
    ),
    "a-new-key-granted-to-a-stranger": rejected(
        "eventful-bob",
        "V03",
        TRENT,
        "the court grants a key to somebody who is no party",
        content("rekeyed", role="dave"),
    ),
    "a-new-key-denied-to-a-stranger": rejected(
        "eventful-bob",
        "V05",
        COURT,
        "the court denies a key to somebody who is no party",
        content("rekeyed", role="dave", granted=False),
        lambda forger: setattr(forger, "renewed", {ALICE: forger.keys[ALICE]}),
    ),
    "an-answer-between-default-and-order": rejected(
        "eventful-bob",
        "V05",
        TRENT,
        "Bob answers after he was called silent, before the court has ordered anything",
        answered_in_between,
    ),
    "a-caption": verified(
        "label-bob", "a matter that is no simulation: it has a caption, and states no truth", a_real_matter
    ),
    "several-keys": verified("eventful-bob", "Alice has two keys, one after the other, and nothing is wrong"),
}
