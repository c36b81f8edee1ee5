"""The specification's numbered steps, as data: the chain, the reading of a copy, and when a check is not made."""

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
    (
        "Where a party speaks, it answers an entry that asked it, that it has not answered yet, and that none of its "
        "new keys has made void.",
        "V05",
    ),
    ("Where a party speaks, `round` is that of the entry that it answers.", "V05"),
    (
        "`asks`, `replaces`, `audiences`, `releases` and `indices` are ascending. `asks` has no `trent`, `audiences` "
        "no `public`. Each sealed field has a commitment, no two in the statement are equal. A release names an "
        "earlier entry, not the audience `public`, and in `indices` null or at least one index.",
        "V01",
    ),
    (
        "A `rekeyed` by the court whose `granted` is true has `alice` or `bob` as `role`, and as `key` an acceptable "
        "key that none of the four has or had. From the next entry on it is that role's key, and every entry that the "
        "role has not answered yet is void for it.",
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
        "A piece is the next one due: of this attachment, with this number, its `data` in the one base64 of its bytes, "
        "and of the length that the stated `size` leaves for it. All pieces together have the attachment's hash. "
        "None is missing before the next entry or checkpoint, or at the end. After a suspicion none of this is looked "
        "at, the base64 neither: `data` is then any text.",
        "damage",
    ),
    (
        "A token stands directly after a `stamped` entry or its pieces, once, and its SHA-256 is that entry's "
        "`content.token`. It has 1 to 2^16 bytes, in the one base64 that they have.",
        "damage",
    ),
    ("A checkpoint is a note by its grammar, even if the manifest names its hash.", "damage"),
    ("A checkpoint is not the second one of its size.", "damage"),
    ("A checkpoint's hash is the next one that the manifest names.", "damage"),
    ("A checkpoint's matter and size are those of the entries so far.", "damage"),
    ("A checkpoint has exactly one line of Trent's, and it is valid.", "V20"),
    ("A checkpoint states the root and the head of the entries so far.", "V20"),
    (
        "Each other line of a checkpoint is by Alice, Bob or the court, with the id of the key that is in force after "
        "its last entry: a key that this entry grants is. Nobody has two lines, and all are valid.",
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
    ("V05 V08 V26 V31", f"{_STOPPED}."),
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
    ("V19", f"{_STOPPED}; or the copy does not open the `evidence` of some `conflict`."),
    (
        "V20",
        f"{_ENDED}; or the last checkpoint is not of the whole copy, or not signed by Alice, Bob and the court, apart "
        "from those without whom the court lets the matter end.",
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
    ("V23", f"{_STOPPED}; no files are given; no proof was followed; or a content that was disclosed has no file."),
    (
        "V24",
        f"{_STOPPED}; the matter is no simulation; no corpus is given, or not the committed one; the folder's rows "
        "and terms do not fit together; `labels.json` does not hash to the simulation's `truth`; the copy does not "
        "name all documents of a batch; or no round is closed.",
    ),
    (
        "V25",
        f"{_STOPPED}; the copy hides labels; in the open round something is claimed, with the report or late, or "
        "the court has ruled in camera; or a closed round's report seals `privilege`, and the copy does not open all "
        "of it.",
    ),
    ("V27", f"{_STOPPED}; or the rule is `spot-check`, and the copy hides labels."),
    ("V28", f"{_STOPPED}; or the terms have a `validation`, and the copy hides labels."),
    ("V29", f"{_STOPPED}; there are no claims; or the terms have a `validation`, and the copy hides labels."),
    (
        "V30",
        f"{_ENDED}; no corpus is given, or not the committed one; `account.jsonl` in it does not have the hash `list`; "
        "or the opening broke a rule.",
    ),
    (
        "V32",
        f"{_STOPPED}; no roots are given; a token is not in the copy, or does not show that the text existed (see "
        "[Time stamps](#time-stamps)); or there is no `stamped`.",
    ),
    (
        "V33",
        f"{_STOPPED}; no policy is given; the note of a proof does not satisfy it (see [The operator's "
        "log](#the-operators-log)); or there is no `logged`.",
    ),
]

COUNTS: list[tuple[str, str]] = [
    ("V01", "lines of the copy"),
    ("V02 V05", "entries"),
    (
        "V03",
        "signatures: Trent's of the manifest and of each entry, a party's of each statement that has one, and all on "
        "checkpoints",
    ),
    ("V04", "keys that roles have or had and that are trusted"),
    ("V06", "values that the copy opens"),
    ("V07", "`open`, `agreed` and `deposited` entries"),
    ("V08", "links"),
    ("V09", "`batch` entries"),
    ("V10", "`batch` entries whose documents were all compared with the corpus"),
    ("V11", "models"),
    ("V12", "reports whose labels, and whose threshold under `classifier`, the copy opens"),
    ("V13 V16", "closed rounds, except those with a report that the copy does not open"),
    ("V14", "proofs"),
    ("V15", "`labels`, `dispute` and `rulings` entries"),
    ("V17", "numbers of the `claims`: its fields"),
    ("V18", "closed rounds, once there are claims"),
    ("V19", "`conflict` entries whose `evidence` the copy opens"),
    ("V20", "of Alice, Bob and the court, how many have signed the last checkpoint of the whole copy"),
    ("V21 V22", "documents of the corpus"),
    ("V23", "files that were compared"),
    ("V24", "rounds that were compared"),
    (
        "V25",
        "documents that the court saw in camera, in the rounds that V13 counts, and those that Alice asked back; one "
        "that is both counts twice",
    ),
    ("V26", "`default`, `order`, `rekey`, `rekeyed`, `amend` and `amended` entries"),
    ("V27", "`escalation` and `look` entries"),
    ("V28", "`validation` and `call` entries"),
    ("V29", "`claims` entries"),
    ("V30", "items of the account"),
    ("V31", "`stamped` and `logged` entries"),
    ("V32", "tokens that are valid"),
    ("V33", "proofs that satisfy the policy"),
]
"""What a report counts beside each check that passed."""
