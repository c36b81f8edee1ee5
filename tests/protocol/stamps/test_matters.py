"""Stamps of a matter: what is stamped, which size a token stamps, and the tokens beside the matter."""

import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ledger import checkpoints
from ledger.checkpoints import Checkpoint
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.log import Log
from ledger.merkle import Frontier
from ledger.roles import Role
from ledger.store import Store
from protocol.cli import main
from protocol.errors import BadToken
from protocol.stamps import adding, kept, request, texts, tokens
from tests.support.authority import authority, needs_openssl
from tests.support.builders import KEYS, build_matter, logical_clock
from tests.support.forging.stamps import Rogue, response
from verifier import stamps as verifier


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    build_matter(tmp_path / "smith.matter")
    return tmp_path / "smith.matter"


@pytest.fixture(scope="module")
def rogue() -> Rogue:
    return Rogue.make()


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["stamp", "request", *map(str, words)])


def test_what_is_stamped_is_the_text_that_the_parties_sign(matter: Path) -> None:
    with Store.open(matter) as store:
        (size, note), *_ = store.notes().items()
    assert texts.stamped_text(matter) == note.text.encode()
    assert texts.stamped_text(matter, size) == note.text.encode()
    assert checkpoints.parse(note).size == size


def test_every_size_has_its_text(matter: Path) -> None:
    with Store.open(matter) as store:
        found = [each.text.encode() for each in texts.states(store)]
    assert len(found) == 9
    assert found == [texts.stamped_text(matter, size) for size in range(1, 10)]


@pytest.mark.parametrize("size", [0, 10, -1])
def test_a_size_that_the_matter_does_not_have_has_no_text(matter: Path, size: int) -> None:
    with pytest.raises(Refused, match=f"has 9 entries, and no state of {size}"):
        texts.stamped_text(matter, size)


def test_a_matter_without_entries_has_nothing_to_stamp(tmp_path: Path) -> None:
    Log.create(tmp_path / "empty", KEYS[Role.TRENT], logical_clock()).close()
    with pytest.raises(Refused, match="nothing to stamp"):
        texts.stamped_text(tmp_path / "empty")
    done = run(tmp_path / "empty")
    assert (done.exit_code, "nothing to stamp" in done.output) == (1, True)
    assert not list(tmp_path.glob("*.tsq"))


def test_a_token_is_found_at_its_size(matter: Path, rogue: Rogue) -> None:
    with Store.open(matter) as store:
        for state in texts.states(store):
            token = tokens.read(rogue.token(state.text.encode()))
            found = adding.taken(texts.states(store), token)
            assert found == adding.Taken(size=state.size, head=state.head, token=token.digest)


def test_a_token_of_something_else_belongs_to_no_size(matter: Path, rogue: Rogue) -> None:
    token = tokens.read(rogue.token(b"something else"))
    with Store.open(matter) as store, pytest.raises(BadToken, match="at any size up to 9"):
        adding.taken(texts.states(store), token)


def test_a_token_is_found_fast_in_a_long_matter(rogue: Rogue) -> None:
    def states() -> Iterator[Checkpoint]:
        tree = Frontier()
        for number in range(20_000):
            head = Digest(sha256(number.to_bytes(4, "big")).digest())
            tree.add(head)
            yield Checkpoint(matter=Digest(bytes(32)), size=tree.size, root=tree.root(), head=head)

    *_, last = states()
    token = tokens.read(rogue.token(last.text.encode()))
    begun = time.perf_counter()
    assert adding.taken(states(), token).size == 20_000
    assert time.perf_counter() - begun < 10  # seconds; it takes about one third of one


def test_tokens_are_kept_once_under_their_hash_and_never_overwritten(matter: Path, rogue: Rogue) -> None:
    first, second = (tokens.read(rogue.token(each)) for each in (b"1", b"2"))
    assert kept.digests(matter) == []
    out = kept.keep(matter, first)
    assert out == matter.parent / "smith.matter.stamps" / f"{sha256(first.data).hexdigest()}.tsr"
    before = out.stat()
    assert kept.keep(matter, first) == out
    assert out.stat() == before
    kept.keep(matter, second)
    assert kept.digests(matter) == sorted([first.digest, second.digest])
    assert kept.read(matter, second.digest) == second.data


def test_a_damaged_or_missing_token_is_noticed(matter: Path, rogue: Rogue) -> None:
    token = tokens.read(rogue.token(b"1"))
    out = kept.keep(matter, token)
    out.write_bytes(token.data + b"!")
    with pytest.raises(Damaged, match="is not the token that its name says"):
        kept.read(matter, token.digest)
    with pytest.raises(Damaged, match="is not the token that its name says"):
        kept.keep(matter, token)
    out.unlink()
    with pytest.raises(Damaged, match="cannot be read"):
        kept.read(matter, token.digest)
    (out.parent / "notes.tsr").touch()
    with pytest.raises(Damaged, match="whose name is not that of a token"):
        kept.digests(matter)


def test_the_query_for_a_file_has_its_hash_and_is_written_beside_it(tmp_path: Path) -> None:
    for name, content in (("answer.json", b"{}"), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
        done = run(tmp_path / name)
        assert done.exit_code == 0, done.output
        assert request.read((tmp_path / f"{name}.tsq").read_bytes()).digest == sha256(content).digest()
        assert f"--data-binary @{name}.tsq" in done.output


def test_no_query_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "answer.json").touch()
    assert run(tmp_path / "answer.json", "--out", tmp_path / "q.tsq").exit_code == 0
    again = run(tmp_path / "answer.json", "--out", tmp_path / "q.tsq")
    assert (again.exit_code, "exists already" in again.output) == (1, True)


def test_for_a_matter_the_checkpoint_is_written_and_asked_for(matter: Path) -> None:
    done = run(matter)
    assert done.exit_code == 0, done.output
    written = matter.parent / "smith-9.checkpoint"
    assert written.read_bytes() == texts.stamped_text(matter)
    assert "Keep it: this is what is stamped" in done.output
    query = matter.parent / "smith-9.checkpoint.tsq"
    assert request.read(query.read_bytes()).digest == sha256(written.read_bytes()).digest()
    assert run(matter, "--out", matter.parent / "again.tsq").exit_code == 0
    written.write_bytes(b"something else")
    refused = run(matter, "--out", matter.parent / "third.tsq")
    assert (refused.exit_code, "holds something else" in refused.output) == (1, True)
    assert not (matter.parent / "third.tsq").exists()


def test_a_damaged_matter_is_not_stamped(matter: Path) -> None:
    raw = bytearray(matter.read_bytes())
    raw[len(raw) // 2 :] = bytes(len(raw) - len(raw) // 2)
    matter.write_bytes(raw)
    done = run(matter)
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    assert not list(matter.parent.glob("*.checkpoint*"))


@needs_openssl
def test_a_matter_is_stamped_by_a_real_authority_from_the_query_to_openssls_own_check(
    matter: Path, tmp_path: Path
) -> None:
    real = authority(tmp_path / "authority")
    assert run(matter).exit_code == 0
    stamped = (matter.parent / "smith-9.checkpoint").read_bytes()
    token = tokens.read(real.reply((matter.parent / "smith-9.checkpoint.tsq").read_bytes()))
    with Store.open(matter) as store:
        assert adding.taken(texts.states(store), token).size == 9
    out = kept.keep(matter, token)
    assert verifier.check_files(out, matter.parent / "smith-9.checkpoint", real.root).time == token.time
    assert "Verification: OK" in real.verify(stamped, out.read_bytes())


def test_the_same_token_in_and_without_a_response_is_kept_once(matter: Path, rogue: Rogue) -> None:
    bare = rogue.token(b"1")
    for each in (bare, response(bare), response(bare, 1)):
        kept.keep(matter, tokens.read(each))
    assert len(kept.digests(matter)) == 1
