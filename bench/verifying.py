"""The verifier against its floors.

Bob's copy: every byte parsed by `json.loads`, every hash that the verification needs, every signature, and nothing
else. The court's: the time of the `simulate` whose CAL and models it replays; and for recomputing rows and leaves, the
time of the `corpus build` that made them.
"""

import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from bench import in_browser, simulating
from bench.timing import REPORTED, TIMED, Runs, ratio
from verifier.record import hashing, keys, openings, trees
from verifier.rules import coins
from verifier.verdict import Answer
from verifier.verification import verify

_COURT = f"""{TIMED}
from verifier import cli, corpus_replay
from verifier.corpus import features, leaves
timed(leaves, "root", "leaves")
timed(features, "recompute", "features")
timed(corpus_replay.LabelledSet, "certify", "certificates")
timed(corpus_replay.Ranker, "by_model", "rankings")
{REPORTED}
"""


def run(folder: Path, documents: int, rounds: int, batch: int) -> None:
    """Measure Bob's and the court's copies of one matter."""
    path, built = corpus(folder, documents)
    simulated, matter = _simulate(folder, path, rounds, batch)
    bob, court = (_copy(folder, matter, audience) for audience in ("bob", "court"))
    name = f"{documents:,} documents, T={rounds}, N={batch}"
    bobs_copy(bob, name)
    in_browser.run(bob, name)
    courts_copy(court, path, simulated, built, name)


def corpus(folder: Path, documents: int) -> tuple[Path, float]:
    """A synthetic corpus and the seconds that `corpus build` takes for it, measured here and now."""
    kept = simulating.corpus(folder, documents)
    source, again = folder / "verified.jsonl.gz", folder / f"verified-{documents}"
    for stale in (source, again):
        subprocess.run(["rm", "-rf", str(stale)], check=True)
    responsive = str(max(40, documents * 3 // 1000))
    made = ["--documents", str(documents), "--responsive", responsive, "--seed", "bench", "--out", str(source)]
    simulating.tallystick("corpus", "synth", *made)
    start = perf_counter()
    simulating.tallystick("corpus", "build", str(source), "--out", str(again))
    seconds = perf_counter() - start
    subprocess.run(["rm", "-rf", str(source), str(again)], check=True)
    return kept, seconds


def bobs_copy(copy: Path, name: str) -> None:
    """Verify Bob's copy, over the bare work."""
    messages, signatures = _needed(copy)
    lines = copy.read_bytes().splitlines()

    def bare() -> None:
        for line in lines:
            json.loads(line)
        for message in messages:
            sha256(message).digest()
        for key, message, signature in signatures:
            keys._loaded(key).verify(signature, message)

    size = copy.stat().st_size / 2**20
    detail = f"{size:.0f} MiB, {len(messages):,} hashes, {len(signatures):,} signatures"
    print(f"Bob's copy, {name}: {detail}")
    gc.freeze()  # the collector need not look through the messages, which only this measurement keeps
    ratio("Verify Bob's copy / parsing, hashes and signatures alone (at most 3)", lambda: verify(copy), bare, aim=2)
    gc.unfreeze()


def _needed(copy: Path) -> tuple[list[bytes], list[tuple[bytes, bytes, bytes]]]:
    """Every message that is hashed and every signature that is verified on the way to the verdict."""
    messages: list[bytes] = []
    signatures: list[tuple[bytes, bytes, bytes]] = []

    def recorded(message: bytes) -> Any:
        messages.append(bytes(message))
        return sha256(message)

    verifies: Callable[[bytes, bytes, bytes], bool] = keys.signed_bare

    def signed(key: bytes, message: bytes, signature: bytes) -> bool:
        signatures.append((key, message, signature))
        return verifies(key, message, signature)

    modules: list[Any] = [openings, hashing, trees, coins]
    try:
        for module in modules:
            module.sha256 = recorded
        keys.signed_bare = signed
        if verify(copy).answer is not Answer.VERIFIED:
            raise RuntimeError(f"{copy} should be verified")
    finally:
        for module in modules:
            module.sha256 = sha256
        keys.signed_bare = verifies  # type: ignore[assignment]
    return messages, signatures


def courts_copy(copy: Path, path: Path, simulated: float, built: float, name: str) -> None:
    """Verify the court's copy with the corpus, in a process of its own, best of two."""
    found = min((_verify(copy, path) for _ in Runs.of(2)), key=lambda each: each["spent"]["all"])
    spent = found["spent"]
    recomputed = spent["leaves"] + spent["features"]
    replayed = spent["all"] - recomputed
    for what, ours, floor, wanted in (
        ("replay of everything but rows and leaves / the simulate", replayed, simulated, "at most 1.0, aim 0.6"),
        ("rows and leaves from texts / the corpus build", recomputed, built, "at most 2"),
    ):
        print(f"Court, {name}: {what}: {ours:.2f} s / {floor:.2f} s = {ours / floor:.2f}  ({wanted})")
    shares = ", ".join(
        f"{label} {seconds:.2f} s" for label, seconds in sorted(spent.items(), key=lambda each: -each[1])
    )
    print(f"   {shares}; peak {found['peak'] / 2**20:.2f} GiB (at most 4 GB)", flush=True)


def _simulate(folder: Path, path: Path, rounds: int, batch: int) -> tuple[float, Path]:
    """The best of two runs, and the matter of the last."""
    seconds = min(simulating.simulated(folder, path, rounds, batch, "label")["spent"]["all"] for _ in Runs.of(2))
    return seconds, folder / "bench.matter"


def _copy(folder: Path, matter: Path, audience: str) -> Path:
    copy = folder / f"bench-{audience}.jsonl"
    copy.unlink(missing_ok=True)
    simulating.tallystick("copy", str(matter), "--for", audience, "--out", str(copy))
    return copy


def _verify(copy: Path, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", _COURT, "copy", str(copy), "--corpus", str(path), "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if '"verdict": "verified"' not in run.stdout:
        raise RuntimeError(f"{copy} should be verified: {run.stdout}{run.stderr}")
    found: dict[str, Any] = json.loads(re.findall(r"^\{.*\}$", run.stderr, re.MULTILINE)[-1])
    return found
