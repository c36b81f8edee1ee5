"""The stipulated order for the review: what courts ask for in a protocol for the review of electronic documents."""

from importlib.metadata import version

from ledger.roles import Role
from protocol.corpus import account as accounts
from protocol.matter.values import METHOD
from protocol.papers import caption, checking
from protocol.papers.ground import ALICE, BOB, TRENT, Ground, counted, percent
from protocol.papers.paper import Items, Paper, Piece, Quoted, Section

THE_PRODUCER, THE_REQUESTER, THE_NEUTRAL = (f"{name[0].upper()}{name[1:]}" for name in (ALICE, BOB, TRENT))
"""The same at the beginning of a sentence."""


def order(ground: Ground) -> Paper:
    """The draft."""
    sections = (
        _parties(ground),
        _method(ground),
        _sources(ground),
        _units(ground),
        _seed(ground),
        checking.checks(ground),
        checking.validations(ground),
        checking.certificates(ground),
        _who_sees_what(ground),
        _disputes(),
        _privilege(),
        *_classes(ground),
        *_witnesses(ground),
        _production(),
        _events(),
        _record(ground),
        _reserved(),
        caption.signatures(ground, ordered=True),
    )
    return Paper(
        name="stipulated-order",
        title="[PROPOSED] STIPULATED ORDER ON THE REVIEW OF DOCUMENTS",
        front=(
            *caption.front(ground),
            "The parties have conferred under Fed. R. Civ. P. 26(f) and stipulate to the following, subject to the "
            "approval of the Court under Fed. R. Civ. P. 16(b) and 26.",
        ),
        sections=sections,
    )


def _parties(ground: Ground) -> Section:
    return Section(
        heading="Parties and words",
        pieces=(
            f"{ground.name(Role.ALICE)} is {ALICE} (in the record: Alice). {ground.name(Role.BOB)} is {BOB} (Bob). "
            f"{ground.name(Role.TRENT)} is {TRENT} (Trent), who holds the documents, runs the review and keeps the "
            f"record. {ground.name(Role.COURT)} acts as the Court in the review. [Counsel: if somebody other than the "
            "presiding judge shall rule, refer to the appointment, such as one under Fed. R. Civ. P. 53.]",
            f"A document is responsive if it answers this request for production under Fed. R. Civ. P. 34, {BOB} being "
            "entitled to it:",
            Quoted(ground.caption.request),
            "Objections to the request stand as they were made. [Counsel: Fed. R. Civ. P. 34(b)(2)(C) asks an "
            "objection to state whether responsive materials are withheld on its basis. Say here whether any of them "
            "narrows what is responsive in this review.]",
        ),
    )


def _method(ground: Ground) -> Section:
    return Section(
        heading="Vendor and method",
        pieces=(
            f"{THE_NEUTRAL} runs the review with the program Tallystick, version "
            f"{version('tallystick')}, by its method {METHOD}. The program is open source. A public specification says "
            "what the record is and how it is verified, and a second program, tallystick-verify, was written "
            "separately from it, so that anyone can check a copy of the record.",
            f"Documents are put up for review in batches of at most {counted(ground.terms.batch, 'document')}, the "
            "likeliest responsive first. The ranking is by a linear support vector machine over the words of the "
            "extracted texts. It is trained on the labels of this review alone, as they are settled, and on no other "
            "data. The model of each batch, and why the batch has the documents that it has, "
            "can be checked with the Court's copy and the sealed documents.",
            f"{THE_PRODUCER} labels the documents of each batch as responsive or not responsive. [Counsel: "
            "who reviews, and under whose supervision.]",
        ),
    )


def _sources(ground: Ground) -> Section:
    account = ground.account
    received, *more = accounts.sentences(account, ground.corpus.documents, ground.corpus.unit)
    pieces: list[Piece] = [
        f"{THE_NEUTRAL} has accounted for everything that was received: {received}.",
        Items(tuple(f"{each[0].upper()}{each[1:]}." for each in more)),
        f"The list of all items, with what became of each, has the SHA-256 {account.list.hex()}. It is sealed for "
        f"{ALICE} and the Court. The documents themselves are fixed by the corpus root {ground.corpus.root.hex()}.",
    ]
    if account.exceptions:
        pieces.append(
            f"{counted(account.exceptions, 'item')} could not be read and {'is' if account.exceptions == 1 else 'are'} "
            "not part of the review. The disclosure statement lists them by reason. [Counsel: agree what becomes of "
            "them: passwords, another copy, review by hand, or exclusion.]"
        )
    if account.unread:
        pieces.append(
            f"{counted(account.unread, 'part')} without text {'is' if account.unread == 1 else 'are'} part of the "
            "review, but cannot be ranked by words. [Counsel: agree whether these are looked at separately.]"
        )
    pieces.append(
        f"Nothing in the review proves anything about what {TRENT} never received. [Counsel: state custodians, date "
        "ranges, sources, and any search terms that were applied before; sources that are not reasonably accessible "
        "must be identified under Fed. R. Civ. P. 26(b)(2)(B).]"
    )
    return Section(heading="Sources, and what was left out", pieces=tuple(pieces))


def _units(ground: Ground) -> Section:
    family = ground.corpus.unit == "family"
    unit = (
        "The unit of review is the family: a file together with what is attached to it or inside it is one document, "
        "and is labelled, drawn and shown as one."
        if family
        else "The unit of review is the single file: each file of a family is a document of its own, and is labelled, "
        "drawn and shown by itself."
    )
    equal = ground.account.duplicates
    return Section(
        heading="Unit of review, families and duplicates",
        pieces=(
            unit,
            "A family that equals an earlier one as a whole is a duplicate: it enters once, with the custodians and "
            f"paths of all copies. {counted(equal, 'duplicate')} {'was' if equal == 1 else 'were'} found. An "
            "attachment is never merged with a loose file or with an attachment of another family.",
            "Documents that are merely similar are not merged. No document is left out because another one resembles "
            "it.",
        ),
    )


def _seed(ground: Ground) -> Section:
    query = " ".join(ground.terms.query.split())
    first = (
        "The first batch is drawn by coin from the documents in which these words occur, agreed on by the parties: "
        f"“{query}”. AND, NOT and wildcards mean nothing in them."
        if query
        else "There is no seed query: the first batch is drawn by coin from all documents."
    )
    return Section(
        heading="Seed and exemplars",
        pieces=(
            f"{first} Further batches are drawn in the same way until both labels have occurred. From then on the "
            "ranking chooses.",
            "No exemplars are used: nobody hands in example documents, and no set of documents is labelled for "
            "training apart from the batches themselves.",
        ),
    )


def _who_sees_what(ground: Ground) -> Section:
    validation = ground.terms.validation
    looks = validation is not None and validation.viewer == "court"
    return Section(
        heading="Who sees what",
        pieces=(
            "In the review:",
            Items(
                (
                    f"{THE_NEUTRAL} holds all documents, and shows them to nobody but as stated here.",
                    f"{THE_PRODUCER} sees every document that is put up, drawn or called, and its own labels.",
                    f"{THE_REQUESTER} sees what {ALICE} reports as responsive, what coins draw from the rest, "
                    f"and what else the rule makes due. It sees {ALICE}'s labels of a round once the round is closed, "
                    "and never the names of documents that it was not shown.",
                    "The Court sees documents on which the parties disagree; in camera, documents for which privilege "
                    f"is claimed and which would otherwise go to {BOB}"
                    f"{f'; and, in camera, what validations draw, in place of {BOB}' if looks else ''}.",
                    "Whoever else gets a copy of the record sees neither documents nor labels that are sealed in it.",
                )
            ),
            f"So {BOB} will see documents that are not responsive, because coins draw them. It uses them only to check "
            f"the review, and returns or destroys them at the end. Showing them is no admission that they are "
            "responsive. [Counsel: refer to the protective order, and say who on the receiving side may read them.]",
        ),
    )


def _disputes() -> Section:
    return Section(
        heading="Disputes",
        pieces=(
            f"{THE_REQUESTER} labels what it is shown. Where its label differs from {ALICE}'s, the Court rules "
            "whether the document is responsive. The ruling counts in the review. [Counsel: time for the rulings, "
            "letters of the parties, and review of rulings by a special master or magistrate judge.]",
            f"An error of {ALICE} breaks no rule of this Order. The record shows errors, and does not show intent.",
        ),
    )


def _privilege() -> Section:
    return Section(
        heading="Privilege, log, and claw-back",
        pieces=(
            f"{THE_PRODUCER} claims privilege or protection, with the basis of each claim, together with "
            "its report, before any coin of the round is known. A claim is made for a document, or for some of its "
            "parts. Claims stay sealed unless the document would go to "
            f"{BOB}. Then the Court reads it in camera and upholds or overrules the claim. What is upheld is withheld; "
            f"what is overruled goes to {BOB}.",
            f"After its report, {ALICE} may still claim what {BOB} has not been shown. Such a document counts as "
            "drawn: it goes to the Court whatever its coin says.",
            "The privilege log is written from the record (Fed. R. Civ. P. 26(b)(5)(A)). For each document or part on "
            "which the Court was asked to rule, it states a control number, date, author, recipients, type, family, "
            "basis and ruling. A document that was claimed, and that was neither reported as responsive nor drawn, is "
            "withheld as not responsive, and is not logged. [Counsel: timing of the log; Fed. R. Civ. P. 26(f)(3)(D).]",
            f"If {BOB} was shown a document for which {ALICE} claims privilege afterwards, Fed. R. Civ. P. 26(b)(5)(B) "
            "and the order under Fed. R. Evid. 502(d) apply. The Court rules in camera, on the record. A document that "
            "is clawed back is not produced, stands in the log, and still counts as shown in every certificate.",
            "Redaction is not part of this review. [Counsel: agree on redactions in the production, if needed.]",
        ),
    )


def _classes(ground: Ground) -> tuple[Section, ...]:
    classes = ground.terms.classes
    if classes is None:
        return ()
    return (
        Section(
            heading="Sensitive classes",
            pieces=(
                f"{THE_PRODUCER} may put documents that it calls not responsive into these classes: "
                f"{', '.join(classes.names)}; in all at most {percent(classes.share)} of the documents. If a coin "
                f"draws such a document, the Court reads it in camera, and {BOB} gets it only if it is responsive. The "
                "coins are the same for all documents.",
            ),
        ),
    )


def _witnesses(ground: Ground) -> tuple[Section, ...]:
    asked = ground.terms.witnesses
    if asked is None:
        return ()
    stamps = (
        "before each round begins, the record is time-stamped (RFC 3161) by an authority whose certificate has one of "
        f"these SHA-256 fingerprints: {', '.join(each.hex() for each in asked.authorities)}"
    )
    logged = f"before each round begins, the record is entered in the log of {TRENT} with the verifier key {asked.log}"
    pieces = [each for each, wanted in ((stamps, asked.authorities), (logged, asked.log)) if wanted]
    return (Section(heading="Outside witnesses", pieces=tuple(f"{each[0].upper()}{each[1:]}." for each in pieces)),)


def _production() -> Section:
    return Section(
        heading="Production",
        pieces=(
            f"What is settled as responsive, and is neither withheld nor clawed back, is produced to {BOB}. [Counsel: "
            "form of production, Fed. R. Civ. P. 34(b)(2)(E); numbering; load file fields; and the time at which the "
            "production is complete, Fed. R. Civ. P. 34(b)(2)(B).]",
        ),
    )


def _events() -> Section:
    return Section(
        heading="Silence, new keys, and changes",
        pieces=(
            f"If {ALICE} or {BOB} does not answer, {TRENT} may ask the Court for an order to go on without the answer. "
            f"Without a report of {ALICE}, the whole batch is shown to {BOB}, apart from what {ALICE} claims late. "
            f"Without labels of {BOB}, {ALICE}'s labels stand for what was shown, and count for nothing in the "
            "certificates. [Counsel: time to answer, and how service is proven.]",
            f"A new key of {ALICE} or {BOB}, for new counsel or after a loss, is granted by the Court on the record. "
            "Terms change only as this Order and the record allow.",
        ),
    )


def _record(ground: Ground) -> Section:
    number = (
        "The matter is not opened yet; its number will be stated in the first entry of the record."
        if ground.matter is None
        else f"The matter has the number {ground.matter.hex()}."
    )
    return Section(
        heading="The record",
        pieces=(
            f"Every step is an entry that {TRENT} signs and that names the entry before it; what a party says is "
            f"signed with that party's own key. {number} The first entry states the terms of this Order's review and "
            "the account of what was received, and is signed by all before the first round. If this Order and the "
            "first entry differ, [the first entry governs how the program runs the review, and the parties bring the "
            "difference to the Court].",
            f"{THE_PRODUCER}, {BOB} and the Court each get a copy with what they may see, verify it, and "
            "sign the end of the record. Each tells the others the fingerprint of its key by another way than through "
            f"{TRENT}.",
            "[Counsel: whether the parties stipulate to the authenticity of the record and of exhibits cut from it, "
            "Fed. R. Evid. 902(13) and (14), and whether the record is filed under seal.]",
        ),
    )


def _reserved() -> Section:
    return Section(
        heading="What this Order leaves open",
        pieces=(
            "This Order decides how documents are reviewed. It does not decide whether the request is proper or "
            "proportional (Fed. R. Civ. P. 26(b)(1)), and it does not replace the duties of counsel under Fed. R. Civ. "
            "P. 26(g).",
            "Each party may ask the Court to change this Order for good cause. What was done before stays on the "
            "record. [Counsel: costs of the review and of the Neutral.]",
        ),
    )
