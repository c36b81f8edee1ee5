/** Signed notes, checkpoints and verifier keys: C2SP signed-note, tlog-checkpoint and tlog-cosignature. */

import { base64, concat, equalBytes, isWellFormed, unbase64, unhex, utf8 } from "./bytes.ts";
import { acceptableKey, verifySignature } from "./ed25519.ts";
import { sha256 } from "./sha256.ts";

export interface NoteLine {
  readonly name: string;
  /** 4 bytes. */
  readonly id: Uint8Array;
  readonly signature: Uint8Array;
}
export interface Note {
  /** What is signed: everything up to the last empty line, with its newline. */
  readonly text: string;
  readonly lines: readonly NoteLine[];
}

/** The white space of Unicode, none of which a name may hold. */
const WHITE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
/** What neither a note nor a proof may hold: control characters but LF. */
// eslint-disable-next-line no-control-regex
export const CONTROL = /[\x00-\x09\x0b-\x1f]/;

export function isNoteName(name: string): boolean {
  return name.length > 0 && !name.includes("+") && !WHITE.test(name) && isWellFormed(name);
}

/** A note by its grammar, with 1 to 64 signature lines; null if it is none. */
export function parseNote(note: string): Note | null {
  if (CONTROL.test(note) || !isWellFormed(note)) return null;
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || !note.endsWith("\n")) return null;
  const text = note.slice(0, split + 1);
  const block = note.slice(split + 2, -1);
  if (split + 2 >= note.length) return null;
  const rows = block.split("\n");
  if (rows.length > 64) return null;
  const lines: NoteLine[] = [];
  for (const row of rows) {
    const words = row.split(" ");
    if (words.length !== 3 || words[0] !== "\u2014" || !isNoteName(words[1]!)) return null;
    const bytes = unbase64(words[2]!);
    if (bytes === null || bytes.length < 5) return null;
    lines.push({ name: words[1]!, id: bytes.slice(0, 4), signature: bytes.slice(4) });
  }
  return { text, lines };
}

/** A decimal number without leading zeros, of at most 16 digits. */
export function parseSize(text: string): bigint | null {
  return /^(0|[1-9][0-9]{0,15})$/.test(text) ? BigInt(text) : null;
}

export interface Checkpoint extends Note {
  readonly matter: string;
  readonly size: bigint;
  readonly root: Uint8Array;
  readonly head: string;
}

export function parseCheckpoint(note: string): Checkpoint | null {
  const parsed = parseNote(note);
  if (parsed === null) return null;
  const match = /^tallystick\/([0-9a-f]{64})\n([0-9]+)\n([^\n]*)\nhead ([0-9a-f]{64})\n$/.exec(parsed.text);
  if (match === null) return null;
  const size = parseSize(match[2]!);
  const root = unbase64(match[3]!);
  if (size === null || root === null || root.length !== 32) return null;
  return { ...parsed, matter: match[1]!, size, root, head: match[4]! };
}

/** The text that a checkpoint of these entries signs. */
export function checkpointText(matter: string, size: number, root: Uint8Array, head: string): string {
  return `tallystick/${matter}\n${size}\n${base64(root)}\nhead ${head}\n`;
}

export type KeyType = 1 | 4;

export function keyId(name: string, type: KeyType, key: Uint8Array): Uint8Array {
  return sha256(utf8(`${name}\n`), new Uint8Array([type]), key).slice(0, 4);
}

export interface VerifierKey {
  readonly name: string;
  readonly id: Uint8Array;
  readonly type: KeyType;
  readonly key: Uint8Array;
}

/** `name+id+key` with an acceptable key; null if it is none. */
export function parseVerifierKey(text: string): VerifierKey | null {
  // Base64 can hold a plus sign, names cannot.
  const first = text.indexOf("+");
  const second = text.indexOf("+", first + 1);
  if (first < 0 || second < 0) return null;
  const name = text.slice(0, first);
  // eslint-disable-next-line no-control-regex
  if (!isNoteName(name) || /[\x00-\x1f]/.test(name)) return null;
  const id = unhex(text.slice(first + 1, second), 4);
  const bytes = unbase64(text.slice(second + 1));
  if (id === null || bytes === null || bytes.length !== 33) return null;
  const type = bytes[0];
  if (type !== 1 && type !== 4) return null;
  const key = bytes.slice(1);
  if (!equalBytes(id, keyId(name, type, key)) || !acceptableKey(key)) return null;
  return { name, id, type, key };
}

export function isLineOf(line: NoteLine, name: string, id: Uint8Array): boolean {
  return line.name === name && equalBytes(line.id, id);
}

/** Whether a line of type 1 signs the text. */
export async function verifyNoteLine(key: Uint8Array, text: string, line: NoteLine): Promise<boolean> {
  return line.signature.length === 64 && verifySignature(key, utf8(text), line.signature);
}

/** The time of a cosignature (type 4) that is valid, or null. */
export async function verifyCosignature(key: Uint8Array, text: string, line: NoteLine): Promise<bigint | null> {
  if (line.signature.length !== 72) return null;
  const time = new DataView(line.signature.buffer, line.signature.byteOffset).getBigUint64(0);
  if (time >= 1n << 63n) return null;
  const message = concat(utf8(`cosignature/v1\ntime ${time}\n`), utf8(text));
  return (await verifySignature(key, message, line.signature.subarray(8))) ? time : null;
}

/** Whether a line is valid under a verifier key. */
export async function verifyLine(key: VerifierKey, text: string, line: NoteLine): Promise<boolean> {
  if (key.type === 1) return verifyNoteLine(key.key, text, line);
  return (await verifyCosignature(key.key, text, line)) !== null;
}
