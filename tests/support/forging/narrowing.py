"""A wave with a document less, whose path is the right one for the others."""

from typing import Any

from ledger import merkle
from protocol.corpus import paths
from protocol.corpus.leaves import leaf_of, read_proof
from tests.support.forging.forged import line_of, said_in
from tests.support.forging.forger import Forger
from tests.support.forging.reshaping import dropped, straight_to_bob


def never_shown(forger: Forger) -> None:
    """What Alice claims never goes to the court, nor to Bob: the first wave leaves its first position out."""
    straight_to_bob(forger)
    wave, labels = line_of(forger, "disclosure"), line_of(forger, "labels")
    path, _, *others = wave["openings"]
    path["value"] = _path_without_the_first(forger, wave)
    gone = said_in(wave)["content"]["positions"].pop(0)
    said_in(wave)["sealed"]["proofs"]["commitments"].pop(0)
    wave["openings"] = [path, *(each | {"index": each["index"] - 1} for each in others)]
    wave["entry"]["body"]["releases"][0]["indices"].remove(gone - 1)
    said_in(labels)["content"]["labels"].pop(0)
    _not_disputed(forger, gone)
    forger.commit_again()


def _not_disputed(forger: Forger, position: int) -> None:
    """The court rules on the others, or not at all."""
    asked, ruled = (said_in(line_of(forger, kind))["content"] for kind in ("dispute", "rulings"))
    if position in asked["positions"]:
        ruled["labels"].pop(asked["positions"].index(position))
        asked["positions"].remove(position)
    if not asked["positions"]:
        dropped(("dispute", 0), ("rulings", 0))(forger)


def _path_without_the_first(forger: Forger, wave: dict[str, Any]) -> str:
    """The path of a wave's documents but the first: each of its hashes follows from the wave's own path and proofs."""
    size = said_in(forger.values[0])["content"]["corpus"]["documents"]
    sealed = line_of(forger, "batch")["openings"]
    numbers = [each["value"]["document"] for each in sealed if each["field"] == "documents"]
    documents = [numbers[position - 1] for position in said_in(wave)["content"]["positions"]]
    path, *proofs = (each["value"] for each in wave["openings"])
    raw = bytes.fromhex(path)
    hashes = (raw[start : start + 32] for start in range(0, len(raw), 32))
    nodes = dict(zip(paths.siblings(documents, size), hashes, strict=True))
    for document, proof in zip(documents, proofs, strict=True):
        nodes[0, document] = merkle.leaf_hash(leaf_of(document, read_proof(proof)))
    level, width = 0, size
    while width > 1:
        for place in {each >> 1 for depth, each in nodes if depth == level}:
            left, right = nodes[level, 2 * place], nodes.get((level, 2 * place + 1))
            nodes[level + 1, place] = left if right is None else merkle.node_hash(left, right)
        level, width = level + 1, (width + 1) // 2
    return b"".join(nodes[each] for each in paths.siblings(documents[1:], size)).hex()
