/** The tagged hashes of a record: H(tag, a, b, ...) = SHA-256("tallystick/v1/" tag 0x00 | len(a) a | len(b) b | ...). */

import { concat, u64, utf8 } from "./bytes.ts";
import { encode, type Json, type JsonObject } from "./json.ts";
import { digestScratch, scratch, SCRATCH_LENGTH, Sha256 } from "./sha256.ts";

const PREFIX = "tallystick/v1/";
const prefixes = new Map<string, Uint8Array>();

/** What stands in front of signed or hashed bytes. */
export function tagBytes(tag: string): Uint8Array {
  let prefix = prefixes.get(tag);
  if (prefix === undefined) {
    prefix = concat(utf8(PREFIX + tag), new Uint8Array(1));
    prefixes.set(tag, prefix);
  }
  return prefix;
}

/** The tagged hash of byte strings. */
export function H(tag: string, ...args: readonly Uint8Array[]): Uint8Array {
  const prefix = tagBytes(tag);
  let length = prefix.length;
  for (const arg of args) length += 8 + arg.length;
  if (length > SCRATCH_LENGTH) return longH(prefix, args);
  scratch.set(prefix);
  let at = prefix.length;
  for (const arg of args) {
    const size = arg.length;
    scratch.fill(0, at, at + 6);
    scratch[at + 6] = size >>> 8;
    scratch[at + 7] = size & 255;
    scratch.set(arg, at + 8);
    at += 8 + size;
  }
  return digestScratch(length);
}

function longH(prefix: Uint8Array, args: readonly Uint8Array[]): Uint8Array {
  const hash = new Sha256().update(prefix);
  for (const arg of args) hash.update(u64(arg.length)).update(arg);
  return hash.digest();
}

/** From here on the browser's own hash is faster, though another thread computes it. */
const LONG = 2 ** 15;
/** WebCrypto copies a message when it is asked, so all are put together in the same bytes. */
let whole = new Uint8Array(0);

/** The same tagged hash of bytes that may be long. */
export async function hashOfLong(tag: string, bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length >= LONG && globalThis.crypto?.subtle !== undefined) {
    const prefix = tagBytes(tag);
    const length = prefix.length + 8 + bytes.length;
    if (whole.length < length) whole = new Uint8Array(2 * length);
    whole.set(prefix);
    whole.set(u64(bytes.length), prefix.length);
    whole.set(bytes, prefix.length + 8);
    const digest = await crypto.subtle.digest("SHA-256", whole.subarray(0, length)).catch(() => null);
    if (digest !== null) return new Uint8Array(digest);
  }
  return H(tag, bytes);
}

export const entryHash = (body: Uint8Array): Uint8Array => H("entry", body);
export const statementHash = (statement: Uint8Array): Uint8Array => H("statement", statement);
export const openingsHash = (openings: Uint8Array): Uint8Array => H("openings", openings);
export const commitment = (salt: Uint8Array, value: Uint8Array): Uint8Array => H("commitment", salt, value);
export const openedLeaf = (sequence: number, openings: Uint8Array): Uint8Array => H("opened", u64(sequence), openings);
export const noteHash = (note: string): Uint8Array => H("note", utf8(note));
export const queryHash = (root: Uint8Array, query: string): Uint8Array => H("query", root, utf8(query));

/** A statement's words: the statement without `answers` and `replaces`, so that asking again changes no coin. */
export function wordsHash(statement: JsonObject): Uint8Array {
  const words: Record<string, Json> = { ...statement };
  delete words["answers"];
  delete words["replaces"];
  return H("words", encode(words));
}

/** The link before link i of a role's coin chain. */
export function linkBefore(matter: Uint8Array, role: string, i: number, link: Uint8Array): Uint8Array {
  return H("link", matter, utf8(role), u64(i), link);
}

export function drawSeed(
  matter: Uint8Array,
  draw: number,
  alice: Uint8Array,
  bob: Uint8Array,
  trent: Uint8Array,
  answers: Uint8Array,
): Uint8Array {
  return H("draw", matter, u64(draw), alice, bob, trent, answers);
}

/** An item's coin U, an integer below 2^64. */
export function coin(seed: Uint8Array, item: number): bigint {
  const hash = H("coin", seed, u64(item));
  return new DataView(hash.buffer).getBigUint64(0);
}

/** A key's fingerprint: 40 digits in eight groups of five. */
export function fingerprint(key: Uint8Array): string {
  let value = 0n;
  for (const byte of H("fingerprint", key)) value = (value << 8n) | BigInt(byte);
  const digits = (value % 10n ** 40n).toString().padStart(40, "0");
  return digits.match(/.{5}/g)!.join(" ");
}
