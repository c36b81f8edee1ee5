"""The numbered checks of the specification: what each asks, and what a copy must hold to answer it."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The four who hold keys."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    TRENT = "trent"

    @property
    def called(self) -> str:
        """The name in a sentence for people; scripts get the value."""
        return "the court" if self is Role.COURT else self.capitalize()


class Check(StrEnum):
    """A check by its number."""

    FORMAT = "V01"
    CHAIN = "V02"
    SIGNATURES = "V03"
    IDENTITIES = "V04"
    ORDER = "V05"
    OPENINGS = "V06"
    TERMS = "V07"
    COINS = "V08"
    BATCHES = "V09"
    RANKING = "V10"
    MODELS = "V11"
    REPORTS = "V12"
    DISCLOSURES = "V13"
    DOCUMENTS = "V14"
    ANSWERS = "V15"
    OUTCOMES = "V16"
    CLAIMS = "V17"
    CERTIFICATES = "V18"
    CONFLICTS = "V19"
    COSIGNATURES = "V20"
    CORPUS = "V21"
    FEATURES = "V22"
    HANDED = "V23"
    TRUTH = "V24"
    PRIVILEGE = "V25"
    ORDERS = "V26"
    ESCALATIONS = "V27"
    VALIDATIONS = "V28"
    STOPPING = "V29"
    ACCOUNT = "V30"
    WITNESSES = "V31"
    STAMPS = "V32"
    LOG = "V33"


@dataclass(frozen=True, slots=True)
class Definition:
    """A check in words."""

    name: str
    question: str  # as the verdict asks it
    counts: str  # what its items are
    needs: str = ""  # what it needs beyond the copy


DEFINITIONS: dict[Check, Definition] = {
    Check.FORMAT: Definition("format", "Is every line canonical and of a known shape and version?", "lines"),
    Check.CHAIN: Definition("chain", "Does every entry name the one before it, up to the head of the copy?", "entries"),
    Check.SIGNATURES: Definition(
        "signatures", "Did Trent sign every entry, and each party its own statements?", "signatures"
    ),
    Check.IDENTITIES: Definition(
        "identities", "Are the keys those of the people you know?", "keys", "fingerprints from elsewhere (--trust)"
    ),
    Check.ORDER: Definition(
        "order", "Did everyone answer when asked, and what was asked, in the order of a matter?", "entries"
    ),
    Check.OPENINGS: Definition(
        "openings", "Does the copy open just what its audience may see, each as it was sealed?", "openings"
    ),
    Check.TERMS: Definition("terms", "Can the agreed terms be run, and did all sign them?", "statements"),
    Check.COINS: Definition("coins", "Is every coin the one that the parties' chains give?", "links"),
    Check.BATCHES: Definition(
        "batches",
        "Has each batch its due size, by coin or by model as it must, and no document twice that the copy names?",
        "batches",
    ),
    Check.RANKING: Definition(
        "ranking",
        "Does each batch hold the documents that its model or its coins choose, to the last rank?",
        "batches",
        "the court's copy and the sealed corpus (--corpus)",
    ),
    Check.MODELS: Definition(
        "models",
        "Is each model optimal for the labels so far, by its certificate?",
        "models",
        "the court's copy and the sealed corpus (--corpus)",
    ),
    Check.REPORTS: Definition(
        "reports",
        "Is each of Alice's reports complete, and as she committed to it?",
        "reports",
        "a copy that shows labels",
    ),
    Check.DISCLOSURES: Definition(
        "disclosures",
        "Was Bob shown just what the rule and the coins say, wave by wave?",
        "rounds",
        "a copy that shows labels",
    ),
    Check.DOCUMENTS: Definition(
        "documents",
        "Is each document that was disclosed, or shown to the court alone, one of the committed corpus, with all parts "
        "but those that the court withheld?",
        "documents",
        "a copy that names documents",
    ),
    Check.ANSWERS: Definition(
        "answers",
        "Did Bob label just what he was shown, and the court rule on just what was disputed?",
        "answers and disputes",
        "a copy that shows labels",
    ),
    Check.OUTCOMES: Definition(
        "outcomes",
        "Does each round end with the labels and numbers that follow from it?",
        "rounds",
        "a copy that shows labels",
    ),
    Check.CLAIMS: Definition("claims", "Are the counts that Trent claims those of the entries?", "numbers"),
    Check.CERTIFICATES: Definition(
        "certificates",
        "Are the certificates those that the coins give?",
        "rounds",
        "a copy that shows labels",
    ),
    Check.CONFLICTS: Definition(
        "conflicts", "Did everyone give one answer to each question?", "second answers on record"
    ),
    Check.COSIGNATURES: Definition(
        "cosignatures",
        "Have Alice, Bob and the court signed the end of this very history, except for anyone the court excused?",
        "signatures",
    ),
    Check.CORPUS: Definition(
        "corpus",
        "Is the corpus at hand the one that the matter committed to?",
        "documents",
        "the sealed corpus (--corpus)",
    ),
    Check.FEATURES: Definition(
        "features",
        "Are the feature rows those of the documents' texts?",
        "documents",
        "the court's copy and the sealed corpus (--corpus)",
    ),
    Check.HANDED: Definition(
        "handed documents",
        "Are the files at hand the documents that were disclosed?",
        "files",
        "the files (--documents)",
    ),
    Check.TRUTH: Definition(
        "simulated truth",
        "Is a simulation's true recall that of the labels it was given?",
        "rounds",
        "a simulation, a copy that names all documents, and the corpus (--corpus)",
    ),
    Check.PRIVILEGE: Definition(
        "privilege",
        "Did every document that Alice claims as privileged go to the court before Bob, when it was due, and no other?",
        "claimed documents",
        "a copy that shows labels",
    ),
    Check.ORDERS: Definition(
        "orders",
        "Is every order on silence, new key and amendment about what was asked, and by those who must sign it?",
        "requests and answers",
    ),
    Check.ESCALATIONS: Definition(
        "escalations",
        "Did coins draw again from all that is withheld whenever the terms ask for it?",
        "escalations and second looks",
        "a copy that shows labels",
    ),
    Check.VALIDATIONS: Definition(
        "validations",
        "Was the whole collection validated when and as the terms say?",
        "validations",
        "a copy that shows labels",
    ),
    Check.STOPPING: Definition(
        "stopping",
        "Did the review end by the rule in its terms?",
        "ends",
        "a copy that shows labels",
    ),
    Check.ACCOUNT: Definition(
        "account",
        "Do the counts of what was received add up, and does the corpus hold what they say?",
        "items",
        "the sealed corpus (--corpus)",
    ),
    Check.WITNESSES: Definition(
        "witnesses",
        "Was the record seen from outside before each round, as the terms ask?",
        "stamps and proofs on record",
    ),
    Check.STAMPS: Definition(
        "time stamps",
        "Is each time stamp on record valid, by an authority that you trust?",
        "stamps",
        "roots of authorities (--tsa-roots)",
    ),
    Check.LOG: Definition(
        "log",
        "Was the operator's log witnessed as your policy asks, each time that it is on record?",
        "proofs",
        "a policy (--policy)",
    ),
}


class Audience(StrEnum):
    """For whom a copy was cut."""

    ALICE = "alice"
    BOB = "bob"
    COURT = "court"
    PUBLIC = "public"

    @property
    def called(self) -> str:
        """The name in a sentence for people; scripts get the value."""
        return "the public" if self is Audience.PUBLIC else Role(self).called
