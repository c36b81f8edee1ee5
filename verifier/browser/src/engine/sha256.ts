/**
 * SHA-256 (FIPS 180-4), synchronous: WebCrypto's is asynchronous, and a copy needs a hash for every opened value.
 */

import { rootsOfPrimes } from "./sha-constants.ts";

const upperHalves = (roots: readonly bigint[]): Int32Array => Int32Array.from(roots, (root) => Number(BigInt.asIntN(32, root >> 32n)));
const K = upperHalves(rootsOfPrimes(64, 3n));
const W = new Int32Array(64);

/** Works one block of 64 bytes into the state. */
function compress(state: Int32Array, data: Uint8Array, at: number): void {
  const w = W;
  const k = K;
  for (let i = 0, j = at; i < 16; i++, j += 4) {
    w[i] = (data[j]! << 24) | (data[j + 1]! << 16) | (data[j + 2]! << 8) | data[j + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  // Eight rounds at a time: the eight variables come back to their places, so none has to be moved.
  for (let i = 0; i < 64; i += 8) {
    h = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (g ^ (e & (f ^ g))) + k[i]! + w[i]!) | 0;
    d = (d + h) | 0;
    h = (h + ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + ((a & b) | (c & (a | b)))) | 0;
    g = (g + ((d >>> 6 | d << 26) ^ (d >>> 11 | d << 21) ^ (d >>> 25 | d << 7)) + (f ^ (d & (e ^ f))) + k[i + 1]! + w[i + 1]!) | 0;
    c = (c + g) | 0;
    g = (g + ((h >>> 2 | h << 30) ^ (h >>> 13 | h << 19) ^ (h >>> 22 | h << 10)) + ((h & a) | (b & (h | a)))) | 0;
    f = (f + ((c >>> 6 | c << 26) ^ (c >>> 11 | c << 21) ^ (c >>> 25 | c << 7)) + (e ^ (c & (d ^ e))) + k[i + 2]! + w[i + 2]!) | 0;
    b = (b + f) | 0;
    f = (f + ((g >>> 2 | g << 30) ^ (g >>> 13 | g << 19) ^ (g >>> 22 | g << 10)) + ((g & h) | (a & (g | h)))) | 0;
    e = (e + ((b >>> 6 | b << 26) ^ (b >>> 11 | b << 21) ^ (b >>> 25 | b << 7)) + (d ^ (b & (c ^ d))) + k[i + 3]! + w[i + 3]!) | 0;
    a = (a + e) | 0;
    e = (e + ((f >>> 2 | f << 30) ^ (f >>> 13 | f << 19) ^ (f >>> 22 | f << 10)) + ((f & g) | (h & (f | g)))) | 0;
    d = (d + ((a >>> 6 | a << 26) ^ (a >>> 11 | a << 21) ^ (a >>> 25 | a << 7)) + (c ^ (a & (b ^ c))) + k[i + 4]! + w[i + 4]!) | 0;
    h = (h + d) | 0;
    d = (d + ((e >>> 2 | e << 30) ^ (e >>> 13 | e << 19) ^ (e >>> 22 | e << 10)) + ((e & f) | (g & (e | f)))) | 0;
    c = (c + ((h >>> 6 | h << 26) ^ (h >>> 11 | h << 21) ^ (h >>> 25 | h << 7)) + (b ^ (h & (a ^ b))) + k[i + 5]! + w[i + 5]!) | 0;
    g = (g + c) | 0;
    c = (c + ((d >>> 2 | d << 30) ^ (d >>> 13 | d << 19) ^ (d >>> 22 | d << 10)) + ((d & e) | (f & (d | e)))) | 0;
    b = (b + ((g >>> 6 | g << 26) ^ (g >>> 11 | g << 21) ^ (g >>> 25 | g << 7)) + (a ^ (g & (h ^ a))) + k[i + 6]! + w[i + 6]!) | 0;
    f = (f + b) | 0;
    b = (b + ((c >>> 2 | c << 30) ^ (c >>> 13 | c << 19) ^ (c >>> 22 | c << 10)) + ((c & d) | (e & (c | d)))) | 0;
    a = (a + ((f >>> 6 | f << 26) ^ (f >>> 11 | f << 21) ^ (f >>> 25 | f << 7)) + (h ^ (f & (g ^ h))) + k[i + 7]! + w[i + 7]!) | 0;
    e = (e + a) | 0;
    a = (a + ((b >>> 2 | b << 30) ^ (b >>> 13 | b << 19) ^ (b >>> 22 | b << 10)) + ((b & c) | (d & (b | c)))) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
  state[4] = (state[4]! + e) | 0;
  state[5] = (state[5]! + f) | 0;
  state[6] = (state[6]! + g) | 0;
  state[7] = (state[7]! + h) | 0;
}

const START = upperHalves(rootsOfPrimes(8, 2n));

export class Sha256 {
  private readonly state = new Int32Array(START);
  private readonly buffer = new Uint8Array(64);
  private filled = 0;
  private length = 0;

  update(data: Uint8Array): this {
    let at = 0;
    const end = data.length;
    this.length += end;
    if (this.filled > 0) {
      const take = Math.min(64 - this.filled, end);
      for (let i = 0; i < take; i++) this.buffer[this.filled + i] = data[i]!;
      this.filled += take;
      at = take;
      if (this.filled < 64) return this;
      compress(this.state, this.buffer, 0);
      this.filled = 0;
    }
    for (; at + 64 <= end; at += 64) compress(this.state, data, at);
    for (; at < end; at++) this.buffer[this.filled++] = data[at]!;
    return this;
  }

  /** The 32 bytes. The object is spent afterwards. */
  digest(): Uint8Array {
    const { buffer, state } = this;
    buffer[this.filled++] = 0x80;
    if (this.filled > 56) {
      buffer.fill(0, this.filled, 64);
      compress(state, buffer, 0);
      this.filled = 0;
    }
    buffer.fill(0, this.filled, 56);
    const view = new DataView(buffer.buffer);
    view.setUint32(56, Math.floor(this.length / 0x20000000));
    view.setUint32(60, (this.length << 3) >>> 0);
    compress(state, buffer, 0);
    return bytesOf(state);
  }
}

/** Where short messages are put together: most hashes of a record are of a hundred bytes, and objects cost more than that. */
export const scratch = new Uint8Array(8192);
const scratchState = new Int32Array(8);
/** The longest message that fits into the scratch with its padding. */
export const SCRATCH_LENGTH = scratch.length - 72;

/** The hash of the first bytes of the scratch. */
export function digestScratch(length: number): Uint8Array {
  scratchState.set(START);
  const end = (length + 72) & ~63;
  scratch[length] = 0x80;
  scratch.fill(0, length + 1, end - 4);
  const bits = length * 8;
  scratch[end - 4] = bits >>> 24;
  scratch[end - 3] = (bits >>> 16) & 255;
  scratch[end - 2] = (bits >>> 8) & 255;
  scratch[end - 1] = bits & 255;
  for (let at = 0; at < end; at += 64) compress(scratchState, scratch, at);
  return bytesOf(scratchState);
}

function bytesOf(state: Int32Array): Uint8Array {
  const out = new Uint8Array(32);
  for (let i = 0; i < 8; i++) {
    const word = state[i]!;
    out[4 * i] = word >>> 24;
    out[4 * i + 1] = (word >>> 16) & 255;
    out[4 * i + 2] = (word >>> 8) & 255;
    out[4 * i + 3] = word & 255;
  }
  return out;
}

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = new Sha256();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
