/** Keys of the forger's own, one for each key of the genuine copy, and what they sign. */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { base64, concat, hex, unbase64, unhex, utf8 } from "../../src/engine/bytes.ts";
import { tagBytes } from "../../src/engine/hash.ts";
import { encode, type Json } from "../../src/engine/json.ts";
import { sha256 } from "../../src/engine/sha256.ts";

/** What stands before the 32 bytes of a private key in PKCS 8. */
const PKCS8 = unhex("302e020100300506032b657004220420")!;

export interface Pair {
  readonly secret: KeyObject;
  readonly key: string;
}

export class Ring {
  private readonly pairs = new Map<string, Pair>();

  constructor(private readonly seed: string) {}

  /** The pair that stands for a genuine key, by its hex or another name. */
  pair(name: string): Pair {
    let pair = this.pairs.get(name);
    if (pair === undefined) {
      const der = concat(PKCS8, sha256(utf8(`key/${this.seed}/${name}`)));
      const secret = createPrivateKey({ key: Buffer.from(der), format: "der", type: "pkcs8" });
      const { x } = createPublicKey(secret).export({ format: "jwk" });
      pair = { secret, key: hex(unbase64(`${x!.replaceAll("-", "+").replaceAll("_", "/")}=`)!) };
      this.pairs.set(name, pair);
    }
    return pair;
  }
}

export function signBytes(pair: Pair, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, bytes, pair.secret));
}

export function signTagged(pair: Pair, tag: string, value: unknown): string {
  return hex(signBytes(pair, concat(tagBytes(tag), encode(value as Json))));
}

const readers = new Map<string, KeyObject>();

export function isSigned(key: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  let reader = readers.get(key);
  if (reader === undefined) {
    const x = base64(unhex(key)!).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    reader = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    readers.set(key, reader);
  }
  return verify(null, bytes, reader, signature);
}

export function isTagged(key: string, tag: string, value: unknown, signature: unknown): boolean {
  const bytes = typeof signature === "string" ? unhex(signature) : null;
  return bytes !== null && isSigned(key, concat(tagBytes(tag), encode(value as Json)), bytes);
}
