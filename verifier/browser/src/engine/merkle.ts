/** Merkle trees of RFC 9162: roots that grow leaf by leaf, proofs of inclusion and consistency, and paths of many leaves. */

import { equalBytes } from "./bytes.ts";
import { digestScratch, scratch, SCRATCH_LENGTH, Sha256, sha256 } from "./sha256.ts";

const LEAF = 0;
const NODE = 1;

export function leafHash(data: Uint8Array): Uint8Array {
  if (data.length >= SCRATCH_LENGTH) return new Sha256().update(new Uint8Array([LEAF])).update(data).digest();
  scratch[0] = LEAF;
  scratch.set(data, 1);
  return digestScratch(1 + data.length);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  scratch[0] = NODE;
  scratch.set(left, 1);
  scratch.set(right, 33);
  return digestScratch(65);
}

/** A tree that keeps only the roots of its full subtrees. */
export class MerkleTree {
  size = 0;
  private readonly peaks: Uint8Array[] = [];

  append(data: Uint8Array): void {
    let node = leafHash(data);
    for (let n = this.size; n % 2 === 1; n = (n - 1) / 2) node = nodeHash(this.peaks.pop()!, node);
    this.peaks.push(node);
    this.size++;
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (let i = this.peaks.length - 1; i >= 0; i--) {
      root = root === null ? this.peaks[i]! : nodeHash(this.peaks[i]!, root);
    }
    return root ?? sha256();
  }
}

export function merkleRoot(leaves: Iterable<Uint8Array>): Uint8Array {
  const tree = new MerkleTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree.root();
}

/** The root to which an inclusion proof leads from a leaf's data; null if the proof has a wrong length. */
export function rootFromInclusion(
  leaf: Uint8Array,
  index: number | bigint,
  size: number | bigint,
  proof: readonly Uint8Array[],
): Uint8Array | null {
  let fn = BigInt(index);
  let sn = BigInt(size) - 1n;
  if (fn < 0n || fn > sn) return null;
  let node = leafHash(leaf);
  for (const hash of proof) {
    if (sn === 0n) return null;
    if ((fn & 1n) === 1n || fn === sn) {
      node = nodeHash(hash, node);
      while ((fn & 1n) === 0n && fn !== 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else node = nodeHash(node, hash);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n ? node : null;
}

export function verifyInclusion(
  leaf: Uint8Array,
  index: number | bigint,
  size: number | bigint,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  const found = rootFromInclusion(leaf, index, size, proof);
  return found !== null && equalBytes(found, root);
}

/** Whether the tree of `second` leaves continues the tree of `first` leaves. */
export function verifyConsistency(
  first: number | bigint,
  second: number | bigint,
  proof: readonly Uint8Array[],
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
): boolean {
  const m = BigInt(first);
  const n = BigInt(second);
  if (m < 1n || m > n) return false;
  if (m === n) return proof.length === 0 && equalBytes(firstRoot, secondRoot);
  const path = [...proof];
  if ((m & (m - 1n)) === 0n) path.unshift(firstRoot);
  let fn = m - 1n;
  let sn = n - 1n;
  while ((fn & 1n) === 1n) {
    fn >>= 1n;
    sn >>= 1n;
  }
  const start = path.shift();
  if (start === undefined) return false;
  let fr = start;
  let sr = start;
  for (const hash of path) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      fr = nodeHash(hash, fr);
      sr = nodeHash(hash, sr);
      while ((fn & 1n) === 0n && fn !== 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else sr = nodeHash(sr, hash);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && equalBytes(fr, firstRoot) && equalBytes(sr, secondRoot);
}

/**
 * The root to which the leaves of some documents lead with one common path, or null if a hash is missing or left over.
 * `leaves` is ascending by number.
 */
export function rootFromPath(
  size: number,
  leaves: readonly (readonly [number, Uint8Array])[],
  path: readonly Uint8Array[],
): Uint8Array | null {
  const nodes = new Uint8Array(32 * leaves.length);
  leaves.forEach(([, data], i) => nodes.set(leafHash(data), 32 * i));
  const hashes = new Uint8Array(32 * path.length);
  path.forEach((hash, i) => hashes.set(hash, 32 * i));
  return rootFromNodes(size, leaves.map(([number]) => number), nodes, hashes);
}

/**
 * The same for hashes that stand one after the other: those of the leaves in `nodes`, and those of the path. Each level of
 * the tree is put in the place of the one below, so `numbers` and `nodes` are used up.
 */
export function rootFromNodes(size: number, numbers: number[], nodes: Uint8Array, path: Uint8Array): Uint8Array | null {
  if (numbers.length === 0 || numbers[numbers.length - 1]! >= size) return null;
  let used = 0;
  for (let width = size; width > 1; width = Math.ceil(width / 2)) {
    let above = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      let node = hashAt(nodes, i);
      if (number % 2 === 1) node = nodeHash(hashAt(path, used++), node);
      else if (number + 1 < width) node = nodeHash(node, numbers[i + 1] === number + 1 ? hashAt(nodes, ++i) : hashAt(path, used++));
      if (32 * used > path.length) return null;
      nodes.set(node, 32 * above);
      numbers[above++] = Math.floor(number / 2);
    }
    numbers.length = above;
  }
  return 32 * used === path.length ? nodes.slice(0, 32) : null;
}

function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(32 * index, 32 * index + 32);
}
