"""`tallystick demo`: four small matters, one by each protocol, side by side."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from ledger import canonical, entries, merkle
from ledger.copies import write_copy
from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.progress import stages
from ledger.roles import Audience, Role
from ledger.store import Store
from ledger.terminal import progress_bar, quiet_option, refusals
from protocol.commands import tables, trent
from protocol.matter import summary as summaries
from protocol.matter.state import Matter
from protocol.rules import table
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.spot_check import SpotCheck

DOCUMENTS, RESPONSIVE = 6000, 300
ROUNDS, BATCH = 16, 100
AUDIENCES = (Audience.BOB, Audience.ALICE, Audience.COURT, Audience.PUBLIC)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tallystick-demo"),
    show_default=True,
    help="A new folder for all files.",
)
@quiet_option
@refusals
def demo(*, out: Path) -> None:
    """Run four small matters, verify every copy, and break one.

    Makes a small corpus, plays a matter by each rule, and cuts the copies. Takes some seconds. Nothing in it is real:
    one program plays all parties, over made-up mail.
    """
    with trent.installation():
        from protocol.simulation import run  # noqa: F401 - before anything is made

    started = perf_counter()
    if out.exists():
        raise Refused(f"{out} exists already; delete it, or choose another folder with --out")
    out.mkdir(parents=True)
    with _removed_unless_finished(out):
        _play(out, started)


@contextmanager
def _removed_unless_finished(out: Path) -> Iterator[None]:
    """Whoever interrupts a demo wants nothing of it."""
    try:
        yield
    except KeyboardInterrupt:
        shutil.rmtree(out, ignore_errors=True)
        raise


def _play(out: Path, started: float) -> None:
    from ledger.commitments import Secret
    from ledger.hashing import tagged_hash
    from protocol.corpus import build
    from protocol.matter import terms
    from protocol.simulation import run as simulation
    from protocol.sources.intake import Intake
    from protocol.sources.madeup import recipe

    click.echo(f"1. Made-up mail: {DOCUMENTS} families, {RESPONSIVE} of them responsive -> {out / 'corpus'}")
    intake = Intake()
    mails = intake.take(recipe.entered(documents=DOCUMENTS, responsive=RESPONSIVE, seed="demo"))
    secret = Secret(tagged_hash("corpus-secret", b"demo"))
    with progress_bar(0, "Building", lambda: intake.documents), stages() as stage:
        corpus = build.build(mails, out / "corpus", secret=secret, received=intake.received, stage=stage)
    click.echo(
        f"2. A matter by each protocol, {ROUNDS} batches of {BATCH} documents each, with a truthful Alice. By\n"
        f"   {SpotCheck.name} the whole collection is validated too:"
    )
    found: dict[str, dict[str, Any]] = {}
    for protocol in table.names():
        validation = terms.validation() if protocol == SpotCheck.name else None
        agreed = terms.terms(protocol=protocol, rounds=ROUNDS, batch=BATCH, query=recipe.QUERY, validation=validation)
        plan = simulation.plan(
            corpus, agreed, label="responsive", seed="demo", alice="truthful", bob="truthful", court="right"
        )
        path = out / f"{protocol}.matter"
        with simulation.Run(corpus, plan, path) as run, progress_bar(ROUNDS, "Playing", unit="rounds") as progress:
            found[protocol] = summaries.summary(run.run(_telling(progress)))
        click.echo(f"   {path}")
        for audience in AUDIENCES:
            copy = _copy(path, audience, out / f"{protocol}-{audience}.jsonl", plan.key(Role.TRENT))
            sealed = ("--corpus", str(out / "corpus")) if audience is Audience.COURT else ()
            click.echo(f"      {copy.name:<26} {_verdict(copy, *sealed)}")
    click.echo("3. Side by side:\n")
    click.echo(comparison(found))
    _break(out / f"{ClassifierReport.name}-bob.jsonl", plan.key(Role.TRENT))
    click.echo(_next(out))
    click.echo(f"({perf_counter() - started:.0f} seconds)")


def _telling(progress: Callable[..., None]) -> Callable[[Matter], None]:
    return lambda state: progress(len(state.batches))


def _copy(matter: Path, audience: Audience, path: Path, key: SigningKey) -> Path:
    with Store.open(matter) as store:
        write_copy(store, audience, key, path)
    return path


def _verdict(copy: Path, *options: str, expected: int = 0) -> str:
    """What the verifier, which shares no code with this program, says of a copy before its tables."""
    command = [sys.executable, "-P", "-m", "verifier", str(copy), *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter
    if run.returncode != expected:
        raise Refused(f"{copy} got an unexpected verdict:\n{run.stdout or run.stderr}")
    said, _, _ = run.stdout.partition("\n\nMatter ")
    return said.partition(":")[0] if run.returncode == 0 else f"{said}\n(exit code {run.returncode})"


def _break(copy: Path, key: SigningKey) -> None:
    """Two lies about the same number: one by somebody with an editor, one under Trent's own signature."""
    manifest, *lines = [json.loads(line) for line in copy.read_bytes().splitlines()]
    *_, last = [line for line in lines if "entry" in line]
    claimed = last["entry"]["body"]["statement"]["content"]
    claimed |= {"found": claimed["found"] + 20, "nrd": claimed["nrd"] - 20}
    edited, signed = (copy.with_name(f"{copy.stem}-{name}.jsonl") for name in ("edited", "signed"))
    _write(edited, [manifest, *lines])
    click.echo(f"\n4. Somebody opens {copy.name} in an editor and adds 20 to the documents found -> {edited.name}:\n")
    click.echo(_verdict(edited, expected=3))
    body = canonical.encode(last["entry"]["body"])
    last["entry"]["signature"] = entries.sign_entry(key, body).hex()
    lines = [line for line in lines if "checkpoint" not in line]  # only Trent signs: nobody else would sign such an end
    hashes = [entries.hash_entry(canonical.encode(line["entry"]["body"])) for line in lines if "entry" in line]
    stated = manifest["manifest"] | {"checkpoints": [], "head": hashes[-1].hex(), "root": merkle.root(hashes).hex()}
    signature = key.sign("manifest", canonical.encode(stated)).hex()
    _write(signed, [{"manifest": stated, "signature": signature}, *lines])
    click.echo(f"\n   Trent himself does it, and signs the record anew -> {signed.name}:\n")
    click.echo(_verdict(signed, expected=1))


def _write(path: Path, lines: list[Any]) -> None:
    path.write_bytes(b"".join(canonical.encode(line) + b"\n" for line in lines))


def comparison(found: dict[str, dict[str, Any]]) -> str:
    """A row for each protocol."""
    header = [
        "protocol",
        "reviewed",
        "shown",
        "found",
        "recall",
        "NRD",
        "hidden at most (95 %)",
        "recall of reviewed >=",
        "of collection >=",
    ]
    rows = [
        [
            name,
            *(tables.cell(each[key]) for key in ("reviewed", "revealed", "found", "recall", "nrd")),
            tables.cell(each["certificates"]["reviewed"]["at_most"]),
            *(tables.cell(each["certificates"][which]["recall_at_least"]) for which in ("reviewed", "collection")),
        ]
        for name, each in found.items()
    ]
    return tables.table(header, rows)


def _next(out: Path) -> str:
    usual = SpotCheck.name
    return f"""
"Found" counts the responsive documents that Bob was shown; "NRD" counts those that he was shown and that are not
responsive. Revealing all finds the most and shows the most. The paper's two rules show less, and limit what can have
been hidden, whatever Alice did. Spot checks show least where Alice is truthful. Recall is about the whole corpus, and
is known only because this one is made up. The last two columns are what could be claimed in a real case, about the
reviewed documents and about the whole collection: about the latter only a validation proves anything.

What to look at next:
  tallystick status {out / f"{usual}.matter"}                what happened round by round, and what can be claimed
  tallystick ledger show {out / f"{usual}-bob.jsonl"}        every step, as Bob sees it
  tallystick-verify {out / f"{usual}-bob.jsonl"} --explain   what the verifier checked, in plain words
  tallystick-verify {out / f"{usual}-court.jsonl"} --corpus {out / "corpus"}   with every model and ranking replayed
  tallystick-verify compare {out / f"{usual}-bob.jsonl"} {out / f"{usual}-alice.jsonl"}   one history?
  tallystick simulate {out / "corpus"} --responsive responsive --rounds {ROUNDS} --batch {BATCH} --validate \\
    --alice hiding:0.3:far --out {out / "hiding.matter"}  what happens if Alice hides three in ten
"""
