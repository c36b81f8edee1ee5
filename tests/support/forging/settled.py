"""Where two verifiers that were written apart once disagreed: copies signed anew, each of which settles a question."""

from copy import deepcopy
from typing import Any

from ledger.hashing import tagged_hash
from ledger.roles import Role
from ledger.tlog import checkpoint
from tests.support.flat import together
from tests.support.forging.edges import Edge, rejected, undecided, verified
from tests.support.forging.forged import Spoil, body, content, line_of, renumber, said_in
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import canonical
from tests.support.forging.reshaping import dropped, not_opened, terms, with_checkpoint_after, without_sealed
from tests.support.forging.witnessed import KEY


def opened_besides(field: str, index: int) -> Spoil:
    """Alice's first report comes with one more opening, to which it does not commit."""

    def spoil(forger: Forger) -> None:
        line_of(forger, "report")["openings"].append(
            {"field": field, "index": index, "salt": "6b" * 32, "value": [True]}
        )

    return spoil


def in_disorder(forger: Forger) -> None:
    """The first two claims of Alice's first report are opened in the other order."""
    line = line_of(forger, "report")
    first = next(place for place, each in enumerate(line["openings"]) if each["field"] == "privilege")
    line["openings"][first : first + 2] = reversed(line["openings"][first : first + 2])


def signed_by_alice(forger: Forger) -> None:
    """Alice signs the hash of the openings that now come with her first report."""
    line = line_of(forger, "report")
    said_in(line)["content"]["openings"] = tagged_hash("openings", canonical(together(line["openings"]))).hex()


def no_base64(forger: Forger) -> None:
    """The first piece of the last attachment is no base64."""
    pieces = [each for each in forger.values if "attachment" in each and each["chunk"] == 0]
    pieces[-1]["data"] = "no base64"


def without_pieces(forger: Forger) -> None:
    """The pieces after the opening are not there."""
    while "attachment" in forger.values[1]:
        del forger.values[1]


def released_again(forger: Forger) -> None:
    """The first close also releases the path of the first wave."""
    wave = line_of(forger, "disclosure")["entry"]["body"]["sequence"]
    releases = line_of(forger, "closed")["entry"]["body"]["releases"]
    releases.append({"audience": "bob", "entry": wave, "field": "path", "indices": None})
    releases.sort(key=lambda each: each["entry"])


def _in_round(forger: Forger, kind: str, number: int) -> Any:
    """The first entry of a kind in a round."""
    return next(
        each
        for each in forger.values
        if "entry" in each and (said_in(each)["kind"], said_in(each)["round"]) == (kind, number)
    )


def disputed_in(number: int) -> Spoil:
    """Before this round closes, Trent brings its first position before the court."""

    def spoil(forger: Forger) -> None:
        line = deepcopy(line_of(forger, "dispute"))
        said_in(line).update(round=number, content={"positions": [1]})
        line["entry"]["body"]["sequence"] = 10**6  # unlike every other, until all are numbered again
        forger.values.insert(forger.values.index(_in_round(forger, "closed", number)), line)
        renumber(forger)

    return spoil


def undisputed(sort: str) -> Spoil:
    """What is disputed in a round that begins with such an entry never comes before the court."""

    def spoil(forger: Forger) -> None:
        rounds = [said_in(each)["round"] for each in forger.values if "entry" in each and said_in(each)["kind"] == sort]
        for kind in ("dispute", "rulings"):
            found = [each for each in forger.values if "entry" in each and said_in(each)["kind"] == kind]
            dropped((kind, next(at for at, each in enumerate(found) if said_in(each)["round"] in rounds)))(forger)

    return spoil


def not_shown_in(number: int) -> Spoil:
    """The wave of this round leaves its first position out, in a copy that opens no proofs."""

    def spoil(forger: Forger) -> None:
        wave, labels, closed = (_in_round(forger, kind, number) for kind in ("disclosure", "labels", "closed"))
        gone = said_in(wave)["content"]["positions"].pop(0)
        said_in(wave)["sealed"]["proofs"]["commitments"].pop(0)
        wave["entry"]["body"]["releases"][0]["indices"].remove(gone - 1)
        said_in(labels)["content"]["labels"].pop(0)
        said_in(closed)["content"]["responsive"].remove(gone)

    return spoil


def called_responsive(number: int) -> Spoil:
    """Bob calls the last document of this round's wave responsive."""

    def spoil(forger: Forger) -> None:
        said_in(_in_round(forger, "labels", number))["content"]["labels"][-1] = True

    return spoil


def responsive_after_all(forger: Forger) -> None:
    """The court says of a document that it kept from Bob that it is responsive, and Trent goes on as before."""
    upheld = said_in(line_of(forger, "privilege"))["content"]["upheld"]
    upheld[upheld.index(True)] = False


def no_second_draw_free(forger: Forger) -> None:
    """The chains end with the draw of the last escalation."""
    looks = [said_in(each) for each in forger.values if "entry" in each and said_in(each)["kind"] == "look"]
    terms(draws=looks[-1]["content"]["draw"])(forger)


def openings_of_no_form(kind: str) -> Spoil:
    """The openings of an entry are an object, and do not have their form."""

    def spoil(forger: Forger) -> None:
        line_of(forger, kind)["openings"] = {"labels": "all of them"}

    return spoil


TRENT, ALICE = Role.TRENT, Role.ALICE

A_NAME_WITH_DELETE = checkpoint.note_key("trent.example/\x7flog", KEY).vkey
"""A log whose name holds U+007F: that is no control character in a verifier key."""

SETTLED: dict[str, Edge] = {
    # openings of Alice's that match no commitment
    "an-index-that-alice-did-not-seal": rejected(
        "label-court",
        "V12",
        ALICE,
        "Alice signs the hash of openings of which one is of an index that her report does not seal",
        opened_besides("labels", 1),
        signed_by_alice,
    ),
    "a-field-that-alice-did-not-seal": rejected(
        "label-court",
        "V12",
        ALICE,
        "Alice signs the hash of openings of which one is of a field that her report does not seal",
        opened_besides("threshold", 0),
        signed_by_alice,
    ),
    "an-opening-of-nothing": rejected(
        "label-court",
        "V06",
        TRENT,
        "a report comes with an opening of an index that it does not seal, and Alice did not sign that",
        opened_besides("labels", 1),
    ),
    "openings-of-alice-in-disorder": rejected(
        "eventful-court",
        "V06",
        TRENT,
        "Alice signs the hash of openings whose indices are not ascending: each matches its commitment",
        in_disorder,
        signed_by_alice,
    ),
    "openings-of-alice-after-a-suspicion": rejected(
        "label-court",
        "V12",
        ALICE,
        "Alice signs an opening that her report does not seal, and an opening of an earlier entry is missing",
        not_opened,
        opened_besides("labels", 1),
        signed_by_alice,
    ),
    # pieces after a suspicion
    "a-suspicion-and-a-piece-that-is-no-base64": rejected(
        "label-court",
        "V06",
        TRENT,
        "an opening is missing, and a later piece of an attachment is no base64, which is not looked at any more",
        not_opened,
        no_base64,
    ),
    "a-missing-piece-before-a-wrong-shape": undecided(
        "label-court",
        "the pieces of the opening are missing, and the entry after it has a field that no entry has",
        without_pieces,
        body("agreed", note="by the way"),
    ),
    # releases of what the audience has anyway
    "a-release-of-what-bob-has": rejected(
        "label-bob",
        "V06",
        TRENT,
        "a close also releases to Bob a path that was sealed for him: the record is judged before the close",
        released_again,
    ),
    # rules of the future
    "an-unknown-protocol-and-a-wrong-account": undecided(
        "label-bob",
        "the terms name a protocol that nobody knows, and the account has a number below 0: nobody is blamed",
        terms(protocol="oracle"),
        content("open", corpus=lambda found: found | {"account": found["account"] | {"duplicates": -2}}),
    ),
    "an-unknown-protocol-and-a-wrong-seal": undecided(
        "label-bob",
        "the terms name a protocol that nobody knows, and the opening does not seal a vocabulary: nobody is blamed",
        terms(protocol="oracle"),
        without_sealed("open", "vocabulary"),
    ),
    # rounds without a report, in the public's copy
    "the-public-sees-a-dispute-without-a-report": rejected(
        "eventful-public",
        "V15",
        TRENT,
        "Trent brings a document before the court in a round without a report, where nothing is disputed",
        disputed_in(3),
    ),
    "the-public-sees-a-wave-without-a-report": rejected(
        "eventful-public",
        "V13",
        TRENT,
        "in a round without a report everything is due, and Bob is not shown the first position",
        not_shown_in(3),
    ),
    "the-public-sees-an-escalation-without-its-dispute": rejected(
        "escalated-public",
        "V15",
        TRENT,
        "Bob calls responsive what Alice did not give up in her second look, and the court is not asked",
        undisputed("escalation"),
    ),
    "the-public-sees-an-unclear-position": verified(
        "classed-public",
        "Bob calls responsive what the court let him see, and the close does not list it: this copy does not show if "
        "the court had ruled on privilege or given a label, so nothing is said of it",
        called_responsive(8),
    ),
    # keys, names and texts
    "a-checkpoint-at-a-new-key": verified(
        "eventful-bob",
        "all sign right after the entry that grants Alice a new key, she with the new one",
        with_checkpoint_after("rekeyed"),
    ),
    "a-log-whose-name-has-u-007f": rejected(
        "label-bob",
        "V31",
        TRENT,
        "the terms name a log whose name has U+007F, which it may have, and the first batch comes without a proof",
        terms(witnesses={"authorities": [], "log": A_NAME_WITH_DELETE}),
    ),
    "a-limit-in-other-words": verified(
        "eventful-two-stages-public",
        "Trent proposes the limit 0.30 where 0.3 is in force: another text, and this copy shows nothing else of it",
        content("amend", limit="0.30"),
    ),
    "a-body-and-openings-of-no-form": rejected(
        "label-bob",
        "V01",
        TRENT,
        "an entry has a field that no entry has, and its openings are of no form: its frame does not look into these",
        body("labels", note="by the way"),
        openings_of_no_form("labels"),
    ),
    # a call that called nothing
    "a-false-hash-of-no-openings": rejected(
        "called-nothing-public",
        "V12",
        ALICE,
        "nothing was called, and Alice's report signs another hash than that of no openings: any copy shows that",
        content("report", -1, openings="00" * 32),
    ),
    # the close, by what is settled
    "settled-in-camera-and-not-shown": rejected(
        "viewed-bob",
        "V16",
        TRENT,
        "the court says in camera that a document is responsive; it is not shown to Bob, nor listed at the close",
        responsive_after_all,
    ),
    # why the review has ended
    "the-public-sees-an-end-for-no-listed-reason": rejected(
        "validated-public",
        "V05",
        TRENT,
        "the claims give as the reason for the end a word that is not listed, in a copy that cannot check the reason",
        content("claims", ended="constructor"),
    ),
    # draws that are not free
    "an-escalation-without-two-free-draws": rejected(
        "escalated-court",
        "V27",
        TRENT,
        "the last escalation begins though only one draw is free, so none is due",
        no_second_draw_free,
    ),
    "the-public-sees-an-escalation-without-two-free-draws": verified(
        "escalated-public",
        "the last escalation begins though only one draw is free: this copy does not show Alice's labels, so nothing "
        "is said of whether one was due",
        no_second_draw_free,
    ),
}
