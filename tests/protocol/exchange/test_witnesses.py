"""A matter whose terms name outside witnesses, between real parties: an authority's stamps, a log and its witness."""

import gzip
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger import canonical, records
from ledger.entries import Body
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from ledger.store import Store
from ledger.tlog import checkpoint
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.exchange import run as running
from protocol.exchange import witnesses
from protocol.matter import course, terms
from protocol.matter.desk import Desk
from protocol.matter.kinds import draw
from protocol.stamps import tokens
from tests.support.authority import Authority, authority, needs_openssl
from tests.support.exchange_cases import Table
from tests.support.forging.questions import package, refused, trent_writes
from tests.support.seen import LOG_KEY, ORIGIN, Seen, fingerprint, tallystick, verified
from tests.support.witness import TestWitness, serving
from verifier.cli import main as verifier_main

pytestmark = needs_openssl


@pytest.fixture(scope="module")
def exchange_corpus(_table: Table) -> Corpus:
    return _table.corpus


@pytest.fixture(scope="module")
def springfield(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("stamps") / "authority")


@pytest.fixture
def seen(tmp_path: Path, exchange_corpus: Corpus, springfield: Authority) -> Seen:
    found = Seen(Table(folder=tmp_path, corpus=exchange_corpus), springfield)
    found.table.begin(witnesses=found.terms())
    return found


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, exchange_corpus: Corpus, springfield: Authority) -> Seen:
    """A matter after its second round, cosigned by a witness of the log each time, and seen once more."""
    witness = TestWitness()
    witness.logs[ORIGIN] = checkpoint.note_key(ORIGIN, LOG_KEY)
    with serving(witness):
        table = Table(folder=tmp_path_factory.mktemp("closed"), corpus=exchange_corpus)
        found = Seen(table, springfield, witness)
        table.begin(witnesses=found.terms())
        found.play(2)
        found.see()
    return found


def test_no_round_begins_before_outsiders_have_seen_the_record(seen: Seen) -> None:
    assert seen.table.questions() == {}
    words = ("--key", seen.table.key_file(Role.TRENT), "--corpus", seen.table.corpus.path)
    told = tallystick("matter", "next", seen.table.matter, *words, "--outbox", seen.table.folder / "outbox")
    assert "a time stamp and a proof of the operator's log" in told
    seen.stamp()
    assert seen.table.questions() == {}
    seen.record(seen.prove())
    assert set(seen.table.questions()) == {Role.ALICE, Role.BOB}
    with seen.table.office() as office:
        assert [each.statement.kind for each in entries_of(office.log.store)][-3:] == ["stamped", "logged", "draw"]


def entries_of(store: Store) -> list[Body]:
    return [records.decode(Body, each.body) for each in store.entries(size=store.size())]


def test_each_round_needs_its_own(seen: Seen) -> None:
    seen.play(1)
    assert seen.table.questions() == {}
    with seen.table.office() as office:
        assert office.state.unwitnessed == ["a time stamp", "a proof of the operator's log"]


def test_a_copy_is_dated_by_what_the_reader_trusts(closed: Seen) -> None:
    copy = closed.copy()
    trusting = ("--tsa-roots", closed.stamps.root, "--policy", closed.policy)
    found = json.loads(verified(copy, *trusting, "--json"))
    outcomes = {each["check"]: each["outcome"] for each in found["checks"]}
    assert {outcomes[name] for name in ("V31", "V32", "V33")} == {"pass"}
    assert found["stamped"]["authority"] == "Stamps of Springfield (Example)"
    told = " ".join(verified(copy, *trusting).split())
    assert f"The first {found['stamped']['entries']} entries existed before" in told
    bare = json.loads(verified(copy, "--json"))
    assert {each["check"]: each["outcome"] for each in bare["checks"] if each["check"] in ("V31", "V32", "V33")} == {
        "V31": "pass",
        "V32": "not checked",
        "V33": "not checked",
    }
    assert bare["verdict"] == found["verdict"]


def reasons(found: str) -> dict[str, str]:
    return {each["check"]: each["reason"] or "" for each in json.loads(found)["checks"]}


def test_foreign_roots_and_policies_leave_it_unchecked(closed: Seen, tmp_path: Path) -> None:
    foreign = authority(tmp_path / "foreign", name="Somebody else")
    stranger = tmp_path / "policy"
    stranger.write_text(f"log {checkpoint.note_key(ORIGIN, SigningKey(b'?' * 32)).vkey}\nquorum none\n")
    found = reasons(verified(closed.copy(), "--tsa-roots", foreign.root, "--policy", stranger, "--json"))
    assert "do not lead to one of the roots that you gave" in found["V32"]
    assert "is none that the policy lists" in found["V33"]


def test_tokens_that_somebody_left_out_are_not_checked_and_blame_nobody(closed: Seen) -> None:
    copy = closed.copy()
    lines = [line for line in copy.read_bytes().splitlines() if not line.startswith(b'{"token"')]
    copy.write_bytes(b"".join(line + b"\n" for line in lines))
    found = verified(copy, "--tsa-roots", closed.stamps.root, "--json")
    assert json.loads(found)["findings"] == []
    assert "lacks the token" in reasons(found)["V32"]


def test_a_stamp_by_an_authority_that_the_terms_do_not_name_is_not_taken_and_would_not_count(
    tmp_path: Path, exchange_corpus: Corpus, springfield: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = authority(tmp_path / "other", name="Not agreed on")
    (tmp_path / "table").mkdir()
    found = Seen(Table(folder=tmp_path / "table", corpus=exchange_corpus), other)
    found.table.begin(witnesses=terms.witnesses([fingerprint(springfield)], None))
    token = found.token()
    assert "holds no certificate of an authority that the terms name" in found.add(token, code=1)
    monkeypatch.setattr(tokens, "check_authority", lambda *_: None)
    found.add(token)
    told = reasons(verified(found.copy(), "--tsa-roots", other.root, "--json"))
    assert "none of the authorities that the terms name" in told["V32"]


def test_an_authority_may_be_named_by_the_certificate_that_signs(
    tmp_path: Path, exchange_corpus: Corpus, springfield: Authority
) -> None:
    found = Seen(Table(folder=tmp_path, corpus=exchange_corpus), springfield)
    found.table.begin(witnesses=terms.witnesses([fingerprint(springfield, "signer.pem")], None))
    found.stamp()
    assert reasons(verified(found.copy(), "--tsa-roots", springfield.root, "--json"))["V32"] == ""


def test_the_copy_that_a_party_signs_in_the_end_has_the_tokens(closed: Seen, tmp_path: Path) -> None:
    table = closed.table.copied(tmp_path / "end")
    with table.office() as office:
        office.desk.conclude()
    for question in table.questions().values():
        (copy,) = question.glob("*.jsonl.gz")
        assert gzip.decompress(copy.read_bytes()).count(b'{"token"') == 3


def test_an_exhibit_carries_stamps_and_proofs_that_standard_tools_read(closed: Seen, tmp_path: Path) -> None:
    out = tmp_path / "exhibit"
    words = (
        "--number",
        shown_document(closed),
        "--corpus",
        closed.table.corpus.path,
        "--key",
        closed.table.key_file(Role.TRENT),
    )
    tallystick("exhibit", closed.table.matter, *words, "--out", out)
    tokens = sorted(path.stem for path in (out / "stamps").glob("*.tsr"))
    assert len(tokens) == 2
    for each in tokens:
        text, token = ((out / "stamps" / f"{each}.{end}").read_bytes() for end in ("txt", "tsr"))
        assert closed.stamps.verify(text, token)
    assert len(list((out / "log").glob("*.tlog-proof"))) == 2
    told = " ".join(verified("exhibit", out, "--tsa-roots", closed.stamps.root, "--policy", closed.policy).split())
    assert told.count("existed before") == 2
    assert told.count("is in the operator's log, cosigned by court, whom your policy names") == 2
    bare = " ".join(verified("exhibit", out).split())
    assert "names a time stamp. It was not checked who vouches for it" in bare
    assert "Not part of the exhibit" not in bare


def shown_document(found: Seen) -> int:
    """A document that Bob was shown."""
    copy = found.copy(Audience.COURT)
    for line in copy.read_bytes().splitlines():
        value = json.loads(line)
        if value.get("entry", {}).get("body", {}).get("statement", {}).get("kind") == "batch":
            places = value["openings"]["documents"]
            batch = dict(zip(places["indices"], places["values"], strict=True))
        if value.get("entry", {}).get("body", {}).get("statement", {}).get("kind") == "disclosure":
            first = value["entry"]["body"]["statement"]["content"]["positions"][0]
            number: int = batch[first - 1]["document"]
            return number
    raise AssertionError("Bob was shown nothing")


@pytest.mark.parametrize(
    ("name", "spoil", "says"),
    [
        ("stamps/*.tsr", lambda data: data[:-1], "is not the token that entry"),
        ("stamps/*.txt", lambda data: data.replace(b"head ", b"head 0"), "is not what entry"),
        ("log/*.tlog-proof", lambda data: data + b"\n", "is not what entry"),
        ("log/*.leaf", lambda data: data.replace(b"open", b"closed"), "is not what entry"),
    ],
)
def test_a_changed_file_of_an_outsider_is_damage(
    closed: Seen, tmp_path: Path, name: str, spoil: object, says: str
) -> None:
    out = tmp_path / "exhibit"
    words = ("--corpus", closed.table.corpus.path, "--key", closed.table.key_file(Role.TRENT), "--out", out)
    tallystick("exhibit", closed.table.matter, "--number", shown_document(closed), *words)
    path = sorted(out.glob(name))[0]
    path.write_bytes(spoil(path.read_bytes()))  # type: ignore[operator]
    assert says in " ".join(verified("exhibit", out, code=3).split())
    path.unlink()
    assert "NOT CLOSED" in verified("exhibit", out)


def test_stamps_are_added_between_rounds_and_directly_after_what_they_stamp(seen: Seen) -> None:
    early = seen.token()
    seen.record(seen.prove())
    assert "but it has" in seen.add(early, code=1)
    seen.see()
    again = sorted(seen.trent.glob("*.tsr"))[-1]
    size = len(entries_of_matter(seen))
    assert f"entry {size - 2} of" in seen.add(again)
    assert len(entries_of_matter(seen)) == size
    question = seen.table.questions()[Role.ALICE]
    assert "a round is open, or others must answer first" in seen.stamp(code=1)
    seen.table.accept(seen.table.said(Role.ALICE, question))


def entries_of_matter(seen: Seen) -> list[Body]:
    with Store.open(seen.table.matter) as store:
        return entries_of(store)


def test_a_proof_is_of_the_record_as_it_stands_and_of_the_log_in_the_terms(seen: Seen, tmp_path: Path) -> None:
    early = seen.prove()
    seen.stamp()
    assert "has this matter as it stands, at 5 entries" in " ".join(seen.record(early, code=1).split())
    other, key = tmp_path / "other", tmp_path / "other.key"
    write_keys(key, SigningKey(b"other".ljust(32, b".")), Role.TRENT, None)
    tallystick("log", "init", other, "--origin", ORIGIN, "--key", key)
    tallystick("log", "add", other, seen.table.matter, "--key", key)
    proof = tmp_path / "proof.tlog-proof"
    tallystick("log", "prove", other, seen.table.matter, "--out", proof)
    assert "signature of the log" in seen.record(proof, code=1)
    seen.record(seen.prove())


def test_no_client_gives_a_link_before_it_has_seen_the_logs_proof(seen: Seen) -> None:
    """Trent draws without it: the client follows the record by the rules, and refuses."""
    with seen.table.office() as office:
        asked = running.neutral(office, seen.table.corpus).move(office.state, office.desk.attachment)
    assert asked is not None
    assert asked.statement.kind == draw.KIND.name
    entry = trent_writes(seen.table, "draw", asked.statement.content, 1, asks=(Role.ALICE, Role.BOB))
    said = refused(seen.table, Role.ALICE, package(seen.table, Role.ALICE, "link", entry, 1))
    assert "the terms ask for a time stamp and a proof of the operator's log before each round" in said


def test_without_witnesses_in_the_terms_a_stamp_may_go_on_record_and_a_proof_may_not(
    tmp_path: Path, exchange_corpus: Corpus, springfield: Authority
) -> None:
    found = Seen(Table(folder=tmp_path, corpus=exchange_corpus), springfield)
    found.table.begin()
    found.stamp()
    assert "name no log" in found.record(found.prove(), code=1)
    assert reasons(verified(found.copy(), "--tsa-roots", springfield.root, "--json"))["V32"] == ""
    assert set(found.table.questions()) == {Role.ALICE, Role.BOB}


def test_a_damaged_token_beside_the_matter_is_named_and_left_out(seen: Seen) -> None:
    seen.stamp()
    (kept,) = (seen.trent / "matter.stamps").glob("*.tsr")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-1])
    key = seen.table.key_file(Role.TRENT)
    words = ("--for", "bob", "--key", key, "--out", seen.table.folder / "bob.jsonl")
    assert f"{kept.name} is not the token that its name says. It is left out" in tallystick(
        "copy", seen.table.matter, *words
    )
    assert b'{"token"' not in (seen.table.folder / "bob.jsonl").read_bytes()
    kept.write_bytes(whole)
    assert hashlib.sha256(whole).hexdigest() == kept.stem
    (seen.table.folder / "bob.jsonl").unlink()
    tallystick("copy", seen.table.matter, *words)
    assert b'{"token"' in (seen.table.folder / "bob.jsonl").read_bytes()


def test_openssl_reads_what_trent_keeps(seen: Seen) -> None:
    seen.stamp()
    (kept,) = (seen.trent / "matter.stamps").glob("*.tsr")
    (text,) = seen.trent.glob("*.checkpoint")
    command = ["openssl", "ts", "-verify", "-data", str(text), "-in", str(kept), "-CAfile", str(seen.stamps.root)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_every_presentation_says_what_outsiders_have_seen(closed: Seen, tmp_path: Path) -> None:
    copy, trusting = closed.copy(), ("--tsa-roots", closed.stamps.root, "--policy", closed.policy)
    dated = "entries existed before"
    logged = "The record entered the operator's log 3 times, the last time cosigned by court, whom your policy names."
    page = tmp_path / "report.html"
    for words in ((), ("--explain",), ("--report", page)):
        told = " ".join(verified(copy, *trusting, *words).split())
        assert dated in told
        assert logged in told
    assert dated in page.read_text()
    assert "operator&#x27;s log 3 times" in page.read_text() or "operator's log 3 times" in page.read_text()
    assert "stamped with the time by an authority and entered into a public log" in page.read_text()
    bare = " ".join(verified(copy).split())
    assert "3 time stamps on record: not checked." in bare
    assert dated not in bare


@pytest.mark.parametrize(
    ("option", "content", "says"),
    [
        ("--tsa-roots", b"", "does not hold certificates"),
        (
            "--tsa-roots",
            b"-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n",
            "does not hold certificates",
        ),
        ("--policy", b"quorum", "does not end with a newline"),
        ("--policy", b"# nothing\n", "no line with the quorum"),
        ("--policy", b"quorum nobody\n", "line 1: no line before it defines nobody"),
    ],
)
def test_roots_and_policies_that_cannot_be_used_are_wrong_usage(
    closed: Seen, tmp_path: Path, option: str, content: bytes, says: str
) -> None:
    (tmp_path / "given").write_bytes(content)
    for words in ((closed.copy(),), ("exhibit", tmp_path)):
        done = CliRunner().invoke(verifier_main, [*map(str, words), option, str(tmp_path / "given")])
        assert done.exit_code == 2
        assert says in " ".join(done.output.split())


def test_a_stamp_whose_entry_could_not_be_written_is_added_again(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token is kept first, so nothing that is on record can be lacking."""
    token = seen.token()
    with monkeypatch.context() as patched:
        patched.setattr(Desk, "stamp", killed)
        with pytest.raises(RuntimeError):
            seen.add(token)
    assert len(list((seen.trent / "matter.stamps").glob("*.tsr"))) == 1
    assert "entry 4 of" in seen.add(token)
    assert "entry 4 of" in seen.add(token)


def killed(*_: object) -> None:
    raise RuntimeError("killed")


def test_nothing_is_claimed_before_outsiders_have_seen_the_last_round(closed: Seen, tmp_path: Path) -> None:
    table = closed.table.copied(tmp_path / "end")
    with table.office() as office:
        assert not course.unseen(office.state)
        office.state.stamped = False
        with pytest.raises(OutOfTurn, match="before the review goes on, Trent must put a time stamp on record"):
            office.close()
    key = ("--key", table.key_file(Role.TRENT))
    tallystick("matter", "close", table.matter, *key)
    words = (*key, "--corpus", table.corpus.path, "--outbox", table.folder / "outbox")
    assert json.loads(tallystick("matter", "next", table.matter, *words, "--json"))["missing"] == []
    over = Seen.__new__(Seen)
    over.table, over.stamps, over.trent = table, closed.stamps, table.folder / "trent"
    assert "no stamp or proof goes on record after them" in over.stamp(code=1)


def asking(found: Seen) -> str:
    """A policy that asks for a witness who has not seen the log."""
    return f"{found.policy.read_text().splitlines()[0]}\nwitness court {TestWitness().key.vkey}\nquorum court\n"


def test_a_party_with_a_policy_answers_nothing_before_its_witnesses_have_cosigned(
    tmp_path: Path, exchange_corpus: Corpus, springfield: Authority
) -> None:
    """The log's own signature is no witness: a Trent could sign a log that nobody else sees."""
    found = Seen(Table(folder=tmp_path, corpus=exchange_corpus), springfield)
    found.table.begin(witnesses=found.terms())
    found.see()
    question = found.table.questions()[Role.ALICE]
    beside = witnesses.policy_file(found.table.key_file(Role.ALICE))
    beside.write_text(
        f"{found.policy.read_text().splitlines()[0]}\nwitness court {TestWitness().key.vkey}\nquorum court\n"
    )
    said = refused(found.table, Role.ALICE, question)
    assert "does not satisfy the policy beside your key: the quorum court is not reached" in said
    beside.write_text("junk\n")
    assert "alice.key.policy: line 1 of the policy" in refused(found.table, Role.ALICE, question)
    beside.write_text(found.policy.read_text())
    found.table.accept(found.table.said(Role.ALICE, question))


def test_a_proof_without_its_witnesses_does_not_go_on_record(seen: Seen) -> None:
    seen.stamp()
    proof, strict = seen.prove(), seen.trent / "strict"
    strict.write_text(
        f"{seen.policy.read_text().splitlines()[0]}\nwitness court {TestWitness().key.vkey}\nquorum court\n"
    )
    key = ("--key", seen.table.key_file(Role.TRENT))
    said = tallystick("log", "record", seen.table.matter, proof, *key, "--policy", strict, code=1)
    assert "the quorum court is not reached" in said
    seen.record(proof)
    copy = seen.copy().read_bytes()
    assert b"extra" not in copy.split(b'"kind":"logged"')[0].rpartition(b"tlog-proof@v1")[2]


def test_a_root_that_is_named_counts_only_for_its_own_stamps(
    tmp_path: Path, exchange_corpus: Corpus, springfield: Authority
) -> None:
    """Roots of several authorities may be in one file."""
    other = authority(tmp_path / "other", name="Not agreed on")
    (tmp_path / "table").mkdir()
    found = Seen(Table(folder=tmp_path / "table", corpus=exchange_corpus), other)
    found.table.begin(witnesses=terms.witnesses([fingerprint(springfield)], None))
    both = tmp_path / "both.pem"
    both.write_bytes(springfield.roots + other.roots)
    token = found.token()
    assert "holds no certificate of an authority" in found.add(token, "--tsa-roots", both, code=1)
    token.write_bytes(springfield.reply(token.with_suffix(".tsq").read_bytes()))
    found.add(token, "--tsa-roots", both)


def test_an_exhibit_proves_that_what_was_stamped_is_the_beginning_of_its_record(closed: Seen, tmp_path: Path) -> None:
    out = tmp_path / "exhibit"
    words = ("--corpus", closed.table.corpus.path, "--key", closed.table.key_file(Role.TRENT), "--out", out)
    tallystick("exhibit", closed.table.matter, "--number", shown_document(closed), *words)
    path = out / "exhibit.json"
    whole = json.loads(path.read_bytes())
    places = [at for at, each in enumerate(whole["entries"]) if each["prefix"]]
    assert len(places) == 4
    for at in places:
        spoiled = json.loads(path.read_bytes())
        proof = spoiled["entries"][at]["prefix"]
        spoiled["entries"][at]["prefix"] = "00" * 32 + proof[64:]
        (tmp_path / "spoiled").mkdir(exist_ok=True)
        shutil.copytree(out, tmp_path / "spoiled", dirs_exist_ok=True)
        (tmp_path / "spoiled" / "exhibit.json").write_bytes(canonical.encode(spoiled))
        said = " ".join(verified("exhibit", tmp_path / "spoiled", code=3).split())
        assert "is not shown to be the beginning of the checkpoint's record" in said
