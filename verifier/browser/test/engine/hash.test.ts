/** A long message is hashed by WebCrypto where it is there, and the hash is the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hex } from "../../src/engine/bytes.ts";
import { H, hashOfLong } from "../../src/engine/hash.ts";

const message = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 7);

test("long messages have the same hash, one at a time or at once", async () => {
  const messages = [0, 2 ** 15 - 1, 2 ** 15, 300_000, 100_000, 65_536].map(message);
  const together = await Promise.all(messages.map((bytes) => hashOfLong("openings", bytes)));
  messages.forEach((bytes, i) => assert.equal(hex(together[i]!), hex(H("openings", bytes))));
});

test("where WebCrypto fails, the hash is computed here", async () => {
  const real = crypto.subtle.digest;
  let asked = 0;
  crypto.subtle.digest = async () => {
    asked += 1;
    throw new Error("no");
  };
  try {
    assert.equal(hex(await hashOfLong("openings", message(2 ** 15))), hex(H("openings", message(2 ** 15))));
    assert.equal(asked, 1);
  } finally {
    crypto.subtle.digest = real;
  }
});
