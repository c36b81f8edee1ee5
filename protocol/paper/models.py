"""`tallystick experiment models`: the models of a matter, trained again by a tool that is not ours."""

from pathlib import Path

import click

from ledger.terminal import existing_file, json_option, print_json, progress_bar, quiet_option, refusals
from protocol.commands.tables import table
from protocol.paper.experiments import outcome
from protocol.paper.running import check_out, existing_folder, installed


@click.command("models")
@click.option("--corpus", type=existing_folder, required=True, help="The corpus of the matter.")
@click.option("--matter", type=existing_file, required=True, help="The matter's file, simulated or real.")
@click.option(
    "--tolerance",
    "tolerances",
    type=click.FloatRange(min=0, min_open=True, max=1),
    multiple=True,
    metavar="TOL",
    help="scikit-learn's tolerance; may be repeated. Without it, 1e-10 and scikit-learn's own 1e-4.",
)
@click.option(
    "--round",
    "rounds",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Only this round; may be repeated. Without it, every round whose batch a model chose.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="A folder for table, figure and text; files of an earlier run are replaced.",
)
@quiet_option
@json_option
@refusals
def models(
    *,
    corpus: Path,
    matter: Path,
    tolerances: tuple[float, ...],
    rounds: tuple[int, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Check a matter's models with scikit-learn.

    Trains every model of MATTER again, with our trainer and with scikit-learn's LinearSVC, on the same rows. Shows the
    exact gap of each, beside that of the recorded model, whether the certificate accepts it, how long it took, which
    ranks of the batch differ from the record, and how many documents would enter or leave it ("moved"), beside the
    recorded number that the optimal model could move ("near cut").

    This needs the matter's own file and the corpus, which Trent has. Whoever has a copy verifies the recorded models
    with `tallystick-verify COPY --corpus CORPUS`.
    """
    with installed():
        from protocol.corpus.corpus import Corpus
        from protocol.paper.experiments import modelrecord, plots
        from protocol.paper.experiments import models as experiment

    check_out(out)
    found = modelrecord.rounds(matter, Corpus.open(corpus), rounds)
    settings = experiment.Settings(corpus=str(corpus), matter=str(matter), rounds=found)
    if tolerances:
        settings = experiment.Settings(corpus=str(corpus), matter=str(matter), rounds=found, tolerances=tolerances)
    with progress_bar(experiment.steps(settings), "Training", unit="models") as progress:
        retrained = experiment.retrain(settings, progress)
    result = experiment.outcome(settings, retrained)
    files = [] if out is None else plots.write(result, out)
    if as_json:
        print_json(
            outcome.value(result) | {"rounds": experiment.value(retrained), "files": [str(path) for path in files]}
        )
        return
    click.echo(table(*experiment.cells(retrained)))
    click.echo(f"\n{outcome.text(result)}")
    if files:
        click.echo("Written: " + ", ".join(map(str, files)))
    click.echo(experiment.last_line(retrained))
