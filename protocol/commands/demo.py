"""`tallystick demo`: from nothing to three matters side by side."""

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from ledger.copies import write_copy
from ledger.errors import Refused
from ledger.examining import examine, open_reader
from ledger.roles import Audience, Role
from ledger.store import Store
from ledger.terminal import refusals
from protocol import rules
from protocol.commands import tables
from protocol.commands.matter import trents_tools
from protocol.matter import summary as summaries

DOCUMENTS, RESPONSIVE = 4000, 160
ROUNDS, BATCH = 8, 150
AUDIENCES = (Audience.BOB, Audience.ALICE, Audience.COURT)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tallystick-demo"),
    show_default=True,
    help="A new folder for all that is made.",
)
@refusals
def demo(*, out: Path) -> None:
    """Make a small corpus, run a matter by each protocol, cut the copies, and compare.

    Takes some seconds. Nothing in it is real: one program plays all parties, over made-up mail.
    """
    from ledger.commitments import Secret
    from ledger.hashing import tagged_hash
    from protocol.corpus import building
    from protocol.matter import terms
    from protocol.sources import synthetic

    simulation = trents_tools()
    started = perf_counter()
    if out.exists():
        raise Refused(f"{out} exists already; delete it, or choose another folder with --out")
    out.mkdir(parents=True)
    click.echo(f"1. A synthetic corpus: {DOCUMENTS} mails, {RESPONSIVE} of them responsive -> {out / 'corpus'}")
    mails = synthetic.documents(documents=DOCUMENTS, responsive=RESPONSIVE, seed="demo")
    corpus = building.build(mails, out / "corpus", secret=Secret(tagged_hash("corpus-secret", b"demo")))
    click.echo(f"2. Three matters over it, {ROUNDS} rounds of {BATCH} documents each, with a truthful Alice:")
    found: dict[str, dict[str, Any]] = {}
    for protocol in rules.NAMES:
        agreed = terms.terms(protocol=protocol, rounds=ROUNDS, batch=BATCH, delta="0.01", k=1, query=synthetic.QUERY)
        plan = simulation.plan(
            corpus, agreed, label="responsive", seed="demo", alice="truthful", bob="truthful", court="right"
        )
        path = out / f"{protocol}.matter"
        with simulation.Run(corpus, plan, path) as run:
            found[protocol] = summaries.summary(run.run())
        copies = [
            _copy(path, audience, out / f"{protocol}-{audience}.jsonl", plan.key(Role.TRENT)) for audience in AUDIENCES
        ]
        click.echo(f"   {path}, with copies {', '.join(copies)}")
    click.echo("3. Side by side:\n")
    click.echo(comparison(found))
    click.echo(_next(out))
    click.echo(f"({perf_counter() - started:.0f} seconds)")


def _copy(matter: Path, audience: Audience, path: Path, key: Any) -> str:
    """Cut a copy and check it, as whoever gets it would."""
    with Store.open(matter) as store:
        write_copy(store, audience, key, path)
    examine(open_reader(path))
    return path.name


def comparison(found: dict[str, dict[str, Any]]) -> str:
    """One row a protocol."""
    header = [
        "protocol",
        "reviewed",
        "shown",
        "found",
        "recall",
        "NRD",
        "hidden at most (95 %)",
        "recall of reviewed >=",
    ]
    rows = [
        [
            name,
            *(tables.cell(each[key]) for key in ("reviewed", "revealed", "found", "recall", "nrd")),
            tables.cell(each["hidden_bound"]["at_most"]),
            tables.cell(each["hidden_bound"]["recall_at_least"]),
        ]
        for name, each in found.items()
    ]
    return tables.table(header, rows)


def _next(out: Path) -> str:
    return f"""
Found is what Bob was shown and is responsive; NRD is what he was shown and is not. Revealing all finds the most and
shows the most; the sampling protocols show less, and bound what can have been hidden, whatever Alice did. Recall counts
the whole corpus, which is known only because this one is made up; the last column is what could be claimed in a real
case, about the documents that were reviewed. With a classifier Alice labels less, so less is shown and less is proven.

What to look at next:
  tallystick status {out / "label.matter"}                what happened round by round, and what can be claimed
  tallystick ledger show {out / "label-bob.jsonl"}        every step, as Bob sees it
  tallystick ledger check {out / "label-court.jsonl"}     is the record whole, and as it was signed?
  tallystick simulate {out / "corpus"} --responsive responsive --protocol label --rounds {ROUNDS} --batch {BATCH} \\
    --alice hiding:0.3:far --out {out / "hiding.matter"}  what happens if Alice hides three in ten
"""
