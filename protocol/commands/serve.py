"""The command that runs the mailbox."""

from pathlib import Path

import click

from ledger.terminal import existing_file, refusals
from protocol.commands import trent


@click.command()
@click.argument("box", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:8470",
    show_default=True,
    help="Where to listen. Other computers can connect only with TLS.",
)
@click.option(
    "--name",
    metavar="ORIGIN",
    help="How parties reach this server, such as https://trent.example; needed behind a proxy. They sign it.",
)
@click.option("--tls-cert", type=existing_file, help="The certificate with its chain (PEM).")
@click.option("--tls-key", type=existing_file, help="The certificate's private key (PEM, without a passphrase).")
@click.option(
    "--log",
    "log_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Add the access log to this file instead of printing it.",
)
@refusals
def serve(
    *,
    box: Path,
    listen: str,
    name: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    log_file: Path | None,
) -> None:
    """Run the mailbox in BOX, between Trent and the parties.

    Parties fetch their questions from it and send their answers to it. It has no key, no documents and no record:
    questions in it are sealed for their parties, and answers for Trent. It is filled and read by Trent's other program,
    which need not be reachable by anybody. The folder is made if it is not there. A party is known by its enrolled key.
    Every request is in the access log, a line of JSON each, without contents. Ctrl-C or SIGTERM stops it; SIGHUP reads
    a renewed certificate.
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key are given together")
    with trent.installation("serving a mailbox needs more packages", extras="serve"):
        from protocol.box import logbook, running
        from protocol.box.layout import Mailbox
    encrypted = tls_cert is not None
    mailbox = Mailbox.made(box)
    log = logbook.Logbook(click.echo if log_file is None else logbook.to_file(log_file))
    with running.listening(listen, encrypted=encrypted) as sock:
        origin = running.named(name, sock, encrypted=encrypted)
        certificate = None
        if tls_cert is not None and tls_key is not None:
            certificate = running.Certificate(chain=tls_cert, key=tls_key)
        host, port = sock.getsockname()[:2]
        click.echo(f"The mailbox {box} is open at {origin} (it listens at {host}, port {port}).", err=True)
        running.run(mailbox, sock, origin, certificate, log)
    click.echo("The mailbox is closed. Nothing was lost.", err=True)
