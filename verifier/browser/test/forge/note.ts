/** Checkpoints, and the operator's proofs: taken apart, and put together again over another text. */
import { base64, concat, hex, unhex, utf8 } from "../../src/engine/bytes.ts";
import { checkpointText, keyId, parseCheckpoint, parseVerifierKey, type NoteLine } from "../../src/engine/note.ts";
import { parseLogProof } from "../../src/engine/logproof.ts";
import { rootFromInclusion } from "../../src/engine/merkle.ts";
import { isSigned, type Pair, type Ring, signBytes } from "./keys.ts";

export interface SignedLine {
  name: string;
  /** The genuine key that signs; its id too, unless `idOf` names another. */
  key: string;
  idOf: string | null;
  time: bigint;
  /** A line that no known key has signed, as it came. */
  as: string | null;
}

/** A checkpoint; a part of its text that is null is that of the entries so far. */
export interface Checkpoint {
  size: number | null;
  root: string | null;
  head: string | null;
  lines: SignedLine[];
  /** The hash of its note as it came, by which the manifest names it. */
  readonly id: string;
}

const DASH = "\u2014";

function cosigned(text: string, time: bigint): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${text}`);
}

function readLine(line: NoteLine, text: string, origin: string, keys: readonly string[]): SignedLine {
  const trents = line.name === origin;
  const time = trents ? 0n : line.signature.length >= 8 ? new DataView(line.signature.slice().buffer).getBigUint64(0) : 0n;
  const signature = trents ? line.signature : line.signature.subarray(8);
  const message = trents ? utf8(text) : cosigned(text, time);
  const key = keys.find((one) => isSigned(one, message, signature));
  const idOf = keys.find((one) => hex(keyId(line.name, trents ? 1 : 4, unhex(one)!)) === hex(line.id));
  const as = `${DASH} ${line.name} ${base64(concat(line.id, line.signature))}\n`;
  if (key === undefined || idOf === undefined) return { name: line.name, key: "", idOf: null, time, as };
  return { name: line.name, key, idOf: idOf === key ? null : idOf, time, as: null };
}

/** A checkpoint that states the matter and is by its grammar; else null. */
export function readCheckpoint(note: string, id: string, now: { matter: string; size: number; root: Uint8Array; head: string }, keys: readonly string[]): Checkpoint | null {
  const read = parseCheckpoint(note);
  if (read === null || read.matter !== now.matter) return null;
  return {
    size: read.size === BigInt(now.size) ? null : Number(read.size),
    root: hex(read.root) === hex(now.root) ? null : hex(read.root),
    head: read.head === now.head ? null : read.head,
    lines: read.lines.map((line) => readLine(line, read.text, `tallystick/${now.matter}`, keys)),
    id,
  };
}

function renderLine(line: SignedLine, text: string, origin: string, ring: Ring): string {
  if (line.as !== null) return line.as;
  const trents = line.name === origin;
  const pair = ring.pair(line.key);
  const id = keyId(line.name, trents ? 1 : 4, unhex(ring.pair(line.idOf ?? line.key).key)!);
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, line.time);
  const signature = trents ? signBytes(pair, utf8(text)) : concat(time, signBytes(pair, cosigned(text, line.time)));
  return `${DASH} ${line.name} ${base64(concat(id, signature))}\n`;
}

export function renderCheckpoint(point: Checkpoint, now: { matter: string; size: number; root: Uint8Array; head: string }, ring: Ring): string {
  const root = point.root === null ? now.root : unhex(point.root)!;
  const text = checkpointText(now.matter, point.size ?? now.size, root, point.head ?? now.head);
  return `${text}\n${point.lines.map((line) => renderLine(line, text, `tallystick/${now.matter}`, ring)).join("")}`;
}

/** What the operator's log has of a record: the text of its checkpoint, and that it is open. */
export function loggedLeaf(matter: string, size: number, root: Uint8Array, head: string): Uint8Array {
  return utf8(`${checkpointText(matter, size, root, head)}state open\n`);
}

/** The same log's key, with the forger's key in it; null if the text is none. */
export function ownLogKey(text: unknown, ring: Ring): string | null {
  const read = typeof text === "string" ? parseVerifierKey(text) : null;
  if (read === null || read.type !== 1) return null;
  const key = unhex(ring.pair(text as string).key)!;
  return `${read.name}+${hex(keyId(read.name, 1, key))}+${base64(concat(new Uint8Array([1]), key))}`;
}

/** Whether a proof, by the log's key, is one of this leaf. */
export function isProofOf(proof: unknown, log: string, leaf: Uint8Array): boolean {
  const read = typeof proof === "string" ? parseLogProof(proof) : null;
  const key = parseVerifierKey(log);
  if (read === null || key === null || key.name !== read.log) return false;
  const lines = read.note.lines.filter((line) => line.name === key.name && hex(line.id) === hex(key.id));
  const root = rootFromInclusion(leaf, read.index, read.size, read.hashes);
  return lines.length === 1 && isSigned(hex(key.key), utf8(read.note.text), lines[0]!.signature) && root !== null && hex(root) === hex(read.root);
}

/** A proof at the same place of the log, of another leaf. */
export function proofAnew(proof: string, log: string, leaf: Uint8Array, pair: Pair): string {
  const read = parseLogProof(proof)!;
  const key = parseVerifierKey(log)!;
  const root = rootFromInclusion(leaf, read.index, read.size, read.hashes)!;
  const rows = read.note.text.split("\n");
  rows[2] = base64(root);
  const text = rows.join("\n");
  const id = keyId(key.name, 1, unhex(pair.key)!);
  const before = proof.slice(0, proof.indexOf("\n\n") + 2);
  return `${before}${text}\n${DASH} ${key.name} ${base64(concat(id, signBytes(pair, utf8(text))))}\n`;
}
