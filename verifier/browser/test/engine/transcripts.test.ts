/** Every copy gets the verdict, the outcomes and the blame that transcripts.json states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareCopies, verifyCopy } from "../../src/engine/index.ts";
// @ts-expect-error: plain JavaScript, which the tests in Chromium share
import { expectedOf, statedBy } from "../support/expected.mjs";
import { vectorFile, vectors } from "./vectors.ts";

const { cases } = vectors("transcripts.json");

for (const vector of cases) {
  if (vector.other !== undefined) {
    test(`${vector.id}: ${vector.comment}`, async () => {
      const found = await compareCopies([vectorFile(vector.copy)], [vectorFile(vector.other)]);
      assert.equal(found.result, vector.result);
      assert.deepEqual(found.blamed, vector.blamed);
    });
    continue;
  }
  test(`${vector.id}: ${vector.comment}`, async () => {
    const verdict = await verifyCopy([vectorFile(vector.copy)], { trust: vector.trust });
    const expected = expectedOf(vector);
    assert.deepEqual(statedBy(verdict, expected), expected);
  });
}

// Alice's copy has an attachment: its entry waits until the pieces are there, some lines later.
for (const copy of ["valid-label-bob.jsonl", "valid-reveal-all-alice.jsonl"]) {
  test(`the size of the chunks changes nothing: ${copy}`, async () => {
    const bytes = vectorFile(`transcripts/${copy}`);
    for (const size of [1, 7, 1000, 65536]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      assert.equal((await verifyCopy(chunks)).verdict, "verified", `chunks of ${size}`);
    }
  });
}

test("an abort ends the reading", async () => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(verifyCopy([vectorFile("transcripts/valid-label-bob.jsonl")], { signal: controller.signal }));
});
