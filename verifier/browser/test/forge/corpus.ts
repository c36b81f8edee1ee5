/** The corpus as far as a copy shows it: leaves and paths, and a corpus of the forger's own with the same leaves. */
import { hex } from "../../src/engine/bytes.ts";
import { documentLeaf, pathBytes } from "../../src/engine/documents.ts";
import type { Json } from "../../src/engine/json.ts";
import { leafHash, nodeHash } from "../../src/engine/merkle.ts";
import type { Entry, Free, Matter, Opening } from "./matter.ts";
import type { Random } from "./random.ts";
import { contentOf, isShown, ofKind, openedIn, opening, shaped } from "./tools.ts";

const corpusOf = (matter: Matter): { documents: number; root: string } => contentOf(opening(matter))["corpus"];

/** The numbers of documents by their names, as far as the copy tells them. */
function numbersByName(matter: Matter): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const entry of shaped(matter)) for (const { value } of openedIn(entry, "documents")) if (typeof value?.name === "string" && Number.isInteger(value.document)) numbers.set(value.name, value.document);
  return numbers;
}

/** A leaf as the proof leads to it; null if the copy does not tell the document's number. */
function leafBy(proof: Free, names: ReadonlyMap<string, number>): [number, Uint8Array] | null {
  const number = names.get(proof?.parts?.[0]?.rest?.name);
  const leaf = number === undefined ? null : documentLeaf(number, proof as Json);
  return leaf === null ? null : [number!, leafHash(leaf)];
}

/** The siblings that a path holds, level by level, and the nodes that follow from it. */
function walk(size: number, leaves: ReadonlyMap<number, Uint8Array>, sibling: (level: number, index: number) => Uint8Array | null, seen: (level: number, index: number, node: Uint8Array) => void): boolean {
  let nodes = new Map([...leaves].sort(([a], [b]) => a - b));
  for (let width = size, level = 0; ; width = Math.ceil(width / 2), level++) {
    for (const [index, node] of nodes) seen(level, index, node);
    if (width <= 1) return true;
    const above = new Map<number, Uint8Array>();
    for (const [index, node] of nodes) {
      if (above.has(index >> 1)) continue;
      const other = index ^ 1;
      if (other >= width) above.set(index >> 1, node);
      else {
        const next = nodes.get(other) ?? sibling(level, other);
        if (next === null) return false;
        if (!nodes.has(other)) seen(level, other, next);
        above.set(index >> 1, index % 2 === 0 ? nodeHash(node, next) : nodeHash(next, node));
      }
    }
    nodes = above;
  }
}

function leavesOf(entry: Entry, names: ReadonlyMap<string, number>): Map<number, Uint8Array> | null {
  const leaves = openedIn(entry, "proofs").map(({ value }) => leafBy(value, names));
  return leaves.includes(null) ? null : new Map(leaves as [number, Uint8Array][]);
}

const proving = (matter: Matter): Entry[] => ofKind(matter, "disclosure", "camera").filter((entry) => isShown(entry, "proofs") && isShown(entry, "path"));

/** Every node of the tree that the copy's proofs and paths tell. */
function knownNodes(matter: Matter): Map<string, Uint8Array> {
  const nodes = new Map<string, Uint8Array>();
  const names = numbersByName(matter);
  for (const entry of proving(matter)) {
    const leaves = leavesOf(entry, names);
    const path = pathBytes(openedIn(entry, "path")[0]!.value);
    if (leaves === null || path === null) continue;
    let at = 0;
    const found: [string, Uint8Array][] = [];
    const next = (): Uint8Array | null => (at + 32 <= path.length ? path.subarray(at, (at += 32)) : null);
    if (walk(corpusOf(matter).documents, leaves, next, (level, index, node) => found.push([`${level}/${index}`, node]))) for (const [name, node] of found) nodes.set(name, node);
  }
  return nodes;
}

function setPath(entry: Entry, matter: Matter, names: ReadonlyMap<string, number>, nodes: ReadonlyMap<string, Uint8Array>): boolean {
  const leaves = leavesOf(entry, names);
  if (leaves === null) return false;
  const path: string[] = [];
  const take = (level: number, index: number): Uint8Array | null => {
    const node = nodes.get(`${level}/${index}`) ?? null;
    if (node !== null) path.push(hex(node));
    return node;
  };
  if (!walk(corpusOf(matter).documents, leaves, take, () => undefined)) return false;
  openedIn(entry, "path")[0]!.value = path.join("");
  return true;
}

/** Fits the path of an entry to the proofs that it has now, by what the copy tells of the tree. */
export function pathAnew(matter: Matter, before: Matter, entry: Entry): boolean {
  if (openedIn(entry, "path").length === 0) return true;
  return setPath(entry, matter, numbersByName(before), knownNodes(before));
}

/** Commits to another corpus, which has every document that the copy tells of; fits all paths to it. */
export function corpusAnew(matter: Matter, random: Random): boolean {
  const corpus = corpusOf(matter);
  const names = numbersByName(matter);
  const leaves = new Map<number, Uint8Array>();
  for (const entry of proving(matter)) {
    const some = leavesOf(entry, names);
    if (some === null) return false;
    for (const [number, leaf] of some) leaves.set(number, leaf);
  }
  for (let number = 0; number < corpus.documents; number++) if (!leaves.has(number)) leaves.set(number, random.bytes());
  const nodes = new Map<string, Uint8Array>();
  walk(corpus.documents, leaves, () => null, (level, index, node) => nodes.set(`${level}/${index}`, node));
  const height = Math.max(...[...nodes.keys()].map((name) => Number(name.split("/")[0])));
  corpus.root = hex(nodes.get(`${height}/0`)!);
  return proving(matter).every((entry) => setPath(entry, matter, names, nodes));
}

/** A number of the corpus that the copy does not name. */
export function freeNumber(matter: Matter, random: Random): number | null {
  const named = new Set(numbersByName(matter).values());
  const free = Array.from({ length: corpusOf(matter).documents }, (_, number) => number).filter((number) => !named.has(number));
  return free.length === 0 ? null : random.pick(free);
}

/** A proof of a document of the forger's own. */
export function inventedProof(name: string, random: Random): Free {
  return { parts: [{ content: random.hash(), rest: { name }, salt: random.hash() }], row: random.hash() };
}

/** The proofs that the copy opens, with the number of each document if it tells that. */
export function proofsIn(matter: Matter): { entry: Entry; opening: Opening }[] {
  return ofKind(matter, "disclosure", "camera").flatMap((entry) => openedIn(entry, "proofs").map((one) => ({ entry, opening: one })));
}
