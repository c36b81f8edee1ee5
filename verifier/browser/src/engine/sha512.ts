/**
 * SHA-512 (FIPS 180-4) in exact integers. Only the fallback of Ed25519 uses it, so it is short and not fast.
 */

import { rootsOfPrimes } from "./sha-constants.ts";

const MASK = (1n << 64n) - 1n;
const K = rootsOfPrimes(80, 3n);
const START = rootsOfPrimes(8, 2n);

function rotate(x: bigint, by: bigint): bigint {
  return ((x >> by) | (x << (64n - by))) & MASK;
}

export function sha512(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 17) / 128) * 128);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = [...START];
  const w = new Array<bigint>(80);
  for (let at = 0; at < padded.length; at += 128) {
    for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(at + 8 * i);
    for (let i = 16; i < 80; i++) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = rotate(x, 1n) ^ rotate(x, 8n) ^ (x >> 7n);
      const s1 = rotate(y, 19n) ^ rotate(y, 61n) ^ (y >> 6n);
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) & MASK;
    }
    let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
    for (let i = 0; i < 80; i++) {
      const s1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (~e & MASK & g)) + K[i]! + w[i]!;
      const s0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n);
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + t1) & MASK;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) & MASK;
    }
    const next = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < 8; i++) state[i] = (state[i]! + next[i]!) & MASK;
  }
  const out = new Uint8Array(64);
  const outView = new DataView(out.buffer);
  state.forEach((word, i) => outView.setBigUint64(8 * i, word));
  return out;
}
