/**
 * Ed25519 by the acceptance rule of the specification.
 *
 * A key must be the canonical encoding of a point of the prime-order subgroup other than the identity. A signature (R, S)
 * is valid if S < L, R is not the encoding of the identity, and R = encode([S]B - [SHA-512(R, A, M)]A), byte for byte.
 *
 * WebCrypto is fast, and implementations of it accept more than that. So keys are judged here, in exact integers, and
 * WebCrypto is asked only if a trial shows that it refuses what a comparison of bytes would refuse. Otherwise, and
 * where it is absent, the exact integers do all of it.
 */

import { concat, hex, unhex } from "./bytes.ts";
import { tagBytes } from "./hash.ts";
import { sha512 } from "./sha512.ts";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const MASK255 = (1n << 255n) - 1n;

function mod(x: bigint): bigint {
  const r = x % P;
  return r < 0n ? r + P : r;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let b = base;
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * b) % P;
    b = (b * b) % P;
  }
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const D2 = (2n * D) % P;
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** A point in extended coordinates: x = X/Z, y = Y/Z, T = XY/Z. */
interface Point {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;
  readonly T: bigint;
}
const IDENTITY: Point = { X: 0n, Y: 1n, Z: 1n, T: 0n };

function add(p: Point, q: Point): Point {
  const a = mod((p.Y - p.X) * (q.Y - q.X));
  const b = ((p.Y + p.X) * (q.Y + q.X)) % P;
  const c = (((p.T * D2) % P) * q.T) % P;
  const d = (2n * p.Z * q.Z) % P;
  const e = b - a;
  const f = d - c;
  const g = d + c;
  const h = b + a;
  return { X: mod(e * f), Y: mod(g * h), Z: mod(f * g), T: mod(e * h) };
}

function double(p: Point): Point {
  const a = (p.X * p.X) % P;
  const b = (p.Y * p.Y) % P;
  const c = (2n * p.Z * p.Z) % P;
  const s = p.X + p.Y;
  const e = mod(s * s - a - b);
  const g = b - a;
  const f = g - c;
  const h = -a - b;
  return { X: mod(e * f), Y: mod(g * h), Z: mod(f * g), T: mod(e * h) };
}

function negate(p: Point): Point {
  return { X: mod(-p.X), Y: p.Y, Z: p.Z, T: mod(-p.T) };
}

function isIdentity(p: Point): boolean {
  return p.X === 0n && p.Y === p.Z;
}

/** The multiples 0 to 15 of a point. */
function multiples(p: Point): readonly Point[] {
  const table = [IDENTITY, p];
  for (let i = 2; i < 16; i++) table.push(add(table[i - 1]!, p));
  return table;
}

/** [s]p + [t]q, with tables of multiples. */
function combine(p: readonly Point[], s: bigint, q: readonly Point[], t: bigint): Point {
  let result = IDENTITY;
  for (let shift = 252n; shift >= 0n; shift -= 4n) {
    for (let i = 0; i < 4; i++) result = double(result);
    const a = Number((s >> shift) & 15n);
    const b = Number((t >> shift) & 15n);
    if (a !== 0) result = add(result, p[a]!);
    if (b !== 0) result = add(result, q[b]!);
  }
  return result;
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

/** The point of an encoding; null if it is no point, or not the canonical encoding of one. */
function decode(bytes: Uint8Array): Point | null {
  const value = littleEndian(bytes);
  const sign = value >> 255n;
  const y = value & MASK255;
  if (y >= P) return null;
  const y2 = (y * y) % P;
  const u = mod(y2 - 1n);
  const v = (D * y2 + 1n) % P;
  // x^2 = u / v, by the formula of RFC 8032.
  let x = mod(u * power(v, 3n) * power(mod(u * power(v, 7n)), (P - 5n) / 8n));
  const vx2 = (v * x * x) % P;
  if (vx2 !== u) {
    if (vx2 !== mod(-u)) return null;
    x = (x * ROOT_OF_MINUS_ONE) % P;
  }
  if (x === 0n && sign === 1n) return null;
  if ((x & 1n) !== sign) x = P - x;
  return { X: x, Y: y, Z: 1n, T: (x * y) % P };
}

function encodePoint(p: Point): Uint8Array {
  const inverse = power(p.Z, P - 2n);
  const x = (p.X * inverse) % P;
  const y = (p.Y * inverse) % P;
  let value = y | ((x & 1n) << 255n);
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 32; i++, value >>= 8n) bytes[i] = Number(value & 255n);
  return bytes;
}

const BASE_Y = (4n * power(5n, P - 2n)) % P;
const BASE = ((): Point => {
  const bytes = new Uint8Array(32);
  let value = BASE_Y;
  for (let i = 0; i < 32; i++, value >>= 8n) bytes[i] = Number(value & 255n);
  return decode(bytes)!;
})();
const BASE_MULTIPLES = multiples(BASE);

interface KnownKey {
  /** The multiples of -A; null if the key is not acceptable. */
  readonly minus: readonly Point[] | null;
  imported: Promise<CryptoKey | null> | null;
}
const known = new Map<string, KnownKey>();

function lookUp(key: Uint8Array): KnownKey {
  const name = hex(key);
  let found = known.get(name);
  if (found === undefined) {
    const point = key.length === 32 ? decode(key) : null;
    const ok = point !== null && !isIdentity(point) && isIdentity(combine(multiples(point), L, BASE_MULTIPLES, 0n));
    found = { minus: ok ? multiples(negate(point)) : null, imported: null };
    if (known.size > 4096) known.clear();
    known.set(name, found);
  }
  return found;
}

export function acceptableKey(key: Uint8Array): boolean {
  return lookUp(key).minus !== null;
}

/** S < L, and R is not the identity: what is asked before the equation. */
function plausible(signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  // Below 2^252 S is below L for certain, and it almost always is: only else are integers needed.
  if (signature[63]! >= 0x10 && littleEndian(signature.subarray(32)) >= L) return false;
  if (signature[0] !== 1) return true;
  for (let i = 1; i < 32; i++) if (signature[i] !== 0) return true;
  return false;
}

/** The rule in exact integers, for a key that is acceptable. */
function verifyExactly(key: Uint8Array, minus: readonly Point[], message: Uint8Array, signature: Uint8Array): boolean {
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  const k = littleEndian(sha512(concat(r, key, message))) % L;
  const expected = encodePoint(combine(BASE_MULTIPLES, s, minus, k));
  for (let i = 0; i < 32; i++) if (expected[i] !== r[i]) return false;
  return true;
}

const KEY = "5a8cf6c530cc54a52f4f55d69e4b1bca1be021e5f1d52562e26cfa6d90402795";
const MESSAGE = "74686520646f63756d656e7473206f6620746869732062617463682061726520726573706f6e73697665";

/**
 * Signatures that only a lax implementation accepts: R is off the subgroup and only the equation with the factor 8
 * holds; and R = the identity with its sign bit set. The first one is valid.
 */
const TRIALS: readonly { readonly key: string; readonly message: string; readonly signature: string; readonly valid: boolean }[] = [
  {
    key: "a4b017cb0d5af15b13c06bc6f3fb540c6317d90f39fdd7244c60c3e46d5a011e",
    message: "01",
    signature:
      "0ca83eedb7af0c53ab7a910270bbe4077b9fc72da09acad03dd19b8539cbec30" +
      "1092c6b0128996421bea641e09bee3322a81cdf230db626797ac7987d562f600",
    valid: true,
  },
  {
    key: KEY,
    message: MESSAGE,
    signature:
      "545a121338a4597c5dded446374d721de4e3437f18ec6dc7a75b59861bc971ed" +
      "074ff65fe5f0e6a40c3fbb8c1b06a74e22e77d5f6f61dc84cb4ea56793cf0402",
    valid: false,
  },
  {
    key: KEY,
    message: MESSAGE,
    signature:
      "ee" + "ff".repeat(31) +
      "331ca8567a6e28089b6cfee99f971d6000fda9b7b9d2ca2ca3383defdd11b90f",
    valid: false,
  },
  {
    key: KEY,
    message: MESSAGE,
    signature:
      "01" + "00".repeat(30) + "80" +
      "6bf9a7dbdb149f20deb4902249c77915e0906c63a06166d857e958205e053809",
    valid: false,
  },
];

let trusted: Promise<boolean> | null = null;

async function importKey(key: Uint8Array): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey("raw", new Uint8Array(key), "Ed25519", false, ["verify"]);
  } catch {
    return null;
  }
}

/** WebCrypto copies a message when it is asked, so all are put together in the same bytes. */
let joined = new Uint8Array(2 ** 16);

async function askWebCrypto(key: CryptoKey, prefix: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const length = prefix.length + message.length;
  if (length > joined.length) joined = new Uint8Array(2 * length);
  joined.set(prefix);
  joined.set(message, prefix.length);
  return crypto.subtle.verify("Ed25519", key, signature as BufferSource, joined.subarray(0, length));
}

/** Whether WebCrypto is there and compares R byte for byte. */
async function tryWebCrypto(): Promise<boolean> {
  if (typeof crypto === "undefined" || crypto.subtle === undefined) return false;
  try {
    for (const trial of TRIALS) {
      const key = await importKey(unhex(trial.key)!);
      if (key === null) return false;
      if ((await askWebCrypto(key, NO_PREFIX, unhex(trial.message)!, unhex(trial.signature)!)) !== trial.valid) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Whether WebCrypto is in use; a test can turn it off to try the exact integers. */
export function useWebCrypto(): Promise<boolean> {
  trusted ??= tryWebCrypto();
  return trusted;
}
export function refuseWebCrypto(): void {
  trusted = Promise.resolve(false);
}
export function tryWebCryptoAgain(): void {
  trusted = null;
}

const NO_PREFIX = new Uint8Array(0);

/** Whether a signature over a message is valid, without any tag in front. */
export async function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array, prefix: Uint8Array = NO_PREFIX): Promise<boolean> {
  const entry = lookUp(key);
  if (entry.minus === null || !plausible(signature)) return false;
  if (await useWebCrypto()) {
    entry.imported ??= importKey(key);
    const imported = await entry.imported;
    if (imported !== null) {
      try {
        return await askWebCrypto(imported, prefix, message, signature);
      } catch {
        // The exact integers decide.
      }
    }
  }
  return verifyExactly(key, entry.minus, concat(prefix, message), signature);
}

/** Whether a signature under one of the record's tags is valid: `entry`, `statement`, `manifest`, `production`. */
export function verifyTagged(key: Uint8Array, tag: string, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
  return verifySignature(key, bytes, signature, tagBytes(tag));
}
