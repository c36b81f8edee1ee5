"""`tallystick stamp`: time stamps by an authority that no party chooses the clock of (RFC 3161)."""

import shlex
from pathlib import Path

import click

from ledger import files, reading
from ledger.errors import Refused
from ledger.plain import shown
from ledger.terminal import existing_file, new_file, passphrase_option, quiet_option, refusals
from protocol.commands import outsiders, trent
from protocol.commands.matter import key_option
from protocol.exchange import witnessing
from protocol.exchange.office import Office
from protocol.stamps import request as queries
from protocol.stamps import texts

_LARGEST_CHECKPOINT = 1024


@click.group()
def stamp() -> None:
    """Have a matter or a file stamped with the time (RFC 3161).

    A time-stamping authority signs a hash together with its time. That shows that the bytes existed before then, and
    whoever distrusts Trent's clock can rely on it. `tallystick-verify stamp` checks a stamp, and so does openssl.
    """


@stamp.command("request")
@click.argument("stamped", type=existing_file, metavar="FILE")
@click.option("--out", type=new_file, metavar="FILE.tsq", help="The new file; by default FILE with .tsq at its end.")
@quiet_option
@refusals
def stamp_request(*, stamped: Path, out: Path | None) -> None:
    """Write the query for a time stamp of FILE.

    FILE may be any file, such as an answer that you want dated; the query has its SHA-256 and nothing else of it. If
    FILE is a matter, all of it is checked, the text of its checkpoint as it stands is written to NAME-SIZE.checkpoint
    beside it, and the query is for that. Send the query to an authority of your choice. Needs no network itself.
    """
    if texts.is_matter(stamped):
        stamped = _checkpoint(stamped)
    query = out or stamped.with_name(f"{stamped.name}.tsq")
    made = queries.Query.of(queries.hash_file(stamped))
    with files.new_file(query) as stream:
        stream.write(made.data)
    sent, answer = (shlex.quote(each) for each in (f"@{query.name}", query.with_suffix(".tsr").name))
    click.echo(f"{query}: the query for a time stamp of {stamped}, SHA-256 {made.digest.hex()}")
    click.echo(
        "Send it to a time-stamping authority, and keep its answer. With curl, for example:\n"
        f"  curl -H 'Content-Type: application/timestamp-query' --data-binary {sent} ADDRESS -o {answer}"
    )


@stamp.command("add")
@click.argument("matter", type=existing_file)
@click.argument("token", type=existing_file)
@key_option
@click.option("--query", type=existing_file, help="The query that `stamp request` wrote: the token must answer it.")
@click.option(
    "--tsa-roots", "roots", type=existing_file, metavar="PEM", help="Check the token against these roots first."
)
@passphrase_option
@quiet_option
@refusals
def stamp_add(
    *, matter: Path, token: Path, key_file: Path, query: Path | None, roots: Path | None, passphrase_file: Path | None
) -> None:
    """Keep TOKEN beside MATTER, and put its hash on record.

    TOKEN is what the authority sent, for the checkpoint of MATTER as it stands: the entry comes directly after what
    was stamped. The token itself is kept in the folder MATTER.stamps, and copies and exhibits carry it. If the terms
    name authorities, only their stamps are taken; give a root that they name with --tsa-roots.
    """
    with trent.installation("Time stamps need more packages", extras="stamps"):
        from protocol.stamps import tokens

    read = tokens.read(reading.whole(token, tokens.LARGEST, "a token"))
    if query is not None:
        tokens.check_query(read, queries.read(reading.whole(query, _LARGEST_CHECKPOINT, "a query")))
    trusted = outsiders.trusted(roots, None)
    with Office(matter, trent.key(key_file, passphrase_file), key_file) as office:
        entry = witnessing.stamp(office, matter, read, trusted)
    click.echo(
        f"{token}: a time stamp of {shown(read.authority)}, {read.time:%Y-%m-%d %H:%M:%S} UTC, "
        f"entry {entry} of {matter}"
    )


def _checkpoint(matter: Path) -> Path:
    """The file with the matter's checkpoint as it stands; it may be there already."""
    state = texts.checked(matter)
    text, out = state.text.encode(), matter.with_name(f"{matter.stem}-{state.size}.checkpoint")
    if out.exists():
        if reading.whole(out, _LARGEST_CHECKPOINT, "a checkpoint") != text:
            raise Refused(f"{out} exists already and holds something else; move it away, then run the command again")
    else:
        with files.new_file(out) as stream:
            stream.write(text)
    click.echo(
        f"{out}: the checkpoint of {matter} as it stands, {state.size} entries. Keep it: this is what is stamped"
    )
    return out
