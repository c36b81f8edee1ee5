"""The specification's numbered steps, as data: the chain, the reading of a copy, outcomes, and the rules by kind."""

CHAIN: list[tuple[str, str]] = [
    ("The manifest's `size` is not reached yet.", "damage"),
    ("Trent's signature over the body is valid under his key in the opening.", "damage"),
    ("`sequence` is the next number, and `matter` that of the entries before. The first entry's is any.", "damage"),
    ("`previous` is the hash of the entry before.", "V02"),
    ("The statement's `matter` is the body's.", "V02"),
    ("The first entry is of kind `open`, and no other is.", "V05"),
    ("The first entry enrols four different keys.", "V03"),
    ("Where Trent speaks, `answers` and the body's `signature` are null, and `replaces` is empty.", "V05"),
    ("Where a party speaks, its signature of the statement is valid under its key in force.", "V03"),
    ("Where a party speaks, it answers an entry that asked it, and that it has not answered yet.", "V05"),
    ("Where a party speaks, `round` is that of the entry that it answers.", "V05"),
    ("Where a party speaks, the kind is not `conflict`.", "V19"),
    (
        "In a `conflict`, `content` holds a statement by a party, of this matter, and its signature, valid under its "
        "author's key in force.",
        "V19",
    ),
    ("In a `conflict`, that statement answers an entry, and not one that its author must still answer.", "V19"),
    (
        "`asks`, `replaces`, `audiences`, `releases` and `indices` are ascending. `asks` has no `trent`, `audiences` "
        "no `public`. Each sealed field has a commitment, no two in the statement are equal. A release names an "
        "earlier entry, not the audience `public`, and in `indices` null or at least one index.",
        "V01",
    ),
    (
        "A `rekeyed` by the court whose `granted` is true has `alice` or `bob` as `role`, and as `key` an acceptable "
        "key that none of the four has or had. From the next entry on it is that role's key.",
        "V03",
    ),
]


READING: list[tuple[str, str]] = [
    ("Line 1 is a manifest, and line 2 an entry.", "damage"),
    ("The first entry passes the conditions of the chain; its openings are looked at as in step 6.", "see there"),
    ("The manifest's signature is valid under Trent's key in the first entry.", "damage"),
    ("The manifest's `matter` is that of the first entry.", "damage"),
    ("Each further entry passes the conditions of the chain.", "see there"),
    ("An entry's openings and releases are due, as far as can be told by now.", "suspicion"),
    (
        "A piece is the next one due: of this attachment, with this number, and of the length that the stated `size` "
        "leaves for it. All pieces together have the attachment's hash. None is missing before the next entry or "
        "checkpoint, or at the end. After a suspicion none of this is looked at.",
        "damage",
    ),
    ("A checkpoint is a note by its grammar, even if the manifest names its hash.", "damage"),
    ("A checkpoint is not the second one of its size.", "damage"),
    ("A checkpoint's hash is the next one that the manifest names.", "damage"),
    ("A checkpoint's matter and size are those of the entries so far.", "damage"),
    ("A checkpoint has exactly one line of Trent's, and it is valid.", "V20"),
    ("A checkpoint states the root and the head of the entries so far.", "V20"),
    (
        "Each other line of a checkpoint is by Alice, Bob or the court, with the id of the key that is in force at "
        "its size. Nobody has two lines, and all are valid.",
        "V20",
    ),
    ("At the end: there are as many entries as the manifest states.", "damage"),
    ("At the end: all checkpoints that the manifest names are there.", "damage"),
    ("At the end: the manifest's head and root are those of the entries.", "V02"),
    ("At the end: the manifest's number and root of openings are those of the openings.", "damage"),
    ("At the end: there was no suspicion, and everything that is opened was released.", "V06"),
]


_ENDED = "the reading ended early"
_STOPPED = f"{_ENDED}, or the replay stopped"
OUTCOMES: list[tuple[str, str]] = [
    ("V01 V02 V03 V06", f"{_ENDED}."),
    ("V04", "no keys could be read, or a role has no trusted fingerprint. Nothing else matters to it."),
    ("V05 V08 V19 V26", f"{_STOPPED}."),
    ("V07", f"{_STOPPED}; or not all four have signed the opening."),
    ("V09", f"{_STOPPED}; or there is no batch."),
    (
        "V10",
        f"{_STOPPED}; no corpus is given, or not the committed one; the folder's rows and terms do not fit together; "
        "the copy does not name all documents of a batch, or show its model; or a batch is drawn by a query, and the "
        "folder's term table is not known to be the committed one; or nothing was checked.",
    ),
    (
        "V11",
        f"{_STOPPED}; no corpus is given, or not the committed one (so too for the court's copy, which shows the "
        "models); the folder's rows and terms do not fit together; the copy does not name all documents of a batch, "
        "or show its model; or no batch was by a model.",
    ),
    (
        "V12",
        f"{_STOPPED}; the copy hides labels; the open round's report is sealed; a closed round's report seals "
        "`privilege`, and the copy does not open all of it; or no report was opened.",
    ),
    ("V13", f"{_STOPPED}; the copy hides labels; the open round has a wave; or no round is closed."),
    ("V14", f"{_STOPPED}; the copy is the public's; or no proof was followed."),
    (
        "V15",
        f"{_STOPPED}; the copy hides labels; the open round's report is sealed; or there are no labels, disputes "
        "or rulings.",
    ),
    ("V16", f"{_STOPPED}; the copy hides labels; or no round is closed."),
    ("V17", f"{_STOPPED}; or there are no claims."),
    ("V18", f"{_STOPPED}; there are no claims; or the copy hides labels."),
    (
        "V20",
        f"{_ENDED}; or the last checkpoint is not of the whole copy, or not signed by Alice, Bob and the court.",
    ),
    (
        "V21",
        f"{_ENDED}; no corpus is given, or not the committed one; a document of it does not have its committed "
        "content and text; or the opening broke a rule.",
    ),
    (
        "V22",
        f"{_ENDED}; no corpus is given, or not the committed one, or it is damaged; the copy is not the court's, so "
        "that the vocabulary is sealed; or the opening broke a rule.",
    ),
    ("V23", f"{_STOPPED}; no files are given; or no proof was followed."),
    (
        "V24",
        f"{_STOPPED}; the matter is no simulation; no corpus is given, or not the committed one; the folder's rows "
        "and terms do not fit together; `labels.json` does not hash to the simulation's `truth`; the copy does not "
        "name all documents of a batch; or no round is closed.",
    ),
    (
        "V25",
        f"{_STOPPED}; the copy hides labels; in the open round something is claimed, with the report or late; or a "
        "closed round's report seals `privilege`, and the copy does not open all of it.",
    ),
]


_ROUND_0 = ("`round` is 0.", "V05", "Trent")
_NEXT = [
    ("No round is open, fewer than T are closed, and documents are left.", "V05", "Trent"),
    ("`round` is the next one.", "V05", "Trent"),
]
_IN_ROUND = [
    ("A round is open, and its coins are fixed or it has no report.", "V05", "Trent"),
    ("`round` is the open one.", "V05", "Trent"),
]
_RULED = (
    "Nothing is disputed that the court has not ruled on, as far as the copy shows Alice's labels.",
    "V15",
    "Trent",
)
_PROOFS = [
    ("It seals a proof for each position.", "V14", "Trent"),
    ("Each proof has its shape, where the copy opens all of them and names the documents.", "V14", "Trent"),
    ("Each leads from the named document to the root of the corpus.", "V14", "Trent"),
]


def _link(who: str) -> list[tuple[str, str, str]]:
    return [
        ("The link is there, and is for the draw under way, which is at most `draws`.", "V08", who),
        ("The link hashes to its owner's link before, up to the anchor.", "V08", who),
    ]


CONDITIONS: dict[str, list[tuple[str, str, str]]] = {
    "every entry but a conflict": [
        ("The kind is known, and no claims came before.", "V05", "see below"),
        ("A party answers the question that it must answer now.", "V05", "Trent"),
        ("A party's statement is of the kind that it was asked for.", "V05", "its author"),
        ("A `default`, `rekey` or `amend` comes after all have signed the opening.", "V26", "Trent"),
        (
            "Trent goes on only if nobody must answer; at a `default` and `rekey`, if the court need not.",
            "V05",
            "Trent",
        ),
        ("The author is one that its kind has.", "V05", "its author"),
        ("`asks` names those whom its kind asks.", "V05", "Trent"),
        ("Only a `camera`, `disclosure` and `closed` release anything.", "V05", "Trent"),
        ("The statement seals the fields of its kind, for the audiences of its kind.", "V05", "its author"),
        ("`content` has the fields of its kind, each of its type.", "V05", "its author"),
    ],
    "conflict": [
        ("No claims came before.", "V05", "Trent"),
        ("It asks, releases and seals nothing, and its `round` is that of the evidence.", "V05", "Trent"),
        ("The evidence is about a question of this matter that its author has answered on record.", "V19", "Trent"),
        ("The evidence is not the answer on record.", "V19", "Trent"),
        (
            "One of the two statements names the other's hash in `replaces`. (This stops nothing.)",
            "V19",
            "their author",
        ),
    ],
    "open": [
        _ROUND_0,
        ("There is either a caption or a simulation.", "V05", "Trent"),
        ("The terms can be run.", "V07", "Trent"),
        ("One `vocabulary` is sealed.", "V07", "Trent"),
        ("The vocabulary is a hash.", "V07", "Trent"),
    ],
    "deposited": [("The anchors are those that Alice, Bob and Trent have named by now.", "V08", "Trent")],
    "draw": [
        *_NEXT,
        ("All output labels so far are equal, and no draw is under way.", "V09", "Trent"),
        ("The number is the next one, and at most `draws`.", "V08", "Trent"),
    ],
    "link": _link("its author"),
    "batch": [
        *_NEXT,
        (
            "While all output labels so far are equal: there was a draw, `drawn` is stated, no `model` is sealed, "
            "`near_cut` is null. Afterwards: there was no draw, `drawn` is null, a `model` is sealed, `near_cut` is "
            "stated.",
            "V09",
            "Trent",
        ),
        *[(f"Where `drawn` is stated: {text[0].lower()}{text[1:]}", check, who) for text, check, who in _link("Trent")],
        (
            "As many documents are sealed as `size` says, and that is min(N, documents left). Where the batch is drawn "
            "and the query is not empty it may be less.",
            "V09",
            "Trent",
        ),
        ("A batch by model seals one `model`.", "V09", "Trent"),
        ("Each document that the copy names has its shape and is of the corpus, in no batch twice.", "V09", "Trent"),
    ],
    "report": [
        (
            "It seals a label for each position; under `classifier` one threshold, else none; and a value of "
            "`privilege` for each position, if any.",
            "V12",
            "Alice",
        ),
        *_link("Alice"),
        ("The threshold is a rank from 0 to the batch's size.", "V12", "Alice"),
        ("The labels are true or false where one is asked for, and null elsewhere.", "V12", "Alice"),
        ("Each value of `privilege` is null or a basis.", "V12", "Alice"),
        ("Not all values of `privilege` are null.", "V12", "Alice"),
        ("`openings` is the hash of the report's openings, where the copy opens all of them.", "V12", "Alice"),
    ],
    "camera": [
        *_IN_ROUND,
        _RULED,
        (
            "The positions are ascending, at least one, in the batch, and neither disclosed nor ruled on.",
            "V25",
            "Trent",
        ),
        ("Alice claims each of them, as far as the copy shows it.", "V25", "Trent"),
        ("It releases to Bob the bases of these claims, by a list of indices, and nothing else.", "V25", "Trent"),
        *_PROOFS,
    ],
    "privilege": [("There is a ruling for each position.", "V25", "the court")],
    "late": _IN_ROUND,
    "claim": [
        ("The positions are ascending, in the batch, and neither disclosed nor claimed.", "V25", "Alice"),
        ("It seals a basis for each position.", "V25", "Alice"),
        ("Each is a basis.", "V25", "Alice"),
    ],
    "disclosure": [
        *_IN_ROUND,
        _RULED,
        ("The positions are ascending, at least one, in the batch, and not disclosed or withheld.", "V13", "Trent"),
        (
            "It releases to Bob the `documents` of these positions, by a list of indices, and nothing else.",
            "V13",
            "Trent",
        ),
        *_PROOFS,
    ],
    "labels": [("There is a label for each position.", "V15", "Bob")],
    "dispute": [
        *_IN_ROUND,
        ("The positions are ascending, at least one, labelled by Bob, and not ruled on.", "V15", "Trent"),
        ("They are those where Alice and Bob disagree, where the copy shows Alice's labels.", "V15", "Trent"),
    ],
    "rulings": [("There is a label for each position.", "V15", "the court")],
    "closed": [
        *_IN_ROUND,
        _RULED,
        *[(f"With a report: {text[0].lower()}{text[1:]}", check, who) for text, check, who in _link("Trent")],
        ("Without a report `draw` and `link` are null.", "V08", "Trent"),
        ("It releases to Bob the report's `labels` and `threshold`, with null, and nothing else.", "V16", "Trent"),
        ("`truth` is stated in a simulation, and is null elsewhere.", "V16", "Trent"),
        (
            "`responsive` is ascending, in the batch, and as settled for what was disclosed. `threshold`, `error` and "
            "`sampled` are at most the batch's size. (The numbers in `truth` are not looked at.)",
            "V16",
            "Trent",
        ),
        (
            "Where the copy opens the report: each `camera` and each wave, in order, is what was due. A wrong "
            "`camera`, or a wave with a claimed position that is not ruled on, is V25. Any other wrong wave is V13, "
            "and so is anything due that was never shown.",
            "V13 V25",
            "Trent",
        ),
        (
            "Where the copy opens the report: `responsive`, `compelled`, `error`, `sampled` and `threshold` follow "
            "from the round.",
            "V16",
            "Trent",
        ),
    ],
    "default": [
        _ROUND_0,
        ("`absent` must answer.", "V26", "Trent"),
        ("`served` is the hash of the entry that asks `absent`, or of a later one.", "V26", "Trent"),
    ],
    "order": [
        ("`absent` and `served` are those of the `default`.", "V26", "the court"),
        ("There is a link if a link was asked for and the order is granted, and else none.", "V26", "the court"),
        *_link("the court")[1:],
    ],
    "rekey": [
        _ROUND_0,
        ("`role` is `alice` or `bob`. The key is acceptable, and none of the four has or had it.", "V26", "Trent"),
    ],
    "rekeyed": [("`role` and `key` are those of the `rekey`.", "V26", "the court")],
    "amend": [
        _ROUND_0,
        (
            "`rounds` is not T. It is at most 2^12 and half of `draws`, and at least the rounds that have begun.",
            "V26",
            "Trent",
        ),
    ],
    "claims": [
        _ROUND_0,
        ("No round is open and no draw under way. T rounds are closed, or no document is left.", "V05", "Trent"),
        ("All numbers and texts but `hidden.at_most` follow from the entries.", "V17", "Trent"),
        ("`hidden.at_most` is the bound, where the copy shows labels.", "V18", "Trent"),
    ],
}
