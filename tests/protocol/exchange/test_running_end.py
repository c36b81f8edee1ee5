"""The end of a real matter by the installed commands: a party objects, and the court lets the matter end without it."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from ledger import records
from ledger.hashing import Digest
from ledger.keyfiles import read_signing_key
from ledger.roles import Role
from protocol.exchange import filenames, question_file
from protocol.parties import question
from tests.support.real_matter import Asked, Play, run
from tests.support.running import honest, start


def spoil(play: Play, asked: Asked) -> None:
    """Trent signs a question with a copy that was not written well."""
    data = b"not a copy"
    request = question_file.read_request(asked.path)
    files = dict(request.files) | {filenames.COPY: Digest(hashlib.sha256(data).digest())}
    key = read_signing_key(play.folder("trent") / "trent.key", None, role=Role.TRENT)
    (asked.path / filenames.COPY).write_bytes(data)
    signed = question.sign(key, msgspec.structs.replace(request, files=files))
    (asked.path / filenames.REQUEST).write_bytes(records.encode(signed) + b"\n")


@pytest.mark.slow
def test_a_matter_ends_without_the_signature_of_a_party_that_objects(tmp_path: Path) -> None:
    play = start(tmp_path / "all", rounds=1)
    while play.exchange(honest(play)):
        pass
    play.runs = run
    play.matter("close")
    bobs = next(play.send(each) for each in play.next()["questions"] if each["role"] == "bob")
    spoil(play, bobs)
    words = ("answer", bobs.path, "--key", "bob.key", "--yes", "--out", "end.json")
    refused = play.tallystick("bob", *words, code=1).stderr
    assert "tallystick-verify says of Bob's copy, which came with the question: UNDECIDED" in refused
    assert "A signed objection is in end-objection.json" in refused
    objection = play.folder("bob") / "end-objection.json"
    assert "objects to it. The reason:" in play.matter("accept", objection, code=1).stderr
    play.matter("default", "--absent", "bob")
    assert json.loads(play.matter("close", "--json").stdout)["not_cosigned"] == ["alice", "bob", "court"]
    (order,) = [play.send(each) for each in play.next()["questions"]]
    given = ("--key", "court.key", "--grant", "--objection", objection, "--yes", "--out", "order.json")
    shown = play.tallystick("court", "answer", order.path, *given).stdout
    assert shown.index("OBJECTION") < shown.index("You say")
    play.matter("accept", play.folder("court") / "order.json")
    signing = [play.send(each) for each in play.next()["questions"]]
    assert sorted((each.role, each.kind) for each in signing) == [("alice", "cosign"), ("court", "cosign")]
    play.accept(*map(play.answer, signing))
    closed = json.loads(play.matter("close", "--json").stdout)
    assert (closed["not_cosigned"], [each["role"] for each in closed["ended_without"]]) == ([], ["bob"])
    status = play.status()
    assert status["cosigned"] == ["alice", "court"]
    assert status["ended_without"] == closed["ended_without"]
    assert status["events"][-1]["what"] == "the court orders that the matter ends without Bob's signature"
    told = play.tallystick("trent", "status", "case.matter").stdout
    entry = closed["ended_without"][0]["entry"]
    assert f"By the court's order in entry {entry} the matter ends without Counsel of bob" in told
    for audience in ("alice", "bob", "court", "public"):
        out = f"{audience}.jsonl"
        play.tallystick("trent", "copy", "case.matter", "--for", audience, "--key", "trent.key", "--out", out)
        verdict = json.loads(run(play.folder("trent"), "tallystick-verify", out, "--json").stdout)
        assert (verdict["verdict"], verdict["ended_without"]) == ("verified", closed["ended_without"])
