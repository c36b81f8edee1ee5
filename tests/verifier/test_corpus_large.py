"""Enormous texts in little memory, and real documents."""

import hashlib
import os
import resource
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal
from protocol.sources import intake, registry
from tests.support.corpora import SECRET
from verifier.corpus.features import Recomputed, recompute
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.leaves import root
from verifier.corpus.model import LabelledSet
from verifier.corpus.ranking import Ranker

pytestmark = pytest.mark.slow

MEMORY = 450 * 2**20  # of which Python and numpy take a good part
DATA = "arxiv_50k.jsonl.gz"


def write_rowless(folder: Path, texts: list[bytes]) -> None:
    """A folder with texts and without any term or entry, as a builder might leave it that gave up."""
    shard = folder / "shards/00000"
    shard.mkdir(parents=True)
    ends = np.cumsum([len(text) for text in texts])
    places = np.zeros((len(texts), 6), np.int64)
    places[:, 0:2], places[:, 2], places[:, 3] = -1, [0, *ends[:-1]], ends
    digests = [hashlib.sha256(text).digest() * 2 for text in texts]
    fields = b'{"log":{},"rest":{"name":"a"}}'
    places[:, 4] = np.arange(len(texts)) * len(fields)
    places[:, 5] = places[:, 4] + len(fields)
    np.save(shard / "numbers.npy", np.arange(len(texts), dtype=np.int32))
    np.save(shard / "parts.npy", np.arange(len(texts) + 1))
    np.save(shard / "places.npy", places)
    (shard / "fields.bin").write_bytes(fields * len(texts))
    np.save(shard / "digests.npy", np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 2, 32))
    np.save(shard / "starts.npy", np.zeros(len(texts) + 1, np.int64))
    for name, dtype in (("columns", "<i4"), ("values", "<u2")):
        np.save(shard / f"{name}.npy", np.zeros(0, dtype))
    (shard / "texts.bin").write_bytes(b"".join(texts))
    (shard / "contents.bin").touch()
    np.save(folder / "frequencies.npy", np.zeros(0, "<i4"))
    for name in ("account.jsonl", "terms.bin"):
        (folder / name).touch()
    (folder / "secret").write_text("0" * 64)


def test_an_enormous_text_and_an_enormous_token_are_read_in_little_memory(tmp_path: Path) -> None:
    """The words of the first, as objects of Python, would take half as much again."""
    words = b"".join(b"w%d " % (number % 50_000) for number in range(2**20))
    write_rowless(tmp_path / "corpus", [words * 12, b"w1 w2", b"x" * 2**26])
    script = (
        "import sys; from pathlib import Path; from verifier.corpus.folder import SealedCorpus; "
        "from verifier.corpus.features import recompute; found = recompute(SealedCorpus.open(Path(sys.argv[1]))); "
        "sys.exit(found.wrong != (0, 1))"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "corpus")],
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
    )


@pytest.fixture(scope="module")
def arxiv(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = os.environ.get("TALLYSTICK_DATA")
    if folder is None or not (Path(folder) / DATA).exists():
        pytest.skip(f"{DATA} is not there: set TALLYSTICK_DATA to the folder that holds it")
    items = islice(registry.find(Path(folder) / DATA).read(lambda _: None), 12_000)
    documents = intake.Intake().take(items)
    return build.build(documents, tmp_path_factory.mktemp("arxiv") / "corpus", secret=SECRET)


def test_real_documents_have_the_root_and_the_rows_that_the_protocol_gave_them(arxiv: Corpus) -> None:
    corpus = SealedCorpus.open(arxiv.path)
    assert root(corpus) == arxiv.root
    assert recompute(corpus) == Recomputed(table=arxiv.term_table_digest)


def test_real_documents_are_ranked_as_the_protocol_ranks_them(arxiv: Corpus) -> None:
    responsive = arxiv.labels("cs.CR")
    corpus, cal = SealedCorpus.open(arxiv.path), Cal(arxiv)
    ranker, labelled, mask = Ranker(corpus), LabelledSet(corpus), np.zeros(arxiv.size, bool)
    assert corpus.labels("cs.CR") == responsive
    reviewed, previous = [*sorted(responsive)[:100], *range(900)], None
    reviewed = list(dict.fromkeys(reviewed))
    fresh = reviewed
    for _ in range(5):
        labelled.add(fresh, [document in responsive for document in fresh])
        mask[fresh] = True
        chosen = cal.by_model(reviewed, [document in responsive for document in reviewed], 500, previous)
        assert chosen.model is not None
        model = labelled.certify(chosen.model)
        assert model.accepted
        assert ranker.by_model(model, mask, 500) == (chosen.documents, chosen.near_cut)
        fresh, previous = chosen.documents, chosen.model
        reviewed = reviewed + fresh
