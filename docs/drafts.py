"""The examples of papers in `docs/papers/`: each function prints one, for cog. All of it is made up."""

from ledger.hashing import Digest
from ledger.roles import Role
from protocol.corpus.account import Account
from protocol.matter import terms
from protocol.matter.values import Caption, CorpusCommitment
from protocol.papers import paper
from protocol.papers.ground import Ground
from protocol.papers.nonwaiver import nonwaiver
from protocol.papers.order import order as stipulated_order
from protocol.papers.statement import statement as disclosure_statement

EXAMPLE = Ground(
    caption=Caption(
        case="Smith v. Acme Corp., No. 3:24-cv-00123",
        court="United States District Court for the Northern District of California",
        names={Role.ALICE: "Acme Corp.", Role.BOB: "Jo Smith", Role.COURT: "Judge Lee", Role.TRENT: "Neutral LLC"},
        request="All documents concerning the recall of the X-200 heater, from January 1, 2021 to June 30, 2023.",
    ),
    terms=terms.terms(
        protocol="spot-check",
        batch=500,
        rounds=20,
        query="X-200 heater recall",
        validation=terms.validation(),
        classes=terms.classes(["medical"], "0.01"),
    ),
    corpus=CorpusCommitment(
        account=Account(
            containers=14,
            custodians=5,
            duplicates=6_120,
            entered=41_870,
            exceptions=212,
            families=47_990,
            first="2020-11-02",
            items=48_216,
            last="2023-07-14",
            list=Digest(bytes.fromhex("5d" * 32)),
            parts=66_402,
            protections=("no network", "no other files", "limited memory", "limited time"),
            reasons={"damaged": 31, "encrypted": 118, "needs tool": 63},
            unread=1_904,
        ),
        documents=41_870,
        root=Digest(bytes.fromhex("a7" * 32)),
        unit="family",
    ),
    tools={
        ("tallystick 0.1.0", ""): 52_310,
        ("pypdfium2 5.0.0", ""): 11_214,
        ("LibreOffice 7.4.7.2; tallystick 0.1.0", "doc to docx"): 2_878,
    },
)


def order() -> None:
    """The stipulated order."""
    print(paper.markdown(stipulated_order(EXAMPLE)))


def nonwaiver_order() -> None:
    """The order under Fed. R. Evid. 502(d)."""
    print(paper.markdown(nonwaiver(EXAMPLE)))


def statement() -> None:
    """The disclosure statement."""
    print(paper.markdown(disclosure_statement(EXAMPLE)))
