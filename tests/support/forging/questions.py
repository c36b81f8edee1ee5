"""Questions that a cheating Trent signs, and what a party's program makes of them."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ledger import records
from ledger.canonical import Value
from ledger.entries import Addition, Opening, Release, Statement
from ledger.hashing import Digest
from ledger.log import Log
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.exchange import cutting, filenames, question_file
from protocol.exchange.filenames import ShownDocument, ShownPart
from protocol.exchange.readme import Guide
from protocol.matter.values import Place
from protocol.parties import question
from protocol.parties.question import FORMAT, Request
from protocol.parties.whereabouts import Proven
from tests.support.exchange_cases import CAPTION, Table


def trent_writes(
    table: Table,
    kind: str,
    content: dict[str, Any],
    number: int,
    asks: Sequence[Role] = (),
    sealed: Mapping[str, Any] | None = None,
    openings: Sequence[Opening] = (),
    releases: Sequence[Release] = (),
) -> Digest:
    """An entry that only the ledger's rules have seen; its hash."""
    with Log.open(table.matter, table.keys[Role.TRENT], lambda: 1) as log:
        statement = Statement(
            answers=None,
            author=Role.TRENT,
            content=content,
            kind=kind,
            matter=log.history.matter,
            replaces=(),
            round=number,
            sealed=dict(sealed or {}),
        )
        (found,) = log.append(
            [Addition(statement=statement, asks=tuple(asks), openings=tuple(openings), releases=tuple(releases))]
        )
        return found


def package(
    table: Table,
    role: Role,
    kind: str,
    entry: Digest,
    number: int,
    documents: Sequence[ShownDocument] = (),
    extra: Mapping[str, bytes] | None = None,
) -> Path:
    """A question that Trent signs, after all that his log holds."""
    with Log.open(table.matter, table.keys[Role.TRENT], lambda: 1) as log:
        size = log.history.size
        found = cutting.cut(log.store, role, 0, size)
        asked = Request(
            entry=entry,
            files={},
            format=FORMAT,
            head=log.history.head,
            kind=kind,
            matter=log.history.matter,
            role=role,
            round=number,
            size=size,
            start=0,
        )
    table.count += 1
    out = table.folder / f"forged-{table.count}"
    question_file.write(
        out,
        key=table.keys[Role.TRENT],
        history=found.entries,
        released=found.released,
        request=asked,
        documents=list(documents),
        extra=dict(extra or {}),
        guide=Guide(case=CAPTION.case, sought=CAPTION.request),
    )
    return out


def asked_of(table: Table, role: Role) -> Digest:
    with table.office() as office:
        return office.state.awaits[role].question


def refused(table: Table, role: Role, path: Path, *options: str) -> str:
    """What the program says instead of signing. Nothing is signed, and nothing is kept."""
    folder = table.folder / role / f"{role}.key.memory"
    before = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    result = table.answer(role, path, *options)
    assert result.exit_code == 1, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert not table.out.exists()
    assert before == {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    return result.output


def shown(table: Table, places: Sequence[Place], positions: Sequence[int], text: str | None = None) -> list[Any]:
    """Documents of a batch as Trent shows them, perhaps with another text."""
    return [
        ShownDocument(
            position=position,
            name=places[position - 1].name,
            parts=(shown_part(table.corpus, places[position - 1].document, text),),
        )
        for position in positions
    ]


def shown_part(corpus: Corpus, document: int, text: str | None = None) -> ShownPart:
    """Part 0 of a document as Trent shows it, perhaps with another text."""
    known = corpus.fields(document)
    content = corpus.content(document)
    return ShownPart(
        log=known.log, rest=known.rest, content=content, text=corpus.part_text(document) if text is None else text
    )


def proven(table: Table, places: Sequence[Place]) -> dict[str, bytes]:
    """The proofs that go with Alice's batch."""
    proofs: dict[int, Value] = {
        position: records.to_value(table.corpus.proof(place.document)) for position, place in enumerate(places, start=1)
    }
    path = table.corpus.paths(place.document for place in places).hex()
    return {filenames.PROOFS: question_file.encode_proofs(Proven(proofs=proofs, path=path))}


def rewritten(table: Table, asked: Path, extra: dict[str, bytes], **changed: Any) -> Path:
    """The question without its further files or with others, and asking something else, under Trent's signature."""
    found = question_file.read(asked)
    out = asked.with_name(f"{asked.name}-rewritten")
    question_file.write(
        out,
        key=table.keys[Role.TRENT],
        history=[each.line for each in found.question.lines.entries],
        released=[],
        request=msgspec.structs.replace(found.request, **changed),
        documents=[],
        extra=extra,
        guide=Guide(case=""),
    )
    return out


def signed_again(table: Table, path: Path, changed: Mapping[str, bytes | None]) -> Path:
    """The question with files changed, added or taken away, under Trent's signature."""
    asked = question_file.read_request(path)
    table.count += 1
    out = path.with_name(f"changed-{table.count}")
    shutil.copytree(path, out)
    files = dict(asked.files)
    for name, content in changed.items():
        if content is None:
            (out / name).unlink()
            del files[name]
        else:
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).write_bytes(content)
            files[name] = Digest(hashlib.sha256(content).digest())
    signed = question.sign(table.keys[Role.TRENT], msgspec.structs.replace(asked, files=files))
    (out / filenames.REQUEST).write_bytes(records.encode(signed))
    return out


def given(table: Table, path: Path) -> tuple[str, str]:
    return "--labels", str(table.filled(path))
